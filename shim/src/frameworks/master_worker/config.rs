//! The program's configuration as the C API passes it, and the calls of the program's callbacks.

use super::message::{Header, Kind};
use super::parcel::Parcel;
use crate::mpi_calls::of_program;
use std::ffi::{c_char, c_int, c_void};

/// `MIDRUN_MW_CHUNKS`.
const CHUNKS: u32 = 1;
/// `MIDRUN_MW_SPAWN`.
const SPAWN: u32 = 2;
/// `MIDRUN_MW_RECALL`.
pub const RECALL: u32 = 4;
/// `MIDRUN_MW_ANY_SIZE`.
pub const ANY_SIZE: u32 = 8;
/// `MIDRUN_MW_MASTER_WORKS`.
pub const MASTER_WORKS: u32 = 16;
/// `MIDRUN_MW_COUNTER`.
const COUNTER: u32 = 32;
/// `MIDRUN_MW_TOLERATE`.
pub const TOLERATE: u32 = 64;
/// Largest task or result, bytes: each must fit into one MPI message.
const TASK_BYTES: usize = 1 << 30;

type Prepare = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *mut c_void) -> c_int;
type Compute = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void, *mut c_void) -> c_int;
type Collect = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void) -> c_int;
type PrepareAny = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *mut Parcel) -> c_int;
type ComputeAny = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void, usize, *mut Parcel) -> c_int;
type CollectAny = unsafe extern "C" fn(*mut c_void, u64, u64, u64, *const c_void, usize) -> c_int;

/// `midrun_mw_config_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawConfig {
    pub struct_size: usize,
    pub comm: *const c_void,
    pub master: c_int,
    pub flags: u32,
    pub task_bytes: usize,
    pub result_bytes: usize,
    pub prepare: Option<Prepare>,
    pub compute: Option<Compute>,
    pub collect: Option<Collect>,
    pub user: *mut c_void,
    pub technique: *const c_char,
    pub factor: f64,
    pub workers: u32,
    pub prepare_any: Option<PrepareAny>,
    pub compute_any: Option<ComputeAny>,
    pub collect_any: Option<CollectAny>,
}

impl RawConfig {
    /// Bytes of the first version, which ended with `factor`.
    const FIRST_SIZE: usize = std::mem::offset_of!(RawConfig, workers);

    /// Reads the configuration; fields that the program's version of `midrun.h` lacks are 0. `None` when it is too short.
    ///
    /// # Safety
    /// `config` must point to as many bytes as its `struct_size` says.
    pub unsafe fn read(config: *const RawConfig) -> Option<RawConfig> {
        // SAFETY: all zeros are a valid RawConfig; the size is the first field of every version.
        unsafe {
            let mut raw: RawConfig = std::mem::zeroed();
            let size = config.cast::<usize>().read();
            let bytes = size.min(size_of::<RawConfig>());
            std::ptr::copy_nonoverlapping(config.cast::<u8>(), (&raw mut raw).cast::<u8>(), bytes);
            (size >= RawConfig::FIRST_SIZE).then_some(raw)
        }
    }
}

/// `midrun_mw_stats_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub struct_size: usize,
    pub iteration: u64,
    pub tasks: u64,
    pub chunks: u64,
    pub workers: u32,
    pub technique: u32,
    pub iteration_s: f64,
    pub task_s: f64,
    pub master_busy_s: f64,
    pub lost_workers: u32,
    pub redone_tasks: u64,
}

impl Stats {
    /// Bytes of the first version, which ended with `master_busy_s`.
    pub const FIRST_SIZE: usize = std::mem::offset_of!(Stats, lost_workers);
}

/// A checked configuration.
pub struct Config {
    raw: RawConfig,
    pub master: usize,
    /// The master's rank in `MPI_COMM_WORLD`, where it is known.
    pub master_world: Option<u32>,
    pub task_bytes: usize,
    pub result_bytes: usize,
    /// Active workers at the start; 0: all.
    pub workers: usize,
}

