//! Messages of nonblocking calls: from the call that posts a request to the one that waits for it.
//!
//! A receive is done at the end of the wait that completed it, where no other message arrived in the same wait. While the program computes, a
//! nonblocking send may rest: when the program began to wait for it is recorded, too, which is its end where that was at once. What is only
//! tested for shows whom a send goes to. A persistent request ([`super::persistent`]) is posted by each call that starts it.

use super::hosts::midrun_host_class;
use super::messages::{APART_NS, Ended, Part, Peer, admits, known, last, receives_are_left};
use super::persistent::{self, Kept};
use crate::guard::guard_value;
use crate::records::{self, Message};
use midrun_ring::counters::Class;
use std::cell::{Cell, OnceCell};
use std::ffi::{c_int, c_void};

/// Requests whose messages are on their way, of a thread; of more, the oldest is forgotten.
const ON_THEIR_WAY: usize = 16;
/// Passed on where the status of a request is not known.
const UNKNOWN_BYTES: u64 = u64::MAX;

/// A request that a call posted.
#[derive(Clone, Copy, Debug)]
struct Posted {
    request: u64,
    /// Its communicator is `MPI_COMM_WORLD`.
    on_world: bool,
    /// The same call started other requests before it: when it began is not known.
    is_later: bool,
    call: Ended,
}

impl Posted {
    /// Records its message, if it is sent, which the program began to wait for at `wait_ns`.
    fn record_sent(&self, wait_ns: u64) {
        let Ended { part, peer, bytes, begin_ns, end_ns, .. } = self.call;
        if let (Part::PostsSend, Some(peer)) = (part, peer) {
            let at_once = !self.is_later && wait_ns <= end_ns + APART_NS;
            let wait_ns = if at_once { end_ns } else { wait_ns.max(end_ns + 1) };
            records::message(&Message { received: false, peer, bytes, begin_ns, end_ns, wait_ns });
        }
    }

    /// Nobody was seen to wait for it: of a send's message this tells the peer, not how long it took.
    fn forgotten(&self) {
        self.record_sent(self.call.end_ns + 2 * APART_NS);
    }
}

/// The requests of a thread whose messages are on their way.
#[derive(Debug, Default)]
struct Requests {
    places: [Cell<Option<Posted>>; ON_THEIR_WAY],
    /// How many there are, so that a thread that records no more looks at none.
    count: Cell<usize>,
    /// Where the next request goes if there is no room.
    next: Cell<usize>,
}

impl Requests {
    /// Forgets what is on its way with `request`, and returns it.
    fn take(&self, request: u64) -> Option<Posted> {
        if self.count.get() == 0 {
            return None;
        }
        let is_it = |place: &&Cell<Option<Posted>>| place.get().is_some_and(|posted| posted.request == request);
        let posted = self.places.iter().find(is_it)?.take();
        self.count.set(self.count.get() - 1);
        posted
    }

    /// Forgets those with `request` that are such.
    fn forget(&self, request: u64, such: impl Fn(&Posted) -> bool) {
        let is_it = |place: &&Cell<Option<Posted>>| place.get().is_some_and(|old| old.request == request && such(&old));
        for old in self.places.iter().filter(is_it).filter_map(Cell::take) {
            self.count.set(self.count.get() - 1);
            old.forgotten();
        }
    }

    fn keep(&self, posted: Posted) {
        let place = self.places.iter().position(|place| place.get().is_none()).unwrap_or(self.next.get());
        match self.places[place].replace(Some(posted)) {
            Some(oldest) => oldest.forgotten(),
            None => self.count.set(self.count.get() + 1),
        }
        self.next.set((place + 1) % ON_THEIR_WAY);
    }
}

thread_local! {
    // Allocated at first, as what a thread knows of messages.
    static REQUESTS: OnceCell<Box<Requests>> = const { OnceCell::new() };
}

/// `None` while the thread ends.
fn with_requests<T>(body: impl FnOnce(&Requests) -> T) -> Option<T> {
    REQUESTS.try_with(|own| body(own.get_or_init(Box::default))).ok()
}

/// Whether any request of this thread is on its way.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_has_posted() -> c_int {
    guard_value("an MPI call", 0, || c_int::from(with_requests(|own| own.count.get() > 0).unwrap_or(false)))
}

fn take_posted(request: u64) -> Option<Posted> {
    with_requests(|own| own.take(request)).flatten()
}

/// The call that ended last posted `request`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_posted(request: u64, on_world: c_int) {
    guard_value("an MPI call", (), || {
        let Some(call) = last(|part| matches!(part, Part::PostsSend | Part::PostsReceive)) else { return };
        // MPI gives a handle again when its request is done. MPICH has one handle for all sends that are done when they are posted.
        let receives = call.part == Part::PostsReceive;
        with_requests(|own| own.forget(request, |old| receives || old.call.part == Part::PostsReceive));
        post(Posted { request, on_world: on_world != 0, is_later: false, call });
    });
}

