//! Pages of counters: number, bytes and time of the program's MPI calls.
//!
//! Each thread of a rank that calls MPI owns a page: it alone writes, with plain stores, and readers sum over the pages. All
//! numbers only grow. A page has an entry per call, by its number in [`crate::calls::NAMES`]; in it four words for each
//! [`Class`]. No call has number 0: the first entry holds the thread's times.
//!
//! Where counting each call would cost too much, some calls are *timed*, and each stands for the calls of its function since the
//! last timed one: the number of calls stays exact, the rest is an estimate.

use crate::atomic::Mapping;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::fence;

/// Pages of a segment, one for each thread at a time. They take memory only when they are written.
pub const PAGES: usize = midrun_vocabulary::bounds::COUNTED_THREADS;
/// Entries of a page.
pub const CALLS: usize = 256;
/// Words of an entry: four for each class, then [`MADE`] and [`DUE`]. As in `shim/mpi/counted.h`.
pub const ENTRY_WORDS: usize = 24;
/// Words of an entry for each class: calls, bytes, nanoseconds, timed calls.
const CLASS_WORDS: usize = 4;
/// Calls made so far, the one that runs included. The wrappers increment it.
pub const MADE: usize = 20;
/// The wrappers pass a call on uncounted while it has a smaller number than this.
pub const DUE: usize = 21;
/// Words of a page.
pub const PAGE_WORDS: usize = CALLS * ENTRY_WORDS;
/// The page of the thread that initialised MPI: its times are those of the rank.
pub const MAIN: usize = 0;

const _: () = assert!(CLASS_WORDS * Class::ALL.len() <= MADE && DUE < ENTRY_WORDS);
const _: () = assert!(crate::calls::NAMES.len() <= CALLS);

/// Words of the first entry.
mod first {
    /// Time of finished activities, nanoseconds, for each [`super::Activity`].
    pub const SPENT_NS: usize = 0;
    /// Time at which the activity began, nanoseconds; 0 while the thread is in the program.
    pub const SINCE_NS: usize = 3;
    /// A [`super::Activity`].
    pub const ACTIVITY: usize = 4;
    /// Fields of a [`super::Partner`]: `rank` plus one, `with` and `of`.
    pub const PARTNER: usize = 5;
    pub const WITH: usize = 6;
    pub const OF: usize = 7;
    /// What the partner's calls are ahead of the others' by, since it is the partner.
    pub const AHEAD: usize = 8;
}

/// The peer of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A process of the same host.
    SameHost,
    /// A process that is not known to be on this host.
    OtherHost,
    /// All of a communicator or window.
    Collective,
    /// None, or the peer of a request.
    Local,
    /// Any process.
    Any,
}

impl Class {
    /// All, by their numbers.
    pub const ALL: [Class; 5] = [Class::SameHost, Class::OtherHost, Class::Collective, Class::Local, Class::Any];

    /// By its number; [`Class::Local`] where there is none.
    pub fn from_number(number: u32) -> Class {
        Class::ALL.get(number as usize).copied().unwrap_or(Class::Local)
    }
}

/// Activity of a thread outside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// In a call that waits for others: a blocking receive or probe, a wait, a collective.
    Waiting,
    /// In another call of MPI.
    Mpi,
    /// In a framework of midrun (dispatching chunks, moving messages, waiting), but not in the program's functions that it calls.
    Framework,
}

/// Counters of one call and class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls.
    pub count: u64,
    /// Bytes of their messages.
    pub bytes: u64,
    /// Time spent in them, nanoseconds.
    pub time_ns: u64,
    /// Calls that were timed. If these are fewer than `count`, bytes and time are estimates.
    pub timed: u64,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: Tally) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.timed = self.timed.saturating_add(other.timed);
    }
}

/// Time that a thread was outside the program, nanoseconds, its present activity included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Time of [`Activity::Waiting`].
    pub waiting_ns: u64,
    /// Time of [`Activity::Mpi`].
    pub mpi_ns: u64,
    /// Time of [`Activity::Framework`].
    pub framework_ns: u64,
}

