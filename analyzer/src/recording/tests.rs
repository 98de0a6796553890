//! What a recording says again, and what becomes of torn, damaged and foreign files.

use std::sync::OnceLock;

use midrun_proto::v1::recorded::What;
use midrun_proto::v1::{self, event, from_agent};
use midrun_tunlets::TuningOptions;
use proptest::prelude::*;

use super::*;
use crate::catalogue::from_catalogue;
use crate::config::Config;
use crate::control::Control;
use crate::convert::{self, recorded};
use crate::core::Core;
use crate::ids::{AskId, JobId, LinkId};
use crate::input::{Answer, Input, Output, Question};
use crate::thought::Work;

pub(super) const MS: u64 = 1_000_000;
const WORKERS: u32 = 4;
const TASKS: u64 = 400;

/// A live analyzer with a program of uneven tasks, and its recording.
pub(super) struct Story {
    pub(super) core: Core,
    now_ns: u64,
    sequence: u64,
    pub(super) file: Vec<u8>,
    /// Actions that wait for the next safe point.
    asked: Vec<v1::Action>,
    technique: u32,
    notices: Vec<String>,
    pub(super) summary: String,
    /// A thought that ends with the next input.
    thought: Option<Work>,
    pub(super) link: u64,
    pub(super) inputs: usize,
    /// The input upon which the first action was sent.
    pub(super) acted_at: Option<usize>,
    /// The analyzer is started again after so many inputs.
    restarts_after: Option<usize>,
}

fn framed(now_ns: u64, what: What) -> Vec<u8> {
    frame(&v1::Recorded { now_ns, what: Some(what) })
}

pub(super) fn begun(thoughts: bool) -> v1::RecordingBegun {
    v1::RecordingBegun { thoughts, ..recorded::begun(&Config::default(), 70, 1_700_000_000) }
}

pub(super) fn job_id() -> JobId {
    JobId::new("story").unwrap()
}

fn rank(rank: u32) -> Option<v1::RankId> {
    Some(v1::RankId { job: "story".into(), rank })
}

fn kind(kind: event::Kind) -> v1::Event {
    v1::Event { kind: Some(kind) }
}

impl Story {
    fn begin(thoughts: bool) -> Story {
        Story::begin_with(thoughts, None)
    }

    pub(super) fn begin_with(thoughts: bool, restarts_after: Option<usize>) -> Story {
        let core = Core::new(Config::default(), from_catalogue, 70);
        let mut story = Story {
            core: if thoughts { core.thinking_apart() } else { core },
            now_ns: 5 * MS,
            sequence: 0,
            file: [preamble(), framed(5 * MS, What::Begun(begun(thoughts)))].concat(),
            asked: Vec::new(),
            technique: 0,
            notices: Vec::new(),
            summary: String::new(),
            thought: None,
            link: 1,
            inputs: 0,
            acted_at: None,
            restarts_after,
        };
        let open = v1::OpenJobRequest { job: "story".into(), ..Default::default() };
        story.take(What::Opened(open));
        story.say_hello();
        let tuning_point = |number, name: &str, maximum, whole| {
            let kind = if whole { v1::TuningPointType::I64 } else { v1::TuningPointType::F64 };
            let (minimum, value) = (0.0, if name == "mw.workers" { f64::from(WORKERS) } else { 0.0 });
            event::Kind::TuningPointDeclared(v1::TuningPointDeclared {
                tuning_point: number,
                name: name.into(),
                r#type: kind.into(),
                minimum,
                maximum,
                value,
                declared: None,
            })
        };
        let tuning_points = [
            tuning_point(0, "mw.technique", 11.0, true),
            tuning_point(1, "mw.factor", 1.0, false),
            tuning_point(2, "mw.task_mean_s", 1e9, false),
            tuning_point(3, "mw.task_sigma_s", 1e9, false),
            tuning_point(4, "mw.min_chunk", 1e9, true),
        ];
        story.report(vec![(0, tuning_points.to_vec())]);
        story
    }

