//! A directory for one test: removed when the test passes, kept and named when it fails.

use std::path::{Path, PathBuf};

/// A directory of a test.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one with a short name, because the paths of sockets in it are limited to 108 bytes.
    #[expect(clippy::new_without_default, reason = "makes a directory")]
    pub fn new() -> Scratch {
        let made = tempfile::Builder::new().prefix("mr").tempdir().expect("a temporary directory");
        let scratch = Scratch(made.keep());
        std::fs::create_dir(scratch.path("run")).expect("a directory in it");
        scratch
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The directory itself.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// What keeps a process of the test from the jobs and memories of others.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("XDG_RUNTIME_DIR", self.path("run")), ("XDG_STATE_HOME", self.path("state"))]
    }

    /// Sockets, locks and other files in the runtime directory.
    pub fn left(&self) -> Vec<PathBuf> {
        walk(&self.path("run"))
    }

    /// Fails the test if a socket or lock is left in the runtime directory.
    pub fn assert_nothing_left(&self) {
        let left = self.left();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.flat_map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] }).collect()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("logs are kept in {}", self.0.display());
        } else {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
