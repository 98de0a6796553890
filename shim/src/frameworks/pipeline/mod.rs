//! C API: the pipeline framework (`midrun_pipe_*`).

mod config;
mod dispatch;
mod fragments;
mod head;
mod message;
mod pattern;
mod rank;
mod spawned;
mod team;
mod teams;
mod timing;
mod windows;

use super::endpoint::{Endpoint, SLOTS};
use super::growth::{Growing, Growth};
use super::handle::{self, guard_framework};
use super::nesting::{self, Members};
use super::synchronous;
use crate::guard::{guard, guard_value};
use crate::mpi::{self, Communicator};
use crate::tuning_points::{self, Setter, TuningPoint};
use crate::{safe_point, spawn, start, status, stderr};
use config::{Config, RawConfig, Stats};
use head::{Control, Counters};
use message::Out;
use midrun_ring::TuningPointKind;
use midrun_scheduling::plan::Plan;
use midrun_vocabulary::bounds::TEXT_BYTES;
use midrun_vocabulary::names;
use pattern::Placer;
use rank::{HEAD, Rank};
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, Ordering};

/// The program has created a pipeline. Only the first one can grow, because started processes serve that one.
static CREATED: AtomicBool = AtomicBool::new(false);

/// `midrun_pipe_t`. Its parts are borrowed separately, because the program's callbacks may call the C API.
pub struct Pipe {
    /// The growth, of the head where allowed, is dropped before the rank, so that started processes are dismissed first.
    rank: RefCell<(Option<Growth>, Rank, Counters)>,
    members: Members,
    /// Head only.
    control: Option<Rc<RefCell<Control>>>,
    last: RefCell<Option<Stats>>,
    broken: Cell<bool>,
}

thread_local! {
    /// The control of the newest pipeline of the thread that polls safe points.
    static NEWEST: RefCell<Weak<RefCell<Control>>> = const { RefCell::new(Weak::new()) };
}

/// Sets the pattern of the newest pipeline.
static PATTERN: Setter =
    Setter { accepts: |_, _, text| can_take(text), ..Setter::new(|_, _, _, text| take(text), |_| 0.0) };

/// Sets how pipelines send.
static SYNCHRONOUS: Setter = Setter::new(
    |_, _, value, _| synchronous::set_pipelines(value != 0.0),
    |_| f64::from(u8::from(synchronous::of_pipelines())),
);

/// Declares the tuning points; a second call does nothing.
fn declare() {
    let initial = (SYNCHRONOUS.value)(0);
    tuning_points::with(|registry| {
        if !registry.is_declared(&SYNCHRONOUS, 0) {
            let (name, range) = (names::PIPE_SYNCHRONOUS.into(), (0.0, 1.0));
            let kind = TuningPointKind::Whole;
            registry.declare(TuningPoint { name, kind, range, setter: &SYNCHRONOUS, number: 0 }, initial);
        }
        if !registry.is_declared(&PATTERN, 0) {
            let (name, range) = (names::PATTERN.into(), (0.0, TEXT_BYTES as f64));
            registry
                .declare(TuningPoint { name, kind: TuningPointKind::Text, range, setter: &PATTERN, number: 0 }, 0.0);
        }
    });
}

/// Whether the newest pipeline of this thread can go by this pattern.
fn can_take(text: &str) -> bool {
    newest().is_some_and(|control| control.try_borrow().is_ok_and(|control| control.parse(text).is_ok()))
}

/// From its next input on the newest pipeline of this thread goes by this pattern, if it can.
fn take(text: &str) {
    let control = newest();
    if let Some(mut control) = control.as_ref().and_then(|control| control.try_borrow_mut().ok())
        && let Ok(plan) = control.parse(text)
    {
        control.requested = Some(plan);
    }
}

fn newest() -> Option<Rc<RefCell<Control>>> {
    NEWEST.with_borrow(Weak::upgrade)
}

