//! Programs that know nothing of midrun, tuned from one line: a Master/Worker program of its own loop (`benches/c/unmodified.c`) under
//! `midrun run --points`, from the first iteration on, beside the same program alone with values that stay.
//!
//! Programs are those of `decisions_live`. Each begins with what an author may have written (halves; with `--chunks`, ten chunks of one size for each
//! worker), and with values drawn without care, among them the number of workers. Of every second program the shares are of all tasks instead of
//! what is left.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::print_spread;
use midrun_benches::programs::Program;
use midrun_benches::real::{Draws, Farm, Real};
use midrun_models::random::Random;
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
    /// Prints each fixed run and each decision.
    #[arg(long)]
    verbose: bool,
}

/// Shares of what is left that the fixed runs try; what the third leaves goes out in equal parts.
const GRID: [[f64; 3]; 6] =
    [[1.0, 1.0, 1.0], [0.8, 0.8, 0.8], [0.67, 0.67, 0.67], [0.5, 0.5, 0.5], [0.3, 0.4, 0.5], [0.2, 0.25, 0.33]];
/// The field's techniques that the same master can follow.
const FIELD: [&str; 2] = ["fac2", "gss"];

/// Chunks for each worker that the fixed runs try; and single tasks.
const CHUNKS: [f64; 5] = [1.0, 3.0, 10.0, 30.0, 100.0];

/// By what one program cuts its tasks.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    SharesOfAll,
    SharesOfRest,
    Chunks,
}

/// What a program cuts, and by what.
#[derive(Clone, Copy)]
struct Kind {
    cut: Cut,
    workers: u32,
    tasks: u64,
}

impl Kind {
    fn of(program: &Program, chunks: bool) -> Kind {
        let cut = match program.seed % 2 {
            _ if chunks => Cut::Chunks,
            1 => Cut::SharesOfAll,
            _ => Cut::SharesOfRest,
        };
        Kind { cut, workers: program.workers, tasks: program.tasks }
    }

    /// Its rule with these shares of what is left.
    fn rule(self, shares: [f64; 3]) -> String {
        let mut left = 1.0;
        let own = shares.map(|share| {
            let of = if self.cut == Cut::SharesOfAll { left } else { 1.0 };
            left *= 1.0 - share;
            format!("{:.3}", share * of)
        });
        own.join(",")
    }

    /// Its rule with so many chunks of one size for each worker.
    fn chunks(self, each: f64) -> String {
        (self.tasks as f64 / (f64::from(self.workers) * each)).ceil().max(1.0).to_string()
    }

    fn author(self) -> String {
        if self.cut == Cut::Chunks { self.chunks(10.0) } else { self.rule([0.5; 3]) }
    }

    fn careless(self, random: &mut Random) -> String {
        if self.cut == Cut::Chunks {
            let most = self.tasks as f64 / f64::from(self.workers);
            return self.chunks(most.max(1.0).powf(random.uniform()));
        }
        self.rule([(); 3].map(|()| 0.05 + 0.95 * random.uniform()))
    }

    fn grid(self) -> Vec<String> {
        match self.cut {
            Cut::Chunks => CHUNKS.iter().map(|each| self.chunks(*each)).chain(["1".to_owned()]).collect(),
            _ => GRID.iter().map(|shares| self.rule(*shares)).collect(),
        }
    }

    /// Its command line by this rule.
    fn line(self, rule: &str, workers: u32) -> Vec<String> {
        let kind = if self.cut == Cut::SharesOfAll { "of-all" } else { "of-rest" };
        ["unmodified", rule, &workers.to_string(), kind].map(str::to_owned).to_vec()
    }

    /// The points file, as docs/points.md has it.
    fn points(self, without_first: bool) -> String {
        let first = if without_first { "" } else { " first 2 u64" };
        let mut text = format!("iteration function propagate\nwork function compute{first} tasks 3 u64\n");
        let ending = if self.cut == Cut::SharesOfAll { "" } else { ".rest" };
        match self.cut {
            Cut::Chunks => text += &format!("tune chunk.tasks variable CHUNK int 1..{}\n", self.tasks),
            _ => (0..3).for_each(|n| text += &format!("tune F{n}{ending} variable F{n} float 0.05..1\n")),
        }
        text + &*format!("tune NW variable NW int 1..{} inside propagate\n", self.workers)
    }
}

fn words(line: &[String]) -> Vec<&str> {
    line.iter().map(String::as_str).collect()
}

