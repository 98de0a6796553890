//! Number of workers: forecasts of other numbers, whether a change pays, and its trial.
//!
//! The iteration time of n workers is simulated with the scheduler's own code from the measured task times, the workers'
//! speeds and the master's time per chunk, and scaled by the present error of the simulation.

mod forecast;

use super::candidates::SEED;
use super::regime::Regime;
use super::workload::WorkloadEstimator;
use crate::confidence::{Confidence, Gain};
use crate::model_error::EXACT;
use crate::options::Objective;
use crate::trial::{MODEL, Measurement, Measurements, Rule, Trial, Trials, WATCHED};
use crate::{Judgement, NextAllocation, Window};
use midrun_scheduling::TechniqueParameters;
use std::ops::RangeInclusive;

pub use forecast::{Forecast, input_error};
use forecast::{cheapest, forecasts, shortest};

/// Workers of a forecast, at most: each takes memory, and a rank may offer any number.
const MOST_WORKERS: u32 = 1_000_000;
/// Prior standard deviation of the model's error for each doubling of the number: that of the simulated iterations against
/// measured ones (docs/measuring.md).
const OF_DOUBLING: f64 = MODEL;
/// Advice for the next allocation goes up to this many times the present workers.
const BEYOND: u32 = 4;

/// Bounds the user set; see [`crate::options::TuningOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Fewest workers; 0 = 1.
    pub min: u32,
    /// Most workers; 0 = all.
    pub max: u32,
    /// Most workers that come or go in one change; 0 = any number.
    pub step: u32,
}

/// The present number and setting, as measured.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    /// Expected time of the next iterations, seconds.
    pub unchanged_s: f64,
    /// Measured / simulated time.
    pub scale: f64,
    /// Standard deviation of one iteration's time, as a share.
    pub noise: f64,
    /// Whether the place of the work is foreseen.
    pub is_foreseen: bool,
    /// By how much forecasts in this run were off beyond what is usual.
    pub unforeseen: f64,
}

/// Advice to change the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// To this.
    pub to: Forecast,
    /// Forecast of the present number.
    pub now: Forecast,
    /// Standard error of the difference of their times, as a share.
    pub error: f64,
    /// Gain of the objective, and its standard error by drawings alone.
    pub gain: Gain,
    /// See `gain`.
    pub drawn: f64,
    /// Whether the limits' step kept it from going further.
    pub stepped: bool,
    /// Whether the user's limits ask for it, whatever it gains.
    pub forced: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Workers {
    objective: Objective,
    confidence: Confidence,
    limits: Limits,
    /// Of a number with its setting: both change together, and go back together.
    trials: Trials<(u32, TechniqueParameters)>,
    /// What the model gets wrong for each doubling of the number, and for each halving: prior, or learnt from what numbers
    /// measured.
    of_doubling: [Gain; 2],
    /// Gain of the objective that was expected of the last advice.
    expected: Gain,
    /// Numbers that the program does not take.
    refused: Option<RangeInclusive<u32>>,
    /// Measurements with the present number and technique.
    last: Measurements,
    /// That number, and the technique's code.
    last_of: Option<(u32, u32)>,
    /// Standard deviation of one cost in the last forecast, as a share of it.
    deviation: f64,
    most_seen: u32,
    /// The last advice came from the user's limits, not from measurements: it is not rolled back.
    forced: bool,
}

/// What the objective minimises, for `workers` with this iteration time and useful work, seconds.
pub fn cost(objective: Objective, workers: u32, iteration_s: f64, work_s: f64) -> f64 {
    let n = f64::from(workers);
    match objective {
        Objective::Efficiency => n * iteration_s * iteration_s / work_s,
        Objective::Time | Objective::Budget(_) | Objective::Fixed => iteration_s,
        // The fewest workers in time; out of time, the fastest.
        Objective::Deadline(limit_s) if iteration_s <= limit_s => n * limit_s * 1e-6,
        Objective::Deadline(limit_s) => iteration_s + limit_s,
    }
}

