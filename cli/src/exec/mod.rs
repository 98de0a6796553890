//! `midrun exec`: starts an agent on this host if there is none, then executes the program.

mod host_agent;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::launch::command_line::resolve;
use crate::launch::mpi::{self, Flavour, preload_value};
use crate::runtime_dir;
use crate::usage::say;

/// Exit code that a shell gives for a missing program.
const EXIT_NOT_FOUND: u8 = 127;

/// The arguments of `midrun exec`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    command: Vec<String>,
}

/// Replaces this process with the program. A failure of midrun is reported in one sentence; the program runs anyway.
///
/// # Errors
/// Never: a program that cannot be started gives the exit code of a shell.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let (program, arguments) = args.command.split_first().expect("clap asks for at least one word");
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(job) = Job::from_environment() {
        match socket_for(&job) {
            Ok(socket) => {
                command.env("MIDRUN_SOCKET", socket);
                preload(&mut command, program);
            }
            Err(error) => {
                command.env_remove("MIDRUN_SOCKET");
                say(format!("no agent on {}: {error:#}; the program runs untuned", runtime_dir::host()));
            }
        }
        // Only agents need the token.
        command.env_remove("MIDRUN_TOKEN");
    }
    let error = command.exec();
    say(format!("there is no program {program} on {}: {error}", runtime_dir::host()));
    Ok(ExitCode::from(EXIT_NOT_FOUND))
}

/// The job, as `midrun run` describes it in the environment.
struct Job {
    id: String,
    analyzer: String,
}

impl Job {
    fn from_environment() -> Option<Job> {
        let text = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let id = text("MIDRUN_JOB").unwrap_or_else(|| "job".into());
        Some(Job { id, analyzer: text("MIDRUN_ANALYZER")? })
    }
}

/// The socket of this host's agent: the embedded agent on the host of `midrun run`, elsewhere an agent started here.
fn socket_for(job: &Job) -> anyhow::Result<PathBuf> {
    let embedded = std::env::var_os("MIDRUN_SOCKET").map(PathBuf::from);
    let here = std::env::var("MIDRUN_HOST").is_ok_and(|host| host == runtime_dir::host());
    match embedded {
        Some(socket) if here && socket.exists() => Ok(socket),
        _ => host_agent::ensure(&job.id, &job.analyzer),
    }
}

/// Preloads libmidrun unless the program is linked with it.
fn preload(command: &mut Command, program: &str) {
    let linkage = resolve(program).and_then(|path| mpi::linkage(&path));
    if linkage.as_ref().is_some_and(|linkage| linkage.has_midrun) {
        return;
    }
    let linked = linkage.and_then(|linkage| Some(linkage.mpi?.0));
    let Some(flavour) = linked.or_else(flavour_of_launcher) else {
        return;
    };
    match mpi::library(flavour, None) {
        Ok(library) => {
            let already = std::env::var("LD_PRELOAD").unwrap_or_default();
            if !already.split([':', ' ']).any(|entry| Path::new(entry) == library) {
                command.env("LD_PRELOAD", preload_value(&library, Some(&already)));
            }
        }
        Err(_) => {
            say(format!("no libmidrun for {} on {}; the program runs untuned", flavour.name(), runtime_dir::host()))
        }
    }
}

/// The MPI of the launcher that started this process, by its environment.
fn flavour_of_launcher() -> Option<Flavour> {
    let set = |name| std::env::var_os(name).is_some();
    if set("OMPI_COMM_WORLD_RANK") {
        Some(Flavour::OpenMpi)
    } else if set("PMI_RANK") {
        Some(Flavour::Mpich)
    } else {
        None
    }
}
