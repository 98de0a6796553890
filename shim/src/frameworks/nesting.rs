//! Frameworks inside the callbacks of others. A rank can take part in an inner framework only with ranks that are not held in an outer
//! one: those wait there for messages, and never come.

use crate::{status, stderr};
use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A framework that runs on this thread.
struct Running {
    handle: usize,
    members: Members,
}

/// The number in `MPI_COMM_WORLD` of each rank of a framework.
pub type Members = Rc<[Option<u32>]>;

/// The sentence was said: a callback may be called very often.
static WARNED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static RUNNING: RefCell<Vec<Running>> = const { RefCell::new(Vec::new()) };
}

/// A framework runs on this thread as long as this lives.
pub struct Entered(());

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(|running| drop(running.pop()));
    }
}

/// Whether the framework of this handle runs on this thread: its callback must not touch it.
pub fn runs<T>(handle: *const T) -> bool {
    RUNNING.with_borrow(|running| running.iter().any(|outer| outer.handle == handle.addr()))
}

/// The framework of this handle, with these `members` of which this rank is `own`, begins to run on this thread. An error, with a
/// sentence, where one of its other ranks is held in a framework around it.
pub fn enter<T>(handle: *const T, (members, own): (&Members, usize)) -> Result<Entered, c_int> {
    let held = RUNNING.with_borrow(|running| running.iter().find_map(|outer| shared(members, own, &outer.members)));
    if let Some(rank) = held {
        if !WARNED.swap(true, Ordering::Relaxed) {
            stderr::warn(format_args!(
                "a callback of one framework runs another, but rank {rank} is in both and waits in the outer one: give the inner one \
                 a communicator that shares no rank but the caller with the outer one"
            ));
        }
        return Err(status::ERR_ARGUMENT);
    }
    RUNNING.with_borrow_mut(|running| {
        running.push(Running { handle: handle.addr(), members: Rc::clone(members) });
    });
    Ok(Entered(()))
}

/// A rank of both frameworks besides this one, in `MPI_COMM_WORLD`.
fn shared(members: &[Option<u32>], own: usize, outer: &[Option<u32>]) -> Option<u32> {
    let others = members.iter().enumerate().filter(|(rank, _)| *rank != own);
    others.filter_map(|(_, world)| *world).find(|world| outer.contains(&Some(*world)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_caller_may_be_in_both_frameworks() {
        let outer = [Some(0), Some(1), Some(2)];
        assert_eq!(shared(&[Some(1), Some(4), Some(5)], 0, &outer), None);
        assert_eq!(shared(&[Some(4), Some(1), Some(2)], 1, &outer), Some(2));
        assert_eq!(shared(&[Some(0), Some(1), Some(2)], 1, &outer), Some(0), "the framework itself");
        assert_eq!(shared(&[None, Some(1)], 1, &outer), None, "of a started process nothing is known");
    }

    #[test]
    fn a_framework_runs_until_it_is_left() {
        let (one, two) = (1_u8, 2_u8);
        let both: Members = Rc::new([Some(0), Some(1)]);
        let entered = enter(&raw const one, (&both, 0)).unwrap();
        assert!(runs(&raw const one) && !runs(&raw const two));
        assert_eq!(enter(&raw const two, (&both, 0)).err(), Some(status::ERR_ARGUMENT));
        let inner = enter(&raw const two, (&Members::from([Some(0), Some(3)]), 0)).unwrap();
        assert!(runs(&raw const two));
        drop(inner);
        drop(entered);
        assert!(!runs(&raw const one));
    }
}
