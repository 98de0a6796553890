//! Counts and times of the ranks' MPI calls, and the efficiencies that follow.
//!
//! Useful time is time outside MPI and midrun's own frameworks, but for the program's functions that they call.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use midrun_tunlets::Efficiency;
use midrun_vocabulary::bounds::COUNTED_THREADS;
use serde::Serialize;

use crate::edges::{self, Others};
use crate::events::{MpiCall, MpiCounted, Tally};
use crate::limits;

/// Class of the calls without a peer, and of those that wait for requests.
pub const LOCAL: &str = "local";
/// The class of calls in which all ranks of a communicator take part.
const COLLECTIVE: &str = "collective";

/// The efficiencies of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct IterationLine {
    /// Its number.
    pub iteration: u64,
    /// See [`Efficiency`].
    #[serde(flatten)]
    pub efficiency: Efficiency,
}

/// The times of one rank, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RankLine {
    /// The rank.
    pub rank: u32,
    /// Outside MPI and midrun.
    pub useful_s: f64,
    /// In blocking receives and probes, waits and collectives.
    pub waiting_s: f64,
    /// In MPI's other calls.
    pub mpi_s: f64,
    /// In midrun's frameworks, without the program's functions that they call.
    pub framework_s: f64,
    /// Of all this, ready to run and without a core.
    pub run_delay_s: f64,
}

impl RankLine {
    /// From its first call to its last one, seconds.
    pub fn lasted_s(&self) -> f64 {
        self.useful_s + self.inside_s()
    }

    /// For how long at least it had no core while it computed, seconds: what fits into the time inside MPI may have held up nothing.
    pub fn held_up_s(&self) -> f64 {
        (self.run_delay_s - self.inside_s()).max(0.0)
    }

    fn inside_s(&self) -> f64 {
        self.waiting_s + self.mpi_s + self.framework_s
    }
}

/// A rank, and whom it exchanges messages with.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its times.
    pub times: RankLine,
    /// The rank that is the peer of most of its calls with one peer.
    pub partner: Option<u32>,
    /// Calls that had it as their peer.
    pub with_partner: u64,
    /// Calls with one peer.
    pub with_one: u64,
    /// Calls that ask whether something has arrived, and do not wait for it, and their time, seconds.
    pub polls: (u64, f64),
}

/// Efficiencies in the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PopLines {
    /// Over the whole run.
    #[serde(flatten)]
    pub efficiency: Efficiency,
    /// From MPI_Init to MPI_Finalize, seconds.
    pub runtime_s: f64,
    /// Per iteration, where the program has some; the newest ones.
    pub iterations: VecDeque<IterationLine>,
    /// Per rank.
    pub ranks: Vec<RankLine>,
    /// Calls of threads beyond those that are counted.
    pub uncounted: u64,
}

/// One call's line: by class of the peer.
pub type CallLines = BTreeMap<String, BTreeMap<&'static str, TallyLine>>;

/// A tally in the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TallyLine {
    /// Calls.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
    /// Time in them, seconds.
    pub time_s: f64,
    /// Calls that were timed. Where these are fewer than `count`, bytes and time are estimates from them.
    pub timed: u64,
}

/// A moment on the master's clock, and how long the rank had not been useful by then. Nanoseconds.
type Reading = (u64, u64);

/// Run delays as they were read first, before the last time, and last, and when, on the rank's clock. Nanoseconds; nothing was read at 0.
#[derive(Clone, Copy, Debug, Default)]
struct RunDelay {
    first: (u64, u64),
    before: (u64, u64),
    last: (u64, u64),
}

impl RunDelay {
    fn read(&mut self, reading: (u64, u64)) {
        match (self.first.1, reading.1) {
            (_, 0) => {}
            (0, _) => *self = RunDelay { first: reading, before: reading, last: reading },
            (_, time_ns) if time_ns > self.last.1 => (self.before, self.last) = (self.last, reading),
            _ => {}
        }
    }

    /// As a share of the time from one reading to the last.
    fn share_since(self, (delay_ns, time_ns): (u64, u64)) -> f64 {
        let lasted_ns = self.last.1.saturating_sub(time_ns).max(1);
        self.last.0.saturating_sub(delay_ns) as f64 / lasted_ns as f64
    }
}

