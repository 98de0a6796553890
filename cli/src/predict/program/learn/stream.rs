//! What a recorded stream shows of its pipeline.

use midrun_predict::program::learnt::Link;
use midrun_predict::program::learnt::pipeline::{Group, Seen, Stage, Window};
use midrun_scheduling::plan::{Manager, Plan};
use midrun_tunlets::recorded::pipeline::Recording;
use midrun_tunlets::{StageWindow, StreamWindow};

/// The windows of the last pattern.
///
/// # Errors
/// A part of a sentence: too few windows, a team, a communication manager.
pub fn seen(windows: &[StreamWindow], hosts: Vec<u32>) -> Result<Seen, String> {
    let nothing = || "has too few outputs of some stage to learn from: record a longer run".to_owned();
    let fit = Recording::of(windows).ok_or_else(nothing)?.fit;
    let last = windows.last().ok_or_else(nothing)?;
    if last.stages.iter().any(|stage| stage.team) {
        return Err("has a stage that a team computes, for which descriptions have no element".to_owned());
    }
    let plan = Plan::parse(&last.plan, &vec![false; last.stages.len()])
        .map_err(|why| format!("has a pattern that makes no sense: {why}"))?;
    if plan.0.iter().any(|group| group.manager != Manager::Sender) {
        return Err("has a communication manager, for which descriptions have no element".to_owned());
    }
    let steady = windows.windows(2).filter(|pair| pair[1].settled && pair[0].settled && pair[0].plan == pair[1].plan);
    let of = |window: &StreamWindow| {
        let outputs = window.outputs.max(1) as f64;
        let stages = window.stages.iter().map(stage).collect::<Option<Vec<Stage>>>()?;
        Some(Window { stages, head_s: window.head_s / outputs, period_s: window.seconds / outputs })
    };
    let (start_up_s, per_byte_s) = fit.link();
    Ok(Seen {
        names: last.stages.iter().map(|stage| stage.name.clone()).collect(),
        windows: steady.filter(|pair| pair[1].plan == last.plan).filter_map(|pair| of(&pair[1])).collect(),
        groups: (plan.0.iter())
            .map(|group| Group { first: group.first, stages: group.stages, replicas: group.replicas as u32 })
            .collect(),
        hosts,
        // A stage's time for messages is its own: whatever their size, its rank does nothing else meanwhile.
        link: Link { start_up_s, overhead_s: None, per_byte_s, eager_bytes: f64::INFINITY },
    })
}

/// `None` where no input was computed.
fn stage(of: &StageWindow) -> Option<Stage> {
    let inputs = of.sum(|work| work.inputs as f64);
    let compute_s = of.compute_s()?;
    let variance = of.sum(|work| work.sum_sq_s2) / inputs - compute_s * compute_s;
    Some(Stage { compute_s, sigma_s: variance.max(0.0).sqrt(), bytes: of.sum(|work| work.bytes) / inputs })
}
