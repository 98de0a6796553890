//! Iterations that do not end: values that make one too long are left in it, and where none comes any more nothing stays that was only tried.

use super::SearchTunlet;
use crate::trial::Measurement;
use crate::{Judgement, Verdict};

/// An iteration that has not ended for so long that the program may iterate no more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped {
    pub(super) iteration: u64,
    /// It began with the values that the engine asks for.
    is_measured: bool,
}

impl SearchTunlet {
    /// From when on the values that this iteration measures are surely worse than the best, seconds.
    pub(super) fn worse_s(&self, iteration: u64) -> Option<f64> {
        let limit_s = self.engine.as_ref()?.limit_s().filter(|_| self.is_measured(iteration))?;
        Some((limit_s * self.turns.length() as f64 - self.turns.so_far_s(iteration)) / self.scale?)
    }

    /// The running iteration has taken so long that its values cannot be the best: they are left before it ends.
    pub(super) fn leave(&mut self, iteration: u64, elapsed_s: f64) {
        let before = self.target();
        let is_known = self.worse_s(iteration).is_some() && self.last.is_some_and(|last| last + 1 == iteration);
        let (Some(scale), Some(engine)) = (self.scale.filter(|_| is_known), &mut self.engine) else { return };
        engine.tell_left(self.turns.mean_s(iteration, elapsed_s * scale));
        self.left = Some(iteration);
        self.end_left(before, elapsed_s);
    }

    /// The program may iterate no more: until this iteration ends values are in force that are surely good, for those to be measured might stay to the
    /// end. Where progress counts, an iteration may do a multiple of what one did.
    pub(super) fn stop(&mut self, iteration: u64, elapsed_s: f64) {
        let is_searching = self.engine.as_ref().is_some_and(|engine| !engine.is_over()) && self.trouble.is_none();
        let is_next = self.last.is_some_and(|last| last + 1 == iteration);
        if self.streams || !is_searching || !is_next || self.stopped.is_some() || self.progress.is_some() {
            return;
        }
        let before = self.target();
        (self.stopped, self.pause_s) = (Some(Stopped { iteration, is_measured: self.is_measured(iteration) }), 0.0);
        self.end_left(before, elapsed_s);
    }

    /// The iteration has ended after all, and was only long: that is what is known of the values that were to be measured, though others were in force in a
    /// part of it.
    pub(super) fn go_on(&mut self, stopped: Stopped, time_s: Option<f64>) {
        let watch = self.watch();
        if let (Some(engine), Some(time_s)) = (&mut self.engine, time_s) {
            self.trials.measure(stopped.iteration, Measurement::new(time_s, time_s), watch);
            if stopped.is_measured {
                engine.tell(self.turns.end(stopped.iteration, time_s));
            }
        }
        self.judge();
        self.in_force = None;
    }

    /// Values are left in an iteration that has taken so long, seconds, unless those to set are the same.
    fn end_left(&mut self, before: Option<Vec<f64>>, elapsed_s: f64) {
        if self.target() != before {
            let trial = self.trials.watched.take();
            self.judgements.extend(trial.map(|trial| Judgement::new(trial.decision, elapsed_s, Verdict::Left)));
            self.in_force = None;
        }
    }

    /// Whether this iteration measures the values that the engine asks for.
    fn is_measured(&self, iteration: u64) -> bool {
        self.left.is_none() && self.in_force.is_some_and(|from| from <= iteration)
    }

    /// Whether the values in force must not wait for the next iteration.
    pub(super) fn is_urgent(&self) -> bool {
        self.left.is_some() || self.stopped.is_some() || self.is_other
    }
}
