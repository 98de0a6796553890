//! Puts together what was learnt, what could be done and what came of it: at most one change at a time.

mod growing;
mod number;
mod weighing;

use super::candidates;
use super::explanation;
use super::factors::{self, Shares};
use super::memory::{Learnt, Memory};
use super::regime::Regime;
use super::trial::{Experience, Family, Spread, Trial, WORSE, family, uncertainty};
use super::workers::{self, Workers};
use crate::options::Objective;
use crate::tuning_point::names;
use crate::{
    Explanation, Judgement, NextAllocation, Observation, Proposal, Report, Settled, TuningPoint, Tunlet, Verdict,
    Window,
};
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::BTreeMap;
use weighing::{EVEN, TIE, Weighed};
pub use weighing::{explain, preferred};

/// Shorter iterations are left alone: a decision takes longer, and chance is larger than any gain.
const SHORTEST_S: f64 = 5e-3;
/// A gain below this share is not worth a change from the static split.
const GAIN: f64 = 0.004;
/// Between two techniques that both balance, the simulation must promise more: it is no more exact than this.
const GAIN_AMONG_DYNAMIC: f64 = 0.008;
/// A gain of this share need not be of the same setting twice.
const MUCH: f64 = 0.1;
/// Mean or sigma that moved by more than this share is told to the master.
const REFRESH: f64 = 0.1;
/// Iterations for which a setting that was rolled back is not tried again.
const BANNED: u64 = 30;

/// What the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Any technique.
    Auto,
    /// This technique; only its parameters are adapted.
    Fixed(Technique),
}

/// What was proposed.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// From and to a setting; the same for a change of the program's own factors.
    TechniqueParameters(TechniqueParameters, TechniqueParameters),
    /// From and to a number of workers, with the setting that goes with it.
    Workers(u32, u32, TechniqueParameters),
    /// Further worker processes are started, up to this number.
    Start(u32),
}

/// A change that made things worse, and the way back.
#[derive(Clone, Copy, Debug)]
struct WayBack {
    former: TechniqueParameters,
    /// Measured time / ideal before and after.
    was: f64,
    is: f64,
}

/// See the module.
#[derive(Debug)]
pub struct MasterWorker {
    mode: Mode,
    memory: Option<Memory>,
    experience: Experience,
    /// What is in force, as far as known.
    current: Option<TechniqueParameters>,
    last: Option<(u64, f64)>,
    regime: Option<Regime>,
    fresh: bool,
    proposed: Option<Change>,
    /// What the last window advised, and whether it may be followed at once: a change of the program, or the first.
    advice: Option<Family>,
    unsettled: bool,
    trial: Option<Trial>,
    shares: Shares,
    workers: Workers,
    /// Decision by which worker processes are being started, and up to which number.
    starting: Option<(u64, u32)>,
    /// A change that made things worse: back to this.
    back_to: Option<WayBack>,
    banned: BTreeMap<Family, u64>,
    judgements: Vec<Judgement>,
    spread: Spread,
}

impl MasterWorker {
    /// Knows nothing yet.
    pub fn new(mode: Mode, objective: Objective, limits: workers::Limits) -> Self {
        MasterWorker {
            mode,
            memory: None,
            experience: Experience::default(),
            current: None,
            last: None,
            regime: None,
            fresh: false,
            proposed: None,
            advice: None,
            unsettled: true,
            trial: None,
            shares: Shares::default(),
            workers: Workers::new(objective, limits),
            starting: None,
            back_to: None,
            banned: BTreeMap::new(),
            judgements: Vec::new(),
            spread: Spread::default(),
        }
    }

    fn watch(&mut self, window: &Window, ratio: f64) {
        let Some(trial) = &mut self.trial else { return };
        if window.iteration <= trial.applied_in || window.setting_changed {
            return;
        }
        trial.seen.push((ratio, window.iteration_s));
        if !trial.is_over() {
            return;
        }
        let of_technique = trial.is_of_technique();
        let worse = trial.is_worse() && (of_technique || self.shares.is_on_trial());
        let verdict = if worse { Verdict::RolledBack } else { Verdict::Kept };
        self.judgements.push(Judgement { decision: trial.decision, measured_s: trial.measured_s(), verdict });
        self.shares.on_judged(worse, window.iteration, BANNED);
        if worse && of_technique {
            self.banned.insert(family(&trial.setting), window.iteration + BANNED);
            let was = trial.former_ratio.unwrap_or(1.0);
            self.back_to = Some(WayBack { former: trial.former, was, is: trial.ratio() });
        }
        self.trial = None;
    }

