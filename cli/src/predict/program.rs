//! `midrun predict program`: an MPI program simulated on a machine, as times and as a timeline.

mod learn;
mod page;

use std::fmt::Write;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use midrun_predict::program::{
    Activity, ElementTimes, Estimate, Machine, Options, Outcome, Precision, ProcessTimes, Program, Times, estimate,
};
use midrun_predict::state_diagram::LEVEL;
use serde_json::{Value, json};

use super::description::{in_file, read};
use crate::page::Target;
use crate::picture::{self, Picture};
use crate::table::Column::{self, Left, Right};
use crate::table::table;
use crate::usage::Usage;
use page::Content;

/// Most pieces of a timeline that is written; viewers become slow beyond.
const SPANS: usize = 1_000_000;
/// Most processes that the readable answer lists.
const PROCESSES: usize = 16;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program (TOML): processes, run, [parameters], [element.NAME] tables
    #[arg(value_name = "FILE", required_unless_present = "from")]
    file: Option<PathBuf>,
    /// The machine (TOML): [[node]] tables, [inside] and [between] them
    #[arg(long, value_name = "FILE", required_unless_present = "from")]
    machine: Option<PathBuf>,
    /// Learn a program's description from a recording, with the parameters of its run; may be repeated
    #[arg(long, value_name = "RECORDING[,NAME=VALUE…]", value_parser = learn::from, conflicts_with_all = ["file", "machine", "set", "trace"])]
    from: Vec<learn::From>,
    /// Write what was learnt to PREFIX.toml and PREFIX.machine.toml
    #[arg(long, value_name = "PREFIX", requires = "from")]
    to: Option<PathBuf>,
    /// Another value for a parameter of the program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, f64)>,
    /// First seed of what is drawn: the same gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where costs are drawn: as many runs as bring half the interval of the mean time below so many percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = super::limits::percent)]
    within: f64,
    /// Most runs for that
    #[arg(long, value_name = "N", default_value_t = Precision::default().runs, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Most events of all runs; beyond, the first run stops and says where, and no further one begins
    #[arg(long, value_name = "N", default_value_t = Options::default().events, value_parser = clap::value_parser!(u64).range(1..))]
    events: u64,
    /// Write the timeline for Perfetto or chrome://tracing (trace events, JSON)
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Draw the program: its elements, their ranks, messages and cost functions
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Write a page with charts of the answer, and the picture
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn setting(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().parse::<f64>()));
    match parts {
        Some((name, Ok(value))) if !name.is_empty() && value.is_finite() => Ok((name, value)),
        _ => Err("allowed is NAME=VALUE with a number, such as workers=16".to_owned()),
    }
}