/// The same of a forecast.
fn cost_of(objective: Objective) -> impl Fn(&Forecast) -> f64 + Copy {
    move |f: &Forecast| cost(objective, f.workers, f.iteration_s, f.work_s)
}

/// Pi goes with the square of the time.
fn power(objective: Objective) -> f64 {
    if objective == Objective::Efficiency { 2.0 } else { 1.0 }
}

/// Signed doublings from one number to another.
fn doublings(from: u32, to: u32) -> f64 {
    (f64::from(to.max(1)) / f64::from(from.max(1))).log2()
}

/// Place of more and of fewer workers.
fn side(doublings: f64) -> usize {
    usize::from(doublings < 0.0)
}

/// The model's error before anything was measured.
const UNKNOWN: Gain = Gain { mean: 0.0, error: OF_DOUBLING };

impl Workers {
    /// Creates the state without measurements.
    pub fn new(objective: Objective, confidence: Confidence, limits: Limits) -> Workers {
        Workers {
            objective,
            confidence,
            limits,
            trials: Trials::default(),
            of_doubling: [UNKNOWN; 2],
            expected: Gain::NONE,
            refused: None,
            last: Measurements::default(),
            last_of: None,
            deviation: 0.0,
            most_seen: 0,
            forced: false,
        }
    }

    /// Takes a window in, with its normalized time and its useful work, seconds; the verdict on a change that was watched long
    /// enough.
    pub fn watch(&mut self, window: &Window, normalized_s: f64, work_s: f64) -> Option<Judgement> {
        let (iteration, workers, iteration_s) = (window.iteration, window.workers, window.iteration_s);
        let cost = cost(self.objective, workers, normalized_s, work_s);
        self.most_seen = self.most_seen.max(workers);
        if self.last_of.replace((workers, window.setting.kind.code())) != self.last_of {
            self.last.clear();
        }
        // More workers may lack cores that fewer have: that is what the number makes, and no disturbance.
        let measurement = Measurement::new(cost, iteration_s);
        self.last.push(measurement);
        let trial = self.trials.watched.as_ref().filter(|trial| iteration >= trial.first)?;
        if workers != trial.to.0 {
            let (trial, judgement) = self.trials.miss(iteration_s)?;
            // The program has so many workers whatever it was told: numbers beyond them are not proposed again.
            self.refused = Some(match trial.to.0 > workers {
                true => workers + 1..=u32::MAX,
                false => 0..=workers.saturating_sub(1),
            });
            return Some(judgement);
        }
        let (expected, deviation, confidence) = (self.expected, self.deviation, self.confidence);
        // What a number measures beside what was expected is mostly learnt growth of the work with it, and a number on the way may be the best.
        let rule = Rule { refutable: false, ..Rule::of(expected, deviation, confidence) };
        let (trial, judgement) = self.trials.measure(iteration, measurement, rule)?;
        self.learn(&trial);
        Some(judgement)
    }

    /// What a number measured beside what was expected of it tells of the model's error, in proportion to the doublings: as much as chance and what
    /// was uncertain of the expectation leave, or all of it where they do not explain it.
    fn learn(&mut self, trial: &Trial<(u32, TechniqueParameters)>) {
        let Some(((from, _), was)) = trial.from.zip(trial.before.cost()) else { return };
        let all = doublings(from, trial.to.0);
        let each = all.abs() * power(self.objective);
        let chance = self.deviation * (1.0 / trial.before.count() as f64 + 1.0 / WATCHED as f64).sqrt();
        let surprise = (was / trial.cost()).ln() - self.expected.mean;
        if surprise.is_finite() && all != 0.0 {
            let known = &mut self.of_doubling[side(all)];
            // What was expected holds no more of it than `advise` does.
            let mean = known.mean.min(0.0) + surprise / each;
            let measured = Gain { mean, error: chance.hypot(self.expected.error) / each };
            *known = known.unless_refuted(measured, self.confidence);
        }
    }

    /// Objective and limits that the user asked for.
    pub fn requested(&self) -> (Objective, Limits) {
        (self.objective, self.limits)
    }

    /// Whether a change is being watched.
    pub fn is_on_trial(&self) -> bool {
        self.trials.watched.is_some()
    }

