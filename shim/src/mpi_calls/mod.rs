//! The program's MPI calls, counted: each thread has a page of counters in the segment, which it alone writes.
//!
//! The generated wrappers (`mpi/calls.c`, `mpi/fortran.c`) call [`midrun_call_enter`] and [`midrun_call_leave`] around the real
//! function. No lock, no system call, no allocation there, but for a thread's first call. A call inside another (of an
//! MPI that uses its own functions, of a callback) is not counted: its time is the outer one's.

mod hosts;
mod watch;

use crate::guard::guard_value;
use crate::{clock, marks, points, process, safe_point};
use midrun_ring::counters::{Class, MAIN, PAGES, Page, Place};
use std::cell::{Cell, OnceCell};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

pub use hosts::announce;
pub use watch::{Filter, Seen, watch};

/// Bits of the switch, as `mpi/counted.h` has them.
mod bit {
    pub const COUNTING: u32 = 1;
    pub const SAFE_POINTS: u32 = 2;
    pub const WATCHED: u32 = 4;
    pub const UNRESOLVED: u32 = 8;
}

/// What is on: the wrappers look at it, and where it is 0 they do nothing else.
#[unsafe(export_name = "midrun_calls_switch")]
static SWITCH: AtomicU32 = AtomicU32::new(bit::UNRESOLVED);
/// Pages in use, one bit each.
static CLAIMED: AtomicU64 = AtomicU64::new(1 << MAIN);
/// The program uses a framework, which has safe points of its own.
static FRAMEWORK: AtomicBool = AtomicBool::new(false);

const _: () = assert!(PAGES <= 64);

/// A thread's page, and whether the thread is in a call.
struct Mine {
    page: OnceCell<Option<(usize, Page)>>,
    /// Address in the stack of whoever is counted now; 0 = nobody. What is nested in it lies below. A call that was left by a
    /// jump stays here until the next call from above.
    inside: Cell<usize>,
}

impl Drop for Mine {
    fn drop(&mut self) {
        if let Some(Some((number, _))) = self.page.get() {
            CLAIMED.fetch_and(!(1 << number), Ordering::Release); // SYNC N: pairs with claim
        }
    }
}

thread_local! {
    static MINE: Mine = const { Mine { page: OnceCell::new(), inside: Cell::new(0) } };
}

impl Mine {
    fn page(&self) -> Option<&Page> {
        self.page.get_or_init(claim).as_ref().map(|(_, page)| page)
    }

    /// Marks the thread as being in `place`; `None` when it is in a call already, or is not counted.
    fn enter(&self, place: Place) -> Option<u64> {
        let here = 0u8;
        let frame = (&raw const here) as usize;
        if self.inside.get() > frame {
            return None;
        }
        let Some(page) = self.page() else {
            process::segment().inspect(|segment| segment.miss_call());
            return None;
        };
        let now_ns = clock::now_ns().max(1);
        self.inside.set(frame);
        page.enter(place, now_ns);
        Some(now_ns)
    }
}

#[cold]
fn claim() -> Option<(usize, Page)> {
    let segment = process::segment()?;
    // SYNC N: a page given back by another thread is continued where that thread stopped.
    let free = (0..PAGES).find(|page| CLAIMED.fetch_or(1 << page, Ordering::Acquire) & 1 << page == 0)?;
    Some((free, segment.own_page(free)))
}

/// Records are to be written from now on, or no more.
pub fn switch(on: bool) {
    if on {
        SWITCH.fetch_or(bit::COUNTING, Ordering::Relaxed);
    } else {
        SWITCH.fetch_and(!(bit::COUNTING | bit::SAFE_POINTS | bit::WATCHED), Ordering::Relaxed);
    }
}

/// The calling thread has initialised MPI: its times are the rank's.
pub fn on_init(rank: u32, world_size: u32, job: &str) {
    hosts::on_init(rank, world_size, job);
    let _ = MINE.try_with(|mine| mine.page.set(process::segment().map(|segment| (MAIN, segment.own_page(MAIN)))));
}

/// From now on the program's blocking calls are safe points, as long as it has no others.
pub fn allow_safe_points() {
    if process::recording() {
        SWITCH.fetch_or(bit::SAFE_POINTS, Ordering::Relaxed);
    }
}

/// A framework was made.
pub fn on_framework() {
    FRAMEWORK.store(true, Ordering::Relaxed);
}

/// A place where the program calls MPI and waits: tuning points may be set. Some loads when there is nothing to do.
pub fn on_safe_call() {
    let is_due = process::segment().is_some_and(midrun_ring::Segment::has_command)
        || points::is_lost()
        || safe_point::is_overdue();
    if is_due && !FRAMEWORK.load(Ordering::Relaxed) && marks::iteration().is_none() {
        match points::own_iteration() {
            // Inside one of the program's iterations, as its points say.
            Some(iteration) => safe_point::poll_declared(iteration, false),
            None => safe_point::poll(crate::hook::UNKNOWN_ITERATION, true),
        }
    }
}

/// Runs a function of a framework: its time is not the program's.
pub fn of_framework<T>(body: impl FnOnce() -> T) -> T {
    let begin = || MINE.try_with(|mine| mine.enter(Place::Framework)).ok().flatten();
    let entered = process::recording().then(begin).flatten().is_some();
    let result = body();
    if entered {
        let _ = MINE.try_with(|mine| {
            mine.inside.set(0);
            mine.page().inspect(|page| page.pause(clock::now_ns()));
        });
    }
    result
}

/// Runs a function of the program that a framework calls: the framework's time stands still.
pub fn of_program<T>(body: impl FnOnce() -> T) -> T {
    let framework = MINE.try_with(|mine| mine.inside.get()).unwrap_or(0);
    if framework == 0 || !process::recording() {
        return body();
    }
    let _ = MINE.try_with(|mine| {
        mine.inside.set(0);
        mine.page().inspect(|page| page.pause(clock::now_ns()));
    });
    let result = body();
    let _ = MINE.try_with(|mine| {
        mine.inside.set(framework);
        mine.page().inspect(|page| page.enter(Place::Framework, clock::now_ns()));
    });
    result
}

fn place(waits: c_int) -> Place {
    if waits != 0 { Place::Waiting } else { Place::Mpi }
}

/// The program calls MPI's function `number`. Nanoseconds; 0 when the call is not to be counted.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_enter(_number: u32, waits: c_int) -> u64 {
    guard_value("an MPI call", 0, || {
        if !process::recording() {
            return 0;
        }
        MINE.try_with(|mine| mine.enter(place(waits))).ok().flatten().unwrap_or(0)
    })
}

/// Nanoseconds now.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_now() -> u64 {
    clock::now_ns()
}

/// The call that began at `begin_ns` was over at `end_ns`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_leave(number: u32, waits: c_int, class: u32, bytes: u64, begin_ns: u64, end_ns: u64) {
    guard_value("an MPI call", (), || {
        let time_ns = end_ns.saturating_sub(begin_ns);
        let _ = MINE.try_with(|mine| {
            mine.inside.set(0);
            if let Some(page) = mine.page() {
                page.leave(place(waits), time_ns);
                page.count(number, Class::from_number(class), bytes, time_ns);
            }
        });
        process::slow_point(end_ns);
    });
}

/// The program is about to wait in MPI.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_safe_point() {
    guard_value("an MPI call", (), || {
        let inside = MINE.try_with(|mine| mine.inside.get() != 0).unwrap_or(true);
        if !inside {
            on_safe_call();
        }
    });
}
