//! Messages to the user, and the errors that end the process with exit code 64, 1 or 70.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Exit code for a command line, configuration or program that cannot be used (EX_USAGE).
pub const EXIT_USAGE: u8 = 64;
/// Exit code after a running job or its analyzer refused a request.
const EXIT_REFUSED: u8 = 1;
/// Exit code after an internal failure (EX_SOFTWARE).
pub const EXIT_FAILED: u8 = 70;

/// An error that the user can correct. Its text is one sentence: what is wrong, where, and what is allowed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A valid request that could not be done: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// Returns a [`Refused`] as an error.
pub fn refused<T>(sentence: impl Into<String>) -> anyhow::Result<T> {
    Err(Refused(sentence.into()).into())
}

/// Returns a [`Usage`] as an error.
pub fn usage<T>(sentence: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(sentence.into()).into())
}

/// Writes one sentence to stderr.
pub fn say(sentence: impl std::fmt::Display) {
    say_raw(&format!("midrun: {}", one_line(&sentence.to_string())));
}

/// Writes one line to stderr and ignores a closed stderr. Text and newline are one write: the ranks write there, too.
pub fn say_raw(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Writes a result to stdout. What a file or a job has for a name commands no terminal.
///
/// # Errors
/// The write fails. A closed pipe (`| head`) is no error.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let text = if stdout.is_terminal() { harmless(text) } else { text.into() };
    match stdout.write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Reports `error` and returns the exit code: 64 for a [`Usage`], 1 for a [`Refused`], 70 for any other error.
pub fn end_with(error: &anyhow::Error) -> ExitCode {
    say(format!("{error:#}"));
    let wrong_use = error.downcast_ref::<Usage>().is_some();
    let refused = error.downcast_ref::<Refused>().is_some();
    ExitCode::from(match (wrong_use, refused) {
        (true, _) => EXIT_USAGE,
        (_, true) => EXIT_REFUSED,
        _ => EXIT_FAILED,
    })
}

/// Replaces each run of whitespace, line breaks included, with one space, and control characters as [`harmless`] does.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    harmless(&words.join(" ")).into_owned()
}

/// The text with a replacement character for each control character but the ends of lines and tabs.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let commands = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    match text.contains(commands) {
        true => text.replace(commands, "\u{fffd}").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        assert_eq!(one_line("no such key\n  |  polcy\n"), "no such key | polcy");
    }

    #[test]
    fn no_name_commands_a_terminal() {
        assert_eq!(harmless("a\tb\nc \u{e9}"), "a\tb\nc \u{e9}");
        assert_eq!(harmless("\u{1b}]0;title\u{7}\u{9b}2J"), "\u{fffd}]0;title\u{fffd}\u{fffd}2J");
        assert_eq!(one_line("no job \u{1b}[2J\nhere"), "no job \u{fffd}[2J here");
    }
}
