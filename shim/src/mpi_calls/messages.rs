//! Messages of the program, recorded one by one: from sends and receives that match, the analyzer learns what a message costs.
//!
//! The begin of a call that sends, and the end of one that received and may have waited, bound the message's way. A program has time for its own
//! messages, so only the first ones of each kind are recorded, and none shortly after another. Where some come close together, such as those to
//! all neighbours, a drawn one of them is, so that each peer has its share. [`super::requests`] has those of nonblocking calls.

use super::CLASS_BITS;
use super::sampling::draw;
use crate::guard::guard_value;
use crate::records::{self, Message};
use midrun_ring::calls::NAMES;
use midrun_ring::counters::Class;
use std::cell::{Cell, OnceCell};
use std::ffi::c_int;
use std::sync::OnceLock;

/// Sends, and receives, that a thread records: some hundred that match say all that there is to know of a network that stays the same.
const EACH: u32 = 300;
/// Shortest time between two of them, nanoseconds: what is recorded then takes less than 1 % of the time, and fills no ring. What lies nearer
/// together was done at once.
pub(super) const APART_NS: u64 = 10_000;

/// What a thread may still record of one direction, and when it last did.
#[derive(Clone, Copy, Debug)]
struct Left {
    messages: u32,
    last_ns: u64,
    /// Messages since then that came too soon, and the most that ever did.
    near: u32,
    burst: u32,
    /// Messages to be passed over before the next one; none: not drawn yet.
    skip: Option<u32>,
    random: u64,
}

impl Left {
    const ALL: Left = Left { messages: EACH, last_ns: 0, near: 0, burst: 0, skip: None, random: 1 };

    /// Whether a message of this moment is recorded.
    fn takes(&mut self, now_ns: u64) -> bool {
        if self.messages == 0 {
            return false;
        }
        if now_ns.saturating_sub(self.last_ns) < APART_NS {
            self.near += 1;
            return false;
        }
        self.burst = self.burst.max(self.near);
        let skip = self.skip.unwrap_or_else(|| (draw(&mut self.random) % (u64::from(self.burst) + 1)) as u32);
        if skip > 0 {
            self.skip = Some(skip - 1);
            return false;
        }
        *self = Left { messages: self.messages - 1, last_ns: now_ns, near: 0, skip: None, ..*self };
        true
    }
}

/// What a call has to do with messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    None,
    Sends,
    Receives,
    PostsSend,
    PostsReceive,
    Exchanges,
    Waits,
    /// Make persistent requests, and start them.
    KeepsSend,
    KeepsReceive,
    Starts,
}

impl Part {
    fn of(name: &str) -> Part {
        match name {
            "MPI_Send" | "MPI_Ssend" | "MPI_Rsend" => Part::Sends,
            "MPI_Recv" => Part::Receives,
            "MPI_Isend" | "MPI_Issend" | "MPI_Irsend" => Part::PostsSend,
            "MPI_Irecv" => Part::PostsReceive,
            "MPI_Sendrecv" | "MPI_Sendrecv_replace" => Part::Exchanges,
            "MPI_Wait" | "MPI_Waitany" | "MPI_Waitsome" | "MPI_Waitall" => Part::Waits,
            "MPI_Send_init" | "MPI_Ssend_init" | "MPI_Rsend_init" => Part::KeepsSend,
            "MPI_Recv_init" => Part::KeepsReceive,
            "MPI_Start" | "MPI_Startall" => Part::Starts,
            _ => Part::None,
        }
    }

    fn of_call(number: u32) -> Part {
        static PARTS: OnceLock<[Part; NAMES.len()]> = OnceLock::new();
        PARTS.get_or_init(|| NAMES.map(Part::of)).get(number as usize).copied().unwrap_or_default()
    }
}

