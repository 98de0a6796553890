//! Reads a rank's counters of MPI calls, and reports those that changed.
//!
//! The rank's times are those of the thread that initialised MPI, as long as it alone communicates. Where other threads do, a
//! thread's times count by its share of the communicating calls: a main thread that only waits for its threads to end is not
//! useful, and one that computes beside them is not seen to be.

use crate::limits::{COUNTERS, RUN_DELAY, TIMES};
use crate::run_delay::{RunDelay, Steal};
use midrun_proto::v1::{MpiCall, MpiCounted, PeerClass};
use midrun_ring::Segment;
use midrun_ring::calls::NAMES;
use midrun_ring::counters::{Class, MAIN, Page, Partner, Tally, Times};
use std::collections::BTreeMap;

/// The counters of one rank as they were last reported.
#[derive(Debug, Default)]
pub struct Counters {
    reported: BTreeMap<(usize, Class), Tally>,
    /// The threads' activities at the last reading.
    activities: Vec<[u64; 5]>,
    /// Times and communicating calls of each thread at the last reading. Times as fractions, so that no reading is rounded away.
    threads: Vec<(Times, u64)>,
    weighted_ns: [f64; 3],
    /// What of it was reported. Of sampled calls an estimate can grow faster than the time: what is too much waits.
    sent_ns: [f64; 3],
    read_ns: u64,
    counted_ns: u64,
    /// The newest reading in which no thread had changed its activity. It is reported before the next change, which shows until
    /// when nothing changed: between two readings that are reported, times lie on a line.
    held: Option<MpiCounted>,
    run_delay: RunDelay,
}

impl Counters {
    /// The same, of which nothing was reported yet.
    pub fn anew(&self) -> Counters {
        Counters { run_delay: self.run_delay, ..Counters::default() }
    }

    /// The readings to report at `now_ns`: the times, and the calls too if `all` or if it is time for them.
    pub fn read(&mut self, segment: &Segment, now_ns: u64, all: bool, steal: &mut Steal) -> Vec<MpiCounted> {
        let due = |since_ns: u64, every: std::time::Duration| now_ns >= since_ns + every.as_nanos() as u64;
        let with_calls = all || due(self.counted_ns, COUNTERS - TIMES);
        if !with_calls && !due(self.read_ns, TIMES) {
            return Vec::new();
        }
        let pages = segment.pages();
        if pages.is_empty() {
            return Vec::new();
        }
        let now_ns = segment.finalized_ns().map_or(now_ns, |end_ns| end_ns.min(now_ns));
        // Before the times: of a thread that changes now, the next reading shows it.
        let activities = pages.iter().map(Page::activity).collect();
        let begun_ns = segment.identity().start_ns;
        let lasted_ns = now_ns.saturating_sub(self.read_ns.max(begun_ns)) as f64;
        self.weigh(&pages, now_ns, with_calls);
        let times = self.times(lasted_ns);
        self.read_ns = now_ns;
        let mut calls = Vec::new();
        if with_calls {
            self.counted_ns = now_ns;
            if all || due(self.run_delay.read_ns, RUN_DELAY) {
                self.run_delay.read(segment.identity().pid, now_ns, steal);
            }
            for number in 1..NAMES.len() {
                let tallies = Class::ALL.into_iter().zip(sum(&pages, number));
                // Most functions are never called.
                for (class, tally) in tallies.filter(|(_, tally)| tally.count > 0) {
                    calls.extend(self.changed(number, class, tally));
                }
            }
        }
        let partner = partner(&pages);
        let counted = MpiCounted {
            time_ns: now_ns,
            begun_ns,
            waiting_ns: times.waiting_ns,
            mpi_ns: times.mpi_ns,
            framework_ns: times.framework_ns,
            uncounted: segment.missed_calls(),
            calls,
            partner: partner.rank.unwrap_or_default(),
            with_partner: partner.with,
            with_one: partner.of,
            run_delay_ns: self.run_delay.delay_ns(),
            run_delay_time_ns: self.run_delay.read_ns,
        };
        let before = std::mem::replace(&mut self.activities, activities);
        if !all && before == self.activities && counted.calls.is_empty() {
            self.held = Some(counted);
            return Vec::new();
        }
        self.held.take().into_iter().chain([counted]).collect()
    }

