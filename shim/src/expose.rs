//! C API: variables of the program as tuning points, and a safe point of its own.

use crate::guard::guard;
use crate::iterations;
use crate::records::UNKNOWN_ITERATION;
use crate::tuning_points::{self, Setter, TuningPoint, TuningPoints};
use crate::{safe_point, state, status};
use midrun_ring::TuningPointKind;
use std::ffi::{CStr, c_char, c_int, c_uint};

// A variable's number is its address.
static DOUBLE: Setter = Setter { is_fixed: true, ..Setter::new(set_double, double) };
static FLOAT: Setter = Setter { is_fixed: true, ..Setter::new(set_float, float) };
static INT: Setter = Setter { is_fixed: true, ..Setter::new(set_int, int) };
static UNSIGNED: Setter = Setter { is_fixed: true, ..Setter::new(set_unsigned, unsigned) };

/// Defines how a variable of a C type is set and read.
macro_rules! variable {
    ($set:ident, $value:ident, $c_type:ty, $from:expr) => {
        fn $set(_: &mut TuningPoints, at: usize, value: f64, _: &str) {
            let from: fn(f64) -> $c_type = $from;
            // SAFETY: the variable lives as long as the program uses midrun (`midrun.h`), and only the thread that exposed it
            // sets it (see `safe_point`).
            unsafe { (at as *mut $c_type).write_volatile(from(value)) }
        }

        fn $value(at: usize) -> f64 {
            // SAFETY: as above.
            f64::from(unsafe { (at as *const $c_type).read_volatile() })
        }
    };
}

variable!(set_double, double, f64, |value| value);
variable!(set_float, float, f32, |value| value as f32);
variable!(set_int, int, c_int, |value| value.round() as c_int);
variable!(set_unsigned, unsigned, c_uint, |value| value.round() as c_uint);

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
        expose(name, variable as usize, &DOUBLE, TuningPointKind::Real, (minimum, maximum))
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_expose_float(
    name: *const c_char,
    variable: *mut f32,
    minimum: f32,
    maximum: f32,
) -> c_int {
    // SAFETY: as above.
    guard("midrun_expose_float", || unsafe {
        let range = (f64::from(minimum), f64::from(maximum));
        expose(name, variable as usize, &FLOAT, TuningPointKind::Real, range)
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_expose_unsigned(
    name: *const c_char,
    variable: *mut c_uint,
    minimum: c_uint,
    maximum: c_uint,
) -> c_int {
    // SAFETY: as above.
    guard("midrun_expose_unsigned", || unsafe {
        let range = (f64::from(minimum), f64::from(maximum));
        expose(name, variable as usize, &UNSIGNED, TuningPointKind::Whole, range)
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
    // SAFETY: as above.
    guard("midrun_expose_int", || unsafe {
        let range = (f64::from(minimum), f64::from(maximum));
        expose(name, variable as usize, &INT, TuningPointKind::Whole, range)
    })
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_safe_point() -> c_int {
    guard("midrun_safe_point", || {
        match iterations::marked() {
            // Inside an iteration: a command that waits for an iteration's start is not applied.
            Some(iteration) => safe_point::poll(iteration, false),
            None => safe_point::poll(UNKNOWN_ITERATION, true),
        }
        if state::recording() { status::OK } else { status::OFF }
    })
}

/// `name` must be NULL or a C string; `address` 0 or a variable of the setter's type that outlives the use of midrun.
unsafe fn expose(
    name: *const c_char,
    address: usize,
    setter: &'static Setter,
    kind: TuningPointKind,
    range: (f64, f64),
) -> c_int {
    let range_is_sane = range.0 <= range.1 && range.0.is_finite() && range.1.is_finite();
    if name.is_null() || address == 0 || !range_is_sane {
        return status::ERR_ARGUMENT;
    }
    // SAFETY: not NULL, and a C string by the caller's contract.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return status::ERR_ARGUMENT };
    if name.is_empty() || name.len() > midrun_vocabulary::bounds::NAME_BYTES || !safe_point::own() {
        return status::ERR_ARGUMENT;
    }
    let value = (setter.value)(address);
    let tuning_point = TuningPoint { name: name.into(), kind, range, setter, number: address };
    let declared = value.is_finite() && tuning_points::with(|registry| registry.declare(tuning_point, value));
    if declared {
        safe_point::allow_in_calls();
    }
    match (declared, state::recording()) {
        (false, _) => status::ERR_ARGUMENT,
        (true, true) => status::OK,
        (true, false) => status::OFF,
    }
}
