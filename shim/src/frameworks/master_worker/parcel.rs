//! Inputs or results of any size: what a callback writes is appended to the message that carries it.

use crate::guard::guard_value;
use std::ffi::c_void;

/// `midrun_mw_out_t`: the message of a chunk, of which the program writes the payload.
#[derive(Debug)]
pub struct Parcel {
    message: Vec<u8>,
}

impl Parcel {
    /// Continues `message`.
    pub fn new(message: Vec<u8>) -> Parcel {
        Parcel { message }
    }

    /// The message, to append to.
    pub fn message(&mut self) -> &mut Vec<u8> {
        &mut self.message
    }

    /// Appends `bytes` zeros and returns them; `None` when memory lacks.
    fn emit(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let from = self.message.len();
        if self.message.try_reserve(bytes).is_err() {
            return None;
        }
        self.message.resize(from + bytes, 0);
        Some(&mut self.message[from..])
    }

    /// The message.
    pub fn finish(self) -> Vec<u8> {
        self.message
    }
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_mw_emit(out: *mut Parcel, bytes: usize) -> *mut c_void {
    guard_value("midrun_mw_emit", std::ptr::null_mut(), || {
        // SAFETY: null, or the parcel of the callback in progress.
        let room = unsafe { out.as_mut() }.and_then(|out| out.emit(bytes));
        room.map_or(std::ptr::null_mut(), |room| room.as_mut_ptr().cast())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emissions_follow_each_other_and_what_memory_cannot_hold_is_refused() {
        let mut parcel = Parcel::new(vec![7; 3]);
        parcel.emit(2).unwrap().copy_from_slice(b"ab");
        assert!(parcel.emit(usize::MAX).is_none());
        assert_eq!(parcel.emit(0).map(|room| room.len()), Some(0));
        parcel.emit(1).unwrap().copy_from_slice(b"c");
        assert_eq!(parcel.finish(), b"\x07\x07\x07abc");
        // SAFETY: null is answered by null.
        assert!(unsafe { midrun_mw_emit(std::ptr::null_mut(), 1) }.is_null());
    }
}
