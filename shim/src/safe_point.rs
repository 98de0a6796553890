//! Safe points: places where the program lets its variables be changed. Commands are checked and applied here, all their
//! assignments or none.

use crate::pending_commands::{Answer, Awaits, PendingCommands, Rules, SafePoint};
use crate::records::UNKNOWN_ITERATION;
use crate::tuning_points::{self, Boundary, TuningPoints};
use crate::{agent_link, clock, iterations, records, state, synchronized};
use midrun_ring::layout::when;
use midrun_ring::{Command, CommandConsumer};
use midrun_vocabulary::action_status;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Callbacks of the points, which stand above.
#[derive(Debug)]
pub struct Listener {
    /// Called at the end of each safe point.
    pub on_safe_point: fn(),
    /// Called when a command begins to wait for a function boundary, and with `None` when it does so no longer.
    pub on_awaited: fn(Option<Boundary>),
}

struct CommandQueue {
    commands: CommandConsumer,
    pending: PendingCommands,
    /// The function boundary of which the listener knows.
    awaited: Option<Boundary>,
}

const RULES: Rules = Rules { awaits, settle };

static LISTENER: OnceLock<Listener> = OnceLock::new();
static QUEUE: Mutex<Option<CommandQueue>> = Mutex::new(None);
/// The thread whose safe points count: the first that declares a tuning point. 0 = none yet.
static OWNER: AtomicU64 = AtomicU64::new(0);
/// The first iteration has begun.
static STARTED: AtomicBool = AtomicBool::new(false);
/// The program has a safe point of its own.
static EXPLICIT: AtomicBool = AtomicBool::new(false);
/// Deadline of the command that waits, CLOCK_MONOTONIC, nanoseconds.
static EXPIRES_NS: AtomicU64 = AtomicU64::new(u64::MAX);

/// Registers the callbacks; the first ones stay.
pub fn listen(listener: Listener) {
    let _ = LISTENER.set(listener);
}

/// Makes the calling thread the one whose safe points count; `false` when another thread is that already.
pub fn own() -> bool {
    let me = state::this_thread();
    match OWNER.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(owner) => owner == me,
    }
}

/// From now on the program's blocking MPI calls are safe points, as long as it has no others.
pub fn allow_in_calls() {
    if state::recording() {
        state::switch_on(state::bit::SAFE_POINTS);
    }
}

/// Whether the program has come to a safe point of its own.
pub fn is_explicit() -> bool {
    EXPLICIT.load(Ordering::Relaxed)
}

/// A safe point that the program itself has, outside iterations or inside iteration `marked`.
pub fn poll_explicit(marked: Option<u64>) {
    EXPLICIT.store(true, Ordering::Relaxed);
    match marked {
        // Inside an iteration: a command that waits for an iteration's start is not applied.
        Some(iteration) => poll(iteration, false),
        None => poll(UNKNOWN_ITERATION, true),
    }
}

/// A safe point inside iteration `iteration` as markers and frameworks count, or before its first chunk. One load where no
/// command is there.
pub fn poll(iteration: u64, at_iteration_start: bool) {
    let counted = iteration != UNKNOWN_ITERATION && !iterations::are_declared();
    visit(&SafePoint { iteration, start: at_iteration_start, counted, boundary: None });
}

/// As [`poll`], where a line of the points declares the iterations.
pub fn poll_declared(iteration: u64, at_iteration_start: bool) {
    visit(&SafePoint { iteration, start: at_iteration_start, counted: true, boundary: None });
}

/// A safe point anywhere in the program.
pub fn poll_anywhere() {
    match (iterations::declared(), iterations::marked()) {
        (Some(declared), _) => poll_declared(declared, false),
        (None, Some(marked)) => poll(marked, false),
        (None, None) => poll(UNKNOWN_ITERATION, true),
    }
}

/// A safe point of a worker, in an iteration that its master counts. A rank that has safe points of its own, by marks, variables that it
/// exposes or a framework of which it is the master, has no others.
pub fn poll_followed(iteration: u64, at_iteration_start: bool) {
    let has_own = is_explicit() || iterations::marked().is_some() || OWNER.load(Ordering::Relaxed) != 0;
    if !has_own {
        poll(iteration, at_iteration_start);
    }
}

fn visit(here: &SafePoint) {
    let owner = OWNER.load(Ordering::Relaxed);
    // Where no thread declared a tuning point of the program's, the thread that initialised MPI.
    let mine = if owner == 0 { state::is_main_thread() } else { owner == state::this_thread() };
    if !state::recording() || !mine {
        return;
    }
    if here.start {
        clock::resync();
    }
    agent_link::check();
    if here.start && here.iteration != UNKNOWN_ITERATION && !STARTED.load(Ordering::Relaxed) {
        STARTED.store(true, Ordering::Relaxed);
        tuning_points::with(|registry| registry.take_start_values());
    }
    state::unhooked(|| {
        let Ok(mut guard) = QUEUE.try_lock() else { return };
        let queue = match &mut *guard {
            Some(queue) => queue,
            None => {
                let Some(segment) = state::segment() else { return };
                let (commands, pending) = (segment.command_consumer(), PendingCommands::default());
                guard.insert(CommandQueue { commands, pending, awaited: None })
            }
        };
        queue.drain(here);
        drop(guard);
        if let Some(listener) = LISTENER.get() {
            (listener.on_safe_point)();
        }
    });
}

/// The main thread is at a function boundary for which a command waits.
pub fn reach(boundary: Boundary) {
    let iteration = iterations::current().unwrap_or(UNKNOWN_ITERATION);
    if let Ok(mut guard) = QUEUE.try_lock()
        && let Some(queue) = guard.as_mut()
    {
        let here = SafePoint { iteration, start: false, counted: false, boundary: Some(boundary) };
        report(queue.pending.reach(&here, RULES));
        queue.announce();
    }
}

