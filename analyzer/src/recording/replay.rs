//! Takes a recording in again: the same core, the recording's own time, and tunlets of one's choice.
//!
//! The program behaves as recorded, whatever the replay decides. A proposal equal to an action that the recorded analyzer sent
//! at that moment counts as sent, and the recorded answer settles it: with the recorded options a replay decides as the run
//! did. Every other proposal is advice. A change of the recorded analyzer that the replay did not decide is taken over and
//! marked.

use std::collections::BTreeSet;
use std::io::Read;

use midrun_proto::v1::recorded::What;
use midrun_tunlets::TuningOptions;
use midrun_vocabulary::ConfigError;
use serde_json::Value;

use super::{End, Reader};
use crate::actions::Action;
use crate::catalogue::Make;
use crate::config::Config;
use crate::convert::recorded;
use crate::core::Core;
use crate::ids::{AskId, JobId};
use crate::input::{Answer, Input, Output, Question};
use crate::limits;
use crate::notice::Notice;
use crate::status::Shown;

/// A notice of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedNotice {
    /// Since the recording began, seconds.
    pub at_s: f64,
    /// The notice.
    pub notice: Notice,
}

/// Takes an update of a job's status, with the seconds since its recording began.
pub type Follower<'a> = &'a mut (dyn FnMut(f64, Value) + 'a);

/// The outcome of a replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Notices in order.
    pub notices: Vec<TimedNotice>,
    /// The summary, as a run has it.
    pub summary: String,
    /// The status at the end, with all windows; null for a job that did not begin.
    pub status: Value,
    /// Frames that were read.
    pub frames: u64,
    /// The end of the recording.
    pub end: End,
}

