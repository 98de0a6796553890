//! When values change: at the entry or exit of a function, at the start of one iteration, back when the agent is lost; and
//! what replaced functions, set arguments and inserted calls do. Real jobs, under each MPI.

use std::collections::BTreeMap;
use std::path::PathBuf;

use midrun_proto::v1::ActionStatus;
use midrun_proto::v1::event::Kind;
use midrun_tests::ask::{ask, status, succeed};
use midrun_tests::each_mpi;
use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::scripted_analyzer::{Link, ScriptedAnalyzer};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, is_night, root, run, wait_until};

const RANKS: u32 = 2;

fn program(mpi: Mpi, scratch: &Scratch) -> PathBuf {
    mpi.compile(scratch, &root().join("tests/programs/moments.c"), &["-O2".into(), "-g".into()])
}

/// It with midrun preloaded and these points, for an agent and an analyzer of their own.
fn preloaded(scratch: &Scratch, mpi: Mpi, agent: &Agent, points: &str) -> Process {
    let mut job = command(&mpi.line(RANKS, &program(mpi, scratch)));
    let library = mpi.library().canonicalize().expect("libmidrun");
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "moments").env("LD_PRELOAD", library);
    job.env("MIDRUN_POINTS", points.replace('\n', ";")).current_dir(scratch.directory());
    Process::start(scratch, "job", job)
}

/// `midrun run --points … -- mpirun …`, once every rank offers its points.
fn under_midrun(scratch: &Scratch, mpi: Mpi, points: &str) -> Process {
    std::fs::write(scratch.path("points"), points).expect("a file");
    let flags = ["--summary", "s.json", "--points", "points"];
    let mut run = run::command(scratch, &flags, &mpi.line(RANKS, &program(mpi, scratch)));
    run.env("MIDRUN_CFG_ANALYZER__ACTION_TTL_MS", "1500");
    let job = Process::start(scratch, "job", run);
    let offered = points.lines().filter(|line| !line.starts_with("iteration") && !line.starts_with("return")).count();
    wait_until("every rank offers its points", || {
        status(scratch, &[]).is_some_and(|status| offers(&status) == offered)
    });
    job
}

/// Points that every rank offers, without those that take texts for midrun itself.
fn offers(status: &serde_json::Value) -> usize {
    let all = status["tuning_points"].as_array().into_iter().flatten();
    let texts = |point: &serde_json::Value| point["name"] == "points" || point["name"] == "iteration";
    all.filter(|point| !texts(point)).count() / RANKS as usize
}

fn stop(scratch: &Scratch, job: Process) -> Ended {
    std::fs::write(scratch.path("stop"), "").expect("a file");
    job.succeed()
}

/// Steps at which a rank saw something new, and what.
fn seen(out: &str, rank: u32, what: &str) -> Vec<(u64, f64)> {
    let head = format!("rank {rank} step ");
    let mine = out.lines().filter_map(|line| line.strip_prefix(&head)?.split_once(&format!(": {what} ")));
    mine.map(|(step, now)| (step.parse().expect("a step"), now.parse().expect("a value"))).collect()
}

/// What a rank counted, by the word before the number.
fn counts(out: &str, rank: u32) -> BTreeMap<String, u64> {
    let head = format!("rank {rank}: ");
    let line = out.lines().find_map(|line| line.strip_prefix(&head)).unwrap_or_else(|| panic!("an end in {out}"));
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let count = |at: usize| words[at].parse().unwrap_or_else(|_| panic!("a number in {line}"));
    let mut all = BTreeMap::from([("steps".to_owned(), count(0))]);
    all.extend((2..words.len() - 3).step_by(2).map(|at| (words[at].to_owned(), count(at + 1))));
    all.extend([("before".to_owned(), count(words.len() - 2)), ("after".to_owned(), count(words.len() - 1))]);
    all
}

fn answer(link: &mut Link, action: u64) -> ActionStatus {
    loop {
        for (_, event) in link.events().expect("the job runs") {
            if let Kind::ActionResult(result) = event
                && result.action == action
            {
                return result.status();
            }
        }
    }
}

