//! Writes a recording, on a thread of its own: a full or slow disk ends the recording and nothing else.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;

use midrun_proto::v1;
use midrun_proto::v1::recorded::What;
use rustix::fs::{FlockOperation, flock};

use super::{MAGIC, preamble};
use crate::convert::recorded::without_tokens;
use crate::limits;

/// A path that a recording cannot be written to; a part of a sentence after the path.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// The system refuses.
    #[error("cannot be written: {0}")]
    System(#[from] io::Error),
    /// It is a directory or a device.
    #[error("is no file: name one that is new or an earlier recording")]
    NoFile,
    /// It holds something that is not to be lost.
    #[error("exists and is no recording: name a file that is new or an earlier recording")]
    Other,
    /// Somebody writes to it.
    #[error("is being written by another midrun: name another file")]
    Busy,
}

/// Checks that a recording can be written at `path`; a file that is new is made.
///
/// # Errors
/// The reason why it cannot.
pub fn check(path: &Path) -> Result<(), Unusable> {
    open(path).map(drop)
}

/// Keeps what was recorded at `path` under the first name of `path.1`, `path.2` … that is free, and returns that; `None` where there is nothing.
///
/// # Errors
/// The reason why it cannot.
pub fn set_aside(path: &Path) -> Result<Option<PathBuf>, Unusable> {
    if open(path)?.metadata()?.len() <= preamble().len() as u64 {
        return Ok(None);
    }
    let path = path.canonicalize()?; // a link stays
    for number in 1..=limits::SET_ASIDE {
        let mut name = path.clone().into_os_string();
        name.push(format!(".{number}"));
        if std::fs::symlink_metadata(&name).is_err() {
            std::fs::rename(&path, &name)?;
            return Ok(Some(name.into()));
        }
    }
    Err(Unusable::Other)
}

fn open(path: &Path) -> Result<File, Unusable> {
    // Opening a pipe would wait for its other end.
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(Unusable::NoFile);
    }
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        // A file system without locks is no reason to refuse.
        Err(rustix::io::Errno::WOULDBLOCK) => return Err(Unusable::Busy),
        _ => file.rewind()?,
    }
    let mut start = Vec::new();
    (&file).take(MAGIC.len() as u64).read_to_end(&mut start)?;
    if start.is_empty() || start == MAGIC { Ok(file) } else { Err(Unusable::Other) }
}

/// Frames written, and frames that are missing.
#[derive(Debug, Default)]
struct Report {
    written: u64,
    missing: u64,
}

#[derive(Debug)]
struct Writing {
    queue: SyncSender<v1::Recorded>,
    report: Receiver<Report>,
}

/// Queues frames for the file and never waits. It logs the first failure, and at the end the number of missing frames.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    writing: Option<Writing>,
    // Frames that found no writer.
    missing: u64,
    wanted: bool,
}

impl Recorder {
    /// One that keeps nothing.
    pub fn none() -> Recorder {
        Recorder { path: PathBuf::new(), writing: None, missing: 0, wanted: false }
    }

    /// Begins a recording at `path`, in place of what was recorded there.
    ///
    /// # Errors
    /// The path is not one for a recording.
    pub fn begin(path: &Path, now_ns: u64, begun: v1::RecordingBegun) -> Result<Recorder, Unusable> {
        let mut file = open(path)?;
        file.set_len(0)?;
        file.rewind()?;
        let (queue, frames) = sync_channel(limits::RECORDING_QUEUE);
        let (done, report) = channel();
        let name = path.to_owned();
        std::thread::Builder::new().name("recorder".into()).spawn(move || {
            // Nobody waits for the report where the analyzer ended in a hurry.
            let _ = done.send(write(&name, &frames, file));
        })?;
        let writing = Some(Writing { queue, report });
        let mut recorder = Recorder { path: path.to_owned(), writing, missing: 0, wanted: true };
        recorder.keep(now_ns, What::Begun(begun));
        Ok(recorder)
    }

    /// Whether anything is to be kept.
    pub fn is_on(&self) -> bool {
        self.wanted
    }

    /// Keeps one thing that happened at `now_ns`, without tokens: people hand recordings on.
    pub fn keep(&mut self, now_ns: u64, what: What) {
        let Some(writing) = &self.writing else {
            self.missing += u64::from(self.wanted);
            return;
        };
        let frame = v1::Recorded { now_ns, what: Some(without_tokens(what)) };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = writing.queue.try_send(frame) {
            self.missing += 1;
            tracing::warn!(
                path = %self.path.display(),
                "the recording ends here, for the disk is too slow; the job goes on"
            );
            self.finish();
        }
    }

    /// Ends the recording.
    pub fn end(mut self, now_ns: u64) {
        if self.writing.is_some() {
            self.keep(now_ns, What::Ended(v1::RecordingEnded {}));
        }
        self.finish();
        if self.missing > 0 {
            tracing::warn!(path = %self.path.display(), missing = self.missing, "events are missing at the end of the recording");
        }
    }

