//! A Master/Worker iteration as an element: [`midrun_models::simulate`] hands out with the framework's own scheduler, and its
//! messages are carried as all others of the program, so that they share links with each other and with what is still under way.

use midrun_scheduling::TechniqueParameters;

use super::{Event, ProgramError, Run, Share};
use crate::program::compiled::ITEM;
use crate::program::element::MasterWorker;
use crate::program::messages::Message;
use crate::program::outcome::Activity;
use midrun_models::expression::Code;
use midrun_models::simulate::{self, SimInput, SimResult, Stepwise, Trace};

/// Most tasks of an iteration.
const MOST_TASKS: f64 = 1e7;

/// News of the iteration's messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum News {
    /// The announcement of this message is there.
    Announced(usize),
    /// The last byte of a message is there.
    Arrived(simulate::Message),
}

/// Sizes of the iteration's messages.
struct Bytes {
    task: f64,
    result: f64,
    /// So many of a link's overheads are part of the master's time per chunk, for each message.
    overheads: f64,
}

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
    let task = option(&of.task_bytes, "task_bytes")?.unwrap_or(0.0);
    let result = option(&of.result_bytes, "result_bytes")?.unwrap_or(0.0);
    let given_s = option(&of.overhead_s, "overhead_s")?;
    let factor = option(&of.factor, "factor")?.unwrap_or(0.0);
    let parameters = TechniqueParameters { factor, ..TechniqueParameters::new(of.technique) };
    let overhead_s = given_s.unwrap_or_else(|| run.network.link(0, 1).overhead_s);
    let mut input = SimInput {
        tasks: tasks as u64,
        workers: workers as u32,
        slowness: run.slowness()[1..=workers].to_vec(),
        overhead_s,
        ..SimInput::default()
    };
    let trace = drawn(run, &of.task_s, &mut input)?;
    // The master's overhead is part of its time per chunk; the two messages share the rest of two start-up times.
    let bytes = Bytes { task, result, overheads: if given_s.is_some() { 0.0 } else { 0.5 } };
    let begin_s = run.now_s;
    let iteration = Stepwise::new(&input, &parameters, (&trace.0, trace.1), begin_s);
    let result = carried(run, iteration, &bytes)?;
    Ok(shares(&result, begin_s, processes, overhead_s, |worker| run.network.link(0, worker).start_up_s))
}

/// The tasks and the unit of their times; task times that differ are drawn one by one.
fn drawn(run: &mut Run<'_>, task_s: &Code, input: &mut SimInput) -> Result<(Trace, f64), ProgramError> {
    if !task_s.varies_with(ITEM) || input.tasks == 0 {
        input.mean_s = run.framework_value(task_s, 0, "task_s")?;
        return Ok((Trace::draw(input, 0), input.mean_s));
    }
    let draw = |task| run.framework_value(task_s, task, "task_s");
    let times: Vec<f64> = (0..input.tasks as usize).map(draw).collect::<Result<_, _>>()?;
    input.mean_s = times.iter().sum::<f64>() / times.len() as f64;
    let squares: f64 = times.iter().map(|t| (t - input.mean_s).powi(2)).sum();
    if input.mean_s > 0.0 {
        input.variation = (squares / times.len() as f64).sqrt() / input.mean_s;
    }
    Ok((Trace::of(&times), 1.0))
}

/// The iteration's events between the program's own.
fn carried(run: &mut Run<'_>, mut iteration: Stepwise<'_>, bytes: &Bytes) -> Result<SimResult, ProgramError> {
    // What others sent before may be under way for longer.
    while !iteration.is_over() {
        for (ready_s, message) in iteration.sent() {
            run.dispatch(bytes.message(run, message), ready_s);
        }
        let next_s = iteration.next_s();
        if !run.step(next_s)? {
            let Some(next_s) = next_s else { break };
            run.now_s = next_s;
            iteration.step();
        }
        for news in std::mem::take(&mut run.news) {
            match news {
                News::Announced(number) => {
                    let Message { from, to, .. } = run.messages.get(number);
                    // The master only hands out and looks at once; a worker looks between two tasks.
                    let worker = from.max(to) as u32 - 1;
                    let look_s = if to == 0 { run.now_s } else { iteration.answer_s(worker, run.now_s) };
                    run.at(look_s, Event::Looked(number));
                }
                News::Arrived(message) => iteration.arrive(message, run.now_s),
            }
        }
    }
    Ok(iteration.into_result())
}

impl Bytes {
    /// The iteration's message as one of the program.
    fn message(&self, run: &Run<'_>, content: simulate::Message) -> Message {
        use simulate::Message::{Ask, Results, Returned, Tasks};
        let (worker, bytes) = match content {
            Tasks { worker, count } | Returned { worker, count } => (worker, count as f64 * self.task),
            Ask { worker } => (worker, 0.0),
            Results { worker, count } => (worker, count as f64 * self.result),
        };
        let worker = worker as usize + 1;
        let (from, to) = if matches!(content, Tasks { .. }) { (0, worker) } else { (worker, 0) };
        let link = run.network.link(from, to);
        let rendezvous = bytes > link.eager_bytes;
        Message {
            from,
            to,
            bytes,
            latency_s: link.start_up_s - self.overheads * link.overhead_s,
            collective: false,
            rendezvous,
            awaited: false,
            there: false,
            matched: !rendezvous,
            content: Some(content),
        }
    }
}

fn shares(
    result: &SimResult,
    begin_s: f64,
    processes: usize,
    overhead_s: f64,
    end_message_s: impl Fn(usize) -> f64,
) -> Vec<Share> {
    let all_s = (result.iteration_s - begin_s).max(0.0);
    // Each worker learns by a message that the iteration is over.
    let end = |rank: usize| if rank == 0 { all_s } else { all_s + end_message_s(rank) };
    let mut shares: Vec<Share> = (0..processes).map(|rank| Share { busy: Vec::new(), end_s: end(rank) }).collect();
    for chunk in &result.log {
        let chunk_s = chunk.begin_s - begin_s;
        let busy = (Activity::Compute, chunk_s, chunk_s + chunk.busy_s);
        shares[chunk.worker as usize + 1].busy.push(busy);
    }
    // The log does not say when the master schedules; most of it happens at the beginning.
    shares[0].busy.push((Activity::Communication, 0.0, (result.chunks * overhead_s).min(all_s)));
    shares
}
