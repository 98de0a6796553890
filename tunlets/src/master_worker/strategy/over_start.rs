//! What the settings in force can gain over those at start: where only the first iterations had those, their tasks may have been others.

use super::MasterWorker;
use crate::master_worker::candidates;
use crate::master_worker::experience::family;
use crate::model_error::{EXACT, Simulated, correction};

impl MasterWorker {
    /// See [`crate::Report::most_gained`]. With another number of workers, or chunks of the program's own, tasks may cost something else; and what
    /// the user set last is not what midrun's changes gained.
    pub(super) fn most_gained(&self) -> Option<f64> {
        let (workload, current, (start, workers)) = (self.workload.as_ref()?, self.current?, self.at_start?);
        if workload.workers != workers || self.of_own > 0 || self.set_last != Some(family(&current)) {
            return None;
        }
        let (was, is) = candidates::compare(workload, start, &[current], self.confidence);
        let is = is.first()?;
        // What was measured of either, or of the change, may have been of other tasks.
        let [was, now] = [&was, is].map(|of| Simulated { residual: None, ..self.simulated(workload, of) });
        let gain = is.gain.plus(correction(was, now, &[], (self.experience.late(), EXACT)));
        Some(gain.mean + self.confidence.two_sided() * gain.error)
    }
}
