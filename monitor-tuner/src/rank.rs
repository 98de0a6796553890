//! One attached rank: its segment, its rings, and what it has said since the last batch.

use crate::clock;
use crate::collect::Collected;
use crate::counters::Counters;
use crate::limits::RECORDS_PER_PASS;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{KnobDeclared, KnobType, RankId, RankJoined, RankLeft, RankReport};
use midrun_ring::{CommandProducer, Consumer, KnobKind, Record, Segment};
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
    /// Range of each knob that was told.
    knobs_told: BTreeMap<u32, (f64, f64)>,
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
            knobs_told: BTreeMap::new(),
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
        if self.said.urgent || self.segment.knob_count() as usize != self.knobs_told.len() {
            self.tell_knobs();
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
        self.knobs_told.clear();
        self.counters.forget();
        self.said.tell_again();
    }

    fn tell_knobs(&mut self) {
        for (number, knob) in self.segment.knobs() {
            let range = (knob.minimum, knob.maximum);
            if self.knobs_told.insert(number, range) == Some(range) {
                continue;
            }
            let kind = match knob.kind {
                KnobKind::Real => KnobType::F64,
                KnobKind::Whole => KnobType::I64,
                KnobKind::Text => KnobType::Text,
            };
            self.said.push(Kind::KnobDeclared(KnobDeclared {
                knob: number,
                name: knob.name,
                r#type: kind.into(),
                minimum: knob.minimum,
                maximum: knob.maximum,
                value: knob.value,
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
    use midrun_ring::{Identity, KnobSlot, kind};

    #[test]
    fn a_knob_is_told_again_when_its_range_changed_and_not_otherwise() {
        let identity = Identity { world_size: 1, ..Identity::default() };
        let (theirs, fd) = Segment::create(&identity, 1, 8).unwrap();
        let name = "mw.workers".to_owned();
        let kind = KnobKind::Whole;
        theirs.declare_knob(&KnobSlot { name, kind, minimum: 1.0, maximum: 2.0, declared: 2.0, value: 2.0 });
        let mut lane = theirs.producer(0);
        let mut rank = Rank::new(Segment::open(fd).unwrap());
        let mut told = |rank: &mut Rank| {
            lane.push(&Record { kind: kind::ITERATION_END, ..Record::default() }.to_words());
            rank.drain();
            let knob = |event: midrun_proto::v1::Event| match event.kind {
                Some(Kind::KnobDeclared(knob)) => Some(knob.maximum),
                _ => None,
            };
            rank.said.drain().into_iter().find_map(knob)
        };
        assert_eq!(told(&mut rank), Some(2.0));
        assert_eq!(told(&mut rank), None);
        theirs.set_knob_range(0, (1.0, 3.0));
        assert_eq!(told(&mut rank), Some(3.0));
        assert_eq!(told(&mut rank), None);
        rank.forget_what_was_told();
        assert_eq!(told(&mut rank), Some(3.0));
    }
}
