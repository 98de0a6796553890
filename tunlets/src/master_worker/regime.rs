//! Regime of an iteration: what limits it.

use crate::Window;

/// What limits an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// The workers compute most of the time.
    Compute,
    /// The worker that computes longest does so most of the time, and the others wait for it.
    Imbalance,
    /// Workers wait for messages most of the time, though nobody is busy then.
    Communication,
    /// The master is busy most of the time, and more of it than the workers: more workers will not help.
    Master,
    /// The ranks are ready to run and wait for a core most of the time.
    Cores,
}

impl Regime {
    /// Classifies an iteration by its time, the master's busy time, the ideal (task time / workers), and the busy time of the worker that
    /// computes longest, seconds: the bottleneck is what is busy for the largest share of the time (Denning, Buzen 1978), if that is most of
    /// it; a single worker only where neither the master nor the workers together are. `run_delay` is the share of the time that ranks
    /// waited for a core: then that is what is busy.
    pub fn of(iteration_s: f64, master_busy_s: f64, (ideal_s, busiest_s): (f64, f64), run_delay: f64) -> Regime {
        let is_most = |busy_s: f64| 2.0 * busy_s > iteration_s;
        match () {
            () if Regime::is_cores(run_delay) => Regime::Cores,
            () if is_most(master_busy_s) && master_busy_s > ideal_s => Regime::Master,
            () if is_most(ideal_s) => Regime::Compute,
            () if is_most(busiest_s) => Regime::Imbalance,
            () => Regime::Communication,
        }
    }

    /// Whether ranks that are ready to run wait for a core most of the time; `run_delay` is the share of the time that they do.
    pub fn is_cores(run_delay: f64) -> bool {
        2.0 * run_delay > 1.0
    }

    /// Sentence for the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Regime::Compute => "compute-bound",
            Regime::Imbalance => "imbalance-bound: one worker computes most of the time, and the others wait for it",
            Regime::Communication => "communication-bound",
            Regime::Master => "master-bound: the master is the bottleneck, more workers will not help",
            Regime::Cores => {
                "core-bound: ranks wait for a core most of the time, more workers on these cores will not help"
            }
        }
    }
}

/// What was busy, and for how long, in several iterations together: an iteration of a few tasks says little of a program of many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Busy {
    iteration_s: f64,
    master_s: f64,
    ideal_s: f64,
    busiest_s: f64,
    /// Time that ranks were ready to run and had no core.
    delayed_s: f64,
}

impl Busy {
    /// Adds an iteration.
    pub fn add(&mut self, window: &Window) {
        self.iteration_s += window.iteration_s;
        self.master_s += window.master_busy_s;
        self.ideal_s += window.ideal_s();
        self.busiest_s += window.busiest_s();
        self.delayed_s += window.run_delay() * window.iteration_s;
    }

    /// The regime of all.
    pub fn regime(&self) -> Regime {
        let Busy { iteration_s, master_s, ideal_s, busiest_s, delayed_s } = *self;
        Regime::of(iteration_s, master_s, (ideal_s, busiest_s), delayed_s / iteration_s.max(f64::MIN_POSITIVE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::window;

    #[test]
    fn an_iteration_of_one_task_does_not_say_what_holds_up_a_program() {
        let mut busy = Busy::default();
        let many = window(0, 4, 1.0);
        let many = Window { iteration_s: 1.1 * many.ideal_s(), ..many };
        busy.add(&many);
        let before = busy.regime();
        busy.add(&Window { iteration_s: 0.1 * many.iteration_s, tasks: 1, per_worker: Vec::new(), ..many });
        assert_eq!((before, busy.regime()), (Regime::Compute, Regime::Compute));
    }

    #[test]
    fn the_busiest_is_the_bottleneck_if_it_is_busy_most_of_the_time() {
        let of = |master_busy_s, ideal_s| Regime::of(1.0, master_busy_s, (ideal_s, ideal_s), 0.5);
        assert_eq!([of(0.1, 0.8), of(0.7, 0.8), of(0.1, 0.51)], [Regime::Compute; 3]);
        assert_eq!([of(0.9, 0.6), of(0.6, 0.1)], [Regime::Master; 2]);
        assert_eq!([of(0.3, 0.4), of(0.0, 0.0)], [Regime::Communication; 2]);
        assert_eq!(Regime::of(1.0, 0.9, (0.2, 0.3), 0.6), Regime::Cores);
        let uneven = |master_busy_s, ideal_s| Regime::of(1.0, master_busy_s, (ideal_s, 0.9), 0.0);
        assert_eq!([uneven(0.1, 0.2), uneven(0.3, 0.5)], [Regime::Imbalance; 2]);
        assert_eq!([uneven(0.6, 0.2), uneven(0.1, 0.8)], [Regime::Master, Regime::Compute]);
    }
}
