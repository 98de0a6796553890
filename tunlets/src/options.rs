//! Options that a user gives to tunlets, as texts and numbers.

/// Objective of the number of workers (César 2006, ch. III).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The best balance of speed and efficiency: least `Pi(n) = n Tt(n)² / Tc`.
    Efficiency,
    /// The shortest iteration.
    Time,
    /// The shortest iteration with at most so many workers.
    Budget(u32),
    /// The fewest workers whose iteration takes no longer than this, seconds.
    Deadline(f64),
    /// The number of workers is left alone.
    Fixed,
}

impl Objective {
    /// Spellings of the objectives.
    pub const ALLOWED: &'static str =
        "efficiency, time, budget:WORKERS (1 or more), deadline:SECONDS (above 0) or fixed";

    /// Reads `efficiency`, `time`, `budget:8`, `deadline:0.5`, `fixed`.
    pub fn parse(text: &str) -> Option<Objective> {
        match text.split_once(':') {
            None if text == "efficiency" => Some(Objective::Efficiency),
            None if text == "time" => Some(Objective::Time),
            None if text == "fixed" => Some(Objective::Fixed),
            Some(("budget", n)) => n.parse().ok().filter(|n| *n > 0).map(Objective::Budget),
            Some(("deadline", s)) => {
                s.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0).map(Objective::Deadline)
            }
            _ => None,
        }
    }
}

/// A tunlet's file: its name and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunletFile {
    /// Its path, as the user gave it.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Options for the tunlets of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningOptions {
    /// Names of the tunlets that act, separated by commas; `auto`: the one that fits the program. A name with `/` or
    /// `.toml` is that of a file.
    pub tunlet: String,
    /// Names of the tunlets that only advise, likewise; empty: none.
    pub shadow: String,
    /// The files named in `tunlet` and `shadow`.
    pub files: Vec<TunletFile>,
    /// `auto`, or the name of a loop scheduling technique that is kept; for pipelines see [`crate::catalogue`].
    pub technique: String,
    /// See [`Objective::parse`].
    pub objective: String,
    /// Confidence level of what is decided and said, as a probability; 0 = [`crate::confidence::LEVEL`].
    pub confidence: f64,
    /// Fewest workers; 0 = 1.
    pub min_workers: u32,
    /// Most workers; 0 = all there are.
    pub max_workers: u32,
    /// Most workers that come or go in one change; 0 = any number.
    pub worker_step: u32,
    /// Options of tunlet `search`.
    pub search: SearchOptions,
    /// Line of the job's points file that tells the iterations, from 1; 0: none.
    pub iteration_line: u32,
    /// Start that an earlier run gave, as the text of a [`crate::memory::Remembered`]; empty: none.
    pub start: String,
}

impl Default for TuningOptions {
    fn default() -> Self {
        TuningOptions {
            tunlet: "auto".into(),
            shadow: String::new(),
            files: Vec::new(),
            technique: "auto".into(),
            objective: "time".into(),
            confidence: 0.0,
            min_workers: 0,
            max_workers: 0,
            worker_step: 0,
            search: SearchOptions::default(),
            iteration_line: 0,
            start: String::new(),
        }
    }
}

/// Options for tunlet `search`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOptions {
    /// Tuning points and their values, separated by `;`: see [`midrun_models::search::Space`].
    pub points: String,
    /// Conditions over their names, separated by `;`.
    pub constraint: String,
    /// Iterations, or windows of a stream, that it may measure; 0: 60.
    pub budget: u32,
    /// What an earlier search measured, the best first, with the times in seconds: `16,3@0.25;8,2@0.3`. What makes no sense is left
    /// out.
    pub known: String,
    /// Line of the job's points file that measures the progress, from 1: without progress nothing is searched then. 0: none.
    pub progress_line: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_and_nonsense_is_not() {
        assert_eq!(Objective::parse("efficiency"), Some(Objective::Efficiency));
        assert_eq!(Objective::parse("budget:8"), Some(Objective::Budget(8)));
        assert_eq!(Objective::parse("deadline:0.5"), Some(Objective::Deadline(0.5)));
        for bad in ["", "fast", "budget:0", "budget:", "deadline:-1", "deadline:inf", "time:3"] {
            assert_eq!(Objective::parse(bad), None, "{bad}");
        }
    }
}
