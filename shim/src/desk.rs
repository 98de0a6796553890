//! Which commands were settled, and which one waits for its safe point. A lost link or a lost analyzer can bring the same
//! command again.

use crate::clock;
use crate::points::Place;
use midrun_ring::Command;
use midrun_vocabulary::action_status;

/// What a command waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// Any safe point.
    Nothing,
    /// The start of an iteration.
    Start,
    /// The start of this one.
    Iteration(u64),
    /// The entry or exit of a function.
    Place(Place),
}

/// The safe point that the thread is at.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// The iteration it lies in.
    pub iteration: u64,
    /// That begins here.
    pub start: bool,
    /// Its number is the rank's own count.
    pub counted: bool,
    /// It is at a function.
    pub place: Option<Place>,
}

impl Awaits {
    /// Whether it is here.
    ///
    /// # Errors
    /// The status of a command whose iteration has begun already.
    fn is_at(self, here: &Here) -> Result<bool, u64> {
        match self {
            Awaits::Nothing => Ok(true),
            Awaits::Start => Ok(here.start),
            Awaits::Iteration(wanted) if !here.counted || here.iteration < wanted => Ok(false),
            Awaits::Iteration(wanted) if here.start && here.iteration == wanted => Ok(true),
            Awaits::Iteration(_) => Err(action_status::PAST),
            Awaits::Place(place) => Ok(here.place == Some(place)),
        }
    }
}

/// How commands are judged and carried out.
#[derive(Clone, Copy)]
pub struct Rules {
    /// What a command waits for, or the status with which it is refused.
    pub awaits: fn(&Command) -> Result<Awaits, u64>,
    /// Carries it out, whole or not at all; its status.
    pub settle: fn(&Command) -> u64,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub action: u64,
    pub status: u64,
    pub iteration: u64,
    pub time_ns: u64,
}

/// See the module.
#[derive(Default)]
pub struct Desk {
    /// Answer to the newest command settled, given again when it comes again.
    newest: Answer,
    /// A command that waits; a newer one takes its place.
    waiting: Option<(Command, Awaits)>,
}

impl Desk {
    /// The function at which something waits.
    pub fn place(&self) -> Option<Place> {
        match self.waiting {
            Some((_, Awaits::Place(place))) => Some(place),
            _ => None,
        }
    }

    /// When what waits expires, CLOCK_MONOTONIC, nanoseconds; `u64::MAX` where nothing does.
    pub fn deadline_ns(&self) -> u64 {
        self.waiting.as_ref().map_or(u64::MAX, |(command, _)| command.deadline_ns)
    }

    /// Who gave it is gone: what waits for one iteration or for a function is not done any more.
    pub fn forget(&mut self) {
        self.waiting.take_if(|(_, awaits)| matches!(awaits, Awaits::Iteration(_) | Awaits::Place(_)));
    }

