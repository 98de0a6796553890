//! C++ names as people write them, by the demangler of the program's own C++ library where it has one.

use crate::symbols::{everywhere, lookup};
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;

const NAME: &str = "__cxa_demangle";

/// Whether the mangled `symbol` is called `wanted`: with its parameters, without spaces, or without parameters.
pub fn is(symbol: &str, wanted: &str) -> bool {
    // Parts that the compiler split off have a point in their name.
    if !symbol.starts_with("_Z") || symbol.contains('.') || !symbol.contains(last_word(wanted)) {
        return false;
    }
    let Some(whole) = demangled(symbol) else { return false };
    let whole: String = whole.chars().filter(|c| *c != ' ').collect();
    whole == wanted || (!wanted.contains('(') && whole.split('(').next() == Some(wanted))
}

/// The last identifier before the parameters; a mangled name contains it.
fn last_word(name: &str) -> &str {
    let name = name.split('(').next().unwrap_or(name);
    let end = name.rsplit("::").next().unwrap_or(name);
    let is_word = !end.is_empty() && end.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word { end } else { "" }
}

fn demangled(symbol: &str) -> Option<String> {
    // Exported, or linked into the program.
    static KNOWN: OnceLock<Option<usize>> = OnceLock::new();
    let find = || lookup(NAME).or_else(|| everywhere(&[NAME]).first().map(|f| f.address));
    let address = (*KNOWN.get_or_init(find))?;
    // SAFETY: this is the function's type by the C++ ABI.
    let demangle: Demangle = unsafe { std::mem::transmute::<usize, Demangle>(address) };
    let symbol = CString::new(symbol).ok()?;
    let mut status = 0;
    // SAFETY: a C string; without a buffer the result is allocated.
    let text = unsafe { demangle(symbol.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &raw mut status) };
    if text.is_null() {
        return None;
    }
    // SAFETY: a C string from malloc, given back after it was copied.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: as above.
    unsafe { libc::free(text.cast()) };
    Some(copy)
}
