//! One attached rank: its segment, its rings, and its events since the last batch.

use crate::collected::Collected;
use crate::counters::Counters;
use crate::limits::RECORDS_PER_PASS;
use crate::run_delay::Steal;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{RankId, RankJoined, RankLeft, RankReport, TuningPointDeclared, TuningPointType};
use midrun_ring::{CommandProducer, Consumer, Record, Segment, TuningPointKind};

/// A rank whose segment is mapped here.
#[derive(Debug)]
pub struct Rank {
    /// Its name on the wire.
    pub id: RankId,
    /// Its shared memory.
    pub segment: Segment,
    /// The rings of its threads.
    lanes: Vec<Consumer>,
    /// Its command ring.
    pub commands: CommandProducer,
    /// Its events.
    pub collected: Collected,
    /// Words of each tuning point that was reported: its range and start value.
    reported: Vec<[u64; 3]>,
    corruption_logged: bool,
    counters: Counters,
}

impl Rank {
    /// Continues the rings of `segment` where an earlier agent may have stopped; `job` is its job's name on the wire.
    pub fn new(segment: Segment, job: String) -> Self {
        let id = RankId { job, rank: segment.identity().rank };
        let lanes = (0..segment.lanes()).map(|lane| segment.consumer(lane)).collect();
        let commands = segment.command_producer();
        Rank {
            id,
            segment,
            lanes,
            commands,
            collected: Collected::default(),
            reported: Vec::new(),
            corruption_logged: false,
            counters: Counters::default(),
        }
    }

    /// Takes the records that its rings hold, up to a bound; `false` if there were none.
    pub fn drain(&mut self) -> bool {
        // Before what is measured with them: the program may have set its variables by itself before its first iteration.
        self.report_tuning_points();
        let mut found = false;
        for lane in &mut self.lanes {
            for _ in 0..RECORDS_PER_PASS {
                let Some(words) = lane.pop() else { break };
                self.collected.take(&Record::from_words(words));
                found = true;
            }
        }
        // Ranges change at most once an iteration.
        if self.collected.urgent {
            self.report_tuning_points();
        }
        if !self.corruption_logged && self.lanes.iter().any(Consumer::corrupted) {
            self.corruption_logged = true;
            tracing::warn!(
                job = self.id.job,
                rank = self.id.rank,
                "an index in the rank's ring is invalid; the ring is not read any more"
            );
        }
        found
    }

    /// Reads its counters of MPI calls if it is time; all of them if it has ended.
    pub fn read_counters(&mut self, now_ns: u64, ended: bool, steal: &mut Steal) {
        for counted in self.counters.read(&self.segment, now_ns, ended, steal) {
            self.collected.push(Kind::MpiCounted(counted));
        }
    }

    /// Reports tuning points, counters and stream again, to an analyzer that is new to this rank.
    pub fn report_anew(&mut self) {
        self.reported.clear();
        self.counters = self.counters.anew();
        self.collected.describe_anew();
    }

    fn report_tuning_points(&mut self) {
        for number in 0..self.segment.tuning_point_count() {
            let words = self.segment.tuning_point_words(number);
            match self.reported.get_mut(number as usize) {
                Some(known) if *known == words => continue,
                Some(known) => *known = words,
                None => self.reported.push(words),
            }
            let Some(tuning_point) = self.segment.tuning_point(number) else { continue };
            let kind = match tuning_point.kind {
                TuningPointKind::Real => TuningPointType::F64,
                TuningPointKind::Whole => TuningPointType::I64,
                TuningPointKind::Text => TuningPointType::Text,
            };
            self.collected.push(Kind::TuningPointDeclared(TuningPointDeclared {
                tuning_point: number,
                name: tuning_point.name,
                r#type: kind.into(),
                minimum: tuning_point.minimum,
                maximum: tuning_point.maximum,
                value: tuning_point.value,
                declared: Some(tuning_point.declared),
            }));
        }
    }

    /// The message of its arrival.
    pub fn joined(&self) -> RankJoined {
        let identity = self.segment.identity();
        RankJoined {
            id: Some(self.id.clone()),
            world_size: identity.world_size,
            pid: identity.pid,
            mpi: identity.mpi.clone(),
            time_ns: identity.start_ns,
            last_action: self.segment.last_action(),
            launch: identity.launch.clone(),
        }
    }

    /// The message of its end.
    pub fn left(&self, now_ns: u64) -> RankLeft {
        RankLeft { id: Some(self.id.clone()), finalized: self.segment.finalized(), time_ns: now_ns, unattended: false }
    }

    /// The events since the last report; `None` when there are none.
    pub fn report(&mut self) -> Option<RankReport> {
        if self.collected.is_empty() {
            return None;
        }
        Some(self.closing_report())
    }

    /// As [`Rank::report`], also when it has counts only.
    pub fn closing_report(&mut self) -> RankReport {
        let totals = self.segment.totals();
        RankReport {
            id: Some(self.id.clone()),
            events: self.collected.drain(),
            records_produced: totals.produced,
            records_collected: totals.collected,
            records_dropped: totals.dropped,
        }
    }
}

/// The memory of a rank that offers a number and a text, as the rank has it, and attached.
#[cfg(any(test, fuzzing))]
pub fn attached(identity: &midrun_ring::Identity) -> (Segment, Rank) {
    let (theirs, fd) = Segment::create(identity, 1, 64).unwrap();
    for (name, kind, maximum) in
        [("mw.factor", TuningPointKind::Real, 1.0), ("pipe.pattern", TuningPointKind::Text, 4096.0)]
    {
        let name = name.into();
        theirs.declare_tuning_point(&midrun_ring::TuningPointSlot {
            name,
            kind,
            minimum: 0.0,
            maximum,
            declared: 0.0,
            value: 0.0,
        });
    }
    (theirs, Rank::new(Segment::open(fd).unwrap(), "j".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_ring::{Identity, TuningPointSlot, kind};

    #[test]
    fn a_tuning_point_is_reported_again_when_its_range_or_start_changed_and_not_otherwise() {
        let identity = Identity { world_size: 1, ..Identity::default() };
        let (theirs, fd) = Segment::create(&identity, 1, 8).unwrap();
        let name = "mw.workers".to_owned();
        let kind = TuningPointKind::Whole;
        theirs.declare_tuning_point(&TuningPointSlot {
            name,
            kind,
            minimum: 1.0,
            maximum: 2.0,
            declared: 2.0,
            value: 2.0,
        });
        let mut lane = theirs.producer(0);
        let mut rank = Rank::new(Segment::open(fd).unwrap(), "j".into());
        let mut reported = |rank: &mut Rank| {
            lane.push(&Record { kind: kind::ITERATION_END, ..Record::default() }.to_words());
            rank.drain();
            let tuning_point = |event: midrun_proto::v1::Event| match event.kind {
                Some(Kind::TuningPointDeclared(tuning_point)) => Some(tuning_point.maximum),
                _ => None,
            };
            rank.collected.drain().into_iter().find_map(tuning_point)
        };
        assert_eq!(reported(&mut rank), Some(2.0));
        assert_eq!(reported(&mut rank), None);
        theirs.set_tuning_point_start(0, 1.0);
        assert_eq!(reported(&mut rank), Some(2.0));
        theirs.set_tuning_point_range(0, (1.0, 3.0));
        assert_eq!(reported(&mut rank), Some(3.0));
        assert_eq!(reported(&mut rank), None);
        rank.report_anew();
        assert_eq!(reported(&mut rank), Some(3.0));
    }
}
