//! `midrun predict cost`: what a computation structure takes, over many runs and over a sweep.

mod source;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use midrun_predict::state_diagram::LEVEL;
use midrun_predict::time_cost::{Bin, Cost, Policy, Structure, SweepPoint, sweep};
use serde_json::{Value, json};

use super::description::{in_file, read};
use crate::picture;
use crate::table::Column::{Left, Right};
use crate::table::table;
use crate::usage::Usage;

/// Characters of the longest bar of a histogram.
const BAR: f64 = 50.0;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The structure (TOML): start, locks, [parameters], [machine], [node.NAME] tables, [sweep]
    #[arg(value_name = "FILE", required_unless_present = "source")]
    file: Option<PathBuf>,
    #[command(flatten)]
    source: source::SourceArgs,
    /// Runs of each combination of a sweep
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Seed: the same gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw the structure: its control graph
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the prediction.
///
/// # Errors
/// A file that cannot be read or understood, a structure that has no cost.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let (file, structure) = match (args.source.structure()?, &args.file) {
        (Some(derived), _) => derived,
        (None, Some(file)) => (file.clone(), read(file, Structure::from_toml)?),
        (None, None) => anyhow::bail!(Usage("name a structure, or a C source by --source".to_owned())),
    };
    if let Some(path) = &args.picture {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        picture::structure::picture(&name, &structure).write(path)?;
    }
    let points = in_file(&file, sweep(&structure, args.runs, args.seed))?;
    let text = match (args.json, points.as_slice()) {
        (true, [only]) => format!("{:#}\n", as_json(only)),
        (true, many) => format!("{:#}\n", json!({"sweep": many.iter().map(as_json).collect::<Vec<_>>()})),
        (false, [only]) => as_text(&only.cost),
        (false, many) => as_table(many),
    };
    crate::usage::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::Equal => "equal",
        Policy::Proportional => "proportional",
        Policy::User => "user",
    }
}

fn as_json(point: &SweepPoint) -> Value {
    let SweepPoint { processors, policy, parameters, cost } = point;
    let bin = |bin: &Bin| json!({"from_s": bin.from_s, "to_s": bin.to_s, "runs": bin.runs});
    let waiting: serde_json::Map<String, Value> =
        cost.waiting_s.iter().map(|(node, time_s)| (node.clone(), json!(time_s))).collect();
    json!({
        "processors": processors, "policy": name(*policy), "parameters": parameters, "runs": cost.runs,
        "mean_s": cost.mean_s, "interval": interval(cost), "exact": cost.interval_s.is_none(), "variance_s2": cost.variance_s2, "minimum_s": cost.minimum_s, "maximum_s": cost.maximum_s,
        "histogram": cost.histogram.iter().map(bin).collect::<Vec<_>>(), "waiting_s": waiting,
    })
}

fn interval(cost: &Cost) -> Option<Value> {
    // An infinite end, after one run, is null.
    cost.interval_s.map(|(low_s, high_s)| json!({"low_s": low_s, "high_s": high_s, "level": LEVEL}))
}

fn as_text(cost: &Cost) -> String {
    let mut text = String::new();
    let _ = match cost.interval_s {
        None => writeln!(text, "mean time: {:.6e} s, exact for this model (nothing is drawn)", cost.mean_s),
        Some(_) if cost.runs == 1 => {
            writeln!(text, "mean time: {:.6e} s in one run, which says nothing of others", cost.mean_s)
        }
        Some((low_s, high_s)) => writeln!(
            text,
            "mean time: {:.6e} s over {} runs, {low_s:.6e} to {high_s:.6e} s with {:.0} % confidence",
            cost.mean_s,
            cost.runs,
            100.0 * LEVEL
        ),
    };
    if cost.interval_s.is_none() {
        text += &waiting(cost);
        return text;
    }
    let _ = writeln!(text, "variance:  {:.6e} s2", cost.variance_s2);
    let _ = writeln!(text, "extremes:  {:.6e} to {:.6e} s", cost.minimum_s, cost.maximum_s);
    text += &waiting(cost);
    let most = cost.histogram.iter().map(|bin| bin.runs).max().unwrap_or(1).max(1);
    if cost.histogram.len() > 1 {
        text.push('\n');
        let row = |bin: &Bin| {
            let bar = "#".repeat((BAR * f64::from(bin.runs) / f64::from(most)).round() as usize);
            vec![format!("{:.5e} s", bin.from_s), bin.runs.to_string(), bar]
        };
        text += &table(&[Right(""), Right(""), Left("")], cost.histogram.iter().map(row));
    }
    text
}

fn waiting(cost: &Cost) -> String {
    cost.waiting_s.iter().map(|(node, time_s)| format!("waiting at {node}: {time_s:.6e} s per run\n")).collect()
}

fn as_table(points: &[SweepPoint]) -> String {
    let times = ["mean s", "+- s", "deviation s", "least s", "most s"].map(Right);
    let row = |SweepPoint { processors, policy, parameters, cost }: &SweepPoint| {
        let values: Vec<String> = parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let half_s = cost.interval_s.map_or(0.0, |(_, high_s)| high_s - cost.mean_s);
        let times_s = [cost.mean_s, half_s, cost.variance_s2.sqrt(), cost.minimum_s, cost.maximum_s];
        let mut cells = vec![processors.to_string(), name(*policy).to_owned()];
        cells.extend(times_s.map(|time_s| format!("{time_s:.6e}")));
        cells.push(values.join(", "));
        cells
    };
    let columns = [&[Right("processors"), Left("policy")], &times[..], &[Left("parameters")]].concat();
    let mut text = table(&columns, points.iter().map(row));
    let _ = writeln!(
        text,
        "+-: half the interval of the mean with {:.0} % confidence; 0 where nothing is drawn",
        100.0 * LEVEL
    );
    text
}
