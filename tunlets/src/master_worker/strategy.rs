//! Chooses the next change from the estimates, the simulated candidates and the trials: at most one change at a time.

mod explanation;
mod growing;
mod number;
mod weighing;

use super::candidates;
use super::experience::{Experience, Family, Spread, family};
use super::factors;
use super::regime::Regime;
use super::workers::{self, Workers};
use super::workload::{Learnt, WorkloadEstimator};
use crate::options::Objective;
use crate::trial::{Measurement, Measurements, Rule, Tabu, Trial, Trials, WATCHED, Worse, uncertainty};
use crate::tuning_point::names;
use crate::{
    Explanation, Judgement, NextAllocation, Observation, Proposal, Report, Settled, TuningPoint, Tunlet, Verdict,
    Window,
};
use midrun_scheduling::{Technique, TechniqueParameters};
use weighing::{EVEN, TIE, Weighed};
pub use weighing::{explain, preferred};

/// Shorter iterations are left alone, seconds: a decision takes longer, and chance exceeds any gain.
pub(super) const SHORTEST_S: f64 = 5e-3;
/// A gain below this share is not worth a change from the static split.
const GAIN: f64 = 0.004;
/// Least gain between two techniques that both balance: the simulation is no more exact than this.
const GAIN_AMONG_DYNAMIC: f64 = 0.008;
/// A gain of this share is taken even if the best setting differs from window to window.
const MUCH: f64 = 0.1;
/// The master receives new task times once mean or sigma changed by more than this share.
const REFRESH: f64 = 0.1;
/// A setting is worse whose iteration time / ideal exceeds the former one's by more than this share.
pub(super) const WORSE: f64 = 0.005;
/// Iterations for which a setting that was rolled back is tabu.
pub(super) const TABU: u64 = 30;

/// Technique that the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Any technique.
    Auto,
    /// This technique; only its parameters are adapted.
    Fixed(Technique),
}

/// What a trial compares: the technique, or the shares of a program that cuts its batches by itself.
#[derive(Clone, Debug, PartialEq)]
struct Setting {
    technique: TechniqueParameters,
    shares: Option<Vec<f64>>,
}

/// The proposal in flight.
#[derive(Clone, Debug)]
enum Change {
    /// From and to a technique.
    Technique(TechniqueParameters, TechniqueParameters),
    /// From these shares, `None` for a rollback.
    Shares(Option<Vec<f64>>),
    /// From and to a number of workers, with the setting that goes with it.
    Workers(u32, u32, TechniqueParameters),
    /// Further worker processes are started, up to this number.
    Start(u32),
}

/// See the module.
#[derive(Debug)]
pub struct MasterWorker {
    mode: Mode,
    workload: Option<WorkloadEstimator>,
    experience: Experience,
    /// Technique and parameters in force, as far as known.
    current: Option<TechniqueParameters>,
    last: Option<(u64, f64)>,
    regime: Option<Regime>,
    fresh: bool,
    proposed: Option<Change>,
    /// Advice of the last window. It is followed at once while `unsettled`: at the start and after a change of the program.
    advice: Option<Family>,
    unsettled: bool,
    trials: Trials<Setting>,
    /// New shares are not tried before this iteration.
    shares_tabu_until: u64,
    workers: Workers,
    /// Decision that starts worker processes, and the number that it asks for.
    starting: Option<(u64, u32)>,
    tabu: Tabu<Family>,
    judgements: Vec<Judgement>,
    spread: Spread,
}

impl MasterWorker {
    /// Creates the tunlet; it has learnt nothing yet.
    pub fn new(mode: Mode, objective: Objective, limits: workers::Limits) -> Self {
        MasterWorker {
            mode,
            workload: None,
            experience: Experience::default(),
            current: None,
            last: None,
            regime: None,
            fresh: false,
            proposed: None,
            advice: None,
            unsettled: true,
            trials: Trials::default(),
            shares_tabu_until: 0,
            workers: Workers::new(objective, limits),
            starting: None,
            tabu: Tabu::default(),
            judgements: Vec::new(),
            spread: Spread::default(),
        }
    }

