//! What could be done instead, and what the simulation expects of it.

use super::memory::Memory;
use midrun_handout::{PolicyKind, Setting};
use midrun_models::factoring::least_chunk;
use midrun_models::simulate::compare;

/// Simulated iterations per candidate.
const RUNS: u64 = 8;
/// Beyond so many simulated tasks the runs become fewer: the answer is wanted before the next iteration.
const TASKS: u64 = 80_000;

/// A setting and the iteration time that is expected of it, as a multiple of the ideal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The setting.
    pub setting: Setting,
    /// Expected iteration time / ideal.
    pub ratio: f64,
}

/// The setting of `kind` with everything that is known.
pub fn informed(kind: PolicyKind, factor: f64, memory: &Memory) -> Setting {
    let (mean_s, sigma_s) = (memory.mean_s, memory.sigma_s);
    let least = least_chunk(memory.chunk_cost_s, memory.mean_s, memory.workers);
    // The master's cost is a rough figure: it never forces chunks that could unbalance the end.
    let most = memory.tasks / (20 * u64::from(memory.workers.max(1)));
    let min_chunk = if kind == PolicyKind::None { 1 } else { least.clamp(1, most.max(1)) };
    Setting { kind, factor, mean_s, sigma_s, min_chunk }
}

/// The settings worth simulating when any policy may be used.
pub fn all(memory: &Memory) -> Vec<Setting> {
    PolicyKind::ALL.into_iter().flat_map(|kind| of_kind(kind, memory)).collect()
}

/// The settings of one policy: the shares of FSC and DPF, else the one there is (MODELS 1.7).
pub fn of_kind(kind: PolicyKind, memory: &Memory) -> Vec<Setting> {
    let share = |n: u32| f64::from(n) / 10.0;
    match kind {
        PolicyKind::Fsc => (1..=10).map(|n| informed(kind, share(n), memory)).collect(),
        PolicyKind::Dpf => (1..=9).map(|n| informed(kind, share(n), memory)).collect(),
        _ => vec![informed(kind, 0.0, memory)],
    }
}

/// Forecasts of `settings`, in their order, all on the same drawn tasks. The same memory and seed give the same
/// forecasts.
pub fn forecast(memory: &Memory, settings: &[Setting], seed: u64) -> Vec<Forecast> {
    let runs = (TASKS / memory.tasks.max(1)).clamp(2, RUNS);
    let results = compare(&memory.load(), settings, seed..seed + runs);
    settings.iter().zip(results).map(|(&setting, r)| Forecast { setting, ratio: r.ratio(memory.workers) }).collect()
}
