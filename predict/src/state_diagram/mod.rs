//! Programs as state diagrams: processes that run through stages and wait for each other in between.
//!
//! Ortega-Arjona, *Using UML State Diagrams for Modelling the Performance of Parallel Programs* (2008). Process p may enter
//! stage s when itself and the processes it waits for have finished stage s - 1. Stage times are random and independent:
//! gamma distributed with a mean E and a variance V, k = E²/V; exponential for k = 1, Erlang for whole k, fixed for V = 0.
//! The answer is the mean time until the last process has finished its last stage.
//!
//! - [`exact`]: the state space of running phases, `E[S] = 1/sum(rate) + sum of p_i E[S_i]`, `p_i = rate_i/sum(rate)`.
//! - [`approximate`]: each time becomes a fixed part and a few exponential phases, see [`Phase`].
//! - [`simulate`]: the referee.
//! - [`proved`]: exact where that is possible, else simulated to an interval.
//!
//! ```
//! use midrun_predict::state_diagram::{Diagram, Time, exact};
//! // Two processes, one stage of 1 s, exponential: the slower of both takes 1 + 1/2.
//! let diagram = Diagram::manager_workers(2, 1, Time::erlang(1.0, 1)?)?;
//! assert!((exact(&diagram, 1000)?.mean_s - 1.5).abs() < 1e-12);
//! # Ok::<(), midrun_predict::state_diagram::DiagramError>(())
//! ```

mod file;
mod phases;
mod simulate;
mod space;

use std::sync::Arc;

pub use phases::{Averaging, approximate, approximate_with, exact};
pub use simulate::{LEVEL, proved, simulate, simulate_to};
pub use space::Phase;

use midrun_models::distribution::{Distribution, DistributionError, fine, need, positive};

/// Most processes of a diagram.
pub const MOST_PROCESSES: usize = 256;
/// Most stages of a process.
pub const MOST_STAGES: usize = 256;
/// States that [`exact`] looks at unless it is told otherwise; 5 million take some seconds.
pub const STATE_LIMIT: u64 = 5_000_000;

/// Time of a stage, gamma distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    mean_s: f64,
    variance_s2: f64,
}

impl Time {
    /// A time of this mean (seconds, above 0) and variance (seconds squared, 0 or more).
    ///
    /// # Errors
    /// Any other number, NaN and infinity among them.
    pub fn new(mean_s: f64, variance_s2: f64) -> Result<Time, DiagramError> {
        need(&[
            (positive(mean_s), "the mean", mean_s, "finite and above 0"),
            (fine(variance_s2), "the variance", variance_s2, "finite and 0 or more"),
        ])?;
        Ok(Time { mean_s, variance_s2 })
    }

    /// The sum of `k` exponential phases, in all `mean_s` seconds.
    ///
    /// # Errors
    /// A mean that is not above 0, no phase.
    pub fn erlang(mean_s: f64, k: u32) -> Result<Time, DiagramError> {
        need(&[(k > 0, "the number of phases", f64::from(k), "at least 1")])?;
        Time::new(mean_s, mean_s * mean_s / f64::from(k))
    }

    /// An exponential time of this rate.
    ///
    /// # Errors
    /// A rate that is not above 0.
    pub fn exponential(rate_per_s: f64) -> Result<Time, DiagramError> {
        Time::erlang(Distribution::exponential(rate_per_s)?.mean_s(), 1)
    }

    /// Mean, seconds.
    pub fn mean_s(&self) -> f64 {
        self.mean_s
    }

    /// Variance, seconds squared.
    pub fn variance_s2(&self) -> f64 {
        self.variance_s2
    }

    /// k = mean²/variance: 1 for exponential, infinite for fixed times.
    pub fn k(&self) -> f64 {
        self.mean_s * self.mean_s / self.variance_s2
    }
}

