//! An analyzer that starts again, and what its log keeps.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::tests::{MS, Story, begun, story};
use super::*;
use crate::catalogue::from_catalogue;
use crate::config::Config;
use crate::core::Core;
use crate::damaged::{BETWEEN, framed, inputs};
use crate::disk::{Appendable, Disk, Held, HostDisk};
use crate::ids::JobId;
use midrun_proto::v1::from_agent::Message as Said;
use midrun_proto::v1::recorded::What;
use midrun_proto::v1::{self, RankId};
use std::collections::BTreeSet;

impl Story {
    /// The analyzer ends without a word and starts again, with the log that it left; the agent links again.
    pub(super) fn restart(&mut self) {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let inputs = folder.path().join("journal.inputs");
        std::fs::write(&inputs, &self.file).unwrap();
        let mut log = InputLog::new(Arc::new(HostDisk), Some(&journal), begun(true));
        let earlier = log.earlier().unwrap();
        let mut core = Core::new(Config::default(), from_catalogue, earlier.begun.last_action).thinking_apart();
        let mut steps = Steps::of_log(earlier);
        while !core.take_in(&mut steps, 2).unwrap() {}
        log.shorten(&core.open_jobs());
        if !core.open_jobs().is_empty() {
            assert_eq!(std::fs::read(&inputs).unwrap(), self.file, "what is about the open job stays");
        }
        (self.core, self.link) = (core, self.link + 1);
        self.put(What::Restarted(v1::Restarted { last_action: 900 }));
        self.say_hello();
    }
}

#[test]
fn an_analyzer_that_starts_again_at_any_moment_goes_on_with_its_decisions_and_trials() {
    let whole = story(true);
    let summary = |story: &Story| serde_json::from_str::<serde_json::Value>(&story.summary).unwrap();
    let acted = whole.acted_at.unwrap();
    for after in 1..whole.inputs {
        let mut story = Story::begin_with(true, Some(after));
        (0..12).for_each(|iteration| story.iterate(iteration));
        let summary = (summary(&story.end()), summary(&whole));
        assert_eq!(summary.0["iterations"], 12, "started again after {after} inputs");
        if after >= acted {
            assert_eq!(summary.0["decisions"], summary.1["decisions"], "started again after {after} inputs");
            let applied = |of: &serde_json::Value| of["actions"]["applied"].clone();
            assert_eq!(applied(&summary.0), applied(&summary.1), "started again after {after} inputs");
        } else {
            // A thought under way begins anew: what it proposes comes an iteration later.
            let kept = |line: &serde_json::Value| line["verdict"] == "kept";
            assert!(summary.0["decisions"].as_array().unwrap().iter().any(kept), "after {after} inputs: {}", summary.0);
        }
    }
}

fn id(job: &str) -> Option<RankId> {
    Some(RankId { job: job.into(), rank: 0 })
}

fn said(link: u64, message: Said) -> What {
    What::Said(v1::LinkSaid { link, message: Some(v1::FromAgent { message: Some(message) }) })
}

fn hello(link: u64, job: &str) -> What {
    let ranks = vec![v1::RankJoined { id: id(job), ..Default::default() }];
    said(link, Said::Hello(v1::Hello { ranks, token: "secret".into(), ..Default::default() }))
}

fn batch(link: u64, sequence: u64, jobs: &[&str]) -> What {
    let reports = jobs.iter().map(|job| v1::RankReport { id: id(job), ..Default::default() }).collect();
    said(link, Said::Batch(v1::Batch { sequence, reports, ..Default::default() }))
}

fn jobs(names: &[&str]) -> BTreeSet<JobId> {
    names.iter().filter_map(|name| JobId::new(name)).collect()
}

fn log_at(disk: impl Disk + 'static, folder: &Path) -> InputLog {
    InputLog::new(Arc::new(disk), Some(&folder.join("j")), begun(true))
}

fn frames(log: &InputLog) -> Vec<What> {
    let mut reader = log.earlier().unwrap();
    std::iter::from_fn(|| reader.next_frame().unwrap().map(|(_, what)| what)).collect()
}

#[test]
fn a_shortened_log_has_what_the_open_jobs_and_their_links_need_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log_at(HostDisk, folder.path());
    assert!(log.earlier().is_none(), "nothing was kept yet");
    log.shorten(&jobs(&[]));
    let closed = |job: &str| What::Closed(v1::CloseJobRequest { job: job.into(), token: String::new() });
    let ended = |link| What::LinkEnded(v1::LinkEnded { link, goodbye: true });
    let all = [
        hello(1, "a"),
        batch(1, 1, &["a"]),
        ended(1),
        hello(2, "a"),
        batch(2, 1, &["a", "b"]),
        closed("a"),
        ended(2),
        // It is linked still, and may bring another job.
        hello(3, "a"),
        batch(3, 7, &["a"]),
        closed("b"),
    ];
    all.iter().for_each(|what| log.keep(1, what.clone()));
    assert_eq!(frames(&log), all);
    log.shorten(&jobs(&["b"]));
    let bare = |link| said(link, Said::Hello(v1::Hello { token: "secret".into(), ..Default::default() }));
    let kept = [bare(2), batch(2, 1, &["b"]), ended(2), bare(3), batch(3, 7, &[]), closed("b")];
    assert_eq!(frames(&log), kept);
    log.keep(2, batch(3, 8, &["b"]));
    assert_eq!(frames(&log).len(), kept.len() + 1, "it goes on behind");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(folder.path().join("j.inputs")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it has tokens");
}

