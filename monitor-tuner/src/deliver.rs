//! Puts an action into the command ring of the rank it is for, or says why it cannot.

use crate::rank::Rank;
use midrun_proto::v1::{Action, ActionStatus, When};
use midrun_ring::layout::{ASSIGNMENTS, when};
use midrun_ring::{Command, CommandAssignment};

/// Writes the command for `action`; its time to live starts at `now_ns` of this host.
///
/// # Errors
/// The status to report where the rank cannot be given the command.
pub fn deliver(rank: &mut Rank, action: &Action, now_ns: u64) -> Result<(), ActionStatus> {
    let knobs = rank.segment.knobs();
    let mut command = Command {
        action: action.id,
        deadline_ns: now_ns.saturating_add(action.time_to_live_ms.saturating_mul(1_000_000)),
        when: if action.when() == When::IterationStart { when::ITERATION_START } else { when::NOW },
        count: action.assignments.len() as u32,
        ..Command::default()
    };
    if action.assignments.len() > ASSIGNMENTS {
        return Err(ActionStatus::Undeliverable);
    }
    for (slot, wanted) in command.assignments.iter_mut().zip(&action.assignments) {
        let (number, knob) =
            knobs.iter().find(|(_, knob)| knob.name == wanted.knob).ok_or(ActionStatus::RefusedUnknown)?;
        if !(knob.minimum..=knob.maximum).contains(&wanted.value) {
            return Err(ActionStatus::RefusedRange);
        }
        *slot = CommandAssignment { knob: *number, value: wanted.value };
    }
    if rank.commands.push(&command.to_words()) { Ok(()) } else { Err(ActionStatus::Undeliverable) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_proto::v1::Assignment;
    use midrun_ring::{Identity, KnobSlot, Segment};

    fn rank() -> (Segment, Rank) {
        let identity = Identity { world_size: 1, ..Identity::default() };
        let (theirs, fd) = Segment::create(&identity, 1, 8).unwrap();
        theirs.declare_knob(&KnobSlot {
            name: "mw.factor".into(),
            whole: false,
            minimum: 0.0,
            maximum: 1.0,
            declared: 0.5,
            value: 0.5,
        });
        (theirs, Rank::new(Segment::open(fd).unwrap()))
    }

    fn action(knob: &str, value: f64) -> Action {
        let assignments = vec![Assignment { knob: knob.into(), value }];
        Action { id: 7, assignments, when: When::Now.into(), time_to_live_ms: 2, ..Action::default() }
    }

    #[test]
    fn a_command_carries_the_knobs_number_and_a_deadline_of_this_host() {
        let (theirs, mut rank) = rank();
        deliver(&mut rank, &action("mw.factor", 0.25), 1000).unwrap();
        let command = theirs.command_consumer().pop().map(Command::from_words).unwrap();
        assert_eq!((command.action, command.deadline_ns, command.when, command.count), (7, 2_001_000, when::NOW, 1));
        assert_eq!(command.assignments[0], CommandAssignment { knob: 0, value: 0.25 });
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
