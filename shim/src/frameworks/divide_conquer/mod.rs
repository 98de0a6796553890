//! C API: the divide-and-conquer framework (`midrun_dc_*`).
//!
//! The master divides a problem down to the cut-off depth. The problems there are the tasks of a Master/Worker iteration: a worker
//! solves each by dividing it further. The master combines the results. How deep it cuts off is a tuning point.

mod buffer;
mod config;
mod level;
mod message;
mod report;
mod solve;
mod tree;
mod words;

use super::handle::{self, guard_framework};
use super::master_worker::{self, ANY_SIZE, MASTER_WORKS, MasterWorker, Parcel, RECALL, Work};
use super::nesting;
use crate::guard::guard;
use crate::tuning_points::{self, Setter, TuningPoint};
use crate::{clock, measuring, safe_point, start, state, status};
use buffer::Buffer;
use config::{Functions, RawConfig, Stats};
use message::Order;
use midrun_ring::TuningPointKind;
use midrun_vocabulary::names;
use solve::{Failed, solve};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tree::{Stop, Tree};
use words::Words;

/// Deepest cut-off.
const DEEPEST: u32 = 30;
/// Tasks per worker in the first solve of a program that names no cut-off depth. With k of equal time, the last one that a worker gets
/// is 1/k of its share, and idle workers wait for half of that on average.
const START_TASKS: usize = 8;
/// Depths below the cut-off that the first solve times: 15 problems of each task, where each has two parts.
const FIRST_LOOK: u32 = 3;
/// A flag that the Master/Worker framework refuses.
const NO_FLAG: u32 = 1 << 31;
/// The cut-off depth of the first solve is not chosen yet.
const OPEN: u32 = u32::MAX;

/// The cut-off depth in force in this process, of its newest framework.
static CUTOFF: AtomicU32 = AtomicU32::new(OPEN);

/// The program has created such a framework.
static CREATED: AtomicBool = AtomicBool::new(false);

static SETTER: Setter = Setter::new(
    |_, _, value, _| CUTOFF.store(value.round() as u32, Ordering::Relaxed),
    |_| f64::from(CUTOFF.load(Ordering::Relaxed).min(DEEPEST)),
);

/// What the callbacks of the Master/Worker framework need.
struct Shared {
    functions: Option<Functions>,
    /// Master: the problems of this solve.
    tree: Tree,
    /// Depths below the cut-off that workers time.
    look: u32,
}

