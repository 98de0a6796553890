//! `midrun predict run`: what a recorded run would take with other workers, techniques, patterns or links.

mod master_worker;
mod pipeline;

use std::process::ExitCode;

use midrun_analyzer::recording::{self, RecordedWindows};
use midrun_predict::units::{bytes, seconds};
use midrun_tunlets::recorded::{Answer, Errors, LeftOut, OtherLink};
use serde_json::{Value, json};

use crate::recording::{DIVIDES, RecordingArgs, divides};
use crate::table::Column::{self, Left, Right};
use crate::table::table;
use crate::usage::print;

/// Most workers, ranks or replicas of a prediction: each takes memory and time.
const MOST: u32 = 1_000_000;

/// Reads a number of workers, ranks or replicas.
fn ranks(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("a whole number from 1 to {MOST} is expected"))
}

/// Command-line arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    which: RecordingArgs,
    /// Numbers of workers, such as 4,8,16 [default: as recorded]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = ranks, allow_negative_numbers = true)]
    workers: Vec<u32>,
    /// Loop scheduling techniques, such as none,daf or dpf:0.5, or auto for the best [default: as recorded]
    #[arg(long, alias = "policy", value_name = "NAME,…", value_delimiter = ',', value_parser = master_worker::technique)]
    technique: Vec<master_worker::Asked>,
    /// Replicas of each stage of a pipeline, such as 1,3,1
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = ranks, allow_negative_numbers = true)]
    replicas: Vec<u32>,
    /// A pipeline's pattern as midrun.h writes it, such as 0,1x3,2; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pattern: Vec<String>,
    /// Ranks that compute: the pipeline's best pattern on so many
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = ranks, allow_negative_numbers = true)]
    ranks: Vec<u32>,
    /// Messages that cost otherwise: latency=TIME,bandwidth=BYTES per second (latency=1ms,bandwidth=12.5MB)
    #[arg(long, value_name = "latency=…,bandwidth=…", value_parser = link)]
    network: Option<OtherLink>,
    /// Also the time of so many iterations, or outputs of a pipeline
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    iterations: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Reads `latency=50us,bandwidth=12.5MB`; either may be missing.
fn link(text: &str) -> Result<OtherLink, String> {
    let mut link = OtherLink::default();
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("latency", time)) => link.latency_s = Some(seconds(time)?),
            Some(("bandwidth", per_s)) => {
                let bytes = bytes(per_s)?;
                if bytes.is_nan() || bytes <= 0.0 {
                    return Err(format!("{per_s}: a bandwidth above 0 bytes per second is expected"));
                }
                link.per_byte_s = Some(1.0 / bytes);
            }
            _ => return Err(format!("{part}: latency=TIME or bandwidth=BYTES is expected")),
        }
    }
    Ok(link)
}

/// Prints the prediction.
///
/// # Errors
/// A file that is no recording, or says nothing; a question that is none for its program.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let job = args.which.job()?;
    let read = recording::windows(args.which.reader()?, &job);
    let (RecordedWindows { iterations, further, streams, tuning_points }, replay) =
        read.map_err(|error| args.which.wrong(error))?;
    args.which.warn_of(&replay.end, replay.frames);
    args.which.tell_of(&further);
    let wrong = |why: String| anyhow::Error::new(args.which.wrong(why));
    let text = match (iterations.is_empty(), streams.is_empty()) {
        (true, true) => Err("holds no whole iteration and no window of a stream: record a longer run".to_owned()),
        (false, _) if divides(&iterations) => Err(DIVIDES.to_owned()),
        (false, _) if streams.len() < iterations.len() => master_worker::predicted(args, &iterations, &tuning_points),
        _ => pipeline::predicted(args, &streams),
    };
    print(&text.map_err(wrong)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The error of an answer, as text.
fn error_text(errors: Option<Errors>) -> String {
    let Some(Errors { median, worst, count, left_out }) = errors else { return "not known".into() };
    let mark = if left_out == LeftOut::Setting { "*" } else { "" };
    format!("{:.1} % / {:.1} % of {count}{mark}", 100.0 * median, 100.0 * worst)
}

/// The table of answers: columns that name the question, then those of its answer. `time` is the title of the predicted time.
fn answers(
    question: [Column; 2],
    time: &'static str,
    args: &Args,
    rows: impl Iterator<Item = ([String; 2], Answer, Option<f64>)>,
) -> String {
    let mut columns = question.to_vec();
    columns.extend([Right(time), Right("interval s"), Right("measured s")]);
    columns.extend(args.iterations.map(|_| Right("all s")));
    columns.push(Left("error"));
    let row = |(question, answer, total_s): ([String; 2], Answer, Option<f64>)| {
        let (low_s, high_s) = answer.interval_s();
        let mut cells = question.to_vec();
        cells.extend([format!("{:.6}", answer.time_s), format!("{low_s:.6} to {high_s:.6}")]);
        cells.push(answer.measured_s.map_or("-".into(), |s| format!("{s:.6}")));
        cells.extend(total_s.map(|s| format!("{s:.3}")));
        cells.push(error_text(answer.errors));
        cells
    };
    table(&columns, rows.map(row))
}

/// The legend of the error column.
fn legend(answers: &[Answer], what: &str) -> &'static str {
    let any = answers.iter().any(|answer| answer.errors.is_some_and(|errors| errors.left_out == LeftOut::Setting));
    match (any, what) {
        (false, "pipeline") => "error: median and worst of windows that were left out and predicted from the others\n",
        (false, _) => "error: median and worst of iterations that were left out and predicted from the others\n",
        (true, "pipeline") => {
            "error: median and worst of windows that were left out and predicted from the others; *: from other patterns only\n"
        }
        (true, _) => {
            "error: median and worst of iterations that were left out and predicted from the others; *: from other settings only\n"
        }
    }
}

fn as_json(answer: &Answer) -> Value {
    let (low_s, high_s) = answer.interval_s();
    let errors = answer.errors.map(|Errors { median, worst, count, left_out }| {
        let left_out = if left_out == LeftOut::Setting { "setting" } else { "windows" };
        json!({"median": median, "worst": worst, "count": count, "left_out": left_out})
    });
    json!({
        "predicted_s": answer.time_s, "low_s": low_s, "high_s": high_s, "measured_s": answer.measured_s, "error": errors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_and_nonsense_is_named() {
        let read = link("latency=50us,bandwidth=12.5MB").unwrap();
        assert!((read.latency_s.unwrap() - 5e-5).abs() < 1e-18 && (read.per_byte_s.unwrap() - 8e-8).abs() < 1e-15);
        assert_eq!(link("latency=1ms").unwrap().per_byte_s, None);
        for bad in ["", "latency", "latency=-1s", "bandwidth=0", "speed=3", "latency=1ms,"] {
            assert!(link(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_setting_that_was_left_out_whole_is_marked() {
        let errors = |left_out| Some(Errors { median: 0.012, worst: 0.05, count: 7, left_out });
        assert_eq!(error_text(errors(LeftOut::Setting)), "1.2 % / 5.0 % of 7*");
        assert_eq!(error_text(errors(LeftOut::Windows)), "1.2 % / 5.0 % of 7");
        assert_eq!(error_text(None), "not known");
    }
}
