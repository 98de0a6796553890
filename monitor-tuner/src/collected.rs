//! Events made of one rank's records: chunks are folded into one `Work` per master and iteration, other records keep their order.
//!
//! Another process writes the records, so each is checked. A record that makes no sense is counted and left out.

use crate::limits::{BUSY_NS, MESSAGE_S, ROUND_TRIP_BYTES, TASKS, TRIP_NS};
use crate::measurements::Measurements;
use crate::stream::Stream;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{
    ActionResult, ChunkWork, Event, IterationBegun, IterationEnded, LinkMeasured, MessageMoved, MessageTrip,
    ProfileBin, Work, WorkersLost,
};
use midrun_ring::{Record, kind};
use midrun_vocabulary::action_status;
use midrun_vocabulary::bounds::{EACH_CHUNK, PROFILE_BINS};
use midrun_vocabulary::profile::{Profile, spread};

/// Iterations whose work is folded at the same time; one more closes the oldest.
const OPEN_WORKS: usize = 4;
/// Chunks of unknown iterations that go singly into one batch; more are folded into the last of them.
const SINGLE_CHUNKS: usize = 512;

/// Events of one rank since the last batch.
#[derive(Debug, Default)]
pub struct Collected {
    events: Vec<Event>,
    works: Vec<Open>,
    stream: Stream,
    measurements: Measurements,
    /// Records rejected so far.
    pub rejected: u64,
    /// The analyzer waits for one of these events: they go as soon as a batch may.
    pub urgent: bool,
}

#[derive(Debug)]
struct Open {
    work: Work,
    bins: Profile,
}

