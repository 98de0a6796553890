//! The launcher as a child process: starts it, forwards signals to it, and waits for its exit code.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use anyhow::Context;
use tokio::process::{Child, Command};

use super::rank_environment::PreparedCommand;
use crate::signals::Signals;

/// Starts the command with the stdin, stdout and stderr of this process.
///
/// # Errors
/// The program cannot be started.
pub fn start(prepared: &PreparedCommand) -> anyhow::Result<Child> {
    let (program, arguments) = prepared.words.split_first().context("there is no command")?;
    let mut command = Command::new(program);
    command.args(arguments).envs(prepared.environment.iter().cloned());
    command.spawn().with_context(|| format!("cannot start {program}"))
}

/// Waits for the child to exit and returns its code. Forwards SIGTERM and SIGHUP. The terminal sends SIGINT to the child
/// itself, because both are in the same process group.
///
/// # Errors
/// The system cannot report how the child ended.
pub async fn wait(child: &mut Child, signals: &mut Signals) -> anyhow::Result<u8> {
    loop {
        tokio::select! {
            status = child.wait() => return Ok(code(status.context("cannot wait for the command")?)),
            _ = signals.interrupt.recv() => {}
            _ = signals.terminate.recv() => forward(child, libc::SIGTERM),
            _ = signals.hangup.recv() => forward(child, libc::SIGHUP),
        }
    }
}

fn forward(child: &Child, number: i32) {
    if let Some(pid) = child.id() {
        // SAFETY: the child has not been waited for, so the pid still belongs to it.
        unsafe { libc::kill(pid.cast_signed(), number) };
    }
}

/// The exit code that a shell would report: the command's own, or 128 + the number of the signal that ended it.
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
