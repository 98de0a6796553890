//! Where decisions reach the program: commands are checked and applied here, all their assignments or none.

use crate::knobs::{self, Knobs, Refusal};
use crate::{clock, hook, points, process, together};
use midrun_ring::layout::when;
use midrun_ring::{Command, CommandConsumer};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Statuses of an action, numbered as the wire's `ActionStatus`.
mod outcome {
    pub const APPLIED: u64 = 1;
    pub const REFUSED_RANGE: u64 = 2;
    pub const REFUSED_UNKNOWN: u64 = 3;
    pub const REFUSED_STALE: u64 = 4;
    pub const EXPIRED: u64 = 5;
}

/// Which commands were settled, and which one waits. A lost link or a lost analyzer can bring the same command again.
#[derive(Default)]
struct Desk {
    /// Answer to the newest command settled, given again when it comes again.
    newest: Answer,
    /// A command that waits for the next iteration's start; a newer one takes its place.
    waiting: Option<Command>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answer {
    action: u64,
    status: u64,
    iteration: u64,
    time_ns: u64,
}

struct Inbox {
    commands: CommandConsumer,
    desk: Desk,
}

static INBOX: Mutex<Option<Inbox>> = Mutex::new(None);
/// The thread whose safe points count: the first that declares a knob. 0 = none yet.
static OWNER: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static SELF: u8 = const { 0 };
}

/// Something different for every living thread.
pub fn this_thread() -> u64 {
    SELF.with(|local| std::ptr::from_ref(local) as u64)
}

/// Makes the calling thread the one whose safe points count; `false` when another thread is that already.
pub fn own() -> bool {
    let me = this_thread();
    match OWNER.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(owner) => owner == me,
    }
}

/// A safe point inside iteration `iteration`, or before its first hand-out. One load when no command is there.
pub fn poll(iteration: u64, at_iteration_start: bool) {
    let owner = OWNER.load(Ordering::Relaxed);
    // Where nobody declared a knob of the program's, the thread that initialised MPI.
    let mine = if owner == 0 { process::is_main_thread() } else { owner == this_thread() };
    if !process::recording() || !mine {
        return;
    }
    if at_iteration_start {
        clock::resync();
    }
    process::look_after_agent();
    let Ok(mut guard) = INBOX.try_lock() else { return };
    let inbox = match &mut *guard {
        Some(inbox) => inbox,
        None => {
            let Some(segment) = process::segment() else { return };
            guard.insert(Inbox { commands: segment.command_consumer(), desk: Desk::default() })
        }
    };
    let mut nonsense = false;
    while let Some(command) = Command::read(|| inbox.commands.pop()) {
        match command {
            Some(command) if together::is_phase(&command) => together::take(&command),
            Some(command) if together::is_older(command.action) => {
                let (action, status) = (command.action, outcome::REFUSED_STALE);
                report(Some(Answer { action, status, iteration, time_ns: clock::now_ns() }));
            }
            Some(command) => report(inbox.desk.take(command, at_iteration_start, iteration, settle)),
            None => nonsense = true,
        }
    }
    report(inbox.desk.begin(at_iteration_start, iteration, settle));
    if nonsense || inbox.commands.corrupted() {
        process::switch_off("the agent wrote nonsense into the command ring");
    }
    drop(guard);
    points::at_safe_point();
}

fn settle(command: &Command) -> u64 {
    knobs::with(|knobs| apply(knobs, command, clock::now_ns()))
}

fn report(answer: Option<Answer>) {
    if let Some(a) = answer {
        hook::action_result(a.action, a.status, a.iteration, a.time_ns, 0);
    }
}

impl Desk {
    /// A command came: settled now, or kept until an iteration starts. Returns what there is to answer.
    fn take(&mut self, command: Command, start: bool, iteration: u64, settle: fn(&Command) -> u64) -> Option<Answer> {
        if command.action == self.newest.action && command.action > 0 {
            return Some(self.newest);
        }
        let waits = self.waiting.as_ref().map_or(0, |waiting| waiting.action);
        if command.action == waits && waits > 0 {
            return None; // it is answered when it is settled
        }
        let stale = |action| Answer { action, status: outcome::REFUSED_STALE, iteration, time_ns: clock::now_ns() };
        if command.action <= self.newest.action.max(waits) {
            return Some(stale(command.action));
        }
        if command.when == when::ITERATION_START && !start {
            return self.waiting.replace(command).map(|older| stale(older.action));
        }
        Some(self.conclude(&command, iteration, settle))
    }

    /// An iteration starts, if `start`: settles what waited for it.
    fn begin(&mut self, start: bool, iteration: u64, settle: fn(&Command) -> u64) -> Option<Answer> {
        let command = self.waiting.take_if(|waiting| start || waiting.action < self.newest.action)?;
        if command.action < self.newest.action {
            let time_ns = clock::now_ns();
            return Some(Answer { action: command.action, status: outcome::REFUSED_STALE, iteration, time_ns });
        }
        Some(self.conclude(&command, iteration, settle))
    }

