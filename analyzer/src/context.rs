//! The context that a step hands down to every component: the time, the agents' links, and the list of outputs.

use serde_json::Value;

use crate::actions::Action;
use crate::agents::Agents;
use crate::ids::{JobId, LinkId};
use crate::input::Output;
use crate::notice::Notice;

/// The surroundings of one step of one job.
pub struct Ctx<'a> {
    /// CLOCK_MONOTONIC of the analyzer's host, nanoseconds.
    pub now: u64,
    /// The job.
    pub job: JobId,
    /// Finds the link of an agent.
    pub(crate) links: &'a Agents,
    /// Takes what the server has to do.
    pub out: &'a mut Vec<Output>,
}

impl Ctx<'_> {
    /// Writes a notice to the journal and shows it to those who watch the job.
    pub fn notify(&mut self, notice: Notice) {
        self.journal(notice.json.clone());
        self.out.push(Output::Notify { job: self.job.clone(), notice });
    }

    /// Logs an event in the life of the job and notifies people of it; programs get `facts`, an object, with it.
    pub fn life(&mut self, event: &str, text: String, mut facts: Value) {
        tracing::info!(job = %self.job, event, "{text}");
        facts["event"] = event.into();
        facts["job"] = self.job.as_str().into();
        facts["text"] = text.as_str().into();
        self.notify(Notice { text, json: facts });
    }

    /// Writes a line to the journal.
    pub fn journal(&mut self, line: Value) {
        self.out.push(Output::Journal(line));
    }

    /// Sends an action to the agent behind `link`.
    pub fn send(&mut self, link: LinkId, action: Action) {
        self.out.push(Output::Act { link, action });
    }
}
