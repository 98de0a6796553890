//! Writes an action into the command ring of its rank, or returns the reason why it cannot.

use crate::rank::Rank;
use midrun_proto::v1::assignment::Value;
use midrun_proto::v1::{Action, ActionStatus, Phase, When};
use midrun_ring::layout::{NO_TUNING_POINT, when};
use midrun_ring::{Command, CommandAssignment, TuningPointKind};
use midrun_vocabulary::bounds::{ASSIGNMENTS, LAST_ITERATION, TEXT_BYTES};

/// Writes the command of `action`; its time to live starts at `now_ns` of this host's clock.
///
/// # Errors
/// The status to report: the rank cannot get the command.
pub fn deliver(rank: &mut Rank, action: &Action, now_ns: u64) -> Result<(), ActionStatus> {
    let tuning_points = rank.segment.tuning_points();
    let mut command = Command {
        action: action.id,
        deadline_ns: now_ns.saturating_add(action.time_to_live_ms.saturating_mul(1_000_000)),
        when: when_of(action),
        at: action.at.min(LAST_ITERATION),
        count: action.assignments.len() as u32,
        ..Command::default()
    };
    if action.assignments.len() > ASSIGNMENTS {
        return Err(ActionStatus::Undeliverable);
    }
    for (slot, wanted) in command.assignments.iter_mut().zip(&action.assignments) {
        let (number, tuning_point) = tuning_points
            .iter()
            .find(|(_, tuning_point)| tuning_point.name == wanted.tuning_point)
            .ok_or(ActionStatus::RefusedUnknown)?;
        let value = match (tuning_point.kind, &wanted.value) {
            (TuningPointKind::Text, Some(Value::Text(text))) if command.text.is_empty() => {
                command.text.clone_from(text);
                text.len() as f64
            }
            (TuningPointKind::Real | TuningPointKind::Whole, Some(Value::Number(number))) => *number,
            _ => return Err(ActionStatus::RefusedRange),
        };
        if !(tuning_point.minimum..=tuning_point.maximum).contains(&value) || command.text.len() > TEXT_BYTES {
            return Err(ActionStatus::RefusedRange);
        }
        *slot = CommandAssignment { tuning_point: *number, value };
    }
    if action.phase() == Phase::PreCommit {
        // Iteration numbers are below 2^48: a number that a double holds exactly.
        command.assignments[0] = CommandAssignment { tuning_point: NO_TUNING_POINT, value: action.at as f64 };
        command.count = 1;
    }
    if !rank.commands.push_all(&command.to_entries()) {
        return Err(ActionStatus::Undeliverable);
    }
    rank.segment.note_action(action.id);
    Ok(())
}

