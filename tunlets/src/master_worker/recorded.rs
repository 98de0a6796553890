//! What the tunlet would have learnt from recorded windows, and what its simulation says of other workers and techniques.

use super::candidates;
use super::inputs::Inputs;
use super::own_chunks::OwnChunks;
use super::strategy::{explain, preferred};
use super::workers::input_error;
use super::workload::WorkloadEstimator;
use crate::confidence::Confidence;
use crate::trial::uncertainty;
use crate::{Network, TuningPoint, Window};
use midrun_models::batches::{Batches, Rest};
use midrun_models::line::median;
use midrun_models::simulate::Drawings;
use midrun_scheduling::{Technique, TechniqueParameters};

pub use super::experience::family;
pub use super::workload::CutSeen;

/// Drawings of an answer, and of a window that is looked back at.
const RUNS: u64 = 40;
const BACK: u64 = 8;
/// Windows that the scale rests on: the last ones.
const SCALED: usize = 40;
/// The same drawings for every question, so that answers can be compared.
const SEED: u64 = 1;

/// What recorded windows teach.
#[derive(Clone, Debug)]
pub struct Fit {
    workload: WorkloadEstimator,
    /// Measured / simulated.
    scale: f64,
    prepare_s: f64,
}

/// What is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foreseen {
    /// With this setting.
    pub setting: TechniqueParameters,
    /// An iteration's time, seconds.
    pub iteration_s: f64,
    /// Half the width of its interval as the model has it, as a share.
    pub uncertainty: f64,
    /// Tasks of an iteration.
    pub tasks: u64,
    /// All tasks by all workers, at their speeds, seconds.
    pub ideal_s: f64,
}

