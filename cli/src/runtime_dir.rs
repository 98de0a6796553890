//! The runtime directory of this user: sockets, locks and job files, mode 0700.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// Longest path of a Unix socket, without the closing zero.
const SOCKET_PATH_BYTES: usize = 107;

/// `$XDG_RUNTIME_DIR/midrun`, or `/tmp/midrun-UID`; where that is not this user's alone, `run` in [`state`].
pub fn path() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| Path::new(dir).is_dir()) {
        Some(dir) => PathBuf::from(dir).join("midrun"),
        None => unless_taken(PathBuf::from(format!("/tmp/midrun-{}", own_uid())), state()),
    }
}

/// Anybody may make a directory in /tmp, and nobody but root may take it away there.
fn unless_taken(usual: PathBuf, state: Option<PathBuf>) -> PathBuf {
    let is_taken = usual.symlink_metadata().is_ok_and(|found| !found.is_dir() || !is_private(&found));
    state.filter(|_| is_taken).map_or(usual, |state| state.join("run"))
}

/// What stays from run to run: `$XDG_STATE_HOME/midrun`, by default under `~/.local/state`.
pub fn state() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("midrun"))
}

/// Whether a file or directory is this user's, and nobody else can open it.
pub fn is_private(found: &fs::Metadata) -> bool {
    found.uid() == own_uid() && found.mode() & 0o077 == 0
}

/// Creates the directory if it is missing, and checks that no other user could have prepared it.
///
/// # Errors
/// The directory cannot be created, is a link, belongs to another user, or is open to others.
pub fn ensure() -> anyhow::Result<PathBuf> {
    let dir = path();
    // Above it, only the state directory may be missing.
    fs::DirBuilder::new()
        .mode(0o700)
        .recursive(true)
        .create(&dir)
        .or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })
        .with_context(|| format!("cannot create the directory {}", dir.display()))?;
    let found =
        fs::symlink_metadata(&dir).with_context(|| format!("cannot inspect the directory {}", dir.display()))?;
    if !found.is_dir() || !is_private(&found) {
        bail!(
            "{} must be a directory of this user with mode 0700: set XDG_RUNTIME_DIR to a directory of yours where somebody else has made it",
            dir.display()
        );
    }
    Ok(dir)
}

/// Removes the directory if it is empty.
pub fn remove_if_empty() {
    let _ = fs::remove_dir(path());
}

/// The name of this host.
pub fn host() -> String {
    let mut buffer = [0u8; 256];
    // SAFETY: the buffer is valid for its whole length, and the last byte stays 0.
    let status = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) };
    if status != 0 {
        return "localhost".into();
    }
    let end = buffer.iter().position(|&b| b == 0).unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..end]).into_owned()
}

/// Path of the agent's socket for `job` on this host. The name holds the host, because hosts may share the directory.
pub fn socket_path(dir: &Path, job: &str) -> PathBuf {
    dir.join(format!("{job}-{}.sock", short_host()))
}

/// Path of the lock file for `job` on this host. The process that gets the lock starts the agent.
pub fn lock_path(dir: &Path, job: &str) -> PathBuf {
    dir.join(format!("{job}-{}.lock", short_host()))
}

/// Path of the job file for `job`, started on this host.
pub fn job_path(dir: &Path, job: &str) -> PathBuf {
    dir.join(format!("{job}-{}.job", short_host()))
}

/// Whether `path` has the form of [`job_path`] on this host.
pub fn is_job_path(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&format!("-{}.job", short_host())))
}

/// The host's name, reduced to the characters and the length that a file name here may have.
fn short_host() -> String {
    host().chars().filter(|c| c.is_ascii_alphanumeric() || ".-".contains(*c)).take(32).collect()
}

/// Binds a socket at `path` and replaces a stale one.
///
/// # Errors
/// The path is too long, another process listens there, the path holds something else, or the system refuses.
pub fn bind(path: &Path) -> anyhow::Result<UnixListener> {
    if path.as_os_str().len() > SOCKET_PATH_BYTES {
        bail!(
            "the socket's path {} is longer than {SOCKET_PATH_BYTES} bytes: set XDG_RUNTIME_DIR to a directory with a shorter name",
            path.display()
        );
    }
    if let Ok(found) = path.symlink_metadata() {
        if !found.file_type().is_socket() {
            bail!("{} is there already and is no socket: name a path that is free", path.display());
        }
        if is_alive(path) {
            bail!("another agent listens on {}", path.display());
        }
        fs::remove_file(path).with_context(|| format!("cannot remove the stale {}", path.display()))?;
    }
    UnixListener::bind(path).with_context(|| format!("cannot listen on {}", path.display()))
}

/// Whether a process listens on the socket at `path`. Never blocks: a stopped agent with a full queue counts as listening.
/// In doubt the answer is yes.
pub fn is_alive(path: &Path) -> bool {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let tried = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
        .and_then(|socket| connect(&socket, &SocketAddrUnix::new(path)?));
    !matches!(tried, Err(Errno::CONNREFUSED | Errno::NOENT))
}

/// Logs of agents that have ended are kept for so long, for people to read.
const LOG_KEPT: Duration = Duration::from_secs(24 * 3600);

fn is_old_or_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let age = found.modified().ok().and_then(|modified| modified.elapsed().ok());
        found.len() == 0 || age.is_some_and(|age| age > LOG_KEPT)
    })
}

