//! Messages to the user. A job may have closed its standard error, or its disk may be full: a write that fails is ignored.

use std::fmt::Display;
use std::io::Write;

/// Writes one line, `midrun: ` and `sentence`, to standard error.
pub fn warn(sentence: impl Display) {
    let _ = std::io::stderr().write_all(format!("midrun: {sentence}\n").as_bytes());
}
