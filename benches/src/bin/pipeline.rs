//! Who should hand out to replicas, how near a pattern's period comes to the model's, and what the framework costs beside MPI
//! written by hand.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Launcher, Spread, prefix, spread};
use midrun_models::pipeline::production::Buffers;
use midrun_models::pipeline::{Network, Pattern, Pipeline, Protocol, Stage};
use std::process::Command;

/// Runs `pipe_synthetic`, whose stages sleep, and prints periods of the second half of the stream.
#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    #[arg(long, default_value_t = 5)]
    repeats: usize,
    /// Which of: managers, source, plain
    #[arg(long, value_delimiter = ',', default_value = "managers,source,plain")]
    what: Vec<String>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    for what in &a.what {
        match what.as_str() {
            "managers" => a.managers()?,
            "source" => a.source()?,
            "plain" => a.plain()?,
            other => anyhow::bail!("there is no measurement {other}: managers, source, plain"),
        }
    }
    Ok(())
}

impl Arguments {
    /// One run's period, seconds.
    fn period_s(&self, program: &str, ranks: u32, options: &str) -> Result<f64> {
        let launcher = Launcher::local(&self.mpi, ranks, false)?;
        let output = Command::new(&launcher.words[0])
            .args(&launcher.words[1..])
            .arg(program)
            .args(options.split_whitespace())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        anyhow::ensure!(
            output.status.success(),
            "{program} {options}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let line: serde_json::Value = serde_json::from_str(said.lines().last().context("no output")?)?;
        line["period_s"].as_f64().context("no period")
    }

    fn synthetic(&self) -> String {
        prefix().join(format!("../../examples/build/{}/pipe_synthetic", self.mpi)).display().to_string()
    }

    fn repeated(&self, program: &str, ranks: u32, options: &str) -> Result<Spread> {
        let runs = (0..self.repeats).map(|_| self.period_s(program, ranks, options)).collect::<Result<Vec<_>>>()?;
        spread(runs.into_iter().map(|s| s * 1e3).collect()).context("no runs")
    }

    /// The same five ranks for a stage: five replicas, four and a manager, or five of which one shares its rank with it.
    fn managers(&self) -> Result<()> {
        println!("who hands out: period, ms: median [p10 … p90]");
        for (stages, bytes, inputs) in [("0.2,4,0.2", 1000, 1500), ("0.2,4,0.2", 200_000, 600), ("2,40,2", 1000, 200)] {
            for sigma_pct in [0, 80] {
                for pattern in ["0,1x5,2", "0,1x4m,2", "0,1x5s,2"] {
                    let options = format!(
                        "--stages {stages} --bytes {bytes} --inputs {inputs} --sigma-pct {sigma_pct} --pattern {pattern} --json"
                    );
                    let period = self.repeated(&self.synthetic(), 8, &options)?;
                    println!("{stages:>10} ms {bytes:>7} B {sigma_pct:>3} %  {pattern:<9} {period}");
                }
            }
        }
        Ok(())
    }

    /// The source's stages and patterns, one hundredth to a tenth of its times.
    fn source(&self) -> Result<()> {
        println!("\nmodel and run: expected period, ms; measured, ms: median [p10 … p90]; measured / expected");
        let example = "100,400,300,200,100";
        for (stages, bytes, replicas, inputs) in [
            (example, 10_240, [1, 1, 1, 1, 1], 20),
            (example, 10_240, [1, 2, 2, 1, 1], 30),
            (example, 10_240, [1, 3, 3, 2, 1], 40),
            (example, 10_240, [1, 4, 3, 2, 1], 60),
            ("10,10,10,10,10", 51_200, [1, 1, 1, 1, 1], 200),
            ("10,15,10,30,10", 512, [1, 1, 1, 1, 1], 100),
            ("10,15,10,30,10", 512, [1, 3, 1, 1, 1], 100),
            ("10,15,10,30,10", 512, [1, 1, 1, 3, 1], 200),
            ("10,15,10,30,10", 512, [1, 2, 1, 3, 1], 200),
        ] {
            let compute_s = stages.split(',').map(|ms| ms.parse::<f64>().map(|ms| ms * 1e-3));
            let stage = |compute_s| Stage { compute_s, message_bytes: f64::from(bytes), stateful: false };
            let list = compute_s.map(|s| s.map(stage)).collect::<Result<Vec<_>, _>>()?;
            // What a message costs here is small against all of these stages.
            let network = Network { start_up_s: 5e-5, per_byte_s: 3e-10, protocol: Protocol::Async };
            let pattern = Pattern::of_replicas(&replicas);
            let expected_ms = 1e3 * Pipeline::new(list, network).evaluate(&pattern, Buffers::Full).period_s;
            let options = format!("--stages {stages} --bytes {bytes} --inputs {inputs} --pattern {pattern} --json");
            let ranks = replicas.iter().sum::<u32>() + 1;
            let measured = self.repeated(&self.synthetic(), ranks, &options)?;
            let ratio = measured.median / expected_ms;
            println!("{stages:>20} {bytes:>6} B {:<14} {expected_ms:9.3}  {measured}  {ratio:.4}", pattern.to_string());
        }
        Ok(())
    }

    /// The same chain of 1 ms stages by the framework and by hand.
    fn plain(&self) -> Result<()> {
        println!("\nthree stages of 1 ms: period, ms: median [p10 … p90]");
        let plain = prefix().join(format!("../../benches/build/{}/pipe_plain", self.mpi)).display().to_string();
        for bytes in [64, 10_000, 100_000] {
            let by_hand = self.repeated(&plain, 4, &format!("3 1 {bytes} 2000"))?;
            let options = format!("--stages 1,1,1 --bytes {bytes} --inputs 2000 --json");
            let framework = self.repeated(&self.synthetic(), 4, &options)?;
            let ratio = framework.median / by_hand.median;
            println!("{bytes:>7} B  by hand {by_hand}  framework {framework}  {ratio:.4}");
        }
        Ok(())
    }
}
