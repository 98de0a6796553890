//! Passes signals on to the launcher: each that reaches this process alone, and none that reached its whole process group,
//! because the launcher has received that one itself.
//!
//! A *witness* tells the two apart: a child in the same group that only collects the signals it gets.

use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};
use std::time::Duration;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The signals that batch systems, shells and terminals send to jobs, but those that no process can catch and those that only
/// background processes of a terminal get.
const RELAYED: [i32; 12] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGABRT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGURG,
    libc::SIGCONT,
    libc::SIGTSTP,
    libc::SIGXCPU,
];
/// Signals by which users and batch systems end a job.
pub const ENDING: [i32; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];
/// A batch system that signals each process of a job takes at most this long from the first to the last.
const SAME_SENDING: Duration = Duration::from_millis(20);
/// The witness answers within this time, unless it is stopped.
const ANSWER_MS: i32 = 200;

/// Signals that arrived, with the witness.
pub struct Relay {
    witness: Option<Witness>,
    arrived: Receiver<i32>,
    to: Sender<i32>,
    ignored: Vec<i32>,
    asked_to_end: Option<i32>,
    stopped: Duration,
}

/// What a signal asks of `midrun run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Send it to the launcher.
    Forward(i32),
    /// The launcher has got it itself.
    Received(i32),
    /// The terminal stops the whole group: stop, too.
    Stop,
}

impl Relay {
    /// Starts the witness. To be called while this process has one thread.
    pub fn new() -> Relay {
        let ignored = RELAYED.into_iter().filter(|number| is_ignored(*number)).collect();
        let (to, arrived) = channel(RELAYED.len());
        let witness = Witness::start().inspect_err(|error| tracing::warn!(%error, "every signal is passed on")).ok();
        Relay { witness, arrived, to, ignored, asked_to_end: None, stopped: Duration::ZERO }
    }

    /// The signals that this process was started to ignore (`nohup`, `&` in a script). They are passed on all the same: the
    /// launcher inherits that they are ignored, and decides for itself, as without midrun.
    pub fn ignored(&self) -> Vec<i32> {
        self.ignored.clone()
    }

    /// Starts to catch signals, in a runtime.
    ///
    /// # Errors
    /// The system refuses a handler.
    pub fn catch(&self) -> anyhow::Result<()> {
        for number in RELAYED {
            let mut stream = signal(SignalKind::from_raw(number)).context("cannot catch signals")?;
            let to = self.to.clone();
            tokio::spawn(async move {
                while stream.recv().await.is_some() {
                    let _ = to.send(number).await;
                }
            });
        }
        Ok(())
    }

    /// The launcher is about to start: it has received none of the signals so far.
    pub fn on_launch(&mut self) {
        if let Some(witness) = &mut self.witness {
            witness.ask();
            witness.seen = 0;
        }
    }

    /// The signal that asked this process to end, if one did by the time at which the launcher ended.
    pub async fn asked_to_end(&mut self) -> Option<i32> {
        // Who ended the launcher may be about to signal this process, too.
        tokio::time::sleep(SAME_SENDING).await;
        while let Ok(number) = self.arrived.try_recv() {
            self.note(number);
        }
        self.asked_to_end
    }

    fn note(&mut self, number: i32) {
        if ENDING.contains(&number) && !self.ignored.contains(&number) {
            self.asked_to_end = Some(number);
        }
    }

    /// How long the terminal has stopped this process since this was asked last.
    pub fn take_stopped(&mut self) -> Duration {
        std::mem::take(&mut self.stopped)
    }

    /// Stops this process, as the terminal has stopped the launcher, until the shell continues both.
    pub fn stop(&mut self) {
        let begin = std::time::Instant::now();
        // SAFETY: raises a signal.
        unsafe { libc::raise(libc::SIGSTOP) };
        self.stopped += begin.elapsed();
    }

    /// The witness, which is a child of this process.
    pub fn witness(&self) -> Option<i32> {
        self.witness.as_ref().map(|witness| witness.pid)
    }

