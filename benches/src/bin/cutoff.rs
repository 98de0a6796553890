//! The cut-off depth that midrun chooses for a divide-and-conquer program, beside every depth that it could have: real jobs of `quadrature`,
//! whose evaluations sleep.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use midrun_benches::{Launcher, prefix, run_under_midrun, spread};

/// The chosen depth against all.
#[derive(Parser)]
struct Arguments {
    /// `openmpi` or `mpich`.
    #[arg(long, default_value = "mpich")]
    mpi: String,
    /// Workers.
    #[arg(long, default_value_t = 8)]
    workers: u32,
    /// Lower ends of the integral, millionths: the smaller, the more unequal are the parts.
    #[arg(long, value_delimiter = ',', default_value = "100,10000,200000")]
    from: Vec<u32>,
    /// Time of an evaluation, microseconds.
    #[arg(long, value_delimiter = ',', default_value = "100,400")]
    pace_us: Vec<u32>,
    /// Deepest cut-off that is tried.
    #[arg(long, default_value_t = 10)]
    deepest: u32,
    /// Ranks before all other programs (chrt -f 1; Open MPI).
    #[arg(long)]
    realtime: bool,
    /// Solves of a tuned run; the second half counts.
    #[arg(long, default_value_t = 16)]
    solves: u32,
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    ensure!(!a.realtime || a.mpi == "openmpi", "--realtime is for Open MPI: MPICH spins at start and end, for ever");
    let mut ratios = Vec::new();
    for from in &a.from {
        for pace_us in &a.pace_us {
            let run = |depth: u32, solves: u32, flags: &[&str]| -> Result<(f64, f64)> {
                let program = prefix().join(format!("../../examples/build/{}/quadrature", a.mpi)).display().to_string();
                let options = format!("--solves {solves} --digits 9 --from {from} --pace {pace_us} --cutoff {depth}");
                let words: Vec<String> =
                    std::iter::once(program).chain(options.split_whitespace().map(str::to_owned)).collect();
                let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
                let summary = run_under_midrun(&flags, &Launcher::local(&a.mpi, a.workers + 1, a.realtime)?, &words)?;
                times(&summary).context("no iteration was measured")
            };
            // The first solve of a job is colder than others.
            let fixed = (1..=a.deepest).map(|depth| Ok((depth, run(depth, 5, &["--objective", "fixed"])?.0)));
            let fixed = fixed.collect::<Result<Vec<(u32, f64)>>>()?;
            let (best, best_s) = fixed.iter().copied().min_by(|x, y| x.1.total_cmp(&y.1)).context("no depth")?;
            let all: Vec<String> = fixed.iter().map(|(depth, s)| format!("{depth}: {:.1}", s * 1e3)).collect();
            println!("from {from} ppm, {pace_us} us: by depth, ms: {}", all.join(", "));
            for start in [0, 1, a.deepest] {
                let (last_s, decisions) = run(start, a.solves, &[])?;
                println!(
                    "  start {start}: {:.1} ms, {:.3} of depth {best}; {decisions} changes",
                    last_s * 1e3,
                    last_s / best_s
                );
                ratios.push(last_s / best_s);
            }
        }
    }
    println!(
        "tuned / best depth: {}, worst {:.3}",
        spread(ratios.clone()).context("no run")?,
        ratios.iter().fold(0.0_f64, |a, b| a.max(*b))
    );
    Ok(())
}

/// Median time of the second half of the iterations, seconds, and the number of decisions.
fn times(summary: &serde_json::Value) -> Option<(f64, f64)> {
    let times: Vec<f64> = summary["iteration_s"].as_array()?.iter().filter_map(serde_json::Value::as_f64).collect();
    let decisions = summary["decisions"].as_array()?.len() as f64;
    Some((spread(times[times.len() / 2..].to_vec())?.median, decisions))
}
