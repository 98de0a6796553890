//! Converts between the wire and the analyzer's own types, and is the only place that validates what comes over the wire.
//!
//! A part that no rank or agent can mean (an unknown kind, a number that is not finite, an id that is none) is left out and
//! counted in `invalid`. Everything behind this module may rely on the bounds of [`crate::limits`].

mod actions;
mod calls;
pub mod options;
mod owner;
mod points;
pub mod recorded;
mod streams;

use midrun_proto::v1::{self, control_request, event, from_agent, to_agent};
use midrun_tunlets::link::Cost;
use midrun_tunlets::{ChunkWork, PROFILE_BINS};

use crate::control::{Control, ControlLine};
use crate::events::{
    Batch, Begun, Ended, Event, Hello, HostClock, Joined, Left, Link, Moved, Process, Records, Report, Trip,
    TuningPointDeclared, Unattended, Work, WorkersLost,
};
use crate::ids::{AgentId, JobId};
use crate::input::JobLine;
use crate::limits;
use crate::notice::Notice;
use crate::owner::OwnerSettings;

pub use actions::{action, sent_at};
pub use owner::{settings, wire_settings};

/// A message of an agent.
#[derive(Debug)]
pub enum FromAgent {
    /// Who it is.
    Hello(Hello),
    /// What its ranks did.
    Batch(Batch),
    /// It measures the way to us; its own time, nanoseconds.
    TimeProbe(u64),
    /// It ends properly.
    Goodbye,
    /// It has this copy of a job's owner settings.
    SettingsKept(JobId, u64),
}

/// A message of an agent, or `None` for an empty or unknown one.
pub fn from_agent(message: v1::FromAgent) -> Option<FromAgent> {
    Some(match message.message? {
        from_agent::Message::Hello(wire) => FromAgent::Hello(hello(wire)),
        from_agent::Message::Batch(wire) => FromAgent::Batch(batch(wire)),
        from_agent::Message::TimeProbe(probe) => FromAgent::TimeProbe(probe.agent_ns),
        from_agent::Message::Goodbye(_) => FromAgent::Goodbye,
        from_agent::Message::OwnerSettingsKept(kept) => FromAgent::SettingsKept(JobId::new(&kept.job)?, kept.version),
        // Not of one agent: the server takes them apart.
        from_agent::Message::TakesChildren(_) | from_agent::Message::FromChildren(_) => return None,
    })
}

fn hello(wire: v1::Hello) -> Hello {
    let mut invalid = 0;
    Hello {
        protocol: wire.protocol,
        ranks: sound(wire.ranks, &mut invalid, joined),
        node: text(wire.node),
        agent: AgentId(text(wire.agent).into()),
        version: text(wire.version),
        token: text(wire.token),
        settings: sound(wire.owner_settings, &mut invalid, settings),
        options_follow: wire.options_follow,
        invalid,
    }
}

fn batch(wire: v1::Batch) -> Batch {
    let mut invalid = 0;
    let joined = sound(wire.joined, &mut invalid, joined);
    let left = sound(wire.left, &mut invalid, left);
    let mut reports = Vec::with_capacity(wire.reports.len());
    for report in wire.reports {
        let Some((job, rank)) = rank_id(report.id) else {
            invalid += report.events.len().max(1) as u64;
            continue;
        };
        let records = Records {
            produced: report.records_produced,
            collected: report.records_collected,
            dropped: report.records_dropped,
        };
        let events = sound(report.events, &mut invalid, event);
        reports.push(Report { job, rank, events, records });
    }
    Batch {
        node: text(wire.node),
        sequence: wire.sequence,
        joined,
        reports,
        left,
        clock: HostClock {
            offset_ns: wire.clock_offset_ns,
            error_ns: (wire.clock_error_ns > 0).then_some(wire.clock_error_ns),
            drift_ppb: wire.clock_drift_ppb,
            drift_error_ppb: wire.clock_drift_error_ppb,
        },
        events_dropped: wire.events_dropped,
        invalid,
    }
}

