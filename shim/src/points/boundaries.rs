//! Safe points of the points: function boundaries at which values are set, functions to be called, values to be reset.

use super::functions::is_awaited;
use super::items::Item;
use super::report::refuse;
use super::state::{ONCE, POINT, SEEN, WAITING, lock, try_with};
use crate::tuning_points::{self, Boundary, TuningPoint, TuningPoints};
use crate::{agent_link, safe_point, state};
use midrun_instrument::{is_inside, with_probes};
use midrun_points::{Label, Moment};
use std::sync::atomic::Ordering;

/// Why a tuning point cannot be declared.
pub const REFUSED_NAME: &str = "another tuning point has that name, or the table of tuning points is full";

/// A command waits for the boundary, or with `None` none does any more.
pub fn on_awaited(boundary: Option<Boundary>) {
    if let Some(state) = lock().as_mut() {
        state.awaited = boundary;
        state.await_boundaries();
    }
}

/// The function is entered or left. A value that is set at its exit is set when no call of it that was seen to begin is open.
pub fn pass(boundary: Boundary) {
    let own = is_awaited(boundary) && state::recording() && state::is_main_thread();
    if !own || (boundary.moment == Moment::After && is_inside(boundary.hook)) {
        return;
    }
    safe_point::reach(boundary);
    reset(|item| item.resets && item.boundary() == Some(boundary));
    on_safe_point();
}

/// After commands were applied: calls functions of `once` lines, resets values where the agent disconnected, tries hooks again.
pub fn on_safe_point() {
    if ONCE.swap(false, Ordering::Relaxed) {
        let calls = lock().as_mut().map(|state| std::mem::take(&mut state.once)).unwrap_or_default();
        calls.into_iter().for_each(call);
    }
    if SEEN.swap(false, Ordering::Relaxed) {
        declare_seen();
    }
    if agent_link::take_loss() {
        on_agent_lost();
    }
    if WAITING.load(Ordering::Relaxed) {
        try_with(|state| state.apply_again());
    }
}

/// Declares the tuning points that have become ready.
fn declare_seen() {
    tuning_points::with(|registry| {
        let mut guard = lock();
        let Some(state) = guard.as_mut() else { return };
        for item in state.items.iter().filter(|item| item.is_ready()) {
            if !registry.is_declared(&POINT, item.id) && !declare(registry, item) {
                refuse(item.line, 0, REFUSED_NAME);
            }
        }
        state.apply();
    });
}

/// Declares the item's tuning point, if it has one and is ready; `false` where that cannot be.
pub fn declare(registry: &mut TuningPoints, item: &Item) -> bool {
    let Some((kind, range)) = item.tuning_point().filter(|_| item.is_ready()) else { return true };
    let name = item.declaration.label().map_or("", Label::as_str).to_owned();
    registry.declare_again(TuningPoint { name, kind, range, setter: &POINT, number: item.id }, item.value())
}

/// Calls a function of the program, whose hooks see what it calls.
pub fn call(function: usize) {
    // SAFETY: a function of the program without arguments, as the declaration says.
    let function = unsafe { std::mem::transmute::<usize, extern "C" fn()>(function) };
    with_probes(|| function());
}

/// Resets the values of the items that `chosen` selects, and shows them to the agent.
fn reset(chosen: impl Fn(&Item) -> bool) {
    if try_with(|state| state.items.iter().any(&chosen)) != Some(true) {
        return;
    }
    tuning_points::with(|registry| {
        let mut guard = lock();
        let Some(state) = guard.as_mut() else { return };
        let mut done = Vec::new();
        for item in state.items.iter_mut().filter(|item| chosen(item)) {
            item.reset();
            done.push(item.id);
        }
        state.await_boundaries();
        state.apply();
        drop(guard);
        done.into_iter().for_each(|id| registry.refresh(&POINT, id));
    });
}

/// The agent disconnected: resets values, those of a function when it is next entered or left.
fn on_agent_lost() {
    safe_point::on_agent_lost();
    if let Some(state) = lock().as_mut() {
        for item in state.items.iter_mut().filter(|item| item.resets_on_loss && item.at.is_some()) {
            item.resets = true;
        }
        state.await_boundaries();
    }
    reset(|item| item.resets_on_loss && item.at.is_none());
}