    /// The program has changed: what was measured before says nothing of what comes.
    pub fn forget(&mut self) {
        for known in &mut self.of_doubling {
            // At most as uncertain as what is not known at all, or as far as it lies from 0.
            let most = OF_DOUBLING.max(known.mean.abs()).max(known.error);
            known.error = (2.0 * known.error).min(most);
        }
        self.refused = None;
        self.last.clear();
        self.trials.forget_before();
    }

    /// The number was changed from `from` to `to` at the beginning of `iteration`, each with its setting.
    pub fn on_applied(
        &mut self,
        decision: u64,
        iteration: u64,
        from: (u32, TechniqueParameters),
        to: (u32, TechniqueParameters),
    ) {
        // A rollback is not judged again.
        let known = self.last_of.is_some_and(|(workers, _)| workers == from.0);
        let comparable = known && self.trials.rollback.is_none() && !self.forced;
        let before = if comparable { self.last.clone() } else { Measurements::default() };
        self.trials.start(Trial::new(decision, Some(from), to, iteration, before));
    }

    /// The number that was proposed is not in force.
    pub fn on_not_applied(&mut self) {
        self.trials.on_not_applied();
    }

    /// Number to roll back to, its setting, and its iteration time, seconds.
    pub fn rollback(&self) -> Option<(u32, TechniqueParameters, f64)> {
        let trial = self.trials.rollback.as_ref()?;
        let (workers, setting) = trial.from?;
        Some((workers, setting, trial.before.time_s()?))
    }

    /// Advises a change, if one surely pays, under one of `settings`, with at most `most` workers there. `scale` corrects
    /// the simulation.
    pub fn advise(
        &mut self,
        workload: &WorkloadEstimator,
        settings: &[TechniqueParameters],
        most: u32,
        Present { unchanged_s, scale, noise, unforeseen, is_foreseen }: Present,
    ) -> Option<Advice> {
        if self.objective == Objective::Fixed || self.trials.watched.is_some() {
            return None;
        }
        let (low, high) = self.range(most);
        let outside = !(low..=high).contains(&workload.workers);
        // Where the dear tasks are elsewhere each time, a worker that met none of them passes for fast; unless workers computed the same tasks. One that
        // is slow makes iterations differ, too, by how many tasks it got: that says nothing against parking it.
        let is_known = |to: u32| is_foreseen || workload.parks_slow_ones(to);
        if !(outside || workload.is_confirmed() && (low..=high.min(workload.workers)).any(is_known)) {
            return None;
        }
        let (cost, confidence) = (cost_of(self.objective), self.confidence);
        let of_doubling = self.of_doubling;
        // By the model's error, and longer by so many standard errors of all that is uncertain.
        let with_error = |now: &Forecast, to: &Forecast, error: f64, more: f64| {
            let doublings = doublings(now.workers, to.workers);
            let known = of_doubling[side(doublings)];
            let unforeseen = if workload.parks_slow_ones(to.workers) { 0.0 } else { unforeseen };
            // Errors of one doubling after the other are independent.
            let error = error.hypot(known.error * doublings.abs().sqrt()).hypot(EXACT).hypot(unforeseen);
            // What measured better than it was expected is no reason to expect more of the next.
            let longer = more * error - known.mean.min(0.0) * doublings.abs();
            (Forecast { iteration_s: to.iteration_s * longer.exp(), ..*to }, error)
        };
        let least_gain = |now: &Forecast, to: &Forecast, error: f64| {
            (cost(now) / cost(&with_error(now, to, error, confidence.standard_errors()).0)).ln()
        };
        // As measured: no simulation is needed to see that nothing can be better.
        let measured = Forecast { iteration_s: unchanged_s, ..shortest(workload, settings[0], workload.workers) };
        let worth = |shortest: &Forecast| outside || least_gain(&measured, shortest, 0.0) > 0.0;
        let all = forecasts(workload, settings, (low, high), (SEED, scale, confidence), worth);
        let now = *all.first()?;
        let allowed = |f: &&Forecast| {
            let refused = self.refused.as_ref().is_some_and(|refused| refused.contains(&f.workers));
            (low..=high).contains(&f.workers) && !refused && (outside || is_known(f.workers))
        };
        let gains = |f: &&Forecast| outside || least_gain(&now, f, f.faster.error) > 0.0;
        let expected = |f: &Forecast| with_error(&now, f, f.faster.error, 0.0).0;
        let worthwhile = || all.iter().filter(allowed).filter(gains);
        let least = cheapest(worthwhile(), |f| cost(&expected(f)))?;
        // Of those that the simulation cannot tell from it, the one of least Pi.
        let tied = |f: &&Forecast| {
            let error = f.faster.error.hypot(least.faster.error).hypot(EXACT);
            (cost(&expected(f)) / cost(&expected(&least))).ln()
                <= confidence.standard_errors() * power(self.objective) * error
        };
        let best = cheapest(worthwhile().filter(tied), |f| expected(f).pi_s())?;
        if best.workers == now.workers {
            return None;
        }
        let reach = if self.limits.step == 0 { u32::MAX } else { self.limits.step };
        let to = best.workers.clamp(now.workers.saturating_sub(reach), now.workers.saturating_add(reach));
        let known = all.iter().find(|f| f.workers == to).copied();
        let alone = || {
            let all = forecasts(workload, settings, (to, to), (SEED, scale, confidence), |_| true);
            all.into_iter().find(|f| f.workers == to)
        };
        let forecast = known.or_else(alone)?;
        let by_inputs = input_error(workload, Some(&now.setting), &forecast.setting, to, SEED);
        let known_to = forecast.faster.error.hypot(by_inputs);
        let (next, error) = with_error(&now, &forecast, known_to, 0.0);
        let mean = (cost(&now) / cost(&next)).ln();
        let expected =
            Gain { mean, error: (mean - least_gain(&now, &forecast, known_to)) / confidence.standard_errors() };
        if !outside && !expected.is_sure(confidence) {
            return None;
        }
        self.forced = outside;
        self.expected = expected;
        self.deviation = power(self.objective) * forecast.deviation.max(now.deviation).hypot(noise);
        Some(Advice {
            to: next,
            now,
            error,
            gain: expected,
            drawn: forecast.faster.error,
            stepped: to != best.workers,
            forced: outside,
        })
    }

