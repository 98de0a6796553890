//! Where decisions reach the program: commands are checked and applied here, all their assignments or none.

use crate::desk::{Answer, Awaits, Desk, Here, Rules};
use crate::hook::UNKNOWN_ITERATION;
use crate::points::Place;
use crate::tuning_points::{self, Refusal, TuningPoints};
use crate::{clock, hook, points, process, synchronized};
use midrun_ring::layout::when;
use midrun_ring::{Command, CommandConsumer};
use midrun_vocabulary::action_status;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

struct Inbox {
    commands: CommandConsumer,
    desk: Desk,
    /// The function whose calls are told for what waits.
    told: Option<Place>,
}

const RULES: Rules = Rules { awaits, settle };

static INBOX: Mutex<Option<Inbox>> = Mutex::new(None);
/// The thread whose safe points count: the first that declares a tuning point. 0 = none yet.
static OWNER: AtomicU64 = AtomicU64::new(0);
/// When the command that waits expires, CLOCK_MONOTONIC, nanoseconds.
static EXPIRES_NS: AtomicU64 = AtomicU64::new(u64::MAX);

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

/// A safe point inside iteration `iteration` as marks and frameworks count, or before its first hand-out. One load when no
/// command is there.
pub fn poll(iteration: u64, at_iteration_start: bool) {
    let counted = iteration != UNKNOWN_ITERATION && !points::iterates();
    look(&Here { iteration, start: at_iteration_start, counted, place: None });
}

/// The same where a line of the points says what an iteration is.
pub fn poll_declared(iteration: u64, at_iteration_start: bool) {
    look(&Here { iteration, start: at_iteration_start, counted: true, place: None });
}

fn look(here: &Here) {
    let owner = OWNER.load(Ordering::Relaxed);
    // Where nobody declared a tuning point of the program's, the thread that initialised MPI.
    let mine = if owner == 0 { process::is_main_thread() } else { owner == this_thread() };
    if !process::recording() || !mine {
        return;
    }
    if here.start {
        clock::resync();
    }
    process::look_after_agent();
    points::unseen(|| {
        let Ok(mut guard) = INBOX.try_lock() else { return };
        let inbox = match &mut *guard {
            Some(inbox) => inbox,
            None => {
                let Some(segment) = process::segment() else { return };
                guard.insert(Inbox { commands: segment.command_consumer(), desk: Desk::default(), told: None })
            }
        };
        inbox.open(here);
        drop(guard);
        points::at_safe_point();
    });
}

/// The thread that initialised MPI is at a function for which something waits.
pub fn reach(place: Place) {
    let iteration = points::iteration().unwrap_or(UNKNOWN_ITERATION);
    if let Ok(mut guard) = INBOX.try_lock()
        && let Some(inbox) = guard.as_mut()
    {
        let here = Here { iteration, start: false, counted: false, place: Some(place) };
        report(inbox.desk.reach(&here, RULES));
        inbox.tell();
    }
}

/// Who gave the command that waits is gone.
pub fn on_loss() {
    if let Ok(mut guard) = INBOX.try_lock()
        && let Some(inbox) = guard.as_mut()
    {
        inbox.desk.forget();
        inbox.tell();
    }
}

/// A command waited too long, so that a safe point is wanted to say so.
pub fn is_overdue() -> bool {
    let expires_ns = EXPIRES_NS.load(Ordering::Relaxed);
    expires_ns != u64::MAX && clock::now_ns() > expires_ns
}

impl Inbox {
    /// Reads what came, and does what is to be done here.
    fn open(&mut self, here: &Here) {
        let mut nonsense = false;
        while let Some(command) = Command::read(|| self.commands.pop()) {
            match command {
                Some(command) if synchronized::is_phase(&command) => synchronized::take(&command),
                Some(command) if synchronized::is_older(command.action) => {
                    let (action, status, iteration) = (command.action, action_status::REFUSED_STALE, here.iteration);
                    report(Some(Answer { action, status, iteration, time_ns: clock::now_ns() }));
                }
                Some(command) => report(self.desk.take(command, here, RULES)),
                None => nonsense = true,
            }
        }
        report(self.desk.reach(here, RULES));
        self.tell();
        if nonsense || self.commands.corrupted() {
            process::switch_off("the agent wrote nonsense into the command ring");
        }
    }

