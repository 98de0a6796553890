//! What a recorded program would take in another way: with other workers, techniques, patterns, or messages.
//!
//! The live tunlets' own estimators learn from the recorded windows, and the models that the tunlets decide by simulate the
//! change. How far off that is was tried on the recording itself: each answer has the errors of windows that were left out
//! of what was learnt, and predicted under their own settings.

pub mod master_worker;
pub mod pipeline;

use crate::confidence::Confidence;
use crate::trial::MODEL;
use midrun_models::line::{NORMAL, median};
use std::collections::BTreeSet;

/// Parts that a recording is cut in: each is left out once.
const PARTS: usize = 5;
/// Windows of a setting from which on their errors say something by themselves.
const ENOUGH: usize = 3;
/// What was left out of what was learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Some windows, of a setting that others show too.
    Windows,
    /// All windows of a setting.
    Setting,
}

/// How far off windows were that were left out and then predicted, as a share of what they measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Half of them are within this.
    pub median: f64,
    /// The largest.
    pub worst: f64,
    /// Windows.
    pub count: usize,
    /// What was left out.
    pub left_out: LeftOut,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The time predicted, seconds.
    pub time_s: f64,
    /// Half the width of the interval in which it is expected to be measured, as a share of it.
    pub uncertainty: f64,
    /// `None`: the recording is too short to try.
    pub errors: Option<Errors>,
    /// What was measured, where the recording has just that: the median, seconds.
    pub measured_s: Option<f64>,
}

impl Answer {
    /// The interval, seconds.
    pub fn interval_s(&self) -> (f64, f64) {
        (self.time_s * (1.0 - self.uncertainty).max(0.0), self.time_s * (1.0 + self.uncertainty))
    }
}

/// A model that learns from windows and predicts windows.
pub trait Learner: Sized {
    /// A window.
    type Window;
    /// What was in force.
    type Setting: Ord + Clone;
    /// What the windows teach; `None`: nothing.
    fn learn<'a>(windows: impl Iterator<Item = &'a Self::Window>) -> Option<Self>
    where
        Self::Window: 'a;
    /// The setting of a window in which one alone was in force.
    fn setting(window: &Self::Window) -> Option<Self::Setting>;
    /// What it measured, seconds.
    fn measured_s(window: &Self::Window) -> f64;
    /// What is expected of such a window, seconds.
    fn expected_s(&self, window: &Self::Window) -> Option<f64>;
}

/// Shares by which windows that were left out were off, each with its setting.
#[derive(Clone, Debug)]
pub struct Tried<S> {
    windows: Vec<(S, f64)>,
    settings: Vec<(S, f64)>,
}

impl<S: Ord + Clone> Tried<S> {
    /// Leaves each part of the windows out once, and each setting.
    pub fn on<L: Learner<Setting = S>>(windows: &[L::Window]) -> Tried<S> {
        let parts = PARTS.min(windows.len());
        let part = |at: usize| at * parts / windows.len().max(1);
        let of_part = |left_out: usize| off::<L>(windows, |at, _| part(at) == left_out);
        let settings: BTreeSet<S> = windows.iter().filter_map(L::setting).collect();
        let of_setting = |left_out: &S| off::<L>(windows, |_, window| L::setting(window).as_ref() == Some(left_out));
        let several = settings.len() > 1;
        Tried {
            windows: (0..parts).filter(|_| parts > 1).flat_map(of_part).collect(),
            settings: settings.iter().filter(|_| several).flat_map(of_setting).collect(),
        }
    }

    /// The errors that an answer about a setting stands beside: its own windows' where enough were recorded, else those of
    /// settings that were not known when they were predicted.
    pub fn errors(&self, setting: &S) -> Option<Errors> {
        let mut own: Vec<f64> = self.windows.iter().filter(|(s, _)| s == setting).map(|(_, off)| *off).collect();
        if own.len() < ENOUGH {
            own.clear();
        }
        let all = |list: &[(S, f64)]| list.iter().map(|(_, off)| *off).collect::<Vec<f64>>();
        let summed = errors(own, LeftOut::Windows).or_else(|| errors(all(&self.settings), LeftOut::Setting));
        summed.or_else(|| errors(all(&self.windows), LeftOut::Windows))
    }
}

