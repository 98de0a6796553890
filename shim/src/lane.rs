//! Each thread's own lane of the segment: claimed at the thread's first record, given back at its end.

use crate::process;
use midrun_ring::{Producer, Record};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Lanes in use, one bit each.
static CLAIMED: AtomicU64 = AtomicU64::new(0);
/// Records of threads that found no free lane.
static HOMELESS: AtomicU64 = AtomicU64::new(0);

enum Lane {
    Unclaimed,
    /// Every lane is taken: this thread's records are dropped and counted.
    None,
    Own(u32, Producer),
}

struct Slot(RefCell<Lane>);

impl Drop for Slot {
    fn drop(&mut self) {
        if let Lane::Own(number, _) = self.0.get_mut() {
            CLAIMED.fetch_and(!(1 << *number), Ordering::Release); // SYNC C: pairs with claim
        }
    }
}

thread_local! {
    static LANE: Slot = const { Slot(RefCell::new(Lane::Unclaimed)) };
}

/// Writes a record into this thread's lane. No lock, no syscall, no allocation (but for a thread's first record).
/// Nothing happens when the shim is off.
#[inline]
pub fn push(record: &Record) {
    with(|producer| producer.push(&record.to_words()));
}

/// As [`push`], for records of which there may be very many: they leave room to the others.
#[inline]
pub fn push_minor(record: &Record) {
    with(|producer| producer.push_minor(&record.to_words()));
}

#[inline]
fn with(write: impl FnOnce(&mut Producer) -> bool) {
    if !process::recording() {
        return;
    }
    // A record from a signal handler inside a record, or after the thread's locals are gone, is dropped.
    let _ = LANE.try_with(|slot| {
        if let Ok(mut lane) = slot.0.try_borrow_mut() {
            if matches!(*lane, Lane::Unclaimed) {
                *lane = claim();
            }
            if let Lane::Own(_, producer) = &mut *lane {
                write(producer);
                return;
            }
        }
        HOMELESS.fetch_add(1, Ordering::Relaxed);
    });
}

#[cold]
fn claim() -> Lane {
    let Some(segment) = process::segment() else { return Lane::None };
    for number in 0..segment.lanes() {
        let bit = 1 << number;
        // SYNC C: a lane given back by another thread is continued where that thread stopped.
        if CLAIMED.fetch_or(bit, Ordering::Acquire) & bit == 0 {
            return Lane::Own(number, segment.producer(number));
        }
    }
    Lane::None
}

/// Records dropped because their thread had no lane.
pub fn homeless() -> u64 {
    HOMELESS.load(Ordering::Relaxed)
}
