//! The command that waits for its safe point, and the answer to the newest one that was settled: a lost link or a lost
//! analyzer can bring the same command again.

use crate::clock;
use crate::tuning_points::Boundary;
use midrun_ring::Command;
use midrun_vocabulary::action_status;

/// The safe point that a command waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// Any safe point.
    Nothing,
    /// The start of an iteration.
    Start,
    /// The start of this one.
    Iteration(u64),
    /// The entry or exit of a function.
    Boundary(Boundary),
}

/// A safe point that the thread is at.
#[derive(Clone, Copy, Debug)]
pub struct SafePoint {
    /// The iteration in which it lies.
    pub iteration: u64,
    /// Whether that iteration begins here.
    pub start: bool,
    /// Whether the iteration's number is the rank's own count.
    pub counted: bool,
    /// The function boundary at which it lies.
    pub boundary: Option<Boundary>,
}

impl Awaits {
    /// Whether the awaited safe point is this one.
    ///
    /// # Errors
    /// The status of a command whose iteration has begun already.
    fn is_at(self, here: &SafePoint) -> Result<bool, u64> {
        match self {
            Awaits::Nothing => Ok(true),
            Awaits::Start => Ok(here.start),
            Awaits::Iteration(wanted) if !here.counted || here.iteration < wanted => Ok(false),
            Awaits::Iteration(wanted) if here.start && here.iteration == wanted => Ok(true),
            Awaits::Iteration(_) => Err(action_status::PAST),
            Awaits::Boundary(boundary) => Ok(here.boundary == Some(boundary)),
        }
    }
}

/// How commands are judged and carried out.
#[derive(Clone, Copy)]
pub struct Rules {
    /// The safe point that a command waits for, or the status with which it is refused.
    pub awaits: fn(&Command) -> Result<Awaits, u64>,
    /// Carries a command out, whole or not at all; its status.
    pub settle: fn(&Command) -> u64,
}

/// The end of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub action: u64,
    pub status: u64,
    pub iteration: u64,
    pub time_ns: u64,
}

/// See the module.
#[derive(Default)]
pub struct PendingCommands {
    /// Answer to the newest command that was settled, given again when that command comes again.
    newest: Answer,
    /// The command that waits; a newer one replaces it.
    waiting: Option<(Command, Awaits)>,
}

impl PendingCommands {
    /// The function boundary for which a command waits.
    pub fn boundary(&self) -> Option<Boundary> {
        match self.waiting {
            Some((_, Awaits::Boundary(boundary))) => Some(boundary),
            _ => None,
        }
    }

    /// Deadline of the command that waits, CLOCK_MONOTONIC, nanoseconds; `u64::MAX` where none does.
    pub fn deadline_ns(&self) -> u64 {
        self.waiting.as_ref().map_or(u64::MAX, |(command, _)| command.deadline_ns)
    }

    /// The agent disconnected: drops a command that waits for one iteration or for a function boundary.
    pub fn on_agent_lost(&mut self) {
        self.waiting.take_if(|(_, awaits)| matches!(awaits, Awaits::Iteration(_) | Awaits::Boundary(_)));
    }

    /// A command came: settles it now, or keeps it until its safe point. Returns an answer that is due.
    pub fn take(&mut self, command: Command, here: &SafePoint, rules: Rules) -> Option<Answer> {
        if command.action == self.newest.action && command.action > 0 {
            return Some(self.newest);
        }
        let waits = self.waiting.as_ref().map_or(0, |(waiting, _)| waiting.action);
        if command.action == waits && waits > 0 {
            return None; // it is answered when it is settled
        }
        if command.action <= self.newest.action.max(waits) {
            return Some(answer(command.action, action_status::REFUSED_STALE, here));
        }
        let awaits = (rules.awaits)(&command);
        match awaits.and_then(|awaits| Ok((awaits, awaits.is_at(here)?))) {
            Ok((_, true)) => Some(self.conclude(&command, here, (rules.settle)(&command))),
            Ok((awaits, false)) => {
                let older = self.waiting.replace((command, awaits));
                older.map(|(older, _)| answer(older.action, action_status::REFUSED_STALE, here))
            }
            Err(status) => Some(self.conclude(&command, here, status)),
        }
    }

