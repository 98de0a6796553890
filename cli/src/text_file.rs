//! Files that users name: texts are read up to a bound, because a path may name a device or a pipe without end, and what is written takes the
//! place of files alone.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use crate::usage::usage;

/// No settings, secrets or points are longer, bytes.
pub const MOST_BYTES: usize = 1 << 20;

/// The text of an open file.
///
/// # Errors
/// The system's; or it is no text, or longer than `most` bytes.
pub fn read(file: &File, most: usize) -> Result<String, Error> {
    let mut text = String::new();
    file.take(most as u64 + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Error::other("this is no text in UTF-8"),
        _ => error,
    })?;
    if text.len() > most {
        return Err(Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(text)
}

/// The text of the file at `path`; errors as of [`read`].
pub fn open(path: impl AsRef<Path>, most: usize) -> Result<String, Error> {
    read(&File::open(path)?, most)
}

/// Refuses a directory, device or pipe, which a new file would take the place of; `option` is what the user gave it by.
///
/// # Errors
/// A [`Usage`](crate::usage::Usage) that says so.
pub fn refuse_unless_file(option: &str, path: &Path) -> anyhow::Result<()> {
    match path.metadata() {
        Ok(found) if !found.is_file() => usage(format!("{option} {} is no file: name one", path.display())),
        _ => Ok(()),
    }
}
