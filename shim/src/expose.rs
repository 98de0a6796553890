//! C API: variables of the program as tuning points, and a safe point of its own.

use crate::guard::guard;
use crate::tuning_points::{self, Target, TuningPoint};
use crate::{process, safe_point, status};
use midrun_ring::TuningPointKind;
use std::ffi::{CStr, c_char, c_int};

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_expose_double(
    name: *const c_char,
    variable: *mut f64,
    minimum: f64,
    maximum: f64,
) -> c_int {
    // SAFETY: the caller's contract in midrun.h is this function's.
    guard("midrun_expose_double", || unsafe {
        expose(name, Target::Double(variable as usize), TuningPointKind::Real, (minimum, maximum))
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_expose_int(
    name: *const c_char,
    variable: *mut c_int,
    minimum: c_int,
    maximum: c_int,
) -> c_int {
    let range = (f64::from(minimum), f64::from(maximum));
    // SAFETY: as above.
    guard("midrun_expose_int", || unsafe {
        expose(name, Target::Int(variable as usize), TuningPointKind::Whole, range)
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_safe_point() -> c_int {
    guard("midrun_safe_point", || {
        match crate::marks::iteration() {
            // Inside an iteration only what may change there does.
            Some(iteration) => safe_point::poll(iteration, false),
            None => safe_point::poll(crate::hook::UNKNOWN_ITERATION, true),
        }
        if process::recording() { status::OK } else { status::OFF }
    })
}

/// `name` must be NULL or a C string; the target's address 0 or a variable that outlives the program's use of midrun.
unsafe fn expose(name: *const c_char, target: Target, kind: TuningPointKind, range: (f64, f64)) -> c_int {
    let address = match target {
        Target::Double(address) | Target::Int(address) => address,
        _ => 0,
    };
    let range_is_sane = range.0 <= range.1 && range.0.is_finite() && range.1.is_finite();
    if name.is_null() || address == 0 || !range_is_sane {
        return status::ERR_ARGUMENT;
    }
    // SAFETY: not NULL, and a C string by the caller's contract.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return status::ERR_ARGUMENT };
    if name.is_empty() || name.len() > midrun_ring::layout::TUNING_POINT_NAME || !safe_point::own() {
        return status::ERR_ARGUMENT;
    }
    let declared = tuning_points::with(|tuning_points| {
        let value = tuning_points.value(target);
        value.is_finite() && tuning_points.declare(name, kind, TuningPoint { target, range }, value)
    });
    if declared {
        crate::mpi_calls::allow_safe_points();
    }
    match (declared, process::recording()) {
        (false, _) => status::ERR_ARGUMENT,
        (true, true) => status::OK,
        (true, false) => status::OFF,
    }
}