impl Fit {
    /// Learns as the live tunlet does; `None` where nothing can be learnt.
    ///
    /// Slow workers that get the same part of the tasks each time make these look long. Where workers are unequal, what is
    /// known of places is left out if that explains the windows better.
    pub fn of<'a>(windows: impl Iterator<Item = &'a Window>) -> Option<Fit> {
        let windows: Vec<&Window> = windows.collect();
        let (fit, off) = Fit::learn(windows.iter().copied())?;
        if fit.workload.are_equal() {
            return Some(fit);
        }
        let placeless = |window: &&Window| Window { profile: Vec::new(), ..(*window).clone() };
        let other: Vec<Window> = windows.iter().map(placeless).collect();
        Fit::learn(other.iter()).filter(|(_, other)| *other < off).map(|(other, _)| other).or(Some(fit))
    }

    /// And by how much windows are off, in the middle, before the scale puts it right.
    fn learn<'a>(windows: impl Iterator<Item = &'a Window>) -> Option<(Fit, f64)> {
        let (mut workload, mut whole, mut gaps) = (None, Vec::new(), Vec::new());
        for window in windows {
            WorkloadEstimator::learn(&mut workload, window, Confidence::default());
            gaps.extend(window.prepare_s);
            if let (Some(known), true) = (&mut workload, window.ideal_s() > 0.0 && window.is_whole()) {
                let ratio = window.iteration_s / known.ideal_of_s(window);
                explain(known, &window.setting, window, ratio);
                whole.push(window);
            }
        }
        let prepare_s = if gaps.is_empty() { 0.0 } else { median(gaps) };
        let mut fit = Fit { workload: workload?, scale: 1.0, prepare_s };
        let back = &whole[whole.len().saturating_sub(SCALED)..];
        let ratios: Vec<f64> = back.iter().map(|w| w.iteration_s / fit.of_window(w).iteration_s).collect();
        let ratios: Vec<f64> = ratios.into_iter().filter(|ratio| ratio.is_finite()).collect();
        if ratios.is_empty() {
            return Some((fit, 0.0));
        }
        let off = median(ratios.iter().map(|ratio| ratio.ln().abs()).collect());
        fit.scale = median(ratios);
        Some((fit, off))
    }

    /// Workers in the last window.
    pub fn workers(&self) -> u32 {
        self.workload.workers
    }

    /// Time between two iterations, seconds.
    pub fn prepare_s(&self) -> f64 {
        self.prepare_s
    }

    /// What was learnt, in the source's symbols.
    pub fn inputs(&self) -> String {
        Inputs(&self.workload).to_string()
    }

    /// The same with other messages.
    pub fn with_link(&self, change: impl FnOnce(Option<Network>) -> Option<Network>) -> Fit {
        let mut fit = self.clone();
        fit.workload.network = change(fit.workload.network);
        fit
    }

    /// What is expected of an iteration like this one, under its own setting.
    pub fn of_window(&self, window: &Window) -> Foreseen {
        self.simulated(&self.workload.as_in(window), &window.setting, BACK)
    }

    /// What is expected of so many workers with a setting that was in force; what it knows of tasks is brought up to date.
    pub fn with(&self, workers: u32, setting: &TechniqueParameters) -> Foreseen {
        let there = self.workload.with_workers(workers);
        let fitted = candidates::informed(setting.kind, setting.factor, &there);
        let informed = setting.min_chunk > 1 || setting.mean_s > 0.0;
        let fitted = TechniqueParameters {
            min_chunk: if setting.counts() { setting.min_chunk } else { fitted.min_chunk },
            mean_s: fitted.mean_s,
            sigma_s: fitted.sigma_s,
            ..*setting
        };
        self.answer(&there, if informed { &fitted } else { setting })
    }

    /// The same with a technique, its share chosen where it is 0; `None`: with the best there is.
    pub fn with_technique(&self, workers: u32, technique: Option<(Technique, f64)>) -> Foreseen {
        let there = self.workload.with_workers(workers);
        let settings = match technique {
            Some((kind, share)) if share > 0.0 => vec![candidates::informed(kind, share, &there)],
            Some((kind, _)) => candidates::of_kind(kind, &there),
            None => candidates::all(&there),
        };
        let first = settings.first().copied().unwrap_or(TechniqueParameters::FALLBACK);
        let (_, mut all) = candidates::shortlist(&there, first, (&settings, &[]), Confidence::default());
        all.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let best = if technique.is_some() { all.first().copied() } else { preferred(&all, |f| -f.ratio.ln()) };
        self.answer(&there, &best.map_or(first, |best| best.setting))
    }

    /// How the program cuts its tasks by itself, as far as that is known.
    pub fn own_batches(&self) -> Option<&Batches> {
        self.workload.own_batches()
    }

    /// What is expected of so many workers with the best values of what a program offers that cuts its tasks by itself, and these.
    pub fn with_own(&self, workers: u32, tuning_points: &[TuningPoint]) -> Option<(Foreseen, String)> {
        let own = OwnChunks::offered(tuning_points)?;
        let there = self.workload.with_workers(workers);
        let found = own.best(&there.load(), None, SEED)?.batches;
        let values = own.values_for(&found);
        let there = there.with_batches(own.batches(&values, Rest::default()));
        Some((self.answer(&there, &TechniqueParameters::FALLBACK), own.named(&values)))
    }

    fn answer(&self, there: &WorkloadEstimator, setting: &TechniqueParameters) -> Foreseen {
        let foreseen = self.simulated(there, setting, RUNS);
        let input_error = input_error(&self.workload, None, setting, there.workers, SEED);
        // That of the drawings is in it.
        Foreseen { uncertainty: uncertainty(foreseen.uncertainty, input_error), ..foreseen }
    }

    /// `uncertainty` is the deviation between drawings.
    fn simulated(&self, there: &WorkloadEstimator, setting: &TechniqueParameters, runs: u64) -> Foreseen {
        let load = there.load();
        let result = Drawings::new(&load, SEED..SEED + runs).run(&load, setting, runs as usize);
        Foreseen {
            setting: *setting,
            iteration_s: result.iteration_s * self.scale,
            uncertainty: result.deviation,
            tasks: there.tasks,
            ideal_s: there.ideal_s(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::window;

    #[test]
    fn even_tasks_take_half_as_long_with_twice_the_workers_and_the_scale_is_that_of_the_recording() {
        let windows: Vec<Window> = (0..6).map(|k| window(k, 4, 0.105)).collect();
        let fit = Fit::of(windows.iter()).unwrap();
        let here = fit.of_window(&windows[5]);
        assert!((here.iteration_s / 0.105 - 1.0).abs() < 0.02, "{here:?}");
        let there = fit.with_technique(8, Some((Technique::None, 0.0)));
        assert!((there.iteration_s / 0.0525 - 1.0).abs() < 0.03, "{there:?}");
        assert_eq!((there.tasks, there.setting.kind), (400, Technique::None));
        assert!((there.ideal_s - 0.05).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_learnt_from_nothing() {
        assert!(Fit::of([].iter()).is_none());
        let empty = Window { tasks: 0, per_worker: vec![], ..window(0, 4, 0.1) };
        assert!(Fit::of([empty].iter()).is_none());
    }
}
