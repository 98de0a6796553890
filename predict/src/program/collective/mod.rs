//! Collective communication as the messages of its algorithms.
//!
//! The algorithms are those of Thakur, Rabenseifner, Gropp, *Optimization of Collective Communication Operations in MPICH*
//! (2005), with dissemination (Hensgen, Finkel, Manber 1988) for barriers and neighbour exchange (Chen et al. 2005) for
//! allgather. Which one runs depends on the MPI, the number of processes and the message size ([`choice`]), unless the
//! machine names one.

mod blocks;
mod choice;
mod trees;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::element::{Collective, Mode};
use super::messages::Step;

/// The steps of one process, one after another.
pub(super) type Steps = Box<dyn Iterator<Item = Step>>;

/// The MPI whose choice of algorithms holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mpi {
    /// Open MPI 4.1 and 5.0: the fixed decisions of its module `tuned`.
    #[default]
    OpenMpi,
    /// MPICH 3.3 and 4: its default thresholds, without the two levels that it makes of processes that share nodes.
    Mpich,
}

/// How a collective communication is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The root and each other process.
    Linear,
    /// From each process to the next.
    Chain,
    /// A binary tree.
    Binary,
    /// A binomial tree.
    Binomial,
    /// A tree of radix 4.
    Knomial,
    /// The distance doubles, pairs exchange all they have.
    RecursiveDoubling,
    /// The distance doubles, in one direction.
    Dissemination,
    /// Bruck's: the distance doubles in one direction, with the blocks that go that far.
    Bruck,
    /// From each to the next, as often as there are others.
    Ring,
    /// Pairs of neighbours, alternately on both sides.
    Neighbor,
    /// Every pair in its own round.
    Pairwise,
    /// Scatter by a binomial tree, then allgather by recursive doubling.
    ScatterAllgather,
    /// Scatter by a binomial tree, then allgather by a ring.
    ScatterRing,
    /// Reduce-scatter by recursive halving, then allgather (allreduce) or gather (reduce).
    Rabenseifner,
    /// A reduce, then a broadcast, each as it is chosen for itself.
    ReduceBroadcast,
}

/// Choice of algorithms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collectives {
    /// Whose table holds.
    pub mpi: Mpi,
    /// Algorithms that hold whatever the table says.
    pub given: BTreeMap<Collective, Algorithm>,
}

/// Part of a process in a collective communication.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub rank: usize,
    pub processes: usize,
    pub root: usize,
    pub bytes: f64,
    pub combine_s: f64,
}

impl Collective {
    /// Algorithms that do this.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::*;
        match self {
            Collective::Barrier => &[Linear, Binomial, RecursiveDoubling, Dissemination],
            Collective::Broadcast => &[Linear, Chain, Binary, Binomial, Knomial, ScatterAllgather, ScatterRing],
            Collective::Reduce => &[Linear, Chain, Binary, Binomial, Rabenseifner],
            Collective::Allreduce => &[RecursiveDoubling, Ring, Rabenseifner, ReduceBroadcast],
            Collective::Gather | Collective::Scatter => &[Linear, Binomial],
            Collective::Allgather => &[RecursiveDoubling, Bruck, Ring, Neighbor],
            Collective::Alltoall => &[Linear, Bruck, Pairwise],
        }
    }
}

