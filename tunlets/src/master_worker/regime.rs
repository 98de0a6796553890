//! Regime of an iteration: what limits it.

/// What limits an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// The workers compute nearly all the time.
    Compute,
    /// Workers wait for messages or for each other, though the master is not busy.
    Communication,
    /// The master is busy most of the time: more workers will not help.
    Master,
}

impl Regime {
    /// Classifies an iteration by its time, the master's busy time, and the ideal (task time / workers), seconds.
    pub fn of(iteration_s: f64, master_busy_s: f64, ideal_s: f64) -> Regime {
        match () {
            () if master_busy_s > 0.7 * iteration_s => Regime::Master,
            () if ideal_s > 0.9 * iteration_s => Regime::Compute,
            () => Regime::Communication,
        }
    }

    /// Sentence for the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Regime::Compute => "compute-bound",
            Regime::Communication => "communication-bound",
            Regime::Master => "master-bound: the master is the bottleneck, more workers will not help",
        }
    }
}
