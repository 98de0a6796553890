//! Messages of the program, recorded one by one: from sends and receives that match, the analyzer learns what a message costs.
//!
//! Blocking calls only: the begin of such a send, and the end of such a receive, bound the message's way. A program has time for its
//! own messages, so only the first ones of each kind are recorded, and none shortly after another.

use crate::records;
use midrun_ring::calls::NAMES;
use midrun_ring::counters::Class;
use std::cell::Cell;
use std::sync::OnceLock;

/// Sends, and receives, that a thread records: some hundred that match say all that there is to know of a network that stays the same.
const EACH: u32 = 300;
/// Shortest time between two of them, nanoseconds: what is recorded then takes less than 1 % of the time, and fills no ring.
const APART_NS: u64 = 10_000;

/// What a thread may still record of one direction, and when it last did.
#[derive(Clone, Copy, Debug)]
struct Left {
    messages: u32,
    last_ns: u64,
}

thread_local! {
    static LEFT: [Cell<Left>; 2] = const { [const { Cell::new(Left { messages: EACH, last_ns: 0 }) }; 2] };
}

/// Numbers of the blocking calls: those that send, and the one that receives.
fn numbers() -> &'static ([u32; 3], u32) {
    static NUMBERS: OnceLock<([u32; 3], u32)> = OnceLock::new();
    let number = |name: &str| NAMES.iter().position(|known| *known == name).map_or(u32::MAX, |at| at as u32);
    NUMBERS.get_or_init(|| (["MPI_Send", "MPI_Ssend", "MPI_Rsend"].map(number), number("MPI_Recv")))
}

/// A call of function `number` has ended, which may be one that sends or receives a message.
#[inline]
pub fn on_call(number: u32, (class, peer): (Class, u32), bytes: u64, (begin_ns, end_ns): (u64, u64)) {
    let (sends, receives) = numbers();
    let received = number == *receives;
    if !received && !sends.contains(&number) || peer == 0 {
        return;
    }
    let _ = LEFT.try_with(|left| {
        let left = &left[usize::from(received)];
        let mut now = left.get();
        if now.messages == 0 || end_ns.saturating_sub(now.last_ns) < APART_NS {
            return;
        }
        (now.messages, now.last_ns) = (now.messages - 1, end_ns);
        left.set(now);
        records::message(received, (peer - 1, class == Class::SameHost), bytes, (begin_ns, end_ns));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_that_send_and_receive_are_known_by_their_names() {
        let (sends, receives) = numbers();
        let known = sends.iter().chain([receives]).map(|number| NAMES[*number as usize]).collect::<Vec<_>>();
        assert_eq!(known, ["MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Recv"]);
    }

    #[test]
    fn a_thread_records_so_many_and_none_shortly_after_another() {
        let left = || LEFT.with(|left| left[1].get().messages);
        let (_, receives) = *numbers();
        let mut end_ns = 5 * APART_NS;
        let mut receive = |later_ns, peer| {
            end_ns += later_ns;
            on_call(receives, (Class::SameHost, peer), 8, (end_ns - 10, end_ns));
            left()
        };
        assert_eq!(
            [receive(0, 1), receive(APART_NS - 1, 1), receive(1, 1), receive(APART_NS, 0)],
            [299, 299, 298, 298]
        );
        assert_eq!((0..2 * EACH).map(|_| receive(APART_NS, 2)).last(), Some(0));
    }
}