#[derive(Debug, Default)]
struct Rank {
    last: MpiCounted,
    calls: BTreeMap<MpiCall, Tally>,
    /// When they were read, on the master's clock.
    counted_ns: u64,
    readings: VecDeque<Reading>,
    run_delay: RunDelay,
    /// By how much its clock is behind the master's, nanoseconds.
    ahead_ns: i64,
}

/// Calls that wait for messages, and so belong to them. Of those that wait for any or for some of several, the number is chance.
const WAITS: [&str; 2] = ["MPI_Wait", "MPI_Waitall"];

impl Rank {
    fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let reaches = |call: &MpiCall| call.peer != LOCAL || WAITS.contains(&&*call.name);
        for (call, _) in self.calls.iter().filter(|(call, _)| reaches(call)) {
            counts.entry(call.name.clone()).or_default();
        }
        for (call, tally) in &self.calls {
            counts.entry(call.name.clone()).and_modify(|count| *count = count.saturating_add(tally.count));
        }
        counts
    }

    fn outside_ns(&self, at_ns: u64) -> f64 {
        let after = self.readings.partition_point(|(time_ns, _)| *time_ns <= at_ns);
        let before = self.readings.get(after.wrapping_sub(1));
        match (before, self.readings.get(after)) {
            (Some((from_ns, low)), Some((to_ns, high))) => {
                let share = (at_ns - from_ns) as f64 / (to_ns - from_ns) as f64;
                *low as f64 + share * high.saturating_sub(*low) as f64
            }
            (Some((_, known)), None) => *known as f64,
            _ => 0.0,
        }
    }

    /// For which share of the time between the last two readings it had no core while it computed, at least: without what can have passed inside MPI between them.
    fn held_up(&self) -> f64 {
        let RunDelay { before, last, .. } = self.run_delay;
        let lasted_ns = last.1.saturating_sub(before.1).max(1) as f64;
        let outside_ns = |at_ns: u64| self.outside_ns(at_ns.saturating_add_signed(self.ahead_ns));
        let in_mpi = (outside_ns(last.1) - outside_ns(before.1)) / lasted_ns;
        (self.run_delay.share_since(before) - in_mpi).clamp(0.0, 1.0)
    }

    fn newest_ns(&self) -> u64 {
        self.readings.back().map_or(0, |(time_ns, _)| *time_ns)
    }

    fn read(&mut self, reading: Reading) {
        if self.readings.back().is_some_and(|(time_ns, _)| *time_ns >= reading.0) {
            return;
        }
        if self.readings.len() >= limits::MPI_READINGS {
            // The older half becomes coarser: long ago matters to long iterations only.
            let mut number = 0;
            self.readings.retain(|_| {
                number += 1;
                number == 1 || number > limits::MPI_READINGS / 2 || number % 2 == 0
            });
        }
        self.readings.push_back(reading);
    }

    fn line(&self, rank: u32) -> RankLine {
        let s = |ns: u64| ns as f64 * 1e-9;
        let (waiting_s, mpi_s, framework_s) = (s(self.last.waiting_ns), s(self.last.mpi_ns), s(self.last.framework_ns));
        let useful_s = (self.lasted_s() - waiting_s - mpi_s - framework_s).max(0.0);
        let run_delay_s = s(self.run_delay.last.0.saturating_sub(self.run_delay.first.0));
        RankLine { rank, useful_s, waiting_s, mpi_s, framework_s, run_delay_s }
    }

    fn lasted_s(&self) -> f64 {
        self.last.time_ns.saturating_sub(self.last.begun_ns) as f64 * 1e-9
    }
}

/// An iteration that has ended. Nanoseconds, on the master's clock, but for `heard_ns`, the analyzer's.
#[derive(Clone, Copy, Debug)]
struct Span {
    iteration: u64,
    begin_ns: u64,
    end_ns: u64,
    heard_ns: u64,
}