    // Lets the writer write what it has; it may hang with its disk.
    fn finish(&mut self) {
        let Some(Writing { queue, report }) = self.writing.take() else { return };
        drop(queue);
        match report.recv_timeout(Duration::from_millis(limits::DRAIN_MS)) {
            Ok(Report { written, missing }) => {
                self.missing += missing;
                tracing::debug!(path = %self.path.display(), written, missing, "the recording has ended");
            }
            Err(_) => tracing::warn!(path = %self.path.display(), "the recording could not be finished in time"),
        }
    }
}

/// Where frames go: what was torn can be cut off again.
trait Cut {
    fn cut(&mut self, length: u64);
}

impl Cut for File {
    fn cut(&mut self, length: u64) {
        // Readers know a torn frame, too.
        let _ = self.set_len(length);
    }
}

/// Writes until nobody sends any more; after trouble it only counts.
fn write(path: &Path, frames: &Receiver<v1::Recorded>, mut file: impl Write + Cut) -> Report {
    let preamble = preamble();
    let (mut report, mut bytes) = (Report::default(), preamble.len() as u64);
    let begun = file.write_all(&preamble);
    let mut trouble = begun.is_err();
    if let Err(error) = begun {
        file.cut(0);
        tracing::warn!(path = %path.display(), %error, "the recording does not begin; the job goes on");
    }
    for frame in frames {
        if trouble {
            report.missing += 1;
            continue;
        }
        let content = super::frame(&frame);
        let length = content.len() as u64;
        let why = if length > limits::FRAME_BYTES as u64 {
            Some(format!("{length} bytes are too many for one frame"))
        } else if bytes + length > limits::RECORDING_BYTES {
            Some(format!("it has reached {} bytes", limits::RECORDING_BYTES))
        } else {
            // At once, not by a buffer: what is written survives the end of this process.
            file.write_all(&content).err().map(|error| error.to_string())
        };
        match why {
            None => {
                bytes += length;
                report.written += 1;
            }
            Some(why) => {
                trouble = true;
                report.missing += 1;
                file.cut(bytes);
                tracing::warn!(path = %path.display(), why, "the recording ends here; the job goes on");
            }
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    /// A disk with so much room.
    struct Disk {
        room: usize,
        content: Vec<u8>,
    }

    impl Write for &mut Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room - self.content.len());
            self.content.extend(&bytes[..fits]);
            if fits == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(fits) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Cut for &mut Disk {
        fn cut(&mut self, length: u64) {
            self.content.truncate(length as usize);
        }
    }

    fn tick(now_ns: u64) -> v1::Recorded {
        v1::Recorded { now_ns, what: Some(What::Tick(v1::Tick {})) }
    }

    #[test]
    fn a_full_disk_ends_the_recording_after_a_whole_frame_and_the_rest_is_counted() {
        let (queue, frames) = sync_channel(16);
        (1..=5).for_each(|now_ns| queue.send(tick(now_ns)).unwrap());
        drop(queue);
        let (head, length) = (preamble().len(), super::super::FRAME_HEAD + tick(1).encoded_len());
        let mut disk = Disk { room: head + 2 * length + 3, content: Vec::new() };
        let report = write(Path::new("r"), &frames, &mut disk);
        assert_eq!((report.written, report.missing, disk.content.len()), (2, 3, head + 2 * length));
        // Full from the start.
        let (queue, frames) = sync_channel(16);
        (1..=5).for_each(|now_ns| queue.send(tick(now_ns)).unwrap());
        drop(queue);
        let mut disk = Disk { room: head - 1, content: Vec::new() };
        let report = write(Path::new("r"), &frames, &mut disk);
        assert_eq!((report.written, report.missing, disk.content.len()), (0, 5, 0));
    }

    #[test]
    fn what_was_recorded_before_is_kept_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.rec");
        let record = || Recorder::begin(&path, 0, v1::RecordingBegun::default()).unwrap();
        assert_eq!(set_aside(&path).unwrap(), None, "nothing is there");
        let running = record();
        assert!(matches!(set_aside(&path), Err(Unusable::Busy)));
        running.end(1);
        let content = std::fs::read(&path).unwrap();
        for name in ["run.rec.1", "run.rec.2"] {
            assert_eq!(set_aside(&path).unwrap(), Some(folder.path().canonicalize().unwrap().join(name)));
            assert_eq!((path.exists(), std::fs::read(folder.path().join(name)).unwrap()), (false, content.clone()));
            record().end(1);
        }
    }

    #[test]
    fn only_a_new_file_or_a_recording_is_written_over_and_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.rec");
        let begin = || Recorder::begin(&path, 0, v1::RecordingBegun::default());
        let first = begin().unwrap();
        assert_eq!(begin().unwrap_err().to_string(), Unusable::Busy.to_string());
        first.end(1);
        begin().unwrap().end(2);
        check(&path).unwrap();
        std::fs::write(&path, "my thesis").unwrap();
        assert!(matches!(begin(), Err(Unusable::Other)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my thesis");
        assert!(matches!(check(folder.path()), Err(Unusable::NoFile)));
        assert!(matches!(check(&folder.path().join("none/run.rec")), Err(Unusable::System(_))));
    }
}
