//! The launcher as a child process: starts it, forwards signals to it, and waits for its end.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use anyhow::Context;
use tokio::process::{Child, Command};
use tokio::time::{Duration, Instant};

use super::console::Console;
use super::rank_environment::PreparedCommand;
use super::relay::{Relay, Signal};

/// Signals by which users and batch systems end a job.
const ENDING: [i32; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];
/// A launcher that waits for lost hosts alone must end within this time after such a signal.
const END_DEADLINE: Duration = Duration::from_secs(3);

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

/// Starts the command with the stdin, stdout and stderr of this process, and with the signals ignored that this process was
/// started to ignore.
///
/// # Errors
/// The program cannot be started.
pub fn start(prepared: &PreparedCommand, relay: &Relay) -> anyhow::Result<Child> {
    let (program, arguments) = prepared.words.split_first().context("there is no command")?;
    let mut command = Command::new(program);
    command.args(arguments).envs(prepared.environment.iter().cloned());
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
    command.spawn().with_context(|| format!("cannot start {program}"))
}

/// Waits for the child to end, and forwards signals meanwhile. Where one of them asks it to end and it waits for nothing but lost hosts, it is
/// killed after a while, because it may never end.
///
/// # Errors
/// The system cannot report how the child ended.
pub async fn wait(
    child: &mut Child,
    relay: &mut Relay,
    console: &Console,
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
            status = child.wait() => return Ok(status.context("cannot wait for the command")?.into()),
            () = kill => {
                kill_at = None;
                child.start_kill().context("cannot kill the command")?;
            }
            signal = relay.next() => match signal {
                Signal::Forward(number) | Signal::Received(number) => {
                    if matches!(signal, Signal::Forward(_)) {
                        forward(child, number);
                    }
                    if ENDING.contains(&number) && waits_in_vain() {
                        kill_at.get_or_insert_with(|| Instant::now() + END_DEADLINE);
                    }
                }
                Signal::Stop => {
                    console.release();
                    // SAFETY: stops this process, as the terminal has stopped the launcher, until the shell continues both.
                    unsafe { libc::raise(libc::SIGSTOP) };
                }
            },
        }
    }
}

fn forward(child: &Child, number: i32) {
    if let Some(pid) = child.id() {
        // SAFETY: the child has not been waited for, so the pid still belongs to it.
        unsafe { libc::kill(pid.cast_signed(), number) };
    }
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
