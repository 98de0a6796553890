//! `midrun predict pipeline`: the period of a pipeline, and the best pattern of replicas and groups for so many ranks.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use midrun_models::pipeline::exact::{self, Grouping, Objective};
use midrun_models::pipeline::production::{Buffers, Production};
use midrun_models::pipeline::{Pattern, Pipeline, search};
use midrun_predict::pipeline::{Description, Varying};
use midrun_predict::program::Precision;
use midrun_predict::state_diagram::LEVEL;
use serde_json::json;

use super::description::{in_file, read};
use crate::table::Column::{Left, Right};
use crate::table::table;
use crate::usage::{Usage, say};

/// Most ranks that are looked at.
const MOST: u32 = 1_000_000;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// TOML file with the network and the stages
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Ranks at hand
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    ranks: u32,
    /// Search for the pattern: the source's greedy search, or the exact optimum
    #[arg(long, value_enum, default_value_t = Search::Exact)]
    search: Search,
    /// Which neighbouring stages may share ranks (exact search only): none, any on one rank, any on any number of ranks
    #[arg(long, value_enum, default_value_t = Groups::Single)]
    groups: Groups,
    /// Objective: `time`, `budget:RANKS`, or, for the exact search only, `efficiency` or `deadline:SECONDS` per output
    #[arg(long, value_parser = objective, default_value = "time")]
    objective: Objective,
    /// Where stage times vary: as many runs as bring half the interval of the period below so many percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = super::limits::percent)]
    within: f64,
    /// Most runs for that
    #[arg(long, value_name = "N", default_value_t = Precision::default().runs, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// First seed of those runs: the same gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum Search {
    Source,
    Exact,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Groups {
    None,
    Single,
    Any,
}

fn objective(text: &str) -> Result<Objective, String> {
    let budget = || text.strip_prefix("budget:")?.parse().ok().filter(|ranks| (1..=MOST).contains(ranks));
    let deadline = || text.strip_prefix("deadline:")?.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0);
    match text {
        "time" => Ok(Objective::Time),
        "efficiency" => Ok(Objective::Efficiency),
        _ => {
            let found = budget().map(Objective::Budget).or_else(|| deadline().map(Objective::Deadline));
            found.ok_or("allowed are time, efficiency, budget:RANKS, deadline:SECONDS".into())
        }
    }
}

/// Prints the prediction.
///
/// # Errors
/// A file or a value that no program can have.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let case = read(&args.file, Description::from_toml)?;
    let pattern = args.pattern(&case.pipeline)?;
    let precision = Precision { share: args.within / 100.0, runs: args.runs };
    let varying = match case.varies() {
        true => Some(in_file(&args.file, case.varying(&pattern, &precision, args.seed))?),
        false => None,
    };
    if let Objective::Deadline(most_s) = args.objective {
        let steady_s = case.pipeline.evaluate(&pattern, case.buffers).period_s;
        let period_s = varying.as_ref().map_or(steady_s, |of| of.period_s);
        if period_s > most_s {
            say(format!(
                "the deadline of {most_s} s is not met with {} ranks: the period is {period_s:.6} s",
                args.ranks
            ));
        }
    }
    let text = if args.json { as_json(&case, &pattern, varying) } else { as_text(&case, &pattern, varying) };
    crate::usage::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn pattern(&self, pipeline: &Pipeline) -> Result<Pattern, Usage> {
        let grouping = match self.groups {
            Groups::None => Grouping::None,
            Groups::Single => Grouping::Single,
            Groups::Any => Grouping::Any,
        };
        let (found, ranks) = match (self.search, self.objective) {
            (Search::Source, Objective::Efficiency | Objective::Deadline(_)) => {
                let sentence =
                    "the source's search knows time and budget only: say --search exact, or --objective time";
                return Err(Usage(sentence.into()));
            }
            (Search::Source, Objective::Budget(most)) => (search::source(pipeline, most.min(self.ranks)), most),
            (Search::Source, Objective::Time) => (search::source(pipeline, self.ranks), self.ranks),
            (Search::Exact, objective) => (exact::optimum(pipeline, self.ranks, grouping, objective), self.ranks),
        };
        found.ok_or_else(|| {
            Usage(format!(
                "{} ranks are too few for {} stages of which none share a rank: give more, or let stages share ranks by \
                 --search exact --groups single",
                ranks.min(self.ranks),
                pipeline.stages.len()
            ))
        })
    }
}

/// What the period rests on. It has no interval, because nothing in it is drawn.
fn assumption(buffers: Buffers) -> &'static str {
    match buffers {
        Buffers::Full => {
            "stage times do not vary, buffers are full; if they vary the period is longer: say so by `deviation`"
        }
        Buffers::Open => {
            "stage times do not vary, buffers have room; if they vary the period is longer: say so by `deviation`"
        }
    }
}

fn as_json(case: &Description, pattern: &Pattern, varying: Option<Varying>) -> String {
    let Production { tr_s, rtr_s, period_s, ranks } = case.pipeline.evaluate(pattern, case.buffers);
    let stage = |k: usize| {
        let group = pattern.group_of(k);
        json!({
            "stage": k, "name": case.names[k], "group": group, "replicas": pattern.0[group].replicas,
            "compute_s": case.pipeline.stages[k].compute_s, "tr_s": tr_s[k], "rtr_s": rtr_s[k],
        })
    };
    let group = |g: &midrun_models::pipeline::Group| json!({"first": g.first, "stages": g.stages, "replicas": g.replicas, "tr_s": case.pipeline.production_s(g)});
    let steady = json!({"period_s": period_s, "exact": true, "interval": null, "assumes": assumption(case.buffers)});
    let period = varying.map_or(steady, |of| {
        let interval = json!({"low_s": of.interval_s.0, "high_s": of.interval_s.1, "level": LEVEL});
        json!({"period_s": of.period_s, "exact": false, "interval": interval, "runs": of.runs, "without_variance_s": period_s})
    });
    let mut all = json!({
        "ranks": ranks, "pattern": pattern.to_string(),
        "replicas": (0..case.names.len()).map(|k| pattern.0[pattern.group_of(k)].replicas).collect::<Vec<_>>(),
        "groups": pattern.0.iter().map(group).collect::<Vec<_>>(),
        "stages": (0..case.names.len()).map(stage).collect::<Vec<_>>(),
    });
    if let (Some(all), serde_json::Value::Object(period)) = (all.as_object_mut(), period) {
        all.extend(period);
    }
    format!("{all:#}\n")
}

