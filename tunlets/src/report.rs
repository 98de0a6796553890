//! What a tunlet reports about a run: refusals, search results, scores of shadows, advice for the next allocation.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::tuning_point::TuningPoint;

/// What times of a search refer to where the program measures its progress.
pub const PER_PROGRESS: &str = "per unit of progress";

/// Everything a tunlet reports for the summary of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Tuning points that no rank offered and points that none measured, one sentence each.
    pub unavailable: Vec<String>,
    /// Scores of the tunlets that only advise.
    pub shadows: Vec<ShadowScore>,
    /// Shortest time between two outputs that the model expects on the ranks there are, seconds; `None` without a stream.
    pub ideal_period_s: Option<f64>,
    /// The best pattern if groups of stages may have replicas, too (`--technique farm`), and its time between two outputs in seconds, where the model
    /// expects a shorter one of it than of those that may be chosen.
    pub farm: Option<(String, f64)>,
    /// What the patterns after that at start gained.
    pub over_start: Option<OverStart>,
    /// Result of the search, if the tunlet searches.
    pub search: Option<SearchReport>,
    /// Advice for the next allocation, as far as the model can tell.
    pub next_allocation: Option<NextAllocation>,
    /// Iterations from which on the tasks were other ones, as far as the model saw it; of very many the newest.
    pub other_work: Vec<u64>,
    /// Workers differ in speed beyond chance: the time of the same tasks depends on who computes them.
    pub unequal_workers: bool,
    /// The most that the settings in force gain over those at start with the tasks as they are now, by the model: a difference of logarithms of
    /// times. `None` where the model cannot tell.
    pub most_gained: Option<f64>,
}

/// What patterns after that at start gained for a stream, of the same inputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OverStart {
    /// Windows with other patterns.
    pub windows: u64,
    /// Windows with the pattern at start.
    pub at_start: u64,
    /// Time between two outputs in the former, seconds.
    pub period_s: f64,
    /// The same as the model expects it of the pattern at start for these inputs, and as its windows bear that out, seconds.
    pub start_period_s: f64,
}

/// A change that a tunlet did not make, or that it could not make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Refusal {
    /// Name of the tunlet.
    pub tunlet: String,
    /// Iteration in which it first happened.
    pub iteration: u64,
    /// Reason, in one sentence.
    pub why: String,
    /// How often it happened.
    pub times: u64,
}

/// Result of a search, for the summary and for the next run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SearchReport {
    /// The tuning points, in the order of the values below.
    pub points: Vec<String>,
    /// Whether the search finished.
    pub ended: bool,
    /// Reason why it found nothing; null if nothing hindered it.
    pub trouble: Option<String>,
    /// Measurements that it made.
    pub measured: usize,
    /// Iterations, or windows of a stream, of which a measurement is the mean: more than 1 where iterations take turns.
    pub turn: usize,
    /// Measurements that it may make.
    pub budget: usize,
    /// Whether its times are those of a unit of progress.
    pub per_progress: bool,
    /// Time with the values at start, seconds.
    pub start_s: Option<f64>,
    /// Best combination so far.
    pub best: Option<Vec<f64>>,
    /// Whether these are the values at start.
    pub best_is_start: bool,
    /// Whether the best are better than the values at start at the confidence level; false where these are the best.
    pub best_is_sure: bool,
    /// Its time, seconds.
    pub best_s: Option<f64>,
    /// All measured combinations except the start, the best first.
    pub tried: Vec<TriedLine>,
}

impl SearchReport {
    /// The report, which says what no rank offers where nothing was measured: without iterations the search is not asked for a value.
    pub fn beside(mut self, tuning_points: &[TuningPoint]) -> SearchReport {
        if self.measured == 0 && self.trouble.is_none() {
            let names: Vec<&str> = self.points.iter().map(String::as_str).collect();
            self.trouble = not_offered(&names, tuning_points);
        }
        self
    }
}

/// Which of the tuning points `names` no rank offers, beside those that ranks do; `None`: all are offered.
pub(crate) fn not_offered(names: &[&str], tuning_points: &[TuningPoint]) -> Option<String> {
    let numbers = tuning_points.iter().filter(|point| point.text.is_none());
    let offered: BTreeSet<&str> = numbers.map(|point| point.name.as_str()).collect();
    let missing: Vec<&str> = names.iter().copied().filter(|name| !offered.contains(name)).collect();
    let offered = match offered.is_empty() {
        true => "no tuning point at all".to_owned(),
        false => offered.into_iter().collect::<Vec<_>>().join(", "),
    };
    (!missing.is_empty()).then(|| format!("no rank offers {}; the ranks offer {offered}", missing.join(" and ")))
}

/// One measured combination.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TriedLine {
    /// Its values.
    pub values: Vec<f64>,
    /// Median of its times, seconds.
    pub time_s: f64,
    /// Number of measurements.
    pub times: usize,
}

/// Score of a tunlet that only advises.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ShadowScore {
    /// Its name.
    pub tunlet: String,
    /// Different proposals it made.
    pub proposals: u64,
    /// Proposals that predicted a time and whose values were in force and measured later.
    pub tested: u64,
    /// Median of |measured - predicted| / predicted over the tested ones; `None` if none was tested.
    pub median_error: Option<f64>,
    /// Changes of the acting tunlets that it had proposed, too.
    pub agreed: u64,
    /// All changes of the acting tunlets.
    pub acting: u64,
}

/// Number of workers to request for the next run, and the iteration time expected with it.
#[derive(Clone, Debug, PartialEq)]
pub struct NextAllocation {
    /// What limits the program, in one sentence.
    pub regime: &'static str,
    /// Workers at the end of this run.
    pub workers_now: u32,
    /// Iteration time with them, seconds.
    pub iteration_now_s: f64,
    /// Workers to request; the master's rank comes on top.
    pub workers: u32,
    /// Iteration time expected with them, seconds.
    pub iteration_s: f64,
    /// Share by which the real time may differ: the scatter of the measured times, plus 5 % for each doubling away from
    /// the present number.
    pub uncertainty: f64,
    /// What is expected to be handed out there, too: the chunks of a program that cuts them by itself, or the problems of a cut-off depth; `None`
    /// where midrun cuts anew.
    pub own_chunks: Option<String>,
    /// The technique that is expected there with its parameters, where it is another than the one in force: it was advised, and not set.
    pub technique: Option<String>,
    /// Iteration time that is expected with one worker more than now, seconds, where that surely is shorter: a master that only hands out could be this
    /// worker.
    pub one_more_s: Option<f64>,
}
