//! Weighs the settings by simulation and experience.

use super::{MasterWorker, Mode};
use crate::Window;
use crate::master_worker::candidates::{self, Forecast};
use crate::master_worker::experience::family;
use crate::master_worker::workload::WorkloadEstimator;
use crate::trial::MODEL;
use midrun_scheduling::{Technique, TechniqueParameters};

/// Candidates this close are the same; then `none` is preferred, then `daf`.
pub(super) const TIE: f64 = 0.0015;
/// Tasks are even when nothing gains more than this over handing everything out at once.
pub(super) const EVEN: f64 = 0.003;
/// Share of an iteration that may be spent to measure tasks one by one.
const LOOK: f64 = 0.05;
/// Unmeasured settings are expected to fall short of their simulation as the present one does, at most by this share.
pub(super) const SHORTFALL: f64 = 0.02;

/// Steps to the share of messages: to 3 % of it.
const HALVINGS: u32 = 5;

/// The weighed settings.
pub(super) struct Weighed {
    pub(super) best: Forecast,
    /// The best of another technique, for the log.
    pub(super) second: Forecast,
    /// Iteration time / ideal that the present setting is expected to give.
    pub(super) unchanged: f64,
    /// Measured / simulated time of the present setting.
    pub(super) scale: f64,
}

impl MasterWorker {
    /// Attributes the unexplained time of an iteration to its chunks.
    pub(super) fn explain(&mut self, window: &Window, ratio: f64) {
        let (Some(workload), Some(current)) = (&mut self.workload, self.current) else { return };
        if family(&current) == family(&window.setting) {
            explain(workload, &current, window, ratio);
        }
    }

    /// Corrects a forecast by the setting's measurements.
    fn corrected(&self, forecast: Forecast, shortfall: f64) -> Forecast {
        let measured = self.experience.ratio(&forecast.setting, 2);
        let ratio = measured.unwrap_or((forecast.ratio * shortfall).max(1.0));
        Forecast { ratio, iteration_s: forecast.iteration_s * ratio / forecast.ratio, ..forecast }
    }

    pub(super) fn weigh(&self, workload: &WorkloadEstimator, current: TechniqueParameters, iteration: u64) -> Weighed {
        let (now, all) = candidates::shortlist(workload, current, &self.settings(workload, iteration), iteration);
        let measured = self.experience.ratio(&current, 1);
        let shortfall = measured.map_or(1.0, |m| (m / now.ratio).clamp(1.0, 1.0 + SHORTFALL));
        let unchanged = measured.unwrap_or(now.ratio).max(1.0);
        let mut all: Vec<Forecast> = all.into_iter().map(|f| self.corrected(f, shortfall)).collect();
        all.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let scale = measured.map_or(1.0, |m| m / now.ratio);
        let best = chosen(workload, &all).unwrap_or(now);
        let second = all.iter().find(|f| f.setting.kind != best.setting.kind).copied().unwrap_or(now);
        Weighed { best, second, unchanged, scale }
    }

    /// Settings that are not tabu.
    pub(super) fn settings(&self, workload: &WorkloadEstimator, iteration: u64) -> Vec<TechniqueParameters> {
        let settings = match self.mode {
            Mode::Auto => candidates::all(workload),
            Mode::Fixed(kind) => candidates::of_kind(kind, workload),
        };
        let allowed = |s: &TechniqueParameters| self.tabu.allows(&family(s), iteration);
        settings.into_iter().filter(allowed).collect()
    }
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

/// Chooses from `all`, the best first.
///
/// If few, very different tasks were measured several at a time, the expensive ones are unknown. Then the near tie with the
/// finest chunks is chosen, which measures tasks one by one.
pub fn chosen(workload: &WorkloadEstimator, all: &[Forecast]) -> Option<Forecast> {
    let first = all.first()?;
    if !workload.is_aggregated() {
        return preferred(all);
    }
    let near = all.iter().filter(|f| f.ratio <= first.ratio * (1.0 + LOOK)).copied();
    near.max_by(|a, b| a.chunks.total_cmp(&b.chunks))
}

/// Chooses from `all`, the best first: the static split if tasks are even (fewest messages), else DAF among near ties.
pub fn preferred(all: &[Forecast]) -> Option<Forecast> {
    let first = all.first()?;
    let of = |kind: Technique| all.iter().find(|f| f.setting.kind == kind).copied();
    let close = |f: &Forecast, by: f64| f.ratio <= first.ratio * (1.0 + by);
    let none = of(Technique::None).filter(|f| close(f, EVEN));
    none.or_else(|| of(Technique::Daf).filter(|f| close(f, TIE))).or(Some(*first))
}
