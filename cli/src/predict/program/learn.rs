//! `midrun predict program --from`: a description learnt from recorded runs, how far it is off, and what it foresees of each run.

mod own_loop;
mod stream;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use midrun_analyzer::recording::{self, RecordedWindows};
use midrun_predict::program::learnt::master_worker::{self, Iteration};
use midrun_predict::program::learnt::{Learnt, Link, Run, learn};
use midrun_predict::program::{Machine, Options, Precision, Program};
use midrun_tunlets::{LinkCost, Window};
use midrun_vocabulary::Count;
use serde_json::{Value, json};

use super::page::Content;
use crate::chart::Compared;
use crate::picture::{self, Picture};
use crate::recording::{DIVIDES, RecordingArgs, divides};
use crate::table::Column::{Left, Right};
use crate::table::table;
use crate::usage::Usage;

/// Share of the tasks whose records must have arrived, of an iteration that is learnt from.
const WHOLE: f64 = 0.99;

/// A recording with the parameters of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct From {
    file: PathBuf,
    parameters: BTreeMap<String, f64>,
}

/// Reads `run.rec` or `run.rec,n=1000,m=3`.
pub fn from(text: &str) -> Result<From, String> {
    let mut parts = text.split(',');
    let file = PathBuf::from(parts.next().unwrap_or_default());
    let mut parameters = BTreeMap::new();
    for part in parts {
        let (name, value) = super::setting(part)?;
        parameters.insert(name, value);
    }
    if file.as_os_str().is_empty() {
        return Err("allowed is FILE or FILE,NAME=VALUE,… such as run.rec,n=1000".to_owned());
    }
    Ok(From { file, parameters })
}

impl From {
    fn name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn seen(&self) -> anyhow::Result<Seen> {
        let which = RecordingArgs::at(self.file.clone(), None);
        let job = which.job()?;
        let read = recording::windows(which.reader()?, &job);
        let (RecordedWindows { iterations, further, streams, .. }, replay) =
            read.map_err(|error| which.wrong(error))?;
        which.warn_of(&replay.end, replay.frames);
        which.tell_of(&further);
        let wrong = |why: String| anyhow::Error::new(which.wrong(why));
        if divides(&iterations) {
            return Err(wrong(DIVIDES.to_owned()));
        }
        let counted = || own_loop::Counted::read(which.reader()?, &job).map_err(|error| wrong(error.to_string()));
        let hosts = || anyhow::Ok(counted()?.hosts());
        let (name, parameters) = (self.name(), self.parameters.clone());
        if streams.len() > iterations.len() {
            let seen = stream::seen(&streams, hosts()?).map_err(wrong)?;
            return Ok(Seen::Run(seen.run(name, parameters)));
        }
        if iterations.iter().all(|window| window.tasks == 0) {
            let summary = serde_json::from_str(&replay.summary).unwrap_or_default();
            return Ok(Seen::Loop(counted()?.seen(name, parameters, &iterations, &summary).map_err(wrong)?));
        }
        let usable = |window: &&Window| !window.setting_changed && window.coverage > WHOLE && window.tasks > 0;
        let whole: Vec<&Window> = iterations.iter().filter(usable).collect();
        let nothing = || wrong("holds no whole iteration: record a longer run".to_owned());
        let last = whole.last().ok_or_else(nothing)?;
        let far = last.per_worker.iter().filter(|worker| worker.far == Some(true)).count() as u32;
        let network = last.network.unwrap_or_default();
        let seen = master_worker::Seen {
            iterations: whole.iter().filter_map(|window| iteration(window)).collect(),
            workers: (last.workers.saturating_sub(far), far.min(last.workers)),
            bytes: (f64::from(network.task_bytes), f64::from(network.result_bytes)),
            links: (network.near.map(link), network.far.map(link)),
            technique: (last.setting.kind, last.setting.factor),
        };
        Ok(Seen::Run(seen.run(name, parameters)))
    }
}

/// What a recording showed.
enum Seen {
    /// A run of one of midrun's frameworks.
    Run(Run),
    /// One of a program with its own loop, whose elements depend on all runs.
    Loop(midrun_predict::program::learnt::own_loop::Seen),
}

/// All runs, and in which order their ranks exchange messages, where that is a finding.
fn runs(from: &[From]) -> anyhow::Result<(Vec<Run>, Option<String>)> {
    let (mut runs, mut loops) = (Vec::new(), Vec::new());
    for from in from {
        match from.seen()? {
            Seen::Run(run) => runs.push(run),
            Seen::Loop(seen) => loops.push(seen),
        }
    }
    match (runs.first(), loops.first()) {
        (Some(run), Some(other)) => {
            Err(Usage(format!("{} and {} are not of one program", run.name, other.name)).into())
        }
        (_, None) => Ok((runs, None)),
        (None, Some(_)) => {
            let (runs, found) = midrun_predict::program::learnt::own_loop::runs(&loops).map_err(Usage)?;
            let messages = loops.iter().any(|seen| !seen.messages.is_empty());
            let held = if found.held { "; a send holds its sender for as long as its call took" } else { "" };
            Ok((runs, messages.then(|| format!("{}{held}", found.order.text()))))
        }
    }
}

