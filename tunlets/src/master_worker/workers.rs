//! How many workers: what other numbers are expected to give, whether a change pays, and what came of it.
//!
//! The iteration time of n workers is simulated with the very hand-out code, from what was measured of
//! the tasks, the workers' speeds and the master's time per chunk, and scaled by how far the simulation is off now.

mod forecast;

use super::memory::Memory;
use super::regime::Regime;
use super::trial::{REMEMBERED, WATCHED, is_worse};
use crate::options::Objective;
use crate::{Judgement, NextAllocation, Verdict, Window};
use midrun_models::line::median;
use midrun_scheduling::TechniqueParameters;
use std::collections::{BTreeMap, VecDeque};

pub use forecast::{Forecast, input_error};
use forecast::{cheapest, forecasts};

/// A change must promise so much of the objective: workers come and go at a price.
const GAIN: f64 = 0.04;
/// A promise this large is followed at once at the start and after a change of the program; smaller ones must persist.
const LARGE: f64 = 0.15;
/// Windows that must advise the same before a change.
const PERSISTENT: u32 = 2;
/// Iterations without another change of the number after one, and after one that was undone.
const COOL_DOWN: u64 = 3;
const BANNED: u64 = 40;
/// Iterations with another number than the one that was set, after which it will not come any more.
const GIVEN_UP: u32 = 4;
/// The outlook goes up to so many times the workers there are.
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
    /// What is expected of the present number.
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

/// A change of the number that is being watched.
#[derive(Clone, Debug)]
struct Trial {
    decision: u64,
    from: u32,
    to: u32,
    applied_in: u64,
    /// Costs, as [`cost`] has them, and iteration times before, seconds, the newest last.
    before: Vec<(f64, f64)>,
    /// The same since.
    seen: Vec<(f64, f64)>,
    /// How far a cost scatters by chance, as a share of it.
    chance: f64,
    /// Iterations since that had another number of workers.
    elsewhere: u32,
}

/// See the module.
#[derive(Debug)]
pub struct Workers {
    objective: Objective,
    limits: Limits,
    streak: Option<Streak>,
    trial: Option<Trial>,
    /// Back to this number, which took so many seconds: the present one was worse.
    back_to: Option<(u32, f64)>,
    quiet_until: u64,
    banned: BTreeMap<u32, u64>,
    /// Costs and iteration times of the last windows with the present number and technique, the newest last.
    last: VecDeque<(f64, f64)>,
    /// That number, and the technique's code.
    last_of: Option<(u32, u32)>,
    /// How far they scatter by chance, as the last forecast has it.
    chance: f64,
    most_seen: u32,
    /// The last advice came from the user's limits, not from what was measured: it is not undone.
    forced: bool,
}

