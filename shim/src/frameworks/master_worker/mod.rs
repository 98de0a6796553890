//! C API: the Master/Worker framework (`midrun_mw_*`).

mod bundle;
mod calibrate;
mod chunk_record;
mod config;
mod counter;
mod inputs;
mod ledger;
mod looks;
mod losses;
mod master;
mod message;
mod order;
mod own;
mod own_chunk;
mod parcel;
mod redo;
mod round_trips;
mod shared;
mod sizes;
mod spawned;
mod submaster;
mod subteams;
mod supply;
mod taken;
mod taker;
mod team;
mod upward;
mod worker;

use super::endpoint::{Endpoint, Message, SLOTS};
use super::growth::{Growing, Growth};
use super::handle::{self, guard_framework};
use super::nesting::{self, Members};
use super::synchronous;
use crate::guard::guard;
use crate::mpi::{self, Communicator};
use crate::records::LinkCost;
use crate::{safe_point, scheduling, spawn, start, status, stderr};
pub use config::{ANY_SIZE, MASTER_WORKS, RECALL, RawConfig};
use config::{Config, Stats};
pub use ledger::{Known, Ledger};
pub use master::Work;
use midrun_scheduling::{Technique, TechniqueParameters};
pub use parcel::Parcel;
use sizes::Sizes;
use std::collections::VecDeque;
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use team::Team;
use worker::{End, Kept};

/// The program has created a framework. Only the first one can grow, because started processes serve that one.
static CREATED: AtomicBool = AtomicBool::new(false);

/// `midrun_mw_t`.
pub struct MasterWorker {
    config: Config,
    /// Master: the growth of the team, where allowed. Dropped before the endpoint, so that started processes are dismissed first.
    growth: Option<Growth>,
    endpoint: Endpoint,
    members: Members,
    /// Messages that arrived after the one that ended an iteration.
    messages: VecDeque<Message>,
    /// Master: the active workers.
    team: Team,
    /// Worker: what it keeps between iterations.
    kept: Kept,
    /// Master: cost of messages to workers on other hosts and on this host.
    links: [Option<LinkCost>; 2],
    /// Master: bytes of inputs and results of any size.
    sizes: Sizes,
    iteration: u64,
    last: Option<Stats>,
    broken: bool,
}

/// The technique that the program configures, or an error message.
fn requested(technique: Option<&str>, factor: f64) -> Result<TechniqueParameters, String> {
    let Some(name) = technique else {
        // A share alone is that of DPF.
        return Ok(match factor > 0.0 {
            true => TechniqueParameters { factor, ..TechniqueParameters::new(Technique::Dpf) },
            false => TechniqueParameters::START,
        });
    };
    match Technique::parse(name) {
        Some(kind) => Ok(TechniqueParameters { factor, ..TechniqueParameters::new(kind) }),
        None => {
            let allowed = Technique::ALL.map(Technique::name).join(" ");
            Err(format!("there is no technique \"{name}\"; the techniques are: {allowed}"))
        }
    }
}