/// [`Shared`] with an address of its own, which the callbacks get.
struct Owned(*mut Shared);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw`, and dropped once.
        unsafe { drop(Box::from_raw(self.0)) }
    }
}

/// `midrun_dc_t`.
pub struct DivideConquer {
    // Dropped first: its callbacks use `shared`.
    mw: MasterWorker,
    shared: Owned,
    /// Time of reading the clock once, seconds.
    clock_s: f64,
    result: Buffer,
    last: Option<Stats>,
}

/// Master: one solve as the work of an iteration.
struct Solve<'a> {
    shared: *mut Shared,
    /// `None`: the program's arguments are wrong.
    problem: Option<&'a [u8]>,
    workers: usize,
    clock_s: f64,
    cutoff: u32,
    result: Buffer,
}

impl Solve<'_> {
    fn divide(&mut self, shared: &mut Shared) -> Result<u64, Failed> {
        let problem = self.problem.and_then(Buffer::of).ok_or(Failed)?;
        let stop = match CUTOFF.load(Ordering::Relaxed) {
            OPEN => Stop::Parts(START_TASKS * self.workers),
            depth => Stop::At(depth),
        };
        let (tree, depth) = Tree::divide(shared.functions.as_ref().ok_or(Failed)?, problem, stop)?;
        if matches!(stop, Stop::Parts(_)) {
            CUTOFF.store(depth.min(DEEPEST), Ordering::Relaxed);
            tuning_points::with(|registry| registry.refresh(&SETTER, 0));
        }
        self.cutoff = depth;
        shared.tree = tree;
        if !state::recording() {
            shared.look = 0;
        }
        Ok(shared.tree.tasks())
    }
}

impl Work for Solve<'_> {
    fn begin(&mut self) -> u64 {
        // SAFETY: the framework's own, which no callback uses now.
        let shared = unsafe { &mut *self.shared };
        self.divide(shared).unwrap_or_else(|Failed| {
            // One task that cannot be prepared ends the iteration on all ranks.
            shared.tree = Tree::default();
            1
        })
    }

    fn end(&mut self, iteration: u64) -> bool {
        // SAFETY: as above.
        let shared = unsafe { &mut *self.shared };
        let Some(functions) = &shared.functions else { return false };
        let Ok((result, span_ns)) = shared.tree.combine(functions) else { return false };
        self.result = result;
        if state::recording() {
            report::push(iteration, self.cutoff, &shared.tree, span_ns);
            shared.look = next_look(&shared.tree, (self.cutoff, shared.look), self.clock_s);
        }
        true
    }
}

/// How many depths below the cut-off to time in the next solve: as many as the share of the time that measuring may take allows, with two
/// looks at the clock for each problem.
fn next_look(tree: &Tree, (cutoff, look): (u32, u32), clock_s: f64) -> u32 {
    let Some(work_ns) = tree.levels.first().map(|whole| whole.solve.sum_ns) else { return look };
    let most = measuring::budget() * work_ns as f64 * 1e-9 / (2.0 * clock_s);
    let mut timed = 0.0;
    let counts = tree.levels.iter().skip(cutoff as usize).map(|level| level.solve.count as f64);
    let affordable = counts.take_while(|count| {
        timed += count;
        timed <= most
    });
    let known = affordable.count() as u32;
    let all = (tree.levels.len() as u32).saturating_sub(cutoff);
    // Where all that were timed are cheap enough, one more is tried.
    if known >= all { known.min(look + 1) } else { known.saturating_sub(1) }
}

/// Time of one look at the clock, seconds.
fn clock_cost_s() -> f64 {
    const LOOKS: u32 = 100;
    let begun_ns = clock::now_ns();
    for _ in 0..LOOKS {
        std::hint::black_box(clock::now_ns());
    }
    (clock::now_ns().saturating_sub(begun_ns)).max(1) as f64 * 1e-9 / f64::from(LOOKS)
}

/// So many bytes; none may stand anywhere.
///
/// # Safety
/// `bytes` bytes stand at `data`, and stay as they are.
unsafe fn slice<'a>(data: *const c_void, bytes: usize) -> &'a [u8] {
    // SAFETY: the caller's promise.
    if bytes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) } }
}

unsafe extern "C" fn prepare(user: *mut c_void, _: u64, first: u64, count: u64, out: *mut Parcel) -> c_int {
    guard("a task's preparation", || {
        // SAFETY: the framework gave its own state to its Master/Worker, which passes it on with its own message.
        let (shared, out) = unsafe { (&*user.cast::<Shared>(), &mut *out) };
        for task in first..first + count {
            let Some((problem, depth)) = shared.tree.task(task) else { return status::ERR_TASK };
            message::write_problem(out.message(), Order { depth, look: shared.look }, problem.as_ref());
        }
        status::OK
    })
}

unsafe extern "C" fn compute(
    user: *mut c_void,
    _: u64,
    _: u64,
    count: u64,
    tasks: *const c_void,
    bytes: usize,
    out: *mut Parcel,
) -> c_int {
    guard("a task's computation", || {
        // SAFETY: as above; `bytes` bytes stand at `tasks`.
        let (shared, out, message) = unsafe { (&*user.cast::<Shared>(), &mut *out, slice(tasks, bytes)) };
        let (Some(functions), mut words) = (&shared.functions, Words::new(message)) else { return status::ERR_TASK };
        for _ in 0..count {
            let Some((order, problem)) = message::read_problem(&mut words) else { return status::ERR_TASK };
            let Ok(solved) = solve(functions, problem, order.look) else { return status::ERR_TASK };
            message::write_solved(out.message(), &solved);
        }
        status::OK
    })
}

unsafe extern "C" fn collect(
    user: *mut c_void,
    _: u64,
    first: u64,
    count: u64,
    results: *const c_void,
    bytes: usize,
) -> c_int {
    guard("a task's result", || {
        // SAFETY: as above. Only the master collects, and none of the other callbacks runs meanwhile.
        let (shared, message) = unsafe { (&mut *user.cast::<Shared>(), slice(results, bytes)) };
        let mut words = Words::new(message);
        let all = (first..first + count)
            .all(|task| message::read_solved(&mut words).is_some_and(|solved| shared.tree.on_solved(task, solved)));
        if all { status::OK } else { status::ERR_TASK }
    })
}

fn create(raw: &RawConfig) -> Result<DivideConquer, c_int> {
    if !crate::mpi::ready() {
        return Err(status::ERR_MPI);
    }
    let functions = raw.functions();
    let good = functions.is_some();
    let shared = Owned(Box::into_raw(Box::new(Shared { functions, tree: Tree::default(), look: FIRST_LOOK })));
    let of = master_worker::RawConfig {
        struct_size: size_of::<master_worker::RawConfig>(),
        comm: raw.comm,
        master: raw.master,
        // A rank whose arguments are wrong takes part with a flag that there is not, so that all ranks refuse together.
        flags: if good { ANY_SIZE | RECALL } else { NO_FLAG },
        task_bytes: 0,
        result_bytes: 0,
        prepare: None,
        compute: None,
        collect: None,
        user: shared.0.cast(),
        // Tasks one at a time: how large they are the depth says. A second one is under way to each worker, and may be recalled.
        technique: if raw.technique.is_null() { c"ss".as_ptr() } else { raw.technique },
        factor: 0.0,
        workers: raw.workers,
        prepare_any: Some(prepare),
        compute_any: Some(compute),
        collect_any: Some(collect),
    };
    let alone = |status| match status {
        status::ERR_NO_WORKER => {
            master_worker::create(&master_worker::RawConfig { flags: of.flags | MASTER_WORKS, ..of })
        }
        other => Err(other),
    };
    let mw = master_worker::create(&of).or_else(alone)?;
    let is_first = !CREATED.swap(true, Ordering::Relaxed);
    if mw.is_master() && safe_point::own() {
        // An earlier run gives one, to its first framework.
        let remembered = || start::scheduling(mw.ranks()).filter(|_| is_first)?.cutoff;
        let asked = if raw.cutoff == 0 { remembered() } else { Some(raw.cutoff) };
        CUTOFF.store(asked.map_or(OPEN, |depth| depth.min(DEEPEST)), Ordering::Relaxed);
        declare();
    }
    Ok(DivideConquer { mw, shared, clock_s: clock_cost_s(), result: Buffer::default(), last: None })
}

/// Declares the tuning point; a second call shows the value of the newest framework.
fn declare() {
    let (name, range, kind) = (names::CUTOFF.into(), (0.0, f64::from(DEEPEST)), TuningPointKind::Whole);
    tuning_points::with(|registry| match registry.is_declared(&SETTER, 0) {
        true => registry.refresh(&SETTER, 0),
        false => {
            registry.declare(TuningPoint { name, kind, range, setter: &SETTER, number: 0 }, (SETTER.value)(0));
        }
    });
}

impl DivideConquer {
    /// Collective. `problem` counts on the master, which keeps the result; without it the solve fails on all ranks.
    fn solve(&mut self, problem: Option<&[u8]>) -> c_int {
        let mut solve = Solve {
            shared: self.shared.0,
            problem,
            workers: self.mw.workers().max(1),
            clock_s: self.clock_s,
            cutoff: 0,
            result: Buffer::default(),
        };
        let status = self.mw.iterate(&mut solve);
        let (result, cutoff) = (solve.result, solve.cutoff);
        if let Some(of) = self.mw.last().filter(|_| self.mw.is_master()) {
            self.result = if status == status::OK { result } else { Buffer::default() };
            // SAFETY: the framework's own; no callback runs now.
            let tree = unsafe { &(*self.shared.0).tree };
            self.last = Some(Stats {
                struct_size: size_of::<Stats>(),
                iteration: of.iteration,
                tasks: of.tasks,
                cutoff,
                workers: of.workers,
                iteration_s: of.iteration_s,
                task_s: of.task_s,
                divide_s: tree.divide_ns as f64 * 1e-9,
                combine_s: tree.combine_ns as f64 * 1e-9,
            });
        }
        status
    }
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_dc_create(dc: *mut *mut DivideConquer, config: *const RawConfig) -> c_int {
    guard("midrun_dc_create", || {
        if dc.is_null() || config.is_null() {
            return status::ERR_ARGUMENT;
        }
        // SAFETY: not null, and valid by midrun.h; of the configuration no more is read than its size says.
        unsafe { handle::create(dc, || create(&RawConfig::read(config).ok_or(status::ERR_ARGUMENT)?)) }
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_dc_solve(
    dc: *mut DivideConquer,
    problem: *const c_void,
    bytes: usize,
    result: *mut *const c_void,
    result_bytes: *mut usize,
) -> c_int {
    guard_framework("midrun_dc_solve", || {
        // SAFETY: null, or made by midrun_dc_create and not destroyed; no reference is made to what may run.
        if !dc.is_null() && nesting::runs(unsafe { &raw const (*dc).mw }) {
            return status::ERR_ARGUMENT; // a callback must not run the framework that called it
        }
        // SAFETY: null, or made by midrun_dc_create and not destroyed.
        let Some(dc) = (unsafe { dc.as_mut() }) else { return status::ERR_ARGUMENT };
        let here = dc.mw.is_master();
        let is_wrong = here && (problem.is_null() && bytes > 0 || result.is_null() || result_bytes.is_null());
        // The workers wait for the solve: it begins all the same, and fails on all ranks.
        // SAFETY: the program's promise: so many bytes stand there.
        let status = dc.solve((!is_wrong).then(|| unsafe { slice(problem, if here { bytes } else { 0 }) }));
        let status = if is_wrong { status::ERR_ARGUMENT } else { status };
        let solved = if here { dc.result.as_ref() } else { &[] };
        // SAFETY: null or valid for writes, by midrun.h.
        unsafe {
            if let Some(result) = result.as_mut() {
                *result = solved.as_ptr().cast();
            }
            if let Some(bytes) = result_bytes.as_mut() {
                *bytes = solved.len();
            }
        }
        status
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_dc_finish(dc: *mut DivideConquer) -> c_int {
    guard_framework("midrun_dc_finish", || {
        // SAFETY: null, or made by midrun_dc_create and not destroyed.
        unsafe { dc.as_mut() }.map_or(status::ERR_ARGUMENT, |dc| dc.mw.finish())
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_dc_last(dc: *const DivideConquer, stats: *mut Stats) -> c_int {
    guard("midrun_dc_last", || {
        // SAFETY: null or valid.
        unsafe { handle::copy_stats(dc.as_ref().and_then(|dc| dc.last), size_of::<Stats>(), stats) }
    })
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_dc_destroy(dc: *mut *mut DivideConquer) -> c_int {
    guard("midrun_dc_destroy", || {
        // SAFETY: null, or made by midrun_dc_create.
        unsafe { handle::destroy(dc) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_mpi_there_is_an_error_and_no_crash() {
        let mut dc = std::ptr::null_mut();
        // SAFETY: null pointers are answered by a status.
        unsafe {
            assert_eq!(midrun_dc_create(&raw mut dc, std::ptr::null()), status::ERR_ARGUMENT);
            let null = std::ptr::null_mut();
            assert_eq!(midrun_dc_solve(dc, std::ptr::null(), 0, null, std::ptr::null_mut()), status::ERR_ARGUMENT);
            assert_eq!(midrun_dc_finish(dc), status::ERR_ARGUMENT);
            assert_eq!(midrun_dc_destroy(&raw mut dc), status::OK);
            assert!(config::midrun_dc_emit(std::ptr::null_mut(), 1).is_null());
        }
    }
}
