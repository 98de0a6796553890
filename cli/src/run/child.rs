//! The launcher as a child process: starts it, forwards signals to it, and waits for its end.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus, Stdio};

use anyhow::Context;
use tokio::process::Command;
use tokio::time::{Duration, Instant};

use super::relay::{ENDING, Relay, Signal};
use crate::raw_words;

/// A launcher that waits for lost hosts alone must end within this time after such a signal.
const END_DEADLINE: Duration = Duration::from_secs(3);
/// Any other, and what it leaves behind, within this: a `midrun run` closes its job in less.
const OVER_DEADLINE: Duration = Duration::from_secs(20);

/// How the launcher ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit code.
    Code(u8),
    /// By this signal.
    Signal(i32),
}

impl Ended {
    /// Ends this process as the launcher ended, so that a shell or batch system sees no difference.
    pub fn reproduce(self) -> ExitCode {
        let number = match self {
            Ended::Code(code) => return ExitCode::from(code),
            Ended::Signal(number) => number,
        };
        // SAFETY: zero is a valid set. The calls change the limit of core files, the disposition of one signal and its block.
        unsafe {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none); // the launcher has left its own, if any
            libc::signal(number, libc::SIG_DFL);
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, number);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
            libc::raise(number);
        }
        ExitCode::from(u8::try_from(128 + number).unwrap_or(1))
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Ended {
        match status.signal() {
            Some(number) => Ended::Signal(number),
            None => Ended::Code(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        }
    }
}

/// The launcher that runs.
pub struct Child(tokio::process::Child);

impl Child {
    /// Starts the command with the stdin and stderr of this process, and with the signals ignored that this process was started to ignore.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(
        words: &[String],
        environment: &[(String, String)],
        stdout: Stdio,
        relay: &Relay,
    ) -> anyhow::Result<Child> {
        let (program, arguments) = words.split_first().context("there is no command")?;
        let mut command = Command::new(raw_words::read(program));
        command.args(arguments.iter().map(|word| raw_words::read(word)));
        command.envs(environment.iter().cloned()).stdout(stdout);
        let ignored = relay.ignored();
        let ignore = move || {
            for &number in &ignored {
                // SAFETY: changes a disposition, and may be called between fork and exec.
                unsafe { libc::signal(number, libc::SIG_IGN) };
            }
            Ok(())
        };
        // SAFETY: the closure only calls `signal`.
        unsafe { command.pre_exec(ignore) };
        command.spawn().map(Child).with_context(|| format!("cannot start {program}"))
    }

    /// Waits for its end, and forwards signals meanwhile. Where one of them asks it to end and it waits for nothing but lost hosts, it is
    /// killed after a while, because it may never end. `stops` is called before a terminal stops this process, too.
    ///
    /// # Errors
    /// The system cannot report how it ended.
    pub async fn wait(
        &mut self,
        relay: &mut Relay,
        stops: impl Fn(),
        waits_in_vain: impl Fn() -> bool,
    ) -> anyhow::Result<Ended> {
        let mut kill_at = None;
        loop {
            let kill = async {
                match kill_at {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                status = self.0.wait() => return Ok(status.context("cannot wait for the command")?.into()),
                () = kill => {
                    kill_at = None;
                    self.0.start_kill().context("cannot kill the command")?;
                }
                signal = relay.next() => match signal {
                    Signal::Forward(number) | Signal::Received(number) => {
                        if matches!(signal, Signal::Forward(_)) {
                            self.forward(number);
                        }
                        if ENDING.contains(&number) && waits_in_vain() {
                            kill_at.get_or_insert_with(|| Instant::now() + END_DEADLINE);
                        }
                    }
                    Signal::Stop => {
                        stops();
                        relay.stop();
                    }
                },
            }
        }
    }

    /// Asks it to end, and kills it if it does not.
    ///
    /// # Errors
    /// The system cannot report how it ended.
    pub async fn end(&mut self, relay: &mut Relay) -> anyhow::Result<Ended> {
        self.forward(libc::SIGTERM);
        if let Ok(ended) = tokio::time::timeout(OVER_DEADLINE, self.wait(relay, || (), || false)).await {
            return ended;
        }
        self.0.start_kill().context("cannot kill the command")?;
        self.wait(relay, || (), || false).await
    }

    fn forward(&self, number: i32) {
        if let Some(pid) = self.0.id() {
            // SAFETY: the child has not been waited for, so the pid still belongs to it.
            unsafe { libc::kill(pid.cast_signed(), number) };
        }
    }
}

/// From now on the orphans of what this process starts become its children.
pub fn adopt_orphans() {
    // SAFETY: sets a flag of this process. Where the system has no such flag, orphans stay alone.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// Ends the children of this process, but for the witness, and what these leave behind: a launcher that a script started, and its ranks.
pub async fn end_orphans(relay: &Relay) {
    let own = std::process::id().cast_signed();
    let kill_at = Instant::now() + OVER_DEADLINE;
    let mut asked = BTreeSet::new();
    loop {
        let children: Vec<i32> = children_of(own).into_iter().filter(|pid| Some(*pid) != relay.witness()).collect();
        if children.is_empty() || Instant::now() > kill_at + OVER_DEADLINE {
            return;
        }
        for pid in children {
            let number = if Instant::now() > kill_at { libc::SIGKILL } else { libc::SIGTERM };
            let is_first = asked.insert((pid, number));
            // SAFETY: a child that has not been waited for keeps its pid. It may have ended.
            unsafe {
                if is_first {
                    libc::kill(pid, number);
                }
                libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG);
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The processes whose parent this is.
fn children_of(parent: i32) -> Vec<i32> {
    let of = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name stands in brackets, and may have some itself; state and parent follow.
        let its: i32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        (its == parent).then_some(pid)
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_signal_are_told_apart() {
        assert_eq!(Ended::from(ExitStatus::from_raw(3 << 8)), Ended::Code(3));
        assert_eq!(Ended::from(ExitStatus::from_raw(libc::SIGKILL)), Ended::Signal(libc::SIGKILL));
    }
}