/// Collective: see `midrun_mw_create`.
pub fn create(raw: &RawConfig) -> Result<MasterWorker, c_int> {
    if !mpi::ready() {
        return Err(status::ERR_MPI);
    }
    let mpi = |_| status::ERR_MPI;
    let tolerate = raw.flags & config::TOLERATE != 0;
    let comm = Communicator::open(raw.comm, SLOTS, tolerate).map_err(mpi)?;
    let config = Config::checked(raw, comm.rank, comm.size);
    // SAFETY: midrun.h asks for a C string or NULL.
    let technique = (!raw.technique.is_null()).then(|| unsafe { CStr::from_ptr(raw.technique) }.to_string_lossy());
    let setting = requested(technique.as_deref(), raw.factor);
    let is_master = usize::try_from(raw.master) == Ok(comm.rank);
    let refusal = setting.as_ref().err().cloned().or_else(|| Config::refusal(raw));
    if let (Some(sentence), true) = (refusal, is_master) {
        stderr::warn(&sentence);
    }
    if tolerate && !comm.tolerates && is_master {
        stderr::warn(
            "the flag MIDRUN_MW_TOLERATE has no effect: this MPI ends the job when a rank dies, and a lost host ends it or lets it hang; Open MPI 5 does not, started by mpirun --with-ft ulfm",
        );
    }
    let (tasks, results) = (raw.task_bytes as i64, raw.result_bytes as i64);
    let (good, master, flags) = (config.is_some() && setting.is_ok(), i64::from(raw.master), i64::from(raw.flags));
    let agreed = comm.agree(good, &[master, tasks, results, flags]).map_err(mpi)?;
    if comm.size < 2 && raw.flags & config::MASTER_WORKS == 0 {
        return Err(status::ERR_NO_WORKER);
    }
    let (Some(mut config), Ok(setting), true) = (config, setting, agreed) else { return Err(status::ERR_ARGUMENT) };
    let members = Members::from(comm.world());
    config.master_world = members[config.master];
    let endpoint = Endpoint::open(comm).map_err(mpi)?;
    let size = endpoint.comm.size;
    let mut team = Team::new(size, (config.master, config.master_works()), config.workers);
    let (first, mut growth) = (!CREATED.swap(true, Ordering::Relaxed), None);
    if is_master {
        safe_point::own();
        let synchronous = synchronous::asked(synchronous::MASTER_WORKER);
        let asked = match shared::suits_start(&config, &endpoint) {
            true => TechniqueParameters { synchronous, ..TechniqueParameters::START_BY_COUNTER },
            false => TechniqueParameters { recall: config.recalls(), counter: config.counts(), synchronous, ..setting },
        };
        let mut initial = asked;
        if let Some(start) = start::scheduling(size).filter(|_| first) {
            if config.leaves_technique_open() {
                initial = TechniqueParameters { synchronous, ..start.parameters };
            }
            // Ranks of an earlier run are those of MPI_COMM_WORLD.
            if config.workers == 0 && raw.comm.is_null() {
                team.choose(start.workers.iter().map(|rank| *rank as usize).collect(), &start.speeds);
            }
        }
        scheduling::declare_technique(asked, initial);
        scheduling::declare_workers(team.active().len() as u32, team.most() as u32);
        if first && config.may_spawn() {
            // The death of such a process would end the job.
            let refusal =
                endpoint.comm.tolerates.then_some("the flag MIDRUN_MW_TOLERATE does not cover started processes");
            growth = Growth::plan(Growing::Workers, team.most() as u32, refusal, config.hello().message());
        }
        shared::offer(&config, &endpoint);
        subteams::offer(&config, &endpoint);
        losses::warn_of_lost_hosts(&endpoint);
    }
    let messages = VecDeque::new();
    Ok(MasterWorker {
        config,
        growth,
        endpoint,
        members,
        messages,
        team,
        kept: Kept::default(),
        links: master::known_links(),
        sizes: Sizes::default(),
        iteration: 0,
        last: None,
        broken: false,
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_create(mw: *mut *mut MasterWorker, config: *const RawConfig) -> c_int {
    guard("midrun_mw_create", || {
        if mw.is_null() || config.is_null() {
            return status::ERR_ARGUMENT;
        }
        // SAFETY: not null, and valid by midrun.h; of the configuration no more is read than its size says.
        unsafe {
            handle::create(mw, || {
                let raw = RawConfig::read(config).ok_or(status::ERR_ARGUMENT)?;
                if spawn::is_spawned() {
                    spawned::serve(&raw);
                }
                create(&raw)
            })
        }
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_iterate(mw: *mut MasterWorker, tasks: u64) -> c_int {
    guard_framework("midrun_mw_iterate", || {
        if nesting::runs(mw) {
            return status::ERR_ARGUMENT; // a callback must not run the framework that called it
        }
        // SAFETY: null, or made by midrun_mw_create and not destroyed.
        let Some(mw) = (unsafe { mw.as_mut() }) else { return status::ERR_ARGUMENT };
        mw.iterate(&mut Tasks(tasks))
    })
}

impl MasterWorker {
    /// Whether this rank is the master.
    pub fn is_master(&self) -> bool {
        self.endpoint.comm.rank == self.config.master
    }

    /// Ranks of its communicator.
    pub fn ranks(&self) -> usize {
        self.endpoint.comm.size
    }

    /// Master: active workers.
    pub fn workers(&self) -> usize {
        self.team.active().len()
    }

    /// Statistics of the last iteration, on the master.
    pub fn last(&self) -> Option<Stats> {
        self.last
    }

    /// Collective: runs one iteration; `work` counts on the master.
    pub fn iterate(&mut self, work: &mut dyn Work) -> c_int {
        if self.broken || !mpi::ready() {
            return status::ERR_MPI;
        }
        let own = self.endpoint.comm.rank;
        let _entered = match nesting::enter(self, (&self.members, own)) {
            Ok(entered) => entered,
            Err(status) => return status,
        };
        let done = if self.is_master() {
            let ready = master::calibrate(
                &self.config,
                &mut self.endpoint,
                &self.team,
                (self.iteration, work.tasks()),
                &mut self.links,
            );
            let team = (&mut self.team, &self.links);
            let kept = (&mut self.growth, &mut self.sizes);
            let done = ready
                .and_then(|()| master::iterate(&self.config, &mut self.endpoint, team, kept, (self.iteration, work)));
            done.map(|(status, stats)| {
                self.last = Some(stats);
                status
            })
        } else {
            let (messages, kept) = (&mut self.messages, &mut self.kept);
            let end = worker::iterate(&self.config, &mut self.endpoint, messages, self.iteration, kept);
            end.map(|end| match end {
                End::Over(status) => status,
                End::Dismissed => status::ENDED,
            })
        };
        self.iteration += 1;
        done.unwrap_or_else(|_| {
            self.broken = true;
            status::ERR_MPI
        })
    }

    /// Master: tells the workers that no iteration follows.
    pub fn finish(&mut self) -> c_int {
        if !self.is_master() {
            return status::ERR_ARGUMENT;
        }
        if self.broken || !mpi::ready() {
            return status::ERR_MPI;
        }
        let sent = master::finish(&self.config, &mut self.endpoint, self.iteration);
        sent.map_or(status::ERR_MPI, |()| status::OK)
    }
}

/// An iteration of so many tasks.
struct Tasks(u64);

impl Work for Tasks {
    fn begin(&mut self) -> u64 {
        self.0
    }

    fn tasks(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_finish(mw: *mut MasterWorker) -> c_int {
    guard_framework("midrun_mw_finish", || {
        if nesting::runs(mw) {
            return status::ERR_ARGUMENT;
        }
        // SAFETY: null, or made by midrun_mw_create and not destroyed.
        unsafe { mw.as_mut() }.map_or(status::ERR_ARGUMENT, MasterWorker::finish)
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_last(mw: *const MasterWorker, stats: *mut Stats) -> c_int {
    guard("midrun_mw_last", || {
        // SAFETY: null or valid.
        unsafe { handle::copy_stats(mw.as_ref().and_then(|mw| mw.last), Stats::FIRST_SIZE, stats) }
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_destroy(mw: *mut *mut MasterWorker) -> c_int {
    guard("midrun_mw_destroy", || {
        // SAFETY: null, or made by midrun_mw_create.
        unsafe { handle::destroy(mw) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_technique_is_refused_with_the_names_that_exist() {
        let sentence = requested(Some("fastest"), 0.0).unwrap_err();
        assert!(
            sentence.contains("\"fastest\"")
                && sentence.contains("none ss fsc gss fac2 dpf daf af tss mfsc awf-b awf-c"),
            "{sentence}"
        );
        assert_eq!(requested(None, 0.0).unwrap(), TechniqueParameters::START);
        assert_eq!(requested(None, 0.3).unwrap().kind, Technique::Dpf);
        assert_eq!(requested(Some("fsc"), 0.1).unwrap().factor, 0.1);
    }

    #[test]
    fn without_mpi_there_is_an_error_and_no_crash() {
        let mut mw = std::ptr::null_mut();
        // SAFETY: null pointers are answered by a status.
        unsafe {
            assert_eq!(midrun_mw_create(&raw mut mw, std::ptr::null()), status::ERR_ARGUMENT);
            assert_eq!(midrun_mw_iterate(mw, 1), status::ERR_ARGUMENT);
            assert_eq!(midrun_mw_destroy(&raw mut mw), status::OK);
        }
    }
}
