//! `midrun predict workers`: César's Master/Worker model as a table, a plot and three numbers.

use std::fmt::Write;
use std::process::ExitCode;

use midrun_models::master_worker::{Model, Protocol, Rounding};
use serde_json::json;

use crate::table::Column::{Left, Right};
use crate::table::table;
use crate::usage::Usage;
use midrun_predict::units::{bytes, seconds};

/// Rows and columns of the plot.
const PLOT: (usize, usize) = (12, 64);
/// Most rows of the readable table.
const ROWS: u32 = 20;

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Start-up time of one message
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    start_up: f64,
    /// Time of one byte
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    per_byte: f64,
    /// Bytes of one iteration, both directions (with one worker, if the volume grows)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    volume: f64,
    /// Compute time of all workers in one iteration
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    compute: f64,
    /// Share of the volume that the master sends
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    master_share: f64,
    /// The master's time to prepare the next iteration
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "0s")]
    prepare: f64,
    /// Behaviour of the master's sends
    #[arg(long, value_enum, default_value_t = ProtocolName::Async)]
    protocol: ProtocolName,
    /// Growth of the volume with each further worker: constant, proportional, or a share of that with one, such as 10%
    #[arg(long, value_name = "GROWTH", value_parser = growth, default_value = "constant")]
    volume_growth: f64,
    /// Optima as whole numbers: the better neighbour, or rounded down as in the source's figures
    #[arg(long, value_enum, default_value_t = RoundingName::Best)]
    rounding: RoundingName,
    /// Largest number of workers to look at
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_workers: u32,
    /// Print JSON with every row
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ProtocolName {
    Async,
    Sync,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum RoundingName {
    Best,
    Source,
}

/// Reads `constant`, `proportional`, `10%`, `0.1`.
fn growth(text: &str) -> Result<f64, String> {
    let share = match text {
        "constant" => Some(0.0),
        "proportional" => Some(1.0),
        _ => match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
            None => text.parse().ok(),
        },
    };
    let good = share.filter(|share| (0.0..=1.0).contains(share));
    good.ok_or_else(|| "constant, proportional, or a share from 0 to 100% is expected, such as 10%".into())
}

impl Args {
    fn model(&self) -> Result<Model, Usage> {
        let model = Model {
            start_up_s: self.start_up,
            per_byte_s: self.per_byte,
            volume_bytes: self.volume,
            master_share: self.master_share,
            compute_s: self.compute,
            prepare_s: self.prepare,
            protocol: match self.protocol {
                ProtocolName::Async => Protocol::Async,
                ProtocolName::Sync => Protocol::Sync,
            },
            growth: self.volume_growth,
        };
        model.checked().map_err(|error| Usage(error.to_string()))
    }

    fn rounding(&self) -> Rounding {
        match self.rounding {
            RoundingName::Best => Rounding::Best,
            RoundingName::Source => Rounding::Down,
        }
    }
}

/// Prints the prediction.
///
/// # Errors
/// A value that no program can have.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let model = args.model()?;
    let form = if args.json { as_json } else { as_text };
    let text = form(&model, args.max_workers, args.rounding());
    crate::usage::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Without a limit there is none to print.
fn whole(limit: f64) -> Option<u64> {
    limit.is_finite().then_some(limit.floor() as u64)
}

fn as_json(model: &Model, most: u32, rounding: Rounding) -> String {
    let row = |n: u32| {
        let (iteration_s, pi_s, efficiency) = (model.iteration_s(n), model.pi_s(n), model.efficiency(n));
        json!({"workers": n, "iteration_s": iteration_s, "pi_s": pi_s, "efficiency": efficiency})
    };
    let table: Vec<_> = (1..=most).map(row).collect();
    let all = json!({
        "n_opt": model.fastest_workers(rounding), "pi_workers": model.pi_workers(most, rounding), "mcmc": whole(model.mcmc()), "exact": true, "table": table,
    });
    format!("{all:#}\n")
}