    /// Another change takes over: what was seen of the one before is its verdict.
    fn end_trial(&mut self) {
        let Some(trial) = self.trial.take().filter(|trial| !trial.seen.is_empty()) else { return };
        let judgement = Judgement { decision: trial.decision, measured_s: trial.measured_s(), verdict: Verdict::Kept };
        self.judgements.push(judgement);
    }

    /// Whether what the master knows of the tasks is too old for its technique.
    fn is_stale(current: &TechniqueParameters, memory: &Memory) -> bool {
        let uses = matches!(current.kind, Technique::Daf | Technique::Fac2);
        let moved = match current.variation() {
            Some(v) => {
                // Few tasks scatter by themselves; three standard errors of exponential ones.
                let chance = 3.0 * 1.4 / (memory.tasks.max(1) as f64).sqrt();
                (v - memory.variation()).abs() > REFRESH.max(chance) * v.max(memory.variation()).max(0.05)
            }
            None => true,
        };
        uses && moved
    }

    /// Learns from an iteration, and judges the change that is being watched.
    fn learn(&mut self, window: &Window) {
        match Memory::learn(&mut self.memory, window) {
            Learnt::Nothing => return,
            Learnt::OtherWorkers => {
                // What the techniques gave was with the other number.
                self.experience.forget();
                self.banned.clear();
                self.end_trial();
                self.advice = None;
            }
            Learnt::Anew => {
                self.workers.forget();
                self.experience.forget();
                self.banned.clear();
                self.unsettled = true;
                // What was measured before the change is no yardstick for what comes after it.
                if let Some(trial) = &mut self.trial {
                    trial.former_ratio = None;
                }
            }
            Learnt::Added => {}
        }
        self.last = Some((window.iteration, window.iteration_s));
        self.fresh = true;
        // The window knows technique and share; mean and sigma are known from what was proposed.
        let same = self.current.filter(|known| family(known) == family(&window.setting));
        if !window.setting_changed && same.is_none() && self.trial.is_none() {
            self.current = Some(window.setting);
        }
        let ideal_s = window.ideal_s();
        if ideal_s > 0.0 && window.coverage > 0.99 {
            let ratio = window.iteration_s / ideal_s;
            if !window.setting_changed {
                self.regime = Some(Regime::of(window.iteration_s, window.master_busy_s, ideal_s));
                self.spread.add(ratio);
                let levelled = self.memory.as_ref().map(|known| (known.levelled_s(window), known.work_s(window.tasks)));
                self.judgements
                    .extend(levelled.and_then(|(time_s, work_s)| self.workers.watch(window, time_s, work_s)));
                self.experience.add(&window.setting, ratio, window.iteration);
                self.explain(window, ratio);
            }
            self.watch(window, ratio);
        }
    }

    fn next_allocation(&self) -> Option<NextAllocation> {
        let (memory, (_, iteration_now_s)) = (self.memory.as_ref()?, self.last?);
        let scale = iteration_now_s / memory.ideal_s().max(f64::MIN_POSITIVE);
        self.workers.next_allocation(
            memory,
            &self.current?,
            (self.regime?, iteration_now_s),
            scale,
            self.spread.deviation(),
        )
    }

