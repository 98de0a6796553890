//! Programs that cut their batches by themselves and expose `F0`, `F1`, `F2` …: the share of all tasks of each batch.

use super::memory::Memory;
use crate::{Knob, Proposal};
use midrun_models::factoring::daf_shares;

/// Smallest change of a share that is worth an action.
const CHANGE: f64 = 0.05;
/// Most factors that are set: what one action can carry.
const MOST: usize = 6;

/// The exposed factors in order: `F0`, `F1` … without a gap.
pub fn exposed(knobs: &[Knob]) -> Vec<&Knob> {
    (0..MOST).map_while(|n| knobs.iter().find(|knob| knob.name == format!("F{n}"))).collect()
}

/// DAF's shares for the factors, if they differ enough from what is set.
pub fn propose(factors: &[&Knob], memory: &Memory, iteration: u64, iteration_s: f64) -> Option<Proposal> {
    let first = factors.first()?;
    let shares = daf_shares(memory.variation(), memory.workers, factors.len());
    let wanted: Vec<f64> = shares.iter().zip(factors).map(|(s, knob)| s.clamp(knob.range.0, knob.range.1)).collect();
    let differs = wanted.iter().zip(factors).any(|(want, knob)| (want - knob.value).abs() > CHANGE * want.max(0.01));
    let list = |values: &mut dyn Iterator<Item = f64>| {
        let texts: Vec<String> = values.map(|v| format!("{v:.3}")).collect();
        texts.join(", ")
    };
    differs.then(|| Proposal {
        tunlet: "master_worker",
        iteration,
        rank: first.rank,
        assignments: factors.iter().zip(&wanted).map(|(knob, want)| (knob.name.clone(), *want)).collect(),
        tuning_point: "factors".into(),
        from: list(&mut factors.iter().map(|knob| knob.value)),
        to: list(&mut wanted.iter().copied()),
        why: format!(
            "tasks take {:.4} ms +- {:.4} ms: DAF's shares for {} workers and {} batches",
            memory.mean_s * 1e3,
            memory.sigma_s * 1e3,
            memory.workers,
            factors.len()
        ),
        predicted_s: memory.ideal_s().min(iteration_s),
        unchanged_s: iteration_s,
        at_once: false,
    })
}
