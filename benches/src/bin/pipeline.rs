//! Measures pipelines: the best dispatcher for replicas, the period against the model's, the framework against plain MPI, and
//! the cost of changing the pattern while data flows.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::runs::Place;
use midrun_benches::{Spread, numbers, prefix, spread};
use midrun_models::pipeline::production::Buffers;
use midrun_models::pipeline::{Group, Network, Pattern, Pipeline, Protocol, Stage};

/// Inputs between two changes: after a change back it takes 80 until the queue before the stage of 30 ms is gone.
const EVERY: usize = 160;
/// At least as many inputs as are on their way when the next change is requested for.
const ON_WAY: usize = 48;
/// Changes there, and as many back.
const CHANGES: usize = 10;
/// Outputs before and behind a change that tell the period.
const STEADY: usize = 30;

/// Runs `pipe_synthetic`, whose stages sleep, and prints periods of the second half of the stream.
#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value = "openmpi")]
    mpi: String,
    #[arg(long, default_value_t = 5)]
    repeats: usize,
    /// Which of: managers, source, plain, changes
    #[arg(long, value_delimiter = ',', default_value = "managers,source,plain,changes")]
    what: Vec<String>,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    for what in &a.what {
        match what.as_str() {
            "managers" => a.managers()?,
            "source" => a.source()?,
            "plain" => a.plain()?,
            "changes" => a.changes()?,
            other => anyhow::bail!("there is no measurement {other}: managers, source, plain, changes"),
        }
    }
    Ok(())
}

impl Arguments {
    /// One run's period, seconds.
    fn period_s(&self, program: &str, ranks: u32, options: &str) -> Result<f64> {
        self.figures(program, ranks, options)?["period_s"].as_f64().context("no period")
    }

    /// What a run says.
    fn figures(&self, program: &str, ranks: u32, options: &str) -> Result<serde_json::Value> {
        self.place().pipeline(program, ranks, options)
    }

    fn place(&self) -> Place<'_> {
        Place { mpi: &self.mpi, hosts: None, realtime: false }
    }

    fn synthetic(&self) -> String {
        self.place().example("pipe_synthetic")
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
            let group = |(first, replicas)| Group { first, stages: 1, replicas };
            let pattern = Pattern((0..).zip(replicas).map(group).collect());
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
    /// Patterns that follow one another in one stream.
    fn changes(&self) -> Result<()> {
        println!("\na change while data flows, stages of 10, 40, 30, 20, 10 ms, {CHANGES} changes: median [p10 … p90]");
        let before = "0,1,2,3,4";
        for after in ["0,1x2,2,3,4", "0,1,2,3-4", "0,1x4,2x3,3x2,4"] {
            let options = format!(
                "--stages 10,40,30,20,10 --bytes 10240 --inputs {} --pattern {before} --json --times",
                (2 * CHANGES + 1) * EVERY
            );
            let change = |k: usize| format!(" --change {}:{}", k * EVERY, if k % 2 == 1 { after } else { before });
            let changes: String = (1..=2 * CHANGES).map(change).collect();
            let options = format!("{options}{changes}");
            let said = self.figures(&self.synthetic(), 12, &options)?;
            let (drawn_s, came_s) = (numbers(&said, "drawn_s"), numbers(&said, "came_s"));
            let costs = (1..=2 * CHANGES).map(|k| Change::find(&drawn_s, &came_s, k * EVERY));
            let costs = costs.collect::<Option<Vec<_>>>().context("the stream is too short")?;
            let (there, back): (Vec<_>, Vec<_>) = (0..).zip(costs).partition(|(k, _)| k % 2 == 0);
            report(before, after, &there.into_iter().map(|(_, change)| change).collect::<Vec<_>>())?;
            report(after, before, &back.into_iter().map(|(_, change)| change).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

/// What one change did to the outputs. Periods are the longer one of those before and behind it.
struct Change {
    /// Mean time between two outputs before and behind it, seconds.
    periods_s: [f64; 2],
    /// The longest time between two outputs, less a period, in periods; and the same of steady outputs before.
    stall: f64,
    stall_before: f64,
    /// Outputs that came more than half a period later than one a period says, and how much the latest did, in periods.
    late: f64,
    latest: f64,
    /// How much later all outputs are, when it is over, than after a change at once with the same input, in periods.
    lost: f64,
    /// From the source's option to the first output that went by the new pattern, seconds, and outputs in between.
    delay_s: f64,
    between: f64,
}

impl Change {
    /// Of the change with input `at`, by when inputs were drawn and came out.
    fn find(drawn_s: &[f64], came_s: &[f64], at: usize) -> Option<Change> {
        let asked_s = *drawn_s.get(at)?;
        let asked = came_s.partition_point(|s| *s < asked_s);
        let before = came_s.get(asked.checked_sub(STEADY + 1)?..asked)?;
        let around = came_s.get(asked - 1..at + STEADY)?;
        let over = at + EVERY - ON_WAY;
        let behind = came_s.get(over - STEADY..=over)?;
        let periods_s = [before, behind].map(|s| (s[STEADY] - s[0]) / STEADY as f64);
        let period_s = periods_s[0].max(periods_s[1]);
        let longest = |s: &[f64]| s.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max) / period_s - 1.0;
        let lateness = |(k, s): (usize, &f64)| (s - around[0]) / period_s - k as f64;
        let at_once_s = periods_s[0] * (at - asked + 1) as f64 + periods_s[1] * (over - at) as f64;
        let lateness: Vec<f64> = around.iter().enumerate().map(lateness).collect();
        Some(Change {
            periods_s,
            stall: longest(around),
            stall_before: longest(before),
            late: lateness.iter().filter(|periods| **periods > 0.5).count() as f64,
            latest: lateness.iter().copied().fold(0.0, f64::max),
            lost: (came_s[over] - around[0] - at_once_s) / period_s,
            delay_s: came_s[at] - asked_s,
            between: (at - asked) as f64,
        })
    }
}

fn report(before: &str, after: &str, changes: &[Change]) -> Result<()> {
    let of = |figure: fn(&Change) -> f64| spread(changes.iter().map(figure).collect()).context("no changes");
    println!("{before} -> {after}");
    println!("  periods {} ms -> {} ms", of(|c| c.periods_s[0] * 1e3)?, of(|c| c.periods_s[1] * 1e3)?);
    println!("  longest gap beyond a period {} periods, before {}", of(|c| c.stall)?, of(|c| c.stall_before)?);
    println!("  late outputs {}, the latest by {} periods", of(|c| c.late)?, of(|c| c.latest)?);
    println!("  in the end later than after a change at once by {} periods", of(|c| c.lost)?);
    println!("  in effect after {} s, {} outputs", of(|c| c.delay_s)?, of(|c| c.between)?);
    Ok(())
}