impl Collectives {
    /// The steps of a process.
    pub(super) fn steps(&self, kind: Collective, part: Part) -> Steps {
        if part.processes == 1 {
            return Box::new(std::iter::empty());
        }
        let chosen = || choice::algorithm(self.mpi, kind, part.processes, part.bytes);
        let algorithm = self.given.get(&kind).copied().unwrap_or_else(chosen);
        // Open MPI sends to all children of a tree at once, MPICH to one after another.
        let at_once = self.mpi == Mpi::OpenMpi;
        match (kind, algorithm) {
            (Collective::Barrier, Algorithm::RecursiveDoubling) => list(Part { bytes: 0.0, ..part }.doubling()),
            (Collective::Barrier, Algorithm::Dissemination) => part.dissemination(),
            (Collective::Barrier, of) => {
                let part = Part { bytes: 0.0, ..part };
                Box::new(list(part.up(of, false, true)).chain(list(part.down(of, false, at_once))))
            }
            (Collective::Broadcast, Algorithm::ScatterAllgather) => {
                let piece = Part { bytes: part.bytes / part.processes as f64, ..part };
                Box::new(list(piece.down(Algorithm::Binomial, true, false)).chain(piece.allgather_doubling()))
            }
            (Collective::Broadcast, Algorithm::ScatterRing) => {
                let piece = Part { bytes: part.bytes / part.processes as f64, ..part };
                Box::new(list(piece.down(Algorithm::Binomial, true, false)).chain(piece.ring(0.0)))
            }
            (Collective::Broadcast, of) => list(part.down(of, false, at_once)),
            (Collective::Scatter, of) => list(part.down(of, true, at_once && of == Algorithm::Linear)),
            (Collective::Reduce, Algorithm::Rabenseifner) => list(part.reduce_halving()),
            (Collective::Reduce, of) => list(part.up(of, false, true)),
            (Collective::Gather, of) => list(part.up(of, true, false)),
            (Collective::Allreduce, Algorithm::ReduceBroadcast) => {
                let reduce = self.steps(Collective::Reduce, part);
                Box::new(reduce.chain(self.steps(Collective::Broadcast, part)))
            }
            (Collective::Allreduce, Algorithm::Ring) => {
                let share = 1.0 / part.processes as f64;
                let piece = Part { bytes: part.bytes * share, ..part };
                Box::new(piece.ring(part.combine_s * share).chain(piece.ring(0.0)))
            }
            (Collective::Allreduce, Algorithm::Rabenseifner) => list(part.allreduce_halving()),
            (Collective::Allreduce, _) => list(part.doubling()),
            (Collective::Allgather, Algorithm::Ring) => part.ring(0.0),
            (Collective::Allgather, Algorithm::Neighbor) => part.neighbor(),
            (Collective::Allgather, Algorithm::Bruck) => part.allgather_bruck(),
            (Collective::Allgather, _) => part.allgather_doubling(),
            (Collective::Alltoall, Algorithm::Bruck) => part.alltoall_bruck(),
            (Collective::Alltoall, Algorithm::Pairwise) => part.pairwise(self.mpi),
            (Collective::Alltoall, _) => part.alltoall_linear(self.mpi),
        }
    }
}

fn list(steps: Vec<Step>) -> Steps {
    Box::new(steps.into_iter())
}

impl Part {
    fn send(to: usize, bytes: f64) -> Step {
        Step::Send { to, bytes, mode: Mode::Standard, collective: true }
    }

    fn receive(from: usize) -> Step {
        Step::Receive { from: Some(from), collective: true }
    }

    fn exchange(to: usize, from: usize, bytes: f64) -> Step {
        Step::Exchange { sends: vec![(to, bytes)], receives: vec![from], collective: true }
    }

    /// Combines a share of the message.
    fn combine(combine_s: f64) -> Option<Step> {
        (combine_s > 0.0).then_some(Step::Compute { work_s: combine_s, threads: 1.0 })
    }

    /// The process `distance` further round.
    fn after(&self, distance: usize) -> usize {
        (self.rank + distance) % self.processes
    }

    /// The process `distance` before, which is at most the number of processes.
    fn before(&self, distance: usize) -> usize {
        (self.rank + self.processes - distance) % self.processes
    }

    /// 1, 2, 4, … below the number of processes.
    fn distances(&self) -> impl Iterator<Item = usize> + use<> {
        let processes = self.processes;
        std::iter::successors(Some(1), |k| Some(2 * k)).take_while(move |k| *k < processes)
    }
}
