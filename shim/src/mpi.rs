//! MPI as the frameworks use it: safe functions over `mpi/port.c`.

use crate::c_half::c_half;
use std::ffi::{c_int, c_void};

/// An MPI call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiFailed;

c_half! {
    fn midrun_mpi_ready() -> c_int = 0;
    fn midrun_port_open(
        comm: *const c_void, slots: c_int, tolerate: c_int, out: *mut *mut c_void, rank: *mut c_int, size: *mut c_int,
        tolerates: *mut c_int
    ) -> c_int = -1;
    fn midrun_port_open_spawned(slots: c_int, out: *mut *mut c_void) -> c_int = -1;
    fn midrun_port_adopt(port: *mut c_void, child: c_int) -> c_int = -1;
    fn midrun_port_lost(port: *mut c_void) -> c_int = -1;
    fn midrun_port_close(port: *mut c_void) -> c_int = -1;
    fn midrun_port_node(
        port: *mut c_void, index: *mut c_int, size: c_int, own: *mut c_int, count: *mut c_int
    ) -> c_int = -1;
    fn midrun_port_world(port: *mut c_void, ranks: *mut c_int, size: c_int) -> c_int = -1;
    fn midrun_port_node_share(port: *mut c_void, values: *mut i64, count: c_int) -> c_int = -1;
    fn midrun_port_minimum(port: *mut c_void, here: c_int, values: *mut i64, count: c_int) -> c_int = -1;
    fn midrun_port_send(
        port: *mut c_void, slot: c_int, data: *const c_void, bytes: usize, to: c_int, synchronous: c_int
    ) -> c_int = -1;
    fn midrun_port_receive(port: *mut c_void, slot: c_int, data: *mut c_void, bytes: usize, from: c_int) -> c_int = -1;
    fn midrun_port_test(port: *mut c_void, slot: c_int, done: *mut c_int) -> c_int = -1;
    fn midrun_port_probe(port: *mut c_void, found: *mut c_int, from: *mut c_int, bytes: *mut usize) -> c_int = -1;
}

/// A copy of the program's communicator for the frameworks' messages, with numbered requests.
#[derive(Debug)]
pub struct Communicator {
    raw: *mut c_void,
    /// This rank.
    pub rank: usize,
    /// Ranks in all.
    pub size: usize,
    /// The death of other ranks is no failure: [`Communicator::lost`] names them.
    pub tolerates: bool,
}

fn checked(status: c_int) -> Result<(), MpiFailed> {
    if status == 0 { Ok(()) } else { Err(MpiFailed) }
}

/// Whether MPI is initialised and not finalised.
pub fn ready() -> bool {
    // SAFETY: takes nothing, and may be called at any time.
    unsafe { midrun_mpi_ready() != 0 }
}

impl Communicator {
    /// Collective. `comm` is the address of an `MPI_Comm` or null; `slots` requests per rank. With `tolerate`, the death of other ranks is
    /// no failure where the MPI allows it.
    pub fn open(comm: *const c_void, slots: usize, tolerate: bool) -> Result<Communicator, MpiFailed> {
        let (mut raw, mut rank, mut size, mut tolerates) = (std::ptr::null_mut(), 0, 0, 0);
        let (slots, tolerate) = (slots as c_int, c_int::from(tolerate));
        // SAFETY: `comm` is null or, by the contract of `midrun.h`, the address of a communicator of the program; the rest is ours.
        checked(unsafe {
            midrun_port_open(comm, slots, tolerate, &raw mut raw, &raw mut rank, &raw mut size, &raw mut tolerates)
        })?;
        Ok(Communicator { raw, rank: rank as usize, size: size as usize, tolerates: tolerates != 0 })
    }