/// The rank that most of a thread's calls with one peer have as their peer, where one rank has the majority: the candidate of
/// the majority vote algorithm (Boyer, Moore 1981).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partner {
    /// The rank; `None` before the first call with one peer.
    pub rank: Option<u32>,
    /// Calls that had it as their peer since it is the candidate.
    pub with: u64,
    /// Calls with one peer.
    pub of: u64,
}

/// First word of a call's entry.
#[inline]
fn entry(number: usize) -> usize {
    (number % CALLS) * ENTRY_WORDS
}

/// One thread's page.
#[derive(Clone, Debug)]
pub struct Page {
    mapping: Arc<Mapping>,
    at: usize,
}

impl Page {
    /// The page whose first word is `at`.
    pub(crate) fn new(mapping: Arc<Mapping>, at: usize) -> Page {
        Page { mapping, at }
    }

    #[inline]
    fn add(&self, at: usize, value: u64) {
        let word = self.mapping.word(self.at + at);
        word.store(word.load(Relaxed).wrapping_add(value), Relaxed);
    }

    /// The thread enters `activity` at `now_ns`.
    #[inline]
    pub fn enter(&self, activity: Activity, now_ns: u64) {
        self.mapping.word(self.at + first::ACTIVITY).store(activity as u64, Relaxed);
        self.mapping.word(self.at + first::SINCE_NS).store(now_ns, Release); // SYNC T: pairs with times
    }

    /// The thread leaves `activity`, `spent_ns` after it entered.
    #[inline]
    pub fn leave(&self, activity: Activity, spent_ns: u64) {
        self.mapping.word(self.at + first::SINCE_NS).store(0, Relaxed);
        fence(Release); // SYNC T
        self.add(first::SPENT_NS + activity as usize, spent_ns);
    }

    /// The thread leaves its activity, whatever it is, at `now_ns`.
    pub fn pause(&self, now_ns: u64) {
        let word = |at: usize| self.mapping.word(self.at + at).load(Relaxed);
        let (since_ns, activity) = (word(first::SINCE_NS), word(first::ACTIVITY));
        let activities = [Activity::Waiting, Activity::Mpi, Activity::Framework];
        if let (true, Some(activity)) = (since_ns > 0, activities.into_iter().find(|known| *known as u64 == activity)) {
            self.leave(activity, now_ns.saturating_sub(since_ns));
        }
    }

    /// One call of `number`, which stands for `weight` calls.
    #[inline]
    pub fn count(&self, number: u32, class: Class, bytes: u64, time_ns: u64, weight: u64) {
        let entry = entry(number as usize) + CLASS_WORDS * class as usize;
        self.add(entry + 1, bytes.wrapping_mul(weight));
        self.add(entry + 2, time_ns.wrapping_mul(weight));
        self.add(entry + 3, 1);
        let count = self.mapping.word(self.at + entry);
        count.store(count.load(Relaxed).wrapping_add(weight), Release); // SYNC S: pairs with tallies
    }

    /// One call whose peer is the rank before `next_rank`, which stands for `weight` calls; 0 = it has no peer, or many.
    #[inline]
    pub fn meet(&self, next_rank: u32, weight: u64) {
        if next_rank == 0 {
            return;
        }
        let word = |at: usize| self.mapping.word(self.at + at);
        let (is_partner, ahead) =
            (word(first::PARTNER).load(Relaxed) == u64::from(next_rank), word(first::AHEAD).load(Relaxed));
        self.add(first::OF, weight);
        if is_partner {
            self.add(first::WITH, weight);
            self.add(first::AHEAD, weight);
        } else if ahead >= weight {
            word(first::AHEAD).store(ahead - weight, Relaxed);
        } else {
            word(first::WITH).store(weight, Relaxed);
            word(first::AHEAD).store(weight - ahead, Relaxed);
            word(first::PARTNER).store(next_rank.into(), Relaxed);
        }
    }

    /// Calls of a function made so far.
    #[inline]
    pub fn made(&self, number: u32) -> u64 {
        self.mapping.word(self.at + entry(number as usize) + MADE).load(Relaxed)
    }

    /// The wrapper did not see this call of a function begin.
    pub fn make(&self, number: u32) {
        self.add(entry(number as usize) + MADE, 1);
    }

