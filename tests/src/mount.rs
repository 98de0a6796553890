//! File systems of a test's own.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

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

/// A file system of blocks that takes nothing for most of each second, as a home on a crowded server; gone with this.
pub struct SlowMount {
    path: PathBuf,
    is_over: Arc<AtomicBool>,
    freezing: Option<JoinHandle<()>>,
}

impl SlowMount {
    /// How long it takes nothing, and then something.
    const TIMES: [Duration; 2] = [Duration::from_millis(900), Duration::from_millis(100)];

    /// Makes the directory `path` one; `None` where nothing can be mounted or frozen.
    pub fn at(path: PathBuf) -> Option<SlowMount> {
        std::fs::create_dir(&path).expect("a directory");
        let image = path.with_extension("image");
        std::fs::File::create(&image).and_then(|file| file.set_len(16 << 20)).expect("a file");
        let does = |line: &mut Command| line.output().is_ok_and(|output| output.status.success());
        let made = does(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image))
            && does(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&path));
        let mut slow = made.then(|| SlowMount { path, is_over: Arc::new(AtomicBool::new(false)), freezing: None })?;
        if !slow.freeze("-f") || !slow.freeze("-u") {
            return None;
        }
        let (path, is_over) = (slow.path.clone(), slow.is_over.clone());
        slow.freezing = Some(std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                for (flag, time) in ["-f", "-u"].into_iter().zip(SlowMount::TIMES) {
                    let _ = Command::new("fsfreeze").arg(flag).arg(&path).status();
                    std::thread::sleep(time);
                }
            }
        }));
        Some(slow)
    }

    fn freeze(&self, flag: &str) -> bool {
        Command::new("fsfreeze").arg(flag).arg(&self.path).output().is_ok_and(|output| output.status.success())
    }
}

impl Drop for SlowMount {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.freezing.take().map(JoinHandle::join);
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}