fn link(of: LinkCost) -> Link {
    let rendezvous = of.rendezvous_bytes > 0;
    let eager_bytes = if rendezvous { f64::from(of.eager_bytes) } else { f64::INFINITY };
    Link { start_up_s: of.cost.start_up_s, overhead_s: None, per_byte_s: of.cost.per_byte_s, eager_bytes }
}

/// `None` where no task was timed.
fn iteration(window: &Window) -> Option<Iteration> {
    let sum = |of: fn(&midrun_tunlets::WorkerWork) -> f64| window.per_worker.iter().map(of).sum::<f64>();
    let (tasks, chunks) = (sum(|worker| worker.tasks as f64), sum(|worker| worker.chunks as f64));
    let mean_s = window.task_s() / tasks;
    let timed = window.per_worker.iter().all(|worker| worker.tasks_timed || worker.tasks == 0);
    // A chunk of k tasks has the mean k mu and the variance k sigma²: the sum of its time²/k is sigma² + k mu² on average.
    let drawn = if timed { tasks } else { chunks };
    let variance = (sum(|worker| worker.sum_sq_s2) - tasks * mean_s * mean_s) / drawn;
    (mean_s.is_finite() && mean_s > 0.0).then(|| Iteration {
        tasks: window.tasks as f64,
        task_s: mean_s,
        sigma_s: variance.max(0.0).sqrt(),
        overhead_s: window.master_busy_s / window.chunks.max(1) as f64,
        prepare_s: window.prepare_s.unwrap_or(0.0),
        iteration_s: window.iteration_s,
    })
}

/// Learns, writes the two descriptions to `to` (`PREFIX.toml`, `PREFIX.machine.toml`), and foresees each run again.
pub fn learnt(
    from: &[From],
    to: Option<&Path>,
    (options, precision): (&Options, &Precision),
) -> anyhow::Result<Answers> {
    let (runs, order) = runs(from)?;
    let learnt = learn(&runs).map_err(Usage)?;
    if let Some(prefix) = to {
        for (ending, text) in [("toml", &learnt.program), ("machine.toml", &learnt.machine)] {
            let path = PathBuf::from(format!("{}.{ending}", prefix.display()));
            std::fs::write(&path, text).map_err(|error| Usage(format!("--to {}: {error}", path.display())))?;
        }
    }
    let answer = |run: Run| Ok(Answer { foreseen: learnt.foresee(&run, options, precision).map_err(Usage)?, run });
    let answers = runs.into_iter().map(answer).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Answers { learnt, answers, order, to: to.map(Path::to_owned) })
}

/// What was learnt, and what it foresees of each run.
pub struct Answers {
    learnt: Learnt,
    answers: Vec<Answer>,
    order: Option<String>,
    to: Option<PathBuf>,
}

/// A run as the description of all has it.
struct Answer {
    run: Run,
    /// Time of an iteration or output, seconds, and its interval.
    foreseen: (f64, Option<(f64, f64)>),
}

impl Answers {
    pub fn as_json(&self) -> String {
        as_json(&self.learnt, &self.answers, self.order.as_deref())
    }

    pub fn as_text(&self) -> String {
        as_text(&self.learnt, &self.answers, (self.order.as_deref(), self.to.as_deref()))
    }

    /// The name of the description: that of its file, or of the first recording.
    fn name(&self) -> String {
        let file = self.to.as_deref().or_else(|| Some(Path::new(&self.answers.first()?.run.name)));
        file.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The picture of what was learnt.
    pub fn picture(&self) -> anyhow::Result<Picture> {
        let program = Program::from_toml(&self.learnt.program).map_err(|error| Usage(error.to_string()))?;
        let machine = Machine::from_toml(&self.learnt.machine).map_err(|error| Usage(error.to_string()))?;
        let picture = picture::program::picture(&self.name(), &program, &machine);
        Ok(picture.map_err(|error| Usage(error.to_string()))?)
    }

    /// The page: predicted beside measured times.
    pub fn content<'a>(&self, picture: &'a Picture) -> Content<'a> {
        let compared = |Answer { run, foreseen: (predicted_s, interval_s) }: &Answer| Compared {
            name: run.name.clone(),
            predicted_s: *predicted_s,
            interval_s: interval_s.unwrap_or((*predicted_s, *predicted_s)),
            measured_s: run.measured_s,
        };
        let runs: Vec<Compared> = self.answers.iter().map(compared).collect();
        let lines =
            vec![format!("Learnt from {}; times are those of an iteration or output.", Count(runs.len(), "recording"))];
        Content { name: self.name(), lines, picture, outcome: None, runs, text: self.as_text() }
    }
}

