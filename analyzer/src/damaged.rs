//! Damaged journals, inputs, messages of agents and recordings: each is read as far as it makes sense, and nothing ends the analyzer. For a
//! mutation loop and for the targets of `tests/fuzz`.

use std::path::Path;
use std::sync::Arc;

use midrun_proto::v1::recorded::What;
use midrun_proto::v1::{self, RankId};
use midrun_tunlets::TuningOptions;
use prost::Message;
use serde_json::json;

use crate::catalogue::from_catalogue;
use crate::convert::{self, FromAgent, recorded};
use crate::core::Core;
use crate::disk::HostDisk;
use crate::input::Input;
use crate::journal::Journal;
use crate::recording::{FORMAT, InputLog, MAGIC, Reader, Steps, job, replay, windows};
use crate::{Config, LinkId};

const MS: u64 = 1_000_000;

fn rank(rank: u32) -> Option<RankId> {
    Some(RankId { job: "j".into(), rank })
}

/// The greeting of an agent with three ranks.
fn hello() -> v1::FromAgent {
    let joined = |number| v1::RankJoined { id: rank(number), world_size: 3, last_action: 7, ..Default::default() };
    let options = Some(v1::OpenJobRequest { search: "block=8..64 step 8".into(), ..Default::default() });
    let value = v1::ManualValue { tuning_point: "mw.factor".into(), rank: None, revision: 5 };
    let settings =
        v1::OwnerSettings { job: "j".into(), version: 3, options, values: vec![value], ..Default::default() };
    let hello = v1::Hello {
        protocol: midrun_proto::PROTOCOL_VERSION,
        node: "n".into(),
        agent: "n/1/2".into(),
        ranks: (0..3).map(joined).collect(),
        owner_settings: vec![settings],
        ..Default::default()
    };
    v1::FromAgent { message: Some(v1::from_agent::Message::Hello(hello)) }
}

/// As the server does it.
fn take(core: &mut Core, now: u64, message: v1::FromAgent) {
    let link = LinkId(1);
    let input = match convert::from_agent(message) {
        Some(FromAgent::Hello(hello)) => Input::AgentConnected { link, hello },
        Some(FromAgent::Batch(batch)) => Input::BatchReceived { link, batch },
        _ => return,
    };
    core.step(now, input);
}

/// A message of an agent, behind a sound greeting, so that a batch has a link.
pub fn from_agent(bytes: &[u8]) {
    let Ok(message) = v1::FromAgent::decode(bytes) else { return };
    let mut core = Core::new(Config::default(), from_catalogue, 1);
    take(&mut core, MS, hello());
    take(&mut core, 2 * MS, message);
    (3..40).for_each(|tick| drop(core.step(tick * 100 * MS, Input::Tick)));
    core.step(10_000 * MS, Input::Stopped);
}

/// A journal of an analyzer before; what is written behind it is read. `folder` is an empty one.
pub fn journal(folder: &Path, bytes: &[u8]) -> u64 {
    let path = folder.join("journal.jsonl");
    let open = || Journal::open(Arc::new(HostDisk), Some(&path)).expect("a journal that can be read");
    std::fs::write(&path, bytes).expect("a file");
    let (mut journal, recalled) = open();
    let next = recalled.last_action.saturating_add(1);
    journal.write(&json!({"event": "action", "job": "j", "action": next}));
    drop(journal);
    assert_eq!(open().1.last_action, next, "what is written behind damage is read");
    recalled.last_action
}

/// What an analyzer before took in, and the life of the one after it; whether all of it could be taken in. `folder` is an empty one.
pub fn inputs(folder: &Path, bytes: &[u8]) -> bool {
    let journal = folder.join("j");
    std::fs::write(folder.join("j.inputs"), bytes).expect("a file");
    let begun = v1::RecordingBegun { thoughts: true, ..recorded::begun(&Config::default(), 70, 1_700_000_000) };
    let mut log = InputLog::new(Arc::new(HostDisk), Some(&journal), begun);
    let mut core = Core::new(Config::default(), from_catalogue, 70).thinking_apart();
    let mut steps = log.earlier().map(Steps::of_log);
    let taken = steps.iter_mut().all(|steps| core.take_in(steps, u64::MAX).is_ok());
    log.shorten(&core.open_jobs());
    let now_ns = steps.map_or(0, |steps| steps.end().1);
    let restarted = What::Restarted(v1::Restarted { last_action: 900 });
    core.step(now_ns, recorded::input(restarted).expect("an input"));
    (1..40).for_each(|tick| drop(core.step(now_ns.saturating_add(tick * 100 * MS), Input::Tick)));
    core.step(now_ns.saturating_add(10_000 * MS), Input::Stopped);
    taken
}

/// A recording: replayed, and its windows taken.
pub fn recording(file: &[u8]) {
    let Ok(Ok(job)) = Reader::new(file).map(|reader| job(reader, None)) else { return };
    let options = TuningOptions::default();
    let replayed = Reader::new(file).map(|reader| replay(reader, &job, &options, from_catalogue).map(drop));
    drop(replayed);
    let _ = Reader::new(file).map(|reader| windows(reader, &job).map(drop));
}

/// Between the contents of two frames, see [`framed`].
pub const BETWEEN: [u8; 4] = [u8::MAX; 4];

