//! The `midrun` command: starts jobs under tuning, controls and explains them, and runs the two daemons. It is a library so that the
//! targets of `tests/fuzz` reach its readers; the program does nothing but call it.

mod agent;
mod analyzer;
mod args;
mod certificates;
mod chart;
mod control;
#[cfg(any(test, fuzzing))]
pub mod damaged;
mod descriptors;
mod exec;
mod explain;
mod export;
mod figures;
mod help;
mod history;
mod inspect;
mod job_file;
mod launch;
mod logging;
mod memory;
mod metrics;
mod numbers;
mod page;
mod picture;
mod predict;
mod published_jobs;
mod raw_words;
mod readiness;
mod recording;
mod replay;
mod report;
mod run;
mod run_file;
mod runtime_dir;
mod secret_file;
mod settings;
mod signals;
mod standing_agent;
mod summary;
mod sweep;
mod table;
mod text_file;
mod tls_flags;
mod top;
mod tuning_flags;
mod tunlet_files;
mod usage;

use std::process::ExitCode;

use args::Command;

/// Parses the command line, runs the subcommand, and exits with its code.
pub fn main() -> ExitCode {
    let command = match args::parse() {
        Ok(command) => command,
        Err(code) => return code,
    };
    let done = match command {
        Command::Run(args) => run::main(*args),
        Command::Exec(args) => exec::main(args),
        Command::Agent(args) => agent::main(args),
        Command::Analyzer(args) => analyzer::main(args),
        Command::Certificates(args) => certificates::main(&args),
        Command::Predict(args) => predict::main(args),
        Command::Top(args) => top::main(args),
        Command::Status(args) => control::status(&args),
        Command::Set(args) => control::set(&args),
        Command::Freeze(args) => control::freeze(&args),
        Command::Pause(args) => control::pause(&args),
        Command::Resume(args) => control::resume(&args),
        Command::Replay(args) => replay::main(&args),
        Command::Sweep(args) => sweep::main(&args),
        Command::Report(args) => report::main(&args),
        Command::Export(args) => export::main(&args),
        Command::Explain(args) => explain::main(&args),
        Command::History(args) => history::main(&args),
        Command::Inspect(args) => inspect::main(&args),
        Command::Completions(args) => help::completions(&args, args::command()),
        Command::Man(args) => help::man(&args, args::command()),
    };
    match done {
        Ok(code) => code,
        Err(error) => usage::end_with(&error),
    }
}
