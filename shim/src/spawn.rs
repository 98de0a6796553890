//! Starting worker processes beyond the ranks that are there: safe functions over `mpi/spawn.c`, and the thread that
//! waits for such a process beside the program's work.

use crate::c_half::c_half;
use crate::mpi::MpiFailed;
use crate::{clock, launch_id};
use std::ffi::{CString, c_char, c_int, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Time between two attempts to receive a started process's message, and the longest wait of MPI_Finalize for starting threads.
const LISTEN: Duration = Duration::from_millis(2);
const LAST_WAIT_NS: u64 = 2_000_000_000;
/// Variables that a started process inherits, besides those that begin with `MIDRUN_`.
const INHERITED: [&str; 2] = ["LD_PRELOAD", "LD_LIBRARY_PATH"];
const ENV: &str = "/usr/bin/env";

/// Threads that are starting a process.
static STARTING: AtomicUsize = AtomicUsize::new(0);
/// MPI is about to end.
static ENDING: AtomicBool = AtomicBool::new(false);

c_half! {
    fn midrun_spawn_room(why: *mut c_char, bytes: usize) -> c_int = 0;
    fn midrun_spawn_start(
        command: *const c_char, arguments: *mut *mut c_char, directory: *const c_char, why: *mut c_char, bytes: usize
    ) -> c_int = -1;
    fn midrun_spawn_hear(child: c_int, data: *mut c_void, bytes: usize) -> c_int = -1;
    fn midrun_spawn_dismiss(child: c_int, farewell: *const c_void, bytes: usize);
    fn midrun_spawn_settled() -> c_int = 1;
    fn midrun_spawned_number() -> c_int = -1;
    fn midrun_spawned_end();
}

/// Whether a master of this job started this process.
pub fn is_spawned() -> bool {
    // SAFETY: reads a number.
    unsafe { midrun_spawned_number() > 0 }
}

/// Ends a started process, with the program's exit handlers.
pub fn end() -> ! {
    // SAFETY: MPI is initialised in a started process; nothing of ours runs after this.
    unsafe {
        midrun_spawned_end();
        libc::exit(0)
    }
}

fn sentence(call: impl FnOnce(*mut c_char, usize) -> c_int) -> (c_int, String) {
    let mut why = [0u8; 512];
    let result = call(why.as_mut_ptr().cast(), why.len());
    (result, String::from_utf8_lossy(why.split(|b| *b == 0).next().unwrap_or_default()).into_owned())
}

/// Number of processes that this MPI can start.
///
/// # Errors
/// Why it can start none.
pub fn room() -> Result<usize, String> {
    // SAFETY: as much room as said; MPI is initialised.
    match sentence(|why, bytes| unsafe { midrun_spawn_room(why, bytes) }) {
        (room, _) if room > 0 => Ok(room as usize),
        (_, why) => Err(why),
    }
}

/// Sends `child`, or with `None` all started processes, away.
pub fn dismiss(child: Option<usize>, farewell: &[u8]) {
    let child = child.map_or(-1, |child| child as c_int);
    // SAFETY: as many bytes as said.
    unsafe { midrun_spawn_dismiss(child, farewell.as_ptr().cast(), farewell.len()) };
}

/// A started process that has come: its number at MPI's side, and its first message.
pub type Ready = (usize, Vec<u8>);

/// Shared by the master and the thread that starts processes.
#[derive(Debug, Default)]
struct Progress {
    ready: Vec<Ready>,
    ended: Option<Result<(), String>>,
    /// The master waits no longer.
    abandoned: bool,
}

/// A thread that starts processes, one after the other, beside the master's work.
#[derive(Debug)]
pub struct Start(Arc<Mutex<Progress>>);

fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Start {
    /// Starts this program once more for each of `numbers`, which follow those of the job's ranks. The first message of each
    /// process has `hello_bytes` bytes; the message `farewell` sends away those that came too late.
    ///
    /// # Errors
    /// Why no process can be started.
    pub fn begin(numbers: Range<u32>, hello_bytes: usize, farewell: Vec<u8>) -> Result<Start, String> {
        let lines = numbers.map(command_line).collect::<Result<Vec<_>, _>>()?;
        let progress = Arc::new(Mutex::new(Progress::default()));
        let shared = progress.clone();
        let body = move || {
            silence_signals();
            let mut all = lines.into_iter().map(|line| {
                let ready = start(line).and_then(|child| await_hello(child, &shared, hello_bytes, &farewell))?;
                locked(&shared).ready.push(ready);
                Ok(())
            });
            let ended = all.try_for_each(|one| one);
            locked(&shared).ended = Some(ended);
            STARTING.fetch_sub(1, Ordering::SeqCst);
        };
        STARTING.fetch_add(1, Ordering::SeqCst);
        let thread = std::thread::Builder::new().name("midrun-spawn".into()).spawn(body);
        thread.map(|_| Start(progress)).map_err(|error| {
            STARTING.fetch_sub(1, Ordering::SeqCst);
            format!("no thread: {error}")
        })
    }

    /// The processes that came since the last call, and the result of the thread once it has ended.
    pub fn news(&self) -> (Vec<Ready>, Option<Result<(), String>>) {
        let mut progress = locked(&self.0);
        (std::mem::take(&mut progress.ready), progress.ended.clone())
    }

    /// Waits no longer: a process that comes now is sent away.
    pub fn abandon(&self) {
        locked(&self.0).abandoned = true;
    }
}

/// MPI is about to end: sends all started processes away with the message `farewell`, and waits up to 2 s for a thread that
/// is starting one.
pub fn on_finalize(farewell: &[u8]) {
    ENDING.store(true, Ordering::SeqCst);
    let end_ns = clock::now_ns() + LAST_WAIT_NS;
    while STARTING.load(Ordering::SeqCst) > 0 && clock::now_ns() < end_ns {
        std::thread::sleep(LISTEN);
    }
    dismiss(None, farewell);
    // SAFETY: looks by itself whether MPI is there.
    while unsafe { midrun_spawn_settled() } == 0 && clock::now_ns() < end_ns {
        std::thread::sleep(LISTEN);
    }
}

/// This process's program and arguments, to be executed by `env`, which sets the variables.
struct Line {
    arguments: Vec<CString>,
    directory: Option<CString>,
}

fn command_line(number: u32) -> Result<Line, String> {
    let program = std::fs::read_link("/proc/self/exe").map_err(|error| format!("/proc/self/exe: {error}"))?;
    let words = std::fs::read("/proc/self/cmdline").map_err(|error| format!("/proc/self/cmdline: {error}"))?;
    let launch = format!("{}={}", launch_id::LAUNCH, launch_id::launch());
    let mut arguments: Vec<Vec<u8>> = vec![format!("MIDRUN_SPAWNED={number}").into_bytes(), launch.into_bytes()];
    for (name, value) in std::env::vars_os() {
        let name = name.into_vec();
        // A secret would be visible on a command line.
        let is_secret = str::from_utf8(&name).is_ok_and(midrun_vocabulary::names::is_secret);
        let is_set = name == b"MIDRUN_SPAWNED" || name == launch_id::LAUNCH.as_bytes();
        let ours = name.starts_with(b"MIDRUN_") && !is_set && !is_secret;
        if ours || INHERITED.iter().any(|known| known.as_bytes() == name) {
            arguments.push([name, value.into_vec()].join(&b'='));
        }
    }
    arguments.push(program.into_os_string().into_vec());
    // Each word ends with a zero; the first is the program's name.
    let words = words.strip_suffix(&[0]).unwrap_or(&words);
    arguments.extend(words.split(|byte| *byte == 0).skip(1).map(<[u8]>::to_vec));
    let arguments = arguments.into_iter().map(CString::new).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let directory = std::env::current_dir().ok().and_then(|path| CString::new(path.into_os_string().into_vec()).ok());
    Ok(Line { arguments, directory })
}

fn start(line: Line) -> Result<usize, String> {
    let command = CString::new(ENV).map_err(|error| error.to_string())?;
    let mut arguments: Vec<*mut c_char> = line.arguments.iter().map(|word| word.as_ptr().cast_mut()).collect();
    arguments.push(std::ptr::null_mut());
    let directory = line.directory.as_ref().map_or(std::ptr::null(), |path| path.as_ptr());
    // SAFETY: C strings that live through the call, the list of them ends with NULL; MPI does not write to them.
    let (child, why) = sentence(|why, bytes| unsafe {
        midrun_spawn_start(command.as_ptr(), arguments.as_mut_ptr(), directory, why, bytes)
    });
    usize::try_from(child).map_err(|_| why)
}

fn hear(child: usize, bytes: usize) -> Result<Option<Vec<u8>>, MpiFailed> {
    let mut hello = vec![0; bytes];
    // SAFETY: as many bytes as said.
    match unsafe { midrun_spawn_hear(child as c_int, hello.as_mut_ptr().cast(), bytes) } {
        1 => Ok(Some(hello)),
        0 => Ok(None),
        _ => Err(MpiFailed),
    }
}

fn await_hello(child: usize, progress: &Mutex<Progress>, bytes: usize, farewell: &[u8]) -> Result<Ready, String> {
    loop {
        let unwanted = ENDING.load(Ordering::SeqCst) || locked(progress).abandoned;
        let why = match (unwanted, hear(child, bytes)) {
            (false, Ok(Some(hello))) => return Ok((child, hello)),
            (false, Ok(None)) => {
                std::thread::sleep(LISTEN);
                continue;
            }
            (true, _) => "nobody waits for it any more",
            (_, Err(MpiFailed)) => "the started process does not speak as a worker of this program does",
        };
        dismiss(Some(child), farewell);
        return Err(why.into());
    }
}

/// Blocks all signals: they are for the program's own threads.
fn silence_signals() {
    // SAFETY: zero is a valid sigset_t, which is filled before it is used.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_started_process_gets_the_same_arguments_and_its_number() {
        let line = command_line(7).unwrap();
        let words: Vec<&str> = line.arguments.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words[0], "MIDRUN_SPAWNED=7");
        let own: Vec<String> = std::env::args().skip(1).collect();
        let program = std::env::current_exe().unwrap();
        let at = words.iter().position(|word| *word == program.to_str().unwrap()).unwrap();
        assert_eq!(words[at + 1..], own);
        assert!(words[..at].iter().all(|word| word.contains('=')), "{words:?}");
    }

    #[test]
    fn a_start_that_fails_says_so() {
        let start = Start::begin(3..5, 8, vec![]).unwrap();
        let ended = loop {
            match start.news() {
                (ready, Some(ended)) => break (ready, ended),
                _ => std::thread::yield_now(),
            }
        };
        assert_eq!(ended, (vec![], Err(String::new())), "without MPI there is no reason to give");
    }
}
