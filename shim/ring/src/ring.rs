//! A single-producer single-consumer ring of fixed-size entries, over any memory of atomic words.
//!
//! ADR 0002 says why the memory is shared between processes that do not trust each other. The memory is a trait so
//! that loom can explore the very same code, and the orderings are a trait so that a test can weaken each of them
//! and see loom object.

use crate::atomic::{RingMemory, RingWord};
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

/// The orderings of the ring's four synchronising accesses, named in pairs.
pub trait Orderings {
    /// SYNC P: the producer's store of its index, after the entry's words. Pairs with `OBSERVE`.
    const PUBLISH: Ordering;
    /// SYNC P: the consumer's load of the producer's index, before it reads the entry's words.
    const OBSERVE: Ordering;
    /// SYNC F: the consumer's store of its index, after it has copied the entry's words. Pairs with `REUSE`.
    const FREE: Ordering;
    /// SYNC F: the producer's load of the consumer's index, before it writes over the entry's words.
    const REUSE: Ordering;
}

/// The orderings that the ring needs.
#[derive(Debug)]
pub struct Strong;

impl Orderings for Strong {
    const PUBLISH: Ordering = Ordering::Release;
    const OBSERVE: Ordering = Ordering::Acquire;
    const FREE: Ordering = Ordering::Release;
    const REUSE: Ordering = Ordering::Acquire;
}

/// The writing end. `W` is the number of words of an entry.
#[derive(Debug)]
pub struct Producer<M, O, const W: usize> {
    memory: M,
    capacity: u64,
    head: u64,
    /// The consumer's index when last looked at; it only grows, so a stale value is safe.
    tail_seen: u64,
    dropped: u64,
    orderings: PhantomData<O>,
}

impl<M: RingMemory, O: Orderings, const W: usize> Producer<M, O, W> {
    /// Continues where the memory says that the last producer stopped; 0 in fresh memory.
    ///
    /// There must be no other producer of this ring alive: two would write over each other's entries. (They could
    /// not harm memory safety.)
    pub fn resume(memory: M) -> Self {
        let head = memory.load(RingWord::Head, Ordering::Acquire);
        let dropped = memory.load(RingWord::Dropped, Ordering::Relaxed);
        let capacity = memory.capacity();
        Producer { memory, capacity, head, tail_seen: head.wrapping_sub(capacity), dropped, orderings: PhantomData }
    }

    /// Writes an entry. `false` when the ring is full: the entry is dropped and the drop is counted.
    #[inline]
    pub fn push(&mut self, entry: &[u64; W]) -> bool {
        self.push_up_to(entry, self.capacity)
    }

    /// As [`Producer::push`], but leaves a quarter of the ring to entries that matter more.
    #[inline]
    pub fn push_minor(&mut self, entry: &[u64; W]) -> bool {
        self.push_up_to(entry, self.capacity - self.capacity / 4)
    }

    #[inline]
    fn push_up_to(&mut self, entry: &[u64; W], most: u64) -> bool {
        if self.head.wrapping_sub(self.tail_seen) >= most {
            self.tail_seen = self.memory.load(RingWord::Tail, O::REUSE); // SYNC F
            // A tail beyond our head is nonsense and reads as full.
            if self.head.wrapping_sub(self.tail_seen) >= most {
                self.dropped += 1;
                self.memory.store(RingWord::Dropped, self.dropped, Ordering::Relaxed);
                return false;
            }
        }
        self.write(entry);
        self.memory.store(RingWord::Head, self.head, O::PUBLISH); // SYNC P
        true
    }

    /// Writes several entries that the consumer sees together. `false` when the ring has no room for all: none is written.
    pub fn push_all(&mut self, entries: &[[u64; W]]) -> bool {
        self.tail_seen = self.memory.load(RingWord::Tail, O::REUSE); // SYNC F
        let used = self.head.wrapping_sub(self.tail_seen);
        if used > self.capacity || entries.len() as u64 > self.capacity - used {
            return false;
        }
        entries.iter().for_each(|entry| self.write(entry));
        self.memory.store(RingWord::Head, self.head, O::PUBLISH); // SYNC P
        true
    }

    /// Writes an entry where there is room; nobody sees it before the head is published.
    #[inline]
    fn write(&mut self, entry: &[u64; W]) {
        let slot = (self.head & (self.capacity - 1)) as usize * W;
        for (i, word) in entry.iter().enumerate() {
            self.memory.store(RingWord::Entry(slot + i), *word, Ordering::Relaxed);
        }
        self.head = self.head.wrapping_add(1);
    }

    /// Entries refused so far because the ring was full.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// The reading end. `W` is the number of words of an entry.
#[derive(Debug)]
pub struct Consumer<M, O, const W: usize> {
    memory: M,
    capacity: u64,
    tail: u64,
    head_seen: u64,
    corrupted: bool,
    orderings: PhantomData<O>,
}

impl<M: RingMemory, O: Orderings, const W: usize> Consumer<M, O, W> {
    /// Continues where the memory says that the last consumer stopped; 0 in fresh memory.
    ///
    /// There must be no other consumer of this ring alive.
    pub fn resume(memory: M) -> Self {
        let capacity = memory.capacity();
        let tail = memory.load(RingWord::Tail, Ordering::Acquire);
        let head = memory.load(RingWord::Head, O::OBSERVE); // SYNC P
        let corrupted = head.wrapping_sub(tail) > capacity;
        Consumer {
            memory,
            capacity,
            tail,
            head_seen: if corrupted { tail } else { head },
            corrupted,
            orderings: PhantomData,
        }
    }

    /// Takes the oldest entry; `None` when there is none, or when the peer's index made no sense.
    #[inline]
    pub fn pop(&mut self) -> Option<[u64; W]> {
        if self.tail == self.head_seen {
            if self.corrupted {
                return None;
            }
            let head = self.memory.load(RingWord::Head, O::OBSERVE); // SYNC P
            if head == self.tail {
                return None;
            }
            if head.wrapping_sub(self.tail) > self.capacity {
                self.corrupted = true;
                return None;
            }
            self.head_seen = head;
        }
        let slot = (self.tail & (self.capacity - 1)) as usize * W;
        let entry = std::array::from_fn(|i| self.memory.load(RingWord::Entry(slot + i), Ordering::Relaxed));
        self.tail = self.tail.wrapping_add(1);
        self.memory.store(RingWord::Tail, self.tail, O::FREE); // SYNC F
        Some(entry)
    }

    /// Whether the producer's index made no sense. Such a ring gives no entries any more.
    pub fn corrupted(&self) -> bool {
        self.corrupted
    }

    /// Entries taken so far by this and earlier consumers.
    pub fn taken(&self) -> u64 {
        self.tail
    }
}
