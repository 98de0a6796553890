//! This rank's part of a synchronized change, which all ranks apply at the start of the same iteration or none does.
//!
//! `midrun-agreement` has the order of the phases and why no two ranks differ. Here are the register, the tuning points and
//! the answers.

use crate::{clock, launch_id, records, state, stderr, tuning_points};
use midrun_agreement::{Decision, PreCommitReply, PrepareReply, Rank, Word};
use midrun_ring::layout::{NO_TUNING_POINT, when};
use midrun_ring::{Command, SharedWord};
use midrun_vocabulary::{action_status as status, names};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The shared word in which ranks find the decision.
#[derive(Debug)]
struct Shared(SharedWord);

impl Word for Shared {
    fn load(&self) -> u64 {
        self.0.load()
    }
    fn compare_exchange(&self, current: u64, new: u64) -> Result<(), u64> {
        self.0.compare_exchange(current, new)
    }
}

/// This rank's part; there from the first change that was to be prepared.
struct Part {
    rank: Rank<Command>,
    register: Shared,
    identity: u64,
}

static PART: Mutex<Option<Part>> = Mutex::new(None);
/// A pre-committed change awaits its iteration, or is just being pre-committed.
static PRE_COMMITTED: AtomicBool = AtomicBool::new(false);
/// Iterations that this process has begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// The newest round that was applied.
static APPLIED: AtomicU64 = AtomicU64::new(0);

/// Whether a command is a phase of a synchronized change.
pub fn is_phase(command: &Command) -> bool {
    [when::PREPARE, when::PRE_COMMIT, when::COMMIT].contains(&command.when)
}

/// Whether a newer synchronized change was applied: a command for this rank alone must not undo its part.
pub fn is_older(action: u64) -> bool {
    action < APPLIED.load(Ordering::Relaxed)
}

/// Carries out a phase at a safe point and answers.
pub fn take(command: &Command) {
    let (status, iteration, register) = match command.when {
        when::PREPARE => prepare(command),
        when::PRE_COMMIT => (pre_commit(command), 0, 0),
        _ => (commit(command.action), 0, 0),
    };
    records::action_result(command.action, status, iteration, clock::now_ns(), register);
}

/// Iteration `iteration` begins: applies the change that is committed for it, before the program reads a variable. One store
/// and one load where none is awaited. Also where midrun was switched off after the pre-commit: other ranks count on it.
pub fn on_iteration(iteration: u64) {
    // SYNC B: pairs with SYNC A. Either the thread that pre-commits sees this iteration, or this one sees the pre-commit.
    BEGUN.store(iteration + 1, Ordering::SeqCst);
    if !PRE_COMMITTED.load(Ordering::SeqCst) {
        return;
    }
    let mut guard = PART.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(part) = guard.as_mut() else { return };
    let outcome = part.rank.on_iteration(iteration, &mut part.register);
    PRE_COMMITTED.store(part.rank.is_pre_committed(), Ordering::SeqCst);
    let Some(outcome) = outcome else { return };
    let status = match &outcome.apply {
        Some(change) => {
            tuning_points::with(|registry| registry.set(change));
            APPLIED.store(outcome.round, Ordering::Relaxed);
            status::APPLIED
        }
        None => status::ABORTED,
    };
    if state::recording() {
        records::action_result(outcome.round, status, iteration, clock::now_ns(), 0);
    }
}

/// MPI is about to be finalised: no iteration begins any more.
pub fn on_finalize() {
    if let Ok(guard) = PART.try_lock()
        && let Some(part) = guard.as_ref()
    {
        part.register.0.remove();
    }
}

/// Returns status, iterations begun, and the register's identity.
fn prepare(command: &Command) -> (u64, u64, u64) {
    if let Err(status) = check(command, clock::now_ns()) {
        return (status, 0, 0);
    }
    let mut guard = PART.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if guard.is_none() {
        *guard = open();
    }
    let Some(part) = guard.as_mut() else { return (status::UNDELIVERABLE, 0, 0) };
    let begun = BEGUN.load(Ordering::SeqCst);
    let answer = part.rank.on_prepare(command.action, command.clone(), begun, &mut part.register);
    PRE_COMMITTED.store(part.rank.is_pre_committed(), Ordering::SeqCst);
    match answer {
        PrepareReply::Prepared { begun } => (status::PREPARED, begun, part.identity),
        PrepareReply::Busy => (status::BUSY, 0, 0),
    }
}

/// Checks that all values could be set now and at any later time.
fn check(command: &Command, now_ns: u64) -> Result<(), u64> {
    tuning_points::with(|registry| {
        registry.check(command, now_ns)?;
        if registry.is_fixed(command) { Ok(()) } else { Err(status::REFUSED_UNKNOWN) }
    })
}

fn pre_commit(command: &Command) -> u64 {
    let at = command.assignments[0];
    let mut guard = PART.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let sane = command.count == 1 && at.tuning_point == NO_TUNING_POINT && (0.0..1e15).contains(&at.value);
    let Some(part) = guard.as_mut().filter(|_| sane) else { return status::PAST };
    // SYNC A: pairs with SYNC B.
    PRE_COMMITTED.store(true, Ordering::SeqCst);
    let answer = part.rank.on_pre_commit(command.action, at.value as u64, BEGUN.load(Ordering::SeqCst));
    PRE_COMMITTED.store(part.rank.is_pre_committed(), Ordering::SeqCst);
    match answer {
        PreCommitReply::PreCommitted => status::PRE_COMMITTED,
        PreCommitReply::Past => status::PAST,
    }
}

fn commit(action: u64) -> u64 {
    let mut guard = PART.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(part) = guard.as_mut() else { return status::ABORTED };
    match part.rank.on_commit(action, &mut part.register) {
        Decision::Commit => status::COMMITTED,
        Decision::Abort => status::ABORTED,
    }
}

/// Opens the register; warns once where that is not possible.
fn open() -> Option<Part> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let opened = path().and_then(|path| SharedWord::open(&path)).and_then(|word| Ok((word.identity()?, word)));
    match opened {
        Ok((identity, word)) => Some(Part { rank: Rank::default(), register: Shared(word), identity }),
        Err(error) => {
            if !WARNED.swap(true, Ordering::Relaxed) {
                stderr::warn(format_args!(
                    "nothing can be changed on all ranks together: the word they share: {error}"
                ));
            }
            None
        }
    }
}

/// The register's path: beside the agent's socket, named for the socket and the job.
fn path() -> std::io::Result<std::path::PathBuf> {
    let invalid = |what| std::io::Error::new(std::io::ErrorKind::InvalidInput, what);
    let socket = std::env::var_os("MIDRUN_SOCKET").ok_or_else(|| invalid("MIDRUN_SOCKET is not set"))?;
    let job = launch_id::job();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if job.is_empty() || job.len() > midrun_ring::layout::TEXT || !job.chars().all(plain) {
        return Err(invalid("MIDRUN_JOB is no job's id"));
    }
    Ok(Path::new(&socket).with_extension(format!("{job}.{}", names::REGISTER_ENDING)))
}
