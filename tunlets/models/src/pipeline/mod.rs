//! A stream of inputs through stages: production times, and the pattern of replicas and groups with the shortest period.
//!
//! César 2006, ch. IV. Stage i computes `tc_i` per input and sends `v_i` bytes on; a message of v bytes costs
//! `start_up + per_byte v`. Seconds and bytes throughout. [`production`] says how fast a pattern is, [`search`] is the
//! source's search, [`exact`] finds the best pattern there is, [`file`] reads descriptions.

pub mod exact;
pub mod production;
pub mod search;
pub mod team;

pub use crate::master_worker::{ModelError, Protocol};

use crate::distribution::fine;
use crate::master_worker::need;
use midrun_scheduling::plan::{self, Plan};
use team::Team;

/// One stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Compute time per input, `tc`, seconds.
    pub compute_s: f64,
    /// Bytes it sends on per input, `v`. Those of the last stage count for nothing.
    pub message_bytes: f64,
    /// True where it keeps state between inputs: then it is never replicated.
    pub stateful: bool,
}

/// Cost of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Start-up time, `mo`, seconds.
    pub start_up_s: f64,
    /// Time of a byte, `lambda`, seconds.
    pub per_byte_s: f64,
    /// Behaviour of sends.
    pub protocol: Protocol,
}

/// The distributor of a replicated stage's inputs to its replicas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Manager {
    /// The stage before it: no rank more than the replicas.
    Sender,
    /// A communication manager on a rank of its own.
    OwnRank,
    /// A communication manager on the rank of one replica. It waits `quanta` (0 to 2) turns of the scheduler of
    /// `quantum_s` seconds, and slows that replica by `slowing` (0 to 1) times its compute time.
    SharedRank {
        /// One turn of the scheduler, seconds.
        quantum_s: f64,
        /// Turns waited per input.
        quanta: f64,
        /// Share of the compute time by which its replica gets slower.
        slowing: f64,
    },
}

/// A pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// In the order of the stream.
    pub stages: Vec<Stage>,
    /// Cost of a message.
    pub network: Network,
    /// Distributor of inputs to replicas.
    pub manager: Manager,
    /// Share of a manager's own time that hides behind its replicas' computing: 1 = all, 0 = none (the source's `tg + wc`).
    /// [`Pipeline::overlap`] finds it from a measured time.
    pub overlap: f64,
    /// Its stages that teams compute: more ranks of these are no replicas.
    pub teams: Vec<Team>,
}

/// Neighbouring stages that run on the same rank, or on each of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its first stage.
    pub first: usize,
    /// Number of stages.
    pub stages: usize,
    /// Number of ranks that an input can go to; 1 = not replicated.
    pub replicas: u32,
}

/// Which stages run together, and on how many ranks: every stage is in exactly one group, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(pub Vec<Group>);

impl Pattern {
    /// Every stage on one rank of its own.
    pub fn unreplicated(stages: usize) -> Pattern {
        Pattern((0..stages).map(|first| Group { first, stages: 1, replicas: 1 }).collect())
    }

    /// The group of a stage. Panics where the pattern does not have it.
    pub fn group_of(&self, stage: usize) -> usize {
        let has = |group: &Group| (group.first..group.first + group.stages).contains(&stage);
        self.0.iter().position(has).expect("a pattern has every stage")
    }
}

impl From<&Plan> for Pattern {
    /// Leaves out the ranks of each group and the order of its inputs.
    fn from(plan: &Plan) -> Pattern {
        let group = |g: &plan::Group| Group {
            first: g.first,
            stages: g.stages,
            replicas: g.replicas.min(u32::MAX as usize) as u32,
        };
        Pattern(plan.0.iter().map(group).collect())
    }
}

impl From<&Pattern> for Plan {
    fn from(pattern: &Pattern) -> Plan {
        Plan(pattern.0.iter().map(|g| plan::Group::any(g.first, g.stages, g.replicas as usize)).collect())
    }
}

impl std::fmt::Display for Pattern {
    /// Writes the notation of `midrun.h`: `0,1x4,2-3x2,4`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Plan::from(self).fmt(f)
    }
}

impl Pipeline {
    /// A pipeline whose senders hand out, with nothing to correct.
    pub fn new(stages: Vec<Stage>, network: Network) -> Pipeline {
        Pipeline { stages, network, manager: Manager::Sender, overlap: 1.0, teams: Vec::new() }
    }

    /// Refuses what no program can have: no stage, NaN, infinite and negative values, nothing to compute.
    ///
    /// # Errors
    /// The first such value.
    pub fn checked(self) -> Result<Pipeline, ModelError> {
        need(!self.stages.is_empty(), "the number of stages", "1 or more")?;
        need(fine(self.network.start_up_s), "the start-up time of a message", "0 or more")?;
        need(fine(self.network.per_byte_s), "the time of a byte", "0 or more")?;
        need(self.stages.iter().all(|s| fine(s.compute_s)), "the compute time of a stage", "0 or more")?;
        need(self.stages.iter().any(|s| s.compute_s > 0.0), "the compute time of one stage at least", "above 0")?;
        need(self.stages.iter().all(|s| fine(s.message_bytes)), "the message of a stage", "0 bytes or more")?;
        need((0.0..=1.0).contains(&self.overlap), "the overlap", "between 0 and 1")?;
        if let Manager::SharedRank { quantum_s, quanta, slowing } = self.manager {
            need(fine(quantum_s), "the scheduler's quantum", "0 or more")?;
            need((0.0..=2.0).contains(&quanta), "the number of quanta waited", "between 0 and 2")?;
            need((0.0..=1.0).contains(&slowing), "the slowing of the shared replica", "between 0 and 1")?;
        }
        Ok(self)
    }

    /// The team of a stage, where one computes it.
    pub fn team(&self, stage: usize) -> Option<&Team> {
        self.teams.iter().find(|team| team.stage == stage)
    }

    /// Whether a group may have several ranks: a stage with state has one, a team's stage shares its ranks with no other.
    pub fn may_grow(&self, first: usize, stages: usize) -> bool {
        let range = first..first + stages;
        let has_state = self.stages[range.clone()].iter().any(|stage| stage.stateful);
        !has_state && (stages == 1 || self.teams.iter().all(|team| !range.contains(&team.stage)))
    }

    /// Ranks that a group takes.
    pub fn ranks_of(&self, replicas: u32) -> u32 {
        match self.manager {
            Manager::OwnRank if replicas > 1 => replicas + 1,
            _ => replicas,
        }
    }

    /// Ranks that a pattern takes.
    pub fn ranks(&self, pattern: &Pattern) -> u32 {
        pattern.0.iter().map(|group| self.ranks_of(group.replicas)).sum()
    }
}
