//! The border to the C that is compiled once per MPI: what it gives us (`mpi/port.c`) and what it calls (`mpi/wrappers.c`).

use crate::guard::guard_value;
use crate::process;
use std::ffi::{CStr, c_char, c_int, c_void};

mod c {
    use super::{c_int, c_void};
    #[repr(C)]
    pub struct Port {
        _private: [u8; 0],
    }
    unsafe extern "C" {
        pub fn midrun_port_ready() -> c_int;
        pub fn midrun_port_open(comm: *const c_void, rank: *mut c_int, size: *mut c_int) -> *mut Port;
        pub fn midrun_port_close(port: *mut Port);
        pub fn midrun_port_minimum(port: *mut Port, numbers: *mut i64, count: c_int) -> c_int;
        pub fn midrun_port_same_host(port: *mut Port, same: *mut u8, size: c_int) -> c_int;
        pub fn midrun_port_tell_host(port: *mut Port, bytes: *mut c_void, count: c_int) -> c_int;
        pub fn midrun_port_send(port: *mut Port, bytes: *const c_void, count: usize, to: c_int, tag: c_int) -> c_int;
        pub fn midrun_port_sent(port: *mut Port, slot: c_int) -> c_int;
        pub fn midrun_port_probe(port: *mut Port, tag: c_int, from: *mut c_int, count: *mut usize) -> c_int;
        pub fn midrun_port_receive(port: *mut Port, bytes: *mut c_void, count: usize, from: c_int, tag: c_int)
        -> c_int;
    }
}

/// An MPI call failed. Which one does not matter to the caller: the framework cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiFailed;

/// A communicator of our own, duplicated from the program's.
#[derive(Debug)]
pub struct Port {
    raw: *mut c::Port,
    /// This process's rank in it.
    pub rank: u32,
    /// Its number of ranks.
    pub size: u32,
}

/// A send under way.
#[derive(Debug, PartialEq, Eq)]
pub struct Slot(c_int);

/// A message that has arrived and was not taken yet.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Who sent it.
    pub from: u32,
    /// Its length.
    pub bytes: usize,
}

fn checked(result: c_int) -> Result<c_int, MpiFailed> {
    if result < 0 { Err(MpiFailed) } else { Ok(result) }
}

/// Whether MPI is between its initialisation and its finalisation.
pub fn ready() -> bool {
    // SAFETY: asks MPI two questions that are allowed at any time.
    unsafe { c::midrun_port_ready() != 0 }
}

impl Port {
    /// Duplicates the communicator at `comm` (NULL: MPI_COMM_WORLD). Collective.
    ///
    /// # Safety
    /// `comm` is NULL or the address of a valid `MPI_Comm`, and MPI is ready.
    pub unsafe fn open(comm: *const c_void) -> Result<Self, MpiFailed> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: by the contract above.
        let raw = unsafe { c::midrun_port_open(comm, &raw mut rank, &raw mut size) };
        if raw.is_null() {
            return Err(MpiFailed);
        }
        Ok(Port { raw, rank: rank as u32, size: size as u32 })
    }

    /// Minimum over all ranks of each number. Collective.
    pub fn minimum(&self, numbers: &mut [i64]) -> Result<(), MpiFailed> {
        // SAFETY: the pointer and count are the slice's.
        checked(unsafe { c::midrun_port_minimum(self.raw, numbers.as_mut_ptr(), numbers.len() as c_int) }).map(drop)
    }

    /// This rank's number on its host, and for each rank of the communicator whether it is on this host.
    pub fn same_host(&self) -> Result<(u32, Vec<bool>), MpiFailed> {
        let mut same = vec![0u8; self.size as usize];
        // SAFETY: as many bytes as said.
        let number = checked(unsafe { c::midrun_port_same_host(self.raw, same.as_mut_ptr(), self.size as c_int) })?;
        Ok((number as u32, same.into_iter().map(|here| here != 0).collect()))
    }

    /// The host's first rank's `words` reach all ranks of the host. Collective over the host.
    pub fn tell_host(&self, words: &mut [u64]) -> Result<(), MpiFailed> {
        let bytes = std::mem::size_of_val(words) as c_int;
        // SAFETY: the pointer and length are the slice's.
        checked(unsafe { c::midrun_port_tell_host(self.raw, words.as_mut_ptr().cast(), bytes) }).map(drop)
    }

    /// Starts a send of `bytes` bytes at `start`.
    ///
    /// # Safety
    /// They stay valid and unchanged until [`Port::sent`] says true.
    pub unsafe fn send(&self, start: *const u8, bytes: usize, to: u32, tag: c_int) -> Result<Slot, MpiFailed> {
        // SAFETY: by the contract above.
        checked(unsafe { c::midrun_port_send(self.raw, start.cast(), bytes, to as c_int, tag) }).map(Slot)
    }

    /// Whether a send is done; a slot must not be asked again after that.
    pub fn sent(&self, slot: &Slot) -> Result<bool, MpiFailed> {
        // SAFETY: the slot was given by `send` and is not done yet.
        checked(unsafe { c::midrun_port_sent(self.raw, slot.0) }).map(|done| done != 0)
    }

    /// Looks for a message, three times: one look can miss a message that has arrived.
    pub fn probe(&self, tag: c_int) -> Result<Option<Arrived>, MpiFailed> {
        for _ in 0..3 {
            let (mut from, mut bytes) = (0, 0);
            // SAFETY: both results have room.
            if checked(unsafe { c::midrun_port_probe(self.raw, tag, &raw mut from, &raw mut bytes) })? != 0 {
                return Ok(Some(Arrived { from: from as u32, bytes }));
            }
        }
        Ok(None)
    }

    /// Takes a message that [`Port::probe`] saw into `room`, which must be long enough.
    pub fn receive(&self, arrived: Arrived, tag: c_int, room: &mut [u8]) -> Result<(), MpiFailed> {
        let Some(room) = room.get_mut(..arrived.bytes) else { return Err(MpiFailed) };
        // SAFETY: the slice is exactly as long as the message.
        checked(unsafe {
            c::midrun_port_receive(self.raw, room.as_mut_ptr().cast(), room.len(), arrived.from as c_int, tag)
        })
        .map(drop)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if ready() {
            // SAFETY: made by `open`, closed once. After MPI_Finalize the communicators are gone anyway.
            unsafe { c::midrun_port_close(self.raw) };
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn midrun_shim_on_before_init() {
    guard_value("MPI_Init", (), process::on_before_init);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn midrun_shim_on_init(rank: c_int, size: c_int, mpi: *const c_char) {
    guard_value("MPI_Init", (), || {
        // SAFETY: wrappers.c gives a C string.
        let mpi = unsafe { CStr::from_ptr(mpi) }.to_string_lossy();
        process::on_init(rank.max(0) as u32, size.max(0) as u32, mpi.trim());
    });
}

#[unsafe(no_mangle)]
extern "C" fn midrun_shim_on_finalize() {
    guard_value("MPI_Finalize", (), process::on_finalize);
}
