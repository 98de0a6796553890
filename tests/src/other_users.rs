//! Processes and ranks of a second user, which root starts.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use midrun_ring::attach::send_segment;
use midrun_ring::{Identity, Segment};

/// Arguments of `setpriv` for the second user.
pub const SECOND_USER: [&str; 5] = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];

/// Whether processes of a second user can be started.
pub fn second_user() -> bool {
    let tried = Command::new("setpriv").args(SECOND_USER).arg("true").status();
    // SAFETY: has no preconditions.
    unsafe { libc::geteuid() == 0 && tried.is_ok_and(|status| status.success()) }
}

/// Attaches a rank of job `name` to the agent at `socket` as user `uid`; the segment and the connection.
pub fn rank(socket: &Path, uid: u32, name: &str) -> (Segment, UnixStream) {
    let (socket, name) = (socket.to_owned(), name.to_owned());
    let attach = move || {
        // SAFETY: the effective user of this thread alone, which ends with the closure.
        assert_eq!(unsafe { libc::syscall(libc::SYS_setresuid, -1, uid, -1) }, 0);
        let identity = Identity { world_size: 1, job: name, mpi: "none".into(), ..Identity::default() };
        let (segment, memory) = Segment::create(&identity, 1, 8).expect("memory");
        let stream = UnixStream::connect(&socket).expect("the agent listens");
        let _ = send_segment(stream.as_fd(), memory.as_fd()); // fails where the agent has hung up already
        (segment, stream)
    };
    std::thread::spawn(attach).join().expect("a thread")
}