    /// The number of the next call of a function to be timed.
    pub fn due(&self, number: u32) -> u64 {
        self.mapping.word(self.at + entry(number as usize) + DUE).load(Relaxed)
    }

    /// The wrappers pass calls of a function on until the one with the number `due`.
    #[inline]
    pub fn set_due(&self, number: u32, due: u64) {
        self.mapping.word(self.at + entry(number as usize) + DUE).store(due, Relaxed);
    }

    /// The page's words, for the wrappers: they increment [`MADE`] and read [`DUE`], by relaxed atomic accesses.
    pub fn words(&self) -> *const u64 {
        std::ptr::from_ref(self.mapping.word(self.at)).cast()
    }

    /// The thread's partner so far. The peer may have written anything; a reading beside a call may be one call off.
    pub fn partner(&self) -> Partner {
        let word = |at: usize| self.mapping.word(self.at + at).load(Relaxed);
        let rank = word(first::PARTNER).checked_sub(1).and_then(|rank| u32::try_from(rank).ok());
        let of = word(first::OF);
        Partner { rank, with: word(first::WITH).min(of), of }
    }

    /// Counters of a function, by class. The calls since the last timed one are taken to be as most calls of the function.
    pub fn tallies(&self, number: usize) -> [Tally; Class::ALL.len()] {
        let at = self.at + entry(number);
        let mut tallies = Class::ALL.map(|class| {
            let first = at + CLASS_WORDS * class as usize;
            let count = self.mapping.word(first).load(Acquire); // SYNC S: as many are in the other words, or more
            let [bytes, time_ns, timed] = [1, 2, 3].map(|word| self.mapping.word(first + word).load(Relaxed));
            Tally { count, bytes, time_ns, timed: timed.min(count) }
        });
        let counted = tallies.iter().map(|tally| tally.count).fold(0, u64::saturating_add);
        let [made, due] = [MADE, DUE].map(|word| self.mapping.word(at + word).load(Relaxed));
        // A timed call that runs counts when it ends. Outside MPI none runs, though the last calls of a thread may not be counted.
        let is_inside = self.mapping.word(self.at + first::SINCE_NS).load(Relaxed) > 0;
        let running = u64::from(made >= due && is_inside);
        let since = made.saturating_sub(counted).saturating_sub(running);
        if let Some(most) =
            tallies.iter_mut().max_by_key(|tally| tally.count).filter(|most| since > 0 && most.count > 0)
        {
            let share = |sum: u64| (u128::from(sum) * u128::from(since) / u128::from(most.count)) as u64;
            most.add(Tally { count: since, bytes: share(most.bytes), time_ns: share(most.time_ns), timed: 0 });
        }
        tallies
    }

    /// What the thread's times follow from: while it stays the same, they grow with the time or stand still.
    pub fn activity(&self) -> [u64; 5] {
        let [waiting, mpi, framework] = [0, 1, 2].map(|activity| first::SPENT_NS + activity);
        [first::SINCE_NS, first::ACTIVITY, waiting, mpi, framework]
            .map(|at| self.mapping.word(self.at + at).load(Relaxed))
    }

    /// The thread's times at `now_ns`. The peer may have written anything. Of a thread that enters and leaves all the time, the
    /// times may be one call late.
    pub fn times(&self, now_ns: u64) -> Times {
        let since = || self.mapping.word(self.at + first::SINCE_NS).load(Acquire); // SYNC T: pairs with enter
        let mut times = [0; 3];
        for _ in 0..4 {
            let entered_ns = since();
            let activity = self.mapping.word(self.at + first::ACTIVITY).load(Relaxed);
            times = [0, 1, 2].map(|activity| self.mapping.word(self.at + first::SPENT_NS + activity).load(Relaxed));
            fence(Acquire); // SYNC T: pairs with leave
            if since() == entered_ns {
                if let (true, Some(here)) = (entered_ns > 0, times.get_mut(activity as usize)) {
                    *here = here.saturating_add(now_ns.saturating_sub(entered_ns));
                }
                break;
            }
        }
        Times { waiting_ns: times[0], mpi_ns: times[1], framework_ns: times[2] }
    }
}