/// All that was counted in a job.
#[derive(Debug, Default)]
pub struct Calls {
    ranks: BTreeMap<u32, Rank>,
    /// The newest reading of each rank, on the master's clock in nanoseconds, and the rank.
    newest: BTreeSet<(u64, u32)>,
    begun: Option<(u64, u64)>,
    ended: VecDeque<Span>,
    iterations: VecDeque<IterationLine>,
    /// Of programs whose ranks' places were taken by the next one's.
    past: BTreeMap<MpiCall, Tally>,
}

impl Calls {
    /// A rank's counters were read; its clock is `ahead_ns` behind the master's.
    pub fn on_counted(&mut self, rank: u32, ahead_ns: i64, counted: &MpiCounted) {
        let known = self.ranks.entry(rank).or_default();
        let before_ns = known.newest_ns();
        if known.last.begun_ns != counted.begun_ns {
            for (call, tally) in std::mem::take(known).calls {
                add(self.past.entry(call).or_default(), tally);
            }
            known.read((counted.begun_ns.saturating_add_signed(ahead_ns), 0));
        }
        for (call, tally) in &counted.calls {
            if known.calls.len() < limits::MPI_CALLS || known.calls.contains_key(call) {
                known.calls.insert(call.clone(), *tally);
            }
        }
        if !counted.calls.is_empty() {
            known.counted_ns = counted.time_ns.saturating_add_signed(ahead_ns);
        }
        let outside_ns = counted.waiting_ns + counted.mpi_ns + counted.framework_ns;
        known.read((counted.time_ns.saturating_add_signed(ahead_ns), outside_ns));
        known.run_delay.read(counted.run_delay_ns);
        known.ahead_ns = ahead_ns;
        self.newest.remove(&(before_ns, rank));
        self.newest.insert((known.newest_ns(), rank));
        if counted.time_ns >= known.last.time_ns {
            known.last = MpiCounted { calls: Vec::new(), ..counted.clone() };
        }
    }

    /// The rank's calls so far of functions that reach other ranks, or wait for their messages, by function. A call whose peer is MPI_PROC_NULL is one, too: beyond the edge
    /// of a grid nobody answers, and all ranks call alike.
    pub fn counts(&self, rank: u32) -> BTreeMap<String, u64> {
        self.ranks.get(&rank).map(Rank::counts).unwrap_or_default()
    }

    /// Ranks that may be workers like these `workers` of `master`, and have got nothing so far: they exchange messages mostly with the master, if with
    /// anybody, and have called no function more often than a worker. Those that were `known` for such remain, whatever was read since.
    pub fn idle_workers(&self, master: u32, workers: &BTreeSet<u32>, known: &BTreeSet<u32>) -> BTreeSet<u32> {
        let (busy, others): (Vec<_>, Vec<_>) =
            self.ranks.iter().filter(|(rank, _)| **rank != master).partition(|(rank, _)| workers.contains(rank));
        if busy.is_empty() || others.is_empty() {
            return BTreeSet::new();
        }
        limits::walks(self.ranks.len());
        let mut most: BTreeMap<String, u64> = BTreeMap::new();
        for (name, count) in busy.into_iter().flat_map(|(_, worker)| worker.counts()) {
            let known = most.entry(name).or_default();
            *known = count.max(*known);
        }
        let is_like_them = |rank: u32, of: &Rank| {
            let MpiCounted { partner, with_partner, with_one, .. } = &of.last;
            let mostly_with_master = *with_one == 0 || mostly_with(*partner, *with_partner, *with_one) == Some(master);
            // One that waits for its first message has called nothing that has returned.
            let calls_as_they =
                || of.counts().iter().all(|(name, count)| most.get(name).is_some_and(|most| count <= most));
            mostly_with_master && (known.contains(&rank) || calls_as_they())
        };
        others.into_iter().filter(|(rank, of)| is_like_them(**rank, of)).map(|(rank, _)| *rank).collect()
    }

    /// Which of these ranks that computed are workers of another master than this one, as where a program splits its ranks into groups: all messages that they exchange
    /// with one rank are with one that computed nothing. Nobody is, where none of them exchanges its messages with this master: it may hand out by collectives.
    pub fn workers_of_others(&self, master: u32, computed: &BTreeSet<u32>) -> BTreeSet<u32> {
        let partner = |rank: &u32| {
            let of = &self.ranks.get(rank)?.last;
            of.partner.filter(|_| of.with_partner == of.with_one)
        };
        limits::walks(computed.len());
        if !computed.iter().any(|rank| partner(rank) == Some(master)) {
            return BTreeSet::new();
        }
        let is_others = |rank: &&u32| partner(rank).is_some_and(|of| of != master && !computed.contains(&of));
        computed.iter().filter(is_others).copied().collect()
    }

