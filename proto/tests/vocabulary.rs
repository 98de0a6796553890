//! The wire's enumerations have the numbers of the shared vocabulary.

use midrun_proto::v1::ActionStatus;
use midrun_vocabulary::action_status as codes;

#[test]
fn an_action_status_has_the_same_number_on_the_wire_as_in_shared_memory() {
    let all = [
        (ActionStatus::Applied, codes::APPLIED),
        (ActionStatus::RefusedRange, codes::REFUSED_RANGE),
        (ActionStatus::RefusedUnknown, codes::REFUSED_UNKNOWN),
        (ActionStatus::RefusedStale, codes::REFUSED_STALE),
        (ActionStatus::Expired, codes::EXPIRED),
        (ActionStatus::Undeliverable, codes::UNDELIVERABLE),
        (ActionStatus::Prepared, codes::PREPARED),
        (ActionStatus::PreCommitted, codes::PRE_COMMITTED),
        (ActionStatus::Aborted, codes::ABORTED),
        (ActionStatus::Committed, codes::COMMITTED),
        (ActionStatus::Busy, codes::BUSY),
        (ActionStatus::Past, codes::PAST),
        (ActionStatus::RefusedApart, codes::REFUSED_APART),
        (ActionStatus::NotReached, codes::NOT_REACHED),
        (ActionStatus::RefusedAlone, codes::REFUSED_ALONE),
    ];
    for (status, code) in all {
        assert_eq!(status as u64, code, "{status:?}");
    }
    let unknown = i32::try_from(codes::LAST + 1).unwrap();
    assert!(ActionStatus::try_from(unknown).is_err(), "the wire has a status that the vocabulary lacks");
}
