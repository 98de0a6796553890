//! A stage for the real binary: its own runtime directory, a PATH with make-believe launchers, a libmidrun without content.

#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The stage; everything of it goes with it.
pub struct Stage {
    directory: tempfile::TempDir,
}

const OPEN_MPI: &str = "#!/bin/sh
[ \"$1\" = --version ] && { echo 'mpirun (Open MPI) 4.1.4'; exit 0; }
while [ \"${1#-}\" != \"$1\" ]; do
  case $1 in -x|-n) shift 2;; *) shift;; esac
done
exec \"$@\"
";

impl Stage {
    /// With an Open MPI that starts one process.
    pub fn new() -> Stage {
        let stage = Stage { directory: tempfile::tempdir().unwrap() };
        for directory in ["bin", "run", "lib/openmpi"] {
            fs::create_dir_all(stage.path(directory)).unwrap();
        }
        for library in ["lib/openmpi/libmidrun.so", "lib/libmidrun-select.so"] {
            let made =
                Command::new("cc").args(["-shared", "-x", "c", "/dev/null", "-o"]).arg(stage.path(library)).status();
            assert!(made.unwrap().success());
        }
        stage.program("bin/mpirun", OPEN_MPI);
        stage
    }

    /// A path on the stage.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Puts an executable script on the stage.
    pub fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// `midrun` with arguments, in the stage's directory.
    pub fn midrun(&self, arguments: &[&str]) -> Command {
        self.command(Command::new(env!("CARGO_BIN_EXE_midrun")), arguments)
    }

    /// The same with a watchdog, for what is waited for.
    pub fn watched(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("/usr/bin/timeout");
        command.args(["-k", "1", "60", env!("CARGO_BIN_EXE_midrun")]);
        self.command(command, arguments)
    }

    fn command(&self, mut command: Command, arguments: &[&str]) -> Command {
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("LD_PRELOAD")
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("MIDRUN_LIB_DIR", self.path("lib"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command
    }

    /// Runs a script of the shell to its end; its `$0` is midrun.
    pub fn shell(&self, script: &str) -> Output {
        let mut command = Command::new("/usr/bin/timeout");
        command.args(["-k", "1", "60", "sh", "-c", script, env!("CARGO_BIN_EXE_midrun")]);
        self.command(command, &[]).output().unwrap()
    }

    /// Runs `midrun` to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.watched(arguments).output().unwrap()
    }

    /// Panics if a socket, lock or directory of ours is left.
    pub fn assert_nothing_left(&self) {
        assert_eq!(entries(&self.path("run")), Vec::<String>::new(), "something is left in the runtime directory");
    }
}

/// Starts a command, and waits for the first line of its stdout.
pub fn first_line(command: &mut Command) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line)
}

/// A standing analyzer, killed at the end of its test.
pub struct Standing {
    pub process: Child,
    /// Where it listens, as it says.
    pub address: String,
}

impl Standing {
    /// Starts it by this command, and waits until it listens.
    pub fn start(command: &mut Command) -> Standing {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut err = BufReader::new(process.stderr.take().unwrap());
        while !line.contains("analyzer listens on ") {
            line.clear();
            assert!(err.read_line(&mut line).unwrap() > 0, "it listens");
        }
        std::thread::spawn(move || std::io::copy(&mut err, &mut std::io::sink()));
        Standing { process, address: line.trim().rsplit(' ').next().unwrap().to_owned() }
    }

    /// The port of its address.
    pub fn port(&self) -> &str {
        self.address.rsplit(':').next().unwrap()
    }

    /// Sends it a signal.
    pub fn signal(&self, number: i32) {
        // SAFETY: the child is not waited for yet.
        unsafe { libc::kill(self.process.id().cast_signed(), number) };
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Names in a directory.
pub fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// What a process wrote to stderr.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
