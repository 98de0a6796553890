//! The master's part of an iteration with ranks that send the results of several chunks at a time: workers that take their chunks from the
//! shared counter ([`super::counter`]), and sub-masters, to which it sends several chunks at a time ([`super::submaster`]).

use super::bundle::{self, Bundle};
use super::master::Master;
use super::message::{Header, Kind};
use super::subteams::Subteam;
use crate::frameworks::endpoint::LARGE_BYTES;
use crate::mpi::MpiFailed;
use crate::{scheduling, status};
use midrun_scheduling::Chunk;

impl Master<'_> {
    /// Tells the sub-masters whom they lead.
    pub fn appoint(&mut self) -> Result<(), MpiFailed> {
        let Some(subteams) = &self.subteams else { return Ok(()) };
        for team in &subteams.teams {
            let mut message = self.endpoint.buffer();
            let header = Header {
                first: u64::from(scheduling::current().0.kind.code()),
                total: self.tasks,
                ..Header::new(Kind::Lead, self.iteration)
            };
            let header = header.with_manner(self.ledger.may_recall(), self.ledger.is_synchronous());
            let payload = header.write(&mut message, 4 * team.ranks.len());
            for (to, rank) in payload.chunks_exact_mut(4).zip(&team.ranks) {
                to.copy_from_slice(&(*rank as u32).to_le_bytes());
            }
            self.endpoint.send(team.ranks[0], message)?;
        }
        Ok(())
    }

    /// Sends the sub-masters the chunks that they may have: one for each worker; then, as long as chunks are small, one ahead for each, and
    /// as many for the time in which results and new chunks travel.
    pub fn supply(&mut self) -> Result<(), MpiFailed> {
        let Some(mut subteams) = self.subteams.take() else { return Ok(()) };
        let mut sent = Ok(());
        for ahead in [false, true] {
            for team in &mut subteams.teams {
                sent = sent.and_then(|()| self.supply_one(team, ahead));
            }
        }
        self.subteams = Some(subteams);
        sent
    }

    fn supply_one(&mut self, team: &mut Subteam, ahead: bool) -> Result<(), MpiFailed> {
        let workers = team.computing.len();
        let wanted = team.out + if ahead { std::mem::take(&mut team.wanted) } else { 0 };
        while !team.is_told {
            let mut bundle = Bundle::new(self.endpoint.buffer());
            while bundle.bytes() < LARGE_BYTES && !self.ledger.is_stopped() {
                let most = if ahead && self.ledger.runs_ahead(team.last) { 3 * workers } else { workers };
                if team.out >= most.max(wanted) {
                    break;
                }
                let Some(chunk) = self.ledger.next(team.computing[team.cut % workers]) else { break };
                self.add(&mut bundle, chunk);
                (team.cut, team.out, team.last) = (team.cut + 1, team.out + 1, chunk.count);
            }
            let left = if self.ledger.is_stopped() { 0 } else { self.ledger.left() };
            let later = (left * workers as u64).div_ceil(self.team.active().len() as u64);
            let is_full = bundle.bytes() >= LARGE_BYTES;
            if bundle.chunks() > 0 || later == 0 {
                let header = Header { status: self.status, total: later, ..Header::new(Kind::Chunks, self.iteration) };
                self.endpoint.hand_over(team.ranks[0], bundle.finish(header), self.ledger.is_synchronous())?;
                team.is_told = later == 0;
            }
            if !is_full {
                break;
            }
        }
        Ok(())
    }

    /// Adds a chunk and its inputs.
    fn add(&mut self, bundle: &mut Bundle, chunk: Chunk) {
        let (at, good) = bundle.begin_with(|message| self.append_inputs(chunk, message));
        bundle.end(at, &Header { first: chunk.first, count: chunk.count, ..Header::new(Kind::Chunk, self.iteration) });
        if !good {
            self.fail(status::ERR_TASK);
        }
    }

    /// `sender` sends the results of several chunks: its own, or those of its sub-team.
    pub fn on_results(&mut self, sender: usize, header: &Header, mut payload: &[u8]) {
        let takes = self.shared.as_ref().is_some_and(|shared| shared.takes[sender]);
        let led = self.led_by(sender);
        let mut chunks = 0;
        for _ in 0..header.count {
            let done = bundle::next(&mut payload, Kind::Result);
            let worker = done.as_ref().and_then(|(done, _)| self.team.position(usize::try_from(done.iteration).ok()?));
            let (Some((done, results)), Some(worker)) = (done, worker) else {
                self.fail(status::ERR_COUNT);
                break;
            };
            let is_theirs = (takes && worker == sender) || (led.is_some() && self.sub_team_of(worker) == led);
            let chunk = Chunk { first: done.first, count: done.count };
            if !is_theirs || !self.ledger.take_bundled(worker, chunk, (done.total as f64 * 1e-9, done.sum_sq_s2)) {
                self.fail(status::ERR_COUNT);
                break;
            }
            chunks += 1;
            self.task_ns += done.total;
            self.sizes.add_done(results.len(), done.count);
            if self.status == status::OK && !self.deliver(worker, &done, results) {
                self.fail(status::ERR_TASK);
            }
        }
        self.ledger.chunks += chunks as u64;
        if header.status != status::OK {
            self.fail(header.status);
        }
        let is_last = header.total != 0;
        if let (Some(team), Some(subteams)) = (led, &mut self.subteams) {
            let team = &mut subteams.teams[team];
            // Recall divides chunks: then there are more than were sent.
            team.out = team.out.saturating_sub(chunks);
            team.wanted = usize::try_from(header.first).unwrap_or(0).min(team.ranks.len());
            team.is_told |= is_last;
        }
        if is_last && !((takes || led.is_some()) && self.ledger.leave()) {
            self.fail(status::ERR_COUNT);
        }
        if let (true, Some(shared)) = (is_last, &mut self.shared) {
            shared.takes[sender] = false; // what others lost, the master sends it
        }
    }

    fn sub_team_of(&self, worker: usize) -> Option<usize> {
        self.subteams.as_ref()?.team_of(worker)
    }

    /// The sub-team whose sub-master is this worker.
    fn led_by(&self, worker: usize) -> Option<usize> {
        let team = self.sub_team_of(worker)?;
        let subteams = self.subteams.as_ref()?;
        (self.team.position(subteams.teams[team].ranks[0]) == Some(worker)).then_some(team)
    }

    /// Whether such a message belongs to this iteration.
    pub fn expects(&self, header: &Header) -> bool {
        header.kind == Kind::Results && header.iteration == self.iteration
    }
}
