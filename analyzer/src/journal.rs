//! The journal: one line of JSON per event, decision and action, written before anything is sent.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::error::AnalyzerError;
use crate::limits;

/// An open journal. When it cannot be written any more it logs that once and writes nothing more.
#[derive(Debug)]
pub struct Journal {
    file: Option<File>,
    bytes: u64,
    most: u64,
}

impl Journal {
    /// Opens the file for appending; `None` makes a journal that writes nothing.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: Option<&Path>) -> Result<Journal, AnalyzerError> {
        let Some(path) = path else {
            return Ok(Journal { file: None, bytes: 0, most: 0 });
        };
        let opened = OpenOptions::new().create(true).append(true).open(path);
        let length = |file: File| file.metadata().map(|data| (file, data.len()));
        let (file, bytes) =
            opened.and_then(length).map_err(|source| AnalyzerError::Journal { path: path.to_owned(), source })?;
        Ok(Journal { file: Some(file), bytes, most: limits::JOURNAL_BYTES })
    }

    /// Appends one line.
    pub fn write(&mut self, line: &Value) {
        let Some(file) = &mut self.file else { return };
        let mut text = line.to_string();
        text.push('\n');
        self.bytes += text.len() as u64;
        let trouble = if self.bytes > self.most {
            Some(format!("it has reached {} bytes", self.most))
        } else {
            file.write_all(text.as_bytes()).err().map(|error| error.to_string())
        };
        if let Some(trouble) = trouble {
            tracing::warn!(%trouble, "the journal is no longer written");
            self.file = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_appended_to_and_stops_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        Journal::open(Some(&path)).unwrap().write(&serde_json::json!({"n": 1}));
        let mut journal = Journal::open(Some(&path)).unwrap();
        journal.write(&serde_json::json!({"n": 2}));
        journal.most = 20;
        journal.write(&serde_json::json!({"n": 3}));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"n\":1}\n{\"n\":2}\n");
    }

    #[test]
    fn a_journal_in_a_folder_that_is_not_there_is_named() {
        let error = Journal::open(Some(Path::new("/no-such-folder/j"))).unwrap_err();
        assert!(error.to_string().contains("/no-such-folder/j"), "{error}");
    }
}