fn as_json(learnt: &Learnt, answers: &[Answer], order: Option<&str>) -> String {
    let costs: Vec<Value> = (learnt.costs.iter())
        .map(|(name, _, fitted)| {
            let coefficients: Vec<Value> =
                fitted.coefficients.iter().map(|(value, error)| json!({"value": value, "error": error})).collect();
            let errors = fitted
                .errors()
                .map(|(median, worst)| json!({"median": median, "worst": worst, "count": fitted.left_out.len()}));
            json!({"name": name, "expression": fitted.expression, "coefficients": coefficients, "left_out": errors})
        })
        .collect();
    let runs: Vec<Value> = (answers.iter())
        .map(|Answer { run, foreseen: (predicted_s, interval_s) }| {
            let interval = interval_s.map(|(low_s, high_s)| json!({"low_s": low_s, "high_s": high_s}));
            json!({
                "name": run.name, "parameters": run.parameters, "ranks": run.ranks(), "own": own(run),
                "measured_s": run.measured_s, "predicted_s": predicted_s, "interval": interval,
            })
        })
        .collect();
    let all =
        json!({"program": learnt.program, "machine": learnt.machine, "costs": costs, "recorded": runs, "order": order});
    format!("{all:#}\n")
}

/// Parameters that the run had by itself, by name.
fn own(run: &Run) -> BTreeMap<&str, f64> {
    run.own.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

fn as_text(learnt: &Learnt, answers: &[Answer], (order, to): (Option<&str>, Option<&Path>)) -> String {
    let mut text = String::new();
    let cost = |(name, unit, fitted): &(String, &str, midrun_predict::fit::Fitted)| {
        let error = |(value, error): &(f64, Option<f64>)| {
            error.map_or("not known".to_owned(), |error| format!("{:.1} %", 100.0 * error / value.abs()))
        };
        let errors: Vec<String> = fitted.coefficients.iter().map(error).collect();
        let off = fitted.errors().map_or("not known".to_owned(), |(median, worst)| {
            format!("{:.1} % / {:.1} % of {}", 100.0 * median, 100.0 * worst, fitted.left_out.len())
        });
        vec![name.clone(), (*unit).to_owned(), fitted.expression.clone(), errors.join(", "), off]
    };
    text += &table(
        &[Left("cost"), Left(""), Left("function"), Left("standard errors"), Left("left out")],
        learnt.costs.iter().map(cost),
    );
    let row = |Answer { run, foreseen: (predicted_s, interval_s) }: &Answer| {
        let own = own(run).into_iter().map(|(name, value)| (name.to_owned(), value));
        let all = run.parameters.iter().map(|(name, value)| (name.clone(), *value)).chain(own);
        let all: Vec<String> = all.map(|(name, value)| format!("{name} = {value}")).collect();
        let interval = interval_s.map_or("exact".to_owned(), |(low_s, high_s)| format!("{low_s:.6} to {high_s:.6}"));
        vec![
            run.name.clone(),
            run.ranks().to_string(),
            all.join(", "),
            format!("{:.6}", run.measured_s),
            format!("{predicted_s:.6}"),
            interval,
            format!("{:+.1} %", 100.0 * (predicted_s / run.measured_s - 1.0)),
        ]
    };
    let columns = [
        Left("recording"),
        Right("ranks"),
        Left("parameters"),
        Right("measured s"),
        Right("predicted s"),
        Left("interval of the mean s"),
        Right("off"),
    ];
    let _ = write!(text, "\n{}", table(&columns, answers.iter().map(row)));
    text += "left out: median and worst error of samples that were predicted from the others; times are those of an iteration or output; ";
    text += "exact: for this model, nothing is drawn\n";
    if let Some(order) = order {
        let _ = writeln!(text, "of what the recording leaves open, this is nearest to what was measured: {order}");
    }
    match to {
        Some(prefix) => {
            let _ = writeln!(text, "written: {0}.toml and {0}.machine.toml", prefix.display());
        }
        None => text += "--to PREFIX writes the descriptions, PREFIX.toml and PREFIX.machine.toml\n",
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(name: &str) -> String {
        format!("{}/../examples/recordings/{name}.rec", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn a_recording_is_named_with_its_parameters() {
        let got = from("a.rec,n=1000,m=3").unwrap();
        assert_eq!(got.file, PathBuf::from("a.rec"));
        assert_eq!(got.parameters, BTreeMap::from([("m".to_owned(), 3.0), ("n".to_owned(), 1000.0)]));
        assert!(from("a.rec,n").is_err() && from(",n=1").is_err() && from("").is_err());
    }

    #[test]
    fn a_recorded_run_becomes_a_description_that_foresees_it() {
        let run = from(&example("uneven")).unwrap();
        let (options, precision) = (Options::default(), Precision::default());
        let all: Value =
            serde_json::from_str(&learnt(&[run], None, (&options, &precision)).unwrap().as_json()).unwrap();
        let (measured_s, predicted_s) =
            (all["recorded"][0]["measured_s"].as_f64().unwrap(), all["recorded"][0]["predicted_s"].as_f64().unwrap());
        assert!((predicted_s / measured_s - 1.0).abs() < 0.1, "{predicted_s} {measured_s}");
        assert!(Program::from_toml(all["program"].as_str().unwrap()).is_ok());
    }
}
