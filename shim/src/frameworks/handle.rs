//! The handles of the C API: creation, destruction and statistics, the same for every framework.

use crate::guard::guard;
use crate::{mpi_calls, status};
use std::ffi::c_int;

/// Like [`guard`], for a framework function that calls back into the program: time outside the callbacks is not the program's.
pub fn guard_framework(name: &str, body: impl FnOnce() -> c_int) -> c_int {
    guard(name, || mpi_calls::of_framework(body))
}

/// Creates a handle: sets `*handle` to the value that `make` returns, or to NULL.
///
/// # Safety
/// `handle` is valid for writes.
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

/// Destroys a handle and sets the program's pointer to NULL.
///
/// # Safety
/// `handle` is NULL, or points to NULL or to a handle that [`create`] made.
pub unsafe fn destroy<T>(handle: *mut *mut T) -> c_int {
    if handle.is_null() {
        return status::ERR_ARGUMENT;
    }
    // SAFETY: the caller's promise. It is destroyed once, because the pointer becomes NULL.
    unsafe {
        let made = std::mem::replace(&mut *handle, std::ptr::null_mut());
        if !made.is_null() {
            mpi_calls::of_framework(|| drop(Box::from_raw(made)));
        }
    }
    status::OK
}

/// Copies statistics to the program's struct, as much as fits. An error if there are none yet, or the struct is smaller than that of the first
/// version, of `least` bytes.
///
/// # Safety
/// `T` begins with its `struct_size`, a `size_t`; `stats` is NULL, or points to as many bytes as its `struct_size` says.
pub unsafe fn copy_stats<T: Copy>(last: Option<T>, least: usize, stats: *mut T) -> c_int {
    let (Some(last), false) = (last, stats.is_null()) else { return status::ERR_ARGUMENT };
    // SAFETY: the caller's promise; the size is checked first.
    unsafe {
        let size = *stats.cast::<usize>();
        if size < least {
            return status::ERR_ARGUMENT;
        }
        std::ptr::copy_nonoverlapping((&raw const last).cast::<u8>(), stats.cast::<u8>(), size.min(size_of::<T>()));
        *stats.cast::<usize>() = size.min(size_of::<T>());
    }
    status::OK
}
