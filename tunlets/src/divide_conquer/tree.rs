//! What the problems of each depth took in one iteration of a divide-and-conquer program.

use crate::master_worker::MOST_TASKS;
use crate::{PointWindow, Window};
use midrun_vocabulary::names::tree as label;

/// Times of several problems.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// How many.
    pub count: f64,
    /// Their sum, seconds.
    pub sum_s: f64,
    /// Sum of their squares, seconds squared.
    pub squares_s2: f64,
    /// The shortest and the longest, seconds.
    pub shortest_s: f64,
    /// See `shortest_s`.
    pub longest_s: f64,
}

impl Times {
    fn of(point: &PointWindow) -> Times {
        Times {
            count: point.count as f64,
            sum_s: point.sum,
            squares_s2: point.squares,
            shortest_s: point.minimum,
            longest_s: point.maximum,
        }
    }

    /// As many times as there are, with this sum, these ends and about this scatter: lognormal quantiles between the shortest and the
    /// longest. Seconds.
    pub fn each(&self) -> Vec<f64> {
        let count = self.count as usize;
        let (mut times, inner) = (vec![self.longest_s; count.min(1)], count.saturating_sub(2));
        if count > 1 {
            times.push(self.shortest_s);
        }
        let rest_s = (self.sum_s - times.iter().sum::<f64>()).max(0.0);
        let mean_s = rest_s / inner.max(1) as f64;
        let squares_s2 = self.squares_s2 - times.iter().map(|time_s| time_s * time_s).sum::<f64>();
        let variance_s2 = (squares_s2 / inner.max(1) as f64 - mean_s * mean_s).max(0.0);
        let sigma = if mean_s > 0.0 { (variance_s2 / (mean_s * mean_s)).ln_1p().sqrt() } else { 0.0 };
        let quantile = |k: usize| (sigma * crate::chance::normal_quantile((k as f64 + 0.5) / inner as f64)).exp();
        let shape: Vec<f64> = (0..inner).map(quantile).collect();
        let scale_s = rest_s / shape.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        times.extend(shape.iter().map(|x| (x * scale_s).clamp(self.shortest_s, self.longest_s)));
        times
    }
}

/// The problems of one depth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Each problem with all its parts.
    pub solve: Times,
    /// To divide problems, and to combine the results of their parts.
    pub own: Times,
    /// Problems that are solved as they are.
    pub base: Times,
    /// Bytes of the problems and of their results.
    pub bytes: (f64, f64),
}

/// One solve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The cut-off depth in force.
    pub in_force: u32,
    /// Depth at which the master stopped to divide: the one in force, or where the tree ends.
    pub cutoff: u32,
    /// Time in which the master divided and combined, seconds: no worker had a task.
    pub serial_s: f64,
    /// Time of the longest chain of problems that wait for each other, seconds.
    pub span_s: f64,
    /// From the whole problem on, as deep as problems were timed.
    pub levels: Vec<Level>,
}

impl Tree {
    /// The tree of an iteration; `None` where the program is none of this kind, or not all of its records are there.
    pub fn of(window: &Window) -> Option<Tree> {
        let point = |label: &str| window.points.iter().find(|point| point.label == label);
        let in_force = point(label::CUTOFF)?.value? as u32;
        let times = |depth: usize, what: &str| point(&label::at(depth, what)).map(Times::of);
        let bytes = |depth: usize, what: &str| point(&label::at(depth, what)).map_or(0.0, |point| point.sum);
        let level = |depth: usize| {
            Some(Level {
                solve: times(depth, label::SOLVE)?,
                own: times(depth, label::OWN).unwrap_or_default(),
                base: times(depth, label::BASE).unwrap_or_default(),
                bytes: (bytes(depth, label::PROBLEM), bytes(depth, label::RESULT)),
            })
        };
        // What has more problems is not simulated: each would be drawn.
        let is_few = |level: &Level| level.solve.count <= MOST_TASKS as f64;
        let levels: Vec<Level> = (0..label::DEPTHS).map_while(level).take_while(is_few).collect();
        let sum_s = |label: &str| point(label).map(|point| point.sum);
        let deepest = levels.len().checked_sub(1)?;
        let cutoff = in_force.min(deepest as u32);
        // Each problem was divided or solved as it is; above the cut-off depth the parts of all were timed.
        let whole = |level: &Level| level.own.count + level.base.count == level.solve.count;
        let good = levels.iter().all(whole) && (cutoff == in_force || levels[deepest].own.count == 0.0);
        let (serial_s, span_s) = (sum_s(label::SERIAL)?, sum_s(label::SPAN)?);
        good.then_some(Tree { in_force, cutoff, serial_s, span_s, levels })
    }

    /// Whether both trees have as many problems at each depth that both tell.
    pub fn has_problems_of(&self, other: &Tree) -> bool {
        let mut both = self.levels.iter().zip(&other.levels);
        both.all(|(own, other)| own.solve.count == other.solve.count)
    }

    /// Time of all problems on one rank, seconds.
    pub fn work_s(&self) -> f64 {
        self.levels.first().map_or(0.0, |whole| whole.solve.sum_s)
    }

    /// The tasks of a cut-off at `depth`, and the bytes of one of them and of its result.
    pub fn tasks(&self, depth: usize) -> (Vec<Times>, (f64, f64)) {
        let above = self.levels.iter().take(depth).map(|level| level.base);
        let groups: Vec<Times> =
            above.chain(self.levels.get(depth).map(|level| level.solve)).filter(|times| times.count > 0.0).collect();
        let level = self.levels.get(depth).copied().unwrap_or_default();
        let each = |bytes: f64| bytes / level.solve.count.max(1.0);
        (groups, (each(level.bytes.0), each(level.bytes.1)))
    }

    /// Time of the program's functions that divide and combine above `depth`, seconds.
    pub fn own_s(&self, depth: usize) -> f64 {
        self.levels.iter().take(depth).map(|level| level.own.sum_s).sum()
    }

    /// Time in which the master divides and combines with a cut-off at `depth`, seconds. What it needs beside the program's functions grows
    /// with the time of these.
    pub fn serial_at(&self, depth: usize) -> f64 {
        let now_s = self.own_s(self.cutoff as usize);
        self.own_s(depth) * if now_s > 0.0 { self.serial_s / now_s } else { 1.0 }
    }
}

/// The window without the time in which the master divided and combined: what remains is a Master/Worker iteration.
pub fn handed_out(window: &Window, tree: &Tree) -> Window {
    let less = |time_s: f64| (time_s - tree.serial_s).max(0.0);
    Window {
        iteration_s: less(window.iteration_s),
        master_busy_s: less(window.master_busy_s),
        points: Vec::new(),
        ..window.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_times_have_the_sum_and_the_ends() {
        for (count, sum_s, squares_s2, ends) in
            [(1.0, 2.0, 4.0, (2.0, 2.0)), (2.0, 4.0, 10.0, (1.0, 3.0)), (64.0, 6.4, 1.6, (0.02, 0.6))]
        {
            let times = Times { count, sum_s, squares_s2, shortest_s: ends.0, longest_s: ends.1 };
            let each = times.each();
            let (sum, squares) = (each.iter().sum::<f64>(), each.iter().map(|x| x * x).sum::<f64>());
            assert_eq!(each.len() as f64, count);
            assert!((sum / sum_s - 1.0).abs() < 0.02 && (squares / squares_s2 - 1.0).abs() < 0.15, "{sum} {squares}");
            assert!(each.contains(&ends.1) && each.iter().all(|x| (ends.0..=ends.1).contains(x)));
        }
    }
}
