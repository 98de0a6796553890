//! When the settings are weighed again: while iterations go on as they did, ever more seldom.
//!
//! What a change gains is worth as many iterations as there were (Lindy's rule). If the settings are weighed again when there were 1 - level
//! more of them, a gain is found so late that at most this share of its worth is lost; and weighing takes its time.

use crate::confidence::Confidence;

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cadence {
    /// Iterations since the tasks, the workers or the setting changed.
    iterations: u64,
    /// As many there were when the settings were last weighed.
    weighed: u64,
    /// The last iteration was none like those before.
    is_unusual: bool,
}

impl Cadence {
    /// Something has changed.
    pub(super) fn restart(&mut self) {
        *self = Cadence::default();
    }

    /// An iteration that was `off` what was expected, a difference of logarithms, where one scatters by `noise`.
    pub(super) fn on_iteration(&mut self, off: f64, noise: f64, confidence: Confidence) {
        self.iterations += 1;
        self.is_unusual = off.abs() > confidence.two_sided() * noise;
    }

    /// Whether the settings are to be weighed; if so, that they are now.
    pub(super) fn is_due(&mut self, confidence: Confidence) -> bool {
        let later = self.weighed as f64 * (2.0 - confidence.level());
        let is_due = self.is_unusual || self.iterations as f64 >= later;
        if is_due {
            self.weighed = self.iterations;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_nothing_changes_the_settings_are_weighed_ever_more_seldom() {
        let (usual, mut cadence) = (Confidence::default(), Cadence::default());
        let mut weighed = Vec::new();
        for iteration in 1..=1000_u64 {
            cadence.on_iteration(0.01, 0.02, usual);
            if cadence.is_due(usual) {
                weighed.push(iteration);
            }
        }
        assert!(weighed.starts_with(&(1..=20).collect::<Vec<u64>>()), "{weighed:?}");
        assert!(weighed.windows(2).all(|pair| pair[1] as f64 <= pair[0] as f64 * 1.05 + 1.0), "{weighed:?}");
        assert!(weighed.len() < 110, "{}", weighed.len());
        cadence.on_iteration(0.1, 0.02, usual);
        assert!(cadence.is_due(usual), "an iteration unlike the others");
        cadence.on_iteration(0.0, 0.02, usual);
        assert!(!cadence.is_due(usual));
        cadence.restart();
        cadence.on_iteration(0.0, 0.02, usual);
        assert!(cadence.is_due(usual), "after a change");
    }
}