    pub(super) fn say_hello(&mut self) {
        let joined = |r| v1::RankJoined { id: rank(r), world_size: WORKERS + 1, ..Default::default() };
        let ranks = (0..=WORKERS).map(joined).collect();
        let protocol = midrun_proto::PROTOCOL_VERSION;
        let hello = v1::Hello { protocol, agent: "a".into(), node: "n".into(), ranks, ..Default::default() };
        self.say(from_agent::Message::Hello(hello));
    }

    /// Takes in what is recorded at the same time, as the server does.
    fn take(&mut self, what: What) {
        let (thought, link) = (self.thought.take(), self.link);
        self.put(what);
        // A thought does not outlive the analyzer.
        if let Some(thought) = thought.filter(|_| link == self.link) {
            thought.run();
            self.put(What::Thought(v1::Thought { job: "story".into() }));
        }
    }

    pub(super) fn put(&mut self, what: What) {
        let input = recorded::input(what.clone()).unwrap();
        let outputs = self.core.step(self.now_ns, input);
        self.file.extend(framed(self.now_ns, what));
        for output in outputs {
            match output {
                Output::Act { action, .. } => {
                    let action = convert::sent_at(action.decided_ns, action);
                    self.file.extend(framed(self.now_ns, What::Sent(action.clone())));
                    self.acted_at.get_or_insert(self.inputs + 1);
                    // A rank does again what it was asked for again once.
                    self.asked.retain(|asked| asked.id != action.id);
                    self.asked.push(action);
                }
                Output::Notify { notice, .. } => self.notices.push(notice.text),
                Output::Answer { answer: Answer::Summary(json), .. } => self.summary = json,
                Output::Think { work, .. } => self.thought = Some(work),
                _ => {}
            }
        }
        self.now_ns += MS;
        self.inputs += 1;
        if self.restarts_after.take_if(|after| *after == self.inputs).is_some() {
            self.restart();
        }
    }

    fn say(&mut self, message: from_agent::Message) {
        let message = v1::FromAgent { message: Some(message) };
        let said = recorded::said(LinkId(self.link), &message).unwrap();
        self.take(said);
    }

    fn report(&mut self, events: Vec<(u32, Vec<event::Kind>)>) {
        self.sequence += 1;
        let report = |(r, kinds): (u32, Vec<event::Kind>)| v1::RankReport {
            id: rank(r),
            events: kinds.into_iter().map(kind).collect(),
            ..Default::default()
        };
        let reports = events.into_iter().map(report).collect();
        let sequence = self.sequence;
        self.say(from_agent::Message::Batch(v1::Batch { sequence, reports, ..Default::default() }));
    }

    /// One iteration: the last worker's tasks take three times as long, so equal parts are uneven.
    pub(super) fn iterate(&mut self, iteration: u64) {
        let begin_ns = self.now_ns;
        let mut master = Vec::new();
        for action in std::mem::take(&mut self.asked) {
            let technique = action.assignments.iter().find(|a| a.tuning_point == "mw.technique");
            if let Some(v1::assignment::Value::Number(code)) = technique.and_then(|a| a.value.clone()) {
                self.technique = code as u32;
            }
            let status = v1::ActionStatus::Applied.into();
            let result = v1::ActionResult { action: action.id, status, iteration, time_ns: begin_ns, register: 0 };
            master.push(event::Kind::ActionResult(result));
        }
        let even = self.technique != 0;
        master.push(event::Kind::IterationBegun(v1::IterationBegun {
            iteration,
            time_ns: begin_ns,
            tasks: TASKS,
            workers: WORKERS,
            technique: self.technique,
            ..Default::default()
        }));
        let worker = |r: u32| {
            let mean_s = if r == WORKERS { 3e-3 } else { 1e-3 };
            let tasks = match (even, r == WORKERS) {
                (true, true) => 40,
                (true, false) => 120,
                (false, _) => 100,
            };
            let busy_s = tasks as f64 * mean_s;
            let work = v1::Work {
                iteration,
                tasks,
                chunks: if even { 12 } else { 1 },
                busy_s,
                sum_sq_s2: busy_s * mean_s,
                tasks_timed: true,
                ..Default::default()
            };
            (r, vec![event::Kind::Work(work)])
        };
        let long_ns = if even { 122 * MS } else { 301 * MS };
        self.now_ns += long_ns;
        let ended = v1::IterationEnded {
            iteration,
            time_ns: begin_ns + long_ns,
            tasks: TASKS,
            chunks: if even { 48 } else { 4 },
            task_time_ns: if even { 480 * MS } else { 600 * MS },
            master_busy_ns: MS,
            ..v1::IterationEnded::default()
        };
        let mut events = vec![(0, master)];
        events.extend((1..=WORKERS).map(worker));
        events.push((0, vec![event::Kind::IterationEnded(ended)]));
        self.report(events);
    }