/// Reason why a recording cannot be replayed: a part of a sentence after its name.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The system refuses.
    #[error("cannot be read: {0}")]
    System(#[from] std::io::Error),
    /// It has no rank.
    #[error("holds no job ({0})")]
    NoJob(End),
    /// Several jobs, and none was named.
    #[error("holds several jobs: say --job with one of {0}")]
    Several(String),
    /// The job that was named is not among them.
    #[error("has no job {0}, but {1}")]
    Unknown(String, String),
    /// An option cannot be met.
    #[error("{0}")]
    OptionLine(#[from] ConfigError),
}

/// The job of a recording that has one, or the one that was named.
///
/// # Errors
/// There is none, or it is not clear which.
pub fn job<R: Read>(mut reader: Reader<R>, named: Option<&str>) -> Result<JobId, ReplayError> {
    let mut jobs = BTreeSet::new();
    while let Some((_, what)) = reader.next_frame()? {
        match recorded::input(what) {
            Some(Input::Asked { question: Question::OpenJob { job, .. }, .. }) => {
                jobs.insert(job);
            }
            Some(Input::AgentConnected { hello, .. }) => jobs.extend(hello.ranks.into_iter().map(|rank| rank.job)),
            Some(Input::BatchReceived { batch, .. }) => {
                jobs.extend(batch.joined.into_iter().map(|rank| rank.job));
                jobs.extend(batch.reports.into_iter().map(|report| report.job));
            }
            _ => {}
        }
    }
    let list = || jobs.iter().take(20).map(JobId::to_string).collect::<Vec<String>>().join(", ");
    match (named, jobs.len()) {
        (_, 0) => Err(ReplayError::NoJob(reader.end())),
        (None, 1) => jobs.pop_first().ok_or(ReplayError::NoJob(reader.end())),
        (None, _) => Err(ReplayError::Several(list())),
        (Some(name), _) => {
            let known = jobs.iter().find(|job| job.as_str() == name);
            known.cloned().ok_or_else(|| ReplayError::Unknown(name.chars().take(80).collect(), list()))
        }
    }
}

/// Replays a job with these options (empty texts and zeros: as recorded) and the tunlets of `maker`.
///
/// # Errors
/// The file cannot be read, or an option cannot be met.
pub fn replay<R: Read>(
    reader: Reader<R>,
    job: &JobId,
    options: &TuningOptions,
    maker: impl Make,
) -> Result<Replay, ReplayError> {
    play(reader, job, options, maker, None)
}

/// As [`replay`]; a follower gets the same updates as of a running job, each with its seconds since the recording began.
///
/// # Errors
/// As of [`replay`].
pub fn replay_followed<R: Read>(
    reader: Reader<R>,
    job: &JobId,
    options: &TuningOptions,
    maker: impl Make,
    follower: Follower<'_>,
) -> Result<Replay, ReplayError> {
    play(reader, job, options, maker, Some(follower))
}

fn play<'a, R: Read>(
    reader: Reader<R>,
    job: &'a JobId,
    options: &'a TuningOptions,
    maker: impl Make,
    follower: Option<Follower<'a>>,
) -> Result<Replay, ReplayError> {
    let recorded = recorded::config(&reader.begun);
    let completed = recorded.completed(options.clone());
    let config = recorded.with(completed);
    config.validate()?;
    maker(&config.options())?;
    let core = Core::new(config, maker, reader.begun.last_action).replaying();
    let mut play = Play {
        core: if reader.begun.thoughts { core.thinking_apart() } else { core },
        job,
        options,
        start_ns: reader.now_ns(),
        notices: Vec::new(),
        summary: String::new(),
        status: Value::Null,
        shown: Shown::default(),
        shown_ns: 0,
        follower,
        refused: None,
    };
    let mut steps = Steps::of(reader);
    while let Some(Step { now_ns, input, mut sent }) = steps.next_step()? {
        sent.retain(|action| action.job == *job);
        play.step(now_ns, input, sent);
    }
    let Steps { reader, frames, .. } = steps;
    let (now_ns, ask, question) =
        (reader.now_ns(), AskId(0), Question::GetSummary { job: job.clone(), token: String::new() });
    play.step(now_ns, Input::Stopped, Vec::new());
    play.step(now_ns, Input::Asked { ask, question }, Vec::new());
    play.show(now_ns);
    play.status = play.asked(now_ns, 0).unwrap_or_default();
    if let Some(why) = play.refused {
        return Err(ReplayError::OptionLine(why));
    }
    let Play { notices, summary, status, .. } = play;
    Ok(Replay { notices, summary, status, frames, end: reader.end() })
}

/// An input of the recorded core, and the actions that it sent upon it.
pub struct Step {
    /// When, nanoseconds.
    pub now_ns: u64,
    /// The input.
    pub input: Input,
    /// What was sent.
    pub sent: Vec<Action>,
}

/// A recording, input by input.
pub struct Steps<R> {
    reader: Reader<R>,
    frames: u64,
    next: Option<Step>,
    has_tokens: bool,
}

impl<R: Read> Steps<R> {
    /// Of a recording, without tokens.
    fn of(reader: Reader<R>) -> Steps<R> {
        Steps { reader, frames: 0, next: None, has_tokens: false }
    }

    /// Of the inputs beside a journal, with their tokens.
    pub fn of_log(reader: Reader<R>) -> Steps<R> {
        Steps { has_tokens: true, ..Steps::of(reader) }
    }

    /// The next one; `None` at the end, whatever kind of end it is.
    ///
    /// # Errors
    /// The system's.
    pub fn next_step(&mut self) -> std::io::Result<Option<Step>> {
        while let Some((now_ns, what)) = self.reader.next_frame()? {
            self.frames += 1;
            let what = if self.has_tokens { what } else { recorded::without_tokens(what) };
            if let What::Sent(action) = what {
                self.next.iter_mut().for_each(|step| step.sent.extend(recorded::sent(action.clone())));
            } else if let Some(input) = recorded::input(what)
                && let Some(step) = self.next.replace(Step { now_ns, input, sent: Vec::new() })
            {
                return Ok(Some(step));
            }
        }
        Ok(self.next.take())
    }