    fn conclude(&mut self, command: &Command, iteration: u64, settle: fn(&Command) -> u64) -> Answer {
        let status = settle(command);
        self.newest = Answer { action: command.action, status, iteration, time_ns: clock::now_ns() };
        self.newest
    }
}

/// Checks everything, then sets everything.
fn apply(knobs: &mut Knobs, command: &Command, now_ns: u64) -> u64 {
    if now_ns > command.deadline_ns {
        return outcome::EXPIRED;
    }
    let assignments = &command.assignments[..command.count as usize];
    for a in assignments {
        match knobs.check(a.knob, a.value, &command.text) {
            Ok(()) => {}
            Err(Refusal::Unknown) => return outcome::REFUSED_UNKNOWN,
            Err(Refusal::Range) => return outcome::REFUSED_RANGE,
        }
    }
    for a in assignments {
        knobs.set(a.knob, a.value, &command.text);
    }
    outcome::APPLIED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::{Knob, Target};
    use midrun_ring::{CommandAssignment, KnobKind};

    fn command(deadline_ns: u64, assignments: &[(u32, f64)]) -> Command {
        let mut c = Command { action: 1, deadline_ns, when: 1, count: assignments.len() as u32, ..Command::default() };
        for (slot, (knob, value)) in c.assignments.iter_mut().zip(assignments) {
            *slot = CommandAssignment { knob: *knob, value: *value };
        }
        c
    }

    #[test]
    fn a_command_is_applied_whole_or_not_at_all() {
        let mut share = Box::new(0.5);
        let mut count = Box::new(7);
        let (share_at, count_at) = (&raw mut *share as usize, &raw mut *count as usize);
        knobs::with(|knobs| {
            let first = knobs.list.len() as u32;
            assert!(knobs.declare(
                "share",
                KnobKind::Real,
                Knob { target: Target::Double(share_at), range: (0.0, 1.0) },
                0.5
            ));
            assert!(knobs.declare(
                "count",
                KnobKind::Whole,
                Knob { target: Target::Int(count_at), range: (0.0, 9.0) },
                7.0
            ));
            let second = first + 1;
            let late = command(10, &[(first, 0.1)]);
            assert_eq!(apply(knobs, &late, 11), outcome::EXPIRED);
            assert_eq!(apply(knobs, &command(10, &[(first, 0.1), (second, 99.0)]), 1), outcome::REFUSED_RANGE);
            assert_eq!(apply(knobs, &command(10, &[(first, f64::NAN)]), 1), outcome::REFUSED_RANGE);
            assert_eq!(apply(knobs, &command(10, &[(first, 0.1), (77, 0.0)]), 1), outcome::REFUSED_UNKNOWN);
            assert_eq!((*share, *count), (0.5, 7));
            assert_eq!(apply(knobs, &command(10, &[(first, 0.1), (second, 8.0)]), 10), outcome::APPLIED);
        });
        assert_eq!((*share, *count), (0.1, 8));
    }

    /// Commands by action id and moment, each at most once applied, in growing order; what was answered.
    fn story(steps: &[(u64, u32, bool)]) -> (Vec<u64>, Vec<(u64, u64)>) {
        thread_local! { static APPLIED: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) }; }
        APPLIED.take();
        let settle: fn(&Command) -> u64 = |command| {
            APPLIED.with_borrow_mut(|applied| applied.push(command.action));
            outcome::APPLIED
        };
        let mut desk = Desk::default();
        let mut answers = Vec::new();
        for (iteration, (action, moment, start)) in steps.iter().enumerate() {
            let came = Command { action: *action, when: *moment, ..Command::default() };
            answers.extend((*action > 0).then(|| desk.take(came, *start, iteration as u64, settle)).flatten());
            answers.extend(desk.begin(*start, iteration as u64, settle));
        }
        (APPLIED.take(), answers.into_iter().map(|answer| (answer.action, answer.status)).collect())
    }

    const NOW: u32 = when::NOW;
    const START: u32 = when::ITERATION_START;

    #[test]
    fn a_command_that_comes_again_is_applied_once_and_answered_again() {
        let once = [(3, NOW, false), (3, NOW, false), (3, START, true), (2, NOW, false)];
        let stale = (2, outcome::REFUSED_STALE);
        assert_eq!(story(&once), (vec![3], vec![(3, outcome::APPLIED), (3, outcome::APPLIED), (3, 1), stale]));
        // Again while it waits for an iteration: neither refused nor applied twice.
        let waits = [(3, START, false), (3, START, false), (0, NOW, true), (3, START, false), (0, NOW, true)];
        assert_eq!(story(&waits), (vec![3], vec![(3, outcome::APPLIED), (3, outcome::APPLIED)]));
    }

    #[test]
    fn a_newer_command_takes_the_place_of_the_one_that_waits() {
        let both = [(3, START, false), (4, START, false), (3, START, false), (0, NOW, true)];
        let stale = (3, outcome::REFUSED_STALE);
        assert_eq!(story(&both), (vec![4], vec![stale, stale, (4, outcome::APPLIED)]));
        assert_eq!(story(&[(3, START, false), (4, NOW, false), (0, NOW, true)]), (vec![4], vec![(4, 1), stale]));
    }
}
