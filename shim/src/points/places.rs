//! What happens at each hooked function: worked out from all items, and carried out when a thread comes by.

use super::items::{Done, Item};
use super::measured::{self, Values};
use super::variable::Variable;
use super::{State, moments, refuse};
use crate::clock;
use midrun_instrument::{ARGUMENTS, Hook, Passage, flag, nanoseconds, open, ticks};
use midrun_points::{Declaration, Mode, Moment};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

/// Functions that can be hooked.
pub const MOST: usize = 72;

/// A variable that is read, where its values go, in what detail, and its label.
type Reading = (Variable, Arc<Values>, Option<Mode>, [u64; 4]);

/// What happens at one function beyond timing.
#[derive(Clone, Default)]
struct Place {
    /// It makes iterations.
    iterates: bool,
    /// Variables read at its entry.
    reads: Vec<Reading>,
    /// Its calls are told singly, under these labels.
    raw: Vec<[u64; 4]>,
    /// What is called before and after.
    before: Vec<(usize, Arc<AtomicBool>)>,
    after: Vec<(usize, Arc<AtomicBool>)>,
    timed: bool,
    sample_mask: u64,
    arguments: Vec<(u32, u64)>,
    replaced: Option<usize>,
}

/// By the hooks' numbers. What was put in is never freed: a thread may be reading it.
static PLACES: [AtomicPtr<Place>; MOST] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST];

fn place(number: u32) -> Option<&'static Place> {
    let pointer = PLACES.get(number as usize)?.load(Ordering::Acquire);
    // SAFETY: only `set` writes here, what it leaked.
    (!pointer.is_null()).then(|| unsafe { &*pointer })
}

/// Works everything out anew; `true` when a hook waits for other threads.
pub fn work_out(state: &mut State) -> bool {
    let mut wanted: BTreeMap<Hook, Place> = BTreeMap::new();
    for item in &state.items {
        add(item, &mut wanted);
        item.place.map(|(hook, _)| wanted.entry(hook).or_default());
    }
    let mut waits = false;
    for hook in state.hooks.iter().filter(|hook| !wanted.contains_key(hook)) {
        hook.clear();
    }
    for (&hook, place) in &wanted {
        set(hook, place);
        let result = hook.insert().and_then(|()| hook.settle());
        match result {
            Ok(waiting) => waits |= waiting,
            Err(midrun_instrument::Refusal::Busy) => waits = true,
            Err(why) => {
                let own = |item: &&Item| hook_of(item) == Some(hook) || item.place.is_some_and(|(at, _)| at == hook);
                let lines = state.items.iter().filter(own).map(|item| item.line);
                lines.for_each(|line| refuse(line, &why.to_string()));
            }
        }
    }
    state.hooks = wanted.into_keys().collect();
    waits
}

fn hook_of(item: &Item) -> Option<Hook> {
    match &item.done {
        Done::Iterates(hook) | Done::Function(hook) | Done::Reads(_, Some(hook), _) => Some(*hook),
        Done::Replace { hook, .. } | Done::Argument { hook, .. } | Done::Insert { hook, .. } => Some(*hook),
        _ => None,
    }
}

fn add(item: &Item, wanted: &mut BTreeMap<Hook, Place>) {
    let Some(hook) = hook_of(item) else { return };
    let mode = super::budget::mode(item);
    let label = item.declaration.label().map(measured::words).unwrap_or_default();
    match &item.done {
        Done::Iterates(_) => wanted.entry(hook).or_default().iterates = true,
        Done::Function(_) if mode == Some(Mode::Raw) => wanted.entry(hook).or_default().raw.push(label),
        Done::Function(_) if mode == Some(Mode::Sum) => {
            let place = wanted.entry(hook).or_default();
            place.timed = true;
            place.sample_mask = place.sample_mask.max(super::budget::sample_mask(item));
        }
        Done::Reads(variable, _, values) if mode != Some(Mode::Off) => {
            wanted.entry(hook).or_default().reads.push((*variable, values.clone(), mode, label));
        }
        Done::Replace { by, now, .. } if *now > 0 => {
            wanted.entry(hook).or_default().replaced = by.get(*now - 1).copied();
        }
        Done::Argument { .. } => {
            if let Some((_, place, bits)) = item.argument() {
                wanted.entry(hook).or_default().arguments.push((place, bits));
            }
        }
        Done::Insert { call, enabled, .. } if enabled.load(Ordering::Relaxed) => {
            let place = wanted.entry(hook).or_default();
            let before = matches!(item.declaration, Declaration::Insert { moment: Moment::Before, .. });
            let list = if before { &mut place.before } else { &mut place.after };
            list.push((*call, enabled.clone()));
        }
        _ => {}
    }
}

