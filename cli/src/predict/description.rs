//! Files that describe what is to be predicted.

use std::fmt::Display;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::usage::{Usage, usage};

/// No description is longer, bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a file, read by `parse`; whatever is wrong is the user's to put right, and its sentence names the file.
pub fn read<T, E: Display>(path: &Path, parse: impl FnOnce(&str) -> Result<T, E>) -> anyhow::Result<T> {
    let named = |error: &dyn Display| Usage(format!("{}: {error}", path.display()));
    let mut text = String::new();
    let mut file = std::fs::File::open(path).map_err(|error| named(&error))?.take(MOST_BYTES + 1);
    file.read_to_string(&mut text).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => named(&"this is no text in UTF-8"),
        _ => named(&error),
    })?;
    if text.len() as u64 > MOST_BYTES {
        return usage(format!("{}: longer than {MOST_BYTES} bytes is no description", path.display()));
    }
    Ok(parse(&text).map_err(|error| named(&error))?)
}

/// Turns a model's error into a usage error that names the file.
pub fn in_file<T>(path: &Path, done: Result<T, impl Display>) -> anyhow::Result<T> {
    Ok(done.map_err(|error| Usage(format!("{}: {error}", path.display())))?)
}
