//! Divide-and-conquer programs: results that do not depend on the cut-off depth, and the depth that midrun chooses, in real jobs.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, midrun, root, under_midrun};

fn line(mpi: Mpi, ranks: u32, program: &str, options: &str) -> Vec<String> {
    let mut line = mpi.line(ranks, &mpi.example(program));
    line.extend(options.split_whitespace().map(str::to_owned));
    line
}

fn started(mpi: Mpi, ranks: u32, program: &str, options: &str) -> Ended {
    let scratch = Scratch::new();
    Process::start(&scratch, "job", command(&line(mpi, ranks, program, options))).wait()
}

/// Tasks and depth of each solve.
fn solves(ended: &Ended) -> Vec<(u64, u64)> {
    let number_before = |line: &str, word: &str| {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|known| *known == word)?;
        words[at - 1].parse().ok()
    };
    let depth = |line: &str| line.split("cut-off depth ").nth(1)?.split(',').next()?.parse().ok();
    let lines = ended.out.lines().filter(|line| line.starts_with("solve "));
    lines.map(|line| (number_before(line, "tasks").expect("tasks"), depth(line).expect("a depth"))).collect()
}

#[each_mpi]
fn results_are_the_same_with_any_depth_on_any_number_of_ranks(mpi: Mpi) {
    let mut integrals = Vec::new();
    for (ranks, depth) in [(1, 0), (2, 3), (4, 1), (4, 0), (4, 9), (5, 30)] {
        let sorted = started(mpi, ranks, "quicksort", &format!("--numbers 60000 --solves 2 --cutoff {depth} --check"));
        assert_eq!(sorted.code, 0, "{ranks} ranks, depth {depth}: {}\n{}", sorted.out, sorted.err);
        assert!(sorted.out.contains("wrong orders: 0"), "{}", sorted.out);
        let integral = started(mpi, ranks, "quadrature", &format!("--solves 2 --digits 7 --cutoff {depth} --check"));
        assert_eq!(integral.code, 0, "{ranks} ranks, depth {depth}: {}\n{}", integral.out, integral.err);
        integrals.extend(integral.out.lines().filter(|line| line.starts_with("integral")).map(str::to_owned));
        if depth > 0 && depth < 9 {
            assert!(solves(&integral).iter().all(|(_, at)| *at == depth), "{}", integral.out);
        }
    }
    integrals.dedup();
    assert_eq!(integrals.len(), 1, "bit for bit: {integrals:?}");
}

#[each_mpi]
fn a_program_that_names_no_depth_begins_with_tasks_enough(mpi: Mpi) {
    let ended = started(mpi, 5, "quadrature", "--solves 2 --digits 8");
    let first = solves(&ended)[0];
    assert!((8 * 4..=8 * 8).contains(&first.0), "{}", ended.out);
}

#[each_mpi]
fn a_bad_depth_is_put_right_by_what_one_solve_tells(mpi: Mpi) {
    // 1 ms for each problem's evaluations: with two tasks at depth 1 one worker has nearly all the work.
    let scratch = Scratch::new();
    let options = "--solves 12 --digits 8 --pace 500 --cutoff 1 --check";
    let ended = under_midrun(&scratch, "job", &["--summary", "run.json"], &line(mpi, 5, "quadrature", options)).wait();
    assert_eq!(ended.code, 0, "{}\n{}", ended.out, ended.err);
    let summary = Summary::read(&scratch.path("run.json"));
    let decisions = summary.0["decisions"].as_array().expect("decisions").clone();
    let first =
        decisions.iter().find(|decision| decision["tunlet"] == "divide_conquer").expect("a decision on the depth");
    assert_eq!(first["iteration"], 0, "{first}");
    let solves = solves(&ended);
    assert_eq!(solves[0].1, 1);
    assert!(solves.last().is_some_and(|(tasks, depth)| *depth > 1 && *tasks >= 8), "{}", ended.out);
    // What is midrun's own is no measurement of the user's.
    assert!(!ended.err.contains("dc.1.") && summary.0["points"].is_null(), "{}\n{}", ended.err, summary.0["points"]);
}

#[each_mpi]
fn a_recording_is_decided_again_and_no_prediction_takes_it_for_a_task_farm(mpi: Mpi) {
    let scratch = Scratch::new();
    let line = line(mpi, 4, "quadrature", "--solves 6 --digits 7 --pace 500 --cutoff 1");
    under_midrun(&scratch, "job", &["--record", "run.rec"], &line).succeed();
    let midrun = |words: &[&str]| {
        let mut command = std::process::Command::new(midrun());
        command.args(words).current_dir(scratch.directory());
        Process::start(&scratch, "later", command).wait()
    };
    for words in [&["predict", "run", "run.rec"][..], &["predict", "program", "--from", "run.rec"]] {
        midrun(words).assert_refused(&["run.rec", "divide-and-conquer", "midrun replay"]);
    }
    let replay = midrun(&["replay", "run.rec"]);
    assert!(replay.code == 0 && replay.out.contains("cut-off depth"), "{}\n{}", replay.out, replay.err);
}

#[each_mpi]
fn a_failing_function_ends_the_solve_on_every_rank_with_its_name(mpi: Mpi) {
    for (function, ranks) in [("divide", 3), ("base", 3), ("combine", 3), ("nothing", 3), ("twice", 3), ("base", 1)] {
        let ended = program(mpi, ranks, function);
        assert_eq!(ended.code, 3, "{function}: {}\n{}", ended.out, ended.err);
        assert_eq!(ended.out.matches("status -4").count() as u32, ranks, "{function}: {}", ended.out);
        let named = match function {
            "nothing" => "divide emitted no part",
            "twice" => "base must emit one result",
            other => &format!("{other} returned 7"),
        };
        assert!(ended.err.contains(named), "{function}: {}", ended.err);
    }
}

#[each_mpi]
fn wrong_arguments_are_refused_on_every_rank(mpi: Mpi) {
    let ended = program(mpi, 3, "missing");
    assert_eq!(ended.out.matches("create -1").count(), 3, "{}\n{}", ended.out, ended.err);
    // The workers wait for the solve.
    let ended = program(mpi, 3, "unasked");
    let counts = [-1, -4].map(|status| ended.out.matches(&format!("status {status}")).count());
    assert_eq!((ended.code, counts), (3, [1, 2]), "{}\n{}", ended.out, ended.err);
}

fn program(mpi: Mpi, ranks: u32, what: &str) -> Ended {
    let scratch = Scratch::new();
    let program = mpi.compile_with_midrun(&scratch, &root().join("tests/programs/failing_parts.c"));
    let mut line = mpi.line(ranks, &program);
    line.push(what.to_owned());
    Process::start(&scratch, "job", command(&line)).wait()
}
