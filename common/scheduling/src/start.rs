//! How a job starts whose program was tuned before: loop scheduling and workers, the pattern of a pipeline, or the values of a program's own
//! tuning points, as a text that the command line gives to the ranks and to the analyzer.

mod point_value;
mod scheduling;

use crate::plan::Plan;
pub use point_value::PointValue;
pub use scheduling::Scheduling;
use std::fmt;
use std::str::FromStr;

/// Most ranks of a job, and most stages of a pipeline, whose start is a text.
const MOST_RANKS: u32 = 1 << 20;

/// What the ranks begin with, before their first iteration or input.
///
/// As a text: `technique=daf;factor=0;mean_s=0.002;sigma_s=0.001;min_chunk=1;recall=1;ranks=9;workers=1-4,7`, or
/// `pattern=0,1x4,2;stages=3;ranks=9`, or `values=0:chunk.tasks=15,0:NW=4;ranks=9`. A reader skips keys that it does not know, so the text may carry more than a start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Ranks of the job for which this holds.
    pub ranks: u32,
    /// What holds.
    pub setting: Setting,
}

/// What a framework of the program begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A master distributes tasks so.
    Scheduling(Scheduling),
    /// The stages of a pipeline are laid out so.
    Pattern(Plan),
    /// A program that cuts its tasks by itself is told so: the analyzer has the ranks set these values.
    Values(Vec<PointValue>),
}

impl Setting {
    /// Ranks that compute; 0 where the setting does not say.
    pub fn workers(&self) -> usize {
        match self {
            Setting::Scheduling(scheduling) => scheduling.workers.len(),
            Setting::Pattern(plan) => plan.ranks(),
            Setting::Values(_) => 0,
        }
    }

    /// For people, without the workers.
    pub fn name(&self) -> String {
        match self {
            Setting::Scheduling(scheduling) => scheduling.name(),
            Setting::Pattern(plan) => format!("pattern {plan}"),
            Setting::Values(values) => values.iter().map(PointValue::name).collect::<Vec<String>>().join(", "),
        }
    }
}

/// The value of `key` in a text of `key=value` joined by semicolons.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split(';').find_map(|part| part.trim().strip_prefix(key)?.strip_prefix('='))
}

/// The value of `key`, read as a number.
///
/// # Errors
/// One sentence with the key.
pub fn number<T: FromStr>(text: &str, key: &str) -> Result<T, String> {
    let found = value(text, key).ok_or_else(|| format!("a start has no {key}"))?;
    found.parse().map_err(|_| format!("a start has {key}={found}, which is no number"))
}

/// The pattern of a text, for so many ranks.
fn pattern(text: &str, pattern: &str, ranks: u32) -> Result<Plan, String> {
    let stages: u32 = number(text, "stages")?;
    if !(1..=MOST_RANKS).contains(&stages) {
        return Err(format!("a start has stages={stages}"));
    }
    // The ranks know which stages keep state.
    let plan = Plan::parse(pattern, &vec![false; stages as usize])?;
    if plan.fits(ranks) { Ok(plan) } else { Err(format!("a start has {ranks} ranks, which do not fit its pattern")) }
}

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Start, String> {
        let ranks: u32 = number(text, "ranks")?;
        if !(1..=MOST_RANKS).contains(&ranks) {
            return Err(format!("a start has ranks={ranks}"));
        }
        let setting = match (value(text, "pattern"), value(text, "values")) {
            (Some(found), _) => Setting::Pattern(pattern(text, found, ranks)?),
            (None, Some(list)) => Setting::Values(point_value::read(list, ranks)?),
            (None, None) => Setting::Scheduling(Scheduling::read(text, ranks)?),
        };
        Ok(Start { ranks, setting })
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.setting {
            Setting::Scheduling(scheduling) => scheduling.write(f, self.ranks),
            Setting::Pattern(plan) => write!(f, "pattern={plan};stages={};ranks={}", plan.stages(), self.ranks),
            Setting::Values(values) => {
                let list = values.iter().map(ToString::to_string).collect::<Vec<String>>().join(",");
                write!(f, "values={list};ranks={}", self.ranks)
            }
        }
    }
}

#[cfg(test)]
mod tests;
