//! A simulated disk: what was not synced is lost, or torn, in a crash; it can be full.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use midrun_analyzer::disk::{Appendable, Disk, Held};
use midrun_analyzer::recording::Reader;
use midrun_proto::v1::recorded::What;

use crate::random::Random;

#[derive(Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    synced: usize,
    /// Bytes in which actions were looked for.
    looked: usize,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Contents>,
    is_full: bool,
    held: BTreeSet<PathBuf>,
    /// Numbers of the actions in lines of the journal that were synced at one time.
    actions: BTreeSet<u64>,
    /// Numbers of the actions in inputs that were synced at one time.
    in_inputs: BTreeSet<u64>,
}

/// The disk of one host. Copies are the same disk.
#[derive(Clone, Debug, Default)]
pub struct SimDisk(Arc<Mutex<State>>);

impl SimDisk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing more can be written, or can again.
    pub fn set_full(&self, is_full: bool) {
        self.state().is_full = is_full;
    }

    /// The host lost its power: of what was not synced, some part is there.
    pub fn crash(&self, random: &mut Random) {
        for file in self.state().files.values_mut() {
            let kept = random.below((file.bytes.len() - file.synced) as u64 + 1) as usize;
            file.bytes.truncate(file.synced + kept);
        }
    }

    /// All files are gone.
    pub fn wipe(&self) {
        self.state().files.clear();
    }

    /// Whether a line about this action was ever on the disk.
    pub fn has_action(&self, action: u64) -> bool {
        self.state().actions.contains(&action)
    }

    /// Whether the inputs beside the journal ever had this action on the disk.
    pub fn has_input_of(&self, action: u64) -> bool {
        self.state().in_inputs.contains(&action)
    }
}

impl State {
    fn look_for_actions(&mut self, path: &Path) {
        let Some(file) = self.files.get_mut(path) else { return };
        let text = &file.bytes[file.looked..file.synced];
        let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in String::from_utf8_lossy(&text[..end]).lines() {
            let number = line.split("\"action\":").nth(1).unwrap_or_default();
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            self.actions.extend(digits.parse::<u64>().ok());
        }
        file.looked += end;
    }

    fn look_for_inputs(&mut self, path: &Path) {
        let Some(file) = self.files.get_mut(path) else { return };
        let begin = begin_of(&file.bytes[..file.synced]);
        let first = file.bytes[..begin].to_vec();
        let news = &file.bytes[file.looked.max(begin)..file.synced];
        let Ok(mut reader) = Reader::new(Cursor::new([&first, news].concat())) else { return };
        while let Ok(Some((_, what))) = reader.next_frame() {
            if let What::Sent(action) = what {
                self.in_inputs.insert(action.id);
            }
        }
        // Frames are appended whole, but where the disk is full.
        file.looked = file.synced;
    }
}

/// The length of the file's begin, its first frame included; 0 where that is not there.
fn begin_of(bytes: &[u8]) -> usize {
    let length = bytes.get(12..16).and_then(|length| Some(u32::from_le_bytes(length.try_into().ok()?) as usize));
    length.map(|length| 12 + 8 + length).filter(|end| *end <= bytes.len()).unwrap_or(0)
}

/// A file that is open. It stays the same file when it gets another name.
#[derive(Debug)]
struct OpenFile {
    disk: SimDisk,
    path: PathBuf,
}

impl Disk for SimDisk {
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        match self.state().files.get(path) {
            Some(file) => Ok(Box::new(Cursor::new(file.bytes.clone()))),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn Appendable>> {
        self.state().files.entry(path.to_owned()).or_default();
        Ok(Box::new(OpenFile { disk: self.clone(), path: path.to_owned() }))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Appendable>> {
        self.state().files.insert(path.to_owned(), Contents::default());
        self.append(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let file = state.files.remove(from).ok_or(ErrorKind::NotFound)?;
        state.files.insert(to.to_owned(), file);
        Ok(())
    }

    fn hold(&self, path: &Path) -> io::Result<Held> {
        let (disk, path) = (self.clone(), path.to_owned());
        if !self.state().held.insert(path.clone()) {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(HeldFile { disk, path }))
    }
}

/// A file that is held, until this is dropped.
#[derive(Debug)]
struct HeldFile {
    disk: SimDisk,
    path: PathBuf,
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        self.disk.state().held.remove(&self.path);
    }
}

impl Appendable for OpenFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let is_full = state.is_full;
        let file = state.files.entry(self.path.clone()).or_default();
        // A part of it still fits.
        file.bytes.extend(if is_full { &bytes[..bytes.len() / 2] } else { bytes });
        if is_full { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        if state.is_full {
            return Err(ErrorKind::StorageFull.into());
        }
        let file = state.files.entry(self.path.clone()).or_default();
        file.synced = file.bytes.len();
        let ending = self.path.extension().unwrap_or_default();
        if ending == "jsonl" {
            state.look_for_actions(&self.path);
        } else if ending == "inputs" || ending == "new" {
            state.look_for_inputs(&self.path);
        }
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.disk.state().files.get(&self.path).map_or(0, |file| file.bytes.len() as u64))
    }
}
