//! `midrun analyzer`: the analyzer as a daemon of its own.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::logging::{self, LogForm};
use crate::settings;
use crate::usage::{Usage, say_raw};

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// File whose first line is the token that agents and people must show
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Append every event, decision and action to FILE as JSON
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Keep all that comes in in FILE, for midrun replay and midrun predict run
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Advise, change nothing
    #[arg(long)]
    dry_run: bool,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Form of the log on stderr
    #[arg(long, default_value = "text")]
    log: LogForm,
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// A bad configuration, before the port is bound; or the port cannot be bound.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let mut flags: Vec<(&str, String)> = Vec::new();
    flags.extend(args.listen.map(|listen| ("analyzer.listen", listen)));
    flags.extend(args.journal.map(|path| ("analyzer.journal", path.to_string_lossy().into_owned())));
    flags.extend(args.record.map(|path| ("analyzer.record", path.to_string_lossy().into_owned())));
    flags.extend(args.dry_run.then(|| ("analyzer.dry_run", "true".to_owned())));
    if let Some(path) = &args.token_file {
        flags.push(("analyzer.token", read_token(path)?));
    }
    let config = settings::load(args.config.as_deref(), &flags)?.analyzer;
    config.record.as_deref().map(crate::recording::writable).transpose()?;
    logging::start(args.log, "info");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(&config.listen)
            .await
            .map_err(|error| Usage(format!("cannot listen on {}: {error}", config.listen)))?;
        say_raw(&format!("midrun: analyzer listens on {}", listener.local_addr()?));
        let stop = stop_signal()?;
        midrun_analyzer::serve(config, listener, stop).await.context("the analyzer failed")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Ends when SIGTERM or SIGINT comes.
///
/// # Errors
/// Signals cannot be caught.
pub fn stop_signal() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot catch signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot catch signals")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// The token in a file's first line.
///
/// # Errors
/// The file cannot be read, or is empty.
pub fn read_token(path: &std::path::Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Usage(format!("cannot read the token file {}: {error}", path.display())))?;
    let token = text.lines().next().unwrap_or("").trim();
    if token.is_empty() {
        return crate::usage::usage(format!("the first line of the token file {} is empty", path.display()));
    }
    Ok(token.to_owned())
}
