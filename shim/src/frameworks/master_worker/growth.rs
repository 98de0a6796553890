//! Growth of the team beyond the ranks of the job: processes that are started in the background, one at a time, and join at
//! the start of an iteration.

use super::config::Config;
use super::message::{Header, Kind};
use super::team::Team;
use crate::frameworks::endpoint::Endpoint;
use crate::mpi::MpiFailed;
use crate::spawn::{self, Start};
use crate::{clock, scheduling, state, stderr};

/// Longest wait for a started process, seconds; `MIDRUN_SPAWN_DEADLINE_S` overrides it.
const DEADLINE_S: f64 = 30.0;

/// The state of the growth.
#[derive(Debug)]
pub struct Growth {
    /// Ranks of the job, and workers of the team, before any process was started.
    ranks: u32,
    workers: u32,
    /// Processes that may be started, and those that have joined.
    most: u32,
    joined: u32,
    start: Option<Start>,
    /// Time of the last progress: a process joined, or a start began.
    progress_ns: u64,
    deadline_s: f64,
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

impl Growth {
    /// Returns the growth if the program and the user allow it and MPI supports it. If only MPI does not, prints the reason.
    /// The team has `workers` workers now. None is started where the death of ranks is tolerated: that of such a process would not be.
    pub fn plan(config: &Config, workers: u32, tolerates: bool) -> Option<Growth> {
        let most: u32 = variable("MIDRUN_MAX_WORKERS")?;
        let ranks = state::segment()?.identity().world_size;
        if !config.may_spawn() || most <= workers {
            return None;
        }
        let room = match tolerates {
            true => Err("the flag MIDRUN_MW_TOLERATE does not cover started processes".to_owned()),
            false => spawn::room(),
        };
        match room {
            Ok(room) => {
                let most = (most - workers).min(u32::try_from(room).unwrap_or(u32::MAX));
                let deadline_s = variable("MIDRUN_SPAWN_DEADLINE_S").filter(|s| *s > 0.0).unwrap_or(DEADLINE_S);
                scheduling::declare_spawned(most);
                Some(Growth { ranks, workers, most, joined: 0, start: None, progress_ns: 0, deadline_s })
            }
            Err(why) => {
                stderr::warn(format_args!(
                    "no worker can be started beyond the {workers} that are there: {why}; the job goes on with those"
                ));
                None
            }
        }
    }

    /// Before the first chunk of an iteration: lets started processes join, gives up on those that did not come in time, and
    /// starts as many as the tuning point asks for.
    pub fn step(
        &mut self,
        config: &Config,
        endpoint: &mut Endpoint,
        team: &mut Team,
        iteration: u64,
    ) -> Result<(), MpiFailed> {
        let now_ns = clock::now_ns();
        if let Some(start) = self.start.take() {
            let (ready, ended) = start.news();
            for (child, hello) in ready {
                if Header::read(&hello).is_none_or(|(header, _)| header != config.hello()) {
                    start.abandon();
                    spawn::dismiss(Some(child), &farewell());
                    self.give_up("its tasks are not those of this framework");
                    return Ok(());
                }
                let rank = endpoint.adopt(child)?;
                team.join();
                let first = config.master_world.map_or(0, |rank| u64::from(rank) + 1);
                endpoint.send(rank, Header { first, ..Header::new(Kind::Welcome, iteration) }.message())?;
                self.joined += 1;
                self.progress_ns = now_ns;
                scheduling::grow(self.workers + self.joined, (self.joined, self.most));
            }
            match ended {
                Some(Ok(())) => {}
                Some(Err(why)) => self.give_up(&why),
                None if now_ns < self.progress_ns + (self.deadline_s * 1e9) as u64 => self.start = Some(start),
                None => {
                    start.abandon();
                    self.give_up(&format!("it did not come within {} s", self.deadline_s));
                }
            }
        }
        let wanted = scheduling::spawned().min(self.most);
        if self.start.is_none() && self.joined < wanted {
            let numbers = self.ranks + self.joined..self.ranks + wanted;
            match Start::begin(numbers, config.hello().message().len(), farewell()) {
                Ok(start) => (self.start, self.progress_ns) = (Some(start), now_ns),
                Err(why) => self.give_up(&why),
            }
        }
        Ok(())
    }

    /// Starts no further process for the rest of the run.
    fn give_up(&mut self, why: &str) {
        let there = self.workers + self.joined;
        stderr::warn(format_args!(
            "a further worker could not be started: {why}; the job goes on with the {there} that are there"
        ));
        (self.most, self.start) = (self.joined, None);
        scheduling::grow(there, (self.joined, self.joined));
    }
}

impl Drop for Growth {
    fn drop(&mut self) {
        if let Some(start) = &self.start {
            start.abandon();
        }
        spawn::dismiss(None, &farewell());
    }
}

/// The message that ends a started process.
pub fn farewell() -> Vec<u8> {
    Header::new(Kind::Farewell, 0).message()
}
