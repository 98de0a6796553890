//! Growth of a framework beyond the ranks of the job: processes that are started in the background, one at a time, and join where the
//! framework lets them.

use crate::mpi::MpiFailed;
use crate::spawn::{self, Start};
use crate::tuning_points::{self, Setter, TuningPoint};
use crate::{clock, state, stderr};
use midrun_ring::TuningPointKind::Whole;
use midrun_vocabulary::names;
use std::sync::atomic::{AtomicU32, Ordering};

/// Longest wait for a started process, seconds; `MIDRUN_SPAWN_DEADLINE_S` overrides it.
const DEADLINE_S: f64 = 30.0;
/// First word of the message that ends a started process, in the messages of each framework.
pub const FAREWELL: u64 = 9;
/// Bytes of that message, and of a started process's first one: the header of each framework's messages.
const HEADER_BYTES: usize = 64;

/// What started processes become.
#[derive(Clone, Copy, Debug)]
pub enum Growing {
    /// Workers of the first Master/Worker team.
    Workers = 0,
    /// Ranks of the first pipeline.
    Pipeline = 1,
}

/// Processes that are to be there, by [`Growing`].
static WANTED: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static SETTER: Setter = Setter::new(
    |_, number, value, _| WANTED[number].store(value.round() as u32, Ordering::Relaxed),
    |number| f64::from(WANTED[number].load(Ordering::Relaxed)),
);

impl Growing {
    fn tuning_point(self) -> &'static str {
        match self {
            Growing::Workers => names::SPAWNED,
            Growing::Pipeline => names::PIPE_SPAWNED,
        }
    }

    /// One of them, and several.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Growing::Workers => ("worker", "tasks"),
            Growing::Pipeline => ("rank", "stages"),
        }
    }

    fn wanted(self) -> u32 {
        WANTED[self as usize].load(Ordering::Relaxed)
    }
}

/// The state of the growth.
#[derive(Debug)]
pub struct Growth {
    of: Growing,
    /// Ranks of the job, and those that compute, before any process was started.
    ranks: u32,
    there: u32,
    /// Processes that may be started, and those that have joined.
    most: u32,
    joined: u32,
    start: Option<Start>,
    /// Time of the last progress: a process joined, or a start began.
    progress_ns: u64,
    deadline_s: f64,
    /// The first message of a process of this framework.
    hello: Vec<u8>,
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

impl Growth {
    /// Returns the growth if the user allows it and MPI supports it; where only MPI or `refusal` hinders it, prints the reason. The program
    /// allows it, `there` ranks compute now, and a process of the same framework would begin with `hello`.
    pub fn plan(of: Growing, there: u32, refusal: Option<&str>, hello: Vec<u8>) -> Option<Growth> {
        let most: u32 = variable("MIDRUN_MAX_WORKERS")?;
        let ranks = state::segment()?.identity().world_size;
        if most <= there {
            return None;
        }
        match refusal.map_or_else(spawn::room, |why| Err(why.to_owned())) {
            Ok(room) => {
                let most = (most - there).min(u32::try_from(room).unwrap_or(u32::MAX));
                let deadline_s = variable("MIDRUN_SPAWN_DEADLINE_S").filter(|s| *s > 0.0).unwrap_or(DEADLINE_S);
                tuning_points::with(|registry| {
                    if !registry.is_declared(&SETTER, of as usize) {
                        let (name, range) = (of.tuning_point().into(), (0.0, f64::from(most)));
                        let number = of as usize;
                        registry.declare(TuningPoint { name, kind: Whole, range, setter: &SETTER, number }, 0.0);
                    }
                });
                Some(Growth { of, ranks, there, most, joined: 0, start: None, progress_ns: 0, deadline_s, hello })
            }
            Err(why) => {
                stderr::warn(format_args!(
                    "no {} can be started beyond the {there} that are there: {why}; the job goes on with those",
                    of.words().0
                ));
                None
            }
        }
    }

    /// Ranks that compute, with the processes that have joined.
    pub fn there(&self) -> u32 {
        self.there + self.joined
    }

    /// Where processes may join: has `join` take in each that came, gives up on those that did not come in time, and starts as many as
    /// the tuning point asks for.
    pub fn step(&mut self, mut join: impl FnMut(usize) -> Result<(), MpiFailed>) -> Result<(), MpiFailed> {
        let now_ns = clock::now_ns();
        if let Some(start) = self.start.take() {
            let (ready, ended) = start.news();
            for (child, hello) in ready {
                if hello != self.hello {
                    start.abandon();
                    spawn::dismiss(Some(child), &farewell());
                    self.give_up(&format!("its {} are not those of this framework", self.of.words().1));
                    return Ok(());
                }
                join(child)?;
                self.joined += 1;
                self.progress_ns = now_ns;
                self.show();
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
        let wanted = self.of.wanted().min(self.most);
        if self.start.is_none() && self.joined < wanted {
            let numbers = self.ranks + self.joined..self.ranks + wanted;
            match Start::begin(numbers, HEADER_BYTES, farewell()) {
                Ok(start) => (self.start, self.progress_ns) = (Some(start), now_ns),
                Err(why) => self.give_up(&why),
            }
        }
        Ok(())
    }

    /// Shows how many have joined, which cannot be undone, and how many can.
    fn show(&self) {
        tuning_points::with(|registry| {
            let number = self.of as usize;
            WANTED[number].store(self.of.wanted().clamp(self.joined, self.most), Ordering::Relaxed);
            registry.set_range(&SETTER, number, (f64::from(self.joined), f64::from(self.most)));
        });
    }

    /// Starts no further process for the rest of the run.
    fn give_up(&mut self, why: &str) {
        stderr::warn(format_args!(
            "a further {} could not be started: {why}; the job goes on with the {} that are there",
            self.of.words().0,
            self.there()
        ));
        (self.most, self.start) = (self.joined, None);
        self.show();
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
    let mut message = FAREWELL.to_le_bytes().to_vec();
    message.resize(HEADER_BYTES, 0);
    message
}
