//! Real jobs of a generated program: `benches/c/drawn.c` sleeps through the task times that were drawn for it.

use anyhow::{Context, Result, ensure};
use midrun_scheduling::Technique;
use std::io::Write;

use crate::programs::Program;
use crate::{Launcher, numbers, prefix, run_under_midrun};

/// A generated program, and the file that its real runs read.
pub struct Real {
    times: tempfile::NamedTempFile,
    launcher: Launcher,
    program: String,
    iterations: usize,
}

/// What a tuned job did.
pub struct Tuned {
    /// Total of all iterations, seconds.
    pub total_s: f64,
    /// Its decisions, each with the iteration after which it was made, and its verdict.
    pub decisions: Vec<(u64, String)>,
}

impl Real {
    /// Writes the program's task times for jobs of `mpi` (`openmpi` or `mpich`).
    ///
    /// # Errors
    /// No mpirun, a disk that is full.
    pub fn new(program: &Program, mpi: &str, realtime: bool) -> Result<Real> {
        let mut times = tempfile::NamedTempFile::new()?;
        let mut out = std::io::BufWriter::new(times.as_file_mut());
        program.write(&mut out)?;
        out.flush()?;
        drop(out);
        Ok(Real {
            times,
            launcher: Launcher::local(mpi, program.workers + 1, realtime)?,
            program: prefix().join(format!("../../benches/build/{mpi}/drawn")).display().to_string(),
            iterations: program.iterations as usize,
        })
    }

    fn run(&self, flags: &[&str], technique: Option<Technique>) -> Result<serde_json::Value> {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let mut words = vec![self.program.clone(), self.times.path().display().to_string()];
        words.extend(technique.map(|kind| kind.name().to_owned()));
        let summary = run_under_midrun(&flags, &self.launcher, &words)?;
        let count = numbers(&summary, "iteration_s").len();
        ensure!(count == self.iterations, "{count} of {} iterations are in the summary", self.iterations);
        Ok(summary)
    }

    /// Total of all iterations with a technique that stays, seconds; without one, with what the framework starts with.
    ///
    /// # Errors
    /// Those of [`run_under_midrun`], a summary that lacks iterations.
    pub fn fixed_s(&self, technique: Option<Technique>) -> Result<f64> {
        Ok(numbers(&self.run(&["--dry-run"], technique)?, "iteration_s").iter().sum())
    }

    /// A tuned job, from its first iteration on.
    ///
    /// # Errors
    /// As of [`Real::fixed_s`].
    pub fn tuned(&self) -> Result<Tuned> {
        let summary = self.run(&[], None)?;
        let all = summary["decisions"].as_array().context("no decisions in the summary")?;
        let decision = |one: &serde_json::Value| {
            let text = |key: &str| one[key].as_str().unwrap_or("").to_owned();
            let number = |key: &str| one[key].as_f64().map_or("-".to_owned(), |s| format!("{s:.4}"));
            let iteration = one["iteration"].as_u64().unwrap_or(0);
            let said = format!(
                "{iteration}: {} -> {}: {} s instead of {}; measured {}, {}",
                text("from"),
                text("to"),
                number("predicted_s"),
                number("unchanged_s"),
                number("measured_s"),
                text("verdict"),
            );
            (iteration, said)
        };
        Ok(Tuned {
            total_s: numbers(&summary, "iteration_s").iter().sum(),
            decisions: all.iter().map(decision).collect(),
        })
    }
}
