//! The program's MPI calls, counted: each thread has a page of counters in the segment, which it alone writes.
//!
//! The generated wrappers (`mpi/calls.c`, `mpi/fortran.c`) call [`midrun_call_enter`] and [`midrun_call_leave`] around the real
//! function. No lock, no system call, no allocation there, but for a thread's first call. A call inside another one (an MPI
//! that uses its own functions, a callback) is not counted: its time is the outer call's.
//!
//! Where timing each call would take more than its share of the time, the wrappers pass most calls on (see [`sampling`]).

mod hosts;
mod messages;
mod persistent;
mod requests;
mod sampling;
mod watch;

use crate::c_half::c_half;
use crate::guard::guard_value;
use crate::{agent_link, clock, iterations, measuring, safe_point, state};
use midrun_ring::calls::NAMES;
use midrun_ring::counters::{Activity, CALLS, Class, MAIN, PAGES, Page};
use sampling::Sampling;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use hosts::announce;
pub use watch::{Filter, ObservedCall, watch};

/// Called when the program is about to wait in MPI.
static BEFORE_WAIT: OnceLock<fn()> = OnceLock::new();
/// Pages in use, one bit each.
static CLAIMED: AtomicU64 = AtomicU64::new(1 << MAIN);
/// The program uses a framework, which has safe points of its own.
static FRAMEWORK: AtomicBool = AtomicBool::new(false);

/// As in `counted.h`.
const CLASS_BITS: u32 = 3;

/// No function's number: the cost of timing is measured by it.
const NOTHING: u32 = CALLS as u32 - 1;
/// Cost of timing a call, nanoseconds, as the bits of an `f64`; 0 = not measured yet.
static COST_NS: AtomicU64 = AtomicU64::new(0);
/// Time that a call which does nothing takes by the same clock, nanoseconds: it is no time of the call.
static NOTHING_NS: AtomicU64 = AtomicU64::new(0);

const _: () = assert!(PAGES <= 64 && Class::ALL.len() <= 1 << CLASS_BITS && NAMES.len() < CALLS);

c_half! {
    fn midrun_calls_set_page(page: *const u64);
}

/// A thread's page of counters, and whether the thread is in a call.
struct ThreadPage {
    page: OnceCell<Option<(usize, Page)>>,
    /// `None` until the first call.
    sampling: RefCell<Option<Sampling>>,
    /// Calls for which the last timed one stands.
    weight: Cell<u64>,
    /// Stack address of the call that is counted now; 0 = none. Calls nested in it lie below. A call that was left by a jump
    /// stays here until the next call from above.
    inside: Cell<usize>,
}

impl Drop for ThreadPage {
    fn drop(&mut self) {
        if let Some(Some((number, _))) = self.page.get() {
            // SAFETY: plain call.
            unsafe { midrun_calls_set_page(std::ptr::null()) };
            CLAIMED.fetch_and(!(1 << number), Ordering::Release); // SYNC N: pairs with claim
        }
    }
}

thread_local! {
    static OWN: ThreadPage = const {
        ThreadPage {
            page: OnceCell::new(),
            sampling: RefCell::new(None),
            weight: Cell::new(1),
            inside: Cell::new(0),
        }
    };
}

impl ThreadPage {
    fn page(&self) -> Option<&Page> {
        self.page.get_or_init(claim).as_ref().map(|(_, page)| page)
    }

    fn words(&self) -> *const u64 {
        self.page().map_or(std::ptr::null(), Page::words)
    }

    /// The thread enters `activity`: returns the time, or `None` when it is in a call already or has no page.
    fn enter(&self, activity: Activity) -> Option<u64> {
        let here = 0u8;
        let frame = (&raw const here) as usize;
        if self.inside.get() > frame {
            return None;
        }
        let Some(page) = self.page() else {
            state::segment().inspect(|segment| segment.miss_call());
            return None;
        };
        let now_ns = clock::now_ns().max(1);
        self.inside.set(frame);
        page.enter(activity, now_ns);
        Some(now_ns)
    }

    /// As [`ThreadPage::enter`], for a call of function `number`.
    fn enter_call(&self, number: u32, activity: Activity) -> Option<u64> {
        // The wrapper has no page for a thread's first call, and for the next one after a call that was left by a jump.
        let is_new = self.page.get().is_none() || self.inside.get() != 0;
        let now_ns = self.enter(activity)?;
        if is_new {
            self.page().inspect(|page| page.make(number));
        }
        Some(now_ns)
    }

