//! Real processes: each has its own log and can be killed, stopped and waited for.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Scratch;

/// A process that has not ended after this time hangs, and the test fails.
const WATCHDOG: Duration = Duration::from_secs(180);

static STARTS: Mutex<()> = Mutex::new(());

/// No process starts while somebody else holds this.
pub fn hold_starts() -> MutexGuard<'static, ()> {
    STARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that leads its own group. If the test ends early, the whole group is killed.
pub struct Process {
    name: String,
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// Its code, or 128 + signal.
    pub code: i32,
    /// Its stdout.
    pub out: String,
    /// Its stderr.
    pub err: String,
}

impl Ended {
    /// Fails the test unless this is a refusal: code 64, and one sentence that has these parts.
    pub fn assert_refused(&self, parts: &[&str]) {
        assert_eq!(self.code, 64, "{}", self.err);
        assert_eq!(self.err.trim_end().lines().count(), 1, "one sentence: {}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is missing in: {}", self.err);
        }
    }
}

impl Process {
    /// Starts `command`; stdout and stderr go to `NAME.out` and `NAME.err` in `scratch`. It remembers no runs, unless it is given a state
    /// directory: runs of a test do not depend on those before.
    pub fn start(scratch: &Scratch, name: &str, mut command: Command) -> Process {
        let (out, err) = (scratch.path(&format!("{name}.out")), scratch.path(&format!("{name}.err")));
        if !command.get_envs().any(|(variable, _)| variable == "XDG_STATE_HOME") {
            command.env("MIDRUN_CFG_RUN__NO_MEMORY", "true");
        }
        command
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out).expect("a log"))
            .stderr(fs::File::create(&err).expect("a log"))
            .envs(scratch.environment())
            .process_group(0);
        let _starts = hold_starts();
        let child = command.spawn().unwrap_or_else(|error| panic!("{name}: {command:?}: {error}"));
        Process { name: name.into(), child, out, err }
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends a signal to the process alone.
    pub fn signal(&self, number: i32) {
        // SAFETY: the child is not waited for yet, so that the pid is its own.
        let status = unsafe { libc::kill(self.pid(), number) };
        assert_eq!(status, 0, "{} can be sent signal {number}", self.name);
    }

    /// Whether it has not ended.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_none()
    }

    /// Its stdout so far.
    pub fn out(&self) -> String {
        text(&self.out)
    }

    /// Its stderr so far.
    pub fn err(&self) -> String {
        text(&self.err)
    }

    /// Waits for its end; fails the test if it hangs.
    pub fn wait(mut self) -> Ended {
        let ended = self.ended_within(WATCHDOG);
        ended.unwrap_or_else(|| panic!("{} hangs; stderr:\n{}", self.name, self.err()))
    }

    /// Waits for its end; where it has not ended at the limit, its whole group is killed.
    pub fn wait_at_most(mut self, limit: Duration) -> Option<Ended> {
        self.ended_within(limit)
    }

    fn ended_within(&mut self, limit: Duration) -> Option<Ended> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
                return Some(Ended { code, out: self.out(), err: self.err() });
            }
            if begin.elapsed() >= limit {
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for its end and expects code 0.
    pub fn succeed(self) -> Ended {
        let name = self.name.clone();
        let ended = self.wait();
        assert_eq!(ended.code, 0, "{name} failed\nstdout:\n{}\nstderr:\n{}", ended.out, ended.err);
        ended
    }
}

/// Programs may print what is no text.
fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // SAFETY: the group is led by a child that is not waited for yet.
            unsafe { libc::kill(-self.pid(), libc::SIGKILL) };
            let _ = self.child.wait();
        }
    }
}

/// Waits until `condition` holds; fails the test when it never does.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < WATCHDOG, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
