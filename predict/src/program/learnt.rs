//! A program's description from recorded runs of a Master/Worker program: costs fitted over the parameters of the runs.
//!
//! Each recorded iteration gives the mean time of a task, its scatter, what messages carry, and the master's time per chunk and between
//! iterations. Where a parameter differs between the runs, costs are fitted over it with one sample per run ([`crate::fit`]); else
//! each iteration is a sample. What comes out is a text that people read and change.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::fit::{Fitted, Sample, fit};
use midrun_models::line::median;
use midrun_scheduling::Technique;

/// Fewest iterations of a run that are learnt from: of fewer no scatter is known.
const FEWEST: usize = 3;

/// One iteration of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Tasks.
    pub tasks: f64,
    /// Mean time of a task, seconds.
    pub task_s: f64,
    /// Standard deviation of a task's time, seconds.
    pub sigma_s: f64,
    /// The master's time per chunk, seconds.
    pub overhead_s: f64,
    /// Time before the iteration, seconds.
    pub prepare_s: f64,
    /// Wall time of the iteration, seconds.
    pub iteration_s: f64,
}

/// Messages as they were measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Start-up time, seconds.
    pub start_up_s: f64,
    /// Time of a byte, seconds.
    pub per_byte_s: f64,
    /// Largest message that does not wait for its receiver, bytes; infinite if there is no limit.
    pub eager_bytes: f64,
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What it is called, for comments and errors.
    pub name: String,
    /// Parameters of the run, by name.
    pub parameters: BTreeMap<String, f64>,
    /// Its whole iterations.
    pub iterations: Vec<Iteration>,
    /// Workers on the master's host, and on others.
    pub workers: (u32, u32),
    /// Bytes of a task's input and of its result.
    pub bytes: (f64, f64),
    /// Messages within the master's host, and to others.
    pub links: (Option<Link>, Option<Link>),
    /// Technique at its end, and its share.
    pub technique: (Technique, f64),
}

impl Run {
    /// Median of the wall times of its iterations and of the time before them, seconds.
    pub fn measured_s(&self) -> f64 {
        self.middle(|of| of.iteration_s + of.prepare_s)
    }

