//! What `midrun run` tells while a job runs: lines, each of one write, and on a terminal a status line below them.
//!
//! The status line has the last row of the terminal to itself: the rest is made the scrolling region, in which the program's output
//! and midrun's lines stay. Cursor and region are saved and restored in one write, so that neither can get into the other.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crossterm::terminal;
use midrun_proto::v1::Notice;
use midrun_vocabulary::Seconds;
use rustix::time::{ClockId, Timespec, clock_gettime};
use serde_json::Value;

use crate::figures;
use crate::logging::LogForm;
use crate::summary::table;
use crate::usage::{Usage, harmless, one_line, say_raw};

/// A terminal with fewer rows keeps them all for the program.
const LEAST_ROWS: u16 = 8;

/// Begins each line.
const PREFIX: &str = "midrun: ";

/// Where lines go.
#[derive(Debug)]
enum To {
    Stderr,
    File(File),
    Nowhere,
}

/// Tells the user about one job.
#[derive(Debug)]
pub struct Console {
    form: LogForm,
    to: To,
    has_colour: bool,
    /// `None`: there is no status line.
    status: Option<Mutex<StatusLine>>,
}

impl Console {
    /// Lines go to `log_file`, else to stderr, or nowhere if `quiet`.
    ///
    /// # Errors
    /// A [`Usage`]: the file cannot be written.
    pub fn new(form: LogForm, quiet: bool, log_file: Option<&Path>) -> anyhow::Result<Console> {
        let is_terminal =
            std::io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let to = match log_file {
            Some(path) => To::File(open(path)?),
            None if quiet => To::Nowhere,
            None => To::Stderr,
        };
        let has_status = is_terminal && !quiet && form == LogForm::Text;
        let has_colour = is_terminal && !no_colour && matches!(to, To::Stderr);
        Ok(Console { form, to, has_colour, status: has_status.then(Mutex::default) })
    }

    /// Tells a notice of the analyzer.
    pub fn notice(&self, notice: &Notice) {
        match self.form {
            LogForm::Json => self.line(&notice.json),
            LogForm::Text => {
                let text = one_line(&notice.text);
                let colour = if self.has_colour { colour(&notice.json) } else { None };
                self.line(&match colour {
                    Some(code) => format!("{PREFIX}\x1b[{code}m{text}\x1b[0m"),
                    None => format!("{PREFIX}{text}"),
                });
            }
        }
    }

    /// Tells the summary at the end.
    pub fn summary(&self, json: &str) {
        match self.form {
            LogForm::Text => {
                self.line(&harmless(&table(json)));
                own_time(json, clock_gettime(ClockId::ProcessCPUTime)).into_iter().for_each(|line| self.line(&line));
            }
            LogForm::Json => self.line(json),
        }
    }

    /// Hands on a summary in which nothing stands but why; people have been told.
    pub fn empty_summary(&self, json: &str) {
        if self.form == LogForm::Json {
            self.line(json);
        }
    }

    fn line(&self, line: &str) {
        match &self.to {
            To::Stderr => say_raw(line),
            // A full disk costs the job nothing.
            To::File(file) => drop((&mut &*file).write_all(format!("{line}\n").as_bytes())),
            To::Nowhere => {}
        }
    }

    /// Whether there is a status line to keep up.
    pub fn has_status_line(&self) -> bool {
        self.status.is_some()
    }

    /// Shows the newest status.
    pub fn status(&self, status: &Value) {
        if let (Some(line), Ok((columns, rows))) = (&self.status, terminal::size()) {
            let text = figures::progress(status, usize::from(columns).saturating_sub(PREFIX.len()));
            line.lock().unwrap_or_else(PoisonError::into_inner).show(&text, (columns, rows));
        }
    }

    /// Gives the last row back, for good or until the next status.
    pub fn release(&self) {
        if let Some(line) = &self.status {
            line.lock().unwrap_or_else(PoisonError::into_inner).release();
        }
    }
}

/// What midrun's own process has computed: the ranks of this host had that less.
fn own_time(summary: &str, computed: Timespec) -> Option<String> {
    let summary: Value = serde_json::from_str(summary).ok()?;
    let wall_s = summary["wall_s"].as_f64().filter(|wall_s| *wall_s > 0.0)?;
    let computed_s = computed.tv_sec as f64 + 1e-9 * computed.tv_nsec as f64;
    let share = 100.0 * computed_s / wall_s;
    Some(format!("{PREFIX}  midrun itself computed for {} on this host: {share:.1} % of a core", Seconds(computed_s)))
}

