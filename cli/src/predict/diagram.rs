//! `midrun predict diagram`: the mean time of a program of stages that wait for each other.

use std::path::PathBuf;
use std::process::ExitCode;

use midrun_predict::state_diagram::{Diagram, LEVEL, Prediction, STATE_LIMIT, approximate, exact, simulate};
use serde_json::json;

use super::description::{in_file, read};

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The diagram (TOML): a shape with processes, stages and time, or [[process]] tables
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Solution method
    #[arg(long, value_enum, default_value_t = Method::Approximate)]
    method: Method,
    /// Most states that the exact method may look at
    #[arg(long, value_name = "N", default_value_t = STATE_LIMIT)]
    states: u64,
    /// Runs of the simulation
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Seed of the simulation: the same gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Method {
    /// All states; exponential and Erlang times only (or fixed ones only)
    Exact,
    /// Fixed parts and a few exponential phases
    Approximate,
    /// Many runs with drawn times
    Simulate,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Approximate => "approximate",
            Method::Simulate => "simulate",
        }
    }
}

/// Prints the prediction.
///
/// # Errors
/// A file that cannot be read or understood, a diagram that the method has no answer for.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let diagram = read(&args.file, Diagram::from_toml)?;
    let answer = match args.method {
        Method::Exact => in_file(&args.file, exact(&diagram, args.states))?,
        Method::Approximate => in_file(&args.file, approximate(&diagram))?,
        Method::Simulate => simulate(&diagram, args.runs, args.seed),
    };
    let text = if args.json { as_json(args.method, &answer) } else { as_text(args.method, &answer) };
    crate::usage::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(method: Method, answer: &Prediction) -> String {
    let interval = answer.interval_s.map(|(low_s, high_s)| json!({"low_s": low_s, "high_s": high_s, "level": LEVEL}));
    let all = json!({
        "mean_s": answer.mean_s, "method": method.name(), "states": answer.states, "phases": answer.phases,
        "interval": interval,
    });
    format!("{all:#}\n")
}

fn as_text(method: Method, answer: &Prediction) -> String {
    let mean = format!("mean time: {:.6} s ({}", answer.mean_s, method.name());
    let states = answer.states.map_or(String::new(), |states| format!(", {states} states"));
    let phases =
        answer.phases.map_or(String::new(), |phases| format!(", at most {phases} exponential phases per stage"));
    let interval = answer.interval_s.map_or(String::new(), |(low_s, high_s)| {
        format!(", {low_s:.6} to {high_s:.6} s with {:.0} % confidence", 100.0 * LEVEL)
    });
    format!("{mean}{states}{phases}{interval})\n")
}
