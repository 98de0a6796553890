//! Each recording thread's own ring in the segment: claimed at the thread's first record, given back at its end.

use crate::state;
use midrun_ring::{Producer, Record};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rings in use, one bit each.
static CLAIMED: AtomicU64 = AtomicU64::new(0);
/// Records dropped because their thread found no free ring, or was inside a record already.
static WITHOUT_RING: AtomicU64 = AtomicU64::new(0);

enum Ring {
    Unclaimed,
    /// Every ring is taken: this thread's records are dropped and counted.
    None,
    Own(u32, Producer),
}

struct OwnRing(RefCell<Ring>);

impl Drop for OwnRing {
    fn drop(&mut self) {
        if let Ring::Own(number, _) = self.0.get_mut() {
            CLAIMED.fetch_and(!(1 << *number), Ordering::Release); // SYNC C: pairs with claim
        }
    }
}

thread_local! {
    static RING: OwnRing = const { OwnRing(RefCell::new(Ring::Unclaimed)) };
}

/// Writes a record into this thread's ring; a full ring drops and counts it. No lock, no system call, and no allocation but
/// for a thread's first record. Nothing happens while the shim is off.
#[inline]
pub fn push(record: &Record) {
    with(|producer| producer.push(&record.to_words()));
}

/// As [`push`], for records that may be very many: part of the ring is kept free for the others.
#[inline]
pub fn push_minor(record: &Record) {
    with(|producer| producer.push_minor(&record.to_words()));
}

#[inline]
fn with(write: impl FnOnce(&mut Producer) -> bool) {
    if !state::recording() {
        return;
    }
    // A record from a signal handler inside a record, or after the thread's locals are gone, is dropped.
    let _ = RING.try_with(|own| {
        if let Ok(mut ring) = own.0.try_borrow_mut() {
            if matches!(*ring, Ring::Unclaimed) {
                *ring = claim();
            }
            if let Ring::Own(_, producer) = &mut *ring {
                write(producer);
                return;
            }
        }
        WITHOUT_RING.fetch_add(1, Ordering::Relaxed);
    });
}

#[cold]
fn claim() -> Ring {
    let Some(segment) = state::segment() else { return Ring::None };
    for number in 0..segment.lanes() {
        let bit = 1 << number;
        // SYNC C: a ring given back by another thread is continued where that thread stopped.
        if CLAIMED.fetch_or(bit, Ordering::Acquire) & bit == 0 {
            return Ring::Own(number, segment.producer(number));
        }
    }
    Ring::None
}

/// Records dropped because their thread had no ring.
pub fn dropped_without_ring() -> u64 {
    WITHOUT_RING.load(Ordering::Relaxed)
}
