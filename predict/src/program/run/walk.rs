//! The walk of a process through the elements.

use super::values::MOST;
use super::{Frame, ProgramError, Run, farm, stream};
use crate::program::collective::Part;
use crate::program::element::{Cost, What};
use crate::program::messages::Step;
use crate::program::outcome::Activity;
use midrun_models::expression::Code;

impl<'a> Run<'a> {
    /// Lets a process go on until it has to wait, or ends.
    pub(super) fn advance(&mut self, process: usize) -> Result<(), ProgramError> {
        loop {
            self.count(process, 1)?;
            let of = &mut self.processes[process];
            let step = of.steps.pop_front().or_else(|| of.collective.as_mut().and_then(Iterator::next));
            if let Some(step) = step {
                if self.begin(process, step)? {
                    return Ok(());
                }
                self.account(process);
                continue;
            }
            let of = &mut self.processes[process];
            of.collective = None;
            let Some(frame) = of.frames.last_mut() else {
                of.end_s = Some(self.now_s);
                return Ok(());
            };
            if let Some(element) = frame.list.get(frame.at) {
                frame.at += 1;
                of.element = *element;
                self.element(process, *element)?;
            } else if frame.passage + 1 < frame.count {
                (frame.at, frame.passage) = (0, frame.passage + 1);
                if let Some(slot) = frame.slot {
                    of.slots[slot] = frame.passage as f64;
                }
            } else {
                of.frames.pop();
            }
        }
    }

    /// Comes to an element.
    fn element(&mut self, process: usize, number: usize) -> Result<(), ProgramError> {
        let compiled = self.compiled;
        let element = &compiled.elements[number];
        let wanted = match &element.when {
            Some(when) => self.value(process, when) != 0.0,
            None => true,
        };
        if let What::Branch { body, otherwise } = &element.what {
            self.elements[number].count += 1;
            let list = if wanted { body } else { otherwise };
            self.enter(process, list, 1, None);
            return Ok(());
        }
        if !wanted {
            return Ok(());
        }
        self.elements[number].count += 1;
        let step = match &element.what {
            What::Compute { cost, threads } => Some(self.compute(process, cost, threads.as_ref())?),
            What::Send { to, bytes, mode } => {
                let (to, bytes) = (self.peer(process, to, "to")?, self.amount(process, bytes, "bytes")?);
                to.map(|to| Step::Send { to, bytes, mode: *mode, collective: false })
            }
            What::Receive { from: None } => Some(Step::Receive { from: None, collective: false }),
            What::Receive { from: Some(from) } => {
                self.peer(process, from, "from")?.map(|from| Step::Receive { from: Some(from), collective: false })
            }
            What::SendReceive { to, from, bytes } => {
                let (to, from) = (self.peer(process, to, "to")?, self.peer(process, from, "from")?);
                let bytes = self.amount(process, bytes, "bytes")?;
                let sends = to.map(|to| (to, bytes)).into_iter().collect();
                Some(Step::Exchange { sends, receives: from.into_iter().collect(), collective: false })
            }
            What::Collective { kind, root, bytes, combine_s } => {
                let last = self.processes.len() as f64 - 1.0;
                let root = root.as_ref().map_or(Ok(0.0), |root| self.whole(process, root, "root", (0.0, last)))?;
                let bytes = self.amount_or(process, bytes.as_ref(), "bytes", 0.0)?;
                let combine_s = self.amount_or(process, combine_s.as_ref(), "combine_s", 0.0)?;
                let processes = self.processes.len();
                let part = Part { rank: process, processes, root: root as usize, bytes, combine_s };
                let collectives = &self.machine.collectives;
                self.processes[process].collective = Some(collectives.steps(*kind, part));
                None
            }
            What::Loop { count, body, .. } => {
                let count = self.whole(process, count, "count", (0.0, MOST))?;
                if count > 0.0 {
                    self.enter(process, body, count as u64, compiled.indexes[number]);
                }
                None
            }
            What::Branch { .. } => None,
            What::MasterWorker(_) | What::Pipeline(_) => Some(Step::Meet),
        };
        self.processes[process].steps.extend(step);
        Ok(())
    }

    fn enter(&mut self, process: usize, list: &'a [usize], count: u64, slot: Option<usize>) {
        let of = &mut self.processes[process];
        if let Some(slot) = slot {
            of.slots[slot] = 0.0;
        }
        of.frames.push(Frame { list, at: 0, count, passage: 0, slot });
    }

    fn compute(&mut self, process: usize, cost: &Cost<Code>, threads: Option<&Code>) -> Result<Step, ProgramError> {
        let node = &self.machine.nodes[self.places[process]];
        let threads = threads.map_or(Ok(1.0), |code| self.whole(process, code, "threads", (1.0, 1e6)))?;
        let seconds = match cost {
            Cost::Seconds(code) => self.amount(process, code, "seconds")?,
            Cost::Operations(code) => {
                let operations = self.within(process, code, "operations", (0.0, 1e30))?;
                let Some(per_s) = node.operations_per_s else {
                    let place = self.places[process];
                    let what = format!("node {place} has no operations_per_s, but the program costs operations");
                    return Err(ProgramError::Machine(what));
                };
                operations / per_s * node.speed
            }
        };
        Ok(Step::Compute { work_s: seconds / threads, threads })
    }

    /// All processes have come to a framework.
    pub(super) fn together(&mut self, number: usize) -> Result<(), ProgramError> {
        let compiled = self.compiled;
        let begin_s = self.now_s;
        let shared = match &compiled.elements[number].what {
            What::MasterWorker(of) => farm::run(self, of)?,
            What::Pipeline(of) => stream::run(self, of)?,
            _ => return Ok(()),
        };
        for (process, mut busy) in shared.into_iter().enumerate() {
            // The process's activities in order; it waited between them.
            let mut at_s = self.processes[process].since_s;
            busy.busy.push((Activity::Waiting, busy.end_s, busy.end_s));
            for (activity, from_s, to_s) in busy.busy {
                self.spent(process, Activity::Waiting, at_s, begin_s + from_s);
                self.spent(process, activity, (begin_s + from_s).max(at_s), begin_s + to_s);
                at_s = at_s.max(begin_s + to_s);
            }
            // The activities cover all of its time. Rounding must not lead back.
            let end_s = (begin_s + busy.end_s).max(self.now_s);
            self.processes[process].since_s = end_s;
            self.at(end_s, super::Event::Over(process));
        }
        Ok(())
    }
}