    fn decide(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let (iteration, iteration_s) = self.last?;
        let memory = self.memory.clone()?;
        if iteration_s < SHORTEST_S {
            return None;
        }
        let count = tuning_points.iter().find(|k| k.name == names::WORKERS);
        let count = count.or_else(|| tuning_points.iter().find(|k| k.name == names::OWN_WORKERS));
        let spare = tuning_points.iter().find(|k| k.name == names::SPAWNED);
        self.judge_start(spare);
        if let (Some(tuning_point), Some(to)) = (count, self.workers.way_back()) {
            return self.workers_back(tuning_point, &memory, to);
        }
        if self.workers.is_on_trial() {
            return None;
        }
        let factors = factors::exposed(tuning_points);
        if !factors.is_empty() {
            let current = self.current.filter(|_| self.trial.is_none())?;
            if let Some(proposal) = count
                .and_then(|tuning_point| self.other_workers((tuning_point, None), &memory, (current, current), 1.0))
            {
                return Some(proposal);
            }
            let proposal = self.shares.propose(&factors, &memory, (iteration, iteration_s), GAIN)?;
            // The technique's setting stays; the change is watched all the same.
            self.proposed = Some(Change::TechniqueParameters(current, current));
            return Some(proposal);
        }
        let technique = tuning_points.iter().find(|tuning_point| tuning_point.name == names::TECHNIQUE)?;
        let current = self.current?;
        let ideal_s = memory.ideal_s();
        if let Some(WayBack { former, was, is }) = self.back_to {
            let why = format!(
                "{} measured {is:.4} of the ideal time, {} before it {was:.4}: back to the former",
                current.kind.name(),
                former.kind.name()
            );
            let times = (was * ideal_s, is * ideal_s, uncertainty(self.spread.deviation(), 0.0));
            return Some(self.proposal(technique.rank, iteration, (current, former), why, times));
        }
        if self.trial.as_ref().is_some_and(Trial::is_of_technique) {
            return None;
        }
        let Weighed { best, second, unchanged, scale } = self.weigh(&memory, current, iteration);
        let unchanged_s = unchanged * ideal_s;
        let describe = |what: &str| {
            format!(
                "{what}: tasks take {:.4} ms +- {:.4} ms, {} tasks, {} workers, {:.1} us per chunk; expected of the ideal \
                 {:.4} s: {} {:.4}, {} {:.4}, unchanged {unchanged:.4}",
                memory.mean_s * 1e3,
                memory.sigma_s * 1e3,
                memory.tasks,
                memory.workers,
                memory.chunk_cost_s * 1e6,
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
        // Technique and number are decided together: a new number starts with the setting that suits it.
        let setting = if other { best.setting } else { current };
        let change = (current, setting);
        if let Some(proposal) =
            count.and_then(|tuning_point| self.other_workers((tuning_point, spare), &memory, change, scale))
        {
            return Some(proposal);
        }
        if other {
            // Persistent problems only. What is known least, at the start and after a change of the program,
            // has most to gain and does not wait.
            let before = self.advice.replace(family(&best.setting));
            // Where much is lost, it does not matter which of those that are about as good is the best this time.
            let much = best.ratio <= unchanged * (1.0 - MUCH);
            let persistent = before.is_some_and(|before| much || before == family(&best.setting));
            if !(asked_for || persistent || self.unsettled) {
                return None;
            }
            let what = match (asked_for, best.setting.kind) {
                (true, _) => "this technique was asked for",
                (false, Technique::None) => "tasks are even",
                (false, _) if memory.is_blurred() => "work is uneven, its tasks not yet seen one by one",
                (false, _) => "work is uneven",
            };
            let why = describe(what);
            let times = (best.iteration_s, unchanged_s, uncertainty(best.deviation, 0.0));
            return Some(self.proposal(technique.rank, iteration, (current, best.setting), why, times));
        }
        self.advice = None;
        if self.trial.is_none() && Self::is_stale(&current, &memory) {
            let fresh = candidates::informed(current.kind, current.factor, &memory);
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
        self.proposed = Some(Change::TechniqueParameters(from, to));
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
            at_once: from.kind != to.kind
                && candidates::fits_inside(&to, self.memory.as_ref().map_or(1, |m| m.workers)),
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
        // One look per window: without news there is nothing new to say.
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
        let (former, setting) = match change {
            Change::TechniqueParameters(former, setting) => (former, setting),
            Change::Workers(from, to, setting) => {
                self.end_trial();
                self.workers.on_applied(decision, iteration, from, to);
                (self.advice, self.unsettled, self.current) = (None, false, Some(setting));
                return;
            }
            Change::Start(number) => {
                self.starting = Some((decision, number));
                return;
            }
        };
        // A way back that did not get through is proposed again: it is only forgotten here.
        self.back_to = None;
        self.end_trial();
        self.shares.on_applied();
        (self.advice, self.unsettled) = (None, false);
        self.current = Some(setting);
        let former_ratio = self.experience.ratio(&former, 1);
        self.trial = Some(Trial { decision, former, former_ratio, setting, applied_in: iteration, seen: Vec::new() });
    }
}

const _: () = assert!(TIE < EVEN && EVEN < GAIN && GAIN < GAIN_AMONG_DYNAMIC && GAIN < WORSE * 2.0);
