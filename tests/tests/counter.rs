//! Workers that take their chunks from a shared counter (`mw.counter`), in real jobs that check each task.

use midrun_tests::ask::{ask, succeed};
use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, assert_whole, chunks, combined, wait_for_iterations};
use midrun_tests::{Cluster, Mpi, Process, Scratch, Summary, drawn, each_mpi, need, root, under_midrun};

/// Static parts of a team in which half of the workers are four times slower; recall would divide them further.
const UNEQUAL: &str = "--tasks 120 --mean-us 1000 --slow-workers 0.5:4 --technique none --recall";

fn run(mpi: Mpi, ranks: u32, options: &str) -> Vec<u64> {
    let scratch = Scratch::new();
    let options = format!("--tasks 200 --mean-us 300 --sigma-pct 60 --iterations 3 {options}");
    let ended = Process::start(&scratch, "job", command(&synthetic::line(mpi, ranks, &options))).succeed();
    assert_whole(&ended);
    chunks(&ended.out)
}

#[each_mpi]
fn each_task_is_computed_once_in_the_chunks_that_the_master_would_have_cut(mpi: Mpi) {
    for technique in drawn(4, ["none", "ss", "fsc", "gss", "fac2", "dpf", "tss", "mfsc"]) {
        let options = format!("--technique {technique}");
        assert_eq!(run(mpi, 4, &format!("{options} --counter")), run(mpi, 4, &options), "{mpi:?} {options}");
    }
}

#[each_mpi]
fn each_task_is_computed_once_with_every_other_option(mpi: Mpi) {
    let options = ["--chunks", "--recall", "--workers 2", "--result-bytes 300000", "--master-works"];
    for line in drawn(6, combined(&["ss", "gss", "daf"], &options)) {
        assert_eq!(run(mpi, 4, &format!("--counter {line}")).len(), 3, "{line}");
    }
    assert_eq!(run(mpi, 1, "--counter --master-works").len(), 3, "one rank alone does all");
    assert_eq!(run(mpi, 3, "--counter --tasks 0"), [0, 0, 0]);
    assert_eq!(run(mpi, 4, "--counter --tasks 1"), [1, 1, 1]);
}

#[each_mpi]
fn a_program_that_names_no_technique_starts_by_the_counter_where_nothing_speaks_against_it(mpi: Mpi) {
    // 200 tasks by 3 workers are single ones; 1500 by 2 are chunks of a 250th of a worker's share.
    assert_eq!(run(mpi, 4, ""), [200; 3]);
    assert_eq!(run(mpi, 3, "--tasks 1500 --mean-us 20"), [500; 3]);
    assert_eq!(run(mpi, 4, "--master-works"), [200; 3]);
    for against in ["--chunks", "--tolerate", "--bytes 8", "--factor 0.5", "--technique mfsc", "--spawn"] {
        let chunks = run(mpi, 4, against);
        assert!(chunks[0] < 200, "{mpi:?} {against}: {chunks:?}");
    }
}

#[each_mpi]
fn midrun_knows_that_a_program_starts_by_the_counter_and_a_technique_that_the_user_asks_for_wins(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 4, "--tasks 600 --mean-us 200");
    let mut job = under_midrun(&scratch, "run", &["--dry-run", "--summary", "s.json"], &line);
    wait_for_iterations(&mut job, 2);
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.0["technique"], "fsc(0.004) by counter", "{mpi:?}");

    let line = synthetic::line(mpi, 4, "--tasks 600 --mean-us 200 --iterations 20");
    let flags = ["--technique", "gss", "--objective", "fixed", "--no-memory", "--summary", "t.json"];
    assert_whole(&under_midrun(&scratch, "run", &flags, &line).succeed());
    let summary = Summary::read(&scratch.path("t.json"));
    assert!(summary.0["technique"].as_str().is_some_and(|technique| technique.starts_with("gss")), "{}", summary.0);
}