#[each_mpi]
fn values_of_one_action_change_together_where_their_function_is_entered_or_left_and_nowhere_else(mpi: Mpi) {
    for (side, iterates, word) in [("exit", true, "return"), ("entry", false, "entry"), ("entry", true, "entry")] {
        let scratch = Scratch::new();
        let analyzer = ScriptedAnalyzer::start();
        let agent = Agent::start(&scratch, &analyzer.url);
        let mut link = analyzer.welcome(0);
        let points = format!(
            "{}tune value variable value i32 1..99 at {side} step\ntune partner variable partner i32 1..99 at {side} step\n\
             tune kept variable kept i32 0..9 at entry seldom\ntune never variable never i32 0..9",
            if iterates { "iteration function step\n" } else { "" }
        );
        let job = preloaded(&scratch, mpi, &agent, &points);
        let declared = |(rank, event): &(u32, Kind)| matches!((rank, event), (0, Kind::TuningPointDeclared(tuning_point)) if tuning_point.name == "never");
        wait_until("the last point is offered", || link.events().expect("the job runs").iter().any(declared));
        for action in 1..=5_u32 {
            let now = f64::from(action) + 10.0;
            link.act(action.into(), "moments", 0, &[("value", now), ("never", 3.0), ("partner", now)]);
            assert_eq!(answer(&mut link, action.into()), ActionStatus::Applied);
        }
        link.act(6, "moments", 0, &[("value", 20.0), ("kept", 3.0)]);
        assert_eq!(answer(&mut link, 6), ActionStatus::RefusedApart);
        link.act(7, "moments", 0, &[("value", 100.0), ("partner", 20.0)]);
        assert_eq!(answer(&mut link, 7), ActionStatus::RefusedRange);
        let ended = stop(&scratch, job);
        let mut counts = counts(&ended.out, 0);
        assert_eq!(counts.remove(word), Some(5), "{mpi:?} at {side}: {}", ended.out);
        let elsewhere = ["inside", "outside", "entry", "return", "apart"].map(|word| counts.remove(word));
        assert!(elsewhere.iter().flatten().all(|count| *count == 0), "{mpi:?} at {side}: {}", ended.out);
    }
}

#[each_mpi]
fn a_value_whose_function_is_not_called_in_time_stays_and_the_reason_is_reported(mpi: Mpi) {
    let scratch = &Scratch::new();
    let points = "tune value variable value i32 1..99 at exit step\ntune never variable never i32 0..9 at entry seldom";
    let job = under_midrun(scratch, mpi, points);
    let why = "expired: the iteration or function that it waits for did not come in time";
    let (code, text) = ask(scratch, &["set", "never", "3", "--rank", "1"]);
    assert!(code == 1 && text.contains(&format!("never on rank 1: {why}")), "{mpi:?}: {text}");
    // What waited is forgotten: others are taken over.
    assert!(succeed(scratch, &["set", "value", "7"]).starts_with("value = 7 applied on ranks 0-1"));
    assert_eq!(status(scratch, &[]).expect("it runs")["controls"][0]["changes"][0]["refused"], why);
    let ended = stop(scratch, job);
    assert!(ended.err.contains(&format!("rank 1: {why}")), "{}", ended.err);
    for rank in 0..RANKS {
        let counts = counts(&ended.out, rank);
        assert_eq!((counts["return"], counts["inside"], counts["outside"]), (1, 0, 0), "{}", ended.out);
    }
}

/// An iteration of so many steps that the job has not begun yet, about a second ahead.
fn ahead(scratch: &Scratch, steps: u64) -> u64 {
    status(scratch, &[]).expect("it runs")["iterations"].as_u64().expect("a number") + 150 / steps
}

