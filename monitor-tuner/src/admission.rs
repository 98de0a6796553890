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

/// Says why `rank` is left alone, if `report` takes the reason.
pub fn tell(rank: &Rank, obstacle: Obstacle, report: impl FnOnce(&str) -> Option<String>) {
    let (job, identity) = (&rank.id.job, rank.segment.identity());
    let reason = match obstacle {
        Obstacle::Launch => format!(
            "a second launch runs while the first one of its job does; it is left alone until that one has ended (a midrun run of its \
             own would tune it), job {job:?}, launch {:?}",
            identity.launch
        ),
        // An executed program is the same process again: the end of its former connection is about to come.
        Obstacle::Rank(live) if live == identity.pid => return,
        Obstacle::Rank(live) => format!(
            "process {} says that it is rank {} of job {job:?}, which process {live} is; it is left alone while that one lives",
            identity.pid, identity.rank
        ),
    };
    if let Some(reason) = report(&reason) {
        tracing::warn!("{reason}");
    }
}
