//! Measurements of points, from the wire.

use midrun_proto::v1;
use midrun_tunlets::PointWindow;

use crate::events::{Event, PointMeasured, PointRefused};
use crate::limits;

/// A measurement; `None` when no point can have measured it.
pub fn measured(wire: v1::PointMeasured) -> Option<Event> {
    let iteration = (wire.iteration != midrun_proto::UNKNOWN_ITERATION).then_some(wire.iteration);
    let numbers = [wire.sum, wire.squares, wire.minimum, wire.maximum, wire.value];
    let time = |s: f64| (0.0..limits::POINT_S).contains(&s);
    let good = iteration.is_none_or(|iteration| iteration < limits::ITERATION_END)
        && !wire.label.is_empty()
        && wire.label.len() <= limits::NAME_BYTES
        && wire.count < limits::TASKS_END
        && numbers.iter().all(|number| number.is_finite())
        && wire.squares >= 0.0
        && wire.minimum <= wire.maximum
        && (wire.is_value || [wire.sum, wire.minimum, wire.maximum].into_iter().all(time))
        && wire.first_ns <= wire.last_ns;
    good.then(|| {
        let seen = PointWindow {
            rank: 0,
            label: wire.label,
            count: wire.count,
            timed: wire.timed,
            sum: wire.sum,
            squares: wire.squares,
            minimum: wire.minimum,
            maximum: wire.maximum,
            value: wire.is_value.then_some(wire.value),
        };
        let cost_s = wire.cost_ns as f64 * 1e-9;
        Event::PointMeasured(PointMeasured { span_ns: (wire.first_ns, wire.last_ns), iteration, seen, cost_s })
    })
}

/// A line that a rank could not do.
pub fn refused(wire: v1::PointRefused) -> Event {
    Event::PointRefused(PointRefused { line: wire.line, why: super::text(wire.why), shed: wire.shed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_point_can_have_measured_is_left_out() {
        let good = || v1::PointMeasured {
            label: "f".into(),
            count: 3,
            timed: 3,
            sum: 2.0,
            maximum: 1.0,
            ..Default::default()
        };
        assert!(measured(good()).is_some());
        assert!(measured(v1::PointMeasured { is_value: true, sum: -2.0, minimum: -1.0, ..good() }).is_some());
        let unknown = measured(v1::PointMeasured { iteration: u64::MAX, ..good() });
        assert!(matches!(unknown, Some(Event::PointMeasured(PointMeasured { iteration: None, .. }))));
        for bad in [
            v1::PointMeasured { label: String::new(), ..good() },
            v1::PointMeasured { label: "a".repeat(99), ..good() },
            v1::PointMeasured { sum: f64::NAN, ..good() },
            v1::PointMeasured { sum: -1.0, ..good() },
            v1::PointMeasured { squares: -1.0, ..good() },
            v1::PointMeasured { minimum: 2.0, ..good() },
            v1::PointMeasured { iteration: 1 << 60, ..good() },
            v1::PointMeasured { count: u64::MAX, ..good() },
            v1::PointMeasured { first_ns: 2, last_ns: 1, ..good() },
        ] {
            assert_eq!(measured(bad.clone()), None, "{bad:?}");
        }
    }
}
