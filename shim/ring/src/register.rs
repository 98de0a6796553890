//! A word that all ranks of a job on one host share, in a file next to their agent's socket.

use crate::atomic::Mapping;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::SeqCst;

/// Bytes of the file.
const BYTES: u64 = 4096;
/// Index of the word, and of the number that identifies this file; 0 = not chosen yet.
const WORD: usize = 0;
const IDENTITY: usize = 8;

/// The mapped word.
#[derive(Debug)]
pub struct SharedWord {
    mapping: Mapping,
    path: PathBuf,
}

impl SharedWord {
    /// Opens the file at `path`, which only this user may read or write, and makes it if it does not exist.
    ///
    /// # Errors
    /// The system's; `InvalidData` when another kind of file is there.
    pub fn open(path: &Path) -> Result<SharedWord> {
        let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
        let found = file.metadata()?;
        // SAFETY: geteuid only returns a number.
        let own = unsafe { libc::geteuid() };
        let ours =
            found.is_file() && found.uid() == own && found.mode() & 0o077 == 0 && [0, BYTES].contains(&found.len());
        if !ours {
            return Err(Error::new(ErrorKind::InvalidData, "something else is in the place of the ranks' shared word"));
        }
        // Without allocated memory the first access would kill the program (SIGBUS). Data that others wrote stays.
        // SAFETY: the call takes an open descriptor and numbers.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, BYTES as libc::off_t) } {
            0 => {}
            code => return Err(Error::from_raw_os_error(code)),
        }
        let shared = SharedWord { mapping: Mapping::new(file.as_fd(), BYTES as usize)?, path: path.to_owned() };
        let _ = shared.mapping.word(IDENTITY).compare_exchange(0, getrandom::u64()? | 1, SeqCst, SeqCst);
        Ok(shared)
    }

    /// Identifies this word: two processes with the same number share it. A file system of several hosts may show them one file
    /// without sharing its memory, so the running kernel is part of the number.
    ///
    /// # Errors
    /// The kernel's own id cannot be read.
    pub fn identity(&self) -> Result<u64> {
        let mut boot = String::new();
        File::open("/proc/sys/kernel/random/boot_id")?.read_to_string(&mut boot)?;
        // FNV-1a.
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Ok(boot.bytes().fold(self.mapping.word(IDENTITY).load(SeqCst), mix))
    }

    /// The value.
    pub fn load(&self) -> u64 {
        self.mapping.word(WORD).load(SeqCst)
    }

    /// Puts `new` in the place of `current`.
    ///
    /// # Errors
    /// The value that stands there instead.
    pub fn compare_exchange(&self, current: u64, new: u64) -> std::result::Result<(), u64> {
        self.mapping.word(WORD).compare_exchange(current, new, SeqCst, SeqCst).map(|_| ())
    }

    /// Removes the file. Processes that have it open keep its memory; processes that open it later get another identity.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn place(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("midrun-register-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        directory.join("job.epoch")
    }

    #[test]
    fn who_opens_the_same_file_shares_the_word_and_a_new_file_is_distinguished_from_it() {
        let path = place("same");
        let (a, b) = (SharedWord::open(&path).unwrap(), SharedWord::open(&path).unwrap());
        assert_eq!(a.compare_exchange(0, 7), Ok(()));
        assert_eq!((b.load(), b.compare_exchange(0, 9)), (7, Err(7)));
        assert_eq!(a.identity().unwrap(), b.identity().unwrap());
        a.remove();
        let c = SharedWord::open(&path).unwrap();
        assert_eq!(c.load(), 0);
        assert_ne!(c.identity().unwrap(), b.identity().unwrap());
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn what_is_not_the_users_own_file_of_that_size_is_refused() {
        let path = place("other");
        let refused = || {
            assert!(SharedWord::open(&path).is_err());
            std::fs::remove_file(&path).unwrap();
        };
        std::fs::write(&path, "a text").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        refused();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        refused();
        let target = path.with_extension("target");
        std::fs::write(&target, "").unwrap();
        symlink(&target, &path).unwrap();
        refused();
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
