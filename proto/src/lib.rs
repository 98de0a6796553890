//! The wire seam: agent to analyzer, command line to analyzer.
//!
//! What is not generated from `proto/midrun/v1/*.proto`, whose comments are the documentation of the messages: `token`, `tls` and `keys`
//! say who may speak; `connections` and `links` are what analyzer and agents have in common as servers.

#![forbid(unsafe_code)]

pub mod connections;
pub mod keys;
pub mod links;
pub mod tls;
pub mod token;

/// Version of the wire protocol that an agent names in its `Hello`. The analyzer refuses any other.
pub const PROTOCOL_VERSION: u32 = 5;

/// The iteration of `Work` whose rank does not know the master's count.
pub const UNKNOWN_ITERATION: u64 = u64::MAX;

/// Package `midrun.v1`.
#[allow(missing_docs)]
pub mod v1 {
    tonic::include_proto!("midrun.v1");
}
