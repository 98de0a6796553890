//! Hosts that are lost with their workers, agent and daemon: `MIDRUN_MW_TOLERATE` under Open MPI 5 with its failure detector, and other MPIs.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use midrun_tests::mpi::command;
use midrun_tests::synthetic::{assert_lost, assert_whole, drawn, wait_for_iterations};
use midrun_tests::{Cluster, Mpi, Process, Scratch, Summary, need, run, wait_until};

/// Ranks 0 to 2 are on h1, 3 and 4 on h2, 5 and 6 on h3.
const SLOTS: [u32; 3] = [3, 2, 2];
const DETECTOR: [&str; 3] = ["--mca", "mpi_ft_detector", "true"];

/// `midrun run` on h1 with a line of Open MPI 5 with fault tolerance, `flags`, and the synthetic farm with `options`; `None` without that MPI.
fn tolerant(scratch: &Scratch, flags: &[&str], options: &str) -> Option<Process> {
    let (mut line, program) = Cluster::open_mpi_5(scratch, &SLOTS, "mw_synthetic")?;
    // As ssh to a host whose power fails: nobody on h1 sees its own end of the connection close.
    let agent = scratch.path("agent");
    let text =
        format!("#!/bin/sh\nsetsid {} \"$@\" </dev/null >/dev/null 2>&1 &\n", Cluster::script("emuc-rsh").display());
    fs::write(&agent, text).expect("a script");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("a script");
    line[3] = agent.display().to_string();
    line.extend(["--with-ft", "ulfm"].iter().chain(flags).map(|word| (*word).to_owned()));
    line.push(program.display().to_string());
    line.extend(format!("--mean-us 5000 --tolerate {options}").split_whitespace().map(String::from));
    let summary = scratch.path("s.json").display().to_string();
    Some(Process::start(scratch, "run", command(&Cluster::on("h1", &run::words(&["--summary", &summary], &line)))))
}

#[test]
fn a_job_goes_on_without_a_host_that_is_lost_and_each_task_is_collected_once() {
    need!(Cluster::is_possible(), "no network namespaces");
    let (scratch, cluster) = (Scratch::new(), Cluster::up(3, "100mbit"));
    let mut flags = DETECTOR.to_vec();
    flags.extend("--mca mpi_ft_detector_period 1 --mca mpi_ft_detector_timeout 4".split(' '));
    flags.extend("--prtemca oob_tcp_keepalive_time 0".split(' '));
    let job = tolerant(&scratch, &flags, "--tasks 300 --iterations 12");
    need!(job.is_some(), "no Open MPI v5 in target/openmpi5");
    let mut job = job.expect("it is here");
    let moment_ms = drawn(1000);
    wait_for_iterations(&mut job, 2);
    std::thread::sleep(std::time::Duration::from_millis(moment_ms.into()));
    cluster.kill("h3");
    // Without midrun, too, this launcher waits for the lost host until somebody ends it.
    wait_until("the others have ended", || job.err().contains("all ranks have ended but those of lost hosts"));
    job.signal(libc::SIGTERM);
    let ended = job.wait();
    let workers = assert_whole(&ended);
    assert!(ended.err.contains("the host h3 is lost: its ranks died"), "{moment_ms} ms\n{}", ended.err);
    assert_eq!((workers.len(), workers.last()), (12, Some(&4)), "{moment_ms} ms\n{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    assert_lost(&ended, &summary, &[5, 6], &format!("{moment_ms} ms"));
    assert_eq!(summary.count("/iterations"), 12, "{moment_ms} ms\n{}", ended.err);
}

#[test]
fn it_is_said_at_start_whether_lost_hosts_are_covered_and_what_that_asks_of_tasks() {
    need!(Cluster::is_possible(), "no network namespaces");
    let _cluster = Cluster::up(3, "100mbit");
    let cases: [(&[&str], [usize; 2]); 2] = [(&[], [1, 0]), (&DETECTOR, [0, 1])];
    for (flags, expected) in cases {
        let scratch = Scratch::new();
        let job = tolerant(&scratch, flags, "--tasks 50 --iterations 1");
        need!(job.is_some(), "no Open MPI v5 in target/openmpi5");
        let ended = job.expect("it is here").succeed();
        assert_whole(&ended);
        let said = ["not their hosts", "mpi_ft_detector_timeout"].map(|part| ended.err.matches(part).count());
        assert_eq!(said, expected, "{flags:?}\n{}", ended.err);
    }
}

#[test]
fn a_host_that_is_lost_ends_the_job_under_open_mpi_4_which_is_said_at_start() {
    need!(Cluster::is_possible(), "no network namespaces");
    let scratch = Scratch::new();
    let line = Cluster::line(&scratch, Mpi::OpenMpi, &SLOTS, "mw_synthetic");
    need!(line.is_some(), "the MPI is not here");
    let (mut line, program) = line.expect("it is here");
    line.push(program.display().to_string());
    line.extend("--tasks 300 --iterations 1000000 --mean-us 5000 --tolerate".split(' ').map(String::from));
    let cluster = Cluster::up(3, "100mbit");
    let summary = scratch.path("s.json").display().to_string();
    let run = command(&Cluster::on("h1", &run::words(&["--summary", &summary], &line)));
    let mut job = Process::start(&scratch, "run", run);
    wait_for_iterations(&mut job, 2);
    cluster.kill("h3");
    let ended = job.wait();
    assert_ne!(ended.code, 0, "{}", ended.err);
    assert_eq!(ended.err.matches("a lost host ends it or lets it hang").count(), 1, "{}", ended.err);
    assert!(Summary::read(&scratch.path("s.json")).count("/iterations") >= 2, "{}", ended.err);
}
