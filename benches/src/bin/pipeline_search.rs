//! Measures how long the exact search for the best pattern takes.

use anyhow::Result;
use clap::Parser;
use midrun_benches::spread;
use midrun_models::pipeline::exact::{Grouping, Objective, optimum};
use midrun_models::pipeline::{Network, Pipeline, Protocol, Stage};
use std::time::Instant;

/// Times the search over pipelines of made-up stages.
#[derive(Parser)]
struct Arguments {
    #[arg(long, value_delimiter = ',', default_value = "5,20,100")]
    stages: Vec<usize>,
    #[arg(long, default_value_t = 1000)]
    ranks: u32,
    #[arg(long, default_value_t = 9)]
    repeats: usize,
}

/// Stages from 1 ms to 1 s, every fourth with state, in an order that has no pattern.
fn made_up(stages: usize) -> Pipeline {
    let share = |k: usize| ((k * 2_654_435_761) % 1000) as f64 / 1000.0;
    let stages = (0..stages).map(|k| Stage {
        compute_s: 1e-3 + share(k + 1) * if k % 4 == 3 { 0.01 } else { 1.0 },
        message_bytes: 1e5 * share(k + 7),
        stateful: k % 4 == 3,
    });
    let network = Network { start_up_s: 1e-4, per_byte_s: 1e-9, protocol: Protocol::Sync };
    Pipeline::new(stages.collect(), network)
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    println!("{:>6} {:>6} {:>9} {:>11}  ms: median [p10 … p90]", "stages", "ranks", "grouping", "objective");
    for &stages in &a.stages {
        let pipeline = made_up(stages);
        for grouping in [Grouping::None, Grouping::Single, Grouping::Any] {
            for objective in [Objective::Time, Objective::Efficiency] {
                let mut times_ms = Vec::new();
                for _ in 0..a.repeats {
                    let begin = Instant::now();
                    anyhow::ensure!(optimum(&pipeline, a.ranks, grouping, objective).is_some(), "no pattern");
                    times_ms.push(begin.elapsed().as_secs_f64() * 1e3);
                }
                let Some(spread) = spread(times_ms) else { continue };
                let (grouping, objective) = (format!("{grouping:?}"), format!("{objective:?}"));
                println!("{stages:>6} {:>6} {grouping:>9} {objective:>11}  {spread}", a.ranks);
            }
        }
    }
    Ok(())
}