/// Processes, their stages' times, and who waits for whom.
#[derive(Clone, Debug)]
pub struct Diagram {
    times: Vec<Vec<Time>>,
    /// For each process and stage the other processes waited for; nothing for stage 0.
    waits: Vec<Vec<Arc<[usize]>>>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DiagramError {
    /// A number that no time can have.
    #[error(transparent)]
    Value(#[from] DistributionError),
    /// No process, no stage, too many of them, or a process that is not there is waited for.
    #[error("{0}")]
    Shape(String),
    /// The state space is larger than was allowed; nothing is known about the rest of it.
    #[error("the state space was given up after {reached} states, the limit is {limit}: allow more, or simulate")]
    TooManyStates {
        /// States seen so far.
        reached: u64,
        /// States allowed.
        limit: u64,
    },
    /// Only exponential and Erlang times (or fixed ones everywhere) have an exact answer.
    #[error(
        "process {process}, stage {stage}: an exact answer needs mean²/variance to be a whole number, and here it is {k}; approximate or simulate"
    )]
    NotErlang {
        /// From 0.
        process: usize,
        /// From 0.
        stage: usize,
        /// mean²/variance.
        k: f64,
    },
    /// More variance than an exponential time has cannot be had from a fixed part and exponential phases in a row.
    #[error(
        "process {process}, stage {stage}: the approximation needs a variance of at most mean², and mean²/variance is {k}; simulate"
    )]
    TooMuchVariance {
        /// From 0.
        process: usize,
        /// From 0.
        stage: usize,
        /// mean²/variance.
        k: f64,
    },
}

/// An answer and what it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Mean time until the last process has finished, seconds.
    pub mean_s: f64,
    /// States looked at (none in a simulation).
    pub states: Option<u64>,
    /// Most exponential phases per stage (approximation).
    pub phases: Option<u32>,
    /// Confidence interval of the mean at [`LEVEL`], seconds (simulation).
    pub interval_s: Option<(f64, f64)>,
}

/// Diagrams are equal where the same processes wait for the same others: whether a list names the process itself, or stage 0 has a list,
/// means nothing.
impl PartialEq for Diagram {
    fn eq(&self, other: &Diagram) -> bool {
        let others = |diagram: &Diagram, p: usize, s: usize| {
            diagram.waits[p][s].iter().copied().filter(|&q| q != p && s > 0).collect::<Vec<usize>>()
        };
        let same = |p: usize| (0..self.times[p].len()).all(|s| others(self, p, s) == others(other, p, s));
        self.times == other.times && (0..self.times.len()).all(same)
    }
}

impl Diagram {
    /// Any precedence: `times[p][s]`, and `waits[p][s]` the processes that p waits for before its stage s, besides itself.
    /// Of a process with fewer stages its last one is waited for. Entries for stage 0 are ignored.
    ///
    /// # Errors
    /// No process, a process without stages, too many of them, an unknown process waited for.
    pub fn new(times: Vec<Vec<Time>>, waits: Vec<Vec<Vec<usize>>>) -> Result<Diagram, DiagramError> {
        let shared = |(p, of): (usize, Vec<Vec<usize>>)| {
            let list = |(s, mut list): (usize, Vec<usize>)| {
                list.retain(|&q| q != p && s > 0);
                list.sort_unstable();
                list.dedup();
                Arc::from(list)
            };
            of.into_iter().enumerate().map(list).collect()
        };
        Diagram { times, waits: waits.into_iter().enumerate().map(shared).collect() }.checked()
    }

    /// Everyone waits for everyone at each stage.
    ///
    /// # Errors
    /// Those of [`Diagram::new`].
    ///
    /// ```
    /// use midrun_predict::state_diagram::{Diagram, Time, approximate};
    /// let fixed = Diagram::manager_workers(4, 3, Time::new(0.5, 0.0)?)?;
    /// assert_eq!(approximate(&fixed)?.mean_s, 1.5);
    /// # Ok::<(), midrun_predict::state_diagram::DiagramError>(())
    /// ```
    pub fn manager_workers(processes: usize, stages: usize, time: Time) -> Result<Diagram, DiagramError> {
        Diagram::regular(processes, stages, time, |_| Arc::from_iter(0..processes))
    }

    /// A chain: each waits for itself and its neighbours at each stage.
    ///
    /// # Errors
    /// Those of [`Diagram::new`].
    pub fn communicating_sequential_elements(
        processes: usize,
        stages: usize,
        time: Time,
    ) -> Result<Diagram, DiagramError> {
        let neighbours = |p: usize| Arc::from_iter([p.wrapping_sub(1), p + 1].into_iter().filter(|&q| q < processes));
        Diagram::regular(processes, stages, time, neighbours)
    }

