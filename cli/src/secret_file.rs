//! Files with secrets: nobody but their owner may read them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::usage::usage;

/// Refuses the file at `path` if others may read it; `what` it is, for the sentence.
///
/// # Errors
/// A [`Usage`](crate::usage::Usage) that says its mode, and what would be right.
pub fn refuse_if_open(what: &str, path: &Path, found: &Metadata) -> anyhow::Result<()> {
    if found.mode() & 0o077 == 0 {
        return Ok(());
    }
    let (path, mode) = (path.display(), found.mode() & 0o777);
    usage(format!("the {what} {path} is open to others (mode {mode:03o}): make it yours alone by chmod 600"))
}
