//! Marks of programs with their own loop, and values that midrun may change.

use crate::{Error, check, raw};
use std::cell::UnsafeCell;
use std::ffi::{CString, c_double, c_int};
use std::marker::PhantomData;

/// An iteration, until it is dropped: `midrun_iteration_begin` and `midrun_iteration_end`.
#[derive(Debug)]
pub struct Iteration {
    not_send: PhantomData<*const ()>,
}

impl Iteration {
    /// Master: `tasks` tasks for `workers` workers. Other ranks give no workers. A safe point.
    pub fn begin(tasks: u64, workers: u32) -> Iteration {
        // SAFETY: plain call.
        unsafe { raw::midrun_iteration_begin(tasks, workers) };
        Iteration { not_send: PhantomData }
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        // SAFETY: plain call.
        unsafe { raw::midrun_iteration_end() };
    }
}

/// A worker's computation of tasks, until it is dropped: `midrun_work_begin` and `midrun_work_end`.
#[derive(Debug)]
pub struct Work {
    not_send: PhantomData<*const ()>,
}

impl Work {
    /// `tasks` tasks, of which `first` is the first.
    pub fn begin(first: u64, tasks: u64) -> Work {
        // SAFETY: plain call.
        unsafe { raw::midrun_work_begin(first, tasks) };
        Work { not_send: PhantomData }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // SAFETY: plain call.
        unsafe { raw::midrun_work_end() };
    }
}

/// Master, in an iteration: tasks that `worker` (from 0) shall get next; 0 when none is left.
pub fn next_chunk(worker: u32) -> u64 {
    // SAFETY: plain call.
    unsafe { raw::midrun_next_chunk(worker) }
}

/// Master: `worker` computed `tasks` tasks in `seconds`.
///
/// # Errors
/// An argument out of range.
pub fn chunk_done(worker: u32, tasks: u64, seconds: f64) -> Result<(), Error> {
    // SAFETY: plain call.
    check(unsafe { raw::midrun_chunk_done(worker, tasks, seconds) }).map(|_| ())
}

/// Values of tuning points may change here. Returns whether this rank is tuned.
pub fn safe_point() -> bool {
    // SAFETY: plain call.
    unsafe { raw::midrun_safe_point() == raw::OK }
}

/// A value that midrun may change at the safe points of the thread that exposed it, for as long as the program lives.
#[derive(Debug)]
pub struct TuningPoint<T: Copy + 'static> {
    value: &'static UnsafeCell<T>,
}

impl<T: Copy> TuningPoint<T> {
    /// The value now.
    pub fn get(&self) -> T {
        // SAFETY: it changes only inside of calls of this thread; the type is not Send.
        unsafe { self.value.get().read_volatile() }
    }

    fn new(value: T, expose: impl FnOnce(*mut T) -> c_int) -> Result<TuningPoint<T>, Error> {
        let value: &'static UnsafeCell<T> = Box::leak(Box::new(UnsafeCell::new(value)));
        check(expose(value.get()))?;
        Ok(TuningPoint { value })
    }
}

fn c_name(name: &str) -> CString {
    CString::new(name.replace('\0', "")).unwrap_or_default()
}

impl TuningPoint<i32> {
    /// Exposes an integer by `name` (at most 31 bytes) with its value at start and its range.
    ///
    /// # Errors
    /// A name or a range that midrun cannot take.
    pub fn integer(name: &str, value: c_int, minimum: c_int, maximum: c_int) -> Result<Self, Error> {
        let name = c_name(name);
        // SAFETY: the variable lives for ever.
        TuningPoint::new(value, |at| unsafe { raw::midrun_expose_int(name.as_ptr(), at, minimum, maximum) })
    }
}

impl TuningPoint<f64> {
    /// Likewise a number.
    ///
    /// # Errors
    /// A name or a range that midrun cannot take.
    pub fn number(name: &str, value: c_double, minimum: c_double, maximum: c_double) -> Result<Self, Error> {
        let name = c_name(name);
        // SAFETY: the variable lives for ever.
        TuningPoint::new(value, |at| unsafe { raw::midrun_expose_double(name.as_ptr(), at, minimum, maximum) })
    }
}