    /// Adds what each thread's times have grown by `now_ns` since the last reading, weighted; with `calls` the weights are taken
    /// anew.
    fn weigh(&mut self, pages: &[Page], now_ns: u64, calls: bool) {
        self.threads.resize(pages.len(), Default::default());
        if calls && pages.len() > 1 {
            self.threads.iter_mut().zip(pages).for_each(|(thread, page)| thread.1 = communicating(page));
        }
        // In a framework of midrun the thread that initialised MPI communicates, by calls that are not the program's.
        let in_framework = pages[MAIN].times(now_ns).framework_ns > 0;
        let all: u64 = self.threads.iter().map(|(_, calls)| calls).sum();
        for (at, (thread, page)) in self.threads.iter_mut().zip(pages).enumerate() {
            let weight = match all {
                all if all == 0 || in_framework => f64::from(u8::from(at == MAIN)),
                all => thread.1 as f64 / all as f64,
            };
            let (before, times) = (words(thread.0), page.times(now_ns));
            for (sum, (now, before)) in self.weighted_ns.iter_mut().zip(words(times).into_iter().zip(before)) {
                *sum += weight * now.saturating_sub(before) as f64;
            }
            thread.0 = times;
        }
    }

    /// The rank's times, which have grown by no more than the time since the last reading.
    fn times(&mut self, lasted_ns: f64) -> Times {
        let grown: f64 = self.weighted_ns.iter().zip(&self.sent_ns).map(|(now, sent)| now - sent).sum();
        let share = if grown > lasted_ns { lasted_ns / grown } else { 1.0 };
        for (sent, now) in self.sent_ns.iter_mut().zip(self.weighted_ns) {
            *sent += share * (now - *sent);
        }
        let [waiting_ns, mpi_ns, framework_ns] = self.sent_ns.map(|ns| ns as u64);
        Times { waiting_ns, mpi_ns, framework_ns }
    }

    fn changed(&mut self, number: usize, class: Class, tally: Tally) -> Option<MpiCall> {
        let reported = self.reported.entry((number, class)).or_default();
        if std::mem::replace(reported, tally) == tally {
            return None;
        }
        let peer = match class {
            Class::SameHost => PeerClass::SameHost,
            Class::OtherHost => PeerClass::OtherHost,
            Class::Collective => PeerClass::Collective,
            Class::Local => PeerClass::Local,
            Class::Any => PeerClass::Any,
        };
        let Tally { count, bytes, time_ns, timed } = tally;
        Some(MpiCall { name: NAMES[number].to_owned(), peer: peer.into(), count, bytes, time_ns, timed })
    }
}

fn words(times: Times) -> [u64; 3] {
    [times.waiting_ns, times.mpi_ns, times.framework_ns]
}

/// A thread's calls that reach other processes by themselves. What has no peer, or waits for requests, is asked of any thread.
fn communicating(page: &Page) -> u64 {
    let calls = (1..NAMES.len()).flat_map(|number| Class::ALL.into_iter().zip(page.tallies(number)));
    calls.filter(|(class, _)| *class != Class::Local).map(|(_, tally)| tally.count).fold(0, u64::saturating_add)
}

/// Counters of a function over all threads, by class.
fn sum(pages: &[Page], number: usize) -> [Tally; Class::ALL.len()] {
    let mut all = [Tally::default(); Class::ALL.len()];
    for page in pages {
        all.iter_mut().zip(page.tallies(number)).for_each(|(sum, tally)| sum.add(tally));
    }
    all
}

