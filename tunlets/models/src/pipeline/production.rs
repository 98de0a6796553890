//! Production times: how long a stage takes per input by itself (`Tr`), and what it really shows between its neighbours (`rTr`).

use super::{Group, Manager, Pattern, Pipeline, Protocol};

/// State of the buffers between stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// Buffers have room and sends return at once: a slow stage does not delay the stages before it yet.
    Open,
    /// Steady state of bounded buffers, or synchronous sends: all stages run at the pace of the slowest.
    Full,
}

/// Production times of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Production {
    /// `Tr` of each stage's group, seconds.
    pub tr_s: Vec<f64>,
    /// `rTr` of each stage's group, seconds.
    pub rtr_s: Vec<f64>,
    /// Time between two outputs of the whole, seconds.
    pub period_s: f64,
    /// Ranks taken.
    pub ranks: u32,
}

impl Pipeline {
    /// `C(P, v)`: time of sending an output on, for the rank whose last stage is `last`, seconds.
    fn send_s(&self, last: usize) -> f64 {
        let network = &self.network;
        match (last + 1 == self.stages.len(), network.protocol) {
            (true, _) => 0.0,
            (false, Protocol::Async) => network.start_up_s,
            (false, Protocol::Sync) => network.start_up_s + network.per_byte_s * self.stages[last].message_bytes,
        }
    }

    /// Time to pass one input to a replica of the group that begins with `first`, seconds.
    fn pass_s(&self, first: usize) -> f64 {
        let bytes = first.checked_sub(1).map_or(0.0, |before| self.stages[before].message_bytes);
        self.network.start_up_s + self.network.per_byte_s * bytes
    }

    /// What an input of the group that begins with `first` costs a communication manager: `tg`, and passing the input on where that is not
    /// part of it. Seconds.
    pub fn managing_s(&self, first: usize) -> f64 {
        let pass_s = self.pass_s(first);
        match self.network.protocol {
            Protocol::Async => self.network.start_up_s + pass_s,
            Protocol::Sync => 2.0 * pass_s,
        }
    }

    /// What an input costs a manager at source and sink, through which replicas of these neighbouring stages get all that they get and
    /// send all that they send. What comes from the source, or goes to the sink, it would send or receive in any case. Seconds.
    pub fn relayed_s(&self, first: usize, stages: usize) -> f64 {
        let ends = [first, first + stages].into_iter().filter(|stage| (1..self.stages.len()).contains(stage));
        ends.map(|stage| self.managing_s(stage)).sum()
    }

    /// A manager's own time per input. Seconds.
    fn manager_s(&self, first: usize) -> f64 {
        let busy_s = self.managing_s(first);
        match self.manager {
            Manager::Sender => 0.0,
            Manager::OwnRank => busy_s,
            Manager::SharedRank { quantum_s, quanta, .. } => busy_s + quanta * quantum_s,
        }
    }

    /// Compute time of neighbouring stages, seconds.
    pub fn compute_s(&self, first: usize, stages: usize) -> f64 {
        self.stages[first..first + stages].iter().map(|stage| stage.compute_s).sum()
    }

    /// `Tr^k`: time per input of one replica: as a single stage, and one acknowledgement. Seconds.
    fn replica_s(&self, compute_s: f64, last: usize) -> f64 {
        compute_s + self.send_s(last) + self.network.start_up_s
    }

    /// `1 / sum_k (1/Tr^k)`, seconds.
    fn set_s(&self, compute_s: f64, last: usize, replicas: f64) -> f64 {
        let replica_s = self.replica_s(compute_s, last);
        match self.manager {
            Manager::SharedRank { slowing, .. } => {
                1.0 / ((replicas - 1.0) / replica_s + 1.0 / (replica_s + slowing * compute_s))
            }
            _ => replica_s / replicas,
        }
    }

    /// Like [`Pipeline::production_s`], with the group's compute time already summed.
    pub(super) fn production_of(&self, group: &Group, compute_s: f64) -> f64 {
        let last = group.first + group.stages - 1;
        if group.replicas <= 1 {
            return compute_s + self.send_s(last);
        }
        if let Some(team) = self.team(group.first).filter(|_| group.stages == 1) {
            return team.time_s(group.replicas) + self.send_s(last);
        }
        let (overlapped_s, serial_s) = self.bounds_s(group, compute_s);
        overlapped_s + (1.0 - self.overlap) * (serial_s - overlapped_s)
    }

    /// With all of the manager's time hidden, and with none.
    fn bounds_s(&self, group: &Group, compute_s: f64) -> (f64, f64) {
        let set_s = self.set_s(compute_s, group.first + group.stages - 1, f64::from(group.replicas));
        let manager_s = self.manager_s(group.first);
        (set_s.max(manager_s), set_s + manager_s)
    }

    /// `Tr`: time per input of a group by itself, seconds.
    pub fn production_s(&self, group: &Group) -> f64 {
        self.production_of(group, self.compute_s(group.first, group.stages))
    }

    /// The overlap that explains a measured `Tr` of a replicated group.
    pub fn overlap(&self, group: &Group, measured_s: f64) -> f64 {
        let (overlapped_s, serial_s) = self.bounds_s(group, self.compute_s(group.first, group.stages));
        if serial_s > overlapped_s {
            ((serial_s - measured_s) / (serial_s - overlapped_s)).clamp(0.0, 1.0)
        } else {
            1.0
        }
    }

    /// Production times of a pattern.
    pub fn evaluate(&self, pattern: &Pattern, buffers: Buffers) -> Production {
        let groups: Vec<f64> = pattern.0.iter().map(|group| self.production_s(group)).collect();
        let per_stage = |times: &[f64]| (0..self.stages.len()).map(|s| times[pattern.group_of(s)]).collect();
        let period_s = groups.iter().copied().fold(0.0, f64::max);
        let dependent = dependent_s(&groups, buffers, self.network.protocol);
        Production { tr_s: per_stage(&groups), rtr_s: per_stage(&dependent), period_s, ranks: self.ranks(pattern) }
    }
}

/// `rTr` of each group from its `Tr`: the slowest of those before it, or of all. Seconds.
pub fn dependent_s(tr_s: &[f64], buffers: Buffers, protocol: Protocol) -> Vec<f64> {
    let so_far = |slowest: &mut f64, own: &f64| {
        *slowest = slowest.max(*own);
        Some(*slowest)
    };
    let upstream: Vec<f64> = tr_s.iter().scan(0.0, so_far).collect();
    let slowest = upstream.last().copied().unwrap_or(0.0);
    match (buffers, protocol) {
        (Buffers::Open, Protocol::Async) => upstream,
        _ => vec![slowest; tr_s.len()],
    }
}
