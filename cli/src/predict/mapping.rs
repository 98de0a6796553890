//! `midrun predict mapping`: throughput of a pipeline for each way to place its stages.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use midrun_predict::mapping::{Description, Effort, Evaluation, Evaluator, Found, best, cycle_bound, search};
use midrun_predict::markov::Method;
use midrun_predict::pepa::Limits;
use serde_json::{Value, json};

use super::description::{in_file, read};
use super::limits::LimitArgs;
use crate::table::Column::{Left, Right};
use crate::table::table;
use crate::usage::Usage;

/// Most proposals of a search that the readable answer lists.
const PROPOSALS: usize = 10;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The description, in the format of AMoGeT
    #[arg(value_name = "FILE.des")]
    file: PathBuf,
    /// Propose mappings, beside those that the file lists
    #[arg(long)]
    search: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything there is to say.
struct Answer {
    listed: Vec<(Evaluation, f64)>,
    found: Option<Found>,
    best: Evaluation,
}

/// Prints the prediction.
///
/// # Errors
/// A description that cannot be read, or no mapping in it; a model too large.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let description = read(&args.file, Description::parse)?;
    let answer = in_file(&args.file, answer(description, args.search, args.limits.limits()))?;
    crate::usage::print(&if args.json { as_json(&answer) } else { as_text(&answer) })?;
    Ok(ExitCode::SUCCESS)
}

fn answer(description: Description, proposing: bool, limits: Limits) -> Result<Answer, Usage> {
    let usage = |error: &dyn std::fmt::Display| Usage(error.to_string());
    let Description { pipeline, ends, mappings } = description;
    let mut evaluator = Evaluator::new(pipeline.clone(), limits);
    let mut listed = Vec::new();
    for mapping in &mappings {
        let evaluation = evaluator.evaluate(mapping).map_err(|error| usage(&error))?;
        listed.push((evaluation, cycle_bound(&pipeline, mapping).map_err(|error| usage(&error))?));
    }
    let found = match proposing {
        true => Some(search(&mut evaluator, ends, &Effort::default()).map_err(|error| usage(&error))?),
        false => None,
    };
    let proposed = found.iter().flat_map(|found| found.evaluated.iter());
    let all: Vec<Evaluation> = listed.iter().map(|(one, _)| one).chain(proposed).cloned().collect();
    let Some(best) = best(&all).cloned() else {
        let sentence = "the file lists no mappings; add mappings = [1,(1,2,3),3], … or say --search";
        return Err(Usage(sentence.to_owned()));
    };
    Ok(Answer { listed, found, best })
}

fn one(evaluation: &Evaluation) -> Value {
    let Evaluation { mapping, throughput, states, transitions, method } = evaluation;
    let from_1: Vec<usize> = mapping.stages.iter().map(|place| place + 1).collect();
    json!({
        "mapping": from_1, "input": mapping.input + 1, "output": mapping.output + 1,
        "throughput": throughput, "states": states, "transitions": transitions, "exact": *method == Method::Direct,
    })
}

fn as_json(answer: &Answer) -> String {
    let mut all = json!({
        "mappings": answer.listed.iter().map(|(evaluation, _)| one(evaluation)).collect::<Vec<_>>(),
        "best": one(&answer.best),
    });
    if let Some(found) = &answer.found {
        all["search"] = json!({
            "proposals": found.evaluated.iter().map(one).collect::<Vec<_>>(),
            "examined": found.examined, "exhaustive": found.exhaustive,
            "bound": found.bound, "optimal": found.is_optimal(),
        });
    }
    format!("{all:#}\n")
}

/// How far a throughput may be off. It has no interval, because nothing in it is drawn.
fn error(evaluation: &Evaluation) -> &'static str {
    match evaluation.method {
        Method::Direct => "exact up to rounding for exponential times",
        Method::Iterative => "for exponential times, with an estimated error of all probabilities together below 1e-9",
    }
}

fn as_text(answer: &Answer) -> String {
    let mut text = String::new();
    let best = &answer.best;
    let _ = writeln!(text, "best: {}  {:.5} inputs/s", best.mapping, best.throughput);
    let _ = writeln!(text, "{} states, {} transitions each; {}", best.states, best.transitions, error(best));
    if !answer.listed.is_empty() {
        let row = |(evaluation, bound): &(Evaluation, f64)| {
            let Evaluation { mapping, throughput, .. } = evaluation;
            let mark = if evaluation == best { "<- best" } else { "" };
            vec![format!("{throughput:.5}"), format!("{bound:.5}"), mapping.to_string(), mark.to_owned()]
        };
        let columns = [Right("inputs/s"), Right("at most"), Left("listed mapping"), Left("")];
        let _ = write!(text, "\n{}", table(&columns, answer.listed.iter().map(row)));
    }
    if let Some(found) = &answer.found {
        let how = if found.exhaustive { "all mappings" } else { "local search" };
        let _ = writeln!(text, "\nsearch: {how}, {} examined, {} solved", found.examined, found.evaluated.len());
        let top = found.evaluated.first().map_or(0.0, |top| top.throughput);
        let _ = match found.is_optimal() {
            true => writeln!(text, "no mapping is better"),
            false => writeln!(
                text,
                "no mapping does more than {:.5} inputs/s: at most {:.1} % is left",
                found.bound,
                100.0 * (found.bound / top - 1.0)
            ),
        };
        let row =
            |evaluation: &Evaluation| vec![format!("{:.5}", evaluation.throughput), evaluation.mapping.to_string()];
        text += &table(&[Right("inputs/s"), Left("mapping")], found.evaluated.iter().take(PROPOSALS).map(row));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = include_str!("../../../examples/models/pipeline.des");

    fn parsed(text: &str) -> Description {
        Description::parse(text).unwrap()
    }

    #[test]
    fn the_json_has_every_candidate_and_the_best() {
        let said = as_json(&answer(parsed(SOURCE), false, Limits::default()).unwrap());
        let all: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(all["best"]["mapping"], json!([1, 1, 2]));
        assert!((all["best"]["throughput"].as_f64().unwrap() - 2.59914).abs() < 0.000_005);
        assert_eq!(all["mappings"].as_array().unwrap().len(), 4);
        assert_eq!((&all["mappings"][0]["states"], &all["mappings"][0]["transitions"]), (&json!(27), &json!(51)));
    }

    #[test]
    fn without_mappings_it_takes_a_search_which_proves_the_sources_best() {
        let none = SOURCE.lines().filter(|line| !line.starts_with("mappings")).collect::<Vec<_>>().join("\n");
        let refused = answer(parsed(&none), false, Limits::default()).err().unwrap().to_string();
        assert!(refused.contains("say --search"), "{refused}");
        let found = answer(parsed(&none), true, Limits::default()).unwrap();
        assert!(found.found.as_ref().unwrap().is_optimal());
        let text = as_text(&found);
        assert!(text.starts_with("best: [1,(1,1,2),2]  2.59914 inputs/s\n"), "{text}");
        assert!(text.contains("27 examined") && text.contains("no mapping is better"), "{text}");
    }

    #[test]
    fn the_guides_mapping_says_what_the_guide_says() {
        let guide = include_str!("../../../docs/predict-pepa.md");
        let said = as_text(&answer(parsed(SOURCE), false, Limits::default()).unwrap());
        for line in said.lines().filter(|line| !line.is_empty()) {
            assert!(guide.contains(line), "the guide lacks:\n{line}\nof\n{said}");
        }
    }
}
