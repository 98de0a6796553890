//! `midrun predict pepa`: a PEPA model's states, steady state and results.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use midrun_predict::markov::{Method, Options};
use midrun_predict::pepa::{Limits, Model, Solution, StateSpace};
use serde_json::{Map, Value, json};

use super::description::{in_file, read};
use super::limits::LimitArgs;
use crate::table::Column::{Left, Right};
use crate::table::table;

/// Most components whose states the readable answer lists.
const COMPONENTS: usize = 12;

/// Most states that are solved by state reduction, which keeps each probability's relative precision whatever the rates; it takes some
/// seconds here, and the cube of the number beyond.
const DIRECT_UP_TO: usize = 3000;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The model, in the PEPA Workbench's language
    #[arg(value_name = "FILE.pepa")]
    file: PathBuf,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the prediction.
///
/// # Errors
/// A model that cannot be read, derived or solved.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let model = read(&args.file, Model::parse)?;
    crate::usage::print(&in_file(&args.file, answer(&model, &args.limits.limits(), args.json))?)?;
    Ok(ExitCode::SUCCESS)
}

fn answer(model: &Model, limits: &Limits, json: bool) -> Result<String, midrun_predict::pepa::Error> {
    let space = model.derive(limits)?;
    let solution = space.solve(&Options { direct_up_to: DIRECT_UP_TO, ..Options::default() })?;
    Ok(if json { as_json(&space, &solution) } else { as_text(&space, &solution) })
}

fn method(solution: &Solution<'_>) -> &'static str {
    match solution.steady().method {
        Method::Direct => "direct",
        Method::Iterative => "iterative",
    }
}

fn object<'n>(pairs: impl IntoIterator<Item = (&'n str, f64)>) -> Value {
    Value::Object(pairs.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>())
}

fn as_json(space: &StateSpace, solution: &Solution<'_>) -> String {
    let shares = solution.utilisation().into_iter().enumerate();
    let utilisation: Vec<Value> = (shares.zip(space.components()))
        .map(|((index, shares), name)| {
            let states = space.local_states(index).iter().map(String::as_str).zip(shares);
            json!({"component": name, "states": object(states)})
        })
        .collect();
    let all = json!({
        "states": space.states(),
        "transitions": space.transitions(),
        "results": object(solution.results()),
        "throughput": object(solution.throughput()),
        "utilisation": utilisation,
        "method": method(solution),
        "residual": solution.steady().residual,
        "sweeps": solution.steady().sweeps,
        "warnings": space.warnings(),
    });
    format!("{all:#}\n")
}

fn as_text(space: &StateSpace, solution: &Solution<'_>) -> String {
    let mut text = String::new();
    for warning in space.warnings() {
        let _ = writeln!(text, "warning: {warning}");
    }
    let (states, transitions) = (space.states(), space.transitions());
    let steady = solution.steady();
    let sweeps = if steady.sweeps > 0 { format!(", {} sweeps", steady.sweeps) } else { String::new() };
    let _ = writeln!(text, "{states} states, {transitions} transitions");
    let error = match steady.method {
        Method::Direct => "exact up to rounding",
        Method::Iterative => "estimated error of all probabilities together below 1e-9",
    };
    let _ = writeln!(text, "steady state: {}{sweeps}, {error}, residual {:.1e}\n", method(solution), steady.residual);
    for (name, value) in solution.results() {
        let _ = writeln!(text, "{name} = {value:.6}");
    }
    let throughput =
        solution.throughput().into_iter().map(|(name, value)| vec![name.to_owned(), format!("{value:.6}")]);
    let _ = write!(text, "\n{}\n", table(&[Left("action"), Right("per second")], throughput));
    let all = solution.utilisation();
    // Copies of an array are alike: one line for all of them.
    let lines: Vec<_> =
        space.components().enumerate().filter(|(index, _)| space.copies(*index).start == *index).collect();
    let components = lines.iter().take(COMPONENTS).map(|(index, name)| {
        let copies = space.copies(*index).len();
        let name = if copies > 1 { format!("{name}[{copies}]") } else { (*name).to_owned() };
        let shares = space.local_states(*index).iter().zip(&all[*index]);
        vec![name, shares.map(|(state, share)| format!("{state} {share:.4}")).collect::<Vec<_>>().join("  ")]
    });
    text += &table(&[Left("component"), Left("share of the time in each state")], components);
    if lines.len() > COMPONENTS {
        let _ = writeln!(text, "and {} more: --json has them all", lines.len() - COMPONENTS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_has_states_transitions_and_results() {
        let text = include_str!("../../../examples/models/pipeline.pepa");
        let all: Value =
            serde_json::from_str(&answer(&Model::parse(text).unwrap(), &Limits::default(), true).unwrap()).unwrap();
        assert_eq!((&all["states"], &all["transitions"]), (&json!(27), &json!(51)));
        assert!((all["results"]["Throughput"].as_f64().unwrap() - 5.63467).abs() < 0.000_005);
        assert_eq!(all["utilisation"].as_array().unwrap().len(), 7);
    }

    #[test]
    fn the_guides_example_says_what_the_guide_says() {
        let text = include_str!("../../../examples/models/server.pepa");
        let guide = include_str!("../../../docs/predict-pepa.md");
        let said = answer(&Model::parse(text).unwrap(), &Limits::default(), false).unwrap();
        // The residual is rounding, which differs from machine to machine.
        for line in said.lines().filter(|line| !line.is_empty() && !line.contains("residual")) {
            assert!(guide.contains(line), "the guide lacks:\n{line}\nof\n{said}");
        }
    }
}
