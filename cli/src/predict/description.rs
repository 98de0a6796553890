//! Files that describe what is to be predicted.

use std::fmt::Display;
use std::path::Path;

use crate::text_file;
use crate::usage::Usage;

/// No description is longer, bytes.
const MOST_BYTES: usize = 64 << 20;

/// The text of a file, read by `parse`; whatever is wrong is the user's to put right, and its sentence names the file.
pub fn read<T, E: Display>(path: &Path, parse: impl FnOnce(&str) -> Result<T, E>) -> anyhow::Result<T> {
    let named = |error: &dyn Display| Usage(format!("{}: {error}", path.display()));
    let text = text_file::open(path, MOST_BYTES).map_err(|error| named(&error))?;
    Ok(parse(&text).map_err(|error| named(&error))?)
}

/// Turns a model's error into a usage error that names the file.
pub fn in_file<T>(path: &Path, done: Result<T, impl Display>) -> anyhow::Result<T> {
    Ok(done.map_err(|error| Usage(format!("{}: {error}", path.display())))?)
}
