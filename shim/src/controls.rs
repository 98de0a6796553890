//! Control variables of MPI (MPI_T) as tuning points: eager limits, algorithms of collectives, whatever the MPI offers by name.
//!
//! A variable whose scope is not the rank alone is changed by all ranks together or not at all. So that a value which was accepted
//! stays accepted, a control variable is a tuning point for the rest of the run once it is one.

use crate::c_half::c_half;
use crate::tuning_points::{Setter, TuningPoint, TuningPoints};
use midrun_points::{ControlName, Label, Span};
use midrun_ring::TuningPointKind;
use std::ffi::{CString, c_char, c_int};
use std::sync::{Mutex, MutexGuard};

c_half! {
    fn midrun_control_open(
        name: *const c_char, number: *mut c_int, all: *mut c_int, whole: *mut c_int, least: *mut f64, most: *mut f64
    ) -> c_int = 1;
    fn midrun_control_get(number: c_int, value: *mut f64) -> c_int = -1;
    fn midrun_control_takes(number: c_int, value: f64) -> c_int = 0;
    fn midrun_control_set(number: c_int, value: f64) -> c_int = -1;
}

/// A variable that is open.
struct Control {
    /// Its number in `mpi/control.c`.
    number: usize,
    label: Label,
    name: ControlName,
    span: Span,
    is_whole: bool,
    /// Its scope is more than this rank.
    needs_all: bool,
}

/// Its lock is that of `mpi/control.c`, too.
static CONTROLS: Mutex<Vec<Control>> = Mutex::new(Vec::new());

static CONTROL: Setter = Setter {
    accepts: |number, value, _| takes(number, value),
    is_fixed: true,
    needs_all: |number| lock().iter().any(|control| control.number == number && control.needs_all),
    ..Setter::new(|_, number, value, _| set(number, value), value)
};

fn lock() -> MutexGuard<'static, Vec<Control>> {
    CONTROLS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn takes(number: usize, value: f64) -> bool {
    let controls = lock();
    // SAFETY: takes numbers, and the lock is held.
    let is_known = || unsafe { midrun_control_takes(number as c_int, value) } != 0;
    let fits = |control: &Control| control.number == number && (!control.is_whole || value.fract() == 0.0);
    controls.iter().any(fits) && is_known()
}

fn set(number: usize, value: f64) {
    let _controls = lock();
    // SAFETY: takes numbers, and the lock is held. Where MPI refuses, the value shown stays the old one.
    unsafe { midrun_control_set(number as c_int, value) };
}

fn value(number: usize) -> f64 {
    let _controls = lock();
    let mut value = 0.0;
    // SAFETY: writes one number, and the lock is held.
    unsafe { midrun_control_get(number as c_int, &raw mut value) };
    value
}

/// Makes the variable a tuning point; it may be one already. `is_for_one`: a line for one rank declares it.
///
/// # Errors
/// Why not, as a sentence with the variable's name.
pub fn declare(
    registry: &mut TuningPoints,
    label: &Label,
    name: &ControlName,
    span: Option<Span>,
    is_for_one: bool,
) -> Result<(), String> {
    let named = |what: &str| Err(format!("{name} {what}"));
    if let Some(known) = lock().iter().find(|known| known.name == *name) {
        let same = known.label == *label && span.is_none_or(|span| span == known.span);
        return if same { Ok(()) } else { named("is a tuning point with another label or range already") };
    }
    let control = open(label, name, span)?;
    if control.needs_all && is_for_one {
        return named("is the same for all ranks: leave out rank=");
    }
    let kind = if control.is_whole { TuningPointKind::Whole } else { TuningPointKind::Real };
    let (number, range) = (control.number, (control.span.minimum, control.span.maximum));
    lock().push(control);
    let point = TuningPoint { name: label.as_str().to_owned(), kind, range, setter: &CONTROL, number };
    if registry.declare(point, value(number)) { Ok(()) } else { named("finds no room in the table of tuning points") }
}

/// Whether the variable is a tuning point with this label.
pub fn is_declared(label: &Label, name: &ControlName) -> bool {
    lock().iter().any(|known| known.name == *name && known.label == *label)
}

fn open(label: &Label, name: &ControlName, span: Option<Span>) -> Result<Control, String> {
    let text = CString::new(name.as_str()).unwrap_or_default();
    let (mut number, mut all, mut whole, mut least, mut most) = (0, 0, 0, 0.0, 0.0);
    let controls = lock();
    // SAFETY: a C string and five places of ours, and the lock is held.
    let code = unsafe {
        midrun_control_open(text.as_ptr(), &raw mut number, &raw mut all, &raw mut whole, &raw mut least, &raw mut most)
    };
    drop(controls);
    let why = match code {
        0 => "",
        1 => "cannot be set: this MPI has no MPI_T",
        2 => "is no control variable of this MPI: `midrun inspect --controls ./program` lists them",
        3 => "takes no single number, so it cannot be tuned",
        4 => "belongs to single communicators, windows or files, so it cannot be tuned",
        5 => "can only be read",
        7 => "is one too many: at most 64 control variables can be tuned",
        _ => "cannot be set any more after MPI_Init",
    };
    if code != 0 {
        return Err(format!("{name} {why}"));
    }
    let known = (least <= most).then_some(Span { minimum: least, maximum: most });
    let Some(span) = span.or(known) else {
        return Err(format!("{name} has no range of its own: give one, as in 0..5"));
    };
    let (number, is_whole, needs_all) = (number as usize, whole != 0, all != 0);
    Ok(Control { number, label: label.clone(), name: name.clone(), span, is_whole, needs_all })
}