impl Config {
    /// `None` when an argument is out of range for this rank.
    pub fn checked(raw: &RawConfig, rank: usize, size: usize) -> Option<Config> {
        let master = usize::try_from(raw.master).ok().filter(|m| *m < size)?;
        let sizes = raw.task_bytes <= TASK_BYTES && raw.result_bytes <= TASK_BYTES;
        let any = raw.flags & ANY_SIZE != 0;
        let distributes = match any {
            true => raw.task_bytes == 0 && raw.result_bytes == 0,
            false => raw.task_bytes == 0 || raw.prepare.is_some(),
        };
        let computes = if any { raw.compute_any.is_some() } else { raw.compute.is_some() };
        let (is_master, works) = (rank == master, raw.flags & MASTER_WORKS != 0);
        let callbacks = (!is_master || distributes) && (computes || is_master && !works);
        let flags = raw.flags & !(CHUNKS | SPAWN | RECALL | ANY_SIZE | MASTER_WORKS | COUNTER | TOLERATE) == 0;
        let good = sizes && callbacks && flags && Config::refusal(raw).is_none() && (0.0..=1.0).contains(&raw.factor);
        good.then_some(Config {
            raw: *raw,
            master,
            master_world: None,
            task_bytes: raw.task_bytes,
            result_bytes: raw.result_bytes,
            workers: raw.workers as usize,
        })
    }

    /// Why this combination is refused.
    pub fn refusal(raw: &RawConfig) -> Option<String> {
        let what = match (raw.flags & COUNTER != 0, raw.flags & ANY_SIZE != 0, raw.task_bytes) {
            (true, true, _) => "the flag MIDRUN_MW_ANY_SIZE is set, too: leave one of both out".into(),
            (true, false, bytes @ 1..) => format!("task_bytes is {bytes}: make it 0, or leave the flag out"),
            _ => return None,
        };
        Some(format!("the flag MIDRUN_MW_COUNTER is for tasks without input, but {what}"))
    }

    /// Returns whether workers could take chunks from a shared counter: tasks carry no input, and results have a fixed size.
    pub fn may_count(&self) -> bool {
        self.task_bytes == 0 && !self.any_size()
    }

    /// Returns whether they do so from the start.
    pub fn counts(&self) -> bool {
        self.raw.flags & COUNTER != 0
    }

    /// Returns whether the first iteration may go by the counter though the program asks for no such thing: it names no technique, computes
    /// task by task, and its workers are neither to be replaced when they die nor joined by started processes, which are sent chunks.
    pub fn may_start_by_counter(&self) -> bool {
        let speaks_against = CHUNKS | SPAWN | TOLERATE;
        self.leaves_technique_open() && self.may_count() && self.raw.flags & speaks_against == 0
    }

    /// Returns whether `compute` takes whole chunks.
    pub fn whole_chunks(&self) -> bool {
        self.raw.flags & (CHUNKS | ANY_SIZE) != 0
    }

    /// Returns whether inputs and results are of any size, a whole chunk at a time.
    pub fn any_size(&self) -> bool {
        self.raw.flags & ANY_SIZE != 0
    }

    /// Returns whether tasks may be recalled from the start: a technique that the program names is used as published, unless the
    /// program asks for recall.
    pub fn recalls(&self) -> bool {
        self.raw.flags & RECALL != 0 || self.raw.technique.is_null()
    }

    /// Returns whether the program names neither a technique nor a share.
    pub fn leaves_technique_open(&self) -> bool {
        self.raw.technique.is_null() && self.raw.factor <= 0.0
    }

    /// Returns whether the master may compute tasks, too.
    pub fn master_works(&self) -> bool {
        self.raw.flags & MASTER_WORKS != 0
    }

    /// Returns whether this program may be started again as a further worker.
    pub fn may_spawn(&self) -> bool {
        self.raw.flags & SPAWN != 0
    }

    /// The first message of a started process: its configuration, which must equal the master's.
    pub fn hello(&self) -> Header {
        let (first, count) = (self.task_bytes as u64, self.result_bytes as u64);
        Header { first, count, total: u64::from(self.raw.flags), ..Header::new(Kind::Hello, 0) }
    }

    /// Appends what the program's `prepare_any` writes to `message`; `false` when it returned non-zero.
    pub fn prepare_any(&self, iteration: u64, first: u64, count: u64, message: Vec<u8>) -> (bool, Vec<u8>) {
        let Some(f) = self.raw.prepare_any else { return (true, message) };
        let mut parcel = Parcel::new(message);
        // SAFETY: the program's own function; the parcel lives during the call.
        let good = of_program(|| unsafe { f(self.raw.user, iteration, first, count, &raw mut parcel) == 0 });
        (good, parcel.finish())
    }