/// The partner of most of the threads' calls.
fn partner(pages: &[Page]) -> Partner {
    let mut with = BTreeMap::<u32, u64>::new();
    let mut of = 0u64;
    for one in pages.iter().map(Page::partner) {
        of = of.saturating_add(one.of);
        if let Some(rank) = one.rank {
            let sum = with.entry(rank).or_default();
            *sum = sum.saturating_add(one.with);
        }
    }
    let most = with.into_iter().max_by_key(|(_, with)| *with);
    Partner { rank: most.map(|(rank, _)| rank), with: most.map_or(0, |(_, with)| with), of }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_ring::Identity;
    use midrun_ring::counters::Activity;

    const MS: u64 = 1_000_000;

    #[test]
    fn what_was_counted_is_reported_once_and_again_to_a_new_analyzer() {
        let identity = Identity { world_size: 1, start_ns: 5, ..Identity::default() };
        let (theirs, fd) = Segment::create(&identity, 1, 8).unwrap();
        let ours = Segment::open(fd).unwrap();
        let mut counters = Counters::default();
        assert!(counters.read(&ours, 900 * MS, true, &mut Steal::default()).is_empty(), "no thread has called MPI yet");
        let (main, other) = (theirs.own_page(0), theirs.own_page(3));
        main.enter(Activity::Waiting, 900 * MS);
        main.leave(Activity::Waiting, 7);
        main.count(11, Class::SameHost, 64, 7, 1);
        [3, 1, 1, 2, 1].into_iter().for_each(|next_rank| main.meet(next_rank, 1));
        other.meet(1, 1);
        other.count(11, Class::Local, 36, 3, 1);
        main.enter(Activity::Mpi, 1_000 * MS);
        let reported = counters.read(&ours, 1_001 * MS, false, &mut Steal::default());
        let [one] = &reported[..] else { panic!("{reported:?}") };
        assert_eq!((one.begun_ns, one.waiting_ns, one.mpi_ns), (5, 7, MS), "the call it is in counts");
        assert_eq!(
            (one.partner, one.with_partner, one.with_one),
            (0, 3, 6),
            "the second call with rank 0 outvotes rank 2"
        );
        let tallies: Vec<_> = one.calls.iter().map(|c| (&c.name[..], c.peer(), c.count, c.bytes, c.time_ns)).collect();
        assert_eq!(tallies, [(NAMES[11], PeerClass::SameHost, 1, 64, 7), (NAMES[11], PeerClass::Local, 1, 36, 3)]);
        main.pause(1_002 * MS);
        assert!(counters.read(&ours, 1_003 * MS, false, &mut Steal::default()).is_empty(), "too soon");
        assert!(counters.read(&ours, 1_010 * MS, false, &mut Steal::default())[0].calls.is_empty());
        assert!(counters.read(&ours, 1_300 * MS, false, &mut Steal::default()).is_empty(), "nothing has changed");
        main.enter(Activity::Mpi, 1_400 * MS);
        main.leave(Activity::Mpi, MS);
        let held = counters.read(&ours, 1_600 * MS, false, &mut Steal::default());
        assert_eq!(held.iter().map(|one| one.time_ns).collect::<Vec<_>>(), [1_300 * MS, 1_600 * MS]);
        // A long wait has two ends.
        main.enter(Activity::Waiting, 1_610 * MS);
        assert_eq!(counters.read(&ours, 1_612 * MS, false, &mut Steal::default()).len(), 1);
        assert!(
            [1_620, 1_630].iter().all(|ms| counters.read(&ours, ms * MS, false, &mut Steal::default()).is_empty()),
            "it still waits"
        );
        main.leave(Activity::Waiting, 25 * MS);
        let waited = counters
            .read(&ours, 1_636 * MS, false, &mut Steal::default())
            .into_iter()
            .map(|one| (one.time_ns, one.waiting_ns - 7));
        assert_eq!(waited.collect::<Vec<_>>(), [(1_630 * MS, 20 * MS), (1_636 * MS, 25 * MS)]);
        counters = Counters::default();
        theirs.set_finalized(1_650 * MS);
        let last = counters.read(&ours, 1_700 * MS, true, &mut Steal::default());
        assert_eq!((last[0].calls.len(), last[0].time_ns, last[0].mpi_ns), (2, 1_650 * MS, 3 * MS));
    }

    #[test]
    fn the_times_of_a_rank_are_those_of_the_threads_that_communicate() {
        let identity = Identity { world_size: 1, start_ns: 5, ..Identity::default() };
        let (theirs, fd) = Segment::create(&identity, 1, 8).unwrap();
        let ours = Segment::open(fd).unwrap();
        let mut counters = Counters::default();
        let pages = [0, 1, 2].map(|page| theirs.own_page(page));
        // The main thread only asks for its rank. Two others wait: one for half of the time, one for a quarter.
        pages[0].count(7, Class::Local, 0, 1, 1);
        for (page, ms) in [(1, 500), (2, 250)] {
            pages[page].count(4, Class::SameHost, 8, 1, 1);
            pages[page].enter(Activity::Waiting, MS);
            pages[page].leave(Activity::Waiting, ms * MS);
        }
        let waiting =
            |counters: &mut Counters, ms: u64| counters.read(&ours, ms * MS, true, &mut Steal::default())[0].waiting_ns;
        assert_eq!(waiting(&mut counters, 1000), 375 * MS);
        // From here on the main thread communicates much more than the others, and never waits.
        (0..98).for_each(|_| pages[0].count(4, Class::SameHost, 8, 1, 1));
        pages[1].leave(Activity::Waiting, 1000 * MS);
        assert_eq!(waiting(&mut counters, 2000), 385 * MS, "what was read before stays");
    }
}
