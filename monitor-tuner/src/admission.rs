//! Which processes may join a job: those of one launch at a time, and one for each rank number.

use crate::rank::Rank;
use midrun_vocabulary::launch::differ;

/// What keeps a process from joining its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Ranks of another launch run.
    Launch,
    /// The rank lives already, as the process of this id.
    Rank(u32),
}

/// What keeps `rank` from joining its job while the ranks `live` are there.
pub fn obstacle<'a>(live: impl Iterator<Item = &'a Rank>, rank: &Rank) -> Option<Obstacle> {
    let mut same = None;
    for live in live.filter(|live| live.id.job == rank.id.job) {
        let (known, new) = (live.segment.identity(), rank.segment.identity());
        if differ(&known.launch, &new.launch) {
            return Some(Obstacle::Launch);
        }
        if known.rank == new.rank {
            same = Some(Obstacle::Rank(known.pid));
        }
    }
    same
}

/// Says why `rank` is left alone, of a launch once; `waiting` are left alone already.
pub fn tell<'a>(mut waiting: impl Iterator<Item = &'a Rank>, rank: &Rank, obstacle: Obstacle) {
    let (job, identity) = (&rank.id.job, rank.segment.identity());
    let of_launch = |other: &Rank| other.id.job == *job && other.segment.identity().launch == identity.launch;
    match obstacle {
        Obstacle::Launch if waiting.any(of_launch) => {}
        Obstacle::Launch => tracing::warn!(
            job,
            "a second launch runs while the first one of its job does; it is left alone until that one has ended (a midrun run of its \
             own would tune it)"
        ),
        // An executed program is the same process again: the end of its former connection is about to come.
        Obstacle::Rank(live) if live == identity.pid => {}
        Obstacle::Rank(live) => tracing::warn!(
            job,
            rank = identity.rank,
            live,
            other = identity.pid,
            "a second process says that it is this rank; it is left alone while the first one lives"
        ),
    }
}
