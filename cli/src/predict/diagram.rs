//! `midrun predict diagram`: the mean time of a program of stages that wait for each other.

use std::path::PathBuf;
use std::process::ExitCode;

use midrun_predict::state_diagram::{Diagram, LEVEL, Prediction, STATE_LIMIT, approximate, exact, proved, simulate_to};
use serde_json::json;

use super::description::{in_file, read};
use crate::picture;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The diagram (TOML): a shape with processes, stages and time, or [[process]] tables
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Solution method
    #[arg(long, value_enum, default_value_t = Method::Proved)]
    method: Method,
    /// Most states that the exact method may look at
    #[arg(long, value_name = "N", default_value_t = STATE_LIMIT)]
    states: u64,
    /// Simulation: as many runs as bring half the interval of the mean below so many percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.1, value_parser = super::limits::percent)]
    within: f64,
    /// Most runs for that
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Seed of the simulation: the same gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw the diagram: its processes, stages and waits
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Method {
    /// Exact where times and states allow it, else simulated to an interval
    Proved,
    /// All states; exponential and Erlang times only (or fixed ones only)
    Exact,
    /// Fixed parts and a few exponential phases; its error, measured by simulation, stands beside it
    Approximate,
    /// Many runs with drawn times
    Simulate,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Proved => "proved",
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
    if let Some(path) = &args.picture {
        let name = args.file.file_stem().unwrap_or_default().to_string_lossy();
        picture::diagram::picture(&name, &diagram).write(path)?;
    }
    let simulated = || simulate_to(&diagram, args.within / 100.0, args.runs, args.seed);
    let mut referee = None;
    let (method, answer) = match args.method {
        Method::Proved => {
            let answer = proved(&diagram, args.states, args.within / 100.0, args.runs, args.seed);
            (if answer.interval_s.is_some() { Method::Simulate } else { Method::Exact }, answer)
        }
        Method::Exact => (Method::Exact, in_file(&args.file, exact(&diagram, args.states))?),
        Method::Approximate => {
            let answer = in_file(&args.file, approximate(&diagram))?;
            referee = Some(simulated());
            (Method::Approximate, answer)
        }
        Method::Simulate => (Method::Simulate, simulated()),
    };
    let answer = Answer { method, answer, referee };
    crate::usage::print(&if args.json { answer.as_json() } else { answer.as_text() })?;
    Ok(ExitCode::SUCCESS)
}

/// An answer, and for an approximation the simulation that tells its error.
struct Answer {
    method: Method,
    answer: Prediction,
    referee: Option<Prediction>,
}

impl Answer {
    /// Least and greatest error, as shares of the simulated mean: its interval is in them.
    fn error(&self) -> Option<(f64, f64)> {
        let (low_s, high_s) = self.referee?.interval_s?;
        Some((self.answer.mean_s / high_s - 1.0, self.answer.mean_s / low_s - 1.0))
    }

    fn as_json(&self) -> String {
        let Prediction { mean_s, states, phases, interval_s } = self.answer;
        let interval = interval_s.map(|(low_s, high_s)| json!({"low_s": low_s, "high_s": high_s, "level": LEVEL}));
        let error = self.error().map(|(low, high)| json!({"low": low, "high": high, "level": LEVEL}));
        let all = json!({
            "mean_s": mean_s, "method": self.method.name(), "states": states, "phases": phases, "interval": interval,
            "error": error,
        });
        format!("{all:#}\n")
    }

    fn as_text(&self) -> String {
        let Prediction { mean_s, states, phases, interval_s } = self.answer;
        let states = states.map_or(String::new(), |states| format!(", {states} states"));
        let phases = phases.map_or(String::new(), |phases| format!(", at most {phases} exponential phases per stage"));
        let level = 100.0 * LEVEL;
        let interval = interval_s.map_or(String::new(), |(low_s, high_s)| {
            format!(", {low_s:.6} to {high_s:.6} s with {level:.0} % confidence")
        });
        let error = self.error().map_or(String::new(), |(low, high)| {
            format!("; off by {:+.2} to {:+.2} % with {level:.0} % confidence", 100.0 * low, 100.0 * high)
        });
        format!("mean time: {mean_s:.6} s ({}{states}{phases}{interval}{error})\n", self.method.name())
    }
}
