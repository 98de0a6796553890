//! The chunk that the master computes itself.

use crate::clock;
use midrun_scheduling::Chunk;

/// The chunk that the master computes.
pub struct OwnChunk {
    /// The master's position among the active workers.
    pub worker: usize,
    /// Its tasks, without those that went to others.
    pub chunk: Chunk,
    /// Tasks that are computed.
    pub computed: u64,
    /// When it was cut, nanoseconds.
    pub began_ns: u64,
    /// Time that its tasks took so far, nanoseconds.
    pub busy_ns: u64,
    /// Sum of their squared times, seconds squared.
    pub sum_sq_s2: f64,
    /// Their results, where these have a fixed size.
    pub results: Vec<u8>,
}

impl OwnChunk {
    /// A chunk that the master, at position `worker` of the team, has cut for itself.
    pub fn new(worker: usize, chunk: Chunk) -> OwnChunk {
        OwnChunk {
            worker,
            chunk,
            computed: 0,
            began_ns: clock::now_ns(),
            busy_ns: 0,
            sum_sq_s2: 0.0,
            results: Vec::new(),
        }
    }
}
