//! The end of a run: what came of it, or who waits for whom.

use super::{Outcome, ProcessTimes, ProgramError, Run};

/// Processes that a deadlock's sentence names.
const NAMED: usize = 6;

impl Run<'_> {
    pub(super) fn outcome(self) -> Result<Outcome, ProgramError> {
        let stuck: Vec<usize> = (0..self.processes.len()).filter(|p| self.processes[*p].end_s.is_none()).collect();
        if !stuck.is_empty() {
            let mut waiting: Vec<String> = stuck.iter().take(NAMED).map(|process| self.waits(*process)).collect();
            if stuck.len() > NAMED {
                waiting.push(format!("and {} more", stuck.len() - NAMED));
            }
            return Err(ProgramError::Deadlock { time_s: self.now_s, waiting });
        }
        let process = |(rank, of): (usize, &super::Process<'_>)| ProcessTimes {
            node: self.places[rank],
            end_s: of.end_s.unwrap_or(0.0),
            times: of.times,
        };
        let processes: Vec<ProcessTimes> = self.processes.iter().enumerate().map(process).collect();
        let total_s = processes.iter().fold(0.0_f64, |most, of| most.max(of.end_s));
        if !processes.iter().all(|of| of.end_s.is_finite()) {
            return Err(ProgramError::Program("it takes longer than any number tells: are the costs seconds?".into()));
        }
        Ok(Outcome {
            total_s,
            processes,
            unreceived: self.messages.open() as u64,
            elements: self.elements,
            spans: self.spans,
            cut: self.cut && self.options.spans > 0,
            events: self.steps,
        })
    }

    /// The event that a process waits for, as a sentence.
    fn waits(&self, process: usize) -> String {
        let of = &self.processes[process];
        let name = &self.elements[of.element].name;
        let whom = match (of.sending, self.messages.posted(process)) {
            (Some(to), Some(posted)) if posted.from.is_some() => {
                format!("for processes {to} and {}", posted.from.unwrap_or(to))
            }
            (Some(to), _) => format!("for process {to} to take its message"),
            (None, Some(posted)) => match posted.from {
                Some(from) => format!("for a message of process {from}"),
                None => "for anyone's message".to_owned(),
            },
            (None, None) => {
                let met = self.met.get(&of.element).map_or(0, Vec::len);
                format!("for the {} others that have not come", self.processes.len() - met)
            }
        };
        format!("process {process} waits in `{name}` {whom}")
    }
}