    /// Has the function told, or the time watched, for which a command waits now.
    fn tell(&mut self) {
        EXPIRES_NS.store(self.desk.deadline_ns(), Ordering::Relaxed);
        let place = self.desk.place();
        if place != self.told {
            points::await_place(place);
            self.told = place;
        }
    }
}

/// What a command waits for. Its values are set together, so at one safe point.
fn awaits(command: &Command) -> Result<Awaits, u64> {
    let assignments = &command.assignments[..command.count as usize];
    let mut places = tuning_points::with(|tuning_points| {
        assignments.iter().filter_map(|a| tuning_points.place(a.tuning_point)).collect::<Vec<Place>>() // as a rule none
    });
    places.dedup();
    match (&places[..], command.when) {
        ([], when::AT_ITERATION) => Ok(Awaits::Iteration(command.at)),
        ([], when::ITERATION_START) => Ok(Awaits::Start),
        ([], _) => Ok(Awaits::Nothing),
        ([_], when::AT_ITERATION) | ([_, _, ..], _) => Err(action_status::REFUSED_APART),
        ([place], _) => Ok(Awaits::Place(*place)),
    }
}

fn settle(command: &Command) -> u64 {
    tuning_points::with(|tuning_points| apply(tuning_points, command, clock::now_ns()))
}

fn report(answer: Option<Answer>) {
    if let Some(a) = answer {
        hook::action_result(a.action, a.status, a.iteration, a.time_ns, 0);
    }
}

/// Checks everything, then sets everything.
fn apply(tuning_points: &mut TuningPoints, command: &Command, now_ns: u64) -> u64 {
    if now_ns > command.deadline_ns {
        return action_status::EXPIRED;
    }
    let assignments = &command.assignments[..command.count as usize];
    for a in assignments {
        match tuning_points.check(a.tuning_point, a.value, &command.text) {
            Ok(()) => {}
            Err(Refusal::Unknown) => return action_status::REFUSED_UNKNOWN,
            Err(Refusal::Range) => return action_status::REFUSED_RANGE,
        }
    }
    for a in assignments {
        tuning_points.set(a.tuning_point, a.value, &command.text);
    }
    action_status::APPLIED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning_points::{Target, TuningPoint};
    use midrun_ring::{CommandAssignment, TuningPointKind};

    fn command(deadline_ns: u64, assignments: &[(u32, f64)]) -> Command {
        let mut c = Command { action: 1, deadline_ns, when: 1, count: assignments.len() as u32, ..Command::default() };
        for (slot, (tuning_point, value)) in c.assignments.iter_mut().zip(assignments) {
            *slot = CommandAssignment { tuning_point: *tuning_point, value: *value };
        }
        c
    }

    #[test]
    fn a_command_is_applied_whole_or_not_at_all() {
        let mut share = Box::new(0.5);
        let mut count = Box::new(7);
        let (share_at, count_at) = (&raw mut *share as usize, &raw mut *count as usize);
        tuning_points::with(|tuning_points| {
            let first = tuning_points.list.len() as u32;
            assert!(tuning_points.declare(
                "share",
                TuningPointKind::Real,
                TuningPoint { target: Target::Double(share_at), range: (0.0, 1.0) },
                0.5
            ));
            assert!(tuning_points.declare(
                "count",
                TuningPointKind::Whole,
                TuningPoint { target: Target::Int(count_at), range: (0.0, 9.0) },
                7.0
            ));
            let second = first + 1;
            let late = command(10, &[(first, 0.1)]);
            assert_eq!(apply(tuning_points, &late, 11), action_status::EXPIRED);
            assert_eq!(
                apply(tuning_points, &command(10, &[(first, 0.1), (second, 99.0)]), 1),
                action_status::REFUSED_RANGE
            );
            assert_eq!(apply(tuning_points, &command(10, &[(first, f64::NAN)]), 1), action_status::REFUSED_RANGE);
            assert_eq!(
                apply(tuning_points, &command(10, &[(first, 0.1), (77, 0.0)]), 1),
                action_status::REFUSED_UNKNOWN
            );
            assert_eq!((*share, *count), (0.5, 7));
            assert_eq!(apply(tuning_points, &command(10, &[(first, 0.1), (second, 8.0)]), 10), action_status::APPLIED);
        });
        assert_eq!((*share, *count), (0.1, 8));
    }
}
