//! Processes of another user, as real ones: root starts an agent under a second user id.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Command;

use midrun_tests::mpi::command;
use midrun_tests::other_users::{SECOND_USER, rank, second_user};
use midrun_tests::synthetic::assert_whole;
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, each_mpi, midrun, need, wait_until};

/// An agent of the second user, with a directory and a program that it may use.
fn agent_of_second_user(scratch: &Scratch, url: &str) -> Agent {
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode can be set");
    };
    let program = scratch.path("midrun");
    std::fs::copy(midrun(), &program).expect("a copy");
    mode(&program, 0o755);
    mode(scratch.directory(), 0o777);
    let mut start = Command::new("setpriv");
    start.args(SECOND_USER).arg(program);
    Agent::run(scratch, start, url)
}

#[each_mpi]
fn ranks_do_not_speak_to_an_agent_of_another_user(mpi: Mpi) {
    need!(second_user(), "a second user needs root and setpriv");
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = agent_of_second_user(&scratch, &analyzer.url);
    let mut line = mpi.line(3, &mpi.example("mw_synthetic"));
    line.extend(["--tasks", "100", "--iterations", "3", "--mean-us", "1000"].map(String::from));
    let mut job = command(&line);
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "foreign");
    let ended = Process::start(&scratch, "job", job).succeed();
    assert_eq!(assert_whole(&ended).len(), 3);
    assert_eq!(ended.err.matches("belongs to another user").count(), 3, "each rank says so once: {}", ended.err);
    wait_until("the agent has linked", || analyzer.process.err().contains("linked"));
    assert!(!analyzer.process.err().contains("foreign"), "{}", analyzer.process.err());
}

#[test]
fn an_agent_takes_no_rank_of_another_user() {
    need!(second_user(), "a second user needs root and setpriv");
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = agent_of_second_user(&scratch, &analyzer.url);
    let _rank = rank(&agent.socket, 0, "foreign");
    wait_until("it is turned away", || agent.process.err().contains("it belongs to user 0, not to 65534"));
    assert!(!analyzer.process.err().contains("foreign"), "{}", analyzer.process.err());
}

#[test]
fn jobs_of_two_users_with_one_name_are_two_jobs_of_roots_agent() {
    need!(second_user(), "a second user needs root and setpriv");
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    for path in [scratch.directory(), &agent.socket] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("its mode");
    }
    let _ranks = [rank(&agent.socket, 0, "shared"), rank(&agent.socket, 65534, "shared")];
    let mut said = String::new();
    wait_until("both are known", || {
        let mut ask = Command::new(midrun());
        let answer = ask.args(["status", "--analyzer", &analyzer.url]).output().expect("midrun");
        said = String::from_utf8_lossy(&answer.stderr).into_owned();
        said.contains("several jobs run")
    });
    assert!(said.contains("shared") && said.contains("shared.u65534"), "{said}");
}

#[test]
fn roots_agent_of_one_job_takes_no_rank_of_another_user() {
    need!(second_user(), "a second user needs root and setpriv");
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let socket = Agent::socket_in(&scratch);
    // As `midrun exec` starts it on another host.
    let mut start = Command::new(midrun());
    start.args(["agent", "--options-follow", "--analyzer", &analyzer.url, "--socket"]).arg(&socket);
    let agent = Agent { process: Process::start(&scratch, "agent", start), socket };
    wait_until("the agent listens", || UnixStream::connect(&agent.socket).is_ok());
    for path in [scratch.directory(), &agent.socket] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("its mode");
    }
    let _ranks = [rank(&agent.socket, 65534, "shared"), rank(&agent.socket, 0, "shared")];
    wait_until("it is turned away", || agent.process.err().contains("it belongs to user 65534, not to 0"));
    let knows = |job: &str| {
        let mut ask = Command::new(midrun());
        ask.args(["status", job, "--analyzer", &analyzer.url]).output().expect("midrun").status.success()
    };
    wait_until("root's rank is known", || knows("shared"));
    assert!(!knows("shared.u65534"));
}

#[test]
fn a_program_with_more_rights_than_its_user_is_left_alone() {
    need!(second_user(), "a setgid program needs root");
    // Open MPI's daemon refuses a process of another group by itself.
    let mpi = Mpi::Mpich;
    need!(mpi.is_here(), "MPICH is not here");
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let program = scratch.path("program");
    std::fs::copy(mpi.example("mw_synthetic"), &program).expect("a copy");
    std::os::unix::fs::chown(&program, None, Some(65534)).expect("its group");
    // The same program by the same line, first without, then with the rights of another group.
    for (job, bits, attaches) in [("equal", 0o755, true), ("privileged", 0o2755, false)] {
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(bits)).expect("its mode");
        let mut line = mpi.line(3, &program);
        line.extend(["--tasks", "100", "--iterations", "3", "--mean-us", "1000"].map(String::from));
        let mut command = command(&line);
        command.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", job);
        let ended = Process::start(&scratch, job, command).succeed();
        assert_eq!(assert_whole(&ended).len(), 3);
        if attaches {
            wait_until("its ranks are known", || analyzer.process.err().contains(job));
        }
    }
    analyzer.process.signal(libc::SIGTERM);
    let log = analyzer.process.wait().err;
    assert!(!log.contains("privileged"), "{mpi:?}: {log}");
}
