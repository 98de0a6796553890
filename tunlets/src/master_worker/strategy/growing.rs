//! Further worker processes: they are started first, and join by an ordinary change of the number of workers.

use super::{Change, MasterWorker};
use crate::master_worker::regime::Regime;
use crate::master_worker::workers::Forecast;
use crate::started::{came, verdict};
use crate::tuning_point::names;
use crate::{Judgement, Proposal, TuningPoint};

impl MasterWorker {
    /// Proposes to start processes until there are `to.workers`; now there are `there`.
    pub(super) fn start_workers(&mut self, spare: &TuningPoint, there: u32, to: &Forecast) -> Proposal {
        let (iteration, iteration_s) = self.last.unwrap_or_default();
        let came = came(spare);
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

    /// Judges the start once the processes joined, or were given up.
    pub(super) fn judge_start(&mut self, spare: Option<&TuningPoint>) {
        let (Some((decision, asked)), Some(spare), Some((_, measured_s))) = (self.starting, spare, self.last) else {
            return;
        };
        if let Some(verdict) = verdict(spare, asked) {
            self.judgements.push(Judgement::new(decision, measured_s, verdict));
            self.starting = None;
        }
    }
}
