//! What the user got wrong: one sentence on stderr, exit code 64.

use std::io::Write;
use std::process::ExitCode;

/// Exit code for a command line, configuration or program that cannot be used (EX_USAGE).
pub const EXIT_USAGE: u8 = 64;
/// Exit code for what a running job or its analyzer refuses.
const EXIT_REFUSED: u8 = 1;
/// Exit code when a daemon of ours failed while it ran (EX_SOFTWARE).
const EXIT_FAILED: u8 = 70;

/// Something the user can put right. Its text is one sentence that says what, where and what would be right.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Something that was understood and could not be done: exit code 1.
#[derive(Debug)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// A [`Refused`] as an error of the process.
pub fn refused<T>(sentence: impl Into<String>) -> anyhow::Result<T> {
    Err(Refused(sentence.into()).into())
}

/// A [`Usage`] as an error of the process.
pub fn usage<T>(sentence: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(sentence.into()).into())
}

/// Says one sentence on stderr.
pub fn say(sentence: impl std::fmt::Display) {
    say_raw(&format!("midrun: {}", one_line(&sentence.to_string())));
}

/// Writes one line to stderr. A closed stderr is no reason to fail.
pub fn say_raw(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes a result to stdout.
///
/// # Errors
/// The system's; a reader that has seen enough (`| head`) is none.
pub fn print(text: &str) -> std::io::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Ends the process for `error`: 64 for what the user got wrong, 1 for what was refused, 70 for everything else.
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

/// The same text without line breaks.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        assert_eq!(one_line("no such key\n  |  polcy\n"), "no such key | polcy");
    }
}
