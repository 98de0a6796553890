//! The only module that reaches shared words: the memory that rings and wake-ups work on, and the mapping that provides it.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

/// Seals of memory from another process: nobody can shrink it under a reader, or change the seals.
const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// The length of memory from another process, bytes; `None` where somebody could still shrink it, or take pages of it away: of huge pages
/// there is a limited number, and a reader that finds none ends by SIGBUS.
///
/// # Errors
/// The system's.
pub fn sealed_bytes(fd: &OwnedFd) -> io::Result<Option<u64>> {
    // SAFETY: the descriptor is open; the call fails with EINVAL on what cannot be sealed.
    let seals = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GET_SEALS) };
    if seals < 0 || seals & SEALS != SEALS {
        return Ok(None);
    }
    // SAFETY: the structure is plain numbers, for which zeros are fine.
    let mut of: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, and the structure is valid for the call.
    if unsafe { libc::fstatfs(fd.as_raw_fd(), &raw mut of) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if of.f_type != libc::TMPFS_MAGIC {
        return Ok(None);
    }
    Ok(Some(std::fs::File::from(fd.try_clone()?).metadata()?.len()))
}

/// A word of a ring's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingWord {
    /// Entries written so far; only the producer writes it.
    Head,
    /// Entries dropped so far; only the producer writes it.
    Dropped,
    /// Entries taken so far; only the consumer writes it.
    Tail,
    /// A word of the entries, counted from the first word of the first entry.
    Entry(usize),
}

/// Memory of one ring.
pub trait RingMemory {
    /// Entries that fit; a power of two.
    fn capacity(&self) -> u64;
    /// Reads a word.
    fn load(&self, word: RingWord, ordering: Ordering) -> u64;
    /// Writes a word.
    fn store(&self, word: RingWord, value: u64, ordering: Ordering);
}

/// Memory of wake-ups: words by their index, and sleeping until one changes.
pub trait WakeMemory {
    /// Reads a word.
    fn load(&self, word: usize, ordering: Ordering) -> u64;
    /// Writes a word.
    fn store(&self, word: usize, value: u64, ordering: Ordering);
    /// Adds `by` to a word; returns its value before.
    fn add(&self, word: usize, by: u64, ordering: Ordering) -> u64;
    /// Orders the accesses before it and after it.
    fn fence(&self, ordering: Ordering);
    /// Sleeps while the word has this value, at most for `longest`.
    fn sleep_while(&self, word: usize, value: u64, longest: Duration);
    /// Wakes the thread that sleeps on the word.
    fn wake(&self, word: usize);
}

/// A shared mapping, unmapped when the last handle goes.
#[derive(Debug)]
pub struct Mapping {
    start: *const AtomicU64,
    words: usize,
}

// SAFETY: any thread may unmap the memory, and the mapping lives as long as the value.
unsafe impl Send for Mapping {}
// SAFETY: a shared reference gives access to the memory by atomics only.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Makes memory of `bytes` (a multiple of 8) that nobody can shrink or grow, and returns it with its descriptor. The kernel supplies
    /// its pages when they are first written.
    ///
    /// # Errors
    /// The system's.
    pub fn create(name: &CStr, bytes: usize) -> io::Result<(Mapping, OwnedFd)> {
        // SAFETY: the name is a C string; the result is checked.
        let raw = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a descriptor that was just made and belongs to nobody else.
        let fd = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: both calls take a descriptor of ours and numbers.
        let sized = unsafe {
            libc::ftruncate(raw, bytes as libc::off_t) == 0 && libc::fcntl(raw, libc::F_ADD_SEALS, SEALS) == 0
        };
        if !sized {
            return Err(io::Error::last_os_error());
        }
        Ok((Mapping::new(fd.as_fd(), bytes)?, fd))
    }

    /// Maps `bytes` (a multiple of 8) of `fd` for reading and writing.
    ///
    /// # Errors
    /// The error of `mmap`.
    pub fn new(fd: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        // SAFETY: the kernel chooses the address of a new mapping, so no other memory is replaced; the result is checked.
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
            return Err(io::Error::last_os_error());
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
        // SAFETY: the word lies inside the mapping, which is aligned to a page and lives as long as `self`. Every access of this
        // program goes by this reference, so it is atomic. The file cannot get shorter than the mapping: it is sealed, or (a
        // `SharedWord`) only processes of this user can open it.
        unsafe { &*self.start.add(index) }
    }

    /// Length in words.
    pub fn words(&self) -> usize {
        self.words
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this range; references into it borrow `self`, so none is left.
        unsafe { libc::munmap(self.start.cast_mut().cast(), self.words * 8) };
    }
}

impl WakeMemory for Mapping {
    fn load(&self, word: usize, ordering: Ordering) -> u64 {
        self.word(word).load(ordering)
    }

    fn store(&self, word: usize, value: u64, ordering: Ordering) {
        self.word(word).store(value, ordering);
    }

    fn add(&self, word: usize, by: u64, ordering: Ordering) -> u64 {
        self.word(word).fetch_add(by, ordering)
    }

    fn fence(&self, ordering: Ordering) {
        fence(ordering);
    }

    fn sleep_while(&self, word: usize, value: u64, longest: Duration) {
        let time = libc::timespec { tv_sec: longest.as_secs() as i64, tv_nsec: longest.subsec_nanos().into() };
        let low = value as u32;
        // SAFETY: the futex word lies inside the mapping, which outlives the call, as does `time`; the kernel only reads both.
        unsafe { libc::syscall(libc::SYS_futex, self.low_half(word), libc::FUTEX_WAIT, low, &raw const time) };
    }

    fn wake(&self, word: usize) {
        // SAFETY: the kernel only uses the address, which lies inside the mapping.
        unsafe { libc::syscall(libc::SYS_futex, self.low_half(word), libc::FUTEX_WAKE, 1) };
    }
}

impl Mapping {
    /// The 32 bits of a word that change when it is incremented: a futex has no more.
    fn low_half(&self, word: usize) -> *const u32 {
        let half = std::ptr::from_ref(self.word(word)).cast::<u32>();
        if cfg!(target_endian = "big") { half.wrapping_add(1) } else { half }
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
    fn at(&self, word: RingWord) -> &AtomicU64 {
        self.mapping.word(match word {
            RingWord::Head => self.control + HEAD,
            RingWord::Dropped => self.control + DROPPED,
            RingWord::Tail => self.control + TAIL,
            RingWord::Entry(i) => self.control + CONTROL_WORDS + i,
        })
    }
}

impl RingMemory for Mapped {
    #[inline]
    fn capacity(&self) -> u64 {
        self.capacity
    }

    #[inline]
    fn load(&self, word: RingWord, ordering: Ordering) -> u64 {
        self.at(word).load(ordering)
    }

    #[inline]
    fn store(&self, word: RingWord, value: u64, ordering: Ordering) {
        self.at(word).store(value, ordering);
    }
}
