//! Jobs under a real Slurm on emulated hosts, with both MPIs where Debian's builds and Slurm's plugins meet.

use std::path::PathBuf;
use std::time::Duration;

use midrun_tests::allreduce_choice::the_same_on_all;
use midrun_tests::process::Ended;
use midrun_tests::slurm::{job_script, plugin};
use midrun_tests::synthetic::{WHOLE, assert_whole, wait_for_iterations};
use midrun_tests::{Mpi, Process, Scratch, Slurm, Summary, each_mpi, need, prefix, ranks, root, run, wait_until};
use serde_json::Value;

const LINE: &str = "--tasks 300 --iterations 8 --mean-us 2000 --dist linear --sigma-pct 50 --bytes 64 --technique none";
/// It takes a few seconds, on a loaded machine some more.
const SRUN_ENDS: Duration = Duration::from_secs(45);
const ENDLESS: &str = "--tasks 300 --iterations 100000 --mean-us 2000 --sigma-pct 80 --bytes 64 --technique none";

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// Open MPI by PMIx, over TCP only: the hosts have no other network.
fn open_mpi() -> (String, Vec<(&'static str, String)>) {
    let variables =
        [("SLURM_MPI_TYPE", "pmix"), ("OMPI_MCA_btl", "self,vader,tcp"), ("OMPI_MCA_mpi_yield_when_idle", "1")];
    let variables = variables.map(|(name, value)| (name, value.to_owned())).into();
    (Mpi::OpenMpi.example("mw_synthetic").display().to_string(), variables)
}

/// MPICH 5 by PMI-2: Debian's MPICH 4.0 hangs across hosts. `tests/run` puts it here.
fn mpich() -> (PathBuf, Vec<(&'static str, String)>) {
    let program = root().canonicalize().expect("the root").join("target/mpich5/examples/mw_synthetic");
    (
        program,
        [("SLURM_MPI_TYPE", "pmi2"), ("UCX_TLS", "tcp,self")].map(|(name, value)| (name, value.to_owned())).into(),
    )
}

/// `salloc -N HOSTS -n RANKS midrun run -- srun PROGRAM`.
fn allocated(hosts: u32, ranks: u32, program: &str, options: &str) -> Vec<String> {
    let mut line = words(&format!("salloc -Q -N {hosts} -n {ranks}"));
    line.extend(run::words(&["--strict", "--summary", "s.json"], &words(&format!("srun {program} {options}"))));
    line
}

fn assert_tuned_over(summary: &Summary, hosts: &[&str], ranks: u64) {
    summary.assert_contract();
    let mut nodes: Vec<&str> = summary.list("nodes").iter().filter_map(Value::as_str).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, hosts, "each host had an agent");
    assert_eq!((summary.count("/ranks"), summary.count("/iterations")), (ranks, 8));
    assert!(summary.count("/actions/applied") >= 1);
}

fn assert_agents_gone(scratch: &Scratch) {
    wait_until("the agents of all hosts have ended", || {
        let left = std::fs::read_dir(scratch.path("run/midrun"));
        left.map_or(0, Iterator::count) == 0
    });
}

/// The job did all of its work on these hosts, was tuned there, and left no agent behind.
fn assert_tuned(scratch: &Scratch, ended: &Ended, hosts: &[&str], ranks: u64) {
    assert_eq!(assert_whole(ended).len(), 8, "{}", ended.err);
    assert_tuned_over(&Summary::read(&scratch.path("s.json")), hosts, ranks);
    assert_agents_gone(scratch);
}

#[test]
fn open_mpi_by_pmix_is_tuned_over_three_hosts_by_one_line() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 3);
    let (program, variables) = open_mpi();
    let ended = slurm.start(&scratch, "run", &allocated(3, 7, &program, LINE), &variables).succeed();
    assert_tuned(&scratch, &ended, &["h1", "h2", "h3"], 7);
}

