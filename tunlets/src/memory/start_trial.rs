//! The trial of a remembered start.

use super::seen::{Seen, family};
use super::{Remembered, mean};
use crate::Window;
use midrun_scheduling::Start;

/// Whole iterations by which a start is judged at the latest.
const WATCHED: usize = 2;
/// Windows without evidence after which a start is not judged any more.
const GIVEN_UP: u32 = 4;

/// What became of a remembered start.
#[derive(Clone, Debug, PartialEq)]
pub enum StartVerdict {
    /// Too few iterations so far.
    Open,
    /// It is as good as it was.
    Kept,
    /// It measured worse than chance explains: what was remembered does not hold any more.
    Worse,
    /// It was not in force, and why.
    NotUsed(&'static str),
}

/// The trial of a remembered start: nothing else is changed while it lasts.
#[derive(Clone, Debug)]
pub struct StartTrial {
    /// What was remembered.
    pub remembered: Remembered,
    /// The outcome so far.
    pub verdict: StartVerdict,
    since: Vec<(f64, f64)>,
    missed: u32,
}

impl StartTrial {
    /// Begins the trial before the first iteration.
    pub fn new(remembered: Remembered) -> StartTrial {
        StartTrial { remembered, verdict: StartVerdict::Open, since: Vec::new(), missed: 0 }
    }

    /// Whether it is still watched.
    pub fn is_open(&self) -> bool {
        self.verdict == StartVerdict::Open
    }

    /// Iteration time expected for the work that was measured, and the share by which it may differ; `None` before a measurement.
    pub fn expected(&self) -> Option<(f64, f64)> {
        let works: Vec<f64> = self.since.iter().map(|(iteration_s, cost_ln)| iteration_s / cost_ln.exp()).collect();
        let half = self.remembered.half_width(works.len());
        (!works.is_empty()).then(|| (self.remembered.cost_ln.exp() * mean(&works), half.exp_m1()))
    }

    /// Mean iteration time measured with it, seconds; `None` before a measurement.
    pub fn measured_s(&self) -> Option<f64> {
        let times: Vec<f64> = self.since.iter().map(|(iteration_s, _)| *iteration_s).collect();
        (!times.is_empty()).then(|| mean(&times))
    }

    /// Takes in a window; true when that decides the trial.
    ///
    /// The start is worse if even the least cost so far lies above the interval: a disturbance makes an iteration slower, never
    /// faster.
    pub fn observe(&mut self, window: &Window) -> bool {
        if !self.is_open() {
            return false;
        }
        let Start { parameters, workers, .. } = &self.remembered.start;
        let seen = Seen::of(window);
        let least = match &seen {
            _ if window.tasks == 0 => return self.end(StartVerdict::NotUsed("the program distributes no tasks")),
            _ if window.setting_changed => return self.end(StartVerdict::NotUsed("the setting was changed")),
            _ if family(&window.setting) != family(parameters) => {
                return self.end(StartVerdict::NotUsed("the program chose its own technique"));
            }
            _ if window.workers as usize != workers.len() => {
                return self.end(StartVerdict::NotUsed("the program chose its own number of workers"));
            }
            None => {
                self.missed += 1;
                return self.missed >= GIVEN_UP
                    && self.end(StartVerdict::NotUsed("its iterations could not be measured"));
            }
            Some(seen) => {
                self.since.push((seen.iteration_s, seen.cost_ln()));
                self.since.iter().map(|(_, cost_ln)| *cost_ln).fold(f64::INFINITY, f64::min)
            }
        };
        match () {
            () if least - self.remembered.cost_ln > self.remembered.half_width(self.since.len()) => {
                self.end(StartVerdict::Worse)
            }
            () if self.since.len() >= WATCHED => self.end(StartVerdict::Kept),
            () => false,
        }
    }

    fn end(&mut self, verdict: StartVerdict) -> bool {
        self.verdict = verdict;
        true
    }
}
