//! Master/Worker iterations: the mean time of a task, its scatter, what messages carry, the master's time per chunk and between iterations.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Link, Quantity, Repeats, Run};
use midrun_models::line::median;
use midrun_scheduling::Technique;

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

/// What was seen of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
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

impl Seen {
    /// The run of this name with these parameters.
    pub fn run(&self, name: String, parameters: BTreeMap<String, f64>) -> Run {
        let values = |of: fn(&Iteration) -> f64| self.iterations.iter().map(of).collect::<Vec<f64>>();
        let (technique, share) = self.technique;
        let mut elements = "run = [\"iterations\"]\n\n[element.iterations]\nkind = \"loop\"\ncount = \"iterations\"\n\
             do = [\"prepare\", \"farm\"]\n\n[element.prepare]\nkind = \"compute\"\nwhen = \"rank == 0\"\nseconds = \"prepare_s\"\n\n\
             [element.farm]\nkind = \"master-worker\"\nworkers = \"workers\"\ntasks = \"floor(tasks + 0.5)\"\n\
             task_s = \"gamma(task_s, variation * task_s)\"\noverhead_s = \"overhead_s\"\n"
            .to_owned();
        let (task_bytes, result_bytes) = self.bytes;
        let _ = writeln!(elements, "task_bytes = {task_bytes:?}\nresult_bytes = {result_bytes:?}");
        let _ = writeln!(elements, "technique = \"{}\"", technique.name());
        if share > 0.0 {
            let _ = writeln!(elements, "factor = {share:?}");
        }
        let (near, far) = self.workers;
        let hosts = [near + 1, far].into_iter().filter(|ranks| *ranks > 0).collect();
        Run {
            name,
            parameters,
            own: vec![("workers".to_owned(), f64::from(near + far))],
            quantities: vec![
                Quantity::new("tasks", "", values(|of| of.tasks)),
                Quantity::new("task_s", "s", values(|of| of.task_s)),
                Quantity::new("variation", "", values(|of| of.sigma_s / of.task_s)),
                Quantity::new("overhead_s", "s", values(|of| of.overhead_s)),
                Quantity::new("prepare_s", "s", values(|of| of.prepare_s)),
            ],
            repeats: Repeats::Iterations,
            measured_s: median(values(|of| of.iteration_s + of.prepare_s)),
            processes: "workers + 1".to_owned(),
            hosts,
            elements,
            links: self.links,
        }
    }
}
