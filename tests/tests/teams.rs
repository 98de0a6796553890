//! Sub-teams (`mw.team_size`): sub-masters hand out what the master sends them, in real jobs that check each task.

use midrun_tests::ask::{ask, succeed};
use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, TECHNIQUES, assert_whole, combined, wait_for_iterations, workers};
use midrun_tests::{Cluster, Mpi, Process, Scratch, Summary, drawn, each_mpi, need, root, run, under_midrun};

const SIZE: &str = "MIDRUN_MW_TEAM_SIZE";

/// The numbers of tasks of the iterations of `sized_farm`.
const TASKS: [u64; 7] = [400, 1, 0, 2, 37, 6, 1500];

/// Seven ranks: six workers in two sub-teams of three.
fn check(mpi: Mpi, options: &str) {
    let scratch = Scratch::new();
    let options = format!("--tasks 200 --mean-us 300 --sigma-pct 60 --iterations 3 {options}");
    let mut job = command(&synthetic::line(mpi, 7, &options));
    job.env(SIZE, "3");
    let ended = Process::start(&scratch, "job", job).succeed();
    assert_eq!(assert_whole(&ended).len(), 3, "{options}");
    assert!(!ended.err.contains(SIZE), "{}", ended.err);
}

/// The tasks that each rank computed in each iteration of `sized_farm`, on which all are right and computed once.
fn sized(mpi: Mpi, kind: &str, technique: &str, size: &str) -> Vec<Vec<u64>> {
    let scratch = Scratch::new();
    let mut line = mpi.line(7, &mpi.compile_with_midrun(&scratch, &root().join("tests/programs/sized_farm.c")));
    line.extend([kind, technique].map(str::to_owned));
    line.extend(TASKS.map(|tasks| tasks.to_string()));
    let mut job = command(&line);
    job.env(SIZE, size);
    let ended = Process::start(&scratch, "job", job).succeed();
    let by_rank = |line: &str| -> Vec<u64> {
        assert!(line.contains(" tasks: 0 wrong, "), "{mpi:?} {kind} {technique} {size}: {line}\n{}", ended.err);
        line.split("by rank").nth(1).unwrap_or("").split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let computed: Vec<Vec<u64>> = ended.out.lines().map(by_rank).collect();
    assert_eq!(computed.iter().map(|ranks| ranks.iter().sum()).collect::<Vec<u64>>(), TASKS);
    computed
}

#[each_mpi]
fn inputs_and_results_of_fixed_and_any_sizes_reach_the_right_tasks_through_sub_masters(mpi: Mpi) {
    // Without a technique, the fifth, tasks may be recalled.
    for technique in ["none", "ss", "fac2", "daf", "-"] {
        sized(mpi, "fixed", technique, "3");
        let through = sized(mpi, "any", technique, "3");
        // Sub-masters compute no chunks of any size: so one sees that they led.
        assert!(through.iter().all(|ranks| ranks[1] == 0 && ranks[4] == 0), "{mpi:?} {technique}: {through:?}");
    }
    let flat = sized(mpi, "any", "ss", "0");
    assert!(flat[0][1] > 0 && flat[0][4] > 0, "{flat:?}");
}

#[each_mpi]
fn each_task_is_computed_once_with_every_technique_and_option(mpi: Mpi) {
    let options = ["--recall", "--chunks", "--recall --chunks", "--master-works", "--bytes 300000", "--workers 4"];
    let plain = combined(&TECHNIQUES, &["--bytes 9"]);
    for line in drawn(8, plain.into_iter().chain(combined(&["none --bytes 9", "mfsc --bytes 9"], &options))) {
        check(mpi, &line);
    }
    check(mpi, "--tasks 0");
    check(mpi, "--tasks 1");
}

#[each_mpi]
fn a_user_changes_size_workers_and_technique_while_the_program_runs(mpi: Mpi) {
    let scratch = Scratch::new();
    let options = "--tasks 120 --mean-us 1000 --sigma-pct 60 --bytes 16 --slow-workers 0.5:4";
    let line = synthetic::endless_line(&scratch, mpi, 8, options);
    let flags = ["--technique", "fac2", "--objective", "fixed", "--summary", "s.json"];
    let mut job = under_midrun(&scratch, "run", &flags, &line);
    wait_for_iterations(&mut job, 2);
    let changes = [
        ("team_size", "3"),
        ("workers", "6"),
        ("technique", "ss"),
        ("recall", "1"),
        ("workers", "5"),
        ("team_size", "0"),
        ("workers", "7"),
        ("team_size", "4"),
    ];
    for (what, value) in changes {
        let text = succeed(&scratch, &["set", &format!("mw.{what}"), value]);
        assert!(text.contains(" applied on rank 0 at iteration "), "{text}");
        wait_for_iterations(&mut job, 3);
    }
    let (code, text) = ask(&scratch, &["set", "mw.team_size", "999"]);
    assert!(code != 0 && text.contains("mw.team_size"), "{text}");
    synthetic::end(&scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    let seen = workers(&ended.out);
    assert!([7, 6, 5].iter().all(|number| seen.contains(number)) && seen.last() == Some(&7), "{seen:?}");
    Summary::read(&scratch.path("s.json")).assert_contract();
}

#[each_mpi]
fn what_sub_teams_compute_is_recorded_as_what_is_sent(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::line(mpi, 7, "--tasks 400 --mean-us 500 --sigma-pct 40 --bytes 9 --iterations 12");
    let flags = ["--technique", "fac2", "--objective", "fixed", "--summary", "s.json"];
    let mut job = run::command(&scratch, &flags, &line);
    job.env(SIZE, "3");
    let ended = Process::start(&scratch, "run", job).succeed();
    assert_whole(&ended);
    synthetic::assert_recorded(&ended, &Summary::read(&scratch.path("s.json")), 12);
}

#[each_mpi]
fn a_task_that_fails_ends_its_iteration_on_every_rank_and_no_other(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/failing_task.c"));
    // MIDRUN_MW_RECALL, and MIDRUN_MW_MASTER_WORKS beside it.
    for flags in ["0", "4", "20"] {
        let mut line = mpi.line(7, &program);
        line.push(flags.into());
        let mut job = command(&line);
        job.env(SIZE, "3");
        let ended = Process::start(&scratch, "job", job).succeed();
        for rank in 0..7 {
            assert!(ended.out.contains(&format!("rank {rank}: -4 then 0")), "{mpi:?} {flags}: {}", ended.out);
        }
    }
}

#[each_mpi]
fn a_size_that_makes_no_sense_is_said_in_one_sentence_and_changes_nothing(mpi: Mpi) {
    let scratch = Scratch::new();
    let sentences = [
        ("many", "MIDRUN_MW_TEAM_SIZE=many is no number of workers: make it 0 for no sub-teams, or 3 or more"),
        ("3", "MIDRUN_MW_TEAM_SIZE=3 has no effect: no host has 6 workers, nor 3 beside those of others"),
    ];
    for (size, sentence) in sentences {
        let mut job = command(&synthetic::line(mpi, 4, "--tasks 60 --iterations 2"));
        job.env(SIZE, size);
        let ended = Process::start(&scratch, "job", job).succeed();
        assert_whole(&ended);
        assert_eq!(ended.err.matches(sentence).count(), 1, "{}", ended.err);
    }
}

#[test]
fn each_host_has_its_own_sub_team() {
    need!(Cluster::is_possible(), "no network namespaces");
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here");
    let scratch = Scratch::new();
    let _cluster = Cluster::up(2, "100mbit");
    let launcher = Cluster::open_mpi(&scratch, &[4, 3]);
    let program = Mpi::OpenMpi.compile_with_midrun(&scratch, &root().join("tests/programs/sized_farm.c"));
    for (kind, technique) in [("any", "ss"), ("any", "fac2"), ("fixed", "none"), ("fixed", "ss"), ("fixed", "-")] {
        let mut words = launcher.clone();
        words.extend(["-x".into(), SIZE.into(), program.display().to_string(), kind.into(), technique.into()]);
        words.extend(TASKS.map(|tasks| tasks.to_string()));
        let mut job = command(&Cluster::on("h1", &words));
        job.env(SIZE, "99");
        let ended = Process::start(&scratch, "job", job).succeed();
        assert_eq!(ended.out.matches(" tasks: 0 wrong, ").count(), TASKS.len(), "{}\n{}", ended.out, ended.err);
        // Rank 1 is the first worker of the first host, rank 4 that of the second.
        let led = |line: &str| {
            line.split_whitespace().rev().take(6).enumerate().all(|(k, by)| !(k == 2 || k == 5) || by == "0")
        };
        assert!(kind == "fixed" || ended.out.lines().all(led), "{}", ended.out);
    }
}