    pub(super) fn end(mut self) -> Story {
        self.take(What::Closed(v1::CloseJobRequest { job: "story".into(), token: String::new() }));
        self.now_ns += 3_000 * MS;
        self.take(What::Tick(v1::Tick {}));
        self.take(What::Tick(v1::Tick {}));
        self.file.extend(framed(self.now_ns, What::Ended(v1::RecordingEnded {})));
        self
    }
}

/// The recording of the story.
fn recorded_story() -> Vec<u8> {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| story(false).file).clone()
}

pub(super) fn story(thoughts: bool) -> Story {
    let mut story = Story::begin(thoughts);
    (0..12).for_each(|iteration| story.iterate(iteration));
    story.end()
}

fn reader(file: &[u8]) -> Result<Reader<&[u8]>, ReadError> {
    Reader::new(file)
}

fn replayed(file: &[u8], options: &TuningOptions) -> Replay {
    assert_eq!(job(reader(file).unwrap(), None).unwrap(), job_id());
    replay(reader(file).unwrap(), &job_id(), options, from_catalogue).unwrap()
}

fn as_recorded() -> TuningOptions {
    TuningOptions {
        tunlet: String::new(),
        technique: String::new(),
        objective: String::new(),
        ..TuningOptions::default()
    }
}

/// Frames up to the end, and what kind of end it is.
fn read(file: &[u8]) -> Result<(usize, End), ReadError> {
    let mut reader = reader(file)?;
    let mut frames = 1;
    while reader.next_frame().unwrap().is_some() {
        frames += 1;
    }
    Ok((frames, reader.end()))
}

#[test]
fn a_replay_with_the_recorded_options_decides_as_was_decided_then() {
    decides_as_was_decided_then(story(false));
}

#[test]
fn so_it_does_where_tunlets_thought_elsewhere() {
    decides_as_was_decided_then(story(true));
}

fn decides_as_was_decided_then(story: Story) {
    assert!(story.notices.iter().any(|text| text.contains("technique")), "something was decided: {:?}", story.notices);
    let again = replayed(&story.file, &as_recorded());
    let texts: Vec<&String> = again.notices.iter().map(|timed| &timed.notice.text).collect();
    assert_eq!(texts, story.notices.iter().collect::<Vec<_>>());
    assert_eq!(again.summary, story.summary);
    assert_eq!(again.end, End::Whole);
}

#[test]
fn another_option_is_advice_and_what_the_run_did_by_itself_is_marked() {
    let story = story(false);
    let gss = replayed(&story.file, &TuningOptions { technique: "gss".into(), ..as_recorded() });
    let summary: serde_json::Value = serde_json::from_str(&gss.summary).unwrap();
    assert_eq!(summary["actions"]["sent"], 0, "{}", gss.summary);
    assert_eq!(summary["decisions"][0]["verdict"], "advised");
    assert!(summary["decisions"][0]["to"].as_str().unwrap().starts_with("gss"), "{}", gss.summary);
    let departed = gss.notices.iter().filter(|timed| timed.notice.json["event"] == "recorded-change").count();
    assert!(departed >= 1, "{:?}", gss.notices);
    let again = replayed(&story.file, &TuningOptions { technique: "gss".into(), ..as_recorded() });
    assert_eq!((again.notices, again.summary), (gss.notices, gss.summary), "the same again");
}

