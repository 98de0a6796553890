//! A person's hand on real jobs: status, set, freeze, pause and resume, with each MPI of this machine.

use midrun_tests::ask::{ask, status, succeed};
use midrun_tests::mpi::command;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, midrun, root, under_midrun, wait_until};
use serde_json::Value;

/// A job of three ranks that all offer `block` and `share`; see tests/programs/exposed.c.
fn exposed(scratch: &Scratch, mpi: Mpi, flags: &[&str], iterations: u32, ms: u32) -> Process {
    let program = mpi.compile_with_midrun(scratch, &root().join("tests/programs/exposed.c"));
    let mut line = mpi.line(3, &program);
    line.extend([iterations.to_string(), ms.to_string()]);
    let job = under_midrun(scratch, "job", flags, &line);
    wait_until("every rank offers its points", || {
        status(scratch, &[]).is_some_and(|status| points(&status, "block").len() == 3)
    });
    job
}

/// The points of a name, by rank.
fn points(status: &Value, name: &str) -> Vec<Value> {
    let all = status["tuning_points"].as_array().into_iter().flatten();
    all.filter(|point| point["name"] == name).cloned().collect()
}

fn values(scratch: &Scratch, name: &str) -> Vec<Value> {
    let status = status(scratch, &[]).expect("the job runs");
    points(&status, name).iter().map(|point| point["value"].clone()).collect()
}

/// A Master/Worker job that runs until it is ended.
fn endless(mpi: Mpi) -> Vec<String> {
    let mut line = mpi.line(5, &mpi.example("mw_synthetic"));
    let words = "--tasks 40 --iterations 100000 --mean-us 2000 --sigma-pct 80 --technique none";
    line.extend(words.split(' ').map(str::to_owned));
    line
}

#[each_mpi]
fn points_of_the_hand_out_are_set_by_hand_and_left_alone_until_resume(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = under_midrun(&scratch, "job", &["--summary", "s.json"], &endless(mpi));
    wait_until("the master offers its points", || {
        status(&scratch, &[]).is_some_and(|status| points(&status, "mw.factor").len() == 1)
    });
    let text = succeed(&scratch, &["set", "mw.technique", "gss"]);
    assert!(text.starts_with("mw.technique = gss applied on rank 0 at iteration "), "{text}");
    assert_eq!(succeed(&scratch, &["set", "mw.workers", "2", "--rank", "0"]).matches("applied on rank 0").count(), 1);
    let before = status(&scratch, &[]).expect("it runs")["iterations"].as_u64().expect("a number");
    wait_until("ten more iterations are over", || {
        status(&scratch, &[]).expect("it runs")["iterations"].as_u64() > Some(before + 10)
    });
    let now = status(&scratch, &[]).expect("it runs");
    let [technique, workers] = ["mw.technique", "mw.workers"].map(|name| points(&now, name)[0].clone());
    assert_eq!(
        (&technique["means"], &technique["held"], &workers["value"]),
        (&"gss".into(), &true.into(), &2.0.into())
    );
    assert_eq!(technique["turned"]["by"], "user");
    for (words, why) in [
        (["set", "mw.factor", "1.5"], "mw.factor = 1.5 is outside 0 to 1"),
        (["set", "mw.factors", "0.5"], "no rank has a tuning point mw.factors; there are iteration, mw.counter"),
        (["set", "mw.technique", "-1"], "mw.technique = -1 is outside 0 to 11"),
    ] {
        let (code, text) = ask(&scratch, &words);
        assert!(code == 1 && text.contains(why) && text.lines().count() == 1, "{code} {text}");
    }
    let (code, text) = ask(&scratch, &["set", "mw.factor", "0.5", "--rank", "17"]);
    assert!(code == 1 && text.ends_with("the job has no rank 17, it has ranks 0-4"), "{text}");
    succeed(&scratch, &["resume"]);
    wait_until("the tunlet turns the hand-out again", || {
        points(&status(&scratch, &[]).expect("it runs"), "mw.technique")[0]["turned"]["by"] == "master_worker"
    });
    job.signal(libc::SIGTERM);
    let ended = job.wait();
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.list("controls").len(), 7, "{}", ended.err);
    assert!(ended.err.contains("user: mw.technique = gss applied"), "{}", ended.err);
    let report = succeed(&scratch, &["explain", "--summary", &scratch.path("s.json").display().to_string()]);
    let by_hand = "s: mw.technique = gss applied on rank 0 at iteration ";
    assert!(report.contains("\nby hand\n") && report.contains(by_hand), "{mpi:?}: {report}");
    scratch.assert_nothing_left();
}

