//! Iterations of a program that marks none: the period in which its MPI calls return, found in the ranks' counters of calls.
//!
//! A program that iterates calls function `f` `k_f` times per iteration. Each reading of the counters falls somewhere into an
//! iteration, so between two readings the calls `d_f` and `d_g` of two functions satisfy
//!
//! ```text
//! |d_f k_g - d_g k_f| <= 2 k_f k_g
//! ```
//!
//! whatever the readings' distance is. The smallest `k_f`, `k_g` that do so at all readings are the functions' ratio, `g` the rarer one.
//!
//! Calls at random (Poisson) of two functions that have nothing to do with each other keep within a range `R` of the left side, before its magnitude
//! is taken, by chance `p(n)` in n iterations. That has two bounds, and the smaller one is taken. No value of the left side is likelier than the mean of
//! the magnitude of its characteristic function, and the range has `2 R + 1` values:
//!
//! ```text
//! p(n) <= (2 R + 1) mean over t of exp(-n (k_f (1 - cos(k_g t)) + k_g (1 - cos(k_f t))))
//! ```
//!
//! That is sharp for functions that are called about equally often. Where one is called hundreds of times: no number of calls of g is likelier than
//! `1 / sqrt(2 pi n k_g)`; each leaves a window of `2 R / k_g + 1` numbers of f, and these windows lie `k_f / k_g` apart, of which Poisson's law, nowhere
//! above `1 / sqrt(2 pi n k_f)`, has no more than
//!
//! ```text
//! p(n) <= (2 R / k_g + 1) (1 / sqrt(2 pi n k_f) + k_g / k_f) / sqrt(2 pi n k_g)
//! ```
//!
//! Independent stretches multiply, but for one, to which the ratio was fitted, and each ratio that was tried could have held. That is the chance of an
//! error, and the functions that agree at the level are a *class*. Where g is a collective function, `R` is the range that was seen. Messages do not keep
//! the ranks in step: where g is one, more is asked for, and `R` is the bound. A class's rarest function that all ranks call equally often ends the
//! iterations. Where there is none, ranks at the edge of a grid or the ends of a pipeline may send fewer messages: see [`crate::edges`].

use std::collections::{BTreeMap, VecDeque};

use midrun_tunlets::confidence::{Confidence, LEVEL};
use midrun_tunlets::turns::{self, Timed};
use serde::Serialize;

use crate::edges::{self, Look, MOST_CALLS, Others, Own, Reading, lcm};
use crate::limits;

/// Fewest readings to look at: from the first to the last one there are stretches to compare.
const FEWEST_READINGS: usize = 3;
/// Where chances fall with the root of a stretch's length, the product of those of all stretches is smallest if each is this: the root of 1 / e.
const STRETCH: f64 = 0.606_530_659_712_633_4;
/// Looks whose counts of the other ranks are kept: the newest, so that another phase of the program is left behind.
const KEPT_LOOKS: usize = 3;

/// A period in the calls of a program.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Period {
    /// The MPI function that ends an iteration.
    pub call: String,
    /// By which of its calls: each `every`-th.
    pub every: u64,
    /// Calls per period of the functions that agree, the ending one among them; exact where it was found in more than twice as many periods. `every`
    /// is a multiple of its number here where periods are too short to be measured one by one.
    pub calls: BTreeMap<String, u64>,
    /// Periods in which it was found.
    #[serde(skip)]
    pub(crate) seen: f64,
    /// Time of one period, seconds.
    pub period_s: f64,
    /// Probability that the functions do not agree by chance; null where there is only one function.
    pub confidence: Option<f64>,
    /// What ends the iterations of ranks that call otherwise.
    #[serde(skip)]
    pub(crate) others: BTreeMap<u32, Own>,
}

impl Period {
    /// By how many calls of a function its number may be wrong.
    pub(crate) fn off(&self, calls: u64) -> f64 {
        off(calls, self.seen)
    }

    /// Whether so many calls of functions, in as many periods as `seen`, can be those of this period, too.
    fn has(&self, calls: &BTreeMap<String, u64>, seen: f64) -> bool {
        let is_near = |(own, other): (&u64, &u64)| own.abs_diff(*other) as f64 <= self.off(*own) + off(*other, seen);
        self.calls.keys().eq(calls.keys()) && self.calls.values().zip(calls.values()).all(is_near)
    }

    /// The line of points that makes it the iterations of `rank`, without its first word.
    pub fn line(&self, rank: u32) -> String {
        let (call, every) = self.others.get(&rank).map_or((&self.call, self.every), |own| own.every(self.every));
        format!("mpi {call} every {every}")
    }

    /// Makes so many periods one.
    fn join(&mut self, several: u64) {
        self.calls.values_mut().for_each(|calls| *calls *= several);
        self.period_s *= several as f64;
        self.seen /= several as f64;
        self.every = self.calls[&self.call] * at_once(self.period_s);
    }
}