    /// When these were read, on the master's clock in nanoseconds.
    pub fn counted_ns(&self, rank: u32) -> u64 {
        self.ranks.get(&rank).map_or(0, |known| known.counted_ns)
    }

    /// The same of each other rank.
    pub fn counts_of_others(&self, rank: u32) -> Others {
        limits::walks(self.ranks.len());
        let others = self.ranks.iter().filter(|(other, _)| **other != rank);
        others.map(|(other, of)| (*other, edges::Reading { time_ns: of.counted_ns, counts: of.counts() })).collect()
    }

    /// Whether `name` is a function in which all ranks take part, as `rank` called it.
    pub fn is_collective(&self, rank: u32, name: &str) -> bool {
        let mut calls = self.ranks.get(&rank).into_iter().flat_map(|known| known.calls.keys());
        calls.any(|call| call.name == name && call.peer == COLLECTIVE)
    }

    /// A function of a rank whose calls are not all timed. Each thread may have been read in a call that is timed when it ends.
    pub fn sampled(counted: &MpiCounted) -> Option<(&str, Tally)> {
        let sampled = counted.calls.iter().filter(|(_, tally)| tally.timed + (COUNTED_THREADS as u64) < tally.count);
        let most = sampled.max_by_key(|(_, tally)| tally.count)?;
        Some((&most.0.name, most.1))
    }

    /// The lowest rank that was counted.
    pub fn first_rank(&self) -> Option<u32> {
        self.ranks.keys().next().copied()
    }

    /// The master began an iteration.
    pub fn on_begun(&mut self, iteration: u64, time_ns: u64) {
        self.begun = Some((iteration, time_ns));
    }

    /// It ended an iteration; the analyzer received that at `now`.
    pub fn on_ended(&mut self, now: u64, iteration: u64, end_ns: u64) {
        let Some((_, begin_ns)) = self.begun.filter(|(begun, begin_ns)| *begun == iteration && *begin_ns < end_ns)
        else {
            return;
        };
        limits::push(&mut self.ended, Span { iteration, begin_ns, end_ns, heard_ns: now }, limits::OPEN_WINDOWS);
    }

    /// Measures the iterations whose times are there by `now`; every one that has ended, if `all`.
    pub fn settle(&mut self, now: u64, all: bool) {
        while let Some(span) = self.ended.front() {
            let waited = now >= span.heard_ns.saturating_add(limits::MPI_WAIT_MS * 1_000_000);
            let covered = self.newest.first().is_none_or(|(time_ns, _)| *time_ns >= span.end_ns);
            if !(all || waited || covered) {
                return;
            }
            let lasted_ns = (span.end_ns - span.begin_ns) as f64;
            let useful = |rank: &Rank| {
                let outside_ns = rank.outside_ns(span.end_ns) - rank.outside_ns(span.begin_ns);
                (lasted_ns - outside_ns).clamp(0.0, lasted_ns) * 1e-9
            };
            limits::walks(self.ranks.len());
            let useful_s: Vec<f64> = self.ranks.values().map(useful).collect();
            // A rank that waits inside MPI may do so ready to run, and what it lacks a core for then holds up nothing: it polls.
            let held_up = |(rank, useful_s): (&Rank, &f64)| {
                let in_mpi = 1.0 - useful_s * 1e9 / lasted_ns;
                (rank.run_delay.share_since(rank.run_delay.before) - in_mpi).max(0.0)
            };
            let delays: Vec<f64> = self.ranks.values().zip(&useful_s).map(held_up).collect();
            if let Some(efficiency) = Efficiency::of(&useful_s, lasted_ns * 1e-9) {
                let efficiency = efficiency.with_run_delay(&delays);
                let line = IterationLine { iteration: span.iteration, efficiency };
                limits::push(&mut self.iterations, line, limits::LISTED_EFFICIENCIES);
            }
            self.ended.pop_front();
        }
    }

