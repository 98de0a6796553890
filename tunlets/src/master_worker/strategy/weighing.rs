//! Weighs the settings by simulation and experience.

use super::{MasterWorker, Mode, kinds};
use crate::Window;
use crate::confidence::Gain;
use crate::master_worker::candidates::{self, Forecast};
use crate::master_worker::experience::{Family, family};
use crate::master_worker::workload::WorkloadEstimator;
use crate::model_error::{EXACT, Simulated, correction, over_unexplained};
use crate::trial::{JUDGED, MODEL};
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::BTreeMap;

/// Steps to the share of messages: to 3 % of it.
const HALVINGS: u32 = 5;

/// The weighed settings.
pub(super) struct Weighed {
    /// The best of the others, if any can be better than the present one.
    pub(super) best: Option<Forecast>,
    /// The present setting.
    pub(super) now: Forecast,
    /// Iteration time / ideal that the present setting is expected to give.
    pub(super) unchanged: f64,
    /// Measured / simulated time of the present setting.
    pub(super) scale: f64,
    /// Time of an iteration with the present setting, the mean over all kinds, seconds.
    pub(super) mean_s: f64,
}

impl MasterWorker {
    /// Attributes the unexplained time of an iteration to its chunks.
    pub(super) fn explain(&mut self, window: &Window, ratio: f64) {
        let (Some(workload), Some(current)) = (&mut self.workload, self.current) else { return };
        // What chunks cost that are taken, or that sub-masters send, says nothing of those that the master sends.
        if family(&current) == family(&window.setting) && !current.is_relieving() {
            explain(workload, &current, window, ratio);
        }
    }

    /// Weighs the other settings against `current`. Where even the ideal would gain too little to be sure of, none is simulated.
    pub(super) fn weigh(&self, workload: &WorkloadEstimator, current: TechniqueParameters) -> Weighed {
        let measured = self.experience.ratio(&current);
        let most = measured.map_or(f64::INFINITY, f64::ln);
        let requested = self.is_requested(&current);
        let others: Vec<WorkloadEstimator> = workload.other_kinds().collect();
        if !requested && others.is_empty() && most <= self.confidence.standard_errors() * EXACT {
            let now = candidates::present(workload, current);
            let unchanged = measured.unwrap_or(now.ratio);
            let mean_s = unchanged * workload.ideal_s();
            return Weighed { best: None, now, unchanged, scale: unchanged / now.ratio, mean_s };
        }
        let settings = self.settings(workload);
        let of_kinds = best_of_kinds(&others, &settings);
        let (now, all) = candidates::shortlist(workload, current, (&settings, &of_kinds), self.confidence);
        let unchanged = measured.unwrap_or(now.ratio);
        let simulated_now = self.simulated(workload, &now);
        // Those that were measured, one of each family.
        let measured_too: BTreeMap<Family, Simulated> = all
            .iter()
            .map(|f| (family(&f.setting), self.simulated(workload, f)))
            .filter(|(of, simulated)| *of != family(&current) && simulated.residual.is_some())
            .collect();
        let beside =
            |of: Family| measured_too.iter().filter(|(other, _)| **other != of).map(|(_, s)| *s).collect::<Vec<_>>();
        let corrected = |f: &Forecast| {
            let (alike, simulated) = (family(&f.setting) == family(&current), self.simulated(workload, f));
            let correction = match alike {
                true => Gain { mean: 0.0, error: self.trials.own_error() },
                false => self.correction(simulated_now, simulated, &beside(family(&f.setting))),
            };
            // Once it was measured, that says what its chunks cost.
            let attributed = if simulated.residual.is_some() { 0.0 } else { f.attributed };
            let Gain { mean, error } = f.gain.plus(correction).plus(Gain { mean: 0.0, error: attributed });
            let gain = Gain { mean: mean.min(most), error };
            Forecast {
                ratio: unchanged * (-gain.mean).exp(),
                iteration_s: unchanged * workload.ideal_s() * (-gain.mean).exp(),
                gain,
                ..*f
            }
        };
        // Of the same technique only the parameters that it reads are worth a change.
        let reads = current.kind == Technique::Fac2;
        let other = |f: &Forecast| family(&f.setting) != family(&current) || (reads && f.setting != current);
        let mut all: Vec<Forecast> = all.iter().filter(|f| other(f)).map(corrected).collect();
        let settings: Vec<TechniqueParameters> = all.iter().map(|f| f.setting).collect();
        let present = (unchanged * workload.ideal_s(), f64::from(workload.iterations()));
        let elsewhere = self.elsewhere(&others, current, &settings);
        for (f, elsewhere) in all.iter_mut().zip(&elsewhere) {
            f.overall = kinds::overall(f.gain, present, elsewhere, self.confidence);
        }
        let mean_s = kinds::mean_s(present, elsewhere.first().map_or(&[], Vec::as_slice));
        // What relieves the master begins an iteration later, and less or nothing is recalled: what the model cannot tell apart is sent.
        if !current.is_relieving() {
            let sent = all.iter().filter(|f| !f.setting.is_relieving()).map(|f| f.overall.mean).fold(0.0, f64::max);
            all.retain(|f| {
                !f.setting.is_relieving() || f.overall.mean > sent + self.confidence.standard_errors() * EXACT
            });
        }
        // As many iterations are to come as there were (Lindy's rule), and the running one for what can begin in it.
        let to_come = (self.windows.0 * self.windows.1) as f64;
        let worth = |f: &Forecast| {
            f.overall.mean * (1.0 + f64::from(u8::from(candidates::begins_at_once(&current, &f.setting))) / to_come)
        };
        Weighed { best: preferred(&all, worth), now, unchanged, scale: unchanged / now.ratio, mean_s }
    }

