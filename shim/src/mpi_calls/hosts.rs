//! The ranks that are on this host, found without a message and without waiting.
//!
//! Each rank binds a socket to an abstract name made of the job and its rank before it initialises MPI. No rank leaves MPI_Init
//! before all have come, so a name that is missing belongs to another host, or to a process without midrun. Names live as
//! long as their process, and in its network namespace.

use crate::guard::guard_value;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};

/// Variables in which launchers give the rank.
const RANK: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];

const UNKNOWN: u8 = u8::MAX;
const SAME: u8 = 0;
const OTHER: u8 = 1;

/// The class of each rank of the world, as far as it was looked up, and the job.
static HOSTS: OnceLock<(Vec<AtomicU8>, String)> = OnceLock::new();
/// The names of this process: kept open for the life of the process.
static NAMES: Mutex<Vec<UnixDatagram>> = Mutex::new(Vec::new());

/// MPI is about to be initialised: binds this rank's name, where its launcher gives the rank.
pub fn announce() {
    let Ok(job) = std::env::var("MIDRUN_JOB") else { return };
    let rank = RANK.iter().find_map(|name| std::env::var(name).ok()?.parse().ok());
    if let Some(rank) = rank {
        bind(&job, rank);
    }
}

/// MPI is initialised.
pub fn on_init(rank: u32, world_size: u32, job: &str) {
    if !is_here(job, rank) {
        bind(job, rank);
    }
    let hosts: Vec<AtomicU8> = (0..world_size).map(|_| AtomicU8::new(UNKNOWN)).collect();
    if let Some(own) = hosts.get(rank as usize) {
        own.store(SAME, Ordering::Relaxed);
    }
    let _ = HOSTS.set((hosts, job.to_owned()));
}

/// Class of a rank of the world: 0 = on this host, 1 = not known to be. A system call the first time.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_host_class(rank: libc::c_int) -> libc::c_int {
    guard_value("an MPI call", OTHER.into(), || {
        let Some((hosts, job)) = HOSTS.get() else { return OTHER.into() };
        let Some(host) = hosts.get(rank as usize) else { return OTHER.into() };
        let mut class = host.load(Ordering::Relaxed);
        if class == UNKNOWN {
            class = if is_here(job, rank as u32) { SAME } else { OTHER };
            host.store(class, Ordering::Relaxed);
        }
        class.into()
    })
}

fn name(job: &str, rank: u32) -> std::io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("midrun/{job}/{rank}"))
}

fn bind(job: &str, rank: u32) {
    if let Ok(socket) = name(job, rank).and_then(|name| UnixDatagram::bind_addr(&name)) {
        NAMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(socket);
    }
}

/// Whether a process of this host has bound the rank's name. Nothing is sent.
fn is_here(job: &str, rank: u32) -> bool {
    let connect = |name| UnixDatagram::unbound()?.connect_addr(&name);
    name(job, rank).and_then(connect).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_announced_itself_is_here_and_another_is_not() {
        let job = format!("hosts-{}", std::process::id());
        assert!(!is_here(&job, 1));
        bind(&job, 1);
        assert!(is_here(&job, 1) && !is_here(&job, 2));
        bind(&job, 1); // a second one is no harm
        on_init(0, 3, &job);
        assert_eq!([0, 1, 2, 3, -1].map(|rank| midrun_host_class(rank)), [0, 0, 1, 1, 1]);
        assert!(is_here(&job, 0));
    }
}