    fn watch(&mut self, window: &Window, ratio: f64) {
        if window.setting_changed {
            return;
        }
        let measurement = Measurement { cost: ratio, time_s: window.iteration_s };
        let rule = Rule { windows: WATCHED, worse: Worse::ByMargin(WORSE) };
        let Some((trial, judgement)) = self.trials.measure(window.iteration, measurement, rule) else { return };
        self.judgements.push(judgement);
        if judgement.verdict == Verdict::RolledBack {
            match trial.from.and_then(|from| from.shares) {
                Some(_) => self.shares_tabu_until = window.iteration + TABU,
                None => self.tabu.add(family(&trial.to.technique), window.iteration, TABU),
            }
        }
    }

    /// Another change takes over: the one before is kept.
    fn end_trial(&mut self) {
        self.judgements.extend(self.trials.end(Verdict::Kept));
    }

    /// Whether the task times that the master knows are too old for its technique.
    fn is_stale(current: &TechniqueParameters, workload: &WorkloadEstimator) -> bool {
        // DAF measures them by itself.
        let uses = current.kind == Technique::Fac2;
        let moved = match current.variation() {
            Some(v) => {
                // Few tasks scatter by themselves; three standard errors of exponential ones.
                let chance = 3.0 * 1.4 / (workload.tasks.max(1) as f64).sqrt();
                (v - workload.variation()).abs() > REFRESH.max(chance) * v.max(workload.variation()).max(0.05)
            }
            None => true,
        };
        uses && moved
    }

    /// Learns from an iteration, and judges the change that is being watched.
    fn learn(&mut self, window: &Window) {
        match WorkloadEstimator::learn(&mut self.workload, window) {
            Learnt::Nothing => return,
            Learnt::OtherWorkers => {
                // The techniques were measured with the other number.
                self.experience.forget();
                self.tabu.clear();
                self.end_trial();
                self.advice = None;
            }
            Learnt::Anew => {
                self.workers.forget();
                self.experience.forget();
                self.tabu.clear();
                self.unsettled = true;
                // Measurements before the change do not compare with those after it.
                self.trials.forget_before();
            }
            Learnt::Added => {}
        }
        self.last = Some((window.iteration, window.iteration_s));
        self.fresh = true;
        // The window holds technique and share; mean and sigma are those of the last proposal.
        let same = self.current.filter(|known| family(known) == family(&window.setting));
        if !window.setting_changed && same.is_none() && self.trials.watched.is_none() {
            self.current = Some(window.setting);
        }
        let ideal_s = window.ideal_s();
        if ideal_s > 0.0 && window.coverage > 0.99 {
            let ratio = window.iteration_s / ideal_s;
            if !window.setting_changed {
                self.regime = Some(Regime::of(window.iteration_s, window.master_busy_s, ideal_s));
                self.spread.add(ratio);
                let normalized =
                    self.workload.as_ref().map(|known| (known.normalized_s(window), known.work_s(window.tasks)));
                self.judgements
                    .extend(normalized.and_then(|(time_s, work_s)| self.workers.watch(window, time_s, work_s)));
                self.experience.add(&window.setting, ratio, window.iteration);
                self.explain(window, ratio);
            }
            self.watch(window, ratio);
        }
    }

    /// Technique to roll back to; measured time / ideal with it, and with the present one.
    fn rollback(&self) -> Option<(TechniqueParameters, f64, f64)> {
        let trial = self.trials.rollback.as_ref()?;
        Some((trial.from.as_ref()?.technique, trial.before.cost()?, trial.least_cost()))
    }

    /// The former shares after a change that measured worse, or shares that promise a gain.
    fn other_shares(
        &mut self,
        factors: &[&TuningPoint],
        workload: &WorkloadEstimator,
        (iteration, iteration_s): (u64, f64),
    ) -> Option<Proposal> {
        let former = self.trials.rollback.as_ref().and_then(|trial| trial.from.as_ref()?.shares.clone());
        let (from, proposal) = match former {
            Some(former) => (None, factors::rollback(factors, &former, (iteration, iteration_s))?),
            None if iteration < self.shares_tabu_until => return None,
            None => {
                let now = factors.iter().map(|tuning_point| tuning_point.value).collect();
                (Some(now), factors::better(factors, workload, (iteration, iteration_s), GAIN)?)
            }
        };
        self.proposed = Some(Change::Shares(from));
        Some(proposal)
    }

