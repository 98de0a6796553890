//! Events in the program: a hooked function is entered or left, an iteration begins or ends.

use super::boundaries::{call, pass};
use super::functions::{Actions, Inserted, actions};
use super::items::Item;
use super::measured::{self, at_ns};
use super::report::refuse;
use super::state::{SEEN, try_with};
use super::variable::{ChunkArguments, Readable};
use crate::guard::guard_value;
use crate::records::{self, ChunkDone, UNKNOWN_ITERATION};
use crate::tuning_points::Boundary;
use crate::{clock, iterations, safe_point, state, synchronized};
use midrun_instrument::{Probe, is_inside, nanoseconds};
use midrun_points::Moment;
use midrun_scheduling::TechniqueParameters;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Open calls of the function whose calls are iterations: a function that calls itself is one iteration.
static DEPTH: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// First task, and number of tasks, of the chunk that this thread computes.
    static CHUNK: Cell<(u64, u64)> = const { Cell::new((0, 1)) };
}

/// A hooked function is entered.
pub fn on_entry(probe: &Probe) {
    guard_value("a hooked function", (), || enter(actions(probe.point), probe));
}

/// A hooked function is left.
pub fn on_exit(probe: &Probe) {
    guard_value("a hooked function", (), || {
        if let Some(actions) = actions(probe.point) {
            leave(actions, probe);
        }
        pass(Boundary { hook: probe.point, moment: Moment::After });
    });
}

fn enter(actions: Option<&Actions>, probe: &Probe) {
    let here = Boundary { hook: probe.point, moment: Moment::Before };
    let iterates = actions.is_some_and(|actions| actions.iterates);
    if iterates && !state::is_main_thread() && iterations::declared().is_none() {
        refuse_other_thread();
    }
    if iterates && state::is_main_thread() && DEPTH.fetch_add(1, Ordering::Relaxed) == 0 {
        begin_iteration(Some(here));
    } else {
        pass(here);
    }
    let Some(actions) = actions else { return };
    for (readable, values, mode, label) in &actions.reads {
        measured::read(readable.read(Some(probe)), values, *mode, label);
    }
    for (argument, first) in &actions.seeks {
        if argument.read(Some(probe)).is_some_and(|value| first.see(value)) {
            SEEN.store(true, Ordering::Relaxed);
        }
    }
    if let Some(ChunkArguments { first, tasks }) = actions.works {
        // What cannot be read is none.
        let value = |argument: Readable| argument.read(Some(probe)).unwrap_or(f64::NAN);
        let first = first.map_or(0.0, value);
        let tasks = tasks.map_or(1.0, |(extent, argument)| extent.tasks(value(argument), first));
        CHUNK.set((first.max(0.0) as u64, tasks.max(0.0) as u64));
    }
    if state::is_main_thread() {
        actions.holds.iter().for_each(|held| held.enter());
    }
    run(&actions.before);
}

/// Says once that the function of the iterations is called in a thread that counts none.
fn refuse_other_thread() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.load(Ordering::Relaxed) || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let line = try_with(|state| state.items.iter().find(|item| item.iterates()).map(|item| item.line));
    match line {
        Some(line) => line.into_iter().for_each(|line| {
            let why = "its function is called in another thread than the one that initialised MPI, which alone counts iterations";
            state::unhooked(|| refuse(line, 0, why));
        }),
        None => SAID.store(false, Ordering::Relaxed), // the next call will do
    }
}

fn leave(actions: &Actions, probe: &Probe) {
    let lasted_ns = nanoseconds(probe.now.saturating_sub(probe.begin));
    for label in &actions.raw {
        measured::record(label, at_ns(probe.now), lasted_ns, 0);
    }
    if actions.works.is_some() {
        chunk(CHUNK.get(), at_ns(probe.now), lasted_ns);
    }
    run(&actions.after);
    if !actions.holds.is_empty() && state::is_main_thread() && !is_inside(probe.point) {
        actions.holds.iter().for_each(|held| held.leave());
    }
    if actions.iterates && state::is_main_thread() {
        let leave = |depth: u64| depth.checked_sub(1);
        if DEPTH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, leave) == Ok(1) {
            end_iteration();
        }
    }
}

/// A chunk was computed. One without tasks, such as the end of a worker's loop, is none.
fn chunk((first, count): (u64, u64), end_ns: u64, busy_ns: u64) {
    let busy_s = busy_ns as f64 * 1e-9;
    if count > 0 {
        records::chunk(&ChunkDone {
            iteration: iterations::declared().unwrap_or(UNKNOWN_ITERATION),
            first,
            count,
            end_ns,
            busy_ns,
            sum_sq_s2: busy_s * busy_s / count as f64,
            tasks_total: 0,
            tasks_timed: count == 1,
            master: None,
        });
    }
}

fn run(calls: &[Inserted]) {
    for (function, _) in calls.iter().filter(|(_, enabled)| enabled.load(Ordering::Relaxed)) {
        call(*function);
    }
}

/// An iteration begins by a line of the points: at a function's entry, or after an MPI call.
fn begin_iteration(entry: Option<Boundary>) {
    let iteration = iterations::begin_declared();
    if iterations::synchronized_by_line() {
        synchronized::on_iteration(iteration);
    }
    try_with(|state| {
        state.report.begin();
        if iteration == 0 {
            state.items.iter_mut().for_each(Item::on_first_iteration);
            SEEN.store(true, Ordering::Relaxed);
        }
        if state.is_master() {
            // How many tasks and workers there are only the workers' chunks say, and no technique of midrun's is in force.
            let unknown = TechniqueParameters::FALLBACK;
            records::iteration_begin(0, iteration, clock::now_ns(), 0, 0, &unknown, (0, 0));
        }
    });
    safe_point::poll_declared(iteration, true);
    entry.into_iter().for_each(pass);
    try_with(|state| state.items.iter().for_each(|item| item.read_variable(false)));
}

fn end_iteration() {
    try_with(|state| {
        if let Some(iteration) = iterations::current().filter(|_| state.is_master()) {
            records::iteration_end((iteration, clock::now_ns()), (0, 0), (0, 0), (0, 0));
        }
        state.end_iteration(iterations::current(), true);
    });
}

/// An MPI call ends one iteration and begins the next.
pub fn next_iteration() {
    if iterations::declared().is_some() {
        end_iteration();
    }
    begin_iteration(None);
}

/// The program's markers begin `iteration`.
pub fn on_marked_iteration(iteration: u64) {
    if iterations::are_declared() {
        return;
    }
    try_with(|state| {
        state.end_iteration(iteration.checked_sub(1), false);
        state.report.begin();
        state.items.iter().for_each(|item| item.read_variable(false));
    });
}
