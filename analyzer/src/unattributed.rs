//! Work of ranks that only set markers and do not know which iteration they are in: its time tells the iteration.
//!
//! A chunk is computed between its dispatch and the arrival of its answer, so its middle lies inside its iteration on
//! the master's clock; on another host, as long as the clocks' estimated offset errs by less than half a chunk.

use crate::events::Work;
use crate::limits;

/// Work whose iteration is not known.
#[derive(Clone, Debug)]
pub struct UnattributedWork {
    /// The rank that worked.
    pub rank: u32,
    /// Half-way between its beginning and its end, on the master's clock, nanoseconds.
    pub middle_ns: u64,
    /// The work.
    pub work: Work,
}

/// Unattributed work in the order of its arrival. What has to wait is looked at again only after an iteration began, ended
/// or was closed: a batch that brings work costs nothing for the work that waits.
#[derive(Debug, Default)]
pub struct Unattributed {
    waiting: Vec<UnattributedWork>,
    new: Vec<UnattributedWork>,
    changed: bool,
    any: bool,
}

impl Unattributed {
    /// Takes work in, or gives it back where too much waits.
    pub fn push(&mut self, work: UnattributedWork) -> Option<UnattributedWork> {
        if self.waiting.len() + self.new.len() >= limits::UNATTRIBUTED_WORKS {
            return Some(work);
        }
        self.new.push(work);
        self.any = true;
        None
    }

    /// Whether some rank does not know its iterations.
    pub fn any(&self) -> bool {
        self.any
    }

    /// An iteration began, ended or was closed.
    pub fn on_span_changed(&mut self) {
        self.changed = true;
    }

    /// The work to attribute now.
    pub fn take_due(&mut self) -> Vec<UnattributedWork> {
        let mut due = if std::mem::take(&mut self.changed) { std::mem::take(&mut self.waiting) } else { Vec::new() };
        limits::walks(due.len());
        due.append(&mut self.new);
        due
    }

    /// Keeps work of which too little is known.
    pub fn keep(&mut self, work: UnattributedWork) {
        self.waiting.push(work);
    }
}

/// An iteration that is not closed yet, on the master's clock in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Its number.
    pub iteration: u64,
    /// When it began.
    pub begun_ns: u64,
    /// When it ended, if that is known.
    pub ended_ns: Option<u64>,
}

/// The iteration of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribution {
    /// This one.
    To(u64),
    /// None that is open, now or later.
    Expired,
    /// Too little is known.
    NotYet,
}

/// Attributes work with this middle to one of the open iterations, oldest first; everything before `closed_ns` is closed.
pub fn attribute(spans: &[Span], closed_ns: u64, middle_ns: u64) -> Attribution {
    let later = spans.iter().position(|span| span.begun_ns > middle_ns);
    match spans[..later.unwrap_or(spans.len())].last() {
        // Between two iterations: the clocks differ a little, nothing is computed there.
        Some(span) if later.is_some() || span.ended_ns.is_some_and(|end| middle_ns <= end) => {
            Attribution::To(span.iteration)
        }
        None if later.is_some() || middle_ns <= closed_ns => Attribution::Expired,
        _ => Attribution::NotYet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(iteration: u64, begun_ns: u64, ended_ns: Option<u64>) -> Span {
        Span { iteration, begun_ns, ended_ns }
    }

    #[test]
    fn work_goes_to_the_iteration_it_was_computed_in() {
        let spans = [span(4, 100, Some(200)), span(5, 210, None)];
        assert_eq!(attribute(&spans, 90, 150), Attribution::To(4));
        assert_eq!(attribute(&spans, 90, 205), Attribution::To(4), "between two iterations");
        assert_eq!(attribute(&spans, 90, 250), Attribution::NotYet, "the next may have begun by then");
        assert_eq!(attribute(&spans, 90, 80), Attribution::Expired);
        assert_eq!(attribute(&spans[..1], 90, 205), Attribution::NotYet);
        assert_eq!(attribute(&[], 90, 80), Attribution::Expired);
        assert_eq!(attribute(&[], 90, 100), Attribution::NotYet);
    }
}
