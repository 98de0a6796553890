//! The summary of a job: the contract for scripts.

use std::collections::VecDeque;

use midrun_tunlets::memory::Learnt;
use midrun_tunlets::{LinkCost, OverStart, Refusal, SearchReport, ShadowScore};
use serde::Serialize;

use crate::calls::{CallLines, PopLines};
use crate::closed_windows::ClosedWindows;
use crate::control::ControlLine;
use crate::decisions::{DecisionLine, Per};
use crate::events::{HostClock, Records};
use crate::in_flight::ActionCounts;
use crate::instance::InstanceLine;
use crate::period::Period;
use crate::points::PointLines;
use crate::teams::TeamLine;

/// Version of the summary and of the status. A key that goes or changes its meaning raises it; a new key does not.
pub const SCHEMA_VERSION: u32 = 1;

/// A pipeline's streams in the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct StreamLines {
    /// Time between two outputs in each window, seconds. An endless job lists the newest ones only.
    pub period_s: Vec<f64>,
    /// When each window was closed, seconds since the job's first sight.
    pub window_end_s: Vec<f64>,
    /// Outputs of each window.
    pub window_outputs: Vec<u64>,
    /// Whether all of them were computed by one pattern, and none was held up by the one before.
    pub window_settled: Vec<bool>,
    /// The same with the best pattern for the ranks at hand, by the model; null where not all stages were seen.
    pub ideal_period_s: Option<f64>,
    /// The best pattern if groups of stages may have replicas, which `--technique farm` allows, and its time between two outputs in seconds, by the model; null where
    /// that is no shorter.
    pub farm: Option<(String, f64)>,
    /// What the patterns after that at start gained; null where the model cannot tell, or another tunlet chose them.
    pub over_start: Option<OverStart>,
    /// Patterns, from which input of their stream on.
    pub pattern: VecDeque<PatternLine>,
    /// Stages in the last windows with one pattern.
    pub stages: Vec<StageLine>,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PatternLine {
    /// First input of its stream that went by it.
    pub input: u64,
    /// As `midrun.h` writes it.
    pub pattern: String,
}

/// A stage in one window; see [`midrun_tunlets::pipeline::StageTimes`].
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct StageLine {
    /// Its name; may be empty.
    pub name: String,
    /// Compute time per input, seconds.
    pub compute_s: Option<f64>,
    /// Time per input of its group by itself, seconds.
    pub tr_s: Option<f64>,
    /// Time between two inputs that it really showed, seconds.
    pub rtr_s: Option<f64>,
    /// Ranks that computed it.
    pub replicas: u32,
}

/// Cost of a message between the master and a worker.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LinkLine {
    /// Whether the worker is on the master's host.
    pub same_host: bool,
    /// Start-up time of a message, seconds.
    pub start_up_s: f64,
    /// Its standard error.
    pub start_up_error_s: f64,
    /// Time of a byte, seconds.
    pub per_byte_s: f64,
    /// Its standard error.
    pub per_byte_error_s: f64,
    /// Round trips of the calibration.
    pub samples: u32,
    /// Round trips of the program's own messages.
    pub trips: u64,
    /// Largest message that is sent without waiting for its receiver; null where it is not known.
    pub eager_bytes: Option<u32>,
    /// Smallest that is not sent so; null where none was found.
    pub rendezvous_bytes: Option<u32>,
}

impl From<(bool, LinkCost)> for LinkLine {
    fn from((same_host, link): (bool, LinkCost)) -> LinkLine {
        let known = |bytes: u32| (bytes > 0).then_some(bytes);
        LinkLine {
            same_host,
            start_up_s: link.cost.start_up_s,
            start_up_error_s: link.cost.start_up_error_s,
            per_byte_s: link.cost.per_byte_s,
            per_byte_error_s: link.cost.per_byte_error_s,
            samples: link.samples,
            trips: link.trips,
            eager_bytes: known(link.eager_bytes),
            rendezvous_bytes: known(link.rendezvous_bytes),
        }
    }
}

/// The start that an earlier run gave.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct StartLine {
    /// The unit of its times.
    pub per: Per,
    /// End of the earlier run, seconds since 1970.
    pub remembered_unix_s: u64,
    /// The setting and its workers.
    pub setting: String,
    /// Iteration time, or time between two outputs, with it in the earlier run, seconds.
    pub remembered_s: f64,
    /// Time expected for the work of the first windows, seconds; null until one was measured.
    pub expected_s: Option<f64>,
    /// By which share the measured time may differ from it by chance.
    pub uncertainty: Option<f64>,
    /// Time measured with it, seconds; null until one was measured.
    pub measured_s: Option<f64>,
    /// open, kept, worse or not-used.
    pub verdict: String,
    /// Why it was not used; else null.
    pub reason: Option<String>,
}

