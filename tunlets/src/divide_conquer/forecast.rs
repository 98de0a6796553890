//! The iteration time of a cut-off depth: what the master does alone, and the tasks of that depth, handed out.

use super::tree::{Times, Tree};
use crate::master_worker;
use midrun_models::random::Random;
use midrun_models::seen::Seen;
use midrun_models::simulate::{SimInput, SimResult, iteration_of};
use midrun_scheduling::TechniqueParameters;

/// Orders of the tasks that are simulated, unless these are very many: which of them come last decides how evenly an iteration ends.
const ORDERS: u64 = 8;

/// A cut-off depth and what is expected of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The depth.
    pub depth: u32,
    /// Tasks.
    pub tasks: u64,
    /// The longest task, seconds.
    pub longest_s: f64,
    /// Time in which the master divides and combines, seconds.
    pub serial_s: f64,
    /// What it would be if all workers ended together, each at the speed at which it had its problems, or with its longest task, seconds.
    pub least_s: f64,
    /// Iteration time, seconds, and the standard error of its mean, as a share of it.
    pub iteration_s: f64,
    /// See `iteration_s`.
    pub error: f64,
}

/// How tasks are handed out: the input of the simulation as it was learnt from tasks of the present depth, their bytes, and the technique.
#[derive(Clone, Debug)]
pub struct HandOut {
    /// Workers and messages.
    pub load: SimInput,
    /// Bytes of a task of the present depth and of its result.
    pub bytes: (f64, f64),
    /// The technique in force.
    pub setting: TechniqueParameters,
    /// Standard error of a message's start-up time, seconds.
    pub message_error_s: f64,
}

impl HandOut {
    /// With tasks that have other sizes: the master copies as many bytes as it sends.
    fn with(&self, bytes: (f64, f64), tasks: u64) -> SimInput {
        let mut load =
            SimInput { tasks, profile: Vec::new(), sample: Vec::new(), seen: Seen::default(), ..self.load.clone() };
        let larger = |new: f64, old: f64| if old > 0.0 { new / old } else { 1.0 };
        let (out, back) = (larger(bytes.0, self.bytes.0), larger(bytes.1, self.bytes.1));
        let mut cost = (0.0, 0.0);
        for times in &mut load.message_times {
            let both_s = 2.0 * times.latency_s;
            cost.0 += both_s + times.send_s + times.back_s;
            (times.send_s, times.back_s) = (times.send_s * out, times.back_s * back);
            cost.1 += both_s + times.send_s + times.back_s;
        }
        load.overhead_s *= larger(cost.1, cost.0);
        (load.input_s, load.result_s) = (load.input_s * out, load.result_s * back);
        load
    }
}

/// The forecast of a cut-off at `depth`, of which all times are known.
pub fn forecast(tree: &Tree, hand_out: &HandOut, depth: usize) -> Forecast {
    let (groups, bytes) = tree.tasks(depth);
    let mut times: Vec<f64> = groups.iter().flat_map(Times::each).collect();
    let serial_s = tree.serial_at(depth);
    let load = hand_out.with(bytes, times.len() as u64);
    let runs = master_worker::runs(load.tasks, ORDERS);
    let orders: Vec<SimResult> = (1..=runs)
        .map(|seed| {
            Random::new(seed).shuffle(&mut times);
            iteration_of(&times, &load, &hand_out.setting)
        })
        .collect();
    let result = SimResult::mean(&orders);
    let iteration_s = serial_s + result.iteration_s;
    let longest_s = times.iter().copied().fold(0.0, f64::max);
    Forecast {
        depth: depth as u32,
        tasks: times.len() as u64,
        longest_s,
        serial_s,
        least_s: serial_s
            + longest_s.max(groups.iter().map(|times| times.sum_s).sum::<f64>() / f64::from(load.workers.max(1))),
        iteration_s,
        error: result.deviation * result.iteration_s / iteration_s / (runs as f64).sqrt(),
    }
}

/// The forecasts of all depths whose times are known, from 0 on.
pub fn all(tree: &Tree, hand_out: &HandOut) -> Vec<Forecast> {
    (0..tree.levels.len()).map(|depth| forecast(tree, hand_out, depth)).collect()
}
