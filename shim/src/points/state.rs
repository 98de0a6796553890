//! Everything that the text `points` declared in this process, and its tuning points.

use super::items::Item;
use super::report::{Report, refuse};
use super::{budget, functions};
use crate::tuning_points::{Boundary, Setter, TuningPoints};
use crate::{clock, iterations, records, safe_point, state};
use midrun_instrument as instrument;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Time between two looks at commands in hooked functions, nanoseconds.
pub const POLL_NS: u64 = 1_000_000;
/// Time between two attempts to put in a hook that waits, nanoseconds.
const AGAIN_NS: u64 = 100_000_000;

/// See the module.
#[derive(Default)]
pub struct State {
    /// The text in force.
    pub text: String,
    /// The line that begins the iterations where the text has none.
    pub iteration: String,
    pub items: Vec<Item>,
    /// Hooks that are in use.
    pub hooks: Vec<instrument::Hook>,
    pub report: Report,
    /// A line declares the work of a Master/Worker program.
    pub has_work: bool,
    /// The line of the iterations is for this rank alone, or this is rank 0.
    pub is_first: bool,
    /// Functions to be called at the next safe point.
    pub once: Vec<usize>,
    /// Lines of which it was said that their hook waits.
    waits_known: BTreeSet<u32>,
    /// When hooks were put in last.
    tried_ns: u64,
    /// The function boundary for which a command waits.
    pub awaited: Option<Boundary>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// A hook waits until its function can be changed.
pub static WAITING: AtomicBool = AtomicBool::new(false);
/// An argument's own value was seen for the first time.
pub static SEEN: AtomicBool = AtomicBool::new(false);
/// A function is to be called at the next safe point.
pub static ONCE: AtomicBool = AtomicBool::new(false);

/// The tuning points that lines declare, by their items' numbers.
pub static POINT: Setter = Setter {
    accepts: |id, value, text| with_item(id, |item| item.can_set(value, text)).unwrap_or(false),
    boundary: |id| with_item(id, |item| item.boundary()).flatten(),
    ..Setter::new(set, |id| with_item(id, |item| item.value()).unwrap_or(0.0))
};

/// Locks the state; `None` inside where nothing was ever declared.
pub fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Runs `body` on the state; `None` where another thread has it, or nothing was ever declared.
pub fn try_with<T>(body: impl FnOnce(&mut State) -> T) -> Option<T> {
    STATE.try_lock().ok()?.as_mut().map(body)
}

fn with_item<T>(id: usize, body: impl FnOnce(&mut Item) -> T) -> Option<T> {
    lock().as_mut()?.items.iter_mut().find(|item| item.id == id).map(body)
}

fn set(_: &mut TuningPoints, id: usize, value: f64, text: &str) {
    let mut guard = lock();
    let Some(state) = guard.as_mut() else { return };
    let Some(item) = state.items.iter_mut().find(|item| item.id == id) else { return };
    if let Some(function) = item.set(value, text) {
        state.once.push(function);
        ONCE.store(true, Ordering::Relaxed);
    }
    if item.needs_hook() {
        state.apply();
    }
}

impl State {
    /// Whether this rank's iterations are those of a Master/Worker program: a `work` line says that there is one, and the line
    /// of the iterations that it is this rank's, or without a rank that it is rank 0's.
    pub fn is_master(&self) -> bool {
        self.has_work && self.is_first
    }

    /// Works out anew what happens at each function, from all items. Hooks that no item needs are taken out.
    pub fn apply(&mut self) {
        let waiting = functions::apply(&self.items, &mut self.hooks);
        WAITING.store(!waiting.is_empty(), Ordering::Relaxed);
        self.tried_ns = clock::now_ns();
        for (line, why) in waiting {
            if self.waits_known.insert(line) {
                refuse(line, 1, &format!("its function cannot be hooked yet: {why}"));
            }
        }
        if !self.hooks.is_empty() && state::recording() {
            instrument::set_poll(poll, instrument::ticks());
        }
    }

    /// Tries hooks that wait again, now and then: each look at the threads costs some system calls.
    pub fn apply_again(&mut self) {
        if clock::now_ns().saturating_sub(self.tried_ns) >= AGAIN_NS {
            self.apply();
        }
    }

    /// Shows calls to the handlers at the boundaries for which a command waits, or at which a value is to be reset.
    pub fn await_boundaries(&self) {
        functions::await_boundaries(&self.items, self.awaited);
    }

    /// Ends `iteration`: sends what was measured in it. `own`: a line of the points declared it.
    pub fn end_iteration(&mut self, iteration: Option<u64>, own: bool) {
        if iteration.is_some() {
            self.items.iter().for_each(|item| item.read_variable(true));
        }
        let lasted_ns = self.report.send(&self.items, iteration.unwrap_or(records::UNKNOWN_ITERATION), own);
        self.keep_budget(Some(lasted_ns));
    }

    /// Where measuring cost more than its share of the last `lasted_ns`, or with `None` since the last look, the costliest
    /// item gives up detail.
    fn keep_budget(&mut self, lasted_ns: Option<u64>) {
        let Some(spent) = self.report.spent(&self.items, lasted_ns) else { return };
        if let Some((line, why)) = budget::shed(&mut self.items, &spent, self.report.budget) {
            refuse(line, 1, &why);
            self.apply();
        }
    }
}

/// A rank that begins no iterations sends what it measured when it is about to wait, or in between: its time tells in which
/// of the master's iterations that was. At most once per [`POLL_NS`].
pub fn send_unattributed() {
    static LAST_NS: AtomicU64 = AtomicU64::new(0);
    if !state::recording() || !state::is_main_thread() || iterations::current().is_some() {
        return;
    }
    let now_ns = clock::now_ns();
    if now_ns.saturating_sub(LAST_NS.load(Ordering::Relaxed)) >= POLL_NS {
        LAST_NS.store(now_ns, Ordering::Relaxed);
        state::unhooked(|| try_with(|state| state.end_iteration(None, false)));
    }
}

/// Now and then in the hooked functions, in the thread that declared them: a safe point, and a look at the budget.
fn poll() {
    crate::guard::guard_value("a hooked function", (), || {
        if !state::recording() {
            return;
        }
        clock::resync();
        safe_point::poll_anywhere();
        let rate = clock::rate();
        if rate != 0 {
            instrument::set_rate(rate);
        }
        try_with(|state| state.keep_budget(None));
        send_unattributed();
        // Where the clock does not know the rate yet, the next call polls again.
        let ticks = (u128::from(POLL_NS) << 32).checked_div(rate.into()).unwrap_or(0);
        instrument::set_next_poll(instrument::ticks() + ticks as u64);
    });
}