fn open(path: &Path) -> anyhow::Result<File> {
    let opened = File::options().create(true).append(true).open(path);
    Ok(opened.map_err(|error| Usage(format!("--log-file {} cannot be written: {error}", path.display())))?)
}

/// Code of the colour of a notice: what was decided stands out, and what went wrong.
fn colour(json: &str) -> Option<u8> {
    let notice: Value = serde_json::from_str(json).ok()?;
    let (bold, red, green, yellow) = (1, 31, 32, 33);
    match (notice["event"].as_str()?, notice["verdict"].as_str()) {
        ("decision", _) => Some(bold),
        ("outcome", Some("kept")) => Some(green),
        ("outcome", Some("rolled-back")) => Some(yellow),
        ("rank-lost" | "agent-lost" | "host-lost" | "tuning-off", _) => Some(red),
        _ => None,
    }
}

/// The last row of the terminal, while the rows above it scroll.
#[derive(Debug, Default)]
struct StatusLine {
    /// Rows of the terminal for which the region was set.
    rows: Option<u16>,
    /// Something else was in the foreground since.
    was_away: bool,
}

impl StatusLine {
    fn show(&mut self, text: &str, (columns, rows): (u16, u16)) {
        if rows < LEAST_ROWS {
            return self.release();
        }
        // What is in the foreground instead has all rows, such as an editor: the row is taken anew afterwards.
        if is_in_background() {
            self.was_away = true;
            return;
        }
        let mut out = String::new();
        if self.rows != Some(rows) || std::mem::take(&mut self.was_away) {
            // An index first: the cursor may be in the row that is taken. A line feed would leave its column, and the program may have
            // begun a line there.
            out += &format!("\x1bD\x1b7\x1b[1;{}r\x1b8\x1b[1A", rows - 1);
            self.rows = Some(rows);
        }
        let text: String = format!("{PREFIX}{text}").chars().take(usize::from(columns)).collect();
        out += &format!("\x1b7\x1b[{rows};1H\x1b[2K\x1b[7m{text}\x1b[0m\x1b8");
        write(&out);
    }

    fn release(&mut self) {
        if let Some(rows) = self.rows.take() {
            write(&format!("\x1b7\x1b[r\x1b[{rows};1H\x1b[2K\x1b8"));
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.release();
    }
}

/// Whether the terminal belongs to another process group of the session, such as the shell's.
fn is_in_background() -> bool {
    // SAFETY: two plain calls.
    let (group, ours) = unsafe { (libc::tcgetpgrp(libc::STDERR_FILENO), libc::getpgrp()) };
    group > 0 && group != ours
}

/// One write: the program writes to the same terminal.
fn write(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_tells_what_midrun_itself_computed() {
        let computed = Timespec { tv_sec: 1, tv_nsec: 500_000_000 };
        let said = own_time(r#"{"wall_s": 10.0}"#, computed);
        assert_eq!(
            said.as_deref(),
            Some("midrun:   midrun itself computed for 1.500 s on this host: 15.0 % of a core")
        );
        assert_eq!(own_time("{}", computed), None);
    }

    #[test]
    fn lines_go_to_the_file_or_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let notice = Notice { text: "iteration 1:\nkept".into(), json: "{\"event\":\"outcome\"}".into() };
        for form in [LogForm::Text, LogForm::Json] {
            Console::new(form, true, Some(&path)).unwrap().notice(&notice);
        }
        let expected = "midrun: iteration 1: kept\n{\"event\":\"outcome\"}\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        let refused = Console::new(LogForm::Text, false, Some(dir.path())).unwrap_err().to_string();
        assert!(refused.starts_with("--log-file ") && refused.contains("cannot be written"), "{refused}");
        assert!(matches!(Console::new(LogForm::Text, true, None).unwrap().to, To::Nowhere));
    }

    #[test]
    fn decisions_and_outcomes_are_told_apart_by_colour() {
        let of = |json: &str| colour(json);
        assert_eq!(of(r#"{"event":"outcome","verdict":"kept"}"#), Some(32));
        assert_eq!(of(r#"{"event":"outcome","verdict":"rolled-back"}"#), Some(33));
        assert_eq!((of(r#"{"event":"decision"}"#), of(r#"{"event":"job-ended"}"#), of("")), (Some(1), None, None));
    }
}
