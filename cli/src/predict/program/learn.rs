//! `midrun predict program --from`: a description learnt from recorded runs, how far it is off, and what it foresees of each run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use midrun_analyzer::recording::{self, RecordedWindows};
use midrun_predict::program::learnt::{Iteration, Learnt, Link, Run, learn};
use midrun_predict::program::{Estimate, Machine, Options, Precision, Program, estimate};
use midrun_tunlets::{LinkCost, Window};
use serde_json::{Value, json};

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
    fn run(&self) -> anyhow::Result<Run> {
        let which = RecordingArgs::at(self.file.clone(), None);
        let job = which.job()?;
        let read = recording::windows(which.reader()?, &job);
        let (RecordedWindows { iterations, further, streams }, replay) = read.map_err(|error| which.wrong(error))?;
        which.warn_of(&replay.end, replay.frames);
        which.tell_of(&further);
        let wrong = |why: &str| which.wrong(why);
        if iterations.is_empty() && !streams.is_empty() {
            let why =
                "is of a pipeline, of which no description is learnt yet: midrun predict run foresees its patterns";
            return Err(wrong(why).into());
        }
        if divides(&iterations) {
            return Err(wrong(DIVIDES).into());
        }
        let usable = |window: &&Window| !window.setting_changed && window.coverage > WHOLE && window.tasks > 0;
        let whole: Vec<&Window> = iterations.iter().filter(usable).collect();
        let Some(last) = whole.last() else {
            return Err(wrong("holds no whole iteration of a Master/Worker program: record a longer run").into());
        };
        let far = last.per_worker.iter().filter(|worker| worker.far == Some(true)).count() as u32;
        let network = last.network.unwrap_or_default();
        Ok(Run {
            name: self.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            parameters: self.parameters.clone(),
            iterations: whole.iter().filter_map(|window| iteration(window)).collect(),
            workers: (last.workers.saturating_sub(far), far.min(last.workers)),
            bytes: (f64::from(network.task_bytes), f64::from(network.result_bytes)),
            links: (network.near.map(link), network.far.map(link)),
            technique: (last.setting.kind, last.setting.factor),
        })
    }
}

fn link(of: LinkCost) -> Link {
    let rendezvous = of.rendezvous_bytes > 0;
    let eager_bytes = if rendezvous { f64::from(of.eager_bytes) } else { f64::INFINITY };
    Link { start_up_s: of.cost.start_up_s, per_byte_s: of.cost.per_byte_s, eager_bytes }
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
    runs: &[From],
    to: Option<&Path>,
    (options, precision): (&Options, &Precision),
    json: bool,
) -> anyhow::Result<String> {
    let runs = runs.iter().map(From::run).collect::<anyhow::Result<Vec<Run>>>()?;
    let learnt = learn(&runs).map_err(Usage)?;
    if let Some(prefix) = to {
        for (ending, text) in [("toml", &learnt.program), ("machine.toml", &learnt.machine)] {
            let path = PathBuf::from(format!("{}.{ending}", prefix.display()));
            std::fs::write(&path, text).map_err(|error| Usage(format!("--to {}: {error}", path.display())))?;
        }
    }
    let foreseen =
        runs.iter().map(|run| foreseen(&learnt, run, options, precision)).collect::<anyhow::Result<Vec<_>>>()?;
    let answers: Vec<(&Run, Estimate)> = runs.iter().zip(foreseen).collect();
    Ok(if json { as_json(&learnt, &answers) } else { as_text(&learnt, &answers, to) })
}

