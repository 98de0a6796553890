//! Functions at whose entry or exit values are set. Their calls are told only while something waits for them: until then a
//! hook there passes calls on.

use super::items::Item;
use super::{STATE, State, lock, places};
use crate::tuning_points::{self, Target};
use crate::{process, safe_point};
use midrun_instrument::{Hook, is_open};
use midrun_points::Moment;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// The entry or exit of a function, by its hook's number.
pub type Place = (u32, Moment);

/// What waits at each function, by the hooks' numbers: bits of [`bit`].
static AWAITED: [AtomicU32; places::MOST] = [const { AtomicU32::new(0) }; places::MOST];

fn bit(moment: Moment) -> u32 {
    match moment {
        Moment::Before => 1,
        Moment::After => 2,
    }
}

/// Whether something waits for a function's entry, or its exit.
pub fn is_awaited((number, moment): Place) -> bool {
    AWAITED.get(number as usize).is_some_and(|bits| bits.load(Ordering::Relaxed) & bit(moment) != 0)
}

/// A command waits for this, or none does any more.
pub fn await_place(place: Option<Place>) {
    if let Some(state) = lock().as_mut() {
        state.awaited = place;
        state.await_moments();
    }
}

impl State {
    /// Has what is waited for told, and no more.
    pub fn await_moments(&self) {
        let mut all: BTreeMap<Hook, u32> = BTreeMap::new();
        for item in &self.items {
            let Some((hook, moment)) = item.place else { continue };
            let waits = item.goes_back || self.awaited == Some((hook.number(), moment));
            *all.entry(hook).or_default() |= if waits { bit(moment) } else { 0 };
        }
        for (hook, bits) in all {
            let Some(word) = AWAITED.get(hook.number() as usize) else { continue };
            if word.swap(bits, Ordering::Relaxed) != bits {
                places::tell(hook);
            }
        }
    }

    /// No line speaks of the function any more, so nothing can wait for it.
    pub fn leave(&self, item: &Item) {
        let Some((hook, _)) = item.place else { return };
        let still = |other: &Item| other.place.is_some_and(|(own, _)| own == hook);
        if let (false, Some(word)) = (self.items.iter().any(still), AWAITED.get(hook.number() as usize)) {
            word.store(0, Ordering::Relaxed);
        }
    }
}

/// The function is entered or left. What is set at its exit is so when no call of it is open that was seen to begin.
pub fn pass(place: Place) {
    let own = is_awaited(place) && process::recording() && process::is_main_thread();
    if !own || (place.1 == Moment::After && is_open(place.0)) {
        return;
    }
    safe_point::reach(place);
    go_back(|item| item.goes_back && item.place.is_some_and(|(hook, moment)| (hook.number(), moment) == place));
    super::at_safe_point();
}

/// Values go back that `chosen` says; they are told.
pub fn go_back(chosen: impl Fn(&Item) -> bool) {
    let any = STATE.try_lock().is_ok_and(|guard| guard.as_ref().is_some_and(|state| state.items.iter().any(&chosen)));
    if !any {
        return;
    }
    tuning_points::with(|tuning_points| {
        let mut guard = lock();
        let Some(state) = guard.as_mut() else { return };
        let mut back = Vec::new();
        for item in state.items.iter_mut().filter(|item| chosen(item)) {
            item.go_back();
            back.push(item.id);
        }
        state.await_moments();
        state.work_out();
        drop(guard);
        back.into_iter().for_each(|id| tuning_points.tell_value(Target::Point(id)));
    });
}

/// The agent is gone: values go back, those of a function when it is next entered or left.
pub fn on_loss() {
    safe_point::on_loss();
    if let Some(state) = lock().as_mut() {
        for item in state.items.iter_mut().filter(|item| item.returns_on_loss && item.place.is_some()) {
            item.goes_back = true;
        }
        state.await_moments();
    }
    go_back(|item| item.returns_on_loss && item.place.is_none());
}
