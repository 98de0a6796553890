//! C API of the Master/Worker framework; `include/midrun.h` is its documentation.

use super::callbacks::{Collect, Compute, Prepare, Program};
use super::doorbell::Doorbell;
use super::master::{self, Figures};
use super::post::Post;
use super::tally::Tally;
use super::worker::Worker;
use crate::guard::guard;
use crate::port::{self, MpiFailed, Port};
use crate::{knobs, safe_point, status};
use midrun_handout::{PolicyKind, Setting};
use std::ffi::{CStr, c_char, c_int, c_void};

const FLAG_CHUNKS: u32 = 1;

/// `midrun_mw_config_t`
#[repr(C)]
#[derive(Debug)]
pub struct Config {
    struct_size: usize,
    comm: *const c_void,
    master: c_int,
    flags: u32,
    task_bytes: usize,
    result_bytes: usize,
    prepare: Option<Prepare>,
    compute: Option<Compute>,
    collect: Option<Collect>,
    user: *mut c_void,
    policy: *const c_char,
    factor: f64,
}

/// `midrun_mw_stats_t`
#[repr(C)]
#[derive(Debug)]
pub struct Stats {
    struct_size: usize,
    iteration: u64,
    tasks: u64,
    chunks: u64,
    workers: u32,
    policy: u32,
    iteration_s: f64,
    task_s: f64,
    master_busy_s: f64,
}

enum Role {
    Master(Tally),
    Worker(Worker),
}

