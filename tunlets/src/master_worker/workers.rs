//! Number of workers: forecasts of other numbers, whether a change pays, and its trial.
//!
//! The iteration time of n workers is simulated with the scheduler's own code from the measured task times, the workers'
//! speeds and the master's time per chunk, and scaled by the present error of the simulation.

mod forecast;

use super::regime::Regime;
use super::workload::WorkloadEstimator;
use crate::options::Objective;
use crate::trial::{Measurement, Measurements, Rule, Tabu, Trial, Trials, WATCHED, Worse};
use crate::{Judgement, NextAllocation, Verdict, Window};
use midrun_scheduling::TechniqueParameters;

pub use forecast::{Forecast, input_error};
use forecast::{cheapest, forecasts};

/// Least gain of the objective for a change: adding and removing workers costs time.
const GAIN: f64 = 0.04;
/// A gain this large is followed at once at the start and after a change of the program; smaller ones must persist.
const LARGE: f64 = 0.15;
/// Windows that must advise the same before a change.
const PERSISTENT: u32 = 2;
/// Iterations without another change of the number after a judgement.
const COOL_DOWN: u64 = 3;
/// Iterations for which a number that was rolled back is tabu.
pub const TABU: u64 = 40;
/// Iterations with another number than the one that was set, after which the change is given up.
const GIVEN_UP: u32 = 4;
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

/// Advice to change the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// To this.
    pub to: Forecast,
    /// Forecast of the present number.
    pub now: Forecast,
    /// Standard error of the time with `to` by what it was worked out from, as a share of it.
    pub input_error: f64,
    /// Whether the limits' step kept it from going further.
    pub stepped: bool,
}

/// Windows in a row that advise more, or fewer.
#[derive(Clone, Copy, Debug)]
struct Streak {
    more: bool,
    windows: u32,
    /// Sum of the logarithms of the advised numbers: what scatters around a flat optimum is averaged.
    sum_ln: f64,
}