    /// The efficiencies of an iteration, or of the newest one before it that was measured.
    pub fn until(&self, iteration: u64) -> Option<Efficiency> {
        self.iterations.iter().rev().find(|line| line.iteration <= iteration).map(|line| line.efficiency)
    }

    /// For which share of the time the rank that lacked a core longest had none while it computed, at least, as it was last read. Of a rank that was read no more, while
    /// others were, nothing is known.
    pub fn held_up(&self) -> f64 {
        limits::walks(self.ranks.len());
        let read_ns = |of: &Rank| of.run_delay.last.1.saturating_add_signed(of.ahead_ns);
        let newest_ns = self.ranks.values().map(read_ns).max().unwrap_or(0);
        let is_known =
            |of: &&Rank| newest_ns - read_ns(of) <= of.run_delay.last.1.saturating_sub(of.run_delay.before.1);
        self.ranks.values().filter(is_known).map(Rank::held_up).fold(0.0, f64::max)
    }

    /// Counts, bytes and times of the calls, over all ranks.
    pub fn lines(&self) -> CallLines {
        let mut lines = CallLines::new();
        let all = self.ranks.values().flat_map(|rank| &rank.calls).chain(&self.past);
        for (call, tally) in all.filter(|(_, tally)| tally.count > 0) {
            let line = lines.entry(call.name.clone()).or_default().entry(call.peer).or_default();
            line.count = line.count.saturating_add(tally.count);
            line.bytes = line.bytes.saturating_add(tally.bytes);
            line.time_s += tally.time_ns as f64 * 1e-9;
            line.timed = line.timed.saturating_add(tally.timed);
        }
        lines
    }

    /// The efficiencies; `None` where no rank was counted.
    pub fn pop(&self) -> Option<PopLines> {
        let mut ranks: Vec<RankLine> = self.ranks.iter().map(|(rank, known)| known.line(*rank)).collect();
        let useful_s: Vec<f64> = ranks.iter().map(|line| line.useful_s).collect();
        let runtime_s = self.ranks.values().map(Rank::lasted_s).fold(0.0, f64::max);
        let delays: Vec<f64> =
            self.ranks.values().map(|rank| rank.run_delay.share_since(rank.run_delay.first)).collect();
        let efficiency = Efficiency::of(&useful_s, runtime_s)?.with_run_delay(&delays);
        ranks.truncate(limits::LISTED_EFFICIENCIES);
        let uncounted = self.ranks.values().map(|rank| rank.last.uncounted).fold(0, u64::saturating_add);
        Some(PopLines { efficiency, runtime_s, iterations: self.iterations.clone(), ranks, uncounted })
    }

    /// The ranks and their partners.
    pub fn members(&self) -> Vec<Member> {
        let member = |(rank, known): (&u32, &Rank)| {
            let is_poll = |name: &str| ["MPI_Iprobe", "MPI_Improbe"].contains(&name) || name.starts_with("MPI_Test");
            let polls = known.calls.iter().filter(|(call, _)| is_poll(&call.name));
            let all = polls.fold((0_u64, 0.0), |(count, time_s), (_, tally)| {
                (count.saturating_add(tally.count), time_s + tally.time_ns as f64 * 1e-9)
            });
            Member {
                times: known.line(*rank),
                partner: known.last.partner,
                with_partner: known.last.with_partner,
                with_one: known.last.with_one,
                polls: all,
            }
        };
        self.ranks.iter().map(member).collect()
    }
}

/// The partner with which a rank has most of its calls with one peer.
pub fn mostly_with(partner: Option<u32>, with_partner: u64, with_one: u64) -> Option<u32> {
    partner.filter(|_| 2 * with_partner > with_one)
}

fn add(sum: &mut Tally, tally: Tally) {
    sum.count = sum.count.saturating_add(tally.count);
    sum.bytes = sum.bytes.saturating_add(tally.bytes);
    sum.time_ns = sum.time_ns.saturating_add(tally.time_ns);
    sum.timed = sum.timed.saturating_add(tally.timed);
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
