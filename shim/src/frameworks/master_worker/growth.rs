//! The master's team beyond the ranks that were there: processes that are started beside the work, one at a time, and
//! join at the beginning of an iteration.

use super::config::Config;
use super::message::{Header, Kind};
use super::team::Team;
use crate::frameworks::post::Post;
use crate::mpi::MpiFailed;
use crate::spawn::{self, Start};
use crate::{clock, scheduling, state, stderr};

/// A process that has not come after this time is not waited for. `MIDRUN_SPAWN_DEADLINE_S` says otherwise.
const DEADLINE_S: f64 = 30.0;

/// See the module.
#[derive(Debug)]
pub struct Growth {
    /// Ranks of the job, and workers of the team, before anybody was started.
    ranks: u32,
    workers: u32,
    /// Processes that may be started, and that have come.
    most: u32,
    came: u32,
    start: Option<Start>,
    /// When somebody came last, or the start began, nanoseconds.
    news_ns: u64,
    deadline_s: f64,
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

impl Growth {
    /// Where the program and the user allow it and MPI can do it; says why not, if it is MPI. `workers` are there.
    pub fn plan(config: &Config, workers: u32) -> Option<Growth> {
        let most: u32 = variable("MIDRUN_MAX_WORKERS")?;
        let ranks = state::segment()?.identity().world_size;
        if !config.may_spawn() || most <= workers {
            return None;
        }
        match spawn::room() {
            Ok(room) => {
                let most = (most - workers).min(u32::try_from(room).unwrap_or(u32::MAX));
                let deadline_s = variable("MIDRUN_SPAWN_DEADLINE_S").filter(|s| *s > 0.0).unwrap_or(DEADLINE_S);
                scheduling::declare_spawned(most);
                Some(Growth { ranks, workers, most, came: 0, start: None, news_ns: 0, deadline_s })
            }
            Err(why) => {
                stderr::warn(format_args!(
                    "no worker can be started beyond the {workers} that are there: {why}; the job goes on with those"
                ));
                None
            }
        }
    }

    /// Before an iteration's first hand-out: takes in who has come, gives up who has not, starts whom the tuning point asks for.
    pub fn step(&mut self, config: &Config, post: &mut Post, team: &mut Team, iteration: u64) -> Result<(), MpiFailed> {
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
                let rank = post.adopt(child)?;
                team.join();
                post.send(rank, Header::new(Kind::Welcome, iteration).message())?;
                self.came += 1;
                self.news_ns = now_ns;
                scheduling::grow(self.workers + self.came, (self.came, self.most));
            }
            match ended {
                Some(Ok(())) => {}
                Some(Err(why)) => self.give_up(&why),
                None if now_ns < self.news_ns + (self.deadline_s * 1e9) as u64 => self.start = Some(start),
                None => {
                    start.abandon();
                    self.give_up(&format!("it did not come within {} s", self.deadline_s));
                }
            }
        }
        let wanted = scheduling::spawned().min(self.most);
        if self.start.is_none() && self.came < wanted {
            let numbers = self.ranks + self.came..self.ranks + wanted;
            match Start::begin(numbers, config.hello().message().len(), farewell()) {
                Ok(start) => (self.start, self.news_ns) = (Some(start), now_ns),
                Err(why) => self.give_up(&why),
            }
        }
        Ok(())
    }

    /// For the rest of the run.
    fn give_up(&mut self, why: &str) {
        let there = self.workers + self.came;
        stderr::warn(format_args!(
            "a further worker could not be started: {why}; the job goes on with the {there} that are there"
        ));
        (self.most, self.start) = (self.came, None);
        scheduling::grow(there, (self.came, self.came));
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

/// The message that sends a started process away.
pub fn farewell() -> Vec<u8> {
    Header::new(Kind::Farewell, 0).message()
}
