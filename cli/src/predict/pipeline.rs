//! `midrun predict pipeline`: the period of a pipeline, and the best pattern of replicas and groups for so many ranks.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use midrun_models::description;
use midrun_models::pipeline::exact::{self, Grouping, Objective};
use midrun_models::pipeline::production::{Buffers, Production};
use midrun_models::pipeline::{Manager, Network, Pattern, Pipeline, Protocol, Stage, search};
use serde::Deserialize;
use serde_json::json;

use super::description::read;
use super::units::{bytes, seconds};
use crate::usage::Usage;

/// Most ranks and stages that are looked at.
const MOST: u32 = 1_000_000;
const STAGES: usize = 1000;

/// What can be said on the command line.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// TOML file with the network and the stages
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Ranks at hand
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    ranks: u32,
    /// How to look for the pattern: the source's greedy search, or the best there is
    #[arg(long, value_enum, default_value_t = Search::Exact)]
    search: Search,
    /// Which neighbouring stages may share ranks (exact search only): none, any on one rank, any on any number of ranks
    #[arg(long, value_enum, default_value_t = Groups::Single)]
    groups: Groups,
    /// What is best: `time`, `efficiency` (exact search only), or `budget:RANKS`
    #[arg(long, value_parser = objective, default_value = "time")]
    objective: Objective,
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
    match text {
        "time" => Ok(Objective::Time),
        "efficiency" => Ok(Objective::Efficiency),
        _ => budget().map(Objective::Budget).ok_or("allowed are time, efficiency, budget:RANKS".into()),
    }
}

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    network: NetworkTable,
    stage: Vec<StageTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkTable {
    start_up: String,
    per_byte: String,
    #[serde(default)]
    protocol: ProtocolName,
    #[serde(default)]
    manager: ManagerName,
    #[serde(default)]
    buffers: BuffersName,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageTable {
    name: Option<String>,
    compute: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    stateful: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum ProtocolName {
    #[default]
    Async,
    Sync,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum ManagerName {
    #[default]
    Sender,
    OwnRank,
    SharedRank,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum BuffersName {
    #[default]
    Full,
    Open,
}

/// A manager that shares a rank: the middle of what the source allows, with Linux's usual turn.
const SHARED: Manager = Manager::SharedRank { quantum_s: 4e-3, quanta: 1.0, slowing: 0.5 };

/// What the file says, checked.
struct Case {
    pipeline: Pipeline,
    names: Vec<String>,
    buffers: Buffers,
}

impl Case {
    fn parse(text: &str) -> Result<Case, String> {
        let file: File = description::parse(text).map_err(|error| error.to_string())?;
        if file.stage.len() > STAGES {
            return Err(format!("{} stages are too many: at most {STAGES} are looked at", file.stage.len()));
        }
        let value = |key: &str, text: &str, read: fn(&str) -> Result<f64, String>| {
            read(text).map_err(|allowed| format!("{key} = \"{text}\": {allowed}"))
        };
        let network = Network {
            start_up_s: value("start_up", &file.network.start_up, seconds)?,
            per_byte_s: value("per_byte", &file.network.per_byte, seconds)?,
            protocol: match file.network.protocol {
                ProtocolName::Async => Protocol::Async,
                ProtocolName::Sync => Protocol::Sync,
            },
        };
        let stage = |(k, table): (usize, &StageTable)| {
            let key = |name: &str| format!("stage {k}: {name}");
            Ok(Stage {
                compute_s: value(&key("compute"), &table.compute, seconds)?,
                message_bytes: table.message.as_ref().map_or(Ok(0.0), |text| value(&key("message"), text, bytes))?,
                stateful: table.stateful,
            })
        };
        let stages = file.stage.iter().enumerate().map(stage).collect::<Result<_, String>>()?;
        let manager = match file.network.manager {
            ManagerName::Sender => Manager::Sender,
            ManagerName::OwnRank => Manager::OwnRank,
            ManagerName::SharedRank => SHARED,
        };
        let pipeline = Pipeline { manager, ..Pipeline::new(stages, network) }.checked().map_err(|e| e.to_string())?;
        let names = file.stage.into_iter().map(|table| table.name.unwrap_or_default()).collect();
        let buffers = match file.network.buffers {
            BuffersName::Full => Buffers::Full,
            BuffersName::Open => Buffers::Open,
        };
        Ok(Case { pipeline, names, buffers })
    }
}

/// Prints the prediction.
///
/// # Errors
/// A file or a value that no program can have.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let case = read(&args.file, Case::parse)?;
    let pattern = args.pattern(&case.pipeline)?;
    let text = if args.json { case.as_json(&pattern) } else { case.as_text(&pattern) };
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
            (Search::Source, Objective::Efficiency) => {
                let sentence = "the source's search knows no efficiency: say --search exact, or --objective time";
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

impl Case {
    fn as_json(&self, pattern: &Pattern) -> String {
        let Production { tr_s, rtr_s, period_s, ranks } = self.pipeline.evaluate(pattern, self.buffers);
        let stage = |k: usize| {
            let group = pattern.group_of(k);
            json!({
                "stage": k, "name": self.names[k], "group": group, "replicas": pattern.0[group].replicas,
                "compute_s": self.pipeline.stages[k].compute_s, "tr_s": tr_s[k], "rtr_s": rtr_s[k],
            })
        };
        let group = |g: &midrun_models::pipeline::Group| json!({"first": g.first, "stages": g.stages, "replicas": g.replicas, "tr_s": self.pipeline.production_s(g)});
        let all = json!({
            "period_s": period_s, "ranks": ranks, "pattern": pattern.to_string(),
            "replicas": (0..self.names.len()).map(|k| pattern.0[pattern.group_of(k)].replicas).collect::<Vec<_>>(),
            "groups": pattern.0.iter().map(group).collect::<Vec<_>>(),
            "stages": (0..self.names.len()).map(stage).collect::<Vec<_>>(),
        });
        format!("{all:#}\n")
    }

    fn as_text(&self, pattern: &Pattern) -> String {
        let Production { tr_s, rtr_s, period_s, ranks } = self.pipeline.evaluate(pattern, self.buffers);
        let mut text = String::new();
        let _ = writeln!(text, "period: {period_s:.6} s, with {ranks} ranks");
        let _ = writeln!(text, "pattern: {pattern}\n");
        let _ = writeln!(
            text,
            "{:>5} {:>6} {:>8} {:>12} {:>12} {:>12}",
            "stage", "group", "replicas", "compute s", "Tr s", "rTr s"
        );
        for (k, name) in self.names.iter().enumerate() {
            let group = pattern.group_of(k);
            let (compute_s, replicas) = (self.pipeline.stages[k].compute_s, pattern.0[group].replicas);
            let mark = if tr_s[k] >= period_s { "<- sets the pace" } else { "" };
            let line = format!(
                "{k:>5} {group:>6} {replicas:>8} {compute_s:>12.6} {:>12.6} {:>12.6}  {name} {mark}",
                tr_s[k], rtr_s[k]
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
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
        Args { file: PathBuf::new(), ranks, search, groups, objective, json: true }
    }

    #[test]
    fn the_json_has_the_worked_values_of_the_source() {
        let case = Case::parse(EXAMPLE).unwrap();
        let period = |ranks, search| {
            let text = case.as_json(&args(ranks, search).pattern(&case.pipeline).unwrap());
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
        let case = Case::parse(EXAMPLE).unwrap();
        let text = case.as_text(&Pattern::unreplicated(5));
        let line = text.lines().find(|line| line.contains("<- sets the pace")).unwrap();
        assert!(line.contains("denoise") && line.contains("0.402131"), "{text}");
    }

    #[test]
    fn a_file_that_makes_no_sense_is_answered_by_what_and_where() {
        let change = |from: &str, to: &str| Case::parse(&EXAMPLE.replacen(from, to, 1)).err().unwrap();
        assert!(change("\"100ms\"", "\"100\"").contains("stage 0: compute = \"100\": allowed is a time"));
        assert!(change("10KB", "ten").contains("message = \"ten\": allowed is a size"));
        assert!(change("own-rank", "boss").contains("line 2, column 72: unknown variant `boss`"));
        assert!(change("compute", "computes").contains("unknown field `computes`"));
        assert!(Case::parse("").err().unwrap().contains("network"));
        assert!(
            Case::parse("network = { start_up = \"0\", per_byte = \"0\" }\nstage = []")
                .err()
                .unwrap()
                .contains("stages")
        );
    }

    #[test]
    fn too_few_ranks_and_an_objective_that_the_search_lacks_are_sentences_and_objectives_are_read() {
        let case = Case::parse(EXAMPLE).unwrap();
        let sentence = args(4, Search::Source).pattern(&case.pipeline).unwrap_err().to_string();
        assert!(sentence.contains("4 ranks are too few for 5 stages"), "{sentence}");
        let efficient = Args { objective: Objective::Efficiency, ..args(14, Search::Source) };
        let sentence = efficient.pattern(&case.pipeline).unwrap_err().to_string();
        assert!(sentence.contains("no efficiency") && sentence.contains("--search exact"), "{sentence}");
        assert_eq!(objective("budget:7"), Ok(Objective::Budget(7)));
        assert!(objective("budget:0").is_err() && objective("fast").unwrap_err().contains("efficiency"));
    }
}
