//! The events of a simulation, by time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What will happen, the earliest first; at the same time, in the order in which it was foreseen.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    events: BinaryHeap<Foreseen<E>>,
    foreseen: u64,
}

#[derive(Clone, Debug)]
struct Foreseen<E> {
    /// Times are not negative, so their bits order as they do.
    time_bits: u64,
    number: u64,
    event: E,
}

impl<E> Foreseen<E> {
    fn key(&self) -> (u64, u64) {
        (self.time_bits, self.number)
    }
}

/// The earliest is the greatest, for the heap gives that one first.
impl<E> Ord for Foreseen<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Foreseen<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Foreseen<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Foreseen<E> {}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue { events: BinaryHeap::new(), foreseen: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Foresees an event at `time_s`, seconds; a time before 0 counts as 0.
    pub fn at(&mut self, time_s: f64, event: E) {
        self.foreseen += 1;
        self.events.push(Foreseen { time_bits: time_s.max(0.0).to_bits(), number: self.foreseen, event });
    }

    /// The next event, with its time in seconds.
    pub fn pop(&mut self) -> Option<(f64, E)> {
        self.events.pop().map(|next| (f64::from_bits(next.time_bits), next.event))
    }

    /// When the next event is, seconds.
    pub fn next_s(&self) -> Option<f64> {
        self.events.peek().map(|next| f64::from_bits(next.time_bits))
    }

    /// Whether nothing is foreseen.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_at_the_same_time_what_was_foreseen_first() {
        let mut events = EventQueue::default();
        for (time_s, event) in [(2.0, 'd'), (0.5, 'b'), (0.5, 'c'), (-1.0, 'a')] {
            events.at(time_s, event);
        }
        assert_eq!(events.next_s(), Some(0.0));
        assert_eq!(events.pop(), Some((0.0, 'a')));
        events.at(0.5, 'e');
        let rest: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
        assert_eq!(rest, [(0.5, 'b'), (0.5, 'c'), (0.5, 'e'), (2.0, 'd')]);
        assert!(events.is_empty() && events.next_s().is_none());
    }
}
