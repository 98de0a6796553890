//! Programs that know nothing of midrun, tuned from one line: a Master/Worker program of its own loop (`benches/c/unmodified.c`) under
//! `midrun run --points`, from the first iteration on, beside the same program alone with values that stay.
//!
//! Programs are those of `decisions_live`. Each begins with what an author may have written (halves; with `--chunks`, ten chunks of one size for each
//! worker), and with values drawn without care, among them the number of workers. Of every second program the shares are of all tasks instead of
//! what is left.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::own::{Cut, Kind};
use midrun_benches::print_spread;
use midrun_benches::programs::Program;
use midrun_benches::real::{Draws, Farm, Real};
use std::io::Write;

/// Unmodified programs, tuned from one line, against fixed values.
#[derive(Parser)]
struct Arguments {
    /// Programs.
    #[arg(long, default_value_t = 10)]
    programs: u64,
    /// Iterations of each.
    #[arg(long, default_value_t = 30)]
    iterations: u64,
    /// Most workers of a program.
    #[arg(long, default_value_t = 12)]
    workers: u32,
    #[command(flatten)]
    draws: Draws,
    /// The programs hand out chunks of one size, instead of batches.
    #[arg(long)]
    chunks: bool,
    /// The points file does not say which argument is a chunk's first task.
    #[arg(long)]
    without_first: bool,
    /// Prints each fixed run, each iteration of the tuned ones, and each decision.
    #[arg(long)]
    verbose: bool,
}

/// The field's techniques that the same master can follow.
const FIELD: [&str; 2] = ["fac2", "gss"];

/// These values as the program takes them.
fn rule(values: &[f64]) -> String {
    let show = |value: &f64| if values.len() == 1 { value.to_string() } else { format!("{value:.3}") };
    values.iter().map(show).collect::<Vec<_>>().join(",")
}

/// Command line of a program by this rule.
fn command(kind: Kind, rule: &str, workers: u32) -> Vec<String> {
    let of = if kind.cut == Cut::SharesOfAll { "of-all" } else { "of-rest" };
    ["unmodified", rule, &workers.to_string(), of].map(str::to_owned).to_vec()
}

/// The points file of a program, as docs/points.md has it.
fn points(kind: Kind, without_first: bool) -> String {
    let first = if without_first { "" } else { " first 2 u64" };
    let mut text = format!("iteration function propagate\nwork function compute{first} tasks 3 u64\n");
    for (n, (name, (least, most))) in kind.values_of().iter().enumerate() {
        text += &match kind.cut {
            Cut::Chunks => format!("tune {name} variable CHUNK int {least}..{most}\n"),
            _ => format!("tune {name} variable F{n} float {least}..{most}\n"),
        };
    }
    text + &*format!("tune NW variable NW int 1..{} inside propagate\n", kind.workers)
}

fn words(line: &[String]) -> Vec<&str> {
    line.iter().map(String::as_str).collect()
}

/// Total times of one program, seconds.
struct Totals {
    author: From,
    careless: From,
    field: Vec<f64>,
    /// The least of the grid.
    best_s: f64,
}

fn measure(arguments: &Arguments, program: &Program, kind: Kind) -> Result<Totals> {
    let real = arguments.draws.real(program, program.workers + 1, Farm::default())?;
    let mut points = tempfile::NamedTempFile::new()?;
    points.write_all(self::points(kind, arguments.without_first).as_bytes())?;
    let author = command(kind, &rule(&kind.author()), kind.workers);
    let (careless, workers) = kind.careless(program.seed);
    let careless = command(kind, &rule(&careless), workers);
    let both = |line: &[String], name: &str| from(arguments, &real, (line, name), points.path());
    let (author, careless) = (both(&author, "author")?, both(&careless, "careless")?);
    let alone_s = |line: Vec<String>| {
        let total_s = real.alone_s(&words(&line))?;
        if arguments.verbose {
            println!("  {} {:.4}", line[1..].join(" "), total_s / program.ideal_s());
        }
        Ok(total_s)
    };
    let field = FIELD.iter().map(|rule| alone_s(command(kind, rule, kind.workers))).collect::<Result<Vec<f64>>>()?;
    let grid = kind
        .grid()
        .iter()
        .map(|values| alone_s(command(kind, &rule(values), kind.workers)))
        .collect::<Result<Vec<f64>>>()?;
    let best_s = grid.into_iter().fold(f64::INFINITY, f64::min);
    Ok(Totals { author, careless, field, best_s })
}

