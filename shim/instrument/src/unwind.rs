//! Hooks whose exits are seen: the unwinder of C++ exceptions, thread cancellation and backtraces must see the true return addresses.

use crate::hook::{Hook, make};
use crate::refusal::Refusal;
use crate::symbols::{Function, everywhere};
use crate::table::flag;
use std::sync::Mutex;

/// Functions of libgcc that walk up the stack; the program and libraries may each contain them.
const WALKS: [&str; 5] = [
    "_Unwind_RaiseException",
    "_Unwind_Resume",
    "_Unwind_Resume_or_Rethrow",
    "_Unwind_ForcedUnwind",
    "_Unwind_Backtrace",
];
/// Called where an exception is caught.
const CATCHES: [&str; 1] = ["__cxa_begin_catch"];

static WATCHED: Mutex<Option<Result<(), Refusal>>> = Mutex::new(None);

/// Makes a hook at `function`, not inserted yet. The same function has the same hook.
///
/// # Errors
/// Why it, or the unwinder, cannot be hooked.
pub fn hook(function: &Function) -> Result<Hook, Refusal> {
    watch()?;
    make(function)
}

/// Hooks the unwinder, once.
///
/// # Errors
/// Why one of its functions cannot be hooked: then no return address may be exchanged.
fn watch() -> Result<(), Refusal> {
    let mut watched = WATCHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = &*watched {
        return known.clone();
    }
    let result = hook_all();
    if !matches!(result, Err(Refusal::Busy(_))) {
        *watched = Some(result.clone());
    }
    result
}

fn hook_all() -> Result<(), Refusal> {
    for (names, flags) in [(&CATCHES[..], flag::CAUGHT), (&WALKS[..], flag::UNWINDS)] {
        for function in everywhere(names) {
            let hook: Hook = make(&function)?;
            hook.point().set(flags, true);
            hook.insert()?;
        }
    }
    Ok(())
}
