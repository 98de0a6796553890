//! The Master/Worker farm: tasks and results are bytes of any size.

use crate::{Error, check, raw};
use std::any::Any;
use std::ffi::{CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How a farm starts; midrun changes technique and workers where it gains. See `midrun_mw_config_t`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Rank of the master in `MPI_COMM_WORLD`.
    pub master: i32,
    /// Scheduling technique at start; `None`: midrun's choice.
    pub technique: Option<String>,
    /// Share per batch, 0 to 1; 0: the technique's default.
    pub factor: f64,
    /// Active workers at start; 0: all.
    pub workers: u32,
    /// Idle workers get tasks that a busy one has not begun.
    pub recall: bool,
}

type Compute<'f> = Box<dyn FnMut(&[u8]) -> Vec<u8> + 'f>;

/// What the callbacks need. It stays where it is, because libmidrun knows its address.
struct Context<'f> {
    compute: Compute<'f>,
    tasks: Vec<Vec<u8>>,
    results: Vec<Vec<u8>>,
    panic: Option<Box<dyn Any + Send>>,
}

/// A farm over `MPI_COMM_WORLD`. Creating and dropping it is collective. A panic of a task ends the iteration on all ranks and goes on
/// on the rank that it comes from; the other ranks get [`Error`].
pub struct Farm<'f> {
    handle: *mut c_void,
    context: Box<Context<'f>>,
}

/// Each task or result: its length, then its bytes.
fn frame(parts: &[Vec<u8>], out: *mut c_void) -> c_int {
    let bytes: usize = parts.iter().map(|part| 8 + part.len()).sum();
    // SAFETY: `out` is that of the callback in progress.
    let room = unsafe { raw::midrun_mw_emit(out, bytes) };
    if room.is_null() {
        return 1;
    }
    // SAFETY: as many bytes as asked for.
    let mut room = unsafe { std::slice::from_raw_parts_mut(room.cast::<u8>(), bytes) };
    for part in parts {
        let (length, rest) = room.split_at_mut(8);
        length.copy_from_slice(&(part.len() as u64).to_le_bytes());
        let (to, rest) = rest.split_at_mut(part.len());
        to.copy_from_slice(part);
        room = rest;
    }
    0
}

/// The parts of a chunk; it ends where a length is wrong.
fn parts(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        bytes = rest;
        Some(part)
    })
}

/// # Safety
/// `data` points to `bytes` bytes, or is anything if there are none.
unsafe fn slice<'b>(data: *const c_void, bytes: usize) -> &'b [u8] {
    // SAFETY: the caller's promise.
    if bytes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.cast(), bytes) } }
}

impl Context<'_> {
    /// Keeps a panic from crossing C.
    fn safely(&mut self, body: impl FnOnce(&mut Self) -> c_int) -> c_int {
        catch_unwind(AssertUnwindSafe(|| body(self))).unwrap_or_else(|panic| {
            self.panic.get_or_insert(panic);
            1
        })
    }
}

