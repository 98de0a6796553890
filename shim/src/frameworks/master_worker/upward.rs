//! What links a sub-master to its master.

use super::bundle::Bundle;

/// What links a sub-master to its master.
#[derive(Debug)]
pub struct Upward {
    /// The master's rank.
    pub master: usize,
    /// Results to be sent.
    pub results: Bundle,
    /// Chunks that it has asked for, and not got since.
    pub asked: usize,
}