    /// A command came: settled now, or kept until what it waits for. Returns what there is to answer.
    pub fn take(&mut self, command: Command, here: &Here, rules: Rules) -> Option<Answer> {
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

    /// The thread is at a safe point: settles what waited for it, or can wait no longer.
    pub fn reach(&mut self, here: &Here, rules: Rules) -> Option<Answer> {
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

    fn conclude(&mut self, command: &Command, here: &Here, status: u64) -> Answer {
        self.newest = answer(command.action, status, here);
        self.newest
    }
}

fn answer(action: u64, status: u64, here: &Here) -> Answer {
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
            EXIT => Ok(Awaits::Place((7, Moment::After))),
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

    fn inside(iteration: u64) -> Here {
        Here { iteration, start: false, counted: true, place: None }
    }

    fn start(iteration: u64) -> Here {
        Here { start: true, ..inside(iteration) }
    }

    /// Commands that come at safe points, each at most once applied, in growing order; what was answered.
    fn told(steps: &[(Option<Command>, Here)]) -> (Vec<u64>, Vec<(u64, u64)>) {
        APPLIED.take();
        let mut desk = Desk::default();
        let mut answers = Vec::new();
        for (came, here) in steps {
            answers.extend(came.clone().and_then(|came| desk.take(came, here, RULES)));
            answers.extend(desk.reach(here, RULES));
        }
        (APPLIED.take(), answers.into_iter().map(|answer| (answer.action, answer.status)).collect())
    }

    /// The same by action id and moment, and whether an iteration starts.
    fn story(steps: &[(u64, u32, bool)]) -> (Vec<u64>, Vec<(u64, u64)>) {
        let step = |(iteration, (action, when, starts)): (usize, &(u64, u32, bool))| {
            let here = Here { start: *starts, ..inside(iteration as u64) };
            ((*action > 0).then(|| command(*action, *when, 0)), here)
        };
        told(&steps.iter().enumerate().map(step).collect::<Vec<_>>())
    }

    #[test]
    fn a_command_that_comes_again_is_applied_once_and_answered_again() {
        let once = [(3, NOW, false), (3, NOW, false), (3, START, true), (2, NOW, false)];
        let stale = (2, action_status::REFUSED_STALE);
        assert_eq!(
            story(&once),
            (vec![3], vec![(3, action_status::APPLIED), (3, action_status::APPLIED), (3, 1), stale])
        );
        // Again while it waits for an iteration: neither refused nor applied twice.
        let waits = [(3, START, false), (3, START, false), (0, NOW, true), (3, START, false), (0, NOW, true)];
        assert_eq!(story(&waits), (vec![3], vec![(3, action_status::APPLIED), (3, action_status::APPLIED)]));
    }

    #[test]
    fn a_newer_command_takes_the_place_of_the_one_that_waits() {
        let both = [(3, START, false), (4, START, false), (3, START, false), (0, NOW, true)];
        let stale = (3, action_status::REFUSED_STALE);
        assert_eq!(story(&both), (vec![4], vec![stale, stale, (4, action_status::APPLIED)]));
        assert_eq!(story(&[(3, START, false), (4, NOW, false), (0, NOW, true)]), (vec![4], vec![(4, 1), stale]));
    }

    #[test]
    fn a_command_for_one_iteration_is_applied_at_its_start_or_not_at_all() {
        let at_5 = |here: Here| (Some(command(1, when::AT_ITERATION, 5)), here);
        let applied = (vec![1], vec![(1, action_status::APPLIED)]);
        let past = (vec![], vec![(1, action_status::PAST)]);
        let unknown = Here { counted: false, ..start(9) };
        let waits = [at_5(inside(3)), (None, start(4)), (None, inside(4)), (None, unknown), (None, start(5))];
        assert_eq!(told(&waits), applied);
        assert_eq!(told(&waits[..4]), (vec![], vec![]), "not before");
        assert_eq!(told(&[at_5(start(5))]), applied, "it came just in time");
        assert_eq!(told(&[at_5(inside(5))]), past, "it has begun");
        assert_eq!(told(&[at_5(start(6))]), past);
        assert_eq!(told(&[at_5(inside(4)), (None, start(6))]), past, "its start was missed");
    }

    #[test]
    fn a_command_for_a_function_waits_for_its_side_of_it() {
        let at = |moment| Here { place: Some((7, moment)), ..inside(2) };
        let other = Here { place: Some((8, Moment::After)), ..inside(2) };
        let came = (Some(command(1, EXIT, 0)), start(2));
        let steps = [came, (None, at(Moment::Before)), (None, other), (None, start(3)), (None, at(Moment::After))];
        assert_eq!(told(&steps), (vec![1], vec![(1, action_status::APPLIED)]));
        assert_eq!(told(&steps[..4]), (vec![], vec![]));
        assert_eq!(told(&[(Some(command(1, 101, 0)), start(2))]), (vec![], vec![(1, action_status::REFUSED_APART)]));
    }

    #[test]
    fn what_waits_in_vain_expires_with_its_reason_at_the_next_safe_point() {
        for (when, status) in [
            (START, action_status::EXPIRED),
            (when::AT_ITERATION, action_status::NOT_REACHED),
            (EXIT, action_status::NOT_REACHED),
        ] {
            let mut desk = Desk::default();
            let late = Command { deadline_ns: clock::now_ns() - 1, ..command(1, when, 5) };
            let deadline_ns = late.deadline_ns;
            assert_eq!(desk.take(late, &inside(2), RULES), None);
            assert_eq!((desk.deadline_ns(), desk.place().is_some()), (deadline_ns, when == EXIT));
            let answer = desk.reach(&inside(2), RULES).expect("an answer");
            assert_eq!((answer.action, answer.status), (1, status));
            assert_eq!((desk.deadline_ns(), desk.place()), (u64::MAX, None));
            assert_eq!(desk.take(command(1, when, 5), &start(2), RULES).map(|again| again.status), Some(status));
        }
    }

    #[test]
    fn what_waits_for_a_function_is_forgotten_with_who_gave_it() {
        let mut desk = Desk::default();
        assert_eq!(desk.take(command(1, EXIT, 0), &inside(2), RULES), None);
        desk.forget();
        assert_eq!(desk.place(), None);
        assert_eq!(desk.take(command(2, START, 0), &inside(2), RULES), None);
        desk.forget();
        assert_eq!(desk.reach(&start(3), RULES).map(|answer| answer.action), Some(2));
    }
}
