//! The life of a process that a master started: it computes until the master dismisses it, and never returns to its program.

use super::config::{Config, RawConfig};
use super::message::{Header, Kind};
use super::worker::{self, End, Kept};
use crate::clock;
use crate::frameworks::endpoint::{Endpoint, Message};
use crate::mpi::MpiFailed;
use crate::{agent_link, spawn, stderr};
use std::collections::VecDeque;

/// Serves the master from the program's `midrun_mw_create` on.
pub fn serve(raw: &RawConfig) -> ! {
    // In its own view this process is rank 1 of two, and the master is rank 0.
    match Config::checked(&RawConfig { master: 0, ..*raw }, 1, 2) {
        Some(config) if config.may_spawn() => {
            if work(config).is_err() {
                stderr::warn("a started worker has lost its master");
            }
        }
        // The master gets no message from this process and gives up on it.
        _ => stderr::warn("a started worker has no use: the program's first framework has no MIDRUN_MW_SPAWN"),
    }
    spawn::end()
}

fn work(mut config: Config) -> Result<(), MpiFailed> {
    let mut endpoint = Endpoint::open_spawned()?;
    let mut messages = VecDeque::new();
    endpoint.send(config.master, config.hello().message())?;
    let Some(header) = welcome(&mut endpoint, &mut messages)? else { return Ok(()) };
    let mut iteration = header.iteration;
    config.master_world = header.first.checked_sub(1).and_then(|rank| u32::try_from(rank).ok());
    let mut kept = Kept { parked: true, ..Kept::default() };
    loop {
        if worker::iterate(&config, &mut endpoint, &mut messages, iteration, &mut kept)? == End::Dismissed {
            return Ok(());
        }
        iteration += 1;
    }
}

/// Waits for the first iteration of this process; `None` when the master dismisses it.
fn welcome(endpoint: &mut Endpoint, messages: &mut VecDeque<Message>) -> Result<Option<Header>, MpiFailed> {
    loop {
        agent_link::check_when_due(clock::now_ns());
        endpoint.wait(messages, true)?;
        if let Some(message) = messages.pop_front() {
            let header = Header::read(&message.bytes).map(|(header, _)| header);
            return Ok(header.filter(|header| header.kind == Kind::Welcome));
        }
    }
}
