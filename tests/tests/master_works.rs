//! A master that computes tasks, too (`MIDRUN_MW_MASTER_WORKS`), in real jobs that check each task.

use midrun_tests::ask::succeed;
use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, assert_whole, combined, wait_for_iterations};
use midrun_tests::{Mpi, Process, Scratch, Summary, drawn, each_mpi, root, under_midrun};

/// Workers of each iteration.
fn run(mpi: Mpi, ranks: u32, options: &str) -> Vec<u32> {
    let scratch = Scratch::new();
    let options = format!("--tasks 200 --mean-us 500 --sigma-pct 60 --iterations 3 --master-works {options}");
    let ended = Process::start(&scratch, "job", command(&synthetic::line(mpi, ranks, &options))).succeed();
    assert_whole(&ended)
}

#[each_mpi]
fn each_task_is_computed_once_whatever_the_technique_and_the_sizes(mpi: Mpi) {
    let options = ["", "--recall --bytes 100", "--bytes 300000", "--recall --chunks"];
    for line in drawn(7, combined(&["none", "ss", "mfsc", "daf", "awf-b"], &options)) {
        assert_eq!(run(mpi, 3, &line), [3, 3, 3], "{line}");
    }
}

#[each_mpi]
fn one_rank_alone_does_all(mpi: Mpi) {
    assert_eq!(run(mpi, 1, ""), [1, 1, 1]);
}

#[each_mpi]
fn it_is_the_last_of_the_workers_for_midrun(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 3, "--tasks 200 --mean-us 500 --master-works");
    let flags = ["--objective", "fixed", "--summary", "s.json"];
    let mut job = under_midrun(&scratch, "run", &flags, &line);
    wait_for_iterations(&mut job, 2);
    let text = succeed(&scratch, &["set", "mw.workers", "2"]);
    assert!(text.starts_with("mw.workers = 2 applied on rank 0 at iteration "), "{text}");
    wait_for_iterations(&mut job, 3);
    synthetic::end(&scratch);
    let ended = job.succeed();
    let workers = assert_whole(&ended);
    assert!(workers[0] == 3 && workers.last() == Some(&2), "{workers:?}");
    Summary::read(&scratch.path("s.json")).assert_contract();
}

#[each_mpi]
fn the_advice_for_the_next_run_counts_it_once(mpi: Mpi) {
    let scratch = Scratch::new();
    let options = "--tasks 200 --mean-us 1000 --sigma-pct 60 --iterations 25 --master-works";
    let job = under_midrun(&scratch, "run", &["--summary", "s.json"], &synthetic::line(mpi, 3, options));
    assert_whole(&job.succeed());
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    assert_eq!(summary.count("/advice/ranks"), summary.count("/advice/workers"));
}

#[each_mpi]
fn a_task_that_fails_ends_its_iteration_on_every_rank_and_no_other(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/failing_task.c"));
    for ranks in [1, 3] {
        let ended = Process::start(&scratch, "job", command(&mpi.line(ranks, &program))).succeed();
        for rank in 0..ranks {
            assert!(ended.out.contains(&format!("rank {rank}: -4 then 0")), "{mpi:?}: {}", ended.out);
        }
    }
}

#[each_mpi]
fn a_negative_number_of_tasks_is_refused_on_every_rank(mpi: Mpi) {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/failing_task.c"));
    // A master that hands out, one that works, and workers that take chunks from a counter.
    for flags in ["0", "16", "32"] {
        let mut line = mpi.line(3, &program);
        line.extend([flags.to_owned(), "-5".into()]);
        let ended = Process::start(&scratch, "job", command(&line)).succeed();
        for rank in 0..3 {
            assert!(ended.out.contains(&format!("rank {rank}: -4 then -1")), "{mpi:?}, {flags}: {}", ended.out);
        }
    }
}