    /// Likewise `compute_any`, for the tasks `(iteration, first, count)`.
    pub fn compute_any(&self, now: (u64, u64, u64), tasks: &[u8], message: Vec<u8>) -> (bool, Vec<u8>) {
        let (Some(f), (iteration, first, count)) = (self.raw.compute_any, now) else { return (false, message) };
        let (mut parcel, bytes) = (Parcel::new(message), tasks.len());
        let (user, tasks) = (self.raw.user, tasks.as_ptr().cast());
        // SAFETY: as above.
        let good = of_program(|| unsafe { f(user, iteration, first, count, tasks, bytes, &raw mut parcel) == 0 });
        (good, parcel.finish())
    }

    /// Calls the program's `prepare`; `false` when it returned non-zero.
    pub fn prepare(&self, iteration: u64, first: u64, count: u64, tasks: &mut [u8]) -> bool {
        let Some(f) = self.raw.prepare.filter(|_| self.task_bytes > 0) else { return true };
        // SAFETY: the program's own function, given a buffer as large as midrun.h promises.
        of_program(|| unsafe { f(self.raw.user, iteration, first, count, tasks.as_mut_ptr().cast()) == 0 })
    }

    /// Calls the program's `compute`; `false` when it returned non-zero.
    pub fn compute(&self, iteration: u64, first: u64, count: u64, tasks: &[u8], results: &mut [u8]) -> bool {
        let Some(f) = self.raw.compute else { return false };
        let (tasks, results) = (tasks.as_ptr().cast(), results.as_mut_ptr().cast());
        // SAFETY: as above.
        of_program(|| unsafe { f(self.raw.user, iteration, first, count, tasks, results) == 0 })
    }

    /// Calls the program's `collect`; `false` when it returned non-zero.
    pub fn collect(&self, iteration: u64, first: u64, count: u64, results: &[u8]) -> bool {
        if let Some(f) = self.raw.collect_any.filter(|_| self.any_size()) {
            let (user, bytes) = (self.raw.user, results.len());
            // SAFETY: the program's own function, given as many bytes as it is told.
            return of_program(|| unsafe { f(user, iteration, first, count, results.as_ptr().cast(), bytes) == 0 });
        }
        let Some(f) = self.raw.collect.filter(|_| !self.any_size()) else { return true };
        if results.len() as u64 != count * self.result_bytes as u64 {
            return false;
        }
        // SAFETY: as above.
        of_program(|| unsafe { f(self.raw.user, iteration, first, count, results.as_ptr().cast()) == 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_built_with_the_first_header_still_runs() {
        // SAFETY: all zeros are a valid RawConfig, which is as long as it says or longer.
        unsafe {
            let mut raw: RawConfig = std::mem::zeroed();
            (raw.struct_size, raw.factor, raw.workers) = (RawConfig::FIRST_SIZE, 0.5, 77);
            let read = RawConfig::read(&raw const raw).unwrap();
            assert_eq!((read.factor, read.workers), (0.5, 0), "bytes beyond its end are not read");
            raw.struct_size = size_of::<RawConfig>();
            assert_eq!(RawConfig::read(&raw const raw).unwrap().workers, 77);
            raw.struct_size = 8;
            assert!(RawConfig::read(&raw const raw).is_none());
        }
    }

    #[test]
    fn a_program_may_start_by_the_counter_where_it_leaves_its_technique_open_and_computes_task_by_task() {
        // SAFETY: all zeros are a valid RawConfig, of a master that computes nothing.
        let open: RawConfig = unsafe { std::mem::zeroed() };
        let may = |raw: RawConfig| Config::checked(&raw, 0, 2).unwrap().may_start_by_counter();
        for flags in [0, RECALL, COUNTER] {
            assert!(may(RawConfig { flags, ..open }), "{flags}");
        }
        for flags in [CHUNKS, SPAWN, TOLERATE] {
            assert!(!may(RawConfig { flags, ..open }), "{flags}");
        }
        assert!(!may(RawConfig { technique: c"mfsc".as_ptr(), ..open }) && !may(RawConfig { factor: 0.5, ..open }));
    }
}
