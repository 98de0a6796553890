//! What a script sees of a pipeline: its stages, its pattern, and the numbers of a window of its stream.

use rhai::{Array, Dynamic, Scope};

use super::limits::LIST;
use super::table::Table;
use crate::pipeline::stage_times;
use crate::{StreamWindow, WorkerWork};

/// What `stages` has: a list each.
pub const STAGES: [&str; 7] = ["name", "compute_s", "period_s", "held_s", "replicas", "inputs", "bytes"];

/// Numbers of a stream's window, in the order of the numbers of an iteration's window: times are those of one output.
pub fn numbers(window: &StreamWindow) -> [f64; 14] {
    let (outputs, ranks) = (window.outputs.max(1) as f64, f64::from(window.ranks.max(1)));
    let busy_s: f64 = window.stages.iter().map(|stage| stage.sum(|work| work.busy_s)).sum();
    let (period_s, compute_s) = (window.period_s(), busy_s / outputs);
    let ideal_s = compute_s / ranks;
    let imbalance = if period_s > 0.0 { 1.0 - ideal_s / period_s } else { 0.0 };
    let (head_s, unknown) = (window.head_s / outputs, 0.0);
    [
        window.number as f64,
        period_s,
        window.outputs as f64,
        f64::from(window.ranks),
        0.0,
        ideal_s,
        imbalance,
        head_s,
        unknown,
        compute_s,
        unknown,
        unknown,
        unknown,
        1.0,
    ]
}

/// The work of each rank: inputs as tasks.
pub fn work(window: &StreamWindow) -> Vec<WorkerWork> {
    let mut all: Vec<WorkerWork> = Vec::new();
    for work in window.stages.iter().flat_map(|stage| &stage.by_rank) {
        let at = all.iter().position(|known| known.rank == work.place).unwrap_or_else(|| {
            all.push(WorkerWork { rank: work.place, ..WorkerWork::default() });
            all.len() - 1
        });
        all[at].tasks = all[at].tasks.saturating_add(work.inputs);
        all[at].chunks = all[at].tasks;
        all[at].busy_s += work.busy_s;
    }
    all.sort_by_key(|work| work.rank);
    all
}

/// Adds `stages` and `pattern`; empty ones for a program that is no pipeline.
pub fn push(scope: &mut Scope<'static>, window: Option<&StreamWindow>) {
    let seen = window.map(|window| window.stages.iter().zip(stage_times(window)).take(LIST).collect::<Vec<_>>());
    let seen = seen.unwrap_or_default();
    let number = |value: Option<f64>| value.map_or(Dynamic::UNIT, Dynamic::from);
    let column = |name: &str| -> Array {
        let of = |(stage, times): &(&crate::StageWindow, crate::pipeline::StageTimes)| {
            let inputs = stage.sum(|work| work.inputs as f64);
            match name {
                "name" => stage.name.clone().into(),
                "compute_s" => number(times.compute_s),
                "period_s" => number(times.tr_s),
                "held_s" => number(times.rtr_s),
                "replicas" => f64::from(times.replicas).into(),
                "inputs" => inputs.into(),
                _ => number((inputs > 0.0).then(|| stage.sum(|work| work.bytes) / inputs)),
            }
        };
        seen.iter().map(of).collect()
    };
    let columns = STAGES.iter().map(|name| ((*name).to_owned(), Ok(column(name).into())));
    scope.push_constant("stages", Table::new("stages", columns));
    scope.push_constant("pattern", window.map(|window| window.plan.clone()).unwrap_or_default());
}
