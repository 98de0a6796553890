//! The program's MPI calls, counted: each thread has a page of counters in the segment, which it alone writes.
//!
//! The generated wrappers (`mpi/calls.c`, `mpi/fortran.c`) call [`midrun_call_enter`] and [`midrun_call_leave`] around the real
//! function. No lock, no system call, no allocation there, but for a thread's first call. A call inside another one (an MPI
//! that uses its own functions, a callback) is not counted: its time is the outer call's.

mod hosts;
mod watch;

use crate::guard::guard_value;
use crate::{agent_link, clock, iterations, safe_point, state};
use midrun_ring::counters::{Activity, Class, MAIN, PAGES, Page};
use std::cell::{Cell, OnceCell};
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

const _: () = assert!(PAGES <= 64 && Class::ALL.len() <= 1 << CLASS_BITS);

/// A thread's page of counters, and whether the thread is in a call.
struct ThreadPage {
    page: OnceCell<Option<(usize, Page)>>,
    /// Stack address of the call that is counted now; 0 = none. Calls nested in it lie below. A call that was left by a jump
    /// stays here until the next call from above.
    inside: Cell<usize>,
}

impl Drop for ThreadPage {
    fn drop(&mut self) {
        if let Some(Some((number, _))) = self.page.get() {
            CLAIMED.fetch_and(!(1 << number), Ordering::Release); // SYNC N: pairs with claim
        }
    }
}

thread_local! {
    static OWN: ThreadPage = const { ThreadPage { page: OnceCell::new(), inside: Cell::new(0) } };
}

impl ThreadPage {
    fn page(&self) -> Option<&Page> {
        self.page.get_or_init(claim).as_ref().map(|(_, page)| page)
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
    let _ = OWN.try_with(|own| own.page.set(state::segment().map(|segment| (MAIN, segment.own_page(MAIN)))));
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
pub extern "C" fn midrun_call_enter(_number: u32, waits: c_int) -> u64 {
    guard_value("an MPI call", 0, || {
        if !state::recording() {
            return 0;
        }
        OWN.try_with(|own| own.enter(activity(waits))).ok().flatten().unwrap_or(0)
    })
}

/// Nanoseconds now.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_now() -> u64 {
    guard_value("an MPI call", 0, clock::now_ns)
}

/// The program's call of MPI's function `number` has ended. `peer` is as in `counted.h`, times are in nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_leave(number: u32, waits: c_int, peer: u32, bytes: u64, begin_ns: u64, end_ns: u64) {
    guard_value("an MPI call", (), || {
        let time_ns = end_ns.saturating_sub(begin_ns);
        let _ = OWN.try_with(|own| {
            own.inside.set(0);
            if let Some(page) = own.page() {
                page.leave(activity(waits), time_ns);
                page.count(number, Class::from_number(peer & ((1 << CLASS_BITS) - 1)), bytes, time_ns);
                page.meet(peer >> CLASS_BITS);
            }
        });
        agent_link::check_when_due(end_ns);
    });
}

/// The program is about to wait in MPI: its variables may be set. Some loads where nothing is due.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_safe_point() {
    guard_value("an MPI call", (), || {
        let inside = OWN.try_with(|own| own.inside.get() != 0).unwrap_or(true);
        // A program with frameworks or markers has safe points of its own.
        let wanted = || !FRAMEWORK.load(Ordering::Relaxed) && iterations::marked().is_none();
        if inside {
            return;
        }
        if let Some(callback) = BEFORE_WAIT.get() {
            callback();
        }
        if safe_point::is_due() && wanted() {
            safe_point::poll_anywhere();
        }
    });
}
