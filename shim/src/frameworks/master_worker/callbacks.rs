//! The program's functions and sizes, as it gave them in `midrun_mw_config_t`.

use super::message::MAX_PAYLOAD;
use std::ffi::{c_int, c_void};

pub type Prepare = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *mut c_void) -> c_int;
pub type Compute = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void, *mut c_void) -> c_int;
pub type Collect = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void) -> c_int;

/// What the program wants computed. The functions are called only from the thread that is in `midrun_mw_iterate`.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub prepare: Option<Prepare>,
    pub compute: Compute,
    pub collect: Option<Collect>,
    pub user: *mut c_void,
    pub task_bytes: usize,
    pub result_bytes: usize,
    /// `compute` takes a whole chunk at once.
    pub by_chunk: bool,
}

impl Program {
    /// Most tasks of one message.
    pub fn most_tasks(&self) -> u64 {
        (MAX_PAYLOAD / self.task_bytes.max(self.result_bytes).max(1) as u64).max(1)
    }

    /// Writes the inputs of tasks to `room`; whether the program was content.
    pub fn prepare(&self, iteration: u64, first: u64, count: u64, room: &mut [u8]) -> bool {
        debug_assert_eq!(room.len(), count as usize * self.task_bytes);
        let Some(prepare) = self.prepare else { return true };
        // SAFETY: the program's function with the program's pointer; the room is what midrun.h promises.
        unsafe { prepare(self.user, iteration, first, count, room.as_mut_ptr().cast()) == 0 }
    }

    /// Computes tasks from `inputs` to `results`; whether the program was content.
    pub fn compute(&self, iteration: u64, first: u64, count: u64, inputs: &[u8], results: &mut [u8]) -> bool {
        debug_assert_eq!(inputs.len(), count as usize * self.task_bytes);
        debug_assert_eq!(results.len(), count as usize * self.result_bytes);
        // SAFETY: as above.
        unsafe {
            (self.compute)(self.user, iteration, first, count, inputs.as_ptr().cast(), results.as_mut_ptr().cast()) == 0
        }
    }

    /// Gives the results of tasks to the program; whether it was content.
    pub fn collect(&self, iteration: u64, first: u64, count: u64, results: &[u8]) -> bool {
        debug_assert_eq!(results.len(), count as usize * self.result_bytes);
        let Some(collect) = self.collect else { return true };
        // SAFETY: as above.
        unsafe { collect(self.user, iteration, first, count, results.as_ptr().cast()) == 0 }
    }
}