/// Advice for the next run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Advice {
    /// The unit of its times.
    pub per: Per,
    /// The limit of this run.
    pub regime: String,
    /// Workers at its end, and the iteration time with them, seconds.
    pub workers_now: u32,
    /// See `workers_now`.
    pub iteration_now_s: f64,
    /// Workers to ask for next time.
    pub workers: u32,
    /// Ranks to ask for: workers, and the master where it does not work.
    pub ranks: u32,
    /// Iteration time expected there, seconds, and by which share it may differ.
    pub iteration_s: f64,
    /// See `iteration_s`.
    pub uncertainty: f64,
    /// What is expected to be handed out there, too: the chunks of a program that cuts them by itself, or the problems of a cut-off depth; null
    /// where midrun cuts anew.
    pub own_chunks: Option<String>,
    /// The technique that is expected there with its parameters, where it is another than the one in force at the end: it was advised, and not set;
    /// null else.
    pub technique: Option<String>,
    /// Iteration time that is expected with the ranks of this run if the master computed, too (`MIDRUN_MW_MASTER_WORKS`), seconds; null where that
    /// is not surely shorter, or the master does so already.
    pub master_works_s: Option<f64>,
}

/// The clock of a host beside the analyzer's, as they were compared last; see [`HostClock`].
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ClockLine {
    /// The host.
    pub node: String,
    /// To add to the host's times to get the analyzer's, seconds. Both count from a start of their own.
    pub offset_s: f64,
    /// The offset is at most this far from the truth, as long as both clocks run evenly.
    pub error_s: f64,
    /// By how much the analyzer's clock runs faster, parts per million.
    pub drift_ppm: f64,
    /// The drift is at most this far from the truth.
    pub drift_error_ppm: f64,
}

impl From<(&str, HostClock)> for ClockLine {
    fn from((node, clock): (&str, HostClock)) -> ClockLine {
        ClockLine {
            node: node.to_owned(),
            offset_s: clock.offset_ns as f64 / 1e9,
            error_s: clock.error_ns.unwrap_or_default() as f64 / 1e9,
            drift_ppm: clock.drift_ppb as f64 / 1e3,
            drift_error_ppm: clock.drift_error_ppb as f64 / 1e3,
        }
    }
}

/// A technique, and the first iteration that went by it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TechniqueLine {
    /// Number of the iteration.
    pub iteration: u64,
    /// The technique with its parameters.
    pub technique: String,
}

