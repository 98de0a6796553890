//! Tunlets given as files: reads and checks them.

use std::io::Read;

use midrun_tunlets::catalogue::{OptionError, create, listed};
use midrun_tunlets::scripted::{FILE_BYTES, is_file};
use midrun_tunlets::{TuningOptions, TunletFile};

use crate::usage::{Usage, usage};

/// Reads the text of a tunlet file.
///
/// # Errors
/// A [`Usage`]: the file cannot be read, or is longer than [`FILE_BYTES`].
pub fn read(name: &str) -> anyhow::Result<TunletFile> {
    let wrong = |error: std::io::Error| Usage(format!("the tunlet {name} cannot be read: {error}"));
    let mut text = String::new();
    std::fs::File::open(name)
        .and_then(|file| file.take(FILE_BYTES as u64 + 1).read_to_string(&mut text))
        .map_err(wrong)?;
    if text.len() > FILE_BYTES {
        return usage(format!("the tunlet {name} is longer than {FILE_BYTES} bytes, which is the limit"));
    }
    Ok(TunletFile { name: name.to_owned(), text })
}

/// Reads every file named in two lists of tunlets, each once.
///
/// # Errors
/// As of [`read`].
pub fn read_all(acting: &str, advising: &str) -> anyhow::Result<Vec<TunletFile>> {
    let mut names: Vec<&str> =
        listed(acting).into_iter().chain(listed(advising)).filter(|name| is_file(name)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(read).collect()
}

/// Checks the tunlets, each by itself and all of them side by side. Ignores errors in other options.
///
/// # Errors
/// A [`Usage`] with the file, line and column, or with the names of two tunlets that cannot act side by side.
pub fn check(options: &TuningOptions) -> anyhow::Result<()> {
    match create(options) {
        Err(error @ (OptionError::File(..) | OptionError::Clash(_) | OptionError::Many(_))) => usage(error.to_string()),
        _ => Ok(()),
    }
}
