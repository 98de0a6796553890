//! Events of agents and ranks in the analyzer's own types. `convert` makes them and lets nothing pass that cannot be.

#![allow(missing_docs)] // the fields say what the wire says: see proto/midrun/v1

use midrun_tunlets::{ChunkWork, PointWindow, StageWork};
use serde::Serialize;

use crate::actions::ActionResult;
use crate::ids::{AgentId, JobId};
use crate::owner::OwnerSettings;

/// An agent's first message on a link.
#[derive(Clone, Debug, Default)]
pub struct Hello {
    pub protocol: u32,
    pub node: String,
    pub agent: AgentId,
    pub version: String,
    pub token: String,
    pub ranks: Vec<Joined>,
    /// Of jobs of this agent, as far as it knows them.
    pub settings: Vec<OwnerSettings>,
    /// Its jobs were opened by name: nothing may change before their options are known.
    pub options_follow: bool,
    /// Parts of the message that made no sense.
    pub invalid: u64,
}

/// Events of several ranks of one node.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub node: String,
    pub sequence: u64,
    pub joined: Vec<Joined>,
    pub reports: Vec<Report>,
    pub left: Vec<Left>,
    /// The node's clock.
    pub clock: HostClock,
    /// Events the agent dropped so far.
    pub events_dropped: u64,
    /// Parts of the message that made no sense.
    pub invalid: u64,
}

/// A host's clock beside the analyzer's, as its agent knows it. The bounds hold as long as both clocks run evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostClock {
    /// To add to the host's times to get the analyzer's, nanoseconds; 0 until measured.
    pub offset_ns: i64,
    /// The offset is at most this far from the truth; `None` until measured.
    pub error_ns: Option<u64>,
    /// By how much the analyzer's clock runs faster, parts per billion.
    pub drift_ppb: i64,
    /// The drift is at most this far from the truth.
    pub drift_error_ppb: u64,
}

/// A rank attached to its agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    pub job: JobId,
    pub rank: u32,
    pub world_size: u32,
    pub mpi: String,
    /// The newest action that it was ever brought, 0 if none.
    pub last_action: u64,
    /// Number of its launch, as [`midrun_vocabulary::launch`] compares it; empty: unknown.
    pub launch: String,
    /// Its process, where the agent said it.
    pub process: Option<Process>,
}

/// A process of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// CLOCK_MONOTONIC of its host when it joined MPI, nanoseconds.
    pub start_ns: u64,
}

/// A rank that runs, as far as is known, though its agent has died.
#[derive(Clone, Debug, PartialEq)]
pub struct Unattended {
    pub job: JobId,
    pub rank: u32,
    pub process: Process,
}

/// A rank is gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    pub job: JobId,
    pub rank: u32,
    pub finalized: bool,
    /// Its agent had died before; how it ended is not known.
    pub unattended: bool,
}

/// One rank's events, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub job: JobId,
    pub rank: u32,
    pub events: Vec<Event>,
    pub records: Records,
}

/// Something that happened in a rank.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    IterationBegun(Begun),
    IterationEnded(Ended),
    WorkersLost(WorkersLost),
    Worked(Work),
    ActionSettled(ActionResult),
    TuningPointDeclared(TuningPointDeclared),
    LinkMeasured(Link),
    TripMeasured(Trip),
    MessageMoved(Moved),
    StreamBegun(StreamBegun),
    StageDeclared(StageDeclared),
    PatternTaken(PatternTaken),
    StageWorked(StageWorked),
    StreamWindowEnded(StreamWindowEnded),
    MpiCounted(MpiCounted),
    PointMeasured(PointMeasured),
    PointRefused(PointRefused),
}

/// Counters of a rank's MPI calls so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MpiCounted {
    /// Host's time, nanoseconds.
    pub time_ns: u64,
    /// When the rank had initialised MPI, likewise.
    pub begun_ns: u64,
    pub waiting_ns: u64,
    pub mpi_ns: u64,
    pub framework_ns: u64,
    pub uncounted: u64,
    pub calls: Vec<(MpiCall, Tally)>,
    /// The rank that is the peer of most calls with one peer.
    pub partner: Option<u32>,
    /// Calls that had it as their peer, at least.
    pub with_partner: u64,
    /// Calls with one peer.
    pub with_one: u64,
    /// Time that its first thread was ready to run and had no core, and when that was read: 0 if never.
    pub run_delay_ns: (u64, u64),
}

/// A call and its class of peers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MpiCall {
    pub name: String,
    /// As the summary calls it.
    pub peer: &'static str,
}

/// Calls, their bytes and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub count: u64,
    pub bytes: u64,
    pub time_ns: u64,
    /// Calls that were timed; where these are fewer, bytes and time are estimates.
    pub timed: u64,
}

