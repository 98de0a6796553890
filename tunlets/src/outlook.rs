//! Advice after a run: what to ask the scheduler for next time.

/// What a tunlet would ask for, and what it expects there.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// What limits the program, in one sentence.
    pub regime: &'static str,
    /// Workers at the end of this run.
    pub workers_now: u32,
    /// Iteration time with them, seconds.
    pub iteration_now_s: f64,
    /// Workers to ask for (the master's rank comes on top).
    pub workers: u32,
    /// Iteration time expected with them, seconds.
    pub iteration_s: f64,
    /// By which share the real time may differ: how far measured times scattered, and 5 % for each doubling away from
    /// the present number.
    pub uncertainty: f64,
}