/// An iteration of `run` as the description of all has it.
fn foreseen(learnt: &Learnt, run: &Run, options: &Options, precision: &Precision) -> anyhow::Result<Estimate> {
    let wrong = |error: &dyn std::fmt::Display| Usage(format!("what was learnt of {}: {error}", run.name));
    let mut program = Program::from_toml(&learnt.program).map_err(|error| wrong(&error))?;
    let workers = run.workers.0 + run.workers.1;
    for (name, value) in
        run.parameters.iter().map(|(name, value)| (name.as_str(), *value)).chain([("workers", f64::from(workers))])
    {
        program.set(name, value).map_err(|error| wrong(&error))?;
    }
    // The hosts of its own run.
    let own = learn(std::slice::from_ref(run)).map_err(Usage)?;
    let machine = Machine::from_toml(&own.machine).map_err(|error| wrong(&error))?;
    Ok(estimate(&program, &machine, options, precision).map_err(|error| wrong(&error))?)
}

fn as_json(learnt: &Learnt, answers: &[(&Run, Estimate)]) -> String {
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
        .map(|(run, answer)| {
            let interval = answer.interval_s.map(|(low_s, high_s)| json!({"low_s": low_s, "high_s": high_s}));
            json!({
                "name": run.name, "parameters": run.parameters, "workers": run.workers.0 + run.workers.1,
                "iterations": run.iterations.len(), "measured_s": run.measured_s(), "predicted_s": answer.outcome.total_s,
                "interval": interval, "runs": answer.runs,
            })
        })
        .collect();
    let all = json!({"program": learnt.program, "machine": learnt.machine, "costs": costs, "recorded": runs});
    format!("{all:#}\n")
}

fn as_text(learnt: &Learnt, answers: &[(&Run, Estimate)], to: Option<&Path>) -> String {
    let mut text = String::new();
    let cost = |(name, unit, fitted): &(&str, &str, midrun_predict::fit::Fitted)| {
        let error = |(value, error): &(f64, Option<f64>)| {
            error.map_or("not known".to_owned(), |error| format!("{:.1} %", 100.0 * error / value.abs()))
        };
        let errors: Vec<String> = fitted.coefficients.iter().map(error).collect();
        let off = fitted.errors().map_or("not known".to_owned(), |(median, worst)| {
            format!("{:.1} % / {:.1} % of {}", 100.0 * median, 100.0 * worst, fitted.left_out.len())
        });
        vec![(*name).to_owned(), (*unit).to_owned(), fitted.expression.clone(), errors.join(", "), off]
    };
    text += &table(
        &[Left("cost"), Left(""), Left("function"), Left("standard errors"), Left("left out")],
        learnt.costs.iter().map(cost),
    );
    let row = |(run, answer): &(&Run, Estimate)| {
        let parameters: Vec<String> = run.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let (measured_s, predicted_s) = (run.measured_s(), answer.outcome.total_s);
        let interval =
            answer.interval_s.map_or("exact".to_owned(), |(low_s, high_s)| format!("{low_s:.6} to {high_s:.6}"));
        vec![
            run.name.clone(),
            parameters.join(", "),
            (run.workers.0 + run.workers.1).to_string(),
            format!("{measured_s:.6}"),
            format!("{predicted_s:.6}"),
            interval,
            format!("{:+.1} %", 100.0 * (predicted_s / measured_s - 1.0)),
        ]
    };
    let columns = [
        Left("recording"),
        Left("parameters"),
        Right("workers"),
        Right("measured s"),
        Right("predicted s"),
        Left("interval of the mean s"),
        Right("off"),
    ];
    let _ = write!(text, "\n{}", table(&columns, answers.iter().map(row)));
    text += "left out: median and worst error of samples that were predicted from the others; times are those of an iteration\n";
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
        let all: Value = serde_json::from_str(&learnt(&[run], None, (&options, &precision), true).unwrap()).unwrap();
        let (measured_s, predicted_s) =
            (all["recorded"][0]["measured_s"].as_f64().unwrap(), all["recorded"][0]["predicted_s"].as_f64().unwrap());
        assert!((predicted_s / measured_s - 1.0).abs() < 0.1, "{predicted_s} {measured_s}");
        assert!(Program::from_toml(all["program"].as_str().unwrap()).is_ok());
    }
}