    /// Counts a call that has ended. Returns whether it is time for a plan.
    fn leave_call(&self, number: u32, activity: Activity, peer: u32, bytes: u64, time_ns: u64, end_ns: u64) -> bool {
        let (Some(page), Ok(mut sampling)) = (self.page(), self.sampling.try_borrow_mut()) else { return false };
        let sampling = sampling.get_or_insert_with(|| Sampling::new(page, end_ns));
        let weight = sampling.weight(page, number);
        self.weight.set(weight);
        page.leave(activity, time_ns.saturating_mul(weight));
        let class = Class::from_number(peer & ((1 << CLASS_BITS) - 1));
        page.count(number, class, bytes, time_ns, weight);
        // Who has a counter in its memory is no master, and who looks for a message often has no more of them.
        if !messages::is_without_peer(number) {
            page.meet(peer >> CLASS_BITS, weight);
        }
        messages::on_call(number, (class, peer >> CLASS_BITS), bytes, (end_ns.saturating_sub(time_ns), end_ns));
        sampling.on_timed(page, number, time_ns, weight, end_ns)
    }
}

#[cold]
fn claim() -> Option<(usize, Page)> {
    let segment = state::segment()?;
    // SYNC N: a page given back by another thread is continued where that thread stopped.
    let free = (0..PAGES).find(|page| CLAIMED.fetch_or(1 << page, Ordering::Acquire) & 1 << page == 0)?;
    Some((free, segment.own_page(free)))
}

/// The calling thread has initialised MPI: it gets the page whose times stand for the rank's.
pub fn on_init(rank: u32, world_size: u32, job: &str) {
    hosts::on_init(rank, world_size, job);
    let _ = OWN.try_with(|own| {
        let _ = own.page.set(state::segment().map(|segment| (MAIN, segment.own_page(MAIN))));
        // SAFETY: the page's words stay where they are for the rest of the run, as the segment does.
        unsafe { midrun_calls_set_page(own.words()) };
    });
}

/// No call of this thread is counted from now on, and none of a forked child.
pub fn off() {
    // SAFETY: plain call.
    unsafe { midrun_calls_set_page(std::ptr::null()) };
}

/// The program made a framework, so its MPI calls are no safe points any more.
pub fn on_framework() {
    FRAMEWORK.store(true, Ordering::Relaxed);
}

/// Registers what happens when the program is about to wait in MPI; the first callback stays.
pub fn before_wait(callback: fn()) {
    let _ = BEFORE_WAIT.set(callback);
}

/// Runs a function of a framework: its time counts as the framework's.
pub fn of_framework<T>(body: impl FnOnce() -> T) -> T {
    let begin = || OWN.try_with(|own| own.enter(Activity::Framework)).ok().flatten();
    let entered = state::recording().then(begin).flatten().is_some();
    let result = body();
    if entered {
        let _ = OWN.try_with(|own| {
            own.inside.set(0);
            own.page().inspect(|page| page.pause(clock::now_ns()));
        });
    }
    result
}

/// Runs what midrun does inside MPI_Init: its time is no useful time of the program.
pub fn inside_mpi(body: impl FnOnce()) {
    let with_page = |act: fn(&Page, u64)| {
        let _ = OWN.try_with(|own| own.page().map(|page| act(page, clock::now_ns())));
    };
    with_page(|page, now_ns| page.enter(Activity::Mpi, now_ns));
    body();
    with_page(|page, now_ns| page.pause(now_ns));
}

/// Runs a function of the program that a framework calls: the framework's time stands still.
pub fn of_program<T>(body: impl FnOnce() -> T) -> T {
    let framework = OWN.try_with(|own| own.inside.get()).unwrap_or(0);
    if framework == 0 || !state::recording() {
        return body();
    }
    let _ = OWN.try_with(|own| {
        own.inside.set(0);
        own.page().inspect(|page| page.pause(clock::now_ns()));
    });
    let result = body();
    let _ = OWN.try_with(|own| {
        own.inside.set(framework);
        own.page().inspect(|page| page.enter(Activity::Framework, clock::now_ns()));
    });
    result
}

fn activity(waits: c_int) -> Activity {
    if waits != 0 { Activity::Waiting } else { Activity::Mpi }
}

/// The program calls MPI's function `number`. Returns the time in nanoseconds, 0 where the call is not to be counted.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_enter(number: u32, waits: c_int) -> u64 {
    guard_value("an MPI call", 0, || {
        if !state::recording() {
            return 0;
        }
        OWN.try_with(|own| own.enter_call(number, activity(waits))).ok().flatten().unwrap_or(0)
    })
}

