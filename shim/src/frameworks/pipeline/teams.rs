//! What a rank of a pipeline keeps of the teams that it leads or works for.

use super::message::Item;
use midrun_scheduling::WorkerSpeed;
use std::collections::VecDeque;

/// What a rank keeps of the team that it leads, and the tasks and results that have come.
#[derive(Debug, Default)]
pub struct Teams {
    /// Tasks to compute, with the rank of their lead.
    pub tasks: VecDeque<(usize, Item)>,
    /// Results that came, with the rank of their worker.
    pub results: VecDeque<(usize, Item)>,
    /// Inputs that this rank has led: the iterations of its framework instance.
    pub led: u64,
    /// Ranks of the team that it led last, how fast they are, and mean and deviation of a task's time, seconds.
    pub ranks: Vec<usize>,
    pub speeds: Vec<WorkerSpeed>,
    pub moments: Option<(f64, f64)>,
}