impl Collected {
    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.works.is_empty() && self.stream.is_empty() && self.measurements.is_empty()
    }

    /// Adds an event of the agent's own.
    pub fn push(&mut self, kind: Kind) {
        self.close_works();
        self.events.push(Event { kind: Some(kind) });
    }

    /// Takes one record.
    pub fn take(&mut self, record: &Record) {
        match self.event(record) {
            Some(Some(kind)) => {
                // Decisions follow from these.
                self.urgent |= matches!(kind, Kind::IterationEnded(_) | Kind::ActionResult(_))
                    || matches!(kind, Kind::StreamBegun(_) | Kind::StreamWindow(_));
                self.push(kind);
            }
            Some(None) => {}
            None => self.rejected += 1,
        }
    }

    /// The event that a record is, or completes: `Some(None)` where it is folded with others, `None` where it makes no sense.
    fn event(&mut self, record: &Record) -> Option<Option<Kind>> {
        let [a, b, c, d, e, f] = record.payload;
        let time_ns = record.time_ns;
        Some(Some(match record.kind {
            kind::CHUNK => return self.chunk(record).then_some(None),
            kind::STAGE => return self.stream.stage(&record.payload).then_some(None),
            kind::TEAM => return self.stream.team(&record.payload).then_some(None),
            kind::POINT_RAW => return self.measurements.raw(record).then_some(None),
            kind::TEXT => return self.stream.text(record).ok(),
            kind::POINT => return Some(self.measurements.part(record).ok()?.map(Kind::PointMeasured)),
            kind::STREAM_BEGIN | kind::STREAM_WINDOW => self.stream.event(record)?,
            kind::ITERATION_BEGIN if b <= TASKS => Kind::IterationBegun(IterationBegun {
                iteration: a,
                time_ns,
                tasks: b,
                workers: u32::try_from(c).ok()?,
                technique: u32::try_from(d).ok()?,
                factor: Some(f64::from_bits(e)).filter(|f| f.is_finite()).unwrap_or_default(),
                task_bytes: f as u32,
                result_bytes: (f >> 32) as u32,
                framework: record.flags & kind::OF_FRAMEWORK != 0,
            }),
            kind::ITERATION_END if b <= TASKS && c <= TASKS => Kind::IterationEnded(IterationEnded {
                iteration: a,
                time_ns,
                tasks: b,
                chunks: c,
                task_time_ns: d,
                master_busy_ns: e,
                inputs_us: f as u32,
                results_us: (f >> 32) as u32,
            }),
            kind::LOSS if c <= TASKS => Kind::WorkersLost(WorkersLost {
                iteration: a,
                time_ns,
                workers: u32::try_from(b).ok()?,
                redone_tasks: c,
                left: u32::try_from(d).ok()?,
                rank: e.checked_sub(1).map(u32::try_from).transpose().ok()?,
            }),
            kind::LINK if a <= 1 && d <= u64::from(u32::MAX) => Kind::LinkMeasured(link(record)?),
            kind::TRIP if a <= 1 && b <= ROUND_TRIP_BYTES && (1..TRIP_NS).contains(&c) => {
                Kind::MessageTrip(MessageTrip { same_host: a == 1, bytes: b, trip_ns: c })
            }
            kind::MESSAGE if a <= 1 && c <= 1 && d <= ROUND_TRIP_BYTES && e <= time_ns && (f == 0 || f >= e) => {
                Kind::MessageMoved(MessageMoved {
                    received: a == 1,
                    peer: u32::try_from(b).ok()?,
                    same_host: c == 1,
                    bytes: d,
                    begin_ns: e,
                    end_ns: time_ns,
                    wait_ns: (f > 0).then_some(f),
                })
            }
            kind::ACTION_RESULT if b <= action_status::LAST => {
                let (action, status, iteration, register) = (a, b as i32, c, d);
                Kind::ActionResult(ActionResult { action, status, iteration, time_ns, register })
            }
            _ => return None,
        }))
    }

    /// Folds a chunk; `false` when it makes no sense.
    fn chunk(&mut self, record: &Record) -> bool {
        let [iteration, first, count, busy_ns, sum_sq_bits, total] = record.payload;
        let sum_sq_s2 = f64::from_bits(sum_sq_bits);
        let sane = (1..=TASKS).contains(&count)
            && first <= TASKS
            && total <= TASKS
            && busy_ns <= BUSY_NS
            && sum_sq_s2.is_finite()
            && sum_sq_s2 >= 0.0;
        if !sane {
            return false;
        }
        let timed = record.flags & kind::TASKS_TIMED != 0;
        let busy_s = busy_ns as f64 * 1e-9;
        let begin_ns = record.time_ns.saturating_sub(busy_ns);
        let open = self.open((kind::master_of(record.flags), iteration), timed, begin_ns);
        let work = &mut open.work;
        work.tasks += count;
        work.chunks += 1;
        work.busy_s += busy_s;
        work.sum_sq_s2 += sum_sq_s2;
        work.tasks_timed &= timed;
        work.first_begin_ns = work.first_begin_ns.min(begin_ns);
        work.last_end_ns = work.last_end_ns.max(record.time_ns);
        if first + count <= total {
            spread(&mut open.bins, first, count, total, busy_s);
        }
        // One too many, and none is told.
        if work.each_chunk.len() <= EACH_CHUNK {
            work.each_chunk.push(ChunkWork { first, tasks: count, busy_s, sum_sq_s2 });
        }
        true
    }

    fn open(&mut self, (master, iteration): (Option<u32>, u64), timed: bool, begin_ns: u64) -> &mut Open {
        let single = iteration == kind::UNKNOWN_ITERATION && self.events.len() < SINGLE_CHUNKS;
        let is_same = |open: &Open| open.work.iteration == iteration && open.work.master == master;
        let known = self.works.iter().position(is_same).filter(|_| !single);
        let at = known.unwrap_or_else(|| {
            if self.works.len() >= OPEN_WORKS {
                self.close_works();
            }
            let work = Work { iteration, tasks_timed: timed, first_begin_ns: begin_ns, master, ..Work::default() };
            self.works.push(Open { work, bins: [(0.0, 0.0); PROFILE_BINS] });
            self.works.len() - 1
        });
        &mut self.works[at]
    }

    fn close_works(&mut self) {
        for Open { mut work, bins } in self.works.drain(..) {
            if work.each_chunk.len() > EACH_CHUNK {
                work.each_chunk = Vec::new();
            }
            let used = bins.iter().zip(0..).filter(|((tasks, _), _)| *tasks > 0.0);
            work.profile =
                used.map(|((tasks, busy_s), bin)| ProfileBin { bin, tasks: *tasks, busy_s: *busy_s }).collect();
            self.events.push(Event { kind: Some(Kind::Work(work)) });
        }
        self.events
            .extend(self.measurements.drain().map(|measured| Event { kind: Some(Kind::PointMeasured(measured)) }));
        self.events.extend(self.stream.drain().map(|work| Event { kind: Some(Kind::StageWork(work)) }));
    }

    /// Describes the stream again, for an analyzer that is new to this rank.
    pub fn describe_anew(&mut self) {
        self.stream.description().into_iter().for_each(|kind| self.push(kind));
    }

    /// The events since the last call, in order.
    pub fn drain(&mut self) -> Vec<Event> {
        self.close_works();
        self.urgent = false;
        std::mem::take(&mut self.events)
    }
}

