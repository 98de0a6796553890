//! The launcher as a child process: started, told of signals, waited for.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use anyhow::Context;
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::inject::Prepared;

/// Signals of this process, caught before the child exists so that none is lost.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Starts to catch SIGINT, SIGTERM and SIGHUP.
    ///
    /// # Errors
    /// The system refuses.
    pub fn catch() -> anyhow::Result<Signals> {
        let catch = |kind| signal(kind).context("cannot catch signals");
        Ok(Signals {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup: catch(SignalKind::hangup())?,
        })
    }
}

/// Starts the command with this process's stdin, stdout and stderr.
///
/// # Errors
/// The program cannot be started.
pub fn start(prepared: &Prepared) -> anyhow::Result<Child> {
    let (program, arguments) = prepared.words.split_first().context("there is no command")?;
    let mut command = Command::new(program);
    command.args(arguments).envs(prepared.environment.iter().cloned());
    command.spawn().with_context(|| format!("cannot start {program}"))
}

/// Waits for the child's end. SIGTERM and SIGHUP are passed on; SIGINT reaches the child by itself,
/// since it is in the same process group of the terminal.
///
/// # Errors
/// The system cannot tell how it ended.
pub async fn wait(child: &mut Child, signals: &mut Signals) -> anyhow::Result<u8> {
    loop {
        tokio::select! {
            status = child.wait() => return Ok(code(status.context("cannot wait for the command")?)),
            _ = signals.interrupt.recv() => {}
            _ = signals.terminate.recv() => pass_on(child, libc::SIGTERM),
            _ = signals.hangup.recv() => pass_on(child, libc::SIGHUP),
        }
    }
}

fn pass_on(child: &Child, number: i32) {
    if let Some(pid) = child.id() {
        // SAFETY: the child was not waited for yet, so that the pid is still its own.
        unsafe { libc::kill(pid.cast_signed(), number) };
    }
}

/// The exit code a shell would give: the command's own, or 128 + the signal that ended it.
fn code(status: ExitStatus) -> u8 {
    let number = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    number.and_then(|number| u8::try_from(number).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_128_and_its_number() {
        assert_eq!(code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(code(ExitStatus::from_raw(libc::SIGKILL)), 137);
    }
}
