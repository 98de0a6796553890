//! Algorithms by blocks: rings, recursive doubling and halving, pairs.

use super::{Mpi, Part, Steps};
use crate::program::messages::Step;

/// Messages that MPICH's scattered alltoall has under way at once.
const BATCH: usize = 32;

/// The largest power of 2 of the processes works among itself; the first `2 beyond` processes are folded to `beyond` of them.
struct Folded {
    /// Number among them.
    own: usize,
    power: usize,
    beyond: usize,
}

impl Folded {
    fn of(part: &Part) -> Folded {
        let power = 1 << part.processes.ilog2();
        let beyond = part.processes - power;
        let own = if part.rank < 2 * beyond { part.rank / 2 } else { part.rank - beyond };
        Folded { own, power, beyond }
    }

    /// The rank of one of them.
    fn rank(&self, number: usize) -> usize {
        if number < self.beyond { 2 * number + 1 } else { number + self.beyond }
    }

    /// 1, 2, 4, … below their number.
    fn distances(&self) -> Vec<usize> {
        (0..self.power.ilog2()).map(|k| 1 << k).collect()
    }
}

impl Part {
    /// Ranks beyond a power of 2 hand their part to a neighbour before, and get the result after if `back`.
    fn folded(&self, back: bool, inner: impl FnOnce(&Folded) -> Vec<Step>) -> Vec<Step> {
        let folded = Folded::of(self);
        let paired = self.rank < 2 * folded.beyond;
        if paired && self.rank.is_multiple_of(2) {
            let result = back.then(|| Self::receive(self.rank + 1));
            return std::iter::once(Self::send(self.rank + 1, self.bytes)).chain(result).collect();
        }
        let mut steps = Vec::new();
        if paired {
            steps.push(Self::receive(self.rank - 1));
            steps.extend(Self::combine(self.combine_s));
        }
        steps.extend(inner(&folded));
        steps.extend((paired && back).then(|| Self::send(self.rank - 1, self.bytes)));
        steps
    }

    /// Pairs at doubling distances exchange the whole message.
    pub(super) fn doubling(&self) -> Vec<Step> {
        self.folded(true, |folded| {
            let round = |distance: usize| {
                let other = folded.rank(folded.own ^ distance);
                [Self::exchange(other, other, self.bytes)].into_iter().chain(Self::combine(self.combine_s))
            };
            folded.distances().into_iter().flat_map(round).collect()
        })
    }

    /// Reduce-scatter: pairs at doubling distances exchange half of what they have left.
    fn halving(&self, folded: &Folded) -> Vec<Step> {
        let round = |distance: usize| {
            let (other, share) = (folded.rank(folded.own ^ distance), 0.5 / distance as f64);
            let exchange = Self::exchange(other, other, self.bytes * share);
            [exchange].into_iter().chain(Self::combine(self.combine_s * share))
        };
        folded.distances().into_iter().flat_map(round).collect()
    }

    /// Rabenseifner's allreduce.
    pub(super) fn allreduce_halving(&self) -> Vec<Step> {
        self.folded(true, |folded| {
            let mut steps = self.halving(folded);
            for distance in folded.distances().into_iter().rev() {
                let other = folded.rank(folded.own ^ distance);
                steps.push(Self::exchange(other, other, self.bytes * 0.5 / distance as f64));
            }
            steps
        })
    }

