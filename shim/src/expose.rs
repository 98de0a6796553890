//! C API: variables of the program as tuning points, and a safe point of its own.

use crate::guard::guard;
use crate::iterations;
use crate::tuning_points::{self, Setter, TuningPoint, TuningPoints};
use crate::{safe_point, state, status};
use midrun_ring::TuningPointKind;
use std::ffi::{CStr, c_char, c_int, c_uint};

/// Defines the function of `midrun.h` that exposes variables of a C type, and how these are set and read. A variable's number is
/// its address.
macro_rules! expose {
    ($name:ident, $c_type:ty, $kind:ident, $from:expr) => {
        /// See `midrun.h`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            name: *const c_char,
            variable: *mut $c_type,
            minimum: $c_type,
            maximum: $c_type,
        ) -> c_int {
            guard(stringify!($name), || {
                static SETTER: Setter = Setter { is_fixed: true, ..Setter::new(set, value) };

                fn set(_: &mut TuningPoints, at: usize, value: f64, _: &str) {
                    let from: fn(f64) -> $c_type = $from;
                    // SAFETY: the variable lives as long as the program uses midrun (`midrun.h`), and only the thread that
                    // exposed it sets it (see `safe_point`).
                    unsafe { (at as *mut $c_type).write_volatile(from(value)) }
                }

                fn value(at: usize) -> f64 {
                    // SAFETY: as above.
                    f64::from(unsafe { (at as *const $c_type).read_volatile() })
                }

                let range = (f64::from(minimum), f64::from(maximum));
                // SAFETY: the caller's contract in midrun.h is this function's.
                unsafe { expose(name, variable as usize, &SETTER, TuningPointKind::$kind, range) }
            })
        }
    };
}

expose!(midrun_expose_double, f64, Real, |value| value);
expose!(midrun_expose_float, f32, Real, |value| value as f32);
expose!(midrun_expose_int, c_int, Whole, |value| value.round() as c_int);
expose!(midrun_expose_unsigned, c_uint, Whole, |value| value.round() as c_uint);

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_safe_point() -> c_int {
    guard("midrun_safe_point", || {
        safe_point::poll_explicit(iterations::marked());
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
