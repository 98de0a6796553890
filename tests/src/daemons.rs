//! Agent and analyzer as processes of their own, so that they can be killed and stopped.

use std::path::PathBuf;
use std::process::Command;

use crate::{Process, Scratch, midrun, wait_until};

/// `midrun analyzer` on a free port.
pub struct Analyzer {
    /// The process.
    pub process: Process,
    /// Its URL.
    pub url: String,
}

impl Analyzer {
    /// Starts one and waits until it listens.
    pub fn start(scratch: &Scratch) -> Analyzer {
        Analyzer::at(scratch, "127.0.0.1:0")
    }

    /// Starts one at an address.
    pub fn at(scratch: &Scratch, address: &str) -> Analyzer {
        Analyzer::with(scratch, "analyzer", address, &[])
    }

    /// Starts one at an address with keys of its configuration such as `WORKER_STEP`; its log is called `name`.
    pub fn with(scratch: &Scratch, name: &str, address: &str, keys: &[(&str, &str)]) -> Analyzer {
        let mut command = Command::new(midrun());
        command.envs(keys.iter().map(|(key, value)| (format!("MIDRUN_CFG_ANALYZER__{key}"), value)));
        Analyzer::run(scratch, name, command, address)
    }

    /// Starts one by a command whose last word is the path of `midrun`.
    pub fn run(scratch: &Scratch, name: &str, mut command: Command, address: &str) -> Analyzer {
        command.args(["analyzer", "--listen", address]);
        let process = Process::start(scratch, name, command);
        let mut url = None;
        wait_until("the analyzer listens", || {
            let text = process.err();
            let line = text.lines().find_map(|line| line.strip_prefix("midrun: analyzer listens on "));
            url = line.map(|address| format!("http://{}", address.trim()));
            url.is_some() && text.ends_with('\n')
        });
        Analyzer { process, url: url.unwrap_or_default() }
    }

    /// Ends it by SIGTERM, as a supervisor does, and expects code 0.
    pub fn end(self) {
        self.process.signal(libc::SIGTERM);
        self.process.succeed();
    }
}

/// `midrun agent` with a socket in the test's directory.
pub struct Agent {
    /// The process.
    pub process: Process,
    /// Its socket.
    pub socket: PathBuf,
}

impl Agent {
    /// Path of the socket that the agent of a test will have.
    pub fn socket_in(scratch: &Scratch) -> PathBuf {
        scratch.path("agent.sock")
    }

    /// Starts one and waits until it listens.
    pub fn start(scratch: &Scratch, analyzer: &str) -> Agent {
        Agent::run(scratch, Command::new(midrun()), analyzer)
    }

    /// Starts one by a command whose last word is the path of `midrun`.
    pub fn run(scratch: &Scratch, mut command: Command, analyzer: &str) -> Agent {
        let socket = Agent::socket_in(scratch);
        command.args(["agent", "--analyzer", analyzer, "--socket"]).arg(&socket);
        let process = Process::start(scratch, "agent", command);
        wait_until("the agent listens", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
        Agent { process, socket }
    }
}
