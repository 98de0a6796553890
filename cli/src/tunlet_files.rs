//! Tunlets given as files: reads and checks them.

use midrun_tunlets::catalogue::{OptionError, create, listed};
use midrun_tunlets::scripted::{FILE_BYTES, is_file};
use midrun_tunlets::{TuningOptions, TunletFile};

use crate::text_file;
use crate::usage::{Usage, usage};

/// Reads the text of a tunlet file.
///
/// # Errors
/// A [`Usage`]: the file cannot be read, or is longer than [`FILE_BYTES`].
pub fn read(name: &str) -> anyhow::Result<TunletFile> {
    let wrong = |error| Usage(format!("the tunlet {name} cannot be read: {error}"));
    let text = text_file::open(name, FILE_BYTES).map_err(wrong)?;
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
