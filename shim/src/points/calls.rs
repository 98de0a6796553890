//! MPI calls as measure points and as iterations, seen by watches.
//!
//! A watch stays for ever: one that is no longer wanted is used again for the next measure with the same filter.

use super::measured;
use crate::mpi_calls::{self, ObservedCall};
use crate::state;
use midrun_instrument::Sum;
use midrun_points::{Call, Filter, Mode};
use midrun_ring::calls::NAMES;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Most watches.
const MOST: usize = 16;
/// Squares are counted in units of 2^12 ns².
const SQUARE_BITS: u32 = 12;

/// The figures of one watch.
struct Slot {
    active: AtomicBool,
    raw: AtomicBool,
    /// Label of its calls that are recorded one by one.
    label: OnceLock<[u64; 4]>,
    most_bytes: AtomicU64,
    /// Each `every`-th call begins an iteration; 0 = none does.
    every: AtomicU64,
    turn: AtomicU64,
    calls: AtomicU64,
    timed: AtomicU64,
    sum_ns: AtomicU64,
    squares: AtomicU64,
    minimum_ns: AtomicU64,
    maximum_ns: AtomicU64,
    first_ns: AtomicU64,
    last_ns: AtomicU64,
    bins: [AtomicU32; 64],
}

static SLOTS: [Slot; MOST] = [const {
    Slot {
        active: AtomicBool::new(false),
        raw: AtomicBool::new(false),
        label: OnceLock::new(),
        most_bytes: AtomicU64::new(u64::MAX),
        every: AtomicU64::new(0),
        turn: AtomicU64::new(0),
        calls: AtomicU64::new(0),
        timed: AtomicU64::new(0),
        sum_ns: AtomicU64::new(0),
        squares: AtomicU64::new(0),
        minimum_ns: AtomicU64::new(u64::MAX),
        maximum_ns: AtomicU64::new(0),
        first_ns: AtomicU64::new(u64::MAX),
        last_ns: AtomicU64::new(0),
        bins: [const { AtomicU32::new(0) }; 64],
    }
}; MOST];
/// Number, filter, largest message and label of each watch.
static MADE: Mutex<Vec<(usize, mpi_calls::Filter, u64, String)>> = Mutex::new(Vec::new());

static NEXT_ITERATION: OnceLock<fn()> = OnceLock::new();

/// Registers the function that ends an iteration and begins the next; the first one stays.
pub fn on_iteration(next: fn()) {
    let _ = NEXT_ITERATION.set(next);
}

/// Measures the calls that pass `filter` from now on; returns a number for them.
///
/// # Errors
/// Why not.
pub fn measure(label: &str, call: &Call, filter: &Filter, mode: Mode) -> Result<u32, String> {
    let number = number_of(call)?;
    let wanted = mpi_calls::Filter {
        call: Some(number),
        peer: filter.peer.map(|peer| i32::try_from(peer).unwrap_or(i32::MAX)),
        tag: filter.tag,
        least_bytes: filter.bytes.map_or(0, |(least, _)| least),
        on_world: filter.world,
        each: mode == Mode::Raw,
    };
    let most = filter.bytes.map_or(u64::MAX, |(_, most)| most);
    let number = watch(wanted, most, label)?;
    let slot = &SLOTS[number];
    slot.raw.store(mode == Mode::Raw, Ordering::Relaxed);
    slot.active.store(mode != Mode::Off, Ordering::Release);
    Ok(number as u32)
}

/// Stops measuring, or beginning iterations.
pub fn forget(number: u32) {
    if let Some(slot) = SLOTS.get(number as usize) {
        slot.active.store(false, Ordering::Relaxed);
        slot.every.store(0, Ordering::Relaxed);
        take(number);
    }
}

/// Takes out what was measured since the last call; `first` and `last` of CLOCK_MONOTONIC, nanoseconds.
pub fn take(number: u32) -> Sum {
    let Some(slot) = SLOTS.get(number as usize) else { return Sum::default() };
    let swap = |word: &AtomicU64, none: u64| word.swap(none, Ordering::Relaxed);
    Sum {
        calls: swap(&slot.calls, 0),
        timed: swap(&slot.timed, 0),
        sum_ns: swap(&slot.sum_ns, 0),
        squares_s2: swap(&slot.squares, 0) as f64 * f64::from(1 << SQUARE_BITS) * 1e-18,
        minimum_ns: swap(&slot.minimum_ns, u64::MAX),
        maximum_ns: swap(&slot.maximum_ns, 0),
        first: swap(&slot.first_ns, u64::MAX),
        last: swap(&slot.last_ns, 0),
        bins: std::array::from_fn(|k| slot.bins[k].swap(0, Ordering::Relaxed)),
    }
}

