//! Values of the program's expressions during a run, each checked against its bounds.

use super::{ProgramError, Run};
use crate::program::compiled::ITEM;
use midrun_models::expression::Code;

/// No loop runs more often, no number of anything is greater.
pub(super) const MOST: f64 = 1e15;

impl Run<'_> {
    pub(super) fn value(&mut self, process: usize, code: &Code) -> f64 {
        let of = &mut self.processes[process];
        code.value(&of.slots, &mut of.random)
    }

    /// A value between two ends, both included.
    pub(super) fn within(
        &mut self,
        process: usize,
        code: &Code,
        what: &'static str,
        (low, high): (f64, f64),
    ) -> Result<f64, ProgramError> {
        let value = self.value(process, code);
        // The comparison is false for NaN.
        if value >= low && value <= high {
            return Ok(value);
        }
        let allowed =
            if high < MOST { format!("{low} to {high}") } else { format!("{low} or more (max(0, …) cuts)") };
        let element = self.elements[self.processes[process].element].name.clone();
        Err(ProgramError::Value { element, process, what, value, allowed })
    }

    /// 0 or more.
    pub(super) fn amount(&mut self, process: usize, code: &Code, what: &'static str) -> Result<f64, ProgramError> {
        self.within(process, code, what, (0.0, MOST))
    }

    pub(super) fn amount_or(
        &mut self,
        process: usize,
        code: Option<&Code>,
        what: &'static str,
        or: f64,
    ) -> Result<f64, ProgramError> {
        code.map_or(Ok(or), |code| self.amount(process, code, what))
    }

    /// A whole number.
    pub(super) fn whole(
        &mut self,
        process: usize,
        code: &Code,
        what: &'static str,
        ends: (f64, f64),
    ) -> Result<f64, ProgramError> {
        let value = self.within(process, code, what, ends)?;
        if value.fract() == 0.0 {
            return Ok(value);
        }
        let element = self.elements[self.processes[process].element].name.clone();
        Err(ProgramError::Value { element, process, what, value, allowed: "a whole number".into() })
    }

    /// Another process, or nobody.
    pub(super) fn peer(
        &mut self,
        process: usize,
        code: &Code,
        what: &'static str,
    ) -> Result<Option<usize>, ProgramError> {
        let last = self.processes.len() as f64 - 1.0;
        let value = self.whole(process, code, what, (-1.0, last))?;
        Ok((value >= 0.0).then_some(value as usize))
    }

    /// For each process the time of its work on a core of speed 1, when all processes of its node but rank 0 compute: the
    /// frameworks do not look at the processors one by one.
    pub(super) fn slowness(&self) -> Vec<f64> {
        let mut on_node = vec![0_u32; self.machine.nodes.len()];
        self.places.iter().skip(1).for_each(|node| on_node[*node] += 1);
        let of = |node: &usize| {
            let (own, processes) = (&self.machine.nodes[*node], on_node[*node]);
            (f64::from(processes) / f64::from(own.cores)).max(1.0) / own.speed
        };
        self.places.iter().map(of).collect()
    }

    /// The value of a framework's cost function, with rank 0's names; `item` is the number of the task or input.
    pub(super) fn framework_value(
        &mut self,
        code: &Code,
        item: usize,
        what: &'static str,
    ) -> Result<f64, ProgramError> {
        self.processes[0].slots[ITEM] = item as f64;
        self.amount(0, code, what)
    }

    /// A whole number of a framework.
    pub(super) fn framework_count(
        &mut self,
        code: &Code,
        what: &'static str,
        ends: (f64, f64),
    ) -> Result<usize, ProgramError> {
        self.whole(0, code, what, ends).map(|value| value as usize)
    }
}