    /// Frames that were read.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.reader.bytes()
    }

    /// The end, as far as it was read, and when that was, nanoseconds.
    pub fn end(&self) -> (End, u64) {
        (self.reader.end(), self.reader.now_ns())
    }
}

struct Play<'a> {
    core: Core,
    job: &'a JobId,
    options: &'a TuningOptions,
    start_ns: u64,
    notices: Vec<TimedNotice>,
    summary: String,
    status: Value,
    shown: Shown,
    /// When the follower was shown the status last.
    shown_ns: u64,
    follower: Option<Follower<'a>>,
    refused: Option<ConfigError>,
}

impl Play<'_> {
    fn step(&mut self, now_ns: u64, mut input: Input, sent: Vec<Action>) {
        if !self.concerns(&mut input) {
            return;
        }
        if self.follower.is_some() && now_ns >= self.shown_ns.saturating_add(limits::FOLLOW_MS * 1_000_000) {
            self.show(now_ns);
        }
        let opens = matches!(&input, Input::Asked { question: Question::OpenJob { .. }, .. });
        for output in self.core.step_recorded(now_ns, input, sent) {
            match output {
                Output::Notify { job, notice } if job == *self.job => {
                    let at_s = now_ns.saturating_sub(self.start_ns) as f64 / 1e9;
                    self.notices.push(TimedNotice { at_s, notice });
                }
                Output::Answer { answer: Answer::Summary(json), .. } => self.summary = json,
                Output::Answer { answer: Answer::Invalid(allowed), .. } if opens => {
                    let key = "the recorded options with those of the replay";
                    self.refused = Some(ConfigError { key, value: self.options.tunlet.clone(), allowed });
                }
                _ => {}
            }
        }
    }

    /// The status of the job, with the windows after the first `after` ones; `None` while there is no job.
    fn asked(&mut self, now_ns: u64, after: u64) -> Option<Value> {
        let question = Question::Follow { job: self.job.clone(), token: String::new(), after };
        let outputs = self.core.step_recorded(now_ns, Input::Asked { ask: AskId(0), question }, Vec::new());
        outputs.into_iter().find_map(|output| match output {
            Output::Answer { answer: Answer::Status(status), .. } => Some(*status),
            _ => None,
        })
    }

    fn show(&mut self, now_ns: u64) {
        if let Some(status) = self.asked(now_ns, self.shown.windows_seen()) {
            self.shown_ns = now_ns;
            let at_s = now_ns.saturating_sub(self.start_ns) as f64 / 1e9;
            let patch = self.shown.patch(status);
            if let Some(follower) = self.follower.as_mut() {
                follower(at_s, patch);
            }
        }
    }

    // Whether the input is of the job. Parts of other jobs are taken out, and the options of the replay put in.
    fn concerns(&self, input: &mut Input) -> bool {
        match input {
            Input::AgentConnected { hello, .. } => hello.ranks.retain(|rank| rank.job == *self.job),
            Input::BatchReceived { batch, .. } => {
                batch.joined.retain(|rank| rank.job == *self.job);
                batch.reports.retain(|report| report.job == *self.job);
                batch.left.retain(|rank| rank.job == *self.job);
            }
            Input::Asked { question: Question::OpenJob { job, options, .. }, .. } => {
                let (recorded, search, start) =
                    (Config::default().with(options.clone()), options.search.clone(), options.start.clone());
                // The ranks began with it, whatever the replay asks for.
                *options = TuningOptions { start, ..recorded.completed(self.options.clone()) };
                if self.options.tunlet.is_empty() {
                    options.search = search;
                }
                return job == self.job;
            }
            Input::Asked { question: Question::CloseJob { job, .. } | Question::Control { job, .. }, .. }
            | Input::Thought { job } => return job == self.job,
            _ => {}
        }
        true
    }
}
