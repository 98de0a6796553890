//! The command line, and its mistakes as one sentence each.

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

/// What can be done.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a command (mpirun, srun, or a program) under tuning
    Run(crate::run::Args),
    /// Inside an mpirun or srun line: make sure that this host has an agent, then become the program
    Exec(crate::exec::Args),
    /// Run a standing analyzer
    Analyzer(crate::analyzer::Args),
    /// Run a standing agent, one per node
    Agent(crate::agent::Args),
    /// Evaluate a performance model off line
    Predict(crate::predict::Args),
    /// Show a running job: its ranks, tuning points and decisions
    Status(crate::control::StatusArgs),
    /// Set a tuning point of a running job by hand
    Set(crate::control::SetArgs),
    /// Let the tunlets of a running job decide nothing more; values stay
    Freeze(crate::control::ModeArgs),
    /// The same, and bring the values at start back
    Pause(crate::control::ModeArgs),
    /// Let the tunlets go on
    Resume(crate::control::ModeArgs),
    /// Take a recorded run in again: what would be decided, and why
    Replay(crate::replay::Args),
    /// Explain a tunlet, or why a run went as it did
    Explain(crate::explain::Args),
}

/// Reads the command line.
///
/// # Errors
/// The exit code, when there is nothing to do: help was asked for, or the line cannot be understood.
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
        return "say what to do: run, exec, agent, analyzer, predict, explain, replay, status, set, freeze, pause or resume (midrun --help tells more)".into();
    }
    let text = error.to_string();
    let message = text.split("Usage:").next().unwrap_or(&text);
    let message = message.split("For more information").next().unwrap_or(message);
    let line = one_line(message);
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    format!("{line} (midrun --help tells more)")
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
