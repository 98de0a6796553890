//! The events of a pipeline.

use midrun_proto::v1;
use midrun_tunlets::{StageWork, TeamWork};

use crate::events::{Event, PatternTaken, StageDeclared, StageWorked, StreamBegun, StreamWindowEnded};
use crate::limits;

pub(super) fn begun(wire: v1::StreamBegun) -> Option<Event> {
    let stages = wire.stages as usize;
    let good = (1..=limits::STAGES).contains(&stages) && (1..limits::RANKS_PER_JOB).contains(&wire.ranks);
    good.then_some(Event::StreamBegun(StreamBegun {
        time_ns: wire.time_ns,
        stages,
        ranks: wire.ranks,
        pipeline: wire.pipeline,
    }))
}

pub(super) fn stage(wire: v1::StageDeclared) -> Option<Event> {
    let stage = wire.stage as usize;
    let (name, stateful, team) = (super::text(wire.name), wire.stateful, wire.team);
    (stage < limits::STAGES).then_some(Event::StageDeclared(StageDeclared { stage, name, stateful, team }))
}

pub(super) fn work(wire: &v1::StageWork) -> Option<Event> {
    let amount = |x: f64| x.is_finite() && x >= 0.0;
    let team = wire.team.unwrap_or_default();
    let of_team = [team.busy_s, team.sum_sq_s2, team.serial_s, team.elapsed_s];
    let all = [wire.busy_s, wire.sum_sq_s2, wire.bytes, wire.idle_s, wire.own_s].into_iter().chain(of_team);
    let good = (wire.stage as usize) < limits::STAGES
        && wire.inputs < limits::TASKS_END
        && wire.place < limits::RANKS_PER_JOB
        && team.tasks < limits::TASKS_END
        && all.into_iter().all(amount);
    good.then_some(Event::StageWorked(StageWorked {
        stage: wire.stage as usize,
        work: StageWork {
            place: wire.place,
            inputs: wire.inputs,
            busy_s: wire.busy_s,
            sum_sq_s2: wire.sum_sq_s2,
            bytes: wire.bytes,
            idle_s: wire.idle_s,
            own_s: wire.own_s,
            team: TeamWork {
                tasks: team.tasks,
                task_s: team.busy_s,
                task_sq_s2: team.sum_sq_s2,
                serial_s: team.serial_s,
                elapsed_s: team.elapsed_s,
            },
        },
    }))
}

pub(super) fn window(wire: &v1::StreamWindow) -> Option<Event> {
    let lasted_ns = wire.end_ns.checked_sub(wire.begin_ns)?;
    let good = wire.outputs < limits::TASKS_END && wire.head_s.is_finite() && wire.number < limits::ITERATION_END;
    good.then_some(Event::StreamWindowEnded(StreamWindowEnded {
        number: wire.number,
        seconds: lasted_ns as f64 * 1e-9,
        outputs: wire.outputs,
        epochs: (wire.oldest_epoch, wire.newest_epoch),
        on_way: wire.on_way,
        head_s: wire.head_s,
    }))
}

pub(super) fn pattern(wire: v1::PatternTaken) -> Option<Event> {
    let good = wire.plan.len() <= limits::STREAM_TEXT_BYTES;
    good.then_some(Event::PatternTaken(PatternTaken {
        epoch: wire.epoch,
        first_input: wire.first_input,
        plan: wire.plan,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_stream_has_is_left_out() {
        let many = limits::STAGES as u32 + 1;
        assert!(begun(v1::StreamBegun { stages: 3, ranks: 4, ..Default::default() }).is_some());
        assert!(begun(v1::StreamBegun { stages: many, ranks: 4, ..Default::default() }).is_none());
        assert!(begun(v1::StreamBegun { stages: 3, ranks: 0, ..Default::default() }).is_none());
        assert!(stage(v1::StageDeclared { stage: many, ..Default::default() }).is_none());
        assert!(
            pattern(v1::PatternTaken { plan: "0".repeat(limits::STREAM_TEXT_BYTES + 1), ..Default::default() })
                .is_none()
        );
        assert!(work(&v1::StageWork { inputs: 2, busy_s: 1.0, ..Default::default() }).is_some());
        for bad in [
            v1::StageWork { stage: many, ..Default::default() },
            v1::StageWork { busy_s: f64::NAN, ..Default::default() },
            v1::StageWork { own_s: -1.0, ..Default::default() },
            v1::StageWork { place: u32::MAX, ..Default::default() },
        ] {
            assert!(work(&bad).is_none(), "{bad:?}");
        }
        assert!(window(&v1::StreamWindow { begin_ns: 1, end_ns: 2, outputs: 1, ..Default::default() }).is_some());
        assert!(window(&v1::StreamWindow { begin_ns: 3, end_ns: 2, outputs: 1, ..Default::default() }).is_none());
        assert!(window(&v1::StreamWindow { outputs: u64::MAX, ..Default::default() }).is_none());
    }
}