    /// Rabenseifner's reduce: after the reduce-scatter, the parts go to the root by a binomial tree.
    pub(super) fn reduce_halving(&self) -> Vec<Step> {
        let folded = Folded::of(self);
        // A root that was folded away gets the result from its neighbour.
        let away = self.root < 2 * folded.beyond && self.root.is_multiple_of(2);
        let number = if self.root < 2 * folded.beyond { self.root / 2 } else { self.root - folded.beyond };
        let mut steps = self.folded(false, |folded| {
            let mut steps = self.halving(folded);
            for distance in folded.distances().into_iter().rev() {
                let (other, bytes) = (folded.rank(folded.own ^ distance), self.bytes * 0.5 / distance as f64);
                if (folded.own ^ number) & distance != 0 {
                    steps.push(Self::send(other, bytes));
                    break;
                }
                steps.push(Self::receive(other));
            }
            steps
        });
        if away && self.rank == self.root {
            steps.push(Self::receive(self.root + 1));
        } else if away && self.rank == self.root + 1 {
            steps.push(Self::send(self.root, self.bytes));
        }
        steps
    }

    /// Empty messages at doubling distances.
    pub(super) fn dissemination(self) -> Steps {
        Box::new(self.distances().map(move |k| Self::exchange(self.after(k), self.before(k), 0.0)))
    }

    /// One block from each to the next, as often as there are others, and `combine_s` for each.
    pub(super) fn ring(self, combine_s: f64) -> Steps {
        let round = move |_| {
            let exchange = Self::exchange(self.after(1), self.before(1), self.bytes);
            [exchange].into_iter().chain(Self::combine(combine_s))
        };
        Box::new((1..self.processes).flat_map(round))
    }

    /// Allgather: pairs at doubling distances exchange all blocks they have; by Bruck's without a power of 2.
    pub(super) fn allgather_doubling(self) -> Steps {
        if !self.processes.is_power_of_two() {
            return self.allgather_bruck();
        }
        let round = move |k: usize| Self::exchange(self.rank ^ k, self.rank ^ k, k as f64 * self.bytes);
        Box::new(self.distances().map(round))
    }

    pub(super) fn allgather_bruck(self) -> Steps {
        let round = move |k: usize| {
            let blocks = k.min(self.processes - k) as f64;
            Self::exchange(self.before(k), self.after(k), blocks * self.bytes)
        };
        Box::new(self.distances().map(round))
    }

    /// Allgather: own block with one neighbour, then two blocks with each in turn; a ring for an odd number.
    pub(super) fn neighbor(self) -> Steps {
        if !self.processes.is_multiple_of(2) {
            return self.ring(0.0);
        }
        let round = move |k: usize| {
            let up = self.rank.is_multiple_of(2) == k.is_multiple_of(2);
            let other = if up { self.after(1) } else { self.before(1) };
            Self::exchange(other, other, if k == 0 { 1.0 } else { 2.0 } * self.bytes)
        };
        Box::new((0..self.processes / 2).map(round))
    }

    /// Blocks whose distance has the digit go that far.
    pub(super) fn alltoall_bruck(self) -> Steps {
        let round = move |k: usize| {
            let (whole, rest) = (self.processes / (2 * k) * k, (self.processes % (2 * k)).saturating_sub(k));
            Self::exchange(self.after(k), self.before(k), (whole + rest) as f64 * self.bytes)
        };
        Box::new(self.distances().map(round))
    }

    pub(super) fn pairwise(self, mpi: Mpi) -> Steps {
        let mirrored = mpi == Mpi::Mpich && self.processes.is_power_of_two();
        let round = move |k: usize| {
            let (to, from) = if mirrored { (self.rank ^ k, self.rank ^ k) } else { (self.after(k), self.before(k)) };
            Self::exchange(to, from, self.bytes)
        };
        Box::new((1..self.processes).map(round))
    }

    /// Everything at once, in batches where the MPI limits them.
    pub(super) fn alltoall_linear(self, mpi: Mpi) -> Steps {
        let batch = if mpi == Mpi::Mpich { BATCH } else { self.processes };
        let round = move |begin: usize| {
            let distances = begin..(begin + batch).min(self.processes);
            let sends = distances.clone().map(|k| (self.after(k), self.bytes)).collect();
            Step::Exchange { sends, receives: distances.map(|k| self.before(k)).collect(), collective: true }
        };
        Box::new((1..self.processes).step_by(batch).map(round))
    }
}
