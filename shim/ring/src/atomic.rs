//! The only place that touches shared words: what a ring needs of memory, and the mapped memory that gives it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A word of a ring's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Entries written so far; the producer's.
    Head,
    /// Entries dropped so far; the producer's.
    Dropped,
    /// Entries taken so far; the consumer's.
    Tail,
    /// A word of the entries, counted from the first entry's first word.
    Word(usize),
}

/// Memory of one ring.
pub trait Memory {
    /// Entries that fit; a power of two.
    fn capacity(&self) -> u64;
    /// Reads a word.
    fn load(&self, place: Place, ordering: Ordering) -> u64;
    /// Writes a word.
    fn store(&self, place: Place, value: u64, ordering: Ordering);
}

/// A shared mapping, unmapped when the last handle goes.
#[derive(Debug)]
pub struct Mapping {
    start: *const AtomicU64,
    words: usize,
}

// SAFETY: the mapping is only reached through atomics, and lives as long as the value.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `bytes` (a multiple of 8) of `fd` for reading and writing.
    ///
    /// # Errors
    /// The error of `mmap`.
    pub fn new(fd: std::os::fd::BorrowedFd<'_>, bytes: usize) -> std::io::Result<Self> {
        use std::os::fd::AsRawFd;
        // SAFETY: a fresh mapping of our own choosing; the arguments are plain numbers and the result is checked.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok(Mapping { start: start.cast::<AtomicU64>().cast_const(), words: bytes / 8 })
    }

    /// The word at `index`.
    ///
    /// # Panics
    /// When `index` is outside the mapping: offsets are checked when a segment is opened, so this is a defect.
    #[inline]
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < self.words, "word {index} of a mapping of {}", self.words);
        // SAFETY: inside the mapping, which is aligned to a page and lives as long as `self`; sealed against
        // shrinking, so the pages cannot go away; every access by anybody of ours is atomic.
        unsafe { &*self.start.add(index) }
    }

    /// Length in words.
    pub fn words(&self) -> usize {
        self.words
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range that `new` mapped; nobody holds a reference into it, references borrow `self`.
        unsafe { libc::munmap(self.start.cast_mut().cast(), self.words * 8) };
    }
}

/// Words of a ring's control block: head and dropped in the first 128 bytes, tail in the second, so that
/// producer and consumer do not share cache lines (or pairs of them, which x86 fetches together).
pub const CONTROL_WORDS: usize = 32;
pub(crate) const HEAD: usize = 0;
const DROPPED: usize = 1;
pub(crate) const TAIL: usize = 16;

/// A ring's part of a mapping.
#[derive(Clone, Debug)]
pub struct Mapped {
    mapping: Arc<Mapping>,
    control: usize,
    capacity: u64,
}

impl Mapped {
    /// The ring whose control block is at word `control`, followed by `capacity` entries of `entry_words`.
    ///
    /// # Panics
    /// When it would not fit in the mapping, or `capacity` is no power of two.
    pub fn new(mapping: Arc<Mapping>, control: usize, capacity: u64, entry_words: usize) -> Self {
        assert!(capacity.is_power_of_two());
        assert!(control + CONTROL_WORDS + capacity as usize * entry_words <= mapping.words());
        Mapped { mapping, control, capacity }
    }

    #[inline]
    fn at(&self, place: Place) -> &AtomicU64 {
        self.mapping.word(match place {
            Place::Head => self.control + HEAD,
            Place::Dropped => self.control + DROPPED,
            Place::Tail => self.control + TAIL,
            Place::Word(i) => self.control + CONTROL_WORDS + i,
        })
    }
}

impl Memory for Mapped {
    #[inline]
    fn capacity(&self) -> u64 {
        self.capacity
    }

    #[inline]
    fn load(&self, place: Place, ordering: Ordering) -> u64 {
        self.at(place).load(ordering)
    }

    #[inline]
    fn store(&self, place: Place, value: u64, ordering: Ordering) {
        self.at(place).store(value, ordering);
    }
}