/// Nanoseconds now.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_now() -> u64 {
    guard_value("an MPI call", 0, clock::now_ns)
}

/// The program's call of MPI's function `number` has ended. `peer` is as in `counted.h`, times are in nanoseconds. Returns the
/// thread's page of counters, null where it has none.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_leave(
    number: u32,
    waits: c_int,
    peer: u32,
    bytes: u64,
    begin_ns: u64,
    end_ns: u64,
) -> *const u64 {
    guard_value("an MPI call", std::ptr::null(), || {
        let time_ns = end_ns.saturating_sub(begin_ns).saturating_sub(NOTHING_NS.load(Ordering::Relaxed));
        let left = OWN.try_with(|own| {
            own.inside.set(0);
            let is_due = own.leave_call(number, activity(waits), peer, bytes, time_ns, end_ns);
            (own.words(), is_due)
        });
        agent_link::check_when_due(end_ns);
        let (words, is_due) = left.unwrap_or((std::ptr::null(), false));
        if is_due {
            plan();
        }
        words
    })
}

/// Chooses anew which calls of this thread are timed.
#[cold]
fn plan() {
    let cost_ns = cost_ns();
    let _ = OWN.try_with(|own| {
        if let (Some(page), Ok(mut sampling)) = (own.page(), own.sampling.try_borrow_mut()) {
            // Another tool between the program and MPI is to see each call, and only the counting way leads to it.
            let must_see = |number| state::has_tool_behind() || watch::sees_each(number);
            let planned = sampling.as_mut();
            planned.into_iter().for_each(|own| own.plan(page, clock::now_ns(), cost_ns, measuring::budget(), must_see));
        }
    });
}

/// What timing a call costs, nanoseconds: measured by the functions that do it, as soon as the clock's rate is known.
fn cost_ns() -> f64 {
    const ROUNDS: usize = 8;
    const EACH: u32 = 32;
    let known = COST_NS.load(Ordering::Relaxed);
    if known != 0 {
        return f64::from_bits(known);
    }
    let is_steady = clock::rate() != 0;
    let mut nothing_ns = u64::MAX;
    let round = |_| {
        let begin_ns = clock::now_ns();
        for _ in 0..EACH {
            let entered_ns = midrun_call_enter(NOTHING, 0);
            let time_ns = midrun_call_now().saturating_sub(entered_ns);
            nothing_ns = nothing_ns.min(time_ns);
            let _ = OWN.try_with(|own| {
                own.inside.set(0);
                own.leave_call(NOTHING, Activity::Mpi, 0, 0, time_ns, 0)
            });
        }
        clock::now_ns().saturating_sub(begin_ns) as f64 / f64::from(EACH)
    };
    // The quickest round: interference only adds time.
    let cost_ns = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min).max(1.0);
    if is_steady {
        COST_NS.store(cost_ns.to_bits(), Ordering::Relaxed);
        NOTHING_NS.store(nothing_ns, Ordering::Relaxed);
    }
    cost_ns
}

/// The `calls`-th call of function `number` that this thread makes from now on is timed, if none before it.
pub fn see_within(number: u32, calls: u64) {
    let _ = OWN.try_with(|own| {
        if let (Some(page), Ok(mut sampling)) = (own.page(), own.sampling.try_borrow_mut()) {
            sampling.iter_mut().for_each(|sampling| sampling.within(page, number, calls));
        }
    });
}

/// A call was made while there is a watch.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_watched(
    call: u32,
    begin_ns: u64,
    end_ns: u64,
    bytes: u64,
    peer: c_int,
    tag: c_int,
    on_world: c_int,
) {
    guard_value("an MPI call", (), || {
        let calls = OWN.try_with(|own| own.weight.get()).unwrap_or(1);
        watch::show(&ObservedCall { call, calls, begin_ns, end_ns, bytes, peer, tag, on_world: on_world != 0 });
    });
}

/// The program is about to wait in MPI: its variables may be set. Some loads where nothing is due.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_safe_point() {
    guard_value("an MPI call", (), || {
        let inside = OWN.try_with(|own| own.inside.get() != 0).unwrap_or(true);
        // A program with frameworks or markers has safe points of its own, or says where they are.
        let has_own =
            || FRAMEWORK.load(Ordering::Relaxed) || safe_point::is_explicit() || iterations::marked().is_some();
        if inside {
            return;
        }
        if let Some(callback) = BEFORE_WAIT.get() {
            callback();
        }
        if safe_point::is_due() && !has_own() {
            safe_point::poll_anywhere();
        }
    });
}