    /// The present number and the one of least Pi among up to `most`, if that is another, with one setting, as simulated.
    pub fn least_pi(
        &self,
        workload: &WorkloadEstimator,
        setting: TechniqueParameters,
        most: u32,
    ) -> Option<(Forecast, Forecast)> {
        let all = forecasts(workload, &[setting], (1, most), (SEED, 1.0, self.confidence), |_| true);
        let (now, least) = (*all.first()?, cheapest(all.iter(), Forecast::pi_s)?);
        (least.workers != now.workers).then_some((now, least))
    }

    /// Objective for the log.
    pub fn objective_text(&self) -> String {
        match self.objective {
            Objective::Efficiency => "best balance of speed and efficiency".into(),
            Objective::Time => "shortest iteration".into(),
            Objective::Budget(n) => format!("shortest iteration within {n} workers"),
            Objective::Deadline(limit_s) => format!("fewest workers for an iteration of {limit_s} s"),
            Objective::Fixed => "fixed number of workers".into(),
        }
    }

    /// Advice for the next allocation: the number of least Pi among up to [`BEYOND`] times the present one, for what is asked for is paid; where the
    /// user set a budget or a deadline, the same choice as theirs. `ratio` is the iteration time with `setting` and the present number / ideal, `deviation` how far it scatters.
    pub fn next_allocation(
        &self,
        workload: &WorkloadEstimator,
        setting: &TechniqueParameters,
        (regime, iteration_now_s): (Regime, f64),
        most_tasks: u64,
        ratio: f64,
        deviation: f64,
    ) -> Option<NextAllocation> {
        // How it goes with more cores, these do not tell.
        let most = match regime {
            Regime::Cores => workload.workers,
            _ => workload.workers.max(self.most_seen).saturating_mul(BEYOND),
        };
        // A worker for which there is no task helps nobody.
        let most = most.min(u32::try_from(most_tasks.max(1)).unwrap_or(u32::MAX));
        let (low, high) = self.range(most);
        let settings = [*setting];
        let confidence = self.confidence;
        let present = (workload.workers, workload.workers);
        let now = *forecasts(workload, &settings, present, (SEED, 1.0, confidence), |_| true).first()?;
        let scale = ratio * workload.ideal_s() / now.iteration_s;
        let all = forecasts(workload, &settings, (low, high), (SEED, scale, confidence), |_| true);
        let objective = match self.objective {
            Objective::Time | Objective::Efficiency | Objective::Fixed => Objective::Efficiency,
            asked @ (Objective::Budget(_) | Objective::Deadline(_)) => asked,
        };
        let cost = cost_of(objective);
        let inside = || all.iter().filter(|f| (low..=high).contains(&f.workers));
        let least = cheapest(inside(), cost)?;
        // The fewest that are not surely worse.
        let error = |from: u32, to: u32| confidence.standard_errors() * OF_DOUBLING * doublings(from, to).abs().sqrt();
        let good = |f: &&Forecast| (cost(f) / cost(&least)).ln() <= power(objective) * error(f.workers, least.workers);
        let best = inside().filter(good).min_by_key(|f| f.workers)?;
        // Only where all workers that there are compute is the master the next one.
        let is_next = regime == Regime::Compute && workload.workers >= self.most_seen;
        let gains = |f: &&Forecast| {
            let by_model = OF_DOUBLING * doublings(workload.workers, f.workers).sqrt();
            let mean = (scale * now.iteration_s / f.iteration_s).ln();
            Gain { mean, error: f.faster.error.hypot(by_model) }.is_sure(confidence)
        };
        let one_more = all.iter().find(|f| is_next && f.workers == workload.workers + 1);
        let one_more_s = one_more.filter(gains).map(|f| f.iteration_s);
        let error = error(workload.workers, best.workers);
        Some(NextAllocation {
            regime: regime.as_str(),
            workers_now: workload.workers,
            iteration_now_s,
            workers: best.workers,
            iteration_s: best.iteration_s,
            uncertainty: deviation.hypot(error),
            own_chunks: workload.own_batches().map(ToString::to_string),
            technique: None,
            one_more_s,
        })
    }

