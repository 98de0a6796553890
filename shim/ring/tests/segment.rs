//! Segments between real processes, against a model, and against hostile peers.

use midrun_ring::attach::{peer_uid, recv_segment, send_segment};
use midrun_ring::{
    Command, CommandAssignment, Identity, Record, Segment, SegmentError, Totals, TuningPointKind, TuningPointSlot, kind,
};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

fn identity() -> Identity {
    Identity {
        rank: 3,
        world_size: 9,
        pid: 42,
        job: "j-1".into(),
        launch: "PMIX_NAMESPACE:7".into(),
        mpi: "Open MPI 4.1.4".into(),
        start_ns: 5,
    }
}

fn record(n: u64) -> Record {
    Record { kind: kind::CHUNK, flags: 1, time_ns: n, payload: [n, 1, 2, 3, 4, 5] }
}

#[test]
fn the_agent_reads_what_the_rank_wrote_and_the_rank_what_the_agent_sent() {
    let (rank, fd) = Segment::create(&identity(), 2, 8).unwrap();
    let agent = Segment::open(fd).unwrap();
    assert_eq!(agent.identity(), &identity());
    assert!(rank.producer(1).push(&record(7).to_words()));
    assert_eq!(agent.consumer(1).pop().map(Record::from_words), Some(record(7)));
    assert_eq!(agent.consumer(0).pop(), None);
    let mut command = Command { action: 1, deadline_ns: 2, when: 1, count: 1, ..Command::default() };
    command.assignments[0] = CommandAssignment { tuning_point: 0, value: 0.5 };
    command.text = "0,1x4".repeat(40);
    assert!(agent.command_producer().push_all(&command.to_entries()));
    let mut commands = rank.command_consumer();
    assert_eq!(Command::read(|| commands.pop()), Some(Some(command)));
    assert!(!agent.finalized());
    rank.set_finalized(7);
    assert!(agent.finalized());
}

#[test]
fn a_full_lane_refuses_and_counts() {
    let (rank, fd) = Segment::create(&identity(), 1, 4).unwrap();
    let mut producer = rank.producer(0);
    let taken = (0..6).filter(|n| producer.push(&record(*n).to_words())).count();
    assert_eq!(taken, 4);
    let agent = Segment::open(fd).unwrap();
    assert_eq!(agent.totals(), Totals { produced: 6, collected: 0, dropped: 2 });
    let mut consumer = agent.consumer(0);
    assert_eq!(consumer.pop().map(Record::from_words), Some(record(0)));
    assert!(producer.push(&record(9).to_words()));
}

#[test]
fn what_matters_less_leaves_a_quarter_of_the_lane_to_what_matters_more() {
    let (rank, _fd) = Segment::create(&identity(), 1, 8).unwrap();
    let mut producer = rank.producer(0);
    assert_eq!((0..9).filter(|n| producer.push_minor(&record(*n).to_words())).count(), 6);
    assert_eq!((0..9).filter(|n| producer.push(&record(*n).to_words())).count(), 2);
    assert_eq!(rank.totals(), Totals { produced: 18, collected: 0, dropped: 10 });
}

#[test]
fn a_second_agent_continues_where_the_first_stopped() {
    let (rank, fd) = Segment::create(&identity(), 1, 8).unwrap();
    let mut producer = rank.producer(0);
    (0..5).for_each(|n| assert!(producer.push(&record(n).to_words())));
    let first = Segment::open(fd.try_clone().unwrap()).unwrap();
    let mut consumer = first.consumer(0);
    assert!(consumer.pop().is_some() && consumer.pop().is_some());
    drop((consumer, first));
    let second = Segment::open(fd).unwrap();
    let rest: Vec<u64> = std::iter::from_fn({
        let mut c = second.consumer(0);
        move || c.pop().map(|w| Record::from_words(w).time_ns)
    })
    .collect();
    assert_eq!(rest, [2, 3, 4]);
}

#[test]
fn tuning_points_are_declared_seen_and_bounded() {
    let (rank, fd) = Segment::create(&identity(), 1, 8).unwrap();
    let agent = Segment::open(fd).unwrap();
    let tuning_point = |name: &str| TuningPointSlot {
        name: name.into(),
        kind: TuningPointKind::Real,
        minimum: 0.0,
        maximum: 1.0,
        declared: 0.5,
        value: 0.5,
    };
    assert_eq!(rank.declare_tuning_point(&tuning_point("mw.factor")), Some(0));
    assert_eq!(rank.declare_tuning_point(&tuning_point(&"x".repeat(32))), None);
    rank.set_tuning_point_value(0, 0.25);
    assert_eq!(agent.tuning_points(), [(0, TuningPointSlot { value: 0.25, ..tuning_point("mw.factor") })]);
    (1..32).for_each(|n| assert_eq!(rank.declare_tuning_point(&tuning_point(&format!("k{n}"))), Some(n)));
    assert_eq!(rank.declare_tuning_point(&tuning_point("one too many")), None);
}

