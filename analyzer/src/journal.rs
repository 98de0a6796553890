//! The journal: one line of JSON per event, decision and action, each with a checksum, on disk before the action is sent. An analyzer
//! that starts reads it: what owners of jobs have set, and the number of the last action.

use std::collections::{BTreeMap, VecDeque};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::control::Mode;
use crate::disk::{Disk, Growing, Held, HostDisk, with_ending};
use crate::error::AnalyzerError;
use crate::ids::JobId;
use crate::limits;
use crate::owner::{Manual, OwnerSettings, RecalledJob};

/// Event of a line with what a job's owner has set.
const SETTINGS: &str = "owner-settings";
/// Event of the line that ends a job.
const ENDED: &str = "job-ended";
/// What stands between a line's content and its checksum: eight hexadecimal digits.
const MARK: &str = ",\"crc\":\"";
/// Bytes of the mark, the checksum and what closes the line.
const TAIL: usize = MARK.len() + 8 + 2;

/// What an earlier analyzer has left in the journal.
#[derive(Debug, Default)]
pub struct Recalled {
    /// Of each job that had not ended.
    pub jobs: BTreeMap<JobId, RecalledJob>,
    /// The last action, 0 when there was none.
    pub last_action: u64,
    /// Lines that were damaged, but for a torn last one.
    pub damaged: u64,
    /// There was a journal.
    pub is_there: bool,
}

/// An open journal. When it cannot be written any more it logs that, and [`Journal::go_on`] tries it again.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// Keeps other analyzers from the journal, and from the inputs beside it.
    _held: Option<Held>,
    file: Option<Growing>,
    most: u64,
    /// The newest settings of each job that has not ended: a new file begins with them.
    settings: BTreeMap<String, Value>,
    last_action: u64,
    is_given_up: bool,
    unwritten: Unwritten,
}

/// Lines that a full disk did not take: the newest ones.
#[derive(Debug, Default)]
struct Unwritten {
    lines: VecDeque<String>,
    bytes: usize,
    /// Older ones that were too many.
    dropped: u64,
}

impl Unwritten {
    fn keep(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.bytes > limits::UNWRITTEN_BYTES
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= oldest.len();
            self.dropped += 1;
        }
    }
}

impl Journal {
    /// Reads the file and opens it for appending; `None` makes a journal that writes nothing.
    ///
    /// # Errors
    /// When the file cannot be opened or read, or another analyzer has it.
    pub fn open(disk: Arc<dyn Disk>, path: Option<&Path>) -> Result<(Journal, Recalled), AnalyzerError> {
        let mut journal = Journal {
            path: path.unwrap_or(Path::new("")).to_owned(),
            disk,
            _held: None,
            file: None,
            most: limits::JOURNAL_BYTES,
            settings: BTreeMap::new(),
            last_action: 0,
            is_given_up: false,
            unwritten: Unwritten::default(),
        };
        let Some(path) = path else { return Ok((journal, Recalled::default())) };
        journal._held = Some(held(&*journal.disk, path)?);
        let failed = |source| AnalyzerError::Journal { path: path.to_owned(), source };
        let (is_there, (damaged, is_torn)) = match journal.disk.read(path) {
            Ok(file) => (true, journal.read(file).map_err(failed)?),
            Err(error) if error.kind() == ErrorKind::NotFound => (false, (0, false)),
            Err(error) => return Err(failed(error)),
        };
        journal.file = Some(journal.opened(is_torn).map_err(failed)?);
        let recalled = |(job, line): (&String, &Value)| Some((JobId::new(job)?, job_of(line)?));
        let jobs = journal.settings.iter().filter_map(recalled).collect();
        let recalled = Recalled { jobs, last_action: journal.last_action, damaged, is_there };
        Ok((journal, recalled))
    }

    /// The file, behind what it has; a last line that `may_be_torn` is ended.
    fn opened(&self, may_be_torn: bool) -> std::io::Result<Growing> {
        let mut file = Growing::new(self.disk.append(&self.path)?)?;
        if may_be_torn {
            file.append(b"\n")?;
        }
        Ok(file)
    }