/// The call that ended last started these persistent requests.
///
/// # Safety
/// `count` handles of `width` bytes lie at `requests`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_call_started(requests: *const c_void, width: usize, count: c_int) {
    guard_value("an MPI call", (), || {
        let Some(call) = last(|part| part == Part::Starts) else { return };
        // SAFETY: the caller's promise.
        for (k, request) in unsafe { persistent::handles(requests, width, count) }.enumerate() {
            // An inactive one may be waited for again: nothing of an earlier start is left.
            with_requests(|own| own.forget(request, |_| true));
            let Some(Kept { receives, on_world, class, next_rank, bytes }) = persistent::find(request) else {
                continue;
            };
            let part = if receives { Part::PostsReceive } else { Part::PostsSend };
            let peer = known((class, next_rank));
            post(Posted { request, on_world, is_later: k > 0, call: Ended { part, class, peer, bytes, ..call } });
        }
    });
}

fn post(posted: Posted) {
    let call = posted.call;
    let wanted = match call.part {
        // A receive from any rank is known by its communicator when it completes, which may be gone by then; the world stays.
        Part::PostsReceive => {
            receives_are_left() && (call.peer.is_some() || (call.class == Class::Any && posted.on_world))
        }
        _ => call.peer.is_some() && admits(false, call.end_ns),
    };
    if wanted {
        with_requests(|own| own.keep(posted));
    }
}

/// The call that ended last waited for requests, of which `count` have completed: those of the indices `which`, counted from `first`, or all.
/// Records the sends. Returns which of those completed is the receive whose message arrived at the call's end; -1: none, or more than one.
///
/// # Safety
/// `requests` points to `all` values; `which` is null or points to `count` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_call_arrived(
    requests: *const u64,
    all: c_int,
    count: c_int,
    which: *const c_int,
    first: c_int,
) -> c_int {
    guard_value("an MPI call", -1, || {
        let (Ok(all), Ok(count)) = (usize::try_from(all), usize::try_from(count)) else { return -1 };
        // SAFETY: the caller's promise.
        let requests = unsafe { std::slice::from_raw_parts(requests, all) };
        // SAFETY: likewise.
        let which = (!which.is_null()).then(|| unsafe { std::slice::from_raw_parts(which, count) });
        let request = |k: usize| {
            let at = which.map_or(Ok(k), |which| usize::try_from(which[k] - first));
            at.ok().and_then(|at| requests.get(at)).copied()
        };
        let arrived = arrived((0..count).map(request), which.is_some() || count == 1);
        arrived.and_then(|k| c_int::try_from(k).ok()).unwrap_or(-1)
    })
}

/// See [`midrun_call_arrived`]. A wait for all ends with the last of them: it shows when a message arrived only if all others were sent to the same
/// rank, which takes them when it sends its own; `first_ends_it`: it is no such wait.
fn arrived(completed: impl Iterator<Item = Option<u64>>, first_ends_it: bool) -> Option<usize> {
    let began_ns = last(|part| part == Part::Waits)?.begin_ns;
    let (mut receive, mut clear, mut of) = (None, true, None);
    for (k, request) in completed.enumerate() {
        let Some(posted) = request.and_then(take_posted) else {
            clear &= first_ends_it;
            continue;
        };
        let call = posted.call;
        clear &= first_ends_it || (call.peer.is_some() && *of.get_or_insert(call.peer) == call.peer);
        if call.part == Part::PostsReceive {
            clear &= receive.is_none();
            receive = Some((k, posted));
        } else {
            posted.record_sent(began_ns);
        }
    }
    let (k, posted) = receive.filter(|_| clear)?;
    with_requests(|own| own.keep(posted));
    Some(k)
}