fn as_text(case: &Description, pattern: &Pattern, varying: Option<Varying>) -> String {
    let Production { tr_s, rtr_s, period_s, ranks } = case.pipeline.evaluate(pattern, case.buffers);
    let mut text = String::new();
    match varying {
        None => {
            let _ = writeln!(text, "period: {period_s:.6} s, with {ranks} ranks");
            let _ = writeln!(text, "pattern: {pattern}");
            let _ = writeln!(text, "exact for this model: {}\n", assumption(case.buffers));
        }
        Some(Varying { period_s: mean_s, interval_s: (low_s, high_s), runs }) => {
            let level = 100.0 * LEVEL;
            let _ = writeln!(
                text,
                "period: {mean_s:.6} s, {low_s:.6} to {high_s:.6} s with {level:.0} % confidence ({runs} runs), with {ranks} ranks"
            );
            let _ = writeln!(text, "pattern: {pattern}, the best for the mean times");
            let _ = writeln!(text, "if the times did not vary: {period_s:.6} s\n");
        }
    }
    let columns = ["stage", "group", "replicas", "compute s", "Tr s", "rTr s"].map(Right);
    let row = |(k, name): (usize, &String)| {
        let group = pattern.group_of(k);
        let mut cells = vec![k.to_string(), group.to_string(), pattern.0[group].replicas.to_string()];
        cells.extend([case.pipeline.stages[k].compute_s, tr_s[k], rtr_s[k]].map(|time_s| format!("{time_s:.6}")));
        let mark = if tr_s[k] >= period_s { "<- sets the pace" } else { "" };
        cells.extend([name.clone(), mark.to_owned()]);
        cells
    };
    text += &table(&[&columns[..], &[Left("name"), Left("")]].concat(), case.names.iter().enumerate().map(row));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"
        network = { start_up = "2.131ms", per_byte = "93ns", manager = "own-rank" }
        stage = [
            { compute = "100ms", message = "10KB" },
            { compute = "400ms", message = "10KB", name = "denoise" },
            { compute = "300ms", message = "10KB" },
            { compute = "200ms", message = "10KB" },
            { compute = "100ms" },
        ]"#;

    fn args(ranks: u32, search: Search) -> Args {
        let (groups, objective) = (Groups::None, Objective::Time);
        let (within, runs, seed) = (1.0, 100, 1);
        Args { file: PathBuf::new(), ranks, search, groups, objective, within, runs, seed, json: true }
    }

    #[test]
    fn the_json_has_the_worked_values_of_the_source() {
        let case = Description::from_toml(EXAMPLE).unwrap();
        let period = |ranks, search| {
            let text = as_json(&case, &args(ranks, search).pattern(&case.pipeline).unwrap(), None);
            serde_json::from_str::<serde_json::Value>(&text).unwrap()
        };
        let best = period(14, Search::Source);
        assert_eq!((&best["replicas"], &best["ranks"]), (&json!([1, 4, 3, 2, 1]), &json!(14)));
        assert!((best["period_s"].as_f64().unwrap() - 0.102131).abs() < 1e-9);
        let (greedy, exact) = (period(13, Search::Source), period(13, Search::Exact));
        assert!((greedy["period_s"].as_f64().unwrap() - 0.202131).abs() < 1e-9);
        assert!((exact["period_s"].as_f64().unwrap() - 0.134754).abs() < 1e-6);
        assert_eq!((&exact["stages"][1]["name"], &exact["groups"][1]["replicas"]), (&json!("denoise"), &json!(3)));
    }

    #[test]
    fn the_table_names_the_pace_setter() {
        let case = Description::from_toml(EXAMPLE).unwrap();
        let text = as_text(&case, &Pattern::unreplicated(5), None);
        let line = text.lines().find(|line| line.contains("<- sets the pace")).unwrap();
        assert!(line.contains("denoise") && line.contains("0.402131"), "{text}");
        assert!(text.contains("stage times do not vary, buffers"), "{text}");
    }

    #[test]
    fn too_few_ranks_and_an_objective_that_the_search_lacks_are_sentences_and_objectives_are_read() {
        let case = Description::from_toml(EXAMPLE).unwrap();
        let sentence = args(4, Search::Source).pattern(&case.pipeline).unwrap_err().to_string();
        assert!(sentence.contains("4 ranks are too few for 5 stages"), "{sentence}");
        let efficient = Args { objective: Objective::Efficiency, ..args(14, Search::Source) };
        let sentence = efficient.pattern(&case.pipeline).unwrap_err().to_string();
        assert!(sentence.contains("time and budget only") && sentence.contains("--search exact"), "{sentence}");
        assert_eq!(objective("budget:7"), Ok(Objective::Budget(7)));
        assert_eq!(objective("deadline:0.5"), Ok(Objective::Deadline(0.5)));
        assert!(objective("budget:0").is_err() && objective("fast").unwrap_err().contains("efficiency"));
    }
}
