//! The production time of a stage that a team computes: a lead, who splits an input, hands the tasks out and joins the results, and its
//! workers. All of them compute tasks.

use crate::simulate::{Drawings, SimInput};
use midrun_scheduling::TechniqueParameters;

/// Drawings of the task times, where these vary.
const DRAWINGS: u64 = 8;
/// Up to so many ranks each number is simulated, above only numbers that differ by [`STEP`].
const EACH: u32 = 64;
const STEP: f64 = 1.05;

/// What a team computes for one input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TeamLoad {
    /// Tasks.
    pub tasks: u64,
    /// Mean time of a task, seconds, and standard deviation as a share of it.
    pub mean_s: f64,
    /// See `mean_s`.
    pub variation: f64,
    /// Time of splitting and joining, in which the workers wait, seconds.
    pub serial_s: f64,
    /// By which factor the hand-out to workers takes longer than its simulation: messages, and what else was measured.
    pub slower: f64,
}

impl TeamLoad {
    /// Time per input of a team of each number of ranks from 1 to `most`, seconds: serial time, and a Master/Worker iteration of the tasks as
    /// it is simulated. Where further ranks would not help, that of fewer.
    pub fn times_s(&self, most: u32, parameters: &TechniqueParameters) -> Vec<f64> {
        let alone_s = self.mean_s * self.tasks as f64;
        let input = |ranks| SimInput {
            tasks: self.tasks,
            workers: ranks,
            mean_s: self.mean_s,
            variation: self.variation,
            ..SimInput::default()
        };
        let runs = if self.variation > 0.0 { DRAWINGS } else { 1 };
        let drawings = Drawings::new(&input(1), 0..runs);
        let useful = u32::try_from(self.tasks).unwrap_or(u32::MAX).min(most);
        let (mut times_s, mut least_s, mut next) = (Vec::with_capacity(most as usize), alone_s, 2);
        for ranks in 1..=most {
            if ranks > 1 && ranks <= useful && ranks >= next {
                let taken_s = self.slower * drawings.run(&input(ranks), parameters, runs as usize).iteration_s;
                least_s = f64::min(least_s, taken_s);
                next = if ranks < EACH { ranks + 1 } else { (f64::from(ranks) * STEP).ceil() as u32 };
            }
            times_s.push(self.serial_s + least_s);
        }
        times_s
    }
}

/// A team's stage in a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    /// The stage.
    pub stage: usize,
    /// Time per input with each number of ranks, from 1 on, seconds: never longer with more.
    pub times_s: Vec<f64>,
}

impl Team {
    /// Time per input with so many ranks, seconds.
    pub fn time_s(&self, ranks: u32) -> f64 {
        let at = (ranks.max(1) as usize).min(self.times_s.len()).saturating_sub(1);
        self.times_s.get(at).copied().unwrap_or(f64::INFINITY)
    }
}
