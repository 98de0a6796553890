//! Damaged journals, messages of agents and recordings: each is read as far as it makes sense, and nothing ends the analyzer.

use std::sync::Arc;

use midrun_analyzer::catalogue::from_catalogue;
use midrun_analyzer::convert::{self, FromAgent};
use midrun_analyzer::core::Core;
use midrun_analyzer::disk::HostDisk;
use midrun_analyzer::input::Input;
use midrun_analyzer::journal::Journal;
use midrun_analyzer::recording::{FORMAT, MAGIC, Reader, job, replay, windows};
use midrun_analyzer::{Config, LinkId};
use midrun_mutations::damaged;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::recorded::What;
use midrun_proto::v1::{self, from_agent};
use midrun_tunlets::TuningOptions;
use prost::Message;
use serde_json::json;

const MS: u64 = 1_000_000;

fn rank(rank: u32) -> Option<v1::RankId> {
    Some(v1::RankId { job: "j".into(), rank })
}

/// What an agent of a job of three ranks says.
fn messages() -> Vec<v1::FromAgent> {
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
        Kind::LinkMeasured(v1::LinkMeasured { start_up_s: 1e-6, per_byte_s: 1e-9, samples: 9, ..Default::default() }),
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
    let all = [from_agent::Message::Hello(hello), from_agent::Message::Batch(batch)];
    all.into_iter().map(|message| v1::FromAgent { message: Some(message) }).collect()
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

#[test]
fn messages_of_agents() {
    let encoded: Vec<Vec<u8>> = messages().iter().map(Message::encode_to_vec).collect();
    let files: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
    damaged(&files, |bytes| {
        let Ok(message) = v1::FromAgent::decode(bytes) else { return };
        let mut core = Core::new(Config::default(), from_catalogue, 1);
        // A sound Hello comes first, so that a damaged batch has a link.
        take(&mut core, MS, messages().remove(0));
        take(&mut core, 2 * MS, message);
        (3..40).for_each(|tick| drop(core.step(tick * 100 * MS, Input::Tick)));
        core.step(10_000 * MS, Input::Stopped);
    });
}

#[test]
fn journals() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal.jsonl");
    let open = || Journal::open(Arc::new(HostDisk), Some(&path)).expect("a journal that can be read");
    let (mut journal, _) = open();
    journal.write(&json!({
        "event": "owner-settings", "job": "j", "opened": true, "dry_run": false, "mode": "frozen", "mode_revision": 5,
        "resumed_revision": 2, "values": [["mw.factor", null, 6], ["block", 3, 7]],
    }));
    (1..6).for_each(|action| journal.write(&json!({"event": "action", "job": "j", "action": action, "rank": 0})));
    journal.write(&json!({"event": "job-ended", "job": "k"}));
    drop(journal);
    let file = std::fs::read(&path).expect("the journal");
    damaged(&[&file], |bytes| {
        std::fs::write(&path, bytes).expect("a file");
        let (mut journal, recalled) = open();
        assert!(recalled.last_action <= 5, "a number that nobody wrote");
        journal.write(&json!({"event": "action", "job": "j", "action": 9}));
        drop(journal);
        assert_eq!(open().1.last_action, 9, "what is written behind damage is read");
    });
}

/// A frame of a recording, with its right checksum: damage is beneath it.
fn frame(content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    let sum = crc32fast::hash(&[&length[..], content].concat());
    [&length[..], &sum.to_le_bytes(), content].concat()
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
    let head = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
    let read = |file: &[u8]| {
        let Ok(Ok(job)) = Reader::new(file).map(|reader| job(reader, None)) else { return };
        let options = TuningOptions::default();
        let replayed = Reader::new(file).map(|reader| replay(reader, &job, &options, from_catalogue).map(drop));
        drop(replayed);
        let _ = Reader::new(file).map(|reader| windows(reader, &job).map(drop));
    };
    let whole = frames.iter().fold(head.clone(), |file, content| [file, frame(content)].concat());
    read(&whole);
    damaged(&[&whole], read);
    for at in 0..frames.len() {
        damaged(&[&frames[at]], |bytes| {
            let framed = |(n, content): (usize, &Vec<u8>)| if n == at { frame(bytes) } else { frame(content) };
            read(&[head.clone(), frames.iter().enumerate().flat_map(framed).collect()].concat());
        });
    }
}