/// Measurement of a point of the rank.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMeasured {
    /// Beginning and end of the calls or values, on its node's clock, nanoseconds; zeros where they are not known.
    pub span_ns: (u64, u64),
    /// `None`: the rank does not know.
    pub iteration: Option<u64>,
    /// The measurement, without its rank.
    pub seen: PointWindow,
    /// Cost of measuring, seconds.
    pub cost_s: f64,
}

/// A line of the points that the rank could not do, or does with less detail (`shed`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointRefused {
    pub line: u32,
    pub why: String,
    pub shed: bool,
}

/// A pipeline starts a stream; the time tells one from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamBegun {
    pub time_ns: u64,
    pub stages: usize,
    pub ranks: u32,
    /// When the pipeline was created, on its rank's clock in nanoseconds: tells it from others.
    pub pipeline: u64,
}

/// A stage of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageDeclared {
    pub stage: usize,
    pub name: String,
    pub stateful: bool,
    /// A team computes it.
    pub team: bool,
}

/// Inputs from here on go by this plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternTaken {
    pub epoch: u32,
    pub first_input: u64,
    pub plan: String,
}

/// Work on one stage in one rank since its last batch.
#[derive(Clone, Debug, PartialEq)]
pub struct StageWorked {
    pub stage: usize,
    pub work: StageWork,
}

/// Inputs that came out of the stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamWindowEnded {
    pub number: u64,
    pub seconds: f64,
    pub outputs: u64,
    /// Oldest and newest pattern by which they went.
    pub epochs: (u32, u32),
    pub on_way: u32,
    pub head_s: f64,
}

/// Cost of a message between the master and a worker on its host, or on another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    pub same_host: bool,
    pub measured: midrun_tunlets::LinkCost,
}

/// Round trip of a chunk and its result, neither queued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trip {
    pub same_host: bool,
    pub bytes: f64,
    pub trip_s: f64,
}

/// A message of the program, as the rank that sent or received it saw it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    pub received: bool,
    /// The other rank, and whether it is on the same host.
    pub peer: u32,
    pub same_host: bool,
    pub bytes: u64,
    /// Of the call, on the host's clock.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// When the program began to wait for it, where its call did not.
    pub wait_ns: Option<u64>,
}

/// The master starts an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Begun {
    pub iteration: u64,
    pub time_ns: u64,
    pub tasks: u64,
    pub workers: u32,
    /// Code of the technique in force.
    pub technique: u32,
    pub factor: f64,
    /// Bytes of one task and of one result, 0 where nobody knows.
    pub task_bytes: u32,
    pub result_bytes: u32,
    /// The iteration is one of midrun's frameworks, of which a job can have several.
    pub framework: bool,
}

/// The master has all results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ended {
    pub iteration: u64,
    pub time_ns: u64,
    pub tasks: u64,
    pub chunks: u64,
    pub task_time_ns: u64,
    pub master_busy_ns: u64,
    /// Of that, to prepare the inputs of tasks and to take their results, microseconds.
    pub per_task_us: (u32, u32),
}

/// Workers died in an iteration, or before it began, and the job goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkersLost {
    pub iteration: u64,
    pub time_ns: u64,
    pub workers: u32,
    /// Tasks that they held, which were handed out again.
    pub redone_tasks: u64,
    pub left: u32,
    /// Who died, where that is known.
    pub rank: Option<u32>,
}

/// Work of one rank in one iteration since its last batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// None where the rank does not know the master's count.
    pub iteration: Option<u64>,
    pub tasks: u64,
    pub chunks: u64,
    pub busy_s: f64,
    pub sum_sq_s2: f64,
    pub tasks_timed: bool,
    /// (bin, tasks, busy seconds).
    pub profile: Vec<(usize, f64, f64)>,
    /// Its chunks one by one; none where there were too many.
    pub each_chunk: Vec<ChunkWork>,
    /// Half-way between its beginning and its end, on its node's clock.
    pub middle_ns: u64,
    /// The framework's master; `None` where the rank does not know it.
    pub master: Option<u32>,
}

/// A tuning point that a rank offers.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPointDeclared {
    pub name: String,
    pub whole: bool,
    /// Whether it takes texts.
    pub text: bool,
    pub minimum: f64,
    pub maximum: f64,
    /// Now.
    pub value: f64,
    /// When the program declared it.
    pub declared: f64,
}

/// Records of one rank, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Records {
    /// Made by the ranks.
    pub produced: u64,
    /// Taken in by the agents.
    pub collected: u64,
    /// Lost because a ring was full.
    pub dropped: u64,
}

impl Records {
    /// Adds another rank's.
    pub fn add(&mut self, other: Records) {
        self.produced = self.produced.saturating_add(other.produced);
        self.collected = self.collected.saturating_add(other.collected);
        self.dropped = self.dropped.saturating_add(other.dropped);
    }
}
