//! The timeline of a recorded job: what each rank did, and when, on the analyzer's clock.
//!
//! A rank's work is one slice per iteration, from its first task to its last: agents fold the tasks in between. Of stages only
//! the sums of a window are recorded, so a stage's slice is the window, and its busy time a part of it.

use std::collections::BTreeMap;
use std::io::{self, Read};

use midrun_proto::v1;
use midrun_proto::v1::event::Kind;

use super::{End, Reader, batches, events};
use crate::ids::JobId;
use crate::limits;

/// Kind of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// An iteration, in the rank that begins and ends it.
    Iteration,
    /// Tasks of one iteration.
    Work,
    /// Inputs of the stage of this number, in one window of its stream.
    Stage(u32, String),
}

/// Something that lasted in a rank. Times in seconds since the recording began.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The rank.
    pub rank: u32,
    /// What it did.
    pub activity: Activity,
    /// Number of the iteration or window; `None` where the rank does not know it.
    pub number: Option<u64>,
    /// Begin.
    pub begin_s: f64,
    /// End.
    pub end_s: f64,
    /// Time that it computed between the two.
    pub busy_s: f64,
    /// Tasks or inputs.
    pub done: u64,
}

/// An action that a rank applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The rank.
    pub rank: u32,
    /// When, seconds since the recording began.
    pub at_s: f64,
    /// Its number.
    pub action: u64,
}

/// All slices of a job, by their end, and the actions applied.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// What lasted.
    pub slices: Vec<Slice>,
    /// What happened at once.
    pub applied: Vec<Applied>,
    /// Slices that could not be: ended before they began, or are longer than any run.
    pub invalid: u64,
}

/// Reads the timeline of `job`.
///
/// # Errors
/// The file cannot be read.
pub fn timeline<R: Read>(reader: Reader<R>, job: &JobId) -> io::Result<(Timeline, End)> {
    let mut drawn = Drawing { start_ns: reader.now_ns(), ..Drawing::default() };
    let end = batches(reader, job, |now_ns, batch| {
        if drawn.start_ns == 0 {
            drawn.start_ns = now_ns;
        }
        let offset_ns = batch.clock_offset_ns;
        events(batch).for_each(|(rank, kind)| drawn.take(rank, offset_ns, kind));
    })?;
    drawn.finish();
    Ok((drawn.timeline, end))
}

#[derive(Default)]
struct Drawing {
    start_ns: u64,
    timeline: Timeline,
    begun: BTreeMap<u32, v1::IterationBegun>,
    /// Work of an iteration that may go on in the next batch.
    open: BTreeMap<u32, Slice>,
    names: BTreeMap<u32, String>,
    /// Inputs and busy time since the last window, by stage and place.
    stages: BTreeMap<(u32, u32), (u64, f64)>,
}

impl Drawing {
    fn at_s(&self, time_ns: u64, offset_ns: i64) -> f64 {
        let ns = i128::from(time_ns) + i128::from(offset_ns) - i128::from(self.start_ns);
        ns as f64 / 1e9
    }

    fn take(&mut self, rank: u32, offset_ns: i64, kind: Kind) {
        match kind {
            Kind::IterationBegun(begun) => {
                self.begun.insert(rank, begun);
            }
            Kind::IterationEnded(ended) => {
                let Some(begun) = self.begun.remove(&rank).filter(|begun| begun.iteration == ended.iteration) else {
                    return;
                };
                let slice = Slice {
                    rank,
                    activity: Activity::Iteration,
                    number: Some(ended.iteration),
                    begin_s: self.at_s(begun.time_ns, offset_ns),
                    end_s: self.at_s(ended.time_ns, offset_ns),
                    busy_s: ended.master_busy_ns as f64 / 1e9,
                    done: ended.tasks,
                };
                self.push(slice);
            }
            Kind::Work(work) if work.first_begin_ns > 0 && work.tasks > 0 => self.on_work(rank, offset_ns, &work),
            Kind::StageDeclared(stage) => {
                self.names.insert(stage.stage, stage.name.chars().take(limits::TEXT_BYTES).collect());
            }
            Kind::StageWork(work) if work.stage < limits::STAGES_DRAWN => {
                let sum = self.stages.entry((work.stage, work.place)).or_default();
                *sum = (sum.0.saturating_add(work.inputs), sum.1 + work.busy_s);
            }
            Kind::StreamWindow(window) => self.on_window(offset_ns, &window),
            Kind::ActionResult(result) if result.status == v1::ActionStatus::Applied as i32 => {
                let applied = Applied { rank, at_s: self.at_s(result.time_ns, offset_ns), action: result.action };
                self.timeline.applied.push(applied);
            }
            _ => {}
        }
    }

    fn on_work(&mut self, rank: u32, offset_ns: i64, work: &v1::Work) {
        let number = (work.iteration < limits::ITERATION_END).then_some(work.iteration);
        let slice = Slice {
            rank,
            activity: Activity::Work,
            number,
            begin_s: self.at_s(work.first_begin_ns, offset_ns),
            end_s: self.at_s(work.last_end_ns, offset_ns),
            busy_s: work.busy_s,
            done: work.tasks,
        };
        match self.open.get_mut(&rank) {
            Some(open) if open.number == number && number.is_some() => {
                (open.begin_s, open.end_s) = (open.begin_s.min(slice.begin_s), open.end_s.max(slice.end_s));
                (open.busy_s, open.done) = (open.busy_s + slice.busy_s, open.done.saturating_add(slice.done));
            }
            _ => {
                if let Some(before) = self.open.insert(rank, slice) {
                    self.push(before);
                }
            }
        }
    }

    fn on_window(&mut self, offset_ns: i64, window: &v1::StreamWindow) {
        let (begin_s, end_s) = (self.at_s(window.begin_ns, offset_ns), self.at_s(window.end_ns, offset_ns));
        for ((stage, rank), (done, busy_s)) in std::mem::take(&mut self.stages) {
            let name = self.names.get(&stage).cloned().unwrap_or_default();
            let activity = Activity::Stage(stage, name);
            self.push(Slice { rank, activity, number: Some(window.number), begin_s, end_s, busy_s, done });
        }
    }

    fn push(&mut self, slice: Slice) {
        let lasted_s = slice.end_s - slice.begin_s;
        if (0.0..limits::POINT_S).contains(&lasted_s) && (0.0..limits::POINT_S).contains(&slice.busy_s) {
            self.timeline.slices.push(slice);
        } else {
            self.timeline.invalid += 1;
        }
    }

    fn finish(&mut self) {
        for slice in std::mem::take(&mut self.open).into_values() {
            self.push(slice);
        }
        self.timeline.slices.sort_by(|a, b| a.begin_s.total_cmp(&b.begin_s));
    }
}
