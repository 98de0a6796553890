//! Measures a job of many sleeping ranks with midrun and without, in pairs: the time of its iterations, and of the whole command.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::standing::midrun;
use midrun_benches::{AS_ROOT, Launcher, median_interval, prefix, spread};
use std::process::Command;
use std::time::Instant;

/// Pairs of jobs with midrun and without.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    /// Ranks, one of them the master.
    #[arg(long, default_value_t = 128)]
    ranks: u32,
    #[arg(long, default_value_t = 10)]
    pairs: u32,
    #[arg(long, default_value_t = 10)]
    iterations: u32,
    /// Tasks of each worker in an iteration.
    #[arg(long, default_value_t = 10)]
    tasks: u32,
    /// Time of a task, which sleeps, milliseconds.
    #[arg(long, default_value_t = 100)]
    task_ms: u32,
    /// Technique of the program; midrun leaves it, and measures only.
    #[arg(long, default_value = "none")]
    technique: String,
    /// midrun changes what it finds better, too.
    #[arg(long)]
    tuned: bool,
}

/// Of one job, seconds.
struct Times {
    iterations_s: f64,
    command_s: f64,
}

impl Arguments {
    fn job(&self, is_under_midrun: bool) -> Result<Times> {
        let launcher = Launcher::local(&self.mpi, self.ranks, false)?;
        let (first, rest) = launcher.words.split_first().context("a launcher")?;
        let mut command = match is_under_midrun {
            false => Command::new(first),
            true => {
                let mut command = midrun(&["run", "--quiet"]);
                command.args((!self.tuned).then_some("--dry-run")).arg("--").arg(first);
                command
            }
        };
        let program = prefix().join(format!("../../examples/build/{}/mw_synthetic", self.mpi));
        let tasks = u64::from(self.tasks) * u64::from(self.ranks.saturating_sub(1));
        let options = format!(
            "--tasks {tasks} --iterations {} --mean-us {} --sigma-pct 0 --work sleep --technique {} --json",
            self.iterations,
            1000 * u64::from(self.task_ms),
            self.technique,
        );
        command.args(rest).arg(program).args(options.split(' '));
        command.envs(AS_ROOT);
        let begin = Instant::now();
        let output = command.output()?;
        let command_s = begin.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        let last: serde_json::Value = serde_json::from_str(said.lines().last().context("no output")?)?;
        Ok(Times { iterations_s: last["total_s"].as_f64().context("no total_s")?, command_s })
    }
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("?").to_owned()
}

fn print(what: &str, values: &[f64]) {
    let Some(all) = spread(values.to_vec()) else { return };
    let interval = median_interval(values)
        .map_or("too few pairs for its interval".into(), |(low, high)| format!("{low:+.3} … {high:+.3}"));
    println!(
        "{what}: median {:+.3} ({interval} at 95 %), [{:+.3} … {:+.3}], {} pairs",
        all.median, all.p10, all.p90, all.count
    );
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let (mut shares, mut added_s, mut without_s) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..a.pairs {
        // Whatever grows on the machine meanwhile meets both kinds alike.
        let is_first = pair % 2 == 1;
        let one = a.job(is_first)?;
        let other = a.job(!is_first)?;
        let (with, without) = if is_first { (one, other) } else { (other, one) };
        println!(
            "pair {pair}, load {}: iterations {:.3} s with midrun, {:.3} s without; command {:.3} and {:.3} s",
            load(),
            with.iterations_s,
            without.iterations_s,
            with.command_s,
            without.command_s
        );
        shares.push(100.0 * (with.iterations_s / without.iterations_s - 1.0));
        added_s.push((with.command_s - with.iterations_s) - (without.command_s - without.iterations_s));
        without_s.push(without.command_s - without.iterations_s);
    }
    println!("{} ranks, {}", a.ranks, a.mpi);
    print("iterations take longer with midrun, %", &shares);
    print("start and end of the command take longer, s", &added_s);
    print("start and end without midrun, s", &without_s);
    Ok(())
}
