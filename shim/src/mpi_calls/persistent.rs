//! Persistent requests: what `MPI_Send_init` and its kin, and `MPI_Recv_init`, say of a request's messages, until `MPI_Request_free`.
//!
//! All threads share the table, as they share the requests. A program that hands a request to another thread orders its calls, which orders
//! the plain words here. What finds no room, persistent collectives and partitioned requests are not known when they are started.

use super::CLASS_BITS;
use super::messages::{Part, last};
use crate::guard::guard_value;
use midrun_ring::counters::Class;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Requests that are kept: those of some ten sets of buffers with 26 neighbours each way. A search passes all of them at most.
const PLACES: usize = 256;

/// What was said of a request's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) receives: bool,
    /// Its communicator is `MPI_COMM_WORLD`.
    pub(super) on_world: bool,
    pub(super) class: Class,
    /// The other rank in the world plus one; 0 = not known.
    pub(super) next_rank: u32,
    pub(super) bytes: u64,
}

impl Kept {
    fn packed(&self) -> u64 {
        let flags = u64::from(self.receives) << 32 | u64::from(self.on_world) << 33;
        u64::from(self.next_rank << CLASS_BITS | self.class as u32) | flags
    }

    fn unpacked(word: u64, bytes: u64) -> Kept {
        let peer = word as u32;
        let (class, next_rank) = (Class::from_number(peer & ((1 << CLASS_BITS) - 1)), peer >> CLASS_BITS);
        Kept { receives: word >> 32 & 1 != 0, on_world: word >> 33 & 1 != 0, class, next_rank, bytes }
    }
}

/// A request, 0 = none, and what was said of it.
struct Place {
    request: AtomicU64,
    what: AtomicU64,
    bytes: AtomicU64,
}

static TABLE: [Place; PLACES] =
    [const { Place { request: AtomicU64::new(0), what: AtomicU64::new(0), bytes: AtomicU64::new(0) } }; PLACES];

/// How many are kept, so that programs without such requests look at none.
#[unsafe(export_name = "midrun_calls_kept")]
static COUNT: AtomicU32 = AtomicU32::new(0);

/// All places, from the one where the request is looked for first.
fn places(request: u64) -> impl Iterator<Item = &'static Place> {
    // The upper bits of a product with 2^64 / the golden ratio scatter evenly (Knuth 1973).
    let first = (request.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % PLACES;
    TABLE[first..].iter().chain(&TABLE[..first])
}

fn place(request: u64) -> Option<&'static Place> {
    if request == 0 || COUNT.load(Relaxed) == 0 {
        return None;
    }
    places(request).find(|place| place.request.load(Relaxed) == request)
}

fn keep(request: u64, kept: &Kept) {
    forget(request);
    let free = |place: &&Place| place.request.compare_exchange(0, request, Relaxed, Relaxed).is_ok();
    if let Some(place) = places(request).find(free).filter(|_| request != 0) {
        place.what.store(kept.packed(), Relaxed);
        place.bytes.store(kept.bytes, Relaxed);
        COUNT.fetch_add(1, Relaxed);
    }
}

fn forget(request: u64) {
    let taken = |place: &Place| place.request.compare_exchange(request, 0, Relaxed, Relaxed).is_ok();
    if place(request).is_some_and(taken) {
        COUNT.fetch_sub(1, Relaxed);
    }
}

/// What is known of a request.
pub(super) fn find(request: u64) -> Option<Kept> {
    place(request).map(|place| Kept::unpacked(place.what.load(Relaxed), place.bytes.load(Relaxed)))
}

/// The values of `count` handles of `width` bytes.
///
/// # Safety
/// They lie at `requests`.
pub(super) unsafe fn handles(requests: *const c_void, width: usize, count: c_int) -> impl Iterator<Item = u64> {
    (0..usize::try_from(count).unwrap_or(0)).map(move |k| {
        let mut value = 0u64;
        // SAFETY: the caller's promise; no more than the value has room for.
        unsafe {
            let from = requests.cast::<u8>().add(k * width);
            std::ptr::copy_nonoverlapping(from, (&raw mut value).cast::<u8>(), width.min(size_of::<u64>()));
        }
        value
    })
}

/// The call that ended last made `request`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_kept(request: u64, on_world: c_int) {
    guard_value("an MPI call", (), || {
        let Some(call) = last(|part| matches!(part, Part::KeepsSend | Part::KeepsReceive)) else { return };
        let (receives, next_rank) = (call.part == Part::KeepsReceive, call.peer.map_or(0, |(rank, _)| rank + 1));
        let on_world = on_world != 0;
        keep(request, &Kept { receives, on_world, class: call.class, next_rank, bytes: call.bytes });
    });
}