#[test]
fn mpich_by_pmi2_is_tuned_over_three_hosts_by_one_line() {
    let (program, variables) = mpich();
    need!(Slurm::is_possible() && program.is_file(), "no Slurm with MPICH 5");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 3);
    let line = allocated(3, 7, &program.display().to_string(), LINE);
    let ended = slurm.start(&scratch, "run", &line, &variables).succeed();
    assert_tuned(&scratch, &ended, &["h1", "h2", "h3"], 7);
}

#[each_mpi]
fn ranks_that_srun_starts_on_three_hosts_change_in_the_same_iterations(mpi: Mpi) {
    let (program, variables) = match mpi {
        Mpi::OpenMpi => open_mpi(),
        Mpi::Mpich => {
            let (program, variables) = mpich();
            (program.display().to_string(), variables)
        }
    };
    let program = PathBuf::from(program).with_file_name("allreduce_choice");
    need!(Slurm::is_possible() && mpi.is_here() && program.is_file(), "no Slurm with the MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 3);
    let mut line = words("salloc -Q -N 3 -n 7");
    let step = format!("srun {} --iterations 1000000 --delay-us 5000", program.display());
    line.extend(run::words(&["--strict", "--synchronized"], &words(&step)));
    let mut job = slurm.start(&scratch, "run", &line, &variables);
    let set = |words: &str| {
        let line = format!("{} set {words} --synchronized", midrun_tests::midrun().display());
        slurm.start(&scratch, "set", &self::words(&line), &[]).wait().code == 0
    };
    // Slurm may start some ranks later than others, which then offer their points later.
    for value in [1, 2] {
        wait_until("all ranks change", || {
            assert!(job.is_running(), "{mpi:?}: {}", job.err());
            set(&format!("algorithm {value}"))
        });
    }
    wait_until("all ranks stop", || !job.is_running() || set("stop 1"));
    let changes: Vec<usize> =
        the_same_on_all(&job.succeed().out, 7).into_iter().map(|(algorithm, _)| algorithm).collect();
    assert_eq!(changes, [1, 2], "{mpi:?}");
    assert_agents_gone(&scratch);
}

/// `srun PROGRAM : OTHER` on two hosts: ranks of two programs in one world, under one launch. With MPICH 5 by PMI-2, such a step of
/// Slurm 22.05 does not come out of MPI_Init, without midrun, too.
#[test]
fn a_heterogeneous_step_is_one_job() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 2);
    let (program, variables) = open_mpi();
    let other = scratch.path("other");
    std::fs::copy(&program, &other).expect("a copy");
    let step = format!("srun -N 1 -n 3 {program} {LINE} : -N 1 -n 3 {} {LINE}", other.display());
    // Four of them on each host.
    let mut line = words("salloc -Q -N 2 -n 8");
    line.extend(run::words(&["--strict", "--summary", "s.json"], &words(&step)));
    // srun ends what it has for PMIx once for each part of the step: now and then it hangs after the job, without midrun, too, or crashes.
    let run = |n: u32| {
        let ended = slurm.start(&scratch, &format!("run{n}"), &line, &variables).wait_at_most(SRUN_ENDS);
        slurm.ask(&["scancel", "--me"]); // a salloc that was killed leaves its allocation
        assert!(ended.as_ref().is_none_or(|ended| ended.out.contains(WHOLE)), "{ended:?}");
        ended.filter(|ended| ended.code == 0)
    };
    let ended = (0..5).find_map(run).expect("srun ends well");
    assert_tuned(&scratch, &ended, &["h1", "h2"], 6);
    assert!(!ended.err.contains("left alone"), "{}", ended.err);
}