    fn range(&self, most: u32) -> (u32, u32) {
        let budget = if let Objective::Budget(n) = self.objective { n } else { u32::MAX };
        let max = if self.limits.max == 0 { u32::MAX } else { self.limits.max };
        let high = most.min(max).min(budget).clamp(1, MOST_WORKERS);
        (self.limits.min.clamp(1, high), high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of more workers after the fifth was expected to save 20 % +- 10 % of an iteration of 1 s, which scatters by 10 %.
    fn after(measured_s: f64) -> Gain {
        let confidence = Confidence::default();
        let mut workers = Workers::new(Objective::Time, confidence, Limits::default());
        (workers.expected, workers.deviation) = (Gain { mean: 0.2, error: 0.1 }, 0.1);
        let of = |workers| (workers, TechniqueParameters::START);
        let taking = |time_s| Measurement::new(time_s, time_s);
        let mut trials = Trials::default();
        trials.start(Trial::new(0, Some(of(4)), of(5), 0, Measurements::from(taking(1.0))));
        let expected = Gain::UNKNOWN;
        let rule = Rule { windows: 1, ..Rule::of(expected, 1e-9, confidence) };
        let (trial, _) = trials.measure(0, taking(measured_s), rule).expect("it is sure");
        workers.learn(&trial);
        workers.of_doubling[side(1.0)]
    }

    #[test]
    fn what_chance_may_have_done_to_one_number_says_little_of_the_next() {
        let explained = after(1.001);
        assert!(explained.mean > -0.01 && explained.error > 0.9 * OF_DOUBLING, "{explained:?}");
        let refuted = after(3.0);
        assert!(refuted.mean < -4.0, "so dear is no chance: {refuted:?}");
    }
}
