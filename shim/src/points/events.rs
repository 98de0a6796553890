//! Events in the program: a hooked function is entered or left, an iteration begins or ends.

use super::boundaries::{call, pass};
use super::functions::{Actions, Inserted, actions};
use super::items::{Item, Kind};
use super::measured::{self, at_ns, words};
use super::state::try_with;
use crate::guard::guard_value;
use crate::tuning_points::Boundary;
use crate::{iterations, safe_point, state};
use midrun_instrument::{Probe, nanoseconds};
use midrun_points::Moment;
use std::sync::atomic::{AtomicU64, Ordering};

/// Open calls of the function whose calls are iterations: a function that calls itself is one iteration.
static DEPTH: AtomicU64 = AtomicU64::new(0);

/// A hooked function is entered.
pub fn on_entry(probe: &Probe) {
    guard_value("a hooked function", (), || enter(actions(probe.point), probe.point));
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

fn enter(actions: Option<&Actions>, hook: u32) {
    let here = Boundary { hook, moment: Moment::Before };
    let iterates = actions.is_some_and(|actions| actions.iterates) && state::is_main_thread();
    if iterates && DEPTH.fetch_add(1, Ordering::Relaxed) == 0 {
        begin_iteration(Some(here));
    } else {
        pass(here);
    }
    let Some(actions) = actions else { return };
    for (variable, values, mode, label) in &actions.reads {
        measured::read(*variable, values, *mode, label);
    }
    run(&actions.before);
}

fn leave(actions: &Actions, probe: &Probe) {
    let lasted_ns = nanoseconds(probe.now.saturating_sub(probe.begin));
    for label in &actions.raw {
        measured::record(label, at_ns(probe.now), lasted_ns, 0);
    }
    run(&actions.after);
    if actions.iterates && state::is_main_thread() {
        let leave = |depth: u64| depth.checked_sub(1);
        if DEPTH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, leave) == Ok(1) {
            end_iteration();
        }
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
    try_with(|state| state.report.begin());
    safe_point::poll_declared(iteration, true);
    entry.into_iter().for_each(pass);
    try_with(|state| read_variables(&state.items));
}

fn end_iteration() {
    try_with(|state| state.end_iteration(iterations::current(), true));
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
        read_variables(&state.items);
    });
}

/// Reads the variables that are read when an iteration begins.
fn read_variables(items: &[Item]) {
    for item in items {
        if let (Kind::Reads(variable, None, values), Some(label)) = (&item.kind, item.declaration.label()) {
            measured::read(*variable, values, item.mode(), &words(label));
        }
    }
}