/// The agent disconnected.
pub fn on_agent_lost() {
    if let Ok(mut guard) = QUEUE.try_lock()
        && let Some(queue) = guard.as_mut()
    {
        queue.pending.on_agent_lost();
        queue.announce();
    }
}

/// Whether the next MPI call that may be a safe point should be one: a command or the loss of the agent waits for it.
pub fn is_due() -> bool {
    let expires_ns = EXPIRES_NS.load(Ordering::Relaxed);
    state::segment().is_some_and(midrun_ring::Segment::has_command)
        || agent_link::is_lost()
        || (expires_ns != u64::MAX && clock::now_ns() > expires_ns)
}

impl CommandQueue {
    /// Takes the commands that came, and settles what is due here.
    fn drain(&mut self, here: &SafePoint) {
        let mut nonsense = false;
        while let Some(command) = Command::read(|| self.commands.pop()) {
            match command {
                Some(command) if synchronized::is_phase(&command) => synchronized::take(&command),
                Some(command) if synchronized::is_older(command.action) => {
                    let (action, status, iteration) = (command.action, action_status::REFUSED_STALE, here.iteration);
                    report(Some(Answer { action, status, iteration, time_ns: clock::now_ns() }));
                }
                Some(command) => report(self.pending.take(command, here, RULES)),
                None => nonsense = true,
            }
        }
        report(self.pending.reach(here, RULES));
        self.announce();
        if nonsense || self.commands.corrupted() {
            state::switch_off("the agent wrote nonsense into the command ring");
        }
    }

    /// Announces the deadline and the function boundary for which a command waits now.
    fn announce(&mut self) {
        EXPIRES_NS.store(self.pending.deadline_ns(), Ordering::Relaxed);
        let boundary = self.pending.boundary();
        if boundary != self.awaited {
            if let Some(listener) = LISTENER.get() {
                (listener.on_awaited)(boundary);
            }
            self.awaited = boundary;
        }
    }
}

/// The safe point that a command waits for. Its values are set together, so at one safe point.
fn awaits(command: &Command) -> Result<Awaits, u64> {
    let boundaries = tuning_points::with(|registry| registry.boundaries(command));
    match (&boundaries[..], command.when) {
        ([], when::AT_ITERATION) => Ok(Awaits::Iteration(command.at)),
        ([], when::ITERATION_START) => Ok(Awaits::Start),
        ([], _) => Ok(Awaits::Nothing),
        ([_], when::AT_ITERATION) | ([_, _, ..], _) => Err(action_status::REFUSED_APART),
        ([boundary], _) => Ok(Awaits::Boundary(*boundary)),
    }
}

fn settle(command: &Command) -> u64 {
    tuning_points::with(|registry| apply(registry, command, clock::now_ns()))
}

fn report(answer: Option<Answer>) {
    if let Some(a) = answer {
        records::action_result(a.action, a.status, a.iteration, a.time_ns, 0);
    }
}

/// Checks everything, then sets everything; returns the command's status.
fn apply(registry: &mut TuningPoints, command: &Command, now_ns: u64) -> u64 {
    if let Err(status) = registry.check(command, now_ns) {
        return status;
    }
    if registry.needs_all(command) {
        return action_status::REFUSED_ALONE;
    }
    registry.set(command);
    action_status::APPLIED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning_points::{Setter, TuningPoint};
    use midrun_ring::{CommandAssignment, TuningPointKind};

    fn command(deadline_ns: u64, assignments: &[(u32, f64)]) -> Command {
        let mut c = Command { action: 1, deadline_ns, when: 1, count: assignments.len() as u32, ..Command::default() };
        for (slot, (tuning_point, value)) in c.assignments.iter_mut().zip(assignments) {
            *slot = CommandAssignment { tuning_point: *tuning_point, value: *value };
        }
        c
    }

    static VALUES: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
    static SETTER: Setter = Setter::new(
        |_, number, value, _| VALUES[number].store(value.to_bits(), Ordering::Relaxed),
        |number| f64::from_bits(VALUES[number].load(Ordering::Relaxed)),
    );

    #[test]
    fn a_command_is_applied_whole_or_not_at_all() {
        let values = || [0, 1].map(|number| (SETTER.value)(number));
        tuning_points::with(|registry| {
            let first = registry.count();
            for (number, (name, maximum, value)) in [("share", 1.0, 0.5), ("count", 9.0, 7.0)].into_iter().enumerate() {
                (SETTER.set)(registry, number, value, "");
                let (name, kind, range) = (name.into(), TuningPointKind::Real, (0.0, maximum));
                assert!(registry.declare(TuningPoint { name, kind, range, setter: &SETTER, number }, value));
            }
            let second = first + 1;
            let late = command(10, &[(first, 0.1)]);
            assert_eq!(apply(registry, &late, 11), action_status::EXPIRED);
            let mut refused = |assignments: &[(u32, f64)]| apply(registry, &command(10, assignments), 1);
            assert_eq!(refused(&[(first, 0.1), (second, 99.0)]), action_status::REFUSED_RANGE);
            assert_eq!(refused(&[(first, f64::NAN)]), action_status::REFUSED_RANGE);
            assert_eq!(refused(&[(first, 0.1), (77, 0.0)]), action_status::REFUSED_UNKNOWN);
            assert_eq!(values(), [0.5, 7.0]);
            assert_eq!(apply(registry, &command(10, &[(first, 0.1), (second, 8.0)]), 10), action_status::APPLIED);
        });
        assert_eq!(values(), [0.1, 8.0]);
    }
}
