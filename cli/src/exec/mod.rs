//! `midrun exec`: starts an agent on this host if there is none, then executes the program.

mod host_agent;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use midrun_vocabulary::names::{CREDENTIALS_VARIABLE, SYNCHRONIZED_VARIABLE};

use crate::launch::command_line::resolve;
use crate::launch::mpi::{self, Flavour, preload_value};
use crate::raw_words;
use crate::runtime_dir;
use crate::usage::{EXIT_FAILED, say};

/// Exit code that a shell gives for a missing program.
const EXIT_NOT_FOUND: u8 = 127;

/// The arguments of `midrun exec`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM", value_parser = raw_words::parser())]
    command: Vec<String>,
}

/// Replaces this process with the program. A failure of midrun is reported in one sentence; the program runs anyway, unless the
/// other ranks would wait for it for ever.
///
/// # Errors
/// Never: a program that cannot be started gives the exit code of a shell.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    let (program, arguments) = args.command.split_first().expect("clap asks for at least one word");
    let mut command = Command::new(raw_words::read(program));
    command.args(arguments.iter().map(|word| raw_words::read(word)));
    if let Some(job) = Job::from_environment() {
        let socket = socket_for(&job);
        match &socket {
            Ok(socket) => drop(command.env("MIDRUN_SOCKET", socket)),
            Err(error) => {
                command.env_remove("MIDRUN_SOCKET");
                say_once_per_host(&format!("no agent on {}: {error:#}", runtime_dir::host()));
            }
        }
        // Ranks that make a window together wait for this one, which takes part without an agent, too: then there is none.
        let all_take_part = variable(SYNCHRONIZED_VARIABLE).is_some();
        if (socket.is_ok() || all_take_part)
            && let Err(why) = preload(&mut command, program)
        {
            if all_take_part {
                say(format!("{why}, and with --synchronized every rank must run under midrun"));
                return Ok(ExitCode::from(EXIT_FAILED));
            }
            say_once_per_host(&why);
        }
        // Only agents need them.
        command.env_remove("MIDRUN_TOKEN").env_remove("MIDRUN_JOB_TOKEN").env_remove(CREDENTIALS_VARIABLE);
    }
    let error = command.exec();
    say(format!("there is no program {program} on {}: {error}", runtime_dir::host()));
    Ok(ExitCode::from(EXIT_NOT_FOUND))
}

/// Says why ranks run untuned: one line per host, where the launcher numbers the processes of a host.
fn say_once_per_host(why: &str) {
    const NUMBERS: [&str; 6] = [
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "SLURM_LOCALID",
        "PALS_LOCAL_RANKID",
        "FLUX_TASK_LOCAL_ID",
        "PMI_LOCAL_RANK",
    ];
    let number = NUMBERS.iter().find_map(|name| std::env::var(name).ok());
    if number.is_none_or(|number| number == "0") {
        say(format!("{why}; the program runs untuned"));
    }
}

/// The value of a variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The job, as `midrun run` describes it in the environment.
struct Job {
    id: String,
    /// The socket of an agent, and the host that it is on; no host: on each.
    socket: Option<PathBuf>,
    host: Option<String>,
    /// For an agent that is to be started here.
    analyzer: Option<String>,
}

impl Job {
    fn from_environment() -> Option<Job> {
        let id = variable("MIDRUN_JOB").unwrap_or_else(|| "job".into());
        let socket = variable("MIDRUN_SOCKET").map(PathBuf::from);
        let job = Job { id, socket, host: variable("MIDRUN_HOST"), analyzer: variable("MIDRUN_ANALYZER") };
        (job.socket.is_some() || job.analyzer.is_some()).then_some(job)
    }
}

/// The socket of this host's agent: the embedded agent on the host of `midrun run`, elsewhere an agent started here.
fn socket_for(job: &Job) -> anyhow::Result<PathBuf> {
    let here = job.host.as_ref().is_none_or(|host| *host == runtime_dir::host());
    match (&job.socket, &job.analyzer) {
        (Some(socket), _) if here && socket.exists() => Ok(socket.clone()),
        (_, Some(analyzer)) => host_agent::ensure(&job.id, analyzer),
        (Some(socket), None) if here => anyhow::bail!("nobody listens on {}", socket.display()),
        _ => anyhow::bail!(
            "the command of midrun run named no other host than {}",
            job.host.as_deref().unwrap_or("its own")
        ),
    }
}

/// Preloads the library for the program's MPI, unless it is linked statically with the program.
///
/// # Errors
/// Why there is none, in one clause.
fn preload(command: &mut Command, program: &str) -> Result<(), String> {
    let linkage = resolve(program).and_then(|path| mpi::linkage(&path)).unwrap_or_default();
    let by_hand = variable("MIDRUN_MPI").and_then(|name| Flavour::of_name(&name).ok());
    let flavour = by_hand.or(linkage.mpi.map(|(flavour, _)| flavour));
    match (&linkage.unknown_mpi, flavour) {
        _ if linkage.has_midrun => return Ok(()),
        (Some(library), None) => {
            return Err(format!("{program} is linked with {library}, an MPI that midrun does not know"));
        }
        _ => {}
    }
    let library = mpi::library(flavour, None).map_err(|_| match flavour {
        Some(flavour) => format!("no libmidrun for {} on {}", flavour.name(), runtime_dir::host()),
        None => format!("no libmidrun-select on {}", runtime_dir::host()),
    })?;
    if !mpi::is_whole(&library) {
        return Err(mpi::torn(&library));
    }
    let already = std::env::var("LD_PRELOAD").unwrap_or_default();
    if !already.split([':', ' ']).any(|entry| Path::new(entry) == library) {
        command.env("LD_PRELOAD", preload_value(&library, Some(&already)));
    }
    Ok(())
}