#[test]
fn memory_that_is_no_segment_is_refused_with_the_reason() {
    let unsealed: OwnedFd = tempfile_like().into();
    assert!(matches!(Segment::open(unsealed), Err(SegmentError::Refused("it is not sealed memory of ordinary pages"))));
    assert!(Segment::create(&identity(), 0, 8).is_err());
    assert!(Segment::create(&identity(), 1, 9).is_err());
}

#[test]
fn a_segment_is_no_larger_than_a_rank_needs_because_its_reader_would_fill_it() {
    let (_largest, fd) = Segment::create(&identity(), 4, 8192).unwrap();
    assert!(File::from(fd).metadata().unwrap().len() <= 4 << 20);
    assert!(Segment::create(&identity(), 5, 8).is_err() && Segment::create(&identity(), 1, 16_384).is_err());
}

#[test]
fn memory_of_huge_pages_which_can_be_taken_away_under_a_reader_is_refused() {
    // SAFETY: the name is a C string.
    let raw = unsafe { libc::memfd_create(c"huge".as_ptr(), libc::MFD_HUGETLB | libc::MFD_ALLOW_SEALING) };
    if raw < 0 {
        return; // a kernel without them
    }
    // SAFETY: made just now.
    let huge = unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(raw) };
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: the descriptor is open.
    assert_eq!(unsafe { (libc::ftruncate(raw, 2 << 20), libc::fcntl(raw, libc::F_ADD_SEALS, seals)) }, (0, 0));
    let refused = Segment::open(huge).unwrap_err();
    assert!(refused.to_string().contains("ordinary pages"), "{refused}");
}

fn tempfile_like() -> File {
    // A memfd without seals, of a plausible size.
    // SAFETY: the name is a C string, the result is checked by the write.
    let raw = unsafe { libc::memfd_create(c"other".as_ptr(), 0) };
    // SAFETY: made just now.
    let mut file = unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(raw) };
    file.write_all(&[0; 1 << 17]).unwrap();
    file
}

#[test]
fn a_descriptor_crosses_a_socket_and_anything_else_is_invalid() {
    let (rank, agent) = UnixStream::pair().unwrap();
    let (_segment, fd) = Segment::create(&identity(), 1, 8).unwrap();
    send_segment(rank.as_fd(), fd.as_fd()).unwrap();
    assert_eq!(Segment::open(recv_segment(agent.as_fd()).unwrap()).unwrap().identity(), &identity());
    assert_eq!(recv_segment(agent.as_fd()).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    (&rank).write_all(b"GET / HTTP/1.1\r\n").unwrap();
    assert_eq!(recv_segment(agent.as_fd()).unwrap_err().kind(), std::io::ErrorKind::InvalidData);
    // SAFETY: geteuid cannot fail.
    assert_eq!(peer_uid(agent.as_fd()).unwrap(), unsafe { libc::geteuid() });
    drop(rank);
    assert_eq!(recv_segment(agent.as_fd()).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
}

#[test]
fn what_a_killed_rank_had_written_is_not_lost() {
    let (segment, fd) = Segment::create(&identity(), 1, 1024).unwrap();
    let link = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap();
    assert!(link.to_string_lossy().starts_with("/memfd:"), "{} could stay behind", link.display());
    // SAFETY: the child only pushes and waits; it takes no lock that another thread could hold.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut producer = segment.producer(0);
        (0..1000).for_each(|n| {
            producer.push(&record(n).to_words());
        });
        loop {
            // SAFETY: waits for the signal that ends it.
            unsafe { libc::pause() };
        }
    }
    let agent = Segment::open(fd).unwrap();
    while agent.totals().produced < 1000 {
        std::thread::yield_now();
    }
    // SAFETY: our own child.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    let mut consumer = agent.consumer(0);
    let seen: Vec<u64> = std::iter::from_fn(|| consumer.pop().map(|w| Record::from_words(w).time_ns)).collect();
    assert_eq!(seen, (0..1000).collect::<Vec<_>>());
}

proptest! {
    #[test]
    fn a_ring_is_a_bounded_queue(turns in prop::collection::vec(any::<bool>(), 0..200)) {
        let (rank, fd) = Segment::create(&identity(), 1, 8).unwrap();
        let agent = Segment::open(fd).unwrap();
        let (mut producer, mut consumer) = (rank.producer(0), agent.consumer(0));
        let mut model = VecDeque::new();
        for (n, push) in (0u64..).zip(turns) {
            if push {
                prop_assert_eq!(producer.push(&record(n).to_words()), model.len() < 8);
                if model.len() < 8 { model.push_back(n); }
            } else {
                prop_assert_eq!(consumer.pop().map(|w| Record::from_words(w).time_ns), model.pop_front());
            }
        }
    }
}