/// A file of frames with these contents, parted by [`BETWEEN`], and with the right checksums, which damage hardly ever makes.
pub fn framed(contents: &[u8]) -> Vec<u8> {
    let mut file = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
    let mut rest = contents;
    while !rest.is_empty() {
        let end = rest.windows(BETWEEN.len()).position(|part| part == BETWEEN);
        let (content, after) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + BETWEEN.len()..]));
        let length = (content.len() as u32).to_le_bytes();
        let sum = crc32fast::hash(&[&length[..], content].concat());
        file.extend([&length[..], &sum.to_le_bytes(), content].concat());
        rest = after;
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_mutations::damaged;
    use midrun_proto::v1::event::Kind;
    use midrun_proto::v1::from_agent as said;

    /// What an agent of a job of three ranks says.
    fn messages() -> Vec<v1::FromAgent> {
        let point = |number, name: &str, maximum| v1::TuningPointDeclared {
            tuning_point: number,
            name: name.into(),
            r#type: v1::TuningPointType::F64.into(),
            maximum,
            declared: Some(0.5),
            ..Default::default()
        };
        let mut kinds = vec![
            Kind::TuningPointDeclared(point(0, "mw.technique", 11.0)),
            Kind::TuningPointDeclared(point(1, "mw.factor", 1.0)),
            Kind::LinkMeasured(v1::LinkMeasured {
                start_up_s: 1e-6,
                per_byte_s: 1e-9,
                samples: 9,
                ..Default::default()
            }),
        ];
        for iteration in 0..3 {
            let (time_ns, tasks) = (iteration * 100 * MS, 60);
            kinds.push(Kind::IterationBegun(v1::IterationBegun {
                iteration,
                time_ns,
                tasks,
                workers: 2,
                ..Default::default()
            }));
            kinds.push(Kind::Work(v1::Work {
                iteration,
                tasks,
                chunks: 4,
                busy_s: 0.16,
                sum_sq_s2: 0.01,
                each_chunk: vec![v1::ChunkWork { first: 3, tasks: 4, busy_s: 0.16, sum_sq_s2: 0.01 }],
                ..Default::default()
            }));
            let time_ns = time_ns + 90 * MS;
            kinds.push(Kind::IterationEnded(v1::IterationEnded {
                iteration,
                time_ns,
                tasks,
                chunks: 4,
                ..Default::default()
            }));
        }
        kinds.push(Kind::ActionResult(v1::ActionResult { action: 8, status: 1, iteration: 2, ..Default::default() }));
        let events = kinds.into_iter().map(|kind| v1::Event { kind: Some(kind) }).collect();
        let report = v1::RankReport { id: rank(0), events, records_produced: 20, ..Default::default() };
        let left = v1::RankLeft { id: rank(2), finalized: true, time_ns: 5, unattended: false };
        let batch = v1::Batch { sequence: 1, reports: vec![report], left: vec![left], ..Default::default() };
        vec![hello(), v1::FromAgent { message: Some(said::Message::Batch(batch)) }]
    }

    #[test]
    fn messages_of_agents() {
        let encoded: Vec<Vec<u8>> = messages().iter().map(Message::encode_to_vec).collect();
        let files: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
        damaged("from_agent", &files, from_agent);
    }

    #[test]
    fn journals() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("whole.jsonl");
        let (mut whole, _) = Journal::open(Arc::new(HostDisk), Some(&path)).expect("a journal that can be read");
        whole.write(&json!({
            "event": "owner-settings", "job": "j", "opened": true, "dry_run": false, "mode": "frozen",
            "mode_revision": 5, "resumed_revision": 2, "values": [["mw.factor", null, 6], ["block", 3, 7]],
        }));
        (1..6).for_each(|action| whole.write(&json!({"event": "action", "job": "j", "action": action, "rank": 0})));
        whole.write(&json!({"event": "job-ended", "job": "k"}));
        drop(whole);
        let file = std::fs::read(&path).expect("the journal");
        damaged("journal", &[&file], |bytes| {
            assert!(journal(folder.path(), bytes) <= 5, "a number that nobody wrote");
        });
    }

    #[test]
    fn recordings() {
        let begun = v1::RecordingBegun {
            version: env!("CARGO_PKG_VERSION").into(),
            protocol: midrun_proto::PROTOCOL_VERSION,
            action_ttl_ms: 10_000,
            window_grace_ms: 250,
            close_wait_ms: 2000,
            defaults: Some(v1::OpenJobRequest::default()),
            ..Default::default()
        };
        let said = |message| What::Said(v1::LinkSaid { link: 1, message: Some(message) });
        let whats = [What::Begun(begun)].into_iter().chain(messages().into_iter().map(said));
        let whats = whats.chain([What::Tick(v1::Tick {}), What::Ended(v1::RecordingEnded {})]);
        let frames: Vec<Vec<u8>> = whats
            .enumerate()
            .map(|(at, what)| v1::Recorded { now_ns: at as u64 * 100 * MS, what: Some(what) }.encode_to_vec())
            .collect();
        let file = framed(&frames.join(&BETWEEN[..]));
        assert!(Reader::new(&file[..]).is_ok_and(|reader| job(reader, None).is_ok()));
        recording(&file);
        damaged("recording", &[&file], recording);
        damaged("recording_contents", &[&frames.join(&BETWEEN[..])], |bytes| recording(&framed(bytes)));
        // Beneath the checksums: one frame each.
        for at in 0..frames.len() {
            damaged("frame", &[&frames[at]], |bytes| {
                let mut frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
                frames[at] = bytes;
                recording(&framed(&frames.join(&BETWEEN[..])));
            });
        }
    }
}
