//! A program's description from recorded runs: costs fitted over the parameters of the runs, elements as they were seen.
//!
//! A recorded run gives each quantity of its kind of program ([`master_worker`], [`pipeline`], [`own_loop`]) once per iteration, or per stretch of
//! time. Where a parameter differs between the runs, costs are fitted over it with one sample per run ([`crate::fit`]); else
//! each of those values is a sample. What comes out is a text that people read and change.

pub mod master_worker;
pub mod own_loop;
pub mod pipeline;

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Estimate, Machine, Options, Precision, Program, estimate};
use crate::fit::{Fitted, Sample, fit};
use midrun_models::line::median;

/// Fewest values of a run that are learnt from: of fewer no scatter is known.
const FEWEST: usize = 3;

/// Messages as they were measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Start-up time, seconds.
    pub start_up_s: f64,
    /// The sender's part of it, seconds; all of it if `None`.
    pub overhead_s: Option<f64>,
    /// Time of a byte, seconds.
    pub per_byte_s: f64,
    /// Largest message that does not wait for its receiver, bytes; infinite if there is no limit.
    pub eager_bytes: f64,
}

/// A cost of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The name that stands for it in the elements.
    pub name: String,
    /// Its unit; empty for a number.
    pub unit: &'static str,
    /// Its values, one per iteration or stretch.
    pub values: Vec<f64>,
}

impl Quantity {
    fn new(name: impl Into<String>, unit: &'static str, values: Vec<f64>) -> Quantity {
        Quantity { name: name.into(), unit, values }
    }
}

/// What a program repeats, and how its description is asked for the time of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Iterations that begin when the one before has ended: the time of the first.
    Iterations,
    /// Iterations, or outputs, that overlap: the time that further ones add. The parameter has this name, and is so many.
    Overlapping(&'static str, u32),
}

impl Repeats {
    fn parameter(self) -> (&'static str, u32) {
        match self {
            Repeats::Iterations => ("iterations", 1),
            Repeats::Overlapping(name, count) => (name, count),
        }
    }
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What it is called, for comments and errors.
    pub name: String,
    /// Parameters of the run, by name.
    pub parameters: BTreeMap<String, f64>,
    /// Parameters that the run had by itself, such as its workers.
    pub own: Vec<(String, f64)>,
    /// Its costs.
    pub quantities: Vec<Quantity>,
    /// What is repeated.
    pub repeats: Repeats,
    /// Medians of the time of an iteration or output, seconds.
    pub measured_s: f64,
    /// Number of processes, as an expression of its own parameters.
    pub processes: String,
    /// Ranks on each host; the first one is rank 0's.
    pub hosts: Vec<u32>,
    /// `run` and the elements, which use names of quantities and of own parameters.
    pub elements: String,
    /// Messages within a host, and to others.
    pub links: (Option<Link>, Option<Link>),
}

impl Run {
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.hosts.iter().sum()
    }
}

/// What was learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Learnt {
    /// The program's description.
    pub program: String,
    /// The machine's.
    pub machine: String,
    /// Each cost: its name, its unit, and its function.
    pub costs: Vec<(String, &'static str, Fitted)>,
}

/// Learns a description from runs of one program.
///
/// # Errors
/// A sentence: no run, one that is too short, runs that do not have the same parameters or elements, no measured cost of messages.
pub fn learn(runs: &[Run]) -> Result<Learnt, String> {
    let last = runs.last().ok_or("there is no run to learn from")?;
    let times = |run: &Run| run.quantities.iter().filter(|of| of.unit == "s").map(|of| of.values.len()).min();
    let values = |run: &Run| times(run).unwrap_or(0);
    if let Some(short) = runs.iter().find(|run| values(run) < FEWEST) {
        let (name, count) = (&short.name, values(short));
        return Err(format!(
            "{name} is too short to fit: its costs were measured {count} times, at least {FEWEST} are needed"
        ));
    }
    if let Some(other) = runs.iter().find(|run| !run.parameters.keys().eq(last.parameters.keys())) {
        return Err(format!("{} and {} do not name the same parameters", other.name, last.name));
    }
    let names = |run: &Run| run.quantities.iter().map(|quantity| quantity.name.clone()).collect::<Vec<_>>();
    if let Some(other) = runs.iter().find(|run| names(run) != names(last)) {
        let why = "are not of one program, or not on as many ranks: their elements differ";
        return Err(format!("{} and {} {why}", other.name, last.name));
    }
    let (repeated, _) = last.repeats.parameter();
    let mut reserved = names(last).into_iter().chain(last.own.iter().map(|(name, _)| name.clone()));
    if let Some(name) = reserved
        .find(|name| last.parameters.contains_key(name))
        .or_else(|| last.parameters.contains_key(repeated).then(|| repeated.to_owned()))
    {
        return Err(format!("the parameter {name} has the name of something that is learnt; give it another one"));
    }
    let differ = runs.iter().any(|run| run.parameters != last.parameters);
    let mut costs = Vec::new();
    for (at, Quantity { name, unit, .. }) in last.quantities.iter().enumerate() {
        let of = |run: &Run| run.quantities[at].values.clone();
        let sample = |run: &Run, value| Sample { parameters: run.parameters.clone(), value };
        let samples: Vec<Sample> = match differ {
            true => runs.iter().map(|run| sample(run, median(of(run)))).collect(),
            false => runs.iter().flat_map(|run| of(run).into_iter().map(move |value| sample(run, value))).collect(),
        };
        // What was never above 0 costs nothing.
        if let Some(fitted) = fit(&samples) {
            costs.push((name.clone(), *unit, fitted));
        }
    }
    if !costs.iter().any(|(_, unit, _)| *unit == "s") {
        return Err(format!("{} computes nothing that takes time: there is nothing to fit", last.name));
    }
    Ok(Learnt { program: program(runs, last, &costs), machine: machine(last)?, costs })
}