fn sound<W, D>(list: Vec<W>, invalid: &mut u64, convert: impl Fn(W) -> Option<D>) -> Vec<D> {
    let before = list.len();
    let good: Vec<D> = list.into_iter().filter_map(convert).collect();
    *invalid += (before - good.len()) as u64;
    good
}

fn text(mut text: String) -> String {
    if text.len() > limits::TEXT_BYTES {
        let mut end = limits::TEXT_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}

fn rank_id(id: Option<v1::RankId>) -> Option<(JobId, u32)> {
    let id = id?;
    let job = JobId::new(&id.job)?;
    (id.rank < limits::RANKS_PER_JOB).then_some((job, id.rank))
}

/// The id of a job.
///
/// # Errors
/// The text is none; says what is allowed.
pub fn job_id(text: &str) -> Result<JobId, String> {
    let shown = || text.chars().take(80).collect::<String>();
    let wrong = || format!("job {:?}: allowed are 1 to 63 letters, digits and . _ -", shown());
    JobId::new(text).ok_or_else(wrong)
}

fn joined(wire: v1::RankJoined) -> Option<Joined> {
    let (job, rank) = rank_id(wire.id)?;
    // A size that no job has is as good as none.
    let world_size = Some(wire.world_size).filter(|size| *size <= limits::RANKS_PER_JOB).unwrap_or_default();
    // Numbers are below 2^53, which every reader of JSON takes; a larger one is nonsense.
    let last_action = Some(wire.last_action).filter(|action| *action < limits::ACTION_END).unwrap_or_default();
    let process = (wire.pid > 0).then_some(Process { pid: wire.pid, start_ns: wire.time_ns });
    Some(Joined { job, rank, world_size, mpi: text(wire.mpi), last_action, launch: text(wire.launch), process })
}

fn left(wire: v1::RankLeft) -> Option<Left> {
    let (job, rank) = rank_id(wire.id)?;
    Some(Left { job, rank, finalized: wire.finalized, unattended: wire.unattended })
}

fn event(wire: v1::Event) -> Option<Event> {
    match wire.kind? {
        event::Kind::IterationBegun(begun) => begun_event(begun),
        event::Kind::IterationEnded(ended) => ended_event(ended),
        event::Kind::WorkersLost(lost) => lost_event(&lost),
        event::Kind::Work(work) => work_event(work),
        event::Kind::LinkMeasured(link) => link_event(link),
        event::Kind::MessageTrip(trip) => trip_event(&trip),
        event::Kind::MessageMoved(moved) => moved_event(&moved),
        event::Kind::ActionResult(result) => actions::result(result),
        event::Kind::StreamBegun(begun) => streams::begun(begun),
        event::Kind::StageDeclared(stage) => streams::stage(stage),
        event::Kind::PatternTaken(taken) => streams::pattern(taken),
        event::Kind::StageWork(work) => streams::work(&work),
        event::Kind::StreamWindow(window) => streams::window(&window),
        event::Kind::MpiCounted(counted) => calls::counted(counted),
        event::Kind::PointMeasured(measured) => points::measured(measured),
        event::Kind::PointRefused(refused) => Some(points::refused(refused)),
        event::Kind::TuningPointDeclared(tuning_point) => tuning_point_event(tuning_point),
    }
}

fn tuning_point_event(wire: v1::TuningPointDeclared) -> Option<Event> {
    let (whole, takes_text) = match v1::TuningPointType::try_from(wire.r#type).ok()? {
        v1::TuningPointType::F64 => (false, false),
        v1::TuningPointType::I64 => (true, false),
        v1::TuningPointType::Text => (false, true),
        v1::TuningPointType::Unspecified => return None,
    };
    let (name, minimum, maximum, value) = (tuning_point_name(wire.name), wire.minimum, wire.maximum, wire.value);
    // A bound may be infinite.
    let good = !name.is_empty() && !value.is_nan() && minimum <= maximum;
    let declared = wire.declared.filter(|declared| !declared.is_nan()).unwrap_or(value);
    let declared = TuningPointDeclared { name, whole, text: takes_text, minimum, maximum, value, declared };
    good.then_some(Event::TuningPointDeclared(declared))
}

/// The name of a tuning point. For one version, the old spelling is an alias: recordings, scripts and people may use it.
fn tuning_point_name(name: String) -> String {
    text(midrun_vocabulary::names::current(&name).to_owned())
}

fn begun_event(wire: v1::IterationBegun) -> Option<Event> {
    let good = wire.iteration < limits::ITERATION_END
        && wire.tasks < limits::TASKS_END
        && wire.factor.is_finite()
        && wire.factor >= 0.0;
    good.then_some(Event::IterationBegun(Begun {
        iteration: wire.iteration,
        time_ns: wire.time_ns,
        tasks: wire.tasks,
        workers: wire.workers.min(limits::RANKS_PER_JOB),
        technique: wire.technique,
        factor: wire.factor,
        task_bytes: wire.task_bytes,
        result_bytes: wire.result_bytes,
        framework: wire.framework,
    }))
}

fn link_event(wire: v1::LinkMeasured) -> Option<Event> {
    let cost = Cost {
        start_up_s: wire.start_up_s,
        start_up_error_s: wire.start_up_error_s,
        per_byte_s: wire.per_byte_s,
        per_byte_error_s: wire.per_byte_error_s,
    };
    let sane = |s: f64| (0.0..limits::MESSAGE_S).contains(&s);
    let all = [cost.start_up_s, cost.start_up_error_s, cost.per_byte_s, cost.per_byte_error_s].into_iter().all(sane);
    all.then_some(Event::LinkMeasured(Link {
        same_host: wire.same_host,
        measured: midrun_tunlets::LinkCost {
            cost,
            eager_bytes: wire.eager_bytes,
            rendezvous_bytes: wire.rendezvous_bytes,
            samples: wire.samples,
            trips: 0,
        },
    }))
}

fn trip_event(wire: &v1::MessageTrip) -> Option<Event> {
    let trip_s = wire.trip_ns as f64 * 1e-9;
    let good = wire.bytes < limits::ROUND_TRIP_BYTES && trip_s > 0.0 && trip_s < 2.0 * limits::MESSAGE_S;
    good.then_some(Event::TripMeasured(Trip { same_host: wire.same_host, bytes: wire.bytes as f64, trip_s }))
}

fn moved_event(wire: &v1::MessageMoved) -> Option<Event> {
    let v1::MessageMoved { received, peer, same_host, bytes, begin_ns, end_ns, wait_ns } = *wire;
    let in_order =
        begin_ns <= end_ns && wait_ns.is_none_or(|wait_ns| wait_ns >= if received { begin_ns } else { end_ns });
    let good = bytes < limits::ROUND_TRIP_BYTES && in_order && peer < limits::RANKS_PER_JOB;
    good.then_some(Event::MessageMoved(Moved { received, peer, same_host, bytes, begin_ns, end_ns, wait_ns }))
}

fn ended_event(wire: v1::IterationEnded) -> Option<Event> {
    let good = wire.iteration < limits::ITERATION_END && wire.tasks < limits::TASKS_END;
    good.then_some(Event::IterationEnded(Ended {
        iteration: wire.iteration,
        time_ns: wire.time_ns,
        tasks: wire.tasks,
        chunks: wire.chunks,
        task_time_ns: wire.task_time_ns,
        master_busy_ns: wire.master_busy_ns,
        per_task_us: (wire.inputs_us, wire.results_us),
    }))
}

fn lost_event(wire: &v1::WorkersLost) -> Option<Event> {
    let v1::WorkersLost { iteration, time_ns, workers, redone_tasks, left, rank } = *wire;
    let good = iteration < limits::ITERATION_END
        && redone_tasks < limits::TASKS_END
        && workers <= limits::RANKS_PER_JOB
        && left <= limits::RANKS_PER_JOB
        && rank.is_none_or(|rank| rank < limits::RANKS_PER_JOB);
    good.then_some(Event::WorkersLost(WorkersLost { iteration, time_ns, workers, redone_tasks, left, rank }))
}

fn work_event(wire: v1::Work) -> Option<Event> {
    let amount = |x: f64| x.is_finite() && x >= 0.0;
    let iteration = (wire.iteration != midrun_proto::UNKNOWN_ITERATION).then_some(wire.iteration);
    let good = iteration.is_none_or(|iteration| iteration < limits::ITERATION_END)
        && wire.tasks < limits::TASKS_END
        && amount(wire.busy_s)
        && amount(wire.sum_sq_s2);
    let sound = |bin: &v1::ProfileBin| (bin.bin as usize) < PROFILE_BINS && amount(bin.tasks) && amount(bin.busy_s);
    let chunk = |wire: &v1::ChunkWork| {
        let v1::ChunkWork { first, tasks, busy_s, sum_sq_s2 } = *wire;
        let good = first < limits::TASKS_END && (1..limits::TASKS_END).contains(&tasks);
        (good && amount(busy_s) && amount(sum_sq_s2)).then_some(ChunkWork { first, tasks, busy_s, sum_sq_s2 })
    };
    good.then(|| {
        let bins = wire.profile.iter().filter(|bin| sound(bin)).take(PROFILE_BINS);
        Event::Worked(Work {
            iteration,
            tasks: wire.tasks,
            chunks: wire.chunks,
            busy_s: wire.busy_s,
            sum_sq_s2: wire.sum_sq_s2,
            tasks_timed: wire.tasks_timed,
            profile: bins.map(|bin| (bin.bin as usize, bin.tasks, bin.busy_s)).collect(),
            each_chunk: wire.each_chunk.iter().take(limits::EACH_CHUNK).map_while(chunk).collect(),
            middle_ns: wire.first_begin_ns.midpoint(wire.last_end_ns),
            master: wire.master.filter(|rank| *rank < limits::RANKS_PER_JOB),
        })
    })
}

fn to_agent(message: to_agent::Message) -> v1::ToAgent {
    v1::ToAgent { message: Some(message) }
}

/// The answer to a Hello, at this time of the analyzer's clock.
pub fn welcome(last_sequence: u64, analyzer_ns: u64) -> v1::ToAgent {
    let analyzer = concat!("midrun ", env!("CARGO_PKG_VERSION")).to_owned();
    to_agent(to_agent::Message::Welcome(v1::Welcome { analyzer, last_sequence, analyzer_ns }))
}

/// The other answer to a Hello.
pub fn refusal(why: String) -> v1::ToAgent {
    to_agent(to_agent::Message::Refusal(v1::Refusal { why }))
}

/// Agents by which this one shall link.
pub fn parents(urls: Vec<String>) -> v1::ToAgent {
    to_agent(to_agent::Message::Parents(v1::Parents { urls }))
}

/// The agent shall carry others.
pub fn take_children() -> v1::ToAgent {
    to_agent(to_agent::Message::TakeChildren(v1::TakeChildren {}))
}

/// What the owner of a job has set, for an agent to keep.
pub fn show_settings(settings: &OwnerSettings) -> v1::ToAgent {
    to_agent(to_agent::Message::OwnerSettings(Box::new(wire_settings(settings))))
}

/// Ranks whose agent has died, for another agent of their node.
pub fn unattended(ranks: Vec<Unattended>) -> v1::ToAgent {
    let wire = |Unattended { job, rank, process }| v1::RankJoined {
        id: Some(v1::RankId { job: job.to_string(), rank }),
        pid: process.pid,
        time_ns: process.start_ns,
        ..v1::RankJoined::default()
    };
    let ranks = ranks.into_iter().map(wire).collect();
    to_agent(to_agent::Message::RanksUnattended(v1::RanksUnattended { ranks }))
}

/// A batch was taken.
pub fn batch_ack(sequence: u64) -> v1::ToAgent {
    to_agent(to_agent::Message::BatchAck(v1::BatchAck { sequence }))
}

/// Both times of a probe, nanoseconds.
pub fn time_reply(agent_ns: u64, analyzer_ns: u64) -> v1::ToAgent {
    to_agent(to_agent::Message::TimeReply(v1::TimeReply { agent_ns, analyzer_ns }))
}

/// A notice.
pub fn notice(notice: Notice) -> v1::Notice {
    v1::Notice { text: notice.text, json: notice.json.to_string() }
}

/// What a person asks for.
pub fn control(wire: control_request::Control) -> Control {
    match wire {
        control_request::Control::Set(set) => {
            let value = if set.value.len() > limits::STREAM_TEXT_BYTES { String::new() } else { set.value };
            let (rank, synchronized, at_iteration) = (set.rank, set.synchronized, set.at_iteration);
            Control::Set { point: tuning_point_name(set.point), value, rank, synchronized, at_iteration }
        }
        control_request::Control::Freeze(_) => Control::Freeze,
        control_request::Control::Pause(_) => Control::Pause,
        control_request::Control::Resume(_) => Control::Resume,
    }
}

/// What came of it.
pub fn control_reply(line: &ControlLine) -> v1::ControlReply {
    // A struct of numbers, texts and lists always serializes.
    v1::ControlReply { done: line.done, text: line.text.clone(), json: serde_json::to_string(line).unwrap_or_default() }
}

/// A job in a list.
pub fn job_line(line: JobLine) -> v1::JobLine {
    v1::JobLine { job: line.job.to_string(), ranks: line.ranks, iterations: line.iterations, ended: line.ended }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::{Action, Phase};
    use crate::ids::ActionId;

    fn rank(job: &str, rank: u32) -> Option<v1::RankId> {
        Some(v1::RankId { job: job.into(), rank })
    }

    fn kind(kind: event::Kind) -> v1::Event {
        v1::Event { kind: Some(kind) }
    }

    #[test]
    fn what_makes_no_sense_is_left_out_and_counted() {
        let events = vec![
            v1::Event { kind: None },
            kind(event::Kind::Work(v1::Work { busy_s: f64::NAN, ..Default::default() })),
            kind(event::Kind::Work(v1::Work { sum_sq_s2: -1.0, ..Default::default() })),
            kind(event::Kind::IterationBegun(v1::IterationBegun { iteration: u64::MAX, ..Default::default() })),
            kind(event::Kind::IterationEnded(v1::IterationEnded { tasks: u64::MAX, ..Default::default() })),
            kind(event::Kind::ActionResult(v1::ActionResult { status: 99, ..Default::default() })),
            kind(event::Kind::LinkMeasured(v1::LinkMeasured { start_up_error_s: f64::NAN, ..Default::default() })),
            kind(event::Kind::MessageTrip(v1::MessageTrip { trip_ns: u64::MAX, ..Default::default() })),
            kind(event::Kind::MessageTrip(v1::MessageTrip::default())),
            tuning_point("n", 0.0, 1.0, f64::NAN),
            tuning_point("n", f64::NAN, 1.0, 0.0),
            tuning_point("n", 2.0, 1.0, 0.0),
            tuning_point("", 0.0, 1.0, 0.0),
            kind(event::Kind::Work(v1::Work { busy_s: 1.0, ..Default::default() })),
        ];
        let good = v1::RankReport { id: rank("j", 1), events, ..Default::default() };
        let huge = v1::RankReport { id: rank("j", u32::MAX), ..Default::default() };
        let nameless = v1::RankReport { id: rank("a b", 0), ..Default::default() };
        let batch = batch(v1::Batch { reports: vec![good, huge, nameless], ..Default::default() });
        assert_eq!(batch.reports.len(), 1);
        assert_eq!(batch.reports[0].events.len(), 1);
        assert_eq!(batch.invalid, 15);
    }

    fn tuning_point(name: &str, minimum: f64, maximum: f64, value: f64) -> v1::Event {
        let r#type = v1::TuningPointType::F64.into();
        let (name, tuning_point) = (name.into(), 0);
        let declared = None;
        let declared = v1::TuningPointDeclared { tuning_point, name, r#type, minimum, maximum, value, declared };
        kind(event::Kind::TuningPointDeclared(declared))
    }

    #[test]
    fn the_old_name_of_the_technique_is_an_alias_in_declarations_controls_and_recorded_actions() {
        let Some(Event::TuningPointDeclared(declared)) = event(tuning_point("mw.policy", 0.0, 7.0, 5.0)) else {
            panic!("it is sound");
        };
        assert_eq!(declared.name, "mw.technique");
        let set = v1::SetPoint { point: "mw.policy".into(), value: "gss".into(), ..Default::default() };
        let set = control(control_request::Control::Set(set));
        assert!(matches!(set, Control::Set { point, .. } if point == "mw.technique"));
        let value = Some(v1::assignment::Value::Number(3.0));
        let assignments = vec![v1::Assignment { tuning_point: "mw.policy".into(), value }];
        let sent = recorded::sent(v1::Action { rank: rank("j", 0), assignments, ..Default::default() });
        assert_eq!(sent.unwrap().assignments, [("mw.technique".to_owned(), 3.0.into())]);
    }

    #[test]
    fn sizes_that_no_job_has_are_bounded() {
        let wire = v1::RankJoined { id: rank("j", 0), world_size: u32::MAX, ..Default::default() };
        assert_eq!(joined(wire).map(|joined| joined.world_size), Some(0));
        let wire = v1::IterationBegun { workers: u32::MAX, ..Default::default() };
        let begun = begun_event(wire);
        assert!(matches!(begun, Some(Event::IterationBegun(begun)) if begun.workers == limits::RANKS_PER_JOB));
    }

    #[test]
    fn a_profile_keeps_its_sound_bins() {
        let bin = |bin, tasks| v1::ProfileBin { bin, tasks, busy_s: 1.0 };
        let profile = vec![bin(0, 1.0), bin(64, 1.0), bin(3, f64::INFINITY), bin(63, 2.0)];
        let Some(Event::Worked(work)) = work_event(v1::Work { profile, ..Default::default() }) else {
            panic!("the work itself is sound");
        };
        assert_eq!(work.profile, [(0, 1.0, 1.0), (63, 2.0, 1.0)]);
    }

    #[test]
    fn chunks_are_known_up_to_the_first_that_is_unsound_and_not_beyond_their_number() {
        let chunk = |first, tasks, busy_s| v1::ChunkWork { first, tasks, busy_s, sum_sq_s2: 0.5 };
        let known = |each_chunk| match work_event(v1::Work { each_chunk, ..Default::default() }) {
            Some(Event::Worked(work)) => work.each_chunk.len(),
            other => panic!("the work itself is sound: {other:?}"),
        };
        for bad in [chunk(5, 0, 1.0), chunk(5, u64::MAX, 1.0), chunk(u64::MAX, 1, 1.0), chunk(5, 1, f64::NAN)] {
            assert_eq!(known(vec![chunk(0, 5, 1.0), bad, chunk(6, 5, 1.0)]), 1);
        }
        assert_eq!(known(vec![chunk(0, 1, 0.5); 100]), limits::EACH_CHUNK);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(text("ä".repeat(200)).len(), 256);
        assert_eq!(text(format!("a{}", "ä".repeat(200))).len(), 255);
    }

    #[test]
    fn an_action_sent_again_carries_what_is_left_of_its_life() {
        let sent = action(
            3_000_000_000,
            Action {
                id: ActionId(7),
                job: JobId::new("j").unwrap(),
                rank: 0,
                assignments: vec![("mw.technique".into(), 6.0.into())],
                at_once: true,
                decided_ns: 1_000_000_000,
                deadline_ns: 11_000_000_000,
                phase: Phase::Apply,
            },
        );
        let Some(to_agent::Message::Action(sent)) = sent.message else { panic!("an action") };
        assert_eq!((sent.id, sent.time_to_live_ms, sent.decided_ns), (7, 8_000, 1_000_000_000));
        assert_eq!(sent.when(), v1::When::Now);
    }
}