fn as_text(model: &Model, most: u32, rounding: Rounding) -> String {
    let pi = model.pi_workers(most, rounding);
    let limit = whole(model.mcmc()).map_or("none".to_owned(), |n| n.to_string());
    let fastest = model.fastest_workers(rounding);
    let mut text = String::new();
    let _ = writeln!(text, "best balance of speed and efficiency (least Pi): {pi} workers");
    let _ = writeln!(text, "shortest iteration (n_opt): {fastest} workers");
    let _ = writeln!(text, "most workers the master can feed (MCMC): {limit}");
    let _ = writeln!(text, "The expressions are exact for these inputs, so there is no interval.\n");
    let columns = [Right("workers"), Right("iteration s"), Right("Pi s"), Right("efficiency"), Left("")];
    let row = |n: u32| {
        let (iteration_s, pi_s, efficiency) = (model.iteration_s(n), model.pi_s(n), 100.0 * model.efficiency(n));
        let mark = if n == pi { "<- least Pi" } else { "" };
        vec![
            n.to_string(),
            format!("{iteration_s:.6}"),
            format!("{pi_s:.6}"),
            format!("{efficiency:.1}%"),
            mark.to_owned(),
        ]
    };
    text += &table(&columns, rows(most, &[pi, fastest]).into_iter().map(row));
    text.push('\n');
    text.push_str(&plot(model, most));
    text
}

/// About [`ROWS`] numbers from 1 to `most`, denser where they are small, with `always` among them.
fn rows(most: u32, always: &[u32]) -> Vec<u32> {
    let step = f64::from(most).powf(1.0 / f64::from(ROWS - 1));
    let mut rows: Vec<u32> = (0..ROWS).map(|k| (step.powi(k as i32).round() as u32).clamp(1, most)).collect();
    rows.extend(always.iter().filter(|n| (1..=most).contains(n)));
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Iteration time and Pi against the number of workers; both axes logarithmic.
fn plot(model: &Model, most: u32) -> String {
    let (height, width) = PLOT;
    let at = |column: usize| {
        let share = column as f64 / (width - 1) as f64;
        (f64::from(most).powf(share).round() as u32).clamp(1, most)
    };
    let curves = [
        ('T', (0..width).map(|c| model.iteration_s(at(c))).collect::<Vec<_>>()),
        ('P', (0..width).map(|c| model.pi_s(at(c))).collect::<Vec<_>>()),
    ];
    let all = || curves.iter().flat_map(|(_, values)| values.iter().copied());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let span = (high / low).ln().max(1e-9);
    let mut cells = vec![vec![' '; width]; height];
    for (mark, values) in &curves {
        for (column, value) in values.iter().enumerate() {
            let row = ((high / value).ln() / span * (height - 1) as f64).round() as usize;
            cells[row.min(height - 1)][column] = *mark;
        }
    }
    let mut text = String::new();
    for (row, line) in cells.iter().enumerate() {
        let label = match row {
            0 => format!("{high:9.3} s"),
            _ if row == height - 1 => format!("{low:9.3} s"),
            _ => " ".repeat(11),
        };
        let _ = writeln!(text, "{label} |{}", line.iter().collect::<String>().trim_end());
    }
    let _ = writeln!(text, "{} +{}", " ".repeat(11), "-".repeat(width));
    let _ =
        writeln!(text, "{} 1{:>width$}   workers; T = iteration time, P = Pi", " ".repeat(11), most, width = width - 1);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Model {
        Model {
            start_up_s: 1e-3,
            per_byte_s: 1e-6,
            volume_bytes: 4096.0,
            master_share: 0.9,
            compute_s: 1.6,
            prepare_s: 0.0,
            protocol: Protocol::Async,
            growth: 0.0,
        }
    }

    #[test]
    fn the_json_has_the_worked_values_of_the_source() {
        let all: serde_json::Value = serde_json::from_str(&as_json(&source(), 400, Rounding::Best)).unwrap();
        assert_eq!((&all["n_opt"], &all["pi_workers"]), (&json!(40), &json!(23)));
        let row = &all["table"][14];
        assert_eq!(row["workers"], 15);
        assert!((row["iteration_s"].as_f64().unwrap() - 0.122_939_733).abs() < 1e-8);
    }

    #[test]
    fn the_growth_of_the_volume_is_read_as_a_word_or_a_share() {
        for (text, share) in [("constant", 0.0), ("proportional", 1.0), ("10%", 0.1), ("30 %", 0.3), ("0.25", 0.25)] {
            assert_eq!(growth(text), Ok(share), "{text}");
        }
        for bad in ["", "-1%", "101%", "x", "nan"] {
            assert!(growth(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_table_marks_the_choice_and_the_plot_stays_inside_its_frame() {
        let text = as_text(&source(), 400, Rounding::Best);
        assert!(text.contains("23") && text.contains("<- least Pi"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 130));
        as_text(&source(), 1, Rounding::Down);
    }
}