/// What the objective minimises, for `workers` with this iteration time and useful work, seconds.
fn cost(objective: Objective, workers: u32, iteration_s: f64, work_s: f64) -> f64 {
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
    /// Nothing known yet.
    pub fn new(objective: Objective, limits: Limits) -> Workers {
        Workers {
            objective,
            limits,
            streak: None,
            trial: None,
            back_to: None,
            quiet_until: 0,
            banned: BTreeMap::new(),
            last: VecDeque::new(),
            last_of: None,
            chance: 0.0,
            most_seen: 0,
            forced: false,
        }
    }

    /// Takes a window in, with its levelled time and its useful work, seconds; the verdict on a change that was watched long
    /// enough.
    pub fn watch(&mut self, window: &Window, levelled_s: f64, work_s: f64) -> Option<Judgement> {
        let (iteration, workers, iteration_s) = (window.iteration, window.workers, window.iteration_s);
        let cost = cost(self.objective, workers, levelled_s, work_s);
        self.most_seen = self.most_seen.max(workers);
        if self.last_of.replace((workers, window.setting.kind.code())) != self.last_of {
            self.last.clear();
        }
        self.last.push_back((cost, iteration_s));
        if self.last.len() > REMEMBERED {
            self.last.pop_front();
        }
        let trial = self.trial.as_mut()?;
        if iteration < trial.applied_in {
            return None;
        }
        if workers != trial.to {
            trial.elsewhere += 1;
            return if trial.elsewhere < GIVEN_UP { None } else { self.give_up(iteration, workers, iteration_s) };
        }
        trial.seen.push((cost, iteration_s));
        if trial.seen.len() < WATCHED {
            return None;
        }
        let costs = |seen: &[(f64, f64)]| seen.iter().map(|(cost, _)| *cost).collect::<Vec<f64>>();
        let times = |seen: &[(f64, f64)]| median(seen.iter().map(|(_, time_s)| *time_s).collect());
        let kept = !is_worse(&costs(&trial.before), &costs(&trial.seen), trial.chance)?;
        let trial = self.trial.take()?;
        self.quiet_until = iteration + COOL_DOWN;
        if !kept {
            self.back_to = Some((trial.from, times(&trial.before)));
            self.banned.insert(trial.to, iteration + BANNED);
        }
        let verdict = if kept { Verdict::Kept } else { Verdict::RolledBack };
        Some(Judgement { decision: trial.decision, measured_s: times(&trial.seen), verdict })
    }

    /// The program has so many `workers`, whatever it was told: it is not told again what lies beyond them.
    fn give_up(&mut self, iteration: u64, workers: u32, measured_s: f64) -> Option<Judgement> {
        let Trial { decision, to, .. } = self.trial.take()?;
        let beyond = workers.min(to)..=workers.max(to);
        self.banned.extend(beyond.filter(|n| *n != workers).map(|n| (n, iteration + BANNED)));
        self.quiet_until = iteration + COOL_DOWN;
        Some(Judgement { decision, measured_s, verdict: Verdict::NotApplied })
    }

    /// What the user asked for.
    pub fn requested(&self) -> (Objective, Limits) {
        (self.objective, self.limits)
    }

    /// Whether a change is being watched.
    pub fn is_on_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// The program has changed: what was measured before says nothing of what comes.
    pub fn forget(&mut self) {
        self.banned.clear();
        (self.streak, self.quiet_until) = (None, 0);
        self.last.clear();
        if let Some(trial) = &mut self.trial {
            trial.before.clear();
        }
    }

    /// The number was changed from `from` to `to` at the beginning of `iteration`.
    pub fn on_applied(&mut self, decision: u64, iteration: u64, from: u32, to: u32) {
        // The way back is not tried again, it only has to be there.
        let is_back = self.back_to.take().is_some();
        let known = self.last_of.is_some_and(|(workers, _)| workers == from) && !is_back && !self.forced;
        let before = if known { self.last.iter().copied().collect() } else { Vec::new() };
        let chance = self.chance;
        self.trial =
            Some(Trial { decision, from, to, applied_in: iteration, before, seen: Vec::new(), chance, elsewhere: 0 });
        self.streak = None;
    }

    /// Back to this number, which took so many seconds, where the present one measured worse.
    pub fn way_back(&self) -> Option<(u32, f64)> {
        self.back_to
    }

    /// What should be changed, if anything, under one of `settings`, with at most `most` workers there. `scale` corrects
    /// the simulation; `unsettled` is the start of the program or of a new behaviour of it.
    pub fn advise(
        &mut self,
        memory: &Memory,
        settings: &[TechniqueParameters],
        (iteration, most): (u64, u32),
        scale: f64,
        unsettled: bool,
    ) -> Option<Advice> {
        // A program that has more to do with each iteration, or less, does not wait until it is known better.
        let moves = memory.moves();
        let quiet = iteration < self.quiet_until && !moves;
        if self.objective == Objective::Fixed || self.trial.is_some() || quiet {
            return None;
        }
        let (low, high) = self.range(most);
        let all = forecasts(memory, settings, (low, high), iteration, scale);
        let cost = cost_of(self.objective);
        let now = *all.iter().find(|f| f.workers == memory.workers)?;
        let allowed = |f: &&Forecast| {
            (low..=high).contains(&f.workers) && self.banned.get(&f.workers).is_none_or(|until| *until <= iteration)
        };
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
        let at_once = outside || ((unsettled || moves) && gain > LARGE);
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
        let alone = || forecasts(memory, settings, (to, to), iteration, scale).into_iter().find(|f| f.workers == to);
        let forecast = known.or_else(alone)?;
        // Pi goes with the square of the time.
        let power = if self.objective == Objective::Efficiency { 2.0 } else { 1.0 };
        self.chance = power * forecast.deviation.max(now.deviation);
        let input_error = input_error(memory, &forecast.setting, to, iteration);
        Some(Advice { to: forecast, now, input_error, stepped: to != wanted })
    }

    /// In the log's words.
    pub fn objective_text(&self) -> String {
        match self.objective {
            Objective::Efficiency => "best balance of speed and efficiency".into(),
            Objective::Time => "shortest iteration".into(),
            Objective::Budget(n) => format!("shortest iteration within {n} workers"),
            Objective::Deadline(limit_s) => format!("fewest workers for an iteration of {limit_s} s"),
            Objective::Fixed => "fixed number of workers".into(),
        }
    }

    /// What to ask for next time: the same choice among up to [`BEYOND`] times the present number. `ratio` is the
    /// present iteration time / ideal, `deviation` how far it scattered.
    pub fn next_allocation(
        &self,
        memory: &Memory,
        setting: &TechniqueParameters,
        (regime, iteration_now_s): (Regime, f64),
        ratio: f64,
        deviation: f64,
    ) -> Option<NextAllocation> {
        let most = memory.workers.max(self.most_seen).saturating_mul(BEYOND);
        let (low, high) = self.range(most);
        let settings = [*setting];
        let now = *forecasts(memory, &settings, (memory.workers, memory.workers), 0, 1.0).first()?;
        let scale = ratio * memory.ideal_s() / now.iteration_s;
        let all = forecasts(memory, &settings, (low, high), 0, scale);
        let cost = cost_of(self.objective);
        let best = cheapest(all.iter().filter(|f| (low..=high).contains(&f.workers)), cost)?;
        let doublings = (f64::from(best.workers) / f64::from(memory.workers.max(1))).log2().abs();
        Some(NextAllocation {
            regime: regime.as_str(),
            workers_now: memory.workers,
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
