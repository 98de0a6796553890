//! The trial of a remembered start.

use super::seen::{Seen, technique};
use super::{Cut, Remembered};
use crate::confidence::Confidence;
use crate::trial::{JUDGED, WATCHED};
use crate::{Observation, StreamWindow, Window};
use midrun_scheduling::{PointValue, Setting, Start};

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
    /// Of a program's own values: what became of setting them.
    values: Values,
    /// A window went by it.
    was_in_force: bool,
    since: Vec<(f64, f64)>,
    missed: u32,
}

/// How far the values of a start have come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    /// No rank was asked yet.
    Unset,
    /// Ranks were asked.
    Asked,
    /// They are in force from this iteration on.
    Since(u64),
}

impl StartTrial {
    /// Begins the trial before the first window.
    pub fn new(remembered: Remembered, confidence: Confidence) -> StartTrial {
        StartTrial {
            remembered,
            confidence,
            verdict: StartVerdict::Open,
            values: Values::Unset,
            was_in_force: false,
            since: Vec::new(),
            missed: 0,
        }
    }

    /// Whether it is still watched.
    pub fn is_open(&self) -> bool {
        self.verdict == StartVerdict::Open
    }

    /// Whether a window went by the start: before, nobody can say that the program has it.
    pub fn was_in_force(&self) -> bool {
        self.was_in_force
    }

    /// The values that ranks are still to be asked to set; `None` where nothing is to be set, or they were asked.
    pub fn values_to_set(&self) -> Option<&[PointValue]> {
        match &self.remembered.start.setting {
            Setting::Values(values) if self.is_open() && self.values == Values::Unset => Some(values),
            _ => None,
        }
    }

    /// Ranks were asked to set the values.
    pub fn on_asked(&mut self) {
        self.values = Values::Asked;
    }

    /// The values are in force from this iteration on.
    pub fn on_set(&mut self, iteration: u64) {
        self.values = Values::Since(iteration);
    }

    /// The values could not be set.
    pub fn on_not_set(&mut self, why: &'static str) {
        if self.is_open() {
            self.end(StartVerdict::NotUsed(why));
        }
    }

    /// Whether this iteration ran before the values were in force, which are set or still to be.
    pub fn awaits_values(&self, iteration: u64) -> bool {
        let is_about_values = matches!(self.remembered.start.setting, Setting::Values(_));
        let in_force = matches!(self.values, Values::Since(since) if iteration >= since);
        is_about_values && self.is_open() && !in_force
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

    /// Takes in a window of the kind that the start is about, an iteration with how it was cut; true when that decides the trial.
    pub fn observe(&mut self, observation: Observation<'_>, cut: &Cut) -> bool {
        match (observation, &self.remembered.start.setting) {
            (Observation::Iteration(window), Setting::Scheduling(_)) => self.on_iteration(window, cut),
            (Observation::Iteration(window), Setting::Values(_)) => self.on_own_iteration(window, cut),
            (Observation::Stream(window), Setting::Pattern(_)) => self.on_outputs(window),
            _ => false,
        }
    }

    /// An iteration of a program whose own values are remembered.
    fn on_own_iteration(&mut self, window: &Window, cut: &Cut) -> bool {
        if self.awaits_values(window.iteration) {
            return false;
        }
        let Setting::Values(start) = &self.remembered.start.setting else { return false };
        let is_as_set = |now: &Vec<PointValue>| start.iter().all(|value| now.contains(value));
        let hindrance = match cut {
            // Where a rank counts no iterations, nobody knows in which part of one it took the values over.
            Cut::Changed => return self.miss("its values changed inside iterations"),
            Cut::Own(now) if is_as_set(now) => None,
            _ => Some("the values were changed"),
        };
        self.judge(hindrance, Seen::of(window, cut), false)
    }

    fn on_iteration(&mut self, window: &Window, cut: &Cut) -> bool {
        let Setting::Scheduling(start) = &self.remembered.start.setting else { return false };
        let seen = Seen::of(window, cut);
        let cutoff = seen.as_ref().and_then(|seen| match &seen.setting {
            Setting::Scheduling(now) => Some(now.cutoff),
            Setting::Pattern(_) | Setting::Values(_) => None,
        });
        let hindrance = match () {
            // What midrun took for a technique before it knew better, or the points file was another.
            () if matches!(cut, Cut::Own(_) | Cut::Changed) => Some("the program cuts its tasks by itself"),
            () if *cut == Cut::Unknown => return self.miss("the program takes no technique"),
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
        self.judge(hindrance, seen, window.iteration == 0)
    }

    fn on_outputs(&mut self, window: &StreamWindow) -> bool {
        let Start { ranks, setting: Setting::Pattern(plan) } = &self.remembered.start else { return false };
        let hindrance = match () {
            // Rank 0 computes only if it is alone.
            () if window.ranks != ranks.saturating_sub(1).max(1) => Some("the pipeline has another number of ranks"),
            () if window.plan != plan.to_string() => Some("the pipeline goes by another pattern"),
            () => None,
        };
        self.judge(hindrance, Seen::of_stream(window), false)
    }

    /// The start is worse if even the best window lies above the interval, and it is not the `first` of the program alone.
    fn judge(&mut self, hindrance: Option<&'static str>, seen: Option<Seen>, first: bool) -> bool {
        if !self.is_open() {
            return false;
        }
        if let Some(why) = hindrance {
            return self.end(StartVerdict::NotUsed(why));
        }
        self.was_in_force = true;
        let Some(seen) = seen else { return self.miss("its windows could not be measured") };
        self.since.push((seen.iteration_s, seen.cost_ln()));
        let least = self.best().map_or(f64::INFINITY, |(_, cost_ln)| cost_ln);
        let is_worse = least - self.remembered.cost_ln > self.remembered.half_width(self.since.len(), self.confidence);
        match () {
            // What a program does for the first time takes longer, whatever the setting (ADR 0047).
            () if is_worse && first => false,
            () if is_worse => self.end(StartVerdict::Worse),
            () if self.since.len() >= WATCHED => self.end(StartVerdict::Kept),
            () => false,
        }
    }

    /// A window that says nothing; several in a row must not hold up the tuning.
    fn miss(&mut self, why: &'static str) -> bool {
        self.missed += 1;
        self.is_open() && self.missed >= JUDGED && self.end(StartVerdict::NotUsed(why))
    }

    fn end(&mut self, verdict: StartVerdict) -> bool {
        self.verdict = verdict;
        true
    }
}