    /// Takes in what the file has; returns how many lines are damaged, and whether the last one has no end.
    fn read(&mut self, file: Box<dyn Read + Send>) -> std::io::Result<(u64, bool)> {
        let mut reader = BufReader::new(file);
        let (mut damaged, mut bytes) = (0, Vec::new());
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes)? == 0 {
                return Ok((damaged, false));
            }
            if bytes.pop_if(|byte| *byte == b'\n').is_none() {
                return Ok((damaged, true)); // the analyzer was killed while it wrote this
            }
            match std::str::from_utf8(&bytes).ok().and_then(checked) {
                Some(line) => self.note(&line),
                // Lines of older versions have no checksum, and nothing to recall.
                None => {
                    damaged +=
                        u64::from(!bytes.is_empty() && bytes.windows(MARK.len()).any(|part| part == MARK.as_bytes()))
                }
            }
        }
    }

    fn note(&mut self, line: &Value) {
        if let Some(action) = line["action"].as_u64() {
            self.last_action = self.last_action.max(action);
        }
        let Some(job) = line["job"].as_str() else { return };
        match line["event"].as_str() {
            Some(SETTINGS) => {
                self.settings.insert(job.to_owned(), line.clone());
            }
            Some(ENDED) => {
                self.settings.remove(job);
            }
            _ => {}
        }
    }

    /// Appends one line. [`Journal::sync`] brings it to the disk.
    pub fn write(&mut self, line: &Value) {
        self.note(line);
        if self.file.as_ref().is_some_and(|file| file.bytes() >= self.most) {
            self.rotate();
        }
        let text = with_checksum(line);
        if !self.append(&text) && self.is_given_up {
            self.unwritten.keep(text);
        }
    }

    /// Whether it could be written.
    fn append(&mut self, text: &str) -> bool {
        let appended = self.file.as_mut().map(|file| file.append(text.as_bytes()));
        if let Some(Err(error)) = &appended {
            self.give_up(error);
        }
        matches!(appended, Some(Ok(())))
    }

    /// Begins a new file with all that must not be forgotten; the one before stays beside it, the one before that goes.
    fn rotate(&mut self) {
        self.sync();
        let renamed = self.disk.rename(&self.path, &with_ending(&self.path, ".1"));
        match renamed.and_then(|()| self.opened(false)) {
            Ok(file) => self.file = Some(file),
            Err(error) => return self.give_up(&error),
        }
        self.continue_here();
    }

    fn continue_here(&mut self) {
        let continued = json!({"event": "journal-continued", "action": self.last_action});
        let lines: Vec<String> = std::iter::once(&continued).chain(self.settings.values()).map(with_checksum).collect();
        lines.iter().for_each(|line| _ = self.append(line));
    }

    /// Waits until everything is on disk: before an action leaves, and before a person is answered.
    pub fn sync(&mut self) {
        if let Some(Err(error)) = self.file.as_mut().map(Growing::sync) {
            self.give_up(&error);
        }
    }

    fn give_up(&mut self, error: &std::io::Error) {
        if !std::mem::replace(&mut self.is_given_up, true) {
            tracing::warn!(path = %self.path.display(), %error, "the journal is not written any more; it is tried again");
        }
        self.file = None;
    }

    /// Tries to write a journal again that could not be written: it goes on with the lines that are missing, and what must not be forgotten.
    pub fn go_on(&mut self) {
        if !self.is_given_up {
            return;
        }
        let Ok(file) = self.opened(true) else { return };
        self.file = Some(file);
        let missed = std::mem::take(&mut self.unwritten);
        if missed.lines.iter().all(|line| self.append(line)) {
            self.continue_here();
            self.sync();
        }
        if self.file.is_some() {
            self.is_given_up = false;
            let (path, missed, dropped) = (self.path.display(), missed.lines.len(), missed.dropped);
            tracing::info!(%path, missed, dropped, "the journal is written again, with what it missed, but for what was dropped");
        } else {
            self.unwritten = missed;
        }
    }
}

/// Keeps other analyzers from the journal at `path`.
fn held(disk: &dyn Disk, path: &Path) -> Result<Held, AnalyzerError> {
    // Not by the journal itself: a new one takes its place when it is full.
    disk.hold(&with_ending(path, ".lock")).map_err(|source| match source.kind() {
        ErrorKind::WouldBlock => AnalyzerError::JournalHeld { path: path.to_owned() },
        _ => AnalyzerError::Journal { path: path.to_owned(), source },
    })
}

