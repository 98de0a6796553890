//! Further worker processes: they are started first, and join by an ordinary change of the number of workers.

use super::{Change, MasterWorker};
use crate::master_worker::regime::Regime;
use crate::master_worker::workers::Forecast;
use crate::tuning_point::names;
use crate::{Judgement, Proposal, TuningPoint, Verdict};

/// Number of processes from a tuning point's value or bound.
fn number(value: f64) -> u32 {
    value.clamp(0.0, f64::from(u32::MAX)) as u32
}

/// Whether started processes have not joined yet.
pub(super) fn awaited(spare: &TuningPoint) -> bool {
    number(spare.value) > number(spare.range.0)
}

/// How many more can be started.
pub(super) fn room(spare: &TuningPoint) -> u32 {
    number(spare.range.1).saturating_sub(number(spare.range.0))
}

impl MasterWorker {
    /// Proposes to start processes until there are `to.workers`; now there are `there`.
    pub(super) fn start_workers(&mut self, spare: &TuningPoint, there: u32, to: &Forecast) -> Proposal {
        let (iteration, iteration_s) = self.last.unwrap_or_default();
        let came = number(spare.range.0);
        let asked = came + (to.workers - there);
        self.proposed = Some(Change::Start(asked));
        let why = format!(
            "{}; {}: {:.4} s are expected of {} workers, {there} are there",
            self.regime.map_or("", Regime::as_str),
            self.workers.objective_text(),
            to.iteration_s,
            to.workers,
        );
        Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![spare.rank],
            assignments: vec![(names::SPAWNED.into(), f64::from(asked).into())],
            tuning_point: "started workers".into(),
            from: came.to_string(),
            to: asked.to_string(),
            why,
            // New workers are parked until the number of workers changes: the time stays.
            predicted_s: iteration_s,
            unchanged_s: iteration_s,
            ..Proposal::default()
        }
    }

    /// Judges the start: kept once the processes joined, not applied once they were given up.
    pub(super) fn judge_start(&mut self, spare: Option<&TuningPoint>) {
        let (Some((decision, asked)), Some(spare), Some((_, measured_s))) = (self.starting, spare, self.last) else {
            return;
        };
        let verdict = match () {
            () if number(spare.range.0) >= asked => Verdict::Kept,
            () if number(spare.range.1) < asked => Verdict::NotApplied,
            () => return,
        };
        self.judgements.push(Judgement { decision, measured_s, verdict });
        self.starting = None;
    }
}