    /// The thread is at a safe point: settles the command that waited for it, or can wait no longer.
    pub fn reach(&mut self, here: &SafePoint, rules: Rules) -> Option<Answer> {
        let (waiting, awaits) = self.waiting.as_ref()?;
        let stale = waiting.action < self.newest.action;
        let at = if clock::now_ns() > waiting.deadline_ns {
            Err(if *awaits == Awaits::Start { action_status::EXPIRED } else { action_status::NOT_REACHED })
        } else {
            awaits.is_at(here)
        };
        if at == Ok(false) && !stale {
            return None;
        }
        let (command, _) = self.waiting.take()?;
        if stale {
            return Some(answer(command.action, action_status::REFUSED_STALE, here));
        }
        let status = at.map_or_else(|status| status, |_| (rules.settle)(&command));
        Some(self.conclude(&command, here, status))
    }

    fn conclude(&mut self, command: &Command, here: &SafePoint, status: u64) -> Answer {
        self.newest = answer(command.action, status, here);
        self.newest
    }
}

fn answer(action: u64, status: u64, here: &SafePoint) -> Answer {
    Answer { action, status, iteration: here.iteration, time_ns: clock::now_ns() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_points::Moment;
    use midrun_ring::layout::when;
    use std::cell::RefCell;

    thread_local! { static APPLIED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) }; }

    const RULES: Rules = Rules {
        awaits: |command| match command.when {
            when::NOW => Ok(Awaits::Nothing),
            when::ITERATION_START => Ok(Awaits::Start),
            when::AT_ITERATION => Ok(Awaits::Iteration(command.at)),
            EXIT => Ok(Awaits::Boundary(Boundary { hook: 7, moment: Moment::After })),
            _ => Err(action_status::REFUSED_APART),
        },
        settle: |command| {
            APPLIED.with_borrow_mut(|applied| applied.push(command.action));
            action_status::APPLIED
        },
    };
    const NOW: u32 = when::NOW;
    const START: u32 = when::ITERATION_START;
    const EXIT: u32 = 100;

    fn command(action: u64, when: u32, at: u64) -> Command {
        Command { action, when, at, deadline_ns: u64::MAX, ..Command::default() }
    }

    fn inside(iteration: u64) -> SafePoint {
        SafePoint { iteration, start: false, counted: true, boundary: None }
    }

    fn start(iteration: u64) -> SafePoint {
        SafePoint { start: true, ..inside(iteration) }
    }

    /// Takes commands at safe points; returns the actions that were applied, and the answers.
    fn run(steps: &[(Option<Command>, SafePoint)]) -> (Vec<u64>, Vec<(u64, u64)>) {
        APPLIED.take();
        let mut pending = PendingCommands::default();
        let mut answers = Vec::new();
        for (came, here) in steps {
            answers.extend(came.clone().and_then(|came| pending.take(came, here, RULES)));
            answers.extend(pending.reach(here, RULES));
        }
        (APPLIED.take(), answers.into_iter().map(|answer| (answer.action, answer.status)).collect())
    }

    /// As [`run`], by action id and moment, and whether an iteration starts.
    fn run_simple(steps: &[(u64, u32, bool)]) -> (Vec<u64>, Vec<(u64, u64)>) {
        let step = |(iteration, (action, when, starts)): (usize, &(u64, u32, bool))| {
            let here = SafePoint { start: *starts, ..inside(iteration as u64) };
            ((*action > 0).then(|| command(*action, *when, 0)), here)
        };
        run(&steps.iter().enumerate().map(step).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_that_comes_again_is_applied_once_and_answered_again() {
        let once = [(3, NOW, false), (3, NOW, false), (3, START, true), (2, NOW, false)];
        let stale = (2, action_status::REFUSED_STALE);
        assert_eq!(
            run_simple(&once),
            (vec![3], vec![(3, action_status::APPLIED), (3, action_status::APPLIED), (3, 1), stale])
        );
        // Again while it waits for an iteration: neither refused nor applied twice.
        let waits = [(3, START, false), (3, START, false), (0, NOW, true), (3, START, false), (0, NOW, true)];
        assert_eq!(run_simple(&waits), (vec![3], vec![(3, action_status::APPLIED), (3, action_status::APPLIED)]));
    }

    #[test]
    fn a_newer_command_takes_the_place_of_the_one_that_waits() {
        let both = [(3, START, false), (4, START, false), (3, START, false), (0, NOW, true)];
        let stale = (3, action_status::REFUSED_STALE);
        assert_eq!(run_simple(&both), (vec![4], vec![stale, stale, (4, action_status::APPLIED)]));
        assert_eq!(run_simple(&[(3, START, false), (4, NOW, false), (0, NOW, true)]), (vec![4], vec![(4, 1), stale]));
    }

    #[test]
    fn a_command_for_one_iteration_is_applied_at_its_start_or_not_at_all() {
        let at_5 = |here: SafePoint| (Some(command(1, when::AT_ITERATION, 5)), here);
        let applied = (vec![1], vec![(1, action_status::APPLIED)]);
        let past = (vec![], vec![(1, action_status::PAST)]);
        let unknown = SafePoint { counted: false, ..start(9) };
        let waits = [at_5(inside(3)), (None, start(4)), (None, inside(4)), (None, unknown), (None, start(5))];
        assert_eq!(run(&waits), applied);
        assert_eq!(run(&waits[..4]), (vec![], vec![]), "not before");
        assert_eq!(run(&[at_5(start(5))]), applied, "it came just in time");
        assert_eq!(run(&[at_5(inside(5))]), past, "it has begun");
        assert_eq!(run(&[at_5(start(6))]), past);
        assert_eq!(run(&[at_5(inside(4)), (None, start(6))]), past, "its start was missed");
    }

    #[test]
    fn a_command_for_a_function_waits_for_its_side_of_it() {
        let at = |moment| SafePoint { boundary: Some(Boundary { hook: 7, moment }), ..inside(2) };
        let other = SafePoint { boundary: Some(Boundary { hook: 8, moment: Moment::After }), ..inside(2) };
        let came = (Some(command(1, EXIT, 0)), start(2));
        let steps = [came, (None, at(Moment::Before)), (None, other), (None, start(3)), (None, at(Moment::After))];
        assert_eq!(run(&steps), (vec![1], vec![(1, action_status::APPLIED)]));
        assert_eq!(run(&steps[..4]), (vec![], vec![]));
        assert_eq!(run(&[(Some(command(1, 101, 0)), start(2))]), (vec![], vec![(1, action_status::REFUSED_APART)]));
    }

    #[test]
    fn a_command_that_waits_in_vain_expires_with_its_reason_at_the_next_safe_point() {
        for (when, status) in [
            (START, action_status::EXPIRED),
            (when::AT_ITERATION, action_status::NOT_REACHED),
            (EXIT, action_status::NOT_REACHED),
        ] {
            let mut pending = PendingCommands::default();
            let late = Command { deadline_ns: clock::now_ns() - 1, ..command(1, when, 5) };
            let deadline_ns = late.deadline_ns;
            assert_eq!(pending.take(late, &inside(2), RULES), None);
            assert_eq!((pending.deadline_ns(), pending.boundary().is_some()), (deadline_ns, when == EXIT));
            let answer = pending.reach(&inside(2), RULES).expect("an answer");
            assert_eq!((answer.action, answer.status), (1, status));
            assert_eq!((pending.deadline_ns(), pending.boundary()), (u64::MAX, None));
            assert_eq!(pending.take(command(1, when, 5), &start(2), RULES).map(|again| again.status), Some(status));
        }
    }

    #[test]
    fn a_command_for_a_function_is_dropped_when_the_agent_disconnects() {
        let mut pending = PendingCommands::default();
        assert_eq!(pending.take(command(1, EXIT, 0), &inside(2), RULES), None);
        pending.on_agent_lost();
        assert_eq!(pending.boundary(), None);
        assert_eq!(pending.take(command(2, START, 0), &inside(2), RULES), None);
        pending.on_agent_lost();
        assert_eq!(pending.reach(&start(3), RULES).map(|answer| answer.action), Some(2));
    }
}
