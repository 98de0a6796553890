//! `midrun predict`: the performance models, evaluated off line.

mod pipeline;
mod units;
mod workers;

use std::process::ExitCode;

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

/// What can be predicted.
#[derive(clap::Subcommand, Debug)]
enum What {
    /// A Master/Worker program's iteration time for any number of workers, and how many are worth having
    Workers(workers::Args),
    /// A pipeline's period, and the best pattern of replicas and groups for so many ranks
    Pipeline(pipeline::Args),
}

/// Prints the prediction.
///
/// # Errors
/// A value that no program can have.
pub fn main(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Workers(args) => workers::main(&args),
        What::Pipeline(args) => pipeline::main(&args),
    }
}
