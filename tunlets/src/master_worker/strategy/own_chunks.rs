//! Proposals of other chunks for programs that cut them by themselves.

use super::{Change, MasterWorker, explanation};
use crate::confidence::Gain;
use crate::master_worker::candidates;
use crate::master_worker::own_chunks::OwnChunks;
use crate::master_worker::workload::WorkloadEstimator;
use crate::model_error::{EXACT, Simulated};
use crate::trial::{MODEL, worth};
use crate::{Proposal, TuningPoint, Worth};
use midrun_models::batches::Rest;
use midrun_scheduling::TechniqueParameters;

/// Other values of what the program offers.
struct Better {
    values: Vec<f64>,
    gain: Gain,
    /// Standard deviation of an iteration by chance of the tasks, with those or these.
    drawn: f64,
    why: String,
}

/// What is expected of the chunks that are cut now.
#[derive(Clone, Copy)]
struct Unchanged {
    /// Expected iteration time / ideal.
    ratio: f64,
    /// Measured / simulated time.
    scale: f64,
}

impl MasterWorker {
    /// Notes how the program cuts chunks by itself: simulated iterations are cut likewise. What batches leave the program sends as it did at first.
    pub(super) fn note_own(&mut self, tuning_points: &[TuningPoint]) {
        let Some(own) = OwnChunks::offered(tuning_points) else { return };
        let Some(workload) = self.workload.as_mut() else { return };
        if own.outside().is_some() || own.differ(workload).is_some() || own.are_capped(workload) {
            workload.batches = None; // what is seen tells more
            return;
        }
        let values = own.values();
        let is_of_these = self.last.is_some_and(|(iteration, _)| iteration >= self.of_own);
        if self.rest_seen.is_none() && is_of_these {
            let chunks = (workload.tasks as f64 / workload.chunk_tasks).round() as u64;
            self.rest_seen =
                own.rest_seen(&own.batches(&values, Rest::OneBatch), workload.tasks, workload.workers, chunks);
        }
        workload.batches = Some(own.batches(&values, self.rest_seen.unwrap_or_default()));
    }

    /// The former chunks after a change that measured worse; or other chunks, if the program may be told any, or another number of workers, whichever
    /// gains more.
    pub(super) fn decide_own(
        &mut self,
        own: &OwnChunks<'_>,
        count: Option<&TuningPoint>,
        (workload, may_tell): (&WorkloadEstimator, bool),
    ) -> Option<Proposal> {
        let current = self.current.filter(|_| self.trials.watched.is_none())?;
        let (iteration, iteration_s) = self.last?;
        let former = self.trials.rollback.as_ref().and_then(|trial| trial.from.as_ref()?.own.clone());
        if let Some(former) = former {
            let ideal_s = workload.ideal_s();
            let measured = self.rollback(ideal_s).map(|(_, was, is)| (was, is));
            let said = measured.map(|(was, is)| format!(" ({is:.4} of the ideal time, {was:.4} before them)"));
            let why = format!("the new chunks measured worse{}: back to the former", said.unwrap_or_default());
            let times_s = measured.map_or((iteration_s, iteration_s), |(was, is)| (was * ideal_s, is * ideal_s));
            let proposal = own.proposal(&former, why, iteration, times_s);
            self.rolls_back = true;
            self.proposed = Some(Change::Own(None, Gain { mean: 0.0, error: MODEL }));
            return Some(Proposal { worth: Worth::Due, ..proposal });
        }
        let (Unchanged { ratio, scale }, better) = self.better_chunks(own, workload, current);
        let better = better.filter(|_| may_tell && !self.overlapped && !own.are_held());
        let unchanged_s = ratio * workload.ideal_s();
        let number = count.and_then(|tuning_point| {
            self.other_workers((tuning_point, None), workload, (current, current), (unchanged_s, scale))
        });
        let gain_of = |proposal: &Proposal| proposal.gain.map_or(0.0, |(share, _)| share);
        let Some(Better { values, gain, drawn, why }) = better.filter(|better| {
            let is_less = |n: &Proposal| n.worth != Worth::Due && gain_of(n) < better.gain.as_share(self.confidence).0;
            number.as_ref().is_none_or(is_less)
        }) else {
            return number;
        };
        let times_s = (unchanged_s * (-gain.mean).exp(), unchanged_s);
        let proposal = own.proposal(&values, why, iteration, times_s);
        self.drawn = drawn;
        self.proposed = Some(Change::Own(Some(own.values()), gain));
        Some(Proposal {
            uncertainty: self.errors.half_width(gain.error, self.confidence),
            gain: Some(gain.as_share(self.confidence)),
            worth: worth(gain, self.windows, unchanged_s),
            ..proposal
        })
    }

    /// The best other chunks, if they are worth a change; by the rule for techniques.
    fn better_chunks(
        &self,
        own: &OwnChunks<'_>,
        workload: &WorkloadEstimator,
        current: TechniqueParameters,
    ) -> (Unchanged, Option<Better>) {
        let measured = self.experience.ratio(&current);
        let most = measured.map_or(f64::INFINITY, f64::ln);
        let expected = |now: &candidates::Forecast| {
            let ratio = measured.unwrap_or(now.ratio);
            Unchanged { ratio, scale: ratio / now.ratio }
        };
        // Where the work cannot be foreseen, any chunk may be a dear one.
        let placeless = self.places.are_unusual(self.confidence).then(|| workload.placeless());
        let workload = placeless.as_ref().unwrap_or(workload);
        // An iteration shows who computed in it. That these are all, another one confirms.
        let are_known = own.are_batches() || workload.is_seen_again();
        let may_gain = are_known && most > self.confidence.standard_errors() * EXACT;
        let found =
            may_gain.then(|| candidates::other_chunks(workload, current, (own, self.rest_seen), self.confidence));
        let Some((now, there, values)) = found.flatten() else {
            return (expected(&candidates::present(workload, current)), None);
        };
        let unchanged = expected(&now);
        let other = Simulated { residual: None, ..self.simulated(workload, &there) };
        let attributed = Gain { mean: 0.0, error: there.attributed };
        let Gain { mean, error } =
            there.gain.plus(self.correction(self.simulated(workload, &now), other, &[])).plus(attributed);
        let gain = Gain { mean: mean.min(most), error };
        if values == own.values() || !self.is_worth(gain) {
            return (unchanged, None);
        }
        let ideal_s = workload.ideal_s();
        let why = format!(
            "tasks take {:.4} ms +- {:.4} ms, {} tasks, {} workers, {}; of the ideal {ideal_s:.4} s: unchanged {:.4} (simulated \
             {:.4}), these {:.4}; {}{}",
            workload.mean_s * 1e3,
            workload.sigma_s() * 1e3,
            workload.tasks,
            workload.workers,
            own.describe(),
            unchanged.ratio,
            now.ratio,
            unchanged.ratio * (-gain.mean).exp(),
            self.stake(gain, there.drawn, unchanged.ratio * ideal_s),
            if gain.is_sure(self.confidence) { "" } else { explanation::TRIED },
        );
        (unchanged, Some(Better { values, gain, drawn: now.deviation.max(there.deviation), why }))
    }
}
