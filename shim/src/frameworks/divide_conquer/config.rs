//! The program's configuration as the C API passes it, and the calls of the program's callbacks.

use super::buffer::Buffer;
use super::solve::{Failed, Program};
use crate::guard::guard_value;
use crate::mpi_calls::of_program;
use crate::stderr;
use std::ffi::{c_char, c_int, c_void};

/// `MIDRUN_DC_BASE`: what `divide` returns for a problem that is solved as it is.
const BASE: c_int = 1;

type Divide = unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut Out) -> c_int;
type Base = unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut Out) -> c_int;
type Combine = unsafe extern "C" fn(*mut c_void, *const c_void, usize, *const Part, u32, *mut Out) -> c_int;

/// `midrun_dc_config_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawConfig {
    struct_size: usize,
    pub comm: *const c_void,
    pub master: c_int,
    pub flags: u32,
    divide: Option<Divide>,
    base: Option<Base>,
    combine: Option<Combine>,
    user: *mut c_void,
    pub cutoff: u32,
    pub workers: u32,
    pub technique: *const c_char,
}

impl RawConfig {
    /// `None` when it is shorter than the first version of `midrun.h` says.
    ///
    /// # Safety
    /// `config` must point to as many bytes as its `struct_size` says.
    pub unsafe fn read(config: *const RawConfig) -> Option<RawConfig> {
        // SAFETY: the size is the first field of every version, and no more is read than it says.
        unsafe { (config.cast::<usize>().read() >= size_of::<RawConfig>()).then(|| *config) }
    }

    /// The program's functions; `None` where one is missing, or a flag is unknown.
    pub fn functions(&self) -> Option<Functions> {
        let (divide, base, combine) = (self.divide?, self.base?, self.combine?);
        (self.flags == 0).then_some(Functions { divide, base, combine, user: self.user })
    }
}

/// `midrun_dc_part_t`.
#[repr(C)]
pub struct Part {
    data: *const c_void,
    bytes: usize,
}

/// `midrun_dc_stats_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub struct_size: usize,
    pub iteration: u64,
    pub tasks: u64,
    pub cutoff: u32,
    pub workers: u32,
    pub iteration_s: f64,
    pub task_s: f64,
    pub divide_s: f64,
    pub combine_s: f64,
}

/// `midrun_dc_out_t`: what a function of the program emits.
#[derive(Debug, Default)]
pub struct Out {
    emitted: Vec<Buffer>,
    most: usize,
    failed: bool,
}

impl Out {
    /// For at most so many emissions.
    fn new(most: usize) -> Out {
        Out { most, ..Out::default() }
    }

    fn emit(&mut self, bytes: usize) -> Option<&mut Buffer> {
        let buffer = Buffer::zeros(bytes).filter(|_| self.emitted.len() < self.most);
        self.failed |= buffer.is_none();
        self.emitted.push(buffer?);
        self.emitted.last_mut()
    }
}

/// See `midrun.h`.
///
/// # Safety
/// As `midrun.h` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn midrun_dc_emit(out: *mut Out, bytes: usize) -> *mut c_void {
    guard_value("midrun_dc_emit", std::ptr::null_mut(), || {
        // SAFETY: null, or the output of the callback in progress.
        let room = unsafe { out.as_mut() }.and_then(|out| out.emit(bytes));
        room.map_or(std::ptr::null_mut(), |room| room.as_mut().as_mut_ptr().cast())
    })
}

/// The functions of the program.
#[derive(Clone, Copy)]
pub struct Functions {
    divide: Divide,
    base: Base,
    combine: Combine,
    user: *mut c_void,
}

/// The one result that a function emitted.
fn result(out: Out, name: &str) -> Result<Buffer, Failed> {
    let count = out.emitted.len();
    let only = out.emitted.into_iter().next().filter(|_| count == 1 && !out.failed);
    only.ok_or_else(|| {
        stderr::warn(format_args!("{name} must emit one result, once, with midrun_dc_emit"));
        Failed
    })
}

fn succeeded(status: c_int, name: &str) -> Result<(), Failed> {
    if status == 0 {
        return Ok(());
    }
    stderr::warn(format_args!("{name} returned {status}"));
    Err(Failed)
}

impl Program for Functions {
    fn divide(&self, problem: &Buffer) -> Result<Option<Vec<Buffer>>, Failed> {
        let (data, mut out) = (problem.as_ref(), Out::new(usize::MAX));
        // SAFETY: the program's own function; problem and output live during the call.
        let status = of_program(|| unsafe { (self.divide)(self.user, data.as_ptr().cast(), data.len(), &raw mut out) });
        if status == BASE {
            return Ok(None);
        }
        succeeded(status, "divide")?;
        if out.emitted.is_empty() || out.failed {
            stderr::warn(
                "divide emitted no part, or more than memory holds: a problem without parts is MIDRUN_DC_BASE",
            );
            return Err(Failed);
        }
        Ok(Some(out.emitted))
    }

    fn base(&self, problem: &Buffer) -> Result<Buffer, Failed> {
        let (data, mut out) = (problem.as_ref(), Out::new(1));
        // SAFETY: as above.
        let status = of_program(|| unsafe { (self.base)(self.user, data.as_ptr().cast(), data.len(), &raw mut out) });
        succeeded(status, "base")?;
        result(out, "base")
    }

    fn combine(&self, problem: &Buffer, results: &[Buffer]) -> Result<Buffer, Failed> {
        let part = |result: &Buffer| {
            let bytes = result.as_ref();
            Part { data: bytes.as_ptr().cast(), bytes: bytes.len() }
        };
        let parts: Vec<Part> = results.iter().map(part).collect();
        let (data, mut out) = (problem.as_ref(), Out::new(1));
        let (bytes, count) = (data.len(), parts.len() as u32);
        // SAFETY: as above; there are `count` parts.
        let status = of_program(|| unsafe {
            (self.combine)(self.user, data.as_ptr().cast(), bytes, parts.as_ptr(), count, &raw mut out)
        });
        succeeded(status, "combine")?;
        result(out, "combine")
    }
}
