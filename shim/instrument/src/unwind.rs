//! Lets the unwinder of C++ exceptions, thread cancellation and backtraces see the true return addresses.

use crate::hook::{Hook, make};
use crate::refusal::Refusal;
use crate::symbols::everywhere;
use crate::table::flag;
use std::sync::Mutex;

/// Functions of libgcc that walk up the stack, wherever they are linked in.
const WALKS: [&str; 5] = [
    "_Unwind_RaiseException",
    "_Unwind_Resume",
    "_Unwind_Resume_or_Rethrow",
    "_Unwind_ForcedUnwind",
    "_Unwind_Backtrace",
];
/// Called by whoever catches.
const CATCHES: [&str; 1] = ["__cxa_begin_catch"];

static WATCHED: Mutex<Option<Result<(), Refusal>>> = Mutex::new(None);

/// Hooks them, once.
///
/// # Errors
/// Why one of them cannot be hooked: then no return address may be exchanged.
pub fn watch() -> Result<(), Refusal> {
    let mut watched = WATCHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = &*watched {
        return known.clone();
    }
    let result = hook_all();
    if !matches!(result, Err(Refusal::Busy)) {
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
            while hook.settle()? {
                std::thread::yield_now();
            }
        }
    }
    Ok(())
}
