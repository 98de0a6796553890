//! Proposes mappings: all of them when there are few, by local search when there are many.

use rustc_hash::FxHashSet;

use super::bound::proven_bound;
use super::surrogate::Surrogate;
use super::{Ends, Error, Evaluation, Evaluator, Mapping, Pipeline, best};
use midrun_models::random::Random;

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Most mappings of which all are looked at.
    pub all_up_to: usize,
    /// States solved exactly, summed over the mappings; at least three mappings are.
    pub states: usize,
    /// Starting points of the local search.
    pub starts: usize,
    /// For its random numbers.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { all_up_to: 100_000, states: 20_000_000, starts: 12, seed: 1 }
    }
}

/// Result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The mappings evaluated exactly, best first. Equal ones count in the order of their processors.
    pub evaluated: Vec<Evaluation>,
    /// No mapping has a larger throughput.
    pub bound: f64,
    /// Mappings looked at, exactly or by a bound or an estimate.
    pub examined: usize,
    /// True where all mappings were examined, false for a local search.
    pub exhaustive: bool,
}

impl Found {
    /// True where the first of `evaluated` is proven to be the best (to one part in 10^9).
    pub fn is_optimal(&self) -> bool {
        self.evaluated.first().is_some_and(|best| best.throughput >= self.bound * (1.0 - 1e-9))
    }
}

/// Looks for the mapping with the largest throughput.
///
/// Few mappings: all are ordered by their [`super::cycle_bound`] and solved from the top until the next bound is below
/// the best value found; that proves the best. Many: hill climbing from the widest placements and from random ones, a
/// step moves one stage or swaps two, judged by a short simulation with common random numbers; the best few are then
/// solved exactly, and the distance to [`super::proven_bound`] says how much may be left.
///
/// # Errors
/// The model has more states than the evaluator's limits.
pub fn search(evaluator: &mut Evaluator, ends: Ends, effort: &Effort) -> Result<Found, Error> {
    let pipeline = evaluator.pipeline().clone();
    let (processors, stages) = (pipeline.processors(), pipeline.stages());
    let relaxed = proven_bound(&pipeline, ends);
    let count = u32::try_from(stages).ok().and_then(|stages| processors.checked_pow(stages));
    let exhaustive = count.is_some_and(|count| count <= effort.all_up_to);
    let (mut candidates, examined) = match count {
        Some(count) if exhaustive => (all(&pipeline, ends, count)?, count),
        _ => climb(&pipeline, ends, effort)?,
    };
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    let affordable = 3_f64.powi(-(stages as i32)) * effort.states as f64;
    let most = (affordable as usize).max(3);
    let mut evaluated: Vec<Evaluation> = Vec::new();
    let mut left = 0.0;
    for (index, (value, mapping)) in candidates.iter().enumerate() {
        let top = best(&evaluated).map_or(0.0, |top| top.throughput);
        let settled = exhaustive && *value < top * (1.0 - 1e-9);
        if settled || index >= most {
            // In an exhaustive search `value` bounds all remaining mappings.
            left = if exhaustive { *value } else { f64::INFINITY };
            break;
        }
        evaluated.push(evaluator.evaluate(mapping)?);
    }
    evaluated.sort_by(|a, b| b.throughput.total_cmp(&a.throughput));
    put_first_of_equals(&mut evaluated);
    let top = evaluated.first().map_or(0.0, |top| top.throughput);
    let bound = if exhaustive { left.max(top).min(relaxed.max(top)) } else { relaxed.max(top) };
    Ok(Found { evaluated, bound, examined, exhaustive })
}

/// Rounding must not decide between mappings of the same throughput.
fn put_first_of_equals(evaluated: &mut [Evaluation]) {
    let Some(top) = evaluated.first().map(|top| top.throughput) else { return };
    let equal = evaluated.iter().take_while(|one| one.throughput >= top * (1.0 - 1e-9)).count();
    evaluated[..equal].sort_by(|a, b| a.mapping.stages.cmp(&b.mapping.stages));
}

/// A mapping and what orders it.
type Candidate = (f64, Mapping);