/// The measured cost of a message; `None` when it makes no sense.
fn link(record: &Record) -> Option<LinkMeasured> {
    let [same_host, start_up, per_byte, samples, eager, errors] = record.payload;
    let (start_up_s, per_byte_s) = (f64::from_bits(start_up), f64::from_bits(per_byte));
    let error = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let (start_up_error_s, per_byte_error_s) = (error(errors), error(errors >> 32));
    let sane = |s: f64| (0.0..MESSAGE_S).contains(&s);
    let all = [start_up_s, per_byte_s, start_up_error_s, per_byte_error_s].into_iter().all(sane);
    all.then_some(LinkMeasured {
        same_host: same_host == 1,
        start_up_s,
        per_byte_s,
        samples: samples as u32,
        start_up_error_s,
        per_byte_error_s,
        eager_bytes: eager as u32,
        rendezvous_bytes: (eager >> 32) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(iteration: u64, first: u64, count: u64, busy_ns: u64, total: u64) -> Record {
        let payload = [iteration, first, count, busy_ns, 0.25_f64.to_bits(), total];
        Record { kind: kind::CHUNK, flags: kind::TASKS_TIMED, time_ns: busy_ns.saturating_add(1_000_000), payload }
    }

    #[test]
    fn chunks_of_an_iteration_become_one_work() {
        let mut c = Collected::default();
        c.take(&chunk(3, 0, 32, 1_000_000_000, 64));
        c.take(&chunk(3, 32, 1, 500_000_000, 64));
        let events = c.drain();
        let [Event { kind: Some(Kind::Work(work)) }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((work.iteration, work.tasks, work.chunks, work.tasks_timed), (3, 33, 2, true));
        assert!((work.busy_s - 1.5).abs() < 1e-12 && (work.sum_sq_s2 - 0.5).abs() < 1e-12);
        assert_eq!(work.profile.len(), 33);
        assert!((work.profile.iter().map(|b| b.busy_s).sum::<f64>() - 1.5).abs() < 1e-9);
        assert!((work.profile[32].busy_s - 0.5).abs() < 1e-9);
        assert!(c.is_empty());
    }

    #[test]
    fn chunks_are_named_one_by_one_as_long_as_they_are_few() {
        let named = |count: u64| {
            let mut c = Collected::default();
            (0..count).for_each(|first| c.take(&chunk(3, first, 1, 500_000_000, count)));
            let events = c.drain();
            let [Event { kind: Some(Kind::Work(work)) }] = &events[..] else { panic!("{events:?}") };
            work.each_chunk.clone()
        };
        assert_eq!(named(2)[1], ChunkWork { first: 1, tasks: 1, busy_s: 0.5, sum_sq_s2: 0.25 });
        assert_eq!([64, 65, 200].map(|count| named(count).len()), [EACH_CHUNK, 0, 0]);
    }

    #[test]
    fn chunks_of_two_masters_stay_apart() {
        let mut c = Collected::default();
        let of = |master, first| Record { flags: kind::of_master(master), ..chunk(3, first, 1, 5, 64) };
        [of(Some(4), 0), of(Some(0), 0), of(None, 0), of(Some(4), 1)].iter().for_each(|record| c.take(record));
        let events = c.drain();
        let works = events.iter().map(|event| match &event.kind {
            Some(Kind::Work(work)) => (work.master, work.iteration, work.tasks),
            other => panic!("{other:?}"),
        });
        assert_eq!(works.collect::<Vec<_>>(), [(Some(4), 3, 2), (Some(0), 3, 1), (None, 3, 1)]);
    }

    #[test]
    fn chunks_of_unknown_iterations_stay_single_as_long_as_they_are_few() {
        let mut c = Collected::default();
        (0..10_000).for_each(|_| c.take(&chunk(kind::UNKNOWN_ITERATION, 0, 1, 5, 0)));
        let events = c.drain();
        assert!((SINGLE_CHUNKS..SINGLE_CHUNKS + 2 * OPEN_WORKS).contains(&events.len()), "{}", events.len());
        let tasks = events.iter().map(|event| match &event.kind {
            Some(Kind::Work(work)) => work.tasks,
            other => panic!("{other:?}"),
        });
        assert_eq!(tasks.sum::<u64>(), 10_000);
    }

    #[test]
    fn work_stays_before_the_end_of_its_iteration() {
        let mut c = Collected::default();
        c.take(&chunk(0, 0, 1, 5, 0));
        c.take(&Record { kind: kind::ITERATION_END, payload: [0, 1, 1, 5, 0, 0], ..Record::default() });
        assert!(c.urgent);
        let events = c.drain();
        assert!(matches!(events[0].kind, Some(Kind::Work(_))));
        assert!(matches!(events[1].kind, Some(Kind::IterationEnded(_))));
        assert!(!c.urgent);
    }

    #[test]
    fn lost_workers_come_as_they_were_written_and_impossible_ones_are_left_out() {
        let mut c = Collected::default();
        let loss =
            |workers, tasks| Record { kind: kind::LOSS, payload: [3, workers, tasks, 5, 7, 0], ..Record::default() };
        c.take(&loss(2, 70));
        c.take(&loss(2, TASKS + 1));
        c.take(&loss(u64::MAX, 70));
        let events = c.drain();
        let [Event { kind: Some(Kind::WorkersLost(lost)) }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((lost.iteration, lost.workers, lost.redone_tasks, lost.left, c.rejected), (3, 2, 70, 5, 2));
        assert_eq!(lost.rank, Some(6));
    }

    #[test]
    fn nonsense_is_counted_and_left_out() {
        let mut c = Collected::default();
        let mut bad = [chunk(0, 0, 0, 5, 0), chunk(0, u64::MAX, 1, 5, 0), chunk(0, 0, 1, u64::MAX, 0)];
        bad[0].time_ns = 0;
        bad.iter().for_each(|record| c.take(record));
        let mut nan = chunk(0, 0, 1, 5, 0);
        nan.payload[4] = f64::NAN.to_bits();
        c.take(&nan);
        c.take(&Record { kind: 77, ..Record::default() });
        c.take(&Record { kind: kind::ACTION_RESULT, payload: [1, 99, 0, 0, 0, 0], ..Record::default() });
        let link = |payload| Record { kind: kind::LINK, payload, ..Record::default() };
        let (second, error) = (1.0_f64.to_bits(), u64::from(f32::NAN.to_bits()));
        c.take(&link([1, second, second, 5, 0, error]));
        c.take(&link([2, second, second, 5, 0, 0]));
        c.take(&Record { kind: kind::TRIP, payload: [1, 8, 0, 0, 0, 0], ..Record::default() });
        c.take(&Record { kind: kind::TRIP, payload: [1, u64::MAX, 9, 0, 0, 0], ..Record::default() });
        assert_eq!(c.rejected, 10);
        assert!(c.is_empty());
    }

    #[test]
    fn what_messages_cost_comes_out_as_it_went_in() {
        let mut c = Collected::default();
        let errors = u64::from(0.5_f32.to_bits()) | u64::from(0.25_f32.to_bits()) << 32;
        let payload = [0, 2.0_f64.to_bits(), 1.0_f64.to_bits(), 30, 4096 | 8192 << 32, errors];
        c.take(&Record { kind: kind::LINK, payload, ..Record::default() });
        c.take(&Record { kind: kind::TRIP, payload: [1, 128, 9000, 3, 2, 0], ..Record::default() });
        let events = c.drain();
        let [Some(Kind::LinkMeasured(link)), Some(Kind::MessageTrip(trip))] = [&events[0].kind, &events[1].kind] else {
            panic!("{events:?}")
        };
        assert_eq!((link.same_host, link.start_up_s, link.per_byte_s, link.samples), (false, 2.0, 1.0, 30));
        assert_eq!((link.start_up_error_s, link.per_byte_error_s), (0.5, 0.25));
        assert_eq!((link.eager_bytes, link.rendezvous_bytes), (4096, 8192));
        assert_eq!((trip.same_host, trip.bytes, trip.trip_ns), (true, 128, 9000));
    }

    #[test]
    fn a_chunk_that_crosses_bins_is_shared_among_them() {
        let mut bins = [(0.0, 0.0); 64];
        spread(&mut bins, 1, 3, 128, 3.0);
        assert_eq!((bins[0], bins[1], bins[2]), ((1.0, 1.0), (2.0, 2.0), (0.0, 0.0)));
        spread(&mut bins, 0, 128, 128, 1.0);
        assert!((bins.iter().map(|b| b.0).sum::<f64>() - 131.0).abs() < 1e-9);
    }
}
