//! This rank's part of a synchronized change, which all ranks apply at the start of the same iteration or none does.
//!
//! `midrun-agreement` has the order of the phases and why no two ranks differ, [`crate::register`] where the decision stands. Here
//! are the tuning points and the answers.

use crate::register::{self, Register};
use crate::{clock, records, state, stderr, tuning_points};
use midrun_agreement::{Decision, PreCommitReply, PrepareReply, Rank};
use midrun_ring::Command;
use midrun_ring::layout::{NO_TUNING_POINT, when};
use midrun_vocabulary::action_status as status;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// This rank's part; there from the first change that was to be prepared.
struct Part {
    rank: Rank<Command>,
    register: Register,
    identity: u64,
}

static PART: Mutex<Option<Part>> = Mutex::new(None);
/// A pre-committed change awaits its iteration, or is just being pre-committed.
static PRE_COMMITTED: AtomicBool = AtomicBool::new(false);
/// Iterations that this process has begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// A thread that may not ask the register has begun an iteration.
static ELSEWHERE: AtomicBool = AtomicBool::new(false);
/// The newest round that was applied.
static APPLIED: AtomicU64 = AtomicU64::new(0);

/// Whether a command is a phase of a synchronized change.
pub fn is_phase(command: &Command) -> bool {
    [when::PREPARE, when::PRE_COMMIT, when::COMMIT, when::COMMITTED].contains(&command.when)
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
        when::COMMIT => (commit(command.action), 0, 0),
        // The answer is the change, in its iteration.
        _ => return committed(command.action),
    };
    records::action_result(command.action, status, iteration, clock::now_ns(), register);
}

/// Iteration `iteration` begins: applies the change that is committed for it, before the program reads a variable. One store
/// and two loads where none is awaited. Also where midrun was switched off after the pre-commit: other ranks count on it.
pub fn on_iteration(iteration: u64) {
    // SYNC B: pairs with SYNC A. Either the thread that pre-commits sees this iteration, or this one sees the pre-commit.
    BEGUN.store(iteration + 1, Ordering::SeqCst);
    if !register::is_for_this_thread() {
        ELSEWHERE.store(true, Ordering::Relaxed);
    }
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

/// MPI is about to be finalised: no iteration begins any more, and MPI's memory cannot be asked.
pub fn on_finalize() {
    PRE_COMMITTED.store(false, Ordering::SeqCst);
    if let Ok(mut guard) = PART.try_lock()
        && let Some(part) = guard.take()
    {
        part.register.remove();
    }
}

/// In a forked child, which is no rank and must not call MPI.
pub fn on_fork() {
    PRE_COMMITTED.store(false, Ordering::SeqCst);
}

/// Returns status, iterations begun, and the register's identity.
fn prepare(command: &Command) -> (u64, u64, u64) {
    if let Err(status) = check(command, clock::now_ns()) {
        return (status, 0, 0);
    }
    if ELSEWHERE.load(Ordering::Relaxed) || !register::is_for_this_thread() {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if !WARNED.swap(true, Ordering::Relaxed) {
            stderr::warn(
                "nothing can be changed on all ranks together: iterations begin in another thread than that of MPI_Init, which alone \
                 may call MPI (MPI_THREAD_FUNNELED)",
            );
        }
        return (status::UNDELIVERABLE, 0, 0);
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

fn committed(action: u64) {
    let mut guard = PART.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(part) = guard.as_mut() {
        part.rank.on_committed(action);
    }
}

/// Opens the register; warns once where that is not possible.
fn open() -> Option<Part> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    match Register::open() {
        Ok((identity, register)) => Some(Part { rank: Rank::default(), register, identity }),
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