/// The plan that the program configures, after a check that it can be placed; or an error message. Where the program leaves it open, that of an
/// earlier run.
fn requested(config: &Config, size: usize) -> Result<Control, String> {
    let placer = Placer::new(size, config.stateful(), config.teams());
    let plan = Plan::even(config.stages.len(), placer.ranks());
    let mut control = Control { plan, requested: None, synchronous: synchronous::of_pipelines(), placer };
    // An earlier run gives one, to its first pipeline.
    let remembered = || start::pattern(size).filter(|_| !CREATED.load(Ordering::Relaxed)).map(|plan| plan.to_string());
    if let Some(text) = &config.plan {
        control.plan = control.parse(text)?;
    } else if let Some(text) = remembered() {
        match control.parse(&text) {
            Ok(plan) => control.plan = plan,
            Err(why) => {
                let cold = "the pipeline begins without what earlier runs learnt";
                stderr::warn(format_args!("the remembered pattern \"{text}\" does not fit: {why}; {cold}"));
            }
        }
    }
    Ok(control)
}

/// The growth of the head beyond `size` ranks, of which `there` compute, if the user allows it and nothing hinders it.
fn plan_growth(config: &Config, there: usize, size: usize) -> Option<Growth> {
    let refusal = match () {
        // A lead, and who works for it, are ranks of the job.
        () if config.teams().contains(&true) => Some("one of the pipeline's stages is a team's"),
        // The head would compute, and passes the messages of the others on.
        () if size == 1 => Some("a single rank computes all stages; start the program on two ranks or more"),
        () => None,
    };
    Growth::plan(Growing::Pipeline, there as u32, refusal, config.hello())
}

