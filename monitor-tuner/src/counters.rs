//! Reads a rank's counters of MPI calls, and reports those that changed.

use crate::limits::{COUNTERS, TIMES};
use midrun_proto::v1::{MpiCall, MpiCounted, PeerClass};
use midrun_ring::Segment;
use midrun_ring::calls::NAMES;
use midrun_ring::counters::{Class, MAIN, Tally, Times};
use std::collections::BTreeMap;

/// The counters of one rank as they were last reported.
#[derive(Debug, Default)]
pub struct Counters {
    reported: BTreeMap<(usize, Class), Tally>,
    times: Times,
    read_ns: u64,
    counted_ns: u64,
    /// The newest reading in which nothing had changed. It is reported before the next change, which shows until when nothing changed.
    held: Option<MpiCounted>,
}

impl Counters {
    /// The readings to report at `now_ns`: the times, and the calls too if `all` or if it is time for them.
    pub fn read(&mut self, segment: &Segment, now_ns: u64, all: bool) -> Vec<MpiCounted> {
        let due = |since_ns: u64, every: std::time::Duration| now_ns >= since_ns + every.as_nanos() as u64;
        let with_calls = all || due(self.counted_ns, COUNTERS - TIMES);
        if !with_calls && !due(self.read_ns, TIMES) {
            return Vec::new();
        }
        let pages = segment.pages();
        let Some(main) = pages.get(MAIN) else { return Vec::new() };
        let now_ns = segment.finalized_ns().map_or(now_ns, |end_ns| end_ns.min(now_ns));
        let times = main.times(now_ns);
        self.read_ns = now_ns;
        let mut calls = Vec::new();
        if with_calls {
            self.counted_ns = now_ns;
            for number in 1..NAMES.len() {
                for class in Class::ALL {
                    calls.extend(self.changed(number, class, sum(&pages, number, class)));
                }
            }
        }
        let counted = MpiCounted {
            time_ns: now_ns,
            begun_ns: segment.identity().start_ns,
            waiting_ns: times.waiting_ns,
            mpi_ns: times.mpi_ns,
            framework_ns: times.framework_ns,
            uncounted: segment.missed_calls(),
            calls,
        };
        let news = all || times != self.times || !counted.calls.is_empty();
        self.times = times;
        if !news {
            self.held = Some(counted);
            return Vec::new();
        }
        self.held.take().into_iter().chain([counted]).collect()
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
        let Tally { count, bytes, time_ns } = tally;
        Some(MpiCall { name: NAMES[number].to_owned(), peer: peer.into(), count, bytes, time_ns })
    }
}

fn sum(pages: &[midrun_ring::counters::Page], number: usize, class: Class) -> Tally {
    pages.iter().map(|page| page.tally(number, class)).fold(Tally::default(), |all, one| Tally {
        count: all.count.saturating_add(one.count),
        bytes: all.bytes.saturating_add(one.bytes),
        time_ns: all.time_ns.saturating_add(one.time_ns),
    })
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
        assert!(counters.read(&ours, 900 * MS, true).is_empty(), "no thread has called MPI yet");
        let (main, other) = (theirs.own_page(0), theirs.own_page(3));
        main.enter(Activity::Waiting, 900 * MS);
        main.leave(Activity::Waiting, 7);
        main.count(11, Class::SameHost, 64, 7);
        other.count(11, Class::SameHost, 36, 3);
        main.enter(Activity::Mpi, 1_000 * MS);
        let told = counters.read(&ours, 1_001 * MS, false);
        let [one] = &told[..] else { panic!("{told:?}") };
        assert_eq!((one.begun_ns, one.waiting_ns, one.mpi_ns), (5, 7, MS), "the call it is in counts");
        let [call] = &one.calls[..] else { panic!("{one:?}") };
        assert_eq!((&call.name[..], call.count, call.bytes, call.time_ns), (NAMES[11], 2, 100, 10));
        assert_eq!(call.peer(), PeerClass::SameHost);
        main.pause(1_002 * MS);
        assert!(counters.read(&ours, 1_003 * MS, false).is_empty(), "too soon");
        assert!(counters.read(&ours, 1_010 * MS, false)[0].calls.is_empty());
        assert!(counters.read(&ours, 1_300 * MS, false).is_empty(), "nothing has changed");
        main.enter(Activity::Mpi, 1_400 * MS);
        main.leave(Activity::Mpi, MS);
        let held = counters.read(&ours, 1_600 * MS, false);
        assert_eq!(held.iter().map(|one| one.time_ns).collect::<Vec<_>>(), [1_300 * MS, 1_600 * MS]);
        counters = Counters::default();
        theirs.set_finalized(1_650 * MS);
        let last = counters.read(&ours, 1_700 * MS, true);
        assert_eq!((last[0].calls.len(), last[0].time_ns, last[0].mpi_ns), (1, 1_650 * MS, 3 * MS));
    }
}
