//! What the tunlets' thoughts may save, which is what they may cost the ranks.

use midrun_tunlets::Window;

/// What the job loses, and how often it was thought in vain how to save that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stake {
    /// By how much all iterations were longer than their ideal time, seconds.
    lost_s: f64,
    /// Thoughts in a row of which no proposal came.
    in_vain: u32,
}

impl Stake {
    /// An iteration, or several that are shown as one. Of one whose tasks are not known nobody can say what it lost.
    pub(super) fn on_window(&mut self, window: &Window) {
        let ideal_s = window.ideal_s();
        if window.is_complete() && ideal_s > 0.0 {
            self.lost_s += (window.iteration_s - ideal_s).max(0.0) * window.iterations as f64;
        }
    }

    /// A thought has ended that could have proposed something.
    pub(super) fn on_thought(&mut self, proposed: bool) {
        self.in_vain = if proposed { 0 } else { self.in_vain + 1 };
    }

    /// What thoughts are expected to save, seconds: as much is lost in the iterations to come as so far (Lindy's rule), and the next thought finds how to
    /// save it with the probability `1 / (n + 2)` after n in vain (Laplace's rule of succession).
    pub(super) fn may_save_s(&self) -> f64 {
        self.lost_s / f64::from(self.in_vain + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_tunlets::WorkerWork;

    #[test]
    fn as_long_as_thoughts_are_in_vain_they_may_save_ever_less_of_what_is_lost() {
        let worker = |rank| WorkerWork { rank, tasks: 5, busy_s: 1.0, ..WorkerWork::default() };
        let per_worker = vec![worker(1), worker(2)];
        let window = Window { workers: 2, tasks: 10, per_worker, iterations: 3, ..Window::of_time(0, 1.5) };
        let mut stake = Stake::default();
        stake.on_window(&Window::of_time(0, 9.0));
        assert_eq!(stake.may_save_s(), 0.0, "it has no tasks");
        stake.on_window(&window);
        assert_eq!(stake.may_save_s(), 0.75);
        stake.on_thought(false);
        assert_eq!(stake.may_save_s(), 0.5);
        stake.on_thought(true);
        assert_eq!(stake.may_save_s(), 0.75);
    }
}
