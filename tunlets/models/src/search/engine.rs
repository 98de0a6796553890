//! The search loop: it measures the start values, then the method's combinations, and at the end the best against the start.

use super::evolution::Evolution;
use super::halving::Halving;
use super::observations::{Candidate, Observations};
use super::simplex::Simplex;
use super::space::{Point, Space};
use crate::line::median;
use crate::random::Random;

/// Measurements of a combination that is close to the best.
const REPEATS: usize = 3;
/// Measurements of the start values before the search.
const AT_START: usize = 3;
/// Measurements of the best and of the start values at the end.
const AT_END: usize = 3;
/// Least relative difference between two times that counts.
const LEAST_MARGIN: f64 = 0.02;
/// Standard deviations between two times that count as a difference.
const CLEAR: f64 = 3.0;
/// The exhaustive method is chosen where the combinations are at most the budget divided by this.
const EXHAUSTIVE_SHARE: usize = 3;
/// Most dimensions of a simplex.
const SIMPLEX_DIMENSIONS: usize = 4;
/// Restarts of the simplex elsewhere.
const RESTARTS: u32 = 1;
/// Combinations of an earlier search that are measured first.
const REMEMBERED: usize = 2;

/// Search method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Chosen by the number of combinations and dimensions, and by categorical dimensions.
    #[default]
    Auto,
    /// All of them.
    Exhaustive,
    /// Nelder and Mead's.
    Simplex,
    /// Differential evolution.
    Evolution,
}

impl Method {
    /// All, by name.
    pub const NAMES: [(&'static str, Method); 4] = [
        ("auto", Method::Auto),
        ("exhaustive", Method::Exhaustive),
        ("simplex", Method::Simplex),
        ("evolution", Method::Evolution),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Method::NAMES.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// Method, budget and seed of a search.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Search method.
    pub method: Method,
    /// Measurements it may take, at least 12.
    pub budget: usize,
    /// The same seed and the same times give the same search.
    pub seed: u64,
}

/// A combination to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Values of the dimensions.
    pub values: Vec<f64>,
    /// True for the start values.
    pub start: bool,
}

/// The best combination at the end, or so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Values of the dimensions.
    pub values: Vec<f64>,
    /// True for the start values.
    pub start: bool,
    /// Median of the measured times, seconds.
    pub time_s: f64,
}

#[derive(Clone, Debug)]
enum Explorer {
    Halving(Halving),
    Simplex(Simplex),
    Evolution(Evolution),
}

#[derive(Clone, Debug)]
enum Phase {
    /// Measures the start values, then the remembered combinations.
    Start,
    Explore,
    /// Measures the start values again, then the best; holds the times so far.
    Duel {
        best: Point,
        start_s: Vec<f64>,
        best_s: Vec<f64>,
    },
    Over {
        winner: Candidate,
    },
}

/// A search. [`Search::ask`], measure, [`Search::tell`], until nothing is asked for.
#[derive(Clone, Debug)]
pub struct Search {
    space: Space,
    start: Vec<f64>,
    method: Method,
    explorer: Explorer,
    remembered: Vec<Point>,
    phase: Phase,
    asked: Option<(Candidate, usize)>,
    seen: Observations,
    spent: usize,
    budget: usize,
}

impl Search {
    /// From the values `start`, which need not be in the space; `known` are combinations that an earlier search found
    /// good, the best first.
    pub fn new(space: Space, start: Vec<f64>, known: &[Vec<f64>], plan: Plan) -> Search {
        let mut random = Random::new(plan.seed);
        let budget = plan.budget.max(AT_START + 1 + 2 * AT_END);
        let few = space.allowed_points(budget / EXHAUSTIVE_SHARE);
        let categorical = space.dimensions.iter().any(|dimension| dimension.categorical);
        let method = match plan.method {
            Method::Auto if few.is_some() => Method::Exhaustive,
            Method::Auto if categorical || space.dimensions.len() > SIMPLEX_DIMENSIONS => Method::Evolution,
            Method::Auto => Method::Simplex,
            fixed => fixed,
        };
        let remembered: Vec<Point> = known.iter().filter_map(|values| space.exactly(values)).take(REMEMBERED).collect();
        let near = space.nearest(&start);
        let first = remembered.first().cloned().unwrap_or(near);
        let first = if space.allows(&first) { first } else { space.any(&mut random).unwrap_or(first) };
        let explorer = match method {
            Method::Exhaustive => {
                let all = few.or_else(|| space.allowed_points(usize::MAX));
                Explorer::Halving(Halving::new(all.unwrap_or_else(|| sample(&space, budget, &mut random)), &mut random))
            }
            Method::Evolution => Explorer::Evolution(Evolution::new(&space, first, random)),
            Method::Simplex | Method::Auto => Explorer::Simplex(Simplex::new(&space, &first, RESTARTS, random)),
        };
        let (phase, asked, seen, spent) = (Phase::Start, None, Observations::default(), 0);
        Search { space, start, method, explorer, remembered, phase, asked, seen, spent, budget }
    }

    /// The method chosen.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The search space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Measurements so far.
    pub fn spent(&self) -> usize {
        self.spent
    }