    /// In a process that a master started: the communicator with the master. The master is rank 0, this process rank 1.
    pub fn open_spawned(slots: usize) -> Result<Communicator, MpiFailed> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: writes one pointer.
        checked(unsafe { midrun_port_open_spawned(slots as c_int, &raw mut raw) })?;
        Ok(Communicator { raw, rank: 1, size: 2, tolerates: false })
    }

    /// Makes a started process the rank after the last. `size` stays that of the communicator.
    pub fn adopt(&mut self, child: usize) -> Result<(), MpiFailed> {
        // SAFETY: the port is open, and `&mut` keeps everybody else away from it while its slots move.
        checked(unsafe { midrun_port_adopt(self.raw, child as c_int) })
    }

    /// Collective. Returns each rank's index among the ranks of this host, `None` for other hosts', and this rank's own.
    pub fn node(&self) -> Result<(Vec<Option<usize>>, usize), MpiFailed> {
        let (mut index, mut own, mut count) = (vec![-1; self.size], 0, 0);
        // SAFETY: `index` has `size` elements.
        checked(unsafe {
            midrun_port_node(self.raw, index.as_mut_ptr(), self.size as c_int, &raw mut own, &raw mut count)
        })?;
        Ok((index.into_iter().map(|i| usize::try_from(i).ok()).collect(), own as usize))
    }

    /// Each rank's number in `MPI_COMM_WORLD`; `None` for those that have none, and where it is not known.
    pub fn world(&self) -> Vec<Option<u32>> {
        let mut ranks = vec![-1; self.size];
        // SAFETY: `ranks` has `size` elements.
        let known = unsafe { midrun_port_world(self.raw, ranks.as_mut_ptr(), self.size as c_int) } == 0;
        ranks.into_iter().map(|rank| u32::try_from(rank).ok().filter(|_| known)).collect()
    }

    /// Collective on this host: gives the first rank's values to all.
    pub fn node_share(&self, values: &mut [i64]) -> Result<(), MpiFailed> {
        // SAFETY: reads and writes as many values as said; without the host's communicator, the C half refuses.
        checked(unsafe { midrun_port_node_share(self.raw, values.as_mut_ptr(), values.len() as c_int) })
    }

    /// Collective: makes each value the smallest over all ranks, or with `here` over this host's.
    pub fn minimum(&self, here: bool, values: &mut [i64]) -> Result<(), MpiFailed> {
        // SAFETY: as many values as said; without the host's communicator, the C half refuses.
        checked(unsafe { midrun_port_minimum(self.raw, c_int::from(here), values.as_mut_ptr(), values.len() as c_int) })
    }

    /// Collective: whether every rank passes `good`, and all pass the same `values`.
    pub fn agree(&self, good: bool, values: &[i64]) -> Result<bool, MpiFailed> {
        // The smallest of x and of -x are each other's opposite only where all x are the same.
        let mut all = vec![i64::from(good)];
        all.extend(values.iter().flat_map(|value| [*value, -value]));
        self.minimum(false, &mut all)?;
        Ok(all[0] == 1 && all[1..].chunks(2).all(|pair| pair[0] == -pair[1]))
    }

    /// Begins to send. A `synchronous` send is done only when the receiver has begun to receive (`MPI_Issend`).
    ///
    /// # Safety
    /// `data` stays where it is and is not written until [`Communicator::test`] has returned `true` for `slot`, or for ever. No other
    /// request has the slot until then.
    pub unsafe fn send(&self, slot: usize, data: &[u8], to: usize, synchronous: bool) -> Result<(), MpiFailed> {
        let (bytes, to, synchronous) = (data.len(), to as c_int, c_int::from(synchronous));
        // SAFETY: the caller's promise; the C half checks the slot.
        checked(unsafe { midrun_port_send(self.raw, slot as c_int, data.as_ptr().cast(), bytes, to, synchronous) })
    }

    /// Begins to receive.
    ///
    /// # Safety
    /// `data` stays where it is, and nobody reads or writes it, until [`Communicator::test`] has returned `true` for `slot`, or for
    /// ever. No other request has the slot until then.
    pub unsafe fn receive(&self, slot: usize, data: &mut [u8], from: usize) -> Result<(), MpiFailed> {
        // SAFETY: the caller's promise; the C half checks the slot.
        checked(unsafe {
            midrun_port_receive(self.raw, slot as c_int, data.as_mut_ptr().cast(), data.len(), from as c_int)
        })
    }

    /// Whether the request of `slot` is done.
    pub fn test(&self, slot: usize) -> Result<bool, MpiFailed> {
        let mut done = 0;
        // SAFETY: the port is open and writes one number. `Endpoint` asks for slots that it has filled; an empty one is done.
        checked(unsafe { midrun_port_test(self.raw, slot as c_int, &raw mut done) })?;
        Ok(done != 0)
    }

    /// The next rank that died since this was asked last. Requests with it are never done.
    pub fn lost(&self) -> Option<usize> {
        // SAFETY: the port is open.
        usize::try_from(unsafe { midrun_port_lost(self.raw) }).ok()
    }

    /// The sender and the bytes of a message that waits.
    pub fn probe(&self) -> Result<Option<(usize, usize)>, MpiFailed> {
        let (mut found, mut from, mut bytes) = (0, 0, 0);
        // SAFETY: the port is open and writes three numbers.
        checked(unsafe { midrun_port_probe(self.raw, &raw mut found, &raw mut from, &raw mut bytes) })?;
        Ok((found != 0).then_some((from as usize, bytes)))
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        if ready() {
            // SAFETY: a port that was opened, closed once. Buffers of requests that are not done stay where they are (`Endpoint::drop`).
            unsafe { midrun_port_close(self.raw) };
        }
    }
}
