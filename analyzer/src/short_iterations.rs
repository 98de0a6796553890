//! Several short iterations are shown to tunlets as one.
//!
//! A tunlet counts on it that the change which it proposes after a window is in force with the next window but one, and that windows scatter by
//! chance. Of short iterations dozens pass until a change is in force, a rank that wakes up late has a large share in one, and to think about each
//! costs the application more than it gains. So tunlets are shown the iteration of median time, of as many as take [`REACTION_S`] together.

use std::collections::BTreeMap;

use midrun_tunlets::Window;

/// Time from the end of a window until the change that it calls for is in force, seconds: measured medians are 10 to 16 ms (four programs with
/// iterations of 2 to 4 ms, eight workers, one host), of which a decision takes 8 ms (bench `decision_time`).
const REACTION_S: f64 = 15e-3;

/// Iterations that are shown as one, at most.
const MOST: usize = 256;

/// See the module.
#[derive(Debug, Default)]
pub struct ShortIterations {
    /// By master, those in a row with one setting that are not shown yet.
    together: BTreeMap<Option<u32>, Vec<Window>>,
    /// The iteration in which values of a rank last changed.
    changed: BTreeMap<u32, u64>,
}

impl ShortIterations {
    /// A rank has taken other values over in this iteration, if that is known.
    pub fn on_change(&mut self, rank: u32, iteration: Option<u64>) {
        match iteration {
            Some(iteration) => {
                let known = self.changed.entry(rank).or_default();
                *known = iteration.max(*known);
            }
            None => self.together.clear(),
        }
    }

    /// Of several masters each counts iterations by itself.
    fn changed(&self, master: Option<u32>) -> Option<u64> {
        match master.filter(|_| self.together.len() > 1) {
            Some(master) => self.changed.get(&master).copied(),
            None => self.changed.values().max().copied(),
        }
    }

    /// Adds an iteration. Returns the one that stands for those since the last one that was returned, once they take long enough.
    pub fn add(&mut self, window: Window) -> Option<Window> {
        let changed = self.changed(window.master);
        let all = self.together.entry(window.master).or_default();
        // One of two settings is like no other, and one without time tells nothing of others.
        if window.setting_changed || window.iteration_s <= 0.0 {
            all.clear();
            return Some(window);
        }
        // That in which values changed is of neither.
        let kind =
            |window: &Window| (window.setting, window.workers, changed.map(|changed| window.iteration.cmp(&changed)));
        if all.first().is_some_and(|known| kind(known) != kind(&window)) {
            all.clear();
        }
        let iteration = window.iteration;
        all.push(window);
        let time_s = |window: &Window| window.iteration_s + window.prepare_s.unwrap_or(0.0);
        let mut times_s: Vec<f64> = all.iter().map(time_s).collect();
        // No median is longer than twice the mean.
        if times_s.len() < MOST && 2.0 * times_s.iter().sum::<f64>() < REACTION_S {
            return None;
        }
        // By the median: an iteration that is stalled does not end them, or those with a stall would count more.
        let middle = times_s.len() / 2;
        let median_s = *times_s.select_nth_unstable_by(middle, f64::total_cmp).1;
        if times_s.len() < MOST && times_s.len() as f64 * median_s < REACTION_S {
            return None;
        }
        let iterations = all.len() as u64;
        let one = std::mem::take(all).into_iter().find(|one| time_s(one) == median_s)?;
        Some(Window { iteration, iterations, ..one })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(iteration: u64, workers: u32, iteration_s: f64) -> Window {
        Window { workers, ..Window::of_time(iteration, iteration_s) }
    }

    /// Number, iterations and time of those that are shown.
    fn shown(windows: impl IntoIterator<Item = Window>) -> Vec<(u64, u64, f64)> {
        let mut short = ShortIterations::default();
        let shown = windows.into_iter().filter_map(|window| short.add(window));
        shown.map(|window| (window.iteration, window.iterations, window.iteration_s)).collect()
    }

    fn of(times_s: &[f64]) -> Vec<(u64, u64, f64)> {
        shown((0..).zip(times_s).map(|(iteration, time_s)| window(iteration, 4, *time_s)))
    }

    #[test]
    fn the_one_of_median_time_stands_for_as_many_as_take_long_enough() {
        assert_eq!(of(&[0.1, 0.015, 0.2]), [(0, 1, 0.1), (1, 1, 0.015), (2, 1, 0.2)]);
        assert_eq!(of(&[0.006, 0.0061, 0.0059, 0.006]), [(2, 3, 0.006)]);
        assert_eq!(of(&[0.0031, 0.0031, 0.1, 0.0031, 0.0031]), [(4, 5, 0.0031)], "a stall does not end them");
        assert_eq!(of(&[0.02, 0.0009]), [(0, 1, 0.02)], "what a program does at first is long");
    }

    #[test]
    fn very_short_ones_are_not_kept_without_end() {
        assert_eq!(of(&[1e-6; 300]), [(255, 256, 1e-6)]);
    }

    #[test]
    fn those_of_another_setting_are_not_among_them() {
        let workers = [4, 4, 3, 3, 3];
        let others = (0..).zip(workers).map(|(iteration, workers)| window(iteration, workers, 0.006));
        assert_eq!(shown(others), [(4, 3, 0.006)]);
        let mut mixed = window(1, 4, 0.006);
        mixed.setting_changed = true;
        let of_two = [window(0, 4, 0.006), mixed, window(2, 4, 0.006), window(3, 4, 0.006)];
        assert_eq!(shown(of_two), [(1, 1, 0.006)]);
        let masters =
            (0..4).map(|iteration| Window { master: Some(iteration as u32 % 2), ..window(iteration, 4, 0.006) });
        assert_eq!(shown(masters), []);
    }

    #[test]
    fn a_value_that_windows_do_not_tell_begins_anew_too() {
        let mut short = ShortIterations::default();
        let add = |short: &mut ShortIterations, iteration| short.add(window(iteration, 4, 0.006));
        assert_eq!((0..2).filter_map(|iteration| add(&mut short, iteration)).count(), 0);
        // The iteration at whose safe point it was set closes afterwards.
        short.on_change(1, Some(2));
        let shown: Vec<Window> = (2..6).filter_map(|iteration| add(&mut short, iteration)).collect();
        let numbers: Vec<(u64, u64)> = shown.iter().map(|window| (window.iteration, window.iterations)).collect();
        assert_eq!(numbers, [(5, 3)], "that in which it was set is of both");
    }
}
