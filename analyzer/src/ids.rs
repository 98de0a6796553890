//! Ids as types of their own, so that none is taken for another.

use std::fmt;
use std::sync::Arc;

use crate::limits;

/// A job: one run of one MPI program. Letters, digits, `.`, `_`, `-`; at most 63 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(Arc<str>);

impl JobId {
    /// A job's id, or `None` where the text is not one.
    pub fn new(text: &str) -> Option<JobId> {
        let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        let fits = !text.is_empty() && text.len() <= limits::JOB_ID_BYTES;
        (fits && text.bytes().all(good)).then(|| JobId(text.into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An agent process: node, pid and start time, as it names itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId(pub Arc<str>);

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One connection of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u64);

/// One question of the admin service that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId(pub u64);

/// An action; grows within a job, also over restarts of the analyzer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_id_is_what_a_file_name_may_hold() {
        assert!(JobId::new("run-17.a_b").is_some());
        for bad in ["", "a b", "a/b", "ä", &"x".repeat(64)] {
            assert!(JobId::new(bad).is_none(), "{bad}");
        }
    }
}
