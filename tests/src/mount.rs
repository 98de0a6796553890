//! File systems of a test's own.

use std::path::PathBuf;
use std::process::Command;

/// A mounted file system in memory; gone with this.
pub struct Mount(PathBuf);

impl Mount {
    /// Makes the directory `path` one, with options of mount such as `size=16k`; `None` where nothing can be mounted.
    pub fn at(path: PathBuf, options: &str) -> Option<Mount> {
        std::fs::create_dir(&path).expect("a directory");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(&path).output();
        done.is_ok_and(|output| output.status.success()).then_some(Mount(path))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
