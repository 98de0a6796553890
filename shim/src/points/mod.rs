//! Points: what is measured and may be turned in a program that was never written for midrun, as a text says it.
//!
//! The text comes as the value of the tuning point `points`, or with the start of the rank. Each line becomes an [`Item`] or a
//! refusal with its reason. What happens at each hooked function is worked out anew from all items whenever one of them
//! changes ([`places`]); what was measured goes up at each iteration's end ([`report`]).

mod budget;
mod calls;
mod items;
mod measured;
mod moments;
mod mpi;
mod places;
mod report;
mod variable;

use crate::tuning_points::{self, Target, TuningPoints};
use crate::{clock, hook, process, safe_point};
use items::Item;
use midrun_instrument as instrument;
use midrun_points::{Declaration, Label, TEXT_BYTES, parse};
use midrun_ring::{TuningPointKind, topic};
pub use moments::{Place, await_place};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Time between two looks at commands in hooked functions, nanoseconds.
const PULSE_NS: u64 = 1_000_000;

/// Everything that was declared.
#[derive(Default)]
struct State {
    items: Vec<Item>,
    /// Hooks that are in use.
    hooks: Vec<instrument::Hook>,
    report: report::Report,
    /// Calls to be made at this safe point.
    once: Vec<usize>,
    /// The function for which a command waits.
    awaited: Option<Place>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Some line says what an iteration is; how many have begun.
static ITERATES: AtomicBool = AtomicBool::new(false);
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// A hook waits for other threads, a call is to be made, or values are to go back because the agent is lost.
static WAITING: AtomicBool = AtomicBool::new(false);
static ONCE: AtomicBool = AtomicBool::new(false);
/// Something was ever declared.
static HOOKED: AtomicBool = AtomicBool::new(false);
static LOST: AtomicBool = AtomicBool::new(false);

fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// MPI is initialised and an agent was asked for: the tuning point `points` is there, and what the start brought is declared.
pub fn on_init() {
    crate::mpi_calls::allow_safe_points();
    tuning_points::with(|tuning_points| {
        let tuning_point = tuning_points::TuningPoint { target: Target::Points, range: (0.0, TEXT_BYTES as f64) };
        tuning_points.declare("points", TuningPointKind::Text, tuning_point, 0.0);
        if let Ok(text) = std::env::var("MIDRUN_POINTS") {
            take(tuning_points, &text.replace(';', "\n"));
        }
    });
}

/// Runs `body` without the hooks seeing what it calls.
pub fn unseen<T>(body: impl FnOnce() -> T) -> T {
    if HOOKED.load(Ordering::Relaxed) { instrument::closed(body) } else { body() }
}

/// Whether the text is in the language. If not, it is told why.
pub fn can_take(text: &str) -> bool {
    match parse(text) {
        Ok(_) => true,
        Err(error) => {
            refuse(error.line, &error.to_string());
            false
        }
    }
}

/// Declares what the text says in place of what was declared before.
pub fn take(tuning_points: &mut TuningPoints, text: &str) {
    let lines = match parse(text) {
        Ok(lines) => lines,
        Err(error) => return refuse(error.line, &error.to_string()),
    };
    HOOKED.store(true, Ordering::Relaxed);
    learn_rate();
    let mut guard = lock();
    let state = guard.get_or_insert_default();
    let lost: Vec<&Label> = lines.iter().filter_map(|line| returns(&line.declaration)).collect();
    let stays = |item: &Item| lines.iter().any(|line| line.declaration == item.declaration);
    let (kept, gone): (Vec<Item>, Vec<Item>) = std::mem::take(&mut state.items).into_iter().partition(stays);
    state.items = kept;
    for item in gone {
        item.undo();
        state.leave(&item);
        if let Some(label) = item.declaration.label() {
            tuning_points.forget(label.as_str());
        }
    }
    for line in lines.iter().filter(|line| returns(&line.declaration).is_none()) {
        if let Some(known) = state.items.iter_mut().find(|item| item.declaration == line.declaration) {
            known.line = line.number;
            continue;
        }
        match items::make(line) {
            Ok(item) => match declare(tuning_points, &item) {
                true => state.items.push(item),
                false => {
                    refuse(line.number, "another tuning point has that name, or the table of tuning points is full")
                }
            },
            Err(why) => refuse(line.number, &why),
        }
    }
    for item in &mut state.items {
        item.returns_on_loss = item.declaration.label().is_some_and(|label| lost.contains(&label));
    }
    ITERATES.store(state.items.iter().any(Item::iterates), Ordering::Relaxed);
    state.report.learn_cost();
    state.work_out();
}

fn returns(declaration: &Declaration) -> Option<&Label> {
    match declaration {
        Declaration::Return { label } => Some(label),
        _ => None,
    }
}

/// Ticks are as long as the clock says; where it does not know yet, a millisecond tells.
fn learn_rate() {
    clock::resync();
    if clock::rate() == 0 {
        let (begin, ticks) = (clock::now_ns(), instrument::ticks());
        while clock::now_ns() < begin + PULSE_NS {}
        let (ns, ticks) = (clock::now_ns() - begin, instrument::ticks().saturating_sub(ticks).max(1));
        instrument::set_rate(((u128::from(ns) << 32) / u128::from(ticks)) as u64);
    } else {
        instrument::set_rate(clock::rate());
    }
}

fn declare(tuning_points: &mut TuningPoints, item: &Item) -> bool {
    let Some((kind, range)) = item.tuning_point() else { return true };
    let name = item.declaration.label().map_or("", Label::as_str);
    tuning_points.declare_again(
        name,
        kind,
        tuning_points::TuningPoint { target: Target::Point(item.id), range },
        item.value(),
    )
}

/// A line that could not be done, and why.
fn refuse(line: u32, why: &str) {
    hook::text(clock::now_ns(), topic::REFUSED, line, 0, why);
}

impl State {
    /// What happens at each function, from all items; hooks that nobody needs are taken out.
    fn work_out(&mut self) {
        let waits = places::work_out(self);
        WAITING.store(waits, Ordering::Relaxed);
        if self.hooks.is_empty() || !process::recording() {
            return;
        }
        instrument::set_pulse(pulse, instrument::ticks());
    }
}

fn with_item<T>(id: u32, body: impl FnOnce(&mut Item) -> T) -> Option<T> {
    let mut guard = lock();
    guard.as_mut()?.items.iter_mut().find(|item| item.id == id).map(body)
}

/// The function at which the tuning point of an item is set, if any.
pub fn place(id: u32) -> Option<Place> {
    with_item(id, |item| item.place.map(|(hook, moment)| (hook.number(), moment))).flatten()
}

/// The value of the tuning point of an item now.
pub fn value(id: u32) -> f64 {
    with_item(id, |item| item.value()).unwrap_or(0.0)
}

/// Whether its tuning point takes the value, or the text.
pub fn can_set(id: u32, value: f64, text: &str) -> bool {
    with_item(id, |item| item.can_set(value, text)).unwrap_or(false)
}

/// Sets it.
pub fn set(id: u32, value: f64, text: &str) {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    let Some(item) = state.items.iter_mut().find(|item| item.id == id) else { return };
    if let Some(function) = item.set(value, text) {
        state.once.push(function);
        ONCE.store(true, Ordering::Relaxed);
    }
    if item.needs_hook() {
        state.work_out();
    }
}

/// At safe points, after commands were applied: calls that were asked for, values that go back.
pub fn at_safe_point() {
    if ONCE.swap(false, Ordering::Relaxed) {
        let calls = lock().as_mut().map(|state| std::mem::take(&mut state.once)).unwrap_or_default();
        for function in calls {
            // SAFETY: a function of the program without arguments, as the declaration says.
            let function = unsafe { std::mem::transmute::<usize, extern "C" fn()>(function) };
            instrument::open(|| function());
        }
    }
    if LOST.swap(false, Ordering::Relaxed) {
        moments::on_loss();
    }
    if WAITING.load(Ordering::Relaxed)
        && let Ok(mut guard) = STATE.try_lock()
        && let Some(state) = guard.as_mut()
    {
        state.work_out();
    }
}

/// The agent is gone.
pub fn on_loss() {
    LOST.store(true, Ordering::Relaxed);
}

/// It is, and values may have to go back.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Now and then in the functions that are hooked, in the thread that declared them.
fn pulse() {
    if !process::recording() {
        return;
    }
    match (own_iteration(), iteration()) {
        (Some(own), _) => safe_point::poll_declared(own, false),
        (None, marked) => safe_point::poll(marked.unwrap_or(hook::UNKNOWN_ITERATION), marked.is_none()),
    }
    instrument::set_rate(clock::rate().max(1));
    if let Ok(mut guard) = STATE.try_lock()
        && let Some(state) = guard.as_mut()
    {
        budget::keep(state, None);
    }
    let ticks = u128::from(PULSE_NS) << 32;
    instrument::next_pulse(instrument::ticks() + (ticks / u128::from(clock::rate().max(1))) as u64);
}

/// Whether a line of the points says what an iteration is.
pub fn iterates() -> bool {
    ITERATES.load(Ordering::Relaxed)
}

/// The iteration that this rank is in or was in last.
pub fn iteration() -> Option<u64> {
    if ITERATES.load(Ordering::Relaxed) { own_iteration() } else { crate::marks::iteration() }
}

/// The same where a line of the points says what an iteration is.
pub fn own_iteration() -> Option<u64> {
    BEGUN.load(Ordering::Relaxed).checked_sub(1).filter(|_| ITERATES.load(Ordering::Relaxed))
}

/// An iteration of this rank begins, by one of its lines: at a function's entry, or after an MPI call.
fn begin_iteration(entry: Option<Place>) {
    let iteration = BEGUN.fetch_add(1, Ordering::Relaxed);
    if let Ok(mut guard) = STATE.try_lock()
        && let Some(state) = guard.as_mut()
    {
        state.report.begin(iteration, clock::now_ns());
    }
    safe_point::poll_declared(iteration, true);
    entry.into_iter().for_each(moments::pass);
    if let Ok(guard) = STATE.try_lock()
        && let Some(state) = guard.as_ref()
    {
        measured::read_variables(&state.items);
    }
}

/// It ends.
fn end_iteration() {
    if let Ok(mut guard) = STATE.try_lock()
        && let Some(state) = guard.as_mut()
    {
        state.end(iteration(), true);
    }
}

/// An MPI call ends one iteration and begins the next.
pub fn next_iteration() {
    if BEGUN.load(Ordering::Relaxed) > 0 {
        end_iteration();
    }
    begin_iteration(None);
}

/// The program's marks say that iteration `iteration` begins.
pub fn on_marked_iteration(iteration: u64) {
    if ITERATES.load(Ordering::Relaxed) {
        return;
    }
    if let Ok(mut guard) = STATE.try_lock()
        && let Some(state) = guard.as_mut()
    {
        state.end(iteration.checked_sub(1), false);
        state.report.begin(iteration, clock::now_ns());
        measured::read_variables(&state.items);
    }
}

impl State {
    fn end(&mut self, iteration: Option<u64>, own: bool) {
        let iteration = iteration.unwrap_or(hook::UNKNOWN_ITERATION);
        let lasted = report::send(self, iteration, own);
        budget::keep(self, Some(lasted));
    }
}

/// MPI is about to be finalised: the last measurements go up, everything is as it was.
pub fn on_finalize() {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    state.end(iteration().filter(|_| !ITERATES.load(Ordering::Relaxed)), false);
    let items = std::mem::take(&mut state.items);
    items.iter().for_each(Item::undo);
    state.work_out();
}
