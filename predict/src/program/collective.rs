//! Collective communication as the messages of its usual trees.
//!
//! Thakur, Rabenseifner, Gropp, *Optimization of Collective Communication Operations in MPICH* (2005), for short messages:
//! binomial trees for broadcast, reduce, gather and scatter, recursive doubling for allreduce; barriers by dissemination
//! (Hensgen, Finkel, Manber 1988).

use super::element::{Collective, Mode};
use super::messages::Step;

/// Step of a process in a collective communication.
pub(super) struct Part {
    pub rank: usize,
    pub processes: usize,
    pub root: usize,
    pub bytes: f64,
    pub combine_s: f64,
}

impl Part {
    /// The steps of this process.
    pub(super) fn steps(&self, kind: Collective) -> Vec<Step> {
        match kind {
            Collective::Barrier => self.barrier(),
            Collective::Broadcast => self.down(|_| self.bytes),
            Collective::Scatter => self.down(|parts| parts as f64 * self.bytes),
            Collective::Reduce => self.up(|_| self.bytes, true),
            Collective::Gather => self.up(|parts| parts as f64 * self.bytes, false),
            Collective::Allreduce => self.allreduce(),
        }
    }

    fn send(to: usize, bytes: f64) -> Step {
        Step::Send { to, bytes, mode: Mode::Standard, collective: true }
    }

    fn receive(from: usize) -> Step {
        Step::Receive { from: Some(from), collective: true }
    }

    fn combine(&self) -> Option<Step> {
        (self.combine_s > 0.0).then_some(Step::Compute { work_s: self.combine_s, threads: 1.0 })
    }

    fn barrier(&self) -> Vec<Step> {
        let distances = std::iter::successors(Some(1), |k| Some(2 * k)).take_while(|k| *k < self.processes);
        let round = |k: usize| Step::Exchange {
            to: Some((self.rank + k) % self.processes),
            from: Some((self.rank + self.processes - k) % self.processes),
            bytes: 0.0,
            collective: true,
        };
        distances.map(round).collect()
    }

    /// Number in the tree whose root is 0, and back.
    fn relative(&self) -> usize {
        (self.rank + self.processes - self.root) % self.processes
    }

    fn absolute(&self, relative: usize) -> usize {
        (relative + self.root) % self.processes
    }

    /// Processes in the subtree of a node whose distance to its parent is `mask`.
    fn parts(&self, relative: usize, mask: usize) -> usize {
        mask.min(self.processes - relative)
    }

    /// From the root to the leaves; a subtree of n processes gets `bytes(n)`.
    fn down(&self, bytes: impl Fn(usize) -> f64) -> Vec<Step> {
        let (own, mut steps, mut mask) = (self.relative(), Vec::new(), 1);
        while mask < self.processes {
            if own & mask != 0 {
                steps.push(Self::receive(self.absolute(own - mask)));
                break;
            }
            mask <<= 1;
        }
        while mask > 1 {
            mask >>= 1;
            if own + mask < self.processes {
                steps.push(Self::send(self.absolute(own + mask), bytes(self.parts(own + mask, mask))));
            }
        }
        steps
    }

    /// From the leaves to the root.
    fn up(&self, bytes: impl Fn(usize) -> f64, combining: bool) -> Vec<Step> {
        let (own, mut steps, mut mask) = (self.relative(), Vec::new(), 1);
        while mask < self.processes {
            if own & mask != 0 {
                steps.push(Self::send(self.absolute(own - mask), bytes(self.parts(own, mask))));
                break;
            }
            if own + mask < self.processes {
                steps.push(Self::receive(self.absolute(own + mask)));
                steps.extend(self.combine().filter(|_| combining));
            }
            mask <<= 1;
        }
        steps
    }

    /// The largest power of 2 of the processes doubles recursively; those beyond it hand their part to a neighbour before, and
    /// get the result after.
    fn allreduce(&self) -> Vec<Step> {
        let power = 1 << self.processes.ilog2();
        let beyond = self.processes - power;
        let (rank, mut steps) = (self.rank, Vec::new());
        if rank < 2 * beyond && rank.is_multiple_of(2) {
            return vec![Self::send(rank + 1, self.bytes), Self::receive(rank + 1)];
        }
        let folded = rank < 2 * beyond;
        if folded {
            steps.push(Self::receive(rank - 1));
            steps.extend(self.combine());
        }
        let own = if folded { rank / 2 } else { rank - beyond };
        let mut mask = 1;
        while mask < power {
            let other = own ^ mask;
            let other = if other < beyond { 2 * other + 1 } else { other + beyond };
            steps.push(Step::Exchange { to: Some(other), from: Some(other), bytes: self.bytes, collective: true });
            steps.extend(self.combine());
            mask <<= 1;
        }
        steps.extend(folded.then(|| Self::send(rank - 1, self.bytes)));
        steps
    }
}