#[test]
fn the_windows_of_a_recording_are_those_of_the_run() {
    let (seen, _) = windows(reader(&recorded_story()).unwrap(), &job_id()).unwrap();
    assert_eq!((seen.iterations.len(), seen.streams.len()), (12, 0));
    assert!((seen.iterations[0].iteration_s - 0.301).abs() < 1e-9);
    assert_eq!(seen.iterations[0].setting.kind.code(), 0);
    let last = &seen.iterations[11];
    assert!(last.setting.kind.code() != 0 && last.setting.mean_s > 0.0, "the recorded change is in force: {last:?}");
}

#[test]
fn a_recording_is_followed_like_the_run_itself() {
    let (file, mut status, mut times) = (recorded_story(), serde_json::Value::Null, Vec::new());
    let reader = reader(&file).unwrap();
    let mut follower = |at_s: f64, patch: serde_json::Value| {
        times.push(at_s);
        crate::status::merge(&mut status, patch, usize::MAX);
    };
    let replay = replay_followed(reader, &job_id(), &as_recorded(), from_catalogue, &mut follower).unwrap();
    assert_eq!(status, replay.status);
    assert!(times.len() > 2 && times.is_sorted(), "{times:?}");
    let summary: serde_json::Value = serde_json::from_str(&replay.summary).unwrap();
    let windows = status["windows"].as_array().unwrap();
    let times: Vec<&serde_json::Value> = windows.iter().map(|line| &line["time_s"]).collect();
    assert!(!times.is_empty() && summary["iteration_s"].as_array().unwrap().iter().eq(times));
    assert_eq!(summary["iteration_s"].as_array().map(Vec::len), summary["end_s"].as_array().map(Vec::len));
    assert_eq!((&status["ended"], &status["job"]), (&true.into(), &summary["job"]));
}

#[test]
fn a_option_that_cannot_be_is_refused() {
    let file = recorded_story();
    let option = TuningOptions { technique: "dfp".into(), ..as_recorded() };
    let error = replay(reader(&file).unwrap(), &job_id(), &option, from_catalogue).unwrap_err().to_string();
    assert!(error.contains("dfp") && error.contains("dpf"), "{error}");
    let error = job(reader(&file).unwrap(), Some("other")).unwrap_err().to_string();
    assert!(error.contains("other") && error.contains("story"), "{error}");
}

