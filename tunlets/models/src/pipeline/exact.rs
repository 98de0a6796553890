//! The best pattern there is: which neighbours share a rank, and how many replicas each group has.
//!
//! The period of a pattern is the slowest group's production time. For a given period, the fewest ranks that keep it are
//! found by dynamic programming over contiguous groups; the least period is found by bisection. The bisection runs over the
//! floating-point numbers themselves, of which 64 halvings leave one, so that its end is the exact optimum.

use super::{Group, Pattern, Pipeline};

/// Two times that differ by less are the same pace (they come out of sums in another order).
pub(super) const SAME: f64 = 1.0 + 1e-9;

/// Criterion of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The shortest period; of those, the fewest ranks.
    Time,
    /// The least `ranks T² / sum tc`, as for workers: more ranks would cost more than they give.
    Efficiency,
    /// The shortest period with at most so many ranks.
    Budget(u32),
    /// The fewest ranks with which the period is no longer than this, seconds; else as [`Objective::Time`].
    Deadline(f64),
}

/// Groups of neighbouring stages that the search may form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// None.
    None,
    /// Any, on one rank: to free ranks for the slow stages.
    Single,
    /// Any, on any number of ranks. Where no stage keeps state the best is then often all stages on every rank: no pipeline,
    /// but a farm, which the model prefers because every rank is always busy and no message is sent between stages.
    Any,
}

/// Fewest replicas with which neighbouring stages of `compute_s` in all keep `period_s`; `None` when `most` do not.
pub(super) fn replicas_for(
    pipeline: &Pipeline,
    first: usize,
    stages: usize,
    compute_s: f64,
    period_s: f64,
    most: u32,
) -> Option<u32> {
    let keeps = |replicas| pipeline.production_of(&Group { first, stages, replicas }, compute_s) <= period_s;
    if keeps(1) {
        return Some(1);
    }
    if most < 2 || !keeps(most) || !pipeline.may_grow(first, stages) {
        return None;
    }
    // From two replicas on, more are never slower.
    let (mut fails, mut enough) = (1, most);
    while enough - fails > 1 {
        let middle = fails + (enough - fails) / 2;
        if keeps(middle) { enough = middle } else { fails = middle }
    }
    Some(enough)
}

/// The search for one pipeline.
struct Search<'a> {
    pipeline: &'a Pipeline,
    /// Compute time of the stages before each, seconds.
    before_s: Vec<f64>,
    grouping: Grouping,
    ranks: u32,
}

impl Search<'_> {
    /// The pattern that keeps `period_s` with the fewest ranks; where two take the same, that with the smaller groups.
    fn cheapest(&self, period_s: f64) -> Option<Pattern> {
        let n = self.pipeline.stages.len();
        let mut best: Vec<Option<(u32, Group)>> = vec![None; n];
        for end in 1..=n {
            let mut least: Option<(u32, Group)> = None;
            let longest = if self.grouping == Grouping::None { 1 } else { end };
            for stages in 1..=longest {
                let first = end - stages;
                let Some(taken) = (if first == 0 { Some(0) } else { best[first - 1].map(|(ranks, _)| ranks) }) else {
                    continue;
                };
                let most = least.map_or(self.ranks, |(ranks, _)| ranks - 1).saturating_sub(taken);
                let compute_s = self.before_s[end] - self.before_s[first];
                let most = if self.grouping == Grouping::Single && stages > 1 { most.min(1) } else { most };
                if most == 0 {
                    continue;
                }
                let Some(replicas) = replicas_for(self.pipeline, first, stages, compute_s, period_s, most) else {
                    continue;
                };
                let ranks = taken + self.pipeline.ranks_of(replicas);
                if ranks <= self.ranks && least.is_none_or(|(fewest, _)| ranks < fewest) {
                    least = Some((ranks, Group { first, stages, replicas }));
                }
            }
            best[end - 1] = least;
        }
        let mut groups = Vec::new();
        let mut end = n;
        while end > 0 {
            let (_, group) = best[end - 1]?;
            groups.push(group);
            end = group.first;
        }
        groups.reverse();
        Some(Pattern(groups))
    }

    /// The least period that `self.ranks` ranks can keep, between two bounds of which the upper one can be kept. Seconds.
    fn least_period_s(&self, low_s: f64, high_s: f64) -> f64 {
        // Positive floating-point numbers are ordered as their bits are.
        let (mut low, mut high) = (low_s.to_bits(), high_s.to_bits());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.cheapest(f64::from_bits(middle)).is_some() { high = middle } else { low = middle + 1 }
        }
        f64::from_bits(high)
    }

    fn with(&self, ranks: u32) -> Search<'_> {
        Search { pipeline: self.pipeline, before_s: self.before_s.clone(), grouping: self.grouping, ranks }
    }

    /// A period that `self.ranks` ranks keep whatever they do: all stages on one rank, or each on its own.
    fn easy_period_s(&self) -> Option<f64> {
        let n = self.pipeline.stages.len();
        let sends_s: f64 =
            (0..n).map(|s| self.pipeline.production_of(&Group { first: s, stages: 1, replicas: 1 }, 0.0)).sum();
        let all_s = (self.before_s[n] + sends_s) * SAME;
        self.cheapest(all_s).map(|_| all_s)
    }
}

/// The best pattern for at most `ranks` ranks; `None` when they are too few: none, or without grouping fewer than stages.
pub fn optimum(pipeline: &Pipeline, ranks: u32, grouping: Grouping, objective: Objective) -> Option<Pattern> {
    let before_s = std::iter::once(0.0).chain(pipeline.stages.iter().scan(0.0, |sum, stage| {
        *sum += stage.compute_s;
        Some(*sum)
    }));
    let ranks = match objective {
        Objective::Budget(most) => ranks.min(most),
        _ => ranks,
    };
    let search = Search { pipeline, before_s: before_s.collect(), grouping, ranks };
    let easy_s = search.easy_period_s()?;
    let period_s = search.least_period_s(0.0, easy_s);
    match objective {
        Objective::Efficiency => efficient(&search, period_s, easy_s),
        Objective::Deadline(most_s) if most_s >= period_s => search.cheapest(most_s),
        Objective::Time | Objective::Budget(_) | Objective::Deadline(_) => search.cheapest(period_s * SAME),
    }
}

/// The pattern with the least `p T(p)²`, where `least_s` is the period of all ranks.
fn efficient(search: &Search<'_>, least_s: f64, easy_s: f64) -> Option<Pattern> {
    let mut high_s = easy_s;
    let mut best: Option<(f64, Pattern)> = None;
    for ranks in 1..=search.ranks {
        let some = search.with(ranks);
        // No number of ranks beats `least_s`: from here on they only cost.
        if best.as_ref().is_some_and(|(index, _)| f64::from(ranks) * least_s * least_s >= *index) {
            break;
        }
        if some.cheapest(high_s).is_none() {
            continue;
        }
        high_s = some.least_period_s(least_s, high_s);
        let Some(pattern) = some.cheapest(high_s * SAME) else { continue };
        let index = f64::from(search.pipeline.ranks(&pattern)) * high_s * high_s;
        if best.as_ref().is_none_or(|(least, _)| index < *least) {
            best = Some((index, pattern));
        }
    }
    best.map(|(_, pattern)| pattern)
}