/// Whether the peer of a call takes no part in it: the call reaches that rank's memory, or looks whether a message of it has come.
pub(super) fn is_without_peer(number: u32) -> bool {
    static WITHOUT_PEER: OnceLock<[bool; NAMES.len()]> = OnceLock::new();
    let of = |name: &str| match name {
        // Not MPI_Mprobe: it takes a message, and the receive of that names no peer.
        "MPI_Probe" | "MPI_Iprobe" | "MPI_Improbe" => true,
        "MPI_Put"
        | "MPI_Get"
        | "MPI_Accumulate"
        | "MPI_Get_accumulate"
        | "MPI_Fetch_and_op"
        | "MPI_Compare_and_swap" => true,
        "MPI_Rput" | "MPI_Rget" | "MPI_Raccumulate" | "MPI_Rget_accumulate" => true,
        _ => name.starts_with("MPI_Win_"),
    };
    WITHOUT_PEER.get_or_init(|| NAMES.map(of)).get(number as usize).copied().unwrap_or_default()
}

/// The other rank of a message, in the world, and whether it is on this host.
pub(super) type Peer = (u32, bool);

pub(super) fn known((class, peer): (Class, u32)) -> Option<Peer> {
    Some((peer.checked_sub(1)?, class == Class::SameHost))
}

/// As `counted.h` passes peers.
fn packed(peer: c_int) -> (Class, u32) {
    let peer = peer.cast_unsigned();
    (Class::from_number(peer & ((1 << CLASS_BITS) - 1)), peer >> CLASS_BITS)
}

/// A call that ended. Times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) part: Part,
    pub(super) class: Class,
    pub(super) peer: Option<Peer>,
    pub(super) bytes: u64,
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
}

/// What a thread knows of its messages.
#[derive(Debug)]
struct Thread {
    left: [Cell<Left>; 2],
    /// The last call of which more is to be told: by its request, or of its two messages.
    last: Cell<Option<Ended>>,
}

thread_local! {
    // Allocated at a thread's first message: where libmidrun is loaded by dlopen, little room is left for what threads have.
    static THREAD: OnceCell<Box<Thread>> = const { OnceCell::new() };
}

/// `None` while the thread ends.
fn with_thread<T>(body: impl FnOnce(&Thread) -> T) -> Option<T> {
    let make = || Box::new(Thread { left: [const { Cell::new(Left::ALL) }; 2], last: Cell::new(None) });
    THREAD.try_with(|own| body(own.get_or_init(make))).ok()
}

/// Whether one more message of this direction is recorded.
pub(super) fn admits(received: bool, now_ns: u64) -> bool {
    let admitted = with_thread(|own| {
        let left = &own.left[usize::from(received)];
        let mut now = left.get();
        let takes = now.takes(now_ns);
        left.set(now);
        takes
    });
    admitted.unwrap_or(false)
}

/// Whether receives are recorded at all by now.
pub(super) fn receives_are_left() -> bool {
    with_thread(|own| own.left[1].get().messages > 0).unwrap_or(false)
}

/// A call of function `number` has ended, which may be one that sends or receives a message.
#[inline]
pub fn on_call(number: u32, (class, peer): (Class, u32), bytes: u64, (begin_ns, end_ns): (u64, u64)) {
    let part = Part::of_call(number);
    if part == Part::None {
        return;
    }
    let call = Ended { part, class, peer: known((class, peer)), bytes, begin_ns, end_ns };
    let received = part == Part::Receives;
    if part == Part::Sends || received {
        if let Some(peer) = call.peer
            && admits(received, end_ns)
        {
            records::message(&Message { received, peer, bytes, begin_ns, end_ns, wait_ns: 0 });
        }
    } else {
        with_thread(|own| own.last.set(Some(call)));
    }
}

/// The last call, if it is of such a part.
pub(super) fn last(part: impl Fn(Part) -> bool) -> Option<Ended> {
    with_thread(|own| own.last.get()).flatten().filter(|call| part(call.part))
}

/// Whether this thread still records messages of any direction.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_has_left() -> c_int {
    guard_value("an MPI call", 0, || {
        let any = with_thread(|own| own.left.iter().any(|left| left.get().messages > 0));
        c_int::from(any.unwrap_or(false))
    })
}

