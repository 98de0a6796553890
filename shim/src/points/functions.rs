//! The actions at each hooked function, worked out from all items.

use super::budget;
use super::items::{Item, Kind};
use super::measured::{self, Values};
use super::report::refuse;
use super::variable::{ChunkArguments, FirstSeen, Held, Readable};
use crate::tuning_points::Boundary;
use midrun_instrument::{ARGUMENTS, Hook, Probe, flag};
use midrun_points::{Declaration, Mode, Moment};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Most functions that can be hooked.
const MOST: usize = 72;

/// A variable or argument that is read, its values, the detail in which they are kept, and its label.
pub type Reading = (Readable, Arc<Values>, Option<Mode>, [u64; 4]);

/// A function to be called, and whether it is enabled.
pub type Inserted = (usize, Arc<AtomicBool>);

/// The actions at one function.
#[derive(Clone, Default)]
pub struct Actions {
    /// Its calls are iterations.
    pub iterates: bool,
    /// Variables read at its entry.
    pub reads: Vec<Reading>,
    /// Arguments whose own value is not known yet.
    pub seeks: Vec<(Readable, Arc<FirstSeen>)>,
    /// Its calls are chunks.
    pub works: Option<ChunkArguments>,
    /// Variables that have a value of their own inside it.
    pub holds: Vec<Arc<Held>>,
    /// Its calls are recorded one by one, under these labels.
    pub raw: Vec<[u64; 4]>,
    /// Functions called before and after.
    pub before: Vec<Inserted>,
    pub after: Vec<Inserted>,
    timed: bool,
    sample_mask: u64,
    arguments: Vec<(u32, u64)>,
    replaced: Option<usize>,
}

/// By the hooks' numbers. What was put in is never freed: a thread may be reading it.
static ACTIONS: [AtomicPtr<Actions>; MOST] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST];
/// The boundaries for which something waits, by the hooks' numbers: bits of [`bit`].
static AWAITED: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];

/// Called when a thread enters or leaves a function with actions.
#[derive(Debug)]
pub struct Handlers {
    pub on_entry: fn(&Probe),
    pub on_exit: fn(&Probe),
}

static HANDLERS: OnceLock<Handlers> = OnceLock::new();

/// Registers the handlers; the first ones stay.
pub fn handle(handlers: Handlers) {
    let _ = HANDLERS.set(handlers);
}

fn bit(moment: Moment) -> u32 {
    match moment {
        Moment::Before => 1,
        Moment::After => 2,
    }
}

/// Whether a command, or a value that is to be reset, waits for the boundary.
pub fn is_awaited(boundary: Boundary) -> bool {
    AWAITED.get(boundary.hook as usize).is_some_and(|bits| bits.load(Ordering::Relaxed) & bit(boundary.moment) != 0)
}

/// Shows calls to the handlers at the boundaries for which something waits, and at no others. A command waits for `awaited`.
pub fn await_boundaries(items: &[Item], awaited: Option<Boundary>) {
    let mut all: BTreeMap<Hook, u32> = BTreeMap::new();
    for item in items {
        let Some((hook, moment)) = item.at else { continue };
        let waits = item.resets || awaited == item.boundary();
        *all.entry(hook).or_default() |= if waits { bit(moment) } else { 0 };
    }
    for (hook, bits) in all {
        let Some(word) = AWAITED.get(hook.number() as usize) else { continue };
        if word.swap(bits, Ordering::Relaxed) != bits {
            show(hook);
        }
    }
}

/// `gone` was removed from `items`: nothing waits for its function where no other item names it.
pub fn leave(items: &[Item], gone: &Item) {
    let Some((hook, _)) = gone.at else { return };
    let still = |other: &Item| other.at.is_some_and(|(own, _)| own == hook);
    if let (false, Some(word)) = (items.iter().any(still), AWAITED.get(hook.number() as usize)) {
        word.store(0, Ordering::Relaxed);
    }
}

/// The actions at the function of hook `number`.
pub fn actions(number: u32) -> Option<&'static Actions> {
    let pointer = ACTIONS.get(number as usize)?.load(Ordering::Acquire);
    // SAFETY: only `set` writes here, what it leaked.
    (!pointer.is_null()).then(|| unsafe { &*pointer })
}

/// Works out the actions at all functions anew; `hooks` are those in use. Returns the lines whose hook
/// has to wait, and why.
pub fn apply(items: &[Item], hooks: &mut Vec<Hook>) -> Vec<(u32, &'static str)> {
    let mut wanted: BTreeMap<Hook, Actions> = BTreeMap::new();
    for item in items {
        add(item, &mut wanted);
        if let Some((hook, _)) = item.at {
            let actions = wanted.entry(hook).or_default();
            if let Kind::Variable { held: Some(held), .. } = &item.kind {
                actions.holds.push(held.clone());
            }
        }
    }
    let mut waiting = Vec::new();
    for hook in hooks.iter().filter(|hook| !wanted.contains_key(hook)) {
        hook.clear();
    }
    for (&hook, actions) in &wanted {
        set(hook, actions);
        let own = |item: &&Item| hook_of(item) == Some(hook) || item.at.is_some_and(|(at, _)| at == hook);
        let lines = items.iter().filter(own).map(|item| item.line);
        match hook.insert() {
            Ok(()) => {}
            Err(midrun_instrument::Refusal::Busy(why)) => waiting.extend(lines.map(|line| (line, why))),
            Err(why) => lines.for_each(|line| refuse(line, 0, &why.to_string())),
        }
    }
    *hooks = wanted.into_keys().collect();
    waiting
}

