//! Watches: callbacks that see single MPI calls, for measure points that lie on a call.

use crate::state;
use midrun_ring::calls::NAMES;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Most watches of a process. A watch stays for ever.
const WATCHES: usize = 16;

static WATCHING: [OnceLock<(Filter, Callback)>; WATCHES] = [const { OnceLock::new() }; WATCHES];

/// By a call's number one bit for each watch that it may concern, so that the other watches cost the call nothing.
static CONCERNS: [AtomicU32; NAMES.len()] = [const { AtomicU32::new(0) }; NAMES.len()];

/// By a call's number whether each call must be seen.
static EACH: [AtomicBool; NAMES.len()] = [const { AtomicBool::new(false) }; NAMES.len()];

const _: () = assert!(WATCHES <= 32);

/// Called in the thread that made the call, after it.
pub type Callback = fn(watch: usize, seen: &ObservedCall);

/// The calls that a watch sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The call's number in [`midrun_ring::calls::NAMES`]; none = every call.
    pub call: Option<u32>,
    /// Rank of the peer, as the call names it.
    pub peer: Option<i32>,
    /// Tag of the message.
    pub tag: Option<i32>,
    /// Fewest bytes.
    pub least_bytes: u64,
    /// Only calls on `MPI_COMM_WORLD`.
    pub on_world: bool,
    /// Each call is to be seen, however many there are; else one may stand for several.
    pub each: bool,
}

/// An MPI call that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedCall {
    /// Its number in [`midrun_ring::calls::NAMES`].
    pub call: u32,
    /// Calls of this function for which it stands: itself, and those since the last one that was seen.
    pub calls: u64,
    /// Begin and end, CLOCK_MONOTONIC, nanoseconds.
    pub begin_ns: u64,
    /// See `begin_ns`.
    pub end_ns: u64,
    /// Bytes, as they are counted.
    pub bytes: u64,
    /// Rank of the peer, as the call names it; negative where it has none.
    pub peer: i32,
    /// Tag; -1 where it has none.
    pub tag: i32,
    /// Whether it was made on `MPI_COMM_WORLD`.
    pub on_world: bool,
}

impl Filter {
    fn takes(&self, seen: &ObservedCall) -> bool {
        self.call.is_none_or(|call| call == seen.call)
            && self.peer.is_none_or(|peer| peer == seen.peer)
            && self.tag.is_none_or(|tag| tag == seen.tag)
            && seen.bytes >= self.least_bytes
            && (seen.on_world || !self.on_world)
    }
}

/// Shows calls to `callback` from now on. Returns the watch's number, `None` where there are too many.
pub fn watch(filter: Filter, callback: Callback) -> Option<usize> {
    let free = (0..WATCHES).find(|at| WATCHING[*at].set((filter, callback)).is_ok())?;
    let concerned = CONCERNS.iter().enumerate().filter(|(call, _)| filter.call.is_none_or(|own| own as usize == *call));
    for (number, watches) in concerned {
        watches.fetch_or(1 << free, Ordering::Release);
        EACH[number].fetch_or(filter.each, Ordering::Relaxed);
    }
    state::switch_on(state::bit::WATCHED);
    Some(free)
}

/// Whether each call of function `number` must be seen.
pub fn sees_each(number: u32) -> bool {
    EACH.get(number as usize).is_some_and(|each| each.load(Ordering::Relaxed))
}

/// Shows a call to the watches that take it.
pub fn show(seen: &ObservedCall) {
    let Some(mut watches) = CONCERNS.get(seen.call as usize).map(|watches| watches.load(Ordering::Acquire)) else {
        return;
    };
    while watches != 0 {
        let number = watches.trailing_zeros() as usize;
        watches &= watches - 1;
        if let Some((filter, callback)) = WATCHING.get(number).and_then(OnceLock::get)
            && filter.takes(seen)
        {
            callback(number, seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    static BYTES: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn a_watch_sees_the_calls_that_its_filter_takes() {
        let filter = Filter { call: Some(4), tag: Some(7), least_bytes: 8, on_world: true, ..Filter::default() };
        let number = watch(filter, |_, seen| {
            BYTES.fetch_add(seen.bytes, Ordering::Relaxed);
        });
        assert_eq!(number, Some(0));
        let call = |call, bytes, tag, on_world| {
            show(&ObservedCall { call, calls: 1, begin_ns: 1, end_ns: 2, bytes, peer: 0, tag, on_world })
        };
        call(4, 8, 7, true);
        call(4, 7, 7, true); // too small
        call(5, 64, 7, true); // another call
        call(4, 64, 8, true); // another tag
        call(4, 64, 7, false); // another communicator
        call(4, 100, 7, true);
        assert_eq!(BYTES.load(Ordering::Relaxed), 108);
    }
}
