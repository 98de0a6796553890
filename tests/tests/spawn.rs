//! Workers beyond the ranks: started while real jobs run, refused, given up, killed.

use std::path::PathBuf;

use midrun_tests::process::Ended;
use midrun_tests::synthetic::WHOLE;
use midrun_tests::{Mpi, Process, Scratch, Summary, need, root, run, wait_until};

/// MPICH 5, which can start processes (Debian's 4.0 cannot); `tests/run` puts it and the examples built with it here.
fn mpich5() -> (PathBuf, PathBuf) {
    let mpich = root().canonicalize().expect("the root").join("target/mpich5");
    (mpich.join("bin/mpiexec"), mpich.join("examples/mw_synthetic"))
}

fn mpich5_line(ranks: u32) -> Vec<String> {
    let (launcher, program) = mpich5();
    [launcher.display().to_string(), "-n".into(), ranks.to_string(), program.display().to_string()].to_vec()
}

/// Three ranks of Open MPI; `None`, counted as skipped, where it is absent.
fn open_mpi() -> Option<Vec<String>> {
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here", None);
    Some(Mpi::OpenMpi.line(3, &Mpi::OpenMpi.example("mw_synthetic")))
}

/// The same of MPICH 5.
fn mpich_5() -> Option<Vec<String>> {
    need!(mpich5().1.is_file(), "MPICH 5 is not here", None);
    Some(mpich5_line(3))
}

/// Makes a test of each story for each MPI that can start processes.
macro_rules! each_that_spawns {
    ($($name:ident: $story:expr;)*) => {$(
        mod $name {
            use super::*;
            #[test] fn openmpi() { open_mpi().into_iter().for_each($story); }
            #[test] fn mpich_5() { super::mpich_5().into_iter().for_each($story); }
        }
    )*};
}

each_that_spawns! {
    a_job_grows_beyond_its_ranks: grows;
    a_job_that_sends_synchronously_grows: grows_synchronously;
    a_started_worker_that_does_not_come_in_time_is_given_up_and_sent_away: gives_up;
    a_job_that_ends_while_a_worker_is_being_started_ends: ends_meanwhile;
    a_started_worker_killed_while_it_comes_ends_the_job_as_a_killed_rank_does: |line| kill_one_after(line, |_| true);
    a_started_worker_killed_while_it_works_ends_the_job_as_a_killed_rank_does:
        |line| kill_one_after(line, |out| out.contains("4 workers"));
}

/// A job that may get workers beyond its ranks.
fn start(scratch: &Scratch, line: Vec<String>, max_workers: &str, program: &[&str], deadline_s: &str) -> Process {
    start_with(("MIDRUN_SPAWN_DEADLINE_S", deadline_s), scratch, line, max_workers, program)
}

/// The same, with a variable in the environment.
fn start_with(
    (variable, value): (&str, &str),
    scratch: &Scratch,
    mut line: Vec<String>,
    max_workers: &str,
    program: &[&str],
) -> Process {
    let flags = ["--summary", "s.json", "--max-workers", max_workers, "--objective", "time"];
    line.extend(["--tasks", "400", "--mean-us", "2000", "--sigma-pct", "40"].map(String::from));
    line.extend(program.iter().map(|word| (*word).to_owned()));
    let mut command = run::command(scratch, &flags, &line);
    // Open MPI takes no more than what it forwards; the master's own environment is the launcher's on one host.
    command.env(variable, value);
    Process::start(scratch, "run", command)
}

