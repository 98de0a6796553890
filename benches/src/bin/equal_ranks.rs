//! The same number of ranks for all: a tuned farm whose master computes tasks, too, one whose master does not, and programs without a master,
//! whose ranks take their chunks from a counter, as the field's libraries do. No task carries inputs there; a farm whose tasks do is shown, too.
//!
//! Programs are those of `decisions_live`; what is compared is the total from the first iteration on over the ideal: all work by all ranks.

use anyhow::Result;
use clap::Parser;
use midrun_benches::print_spread;
use midrun_benches::real::{Draws, Farm};

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
    #[command(flatten)]
    draws: Draws,
}

/// Techniques of the programs without a master.
const COUNTED: [&str; 3] = ["ss", "gss", "fac2"];

fn main() -> Result<()> {
    let a = Arguments::parse();
    let farms = [(true, true), (false, true), (true, false)]
        .map(|(master_works, without_inputs)| Farm { master_works, without_inputs });
    let names = [
        "tuned, master computes",
        "tuned, master does not",
        "tuned, master computes, tasks carry inputs",
        "counter ss",
        "counter gss",
        "counter fac2",
    ];
    let mut all = vec![Vec::new(); names.len()];
    let mut against_best = Vec::new();
    for program in a.draws.programs(a.programs, a.iterations, a.ranks) {
        let (ideals_s, ranks) = (program.ideals_s(), program.workers);
        let ideal_s: f64 = ideals_s.iter().sum();
        let jobs = farms.into_iter().map(|farm| a.draws.real(&program, ranks, farm)).collect::<Result<Vec<_>>>()?;
        let tuned = jobs.iter().map(|job| job.tuned()).collect::<Result<Vec<_>>>()?;
        let mut totals: Vec<f64> = tuned.iter().map(|job| job.total_s).collect();
        for technique in COUNTED {
            totals.push(jobs[0].alone_s(&["counted", technique])?);
        }
        let ratios: Vec<f64> = totals.iter().map(|total_s| total_s / ideal_s).collect();
        let best = ratios[farms.len()..].iter().copied().fold(f64::INFINITY, f64::min);
        against_best.push(ratios[0] / best);
        let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.4}")).collect();
        println!(
            "{}: total / ideal {}; {ranks} ranks, {} tasks of {:.2} ms, {:?} {:?} {:?}",
            program.seed,
            shown.join(" "),
            program.tasks,
            program.mean_s * 1e3,
            program.law,
            program.drift,
            program.hosts
        );
        let each = tuned[0].each_s.iter().zip(&ideals_s).map(|(time_s, ideal_s)| format!("{:.2}", time_s / ideal_s));
        println!("    its iterations {}", each.collect::<Vec<_>>().join(" "));
        tuned[0].decisions.iter().for_each(|(_, said)| println!("    {said}"));
        all.iter_mut().zip(ratios).for_each(|(list, ratio)| list.push(ratio));
    }
    names.iter().zip(&all).for_each(|(name, list)| print_spread(name, list));
    print_spread("tuned, master computes / best counter", &against_best);
    Ok(())
}
