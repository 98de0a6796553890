//! A framework instance beside the job's first: a master with windows of its own.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::closed_windows::{ClosedWindows, WindowLine};
use crate::decisions::Per;
use crate::events::PointMeasured;
use crate::points::Points;
use crate::status::{self, Share};
use crate::window::{Closed, Windows};

/// One master of several, in the summary.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct InstanceLine {
    /// Rank of the master, which names the instance.
    pub master: u32,
    /// The technique in its newest iteration; empty where no tasks were distributed.
    pub technique: String,
    /// Workers of its newest iteration.
    pub workers: u32,
    /// Iterations measured.
    pub iterations: u64,
    /// Wall time of each, seconds. An endless job lists the newest ones only.
    pub iteration_s: Vec<f64>,
    /// Total task time / workers of each, seconds.
    pub ideal_s: Vec<f64>,
}

impl InstanceLine {
    /// The instance of this master, whose windows were closed.
    pub fn new(master: u32, closed: &ClosedWindows) -> InstanceLine {
        let (listed, newest) = (closed.listed(Per::Iteration), closed.newest(Per::Iteration));
        InstanceLine {
            master,
            technique: newest.and_then(|line| line.technique.as_deref()).unwrap_or_default().to_owned(),
            workers: newest.and_then(|line| line.workers).unwrap_or(0),
            iterations: closed.iterations(),
            iteration_s: listed.iter().map(|line| line.time_s).collect(),
            ideal_s: listed.iter().map(|line| line.ideal_s.unwrap_or(0.0)).collect(),
        }
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Instance {
    /// Its iterations that are not closed yet.
    pub(crate) windows: Windows,
    /// Its closed ones.
    pub(crate) closed: ClosedWindows,
    /// What its framework measures for its tunlet.
    points: Points,
    /// What its workers did in the newest window.
    shares: BTreeMap<u32, Share>,
}

impl Instance {
    /// With these windows.
    pub(crate) fn new(windows: Windows, closed: ClosedWindows) -> Instance {
        Instance { windows, closed, points: Points::default(), shares: BTreeMap::new() }
    }

    /// Its master measured a point of the framework's.
    pub(crate) fn on_measured(&mut self, now: u64, rank: u32, measured: &PointMeasured) {
        let iteration = measured.iteration.map(|own| self.windows.number(own));
        self.points.on_measured(now, rank, 0, PointMeasured { iteration, ..measured.clone() });
    }

    /// Closes the windows that can be closed by now.
    pub(crate) fn close(&mut self, now: u64, all: bool) -> Vec<Closed> {
        let mut closed = self.windows.close(now, all, 0);
        for Closed { window, task_s, .. } in &mut closed {
            window.points = self.points.take(window.iteration);
            *task_s += window.serial_s();
        }
        closed
    }

    /// Lists a closed window.
    pub(crate) fn list(&mut self, end_s: f64, closed: &Closed) {
        let has_technique = closed.window.tasks > 0;
        self.closed.on_iteration(end_s, closed, has_technique);
        self.shares = status::shares_of_iteration(&closed.window);
    }

    /// See [`Instance::list`].
    pub(crate) fn shares(&self) -> &BTreeMap<u32, Share> {
        &self.shares
    }

    /// Its newest window.
    pub(crate) fn newest(&self) -> Option<&WindowLine> {
        self.closed.newest(Per::Iteration)
    }
}
