//! The record of a chunk that a worker computed.

use super::config::Config;
use super::message::Header;
use crate::records::ChunkDone;
use crate::{clock, records};

/// Records `count` tasks of a chunk, computed in `busy_ns`; `are_timed`: one by one.
pub fn record(config: &Config, header: &Header, count: u64, (busy_ns, sum_sq_s2): (u64, f64), are_timed: bool) {
    records::chunk(&ChunkDone {
        iteration: header.iteration,
        first: header.first,
        count,
        end_ns: clock::now_ns(),
        busy_ns,
        sum_sq_s2,
        tasks_total: header.total,
        tasks_timed: are_timed,
        master: config.master_world,
    });
}
