//! One attached rank: its segment, its rings, and what it has said since the last batch.

use crate::clock;
use crate::collect::Collected;
use crate::counters::Counters;
use crate::limits::RECORDS_PER_PASS;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{RankId, RankJoined, RankLeft, RankReport, TuningPointDeclared, TuningPointType};
use midrun_ring::{CommandProducer, Consumer, Record, Segment, TuningPointKind};
use std::collections::BTreeMap;

/// A rank whose segment is mapped here.
#[derive(Debug)]
pub struct Rank {
    /// Its shared memory.
    pub segment: Segment,
    lanes: Vec<Consumer>,
    /// Where commands for it go.
    pub commands: CommandProducer,
    /// What it said.
    pub said: Collected,
    /// Range of each tuning point that was told.
    tuning_points_told: BTreeMap<u32, (f64, f64)>,
    corruption_told: bool,
    counters: Counters,
}

impl Rank {
    /// Maps the rings of `segment`, where an agent before may have stopped.
    pub fn new(segment: Segment) -> Self {
        let lanes = (0..segment.lanes()).map(|lane| segment.consumer(lane)).collect();
        let commands = segment.command_producer();
        Rank {
            segment,
            lanes,
            commands,
            said: Collected::default(),
            tuning_points_told: BTreeMap::new(),
            corruption_told: false,
            counters: Counters::default(),
        }
    }

    /// Its name on the wire.
    pub fn id(&self) -> RankId {
        let identity = self.segment.identity();
        RankId { job: identity.job.clone(), rank: identity.rank }
    }

    /// Takes what its rings hold, up to a bound.
    pub fn drain(&mut self) {
        for lane in &mut self.lanes {
            for _ in 0..RECORDS_PER_PASS {
                let Some(words) = lane.pop() else { break };
                self.said.take(&Record::from_words(words));
            }
        }
        // Ranges change at most once an iteration.
        if self.said.urgent || self.segment.tuning_point_count() as usize != self.tuning_points_told.len() {
            self.tell_tuning_points();
        }
        if !self.corruption_told && self.lanes.iter().any(Consumer::corrupted) {
            self.corruption_told = true;
            let identity = self.segment.identity();
            tracing::warn!(
                job = identity.job,
                rank = identity.rank,
                "the rank's ring makes no sense and is not read any more"
            );
        }
    }

    /// Reads its counters of MPI calls, where it is time; all of them where it has ended.
    pub fn read_counters(&mut self, ended: bool) {
        for counted in self.counters.read(&self.segment, clock::now_ns(), ended) {
            self.said.push(Kind::MpiCounted(counted));
        }
    }

    /// Says again what can be turned; the analyzer is new to this rank.
    pub fn forget_what_was_told(&mut self) {
        self.tuning_points_told.clear();
        self.counters.forget();
        self.said.tell_again();
    }

    fn tell_tuning_points(&mut self) {
        for (number, tuning_point) in self.segment.tuning_points() {
            let range = (tuning_point.minimum, tuning_point.maximum);
            if self.tuning_points_told.insert(number, range) == Some(range) {
                continue;
            }
            let kind = match tuning_point.kind {
                TuningPointKind::Real => TuningPointType::F64,
                TuningPointKind::Whole => TuningPointType::I64,
                TuningPointKind::Text => TuningPointType::Text,
            };
            self.said.push(Kind::TuningPointDeclared(TuningPointDeclared {
                tuning_point: number,
                name: tuning_point.name,
                r#type: kind.into(),
                minimum: tuning_point.minimum,
                maximum: tuning_point.maximum,
                value: tuning_point.value,
            }));
        }
    }

    /// What the analyzer is told when the rank comes.
    pub fn joined(&self) -> RankJoined {
        let identity = self.segment.identity();
        RankJoined {
            id: Some(self.id()),
            world_size: identity.world_size,
            pid: identity.pid,
            mpi: identity.mpi.clone(),
            time_ns: identity.start_ns,
        }
    }

    /// What the analyzer is told when the rank has gone.
    pub fn left(&self) -> RankLeft {
        RankLeft { id: Some(self.id()), finalized: self.segment.finalized(), time_ns: clock::now_ns() }
    }

    /// Everything since the last report; `None` when there is nothing to say.
    pub fn report(&mut self) -> Option<RankReport> {
        if self.said.is_empty() {
            return None;
        }
        Some(self.closing_report())
    }

    /// As [`Rank::report`], also when only the counts are left to say.
    pub fn closing_report(&mut self) -> RankReport {
        let totals = self.segment.totals();
        RankReport {
            id: Some(self.id()),
            events: self.said.drain(),
            records_produced: totals.produced,
            records_collected: totals.collected,
            records_dropped: totals.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_ring::{Identity, TuningPointSlot, kind};

    #[test]
    fn a_tuning_point_is_told_again_when_its_range_changed_and_not_otherwise() {
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
        let mut rank = Rank::new(Segment::open(fd).unwrap());
        let mut told = |rank: &mut Rank| {
            lane.push(&Record { kind: kind::ITERATION_END, ..Record::default() }.to_words());
            rank.drain();
            let tuning_point = |event: midrun_proto::v1::Event| match event.kind {
                Some(Kind::TuningPointDeclared(tuning_point)) => Some(tuning_point.maximum),
                _ => None,
            };
            rank.said.drain().into_iter().find_map(tuning_point)
        };
        assert_eq!(told(&mut rank), Some(2.0));
        assert_eq!(told(&mut rank), None);
        theirs.set_tuning_point_range(0, (1.0, 3.0));
        assert_eq!(told(&mut rank), Some(3.0));
        assert_eq!(told(&mut rank), None);
        rank.forget_what_was_told();
        assert_eq!(told(&mut rank), Some(3.0));
    }
}