impl Learnt {
    /// The time of an iteration, or between two outputs, of `run` as this description has it, seconds, and its interval. `None`:
    /// nothing is drawn, the time is that of the model.
    ///
    /// # Errors
    /// A sentence: a value that makes no sense, a limit.
    pub fn foresee(
        &self,
        run: &Run,
        options: &Options,
        precision: &Precision,
    ) -> Result<(f64, Option<(f64, f64)>), String> {
        let wrong = |error: &dyn std::fmt::Display| format!("what was learnt of {}: {error}", run.name);
        let mut program = Program::from_toml(&self.program).map_err(|error| wrong(&error))?;
        let own = run.own.iter().map(|(name, value)| (name.as_str(), *value));
        for (name, value) in run.parameters.iter().map(|(name, value)| (name.as_str(), *value)).chain(own) {
            program.set(name, value).map_err(|error| wrong(&error))?;
        }
        let machine = Machine::from_toml(&machine(run)?).map_err(|error| wrong(&error))?;
        let mut total = |count: u32| -> Result<Estimate, String> {
            program.set(run.repeats.parameter().0, f64::from(count)).map_err(|error| wrong(&error))?;
            estimate(&program, &machine, options, precision).map_err(|error| wrong(&error))
        };
        let Repeats::Overlapping(_, count) = run.repeats else {
            let Estimate { outcome, interval_s, .. } = total(1)?;
            return Ok((outcome.total_s, interval_s));
        };
        let (less, more) = (total(count)?, total(2 * count)?);
        let time_s = (more.outcome.total_s - less.outcome.total_s) / f64::from(count);
        let half_s = |of: &Estimate| of.interval_s.map(|(low_s, high_s)| 0.5 * (high_s - low_s));
        let half_s = half_s(&less).zip(half_s(&more)).map(|(less, more)| less.hypot(more) / f64::from(count));
        Ok((time_s, half_s.map(|half_s| (time_s - half_s, time_s + half_s))))
    }
}

