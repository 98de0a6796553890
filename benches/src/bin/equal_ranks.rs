//! The same number of ranks for all: a tuned farm whose master computes tasks, too, one whose master does not, and programs without a master,
//! whose ranks take their chunks from a counter, as the field's libraries do.
//!
//! Programs are those of `decisions_live`; what is compared is the total from the first iteration on over the ideal: all work by all ranks.

use anyhow::Result;
use clap::Parser;
use midrun_benches::programs::Program;
use midrun_benches::real::Real;
use midrun_benches::{first_seed, print_spread};

/// Tuned jobs against programs without a master, on equal total ranks.
#[derive(Parser)]
struct Arguments {
    /// Programs.
    #[arg(long, default_value_t = 12)]
    programs: u64,
    /// Iterations of each.
    #[arg(long, default_value_t = 20)]
    iterations: u64,
    /// Most ranks of a program.
    #[arg(long, default_value_t = 16)]
    ranks: u32,
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

/// Techniques of the programs without a master.
const COUNTED: [&str; 3] = ["ss", "gss", "fac2"];

/// All work by all ranks, at their speeds, seconds.
fn ideal_s(program: &Program) -> f64 {
    let of_one = |iteration| {
        let speed: f64 = program.slowness(iteration).iter().map(|slow| 1.0 / slow).sum();
        program.times_s(iteration).iter().sum::<f64>() / speed
    };
    (0..program.iterations).map(of_one).sum()
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let first = first_seed(a.seed);
    println!("{} programs from seed {first} on, {} iterations, {}; total / ideal", a.programs, a.iterations, a.mpi);
    let names = ["tuned, master computes", "tuned, master does not", "counter ss", "counter gss", "counter fac2"];
    let mut all = vec![Vec::new(); names.len()];
    let mut against_best = Vec::new();
    for seed in first..first + a.programs {
        let mut program = Program::draw(seed, a.iterations, a.ranks);
        let first_s = program.tasks as f64 * program.mean_s / f64::from(program.workers);
        program.mean_s *= (a.longest_s / first_s).min(1.0);
        let (ideal_s, ranks) = (ideal_s(&program), program.workers);
        let works = Real::on(&program, ranks, true, (&a.mpi, a.realtime))?;
        let mut totals = vec![works.tuned()?.total_s];
        totals.push(Real::on(&program, ranks, false, (&a.mpi, a.realtime))?.tuned()?.total_s);
        for technique in COUNTED {
            totals.push(works.counted_s(technique)?);
        }
        let ratios: Vec<f64> = totals.iter().map(|total_s| total_s / ideal_s).collect();
        let best = ratios[2..].iter().copied().fold(f64::INFINITY, f64::min);
        against_best.push(ratios[0] / best);
        let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.4}")).collect();
        println!(
            "{seed}: {}; {ranks} ranks, {} tasks of {:.2} ms, {:?} {:?} {:?}",
            shown.join(" "),
            program.tasks,
            program.mean_s * 1e3,
            program.law,
            program.drift,
            program.hosts
        );
        all.iter_mut().zip(ratios).for_each(|(list, ratio)| list.push(ratio));
    }
    names.iter().zip(&all).for_each(|(name, list)| print_spread(name, list));
    print_spread("tuned, master computes / best counter", &against_best);
    Ok(())
}