#[test]
fn a_shortened_log_has_the_word_of_an_agent_that_knew_the_owner_before_it_had_a_rank() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log_at(HostDisk, folder.path());
    log.shorten(&jobs(&[]));
    let owner_settings = vec![v1::OwnerSettings { job: "a".into(), version: 3, ..Default::default() }];
    let known = said(1, Said::Hello(v1::Hello { owner_settings, ..Default::default() }));
    let kept = said(2, Said::OwnerSettingsKept(v1::OwnerSettingsKept { job: "a".into(), version: 3 }));
    let ended = |link| What::LinkEnded(v1::LinkEnded { link, goodbye: false });
    let all = [known, ended(1), said(2, Said::Hello(v1::Hello::default())), kept, ended(2), hello(3, "a")];
    all.iter().for_each(|what| log.keep(1, what.clone()));
    log.shorten(&jobs(&["a"]));
    assert_eq!(frames(&log), all);
}

#[test]
fn a_log_of_another_configuration_or_version_is_not_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    log_at(HostDisk, folder.path()).shorten(&jobs(&[]));
    assert!(log_at(HostDisk, folder.path()).earlier().is_some());
    let dry = crate::convert::recorded::begun(&Config { dry_run: true, ..Config::default() }, 70, 0);
    let newer = v1::RecordingBegun { version: "9.9".into(), ..begun(true) };
    for other in [v1::RecordingBegun { thoughts: true, ..dry }, newer] {
        assert!(InputLog::new(Arc::new(HostDisk), Some(&folder.path().join("j")), other).earlier().is_none());
    }
}

/// A disk that takes nothing for a while.
#[derive(Clone, Debug, Default)]
struct Full(Arc<AtomicBool>);

#[derive(Debug)]
struct FullFile(Box<dyn Appendable>, Full);

impl Appendable for FullFile {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.1.0.load(Ordering::Relaxed) {
            self.0.append(&bytes[..bytes.len() / 2])?;
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0.append(bytes)
    }
    fn sync(&mut self) -> std::io::Result<()> {
        self.0.sync()
    }
    fn length(&self) -> std::io::Result<u64> {
        self.0.length()
    }
}

impl Disk for Full {
    fn read(&self, path: &Path) -> std::io::Result<Box<dyn std::io::Read + Send>> {
        HostDisk.read(path)
    }
    fn append(&self, path: &Path) -> std::io::Result<Box<dyn Appendable>> {
        Ok(Box::new(FullFile(HostDisk.append(path)?, self.clone())))
    }
    fn create(&self, path: &Path) -> std::io::Result<Box<dyn Appendable>> {
        Ok(Box::new(FullFile(HostDisk.create(path)?, self.clone())))
    }
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        HostDisk.rename(from, to)
    }
    fn hold(&self, path: &Path) -> std::io::Result<Held> {
        HostDisk.hold(path)
    }
}

#[test]
fn a_file_of_other_origin_in_the_place_of_inputs_is_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    std::fs::write(path("j.inputs"), "precious").unwrap();
    let mut log = log_at(HostDisk, folder.path());
    assert!(log.earlier().is_none());
    log.shorten(&jobs(&[]));
    assert_eq!(std::fs::read_to_string(path("j.inputs.foreign")).unwrap(), "precious");
    assert!(log.earlier().is_some(), "the new one");
}

#[test]
fn a_log_that_lacks_an_input_is_emptied_and_begins_anew_when_no_job_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Full::default();
    let mut log = log_at(disk.clone(), folder.path());
    log.shorten(&jobs(&[]));
    log.keep(1, hello(1, "a"));
    disk.0.store(true, Ordering::Relaxed);
    log.keep(2, batch(1, 1, &["a"]));
    disk.0.store(false, Ordering::Relaxed);
    log.keep(3, batch(1, 2, &["a"]));
    log.shorten(&jobs(&["a"]));
    log.go_on();
    assert!(log.earlier().is_none(), "a log with a gap");
    log.shorten(&jobs(&[]));
    log.keep(4, hello(2, "b"));
    assert_eq!(frames(&log), [hello(2, "b")]);
}

#[test]
fn open_jobs_with_too_many_inputs_are_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log_at(HostDisk, folder.path()).of_at_most(4_000);
    log.shorten(&jobs(&[]));
    log.keep(1, hello(1, "a"));
    let mut sequence = 0;
    while !log.is_full() {
        sequence += 1;
        log.keep(MS, batch(1, sequence, &["a"]));
    }
    log.shorten(&jobs(&["a"]));
    assert!(log.earlier().is_none() && !log.is_full());
}

/// The contents of a file's frames.
fn contents(file: &[u8]) -> Vec<&[u8]> {
    let (mut rest, mut contents) = (&file[preamble().len()..], Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let end = 4 + u32::from_le_bytes(*length) as usize;
        contents.push(&behind[4..end]);
        rest = &behind[end..];
    }
    contents
}

#[test]
fn damaged_inputs_of_an_analyzer_before_are_taken_in_or_refused_and_nothing_ends_the_next_one() {
    let whole = story(true);
    let folder = tempfile::tempdir().unwrap();
    let take_in = |file: &[u8]| inputs(folder.path(), file);
    assert!(take_in(&whole.file));
    midrun_mutations::damaged("inputs", &[&whole.file], |bytes| {
        take_in(bytes);
    });
    // Beneath the checksums, too: anywhere, then one frame each, and what is before it.
    let frames = contents(&whole.file);
    midrun_mutations::damaged("input_contents", &[&frames.join(&BETWEEN[..])], |bytes| {
        take_in(&framed(bytes));
    });
    midrun_mutations::damaged("input", &frames[1..], |bytes| {
        let at = 1 + bytes.len() % (frames.len() - 1);
        let mut frames = frames.clone();
        frames[at] = bytes;
        take_in(&framed(&frames.join(&BETWEEN[..])));
    });
}