/// A program alone, observed but not tuned, and tuned, from the same values on.
struct From {
    /// Total, seconds.
    alone_s: f64,
    /// See `alone_s`.
    observed_s: f64,
    /// See `alone_s`.
    tuned_s: f64,
    changes: usize,
}

fn from(arguments: &Arguments, real: &Real, (line, name): (&[String], &str), points: &std::path::Path) -> Result<From> {
    let line = words(line);
    let points = points.to_str().context("a path in UTF-8")?;
    let alone_s = real.alone_s(&line)?;
    let observed = real.tuned_by(&["--dry-run", "--points", points], &line)?;
    let tuned = real.tuned_by(&["--points", points], &line)?;
    if arguments.verbose {
        println!("  from {name} {}: alone {alone_s:.4} s", line[1..].join(" "));
        for (how, run) in [("observed", &observed), ("tuned", &tuned)] {
            let each = run.each_s.iter().map(|time_s| format!("{:.1}", 1e3 * time_s)).collect::<Vec<_>>().join(" ");
            println!("    {how} {:.4} s, iterations in ms: {each}", run.total_s);
        }
        tuned.decisions.iter().for_each(|(_, said)| println!("    {said}"));
    }
    Ok(From { alone_s, observed_s: observed.total_s, tuned_s: tuned.total_s, changes: tuned.decisions.len() })
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut all: Vec<(f64, Totals)> = Vec::new();
    for program in arguments.draws.programs(arguments.programs, arguments.iterations, arguments.workers) {
        let kind = Kind::of(&program, arguments.chunks);
        let (ideal_s, totals) = (program.ideal_s(), measure(&arguments, &program, kind)?);
        let ratio = |total_s: f64| format!("{:.3}", total_s / ideal_s);
        let of = |from: &From| {
            let [alone, observed, tuned] = [from.alone_s, from.observed_s, from.tuned_s].map(ratio);
            format!("{alone}, observed {observed}, tuned {tuned} ({} changes)", from.changes)
        };
        println!(
            "{}: total / ideal: author {}; careless {}; {} {}, best fixed {}; {}, {} workers, {} tasks of {:.2} ms, {:?} {:?} {:?}",
            program.seed,
            of(&totals.author),
            of(&totals.careless),
            FIELD.join(" "),
            totals.field.iter().map(|s| ratio(*s)).collect::<Vec<_>>().join(" "),
            ratio(totals.best_s),
            match kind.cut {
                Cut::SharesOfAll => "shares of all",
                Cut::SharesOfRest => "shares of the rest",
                Cut::Chunks => "chunks",
            },
            program.workers,
            program.tasks,
            program.mean_s * 1e3,
            program.law,
            program.drift,
            program.hosts
        );
        all.push((ideal_s, totals));
    }
    let of = |what: &dyn Fn(&(f64, Totals)) -> f64| all.iter().map(what).collect::<Vec<f64>>();
    print_spread("author's values alone / ideal", &of(&|(ideal_s, t)| t.author.alone_s / ideal_s));
    print_spread("careless values alone / ideal", &of(&|(ideal_s, t)| t.careless.alone_s / ideal_s));
    for (at, rule) in FIELD.iter().enumerate() {
        print_spread(&format!("{rule} / ideal"), &of(&|(ideal_s, t)| t.field[at] / ideal_s));
    }
    print_spread("best fixed / ideal", &of(&|(ideal_s, t)| t.best_s / ideal_s));
    print_spread("tuned from the author's / ideal", &of(&|(ideal_s, t)| t.author.tuned_s / ideal_s));
    print_spread("tuned from careless / ideal", &of(&|(ideal_s, t)| t.careless.tuned_s / ideal_s));
    print_spread("tuned from the author's / best fixed", &of(&|(_, t)| t.author.tuned_s / t.best_s));
    print_spread("tuned from careless / best fixed", &of(&|(_, t)| t.careless.tuned_s / t.best_s));
    print_spread("observed / alone, from the author's", &of(&|(_, t)| t.author.observed_s / t.author.alone_s));
    print_spread("tuned / alone, from the author's", &of(&|(_, t)| t.author.tuned_s / t.author.alone_s));
    print_spread("changes, from the author's", &of(&|(_, t)| t.author.changes as f64));
    print_spread("changes, from careless", &of(&|(_, t)| t.careless.changes as f64));
    Ok(())
}
