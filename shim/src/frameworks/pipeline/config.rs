//! The program's configuration as the C API passes it, and the calls of the program's callbacks.

use super::message::{Header, Kind, Out};
use crate::mpi_calls::of_program;
use std::ffi::{CStr, c_char, c_int, c_void};

/// Flags of a stage: `MIDRUN_PIPE_STATEFUL`, `MIDRUN_PIPE_MANY`.
const STATEFUL: u32 = 1;
const MANY: u32 = 2;
/// Flag of the configuration: `MIDRUN_PIPE_UNORDERED`.
const UNORDERED: u32 = 1;
/// Likewise `MIDRUN_PIPE_SPAWN`.
const SPAWN: u32 = 2;
/// Return value of a source that has no more inputs: `MIDRUN_PIPE_END`.
pub const END: c_int = 1;
/// Largest number of stages.
const STAGES: u32 = midrun_vocabulary::bounds::STAGES as u32;

type Run = unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize, *mut Out) -> c_int;
type Split = unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize, *mut Out) -> c_int;
type Task = unsafe extern "C" fn(*mut c_void, u64, u64, *const c_void, usize, *mut Out) -> c_int;
type Join = unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize, u64, *const Part, *mut Out) -> c_int;
type Source = unsafe extern "C" fn(*mut c_void, u64, *mut Out) -> c_int;
type Sink = unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize) -> c_int;

/// `midrun_pipe_stage_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawStage {
    name: *const c_char,
    run: Option<Run>,
    flags: u32,
    split: Option<Split>,
    task: Option<Task>,
    join: Option<Join>,
}

impl RawStage {
    /// Bytes of the first version, which ended with `flags`.
    const FIRST_SIZE: usize = std::mem::offset_of!(RawStage, split);
}

/// `midrun_pipe_part_t`: the result of a task.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    data: *const c_void,
    bytes: usize,
}

impl Part {
    /// These bytes, which must outlive it.
    pub fn of(result: &[u8]) -> Part {
        Part { data: result.as_ptr().cast(), bytes: result.len() }
    }
}

/// `midrun_pipe_config_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawConfig {
    struct_size: usize,
    pub comm: *const c_void,
    flags: u32,
    stage_count: u32,
    stages: *const RawStage,
    stage_size: usize,
    source: Option<Source>,
    sink: Option<Sink>,
    user: *mut c_void,
    pattern: *const c_char,
    in_flight: u32,
}

/// `midrun_pipe_stats_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub struct_size: usize,
    pub inputs: u64,
    pub outputs: u64,
    pub changes: u64,
    pub seconds: f64,
    pub failed_stage: i32,
    pub failed_status: i32,
    pub failed_input: u64,
}

/// One stage.
#[derive(Debug)]
pub struct Stage {
    /// Its name; may be empty.
    pub name: String,
    does: Does,
    /// It keeps state between inputs.
    pub stateful: bool,
    /// It emits any number of outputs per input.
    pub many: bool,
}

/// What a stage does with an input.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// One function computes it.
    Run(Run),
    /// A team computes it, task by task.
    Team(Split, Task, Join),
}

impl Stage {
    /// Whether a team computes it.
    pub fn is_team(&self) -> bool {
        matches!(self.does, Does::Team(..))
    }
}

/// A checked configuration.
#[derive(Debug)]
pub struct Config {
    /// In the order of the stream.
    pub stages: Vec<Stage>,
    source: Option<Source>,
    sink: Option<Sink>,
    user: *mut c_void,
    /// Outputs may reach the sink in any order.
    pub unordered: bool,
    /// This program may be started again as a further rank.
    pub may_spawn: bool,
    /// Text of the first plan.
    pub plan: Option<String>,
    /// Most inputs in flight; 0: enough for the ranks.
    pub in_flight: usize,
}

/// Copies a text of the program; `None` for NULL.
///
/// # Safety
/// `text` must be NULL or a C string.
pub unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

impl Config {
    /// Reads and checks the configuration; `None` when an argument is out of range for this rank.
    ///
    /// # Safety
    /// `raw` must point to as many bytes as its `struct_size` says, with contents as `midrun.h` asks.
    pub unsafe fn read(raw: *const RawConfig) -> Option<(Config, RawConfig)> {
        // SAFETY: the size is the first field of every version, and no more is read than it says.
        let raw = unsafe {
            if raw.cast::<usize>().read() < size_of::<RawConfig>() {
                return None;
            }
            *raw
        };
        let listed = raw.stage_size >= RawStage::FIRST_SIZE && (1..=STAGES).contains(&raw.stage_count);
        if raw.stages.is_null() || !listed || raw.flags & !(UNORDERED | SPAWN) != 0 {
            return None;
        }
        let stage = |k: u32| {
            // SAFETY: the program's list has `stage_count` entries of `stage_size` bytes, and zeros are a stage without functions.
            let stage = unsafe {
                let mut stage: RawStage = std::mem::zeroed();
                let from = raw.stages.byte_add(k as usize * raw.stage_size).cast::<u8>();
                let bytes = raw.stage_size.min(size_of::<RawStage>());
                std::ptr::copy_nonoverlapping(from, (&raw mut stage).cast::<u8>(), bytes);
                stage
            };
            let does = match (stage.run, stage.split, stage.task, stage.join) {
                (Some(run), None, None, None) => Some(Does::Run(run)),
                // A team's ranks change from input to input, and each input has one result.
                (None, Some(split), Some(task), Some(join)) if stage.flags == 0 => Some(Does::Team(split, task, join)),
                _ => None,
            };
            let good = stage.flags & !(STATEFUL | MANY) == 0;
            // SAFETY: midrun.h asks for a C string or NULL.
            let name = unsafe { text(stage.name) }.unwrap_or_default();
            let (stateful, many) = (stage.flags & STATEFUL != 0, stage.flags & MANY != 0);
            does.filter(|_| good).map(|does| Stage { name, does, stateful, many })
        };
        let stages = (0..raw.stage_count).map(stage).collect::<Option<Vec<_>>>()?;
        // SAFETY: as above.
        let plan = unsafe { text(raw.pattern) };
        Some((
            Config {
                stages,
                source: raw.source,
                sink: raw.sink,
                user: raw.user,
                unordered: raw.flags & UNORDERED != 0,
                may_spawn: raw.flags & SPAWN != 0,
                plan,
                in_flight: raw.in_flight as usize,
            },
            raw,
        ))
    }