/// Removes sockets, locks, job files and old logs of this host that crashed processes left behind.
pub fn sweep(dir: &Path) {
    let host = short_host();
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dead = if name.ends_with(&format!("-{host}.sock")) {
            // A link leads to the socket of a standing agent.
            let kind = path.symlink_metadata().map(|found| found.file_type());
            kind.is_ok_and(|kind| kind.is_socket() || kind.is_symlink()) && !is_alive(&path)
        } else if name.ends_with(&format!("-{host}.lock")) || is_job_path(&path) {
            try_lock(&path).is_ok_and(|lock| lock.is_some())
        } else if name.ends_with(&format!("-{host}.log")) {
            !is_alive(&path.with_extension("sock")) && is_old_or_empty(&path)
        } else if let Some((agent, _)) = name.strip_suffix(&ending()).and_then(|n| n.split_once(&format!("-{host}."))) {
            !is_alive(&dir.join(format!("{agent}-{host}.sock")))
        } else {
            false
        };
        if dead {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Takes the lock at `path`. Returns `None` if another process holds it. The lock lasts as long as any process has this file open.
///
/// # Errors
/// The file cannot be opened.
pub fn try_lock(path: &Path) -> anyhow::Result<Option<fs::File>> {
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    // SAFETY: the descriptor is open.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
        return Ok(None);
    }
    // An exiting agent may have removed the file after it was opened here: then this lock excludes nobody.
    let same = fs::metadata(path).is_ok_and(|found| file.metadata().is_ok_and(|own| own.ino() == found.ino()));
    Ok(same.then_some(file))
}

/// Removes its file when it is dropped.
#[derive(Debug)]
pub struct RemovedAtEnd(pub PathBuf);

impl Drop for RemovedAtEnd {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        remove_if_empty();
    }
}

/// Removes, when it is dropped, the register files beside an agent's socket (ADR 0009).
#[derive(Debug)]
pub struct RegistersOf(pub PathBuf);

/// How the names of register files end.
fn ending() -> String {
    format!(".{}", midrun_vocabulary::names::REGISTER_ENDING)
}

impl Drop for RegistersOf {
    fn drop(&mut self) {
        let begin = format!("{}.", self.0.file_stem().unwrap_or_default().to_string_lossy());
        let entries = self.0.parent().and_then(|directory| fs::read_dir(directory).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&begin) && name.ends_with(&ending()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        remove_if_empty();
    }
}

/// The effective user id of this process.
pub fn own_uid() -> u32 {
    // SAFETY: has no preconditions.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_that_somebody_else_has_made_keeps_nobody_from_tuning() {
        let dir = tempfile::tempdir().unwrap();
        let (usual, state) = (dir.path().join("midrun-7"), dir.path().join("state"));
        let chosen = || unless_taken(usual.clone(), Some(state.clone()));
        assert_eq!(chosen(), usual, "it is not there yet");
        fs::DirBuilder::new().mode(0o700).create(&usual).unwrap();
        assert_eq!(chosen(), usual, "it is this user's");
        fs::set_permissions(&usual, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(chosen(), state.join("run"));
        assert_eq!(unless_taken(usual.clone(), None), usual, "the error names it");
        fs::remove_dir(&usual).unwrap();
        std::os::unix::fs::symlink("nowhere", &usual).unwrap();
        assert_eq!(chosen(), state.join("run"), "a link");
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sock");
        drop(bind(&path).unwrap());
        let _live = bind(&path).expect("nobody listens on it any more");
        let refused = bind(&path).unwrap_err().to_string();
        assert!(refused.contains("another agent"), "{refused}");
    }

    #[test]
    fn a_stopped_agent_with_a_full_queue_is_alive_and_nobody_waits_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = socket_path(dir.path(), "full");
        let listener = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None).unwrap();
        rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&listener, 1).unwrap();
        let queue = || {
            let waiting = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::NONBLOCK, None).unwrap();
            connect(&waiting, &SocketAddrUnix::new(&path).unwrap()).map(|()| waiting)
        };
        let waiting: Vec<_> = std::iter::repeat_with(queue).map_while(Result::ok).take(100).collect();
        assert_eq!(queue().unwrap_err(), Errno::AGAIN, "{} wait", waiting.len());
        sweep(dir.path());
        assert!(path.exists() && is_alive(&path));
        drop((listener, waiting));
        sweep(dir.path());
        assert!(!path.exists(), "now it is dead");
    }

    #[test]
    fn a_file_at_the_sockets_path_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.csv");
        fs::write(&path, "precious").unwrap();
        let refused = bind(&path).unwrap_err().to_string();
        assert!(refused.contains("results.csv") && refused.contains("no socket"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }

    #[test]
    fn logs_of_agents_that_were_killed_are_kept_for_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let log = |job: &str, text: &str, age: Duration| {
            let path = socket_path(dir.path(), job).with_extension("log");
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
            path
        };
        let old = log("old", "it was killed", LOG_KEPT + Duration::from_secs(60));
        let new = log("new", "it was killed", Duration::ZERO);
        let empty = log("empty", "", Duration::ZERO);
        let live = log("live", "it runs", LOG_KEPT * 2);
        let _agent = UnixListener::bind(socket_path(dir.path(), "live")).unwrap();
        sweep(dir.path());
        assert!(!old.exists() && !empty.exists() && new.exists() && live.exists());
    }

    #[test]
    fn sweeping_removes_this_hosts_dead_sockets_only() {
        let dir = tempfile::tempdir().unwrap();
        let dead = socket_path(dir.path(), "dead");
        let live = socket_path(dir.path(), "live");
        let elsewhere = dir.path().join("job-another-host.sock");
        drop(UnixListener::bind(&dead).unwrap());
        drop(UnixListener::bind(&elsewhere).unwrap());
        let _listener = UnixListener::bind(&live).unwrap();
        sweep(dir.path());
        assert!(!dead.exists() && live.exists() && elsewhere.exists());
    }
}