/// `sbatch` with the job script of `deploy`, two hosts and two ranks on each; returns the job's number.
fn submit(slurm: &Slurm, scratch: &Scratch, flags: &str, options: &str) -> String {
    let (program, mut variables) = open_mpi();
    variables.push(("MIDRUN_PREFIX", prefix().display().to_string()));
    let script = job_script().display().to_string();
    let line =
        format!("sbatch --parsable -N 2 --ntasks-per-node=2 -o out.%j -e err.%j {flags} {script} {program} {options}");
    let submitted = slurm.start(scratch, "sbatch", &words(&line), &variables).succeed();
    submitted.out.trim().to_owned()
}

fn read(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.path(name)).unwrap_or_default()
}

/// Waits until job `id` has written so many iterations.
fn wait_for_lines(scratch: &Scratch, id: &str, lines: usize) {
    wait_until("iterations are over", || read(scratch, &format!("out.{id}")).matches("iteration ").count() >= lines);
}

fn wait_until_gone(slurm: &Slurm, id: &str) {
    wait_until("the job has left the queue", || {
        let state = slurm.ask(&["squeue", "-h", "-j", id, "-o", "%T"]);
        !["RUNNING", "PENDING", "COMPLETING", "CONFIGURING"].iter().any(|word| state.contains(word))
    });
}

#[test]
fn the_job_script_runs_as_it_is_and_in_arrays() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 3);
    let one = submit(&slurm, &scratch, "--wait", LINE);
    assert_tuned_over(&Summary::read(&scratch.path(&format!("midrun-{one}.json"))), &["h1", "h2"], 4);
    submit(&slurm, &scratch, "--wait --array=0-1", LINE);
    let summaries = std::fs::read_dir(scratch.directory()).expect("a directory").flatten();
    let names = summaries.filter(|entry| entry.file_name().to_string_lossy().starts_with("midrun-"));
    assert_eq!(names.count(), 3, "each job of the array wrote its own");
    assert_agents_gone(&scratch);
}

#[test]
fn two_steps_on_one_host_are_two_jobs() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 1);
    let (program, variables) = open_mpi();
    let midrun = midrun_tests::midrun().display().to_string();
    let step =
        |name: &str| format!("{midrun} run --strict --summary {name}.json -- srun --overlap -n 4 {program} {LINE} &");
    let script = format!("{} {} wait", step("a"), step("b"));
    let mut line = words("salloc -Q -N 1 -n 4 bash -c");
    line.push(script);
    slurm.start(&scratch, "run", &line, &variables).succeed();
    for name in ["a.json", "b.json"] {
        assert_tuned_over(&Summary::read(&scratch.path(name)), &["h1"], 4);
    }
    assert_agents_gone(&scratch);
}

/// The summary of a job that was ended from outside is whole, and its recording can be replayed.
fn assert_kept(scratch: &Scratch, id: &str) {
    let summary = Summary::read(&scratch.path(&format!("midrun-{id}.json")));
    summary.assert_contract();
    assert!(summary.count("/iterations") >= 2, "{}", read(scratch, &format!("err.{id}")));
    let mut replay = std::process::Command::new(midrun_tests::midrun());
    replay.arg("replay").arg(scratch.path("run.rec"));
    Process::start(scratch, "replay", replay).succeed();
}

#[test]
fn a_cancelled_job_and_one_at_its_time_limit_leave_summary_and_recording() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 2);
    let record = format!("--export=ALL,MIDRUN_CFG_ANALYZER__RECORD={}", scratch.path("run.rec").display());
    let cancelled = submit(&slurm, &scratch, &record, ENDLESS);
    wait_for_lines(&scratch, &cancelled, 3);
    slurm.ask(&["scancel", &cancelled]);
    wait_until_gone(&slurm, &cancelled);
    assert_kept(&scratch, &cancelled);
    std::fs::remove_file(scratch.path("run.rec")).expect("the recording");
    let limited = submit(&slurm, &scratch, &format!("{record} --time=1"), ENDLESS);
    wait_until_gone(&slurm, &limited);
    assert_kept(&scratch, &limited);
    assert_agents_gone(&scratch);
}