#[each_mpi]
fn variables_of_every_rank_are_set_and_come_back_when_the_job_is_paused(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = exposed(&scratch, mpi, &["--summary", "s.json"], 100_000, 5);
    let text = succeed(&scratch, &["set", "block", "16"]);
    assert!(text.starts_with("block = 16 applied on ranks 0-2"), "{text}");
    succeed(&scratch, &["set", "share", "0.25", "--rank", "1"]);
    assert_eq!(values(&scratch, "block"), [16.0, 16.0, 16.0]);
    assert_eq!(values(&scratch, "share"), [0.5, 0.25, 0.5]);
    let (code, text) = ask(&scratch, &["set", "block", "8.5"]);
    assert!(code == 1 && text.ends_with("block takes whole numbers from 8 to 64, and 8.5 is none"), "{text}");
    assert_eq!(succeed(&scratch, &["freeze"]), "frozen: tunlets decide nothing more, values stay");
    assert_eq!(values(&scratch, "block"), [16.0, 16.0, 16.0]);
    let text = succeed(&scratch, &["pause"]);
    // The tunlet may have turned the hand-out, too.
    let back = text.strip_prefix("paused: tunlets decide nothing more; values brought back to those at start: ");
    assert!(back.and_then(|count| count.parse().ok()) >= Some(4), "{text}");
    assert_eq!((values(&scratch, "block"), values(&scratch, "share")), (vec![32.0.into(); 3], vec![0.5.into(); 3]));
    let shown = succeed(&scratch, &["status"]);
    assert!(shown.contains("paused") && shown.contains("ranks 0-2  block"), "{shown}");
    job.signal(libc::SIGTERM);
    let ended = job.wait();
    assert!(!ended.out.contains("inside a call"), "the program says where its safe points are: {}", ended.out);
    for rank in 0..3 {
        let of_rank = |line: &&str| line.starts_with(&format!("rank {rank}: "));
        let said: Vec<&str> = ended.out.lines().filter(of_rank).filter_map(|line| line.split(" at ").next()).collect();
        let last = format!("rank {rank}: block 32 share 0.5");
        assert!(said[0].contains("block 16 share 0.5") && said.last() == Some(&last.as_str()), "{mpi:?} {said:?}");
    }
    let summary = Summary::read(&scratch.path("s.json"));
    let names: Vec<&Value> = summary.list("controls").iter().map(|line| &line["control"]).collect();
    assert_eq!(names, ["set", "set", "set", "freeze", "pause"]);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn two_who_set_at_once_are_both_answered_and_the_last_one_stands(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = exposed(&scratch, mpi, &[], 100_000, 5);
    for round in 0..5 {
        let both = [16, 24].map(|value| {
            let words = [midrun().display().to_string(), "set".into(), "block".into(), value.to_string()];
            Process::start(&scratch, &format!("set-{round}-{value}"), command(&words))
        });
        for one in both {
            assert!(one.succeed().out.contains("applied on ranks 0-2"));
        }
        let now = values(&scratch, "block");
        assert!(now.iter().all(|value| *value == now[0]), "{mpi:?}: never a mixture: {now:?}");
    }
    let controls = status(&scratch, &[]).expect("it runs")["controls"].clone();
    assert!(controls.as_array().is_some_and(|lines| lines.iter().all(|line| line["done"] == true)), "{controls}");
    job.signal(libc::SIGTERM);
    job.wait();
}

#[each_mpi]
fn a_pattern_is_set_by_hand_and_comes_back(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut line = mpi.line(5, &mpi.example("pipe_synthetic"));
    line.extend("--stages 1,4,1 --inputs 100000 --pattern 0,1,2".split(' ').map(str::to_owned));
    let job = under_midrun(&scratch, "job", &["--objective", "fixed"], &line);
    wait_until("the head has told its pattern", || {
        status(&scratch, &[])
            .is_some_and(|status| points(&status, "pipe.pattern").iter().any(|p| p["declared"] == "0,1,2"))
    });
    let text = succeed(&scratch, &["set", "pipe.pattern", "0,1x2,2"]);
    assert!(text.starts_with("pipe.pattern = 0,1x2,2 applied on rank 0 at input "), "{text}");
    wait_until("inputs go by it", || values(&scratch, "pipe.pattern") == ["0,1x2,2"]);
    let (code, text) = ask(&scratch, &["set", "pipe.pattern", "0,1x9,2"]);
    assert!(code == 1 && text.contains("refused: the program cannot take this text"), "{text}");
    succeed(&scratch, &["pause"]);
    wait_until("the first pattern is back", || values(&scratch, "pipe.pattern") == ["0,1,2"]);
    wait_until("outputs are counted", || status(&scratch, &[]).expect("it runs")["outputs"].as_u64() > Some(0));
    job.signal(libc::SIGTERM);
    job.wait();
}

#[each_mpi]
fn a_job_that_ends_during_the_wait_is_reported(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = exposed(&scratch, mpi, &[], 0, 20);
    let words =
        [midrun().display().to_string()].into_iter().chain("set block 16 --rank 1".split(' ').map(String::from));
    let asked = Process::start(&scratch, "set", command(&words.collect::<Vec<_>>()));
    wait_until("the analyzer waits for the rank", || {
        status(&scratch, &[]).is_some_and(|status| status["in_flight"].as_u64() > Some(0))
    });
    std::fs::write(scratch.path("end"), "").expect("a file");
    let answer = asked.wait();
    assert_eq!(answer.code, 1, "{}", answer.err);
    let gone = answer.err.contains("the rank has ended") || answer.err.contains("the job has ended");
    assert!(gone, "{mpi:?}: {}{}", answer.out, answer.err);
    job.succeed();
    let (code, text) = ask(&scratch, &["set", "block", "16"]);
    assert!(code == 1 && text.contains("no job runs"), "{text}");
    scratch.assert_nothing_left();
}

#[each_mpi]
fn several_jobs_are_named_and_a_wrong_token_opens_none(mpi: Mpi) {
    let scratch = Scratch::new();
    let jobs = ["one", "two"].map(|name| under_midrun(&scratch, name, &[], &endless(mpi)));
    let files = || std::fs::read_dir(scratch.path("run/midrun")).into_iter().flatten().flatten();
    let names = || files().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "job"));
    wait_until("both jobs can be found", || names().count() == 2);
    let (code, text) = ask(&scratch, &["status"]);
    assert!(code == 64 && text.contains("several jobs run, name one: j"), "{text}");
    let file: Value =
        serde_json::from_slice(&std::fs::read(names().next().expect("one")).expect("its text")).expect("JSON");
    let (id, url) = (file["job"].as_str().expect("a name"), file["url"].as_str().expect("a URL"));
    assert!(succeed(&scratch, &["status", id]).starts_with(&format!("job {id} (")));
    succeed(&scratch, &["freeze", "--job", id]);
    for words in [vec!["status", id, "--analyzer", url], vec!["pause", "--job", id, "--analyzer", url]] {
        let (code, text) = ask(&scratch, &words);
        assert!(code == 1 && text.contains("the token is not the one of"), "{code} {text}");
    }
    for job in jobs {
        job.signal(libc::SIGTERM);
        job.wait();
    }
}
