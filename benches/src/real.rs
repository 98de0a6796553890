//! Real jobs of a generated program: those of `benches/c` that read `drawn.h`'s file sleep through the task times that were drawn for it.

use anyhow::{Context, Result, ensure};
use midrun_scheduling::Technique;
use std::io::Write;
use std::process::Command;

use crate::programs::Program;
use crate::{AS_ROOT, Launcher, first_seed, numbers, prefix, run_under_midrun};

/// A generated program, and the file that its real runs read.
pub struct Real {
    times: tempfile::NamedTempFile,
    launcher: Launcher,
    directory: String,
    farm: Farm,
    iterations: usize,
}

/// What a generated program leaves open about its farm.
#[derive(Clone, Copy, Default)]
pub struct Farm {
    /// The master computes tasks, too.
    pub master_works: bool,
    /// Tasks carry no inputs, and the master spends no time to prepare them.
    pub without_inputs: bool,
}

/// Which programs run really, and how: arguments that their benches share.
#[derive(clap::Args)]
pub struct Draws {
    /// First seed; the default is drawn from the clock and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// Longest ideal time of the first iteration, seconds: tasks of programs that take longer are made shorter.
    #[arg(long, default_value_t = 0.2)]
    longest_s: f64,
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Under SCHED_FIFO 1 (Open MPI), where other load is on the machine.
    #[arg(long)]
    realtime: bool,
}

impl Draws {
    /// So many programs of so many iterations and at most so many workers; says which.
    pub fn programs(&self, programs: u64, iterations: u64, workers: u32) -> impl Iterator<Item = Program> {
        let (first, longest_s) = (first_seed(self.seed), self.longest_s);
        println!("{programs} programs from seed {first} on, {iterations} iterations, {}", self.mpi);
        (first..first + programs).map(move |seed| {
            let mut program = Program::draw(seed, iterations, workers);
            let ideal_s = program.tasks as f64 * program.mean_s / f64::from(program.workers);
            program.mean_s *= (longest_s / ideal_s).min(1.0);
            program
        })
    }

    /// A program's real jobs on so many ranks.
    ///
    /// # Errors
    /// No mpirun, a disk that is full.
    pub fn real(&self, program: &Program, ranks: u32, farm: Farm) -> Result<Real> {
        Real::new(program, ranks, farm, (&self.mpi, self.realtime))
    }
}

/// What a tuned job did.
pub struct Tuned {
    /// Total of all iterations, seconds.
    pub total_s: f64,
    /// Each of them, seconds.
    pub each_s: Vec<f64>,
    /// Its decisions, each with the iteration after which it was made, and its verdict.
    pub decisions: Vec<(u64, String)>,
}

impl Real {
    /// Writes the program's task times.
    fn new(program: &Program, ranks: u32, farm: Farm, (mpi, realtime): (&str, bool)) -> Result<Real> {
        let mut times = tempfile::NamedTempFile::new()?;
        let mut out = std::io::BufWriter::new(times.as_file_mut());
        program.write(&mut out)?;
        out.flush()?;
        drop(out);
        Ok(Real {
            times,
            launcher: Launcher::local(mpi, ranks, realtime)?,
            directory: prefix().join(format!("../../benches/build/{mpi}")).display().to_string(),
            farm,
            iterations: program.iterations as usize,
        })
    }

    /// The command line of a program of `benches/c`, whose first word names it.
    fn words(&self, line: &[&str]) -> Vec<String> {
        let mut words = vec![format!("{}/{}", self.directory, line[0]), self.times.path().display().to_string()];
        words.extend(line[1..].iter().map(|word| (*word).to_owned()));
        words
    }

    fn run(&self, flags: &[&str], line: &[&str]) -> Result<serde_json::Value> {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let summary = run_under_midrun(&flags, &self.launcher, &self.words(line))?;
        let count = numbers(&summary, "iteration_s").len();
        ensure!(count == self.iterations, "{count} of {} iterations are in the summary", self.iterations);
        Ok(summary)
    }

    /// Total of all iterations with a technique that stays, seconds; without one, with what the framework starts with.
    ///
    /// # Errors
    /// Those of [`run_under_midrun`], a summary that lacks iterations.
    pub fn fixed_s(&self, technique: Option<Technique>) -> Result<f64> {
        Ok(numbers(&self.run(&["--dry-run"], &self.farm_of(technique))?, "iteration_s").iter().sum())
    }

    fn farm_of(&self, technique: Option<Technique>) -> Vec<&'static str> {
        let words = std::iter::once("drawn").chain(technique.map(Technique::name));
        let Farm { master_works, without_inputs } = self.farm;
        let flags = [(master_works, "--master-works"), (without_inputs, "--without-inputs")];
        words.chain(flags.into_iter().filter_map(|(is_set, flag)| is_set.then_some(flag))).collect()
    }

    /// The same of a program that prints it, named by the first word of its line; without midrun.
    ///
    /// # Errors
    /// It does not start, or does not end well.
    pub fn alone_s(&self, line: &[&str]) -> Result<f64> {
        let mut command = Command::new(&self.launcher.words[0]);
        command.args(&self.launcher.words[1..]).args(self.words(line)).envs(AS_ROOT);
        let output = command.output().context("no mpirun")?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
        said.trim().parse().with_context(|| format!("{line:?} said {said}"))
    }

    /// A tuned job, from its first iteration on.
    ///
    /// # Errors
    /// As of [`Real::fixed_s`].
    pub fn tuned(&self) -> Result<Tuned> {
        self.tuned_by(&[], &self.farm_of(None))
    }

    /// The same of another program, named by the first word of its line, with flags of `midrun run`.
    ///
    /// # Errors
    /// As of [`Real::fixed_s`].
    pub fn tuned_by(&self, flags: &[&str], line: &[&str]) -> Result<Tuned> {
        let summary = self.run(flags, line)?;
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
        let each_s = numbers(&summary, "iteration_s");
        Ok(Tuned { total_s: each_s.iter().sum(), each_s, decisions: all.iter().map(decision).collect() })
    }
}
