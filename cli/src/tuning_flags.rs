//! The flags that `midrun run` and `midrun replay` share: tunlets, technique, objective and limits.

use midrun_tunlets::confidence::Confidence;

/// Tunlets, technique, objective and limits.
#[derive(clap::Args, Debug)]
pub struct TuningFlags {
    /// Tunlet that decides: auto (the one that fits the program), master_worker, divide_conquer, pipeline, search, or a FILE.toml; repeatable
    #[arg(long, value_name = "NAME|FILE", help_heading = "Tuning")]
    pub tunlet: Vec<String>,
    /// Tunlet that only advises and is scored on the same run; repeatable
    #[arg(long, value_name = "NAME|FILE", help_heading = "Tuning")]
    pub shadow: Vec<String>,
    /// Scheduling technique for the whole job: auto, none, ss, fsc, gss, fac2, dpf, daf, af, tss, mfsc, awf-b or awf-c; for a pipeline: replicate, group or farm
    #[arg(long, alias = "policy", value_name = "NAME", help_heading = "Tuning")]
    pub technique: Option<String>,
    /// Objective by which workers, or a pipeline's pattern, are chosen: efficiency, time, budget:WORKERS, deadline:SECONDS or fixed
    #[arg(long, value_name = "OBJECTIVE", help_heading = "Tuning")]
    pub objective: Option<String>,
    /// Confidence level of what is decided and said, a probability above 0.5 and below 1: the higher, the fewer changes
    #[arg(long, value_name = "LEVEL", value_parser = confidence, allow_negative_numbers = true, help_heading = "Tuning")]
    pub confidence: Option<f64>,
    /// Least number of workers
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true, help_heading = "Tuning")]
    pub min_workers: Option<u32>,
    /// Greatest number of workers
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true, help_heading = "Tuning")]
    pub max_workers: Option<u32>,
    /// Most workers that one change adds or parks
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true, help_heading = "Tuning")]
    pub worker_step: Option<u32>,
}

/// The names of a flag that can be repeated, as one text; `None`: it is not given.
pub fn list(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.join(","))
}

/// Parses a confidence level.
fn confidence(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|level| *level != 0.0 && Confidence::new(*level).is_some());
    level.ok_or_else(|| format!("{} is expected, such as 0.95", Confidence::ALLOWED))
}

/// Parses a number of workers.
pub fn workers(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("a whole number from 1 to {} is expected", u32::MAX))
}
