//! The log on stderr, as text or as JSON; where stderr is the journal of systemd, with the priority of each line.

use std::fmt;
use std::os::fd::AsFd;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Format of the log and of the notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogForm {
    /// Lines of text.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts logging. `MIDRUN_LOG` (for example `midrun_agent=debug`) overrides `level`.
pub fn start(form: LogForm, level: &str) {
    let filter = EnvFilter::try_from_env("MIDRUN_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let set = match form {
        LogForm::Text if is_journal() => {
            let line = tracing_subscriber::fmt::format().without_time().with_level(false).with_ansi(false);
            builder.with_ansi(false).event_format(Prioritized(line)).try_init()
        }
        LogForm::Text => builder.with_ansi(false).try_init(),
        LogForm::Json => builder.json().flatten_event(true).try_init(),
    };
    debug_assert!(set.is_ok(), "the log is started once");
}

/// Whether stderr is the stream to the journal that systemd gave this service: `JOURNAL_STREAM` has its device and inode
/// (systemd.exec(5)).
fn is_journal() -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else { return false };
    let found = rustix::fs::fstat(std::io::stderr().as_fd());
    found.is_ok_and(|found| stream == format!("{}:{}", found.st_dev, found.st_ino))
}

/// Lines with their priority in front, which the journal takes off (sd-daemon(3)). The journal's own protocol would take the fields out of
/// the line, and `journalctl` would not show them.
struct Prioritized(Format<Full, ()>);

impl<S, N> FormatEvent<S, N> for Prioritized
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        write!(writer, "<{}>", priority(*event.metadata().level()))?;
        self.0.format_event(context, writer, event)
    }
}

/// Priority of a level (syslog(3)).
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG | Level::TRACE => 7,
    }
}