    fn middle(&self, of: impl Fn(&Iteration) -> f64) -> f64 {
        median(self.iterations.iter().map(of).collect())
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
    pub costs: Vec<(&'static str, &'static str, Fitted)>,
}

/// A name, its unit, and how to read it.
type Quantity = (&'static str, &'static str, fn(&Iteration) -> f64);

/// What is fitted.
const QUANTITIES: [Quantity; 5] = [
    ("tasks", "", |of| of.tasks),
    ("task_s", "s", |of| of.task_s),
    ("variation", "", |of| of.sigma_s / of.task_s),
    ("overhead_s", "s", |of| of.overhead_s),
    ("prepare_s", "s", |of| of.prepare_s),
];

/// Learns a description from runs of one program.
///
/// # Errors
/// A sentence: no run, one that is too short, runs that do not have the same parameters, no measured cost of messages.
pub fn learn(runs: &[Run]) -> Result<Learnt, String> {
    let last = runs.last().ok_or("there is no run to learn from")?;
    if let Some(short) = runs.iter().find(|run| run.iterations.len() < FEWEST) {
        let (name, count) = (&short.name, short.iterations.len());
        return Err(format!(
            "{name} is too short to fit: it has {count} whole iterations, at least {FEWEST} are needed"
        ));
    }
    if let Some(other) = runs.iter().find(|run| !run.parameters.keys().eq(last.parameters.keys())) {
        return Err(format!("{} and {} do not name the same parameters", other.name, last.name));
    }
    let reserved: Vec<&str> = QUANTITIES.iter().map(|(name, ..)| *name).chain(["workers", "iterations"]).collect();
    if let Some(name) = last.parameters.keys().find(|name| reserved.contains(&name.as_str())) {
        return Err(format!("the parameter {name} has the name of something that is learnt; give it another one"));
    }
    let differ = runs.iter().any(|run| run.parameters != last.parameters);
    let mut costs = Vec::new();
    for (name, unit, of) in QUANTITIES {
        let samples: Vec<Sample> = match differ {
            true => {
                runs.iter().map(|run| Sample { parameters: run.parameters.clone(), value: run.middle(of) }).collect()
            }
            false => {
                runs.iter().flat_map(|run| run.iterations.iter().map(move |it| (run, of(it)))).map(sample).collect()
            }
        };
        // What was never above 0 costs nothing.
        if let Some(fitted) = fit(&samples) {
            costs.push((name, unit, fitted));
        }
    }
    if !costs.iter().any(|(name, ..)| *name == "task_s") {
        return Err(format!("{} has tasks that take no time: there is nothing to fit", last.name));
    }
    Ok(Learnt { program: program(runs, last, &costs), machine: machine(last)?, costs })
}

fn sample((run, value): (&Run, f64)) -> Sample {
    Sample { parameters: run.parameters.clone(), value }
}

fn program(runs: &[Run], last: &Run, costs: &[(&'static str, &'static str, Fitted)]) -> String {
    let mut text = String::new();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let _ = writeln!(text, "# Learnt from {}.", names.join(", ").replace(char::is_control, " "));
    let _ = writeln!(text, "processes = \"workers + 1\"\nrun = [\"iterations\"]\n\n[parameters]");
    let _ = writeln!(text, "workers = {}\niterations = 1", last.workers.0 + last.workers.1);
    for (name, value) in &last.parameters {
        let _ = writeln!(text, "{name} = {value:?}");
    }
    for (name, ..) in QUANTITIES {
        match costs.iter().find(|(known, ..)| *known == name) {
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
    let (technique, share) = last.technique;
    let factor = if share > 0.0 { format!("\nfactor = {share:?}") } else { String::new() };
    let _ = write!(
        text,
        "\n[element.iterations]\nkind = \"loop\"\ncount = \"iterations\"\ndo = [\"prepare\", \"farm\"]\n\n\
         [element.prepare]\nkind = \"compute\"\nwhen = \"rank == 0\"\nseconds = \"prepare_s\"\n\n\
         [element.farm]\nkind = \"master-worker\"\nworkers = \"workers\"\ntasks = \"floor(tasks + 0.5)\"\n\
         task_s = \"gamma(task_s, variation * task_s)\"\ntask_bytes = {:?}\nresult_bytes = {:?}\n\
         overhead_s = \"overhead_s\"\ntechnique = \"{}\"{factor}\n",
        last.bytes.0,
        last.bytes.1,
        technique.name(),
    );
    text
}

fn machine(last: &Run) -> Result<String, String> {
    let (near, far) = last.links;
    let none = || format!("{} holds no cost of messages: record a run of midrun's framework", last.name);
    let inside = near.or(far).ok_or_else(none)?;
    let name = last.name.replace(char::is_control, " ");
    let mut text = format!(
        "# The hosts of {name}, with a core for each rank: give them those that they have to ask for more workers.\n"
    );
    let cores = [last.workers.0 + 1, last.workers.1];
    for cores in cores.into_iter().filter(|cores| *cores > 0) {
        let _ = writeln!(text, "[[node]]\ncores = {cores}\n");
    }
    let link = |name: &str, of: Link| {
        let eager =
            if of.eager_bytes.is_finite() { format!("eager = \"{}B\"\n", of.eager_bytes) } else { String::new() };
        format!("[{name}]\nstart_up = \"{:?}s\"\nper_byte = \"{:?}s\"\n{eager}", of.start_up_s, of.per_byte_s)
    };
    text += &link("inside", inside);
    if last.workers.1 > 0 {
        let _ = write!(text, "\n{}", link("between", far.unwrap_or(inside)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Machine, Options, Precision, Program, estimate};

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
        let link = Link { start_up_s: 1e-6, per_byte_s: 1e-9, eager_bytes: 4096.0 };
        Run {
            name: format!("n{n}.rec"),
            parameters: BTreeMap::from([("n".to_owned(), n)]),
            iterations: (0..6).map(of).collect(),
            workers: (workers, 0),
            bytes: (8.0, 8.0),
            links: (Some(link), None),
            technique: (Technique::Dpf, 0.5),
        }
    }

    #[test]
    fn what_is_learnt_reads_runs_and_foresees_another_size() {
        let runs: Vec<Run> = [10.0, 20.0, 40.0, 60.0].map(|n| run(n, 8)).into();
        let learnt = learn(&runs).unwrap();
        let cost = |name: &str| learnt.costs.iter().find(|(known, ..)| *known == name).unwrap().2.expression.clone();
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
        short.iterations.truncate(2);
        assert_eq!(
            refused(&[run(20.0, 4), short]),
            "n10.rec is too short to fit: it has 2 whole iterations, at least 3 are needed"
        );
        let other = Run { parameters: BTreeMap::new(), ..run(30.0, 4) };
        assert_eq!(refused(&[other, run(20.0, 4)]), "n30.rec and n20.rec do not name the same parameters");
        let silent = Run { links: (None, None), ..run(20.0, 4) };
        assert!(refused(&[silent]).starts_with("n20.rec holds no cost of messages"));
        let named = Run { parameters: BTreeMap::from([("tasks".to_owned(), 1.0)]), ..run(20.0, 4) };
        assert!(refused(&[named]).contains("give it another one"));
    }
}
