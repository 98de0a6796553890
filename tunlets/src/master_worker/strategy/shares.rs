//! Proposals of other shares for programs that cut their batches by themselves.

use super::{Change, MasterWorker, explanation};
use crate::confidence::Gain;
use crate::master_worker::workload::WorkloadEstimator;
use crate::master_worker::{candidates, factors};
use crate::model_error::{EXACT, Simulated};
use crate::trial::{MODEL, worth};
use crate::{Proposal, TuningPoint, Worth};
use midrun_scheduling::TechniqueParameters;

/// Other values of the factors.
struct Better {
    values: Vec<f64>,
    gain: Gain,
    why: String,
}

/// What is expected of the batches that are cut now.
#[derive(Clone, Copy)]
struct Unchanged {
    /// Expected iteration time / ideal.
    ratio: f64,
    /// Measured / simulated time.
    scale: f64,
}

impl MasterWorker {
    /// Notes the batches that the factors stand for: simulated iterations are cut into them. What they leave the program sends as it did at first.
    pub(super) fn note_batches(&mut self, tuning_points: &[TuningPoint]) {
        let factors = factors::exposed(tuning_points);
        let Some(workload) = self.workload.as_mut().filter(|_| !factors.is_empty()) else { return };
        let values = factors::values(&factors);
        if self.sends_singly.is_none() && self.changes == 0 {
            let chunks = (workload.tasks as f64 / workload.chunk_tasks).round() as u64;
            let batches = factors::batches(&factors, &values, false);
            self.sends_singly = factors::sends_singly(&batches, workload.tasks, workload.workers, chunks);
        }
        let batches = factors::batches(&factors, &values, self.sends_singly.unwrap_or(false));
        workload.batches = Some(batches);
    }

    /// The former shares after a change that measured worse; or other shares, or another number of workers, whichever gains more.
    pub(super) fn decide_batches(
        &mut self,
        factors: &[&TuningPoint],
        count: Option<&TuningPoint>,
        workload: &WorkloadEstimator,
    ) -> Option<Proposal> {
        let current = self.current.filter(|_| self.trials.watched.is_none())?;
        let (iteration, iteration_s) = self.last?;
        let former = self.trials.rollback.as_ref().and_then(|trial| trial.from.as_ref()?.shares.clone());
        if let Some(former) = former {
            let why = "the new factors measured worse: back to the former".to_owned();
            let proposal = factors::proposal(factors, &former, why, iteration, (iteration_s, iteration_s))?;
            self.proposed = Some(Change::Shares(None, Gain { mean: 0.0, error: MODEL }));
            return Some(Proposal { worth: Worth::Due, ..proposal });
        }
        let (Unchanged { ratio, scale }, better) = self.better_shares(factors, workload, current);
        let unchanged_s = ratio * workload.ideal_s();
        let number = count.and_then(|tuning_point| {
            self.other_workers((tuning_point, None), workload, (current, current), (unchanged_s, scale))
        });
        let gain_of = |proposal: &Proposal| proposal.gain.map_or(0.0, |(share, _)| share);
        let Some(Better { values, gain, why }) = better.filter(|better| {
            let is_less = |n: &Proposal| n.worth != Worth::Due && gain_of(n) < better.gain.as_share(self.confidence).0;
            number.as_ref().is_none_or(is_less)
        }) else {
            return number;
        };
        let times_s = (unchanged_s * (-gain.mean).exp(), unchanged_s);
        let proposal = factors::proposal(factors, &values, why, iteration, times_s)?;
        self.proposed = Some(Change::Shares(Some(factors::values(factors)), gain));
        Some(Proposal {
            uncertainty: self.errors.half_width(gain.error, self.confidence),
            gain: Some(gain.as_share(self.confidence)),
            worth: worth(gain, iteration + 1, unchanged_s),
            ..proposal
        })
    }

    /// The best other shares, if they are worth a change; by the rule for techniques.
    fn better_shares(
        &self,
        factors: &[&TuningPoint],
        workload: &WorkloadEstimator,
        current: TechniqueParameters,
    ) -> (Unchanged, Option<Better>) {
        let measured = self.experience.ratio(&current);
        let most = measured.map_or(f64::INFINITY, f64::ln);
        let expected = |now: &candidates::Forecast| {
            let ratio = measured.unwrap_or(now.ratio);
            Unchanged { ratio, scale: ratio / now.ratio }
        };
        // Where the work is cannot be foreseen, and batches whose shares are set beforehand end as even as their places allow.
        let is_foreseen = !self.places.are_unusual(self.confidence);
        let may_gain = most > self.confidence.standard_errors() * EXACT && is_foreseen && !self.shares_failed;
        let found = may_gain.then(|| {
            let singly = self.sends_singly.unwrap_or(false);
            let fit = |batches: &_| factors::batches(factors, &factors::values_for(factors, batches), singly);
            candidates::other_batches(workload, current, (factors.len(), self.sends_singly), fit, self.confidence)
        });
        let Some((now, there, batches)) = found.flatten() else {
            return (expected(&candidates::present(workload, current)), None);
        };
        let unchanged = expected(&now);
        let other = Simulated { ratio: there.ratio, residual: None };
        let Gain { mean, error } = there.gain.plus(self.correction(self.simulated(&now), other));
        let gain = Gain { mean: mean.min(most), error };
        if !self.is_worth(gain) {
            return (unchanged, None);
        }
        let ideal_s = workload.ideal_s();
        let why = format!(
            "tasks take {:.4} ms +- {:.4} ms, {} tasks, {} workers, {} batches; of the ideal {ideal_s:.4} s: unchanged {:.4} (simulated \
             {:.4}), these {:.4}; {}{}",
            workload.mean_s * 1e3,
            workload.sigma_s * 1e3,
            workload.tasks,
            workload.workers,
            factors.len(),
            unchanged.ratio,
            now.ratio,
            unchanged.ratio * (-gain.mean).exp(),
            self.stake(gain, there.drawn, unchanged.ratio * ideal_s),
            if gain.is_sure(self.confidence) { "" } else { explanation::TRIED },
        );
        (unchanged, Some(Better { values: factors::values_for(factors, &batches), gain, why }))
    }
}