#[each_mpi]
fn a_value_for_one_iteration_is_taken_over_at_its_start_by_every_rank_or_refused(mpi: Mpi) {
    // The k-th iteration by its function is the k-th step; by MPI calls it begins after 3 (k + 1) of them, one a step.
    let by_mpi = |k: u64| 3 * (k + 1);
    let kinds =
        [("iteration function step", (|k| k) as fn(u64) -> u64), ("iteration mpi MPI_Allreduce world every 3", by_mpi)];
    // One kind under each MPI; at night both.
    let own = kinds.into_iter().zip([Mpi::OpenMpi, Mpi::Mpich]).filter(|(_, of)| is_night() || *of == mpi);
    for ((line, first_step), _) in own {
        let scratch = Scratch::new();
        let job = under_midrun(&scratch, mpi, &format!("{line}\ntune value variable value i32 1..99"));
        wait_until("iterations are counted", || {
            status(&scratch, &[]).is_some_and(|status| status["iterations"].as_u64() > Some(5))
        });
        let (code, text) = ask(&scratch, &["set", "value", "5", "--at-iteration", "2"]);
        let why = "value on rank 1: refused: the rank has begun that iteration already";
        assert!(code == 1 && text.contains(why), "{mpi:?}: {text}");
        let k = ahead(&scratch, if line.contains("mpi") { 3 } else { 1 });
        let text = succeed(&scratch, &["set", "value", "9", "--at-iteration", &k.to_string()]);
        assert!(text.starts_with(&format!("value = 9 applied on ranks 0-1 at iteration {k}")), "{text}");
        let ended = stop(&scratch, job);
        for rank in 0..RANKS {
            assert_eq!(seen(&ended.out, rank, "value"), [(first_step(k), 9.0)], "{mpi:?}, {line}: {}", ended.out);
        }
        let (steps, iterations) = (counts(&ended.out, 0)["steps"], Summary::read(&scratch.path("s.json")));
        // The last one by MPI calls has no end.
        let whole = if line.contains("mpi") { steps / 3 - 1 } else { steps };
        assert_eq!(iterations.count("/iterations"), whole, "{mpi:?}, {line}: {}", ended.err);
    }
}

#[each_mpi]
fn an_argument_of_the_iterations_own_function_changes_in_the_call_that_begins_the_iteration(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = under_midrun(&scratch, mpi, "iteration function step\ntune share argument step 2 i32 1..99");
    let mut expected = Vec::new();
    // Away from the program's own value, to another one, and back.
    for value in [9.0, 8.0, 2.0] {
        let k = ahead(&scratch, 1);
        let text = succeed(&scratch, &["set", "share", &value.to_string(), "--at-iteration", &k.to_string()]);
        assert!(text.starts_with(&format!("share = {value} applied on ranks 0-1 at iteration {k}")), "{text}");
        expected.push((k, value));
    }
    let out = stop(&scratch, job).out;
    for rank in 0..RANKS {
        assert_eq!(seen(&out, rank, "share"), expected, "{mpi:?}: {out}");
    }
}

#[each_mpi]
fn a_value_for_one_iteration_by_marks_is_taken_over_at_its_mark(mpi: Mpi) {
    let scratch = &Scratch::new();
    let exposed = mpi.compile_with_midrun(scratch, &root().join("tests/programs/exposed.c"));
    let mut line = mpi.line(RANKS, &exposed);
    line.extend(["100000".to_owned(), "4".into()]);
    let job = run::under_midrun(scratch, "job", &[], &line);
    wait_until("iterations are counted", || {
        status(scratch, &[]).is_some_and(|status| status["iterations"].as_u64() > Some(5))
    });
    let k = ahead(scratch, 1);
    let set = |k: u64| ask(scratch, &["set", "block", "16", "--rank", "0", "--at-iteration", &k.to_string()]);
    assert_eq!(set(k).0, 0);
    wait_until("the master has said so", || job.out().contains("rank 0: block 16"));
    let said = format!("rank 0: block 16 share 0.5 at iteration {k}\n");
    assert!(job.out().contains(&said), "{mpi:?}: iteration {k} in {}", job.out());
    let (code, text) = set(k);
    assert!(code == 1 && text.contains("the rank has begun that iteration already"), "{text}");
}