    /// What was simulated of a setting, and how far what was measured of its family lies from that.
    pub(super) fn simulated(&self, workload: &WorkloadEstimator, of: &Forecast) -> Simulated {
        // Before many were measured, the scatter that the tasks drawn make is known better than that of the iterations.
        let noise = self.experience.noise().max(of.deviation);
        let residual = self.experience.residual(&of.setting, of.ratio, noise);
        Simulated { ratio: of.ratio, inputs: workload.excess_error(of.ratio), residual }
    }

    /// By how much more `to` gains over `from` than simulated, beside `others` that were measured.
    pub(super) fn correction(&self, from: Simulated, to: Simulated, others: &[Simulated]) -> Gain {
        let gain = correction(from, to, others, (self.experience.late(), self.trials.own_error()));
        over_unexplained(gain, self.shortened_by)
    }

    /// Whether a gain is worth a change now: it is sure, or, as the first one since the work is what it is, worth its trial (ADR 0036).
    pub(super) fn is_worth(&self, gain: Gain) -> bool {
        let (to_come, _) = self.windows;
        let is_worth_trial = self.changes == 0 && gain.is_worth_trial(JUDGED, to_come, self.confidence);
        is_worth_trial || gain.is_worth_change(self.changes + 1, to_come, self.confidence)
    }

    /// Whether the user asked for another technique than `current`.
    pub(super) fn is_requested(&self, current: &TechniqueParameters) -> bool {
        matches!(self.mode(), Mode::Fixed(kind) if kind != current.kind)
    }

    /// Settings that may be used.
    pub(super) fn settings(&self, workload: &WorkloadEstimator) -> Vec<TechniqueParameters> {
        let all = match self.mode() {
            Mode::Auto => candidates::all(workload),
            Mode::Fixed(kind) => {
                candidates::of_kind(kind, workload).into_iter().chain(candidates::relieving(kind, workload)).collect()
            }
        };
        let only_bounded = self.mode() == Mode::Auto && self.places.are_unusual(self.confidence);
        let may_be = |setting: &TechniqueParameters| {
            (!only_bounded || candidates::is_bounded(setting)) && candidates::keeps(setting, &self.held)
        };
        all.into_iter().filter(may_be).collect()
    }
}

/// Of the settings those that may be the best for other kinds of iterations: by simulation, and where that does not know the dear tasks' places.
fn best_of_kinds(kinds: &[WorkloadEstimator], settings: &[TechniqueParameters]) -> Vec<TechniqueParameters> {
    let evenly: Vec<TechniqueParameters> = settings.iter().filter(|s| candidates::ends_evenly(s)).copied().collect();
    let of_kind = |kind: &WorkloadEstimator| {
        candidates::best_of(kind, settings).into_iter().chain(candidates::best_of(kind, &evenly).into_iter().take(1))
    };
    let all: BTreeMap<Family, TechniqueParameters> =
        kinds.iter().flat_map(of_kind).map(|setting| (family(&setting), setting)).collect();
    all.into_values().collect()
}

/// Attributes the time that the simulation with `current` does not explain to the chunks of an iteration that took `ratio`
/// times the ideal.
pub fn explain(workload: &mut WorkloadEstimator, current: &TechniqueParameters, window: &Window, ratio: f64) {
    let bare = workload.without_overhead();
    let at = |share: f64| {
        let workload = bare.with_messages(share);
        candidates::forecast(&workload, &[*current], window.iteration, candidates::EXPLAIN)[0]
    };
    let known = at(1.0);
    let share = if workload.network.is_some() { messages_share(known, ratio, at) } else { 1.0 };
    workload.add_message_share(share);
    workload.explain((ratio - known.ratio) * workload.ideal_s(), window);
}

/// Largest share of the measured message cost with which the simulated iteration is no longer than `ratio`. `known` is the
/// forecast at the full cost; by chance an iteration may be shorter than its forecast.
fn messages_share(known: Forecast, ratio: f64, at: impl Fn(f64) -> Forecast) -> f64 {
    if known.ratio * (1.0 - MODEL - 2.0 * known.deviation) <= ratio {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if at(middle).ratio > ratio { high = middle } else { low = middle }
    }
    f64::midpoint(low, high)
}

/// Chooses from `all`: of those whose worth, a difference of logarithms of times, the model cannot tell from the highest, the one with the
/// fewest chunks.
pub fn preferred(all: &[Forecast], worth: impl Fn(&Forecast) -> f64) -> Option<Forecast> {
    let most = all.iter().map(&worth).reduce(f64::max)?;
    let near = all.iter().filter(|f| worth(f) >= most - EXACT).copied();
    near.min_by(|a, b| a.chunks.total_cmp(&b.chunks))
}
