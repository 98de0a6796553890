//! What the C API does with every framework's handle, whatever stands behind it.

use crate::guard::guard;
use crate::{mpi_calls, status};
use std::ffi::c_int;

/// As [`guard`], for a function of a framework that calls the program's functions: its time is not the program's.
pub fn guard_framework(name: &str, body: impl FnOnce() -> c_int) -> c_int {
    guard(name, || mpi_calls::of_framework(body))
}

/// Makes a handle: `*handle` is what `make` returns, or NULL.
///
/// # Safety
/// `handle` may be written.
pub unsafe fn create<T>(handle: *mut *mut T, make: impl FnOnce() -> Result<T, c_int>) -> c_int {
    // SAFETY: the caller's promise, before and after `make`.
    unsafe { *handle = std::ptr::null_mut() };
    mpi_calls::on_framework();
    match mpi_calls::of_framework(make) {
        Ok(made) => {
            // SAFETY: as above.
            unsafe { *handle = Box::into_raw(Box::new(made)) };
            status::OK
        }
        Err(status) => status,
    }
}

/// Ends a handle: the program's pointer becomes NULL.
///
/// # Safety
/// `handle` is NULL, or leads to NULL or to what [`create`] made.
pub unsafe fn destroy<T>(handle: *mut *mut T) -> c_int {
    if handle.is_null() {
        return status::ERR_ARGUMENT;
    }
    // SAFETY: the caller's promise; it is destroyed once, since the pointer becomes NULL.
    unsafe {
        let made = std::mem::replace(&mut *handle, std::ptr::null_mut());
        if !made.is_null() {
            mpi_calls::of_framework(|| drop(Box::from_raw(made)));
        }
    }
    status::OK
}

/// Gives the program figures, where there are some and its struct has room for them.
///
/// # Safety
/// `T` begins with its `struct_size`, a `size_t`; `figures` is NULL, or leads to as many bytes as its own says.
pub unsafe fn tell<T: Copy>(last: Option<T>, figures: *mut T) -> c_int {
    let (Some(last), false) = (last, figures.is_null()) else { return status::ERR_ARGUMENT };
    // SAFETY: the caller's promise; the size is looked at first.
    unsafe {
        if *figures.cast::<usize>() < size_of::<T>() {
            return status::ERR_ARGUMENT;
        }
        *figures = last;
    }
    status::OK
}