/// By how many the number of calls in a period may be wrong that was seen so often: each end of what was seen falls somewhere into a period.
fn off(calls: u64, seen: f64) -> f64 {
    if seen > 2.0 * calls as f64 { 0.0 } else { 2.0 * calls as f64 / seen }
}

/// Periods too short to be measured one by one are taken together.
fn at_once(period_s: f64) -> u64 {
    (limits::SHORTEST_WINDOW_S / period_s).ceil().max(1.0) as u64
}

/// What a window between two calls that end iterations is of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An iteration, or none of a call period.
    Whole,
    /// Not known yet.
    Unknown,
    /// Several make one, as the period says from here on.
    Several,
}

/// What the counters say that they did not say before.
#[derive(Debug)]
pub enum News<'a> {
    /// A period, of this phase of the program: they are numbered as they are found, and one that comes back has its number again.
    Found {
        /// The period.
        period: &'a Period,
        /// The phase.
        phase: u32,
    },
    /// This function, which ended the iterations, is not called any more.
    Ended(String),
}

/// A phase of a program.
#[derive(Debug)]
struct Phase {
    period: Period,
    number: u32,
    /// Its calls when it was found, and in how many periods.
    calls: BTreeMap<String, u64>,
    seen: f64,
    /// Times of its first windows, seconds.
    windows_s: Vec<f64>,
}

/// Looks for the period of one job.
#[derive(Debug, Default)]
pub struct PeriodSearch {
    /// The rank whose calls are read.
    rank: Option<u32>,
    readings: Vec<Reading>,
    /// What was known of the other ranks at the newest looks.
    known: VecDeque<Look>,
    /// The phases of the program that were found.
    phases: Vec<Phase>,
    /// That whose period is in force, and that which was the last one.
    at: Option<usize>,
    last: Option<usize>,
    /// Readings in a row at which its call had not been made again.
    silent: usize,
    /// The next look comes with so many readings.
    next_look: usize,
    /// Looks so far, each at a stretch of readings.
    looks: u32,
}

impl PeriodSearch {
    /// Reads this rank's calls from here on: it is the lowest one by now. Another rank's calls and clock are others. Whether a period was in force, which
    /// is so no more.
    pub fn follow(&mut self, rank: u32) -> bool {
        if self.rank == Some(rank) {
            return false;
        }
        let was_found = self.at.is_some();
        self.begin_again();
        self.rank = Some(rank);
        was_found
    }

    /// What was read so far says nothing of what comes.
    fn begin_again(&mut self) {
        let (rank, phases, last) = (self.rank, std::mem::take(&mut self.phases), self.at.or(self.last));
        *self = PeriodSearch { rank, phases, last, ..PeriodSearch::default() };
    }

