//! A process that a master started: it computes until it is sent away, and never comes back to its program.

use super::config::{Config, RawConfig};
use super::message::{Header, Kind};
use super::worker::{self, End};
use crate::clock;
use crate::frameworks::post::Post;
use crate::mpi::MpiFailed;
use crate::{agent_link, spawn, stderr};
use std::collections::VecDeque;

/// Its life from the program's `midrun_mw_create` on.
pub fn serve(raw: &RawConfig) -> ! {
    // As this process sees it, it is rank 1 of two, and the master rank 0.
    match Config::checked(&RawConfig { master: 0, ..*raw }, 1, 2) {
        Some(config) if config.may_spawn() => {
            if work(&config).is_err() {
                stderr::warn("a started worker has lost its master");
            }
        }
        // The master hears nothing of this process and gives it up.
        _ => stderr::warn("a started worker has no use: the program's first framework has no MIDRUN_MW_SPAWN"),
    }
    spawn::end()
}

fn work(config: &Config) -> Result<(), MpiFailed> {
    let mut post = Post::open_spawned()?;
    let mut letters = VecDeque::new();
    post.send(config.master, config.hello().message())?;
    let Some(mut iteration) = welcome(&mut post, &mut letters)? else { return Ok(()) };
    let mut parked = true;
    loop {
        match worker::iterate(config, &mut post, &mut letters, iteration, parked)? {
            End::Over(_, chunks) => parked = chunks == 0,
            End::Dismissed => return Ok(()),
        }
        iteration += 1;
    }
}

/// The iteration in which it begins; `None` when it is not wanted.
fn welcome(post: &mut Post, letters: &mut VecDeque<crate::frameworks::post::Letter>) -> Result<Option<u64>, MpiFailed> {
    loop {
        agent_link::check_when_due(clock::now_ns());
        post.wait(letters, true)?;
        if let Some(letter) = letters.pop_front() {
            let header = Header::read(&letter.bytes).map(|(header, _)| header);
            return Ok(header.filter(|header| header.kind == Kind::Welcome).map(|header| header.iteration));
        }
    }
}