/// The program is about to free `request`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_call_forget(request: u64) {
    guard_value("an MPI call", (), || forget(request));
}

/// The program started these requests. Returns the bytes that it sends; sets `peer` as `counted.h` has it: of several ranks the class alone, another
/// host's where any is on one; any process where not all of the requests are known.
///
/// # Safety
/// `count` handles of `width` bytes lie at `requests`; `peer` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_call_starts(
    requests: *const c_void,
    width: usize,
    count: c_int,
    peer: *mut c_int,
) -> u64 {
    guard_value("an MPI call", 0, || {
        // SAFETY: the caller's promise.
        let (class, next_rank, bytes) = of_all(unsafe { handles(requests, width, count) }.map(find));
        // SAFETY: likewise.
        unsafe { peer.write((next_rank << CLASS_BITS | class as u32).cast_signed()) };
        bytes
    })
}

fn of_all(started: impl Iterator<Item = Option<Kept>>) -> (Class, u32, u64) {
    let (mut with, mut bytes, mut all_known) = (None, 0u64, true);
    for kept in started {
        let Some(kept) = kept else {
            all_known = false;
            continue;
        };
        bytes = bytes.saturating_add(if kept.receives { 0 } else { kept.bytes });
        if matches!(kept.class, Class::SameHost | Class::OtherHost) {
            let (class, rank) = with.unwrap_or((kept.class, kept.next_rank));
            with = Some((class.max(kept.class), if rank == kept.next_rank { rank } else { 0 }));
        }
    }
    let (class, next_rank) = with.unwrap_or((Class::Local, 0));
    if all_known { (class, next_rank, bytes) } else { (Class::Any, 0, bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(receives: bool, class: Class, next_rank: u32) -> Kept {
        Kept { receives, on_world: true, class, next_rank, bytes: 8 }
    }

    #[test]
    fn a_request_is_known_until_it_is_freed_and_made_anew_it_is_the_new_one() {
        let (a, b) = (kept(false, Class::SameHost, 3), kept(true, Class::OtherHost, 4));
        keep(77, &a);
        assert_eq!((find(77), find(78), find(0)), (Some(a), None, None));
        keep(77, &b);
        assert_eq!((find(77), COUNT.load(Relaxed)), (Some(b), 1));
        midrun_call_forget(77);
        midrun_call_forget(77);
        assert_eq!((find(77), COUNT.load(Relaxed)), (None, 0));
    }

    #[test]
    fn of_more_than_there_is_room_for_the_rest_is_not_known() {
        let all = 1..=2 * PLACES as u64;
        all.clone().for_each(|k| keep(k << 7, &kept(false, Class::SameHost, k as u32)));
        let known: Vec<u64> = all.filter(|k| find(k << 7).is_some_and(|kept| kept.next_rank == *k as u32)).collect();
        assert_eq!(known, (1..=PLACES as u64).collect::<Vec<u64>>());
        midrun_call_forget(5 << 7);
        keep(1, &kept(true, Class::Any, 0));
        assert_eq!(find(1), Some(kept(true, Class::Any, 0)));
    }

    #[test]
    fn what_is_started_together_counts_the_bytes_sent_and_names_a_peer_that_all_have() {
        let (to_2, from_2) = (kept(false, Class::SameHost, 3), kept(true, Class::SameHost, 3));
        let (far, nobody) = (kept(false, Class::OtherHost, 9), kept(false, Class::Local, 0));
        let of = |all: &[Option<Kept>]| of_all(all.iter().copied());
        assert_eq!(of(&[Some(from_2), Some(to_2)]), (Class::SameHost, 3, 8));
        assert_eq!(of(&[Some(to_2), Some(far), Some(from_2)]), (Class::OtherHost, 0, 16));
        assert_eq!(of(&[Some(from_2)]), (Class::SameHost, 3, 0));
        assert_eq!(of(&[Some(Kept { bytes: 0, ..nobody })]), (Class::Local, 0, 0));
        assert_eq!(of(&[Some(to_2), None]), (Class::Any, 0, 8));
        // Handles of both widths.
        let (wide, narrow) = ([1u64 << 40, 7], [5u32, 6]);
        // SAFETY: two of each.
        let read = unsafe {
            [handles(wide.as_ptr().cast(), 8, 2).collect::<Vec<u64>>(), handles(narrow.as_ptr().cast(), 4, 2).collect()]
        };
        assert_eq!(read, [vec![1 << 40, 7], vec![5, 6]]);
    }
}