fn hook_of(item: &Item) -> Option<Hook> {
    match &item.kind {
        Kind::Iterates(hook) | Kind::Works(hook, _) | Kind::Function(hook) | Kind::Reads(_, Some(hook), _) => {
            Some(*hook)
        }
        Kind::Replace { hook, .. } | Kind::Argument { hook, .. } | Kind::Insert { hook, .. } => Some(*hook),
        _ => None,
    }
}

fn add(item: &Item, wanted: &mut BTreeMap<Hook, Actions>) {
    let Some(hook) = hook_of(item) else { return };
    let mode = budget::mode(item);
    let label = item.declaration.label().map(measured::words).unwrap_or_default();
    match &item.kind {
        Kind::Iterates(_) => wanted.entry(hook).or_default().iterates = true,
        Kind::Works(_, chunk) => wanted.entry(hook).or_default().works = Some(*chunk),
        Kind::Function(_) if mode == Some(Mode::Raw) => wanted.entry(hook).or_default().raw.push(label),
        Kind::Function(_) if mode == Some(Mode::Sum) => {
            let actions = wanted.entry(hook).or_default();
            actions.timed = true;
            actions.sample_mask = actions.sample_mask.max(budget::sample_mask(item));
        }
        Kind::Reads(variable, _, values) if mode != Some(Mode::Off) => {
            wanted.entry(hook).or_default().reads.push((*variable, values.clone(), mode, label));
        }
        Kind::Replace { by, now, .. } if *now > 0 => {
            wanted.entry(hook).or_default().replaced = by.get(*now - 1).copied();
        }
        Kind::Argument { place, kind, start, .. } if start.get().is_none() => {
            wanted.entry(hook).or_default().seeks.push((Readable::Argument(*place, *kind), start.clone()));
        }
        Kind::Argument { .. } => {
            if let Some((_, place, bits)) = item.argument() {
                wanted.entry(hook).or_default().arguments.push((place, bits));
            }
        }
        Kind::Insert { call, enabled, .. } if enabled.load(Ordering::Relaxed) => {
            let actions = wanted.entry(hook).or_default();
            let before = matches!(item.declaration, Declaration::Insert { moment: Moment::Before, .. });
            let list = if before { &mut actions.before } else { &mut actions.after };
            list.push((*call, enabled.clone()));
        }
        _ => {}
    }
}

/// Puts the actions at a function into force.
fn set(hook: Hook, actions: &Actions) {
    let point = hook.point();
    if let Some(slot) = ACTIONS.get(hook.number() as usize) {
        let new = if actions.has_entry() || actions.has_exit() {
            Box::into_raw(Box::new(actions.clone()))
        } else {
            std::ptr::null_mut()
        };
        slot.store(new, Ordering::Release);
    }
    show(hook);
    // Calls that are recorded one by one are counted as well, for the budget.
    point.sample_mask.store(if actions.timed { actions.sample_mask } else { u64::MAX }, Ordering::Relaxed);
    point.set(flag::TIMED, actions.timed || !actions.raw.is_empty());
    for (k, argument) in point.arguments.iter().enumerate().take(ARGUMENTS) {
        let (place, bits) = actions.arguments.get(k).copied().unwrap_or((0, 0));
        argument.bits.store(bits, Ordering::Relaxed);
        argument.place.store(place, Ordering::Release);
    }
    point.set(flag::ARGUMENTS, !actions.arguments.is_empty());
    hook.replace(actions.replaced);
}

impl Actions {
    fn has_entry(&self) -> bool {
        let some =
            !self.reads.is_empty() || !self.seeks.is_empty() || !self.before.is_empty() || !self.holds.is_empty();
        self.iterates || some || self.works.is_some_and(|chunk| chunk.first.is_some() || chunk.tasks.is_some())
    }

    fn has_exit(&self) -> bool {
        let some = !self.raw.is_empty() || !self.after.is_empty() || !self.holds.is_empty();
        self.iterates || some || self.works.is_some()
    }
}

/// Shows the function's entries and exits to the handlers where there is an action, or something waits.
fn show(hook: Hook) {
    let Some(handlers) = HANDLERS.get() else { return };
    let awaited = |moment| is_awaited(Boundary { hook: hook.number(), moment });
    let actions = actions(hook.number());
    let entry = actions.is_some_and(Actions::has_entry) || awaited(Moment::Before);
    let exit = actions.is_some_and(Actions::has_exit) || awaited(Moment::After);
    hook.point().set_handlers(entry.then_some(handlers.on_entry), exit.then_some(handlers.on_exit));
}
