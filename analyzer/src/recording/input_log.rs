//! What the core took in, in a file beside the journal: an analyzer that starts again takes it in anew, and goes on with the jobs that
//! were open. The file has the format of a recording, and the tokens of jobs, too: only its owner may read it.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use midrun_proto::v1;
use midrun_proto::v1::from_agent::Message as Said;
use midrun_proto::v1::recorded::What;

use super::batches::keep_jobs;
use super::{End, ReadError, Reader, frame, preamble};
use crate::disk::{Disk, Growing, with_ending};
use crate::ids::JobId;
use crate::limits;

/// A log that is being read.
pub type Earlier = Reader<BufReader<Box<dyn Read + Send>>>;

/// The inputs of the open jobs. What cannot be written, or is too long, is given up until no job is open.
#[derive(Debug)]
pub struct InputLog {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// The first frame of a new file.
    begun: v1::RecordingBegun,
    file: Option<Growing>,
    most: u64,
    /// What the file has must not be taken in: inputs are missing behind it.
    is_stale: bool,
}

impl InputLog {
    /// The log beside `journal`, which keeps nothing before [`InputLog::shorten`]; one that never keeps anything without a journal.
    pub fn new(disk: Arc<dyn Disk>, journal: Option<&Path>, begun: v1::RecordingBegun) -> InputLog {
        let path = journal.map_or_else(PathBuf::new, |journal| with_ending(journal, ".inputs"));
        let most = if journal.is_some() { limits::INPUT_LOG_BYTES } else { 0 };
        InputLog { path, disk, begun, file: None, most, is_stale: false }
    }

    /// The same with room for so many bytes.
    #[cfg(test)]
    pub fn of_at_most(self, most: u64) -> InputLog {
        InputLog { most, ..self }
    }

    /// Whether inputs are to be kept.
    pub fn is_on(&self) -> bool {
        self.most > 0
    }

    /// What an analyzer with this configuration has left; `None` where there is nothing to go on with.
    pub fn earlier(&self) -> Option<Earlier> {
        let why = match self.read() {
            Ok(reader) => {
                let known =
                    |begun: &v1::RecordingBegun| v1::RecordingBegun { unix_s: 0, last_action: 0, ..begun.clone() };
                if known(&reader.begun) == known(&self.begun) {
                    return Some(reader);
                }
                "another version or configuration wrote them".to_owned()
            }
            Err(ReadError::System(error)) if error.kind() == ErrorKind::NotFound => return None,
            Err(ReadError::Empty(End::Cut { at: 0 })) => "they were given up".to_owned(),
            Err(ReadError::Empty(_)) => return None,
            Err(ReadError::Foreign) => {
                self.keep_aside();
                return None;
            }
            Err(error) => error.to_string(),
        };
        tracing::warn!(path = %self.path.display(), why, "the inputs of the analyzer before are not taken in: its jobs are measured anew");
        None
    }

    fn read(&self) -> Result<Earlier, ReadError> {
        if !self.is_on() {
            return Err(ReadError::System(ErrorKind::NotFound.into()));
        }
        let mut file = BufReader::new(self.disk.read(&self.path)?);
        if file.fill_buf()?.is_empty() {
            return Err(ReadError::Empty(End::Cut { at: 0 }));
        }
        Reader::new(file)
    }

    /// What is not midrun's, or has lost its begin, is not overwritten.
    fn keep_aside(&self) {
        let (path, aside) = (self.path.display(), with_ending(&self.path, ".foreign"));
        match self.disk.rename(&self.path, &aside) {
            Ok(()) => {
                tracing::warn!(%path, aside = %aside.display(), "this file is not of midrun; it is kept aside, and jobs are measured anew")
            }
            Err(error) => tracing::warn!(%path, %error, "this file is not of midrun, and cannot be kept aside"),
        }
    }

    /// Keeps one thing that happened at `now_ns`.
    pub fn keep(&mut self, now_ns: u64, what: What) {
        let Some(file) = &mut self.file else { return };
        let content = frame(&v1::Recorded { now_ns, what: Some(what) });
        if content.len() > limits::FRAME_BYTES {
            return self.give_up("an input is longer than a frame may be");
        }
        if let Err(error) = file.append(&content) {
            self.give_up(&error.to_string());
        }
    }

    /// Waits until everything is on disk.
    pub fn sync(&mut self) {
        if let Some(Err(error)) = self.file.as_mut().map(Growing::sync) {
            self.give_up(&error.to_string());
        }
    }