    /// The counters of the rank that it follows were read at `time_ns`: `counts` are all its calls so far that reach other ranks.
    /// `of_others` gives all other ranks' calls. Returns what is new.
    pub fn on_counted(
        &mut self,
        time_ns: u64,
        counts: BTreeMap<String, u64>,
        of_others: impl FnOnce() -> Others,
    ) -> Option<News<'_>> {
        let reading = Reading { time_ns, counts };
        if let Some(call) = self.found().map(|found| found.call.clone()) {
            let still = self.readings.last().is_some_and(|last| last.of(&call) == reading.of(&call));
            self.silent = if still { self.silent + 1 } else { 0 };
            if self.silent <= self.readings.len() {
                self.readings.last_mut().into_iter().for_each(|last| *last = reading.clone());
                return None;
            }
            // That was a phase of the program which is over.
            self.begin_again();
            self.readings.push(reading);
            return Some(News::Ended(call));
        }
        if self.readings.len() >= limits::MPI_READINGS {
            let mut number = 0;
            self.readings.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.next_look = self.next_look.div_ceil(2);
        }
        self.readings.push(reading);
        if self.readings.len() < self.next_look {
            return None;
        }
        let now = Look::new(&self.readings, of_others());
        let Some(found) = self.look(&now) else {
            limits::push(&mut self.known, now, KEPT_LOOKS);
            return None;
        };
        let at = self.phase_of(found);
        (self.at, self.last) = (Some(at), Some(at));
        let Phase { period, number, .. } = &self.phases[at];
        Some(News::Found { period, phase: *number })
    }

    /// The place of the phase that has this period.
    fn phase_of(&mut self, period: Period) -> usize {
        let is_same = |known: &Phase| known.period.call == period.call && period.has(&known.calls, known.seen);
        if let Some(at) = self.phases.iter().position(is_same) {
            // Other ranks may have joined.
            self.phases[at].period.others = period.others;
            return at;
        }
        let number = self.phases.last().map_or(0, |last| last.number + 1);
        self.phases.truncate(limits::PHASES - 1);
        self.phases.push(Phase {
            number,
            calls: period.calls.clone(),
            seen: period.seen,
            period,
            windows_s: Vec::new(),
        });
        self.phases.len() - 1
    }

    /// A window between two calls that end iterations: whether it is one. The first ones tell whether several make one iteration.
    pub fn on_window(&mut self, window_s: f64) -> Part {
        let phase = self.at.and_then(|at| self.phases.get_mut(at));
        let Some(Phase { period, windows_s, .. }) = phase.filter(|phase| phase.windows_s.len() < turns::LOOKED_AT)
        else {
            return Part::Whole;
        };
        windows_s.push(window_s);
        if windows_s.len() < turns::LOOKED_AT {
            return Part::Unknown;
        }
        let timed: Vec<Option<Timed>> = windows_s.iter().map(|window_s| Timed::of(*window_s, 0)).collect();
        let several = turns::length(&timed, 1.0 - LEVEL) as u64;
        if several == 1 {
            return Part::Unknown;
        }
        period.every *= several;
        period.calls.values_mut().for_each(|calls| *calls *= several);
        period.period_s *= several as f64;
        period.seen /= several as f64;
        Part::Several
    }

    /// Whether iterations of the job are, or were, those of a period that it found.
    pub fn has_told(&self) -> bool {
        !self.phases.is_empty()
    }

    /// The period that was in force last, or is.
    pub fn last(&self) -> Option<&Period> {
        Some(&self.phases.get(self.last?)?.period)
    }

    /// The period in force.
    pub fn found(&self) -> Option<&Period> {
        Some(&self.phases.get(self.at?)?.period)
    }

    /// A class on which the ranks agree, in all readings or, where the program had another phase before, in the newer ones.
    /// The looks share the probability of an error: the k-th has the part 1 / (k (k + 1)) of it.
    fn look(&mut self, now: &Look) -> Option<Period> {
        self.next_look = self.readings.len() * 3 / 2 + 1;
        let mut from = 0;
        while self.readings.len() - from >= FEWEST_READINGS {
            self.looks += 1;
            let readings = &self.readings[from..];
            let level = Confidence::default().in_series(self.looks.into(), 1);
            let classes = classes(readings, 1.0 - level.level());
            let in_step = |period: &Period| in_step(readings, period, now);
            let edged = |period: &Period| self.known.iter().find_map(|before| edged(period, before, now));
            if let Some(period) = classes.iter().find_map(in_step).or_else(|| classes.iter().find_map(edged)) {
                return Some(period);
            }
            from += readings.len().div_ceil(2);
        }
        None
    }
}

/// The period that ends by the rarest of its functions that every other rank called as often as this one. The ranks are read one after
/// the other, so each may be ahead by what is called between two readings.
fn in_step(readings: &[Reading], period: &Period, now: &Look) -> Option<Period> {
    let [.., before, last] = readings else { return None };
    let alike = |call: &&String| {
        let slack = last.since(before, call) + 2 * period.calls[*call];
        now.others().values().all(|other| other.of(call).abs_diff(last.of(call)) <= slack)
    };
    let mut names: Vec<&String> = period.calls.keys().collect();
    names.sort_by_key(|name| (period.calls[*name], **name != period.call));
    let call = names.into_iter().find(alike)?.clone();
    let every = period.calls[&call] * at_once(period.period_s);
    Some(Period { call, every, ..period.clone() })
}

/// The period whose messages every other rank sends or receives in a number of its own.
fn edged(period: &Period, before: &Look, now: &Look) -> Option<Period> {
    let (several, others) = edges::find((&period.call, &period.calls), before, now)?;
    let mut period = Period { others, ..period.clone() };
    period.join(several);
    Some(period)
}

