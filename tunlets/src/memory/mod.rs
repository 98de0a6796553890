//! What a run learns for later runs of the same program, and whether a start that an earlier run gave holds.
//!
//! The cost of an iteration is its time per second of task time, that of a stream the time between two outputs per second of an input's time in
//! all stages: so windows that differ in work compare.

mod cut;
mod learning;
mod remembered;
mod seen;
mod start_trial;
#[cfg(test)]
mod tests;

use midrun_models::line::{median, robust_deviation};

pub use crate::master_worker::own_values;
pub use cut::Cut;
pub use learning::{Learning, Learnt, TasksLearnt};
pub use remembered::Remembered;
pub use start_trial::{StartTrial, StartVerdict};

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// Standard deviation; `None` of fewer than two.
fn plain_deviation(of: &[f64]) -> Option<f64> {
    let mean = mean(of);
    let squares: f64 = of.iter().map(|x| (x - mean).powi(2)).sum();
    (of.len() > 1).then(|| (squares / (of.len() - 1) as f64).sqrt())
}

/// Standard deviation, of more than two by the median absolute one, which does not see the exceptions; `None` of fewer than two.
fn deviation(of: &[f64]) -> Option<f64> {
    let (middle, count) = (median(of.to_vec()), of.len() as f64);
    // Deviations from a middle that is made of the same values are too small by this.
    let robust = || robust_deviation(of.iter().map(|x| x - middle)) * (count / (count - 1.0)).sqrt();
    if of.len() > 2 { Some(robust()) } else { plain_deviation(of) }
}