#[each_mpi]
fn what_shall_go_back_does_so_when_the_agent_is_killed_at_its_own_place_and_the_rest_stays(mpi: Mpi) {
    // With iterations and without; back at a function's exit, and at any safe point.
    for (iteration, place) in [("iteration function step\n", " at exit step"), ("", "")] {
        let scratch = Scratch::new();
        let analyzer = Analyzer::start(&scratch);
        let agent = Agent::start(&scratch, &analyzer.url);
        let points = format!(
            "{iteration}tune value variable value i32 1..99{place}\ntune kept variable kept i32 1..99\nreturn value on-loss"
        );
        let job = preloaded(&scratch, mpi, &agent, &points);
        let set = |point: &str| ask(&scratch, &["set", point, "7", "--job", "moments", "--analyzer", &analyzer.url]).0;
        wait_until("every rank offers its points", || {
            let status = status(&scratch, &["moments", "--analyzer", &analyzer.url]);
            status.is_some_and(|status| offers(&status) == 2)
        });
        assert_eq!((set("value"), set("kept")), (0, 0));
        let came = |out: &str, what| (0..RANKS).all(|rank| !seen(out, rank, what).is_empty());
        wait_until("the program has seen them", || came(&job.out(), "value") && came(&job.out(), "kept"));
        agent.process.signal(libc::SIGKILL);
        let back = |rank| seen(&job.out(), rank, "value").last().is_some_and(|(_, now)| *now == 1.0);
        wait_until("the value has gone back in every rank", || (0..RANKS).all(back));
        let out = stop(&scratch, job).out;
        for rank in 0..RANKS {
            assert_eq!(seen(&out, rank, "kept").last().map(|(_, now)| *now), Some(7.0), "{mpi:?}: {out}");
            let counts = counts(&out, rank);
            let elsewhere = counts["inside"] + counts["outside"] + counts["entry"];
            assert!(place.is_empty() || (counts["return"], elsewhere) == (2, 0), "{mpi:?}: {out}");
        }
    }
}

#[each_mpi]
fn functions_are_replaced_arguments_set_and_calls_made_in_every_rank_that_is_asked(mpi: Mpi) {
    let scratch = &Scratch::new();
    let points = "tune way replace plain by other_way\ntune weight argument weigh 2 i32 1..100\n\
        tune factor argument scale 2 f64 0..10 at entry step\ninsert early note_before before step\n\
        insert late note_after after step\nonce ask asked";
    let job = under_midrun(scratch, mpi, points);
    let argument = |name: &str| {
        status(scratch, &[]).expect("it runs")["tuning_points"].as_array().and_then(|all| {
            let point = all.iter().find(|point| point["name"] == name && point["rank"] == 1)?;
            Some((point["declared"].as_f64(), point["value"].as_f64()))
        })
    };
    wait_until("each argument is known by a call", || argument("weight").is_some() && argument("factor").is_some());
    let start = (argument("weight"), argument("factor"));
    let own = (Some((Some(3.0), Some(3.0))), Some((Some(0.5), Some(0.5))));
    assert_eq!(start, own, "{mpi:?}: what the program passes");
    for (point, value) in [("way", "1"), ("weight", "44"), ("factor", "2.5"), ("early", "1"), ("ask", "1")] {
        succeed(scratch, &["set", point, value]);
    }
    succeed(scratch, &["set", "late", "1", "--rank", "1"]);
    succeed(scratch, &["set", "ask", "2", "--rank", "1"]);
    succeed(scratch, &["set", "ask", "2", "--rank", "1"]);
    wait_until("all of it is seen", || {
        let out = job.out();
        let has = |rank, what| !seen(&out, rank, what).is_empty();
        (0..RANKS).all(|rank| ["way", "weight", "factor", "before"].iter().all(|what| has(rank, what)))
            && has(1, "after")
    });
    succeed(scratch, &["set", "early", "0"]);
    succeed(scratch, &["set", "way", "0"]);
    let again = |rank| seen(&job.out(), rank, "way").len() == 2;
    wait_until("the function itself runs again", || (0..RANKS).all(again));
    let out = stop(scratch, job).out;
    for rank in 0..RANKS {
        let values = |what: &str| seen(&out, rank, what).iter().map(|(_, now)| *now).collect::<Vec<f64>>();
        assert_eq!((values("way"), values("weight")), (vec![20.0, 10.0], vec![44.0]), "{mpi:?}: {out}");
        assert_eq!(values("factor"), [2.5], "{mpi:?}: {out}");
        assert_eq!(values("asked").len(), 1 + rank as usize, "{mpi:?}: once for each other number: {out}");
        let counts = counts(&out, rank);
        assert!((1..counts["steps"]).contains(&counts["before"]), "{mpi:?}: while it was 1: {out}");
        assert_eq!(counts["after"] > 0, rank == 1, "{mpi:?}: only where it was asked for: {out}");
    }
}
