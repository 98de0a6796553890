//! `midrun agent`: runs this host's agent as a standing daemon.

use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use midrun_proto::tls::{self, Credentials};
use midrun_vocabulary::names::CREDENTIALS_VARIABLE;

use crate::logging::{self, LogForm};
use crate::metrics::{self, Address, Sources};
use crate::readiness;
use crate::runtime_dir::{self, RegistersOf, RemovedAtEnd};
use crate::settings::{self, read_token};
use crate::signals;
use crate::tls_flags::{self, TlsFlags};
use crate::usage::{Usage, usage};

/// The flags of `midrun agent`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The analyzer's URL, such as https://node1:7741
    #[arg(long, value_name = "URL")]
    analyzer: Option<String>,
    /// Unix socket that ranks attach to (their MIDRUN_SOCKET)
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// File whose first line is the token (else MIDRUN_TOKEN)
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    tls: TlsFlags,
    /// Exit this many seconds after the last rank has gone; 0: stay
    #[arg(long, value_name = "SECONDS")]
    linger_s: Option<u64>,
    /// Serve metrics in the format of Prometheus at this address, under /metrics; a range FIRST-LAST of ports as with --listen
    #[arg(long, value_name = "HOST:PORT")]
    metrics: Option<String>,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Format of the log on stderr
    #[arg(long, default_value = "text")]
    log: LogForm,
    /// Descriptor of the open socket (set by midrun exec)
    #[arg(long, hide = true)]
    socket_fd: Option<RawFd>,
    /// The jobs were opened by midrun run (set by midrun exec)
    #[arg(long, hide = true)]
    options_follow: bool,
    /// Lock file to remove at the end (set by midrun exec)
    #[arg(long, hide = true)]
    lock: Option<PathBuf>,
}

/// Serves until SIGTERM or SIGINT, or until no rank has been attached for `--linger-s` seconds.
///
/// # Errors
/// The configuration is invalid (reported before the socket is bound), or the socket cannot be bound.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let mut flags: Vec<(&str, String)> = Vec::new();
    flags.extend(args.analyzer.map(|url| ("agent.analyzer", url)));
    flags.extend(args.linger_s.map(|seconds| ("agent.linger_s", seconds.to_string())));
    flags.extend(args.metrics.map(|address| ("agent.metrics", address)));
    if let Some(path) = &args.token_file {
        flags.push(("agent.token", read_token(path)?));
    } else if let Ok(token) = std::env::var("MIDRUN_TOKEN") {
        flags.push(("agent.token", token));
    }
    let tls = args.tls.settings(["agent.tls_ca", "agent.tls_cert", "agent.tls_key"]);
    // An agent that `midrun exec` started gets those of its job.
    let word = std::env::var(CREDENTIALS_VARIABLE).ok().filter(|word| !word.is_empty() && tls.is_empty());
    flags.extend(tls);
    let mut config = settings::load(args.config.as_deref(), &flags)?.agent;
    config.credentials = match word {
        Some(word) => match Credentials::from_word(&word) {
            Some(credentials) => Some(credentials),
            None => return usage(format!("{CREDENTIALS_VARIABLE} is damaged: midrun run sets it")),
        },
        None => tls_flags::read(config.tls_ca.as_deref(), config.tls_cert.as_deref(), config.tls_key.as_deref())?,
    };
    config.options_follow = args.options_follow;
    config.job_token = std::env::var("MIDRUN_JOB_TOKEN").unwrap_or_default();
    if config.analyzer.is_empty() {
        return usage("the agent needs its analyzer: --analyzer https://host:7741");
    }
    tls::endpoint(&config.analyzer, config.credentials.as_ref()).map_err(Usage)?;
    let metrics = config.metrics.as_deref();
    let metrics = metrics.map(|text| Address::check(text, config.credentials.as_ref())).transpose()?;
    logging::start(args.log, "info");
    crate::descriptors::raise();
    let listener = match args.socket_fd {
        Some(fd) => inherited(fd)?,
        None => runtime_dir::bind(&args.socket).map_err(|error| Usage(format!("{error:#}")))?,
    };
    let lock = args.lock.map(RemovedAtEnd);
    let _log = lock.is_some().then(|| LogRemovedIfEmpty(args.socket.with_extension("log")));
    let socket = args.socket;
    let _registers = RegistersOf(socket.clone());
    let _socket = RemovedAtEnd(socket.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    runtime.block_on(async {
        let mut sources = Sources::default();
        let asked = sources.agent();
        metrics::serve(metrics, sources).await?;
        let stop = signals::stop()?;
        readiness::announce();
        let ended = match config.is_for_one_job() {
            true => midrun_agent::run(config, listener, asked, stop).await,
            false => midrun_agent::standing::run(config, listener, &socket, asked, stop).await,
        };
        ended.context("the agent failed")
    })?;
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// Takes over the listening socket that `midrun exec` opened.
fn inherited(fd: RawFd) -> anyhow::Result<UnixListener> {
    // SAFETY: `fcntl(F_GETFD)` accepts any number and only reports whether it is open.
    if fd < 3 || unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return usage(format!("--socket-fd {fd} is not an open descriptor"));
    }
    // SAFETY: the descriptor is open, and `midrun exec` passed its ownership to this process.
    let listener = unsafe { UnixListener::from_raw_fd(fd) };
    listener.local_addr().with_context(|| format!("--socket-fd {fd} is not a Unix socket"))?;
    Ok(listener)
}

/// The log file that `midrun exec` gave this agent. Dropping it removes the file if it is empty.
struct LogRemovedIfEmpty(PathBuf);

impl Drop for LogRemovedIfEmpty {
    fn drop(&mut self) {
        if self.0.metadata().is_ok_and(|found| found.is_file() && found.len() == 0) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}