/// Learns from the windows that are not left out, and predicts those that are.
fn off<L: Learner>(windows: &[L::Window], left_out: impl Fn(usize, &L::Window) -> bool) -> Vec<(L::Setting, f64)> {
    let numbered = || windows.iter().enumerate();
    let Some(learnt) = L::learn(numbered().filter(|(at, w)| !left_out(*at, w)).map(|(_, w)| w)) else {
        return Vec::new();
    };
    let one = |(_, window): (usize, &L::Window)| {
        let share = learnt.expected_s(window)? / L::measured_s(window) - 1.0;
        Some((L::setting(window)?, share)).filter(|(_, share)| share.is_finite())
    };
    numbered().filter(|(at, w)| left_out(*at, w)).filter_map(one).collect()
}

fn errors(shares: Vec<f64>, left_out: LeftOut) -> Option<Errors> {
    let sizes: Vec<f64> = shares.into_iter().map(f64::abs).collect();
    let (count, worst) = (sizes.len(), sizes.iter().copied().fold(0.0, f64::max));
    (count > 0).then(|| Errors { median: median(sizes), worst, count, left_out })
}

/// Half the width of an answer's interval, as a share: what the model says of itself, or what windows left out say of it
/// where that is more, and what lies between `was`, which was recorded, and `is`.
fn uncertainty(own: f64, errors: Option<Errors>, (was, is): (f64, f64)) -> f64 {
    let tried = errors.map_or(0.0, |errors| 2.0 * NORMAL * errors.median);
    let doublings = (is / was).log2().abs();
    // The model's error is that of one doubling.
    let away = Confidence::default().two_sided() * MODEL * doublings;
    own.max(tried).hypot(if away.is_finite() { away } else { 0.0 })
}

/// What of a link is known otherwise than it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OtherLink {
    /// Time that each message takes, seconds.
    pub latency_s: Option<f64>,
    /// Time of a byte, seconds.
    pub per_byte_s: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of (setting, time): the model knows the mean of those it saw, and doubles it for each setting it did not see.
    struct Mean(BTreeSet<u32>, f64);

    impl Learner for Mean {
        type Window = (u32, f64);
        type Setting = u32;

        fn learn<'a>(windows: impl Iterator<Item = &'a (u32, f64)>) -> Option<Mean> {
            let all: Vec<&(u32, f64)> = windows.collect();
            let mean = all.iter().map(|(_, time_s)| time_s).sum::<f64>() / all.len() as f64;
            (!all.is_empty()).then(|| Mean(all.iter().map(|(setting, _)| *setting).collect(), mean))
        }

        fn setting(window: &(u32, f64)) -> Option<u32> {
            Some(window.0)
        }

        fn measured_s(window: &(u32, f64)) -> f64 {
            window.1
        }

        fn expected_s(&self, window: &(u32, f64)) -> Option<f64> {
            Some(if self.0.contains(&window.0) { self.1 } else { 2.0 * self.1 })
        }
    }

    #[test]
    fn each_window_is_predicted_from_the_others_and_each_setting_from_the_other_settings() {
        let windows = vec![(1, 1.0), (1, 1.0), (1, 1.0), (2, 1.0), (2, 1.0), (2, 1.25)];
        let tried = Tried::on::<Mean>(&windows);
        let known = tried.errors(&1).unwrap();
        assert_eq!((known.count, known.left_out), (3, LeftOut::Windows));
        assert!(known.worst < 0.1, "{known:?}");
        let known = tried.errors(&2).unwrap();
        assert!((known.worst - 0.2).abs() < 1e-9, "1 is predicted for 1.25: {known:?}");
        let new = tried.errors(&3).unwrap();
        assert_eq!((new.count, new.left_out), (6, LeftOut::Setting));
        assert!(new.median > 0.9, "the model doubles what it does not know: {new:?}");
    }

    #[test]
    fn one_setting_says_nothing_of_others_and_one_window_nothing_at_all() {
        let tried = Tried::on::<Mean>(&[(1, 1.0), (1, 1.0)]);
        assert_eq!(tried.errors(&7).unwrap().left_out, LeftOut::Windows);
        assert_eq!(Tried::on::<Mean>(&[(1, 1.0)]).errors(&1), None);
        assert_eq!(Tried::on::<Mean>(&[]).errors(&1), None);
    }

    #[test]
    fn the_interval_grows_with_what_was_tried_and_with_the_distance() {
        let errors = Errors { median: 0.1, worst: 0.5, count: 9, left_out: LeftOut::Windows };
        assert_eq!(uncertainty(0.03, None, (8.0, 8.0)), 0.03);
        assert!((uncertainty(0.03, Some(errors), (8.0, 8.0)) - 0.29652).abs() < 1e-9);
        assert!((uncertainty(0.03, None, (8.0, 32.0)) - 0.03_f64.hypot(2.0 * 1.959_964 * 0.03)).abs() < 1e-6);
    }
}