/// See the module.
#[derive(Debug)]
pub struct Workers {
    objective: Objective,
    limits: Limits,
    streak: Option<Streak>,
    trials: Trials<u32>,
    quiet_until: u64,
    tabu: Tabu<u32>,
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

impl Workers {
    /// Creates the state without measurements.
    pub fn new(objective: Objective, limits: Limits) -> Workers {
        Workers {
            objective,
            limits,
            streak: None,
            trials: Trials::default(),
            quiet_until: 0,
            tabu: Tabu::default(),
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
        let measurement = Measurement { cost, time_s: iteration_s };
        self.last.push(measurement);
        let trial = self.trials.watched.as_ref().filter(|trial| iteration >= trial.first)?;
        if workers != trial.to {
            let (trial, judgement) = self.trials.miss(GIVEN_UP - 1, iteration_s)?;
            // The program has so many workers whatever it was told: numbers beyond them are not proposed again.
            let beyond = workers.min(trial.to)..=workers.max(trial.to);
            beyond.filter(|n| *n != workers).for_each(|n| self.tabu.add(n, iteration, TABU));
            self.quiet_until = iteration + COOL_DOWN;
            return Some(judgement);
        }
        let worse = Worse::BeyondChance { deviation: self.deviation, least_gain: 0.0 };
        let (trial, judgement) = self.trials.measure(iteration, measurement, Rule { windows: WATCHED, worse })?;
        self.quiet_until = iteration + COOL_DOWN;
        if judgement.verdict == Verdict::RolledBack {
            self.tabu.add(trial.to, iteration, TABU);
        }
        Some(judgement)
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
        self.tabu.clear();
        (self.streak, self.quiet_until) = (None, 0);
        self.last.clear();
        self.trials.forget_before();
    }

    /// The number was changed from `from` to `to` at the beginning of `iteration`.
    pub fn on_applied(&mut self, decision: u64, iteration: u64, from: u32, to: u32) {
        // A rollback is not judged again.
        let known = self.last_of.is_some_and(|(workers, _)| workers == from);
        let comparable = known && self.trials.rollback.is_none() && !self.forced;
        let before = if comparable { self.last.clone() } else { Measurements::default() };
        self.trials.start(Trial::new(decision, Some(from), to, iteration, before));
        self.streak = None;
    }

    /// Number to roll back to, and its iteration time, seconds.
    pub fn rollback(&self) -> Option<(u32, f64)> {
        let trial = self.trials.rollback.as_ref()?;
        Some((trial.from?, trial.before.time_s()?))
    }

    /// Advises a change, if one pays, under one of `settings`, with at most `most` workers there. `scale` corrects
    /// the simulation; `unsettled` is the start of the program or of a new behaviour of it.
    pub fn advise(
        &mut self,
        workload: &WorkloadEstimator,
        settings: &[TechniqueParameters],
        (iteration, most): (u64, u32),
        scale: f64,
        unsettled: bool,
    ) -> Option<Advice> {
        // A program whose work drifts does not wait until it is known better.
        let drifting = workload.is_drifting();
        let quiet = iteration < self.quiet_until && !drifting;
        if self.objective == Objective::Fixed || self.trials.watched.is_some() || quiet {
            return None;
        }
        let (low, high) = self.range(most);
        let all = forecasts(workload, settings, (low, high), iteration, scale);
        let cost = cost_of(self.objective);
        let now = *all.iter().find(|f| f.workers == workload.workers)?;
        let allowed = |f: &&Forecast| (low..=high).contains(&f.workers) && self.tabu.allows(&f.workers, iteration);
        let best = cheapest(all.iter().filter(allowed), cost)?;
        let outside = !(low..=high).contains(&now.workers);
        let gain = 1.0 - cost(&best) / cost(&now);
        if best.workers == now.workers || !(gain > GAIN || outside) {
            self.streak = None;
            return None;
        }
        let mut streak = Streak { more: best.workers > now.workers, windows: 0, sum_ln: 0.0 };
        if let Some(known) = self.streak.filter(|known| known.more == streak.more) {
            streak = known;
        }
        streak.windows += 1;
        streak.sum_ln += f64::from(best.workers).ln();
        self.streak = Some(streak);
        let at_once = outside || ((unsettled || drifting) && gain > LARGE);
        if !(at_once || streak.windows >= PERSISTENT) {
            return None;
        }
        self.forced = outside;
        let mean = (streak.sum_ln / f64::from(streak.windows)).exp().round() as u32;
        // The mean may be what was given up before, or no better by now, or lie on the wrong side of the limits.
        let good = |f: &&Forecast| f.workers == mean && (outside || cost(f) <= cost(&now) * (1.0 - GAIN));
        let wanted = all.iter().filter(allowed).find(good).map_or(best.workers, |f| f.workers);
        let reach = if self.limits.step == 0 { u32::MAX } else { self.limits.step };
        let to = wanted.clamp(now.workers.saturating_sub(reach), now.workers.saturating_add(reach));
        let known = all.iter().find(|f| f.workers == to).copied();
        let alone = || forecasts(workload, settings, (to, to), iteration, scale).into_iter().find(|f| f.workers == to);
        let forecast = known.or_else(alone)?;
        // Pi goes with the square of the time.
        let power = if self.objective == Objective::Efficiency { 2.0 } else { 1.0 };
        self.deviation = power * forecast.deviation.max(now.deviation);
        let input_error = input_error(workload, &forecast.setting, to, iteration);
        Some(Advice { to: forecast, now, input_error, stepped: to != wanted })
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

    /// Advice for the next allocation: the same choice among up to [`BEYOND`] times the present number. `ratio` is the
    /// present iteration time / ideal, `deviation` how far it scattered.
    pub fn next_allocation(
        &self,
        workload: &WorkloadEstimator,
        setting: &TechniqueParameters,
        (regime, iteration_now_s): (Regime, f64),
        ratio: f64,
        deviation: f64,
    ) -> Option<NextAllocation> {
        let most = workload.workers.max(self.most_seen).saturating_mul(BEYOND);
        let (low, high) = self.range(most);
        let settings = [*setting];
        let now = *forecasts(workload, &settings, (workload.workers, workload.workers), 0, 1.0).first()?;
        let scale = ratio * workload.ideal_s() / now.iteration_s;
        let all = forecasts(workload, &settings, (low, high), 0, scale);
        let cost = cost_of(self.objective);
        let best = cheapest(all.iter().filter(|f| (low..=high).contains(&f.workers)), cost)?;
        let doublings = (f64::from(best.workers) / f64::from(workload.workers.max(1))).log2().abs();
        Some(NextAllocation {
            regime: regime.as_str(),
            workers_now: workload.workers,
            iteration_now_s,
            workers: best.workers,
            iteration_s: best.iteration_s,
            uncertainty: deviation + 0.05 * doublings,
        })
    }

    fn range(&self, most: u32) -> (u32, u32) {
        let budget = if let Objective::Budget(n) = self.objective { n } else { u32::MAX };
        let max = if self.limits.max == 0 { u32::MAX } else { self.limits.max };
        let high = most.min(max).min(budget).max(1);
        (self.limits.min.clamp(1, high), high)
    }
}