/// The moment or the phase of the command, one of [`when`].
fn when_of(action: &Action) -> u32 {
    match (action.phase(), action.when()) {
        (Phase::Prepare, _) => when::PREPARE,
        (Phase::PreCommit, _) => when::PRE_COMMIT,
        (Phase::Commit, _) => when::COMMIT,
        (Phase::Committed, _) => when::COMMITTED,
        (Phase::Unspecified, When::IterationStart) => when::ITERATION_START,
        (Phase::Unspecified, When::Iteration) => when::AT_ITERATION,
        (Phase::Unspecified, _) => when::NOW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_proto::v1::Assignment;
    use midrun_ring::{Identity, Segment};

    fn rank() -> (Segment, Rank) {
        crate::rank::attached(&Identity { world_size: 1, ..Identity::default() })
    }

    fn action(tuning_point: &str, number: f64) -> Action {
        with(tuning_point, Some(Value::Number(number)))
    }

    fn with(tuning_point: &str, value: Option<Value>) -> Action {
        let assignments = vec![Assignment { tuning_point: tuning_point.into(), value }];
        Action { id: 7, assignments, when: When::Now.into(), time_to_live_ms: 2, ..Action::default() }
    }

    #[test]
    fn a_command_carries_the_tuning_points_number_and_a_deadline_of_this_host() {
        let (theirs, mut rank) = rank();
        deliver(&mut rank, &action("mw.factor", 0.25), 1000).unwrap();
        let mut commands = theirs.command_consumer();
        let command = Command::read(|| commands.pop()).flatten().unwrap();
        assert_eq!((command.action, command.deadline_ns, command.when, command.count), (7, 2_001_000, when::NOW, 1));
        assert_eq!(command.assignments[0], CommandAssignment { tuning_point: 0, value: 0.25 });
        let next_agents = Rank::new(rank.segment.clone(), "j".into());
        assert_eq!(next_agents.joined().last_action, 7, "the rank's memory keeps it for the next agent");
    }

    #[test]
    fn the_phases_of_a_change_on_all_ranks_are_distinguished_from_actions_of_one() {
        let (theirs, mut rank) = rank();
        let mut commands = theirs.command_consumer();
        let mut delivered = |phase: Phase, at, assigned: &Action| {
            deliver(&mut rank, &Action { phase: phase.into(), at, ..assigned.clone() }, 0).unwrap();
            Command::read(|| commands.pop()).flatten().unwrap()
        };
        let prepare = delivered(Phase::Prepare, 0, &action("mw.factor", 0.25));
        assert_eq!((prepare.when, prepare.count, prepare.assignments[0].value), (when::PREPARE, 1, 0.25));
        let arm = delivered(Phase::PreCommit, (1 << 48) - 1, &Action::default());
        let at = CommandAssignment { tuning_point: NO_TUNING_POINT, value: 281_474_976_710_655.0 };
        assert_eq!((arm.when, arm.count, arm.assignments[0]), (when::PRE_COMMIT, 1, at));
        assert_eq!(delivered(Phase::Commit, 0, &Action::default()).when, when::COMMIT);
        assert_eq!(delivered(Phase::Committed, 0, &Action::default()).when, when::COMMITTED);
    }

    #[test]
    fn an_action_for_one_iteration_names_it() {
        let (theirs, mut rank) = rank();
        let at = Action { when: When::Iteration.into(), at: LAST_ITERATION, ..action("mw.factor", 0.25) };
        deliver(&mut rank, &at, 0).unwrap();
        let mut commands = theirs.command_consumer();
        let command = Command::read(|| commands.pop()).flatten().unwrap();
        assert_eq!((command.when, command.at, command.count), (when::AT_ITERATION, LAST_ITERATION, 1));
    }

    #[test]
    fn a_text_goes_to_the_tuning_point_that_takes_one() {
        let (theirs, mut rank) = rank();
        let text = |tuning_point: &str, bytes: usize| with(tuning_point, Some(Value::Text("0x3,".repeat(bytes / 4))));
        deliver(&mut rank, &text("pipe.pattern", 800), 0).unwrap();
        let mut commands = theirs.command_consumer();
        let command = Command::read(|| commands.pop()).flatten().unwrap();
        assert_eq!(command.text, "0x3,".repeat(200));
        assert_eq!(command.assignments[0], CommandAssignment { tuning_point: 1, value: 800.0 });
        let refused = Err(ActionStatus::RefusedRange);
        assert_eq!(deliver(&mut rank, &text("pipe.pattern", 4100), 0), refused);
        assert_eq!(deliver(&mut rank, &text("mw.factor", 4), 0), refused);
        assert_eq!(deliver(&mut rank, &action("pipe.pattern", 1.0), 0), refused);
        assert_eq!(deliver(&mut rank, &with("mw.factor", None), 0), refused);
    }

    #[test]
    fn what_cannot_be_delivered_says_why() {
        let (_theirs, mut rank) = rank();
        assert_eq!(deliver(&mut rank, &action("mw.other", 0.25), 0), Err(ActionStatus::RefusedUnknown));
        assert_eq!(deliver(&mut rank, &action("mw.factor", 2.0), 0), Err(ActionStatus::RefusedRange));
        assert_eq!(deliver(&mut rank, &action("mw.factor", f64::NAN), 0), Err(ActionStatus::RefusedRange));
        let many = Action { assignments: vec![Assignment::default(); 7], ..Action::default() };
        assert_eq!(deliver(&mut rank, &many, 0), Err(ActionStatus::Undeliverable));
        (0..64).for_each(|_| deliver(&mut rank, &action("mw.factor", 0.1), 0).unwrap());
        assert_eq!(deliver(&mut rank, &action("mw.factor", 0.1), 0), Err(ActionStatus::Undeliverable));
    }
}