fn program(runs: &[Run], last: &Run, costs: &[(String, &'static str, Fitted)]) -> String {
    let mut text = String::new();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let _ = writeln!(text, "# Learnt from {}.", names.join(", ").replace(char::is_control, " "));
    let run = last.elements.lines().next().unwrap_or_default();
    let _ = writeln!(text, "processes = \"{}\"\n{run}\n\n[parameters]", last.processes);
    for (name, value) in &last.own {
        let _ = writeln!(text, "{name} = {value}");
    }
    let (repeated, count) = last.repeats.parameter();
    let _ = writeln!(text, "{repeated} = {count}");
    for (name, value) in &last.parameters {
        let _ = writeln!(text, "{name} = {value:?}");
    }
    for Quantity { name, .. } in &last.quantities {
        match costs.iter().find(|(known, ..)| known == name) {
            None => {
                let _ = writeln!(text, "{name} = 0.0");
            }
            Some((.., fitted)) => {
                let off = fitted.errors().map_or("from one sample".to_owned(), |(median, worst)| {
                    format!("off by {:.1} %, at worst {:.1} % where left out", 100.0 * median, 100.0 * worst)
                });
                let _ = writeln!(text, "{name} = \"{}\"  # {off}", fitted.expression);
            }
        }
    }
    text + &last.elements[run.len()..]
}

fn machine(run: &Run) -> Result<String, String> {
    let (near, far) = run.links;
    let none = || format!("{} holds no cost of messages: record a longer run", run.name);
    let inside = near.or(far).ok_or_else(none)?;
    let name = run.name.replace(char::is_control, " ");
    let mut text = format!(
        "# The hosts of {name}, with a core for each rank: give them those that they have to ask for more ranks.\n"
    );
    for cores in run.hosts.iter().filter(|cores| **cores > 0) {
        let _ = writeln!(text, "[[node]]\ncores = {cores}\n");
    }
    let link = |name: &str, of: Link| {
        let eager =
            if of.eager_bytes.is_finite() { format!("eager = \"{}B\"\n", of.eager_bytes) } else { String::new() };
        let overhead = of.overhead_s.map_or(String::new(), |s| format!("overhead = \"{s:?}s\"\n"));
        format!("[{name}]\nstart_up = \"{:?}s\"\n{overhead}per_byte = \"{:?}s\"\n{eager}", of.start_up_s, of.per_byte_s)
    };
    text += &link("inside", inside);
    if run.hosts.len() > 1 {
        let _ = write!(text, "\n{}", link("between", far.unwrap_or(inside)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::master_worker::{Iteration, Seen};
    use super::*;
    use midrun_scheduling::Technique;

    /// A run of n² tasks of n microseconds, as a simulation would have it.
    fn run(n: f64, workers: u32) -> Run {
        let tasks = n * n;
        let of = |k: usize| Iteration {
            tasks,
            task_s: n * 1e-6 * (1.0 + 0.01 * (k % 3) as f64),
            sigma_s: 0.3 * n * 1e-6,
            overhead_s: 2e-6,
            prepare_s: 0.0,
            iteration_s: tasks * n * 1e-6 / f64::from(workers),
        };
        let link = Link { start_up_s: 1e-6, overhead_s: None, per_byte_s: 1e-9, eager_bytes: 4096.0 };
        let seen = Seen {
            iterations: (0..6).map(of).collect(),
            workers: (workers, 0),
            bytes: (8.0, 8.0),
            links: (Some(link), None),
            technique: (Technique::Dpf, 0.5),
        };
        seen.run(format!("n{n}.rec"), BTreeMap::from([("n".to_owned(), n)]))
    }

    #[test]
    fn what_is_learnt_reads_runs_and_foresees_another_size() {
        let runs: Vec<Run> = [10.0, 20.0, 40.0, 60.0].map(|n| run(n, 8)).into();
        let learnt = learn(&runs).unwrap();
        let cost = |name: &str| learnt.costs.iter().find(|(known, ..)| known == name).unwrap().2.expression.clone();
        assert_eq!((cost("tasks"), cost("task_s")), ("1.000000e0 * n ^ (2)".to_owned(), "1.010000e-6 * n".to_owned()));
        let mut program = Program::from_toml(&learnt.program).unwrap();
        let machine = Machine::from_toml(&learnt.machine).unwrap();
        program.set("n", 100.0).unwrap();
        let total_s = |program: &Program| {
            estimate(program, &machine, &Options::default(), &Precision::default()).unwrap().outcome.total_s
        };
        // 10 000 tasks of 101 us on 8 workers, and what handing out costs.
        let ideal_s = 1e4 * 1.01e-4 / 8.0;
        let got_s = total_s(&program);
        assert!(got_s > 0.99 * ideal_s && got_s < 1.05 * ideal_s, "{got_s} {ideal_s}");
    }

    #[test]
    fn runs_that_teach_nothing_are_refused_with_their_names() {
        let refused = |runs: &[Run]| learn(runs).unwrap_err();
        assert_eq!(refused(&[]), "there is no run to learn from");
        let mut short = run(10.0, 4);
        short.quantities.iter_mut().for_each(|of| of.values.truncate(2));
        assert_eq!(
            refused(&[run(20.0, 4), short]),
            "n10.rec is too short to fit: its costs were measured 2 times, at least 3 are needed"
        );
        let other = Run { parameters: BTreeMap::new(), ..run(30.0, 4) };
        assert_eq!(refused(&[other, run(20.0, 4)]), "n30.rec and n20.rec do not name the same parameters");
        let silent = Run { links: (None, None), ..run(20.0, 4) };
        assert!(refused(&[silent]).starts_with("n20.rec holds no cost of messages"));
        let mut unlike = run(20.0, 4);
        unlike.quantities.pop();
        assert!(refused(&[unlike, run(20.0, 4)]).contains("their elements differ"));
        let named = Run { parameters: BTreeMap::from([("tasks".to_owned(), 1.0)]), ..run(20.0, 4) };
        assert!(refused(&[named]).contains("give it another one"));
    }
}