/// Prints the prediction.
///
/// # Errors
/// Files that cannot be read, understood or written, a program that does not come to its end.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let spans = if args.trace.is_some() { SPANS } else { 0 };
    let options = Options { seed: args.seed, spans, events: args.events };
    let precision = Precision { share: args.within / 100.0, runs: args.runs };
    let target = args.report.as_deref().map(|path| Target::new("--report", path)).transpose()?;
    let (Some(file), Some(machine)) = (&args.file, &args.machine) else {
        let answer = learn::learnt(&args.from, args.to.as_deref(), (&options, &precision))?;
        if args.draws() {
            let picture = answer.picture()?;
            args.draw(target, &picture, answer.content(&picture))?;
        }
        crate::usage::print(&if args.json { answer.as_json() } else { answer.as_text() })?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut program = read(file, Program::from_toml)?;
    let machine = read(machine, Machine::from_toml)?;
    for (name, value) in &args.set {
        in_file(file, program.set(name, *value))?;
    }
    let answer = in_file(file, estimate(&program, &machine, &options, &precision))?;
    let outcome = &answer.outcome;
    if let Some(path) = &args.trace {
        write_trace(path, outcome).map_err(|error| Usage(format!("--trace {}: {error}", path.display())))?;
    }
    if args.draws() {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let picture = in_file(file, picture::program::picture(&name, &program, &machine))?;
        args.draw(target, &picture, content(&name, &answer, &picture))?;
    }
    crate::usage::print(&if args.json { as_json(&answer) } else { as_text(&answer) })?;
    if outcome.cut {
        crate::usage::say(format!("the timeline was cut after {SPANS} pieces"));
    }
    if outcome.unreceived > 0 {
        crate::usage::say(format!("{} messages were sent that nobody received", outcome.unreceived));
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn draws(&self) -> bool {
        self.picture.is_some() || self.report.is_some()
    }

    /// Writes the picture and the page, as far as they are asked for.
    fn draw(&self, target: Option<Target>, picture: &Picture, content: Content<'_>) -> anyhow::Result<()> {
        self.picture.as_deref().map_or(Ok(()), |path| picture.write(path))?;
        target.map_or(Ok(()), |target| target.write(&page::page(&content)))
    }
}

fn content<'a>(name: &str, answer: &'a Estimate, picture: &'a Picture) -> Content<'a> {
    let text = as_text(answer);
    let lines = text.lines().take(2).map(str::to_owned).collect();
    Content { name: name.to_owned(), lines, picture, outcome: Some(&answer.outcome), runs: Vec::new(), text }
}

fn times(of: &Times) -> Value {
    json!({"compute_s": of.compute_s, "communication_s": of.communication_s, "waiting_s": of.waiting_s})
}

fn as_json(answer: &Estimate) -> String {
    let outcome = &answer.outcome;
    let process = |(rank, of): (usize, &ProcessTimes)| json!({"rank": rank, "node": of.node, "end_s": of.end_s, "times": times(&of.times)});
    let element = |of: &ElementTimes| json!({"name": of.name, "count": of.count, "times": times(&of.times)});
    let interval = answer.interval_s.map(|(low_s, high_s)| json!({"low_s": low_s, "high_s": high_s, "level": LEVEL}));
    let all = json!({
        "total_s": outcome.total_s, "interval": interval, "runs": answer.runs, "exact": answer.interval_s.is_none(), "events": outcome.events, "unreceived": outcome.unreceived,
        "processes": outcome.processes.iter().enumerate().map(process).collect::<Vec<_>>(),
        "elements": outcome.elements.iter().map(element).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

/// Titles of [`cells`].
const TIMES: [Column; 3] = [Right("compute s"), Right("communication s"), Right("waiting s")];

/// Time by activity, seconds.
fn cells(of: &Times) -> [String; 3] {
    [of.compute_s, of.communication_s, of.waiting_s].map(|time_s| format!("{time_s:.6}"))
}

fn as_text(answer: &Estimate) -> String {
    let outcome = &answer.outcome;
    let mut text = String::new();
    let processes = outcome.processes.len();
    let compute_s: f64 = outcome.processes.iter().map(|of| of.times.compute_s).sum();
    let share = 100.0 * compute_s / (outcome.total_s * processes as f64).max(f64::MIN_POSITIVE);
    let interval = match answer.interval_s {
        Some((low_s, high_s)) => {
            let runs = answer.runs;
            format!("{low_s:.6} to {high_s:.6} s with {:.0} % confidence ({runs} runs)", 100.0 * LEVEL)
        }
        None => "exact for this model (nothing is drawn)".to_owned(),
    };
    let _ = writeln!(text, "total time: {:.6} s, {interval}", outcome.total_s);
    let _ = writeln!(text, "{processes} processes, {share:.1} % of it computing");
    let element = |of: &ElementTimes| [&[of.name.clone(), of.count.to_string()], &cells(&of.times)[..]].concat();
    let elements = outcome.elements.iter().filter(|of| of.times.sum_s() > 0.0).map(element);
    let titles = [&[Left("element"), Right("passages")], &TIMES[..]].concat();
    let _ = write!(text, "\n{}\n", table(&titles, elements));
    let process = |(rank, of): (usize, &ProcessTimes)| {
        let process = [rank.to_string(), of.node.to_string(), format!("{:.6}", of.end_s)];
        [&process[..], &cells(&of.times)].concat()
    };
    let titles = [&[Right("process"), Right("node"), Right("end s")], &TIMES[..]].concat();
    text += &table(&titles, outcome.processes.iter().enumerate().take(PROCESSES).map(process));
    if processes > PROCESSES {
        let _ = writeln!(text, "and {} more: --json has them all", processes - PROCESSES);
    }
    text
}

/// The timeline as trace events: a node is their process, a rank their thread; times in microseconds.
fn write_trace(path: &Path, outcome: &Outcome) -> std::io::Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    trace(&mut file, outcome)?;
    file.flush()
}

fn trace(out: &mut impl std::io::Write, outcome: &Outcome) -> std::io::Result<()> {
    writeln!(out, "{{\"displayTimeUnit\": \"ms\", \"traceEvents\": [")?;
    let mut last = None;
    for (rank, of) in outcome.processes.iter().enumerate() {
        if last != Some(of.node) {
            let name = json!({"name": format!("node {}", of.node)});
            writeln!(out, "{},", json!({"ph": "M", "name": "process_name", "pid": of.node, "args": name}))?;
            last = Some(of.node);
        }
        let name = json!({"name": format!("rank {rank}")});
        let event = json!({"ph": "M", "name": "thread_name", "pid": of.node, "tid": rank, "args": name});
        writeln!(out, "{event},")?;
    }
    for span in &outcome.spans {
        let category = match span.activity {
            Activity::Compute => "compute",
            Activity::Communication => "communication",
            Activity::Waiting => "waiting",
        };
        let name = &outcome.elements[span.element].name;
        // Colours by name: waiting must not look like the element's work.
        let name = if span.activity == Activity::Waiting { format!("{name}: waiting") } else { name.clone() };
        let event = json!({
            "ph": "X", "name": name, "cat": category, "pid": outcome.processes[span.process].node, "tid": span.process,
            "ts": 1e6 * span.from_s, "dur": 1e6 * (span.to_s - span.from_s),
        });
        writeln!(out, "{event},")?;
    }
    let end = json!({"ph": "i", "s": "g", "name": "end", "pid": 0, "tid": 0, "ts": 1e6 * outcome.total_s});
    writeln!(out, "{end}\n]}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(spans: usize) -> Estimate {
        let program = Program::from_toml(include_str!("../../../examples/models/stencil.toml")).unwrap();
        let machine = Machine::from_toml(include_str!("../../../examples/models/two_nodes.toml")).unwrap();
        estimate(&program, &machine, &Options { spans, ..Options::default() }, &Precision::default()).unwrap()
    }

    #[test]
    fn the_guides_example_says_what_the_guide_says() {
        let guide = include_str!("../../../docs/predict/program.md");
        for line in as_text(&example(0)).lines().filter(|line| !line.is_empty()) {
            assert!(guide.contains(line), "the guide lacks:\n{line}");
        }
        for line in include_str!("../../../examples/models/stencil.toml").lines().filter(|line| line.contains("kind")) {
            assert!(guide.contains(line), "the guide lacks:\n{line}");
        }
    }

    #[test]
    fn the_timeline_is_json_with_a_thread_for_each_rank() {
        let outcome = example(1000).outcome;
        let mut text = Vec::new();
        trace(&mut text, &outcome).unwrap();
        let all: Value = serde_json::from_slice(&text).unwrap();
        let events = all["traceEvents"].as_array().unwrap();
        let of = |ph: &str| events.iter().filter(|event| event["ph"] == ph).collect::<Vec<_>>();
        assert_eq!((of("M").len(), of("X").len()), (2 + 8, 1000));
        let first = of("X")[0];
        let read = (&first["name"], &first["cat"], &first["ts"], &first["tid"], &first["pid"]);
        assert_eq!(read.0, "read");
        assert_eq!((read.1, read.3, read.4), (&json!("compute"), &json!(0), &json!(0)));
        assert!((first["dur"].as_f64().unwrap() - 50_000.0).abs() < 1e-6);
    }

    #[test]
    fn drawn_costs_are_told_with_their_interval() {
        let text = "processes = 2\nrun = ['a']\n[element.a]\nkind = 'compute'\nseconds = 'exponential(1)'\n";
        let machine =
            Machine::from_toml("node = [{ cores = 2 }]\ninside = { start_up = '0', per_byte = '0' }").unwrap();
        let precision = Precision { share: 0.05, runs: 10_000 };
        let answer = estimate(&Program::from_toml(text).unwrap(), &machine, &Options::default(), &precision).unwrap();
        let all: Value = serde_json::from_str(&as_json(&answer)).unwrap();
        assert_eq!((&all["exact"], &all["interval"]["level"]), (&json!(false), &json!(LEVEL)));
        let said = as_text(&answer);
        assert!(said.contains("with 95 % confidence (") && said.contains(" runs)"), "{said}");
    }

    #[test]
    fn settings_are_a_name_and_a_number() {
        assert_eq!(setting("workers = 16"), Ok(("workers".to_owned(), 16.0)));
        for bad in ["workers", "=3", "n=", "n=x", "n=inf"] {
            assert!(setting(bad).unwrap_err().contains("NAME=VALUE"), "{bad}");
        }
    }

    #[test]
    fn the_json_has_every_process_and_element() {
        let answer = example(0);
        let outcome = &answer.outcome;
        let all: Value = serde_json::from_str(&as_json(&answer)).unwrap();
        assert_eq!((&all["exact"], &all["interval"], &all["runs"]), (&json!(true), &Value::Null, &json!(1)));
        assert_eq!(all["processes"].as_array().unwrap().len(), 8);
        assert_eq!((&all["elements"][6]["name"], &all["elements"][6]["count"]), (&json!("share"), &json!(8)));
        assert_eq!(all["total_s"].as_f64(), Some(outcome.total_s));
        let points = &all["elements"].as_array().unwrap().iter().find(|of| of["name"] == "points").unwrap()["times"];
        assert!((points["compute_s"].as_f64().unwrap() - 200.0 * 4000.0 * 4000.0 * 2e-9).abs() < 1e-9);
    }
}