#[each_mpi]
fn a_user_turns_the_counter_on_and_off_while_the_program_runs(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 4, UNEQUAL);
    let flags = ["--technique", "none", "--objective", "fixed", "--summary", "s.json"];
    let mut job = under_midrun(&scratch, "run", &flags, &line);
    wait_for_iterations(&mut job, 2);
    let mut ends = vec![chunks(&job.out()).len()];
    for value in ["1", "0", "1"] {
        let text = succeed(&scratch, &["set", "mw.counter", value]);
        assert!(text.starts_with(&format!("mw.counter = {value} applied on rank 0 at iteration ")), "{text}");
        wait_for_iterations(&mut job, 4);
        ends.push(chunks(&job.out()).len());
    }
    synthetic::end(&scratch);
    let ended = job.succeed();
    assert_whole(&ended);
    let chunks = chunks(&ended.out);
    // Nothing is recalled of what was taken from the counter.
    let at = |phase: usize| chunks[ends[phase] - 1];
    assert!(at(0) > 3 && at(1) == 3 && at(2) > 3 && at(3) == 3, "{mpi:?}: {ends:?} {chunks:?}");
    Summary::read(&scratch.path("s.json")).assert_contract();
}

#[each_mpi]
fn the_chunks_that_were_taken_are_recorded_as_those_that_were_sent(mpi: Mpi) {
    let scratch = Scratch::new();
    let options = "--tasks 400 --mean-us 500 --sigma-pct 40 --iterations 12 --technique ss --counter";
    let line = synthetic::line(mpi, 4, options);
    let flags = ["--technique", "ss", "--objective", "fixed", "--summary", "s.json"];
    let ended = under_midrun(&scratch, "run", &flags, &line).succeed();
    assert_whole(&ended);
    synthetic::assert_recorded(&ended, &Summary::read(&scratch.path("s.json")), 12);
}

#[each_mpi]
fn what_it_is_not_for_is_refused_in_one_sentence(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::line(mpi, 3, "--counter --bytes 8 --iterations 1");
    let ended = Process::start(&scratch, "job", command(&line)).wait();
    assert_ne!(ended.code, 0);
    let sentence =
        "MIDRUN_MW_COUNTER is for tasks without input, but task_bytes is 8: make it 0, or leave the flag out";
    assert_eq!(ended.err.matches(sentence).count(), 1, "{}", ended.err);
    let line = synthetic::endless_line(&scratch, mpi, 3, "--bytes 8 --tasks 60");
    let mut job = under_midrun(&scratch, "run", &["--objective", "fixed"], &line);
    wait_for_iterations(&mut job, 2);
    let (code, text) = ask(&scratch, &["set", "mw.counter", "1"]);
    assert!(code != 0 && text.contains("mw.counter"), "{text}");
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
}

#[each_mpi]
fn a_task_that_fails_ends_its_iteration_on_every_rank_and_no_other(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/failing_task.c"));
    // MIDRUN_MW_COUNTER, and MIDRUN_MW_MASTER_WORKS beside it.
    for flags in ["32", "48"] {
        let mut line = mpi.line(4, &program);
        line.push(flags.into());
        let ended = Process::start(&scratch, "job", command(&line)).succeed();
        for rank in 0..4 {
            assert!(ended.out.contains(&format!("rank {rank}: -4 then 0")), "{mpi:?} {flags}: {}", ended.out);
        }
    }
}

#[test]
fn workers_on_other_hosts_get_chunks_of_the_same_counter_by_messages() {
    need!(Cluster::is_possible(), "no network namespaces");
    need!(Mpi::OpenMpi.is_here(), "Open MPI is not here");
    let scratch = Scratch::new();
    let _cluster = Cluster::up(2, "100mbit");
    let launcher = Cluster::open_mpi(&scratch, &[3, 2]);
    let program = Mpi::OpenMpi.example("mw_synthetic").display().to_string();
    for options in ["--technique fac2", "--technique ss", "--technique mfsc --master-works"] {
        let line = format!("{program} --tasks 400 --mean-us 1000 --iterations 3 --counter {options}");
        let words = [launcher.clone(), line.split(' ').map(String::from).collect()].concat();
        let ended = Process::start(&scratch, "job", command(&Cluster::on("h1", &words))).succeed();
        assert_eq!(assert_whole(&ended).len(), 3, "{options}");
        assert!(!ended.err.contains("no effect"), "{}", ended.err);
    }
}
