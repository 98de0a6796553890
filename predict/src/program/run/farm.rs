//! A Master/Worker iteration as an element, simulated by [`midrun_models::simulate`] with the framework's own scheduler.

use midrun_scheduling::TechniqueParameters;

use super::{ProgramError, Run, Share};
use crate::program::compiled::ITEM;
use crate::program::element::MasterWorker;
use crate::program::outcome::Activity;
use midrun_models::expression::Code;
use midrun_models::simulate::{MessageTimes, SimInput, SimResult, iteration, iteration_of};

/// Most tasks of an iteration.
const MOST_TASKS: f64 = 1e7;

/// The share of each process, beginning when all have arrived.
pub(super) fn run(run: &mut Run<'_>, of: &MasterWorker<Code>) -> Result<Vec<Share>, ProgramError> {
    let processes = run.places.len();
    if processes < 2 {
        return Err(ProgramError::Program("a master and a worker are two processes at least".into()));
    }
    let most = (processes - 1) as f64;
    let workers = match &of.workers {
        Some(code) => run.framework_count(code, "workers", (1.0, most))?,
        None => processes - 1,
    };
    let tasks = run.framework_count(&of.tasks, "tasks", (0.0, MOST_TASKS))?;
    run.count(0, tasks)?;
    let mut option =
        |code: &Option<Code>, what| code.as_ref().map(|code| run.framework_value(code, 0, what)).transpose();
    let task_bytes = option(&of.task_bytes, "task_bytes")?.unwrap_or(0.0);
    let result_bytes = option(&of.result_bytes, "result_bytes")?.unwrap_or(0.0);
    let given_s = option(&of.overhead_s, "overhead_s")?;
    let factor = option(&of.factor, "factor")?.unwrap_or(0.0);
    let parameters = TechniqueParameters { factor, ..TechniqueParameters::new(of.technique) };
    let (machine, places) = (run.machine, run.places);
    let message_times = |worker: usize| {
        let link = machine.link(places[0], places[worker + 1]);
        MessageTimes {
            // The master's overhead is part of its time per chunk; the two messages share the rest of two start-up times.
            latency_s: if given_s.is_some() { link.start_up_s } else { link.start_up_s - 0.5 * link.overhead_s },
            send_s: task_bytes * link.per_byte_s,
            back_s: result_bytes * link.per_byte_s,
            eager_tasks: if task_bytes > 0.0 { (link.eager_bytes / task_bytes) as u64 } else { u64::MAX },
        }
    };
    let overhead_s = given_s.unwrap_or_else(|| machine.link(places[0], places[1]).overhead_s);
    let input = SimInput {
        tasks: tasks as u64,
        workers: workers as u32,
        slowness: run.slowness()[1..=workers].to_vec(),
        overhead_s,
        message_times: (0..workers).map(message_times).collect(),
        without_prefetch: false,
        ..SimInput::default()
    };
    let result = simulated(run, &of.task_s, input, &parameters)?;
    Ok(shares(&result, processes, overhead_s, |worker| machine.link(places[0], places[worker]).start_up_s))
}

/// The simulated iteration; task times that differ are drawn one by one.
fn simulated(
    run: &mut Run<'_>,
    task_s: &Code,
    mut input: SimInput,
    parameters: &TechniqueParameters,
) -> Result<SimResult, ProgramError> {
    if !task_s.varies_with(ITEM) || input.tasks == 0 {
        input.mean_s = run.framework_value(task_s, 0, "task_s")?;
        return Ok(iteration(&input, parameters, 0));
    }
    let draw = |task| run.framework_value(task_s, task, "task_s");
    let times: Vec<f64> = (0..input.tasks as usize).map(draw).collect::<Result<_, _>>()?;
    input.mean_s = times.iter().sum::<f64>() / times.len() as f64;
    let squares: f64 = times.iter().map(|t| (t - input.mean_s).powi(2)).sum();
    if input.mean_s > 0.0 {
        input.variation = (squares / times.len() as f64).sqrt() / input.mean_s;
    }
    Ok(iteration_of(&times, &input, parameters))
}

fn shares(result: &SimResult, processes: usize, overhead_s: f64, end_message_s: impl Fn(usize) -> f64) -> Vec<Share> {
    let all_s = result.iteration_s;
    // Each worker learns by a message that the iteration is over.
    let end = |rank: usize| if rank == 0 { all_s } else { all_s + end_message_s(rank) };
    let mut shares: Vec<Share> = (0..processes).map(|rank| Share { busy: Vec::new(), end_s: end(rank) }).collect();
    for chunk in &result.log {
        let busy = (Activity::Compute, chunk.begin_s, chunk.begin_s + chunk.busy_s);
        shares[chunk.worker as usize + 1].busy.push(busy);
    }
    // The log does not say when the master schedules; most of it happens at the beginning.
    shares[0].busy.push((Activity::Communication, 0.0, (result.chunks * overhead_s).min(all_s)));
    shares
}