/// The call that ended last waited for `request`, whose message it received: of so many bytes, from this rank of its communicator, as far as they
/// are known.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_received(request: u64, source: c_int, bytes: u64) {
    guard_value("an MPI call", (), || {
        let (Some(posted), Some(wait)) = (take_posted(request), last(|part| part == Part::Waits)) else { return };
        let bytes = if bytes == UNKNOWN_BYTES { posted.call.bytes } else { bytes };
        let rank = u32::try_from(source).ok().filter(|_| posted.on_world);
        let of_world = || Some((rank?, midrun_host_class(source) == 0));
        // Where not all calls are seen, MPI may have given the handle to another receive since.
        let is_it = |peer: &Peer| rank.is_none_or(|rank| rank == peer.0);
        if let Some(peer) = posted.call.peer.or_else(of_world).filter(is_it)
            && admits(true, wait.end_ns)
        {
            let (begin_ns, end_ns) = (wait.begin_ns, wait.end_ns);
            records::message(&Message { received: true, peer, bytes, begin_ns, end_ns, wait_ns: begin_ns });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::messages::{self, number};
    use super::*;

    const MS: u64 = 1_000_000;

    /// Posts a request of `name` at `ms` to or from the rank `peer`; without one from any rank of the world.
    fn post(name: &str, request: u64, ms: u64, peer: Option<u32>) {
        let class = if peer.is_some() { Class::SameHost } else { Class::Any };
        messages::on_call(number(name), (class, peer.map_or(0, |peer| peer + 1)), 8, (ms * MS, ms * MS + 1));
        midrun_call_posted(request, 1);
    }

    /// Waits for all requests, or for one of these, and returns what shows a receive.
    fn wait(name: &str, ms: u64, requests: &[u64], which: Option<&[c_int]>) -> c_int {
        messages::on_call(number(name), (Class::Local, 0), 0, (ms * MS, ms * MS + 1));
        let count = which.map_or(requests.len(), <[c_int]>::len) as c_int;
        let which = which.map_or(std::ptr::null(), <[c_int]>::as_ptr);
        // SAFETY: both are slices of these lengths.
        unsafe { midrun_call_arrived(requests.as_ptr(), requests.len() as c_int, count, which, 0) }
    }

    #[test]
    fn the_end_of_a_wait_is_the_arrival_of_a_message_where_no_other_can_have_ended_it() {
        post("MPI_Irecv", 1, 1, Some(3));
        assert_eq!(wait("MPI_Wait", 2, &[1], None), 0);
        midrun_call_received(1, 3, 8);
        assert_eq!(midrun_call_has_posted(), 0, "it is done");
        assert_eq!(wait("MPI_Wait", 3, &[1], None), -1, "and waited for once");

        // Of several the one that completed; of all that completed one.
        (1..=3).for_each(|k| post("MPI_Irecv", k, 10, None));
        assert_eq!(wait("MPI_Waitany", 11, &[1, 2, 3], Some(&[1])), 0);
        midrun_call_received(2, 5, 8);
        assert_eq!(wait("MPI_Waitsome", 12, &[1, 3], Some(&[0, 1])), -1);
        assert_eq!(midrun_call_has_posted(), 0);

        // An exchange with one rank, with two, and with something that is not known.
        for (to, unknown, shows) in [(4, false, 0), (5, false, -1), (4, true, -1)] {
            post("MPI_Irecv", 1, 20, Some(4));
            post("MPI_Isend", 2, 20 + u64::from(to), Some(to));
            let requests: &[u64] = if unknown { &[1, 2, 77] } else { &[1, 2] };
            assert_eq!(wait("MPI_Waitall", 40, requests, None), shows, "{to} {unknown}");
            midrun_call_received(1, 4, 8);
        }
    }

    #[test]
    fn a_handle_that_mpi_gives_again_is_the_new_request_and_the_oldest_of_too_many_is_forgotten() {
        post("MPI_Irecv", 1, 1, Some(3));
        post("MPI_Isend", 1, 2, Some(4));
        assert_eq!(wait("MPI_Wait", 3, &[1], None), -1, "a send shows no receive");
        assert_eq!(midrun_call_has_posted(), 0);
        // Two sends that were done when they were posted.
        (4..6).for_each(|ms| post("MPI_Isend", 1, ms, Some(4)));
        assert_eq!((wait("MPI_Waitall", 7, &[1, 1], None), midrun_call_has_posted()), (-1, 0));
        (0..=ON_THEIR_WAY as u64).for_each(|k| post("MPI_Irecv", 10 + k, 8, Some(3)));
        assert_eq!(wait("MPI_Wait", 9, &[10], None), -1);
        assert_eq!(wait("MPI_Wait", 10, &[11], None), 0);
    }

    #[test]
    fn a_persistent_request_is_posted_by_each_call_that_starts_it_until_it_is_freed() {
        let make = |name: &str, request, peer: u32| {
            messages::on_call(number(name), (Class::SameHost, peer + 1), 8, (1, 2));
            persistent::midrun_call_kept(request, 1);
        };
        let start = |ms: u64, requests: &[u64]| {
            messages::on_call(number("MPI_Startall"), (Class::SameHost, 0), 8, (ms * MS, ms * MS + 1));
            // SAFETY: handles of this width and number.
            unsafe { midrun_call_started(requests.as_ptr().cast(), size_of::<u64>(), requests.len() as c_int) };
        };
        make("MPI_Recv_init", 501, 3);
        make("MPI_Ssend_init", 502, 3);
        for ms in [10, 20, 30] {
            start(ms, &[501, 502]);
            assert_eq!(wait("MPI_Waitall", ms + 1, &[501, 502], None), 0, "an exchange with one rank");
            midrun_call_received(501, 3, 8);
            assert_eq!(midrun_call_has_posted(), 0, "both are done");
            assert_eq!(wait("MPI_Waitall", ms + 2, &[501, 502], None), -1, "they are inactive");
        }
        // The end of the last one was not seen: a further start is the only one that is waited for.
        start(40, &[501]);
        start(50, &[501]);
        assert_eq!(wait("MPI_Wait", 51, &[501], None), 0);
        midrun_call_received(501, 3, 8);
        assert_eq!(midrun_call_has_posted(), 0);
        persistent::midrun_call_forget(501);
        start(60, &[501]);
        assert_eq!(midrun_call_has_posted(), 0, "nobody knows what it is now");
    }
}