/// The control group of a process, by which Slurm tracks it.
fn group(pid: i32) -> String {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    groups.lines().find_map(|line| line.split_once(":freezer:")).map(|(_, group)| group.to_owned()).unwrap_or_default()
}

/// There the agent that `midrun exec` starts is in its step's group, and Slurm ends it with the step.
#[test]
fn jobs_whose_processes_slurm_tracks_by_control_groups_take_changes_and_leave_their_summaries() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    need!(Slurm::has_control_groups(), "no control groups of version 1");
    let scratch = Scratch::new();
    let slurm = Slurm::with_control_groups(&scratch, 2);
    let record = format!("--export=ALL,MIDRUN_CFG_ANALYZER__RECORD={}", scratch.path("run.rec").display());
    let cancelled = submit(&slurm, &scratch, &record, ENDLESS);
    wait_for_lines(&scratch, &cancelled, 3);
    let agents = ranks::agents(&scratch);
    assert!(!agents.is_empty(), "an agent runs on the second host");
    for agent in agents {
        assert!(group(agent).contains("/step_"), "{}", group(agent));
    }
    let set = format!("{} set mw.technique gss", midrun_tests::midrun().display());
    slurm.start(&scratch, "set", &words(&set), &[]).succeed();
    slurm.ask(&["scancel", &cancelled]);
    wait_until_gone(&slurm, &cancelled);
    assert_kept(&scratch, &cancelled);
    let summary = |id: &str| Summary::read(&scratch.path(&format!("midrun-{id}.json")));
    assert!(summary(&cancelled).count("/actions/applied") >= 1);
    // What the killed agent has left is no obstacle to the next job on the same hosts.
    let ended = submit(&slurm, &scratch, "--wait", LINE);
    let summary = summary(&ended);
    summary.assert_contract();
    let of = |key: &str| summary.count(key);
    let counts = (summary.list("nodes").len(), of("/ranks"), of("/iterations"), of("/records/dropped"));
    assert_eq!(counts, (2, 4, 8, 0), "{}", read(&scratch, &format!("err.{ended}")));
    wait_until("the agents have ended", || ranks::agents(&scratch).is_empty());
}

#[test]
fn a_job_whose_host_dies_ends_and_one_that_is_requeued_is_tuned_again() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 3);
    let requeued =
        submit(&slurm, &scratch, "--requeue -w h1,h2", LINE.replace("--iterations 8", "--iterations 60").as_str());
    wait_for_lines(&scratch, &requeued, 3);
    slurm.ask(&["scontrol", "requeue", &requeued]);
    let waits = || slurm.ask(&["squeue", "-h", "-j", &requeued, "-o", "%T"]).contains("PENDING");
    wait_until("it waits to run again", waits);
    // slurmd has revoked the job's credential, and refuses one that is as old by its clock of whole seconds.
    std::thread::sleep(Duration::from_secs(3));
    wait_until("it has run again", || {
        // Slurm sets a start in two minutes when the first run has ended, perhaps after it says that the job waits.
        slurm.ask(&["scontrol", "update", &format!("JobId={requeued}"), "StartTime=now"]);
        let shown = slurm.ask(&["scontrol", "show", "job", &requeued]);
        shown.contains("Restarts=1") && shown.contains("JobState=COMPLETED")
    });
    let summary = Summary::read(&scratch.path(&format!("midrun-{requeued}.json")));
    assert_eq!((summary.count("/ranks"), summary.count("/iterations")), (4, 60), "the second run's");

    let (program, variables) = open_mpi();
    let mut job = slurm.start(&scratch, "run", &allocated(3, 6, &program, ENDLESS), &variables);
    wait_for_iterations(&mut job, 3);
    slurm.kill("h3");
    slurm.ask(&["scontrol", "update", "NodeName=h3", "State=DOWN", "Reason=test"]);
    let ended = job.wait();
    assert_ne!(ended.code, 0, "srun's own code");
    assert!(Summary::read(&scratch.path("s.json")).count("/iterations") >= 3, "{}", ended.err);
}

