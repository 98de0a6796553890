//! Parses the command line and reports each mistake in one sentence.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::usage::{EXIT_USAGE, one_line, say};

#[cfg(test)]
mod documents_tests;

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
    Run(Box<crate::run::Args>),
    /// In an mpirun or srun line: start this host's agent if needed, then execute the program
    Exec(crate::exec::Args),
    /// Run a standing analyzer
    Analyzer(crate::analyzer::Args),
    /// Run a standing agent, one per node
    Agent(crate::agent::Args),
    /// Make the certificates of a standing analyzer and its clients
    Certificates(crate::certificates::Args),
    /// Evaluate a performance model off-line
    Predict(crate::predict::Args),
    /// Show a running job, or a recorded one, live in the terminal
    Top(crate::top::Args),
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
    /// Search values that a program takes at its start, by whole runs of it
    Sweep(crate::sweep::Args),
    /// Decide a recorded run again: print what would be decided, and why
    Replay(crate::replay::Args),
    /// Show finished runs as one HTML page that needs no network
    Report(crate::report::Args),
    /// Write a recording as a table, as JSON, or as a timeline for trace viewers
    Export(crate::export::Args),
    /// Explain a tunlet, or why a run went as it did
    Explain(crate::explain::Args),
    /// List the runs that midrun remembers, or forget them
    History(crate::history::Args),
    /// List what of a program could be measured and tuned, as a points file to start from
    Inspect(crate::inspect::Args),
    /// Print the completions of a shell
    Completions(crate::help::CompletionsArgs),
    /// Write the man pages
    Man(crate::help::ManArgs),
}

/// The definition of the command line, with groups and examples in its help.
pub fn command() -> clap::Command {
    crate::help::with_help(Cli::command())
}

/// Parses the command line.
///
/// # Errors
/// The exit code if there is nothing to run: the user asked for help, or the line is invalid.
pub fn parse() -> Result<Command, ExitCode> {
    let parsed = command().try_get_matches().and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    let error = match parsed {
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
        let command = Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        return format!("a subcommand is needed: {} (see midrun --help)", names.join(", "));
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

    /// What is said of `midrun run WORDS -- mpirun true`, one sentence with all of `parts`, before anything starts.
    fn assert_refused(words: &[&str], parts: &[&str]) {
        let line = [&["midrun", "run"], words, &["--", "mpirun", "true"]].concat();
        let said = match Cli::try_parse_from(line) {
            Err(error) => sentence(&error),
            Ok(Cli { command: Command::Run(args) }) => args.settings().unwrap_err().to_string(),
            Ok(other) => panic!("run was asked for, not {other:?}"),
        };
        assert!(!said.contains('\n') && parts.iter().all(|part| said.contains(part)), "{words:?}: {parts:?} in {said}");
    }

    #[test]
    fn an_unknown_technique_and_an_unknown_tunlet_are_refused_with_the_known_ones() {
        assert_refused(&["--technique", "dfp"], &["dfp", "dpf"]);
        assert_refused(&["--tunlet", "nobody"], &["nobody", "master_worker"]);
    }

    #[test]
    fn limits_that_make_no_sense_are_refused() {
        for flag in ["--min-workers", "--max-workers", "--worker-step"] {
            for bad in ["0", "-1", "99999999999", "2.5", "many", ""] {
                assert_refused(&[flag, bad], &[flag, bad, "a whole number from 1 to 4294967295 is expected"]);
            }
        }
        assert_refused(&["--min-workers", "5", "--max-workers", "4"], &["min_workers = 5", "4 or fewer"]);
        for bad in ["budget:0", "budget:-1", "budget:99999999999", "budget:x", "budget:", "budget:2.5", "cheap", "0"] {
            assert_refused(&["--objective", bad], &[bad, "budget:WORKERS (1 or more)", "deadline:SECONDS (above 0)"]);
        }
        for bad in ["deadline:0", "deadline:-1", "deadline:inf", "deadline:nan", "deadline:x", "deadline:"] {
            assert_refused(&["--objective", bad], &[bad, "deadline:SECONDS (above 0)"]);
        }
        for bad in ["95", "0.5", "1", "0", "-0.9", "nan", "high", ""] {
            assert_refused(&["--confidence", bad], &["--confidence", bad, "a number above 0.5 and below 1"]);
        }
    }

    #[test]
    fn limits_that_make_no_sense_are_refused_in_a_file_too() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let refused = |text: &str, parts: &[&str]| {
            std::fs::write(file.path(), text).unwrap();
            assert_refused(&["--config", file.path().to_str().unwrap()], parts);
        };
        for section in ["run", "analyzer"] {
            for key in ["min_workers", "max_workers", "worker_step"] {
                for bad in ["-1", "2.5", "true", "\"3\"", "\"many\"", "99999999999"] {
                    refused(&format!("[{section}]\n{key} = {bad}\n"), &[&format!("{section}.{key}"), bad]);
                }
            }
        }
        refused("[run]\nmin_workers = 5\n[analyzer]\nmax_workers = 4\n", &["min_workers = 5", "4 or fewer"]);
    }

    #[test]
    fn a_search_that_makes_no_sense_is_refused_with_what_would_be_right() {
        for (flags, part) in [
            (&["--search", "block"][..], "expected is NAME=LEAST..MOST"),
            (&["--search", ""], "a value is required"),
            (&["--search", "a=0.1..0.9"], "say the step"),
            (&["--search", "a=1..4", "--search-constraint", "b < 2"], "b is none of a"),
            (&["--search", "a=1..4", "--search-budget", "3"], "a budget from 12 to 100000"),
            (&["--search", "a=none,daf"], "none is no number"),
            (&["--search", "a=1..4", "--tunlet", "pipeline"], "search or auto where something is to be searched"),
            (&["--tunlet", "search"], "such as 'block=8..256 step 8'"),
        ] {
            assert_refused(flags, &[part]);
        }
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
