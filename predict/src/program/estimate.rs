//! A program whose costs are drawn, run with many seeds.

use super::element::{Cost, Element, What};
use super::{Machine, Options, Outcome, Program, ProgramError, Times, compiled, run};
use crate::mean::Mean;
use midrun_models::expression::Code;

/// When there are runs enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Half the interval of the mean total time, as a share of the mean.
    pub share: f64,
    /// Most runs.
    pub runs: u32,
}

impl Default for Precision {
    fn default() -> Self {
        Precision { share: 0.01, runs: 1000 }
    }
}

/// What runs with many seeds give.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Means over the runs; the timeline is that of the first one.
    pub outcome: Outcome,
    /// Where the mean total time lies with confidence [`crate::state_diagram::LEVEL`], seconds. `None`: nothing is drawn, the answer is that of the model.
    pub interval_s: Option<(f64, f64)>,
    /// Number of runs.
    pub runs: u32,
}

/// Runs a program with as many seeds, counted up from that of the options, as the precision needs. They stop earlier when all of them
/// together have had [`Options::events`] events.
///
/// # Errors
/// Those of [`super::simulate`], of any run.
pub fn estimate(
    program: &Program,
    machine: &Machine,
    options: &Options,
    precision: &Precision,
) -> Result<Estimate, ProgramError> {
    let compiled = compiled::compile(program)?;
    let mut outcome = run::run(&compiled, machine, options)?;
    if !compiled.elements.iter().any(draws) {
        return Ok(Estimate { outcome, interval_s: None, runs: 1 });
    }
    let mut mean_s = Mean::default();
    mean_s.add(outcome.total_s);
    let (mut events, per_run) = (outcome.events, outcome.events);
    while mean_s.runs < precision.runs && !mean_s.is_within(precision.share) {
        if mean_s.runs >= 2 && events.saturating_add(per_run) > options.events {
            break;
        }
        let seed = options.seed.wrapping_add(u64::from(mean_s.runs));
        let next = run::run(&compiled, machine, &Options { seed, spans: 0, ..*options })?;
        events = events.saturating_add(next.events);
        mean_s.add(next.total_s);
        add(&mut outcome, &next);
    }
    divide(&mut outcome, mean_s.runs);
    outcome.total_s = mean_s.value;
    Ok(Estimate { outcome, interval_s: Some(mean_s.interval()), runs: mean_s.runs })
}

/// True if the cost of an element is drawn.
fn draws(element: &Element<Code>) -> bool {
    // No element has this slot: what varies draws.
    let code = |of: &Code| of.varies_with(usize::MAX);
    let option = |of: &Option<Code>| of.as_ref().is_some_and(code);
    option(&element.when)
        || match &element.what {
            What::Compute { cost: Cost::Seconds(of) | Cost::Operations(of), threads } => code(of) || option(threads),
            What::Send { to, bytes, .. } => code(to) || code(bytes),
            What::Receive { from } => option(from),
            What::SendReceive { to, from, bytes } => code(to) || code(from) || code(bytes),
            What::Collective { root, bytes, combine_s, .. } => option(root) || option(bytes) || option(combine_s),
            What::Loop { count, .. } => code(count),
            What::Branch { .. } => false,
            What::MasterWorker(of) => {
                let numbers = [&of.task_bytes, &of.result_bytes, &of.workers, &of.factor, &of.overhead_s];
                code(&of.tasks) || code(&of.task_s) || numbers.into_iter().any(option)
            }
            What::Pipeline(of) => {
                let stages =
                    of.stages.iter().any(|stage| code(&stage.compute_s) || code(&stage.bytes) || code(&stage.replicas));
                code(&of.inputs) || stages || [&of.input_bytes, &of.head_s, &of.in_flight].into_iter().any(option)
            }
        }
}

fn sum(to: &mut Times, of: &Times) {
    to.compute_s += of.compute_s;
    to.communication_s += of.communication_s;
    to.waiting_s += of.waiting_s;
}

fn scale(times: &mut Times, by: f64) {
    times.compute_s *= by;
    times.communication_s *= by;
    times.waiting_s *= by;
}

fn add(all: &mut Outcome, next: &Outcome) {
    for (all, next) in all.processes.iter_mut().zip(&next.processes) {
        all.end_s += next.end_s;
        sum(&mut all.times, &next.times);
    }
    for (all, next) in all.elements.iter_mut().zip(&next.elements) {
        all.count += next.count;
        sum(&mut all.times, &next.times);
    }
    all.unreceived = all.unreceived.max(next.unreceived);
    all.events = all.events.saturating_add(next.events);
}

fn divide(all: &mut Outcome, runs: u32) {
    let by = 1.0 / f64::from(runs);
    for process in &mut all.processes {
        process.end_s *= by;
        scale(&mut process.times, by);
    }
    for element in &mut all.elements {
        element.count = (element.count as f64 * by).round() as u64;
        scale(&mut element.times, by);
    }
}