    fn next_allocation(&self) -> Option<NextAllocation> {
        let (workload, (_, iteration_now_s)) = (self.workload.as_ref()?, self.last?);
        let scale = iteration_now_s / workload.ideal_s().max(f64::MIN_POSITIVE);
        self.workers.next_allocation(
            workload,
            &self.current?,
            (self.regime?, iteration_now_s),
            scale,
            self.spread.deviation(),
        )
    }

    fn decide(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let (iteration, iteration_s) = self.last?;
        let workload = self.workload.clone()?;
        if iteration_s < SHORTEST_S {
            return None;
        }
        let count = tuning_points.iter().find(|k| k.name == names::WORKERS);
        let count = count.or_else(|| tuning_points.iter().find(|k| k.name == names::OWN_WORKERS));
        let spare = tuning_points.iter().find(|k| k.name == names::SPAWNED);
        self.judge_start(spare);
        if let (Some(tuning_point), Some(to)) = (count, self.workers.rollback()) {
            return self.roll_back_workers(tuning_point, &workload, to);
        }
        if self.workers.is_on_trial() {
            return None;
        }
        let factors = factors::exposed(tuning_points);
        if !factors.is_empty() {
            let current = self.current.filter(|_| self.trials.watched.is_none())?;
            if let Some(proposal) = count
                .and_then(|tuning_point| self.other_workers((tuning_point, None), &workload, (current, current), 1.0))
            {
                return Some(proposal);
            }
            return self.other_shares(&factors, &workload, (iteration, iteration_s));
        }
        let technique = tuning_points.iter().find(|tuning_point| tuning_point.name == names::TECHNIQUE)?;
        let current = self.current?;
        let ideal_s = workload.ideal_s();
        if let Some((former, was, is)) = self.rollback() {
            let why = format!(
                "{} measured {is:.4} of the ideal time, {} before it {was:.4}: back to the former",
                current.kind.name(),
                former.kind.name()
            );
            let times = (was * ideal_s, is * ideal_s, uncertainty(self.spread.deviation(), 0.0));
            return Some(self.proposal(technique.rank, iteration, (current, former), why, times));
        }
        if self.trials.watched.as_ref().is_some_and(|trial| trial.from.is_some()) {
            return None;
        }
        let Weighed { best, second, unchanged, scale } = self.weigh(&workload, current, iteration);
        let unchanged_s = unchanged * ideal_s;
        let describe = |what: &str| {
            format!(
                "{what}: tasks take {:.4} ms +- {:.4} ms, {} tasks, {} workers, {:.1} us per chunk; expected of the ideal \
                 {:.4} s: {} {:.4}, {} {:.4}, unchanged {unchanged:.4}",
                workload.mean_s * 1e3,
                workload.sigma_s * 1e3,
                workload.tasks,
                workload.workers,
                workload.chunk_cost_s * 1e6,
                ideal_s,
                best.setting,
                best.ratio,
                second.setting,
                second.ratio
            )
        };
        let same = family(&best.setting) == family(&current);
        let asked_for = matches!(self.mode, Mode::Fixed(kind) if kind != current.kind);
        let even = best.setting.kind == Technique::None && self.mode == Mode::Auto;
        let gain = match current.kind {
            _ if even => 0.0,
            Technique::None => GAIN,
            _ => GAIN_AMONG_DYNAMIC,
        };
        let other = !same && (asked_for || best.ratio <= unchanged * (1.0 - gain));
        // Technique and number of workers change together: a new number starts with the setting that suits it.
        let setting = if other { best.setting } else { current };
        let change = (current, setting);
        if let Some(proposal) =
            count.and_then(|tuning_point| self.other_workers((tuning_point, spare), &workload, change, scale))
        {
            return Some(proposal);
        }
        if other {
            // Only persistent advice is followed, except at the start and after a change of the program, where the gain is
            // largest.
            let before = self.advice.replace(family(&best.setting));
            // With a large gain it does not matter which of several near ties is best this time.
            let much = best.ratio <= unchanged * (1.0 - MUCH);
            let persistent = before.is_some_and(|before| much || before == family(&best.setting));
            if !(asked_for || persistent || self.unsettled) {
                return None;
            }
            let what = match (asked_for, best.setting.kind) {
                (true, _) => "this technique was asked for",
                (false, Technique::None) => "tasks are even",
                (false, _) if workload.is_aggregated() => "work is uneven, its tasks not yet seen one by one",
                (false, _) => "work is uneven",
            };
            let why = describe(what);
            let times = (best.iteration_s, unchanged_s, uncertainty(best.deviation, 0.0));
            return Some(self.proposal(technique.rank, iteration, (current, best.setting), why, times));
        }
        self.advice = None;
        if self.trials.watched.is_none() && Self::is_stale(&current, &workload) {
            let fresh = candidates::informed(current.kind, current.factor, &workload);
            let why = describe("the tasks have changed");
            let times = (unchanged_s, unchanged_s, uncertainty(best.deviation, 0.0));
            return Some(self.proposal(technique.rank, iteration, (current, fresh), why, times));
        }
        None
    }