#[test]
fn a_job_is_seen_set_and_explained_from_any_host_by_its_slurm_number() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let slurm = Slurm::up(&scratch, 3);
    let state = scratch.path("state");
    let home = format!("--export=ALL,XDG_STATE_HOME={}", state.display());
    let job = submit(&slurm, &scratch, &format!("-w h1,h2 {home}"), ENDLESS);
    wait_for_lines(&scratch, &job, 3);
    let ask = |name: &str, words: &str| {
        let midrun = midrun_tests::midrun();
        let words = format!("env XDG_STATE_HOME={} {} {words}", state.display(), midrun.display());
        let line = slurm.on("h3", scratch.directory(), &self::words(&words));
        let mut command = std::process::Command::new(&line[0]);
        command.args(&line[1..]);
        Process::start(&scratch, name, command)
    };
    let seen = ask("status", &format!("status {job} --json")).succeed();
    let seen: Value = serde_json::from_str(&seen.out).expect("JSON");
    assert_eq!(seen["ranks"].as_array().map(Vec::len), Some(4), "{seen}");
    ask("set", &format!("set mw.technique gss --job {job}")).succeed();
    let explained = ask("explain", &format!("explain --job {job}")).succeed();
    assert!(!explained.out.is_empty());
    slurm.ask(&["scancel", &job]);
    wait_until_gone(&slurm, &job);
    wait_until("the address is withdrawn", || {
        std::fs::read_dir(state.join("midrun/jobs")).map_or(0, Iterator::count) == 0
    });
    let gone = ask("gone", &format!("status {job}")).wait();
    assert!(gone.code == 1 && gone.err.contains(&job), "{}", gone.err);
}

#[test]
fn the_spank_plugin_tunes_where_srun_sbatch_or_the_site_asks_for_it() {
    need!(Slurm::is_possible() && Mpi::OpenMpi.is_here(), "no Slurm with Open MPI");
    let scratch = Scratch::new();
    let Some(plugin) = plugin(&scratch) else { return midrun_tests::skip::skip("no headers of Slurm") };
    let plugged = |arguments: &str| {
        format!("required {} midrun={} {arguments}\n", plugin.display(), midrun_tests::midrun().display())
    };
    let slurm = Slurm::with_plugins(&scratch, 2, &plugged(""));
    let (program, variables) = open_mpi();
    let run = |name: &str, line: &str| slurm.start(&scratch, name, &words(line), &variables).succeed();
    let ended = run("srun", &format!("salloc -Q -N 2 -n 6 srun --midrun=strict,summary=a.json {program} {LINE}"));
    assert_eq!(assert_whole(&ended).len(), 8);
    assert_tuned_over(&Summary::read(&scratch.path("a.json")), &["h1", "h2"], 6);
    std::fs::write(
        scratch.path("job"),
        format!("#!/bin/bash\n#SBATCH --midrun=summary=b.json\nsrun --midrun=off true\nsrun {program} {LINE}\n"),
    )
    .expect("a script");
    run("sbatch", "sbatch --wait -N 2 -n 6 -o out.b job");
    assert_tuned_over(&Summary::read(&scratch.path("b.json")), &["h1", "h2"], 6);
    let alone = run("alone", &format!("salloc -Q -N 2 -n 6 srun {program} {LINE}"));
    assert!(!alone.err.contains("midrun"), "nobody asked: {}", alone.err);

    std::fs::write(scratch.path("plugstack.conf"), plugged("default=on flag=--dry-run")).expect("a file");
    let asked = run("site", &format!("salloc -Q -N 2 -n 6 srun {program} {LINE}"));
    assert!(asked.err.contains("advised") || asked.err.contains("advice"), "{}", asked.err);
    let left = run("left", "salloc -Q -N 2 -n 6 srun --midrun=off true");
    assert!(!left.err.contains("midrun"), "{}", left.err);
    assert_agents_gone(&scratch);
}
