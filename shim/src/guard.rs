//! Stands between C and every body of ours: a panic ends here, switches the shim off, and becomes a status.

use crate::{mpi_calls, process, status};
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`; a panic prints one line, switches the shim off for the rest of the run and gives
/// [`status::ERR_INTERNAL`].
pub fn guard(name: &str, body: impl FnOnce() -> c_int) -> c_int {
    guard_value(name, status::ERR_INTERNAL, body)
}

/// As [`guard`], for a function of a framework that calls the program's functions.
pub fn guard_framework(name: &str, body: impl FnOnce() -> c_int) -> c_int {
    guard(name, || mpi_calls::of_framework(body))
}

/// Like [`guard`], for functions that return something else than a status.
pub fn guard_value<T>(name: &str, otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        process::switch_off(&format!("a defect was caught in {name}"));
        otherwise
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guard("a test", || panic!("on purpose")), status::ERR_INTERNAL);
        assert_eq!(guard("a test", || status::OK), status::OK);
    }
}
