//! Measures how far the approximation of state diagrams is from the exact mean, or from the simulated one.
//!
//! Manager-Workers and the chain, with 2 to 6 processes, 2 to 8 stages, and k = mean²/variance from 1 to 50. Beside the
//! approximation as it is chosen, those of the source: a fixed part and one exponential phase, or two.

use anyhow::Result;
use clap::Parser;
use midrun_predict::state_diagram::{
    Averaging, Diagram, DiagramError, LEVEL, Prediction, STATE_LIMIT, Time, approximate, approximate_with, exact,
    simulate,
};
use std::time::Instant;

/// Approximate against exact or simulated mean times of state diagrams.
#[derive(Parser)]
struct Arguments {
    /// Numbers of processes.
    #[arg(long, value_delimiter = ',', default_value = "2,3,4,5,6")]
    processes: Vec<usize>,
    /// Numbers of stages.
    #[arg(long, value_delimiter = ',', default_value = "2,3,4,5,6,7,8")]
    stages: Vec<usize>,
    /// Values of mean²/variance; whole ones have an exact answer.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,1.5,2.5,6.5,20,50")]
    k: Vec<f64>,
    /// Most states of the exact method; beyond it the simulation is the referee.
    #[arg(long, default_value_t = 500_000)]
    states: u64,
    /// Runs of the simulation.
    #[arg(long, default_value_t = 100_000)]
    runs: u32,
    /// Print every row.
    #[arg(long)]
    rows: bool,
}

/// The relative errors of one way to approximate.
#[derive(Default)]
struct Errors {
    all: Vec<(f64, String)>,
}

impl Errors {
    fn worst(&self) -> String {
        let worst = self.all.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        let beyond = self.all.iter().filter(|error| error.0.abs() > 0.015).count();
        worst.map_or("-".into(), |(error, of)| format!("{:+.2} % ({of}; {beyond} beyond 1.5 %)", 100.0 * error))
    }
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let (mut slower, mut pairs, mut total) = (Vec::new(), 0, Errors::default());
    for &k in &a.k {
        let mut of = [Errors::default(), Errors::default(), Errors::default()];
        let (mut exact_ones, mut width) = (0, 0.0_f64);
        for &processes in &a.processes {
            for &stages in &a.stages {
                let time = Time::new(1.0, 1.0 / k)?;
                let mw = Diagram::manager_workers(processes, stages, time)?;
                let cse = Diagram::communicating_sequential_elements(processes, stages, time)?;
                let mut approximations = Vec::new();
                for (name, diagram) in [("MW", &mw), ("CSE", &cse)] {
                    let (referee, is_exact) = referee(&a, diagram)?;
                    exact_ones += u32::from(is_exact);
                    width =
                        width.max(referee.interval_s.map_or(0.0, |(low, high)| 0.5 * (high - low) / referee.mean_s));
                    let started = Instant::now();
                    let chosen = approximate(diagram)?;
                    let chosen_s = started.elapsed().as_secs_f64();
                    let one = approximate_with(diagram, 1, Averaging::All, STATE_LIMIT)?;
                    let two = approximate_with(diagram, 2, Averaging::All, STATE_LIMIT)?;
                    let error = |answer: &Prediction| answer.mean_s / referee.mean_s - 1.0;
                    let label = format!("{name} {processes} x {stages}, k = {k}");
                    for (errors, answer) in of.iter_mut().zip([&chosen, &one, &two]) {
                        errors.all.push((error(answer), label.clone()));
                    }
                    total.all.push((error(&chosen), label.clone()));
                    if a.rows {
                        println!(
                            "{label:<22} {:>9.4} {}  {:+6.2} % ({} phases, {} states, {chosen_s:.2} s)  one {:+6.2} %  two {:+6.2} %",
                            referee.mean_s,
                            if is_exact { "exact    " } else { "simulated" },
                            100.0 * error(&chosen),
                            chosen.phases.unwrap_or(0),
                            chosen.states.unwrap_or(0),
                            100.0 * error(&one),
                            100.0 * error(&two)
                        );
                    }
                    approximations.push(chosen.mean_s);
                }
                pairs += 1;
                if approximations[0] < approximations[1] * (1.0 - 1e-9) {
                    slower.push(format!("{processes} x {stages}, k = {k}: {approximations:?}"));
                }
            }
        }
        println!("k = {k}: {exact_ones} exact referees of {}", of[0].all.len());
        println!("    referees' {:.0} % interval: +- {:.2} % at most", 100.0 * LEVEL, 100.0 * width);
        println!("    approximation as chosen:    worst {}", of[0].worst());
        println!("    one exponential phase:      worst {}", of[1].worst());
        println!("    two exponential phases:     worst {}", of[2].worst());
    }
    println!("all: worst {}", total.worst());
    println!("Manager-Workers below the chain in {} of {pairs} approximated pairs {slower:?}", slower.len());
    Ok(())
}

/// The exact answer, or a simulated one.
fn referee(a: &Arguments, diagram: &Diagram) -> Result<(Prediction, bool)> {
    match exact(diagram, a.states) {
        Ok(answer) => Ok((answer, true)),
        Err(DiagramError::TooManyStates { .. } | DiagramError::NotErlang { .. }) => {
            Ok((simulate(diagram, a.runs, 1), false))
        }
        Err(error) => Err(error.into()),
    }
}
