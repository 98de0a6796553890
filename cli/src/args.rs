//! Parses the command line and reports each mistake in one sentence.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::usage::{EXIT_USAGE, one_line, say};

/// Tunes MPI programs while they run.
#[derive(Parser, Debug)]
#[command(name = "midrun", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a job (mpirun, srun, or a program) under tuning
    Run(crate::run::Args),
    /// In an mpirun or srun line: start this host's agent if needed, then execute the program
    Exec(crate::exec::Args),
    /// Run a standing analyzer
    Analyzer(crate::analyzer::Args),
    /// Run a standing agent, one per node
    Agent(crate::agent::Args),
    /// Evaluate a performance model off-line
    Predict(crate::predict::Args),
    /// Show the ranks, tuning points and decisions of a running job
    Status(crate::control::StatusArgs),
    /// Set a tuning point of a running job (manual override)
    Set(crate::control::SetArgs),
    /// Stop the decisions of a running job; values stay
    Freeze(crate::control::ModeArgs),
    /// Stop the decisions of a running job and restore the values at start
    Pause(crate::control::ModeArgs),
    /// Let the tunlets of a frozen or paused job decide again
    Resume(crate::control::ModeArgs),
    /// Decide a recorded run again: print what would be decided, and why
    Replay(crate::replay::Args),
    /// Explain a tunlet, or why a run went as it did
    Explain(crate::explain::Args),
}

/// Parses the command line.
///
/// # Errors
/// The exit code if there is nothing to run: the user asked for help, or the line is invalid.
pub fn parse() -> Result<Command, ExitCode> {
    let error = match Cli::try_parse() {
        Ok(cli) => return Ok(cli.command),
        Err(error) => error,
    };
    if !error.use_stderr() {
        let _ = error.print();
        return Err(ExitCode::SUCCESS);
    }
    say(sentence(&error));
    Err(ExitCode::from(EXIT_USAGE))
}

/// Clap's message without the usage text.
fn sentence(error: &clap::Error) -> String {
    use clap::error::ErrorKind;
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a subcommand is needed: run, exec, agent, analyzer, predict, explain, replay, status, set, freeze, pause or resume (see midrun --help)".into();
    }
    let text = error.to_string();
    let message = text.split("Usage:").next().unwrap_or(&text);
    let message = message.split("For more information").next().unwrap_or(message);
    let line = one_line(message);
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    format!("{line} (see midrun --help)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_unknown_flag_is_one_sentence_with_the_flag_and_the_nearest_known_one() {
        let error = Cli::try_parse_from(["midrun", "run", "--sumary", "x", "--", "mpirun"]).unwrap_err();
        let line = sentence(&error);
        assert!(line.contains("--sumary") && line.contains("--summary"), "{line}");
        assert!(!line.contains('\n') && !line.contains("Usage"), "{line}");
    }

    #[test]
    fn flags_of_the_command_are_left_alone() {
        let cli = Cli::try_parse_from(["midrun", "run", "--", "mpirun", "-n", "4", "--technique", "x"]).unwrap();
        let Command::Run(args) = cli.command else {
            panic!("run was asked for");
        };
        assert_eq!(args.command, ["mpirun", "-n", "4", "--technique", "x"]);
    }
}
