//! Where decisions reach the program: commands are checked and applied here, all their assignments or none.

use crate::knobs::{self, Knobs, Refusal};
use crate::{clock, hook, process};
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

struct Inbox {
    commands: CommandConsumer,
    newest: u64,
    /// A command that waits for the next iteration's start; a newer one takes its place.
    waiting: Option<Command>,
}

static INBOX: Mutex<Option<Inbox>> = Mutex::new(None);
/// The thread whose safe points count: the first that declares a knob. 0 = none yet.
static OWNER: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static SELF: u8 = const { 0 };
}

/// Something different for every living thread.
fn this_thread() -> u64 {
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
    if !process::recording() || OWNER.load(Ordering::Relaxed) != this_thread() {
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
            guard.insert(Inbox { commands: segment.command_consumer(), newest: 0, waiting: None })
        }
    };
    while let Some(words) = inbox.commands.pop() {
        let command = Command::from_words(words);
        if command.when == when::ITERATION_START && !at_iteration_start {
            if let Some(older) = inbox.waiting.replace(command) {
                report(&older, outcome::REFUSED_STALE, iteration);
            }
        } else {
            settle(inbox, &command, iteration);
        }
    }
    if at_iteration_start && let Some(command) = inbox.waiting.take() {
        settle(inbox, &command, iteration);
    }
    if inbox.commands.corrupted() {
        process::switch_off("the agent wrote nonsense into the command ring");
    }
}

fn settle(inbox: &mut Inbox, command: &Command, iteration: u64) {
    let status = if command.action <= inbox.newest {
        outcome::REFUSED_STALE
    } else {
        inbox.newest = command.action;
        knobs::with(|knobs| apply(knobs, command, clock::now_ns()))
    };
    report(command, status, iteration);
}

fn report(command: &Command, status: u64, iteration: u64) {
    hook::action_result(command.action, status, iteration, clock::now_ns());
}

/// Checks everything, then sets everything.
fn apply(knobs: &mut Knobs, command: &Command, now_ns: u64) -> u64 {
    if now_ns > command.deadline_ns {
        return outcome::EXPIRED;
    }
    let assignments = &command.assignments[..command.count as usize];
    for a in assignments {
        match knobs.check(a.knob, a.value) {
            Ok(()) => {}
            Err(Refusal::Unknown) => return outcome::REFUSED_UNKNOWN,
            Err(Refusal::Range) => return outcome::REFUSED_RANGE,
        }
    }
    for a in assignments {
        knobs.set(a.knob, a.value);
    }
    outcome::APPLIED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::{Knob, Target};
    use midrun_ring::CommandAssignment;

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
            assert!(knobs.declare("share", false, Knob { target: Target::Double(share_at), range: (0.0, 1.0) }, 0.5));
            assert!(knobs.declare("count", true, Knob { target: Target::Int(count_at), range: (0.0, 9.0) }, 7.0));
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
}
