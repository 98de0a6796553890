//! The windows of a recorded job, as tunlets see them.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use midrun_tunlets::{
    Judgement, Observation, Proposal, Settled, StreamWindow, TuningOptions, TuningPoint, Tunlet, Window,
};

use super::Reader;
use super::replay::{Replay, ReplayError, replay};
use crate::ids::JobId;

/// All windows of a job, in order.
#[derive(Clone, Debug, Default)]
pub struct RecordedWindows {
    /// Iterations.
    pub iterations: Vec<Window>,
    /// Masters besides the first, whose iterations are not among them.
    pub further: BTreeSet<u32>,
    /// Windows of streams.
    pub streams: Vec<StreamWindow>,
    /// What the program offered to be told when the last of them closed.
    pub tuning_points: Vec<TuningPoint>,
}

#[derive(Clone)]
struct Collector(Arc<Mutex<RecordedWindows>>);

impl Collector {
    fn with(&self, put: impl FnOnce(&mut RecordedWindows)) {
        put(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Tunlet for Collector {
    fn name(&self) -> &'static str {
        "collector"
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        self.with(|seen| match observation {
            Observation::Iteration(window) => seen.iterations.push(window.clone()),
            Observation::Stream(window) => seen.streams.push(window.clone()),
            Observation::Further(window) => seen.further.extend(window.master),
            Observation::Running { .. }
            | Observation::Resting { .. }
            | Observation::OtherIterations { .. }
            | Observation::PointRefused { .. } => {}
        });
        Vec::new()
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        self.with(|seen| seen.tuning_points = tuning_points.to_vec());
        None
    }

    fn on_settled(&mut self, _decision: u64, _settled: Settled) {}
}

/// The windows of a job, and what else its replay gave.
///
/// # Errors
/// The file cannot be read.
pub fn windows<R: Read>(reader: Reader<R>, job: &JobId) -> Result<(RecordedWindows, Replay), ReplayError> {
    let seen = Arc::new(Mutex::new(RecordedWindows::default()));
    let shared = seen.clone();
    let nothing = TuningOptions {
        tunlet: String::new(),
        technique: String::new(),
        objective: String::new(),
        ..TuningOptions::default()
    };
    let replayed = replay(reader, job, &nothing, move |_| Ok(Box::new(Collector(shared.clone()))))?;
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((seen, replayed))
}
