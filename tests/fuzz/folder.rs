//! A folder for the targets whose reader wants files.

use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Calls `read` with an empty folder, in memory where the system has such a place.
pub fn folder(read: impl FnOnce(&Path)) {
    static PLACE: LazyLock<TempDir> =
        LazyLock::new(|| TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a folder"));
    for file in PLACE.path().read_dir().expect("the folder").flatten() {
        std::fs::remove_file(file.path()).expect("a file that can go");
    }
    read(PLACE.path());
}
