//! `midrun analyzer`: runs the analyzer as a standing daemon.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use midrun_analyzer::Config;
use midrun_analyzer::listen::Listen;

use crate::logging::{self, LogForm};
use crate::metrics::{self, Address, Sources};
use crate::readiness;
use crate::settings::{self, read_token};
use crate::signals;
use crate::tls_flags::{self, TlsFlags};
use crate::usage::{Usage, say_raw, usage};

/// The flags of `midrun analyzer`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Address to listen on; of a range FIRST-LAST of ports the first free one is taken, port 0 is any
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// File whose first line is the token that agents and users must present
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    tls: TlsFlags,
    /// Append every event, decision and action to FILE as JSON
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Record all incoming data in FILE, for midrun replay and midrun predict run
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Give advice only; change nothing
    #[arg(long)]
    dry_run: bool,
    /// Serve metrics in the format of Prometheus at this address, under /metrics; a range FIRST-LAST of ports as with --listen
    #[arg(long, value_name = "HOST:PORT")]
    metrics: Option<String>,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Format of the log on stderr
    #[arg(long, default_value = "text")]
    log: LogForm,
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// The configuration is invalid (reported before the port is bound), or the port cannot be bound.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let mut flags: Vec<(&str, String)> = Vec::new();
    flags.extend(args.listen.map(|listen| ("analyzer.listen", listen)));
    flags.extend(args.journal.map(|path| ("analyzer.journal", path.to_string_lossy().into_owned())));
    flags.extend(args.record.map(|path| ("analyzer.record", path.to_string_lossy().into_owned())));
    flags.extend(args.dry_run.then(|| ("analyzer.dry_run", "true".to_owned())));
    flags.extend(args.metrics.map(|address| ("analyzer.metrics", address)));
    if let Some(path) = &args.token_file {
        flags.push(("analyzer.token", read_token(path)?));
    }
    flags.extend(args.tls.settings(["analyzer.tls_ca", "analyzer.tls_cert", "analyzer.tls_key"]));
    let mut config = settings::load(args.config.as_deref(), &flags)?.analyzer;
    config.credentials =
        tls_flags::read(config.tls_ca.as_deref(), config.tls_cert.as_deref(), config.tls_key.as_deref())?;
    config.record.as_deref().map(crate::recording::writable).transpose()?;
    let journal = config.journal.as_deref().map(midrun_analyzer::journal::check);
    journal.transpose().map_err(|error| Usage(error.to_string()))?;
    let listen = check_listener(&config)?;
    let metrics = config.metrics.as_deref();
    let metrics = metrics.map(|text| Address::check(text, config.credentials.as_ref())).transpose()?;
    logging::start(args.log, "info");
    // An analyzer that is started again goes on with its jobs, and must not write over what it recorded of them.
    if let Some(kept) = config.record.as_deref().map(crate::recording::set_aside).transpose()?.flatten() {
        say_raw(&format!("midrun: the recording before is kept as {}", kept.display()));
    }
    crate::descriptors::raise();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(async {
        let listener =
            listen.bind().await.map_err(|error| Usage(format!("cannot listen on {}: {error}", config.listen)))?;
        say_raw(&format!("midrun: analyzer listens on {}", listener.local_addr()?));
        let mut sources = Sources::default();
        let asked = sources.analyzer();
        metrics::serve(metrics, sources).await?;
        let stop = signals::stop()?;
        readiness::announce();
        midrun_analyzer::serve(config, listener, asked, stop).await.context("the analyzer failed")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to serve other hosts without a token, or in plain text.
fn check_listener(config: &Config) -> anyhow::Result<Listen> {
    let listen = &config.listen;
    let Some(found) = Listen::parse(listen) else {
        return usage(format!("--listen {listen}: allowed is {}", Listen::FORM));
    };
    if found.addresses()?.iter().all(|address| address.ip().is_loopback()) {
        return Ok(found);
    }
    match (config.token.is_empty(), &config.credentials) {
        (true, _) => usage(format!(
            "--listen {listen} is open to other hosts, and there is no token: give --token-file, or listen on 127.0.0.1"
        )),
        (_, None) => usage(format!(
            "--listen {listen} is open to other hosts, and would speak to them in plain text: give --tls-ca, --tls-cert and --tls-key \
             (midrun certificates makes some), or listen on 127.0.0.1"
        )),
        _ => Ok(found),
    }
}