    fn proposal(
        &mut self,
        rank: u32,
        iteration: u64,
        (from, to): (TechniqueParameters, TechniqueParameters),
        why: String,
        (predicted_s, unchanged_s, uncertainty): (f64, f64, f64),
    ) -> Proposal {
        self.proposed = Some(Change::Technique(from, to));
        let tuning_point = if from.kind == to.kind && from.factor != to.factor {
            "factor"
        } else if from.kind == to.kind {
            "task times"
        } else {
            "technique"
        };
        Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![rank],
            assignments: candidates::assignments(&to),
            tuning_point: tuning_point.into(),
            from: from.to_string(),
            to: to.to_string(),
            why,
            predicted_s,
            uncertainty,
            unchanged_s,
            at_once: from.kind != to.kind && candidates::fits_inside(&to),
            ..Proposal::default()
        }
    }
}

impl Tunlet for MasterWorker {
    fn name(&self) -> &'static str {
        "master_worker"
    }

    fn explain(&self) -> Explanation {
        let (objective, limits) = self.workers.requested();
        explanation::explain(self.mode, objective, limits)
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        if let Observation::Iteration(window) = observation {
            self.learn(window);
        }
        std::mem::take(&mut self.judgements)
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        // At most one proposal per window.
        if !std::mem::take(&mut self.fresh) {
            return None;
        }
        self.decide(tuning_points)
    }

    fn report(&self) -> Report {
        Report { next_allocation: self.next_allocation(), ..Report::default() }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let (Some(change), Settled::Applied { iteration }) = (self.proposed.take(), settled) else { return };
        let (from, to) = match change {
            Change::Technique(former, technique) => {
                self.current = Some(technique);
                let from =
                    (family(&former) != family(&technique)).then_some(Setting { technique: former, shares: None });
                (from, technique)
            }
            Change::Shares(former) => {
                let Some(technique) = self.current else { return };
                (former.map(|shares| Setting { technique, shares: Some(shares) }), technique)
            }
            Change::Workers(from, to, technique) => {
                self.end_trial();
                self.workers.on_applied(decision, iteration, from, to);
                (self.advice, self.unsettled, self.current) = (None, false, Some(technique));
                return;
            }
            Change::Start(number) => {
                self.starting = Some((decision, number));
                return;
            }
        };
        self.end_trial();
        (self.advice, self.unsettled) = (None, false);
        let ratio = from.as_ref().and_then(|from| self.experience.ratio(&from.technique, 1));
        let before = ratio.map(|cost| Measurements::from(Measurement { cost, time_s: f64::NAN }));
        let to = Setting { technique: to, shares: None };
        // The iteration at whose safe point it was applied ran with both settings.
        self.trials.start(Trial::new(decision, from, to, iteration + 1, before.unwrap_or_default()));
    }
}

const _: () = assert!(TIE < EVEN && EVEN < GAIN && GAIN < GAIN_AMONG_DYNAMIC && GAIN < WORSE * 2.0);