    /// A number by which ranks compare their stages and flags.
    pub fn fingerprint(&self) -> i64 {
        let flags =
            |stage: &Stage| i64::from(stage.stateful) + 2 * i64::from(stage.many) + 4 * i64::from(stage.is_team()) + 8;
        let stages = self.stages.iter().fold(0_i64, |sum, stage| sum.wrapping_mul(31).wrapping_add(flags(stage)));
        let flags = 2 * i64::from(self.may_spawn) + i64::from(self.unordered);
        // Its negative must exist.
        stages.wrapping_mul(4).wrapping_add(flags).max(-i64::MAX)
    }

    /// The first message of a started process: its configuration, which must equal the head's.
    pub fn hello(&self) -> Vec<u8> {
        let (input, count) = (self.fingerprint().cast_unsigned(), self.stages.len() as u64);
        Header { input, count, ..Header::new(Kind::Hello) }.message()
    }

    /// Which stages keep state.
    pub fn stateful(&self) -> Vec<bool> {
        self.stages.iter().map(|stage| stage.stateful).collect()
    }

    /// Which stages are a team's.
    pub fn teams(&self) -> Vec<bool> {
        self.stages.iter().map(Stage::is_team).collect()
    }

    /// Returns whether this rank can be the head.
    pub fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// The name of a stage in error messages.
    pub fn called(&self, stage: usize) -> String {
        match self.stages.get(stage).map(|stage| stage.name.as_str()) {
            None | Some("") => format!("stage {stage}"),
            Some(name) => format!("stage {stage} ({name})"),
        }
    }

    /// Calls a stage and returns its result.
    pub fn run(&self, stage: usize, input: u64, data: &[u8], out: &mut Out) -> c_int {
        let Does::Run(run) = self.stages[stage].does else { return crate::status::ERR_INTERNAL };
        // SAFETY: the program's own function, given what midrun.h promises.
        of_program(|| unsafe { run(self.user, input, data.as_ptr().cast(), data.len(), out) })
    }

    /// Lead: has an input split into tasks, each an output of `out`.
    pub fn split(&self, stage: usize, input: u64, data: &[u8], out: &mut Out) -> c_int {
        let Does::Team(split, ..) = self.stages[stage].does else { return crate::status::ERR_INTERNAL };
        // SAFETY: as above.
        of_program(|| unsafe { split(self.user, input, data.as_ptr().cast(), data.len(), out) })
    }

    /// Computes a task of an input of a stage.
    pub fn task(&self, (stage, input, task): (usize, u64, u64), data: &[u8], out: &mut Out) -> c_int {
        let does = self.stages.get(stage).map(|stage| stage.does);
        let Some(Does::Team(_, run, _)) = does else { return crate::status::ERR_INTERNAL };
        // SAFETY: as above.
        of_program(|| unsafe { run(self.user, input, task, data.as_ptr().cast(), data.len(), out) })
    }

    /// Lead: has the results of all tasks joined to the output of the input.
    pub fn join(&self, stage: usize, input: u64, data: &[u8], results: &[Part], out: &mut Out) -> c_int {
        let Does::Team(_, _, join) = self.stages[stage].does else { return crate::status::ERR_INTERNAL };
        let (bytes, count) = (data.len(), results.len() as u64);
        // SAFETY: as above; the results live during the call.
        of_program(|| unsafe { join(self.user, input, data.as_ptr().cast(), bytes, count, results.as_ptr(), out) })
    }

    /// Calls the source for an input.
    pub fn draw(&self, input: u64, out: &mut Out) -> c_int {
        // SAFETY: as above.
        self.source.map_or(END, |source| of_program(|| unsafe { source(self.user, input, out) }))
    }

    /// Calls the sink with an output.
    pub fn deliver(&self, input: u64, data: &[u8]) -> c_int {
        // SAFETY: as above.
        let give = |sink: Sink| unsafe { sink(self.user, input, data.as_ptr().cast(), data.len()) };
        self.sink.map_or(0, |sink| of_program(|| give(sink)))
    }
}
