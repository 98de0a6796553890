//! The declarations of `midrun.h` that this crate uses.

use std::ffi::{c_char, c_double, c_int, c_void};

pub const ANY_SIZE: u32 = 8;
pub const RECALL: u32 = 4;
pub const OK: c_int = 0;

#[repr(C)]
pub struct Config {
    pub struct_size: usize,
    pub comm: *const c_void,
    pub master: c_int,
    pub flags: u32,
    pub task_bytes: usize,
    pub result_bytes: usize,
    pub prepare: *const c_void,
    pub compute: *const c_void,
    pub collect: *const c_void,
    pub user: *mut c_void,
    pub technique: *const c_char,
    pub factor: c_double,
    pub workers: u32,
    pub prepare_any: Option<unsafe extern "C" fn(*mut c_void, u64, u64, u64, *mut c_void) -> c_int>,
    pub compute_any:
        Option<unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void, usize, *mut c_void) -> c_int>,
    pub collect_any: Option<unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void, usize) -> c_int>,
}

unsafe extern "C" {
    pub fn midrun_status_text(status: c_int) -> *const c_char;
    pub fn midrun_mw_create(mw: *mut *mut c_void, config: *const Config) -> c_int;
    pub fn midrun_mw_iterate(mw: *mut c_void, tasks: u64) -> c_int;
    pub fn midrun_mw_finish(mw: *mut c_void) -> c_int;
    pub fn midrun_mw_destroy(mw: *mut *mut c_void) -> c_int;
    pub fn midrun_mw_emit(out: *mut c_void, bytes: usize) -> *mut c_void;
    pub fn midrun_iteration_begin(tasks: u64, workers: u32) -> c_int;
    pub fn midrun_iteration_end() -> c_int;
    pub fn midrun_work_begin(first: u64, tasks: u64) -> c_int;
    pub fn midrun_work_end() -> c_int;
    pub fn midrun_next_chunk(worker: u32) -> u64;
    pub fn midrun_chunk_done(worker: u32, tasks: u64, seconds: c_double) -> c_int;
    pub fn midrun_safe_point() -> c_int;
    pub fn midrun_expose_int(name: *const c_char, variable: *mut c_int, minimum: c_int, maximum: c_int) -> c_int;
    pub fn midrun_expose_double(
        name: *const c_char,
        variable: *mut c_double,
        minimum: c_double,
        maximum: c_double,
    ) -> c_int;
}
