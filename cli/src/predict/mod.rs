//! `midrun predict`: the performance models, evaluated off line.

mod cost;
pub mod description;
mod diagram;
mod limits;
mod mapping;
mod pepa;
mod pipeline;
mod program;
mod run;
mod workers;

use std::process::ExitCode;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

/// Kinds of prediction.
#[derive(clap::Subcommand, Debug)]
enum What {
    /// A Master/Worker program's iteration time for any number of workers, and how many are worth having
    Workers(workers::Args),
    /// A pipeline's period, and the best pattern of replicas and groups for so many ranks
    Pipeline(pipeline::Args),
    /// A PEPA model: its states, steady state, throughput and results
    Pepa(pepa::Args),
    /// A pipeline on unequal processors: throughput for each placing of its stages, and the best
    Mapping(mapping::Args),
    /// A program of stages that wait for each other: its mean time, from a state diagram
    Diagram(diagram::Args),
    /// An MPI program on a machine: its time by process and element, and a timeline
    Program(program::Args),
    /// A computation structure (operations, forks, joins, decisions, locks): its time over many runs
    Cost(cost::Args),
    /// A recorded run: its time with other workers, techniques, patterns or links
    Run(run::Args),
}

/// Prints the prediction.
///
/// # Errors
/// A value that no program can have.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Workers(args) => workers::main(&args),
        What::Pipeline(args) => pipeline::main(&args),
        What::Pepa(args) => pepa::main(&args),
        What::Mapping(args) => mapping::main(&args),
        What::Diagram(args) => diagram::main(&args),
        What::Program(args) => program::main(&args),
        What::Cost(args) => cost::main(&args),
        What::Run(args) => run::main(&args),
    }
}