/// # Safety
/// As [`Config::read`].
unsafe fn create(raw: *const RawConfig) -> Result<Pipe, c_int> {
    if !mpi::ready() {
        return Err(status::ERR_MPI);
    }
    // SAFETY: the caller's promise.
    let read = unsafe { Config::read(raw) };
    let comm = read.as_ref().map_or(std::ptr::null(), |(_, raw)| raw.comm);
    let mpi = |_| status::ERR_MPI;
    let comm = Communicator::open(comm, SLOTS, false).map_err(mpi)?;
    let config = read.map(|(config, _)| config).filter(|config| comm.rank != HEAD || config.has_source());
    let control = config.as_ref().filter(|_| comm.rank == HEAD).map(|config| requested(config, comm.size));
    if let Some(Err(why)) = &control {
        stderr::warn(format_args!("the pattern is not taken: {why}"));
    }
    let good = config.is_some() && !matches!(control, Some(Err(_)));
    let (print, stages) = config.as_ref().map_or((0, 0), |c| (c.fingerprint(), c.stages.len() as i64));
    let agreed = comm.agree(good, &[print, stages]).map_err(mpi)?;
    let (Some(config), true) = (config, agreed) else { return Err(status::ERR_ARGUMENT) };
    let control = control.and_then(Result::ok).map(|control| Rc::new(RefCell::new(control)));
    let (first, mut growth) = (!CREATED.swap(true, Ordering::Relaxed), None);
    if let Some(control) = &control
        && safe_point::own()
    {
        NEWEST.set(Rc::downgrade(control));
        declare();
        if first && config.may_spawn {
            growth = plan_growth(&config, control.borrow().placer.ranks(), comm.size);
        }
    }
    let members = Members::from(comm.world());
    let own = comm.rank;
    let rank = Rank::new(Rc::new(config), Endpoint::open(comm).map_err(mpi)?, Rc::clone(&members), own);
    Ok(Pipe {
        rank: RefCell::new((growth, rank, Counters::new())),
        members,
        control,
        last: RefCell::new(None),
        broken: Cell::new(false),
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_pipe_create(pipe: *mut *mut Pipe, config: *const RawConfig) -> c_int {
    guard("midrun_pipe_create", || {
        if pipe.is_null() || config.is_null() {
            return status::ERR_ARGUMENT;
        }
        // SAFETY: not null, and valid by midrun.h; of the configuration no more is read than its size says.
        unsafe {
            handle::create(pipe, || {
                if spawn::is_spawned() {
                    spawned::serve(config);
                }
                create(config)
            })
        }
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_pipe_run(pipe: *const Pipe) -> c_int {
    guard_framework("midrun_pipe_run", || {
        // SAFETY: null, or made by midrun_pipe_create and not destroyed.
        let Some(pipe) = (unsafe { pipe.as_ref() }) else { return status::ERR_ARGUMENT };
        // A callback must not run the pipeline that called it.
        let Ok(mut rank) = pipe.rank.try_borrow_mut() else { return status::ERR_ARGUMENT };
        if pipe.broken.get() || !mpi::ready() {
            return status::ERR_MPI;
        }
        let (growth, rank, counters) = &mut *rank;
        let own = rank.endpoint.comm.rank;
        let _entered = match nesting::enter(pipe, (&pipe.members, own)) {
            Ok(entered) => entered,
            Err(status) => return status,
        };
        let done = match &pipe.control {
            None => rank.serve(),
            Some(control) => head::run((rank, growth), control, counters).map(|(status, stats)| {
                pipe.last.replace(Some(stats));
                status
            }),
        };
        done.unwrap_or_else(|_| {
            pipe.broken.set(true);
            status::ERR_MPI
        })
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_pipe_pattern(pipe: *const Pipe, pattern: *const c_char) -> c_int {
    guard("midrun_pipe_pattern", || {
        // SAFETY: null, or made by midrun_pipe_create; null, or a C string.
        let (pipe, text) = unsafe { (pipe.as_ref(), config::text(pattern)) };
        let (Some(control), Some(text)) = (pipe.and_then(|pipe| pipe.control.as_ref()), text) else {
            return status::ERR_ARGUMENT;
        };
        let Ok(mut control) = control.try_borrow_mut() else { return status::ERR_ARGUMENT };
        match control.parse(&text) {
            Ok(plan) => control.requested = Some(plan),
            Err(why) => {
                stderr::warn(format_args!("the pattern \"{text}\" is not taken: {why}"));
                return status::ERR_ARGUMENT;
            }
        }
        status::OK
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_pipe_emit(out: *mut Out, bytes: usize) -> *mut c_void {
    guard_value("midrun_pipe_emit", std::ptr::null_mut(), || {
        // SAFETY: null, or the handle that the callback in progress was given.
        let room = unsafe { out.as_mut() }.and_then(|out| out.emit(bytes));
        room.map_or(std::ptr::null_mut(), |room| room.as_mut_ptr().cast())
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_pipe_last(pipe: *const Pipe, stats: *mut Stats) -> c_int {
    guard("midrun_pipe_last", || {
        // SAFETY: null or valid.
        unsafe { handle::copy_stats(pipe.as_ref().and_then(|pipe| *pipe.last.borrow()), size_of::<Stats>(), stats) }
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_pipe_destroy(pipe: *mut *mut Pipe) -> c_int {
    guard("midrun_pipe_destroy", || {
        // SAFETY: null, or made by midrun_pipe_create.
        unsafe { handle::destroy(pipe) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_mpi_there_is_an_error_and_no_crash() {
        let mut pipe = std::ptr::null_mut();
        // SAFETY: null pointers are answered by a status.
        unsafe {
            assert_eq!(midrun_pipe_create(&raw mut pipe, std::ptr::null()), status::ERR_ARGUMENT);
            assert_eq!(midrun_pipe_run(pipe), status::ERR_ARGUMENT);
            assert_eq!(midrun_pipe_pattern(pipe, c"0".as_ptr()), status::ERR_ARGUMENT);
            assert!(midrun_pipe_emit(std::ptr::null_mut(), 8).is_null());
            assert_eq!(midrun_pipe_destroy(&raw mut pipe), status::OK);
        }
    }
}