/// `midrun_mw_t`
pub struct MasterWorker {
    post: Post,
    program: Program,
    master: u32,
    iteration: u64,
    role: Role,
    last: Option<Figures>,
    /// A failed call of MPI leaves messages nobody will take: nothing more is tried.
    broken: bool,
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_create(mw: *mut *mut MasterWorker, config: *const Config) -> c_int {
    guard("midrun_mw_create", || {
        if mw.is_null() || config.is_null() || !port::ready() {
            return if port::ready() { status::ERR_ARGUMENT } else { status::ERR_MPI };
        }
        // SAFETY: not NULL; the caller's contract is that of midrun.h.
        unsafe {
            *mw = std::ptr::null_mut();
            match create(&*config) {
                Ok(made) => {
                    *mw = Box::into_raw(Box::new(made));
                    status::OK
                }
                Err(status) => status,
            }
        }
    })
}

/// # Safety
/// As midrun.h says of the configuration.
unsafe fn create(config: &Config) -> Result<MasterWorker, c_int> {
    if config.struct_size != std::mem::size_of::<Config>() {
        return Err(status::ERR_ARGUMENT); // compiled against another header: nothing in it can be trusted
    }
    // SAFETY: NULL or the address of a communicator, by the contract.
    let port = unsafe { Port::open(config.comm) }.map_err(|MpiFailed| status::ERR_MPI)?;
    // SAFETY: NULL or a C string, by the contract.
    let checked = unsafe { check(config, port.rank, port.size) };
    // Every rank learns of any rank's error, and that all gave the same sizes.
    let sizes =
        [i64::from(config.master), config.task_bytes as i64, config.result_bytes as i64, i64::from(config.flags)];
    let mut all: Vec<i64> = sizes.iter().flat_map(|s| [*s, -*s]).collect();
    all.push(i64::from(checked.as_ref().err().copied().unwrap_or(status::OK)));
    port.minimum(&mut all).map_err(|MpiFailed| status::ERR_MPI)?;
    let same = all[..8].chunks(2).all(|pair| pair[0] == -pair[1]);
    if !same && port.rank == 0 {
        eprintln!("midrun: the ranks gave midrun_mw_create different master, task_bytes, result_bytes or flags");
    }
    let setting = checked?;
    match all[8] as c_int {
        status::OK if same => {}
        status::OK => return Err(status::ERR_ARGUMENT),
        worst => return Err(worst),
    }
    let doorbell = Doorbell::new(&port).map_err(|MpiFailed| status::ERR_MPI)?;
    let master = config.master as u32;
    let role = if port.rank == master {
        safe_point::own();
        knobs::declare_master_worker(setting);
        Role::Master(Tally::new(port.size - 1))
    } else {
        Role::Worker(Worker::default())
    };
    let program = Program {
        prepare: config.prepare,
        compute: config.compute.ok_or(status::ERR_ARGUMENT)?,
        collect: config.collect,
        user: config.user,
        task_bytes: config.task_bytes,
        result_bytes: config.result_bytes,
        by_chunk: config.flags & FLAG_CHUNKS != 0,
    };
    Ok(MasterWorker { post: Post::new(port, doorbell), program, master, iteration: 0, role, last: None, broken: false })
}

/// The setting to begin with, or the status that says what is wrong; the master says it in words, too.
///
/// # Safety
/// `config.policy` is NULL or a C string.
unsafe fn check(config: &Config, rank: u32, size: u32) -> Result<Setting, c_int> {
    let say = |what: &str| {
        if rank == 0 {
            eprintln!("midrun: midrun_mw_create: {what}");
        }
        Err(status::ERR_ARGUMENT)
    };
    if config.master < 0 || config.master as u32 >= size {
        return say(&format!("master is {}, the communicator has ranks 0 to {}", config.master, size - 1));
    }
    if size < 2 {
        return Err(status::ERR_NO_WORKER);
    }
    if config.compute.is_none() || (config.task_bytes > 0 && config.prepare.is_none()) {
        return say("compute must be given, and prepare where task_bytes is not 0");
    }
    if config.flags & !FLAG_CHUNKS != 0 {
        return say("flags has bits that this version does not know");
    }
    let most = super::message::MAX_PAYLOAD as usize;
    if config.task_bytes > most || config.result_bytes > most {
        return say(&format!("a task and its result may have at most {most} bytes"));
    }
    if !(0.0..=1.0).contains(&config.factor) {
        return say(&format!("factor is {}, a share between 0 and 1 would be right", config.factor));
    }
    let mut setting = Setting::FALLBACK;
    if !config.policy.is_null() {
        // SAFETY: a C string, by the contract.
        let name = unsafe { CStr::from_ptr(config.policy) }.to_string_lossy();
        let Some(kind) = PolicyKind::parse(&name) else {
            let known = PolicyKind::ALL.map(PolicyKind::name).join(" ");
            return say(&format!("there is no policy '{name}'; there are: {known}"));
        };
        setting = Setting::new(kind);
    }
    setting.factor = if config.factor > 0.0 { config.factor } else { setting.share() };
    Ok(setting)
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_iterate(mw: *mut MasterWorker, tasks: u64) -> c_int {
    guard("midrun_mw_iterate", || {
        // SAFETY: NULL or made by midrun_mw_create, used by one thread at a time, by the contract.
        let Some(mw) = (unsafe { mw.as_mut() }) else { return status::ERR_ARGUMENT };
        if mw.broken || !port::ready() {
            return status::ERR_MPI;
        }
        let iteration = mw.iteration;
        mw.iteration += 1;
        let result = match &mut mw.role {
            Role::Master(tally) => {
                master::run(&mut mw.post, &mw.program, tally, iteration, tasks).map(|(status, figures)| {
                    mw.last = Some(figures);
                    status
                })
            }
            Role::Worker(worker) => worker.run(&mut mw.post, &mw.program, mw.master, iteration),
        };
        result.unwrap_or_else(|MpiFailed| {
            mw.broken = true;
            status::ERR_MPI
        })
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_last(mw: *const MasterWorker, stats: *mut Stats) -> c_int {
    guard("midrun_mw_last", || {
        // SAFETY: NULL or valid, by the contract.
        let (Some(mw), Some(stats)) = (unsafe { mw.as_ref() }, unsafe { stats.as_mut() }) else {
            return status::ERR_ARGUMENT;
        };
        let Some(last) = mw.last.filter(|_| stats.struct_size == std::mem::size_of::<Stats>()) else {
            return status::ERR_ARGUMENT;
        };
        *stats = Stats {
            struct_size: stats.struct_size,
            iteration: last.iteration,
            tasks: last.tasks,
            chunks: last.chunks,
            workers: mw.post.port.size - 1,
            policy: last.policy,
            iteration_s: last.iteration_s,
            task_s: last.task_s,
            master_busy_s: last.master_busy_s,
        };
        status::OK
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_destroy(mw: *mut *mut MasterWorker) -> c_int {
    guard("midrun_mw_destroy", || {
        // SAFETY: NULL or the address of a pointer that midrun_mw_create set, by the contract.
        let Some(at) = (unsafe { mw.as_mut() }) else { return status::ERR_ARGUMENT };
        if !at.is_null() {
            // SAFETY: made by Box::into_raw, and set to NULL here so that it is freed once.
            drop(unsafe { Box::from_raw(std::mem::replace(at, std::ptr::null_mut())) });
        }
        status::OK
    })
}
