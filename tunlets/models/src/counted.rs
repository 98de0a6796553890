//! Simulates one iteration whose chunks are taken from a shared counter.
//!
//! The master tells the workers one after another to begin. Then each takes the next chunk whenever it is done with one; to add to a
//! word of memory takes far less than a task. Results travel while others are computed; what counts is each worker's last message,
//! which the master takes in one after another. To send a message, and to take one in, each costs it half of what it needs for a chunk
//! that it sends and takes back.

use crate::events::EventQueue;
use crate::simulated_load::SimInput;
use crate::trace::{ChunkLog, Trace};
use midrun_scheduling::{Steps, TechniqueParameters};

/// What an iteration came to.
#[derive(Debug, Default)]
pub struct Counted {
    /// Until the last result is in, seconds.
    pub iteration_s: f64,
    /// Chunks taken.
    pub chunks: u64,
    /// Each chunk, if they are wanted.
    pub log: Vec<ChunkLog>,
}

/// One iteration; `unit_s` is the unit of the trace. `None` where the technique does not fix the chunks.
pub fn run(
    input: &SimInput,
    parameters: &TechniqueParameters,
    (trace, unit_s): (&Trace, f64),
    logging: bool,
) -> Option<Counted> {
    let n = input.workers.max(1);
    let mut steps = Steps::new(*parameters, input.tasks, n, u64::MAX)?;
    let latency_s =
        |worker: u32| input.message_times.get(worker as usize).map_or(input.latency_s, |times| times.latency_s);
    let message_s = 0.5 * input.overhead_s;
    let mut counted = Counted::default();
    let mut free = EventQueue::default();
    (0..n).for_each(|worker| free.at(f64::from(worker + 1) * message_s + latency_s(worker), worker));
    let mut master_free_s = 0.0_f64;
    let mut number = 0;
    // Results travel several chunks at a time, and the master takes them meanwhile.
    let mut done = vec![0; n as usize];
    while let Some((begin_s, worker)) = free.pop() {
        let results_s = std::mem::take(&mut done[worker as usize]) as f64 * input.result_s;
        let Some(chunk) = steps.chunk(number) else {
            master_free_s = master_free_s.max(begin_s + latency_s(worker)) + message_s + results_s;
            continue;
        };
        if results_s > 0.0 {
            master_free_s = master_free_s.max(begin_s + latency_s(worker)) + results_s;
        }
        number += 1;
        done[worker as usize] += chunk.count;
        let each_s = trace.slowness(input, worker as usize) * unit_s;
        let (time, squares) = trace.span(chunk.first, chunk.count);
        let busy_s = time * each_s;
        if logging {
            let sum_sq_s2 = squares * each_s * each_s;
            counted.log.push(ChunkLog { worker, first: chunk.first, count: chunk.count, begin_s, busy_s, sum_sq_s2 });
        }
        free.at(begin_s + busy_s, worker);
    }
    (counted.chunks, counted.iteration_s) = (number, master_free_s);
    Some(counted)
}
