//! Counters of MPI calls, from the wire.

use midrun_proto::v1;

use crate::events::{Event, MpiCall, MpiCounted, Tally};
use crate::limits;

pub(super) fn counted(wire: v1::MpiCounted) -> Option<Event> {
    let lasted_ns = wire.time_ns.checked_sub(wire.begun_ns)?;
    let outside_ns = wire.waiting_ns.checked_add(wire.mpi_ns)?.checked_add(wire.framework_ns)?;
    // The two ends of the times are not read at one moment.
    let good = outside_ns <= lasted_ns.saturating_add(limits::TORN_NS) && wire.calls.len() <= limits::MPI_CALLS;
    good.then(|| {
        Event::MpiCounted(MpiCounted {
            time_ns: wire.time_ns,
            begun_ns: wire.begun_ns,
            waiting_ns: wire.waiting_ns,
            mpi_ns: wire.mpi_ns,
            framework_ns: wire.framework_ns,
            uncounted: wire.uncounted,
            calls: wire.calls.into_iter().filter_map(call).collect(),
            partner: (wire.with_partner > 0).then_some(wire.partner),
            with_partner: wire.with_partner.min(wire.with_one),
            with_one: wire.with_one,
            run_delay_ns: (wire.run_delay_ns, wire.run_delay_time_ns),
        })
    })
}

fn call(wire: v1::MpiCall) -> Option<(MpiCall, Tally)> {
    let peer = match wire.peer() {
        v1::PeerClass::Unspecified => return None,
        v1::PeerClass::SameHost => "same_host",
        v1::PeerClass::OtherHost => "other_host",
        v1::PeerClass::Collective => "collective",
        v1::PeerClass::Local => crate::calls::LOCAL,
        v1::PeerClass::Any => "any",
    };
    let timed = wire.timed.min(wire.count);
    let tally = Tally { count: wire.count, bytes: wire.bytes, time_ns: wire.time_ns, timed };
    let good = wire.name.starts_with("MPI_") && wire.name.len() <= limits::MPI_CALL_NAME;
    good.then_some((MpiCall { name: wire.name, peer }, tally))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_cannot_be_and_calls_without_a_name_are_left_out() {
        let good = v1::MpiCounted { time_ns: 9, begun_ns: 1, waiting_ns: 4, mpi_ns: 4, ..Default::default() };
        assert!(counted(good.clone()).is_some());
        assert!(counted(v1::MpiCounted { begun_ns: 10, ..good.clone() }).is_none());
        assert!(counted(v1::MpiCounted { framework_ns: 1 << 40, ..good.clone() }).is_none());
        assert!(counted(v1::MpiCounted { mpi_ns: u64::MAX, ..good.clone() }).is_none());
        let call = |name: &str, peer| v1::MpiCall { name: name.into(), peer, count: 1, ..Default::default() };
        let calls = vec![call("MPI_Send", 1), call("MPI_Send", 0), call("MPI_Send", 77), call("rm -rf", 1)];
        let Some(Event::MpiCounted(counted)) = counted(v1::MpiCounted { calls, ..good }) else { panic!("it is good") };
        assert_eq!(counted.calls.len(), 1);
    }
}