/// Each `every`-th such call ends an iteration and begins the next, by the callback of [`on_iteration`]; returns a number.
///
/// # Errors
/// Why not.
pub fn iterate(call: &Call, world: bool, every: u64) -> Result<u32, String> {
    let call = Some(number_of(call)?);
    // Of all calls of a function it is known when the call comes that ends an iteration.
    let each = world || every == 1;
    let filter = mpi_calls::Filter { call, on_world: world, each, ..mpi_calls::Filter::default() };
    let number = watch(filter, u64::MAX, "iteration")?;
    SLOTS[number].turn.store(0, Ordering::Relaxed);
    SLOTS[number].every.store(every, Ordering::Relaxed);
    SLOTS[number].active.store(true, Ordering::Release);
    Ok(number as u32)
}

fn number_of(call: &Call) -> Result<u32, String> {
    let number = NAMES.iter().position(|name| *name == call.as_str());
    number.map(|number| number as u32).ok_or_else(|| format!("{call} is not among the MPI calls that midrun sees"))
}

/// A watch with this filter that is not in use, or a new one.
fn watch(filter: mpi_calls::Filter, most: u64, label: &str) -> Result<usize, String> {
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let free = |(watch, of, to, name): &&(usize, mpi_calls::Filter, u64, String)| {
        (*of, *to, name.as_str()) == (filter, most, label) && !SLOTS[*watch].active.load(Ordering::Relaxed)
    };
    if let Some((watch, ..)) = made.iter().find(free) {
        return Ok(*watch);
    }
    let watch = mpi_calls::watch(filter, on_call).filter(|watch| *watch < MOST);
    let watch = watch.ok_or_else(|| format!("at most {MOST} measures of MPI calls are possible"))?;
    SLOTS[watch].most_bytes.store(most, Ordering::Relaxed);
    let _ = SLOTS[watch].label.set(midrun_ring::layout::text_to_words(label));
    made.push((watch, filter, most, label.to_owned()));
    Ok(watch)
}

fn on_call(watch: usize, seen: &ObservedCall) {
    let Some(slot) = SLOTS.get(watch).filter(|slot| slot.active.load(Ordering::Acquire)) else { return };
    if seen.bytes > slot.most_bytes.load(Ordering::Relaxed) {
        return;
    }
    let every = slot.every.load(Ordering::Relaxed);
    if every > 0 {
        if !state::is_main_thread() {
            return;
        }
        let before = slot.turn.fetch_add(seen.calls, Ordering::Relaxed);
        let now = before + seen.calls;
        mpi_calls::see_within(seen.call, every - now % every);
        if let (true, Some(next)) = (before / every < now / every, NEXT_ITERATION.get()) {
            next();
        }
        return;
    }
    let ns = seen.end_ns.saturating_sub(seen.begin_ns);
    if slot.raw.load(Ordering::Relaxed) {
        let label = slot.label.get().copied().unwrap_or_default();
        return measured::record(&label, seen.end_ns, ns, 0);
    }
    slot.calls.fetch_add(seen.calls, Ordering::Relaxed);
    slot.timed.fetch_add(1, Ordering::Relaxed);
    slot.sum_ns.fetch_add(ns, Ordering::Relaxed);
    let square = (u128::from(ns) * u128::from(ns)) >> SQUARE_BITS;
    slot.squares.fetch_add(u64::try_from(square).unwrap_or(u64::MAX), Ordering::Relaxed);
    slot.minimum_ns.fetch_min(ns, Ordering::Relaxed);
    slot.maximum_ns.fetch_max(ns, Ordering::Relaxed);
    slot.first_ns.fetch_min(seen.begin_ns, Ordering::Relaxed);
    slot.last_ns.fetch_max(seen.end_ns, Ordering::Relaxed);
    slot.bins[(ns | 1).ilog2() as usize & 63].fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_summed_up_as_long_as_they_are_wanted() {
        let call = Call::new("MPI_Send").expect("a call");
        let filter = Filter { bytes: Some((8, 100)), ..Filter::default() };
        let number = measure("sends", &call, &filter, Mode::Sum).expect("a watch");
        let send = number_of(&call).expect("a number");
        let one = |bytes: u64, ns: u64| {
            let (begin_ns, end_ns) = (1000, 1000 + ns);
            let seen = ObservedCall { call: send, calls: 1, begin_ns, end_ns, bytes, peer: 0, tag: 0, on_world: true };
            on_call(number as usize, &seen);
        };
        one(8, 64);
        one(100, 640);
        one(101, 9999);
        let sum = take(number);
        assert_eq!((sum.calls, sum.timed, sum.sum_ns, sum.minimum_ns, sum.maximum_ns), (2, 2, 704, 64, 640));
        assert_eq!((sum.first, sum.last, sum.bins[6], sum.bins[9]), (1000, 1640, 1, 1));
        assert_eq!(take(number), Sum::default());
        forget(number);
        one(8, 64);
        assert_eq!(take(number), Sum::default());
        assert_eq!(measure("sends", &call, &filter, Mode::Sum), Ok(number), "it is used again");
        let unknown = Call::new("MPI_Nothing").expect("a call");
        assert!(measure("x", &unknown, &filter, Mode::Sum).is_err());
    }
}
