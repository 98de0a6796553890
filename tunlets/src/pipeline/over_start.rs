//! What the outputs after the changes would have taken with the pattern at start: by the model, as the windows with that pattern bear it out.
//!
//! Inputs of another cost take another time whatever the pattern is, so windows with the one do not compare with those with the other.

use super::estimate::Known;
use super::layout::forecast;
use crate::report::OverStart;
use crate::stream::StreamWindow;
use midrun_models::line::median;
use midrun_scheduling::plan::Plan;
use std::collections::VecDeque;

/// Newest windows with the pattern at start that tell how far the model is off.
const REMEMBERED: usize = 64;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct SinceStart {
    /// The pattern at start, and the ranks of its groups.
    at_start: Option<(Plan, Vec<Vec<u32>>)>,
    /// Measured time / forecast in windows with it.
    ratios: VecDeque<f64>,
    at_start_windows: u64,
    /// Sums over the windows with other patterns: of the forecasts with that at start, of the measured times, in seconds, and of outputs.
    forecast_s: f64,
    took_s: f64,
    outputs: f64,
    windows: u64,
}

impl SinceStart {
    /// Adds a window, whose outputs all went by `plan` on ranks at `places`, and what is known of the stages and of the time in source and sink.
    pub fn add(&mut self, window: &StreamWindow, (plan, places): (&Plan, &[Vec<u32>]), (known, head_s): (&Known, f64)) {
        // Another program has other stages.
        if self.at_start.as_ref().is_some_and(|(start, _)| start.stages() != plan.stages()) {
            *self = SinceStart::default();
        }
        let (start, its_places) = self.at_start.get_or_insert_with(|| (plan.clone(), places.to_vec()));
        let period_s = forecast(known, start, its_places).paced_s(head_s);
        if !window.settled || window.outputs == 0 || period_s <= 0.0 || !period_s.is_finite() {
            return;
        }
        let outputs = window.outputs as f64;
        if plan == start {
            self.at_start_windows += 1;
            self.ratios.push_back(window.seconds / (outputs * period_s));
            if self.ratios.len() > REMEMBERED {
                self.ratios.pop_front();
            }
        } else {
            (self.forecast_s, self.took_s) = (self.forecast_s + outputs * period_s, self.took_s + window.seconds);
            (self.outputs, self.windows) = (self.outputs + outputs, self.windows + 1);
        }
    }

    /// The comparison; `None` without windows of both kinds.
    pub fn report(&self) -> Option<OverStart> {
        if self.windows == 0 || self.ratios.is_empty() {
            return None;
        }
        Some(OverStart {
            windows: self.windows,
            at_start: self.at_start_windows,
            period_s: self.took_s / self.outputs,
            start_period_s: self.forecast_s / self.outputs * median(self.ratios.iter().copied().collect()),
        })
    }
}
