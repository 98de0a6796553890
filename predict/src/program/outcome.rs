//! Results of a simulation: times of processes and elements, and the timeline.

/// Time by activity, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Computing, as long as it took on cores that are shared.
    pub compute_s: f64,
    /// Sending and receiving, without waiting for the other side.
    pub communication_s: f64,
    /// Waiting for others, or for a core.
    pub waiting_s: f64,
}

impl Times {
    /// All of it.
    pub fn sum_s(&self) -> f64 {
        self.compute_s + self.communication_s + self.waiting_s
    }

    pub(super) fn add(&mut self, activity: Activity, time_s: f64) {
        match activity {
            Activity::Compute => self.compute_s += time_s,
            Activity::Communication => self.communication_s += time_s,
            Activity::Waiting => self.waiting_s += time_s,
        }
    }
}

/// Activity of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Counted in [`Times::compute_s`].
    Compute,
    /// Counted in [`Times::communication_s`].
    Communication,
    /// Counted in [`Times::waiting_s`].
    Waiting,
}

/// A process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessTimes {
    /// Its node.
    pub node: usize,
    /// When it ended, seconds: the sum of its times.
    pub end_s: f64,
    /// Its time by activity.
    pub times: Times,
}

/// An element, over all processes.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementTimes {
    /// Its name.
    pub name: String,
    /// Number of executions, over all processes.
    pub count: u64,
    /// Their time by activity; 0 for loops and branches, whose elements count it.
    pub times: Times,
}

/// A piece of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Rank.
    pub process: usize,
    /// By its place in [`Outcome::elements`].
    pub element: usize,
    /// The activity.
    pub activity: Activity,
    /// From, seconds.
    pub from_s: f64,
    /// Until, seconds.
    pub to_s: f64,
}

/// Result of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// When the last process ended, seconds.
    pub total_s: f64,
    /// By rank.
    pub processes: Vec<ProcessTimes>,
    /// In the order of their names.
    pub elements: Vec<ElementTimes>,
    /// The timeline, as far as it was asked for.
    pub spans: Vec<Span>,
    /// True where the timeline was longer than the number of spans kept.
    pub cut: bool,
    /// Messages that were sent and never received.
    pub unreceived: u64,
    /// Events of the simulation.
    pub events: u64,
}
