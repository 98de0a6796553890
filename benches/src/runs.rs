//! Runs of the synthetic programs: where they run, how they are called, and what they measure.

use anyhow::{Context, Result, ensure};
use midrun_models::simulate::{SimInput, compare};
use midrun_scheduling::{Technique, TechniqueParameters};
use std::process::Command;

use crate::{AS_ROOT, Hosts, Launcher, Spread, numbers, prefix, run_under_midrun, spread};

/// Where runs are made.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// `openmpi` or `mpich`.
    pub mpi: &'a str,
    /// Emulated hosts (Open MPI); this host without them.
    pub hosts: Option<&'a Hosts>,
    /// Under SCHED_FIFO 1, where other load is on the machine.
    pub realtime: bool,
}

impl Place<'_> {
    /// The launcher's words for so many ranks.
    ///
    /// # Errors
    /// No mpirun on PATH, a hostfile that cannot be written.
    pub fn launcher(&self, ranks: u32) -> Result<Launcher> {
        match self.hosts {
            Some(hosts) => hosts.launcher(ranks, self.realtime),
            None => Launcher::local(self.mpi, ranks, self.realtime),
        }
    }

    /// Path of a program of `examples`.
    pub fn example(&self, name: &str) -> String {
        prefix().join(format!("../../examples/build/{}/{name}", self.mpi)).display().to_string()
    }

    fn words(&self, program: &str, options: &str) -> Vec<String> {
        [self.example(program)].into_iter().chain(options.split_whitespace().map(str::to_owned)).collect()
    }

    /// Iteration time / ideal of `mw_synthetic` with sleeping tasks, without the first `warm_up` iterations. `technique` is one
    /// of the framework's with `--dry-run`, or `tuned`: the tunlet, which starts from `none`.
    ///
    /// # Errors
    /// Those of [`run_under_midrun`], no iterations.
    pub fn ratios(&self, workers: u32, technique: &str, options: &str, warm_up: usize) -> Result<Spread> {
        let (start, flags) = match technique {
            "tuned" => ("none", vec![]),
            fixed => (fixed, vec!["--dry-run".to_owned()]),
        };
        let words = self.words("mw_synthetic", &format!("--work sleep --technique {start} {options}"));
        let summary = run_under_midrun(&flags, &self.launcher(workers + 1)?, &words)?;
        let both = numbers(&summary, "iteration_s").into_iter().zip(numbers(&summary, "ideal_s")).skip(warm_up);
        let ratios = both.map(|(real, ideal)| real / ideal).collect();
        spread(ratios).with_context(|| format!("{technique}: the summary has no iterations"))
    }

    /// What a run of a pipeline prints last, as JSON; not under midrun.
    ///
    /// # Errors
    /// A run that fails or prints nothing.
    pub fn pipeline(&self, program: &str, ranks: u32, options: &str) -> Result<serde_json::Value> {
        let launcher = self.launcher(ranks)?;
        let output = Command::new(&launcher.words[0])
            .args(&launcher.words[1..])
            .arg(program)
            .args(options.split_whitespace())
            .envs(AS_ROOT)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{program} {options}: {said}{}", String::from_utf8_lossy(&output.stderr));
        Ok(serde_json::from_str(said.lines().last().context("no output")?)?)
    }

    /// Balanced iterations: equal tasks, one chunk per worker.
    ///
    /// # Errors
    /// Those of [`run_under_midrun`], a summary without links or iterations.
    pub fn balanced(&self, load: Load, workers: u32, iterations: u32) -> Result<Balanced> {
        let options = format!(
            "--tasks {TASKS} --iterations {iterations} --mean-us {} --sigma-pct 0 --bytes {} --work sleep --technique none",
            load.compute_s * 1e6 / TASKS as f64,
            load.volume / (2 * TASKS)
        );
        let program = self.words("mw_synthetic", &options);
        let environment = ["env".to_owned(), format!("MIDRUN_MW_SYNCHRONOUS={}", u8::from(load.synchronous))];
        let words = [&environment[..], &program].concat();
        let summary = run_under_midrun(&["--dry-run".to_owned()], &self.launcher(workers + 1)?, &words)?;
        // Median of the iterations after the first.
        let median = |key: &str| {
            let mut values: Vec<f64> = numbers(&summary, key).split_off(1);
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().with_context(|| format!("no {key} in the summary"))
        };
        let links = summary["links"].as_array().cloned().unwrap_or_default();
        let slowest =
            links.iter().find(|link| link["same_host"] == false).or(links.first()).context("no link was measured")?;
        Ok(Balanced {
            volume: load.volume,
            synchronous: load.synchronous,
            workers,
            iteration_s: median("iteration_s")?,
            task_s: median("ideal_s")? * f64::from(workers),
            overhead_s: median("master_busy_s")? / f64::from(workers),
            start_up_s: slowest["start_up_s"].as_f64().context("no start-up time")?,
            per_byte_s: slowest["per_byte_s"].as_f64().context("no byte time")?,
        })
    }
}

/// Equal tasks per iteration; a multiple of many numbers of workers.
pub const TASKS: u64 = 400;

/// Work and bytes of one balanced iteration.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Of all workers, seconds.
    pub compute_s: f64,
    /// In both directions, bytes.
    pub volume: u64,
    /// Whether a message holds its sender until its receiver takes it.
    pub synchronous: bool,
}

/// What a run with a fixed number of workers gave.
#[derive(Clone, Copy, Debug)]
pub struct Balanced {
    /// Bytes of an iteration.
    pub volume: u64,
    /// Whether a message held its sender until its receiver took it.
    pub synchronous: bool,
    /// Workers.
    pub workers: u32,
    /// Time of an iteration, seconds.
    pub iteration_s: f64,
    /// Of all tasks, seconds.
    pub task_s: f64,
    /// Start-up time of a message, seconds.
    pub start_up_s: f64,
    /// Time of a byte, seconds.
    pub per_byte_s: f64,
    /// Time the master was busy per chunk, seconds.
    pub overhead_s: f64,
}

impl Balanced {
    /// What the simulation, by which the tunlet decides, says of such an iteration, seconds.
    pub fn simulation_s(&self) -> f64 {
        let bytes_s = self.per_byte_s * (self.volume / (2 * TASKS)) as f64;
        let input = SimInput {
            tasks: TASKS,
            workers: self.workers,
            mean_s: self.task_s / TASKS as f64,
            overhead_s: self.overhead_s,
            latency_s: self.start_up_s,
            send_s: bytes_s,
            back_s: bytes_s,
            ..SimInput::default()
        };
        let parameters =
            TechniqueParameters { synchronous: self.synchronous, ..TechniqueParameters::new(Technique::None) };
        compare(&input, &[parameters], 0..1)[0].iteration_s
    }

    /// Pi with a time of an iteration, seconds.
    pub fn pi_s(&self, iteration_s: f64) -> f64 {
        f64::from(self.workers) * iteration_s * iteration_s / self.task_s
    }
}
