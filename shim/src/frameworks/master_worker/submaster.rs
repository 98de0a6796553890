//! A worker that is the sub-master of some: it hands them the chunks that the master sends it, by the master's own code, computes some
//! itself, and sends the results several chunks at a time.

use super::bundle::{self, Bundle};
use super::config::Config;
use super::ledger::{Known, Ledger};
use super::master::Master;
use super::message::{Header, Kind};
use super::sizes::Sizes;
use super::team::Team;
use super::upward::Upward;
use crate::clock;
use crate::frameworks::endpoint::{Endpoint, LARGE_BYTES, Message};
use crate::mpi::MpiFailed;
use crate::status;
use midrun_scheduling::{Chunk, Technique, TechniqueParameters};
use std::collections::VecDeque;

/// The sub-team that this worker leads, kept between iterations.
pub type Led = Option<(Vec<usize>, Team)>;

/// Serves the sub-team that the master names, until none of its chunks is out and none follows; returns how many were computed.
pub fn run(
    config: &Config,
    endpoint: &mut Endpoint,
    messages: &mut VecDeque<Message>,
    (header, payload): (&Header, &[u8]),
    led: &mut Led,
) -> Result<u64, MpiFailed> {
    let rank = |word: &[u8]| Some(u32::from_le_bytes(word.try_into().ok()?) as usize);
    let ranks: Vec<usize> = payload.chunks(4).filter_map(rank).filter(|rank| *rank < endpoint.comm.size).collect();
    let own = endpoint.comm.rank;
    if led.as_ref().is_none_or(|(before, _)| *before != ranks) {
        let mut team = Team::new(endpoint.comm.size, (own, true), 0);
        team.choose(ranks.iter().copied().filter(|rank| *rank != own || !config.any_size()).collect(), &[]);
        *led = Some((ranks, team));
    }
    let Some((_, team)) = led else { return Ok(0) };
    let kind = Technique::from_code(header.first as u32).unwrap_or(Technique::Dpf);
    // The inputs of a chunk of any size cannot be divided.
    let recall = header.may_recall() && !config.any_size();
    let known = Known {
        speeds: team.speeds(),
        moments: team.moments,
        timed_singly: !config.whole_chunks(),
        own: team.own(),
        bundlers: None,
        cuts: false,
    };
    let synchronous = header.is_synchronous();
    let parameters = TechniqueParameters { recall, synchronous, ..TechniqueParameters::new(kind) };
    let mut ledger = Ledger::new(parameters, 0, u64::MAX, known);
    ledger.expect(1); // the master says how many when it sends the first
    let results = Bundle::new(endpoint.buffer());
    let upward = Upward { master: config.master, results, asked: 0 };
    let mut sizes = Sizes::default();
    let now = (header.iteration, header.total);
    let mut master = Master::new((config, endpoint, team), ledger, (&[None; 2], &mut sizes), now);
    master.upward = Some(upward);
    master.run(messages)?;
    if master.status == status::OK && !master.ledger.is_balanced() {
        master.status = status::ERR_COUNT;
    }
    master.send_up(true)?;
    let Master { ledger, .. } = master;
    team.remember(ledger.speeds());
    team.moments = ledger.moments();
    Ok(ledger.chunks)
}

impl Master<'_> {
    /// Takes a message of the own master: chunks for the sub-team, and what will follow.
    pub fn on_chunks(&mut self, header: &Header, mut payload: &[u8]) -> Result<(), MpiFailed> {
        for _ in 0..header.count {
            let Some((chunk, inputs)) = bundle::next(&mut payload, Kind::Chunk) else {
                self.fail(status::ERR_COUNT);
                break;
            };
            let chunk = Chunk { first: chunk.first, count: chunk.count };
            if self.config.any_size() || !inputs.is_empty() {
                self.keep_inputs(chunk, inputs);
            }
            self.ledger.receive(chunk);
        }
        self.ledger.expect(header.total);
        if header.status != status::OK {
            self.fail(header.status);
        }
        if let Some(upward) = &mut self.upward {
            upward.asked = 0;
        }
        for worker in (0..self.team.active().len()).chain(0..self.team.active().len()) {
            self.feed(worker)?;
        }
        Ok(())
    }

    /// Passes the results of tasks on: to the program, or to the own master. Returns `false` when the program refuses them.
    pub fn deliver(&mut self, worker: usize, done: &Header, results: &[u8]) -> bool {
        let Some(upward) = &mut self.upward else {
            let begin_ns = clock::now_ns();
            let good = self.config.collect(self.iteration, done.first, done.count, results);
            self.per_task_ns.1 += clock::now_ns().saturating_sub(begin_ns);
            return good;
        };
        let (at, into) = upward.results.begin(results.len());
        into.copy_from_slice(results);
        let rank = self.team.active()[worker] as u64;
        upward.results.end(at, &Header { kind: Kind::Result, iteration: rank, ..*done });
        true
    }

    /// Sends the results that are there where half of the sub-team is done with a chunk, or where workers wait and nothing is left for
    /// them. When nothing follows they wait until all is done: nobody needs them before.
    pub fn report(&mut self) -> Result<(), MpiFailed> {
        let Some(upward) = &self.upward else { return Ok(()) };
        let wanted = self.ledger.wanted().saturating_sub(self.ledger.ready());
        let follow = self.ledger.follow();
        let due = follow && (2 * upward.results.chunks() >= self.team.active().len() as u64 || wanted > upward.asked);
        if due || upward.results.bytes() >= LARGE_BYTES { self.send_up(false) } else { Ok(()) }
    }

    /// Sends the results that are there, and what is wanted; `is_last`: no more follow.
    fn send_up(&mut self, is_last: bool) -> Result<(), MpiFailed> {
        let wanted = self.ledger.wanted().saturating_sub(self.ledger.ready());
        let Some(upward) = &mut self.upward else { return Ok(()) };
        let results = std::mem::replace(&mut upward.results, Bundle::new(self.endpoint.buffer()));
        upward.asked = wanted;
        let header = Header {
            status: self.status,
            first: wanted as u64,
            total: u64::from(is_last),
            ..Header::new(Kind::Results, self.iteration)
        };
        self.endpoint.hand_over(upward.master, results.finish(header), self.ledger.is_synchronous())
    }
}
