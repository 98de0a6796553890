//! Tunlets that are files: their texts, and what is wrong with them.

use std::io::Read;

use midrun_tunlets::catalogue::{create, listed};
use midrun_tunlets::options::OptionError;
use midrun_tunlets::outside::{FILE_BYTES, is_file};
use midrun_tunlets::{TuningOptions, TunletFile};

use crate::usage::{Usage, usage};

/// The text of a tunlet's file.
///
/// # Errors
/// A [`Usage`]: it cannot be read, or is too long.
pub fn file(name: &str) -> anyhow::Result<TunletFile> {
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

/// The texts of all files in two lists of tunlets, each once.
///
/// # Errors
/// As [`file`].
pub fn files(acting: &str, advising: &str) -> anyhow::Result<Vec<TunletFile>> {
    let mut names: Vec<&str> =
        listed(acting).into_iter().chain(listed(advising)).filter(|name| is_file(name)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(file).collect()
}

/// What is wrong with the tunlets by themselves, or together.
///
/// # Errors
/// A [`Usage`] with the file, line and column, or with both names. What is wrong with other options is not looked for.
pub fn check(options: &TuningOptions) -> anyhow::Result<()> {
    match create(options) {
        Err(error @ (OptionError::File(..) | OptionError::Clash(_) | OptionError::Many(_))) => usage(error.to_string()),
        _ => Ok(()),
    }
}
