//! The trial of a remembered start.

use super::Remembered;
use super::seen::{Seen, technique};
use crate::confidence::Confidence;
use crate::trial::{JUDGED, WATCHED};
use crate::{Observation, StreamWindow, Window};
use midrun_scheduling::{Setting, Start};

/// What became of a remembered start.
#[derive(Clone, Debug, PartialEq)]
pub enum StartVerdict {
    /// Too few windows so far.
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
    /// Begins the trial before the first window.
    pub fn new(remembered: Remembered, confidence: Confidence) -> StartTrial {
        StartTrial { remembered, confidence, verdict: StartVerdict::Open, since: Vec::new(), missed: 0 }
    }

    /// Whether it is still watched.
    pub fn is_open(&self) -> bool {
        self.verdict == StartVerdict::Open
    }

    /// The best window so far: its time and the logarithm of its cost. A disturbance makes one slower, never faster.
    fn best(&self) -> Option<(f64, f64)> {
        self.since.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Iteration time, or time between two outputs, in the best window so far, seconds; `None` before a measurement.
    pub fn measured_s(&self) -> Option<f64> {
        self.best().map(|(iteration_s, _)| iteration_s)
    }

    /// Time that was expected for the work of that window, seconds, and the share by which it may differ.
    pub fn expected(&self) -> Option<(f64, f64)> {
        let (iteration_s, cost_ln) = self.best()?;
        let half = self.remembered.half_width(self.since.len(), self.confidence);
        Some((iteration_s * (self.remembered.cost_ln - cost_ln).exp(), half.exp_m1()))
    }

    /// Takes in a window of the kind that the start is about; true when that decides the trial.
    pub fn observe(&mut self, observation: Observation<'_>) -> bool {
        match observation {
            Observation::Iteration(window) => self.on_iteration(window),
            Observation::Stream(window) => self.on_outputs(window),
            _ => false,
        }
    }

    fn on_iteration(&mut self, window: &Window) -> bool {
        let Setting::Scheduling(start) = &self.remembered.start.setting else { return false };
        let seen = Seen::of(window);
        let cutoff = seen.as_ref().and_then(|seen| match &seen.setting {
            Setting::Scheduling(now) => Some(now.cutoff),
            Setting::Pattern(_) => None,
        });
        let hindrance = match () {
            () if window.tasks == 0 => Some("the program distributes no tasks"),
            () if window.setting_changed => Some("the setting was changed"),
            // The record of the first iteration may come before those of the tuning points: it carries technique and share alone.
            () if technique(&window.setting) != technique(&start.parameters) => {
                Some("the program chose its own technique")
            }
            () if window.workers as usize != start.workers.len() => Some("the program chose its own number of workers"),
            () if cutoff.is_some_and(|cutoff| cutoff != start.cutoff) => {
                Some("the program began with another cut-off depth")
            }
            () => None,
        };
        self.judge(hindrance, seen)
    }

    fn on_outputs(&mut self, window: &StreamWindow) -> bool {
        let Start { ranks, setting: Setting::Pattern(plan) } = &self.remembered.start else { return false };
        let hindrance = match () {
            // Rank 0 computes only if it is alone.
            () if window.ranks != ranks.saturating_sub(1).max(1) => Some("the pipeline has another number of ranks"),
            () if window.plan != plan.to_string() => Some("the pipeline goes by another pattern"),
            () => None,
        };
        self.judge(hindrance, Seen::of_stream(window))
    }

    /// The start is worse if even the best window lies above the interval.
    fn judge(&mut self, hindrance: Option<&'static str>, seen: Option<Seen>) -> bool {
        if !self.is_open() {
            return false;
        }
        if let Some(why) = hindrance {
            return self.end(StartVerdict::NotUsed(why));
        }
        let Some(seen) = seen else {
            self.missed += 1;
            return self.missed >= JUDGED && self.end(StartVerdict::NotUsed("its windows could not be measured"));
        };
        self.since.push((seen.iteration_s, seen.cost_ln()));
        let least = self.best().map_or(f64::INFINITY, |(_, cost_ln)| cost_ln);
        let is_worse = least - self.remembered.cost_ln > self.remembered.half_width(self.since.len(), self.confidence);
        match () {
            () if is_worse => self.end(StartVerdict::Worse),
            () if self.since.len() >= WATCHED => self.end(StartVerdict::Kept),
            () => false,
        }
    }

    fn end(&mut self, verdict: StartVerdict) -> bool {
        self.verdict = verdict;
        true
    }
}
