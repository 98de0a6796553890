//! Records what the problems of each depth took, as measurements of points whose labels are midrun's.

use super::level::{Level, Times};
use super::tree::Tree;
use crate::records;
use midrun_vocabulary::names::tree as label;

/// Records one solve, before its iteration ends. `span_ns`: its longest chain of problems that wait for each other.
pub fn push(iteration: u64, cutoff: u32, tree: &Tree, span_ns: u64) {
    let one = |label: &str, ns: u64| {
        let mut times = Times::default();
        times.add(ns);
        push_times(label, iteration, &times);
    };
    records::point_values(label::CUTOFF, iteration, 1, f64::from(cutoff));
    one(label::SERIAL, tree.divide_ns + tree.combine_ns);
    one(label::SPAN, span_ns);
    for (depth, level) in tree.levels.iter().take(label::DEPTHS).enumerate() {
        push_level(iteration, depth, level);
    }
}

fn push_level(iteration: u64, depth: usize, level: &Level) {
    push_times(&label::at(depth, label::SOLVE), iteration, &level.solve);
    push_times(&label::at(depth, label::OWN), iteration, &level.own);
    push_times(&label::at(depth, label::BASE), iteration, &level.base);
    let count = level.solve.count;
    records::point_values(&label::at(depth, label::PROBLEM), iteration, count, level.problem_bytes as f64);
    records::point_values(&label::at(depth, label::RESULT), iteration, count, level.result_bytes as f64);
}

fn push_times(label: &str, iteration: u64, times: &Times) {
    if times.count > 0 {
        let ends = (times.shortest_ns, times.longest_ns);
        records::point_times(label, iteration, (times.count, times.sum_ns), times.squares_s2, ends);
    }
}
