//! The register of synchronized changes as this rank reaches it: a word in the memory of its host, or in a window of MPI memory
//! on rank 0 (ADR 0021). `mpi/register.c` has the window.

use crate::c_half::c_half;
use crate::{launch_id, state, stderr};
use midrun_agreement::Word;
use midrun_ring::SharedWord;
use midrun_vocabulary::names;
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

c_half! {
    fn midrun_register_threads() -> c_int = -1;
    fn midrun_register_open(
        able: c_int, shared: u64, random: u64, identity: *mut u64, why: *mut c_char, bytes: usize
    ) -> c_int = UNABLE;
    fn midrun_register_swap(current: u64, new: u64, found: *mut u64) -> c_int = -1;
}

/// As in `mpi/register.c`: there is a window, the ranks share a word without, a rank cannot take part, MPI failed.
const MADE: c_int = 0;
const SHARED: c_int = 1;
const UNABLE: c_int = 2;

/// Identity of the window; 0: there is none.
static WINDOW: AtomicU64 = AtomicU64::new(0);
/// Any thread may ask the window, not only the main one.
static ANY_THREAD: AtomicBool = AtomicBool::new(false);
/// The word that all ranks were found to share at MPI_Init.
static FOUND: Mutex<Option<SharedWord>> = Mutex::new(None);

/// The word in which ranks find the decision.
#[derive(Debug)]
pub enum Register {
    /// Mapped from a file beside the agent's socket.
    File(SharedWord),
    /// In the memory of rank 0.
    Window(Window),
}

/// The window's word, as it was seen last.
#[derive(Debug, Default)]
pub struct Window {
    seen: Cell<u64>,
}

impl Word for Window {
    fn load(&self) -> u64 {
        self.seen.get()
    }

    fn compare_exchange(&self, current: u64, new: u64) -> std::result::Result<(), u64> {
        let mut found = 0;
        // SAFETY: takes numbers, and writes one. Only threads that may call MPI are pre-committed.
        let status = state::unhooked(|| unsafe { midrun_register_swap(current, new, &raw mut found) });
        if status != 0 {
            stderr::warn("MPI cannot reach the word of synchronized changes on rank 0: this rank keeps its values");
            return Err(u64::MAX);
        }
        self.seen.set(if found == current { new } else { found });
        if found == current { Ok(()) } else { Err(found) }
    }
}

impl Word for Register {
    fn load(&self) -> u64 {
        match self {
            Register::File(word) => word.load(),
            Register::Window(window) => window.load(),
        }
    }

    fn compare_exchange(&self, current: u64, new: u64) -> std::result::Result<(), u64> {
        match self {
            Register::File(word) => word.compare_exchange(current, new),
            Register::Window(window) => window.compare_exchange(current, new),
        }
    }
}

impl Register {
    /// Opens the register; returns its identity with it.
    ///
    /// # Errors
    /// The system's, of the file.
    pub fn open() -> Result<(u64, Register)> {
        let window = WINDOW.load(Ordering::Relaxed);
        if window != 0 {
            return Ok((window, Register::Window(Window::default())));
        }
        let found = FOUND.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let word = found.map_or_else(|| SharedWord::open(&path()?), Ok)?;
        Ok((word.identity()?, Register::File(word)))
    }

    /// No rank of this host opens it any more.
    pub fn remove(&self) {
        if let Register::File(word) = self {
            word.remove();
        }
    }
}

/// Whether the calling thread may ask the register: MPI may be kept for the thread that initialised it.
pub fn is_for_this_thread() -> bool {
    WINDOW.load(Ordering::Relaxed) == 0 || ANY_THREAD.load(Ordering::Relaxed) || state::is_main_thread()
}

/// What follows where there is no window.
const NONE: &str = "so ranks on several hosts change nothing together";

/// Collective, at MPI_Init of all ranks, where the user asked for it: makes the window, unless all ranks share a word without.
pub fn on_world() {
    if std::env::var_os(names::SYNCHRONIZED_VARIABLE).is_none_or(|value| value.is_empty() || value == "0") {
        return;
    }
    let attached = state::segment().is_some() && !state::is_disabled();
    // SAFETY: takes nothing; MPI is initialised.
    let threads = unsafe { midrun_register_threads() };
    let word = path().and_then(|path| SharedWord::open(&path)).ok();
    let shared = word.as_ref().and_then(|word| word.identity().ok()).unwrap_or(0);
    // Odd, so that no identity is 0.
    let random = getrandom::u64().unwrap_or(shared) | 1;
    let (mut identity, mut why) = (0, [0u8; 256]);
    let able = c_int::from(attached && threads >= 0);
    // SAFETY: writes one number, and a C string of at most as many bytes as said.
    let status = state::unhooked(|| unsafe {
        midrun_register_open(able, shared, random, &raw mut identity, why.as_mut_ptr().cast(), why.len())
    });
    if status == SHARED {
        *FOUND.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = word;
        return;
    }
    if let Some(word) = word {
        word.remove();
    }
    let is_first = state::segment().is_some_and(|segment| segment.identity().rank == 0);
    match status {
        MADE => {
            ANY_THREAD.store(threads > 0, Ordering::Relaxed);
            WINDOW.store(identity, Ordering::Relaxed);
        }
        UNABLE if is_first => {
            let why = match threads {
                -1 => ": with MPI_THREAD_SERIALIZED midrun cannot know when it may call MPI",
                -2 => ": the window of Open MPI 4's osc/rdma is unfit, leave --mca osc out or give another component",
                _ => "",
            };
            stderr::warn(format_args!("--synchronized: not all ranks can take part, {NONE}{why}"));
        }
        _ if is_first => {
            let why = String::from_utf8_lossy(why.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned();
            stderr::warn(format_args!("--synchronized: MPI made no window, {NONE}: {why}"));
        }
        _ => {}
    }
}

/// The path of the word's file: beside the agent's socket, named for the socket and the job.
fn path() -> Result<PathBuf> {
    let invalid = |what| Error::new(ErrorKind::InvalidInput, what);
    let socket = std::env::var_os("MIDRUN_SOCKET").ok_or_else(|| invalid("MIDRUN_SOCKET is not set"))?;
    let job = launch_id::job();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if job.is_empty() || job.len() > midrun_ring::layout::TEXT || !job.chars().all(plain) {
        return Err(invalid("MIDRUN_JOB is no job's id"));
    }
    Ok(Path::new(&socket).with_extension(format!("{job}.{}", names::REGISTER_ENDING)))
}
