//! Workers that died while the job went on, and what they held ([`super::redo`] hands it out again).

use super::team::Team;
use crate::frameworks::endpoint::Endpoint;
use crate::{records, scheduling, stderr};

/// What was lost in an iteration, and since the one before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// Workers.
    pub workers: u32,
    /// Tasks that had been handed to them, and were handed to others.
    pub tasks: u64,
}

impl Losses {
    /// Before an iteration: workers that died since the last one.
    pub fn between(endpoint: &mut Endpoint, team: &mut Team, iteration: u64) -> Losses {
        let mut losses = Losses::default();
        while let Some(rank) = endpoint.next_lost() {
            team.lose(rank);
            losses.workers += 1;
            stderr::warn(format_args!("rank {rank} was lost; workers left: {}", team.most()));
            records::loss(iteration, 1, 0, team.most() as u32, endpoint.in_world(rank));
        }
        losses.settle(team);
        losses
    }

    /// Nobody counts on those workers any more.
    pub fn settle(&self, team: &mut Team) {
        if self.workers > 0 {
            team.settle();
            scheduling::shrink(team.most() as u32);
        }
    }
}

/// Says what becomes of the job when a whole host is lost, where it has several and goes on when a rank dies: of a host that is silent, Open MPI
/// learns by its failure detector alone, which is off unless the user asks for it.
pub fn warn_of_lost_hosts(endpoint: &Endpoint) {
    if !endpoint.comm.tolerates || (0..endpoint.comm.size).all(|rank| endpoint.is_here(rank)) {
        return;
    }
    let is_on =
        std::env::var("OMPI_MCA_mpi_ft_detector").is_ok_and(|value| value.starts_with(['1', 't', 'T', 'y', 'Y', 'e']));
    stderr::warn(match is_on {
        false => {
            "the flag MIDRUN_MW_TOLERATE covers workers that die, not their hosts: a lost host ends the job or lets it hang, since Open MPI's failure \
             detector is off; docs/launching.md has the options of mpirun"
        }
        true => {
            "Open MPI's failure detector takes a worker for dead, and ends its process, when one task takes longer than mpi_ft_detector_timeout \
             (10 s unless you set it)"
        }
    });
}