/// The classes of functions, that with most functions first. `error`: probability with which chance may make any of them.
fn classes(readings: &[Reading], error: f64) -> Vec<Period> {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return Vec::new() };
    let mut calls: Vec<(&str, u64)> =
        last.counts.keys().map(|name| (&**name, last.since(first, name))).filter(|(_, made)| *made > 0).collect();
    calls.sort_by_key(|(_, made)| *made);
    let lasted_s = last.time_ns.saturating_sub(first.time_ns) as f64 * 1e-9;
    let period = |call: &str, made: u64, calls: BTreeMap<String, u64>, confidence| {
        let period_s = lasted_s * calls[call] as f64 / made as f64;
        let every = calls[call] * at_once(period_s);
        let seen = made as f64 / calls[call] as f64;
        Period { call: call.to_owned(), every, calls, seen, period_s, confidence, others: BTreeMap::new() }
    };
    if let [(only, made)] = calls[..] {
        let enough = made as f64 * (1.0 - LEVEL) >= 1.0;
        return enough.then(|| period(only, made, [(only.to_owned(), 1)].into(), None)).into_iter().collect();
    }
    // Each pair of functions may agree by chance.
    let pairs = (calls.len() * calls.len().saturating_sub(1) / 2) as f64;
    let mut classes = Vec::new();
    while let Some((rarest, made)) = calls.first().copied() {
        let mut members = vec![(rarest, 1, 1)];
        let (mut every, mut chance) = (1, 1.0);
        calls.retain(|(name, _)| {
            let agreed = ratio(readings, name, rarest).filter(|ratio| ratio.chance * pairs <= error);
            let agreed = agreed.filter(|ratio| lcm(every, ratio.of_rarest) <= MOST_CALLS);
            if let Some(ratio) = agreed.filter(|_| *name != rarest) {
                every = lcm(every, ratio.of_rarest);
                chance *= ratio.chance * pairs;
                members.push((name, ratio.calls, ratio.of_rarest));
                return false;
            }
            *name != rarest
        });
        if members.len() > 1 {
            let per_period = |&(name, calls, of): &(&str, u64, u64)| (name.to_owned(), calls * (every / of));
            classes.push(period(rarest, made, members.iter().map(per_period).collect(), Some(1.0 - chance)));
        }
    }
    classes.sort_by_key(|class| std::cmp::Reverse(class.calls.len()));
    classes
}

/// `calls` calls of a function per `of_rarest` calls of another one, and the chance that this is an error.
struct Ratio {
    calls: u64,
    of_rarest: u64,
    chance: f64,
}

/// The smallest ratio of the calls of `name` to those of `rarest` that holds between all readings; see the module.
fn ratio(readings: &[Reading], name: &str, rarest: &str) -> Option<Ratio> {
    let (first, last) = (readings.first()?, readings.last()?);
    let (all, all_rarest) = (last.since(first, name), last.since(first, rarest));
    (1..=MOST_CALLS.min(all_rarest)).find_map(|of_rarest| {
        let own = of_rarest as f64;
        let calls = (own * all as f64 / all_rarest as f64).round() as u64;
        let ahead = |to: &Reading| to.since(first, name) as f64 * own - to.since(first, rarest) as f64 * calls as f64;
        let ends = |(least, most): (f64, f64), ahead: f64| (least.min(ahead), most.max(ahead));
        let (least, most) = readings.iter().map(ahead).fold((0.0, 0.0), ends);
        let (range, bound) = (most - least, 2.0 * own * calls as f64);
        (range <= bound).then(|| {
            let iterations = |from: &Reading, to: &Reading| to.since(from, rarest) as f64 / own;
            let range = if all_take_part(rarest) { range } else { bound };
            let chance = own * by_chance(readings, (own, calls as f64), range, iterations);
            Ratio { calls, of_rarest, chance }
        })
    })
}

/// Whether all ranks of a communicator call this function, which reaches other ranks, equally often: by its name, for what it was called with is not known.
fn all_take_part(call: &str) -> bool {
    let call = call.to_lowercase();
    ["barrier", "bcast", "gather", "scatter", "reduce", "alltoall", "scan"].iter().any(|name| call.contains(name))
}

/// The chance that functions which have nothing to do with each other, of `rarer` and `other` calls in an iteration, keep within this range.
fn by_chance(
    readings: &[Reading],
    (rarer, other): (f64, f64),
    range: f64,
    iterations: impl Fn(&Reading, &Reading) -> f64,
) -> f64 {
    let root = |calls: f64| (std::f64::consts::TAU * calls).sqrt();
    let by_windows = |n: f64| (2.0 * range / rarer + 1.0) * (1.0 / root(n * other) + rarer / other) / root(n * rarer);
    let chance = |n: f64| by_windows(n).min((2.0 * range + 1.0) * likeliest(n, rarer, other));
    let (mut chances, mut from) = (Vec::new(), &readings[0]);
    for to in readings {
        let chance = chance(iterations(from, to));
        if chance <= STRETCH {
            chances.push(chance);
            from = to;
        }
    }
    chances.iter().skip(1).product()
}

/// No value of the left side is likelier after `n` iterations. A sum at some points is above the mean at all: it counts the values that differ by a
/// multiple of the number of points, too.
fn likeliest(n: f64, rarer: f64, other: f64) -> f64 {
    const POINTS: u32 = 256;
    let less = |calls: f64, turn: f64| calls * (1.0 - turn.cos());
    let at = |turn: f64| (-n * (less(other, rarer * turn) + less(rarer, other * turn))).exp();
    let points = (0..POINTS).map(|point| at(std::f64::consts::TAU * f64::from(point) / f64::from(POINTS)));
    points.sum::<f64>() / f64::from(POINTS)
}

#[cfg(test)]
#[path = "period_tests.rs"]
mod tests;
