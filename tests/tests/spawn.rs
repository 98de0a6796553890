//! Workers, and ranks of pipelines, beyond the ranks: started while real jobs run, refused, given up, killed.

use std::path::PathBuf;

use midrun_tests::ask::{status, succeed};
use midrun_tests::process::Ended;
use midrun_tests::synthetic::WHOLE;
use midrun_tests::{Mpi, Process, Scratch, Summary, need, root, run, under_midrun, wait_until};
use serde_json::Value;

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
    a_pipeline_grows_beyond_its_ranks: pipeline_grows;
    nothing_is_lost_or_disordered_whatever_started_ranks_compute: started_ranks_compute;
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
fn a_pipeline_under_mpich_4_0_goes_on_with_its_ranks() {
    need!(Mpi::Mpich.is_here(), "MPICH is not here");
    let program = Mpi::Mpich.example("mw_synthetic").display().to_string();
    let line = [Mpi::Mpich.launcher(), "-n".into(), "4".into(), program].to_vec();
    let (ended, summary) = pipeline(line, "7", "--inputs 200 --stages 2,8,2");
    assert_eq!(ended.err.matches("MPICH 4.0 does not support MPI_Comm_spawn").count(), 1, "{}", ended.err);
    assert_eq!(summary.count("/ranks"), 4, "{}", ended.err);
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

/// The line of a Master/Worker job, with the pipeline in its place, on one rank more: the source and the sink have one.
fn pipeline_line(mut line: Vec<String>, options: &str) -> Vec<String> {
    let program = line.last_mut().expect("a program");
    *program = program.replace("mw_synthetic", "pipe_synthetic");
    if let Some(ranks) = line.iter_mut().find(|word| *word == "3") {
        *ranks = "4".into();
    }
    line.extend(format!("--spawn --sigma-pct 20 {options}").split_whitespace().map(str::to_owned));
    line
}

/// What became of a pipeline that may get more ranks; nothing was lost, doubled, wrong or out of order.
fn pipeline(line: Vec<String>, max_workers: &str, options: &str) -> (Ended, Summary) {
    let scratch = Scratch::new();
    let flags = ["--summary", "s.json", "--max-workers", max_workers, "--objective", "time"];
    let ended = under_midrun(&scratch, "run", &flags, &pipeline_line(line, options)).succeed();
    assert!(ended.out.contains(ALL_IN_ORDER), "{}\n{}", ended.out, ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    scratch.assert_nothing_left();
    (ended, summary)
}

/// Items go from one started rank to another, from one to a rank and back, and from several to several.
const PATTERNS: [&str; 4] = ["0@4,1@5,2@6", "0@4,1@2,2@5", "0x2@4+1,1x2@5+2,2x2@6+3", "0,1,2"];

const ALL_IN_ORDER: &str = "lost 0, doubled 0, wrong 0, out of order 0";

fn pipeline_grows(line: Vec<String>) {
    let (ended, summary) = pipeline(line, "6", "--inputs 400 --stages 5,40,5 --bytes 5000");
    assert!(summary.count("/ranks") > 4, "{}", ended.err);
    let started = summary.list("decisions").iter().find(|d| d["tuning_point"] == "started ranks").expect("a decision");
    assert_eq!(started["verdict"], "kept", "{started}");
    assert!(started["why"].as_str().is_some_and(|why| why.contains("communication manager")), "{started}");
    // The first three ranks compute one stage each, and no other pattern of three is faster.
    let wide = |line: &&Value| line["pattern"].as_str().is_some_and(|pattern| pattern.contains('x'));
    assert!(summary.list("pattern").iter().find(wide).is_some(), "{}", ended.err);
    let periods: Vec<f64> = summary.list("period_s").iter().filter_map(Value::as_f64).collect();
    let mut later = periods[periods.len() / 2..].to_vec();
    later.sort_by(f64::total_cmp);
    // Not a maximum time: it may become a third.
    assert!(later[later.len() / 2] < 0.8 * periods[0], "{periods:?}");
    assert_eq!((summary.list("lost_ranks").len(), summary.count("/records/dropped")), (0, 0), "{}", ended.err);
}

fn started_ranks_compute(line: Vec<String>) {
    let scratch = Scratch::new();
    let flags = ["--summary", "s.json", "--max-workers", "6", "--objective", "fixed"];
    let options = "--stages 2,4,2 --inputs 400 --bytes 20000 --many 1 --runs 2";
    let job = under_midrun(&scratch, "run", &flags, &pipeline_line(line, options));
    let point = |name: &str| {
        let status = status(&scratch, &[])?;
        status["tuning_points"].as_array()?.iter().find(|point| point["name"] == name).cloned()
    };
    wait_until("the head offers its points", || point("pipe.spawned").is_some());
    succeed(&scratch, &["set", "pipe.spawned", "3"]);
    wait_until("they have joined", || point("pipe.spawned").is_some_and(|point| point["minimum"] == 3.0));
    for pattern in PATTERNS {
        succeed(&scratch, &["set", "pipe.pattern", pattern]);
    }
    let ended = job.succeed();
    assert_eq!(ended.out.matches(ALL_IN_ORDER).count(), 2, "{}\n{}", ended.out, ended.err);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/ranks"), 7, "{}", ended.err);
    let has = |text: &str| summary.list("pattern").iter().any(|line| line["pattern"] == text);
    assert!(PATTERNS.into_iter().all(has), "{}", ended.err);
    scratch.assert_nothing_left();
}
