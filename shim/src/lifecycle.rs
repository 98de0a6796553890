//! The shim's life in its process: on at MPI_Init where an agent may be there, off at MPI_Finalize and in forked children.
//!
//! `mpi/wrappers.c` and `mpi/spawn.c` call the four C entries.

use crate::frameworks::growth;
use crate::guard::guard_value;
use crate::{
    agent_link, clock, launch_id, mpi_calls, points, register, spawn, state, stderr, synchronized, thread_ring,
};
use midrun_ring::layout::{MAX_LANES, MAX_RECORDS};
use midrun_ring::{Identity, Segment};
use std::ffi::{CStr, c_char, c_int};

fn is_secure() -> bool {
    // SAFETY: has no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// By the user's word, or because the program has more rights than its user (setuid, file capabilities): then the environment and
/// the agent, which are the user's, must not act on it.
fn is_off() -> bool {
    is_secure() || std::env::var_os("MIDRUN_OFF").is_some_and(|v| v != "0" && !v.is_empty())
}

/// MPI_Init is about to run: the first of two points that fix the counter's rate.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_shim_on_before_init() {
    guard_value("MPI_Init", (), || {
        clock::resync();
        if !is_off() {
            mpi_calls::announce();
        }
    });
}

/// MPI_Init has run.
///
/// # Safety
/// `mpi` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_shim_on_init(rank: c_int, size: c_int, mpi: *const c_char) {
    guard_value("MPI_Init", (), || {
        // SAFETY: the caller's promise.
        let mpi = unsafe { CStr::from_ptr(mpi) }.to_string_lossy();
        attach(rank as u32, size as u32, &mpi);
    });
}

/// MPI_Init has run in this rank of MPI_COMM_WORLD, and runs in all others: collective, where the user asked for what needs it.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_shim_on_world() {
    guard_value("MPI_Init", (), || {
        if !is_secure() {
            register::on_world();
        }
    });
}

/// MPI_Finalize is about to run.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_shim_on_finalize() {
    guard_value("MPI_Finalize", (), || spawn::on_finalize(&growth::farewell()));
    guard_value("MPI_Finalize", (), detach);
}

/// Makes the shared memory and offers it to the agent, without waiting for anything.
fn attach(rank: u32, world_size: u32, mpi: &str) {
    clock::resync();
    let (Some(path), false) = (std::env::var_os("MIDRUN_SOCKET"), is_off() || state::is_disabled()) else { return };
    let (job, launch) = (launch_id::job(), launch_id::launch().to_owned());
    let (pid, start_ns) = (std::process::id(), clock::now_ns());
    let identity = Identity { rank, world_size, pid, job, launch, mpi: mpi.into(), start_ns };
    match Segment::create(&identity, MAX_LANES, MAX_RECORDS) {
        Ok((segment, memory)) => {
            if !state::set_segment(segment) {
                return; // initialised twice: the first stands
            }
            // SAFETY: the handler only stores to atomics and closes a descriptor, which is allowed after fork.
            unsafe { libc::pthread_atfork(None, None, Some(on_fork)) };
            mpi_calls::on_init(rank, world_size, &identity.job);
            state::switch_on(state::bit::RECORDING);
            agent_link::open(path, memory);
            mpi_calls::inside_mpi(points::on_init);
        }
        Err(error) => state::switch_off(&error.to_string()),
    }
}

/// Ends recording: MPI calls that follow are not the program's. The agent drains the rings.
fn detach() {
    points::on_finalize();
    mpi_calls::off();
    state::stop_recording();
    let Some(segment) = state::segment() else { return };
    synchronized::on_finalize();
    segment.set_finalized(clock::now_ns());
    let dropped = thread_ring::dropped_without_ring();
    if dropped > 0 {
        stderr::warn(format_args!("{dropped} records of threads beyond the {MAX_LANES} recorded ones were dropped"));
    }
    agent_link::close();
}

/// In a forked child, which is no rank: records nothing.
extern "C" fn on_fork() {
    guard_value("fork", (), || {
        state::disable();
        synchronized::on_fork();
        mpi_calls::off();
        agent_link::close_in_child();
    });
}
