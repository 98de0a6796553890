//! Which algorithm an MPI takes, by number of processes and bytes.
//!
//! Open MPI: the fixed decisions of `coll/tuned` since 4.1, for commutative operations. They ask for no segments. Its split and
//! in-order binary trees count as binary ones, its synchronized linear gather and alltoall as linear, its two-process forms as
//! the form that they are for two. MPICH: the default thresholds of 3.3 and 4 (Thakur et al. 2005), elements of 8 bytes.

use super::Algorithm::{self, *};
use super::{Collective, Mpi};

/// For fewer processes than the first number: for fewer bytes than the first number, which algorithm.
type Table = &'static [(usize, &'static [(u64, Algorithm)])];

/// Beyond all.
const ANY: u64 = u64::MAX;
const ALL: usize = usize::MAX;
const K: u64 = 1024;

const ALLREDUCE: Table = &[
    (
        4,
        &[
            (8, Ring),
            (4 * K, RecursiveDoubling),
            (8 * K, Ring),
            (16 * K, RecursiveDoubling),
            (256 * K, Ring),
            (ANY, Rabenseifner),
        ],
    ),
    (8, &[(16, Ring), (8 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (16, &[(8 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (32, &[(64, Ring), (4 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (64, &[(128, Ring), (ANY, Rabenseifner)]),
    (128, &[(256 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (256, &[(128 * K, ReduceBroadcast), (256 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (512, &[(4 * K, ReduceBroadcast), (ANY, Rabenseifner)]),
    (2048, &[(2 * K, ReduceBroadcast), (16 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (4096, &[(2 * K, ReduceBroadcast), (4 * K, Ring), (16 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
    (ALL, &[(2 * K, ReduceBroadcast), (16 * K, Ring), (32 * K, RecursiveDoubling), (ANY, Rabenseifner)]),
];

const BARRIER: Table = &[
    (4, &[(ANY, RecursiveDoubling)]),
    (8, &[(ANY, Linear)]),
    (64, &[(ANY, RecursiveDoubling)]),
    (256, &[(ANY, Dissemination)]),
    (512, &[(ANY, Binomial)]),
    (1024, &[(ANY, Dissemination)]),
    (4096, &[(ANY, Binomial)]),
    (ALL, &[(ANY, Dissemination)]),
];

const BROADCAST: Table = &[
    (
        4,
        &[
            (32, Chain),
            (256, Binary),
            (512, Chain),
            (K, Knomial),
            (32 * K, Linear),
            (128 * K, Binary),
            (256 * K, Chain),
            (512 * K, Linear),
            (1024 * K, Binomial),
            (ANY, Binary),
        ],
    ),
    (8, &[(64, Binary), (128, Binomial), (2 * K, Binary), (8 * K, Binomial), (1024 * K, Linear), (ANY, Chain)]),
    (16, &[(8, Knomial), (64, Binary), (4 * K, Knomial), (16 * K, Binary), (32 * K, Binomial), (ANY, Linear)]),
    (32, &[(4 * K, Knomial), (1024 * K, Binomial), (ANY, ScatterAllgather)]),
    (64, &[(2 * K, Binomial), (ANY, Knomial)]),
    (128, &[(ANY, Knomial)]),
    (256, &[(2, Binomial), (16 * K, Binary), (32 * K, Linear), (64 * K, Binary), (ANY, Knomial)]),
    (1024, &[(16 * K, Knomial), (32 * K, Binary), (ANY, Knomial)]),
    (2048, &[(512 * K, Knomial), (ANY, ScatterAllgather)]),
    (4096, &[(256 * K, Knomial), (ANY, ScatterAllgather)]),
    (ALL, &[(8 * K, Knomial), (16 * K, Binary), (256 * K, Knomial), (ANY, ScatterAllgather)]),
];

const REDUCE: Table = &[
    (4, &[(8, Rabenseifner), (16, Binary), (32, Chain), (256 * K, Linear), (ANY, Chain)]),
    (
        8,
        &[
            (4 * K, Binary),
            (64 * K, Chain),
            (256 * K, Binomial),
            (512 * K, Linear),
            (1024 * K, Binomial),
            (ANY, Linear),
        ],
    ),
    (16, &[(8 * K, Binary), (ANY, Binomial)]),
    (32, &[(4 * K, Binary), (ANY, Binomial)]),
    (256, &[(ANY, Binomial)]),
    (512, &[(8 * K, Binomial), (16 * K, Binary), (ANY, Binomial)]),
    (2048, &[(ANY, Binomial)]),
    (4096, &[(512, Binomial), (K, Binary), (8 * K, Binomial), (16 * K, Binary), (ANY, Binomial)]),
    (
        ALL,
        &[
            (16, Binomial),
            (32, Binary),
            (K, Binomial),
            (2 * K, Binary),
            (8 * K, Binomial),
            (16 * K, Binary),
            (ANY, Binomial),
        ],
    ),
];

const GATHER: Table = &[
    (4, &[(4, Linear), (32 * K, Binomial), (64 * K, Linear), (128 * K, Binomial), (ANY, Linear)]),
    (8, &[(K, Binomial), (8 * K, Linear), (32 * K, Binomial), (ANY, Linear)]),
    (256, &[(ANY, Binomial)]),
    (512, &[(2 * K, Binomial), (8 * K, Linear), (ANY, Binomial)]),
    (ALL, &[(ANY, Binomial)]),
];

const SCATTER: Table = &[
    (4, &[(ANY, Linear)]),
    (8, &[(2 * K, Binomial), (4 * K, Linear), (8 * K, Binomial), (ANY, Linear)]),
    (32, &[(16 * K, Binomial), (ANY, Linear)]),
    (64, &[(512, Binomial), (8 * K, Linear), (16 * K, Binomial), (ANY, Linear)]),
    (ALL, &[(512, Binomial), (ANY, Linear)]),
];

const ALLGATHER: Table = &[
    (32, &[(ANY, RecursiveDoubling)]),
    (64, &[(K, RecursiveDoubling), (64 * K, Neighbor), (ANY, Ring)]),
    (128, &[(512, RecursiveDoubling), (64 * K, Neighbor), (ANY, Ring)]),
    (256, &[(512, RecursiveDoubling), (128 * K, Neighbor), (512 * K, Ring), (1024 * K, Neighbor), (ANY, Ring)]),
    (
        512,
        &[
            (32, RecursiveDoubling),
            (128, Bruck),
            (K, RecursiveDoubling),
            (128 * K, Neighbor),
            (512 * K, Ring),
            (1024 * K, Neighbor),
            (ANY, Ring),
        ],
    ),
    (1024, &[(64, RecursiveDoubling), (256, Bruck), (2 * K, RecursiveDoubling), (ANY, Neighbor)]),
    (
        2048,
        &[
            (4, RecursiveDoubling),
            (8, Bruck),
            (16, RecursiveDoubling),
            (32, Bruck),
            (256, RecursiveDoubling),
            (512, Bruck),
            (4 * K, RecursiveDoubling),
            (ANY, Neighbor),
        ],
    ),
    (4096, &[(32, Bruck), (128, RecursiveDoubling), (512, Bruck), (4 * K, RecursiveDoubling), (ANY, Neighbor)]),
    (
        ALL,
        &[
            (2, RecursiveDoubling),
            (8, Bruck),
            (16, RecursiveDoubling),
            (512, Bruck),
            (4 * K, RecursiveDoubling),
            (ANY, Neighbor),
        ],
    ),
];

const ALLTOALL: Table = &[
    (3, &[(32 * K, Pairwise), (256 * K, Linear), (ANY, Pairwise)]),
    (8, &[(512 * K, Linear), (1024 * K, Pairwise), (ANY, Linear)]),
    (16, &[(ANY, Linear)]),
    (32, &[(4, Linear), (512, Bruck), (ANY, Linear)]),
    (64, &[(512, Bruck), (ANY, Linear)]),
    (256, &[(K, Bruck), (256 * K, Linear), (ANY, Pairwise)]),
    (512, &[(K, Bruck), (32 * K, Linear), (ANY, Pairwise)]),
    (1024, &[(512, Bruck), (256 * K, Linear), (ANY, Pairwise)]),
    (2048, &[(512, Bruck), (ANY, Linear)]),
    (4096, &[(K, Bruck), (ANY, Linear)]),
    (ALL, &[(2 * K, Bruck), (ANY, Linear)]),
];

/// The algorithm for so many bytes: of the message, or of one process's part.
pub(super) fn algorithm(mpi: Mpi, kind: Collective, processes: usize, bytes: f64) -> Algorithm {
    match mpi {
        Mpi::OpenMpi => open_mpi(kind, processes, bytes),
        Mpi::Mpich => mpich(kind, processes, bytes),
    }
}

fn open_mpi(kind: Collective, processes: usize, bytes: f64) -> Algorithm {
    let table = match kind {
        Collective::Barrier => BARRIER,
        Collective::Broadcast => BROADCAST,
        Collective::Reduce => REDUCE,
        Collective::Allreduce => ALLREDUCE,
        Collective::Gather => GATHER,
        Collective::Scatter => SCATTER,
        Collective::Allgather => ALLGATHER,
        Collective::Alltoall => ALLTOALL,
    };
    let by_processes = table.iter().find(|(below, _)| processes < *below);
    let by_bytes = by_processes.and_then(|(_, of)| of.iter().find(|(below, _)| bytes < *below as f64));
    by_bytes.map_or(Linear, |(_, algorithm)| *algorithm)
}

fn mpich(kind: Collective, processes: usize, bytes: f64) -> Algorithm {
    let power = processes.is_power_of_two();
    // Short, or fewer elements than the power of 2 that works among itself.
    let short = bytes <= 2048.0 || bytes / 8.0 < f64::from(1_u32 << processes.ilog2());
    let all = bytes * processes as f64;
    match kind {
        Collective::Barrier => Dissemination,
        Collective::Broadcast if bytes < 12_288.0 || processes < 8 => Binomial,
        Collective::Broadcast if bytes < 524_288.0 && power => ScatterAllgather,
        Collective::Broadcast => ScatterRing,
        Collective::Reduce if short => Binomial,
        Collective::Reduce => Rabenseifner,
        Collective::Allreduce if short => RecursiveDoubling,
        Collective::Allreduce => Rabenseifner,
        Collective::Gather | Collective::Scatter => Binomial,
        Collective::Allgather if power && all < 524_288.0 => RecursiveDoubling,
        Collective::Allgather if all < 81_920.0 => Bruck,
        Collective::Allgather => Ring,
        Collective::Alltoall if bytes <= 256.0 && processes >= 8 => Bruck,
        Collective::Alltoall if bytes <= 32_768.0 => Linear,
        Collective::Alltoall => Pairwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Collective; 8] = [
        Collective::Barrier,
        Collective::Broadcast,
        Collective::Reduce,
        Collective::Allreduce,
        Collective::Gather,
        Collective::Scatter,
        Collective::Allgather,
        Collective::Alltoall,
    ];

    #[test]
    fn every_choice_is_an_algorithm_for_its_collective() {
        for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
            for kind in KINDS {
                for processes in (2..600).chain([1023, 2047, 4096, 1_000_000]) {
                    for bits in 0..24 {
                        let chosen = algorithm(mpi, kind, processes, f64::from(1_u32 << bits));
                        assert!(kind.algorithms().contains(&chosen), "{mpi:?} {kind:?} {processes}: {chosen:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_thresholds_are_those_of_the_sources() {
        let open_mpi = |kind, processes, bytes| algorithm(Mpi::OpenMpi, kind, processes, bytes);
        assert_eq!(open_mpi(Collective::Allreduce, 64, 1048576.0), Rabenseifner);
        assert_eq!(open_mpi(Collective::Allreduce, 64, 8.0), RecursiveDoubling);
        assert_eq!(open_mpi(Collective::Broadcast, 16, 1048575.0), Binomial);
        assert_eq!(open_mpi(Collective::Broadcast, 16, 1048576.0), ScatterAllgather);
        assert_eq!(open_mpi(Collective::Barrier, 64, 0.0), Dissemination);
        assert_eq!(open_mpi(Collective::Alltoall, 2, 1048576.0), Pairwise);
        let mpich = |kind, processes, bytes| algorithm(Mpi::Mpich, kind, processes, bytes);
        assert_eq!(mpich(Collective::Allreduce, 64, 2048.0), RecursiveDoubling);
        assert_eq!(mpich(Collective::Allreduce, 64, 2049.0), Rabenseifner);
        assert_eq!(mpich(Collective::Broadcast, 64, 12_288.0), ScatterAllgather);
        assert_eq!(mpich(Collective::Broadcast, 63, 12_288.0), ScatterRing);
    }
}
