//! Inputs and outputs of the core: closed enums in the analyzer's own types.

#![allow(missing_docs)] // the fields say what the wire says: see proto/midrun/v1

use midrun_tunlets::TuningOptions;

use crate::actions::Action;
use crate::control::{Control, ControlLine};
use crate::events::{Batch, Hello, Unattended};
use crate::ids::{AskId, JobId, LinkId};
use crate::notice::Notice;
use crate::owner::OwnerSettings;
use crate::thought::Work;

/// An input of the core.
#[derive(Clone, Debug)]
pub enum Input {
    /// An agent said Hello on a new link.
    AgentConnected { link: LinkId, hello: Hello },
    /// A batch came in on a link.
    BatchReceived { link: LinkId, batch: Batch },
    /// An agent has this copy of a job's owner settings.
    SettingsKept { link: LinkId, job: JobId, version: u64 },
    /// A link has ended; `goodbye` if the agent ended it properly.
    AgentDisconnected { link: LinkId, goodbye: bool },
    /// The admin service asks.
    Asked { ask: AskId, question: Question },
    /// The tunlets of a job have thought.
    Thought { job: JobId },
    /// Time has passed.
    Tick,
    /// The analyzer was started again, with all that the one before had taken in; actions have ids after this one.
    Restarted { last_action: u64 },
    /// The analyzer shall end: sum up every job.
    Stopped,
}

/// An output of the core. The server carries outputs out in their order.
#[derive(Clone, Debug)]
pub enum Output {
    /// Write a line to the journal, before anything that follows is sent.
    Journal(serde_json::Value),
    /// Answer a Hello.
    Welcome { link: LinkId, last_sequence: u64 },
    /// Answer a Hello with no, and end the link.
    Refuse { link: LinkId, why: String },
    /// End a link that a newer one replaces.
    Disconnect { link: LinkId },
    /// A batch was taken.
    Acknowledge { link: LinkId, sequence: u64 },
    /// Bring an action to a rank.
    Act { link: LinkId, action: Action },
    /// Keep a job's owner settings in the journal, before anything that follows is sent.
    KeepSettings(Box<OwnerSettings>),
    /// Show a job's owner settings to an agent, which keeps a copy.
    ShowSettings { link: LinkId, settings: Box<OwnerSettings> },
    /// Tell an agent of ranks of its node whose own agent has died.
    HandOver { link: LinkId, ranks: Vec<Unattended> },
    /// Let the tunlets of a job think; then [`Input::Thought`]. Urgent: the ranks have left, or somebody waits for the summary; a thought
    /// under way may be handed out so once more. `may_save_s`: what thoughts are expected to save the job, seconds.
    Think { job: JobId, work: Work, is_urgent: bool, may_save_s: f64 },
    /// Send a notice to those who watch the job.
    Notify { job: JobId, notice: Notice },
    /// The job is over: end its watches.
    EndWatches { job: JobId },
    /// Answer the admin service.
    Answer { ask: AskId, answer: Answer },
}

/// A question of the admin service.
#[derive(Clone, Debug)]
pub enum Question {
    /// Open a job with these options.
    OpenJob { job: JobId, token: String, options: TuningOptions, dry_run: bool },
    /// The notices of a job so far; later ones come as [`Output::Notify`].
    Watch { job: JobId, token: String },
    /// The summary so far.
    GetSummary { job: JobId, token: String },
    /// The launcher has ended; answered when the job's last batches are in.
    CloseJob { job: JobId, token: String },
    /// All jobs the token may see.
    ListJobs { token: String },
    /// The present state of a running job.
    GetStatus { job: JobId, token: String },
    /// The state of a job for one who follows it and has the first `after` windows; the last state where it has ended.
    Follow { job: JobId, token: String, after: u64 },
    /// A manual override; answered when the ranks concerned have answered.
    Control { job: JobId, token: String, control: Control },
}

/// An answer to the admin service.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Done.
    Opened,
    /// The notices that a watcher missed, and whether the job is over.
    Watching { job: JobId, past: Vec<Notice>, ended: bool },
    /// A summary as JSON.
    Summary(String),
    /// The jobs.
    Jobs(Vec<JobLine>),
    /// The present state.
    Status(Box<serde_json::Value>),
    /// The outcome of a manual override.
    Controlled(Box<ControlLine>),
    /// There is no such job.
    Unknown(String),
    /// The token is not the right one.
    Denied(String),
    /// Something asked for is not possible: what would be.
    Invalid(String),
    /// A limit is reached.
    Full(String),
}

/// A job in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLine {
    pub job: JobId,
    pub ranks: u32,
    pub iterations: u64,
    pub ended: bool,
}