    /// Whether it is so long that it has to be shortened.
    pub fn is_full(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.bytes() >= self.most)
    }

    /// Leaves out what is not about `open` jobs. Where that is little, they are given up; where none is open, the log begins anew.
    pub fn shorten(&mut self, open: &BTreeSet<JobId>) {
        if !self.is_on() || (self.is_stale && !open.is_empty()) {
            return;
        }
        match self.rewritten(open) {
            Ok(file) if file.bytes() > self.most / 2 => self.give_up("those of the open jobs are too many"),
            Ok(file) => (self.file, self.is_stale) = (Some(file), false),
            Err(error) => self.give_up(&error.to_string()),
        }
    }

    fn rewritten(&self, open: &BTreeSet<JobId>) -> io::Result<Growing> {
        let jobs: BTreeSet<&str> = open.iter().map(JobId::as_str).collect();
        let before = if self.is_stale { None } else { self.read().ok() };
        let path = with_ending(&self.path, ".new");
        let mut file = self.disk.create(&path)?;
        file.append(&preamble())?;
        let begun = before.as_ref().map_or(&self.begun, |reader| &reader.begun).clone();
        let begun_ns = before.as_ref().map_or(0, Reader::now_ns);
        file.append(&frame(&v1::Recorded { now_ns: begun_ns, what: Some(What::Begun(begun)) }))?;
        if let Some(mut reader) = before {
            let links = links_of(&mut self.read().map_err(io::Error::other)?, &jobs)?;
            while let Some((now_ns, what)) = reader.next_frame()? {
                if let Some(what) = part_of(what, &jobs, &links) {
                    file.append(&frame(&v1::Recorded { now_ns, what: Some(what) }))?;
                }
            }
        }
        file.sync()?;
        self.disk.rename(&path, &self.path)?;
        Growing::new(self.disk.append(&self.path)?)
    }

    fn give_up(&mut self, why: &str) {
        tracing::warn!(path = %self.path.display(), why, "inputs are not kept before no job is open: an analyzer that starts again measures anew");
        (self.file, self.is_stale) = (None, true);
        self.empty();
    }

    /// What lacks its end must not be read; on a disk in trouble it is tried again.
    fn empty(&mut self) {
        if let Err(error) = self.disk.create(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "the inputs cannot be emptied");
        }
    }

    /// Tries again what failed.
    pub fn go_on(&mut self) {
        if self.is_on() && self.is_stale {
            self.empty();
        }
    }
}

/// The links that bring something of `jobs`, and those that had not ended.
fn links_of(reader: &mut Earlier, jobs: &BTreeSet<&str>) -> io::Result<BTreeSet<u64>> {
    let (mut of_jobs, mut open) = (BTreeSet::new(), BTreeSet::new());
    while let Some((_, what)) = reader.next_frame()? {
        match what {
            What::Said(v1::LinkSaid { link, message: Some(v1::FromAgent { message: Some(message) }) }) => {
                if matches!(message, Said::Hello(_)) {
                    open.insert(link);
                }
                if is_about(&message, jobs) {
                    of_jobs.insert(link);
                }
            }
            What::LinkEnded(v1::LinkEnded { link, .. }) => drop(open.remove(&link)),
            What::Restarted(_) => open.clear(),
            _ => {}
        }
    }
    of_jobs.append(&mut open);
    Ok(of_jobs)
}

fn is_of(id: &Option<v1::RankId>, jobs: &BTreeSet<&str>) -> bool {
    id.as_ref().is_some_and(|id| jobs.contains(&*id.job))
}

fn is_about(message: &Said, jobs: &BTreeSet<&str>) -> bool {
    match message {
        // An agent may know a job's owner before it has a rank of the job.
        Said::Hello(hello) => {
            hello.ranks.iter().any(|rank| is_of(&rank.id, jobs))
                || hello.owner_settings.iter().any(|settings| jobs.contains(&*settings.job))
        }
        Said::Batch(batch) => {
            batch.joined.iter().any(|rank| is_of(&rank.id, jobs))
                || batch.reports.iter().any(|report| is_of(&report.id, jobs))
                || batch.left.iter().any(|rank| is_of(&rank.id, jobs))
        }
        Said::OwnerSettingsKept(kept) => jobs.contains(&*kept.job),
        _ => false,
    }
}

/// What a frame has of `jobs` and `links`. A batch stays, at least as a number: what is missing between two is taken for lost.
fn part_of(mut what: What, jobs: &BTreeSet<&str>, links: &BTreeSet<u64>) -> Option<What> {
    let stays = match &mut what {
        What::Said(v1::LinkSaid { link, message }) => {
            let message = message.as_mut().and_then(|message| message.message.as_mut());
            links.contains(link)
                && match message {
                    Some(Said::Hello(hello)) => {
                        hello.ranks.retain(|rank| is_of(&rank.id, jobs));
                        hello.owner_settings.retain(|settings| jobs.contains(&*settings.job));
                        true
                    }
                    Some(Said::Batch(batch)) => {
                        keep_jobs(batch, |name| jobs.contains(name));
                        true
                    }
                    Some(Said::OwnerSettingsKept(kept)) => jobs.contains(&*kept.job),
                    _ => false,
                }
        }
        What::LinkEnded(ended) => links.contains(&ended.link),
        What::Opened(request) => jobs.contains(&*request.job),
        What::Closed(request) => jobs.contains(&*request.job),
        What::Control(request) => jobs.contains(&*request.job),
        What::Thought(thought) => jobs.contains(&*thought.job),
        What::Sent(action) => is_of(&action.rank, jobs),
        What::Tick(_) | What::Restarted(_) => true,
        What::Begun(_) | What::Ended(_) => false,
    };
    stays.then_some(what)
}
