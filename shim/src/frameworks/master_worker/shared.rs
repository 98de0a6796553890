//! The chunks of the shared counter in one iteration, as the master sees them: who takes them, and what is taken for others.

use super::config::Config;
use super::order::Order;
use super::subteams;
use super::team::Team;
use crate::frameworks::endpoint::Endpoint;
use crate::{scheduling, stderr};
use midrun_scheduling::{Chunk, Steps, TechniqueParameters};

/// The counter's chunks in one iteration.
pub struct Shared {
    /// What the workers are told.
    pub order: Order,
    steps: Steps,
    /// By position in the team: whether this worker takes its chunks itself.
    pub takes: Vec<bool>,
    /// All workers but the master do: none is sent a chunk.
    pub sends_none: bool,
}

/// Offers the counter as a tuning point where a worker can use it. Where the program asks for it and none can, says so.
pub fn offer(config: &Config, endpoint: &Endpoint) {
    let any = (0..endpoint.comm.size).any(|rank| rank != config.master && endpoint.shares_counter(rank));
    if config.may_count() && any {
        scheduling::declare_counter();
    } else if config.counts() && endpoint.comm.size > 1 {
        stderr::warn(
            "the flag MIDRUN_MW_COUNTER has no effect: no worker shares memory with the master, which sends the chunks",
        );
    }
}

/// Whether a program that names no technique starts by the counter (ADR 0038): each worker can take its chunks itself, and nothing speaks
/// for long chunks or for ones that are sent.
pub fn suits_start(config: &Config, endpoint: &Endpoint) -> bool {
    let mut workers = (0..endpoint.comm.size).filter(|rank| *rank != config.master).peekable();
    config.may_start_by_counter()
        && workers.peek().is_some()
        && workers.all(|rank| endpoint.shares_counter(rank))
        && !subteams::are_asked_for()
}

impl Shared {
    /// For an iteration of `tasks` tasks; `None` where the master sends all chunks: the setting says so, the technique sizes chunks by
    /// results, or no active worker can reach the counter.
    pub fn of(
        (config, most): (&Config, u64),
        endpoint: &Endpoint,
        team: &Team,
        (parameters, tasks): (TechniqueParameters, u64),
    ) -> Option<Shared> {
        if !parameters.counter || !config.may_count() {
            return None;
        }
        let takes =
            |rank: &usize| *rank != config.master && *rank < endpoint.comm.size && endpoint.shares_counter(*rank);
        let takes: Vec<bool> = team.active().iter().map(takes).collect();
        if !takes.contains(&true) {
            return None;
        }
        let sends_none = takes.iter().zip(team.active()).all(|(takes, rank)| *takes || *rank == config.master);
        // Nobody takes chunks between iterations: each worker that does has said that it is done.
        let base = endpoint.count(0)?;
        let order = Order { base, tasks, workers: takes.len() as u32, parameters, most };
        Some(Shared { order, steps: order.steps()?, takes, sends_none })
    }

    /// Workers that take their chunks themselves.
    pub fn takers(&self) -> usize {
        self.takes.iter().filter(|takes| **takes).count()
    }

    /// The next chunk of the counter, for a worker to which the master sends it.
    pub fn next(&mut self, endpoint: &Endpoint) -> Option<Chunk> {
        self.steps.chunk(endpoint.count(1)?.wrapping_sub(self.order.base))
    }
}
