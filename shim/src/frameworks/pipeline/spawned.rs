//! The life of a process that the head started: it computes stages until the head dismisses it, and never returns to its program.

use super::config::{Config, RawConfig};
use super::message::{Header, Kind};
use super::rank::{HEAD, Rank};
use crate::frameworks::endpoint::Endpoint;
use crate::mpi::MpiFailed;
use crate::{agent_link, clock, spawn, stderr};
use std::collections::VecDeque;
use std::rc::Rc;

/// Serves the head from the program's `midrun_pipe_create` on.
///
/// # Safety
/// As [`Config::read`].
pub unsafe fn serve(raw: *const RawConfig) -> ! {
    // SAFETY: the caller's promise.
    match unsafe { Config::read(raw) } {
        Some((config, _)) if config.may_spawn => {
            if work(config).is_err() {
                stderr::warn("a started rank of a pipeline has lost its head");
            }
        }
        // The head gets no message from this process and gives up on it.
        _ => stderr::warn("a started process has no use: the program's first pipeline has no MIDRUN_PIPE_SPAWN"),
    }
    spawn::end()
}

fn work(config: Config) -> Result<(), MpiFailed> {
    let mut endpoint = Endpoint::open_spawned()?;
    let mut messages = VecDeque::new();
    endpoint.send(HEAD, config.hello())?;
    let own = loop {
        agent_link::check_when_due(clock::now_ns());
        endpoint.wait(&mut messages, true)?;
        if let Some(message) = messages.pop_front() {
            match Header::read(&message.bytes) {
                Some(header) if header.kind == Kind::Welcome => break header.route as usize,
                _ => return Ok(()), // dismissed
            }
        }
    };
    let mut rank = Rank::new(Rc::new(config), endpoint, Rc::from([]), own);
    rank.messages = messages;
    while !rank.dismissed {
        rank.serve()?;
    }
    Ok(())
}
