//! A shadow: a tunlet that only advises, scored on the same run. Its predictions are tested where the values that it
//! proposed come into force anyway.

use std::collections::{BTreeMap, VecDeque};

use midrun_models::line::median;
use midrun_scheduling::Technique;

use crate::trial::WATCHED;
use crate::tuning_point::names;
use crate::{Observation, Settled, ShadowScore, TuningPoint, Tunlet, Value};

/// Proposals that wait until their values are in force; beyond these the oldest is dropped.
const OPEN: usize = 64;
/// Prediction errors that are kept.
const ERRORS: usize = 1024;

/// Values in force, by rank and name.
pub(crate) type InForce = BTreeMap<(u32, String), Value>;

/// The values that distinguish settings. Task times differ from window to window, and the share matters only for techniques
/// that have one.
fn decisive(to: &[(String, Value)]) -> Vec<(String, Value)> {
    let kind = to.iter().find(|(name, _)| name == names::TECHNIQUE).and_then(|(_, code)| code.number());
    let shared = [Technique::Fsc, Technique::Dpf].map(|kind| f64::from(kind.code()));
    let shareless = kind.is_some_and(|kind| !shared.contains(&kind));
    let task_times = [names::TASK_MEAN_S, names::TASK_SIGMA_S, names::MIN_CHUNK];
    let counts = |name: &str| !(task_times.contains(&name) || (shareless && name == names::FACTOR));
    to.iter().filter(|(name, _)| counts(name)).cloned().collect()
}

/// A proposal whose values may come into force later.
#[derive(Clone, Debug)]
struct Open {
    rank: u32,
    to: Vec<(String, Value)>,
    predicted_s: Option<f64>,
    iteration: u64,
    measured_s: Vec<f64>,
}

/// One advising tunlet.
#[derive(Clone)]
pub(crate) struct Shadow {
    tunlet: Box<dyn Tunlet>,
    open: VecDeque<Open>,
    errors: VecDeque<f64>,
    proposals: u64,
    tested: u64,
    agreed: u64,
    acting: u64,
}

fn same(now: &Value, wanted: &Value) -> bool {
    match (now, wanted) {
        (Value::Number(now), Value::Number(wanted)) => (now - wanted).abs() <= 1e-6 * now.abs().max(wanted.abs()),
        (now, wanted) => now == wanted,
    }
}

fn holds(to: &[(String, Value)], rank: u32, in_force: &InForce) -> bool {
    to.iter().all(|(name, wanted)| in_force.get(&(rank, name.clone())).is_some_and(|now| same(now, wanted)))
}

impl Shadow {
    /// Wraps a tunlet that has not advised yet.
    pub fn new(tunlet: Box<dyn Tunlet>) -> Shadow {
        Shadow { tunlet, open: VecDeque::new(), errors: VecDeque::new(), proposals: 0, tested: 0, agreed: 0, acting: 0 }
    }

    /// The tunlet itself.
    pub fn tunlet(&self) -> &dyn Tunlet {
        self.tunlet.as_ref()
    }

    /// Takes in an observation. `in_force` holds the values that were in force in the whole window, if they did not change.
    pub fn observe(&mut self, observation: Observation<'_>, in_force: Option<&InForce>) {
        match (observation, in_force) {
            (Observation::Iteration(window), Some(in_force)) => {
                self.measure(window.iteration, window.iteration_s, in_force);
            }
            (Observation::Stream(window), Some(in_force)) if window.outputs > 0 => {
                self.measure(window.number, window.period_s(), in_force);
            }
            _ => {}
        }
        self.tunlet.observe(observation);
    }

    fn measure(&mut self, number: u64, measured_s: f64, in_force: &InForce) {
        for open in &mut self.open {
            if number > open.iteration && holds(&open.to, open.rank, in_force) {
                open.measured_s.push(measured_s);
            }
        }
        let (tested, open): (Vec<Open>, Vec<Open>) =
            self.open.drain(..).partition(|open| open.predicted_s.is_some() && open.measured_s.len() >= WATCHED);
        self.open = open.into();
        for open in tested {
            let Some(predicted_s) = open.predicted_s else { continue };
            self.tested += 1;
            self.errors.push_back((median(open.measured_s) - predicted_s).abs() / predicted_s);
            if self.errors.len() > ERRORS {
                self.errors.pop_front();
            }
        }
    }

    /// Asks for a proposal, and remembers it.
    pub fn advise(&mut self, tuning_points: &[TuningPoint]) {
        let Some(proposal) = self.tunlet.propose(tuning_points) else { return };
        self.tunlet.on_settled(u64::MAX, Settled::NotApplied { why: None });
        let (rank, to) = (proposal.ranks[0], decisive(&proposal.assignments));
        let known = |open: &&mut Open| {
            let mut pairs = open.to.iter().zip(&to);
            open.rank == rank
                && open.to.len() == to.len()
                && pairs.all(|((name, value), (other, wanted))| name == other && same(value, wanted))
        };
        let predicted_s = Some(proposal.predicted_s).filter(|s| s.is_finite() && *s > 0.0);
        if let Some(open) = self.open.iter_mut().find(known) {
            // Repeated advice: its newest prediction counts as long as nothing was measured.
            if open.measured_s.is_empty() {
                (open.predicted_s, open.iteration) = (predicted_s, proposal.iteration);
            }
            return;
        }
        self.proposals += 1;
        if self.open.len() >= OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Open { rank, to, predicted_s, iteration: proposal.iteration, measured_s: Vec::new() });
    }

    /// A change of an acting tunlet was applied.
    pub fn on_acted(&mut self, rank: u32, to: &[(String, Value)]) {
        self.acting += 1;
        let after: InForce = to.iter().map(|(name, value)| ((rank, name.clone()), value.clone())).collect();
        self.agreed += u64::from(self.open.iter().any(|open| holds(&open.to, open.rank, &after)));
    }

    /// The score so far.
    pub fn score(&self) -> ShadowScore {
        ShadowScore {
            tunlet: self.tunlet.name().to_owned(),
            proposals: self.proposals,
            tested: self.tested,
            median_error: (!self.errors.is_empty()).then(|| median(self.errors.iter().copied().collect())),
            agreed: self.agreed,
            acting: self.acting,
        }
    }
}