/// Total times of one program, seconds.
struct Totals {
    /// Alone, and tuned, from the author's values, and the changes.
    author: (f64, f64, usize),
    /// The same from careless ones.
    careless: (f64, f64, usize),
    field: Vec<f64>,
    /// The least of the grid.
    best_s: f64,
}

fn measure(arguments: &Arguments, program: &Program, kind: Kind) -> Result<Totals> {
    let real = arguments.draws.real(program, program.workers + 1, Farm::default())?;
    let mut points = tempfile::NamedTempFile::new()?;
    points.write_all(kind.points(arguments.without_first).as_bytes())?;
    let author = kind.line(&kind.author(), kind.workers);
    let random = &mut Random::new(program.seed ^ 0xca5e);
    let careless = kind.careless(random);
    let careless = kind.line(&careless, 1 + random.below(kind.workers as usize) as u32);
    let both = |line: &[String], name: &str| from(arguments, &real, (line, name), points.path());
    let (author, careless) = (both(&author, "author")?, both(&careless, "careless")?);
    let alone_s = |line: Vec<String>| {
        let total_s = real.alone_s(&words(&line))?;
        if arguments.verbose {
            println!("  {} {:.4}", line[1..].join(" "), total_s / program.ideal_s());
        }
        Ok(total_s)
    };
    let field = FIELD.iter().map(|rule| alone_s(kind.line(rule, kind.workers))).collect::<Result<Vec<f64>>>()?;
    let grid = kind.grid().iter().map(|rule| alone_s(kind.line(rule, kind.workers))).collect::<Result<Vec<f64>>>()?;
    let best_s = grid.into_iter().fold(f64::INFINITY, f64::min);
    Ok(Totals { author, careless, field, best_s })
}

/// Total alone and tuned, seconds, and the changes.
fn from(
    arguments: &Arguments,
    real: &Real,
    (line, name): (&[String], &str),
    points: &std::path::Path,
) -> Result<(f64, f64, usize)> {
    let line = words(line);
    let points = points.to_str().context("a path in UTF-8")?;
    let alone_s = real.alone_s(&line)?;
    let tuned = real.tuned_by(&["--points", points], &line)?;
    if arguments.verbose {
        println!("  from {name} {}: alone {alone_s:.4} s, tuned {:.4} s", line[1..].join(" "), tuned.total_s);
        tuned.decisions.iter().for_each(|(_, said)| println!("    {said}"));
    }
    Ok((alone_s, tuned.total_s, tuned.decisions.len()))
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut all: Vec<(f64, Totals)> = Vec::new();
    for program in arguments.draws.programs(arguments.programs, arguments.iterations, arguments.workers) {
        let kind = Kind::of(&program, arguments.chunks);
        let (ideal_s, totals) = (program.ideal_s(), measure(&arguments, &program, kind)?);
        let ratio = |total_s: f64| format!("{:.3}", total_s / ideal_s);
        let pair = |(alone_s, tuned_s, changes): (f64, f64, usize)| {
            format!("{} -> {} ({changes} changes)", ratio(alone_s), ratio(tuned_s))
        };
        println!(
            "{}: total / ideal: author {}, careless {}; {} {}, best fixed {}; {}, {} workers, {} tasks of {:.2} ms, {:?} {:?} {:?}",
            program.seed,
            pair(totals.author),
            pair(totals.careless),
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
    print_spread("author's values alone / ideal", &of(&|(ideal_s, t)| t.author.0 / ideal_s));
    print_spread("careless values alone / ideal", &of(&|(ideal_s, t)| t.careless.0 / ideal_s));
    for (at, rule) in FIELD.iter().enumerate() {
        print_spread(&format!("{rule} / ideal"), &of(&|(ideal_s, t)| t.field[at] / ideal_s));
    }
    print_spread("best fixed / ideal", &of(&|(ideal_s, t)| t.best_s / ideal_s));
    print_spread("tuned from the author's / ideal", &of(&|(ideal_s, t)| t.author.1 / ideal_s));
    print_spread("tuned from careless / ideal", &of(&|(ideal_s, t)| t.careless.1 / ideal_s));
    print_spread("tuned from the author's / best fixed", &of(&|(_, t)| t.author.1 / t.best_s));
    print_spread("tuned from careless / best fixed", &of(&|(_, t)| t.careless.1 / t.best_s));
    print_spread("tuned / alone, from the author's", &of(&|(_, t)| t.author.1 / t.author.0));
    print_spread("changes, from the author's", &of(&|(_, t)| t.author.2 as f64));
    print_spread("changes, from careless", &of(&|(_, t)| t.careless.2 as f64));
    Ok(())
}
