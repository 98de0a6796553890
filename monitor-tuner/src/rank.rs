//! One attached rank: its segment, its rings, and what it has said since the last batch.

use crate::clock;
use crate::collect::Collected;
use crate::limits::RECORDS_PER_PASS;
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{KnobDeclared, KnobType, RankId, RankJoined, RankLeft, RankReport};
use midrun_ring::{CommandProducer, Consumer, Record, Segment};

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
    knobs_told: u32,
    corruption_told: bool,
}

impl Rank {
    /// Maps the rings of `segment`, where an agent before may have stopped.
    pub fn new(segment: Segment) -> Self {
        let lanes = (0..segment.lanes()).map(|lane| segment.consumer(lane)).collect();
        let commands = segment.command_producer();
        Rank { segment, lanes, commands, said: Collected::default(), knobs_told: 0, corruption_told: false }
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
        if self.segment.knob_count() != self.knobs_told {
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

    /// Says again what can be turned; the analyzer is new to this rank.
    pub fn forget_what_was_told(&mut self) {
        self.knobs_told = 0;
    }

    fn tell_knobs(&mut self) {
        let count = self.segment.knob_count();
        for (number, knob) in self.segment.knobs().into_iter().filter(|(number, _)| *number >= self.knobs_told) {
            let kind = if knob.whole { KnobType::I64 } else { KnobType::F64 };
            self.said.push(Kind::KnobDeclared(KnobDeclared {
                knob: number,
                name: knob.name,
                r#type: kind.into(),
                minimum: knob.minimum,
                maximum: knob.maximum,
                value: knob.value,
            }));
        }
        self.knobs_told = count;
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