#[test]
fn no_token_gets_into_a_recording() {
    let token = || "secret-of-the-site".to_owned();
    // An agent shows options without it; another version of midrun may not.
    let options = v1::OpenJobRequest { technique: "gss".into(), token: token(), ..Default::default() };
    let settings = v1::OwnerSettings { job: "j".into(), options: Some(options), ..Default::default() };
    let hello = v1::Hello { token: token(), owner_settings: vec![settings], ..Default::default() };
    let message = v1::FromAgent { message: Some(from_agent::Message::Hello(hello)) };
    let options = as_recorded();
    let asked = |question| recorded::what(&Input::Asked { ask: AskId(1), question }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.rec");
    for (what, kept) in [
        (recorded::said(LinkId(1), &message).unwrap(), "gss"),
        (asked(Question::OpenJob { job: job_id(), token: token(), options, dry_run: true }), "story"),
        (asked(Question::Control { job: job_id(), token: token(), control: Control::Freeze }), "story"),
        (asked(Question::CloseJob { job: job_id(), token: token() }), "story"),
    ] {
        let mut recorder = Recorder::begin(&path, 0, v1::RecordingBegun::default()).unwrap();
        recorder.keep(1, what);
        recorder.end(2);
        let bytes = std::fs::read(&path).unwrap();
        let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(has(kept) && !has("secret"), "{kept}");
    }
}

#[test]
fn a_file_of_another_version_is_refused_with_both_versions() {
    let mut file = recorded_story();
    file[8] = 9;
    let error = read(&file).unwrap_err().to_string();
    assert!(error.contains("format 9") && error.contains("format 1"), "{error}");
    let begun = v1::RecordingBegun { protocol: 77, version: "8.1".into(), ..Default::default() };
    let file = [preamble(), framed(1, What::Begun(begun))].concat();
    let error = read(&file).unwrap_err().to_string();
    let own = format!("protocol {}", midrun_proto::PROTOCOL_VERSION);
    assert!(error.contains("midrun 8.1 with protocol 77") && error.contains(&own), "{error}");
    assert!(matches!(read(b"#!/bin/sh\necho no\n"), Err(ReadError::Foreign)));
    assert!(matches!(read(b""), Err(ReadError::Foreign)));
    assert!(matches!(read(&preamble()), Err(ReadError::Empty(End::Cut { at: 12 }))));
}

#[test]
fn time_that_goes_back_is_damage() {
    let start = [preamble(), framed(9, What::Begun(recorded::begun(&Config::default(), 0, 0)))].concat();
    let file = [&start[..], &framed(8, What::Tick(v1::Tick {}))].concat();
    let (_, end) = read(&file).unwrap();
    assert!(matches!(end, End::Damaged { at, why } if at == start.len() as u64 && why.contains("time")), "{end:?}");
}

/// Where each frame begins, and the end.
fn bounds(file: &[u8]) -> Vec<usize> {
    let mut bounds = vec![preamble().len()];
    while let Some(length) = file.get(bounds[bounds.len() - 1]..).and_then(|rest| rest.first_chunk::<4>()) {
        bounds.push(bounds[bounds.len() - 1] + FRAME_HEAD + u32::from_le_bytes(*length) as usize);
    }
    bounds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn wherever_a_file_is_cut_it_is_read_up_to_there(share in 0.0_f64..1.0) {
        let file = recorded_story();
        let bounds = bounds(&file);
        let cut = (share * file.len() as f64) as usize;
        let whole = bounds.iter().filter(|end| **end <= cut).count().saturating_sub(1);
        match read(&file[..cut]) {
            Ok((frames, end)) => {
                prop_assert_eq!(frames, whole);
                let at = bounds[whole] as u64;
                prop_assert_eq!(end, if bounds[whole] == cut { End::Cut { at } } else { End::Torn { at } });
                let replay = replayed_or_empty(&file[..cut]);
                prop_assert!(replay.is_none_or(|replay| !replay.summary.is_empty()));
            }
            Err(error) => prop_assert!(whole == 0, "{error}"),
        }
    }

    #[test]
    fn flipped_bytes_are_found_where_they_are(flips in prop::collection::vec((0.0_f64..1.0, 1_u8..=255), 1..4)) {
        let mut file = recorded_story();
        let (before, bounds) = (file.clone(), bounds(&file));
        for (share, mask) in flips {
            let at = (share * file.len() as f64) as usize;
            file[at] ^= mask;
        }
        let Some(first) = file.iter().zip(&before).position(|(a, b)| a != b) else { return Ok(()) };
        let frame = bounds.iter().rposition(|start| *start <= first);
        match read(&file) {
            Ok((frames, End::Torn { at } | End::Damaged { at, .. })) => {
                let frame = frame.unwrap();
                prop_assert_eq!((frames, at), (frame, bounds[frame] as u64));
                replayed_or_empty(&file);
            }
            Ok((_, end)) => prop_assert!(false, "a flipped byte passed: {end:?}"),
            Err(_) => prop_assert!(frame.is_none_or(|frame| frame == 0)),
        }
    }

    #[test]
    fn whatever_stands_in_sound_frames_does_no_harm(contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8)) {
        let mut file = [preamble(), framed(1, What::Begun(recorded::begun(&Config::default(), 0, 0)))].concat();
        for content in contents {
            file.extend(head(&content));
            file.extend(content);
        }
        replayed_or_empty(&file);
    }
}

/// The replay of what can be replayed.
fn replayed_or_empty(file: &[u8]) -> Option<Replay> {
    let job = job(reader(file).ok()?, None).ok()?;
    replay(reader(file).ok()?, &job, &as_recorded(), from_catalogue).ok()
}
