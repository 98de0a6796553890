//! Upper bounds of the throughput, of one mapping and of all.

use super::{Ends, Error, Mapping, Pipeline, Rates};

impl Rates {
    /// A stage does one thing at a time: receive, process, send. For each input it is busy
    /// `1/lambda_i + 1/mu_i + 1/lambda_(i+1)` on average, so the throughput is at most the inverse, for every stage.
    pub(super) fn cycle_bound(&self) -> f64 {
        let stages = self.process.iter().zip(self.moves.iter().zip(self.moves.iter().skip(1)));
        let longest = stages.map(|(mu, (before, after))| 1.0 / before + 1.0 / mu + 1.0 / after);
        1.0 / longest.fold(0.0, f64::max)
    }
}

/// An upper bound of the throughput of `mapping`: the inverse of the longest stage's receive, process and send times.
///
/// # Errors
/// Those of [`Pipeline::rates`].
pub fn cycle_bound(pipeline: &Pipeline, mapping: &Mapping) -> Result<f64, Error> {
    Ok(pipeline.rates(mapping)?.cycle_bound())
}

/// An upper bound of the throughput of every mapping of `pipeline`: the smaller of two relaxations.
///
/// - *Widest path*: the largest least stage bound over all placements, as if no processor were shared. Dynamic programme
///   over the places of two neighbouring stages, O(stages processors^3).
/// - *Capacity*: at throughput X, processor j can host at most `max_i w_i cp_j (1/X - t_i)` stages, t_i the least time of
///   stage i's two moves; X is too large when not all stages find room.
pub fn proven_bound(pipeline: &Pipeline, ends: Ends) -> f64 {
    widest_path(pipeline, ends).min(capacity(pipeline))
}

fn widest_path(pipeline: &Pipeline, ends: Ends) -> f64 {
    let (p, stages) = (pipeline.processors(), pipeline.stages());
    let data = &pipeline.stages.data;
    let takes = |k: usize, from: usize, to: usize| data[k] / pipeline.links[from][to];
    // best[a * p + b]: the smallest longest cycle of the stages so far, with stage k - 1 on a and stage k on b.
    let mut best = vec![f64::INFINITY; p * p];
    for b in 0..p {
        // Without a given place, the input is on the processor of stage 1.
        match ends.input {
            Some(a) => best[a * p + b] = 0.0,
            None => best[b * p + b] = 0.0,
        }
    }
    for k in 0..stages {
        let mut next = vec![f64::INFINITY; p * p];
        for a in 0..p {
            for b in (0..p).filter(|b| best[a * p + b].is_finite()) {
                let before = takes(k, a, b) + 1.0 / (pipeline.stages.work[k] * pipeline.processors[b]);
                for c in 0..p {
                    let last_is_elsewhere = k + 1 == stages && c != ends.output.unwrap_or(b);
                    if !last_is_elsewhere {
                        let cycle = before + takes(k + 1, b, c);
                        let value = best[a * p + b].max(cycle);
                        next[b * p + c] = next[b * p + c].min(value);
                    }
                }
            }
        }
        best = next;
    }
    1.0 / best.into_iter().fold(f64::INFINITY, f64::min)
}

fn capacity(pipeline: &Pipeline) -> f64 {
    let quickest = pipeline.links.iter().flatten().fold(0.0, |a: f64, b| a.max(*b));
    let data = &pipeline.stages.data;
    let moves: Vec<f64> = (0..pipeline.stages()).map(|k| (data[k] + data[k + 1]) / quickest).collect();
    let fits = |period: f64| {
        let room = |power: &f64| {
            let one = moves.iter().zip(&pipeline.stages.work).map(|(t, work)| work * power * (period - t));
            // Slightly more, so that rounding never excludes a feasible mapping.
            (one.fold(0.0, f64::max) * (1.0 + 1e-9)).floor().min(pipeline.stages() as f64)
        };
        pipeline.processors.iter().map(room).sum::<f64>() >= pipeline.stages() as f64
    };
    // Bisection for the smallest feasible period: double it until it is feasible, then halve the interval.
    let mut high = moves.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
    while high.is_finite() && !fits(high) {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if fits(middle) { high = middle } else { low = middle }
    }
    // Periods up to `low` are infeasible, so `low` is a bound.
    if low > 0.0 { 1.0 / low } else { f64::INFINITY }
}
