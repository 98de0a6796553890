//! One agent per host and job: the process that gets the lock asks the host's standing agent, or starts an agent; the others wait until
//! it listens.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use midrun_proto::v1::ServeJob;
use midrun_vocabulary::names::CREDENTIALS_VARIABLE;

use super::variable;
use crate::usage::say;
use crate::{runtime_dir, standing_agent};

/// Longest wait for an agent that another process is starting.
const WAIT: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(5);
/// An agent started here exits this many seconds after its last rank has gone.
const LINGER_S: u32 = 5;

/// Ensures that this host has an agent for `job`, and returns the agent's socket.
///
/// # Errors
/// The agent cannot be started, or does not listen within [`WAIT`].
pub fn ensure(job: &str, analyzer: &str) -> anyhow::Result<PathBuf> {
    let directory = runtime_dir::ensure()?;
    let socket = runtime_dir::socket_path(&directory, job);
    let lock_path = runtime_dir::lock_path(&directory, job);
    let deadline = Instant::now() + WAIT;
    loop {
        if let Some(lock) = runtime_dir::try_lock(&lock_path)? {
            // A standing agent holds no lock.
            if socket.is_symlink() && runtime_dir::is_alive(&socket) {
                return Ok(socket);
            }
            runtime_dir::sweep(&directory);
            if is_served(job, analyzer, &socket) {
                let _ = std::fs::remove_file(&lock_path);
            } else {
                start(&socket, &lock_path, &lock, analyzer)?;
            }
            return Ok(socket);
        }
        if runtime_dir::is_alive(&socket) {
            return Ok(socket);
        }
        if Instant::now() > deadline {
            bail!("another process holds {} but nobody listens on {}", lock_path.display(), socket.display());
        }
        std::thread::sleep(NAP);
    }
}

/// Whether the host's standing agent serves the job from here on.
fn is_served(job: &str, analyzer: &str, socket: &Path) -> bool {
    let secret = |name| variable(name).unwrap_or_default();
    let request = ServeJob {
        job: job.to_owned(),
        analyzer: analyzer.to_owned(),
        token: secret("MIDRUN_TOKEN"),
        job_token: secret("MIDRUN_JOB_TOKEN"),
        credentials: secret(CREDENTIALS_VARIABLE),
        linger_s: LINGER_S.into(),
        ..ServeJob::default()
    };
    match standing_agent::ask(variable(standing_agent::VARIABLE).as_deref(), request, socket) {
        Ok(served) => served.is_some(),
        Err(why) => {
            say(format!("on {}, {why}; the job has an agent of its own there", runtime_dir::host()));
            false
        }
    }
}

/// Starts an agent that inherits the listening socket and the lock, and outlives this process.
fn start(socket: &Path, lock_path: &Path, lock: &File, analyzer: &str) -> anyhow::Result<()> {
    let listener = runtime_dir::bind(socket)?;
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(socket.with_extension("log"));
    let log = log.map_or_else(|_| Stdio::null(), Stdio::from);
    let (socket_fd, lock_fd) = (listener.as_raw_fd(), lock.as_raw_fd());
    let mut command = Command::new(std::env::current_exe().context("cannot find the midrun command")?);
    command
        .args(["agent", "--options-follow", "--analyzer", analyzer, "--linger-s", &LINGER_S.to_string()])
        .args(["--socket-fd", &socket_fd.to_string()])
        .arg("--socket")
        .arg(socket)
        .arg("--lock")
        .arg(lock_path)
        .env_remove("LD_PRELOAD")
        .env("MIDRUN_LOG", "warn")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    // SAFETY: `detach` makes async-signal-safe calls only.
    unsafe { command.pre_exec(move || detach([socket_fd, lock_fd])) };
    let started = command.spawn().context("cannot start the agent");
    match started {
        // The intermediate process has exited, so init adopts the agent and the program never sees it as a child.
        Ok(mut between) => between.wait().map(drop).context("cannot wait for the agent's start"),
        Err(error) => {
            let _ = std::fs::remove_file(socket);
            Err(error)
        }
    }
}

/// Runs between fork and exec: leaves the program's session and process group, and closes all descriptors but `keep` on exec.
fn detach(keep: [RawFd; 2]) -> std::io::Result<()> {
    const DESCRIPTORS: RawFd = 1024;
    // SAFETY: these calls take numbers, and a set of this frame; the kernel refuses descriptors that are not open.
    unsafe {
        // The launcher bound this process to the rank's processors. The agent may use all that the job has: of a set with every
        // processor the kernel takes the allowed ones.
        let mut all: libc::cpu_set_t = std::mem::zeroed();
        (0..8 * size_of::<libc::cpu_set_t>()).for_each(|cpu| libc::CPU_SET(cpu, &mut all));
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const all);
        libc::setsid();
        match libc::fork() {
            -1 => return Err(std::io::Error::last_os_error()),
            0 => {}
            _ => libc::_exit(0),
        }
        for fd in 3..DESCRIPTORS {
            let flags = if keep.contains(&fd) { 0 } else { libc::FD_CLOEXEC };
            libc::fcntl(fd, libc::F_SETFD, flags);
        }
    }
    Ok(())
}
