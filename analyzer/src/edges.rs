//! Periods of programs whose ranks do not all send alike: at the edge of a grid a rank has fewer neighbours, and the ends of a pipeline only
//! send or only receive.
//!
//! If such a rank makes `p` calls while the rank whose calls have the period makes `q`, then of their calls `d` and `e` between two moments
//!
//! ```text
//! |d q - e p| <= 2 p q + p u
//! ```
//!
//! holds as for two functions of one rank. `u`: the two ranks are not read at the same moments, so how many calls the one had made when the
//! other was read is known within what lies between that and its nearest reading. A rank that has nothing to do with the other keeps within
//! this with the probability `2 (2 p q + p u) / e`; of the ratios that are tried these add up.
//!
//! A master and its workers may keep such a ratio, too, while they have no iterations. There one rank takes part in all messages, and so it
//! makes as many calls as all others together: that is no period.

use std::collections::BTreeMap;

use midrun_tunlets::confidence::LEVEL;

/// Most calls of the function that ends an iteration in one iteration.
pub(crate) const MOST_CALLS: u64 = 64;

/// Calls of each function at one reading of a rank's counters, and its time, nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) time_ns: u64,
    pub(crate) counts: BTreeMap<String, u64>,
}

impl Reading {
    pub(crate) fn of(&self, call: &str) -> u64 {
        self.counts.get(call).copied().unwrap_or(0)
    }

    /// Calls made after an earlier reading.
    pub(crate) fn since(&self, earlier: &Reading, call: &str) -> u64 {
        self.of(call).saturating_sub(earlier.of(call))
    }
}

/// All calls of each other rank so far that reach ranks, by function, and when they were read.
pub(crate) type Others = BTreeMap<u32, Reading>;

/// What was known of all ranks at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    /// The newest readings of the rank whose calls have the period, the last one last.
    own: Vec<Reading>,
    others: Others,
}

/// A rank's own call that ends its iterations: `calls` of it while the other rank makes `of` of the period's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Own {
    call: String,
    calls: u64,
    of: u64,
}

impl Own {
    /// Its call, and by which of them an iteration ends that ends by each `every`-th of the period's.
    pub(crate) fn every(&self, every: u64) -> (&String, u64) {
        (&self.call, every / self.of * self.calls)
    }
}

impl Look {
    pub(crate) fn new(readings: &[Reading], others: Others) -> Look {
        Look { own: readings[readings.len().saturating_sub(3)..].to_vec(), others }
    }

    pub(crate) fn others(&self) -> &Others {
        &self.others
    }

    /// How many calls the rank had made by `time_ns`, and by how many that may be wrong.
    fn made_by(&self, time_ns: u64, call: &str) -> Option<(f64, f64)> {
        let after = self.own.partition_point(|reading| reading.time_ns <= time_ns);
        let to = after.clamp(1, self.own.len().checked_sub(1)?.max(1));
        let (from, to) = (self.own.get(to - 1)?, self.own.get(to)?);
        let lasted_ns = to.time_ns.saturating_sub(from.time_ns).max(1) as f64;
        let share = (time_ns as f64 - from.time_ns as f64) / lasted_ns;
        let made = to.since(from, call) as f64;
        Some((from.of(call) as f64 + share * made, share.abs().min((1.0 - share).abs()) * made))
    }
}

/// Messages that a call of this function sends and receives.
fn messages(call: &str) -> u64 {
    let call = call.to_lowercase();
    match () {
        () if call.contains("sendrecv") => 2,
        () if call.ends_with("send") || call.ends_with("recv") => 1,
        () => 0,
    }
}

/// What a rank's calls are to those of the other one.
struct Ratio {
    own: Own,
    /// Messages per call of the other one's, and by how many that may be wrong.
    messages: f64,
    error: f64,
}

/// The call that ends a period, and the calls of each function in it.
type Period<'a> = (&'a str, &'a BTreeMap<String, u64>);

/// How many of the periods make one that all ranks have, and what ends it on the ranks that call otherwise.
pub(crate) fn find(period: Period<'_>, before: &Look, now: &Look) -> Option<(u64, BTreeMap<u32, Own>)> {
    let (call, calls) = period;
    let each = *calls.get(call)?;
    if messages(call) == 0 {
        return None;
    }
    let (mut every, mut others) = (each, BTreeMap::new());
    let (mut theirs, mut error) = (0.0, 0.0);
    for (rank, last) in &now.others {
        let ratios = ratios(period, (before, before.others.get(rank)?), (now, last))?;
        for ratio in &ratios {
            every = Some(lcm(every, ratio.own.of)).filter(|every| *every <= MOST_CALLS)?;
            (theirs, error) = (theirs + ratio.messages, error + ratio.error);
        }
        let own = ratios.into_iter().min_by_key(|ratio| (ratio.own.call != call, ratio.own.calls))?.own;
        if (&*own.call, own.calls) != (call, own.of) {
            others.insert(*rank, own);
        }
    }
    let mine = calls.iter().map(|(name, calls)| (messages(name) * calls) as f64).sum::<f64>() / each as f64;
    let is_star = now.others.len() > 1 && theirs - error <= mine;
    (!is_star).then_some((every / each, others))
}

/// Of a rank that was read twice: of each function of the period that it calls, or, if it calls none, of the one that it calls most.
fn ratios((call, calls): Period<'_>, before: (&Look, &Reading), now: (&Look, &Reading)) -> Option<Vec<Ratio>> {
    let made = |call: &str| now.1.since(before.1, call);
    let is_made = |call: &&String| messages(call) > 0 && made(call) > 0;
    let mut own: Vec<&String> = calls.keys().filter(is_made).collect();
    if own.is_empty() {
        own.extend(now.1.counts.keys().filter(is_made).max_by_key(|call| made(call)));
    }
    let (from, from_error) = before.0.made_by(before.1.time_ns, call)?;
    let (to, to_error) = now.0.made_by(now.1.time_ns, call)?;
    let ratio = |call: &&String| ratio(call, made(call) as f64, to - from, from_error + to_error);
    own.iter().map(ratio).collect::<Option<Vec<Ratio>>>().filter(|ratios| !ratios.is_empty())
}

/// The smallest ratio of `made` calls to `all` of the period's, which may be wrong by `error`; see the module.
fn ratio(call: &str, made: f64, all: f64, error: f64) -> Option<Ratio> {
    let mut chance = 0.0;
    for of in 1..=MOST_CALLS {
        let (calls, of_all) = ((of as f64 * made / all).round(), of as f64);
        let bound = 2.0 * calls * of_all + calls * error;
        chance += 2.0 * bound / all;
        if !chance.is_finite() || chance > 1.0 - LEVEL {
            return None;
        }
        if calls >= 1.0 && (made * of_all - all * calls).abs() <= bound {
            let own = Own { call: call.to_owned(), calls: calls as u64, of };
            let messages = messages(call) as f64 * calls / of_all;
            return Some(Ratio { own, messages, error: messages * (2.0 * of_all + error) / all });
        }
    }
    None
}

pub(crate) fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
