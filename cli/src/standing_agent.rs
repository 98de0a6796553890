//! The standing agent of this host, if there is one: it is asked to serve a job, which then needs no agent of its own (ADR 0020).

use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use midrun_agent::serve_job::{begin, decoded, framed, length, version};
use midrun_proto::v1::{ServeJob, ServeJobReply};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use crate::runtime_dir;

/// The word that stands for no standing agent.
pub const NONE: &str = "none";
/// Variable by which `midrun run` passes its setting to `midrun exec`.
pub const VARIABLE: &str = "MIDRUN_AGENT";
/// An agent that does not answer for so long is stopped, or hopelessly late.
const PATIENCE: Duration = Duration::from_millis(500);

/// Asks this host's standing agent to serve the job, and makes `link` lead to the socket that the job's ranks attach to. `setting` is
/// the agent's socket, or [`NONE`]; without it, the places of the units. Returns the connection: while it is open, or until
/// `linger_s`, the agent serves the job. `None`: there is no standing agent.
///
/// # Errors
/// Why the agent that is there does not serve the job, as a clause.
pub fn ask(setting: Option<&str>, request: ServeJob, link: &Path) -> Result<Option<UnixStream>, String> {
    let request = ServeJob { version: version(), host: runtime_dir::host(), ..request };
    let mut why = None;
    for place in places(setting) {
        match ask_at(&place, &request, link) {
            Ok(Some(stream)) => return Ok(Some(stream)),
            Ok(None) => {}
            Err(error) => {
                why.get_or_insert(format!(
                    "the standing agent at {} does not serve this job: {error}",
                    place.display()
                ));
            }
        }
    }
    why.map_or(Ok(None), Err)
}

fn places(setting: Option<&str>) -> Vec<PathBuf> {
    match setting {
        Some(NONE) => Vec::new(),
        Some(path) => vec![path.into()],
        None => {
            let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok();
            let users = user.filter(|user| !user.contains('/')).map(|user| format!("/run/midrun-{user}/agent.sock"));
            users.into_iter().chain(["/run/midrun/agent.sock".to_owned()]).map(PathBuf::from).collect()
        }
    }
}

fn ask_at(place: &Path, request: &ServeJob, link: &Path) -> Result<Option<UnixStream>, String> {
    let Some(mut stream) = connected(place)? else { return Ok(None) };
    let failed = |error: Error| match error.kind() {
        ErrorKind::WouldBlock => format!("it does not answer within {PATIENCE:?}"),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "it does not know the request: it may be of another version".to_owned()
        }
        _ => error.to_string(),
    };
    stream.write_all(&[begin(), &framed(request)].concat()).map_err(failed)?;
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes).map_err(failed)?;
    let mut bytes = vec![0; length(bytes).map_err(failed)?];
    stream.read_exact(&mut bytes).map_err(failed)?;
    let reply: ServeJobReply = decoded(&bytes).map_err(failed)?;
    if reply.socket.is_empty() {
        return Err(reply.why);
    }
    let _ = std::fs::remove_file(link); // of an agent that has gone
    std::os::unix::fs::symlink(&reply.socket, link)
        .map_err(|error| format!("cannot make {}: {error}", link.display()))?;
    if let Err(error) = stream.write_all(&[1]) {
        let _ = std::fs::remove_file(link);
        return Err(failed(error));
    }
    Ok(Some(stream))
}

/// A connection to root's or this user's agent, which alone learns the job's secrets; `None` where nobody listens. Never blocks: a stopped agent
/// may have a full queue.
fn connected(place: &Path) -> Result<Option<UnixStream>, String> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let tried = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).and_then(|socket| {
        connect(&socket, &SocketAddrUnix::new(place)?)?;
        Ok(socket)
    });
    let socket = match tried {
        Ok(socket) => socket,
        Err(Errno::NOENT | Errno::CONNREFUSED | Errno::ACCESS | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let uid = socket_peercred(socket.as_fd()).map_err(|error| error.to_string())?.uid.as_raw();
    if uid != 0 && uid != runtime_dir::own_uid() {
        return Err(format!("it belongs to user {uid}"));
    }
    let stream = UnixStream::from(socket);
    let prepared = stream
        .set_nonblocking(false)
        .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    prepared.map_err(|error| error.to_string())?;
    Ok(Some(stream))
}