/// Everything about a job. Times in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Summary {
    /// Version of this object: a key that goes or changes its meaning raises it.
    pub schema_version: u32,
    /// The job's id.
    pub job: String,
    /// Why the job ran without midrun; left out otherwise. All other keys are then 0 or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untuned: Option<String>,
    /// Why what the analyzer measured is not here: it was away at the end. Left out otherwise; all other keys are then 0 or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// The MPI, as it names itself; empty where no rank was seen.
    pub mpi: String,
    /// Iterations measured.
    pub iterations: u64,
    /// Number of each, as the program counts. An endless job lists the newest ones only.
    pub iteration: Vec<u64>,
    /// When each was closed, seconds since the job's first sight.
    pub end_s: Vec<f64>,
    /// Wall time of each, seconds.
    pub iteration_s: Vec<f64>,
    /// Total task time / workers of each, seconds.
    pub ideal_s: Vec<f64>,
    /// Tasks of each; 0 where the program distributes none.
    pub tasks: Vec<u64>,
    /// Workers of each; ranks where there are no tasks.
    pub workers: Vec<u32>,
    /// 1 - ideal / measured of each.
    pub imbalance: Vec<f64>,
    /// Time the master was busy handing out and taking in, in each, seconds.
    pub master_busy_s: Vec<f64>,
    /// Techniques, from which iteration on; empty where no tasks were distributed.
    pub techniques: Vec<TechniqueLine>,
    /// The technique in force at the end; empty where no tasks were distributed.
    pub technique: String,
    /// The same under the name that it had before, for one version.
    pub policy: String,
    /// The masters of frameworks and what became of their iterations, where there are several; what stands above is that of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<InstanceLine>,
    /// The start that an earlier run gave; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<StartLine>,
    /// Decisions in order.
    pub decisions: Vec<DecisionLine>,
    /// Result of a search; left out where nothing is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchReport>,
    /// Manual overrides in order.
    pub controls: Vec<ControlLine>,
    /// Refusals by tunlets and of their proposals, each reason once.
    pub refusals: Vec<Refusal>,
    /// Changes that were never possible, a sentence each.
    pub never: Vec<String>,
    /// Scores of the tunlets that only advise.
    pub shadow: Vec<ShadowScore>,
    /// Allocation to ask the scheduler for next time; null where nothing was measured.
    pub advice: Option<Advice>,
    /// Iterations from which on the tasks were other ones, as far as the model saw it; of very many the newest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_work: Vec<u64>,
    /// Workers differ in speed beyond chance, so that the time of the same tasks depends on who computes them.
    pub unequal_workers: bool,
    /// The most that the settings at the end gain over those at start with the tasks of the end, by the model: a difference of logarithms of
    /// times; left out where the model cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_gained: Option<f64>,
    /// What the run learnt for the next one; left out where that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnt: Option<Learnt>,
    /// Its streams, where it is a pipeline.
    #[serde(flatten)]
    pub stream: Option<StreamLines>,
    /// Measurements of its points, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointLines>,
    /// Cost of messages, where it was measured.
    pub links: Vec<LinkLine>,
    /// The program's MPI calls, of all ranks.
    pub mpi_calls: CallLines,
    /// The period of the MPI calls, where it tells the iterations of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_period: Option<Period>,
    /// Masters with their workers, as the MPI calls show them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamLine>,
    /// Whether all ranks get their work from one rank, ranks pass it on, and nothing comes back, as in a pipeline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub messages_go_one_way: bool,
    /// Efficiencies; null where no rank was counted.
    pub pop: Option<PopLines>,
    /// Records of all ranks.
    pub records: Records,
    /// Actions of this job.
    pub actions: ActionCounts,
    /// Ranks seen.
    pub ranks: u64,
    /// Ranks of the program that no agent saw: they ran untuned.
    pub unseen_ranks: u64,
    /// Hosts seen.
    pub nodes: Vec<String>,
    /// Their clocks, by name, as far as they were compared with the analyzer's.
    pub clocks: Vec<ClockLine>,
    /// Ranks that went away without MPI_Finalize.
    pub lost_ranks: Vec<u32>,
    /// Ranks whose end nobody told: they run, or their agent was lost, and times and efficiencies are of what was seen of them.
    pub unfollowed_ranks: u64,
    /// Workers that died while the master's job went on without them.
    pub lost_workers: u64,
    /// Tasks that they held, which were handed out again.
    pub redone_tasks: u64,
    /// Iterations that could not be measured.
    pub skipped_iterations: u64,
    /// Tasks reported after their iteration was closed: its window lacks them.
    pub late_tasks: u64,
    /// From the job's first sight to now or its end, seconds.
    pub wall_s: f64,
    /// Events lost between the rings and the windows: by agents, late, or senseless.
    pub events_dropped: u64,
}

impl Summary {
    /// Takes the closed iterations over.
    pub fn list(&mut self, windows: &ClosedWindows) {
        self.iterations = windows.iterations();
        for line in windows.listed(Per::Iteration) {
            self.iteration.push(line.number);
            self.end_s.push(line.end_s);
            self.iteration_s.push(line.time_s);
            self.ideal_s.push(line.ideal_s.unwrap_or(0.0));
            self.tasks.push(line.tasks.unwrap_or(0));
            self.workers.push(line.workers.unwrap_or(0));
            self.imbalance.push(line.imbalance().unwrap_or(0.0));
            self.master_busy_s.push(line.master_busy_s.unwrap_or(0.0));
            let known = self.techniques.last().map(|last| last.technique.as_str());
            if let Some(technique) = line.technique.as_deref().filter(|technique| known != Some(technique)) {
                let line = TechniqueLine { iteration: line.number, technique: technique.to_owned() };
                self.techniques.push(line);
            }
        }
    }

    /// As JSON, on one line.
    pub fn to_json(&self) -> String {
        // A struct of numbers, texts and lists always serializes; numbers that are none become null.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_in_the_documents_is_that_of_the_summary() {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/summary.schema.json"));
        // What is written, not what would be read: a key that may be left out is not required.
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Summary>();
        schema.insert("title".into(), "Summary of a run of midrun".into());
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("MIDRUN_BLESS").is_some() {
            std::fs::write(path, &schema).unwrap();
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == schema,
            "docs/summary.schema.json is not that of the source: MIDRUN_BLESS=1 cargo test -p midrun-analyzer"
        );
    }
}