    /// Measurements it may take.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// True once the search is over.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over { .. })
    }

    /// The next combination to measure; the same one until its time is reported. `None`: the search is over.
    pub fn ask(&mut self) -> Option<Ask> {
        if self.asked.is_none() {
            self.asked = self.choose();
        }
        let (candidate, _) = self.asked.as_ref()?;
        Some(Ask { values: self.values(candidate), start: candidate.is_none() })
    }

    /// Reports the time of the combination asked for, seconds. A time that is not finite and positive only uses up budget.
    pub fn tell(&mut self, time_s: f64) {
        let Some((candidate, wanted)) = self.asked.clone() else { return };
        self.spent += 1;
        let sound = time_s.is_finite() && time_s > 0.0;
        if let Phase::Duel { start_s, best_s, .. } = &mut self.phase {
            let own = if candidate.is_none() { start_s } else { best_s };
            own.push(if sound { time_s } else { f64::INFINITY });
        }
        if sound {
            self.seen.add(&candidate, time_s);
        }
        let more = matches!(self.phase, Phase::Start | Phase::Explore) && self.wants_more(&candidate, wanted);
        if !more {
            self.asked = None;
        }
    }

    /// The best combination so far, or at the end the winner. `None`: nothing was measured.
    pub fn best(&self) -> Option<Best> {
        let candidate = match &self.phase {
            Phase::Over { winner } => winner,
            _ => self.seen.best()?.0,
        };
        let time_s = self.seen.median_s(candidate)?;
        Some(Best { values: self.values(candidate), start: candidate.is_none(), time_s })
    }

    /// Median of the times with the values at start, seconds.
    pub fn start_s(&self) -> Option<f64> {
        self.seen.median_s(&None)
    }

    /// The combinations measured, best first: values, median in seconds, number of measurements.
    pub fn ranking(&self) -> Vec<(Vec<f64>, f64, usize)> {
        let all = self.seen.ranking().into_iter();
        all.map(|(point, time_s, count)| (self.space.values(&point), time_s, count)).collect()
    }

    /// The share by which a time must differ to count as different.
    pub fn margin(&self) -> f64 {
        (CLEAR * self.seen.noise()).max(LEAST_MARGIN)
    }

    fn values(&self, candidate: &Candidate) -> Vec<f64> {
        candidate.as_ref().map_or_else(|| self.start.clone(), |point| self.space.values(point))
    }

    /// True where the candidate is close to the best and was not measured often enough.
    fn wants_more(&self, candidate: &Candidate, wanted: usize) -> bool {
        let count = self.seen.count(candidate);
        if self.spent + 2 * AT_END >= self.budget || count >= wanted {
            return false;
        }
        let others = self.seen.ranking().into_iter().filter(|(point, ..)| Some(point) != candidate.as_ref());
        let best_s = others
            .map(|(_, s, _)| s)
            .chain(self.start_s().filter(|_| candidate.is_some()))
            .fold(f64::INFINITY, f64::min);
        match (self.seen.median_s(candidate), candidate) {
            (Some(own_s), Some(_)) => (own_s / best_s - 1.0).abs() <= self.margin(),
            // The start is what everything is compared with.
            _ => true,
        }
    }

    fn choose(&mut self) -> Option<(Candidate, usize)> {
        loop {
            match &mut self.phase {
                Phase::Start if self.spent < AT_START => return Some((None, AT_START)),
                Phase::Start => match self.remembered.pop() {
                    Some(point) => return Some((Some(point), REPEATS)),
                    None => self.phase = Phase::Explore,
                },
                Phase::Explore if self.spent + 2 * AT_END >= self.budget => self.end_exploring(),
                Phase::Explore => match self.explore() {
                    Some((point, wanted)) => return Some((Some(point), wanted)),
                    None => self.end_exploring(),
                },
                // The best comes last, so that it is in force when it stands.
                Phase::Duel { start_s, .. } if start_s.len() < AT_END => return Some((None, 1)),
                Phase::Duel { best, best_s, .. } if best_s.len() < AT_END => return Some((Some(best.clone()), 1)),
                Phase::Duel { best, start_s, best_s } => {
                    let better = median(best_s.clone()) < median(start_s.clone());
                    let winner = better.then(|| best.clone());
                    self.phase = Phase::Over { winner };
                }
                Phase::Over { .. } => return None,
            }
        }
    }

    fn explore(&mut self) -> Option<(Point, usize)> {
        let margin = self.margin();
        match &mut self.explorer {
            Explorer::Halving(halving) => halving.next(&self.seen, margin),
            Explorer::Simplex(simplex) => simplex.next(&self.space, &self.seen).map(|point| (point, REPEATS)),
            Explorer::Evolution(evolution) => evolution.next(&self.space, &self.seen).map(|point| (point, REPEATS)),
        }
    }

    fn end_exploring(&mut self) {
        let better = |(_, time_s, _): &(Point, f64, usize)| self.start_s().is_none_or(|start_s| *time_s < start_s);
        let best = self.seen.ranking().into_iter().next().filter(better);
        self.phase = match best {
            Some((best, ..)) => Phase::Duel { best, start_s: Vec::new(), best_s: Vec::new() },
            None => Phase::Over { winner: None },
        };
    }
}

/// Distinct random combinations, as many as half the budget.
fn sample(space: &Space, budget: usize, random: &mut Random) -> Vec<Point> {
    let drawn: std::collections::BTreeSet<Point> = (0..budget / 2).filter_map(|_| space.any(random)).collect();
    drawn.into_iter().collect()
}