    /// Waits for the next signal to react to.
    pub async fn next(&mut self) -> Signal {
        let number = self.arrived.recv().await.unwrap_or(libc::SIGTERM); // a sender lives in `self`
        self.note(number);
        tokio::time::sleep(SAME_SENDING).await;
        match self.witness.as_mut().is_some_and(|witness| witness.has_seen(number)) {
            false => Signal::Forward(number),
            true if number == libc::SIGTSTP => Signal::Stop,
            true => Signal::Received(number),
        }
    }
}

fn is_ignored(number: i32) -> bool {
    // SAFETY: zero is a valid sigaction, which the call fills in.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: only reads the disposition.
    unsafe { libc::sigaction(number, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN }
}

/// Asks the witness for its signals. Among pending signals the kernel delivers those with lower numbers first.
fn question() -> i32 {
    libc::SIGRTMIN()
}

/// A child that blocks all signals, and answers which ones it got.
struct Witness {
    pid: i32,
    answers: std::fs::File,
    /// Signals that it got, as a mask; those that were asked about are taken out.
    seen: u64,
}

impl Witness {
    fn start() -> anyhow::Result<Witness> {
        let mut pipe = [0; 2];
        // SAFETY: room for two descriptors.
        if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(std::io::Error::last_os_error()).context("no pipe");
        }
        // SAFETY: made just now.
        let answers = unsafe { std::fs::File::from_raw_fd(pipe[0]) };
        let all = mask(RELAYED.iter().copied().chain([question()]));
        // SAFETY: zero is a valid set, which the first call fills in. The signals are blocked over the fork, so that the child is
        // never without the block. The process has one thread, so its child may run any code.
        let pid = unsafe {
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigprocmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
            let pid = libc::fork();
            if pid == 0 {
                collect(&all, pipe[1]);
            }
            libc::sigprocmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            libc::close(pipe[1]);
            pid
        };
        if pid < 0 {
            return Err(std::io::Error::last_os_error()).context("no process");
        }
        Ok(Witness { pid, answers, seen: 0 })
    }

    /// Whether it got the signal since this was asked last.
    fn has_seen(&mut self, number: i32) -> bool {
        self.ask();
        let bit = 1 << number;
        let seen = self.seen & bit != 0;
        self.seen &= !bit;
        seen
    }

    fn ask(&mut self) {
        let mut poll = libc::pollfd { fd: self.answers.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: a child that is not waited for; one pollfd.
        let answers = unsafe { libc::kill(self.pid, question()) == 0 && libc::poll(&raw mut poll, 1, ANSWER_MS) == 1 };
        let mut answer = [0; 8];
        if answers && self.answers.read_exact(&mut answer).is_ok() {
            self.seen |= u64::from_ne_bytes(answer);
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        // SAFETY: a child that is not waited for yet.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

fn mask(numbers: impl Iterator<Item = i32>) -> libc::sigset_t {
    // SAFETY: zero is a valid set; the calls only change it.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        numbers.for_each(|number| {
            libc::sigaddset(&raw mut set, number);
        });
        set
    }
}

/// The witness's life: it ends with its parent.
fn collect(all: &libc::sigset_t, answers: i32) -> ! {
    const DESCRIPTORS: i32 = 1024;
    // SAFETY: plain calls with numbers and with memory of this frame.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_NAME, c"midrun-signals".as_ptr());
        (0..DESCRIPTORS).filter(|fd| *fd != answers).for_each(|fd| {
            libc::close(fd);
        });
        let mut got: u64 = 0;
        loop {
            let number = libc::sigwaitinfo(all, std::ptr::null_mut());
            if number == question() {
                if libc::write(answers, (&raw const got).cast(), 8) != 8 {
                    libc::_exit(0);
                }
                got = 0;
            } else if number > 0 {
                got |= 1 << number;
            }
        }
    }
}