    /// The same stages everywhere, and the same neighbours before each; all processes share one list where they can.
    fn regular(
        processes: usize,
        stages: usize,
        time: Time,
        neighbours: impl Fn(usize) -> Arc<[usize]>,
    ) -> Result<Diagram, DiagramError> {
        within(processes, MOST_PROCESSES, "processes")?;
        within(stages, MOST_STAGES, "stages")?;
        let all = neighbours(0);
        let shared = |p| {
            let of = neighbours(p);
            if of == all { all.clone() } else { of }
        };
        let waits = (0..processes).map(|p| vec![shared(p); stages]).collect();
        Diagram { times: vec![vec![time; stages]; processes], waits }.checked()
    }

    fn checked(self) -> Result<Diagram, DiagramError> {
        let processes = self.times.len();
        within(processes, MOST_PROCESSES, "processes")?;
        if self.waits.len() != processes {
            return Err(DiagramError::Shape(format!("{processes} processes, but {} lists of waits", self.waits.len())));
        }
        for (p, (times, waits)) in self.times.iter().zip(&self.waits).enumerate() {
            within(times.len(), MOST_STAGES, &format!("stages of process {p}"))?;
            if waits.len() != times.len() {
                return Err(DiagramError::Shape(format!("process {p}: as many lists of waits as stages are needed")));
            }
            if let Some(unknown) = waits.iter().flat_map(|list| list.iter()).find(|&&q| q >= processes) {
                let text = format!("process {p} waits for process {unknown}, the last one is {}", processes - 1);
                return Err(DiagramError::Shape(text));
            }
        }
        Ok(self)
    }

    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.times.len()
    }

    /// The times of one process's stages.
    pub fn times(&self, process: usize) -> &[Time] {
        &self.times[process]
    }

    /// The processes that `process` waits for before `stage`; naming itself changes nothing.
    pub fn waits(&self, process: usize, stage: usize) -> &[usize] {
        &self.waits[process][stage]
    }

    /// The stage of `other` that must be over before anyone who waits for it enters `stage` (1 or later).
    fn awaited_stage(&self, other: usize, stage: usize) -> usize {
        (stage - 1).min(self.times[other].len() - 1)
    }

    /// True where exchanging p and q leaves the diagram the same.
    fn interchangeable(&self, p: usize, q: usize) -> bool {
        let others = |of: &[usize]| of.iter().copied().filter(|&x| x != p && x != q).collect::<Vec<_>>();
        let stages = self.times[p].len();
        self.times[p] == self.times[q]
            && (0..stages).all(|s| {
                let (of_p, of_q) = (&self.waits[p][s], &self.waits[q][s]);
                (Arc::ptr_eq(of_p, of_q) || others(of_p) == others(of_q)) && of_p.contains(&q) == of_q.contains(&p)
            })
            && self.lists_of_others(p, q).iter().all(|list| list.contains(&p) == list.contains(&q))
    }

    /// The lists that processes other than p and q wait for; equal neighbouring lists count once.
    fn lists_of_others(&self, p: usize, q: usize) -> Vec<&Arc<[usize]>> {
        let others = (0..self.processes()).filter(|&r| r != p && r != q);
        let mut lists: Vec<&Arc<[usize]>> = others.flat_map(|r| &self.waits[r]).collect();
        lists.dedup_by(|a, b| Arc::ptr_eq(a, b));
        lists
    }

    /// Processes in groups whose members are interchangeable.
    fn classes(&self) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for p in 0..self.processes() {
            match classes.iter_mut().find(|class| self.interchangeable(class[0], p)) {
                Some(class) => class.push(p),
                None => classes.push(vec![p]),
            }
        }
        classes
    }
}

/// A count from 1 to `most`.
fn within(count: usize, most: usize, what: &str) -> Result<(), DiagramError> {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(DiagramError::Shape(format!("the number of {what} is {count}, allowed is 1 to {most}")))
}
