//! Where the journal and its inputs lie: the files of this host, or what a simulation puts in their place.

use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

/// A file that grows at its end.
pub trait Appendable: Send + Debug {
    /// Writes all of it behind what is there.
    ///
    /// # Errors
    /// The system's; a part may have been written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// The system's.
    fn sync(&mut self) -> io::Result<()>;
    /// Its length, bytes.
    ///
    /// # Errors
    /// The system's.
    fn length(&self) -> io::Result<u64>;
}

/// An open file that knows its length, and whether all of it is on the disk.
#[derive(Debug)]
pub struct Growing {
    file: Box<dyn Appendable>,
    bytes: u64,
    is_synced: bool,
}

impl Growing {
    /// The file, with what it has.
    ///
    /// # Errors
    /// The system's.
    pub fn new(file: Box<dyn Appendable>) -> io::Result<Growing> {
        Ok(Growing { bytes: file.length()?, file, is_synced: true })
    }

    /// Its length, bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// See [`Appendable::append`].
    ///
    /// # Errors
    /// The system's; a part may have been written.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)?;
        (self.bytes, self.is_synced) = (self.bytes + bytes.len() as u64, false);
        Ok(())
    }

    /// Waits until everything is on the disk, if anything was written since the last time.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.file.sync()?;
            self.is_synced = true;
        }
        Ok(())
    }
}

/// Files.
pub trait Disk: Send + Sync + Debug {
    /// Opens a file to be read.
    ///
    /// # Errors
    /// The system's; `NotFound` where there is none.
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;
    /// Opens a file to be appended to, and makes it where there is none.
    ///
    /// # Errors
    /// The system's.
    fn append(&self, path: &Path) -> io::Result<Box<dyn Appendable>>;
    /// Makes a file that only its owner may read, in place of the one that is there.
    ///
    /// # Errors
    /// The system's.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Appendable>>;
    /// Gives a file another name, in place of the one that has it.
    ///
    /// # Errors
    /// The system's.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes a file that one process at a time holds, as long as it keeps what this returns; it ends with the process.
    ///
    /// # Errors
    /// `WouldBlock` where another one holds it; the system's.
    fn hold(&self, path: &Path) -> io::Result<Held>;
}

/// A file that is held. See [`Disk::hold`].
pub type Held = Box<dyn Debug + Send>;

/// The path of what lies beside the file.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut with = path.to_owned().into_os_string();
    with.push(ending);
    with.into()
}

/// The disk of this host.
#[derive(Debug)]
pub struct HostDisk;

impl Disk for HostDisk {
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(path)?))
    }
    fn append(&self, path: &Path) -> io::Result<Box<dyn Appendable>> {
        Ok(Box::new(OpenOptions::new().create(true).append(true).open(path)?))
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn Appendable>> {
        // One that is there may be a link, or open to others already.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Ok(Box::new(OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }
    fn hold(&self, path: &Path) -> io::Result<Held> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // A file system without locks cannot tell.
            Ok(()) | Err(Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOLCK) => Ok(Box::new(file)),
            Err(error) => Err(error.into()),
        }
    }
}

impl Appendable for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_secret_file_goes_neither_through_a_link_nor_to_who_has_opened_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("inputs"), folder.path().join("other"));
        std::fs::write(&other, "precious").unwrap();
        symlink(&other, &path).unwrap();
        HostDisk.create(&path).unwrap().append(b"token").unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let mut before = File::open(&path).unwrap();
        HostDisk.create(&path).unwrap().append(b"secret").unwrap();
        assert_eq!(io::read_to_string(&mut before).unwrap(), "token");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "secret");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