unsafe extern "C" fn prepare(user: *mut c_void, _: u64, first: u64, count: u64, out: *mut c_void) -> c_int {
    // SAFETY: `user` is the context; libmidrun calls one callback at a time.
    let context = unsafe { &mut *user.cast::<Context<'_>>() };
    context.safely(|context| frame(&context.tasks[first as usize..][..count as usize], out))
}

unsafe extern "C" fn compute(
    user: *mut c_void,
    _: u64,
    _: u64,
    count: u64,
    tasks: *const c_void,
    bytes: usize,
    out: *mut c_void,
) -> c_int {
    // SAFETY: as above; the bytes are those that `prepare` wrote.
    let (context, tasks) = unsafe { (&mut *user.cast::<Context<'_>>(), slice(tasks, bytes)) };
    context.safely(|context| {
        // The last tasks of the chunk may have been given back.
        let results: Vec<Vec<u8>> = parts(tasks).take(count as usize).map(|task| (context.compute)(task)).collect();
        if results.len() as u64 == count { frame(&results, out) } else { 1 }
    })
}

unsafe extern "C" fn collect(
    user: *mut c_void,
    _: u64,
    first: u64,
    count: u64,
    results: *const c_void,
    bytes: usize,
) -> c_int {
    // SAFETY: as above.
    let (context, results) = unsafe { (&mut *user.cast::<Context<'_>>(), slice(results, bytes)) };
    context.safely(|context| {
        let mut collected = 0;
        for (place, result) in context.results[first as usize..][..count as usize].iter_mut().zip(parts(results)) {
            *place = result.to_vec();
            collected += 1;
        }
        c_int::from(collected != count)
    })
}

impl<'f> Farm<'f> {
    /// Collective. `compute` makes a task's result from its bytes, on the workers.
    ///
    /// # Errors
    /// An option out of range, or no MPI, or no worker.
    pub fn new(options: &Options, compute: impl FnMut(&[u8]) -> Vec<u8> + 'f) -> Result<Farm<'f>, Error> {
        const ERR_ARGUMENT: i32 = -1;
        let technique = options.technique.clone().map(CString::new).transpose();
        let technique = technique.map_err(|_| Error { status: ERR_ARGUMENT })?;
        let context = Context { compute: Box::new(compute), tasks: Vec::new(), results: Vec::new(), panic: None };
        let mut farm = Farm { handle: std::ptr::null_mut(), context: Box::new(context) };
        let config = raw::Config {
            struct_size: size_of::<raw::Config>(),
            comm: std::ptr::null(),
            master: options.master,
            flags: raw::ANY_SIZE | if options.recall { raw::RECALL } else { 0 },
            task_bytes: 0,
            result_bytes: 0,
            prepare: std::ptr::null(),
            compute: std::ptr::null(),
            collect: std::ptr::null(),
            user: (&raw mut *farm.context).cast(),
            technique: technique.as_ref().map_or(std::ptr::null(), |name| name.as_ptr()),
            factor: options.factor,
            workers: options.workers,
            prepare_any: Some(self::prepare),
            compute_any: Some(self::compute),
            collect_any: Some(self::collect),
        };
        // SAFETY: the configuration is whole, and the context outlives the handle.
        check(unsafe { raw::midrun_mw_create(&raw mut farm.handle, &raw const config) })?;
        Ok(farm)
    }

    fn iterate(&mut self, tasks: u64) -> Result<c_int, Error> {
        // SAFETY: the handle is that of `new`.
        let status = unsafe { raw::midrun_mw_iterate(self.handle, tasks) };
        if let Some(panic) = self.context.panic.take() {
            resume_unwind(panic);
        }
        check(status)
    }

    /// Master: one iteration; the results in the order of the tasks.
    ///
    /// # Errors
    /// A task panicked on a worker, or MPI failed.
    pub fn map<T: AsRef<[u8]>>(&mut self, tasks: &[T]) -> Result<Vec<Vec<u8>>, Error> {
        self.context.tasks = tasks.iter().map(|task| task.as_ref().to_vec()).collect();
        self.context.results = vec![Vec::new(); tasks.len()];
        self.iterate(tasks.len() as u64)?;
        Ok(std::mem::take(&mut self.context.results))
    }

    /// Worker: computes until the master calls [`Farm::finish`].
    ///
    /// # Errors
    /// As [`Farm::map`].
    pub fn serve(&mut self) -> Result<(), Error> {
        while self.iterate(0)? == raw::OK {}
        Ok(())
    }

    /// Master: no iteration follows.
    ///
    /// # Errors
    /// MPI failed.
    pub fn finish(&mut self) -> Result<(), Error> {
        // SAFETY: as in `iterate`.
        check(unsafe { raw::midrun_mw_finish(self.handle) }).map(|_| ())
    }
}

impl Drop for Farm<'_> {
    fn drop(&mut self) {
        // SAFETY: null, or the handle of `new`.
        unsafe { raw::midrun_mw_destroy(&raw mut self.handle) };
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn parts_of_any_size_are_told_apart_and_a_wrong_length_ends_them() {
        let mut bytes = Vec::new();
        for part in [&b"abc"[..], b"", b"d"] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        assert_eq!(parts(&bytes).collect::<Vec<_>>(), [&b"abc"[..], b"", b"d"]);
        bytes.truncate(bytes.len() - 1);
        assert_eq!(parts(&bytes).count(), 2);
    }
}