/// Every mapping with its bound.
fn all(pipeline: &Pipeline, ends: Ends, count: usize) -> Result<Vec<Candidate>, Error> {
    let (processors, stages) = (pipeline.processors(), pipeline.stages());
    let nth = |mut number: usize| {
        let mut places = vec![0; stages];
        for place in places.iter_mut().rev() {
            (*place, number) = (number % processors, number / processors);
        }
        let mapping = ends.mapping(places);
        pipeline.rates(&mapping).map(|rates| (rates.cycle_bound(), mapping))
    };
    (0..count).map(nth).collect()
}

/// Local search; returns what it met at its tops, and how many mappings it judged.
fn climb(pipeline: &Pipeline, ends: Ends, effort: &Effort) -> Result<(Vec<Candidate>, usize), Error> {
    let mut random = Random::new(effort.seed);
    let mut climber = Climber { pipeline, ends, surrogate: Surrogate::new(pipeline.stages(), effort.seed), judged: 0 };
    let mut seen = FxHashSet::default();
    let mut tops = Vec::new();
    for start in 0..effort.starts.max(1) {
        let places = if start == 0 { greedy(pipeline) } else { anywhere(pipeline, &mut random) };
        for candidate in climber.climb(places)? {
            if seen.insert(candidate.1.clone()) {
                tops.push(candidate);
            }
        }
    }
    Ok((tops, climber.judged))
}

/// The stages with the most work on the processors that then serve them best.
fn greedy(pipeline: &Pipeline) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pipeline.stages()).collect();
    order.sort_by(|a, b| pipeline.stages.work[*a].total_cmp(&pipeline.stages.work[*b]));
    let mut hosted = vec![0.0; pipeline.processors()];
    let mut places = vec![0; pipeline.stages()];
    for stage in order {
        let share = |place: usize| pipeline.processors[place] / (hosted[place] + 1.0);
        let quickest = (0..hosted.len()).max_by(|a, b| share(*a).total_cmp(&share(*b)).then(b.cmp(a)));
        places[stage] = quickest.unwrap_or(0);
        hosted[places[stage]] += 1.0;
    }
    places
}

fn anywhere(pipeline: &Pipeline, random: &mut Random) -> Vec<usize> {
    let processors = pipeline.processors();
    (0..pipeline.stages()).map(|_| random.below(processors)).collect()
}

struct Climber<'p> {
    pipeline: &'p Pipeline,
    ends: Ends,
    surrogate: Surrogate,
    judged: usize,
}

impl Climber<'_> {
    fn judge(&mut self, places: &[usize]) -> Result<f64, Error> {
        self.judged += 1;
        let rates = self.pipeline.rates(&self.ends.mapping(places.to_vec()))?;
        Ok(self.surrogate.throughput(&rates))
    }

    /// Takes the best step until none helps; returns the last few places, the top last.
    fn climb(&mut self, mut places: Vec<usize>) -> Result<Vec<Candidate>, Error> {
        let mut value = self.judge(&places)?;
        let mut path = vec![(value, self.ends.mapping(places.clone()))];
        loop {
            let mut step: Option<(f64, Vec<usize>)> = None;
            for next in neighbours(&places, self.pipeline.processors()) {
                let judged = self.judge(&next)?;
                if judged > step.as_ref().map_or(value, |(best, _)| *best) {
                    step = Some((judged, next));
                }
            }
            let Some((better, next)) = step else { break };
            (value, places) = (better, next);
            path.push((value, self.ends.mapping(places.clone())));
        }
        Ok(path.split_off(path.len().saturating_sub(3)))
    }
}

/// One stage moved, or two swapped.
fn neighbours(places: &[usize], processors: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for stage in 0..places.len() {
        for place in (0..processors).filter(|place| *place != places[stage]) {
            let mut moved = places.to_vec();
            moved[stage] = place;
            all.push(moved);
        }
        for other in (0..stage).filter(|other| places[*other] != places[stage]) {
            let mut swapped = places.to_vec();
            swapped.swap(stage, other);
            all.push(swapped);
        }
    }
    all
}
