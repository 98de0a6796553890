//! Work of ranks that only carry marks and do not know which iteration they are in: placed by its time.
//!
//! A chunk is computed between its hand-out and the arrival of its answer, so its middle lies inside its iteration on
//! the master's clock; on another host, as long as the clocks' estimated offset errs by less than half a chunk.

use crate::input::Work;

/// Work that waits for its place.
#[derive(Clone, Debug)]
pub struct Loose {
    /// Who worked.
    pub rank: u32,
    /// When, on the master's clock, nanoseconds.
    pub middle_ns: u64,
    /// What.
    pub work: Work,
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

/// Where work belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// To this iteration.
    In(u64),
    /// To none that is open, now or later.
    Over,
    /// To one of which too little is known.
    NotYet,
}

/// The place of work with this middle among the open iterations, oldest first; everything before `closed_ns` is closed.
pub fn place(spans: &[Span], closed_ns: u64, middle_ns: u64) -> Place {
    let later = spans.iter().position(|span| span.begun_ns > middle_ns);
    match spans[..later.unwrap_or(spans.len())].last() {
        // Between two iterations: the clocks differ a little, nothing is computed there.
        Some(span) if later.is_some() || span.ended_ns.is_some_and(|end| middle_ns <= end) => Place::In(span.iteration),
        None if later.is_some() || middle_ns <= closed_ns => Place::Over,
        _ => Place::NotYet,
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
        assert_eq!(place(&spans, 90, 150), Place::In(4));
        assert_eq!(place(&spans, 90, 205), Place::In(4), "between two iterations");
        assert_eq!(place(&spans, 90, 250), Place::NotYet, "the next may have begun by then");
        assert_eq!(place(&spans, 90, 80), Place::Over);
        assert_eq!(place(&spans[..1], 90, 205), Place::NotYet);
        assert_eq!(place(&[], 90, 80), Place::Over);
        assert_eq!(place(&[], 90, 100), Place::NotYet);
    }
}
