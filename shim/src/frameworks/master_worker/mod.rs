//! C API: the Master/Worker framework (`midrun_mw_*`).

mod calibrate;
mod config;
mod growth;
mod ledger;
mod master;
mod message;
mod spawned;
mod team;
mod trips;
mod worker;

use super::handle::{self, guard_framework};
use super::post::{Post, SLOTS};
use crate::frameworks::post::Letter;
use crate::guard::guard;
use crate::mpi::{self, Communicator};
use crate::records::LinkCost;
use crate::{safe_point, scheduling, spawn, status, stderr};
use config::{Config, RawConfig, Stats};
use growth::Growth;
pub use growth::farewell;
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::VecDeque;
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use team::Team;
use worker::End;

/// Whether the program has created a framework: only its first one can grow, since a started process serves that.
static CREATED: AtomicBool = AtomicBool::new(false);

/// `midrun_mw_t`.
pub struct MasterWorker {
    config: Config,
    /// Master: where the team may grow. Before the post, so that who was started is sent away first.
    growth: Option<Growth>,
    post: Post,
    /// Messages that arrived behind the one that ended an iteration.
    letters: VecDeque<Letter>,
    /// Master: who takes part.
    team: Team,
    /// Worker: it had nothing to compute in the last iteration.
    parked: bool,
    /// Master: what a message costs, to a worker of another host and of this one.
    links: [Option<LinkCost>; 2],
    iteration: u64,
    last: Option<Stats>,
    broken: bool,
}

/// The setting that the program asks for, or the sentence that says what is wrong with it.
fn asked(technique: Option<&str>, factor: f64) -> Result<TechniqueParameters, String> {
    let Some(name) = technique else {
        return Ok(TechniqueParameters { factor, ..TechniqueParameters::new(Technique::Dpf) });
    };
    match Technique::parse(name) {
        Some(kind) => Ok(TechniqueParameters { factor, ..TechniqueParameters::new(kind) }),
        None => {
            let allowed = Technique::ALL.map(Technique::name).join(" ");
            Err(format!("there is no technique \"{name}\"; the techniques are: {allowed}"))
        }
    }
}

fn create(raw: &RawConfig) -> Result<MasterWorker, c_int> {
    if !mpi::ready() {
        return Err(status::ERR_MPI);
    }
    let mpi = |_| status::ERR_MPI;
    let port = Communicator::open(raw.comm, SLOTS).map_err(mpi)?;
    let config = Config::checked(raw, port.rank, port.size);
    // SAFETY: midrun.h asks for a C string or NULL.
    let technique = (!raw.technique.is_null()).then(|| unsafe { CStr::from_ptr(raw.technique) }.to_string_lossy());
    let setting = asked(technique.as_deref(), raw.factor);
    let is_master = usize::try_from(raw.master) == Ok(port.rank);
    if let (Err(sentence), true) = (&setting, is_master) {
        stderr::warn(sentence);
    }
    let (tasks, results) = (raw.task_bytes as i64, raw.result_bytes as i64);
    let (good, master, flags) = (config.is_some() && setting.is_ok(), i64::from(raw.master), i64::from(raw.flags));
    let agreed = port.agree(good, &[master, tasks, results, flags]).map_err(mpi)?;
    if port.size < 2 {
        return Err(status::ERR_NO_WORKER);
    }
    let (Some(config), Ok(setting), true) = (config, setting, agreed) else { return Err(status::ERR_ARGUMENT) };
    let team = Team::new(port.size, config.master, config.workers);
    let (first, mut growth) = (!CREATED.swap(true, Ordering::Relaxed), None);
    if is_master {
        safe_point::own();
        scheduling::declare_technique(setting);
        scheduling::declare_workers(team.active().len() as u32, port.size as u32 - 1);
        growth = first.then(|| Growth::plan(&config, port.size as u32 - 1)).flatten();
    }
    let post = Post::open(port).map_err(mpi)?;
    let letters = VecDeque::new();
    Ok(MasterWorker {
        config,
        growth,
        post,
        letters,
        team,
        parked: false,
        links: [None; 2],
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
        // SAFETY: null, or made by midrun_mw_create and not destroyed.
        let Some(mw) = (unsafe { mw.as_mut() }) else { return status::ERR_ARGUMENT };
        if mw.broken || !mpi::ready() {
            return status::ERR_MPI;
        }
        let done = if mw.post.port.rank == mw.config.master {
            let ready = master::calibrate(&mw.config, &mut mw.post, &mw.team, mw.iteration, &mut mw.links);
            let now = (mw.iteration, tasks);
            let team = (&mut mw.team, &mw.links);
            let done = ready.and_then(|()| master::iterate(&mw.config, &mut mw.post, team, &mut mw.growth, now));
            done.map(|(status, stats)| {
                mw.last = Some(stats);
                status
            })
        } else {
            worker::iterate(&mw.config, &mut mw.post, &mut mw.letters, mw.iteration, mw.parked).map(|end| match end {
                End::Over(status, chunks) => {
                    mw.parked = chunks == 0;
                    status
                }
                End::Dismissed => status::ERR_COUNT, // nobody dismisses a rank
            })
        };
        mw.iteration += 1;
        done.unwrap_or_else(|_| {
            mw.broken = true;
            status::ERR_MPI
        })
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
        unsafe { handle::tell(mw.as_ref().and_then(|mw| mw.last), stats) }
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
        let sentence = asked(Some("fastest"), 0.0).unwrap_err();
        assert!(sentence.contains("\"fastest\"") && sentence.contains("none ss fsc gss fac2 dpf daf af"), "{sentence}");
        assert_eq!(asked(None, 0.0).unwrap().kind, Technique::Dpf);
        assert_eq!(asked(Some("fsc"), 0.1).unwrap().factor, 0.1);
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
