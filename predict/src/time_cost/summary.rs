//! Summary of many runs: mean, variance, extremes, a histogram, and the waiting at each lock node.

use super::run::Outcome;
use super::structure::{Kind, Structure};
use crate::mean::Mean;

/// Pieces of a histogram.
const BINS: usize = 20;

/// Time cost of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Runs.
    pub runs: u32,
    /// Mean time at the end, seconds.
    pub mean_s: f64,
    /// Where the mean lies with confidence [`crate::state_diagram::LEVEL`], seconds. `None`: nothing is drawn, the mean is exact for this model.
    pub interval_s: Option<(f64, f64)>,
    /// Variance between runs, seconds squared; 0 for one run.
    pub variance_s2: f64,
    /// The fastest run, seconds.
    pub minimum_s: f64,
    /// The slowest run, seconds.
    pub maximum_s: f64,
    /// Runs by their time: pieces of equal width, one where all runs took the same.
    pub histogram: Vec<Bin>,
    /// Each lock node, and how long signals waited there in a run on average, seconds.
    pub waiting_s: Vec<(String, f64)>,
}

/// A piece of a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Lower end, seconds.
    pub from_s: f64,
    /// Upper end, seconds.
    pub to_s: f64,
    /// Runs in it.
    pub runs: u32,
}

impl Cost {
    pub(super) fn of(structure: &Structure, outcomes: &[Outcome]) -> Cost {
        let count = outcomes.len() as f64;
        let times = || outcomes.iter().map(|outcome| outcome.time_s);
        let mean_s = times().sum::<f64>() / count;
        let squares: f64 = times().map(|time_s| (time_s - mean_s).powi(2)).sum();
        let (minimum_s, maximum_s) = times().fold((f64::INFINITY, 0.0_f64), |(a, b), t| (a.min(t), b.max(t)));
        let mut mean = Mean::default();
        times().for_each(|time_s| mean.add(time_s));
        let waited = |node: usize| outcomes.iter().filter_map(|o| o.waited_s.get(&node)).sum::<f64>() / count;
        let nodes = structure.nodes.iter().enumerate();
        let locks = nodes.filter(|(_, node)| matches!(node.kind, Kind::Lock { .. }));
        Cost {
            runs: outcomes.len() as u32,
            mean_s,
            interval_s: structure.draws().then(|| mean.interval()),
            variance_s2: if outcomes.len() > 1 { squares / (count - 1.0) } else { 0.0 },
            minimum_s,
            maximum_s,
            histogram: histogram(times(), minimum_s, maximum_s),
            waiting_s: locks.map(|(number, node)| (node.name.clone(), waited(number))).collect(),
        }
    }
}

fn histogram(times: impl Iterator<Item = f64>, low: f64, high: f64) -> Vec<Bin> {
    let pieces = if high - low > 1e-12 * high { BINS } else { 1 };
    let edge = |i: usize| low + (high - low) * i as f64 / pieces as f64;
    let mut bins: Vec<Bin> = (0..pieces).map(|i| Bin { from_s: edge(i), to_s: edge(i + 1), runs: 0 }).collect();
    for time_s in times {
        let place = if pieces == 1 { 0.0 } else { (time_s - low) / (high - low) * pieces as f64 };
        bins[(place as usize).min(pieces - 1)].runs += 1;
    }
    bins
}
