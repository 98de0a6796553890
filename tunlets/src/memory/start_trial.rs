//! The trial of a remembered start.

use super::Remembered;
use super::seen::{Seen, technique};
use crate::Window;
use crate::confidence::Confidence;
use crate::trial::{JUDGED, WATCHED};
use midrun_scheduling::Start;

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
    confidence: Confidence,
    since: Vec<(f64, f64)>,
    missed: u32,
}

impl StartTrial {
    /// Begins the trial before the first iteration.
    pub fn new(remembered: Remembered, confidence: Confidence) -> StartTrial {
        StartTrial { remembered, confidence, verdict: StartVerdict::Open, since: Vec::new(), missed: 0 }
    }

    /// Whether it is still watched.
    pub fn is_open(&self) -> bool {
        self.verdict == StartVerdict::Open
    }

    /// The best iteration so far: its time and the logarithm of its cost. A disturbance makes an iteration slower, never faster.
    fn best(&self) -> Option<(f64, f64)> {
        self.since.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Time of the best iteration so far, seconds; `None` before a measurement.
    pub fn measured_s(&self) -> Option<f64> {
        self.best().map(|(iteration_s, _)| iteration_s)
    }

    /// Time that was expected for the work of that iteration, seconds, and the share by which it may differ.
    pub fn expected(&self) -> Option<(f64, f64)> {
        let (iteration_s, cost_ln) = self.best()?;
        let half = self.remembered.half_width(self.since.len(), self.confidence);
        Some((iteration_s * (self.remembered.cost_ln - cost_ln).exp(), half.exp_m1()))
    }

    /// Takes in a window; true when that decides the trial: the start is worse if even the best iteration lies above the interval.
    pub fn observe(&mut self, window: &Window) -> bool {
        if !self.is_open() {
            return false;
        }
        let Start { parameters, workers, .. } = &self.remembered.start;
        let seen = Seen::of(window);
        let least = match &seen {
            _ if window.tasks == 0 => return self.end(StartVerdict::NotUsed("the program distributes no tasks")),
            _ if window.setting_changed => return self.end(StartVerdict::NotUsed("the setting was changed")),
            // The record of the first iteration may come before those of the tuning points: it carries technique and share alone.
            _ if technique(&window.setting) != technique(parameters) => {
                return self.end(StartVerdict::NotUsed("the program chose its own technique"));
            }
            _ if window.workers as usize != workers.len() => {
                return self.end(StartVerdict::NotUsed("the program chose its own number of workers"));
            }
            None => {
                self.missed += 1;
                return self.missed >= JUDGED
                    && self.end(StartVerdict::NotUsed("its iterations could not be measured"));
            }
            Some(seen) => {
                self.since.push((seen.iteration_s, seen.cost_ln()));
                self.best().map_or(f64::INFINITY, |(_, cost_ln)| cost_ln)
            }
        };
        match () {
            () if least - self.remembered.cost_ln > self.remembered.half_width(self.since.len(), self.confidence) => {
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