fn finish(scratch: &Scratch, process: Process) -> (Ended, Summary) {
    let ended = process.succeed();
    assert!(ended.out.contains(WHOLE), "{}\n{}", ended.out, ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    scratch.assert_nothing_left();
    (ended, summary)
}

fn assert_grew(ended: &Ended, summary: &Summary) {
    let workers = summary.workers();
    assert_eq!((workers[0], workers.last()), (2, Some(&4)), "{}", ended.err);
    assert_eq!(summary.count("/ranks"), 5, "three ranks and two that were started: {}", ended.err);
    assert_eq!(summary.list("lost_ranks").len(), 0, "{}", ended.err);
    let decisions = summary.list("decisions");
    let started = decisions.iter().find(|d| d["tuning_point"] == "started workers").expect("a decision");
    assert_eq!((started["to"].as_str(), started["verdict"].as_str()), (Some("2"), Some("kept")), "{started}");
    assert!(started["why"].as_str().is_some_and(|why| why.contains("2 are there")), "{started}");
    assert_eq!(summary.count("/records/dropped"), 0);
}

const LONG: &[&str] = &["--spawn", "--iterations", "20"];

fn grows(line: Vec<String>) {
    let scratch = Scratch::new();
    let (ended, summary) = finish(&scratch, start(&scratch, line, "4", LONG, "60"));
    assert_grew(&ended, &summary);
}

fn grows_synchronously(line: Vec<String>) {
    let scratch = Scratch::new();
    let job = start_with(("MIDRUN_MW_SYNCHRONOUS", "1"), &scratch, line, "4", LONG);
    let (ended, summary) = finish(&scratch, job);
    assert_grew(&ended, &summary);
}

/// The job goes on with its two workers, and stderr has exactly one line with `part`.
fn refused(line: Vec<String>, program: &[&str], deadline_s: &str, part: &str) {
    let scratch = Scratch::new();
    let (ended, summary) = finish(&scratch, start(&scratch, line, "4", program, deadline_s));
    assert_eq!(ended.err.matches(part).count(), 1, "{}", ended.err);
    assert!(summary.workers().iter().all(|n| *n <= 2), "{}", ended.err);
    assert!(summary.count("/ranks") <= 4, "{}", ended.err);
}

#[test]
fn mpich_4_0_refuses_with_one_line() {
    need!(Mpi::Mpich.is_here(), "MPICH is not here");
    let program = Mpi::Mpich.example("mw_synthetic").display().to_string();
    let line = [Mpi::Mpich.launcher(), "-n".into(), "3".into(), program].to_vec();
    refused(line, &["--spawn", "--iterations", "6"], "60", "MPICH 4.0 does not support MPI_Comm_spawn");
}

#[test]
fn hydras_options_for_placing_ranks_are_no_trap() {
    need!(mpich5().1.is_file(), "MPICH 5 is not here");
    let mut line = mpich5_line(3);
    line.splice(1..1, ["-bind-to", "none"].map(String::from));
    refused(line, &["--spawn", "--iterations", "6"], "60", "because MPICH's mpiexec has -bind-to");
}

#[test]
fn open_mpi_without_free_slots_is_left_alone() {
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here");
    let program = Mpi::OpenMpi.example("mw_synthetic").display().to_string();
    let line =
        format!("{} -n 3 --host localhost:3 --bind-to none --mca mpi_yield_when_idle 1", Mpi::OpenMpi.launcher());
    let line = line.split(' ').map(String::from).chain([program]).collect();
    refused(line, &["--spawn", "--iterations", "6"], "60", "Open MPI has no free slots");
}

#[test]
fn a_program_that_does_not_allow_it_keeps_its_ranks() {
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here");
    let scratch = Scratch::new();
    let line = Mpi::OpenMpi.line(3, &Mpi::OpenMpi.example("mw_synthetic"));
    let (ended, summary) = finish(&scratch, start(&scratch, line, "4", &["--iterations", "8"], "60"));
    assert_eq!((summary.workers(), summary.count("/ranks")), (vec![2; 8], 3), "{}", ended.err);
}

fn gives_up(line: Vec<String>) {
    let slow = ["--spawn", "--iterations", "16", "--slow-start-s", "3600"];
    refused(line, &slow, "1", "did not come within 1 s");
}

fn ends_meanwhile(line: Vec<String>) {
    let scratch = Scratch::new();
    let short = ["--spawn", "--iterations", "5", "--slow-start-s", "3600"];
    let (ended, summary) = finish(&scratch, start(&scratch, line, "4", &short, "60"));
    assert!(summary.list("decisions").iter().any(|d| d["tuning_point"] == "started workers"), "{}", ended.err);
}

/// Processes that the master of the test has started, by their environment.
fn started(scratch: &Scratch) -> Vec<i32> {
    let mark = format!("MIDRUN_SOCKET={}", scratch.path("run").display());
    let environment = |pid: i32| std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pids = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_started = |pid: &i32| {
        let text = environment(*pid);
        let has = |part: &[u8]| text.split(|byte| *byte == 0).any(|word| word.starts_with(part));
        has(b"MIDRUN_SPAWNED=") && has(mark.as_bytes())
    };
    pids.filter(is_started).collect()
}

fn kill_one_after(line: Vec<String>, condition: impl Fn(&str) -> bool) {
    let scratch = Scratch::new();
    let run = start(&scratch, line, "4", &["--spawn", "--iterations", "400"], "60");
    wait_until("a worker is started", || !started(&scratch).is_empty());
    wait_until("it is as the test wants it", || condition(&run.out()));
    let victim = started(&scratch)[0];
    // SAFETY: a process that this test's own job started.
    unsafe { libc::kill(victim, libc::SIGKILL) };
    let ended = run.wait();
    assert_ne!(ended.code, 0, "as for any rank that is killed, MPI ends the job: {}\n{}", ended.out, ended.err);
    wait_until("no process is left", || started(&scratch).is_empty());
    scratch.assert_nothing_left();
}