/// Puts into force what happens at a function.
fn set(hook: Hook, place: &Place) {
    let point = hook.point();
    if let Some(slot) = PLACES.get(hook.number() as usize) {
        let new = if place.has_entry() || place.has_exit() {
            Box::into_raw(Box::new(place.clone()))
        } else {
            std::ptr::null_mut()
        };
        slot.store(new, Ordering::Release);
    }
    tell(hook);
    // Calls that are told are counted as well, for the budget.
    point.sample_mask.store(if place.timed { place.sample_mask } else { u64::MAX }, Ordering::Relaxed);
    point.set(flag::TIMED, place.timed || !place.raw.is_empty());
    for (k, argument) in point.arguments.iter().enumerate().take(ARGUMENTS) {
        let (place, bits) = place.arguments.get(k).copied().unwrap_or((0, 0));
        argument.bits.store(bits, Ordering::Relaxed);
        argument.place.store(place, Ordering::Release);
    }
    point.set(flag::ARGUMENTS, !place.arguments.is_empty());
    hook.replace(place.replaced);
}

impl Place {
    fn has_entry(&self) -> bool {
        self.iterates || !self.reads.is_empty() || !self.before.is_empty()
    }

    fn has_exit(&self) -> bool {
        self.iterates || !self.raw.is_empty() || !self.after.is_empty()
    }
}

/// Has entries and exits of a function told where something happens there, or waits.
pub fn tell(hook: Hook) {
    let (number, place) = (hook.number(), place(hook.number()));
    let entry = place.is_some_and(Place::has_entry) || moments::is_awaited((number, Moment::Before));
    let exit = place.is_some_and(Place::has_exit) || moments::is_awaited((number, Moment::After));
    hook.point().tell(entry.then_some(on_entry), exit.then_some(on_exit));
}

/// The function whose open call is the iteration, and how deep: a function that calls itself is one iteration.
static DEPTH: AtomicU64 = AtomicU64::new(0);

fn on_entry(passage: &Passage) {
    let (place, here) = (place(passage.point), (passage.point, Moment::Before));
    let iterates = place.is_some_and(|place| place.iterates) && crate::process::is_main_thread();
    if iterates && DEPTH.fetch_add(1, Ordering::Relaxed) == 0 {
        super::begin_iteration(Some(here));
    } else {
        moments::pass(here);
    }
    let Some(place) = place else { return };
    for (variable, values, mode, label) in &place.reads {
        measured::read(*variable, values, *mode, label);
    }
    run(&place.before);
}

fn on_exit(passage: &Passage) {
    if let Some(place) = place(passage.point) {
        leave(place, passage);
    }
    moments::pass((passage.point, Moment::After));
}

fn leave(place: &Place, passage: &Passage) {
    let lasted_ns = nanoseconds(passage.now.saturating_sub(passage.begin));
    for label in &place.raw {
        measured::tell(label, at_ns(passage.now), lasted_ns, 0);
    }
    run(&place.after);
    if place.iterates && crate::process::is_main_thread() {
        let leave = |depth: u64| depth.checked_sub(1);
        if DEPTH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, leave) == Ok(1) {
            super::end_iteration();
        }
    }
}

fn run(calls: &[(usize, Arc<AtomicBool>)]) {
    for (function, _) in calls.iter().filter(|(_, enabled)| enabled.load(Ordering::Relaxed)) {
        // SAFETY: a function of the program without arguments, as the declaration says.
        let function = unsafe { std::mem::transmute::<usize, extern "C" fn()>(*function) };
        open(|| function());
    }
}

/// The time of a tick, CLOCK_MONOTONIC nanoseconds.
pub fn at_ns(tick: u64) -> u64 {
    clock::now_ns().saturating_sub(nanoseconds(ticks().saturating_sub(tick)))
}