/// Checks that an analyzer of this host could keep its journal at `path`.
///
/// # Errors
/// The file cannot be opened, or another analyzer has it.
pub fn check(path: &Path) -> Result<(), AnalyzerError> {
    let held = held(&HostDisk, path)?;
    // It is not made here: where there is none, an analyzer begins anew.
    let opened = OpenOptions::new().append(true).open(path).map(drop);
    drop(held);
    match opened {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(AnalyzerError::Journal { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn with_checksum(line: &Value) -> String {
    let mut text = line.to_string();
    if text.len() > 2 && text.pop() == Some('}') {
        let sum = crc32fast::hash(text.as_bytes());
        text += &format!("{MARK}{sum:08x}\"}}");
    }
    text.push('\n');
    text
}

/// The content of a line whose checksum is right.
fn checked(text: &str) -> Option<Value> {
    let content = text.get(..text.len().checked_sub(TAIL)?)?;
    let sum = text.get(content.len()..)?.strip_prefix(MARK)?.strip_suffix("\"}")?;
    let right = u32::from_str_radix(sum, 16).is_ok_and(|sum| sum == crc32fast::hash(content.as_bytes()));
    right.then(|| serde_json::from_str(text).ok()).flatten()
}

/// The line of what a job's owner has set.
pub fn settings_line(settings: &OwnerSettings) -> Value {
    let OwnerSettings { job, options, manual, .. } = settings;
    let value = |((point, rank), revision): (&(String, Option<u32>), &u64)| json!([point, rank, revision]);
    json!({
        "event": SETTINGS,
        "job": job.as_str(),
        "opened": options.is_some(),
        "dry_run": options.as_ref().is_some_and(|options| options.dry_run),
        "mode": manual.mode.name(),
        "mode_revision": manual.mode_revision,
        "resumed_revision": manual.resumed_revision,
        "values": manual.values.iter().map(value).collect::<Vec<Value>>(),
        "together": manual.together,
    })
}

fn job_of(line: &Value) -> Option<RecalledJob> {
    let mut manual = Manual {
        mode: Mode::parse(line["mode"].as_str()?)?,
        mode_revision: line["mode_revision"].as_u64()?,
        resumed_revision: line["resumed_revision"].as_u64()?,
        ..Manual::default()
    };
    for value in line["values"].as_array()? {
        let rank = value[1].as_u64().and_then(|rank| u32::try_from(rank).ok());
        manual.hold(value[0].as_str()?, rank, value[2].as_u64()?);
    }
    // A journal of an older version has none.
    let together = line["together"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in together {
        manual.take_together(name);
    }
    Some(RecalledJob { opened: line["opened"].as_bool()?, manual })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Appendable;

    fn settings(job: &str, mode: Mode, revision: u64) -> OwnerSettings {
        let mut manual = Manual::default();
        manual.set_mode(mode, revision);
        manual.hold("block", Some(3), revision + 1);
        manual.hold("share", None, revision + 2);
        manual.take_together("block");
        OwnerSettings { job: JobId::new(job).unwrap(), version: 1, options: None, manual }
    }

    fn path() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        (folder, path)
    }

    fn open(path: &Path) -> (Journal, Recalled) {
        Journal::open(Arc::new(HostDisk), Some(path)).unwrap()
    }

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn what_owners_have_set_and_the_last_action_are_read_back_and_ended_jobs_are_not() {
        let (_folder, path) = path();
        let (mut journal, nothing) = open(&path);
        assert_eq!((nothing.jobs.len(), nothing.last_action), (0, 0));
        let frozen = settings("a", Mode::Frozen, 5);
        for line in [
            settings_line(&settings("a", Mode::Paused, 3)),
            settings_line(&settings("b", Mode::Frozen, 4)),
            settings_line(&frozen),
            json!({"event": "action", "job": "a", "action": 77}),
            json!({"event": "job-ended", "job": "b"}),
        ] {
            journal.write(&line);
        }
        drop(journal);
        let (_, recalled) = open(&path);
        let a = RecalledJob { opened: false, manual: frozen.manual };
        assert_eq!(recalled.jobs, BTreeMap::from([(JobId::new("a").unwrap(), a)]));
        assert_eq!((recalled.last_action, recalled.damaged), (77, 0));
    }

    #[test]
    fn a_torn_last_line_and_damaged_ones_are_left_out_and_the_rest_is_read() {
        let (_folder, path) = path();
        let lines: String = (1..=3).map(|n| with_checksum(&json!({"event": "action", "action": n}))).collect();
        let old = "{\"event\":\"action\",\"action\":9}\n";
        for cut in 0..lines.len() {
            std::fs::write(&path, format!("{old}{}", &lines[..cut])).unwrap();
            let (mut journal, recalled) = open(&path);
            let whole = lines[..cut].matches('\n').count() as u64;
            assert_eq!((recalled.last_action, recalled.damaged), (whole, 0), "cut at {cut}");
            journal.write(&json!({"event": "action", "action": 50}));
            drop(journal);
            assert_eq!(open(&path).1.last_action, 50, "what follows a torn line is read, cut at {cut}");
        }
        let damaged = lines.replacen("\"action\":2", "\"action\":8", 1);
        std::fs::write(&path, damaged).unwrap();
        let (_, recalled) = open(&path);
        assert_eq!((recalled.last_action, recalled.damaged), (3, 1));
    }

    #[test]
    fn a_full_journal_goes_on_in_a_new_file_that_begins_with_what_must_not_be_forgotten() {
        let (_folder, path) = path();
        let (mut journal, _) = open(&path);
        journal.most = 2_000;
        journal.write(&settings_line(&settings("a", Mode::Frozen, 5)));
        for n in 1..=200 {
            journal.write(&json!({"event": "action", "job": "a", "action": n}));
        }
        let rotated = path.with_extension("jsonl.1");
        assert!(text(&path).len() < 3_000 && text(&rotated).len() < 3_000);
        assert!(text(&path).starts_with("{\"action\":"), "{}", text(&path));
        drop(journal);
        let (_, recalled) = open(&path);
        assert_eq!((recalled.jobs.len(), recalled.last_action), (1, 200));
    }

    /// A disk that has no room at first.
    #[derive(Clone, Debug, Default)]
    struct Full(Arc<std::sync::atomic::AtomicBool>);

    impl Disk for Full {
        fn read(&self, path: &Path) -> std::io::Result<Box<dyn Read + Send>> {
            HostDisk.read(path)
        }
        fn append(&self, path: &Path) -> std::io::Result<Box<dyn Appendable>> {
            if self.0.load(std::sync::atomic::Ordering::Relaxed) {
                return HostDisk.append(Path::new("/dev/full"));
            }
            HostDisk.append(path)
        }
        fn create(&self, path: &Path) -> std::io::Result<Box<dyn Appendable>> {
            HostDisk.create(path)
        }
        fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
            HostDisk.rename(from, to)
        }
        fn hold(&self, path: &Path) -> std::io::Result<Held> {
            HostDisk.hold(path)
        }
    }

    #[test]
    fn a_journal_on_a_full_disk_goes_on_when_there_is_room_with_what_was_set_meanwhile() {
        let (_folder, path) = path();
        let disk = Full::default();
        let is_full = |full| disk.0.store(full, std::sync::atomic::Ordering::Relaxed);
        is_full(true);
        let (mut journal, _) = Journal::open(Arc::new(disk.clone()), Some(&path)).unwrap();
        journal.write(&settings_line(&settings("a", Mode::Frozen, 5)));
        journal.write(&json!({"event": "action", "job": "a", "action": 77}));
        journal.go_on();
        assert!(!path.exists(), "there is no room yet");
        is_full(false);
        journal.go_on();
        journal.write(&json!({"event": "action", "job": "a", "action": 78}));
        drop(journal);
        let (_, recalled) = open(&path);
        assert_eq!((recalled.jobs.len(), recalled.last_action, recalled.damaged), (1, 78, 0));
        // What was decided without room has its line, in its place.
        let written = text(&path);
        let actions: Vec<u64> = written
            .lines()
            .filter_map(checked)
            .filter(|line| line["event"] == "action")
            .filter_map(|line| line["action"].as_u64())
            .collect();
        assert_eq!(actions, [77, 78], "{written}");
    }

    #[test]
    fn the_newest_lines_wait_for_room_and_older_ones_are_counted() {
        let mut unwritten = Unwritten::default();
        let line = |n: u8| n.to_string().repeat(limits::UNWRITTEN_BYTES / 8);
        (0..20).for_each(|n| unwritten.keep(line(n % 10)));
        assert_eq!((unwritten.lines.len(), unwritten.bytes, unwritten.dropped), (8, limits::UNWRITTEN_BYTES, 12));
        assert_eq!(unwritten.lines.back(), Some(&line(9)));
        unwritten.keep(line(0).repeat(9));
        assert_eq!((unwritten.lines.len(), unwritten.bytes, unwritten.dropped), (0, 0, 21));
    }

    #[test]
    fn every_line_is_json_with_the_checksum_of_what_stands_before_it() {
        let text = with_checksum(&json!({"n": 1, "text": "ä\n"}));
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["n"], line["crc"].as_str().map(str::len)), (&json!(1), Some(8)));
        assert!(checked(text.trim_end()).is_some() && checked(&text.replace('ä', "a")).is_none());
    }

    #[test]
    fn a_journal_is_of_one_analyzer_at_a_time() {
        let (_folder, path) = path();
        check(&path).unwrap();
        assert!(!path.exists(), "who takes the journal away wants to begin anew");
        let (mut journal, _) = open(&path);
        journal.most = 0;
        journal.write(&json!({"event": "action", "action": 1}));
        for error in [Journal::open(Arc::new(HostDisk), Some(&path)).unwrap_err(), check(&path).unwrap_err()] {
            assert!(
                matches!(error, AnalyzerError::JournalHeld { .. }),
                "also in the file that took its place: {error}"
            );
        }
        drop(journal);
        check(&path).unwrap();
        assert_eq!(open(&path).1.last_action, 1);
    }

    #[test]
    fn a_journal_in_a_folder_that_is_not_there_is_named() {
        let error = Journal::open(Arc::new(HostDisk), Some(Path::new("/no-such-folder/j"))).unwrap_err();
        assert!(error.to_string().contains("/no-such-folder/j"), "{error}");
    }
}