/// The call that ended last sent a message of `sent` bytes to `to`, and received one of `got` bytes from `from`, as `counted.h` passes peers.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_exchanged(to: c_int, sent: u64, from: c_int, got: u64) {
    guard_value("an MPI call", (), || {
        let Some(call) = last(|part| part == Part::Exchanges) else { return };
        let (to, from) = (known(packed(to)), known(packed(from)));
        // The call ends when the message that it sends is taken, too, which another rank may do later.
        let from = from.filter(|_| to.is_none() || to == from);
        for (received, peer, bytes) in [(false, to, sent), (true, from, got)] {
            if let Some(peer) = peer
                && admits(received, call.end_ns)
            {
                let Ended { begin_ns, end_ns, .. } = call;
                // It receives as a request does that is waited for at once.
                let wait_ns = if received { begin_ns } else { 0 };
                records::message(&Message { received, peer, bytes, begin_ns, end_ns, wait_ns });
            }
        }
    });
}

/// The number of the call `name`.
#[cfg(test)]
pub(super) fn number(name: &str) -> u32 {
    NAMES.iter().position(|known| *known == name).expect("a call") as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_that_send_and_receive_are_known_by_their_names() {
        let with = |part| (0..NAMES.len() as u32).filter(|number| Part::of_call(*number) == part).count();
        let all = [Part::Sends, Part::Receives, Part::PostsSend, Part::PostsReceive, Part::Exchanges, Part::Waits];
        assert_eq!(all.map(with), [3, 1, 3, 1, 2, 4]);
        assert_eq!([Part::KeepsSend, Part::KeepsReceive, Part::Starts].map(with), [3, 1, 2]);
        assert_eq!(Part::of_call(u32::MAX), Part::None);
    }

    #[test]
    fn the_calls_that_reach_memory_or_look_for_messages_are_known_by_their_names() {
        let alone = "Probe Iprobe Improbe Put Get Accumulate Rput Rget Raccumulate Get_accumulate Rget_accumulate Fetch_and_op Compare_and_swap Win_lock Win_flush";
        assert!(alone.split(' ').all(|name| is_without_peer(number(&format!("MPI_{name}")))));
        assert!(
            !["MPI_Send", "MPI_Recv", "MPI_Mprobe", "MPI_Mrecv", "MPI_Get_count", "MPI_Rsend"]
                .iter()
                .any(|name| is_without_peer(number(name)))
        );
        assert!(!is_without_peer(u32::MAX));
    }

    #[test]
    fn a_thread_records_so_many_and_none_shortly_after_another() {
        let left = || with_thread(|own| own.left[1].get().messages).expect("a thread");
        let mut end_ns = 5 * APART_NS;
        let mut receive = |later_ns, peer| {
            end_ns += later_ns;
            on_call(number("MPI_Recv"), (Class::SameHost, peer), 8, (end_ns - 10, end_ns));
            left()
        };
        assert_eq!([receive(0, 1), receive(APART_NS - 1, 1), receive(APART_NS, 0)], [299, 299, 299]);
        assert_eq!((0..4 * EACH).map(|_| receive(APART_NS, 2)).last(), Some(0));
        assert!(!receives_are_left());
    }

    #[test]
    fn of_messages_that_come_close_together_each_has_its_share() {
        for burst in [1, 2, 4, 6] {
            let (mut left, mut now_ns, mut taken) = (Left::ALL, 0, vec![0; burst]);
            while left.messages > 0 {
                now_ns += 100 * APART_NS;
                for (place, taken) in taken.iter_mut().enumerate() {
                    *taken += u32::from(left.takes(now_ns + 500 * place as u64));
                }
            }
            let fair = EACH / burst as u32;
            assert!(taken.iter().all(|taken| taken.abs_diff(fair) <= fair / 4), "{burst}: {taken:?}");
        }
    }
}
