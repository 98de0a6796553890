//! What the owner of a job has set holds, whatever starts, dies or returns in whatever order. Real jobs, under each MPI.

use midrun_tests::ask::{ask, status, succeed};
use midrun_tests::synthetic::{self, assert_whole, wait_for_iterations};
use midrun_tests::{Analyzer, Mpi, Process, Scratch, Summary, each_mpi, under_midrun, wait_until};
use serde_json::Value;

/// Tasks of 50 ms for each of four workers: the tunlet has reason to change both the technique and the number of workers.
const JOB: &str = "--tasks 100 --mean-us 2000 --sigma-pct 60 --technique none";

/// An address where nobody listens yet.
fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").to_string()
}

/// An endless job of a standing analyzer at `address`, with these flags.
fn start(scratch: &Scratch, mpi: Mpi, address: &str, flags: &[&str]) -> Process {
    let url = format!("http://{address}");
    let flags = [&["--summary", "s.json", "--analyzer", &url], flags].concat();
    under_midrun(scratch, "job", &flags, &synthetic::endless_line(scratch, mpi, 5, JOB))
}

fn iterations(scratch: &Scratch) -> Option<u64> {
    status(scratch, &[])?["iterations"].as_u64()
}

/// Waits until an analyzer has seen `more` further iterations.
fn wait_until_measured(scratch: &Scratch, more: u64) {
    let mut begin = None;
    wait_until("the analyzer measures", || {
        let now = iterations(scratch);
        begin = begin.or(now);
        now.zip(begin).is_some_and(|(now, begin)| now >= begin + more)
    });
}

fn point(scratch: &Scratch, name: &str) -> Value {
    let status = status(scratch, &[]).expect("the job runs");
    let mut points = status["tuning_points"].as_array().into_iter().flatten();
    points.find(|point| point["name"] == name).cloned().unwrap_or_default()
}

fn end(scratch: &Scratch, job: Process) -> Summary {
    synthetic::end(scratch);
    assert_whole(&job.succeed());
    Summary::read(&scratch.path("s.json"))
}

#[each_mpi]
fn an_analyzer_that_comes_after_the_job_changes_nothing_in_a_dry_run(mpi: Mpi) {
    let (scratch, address) = (Scratch::new(), free_address());
    let mut job = start(&scratch, mpi, &address, &["--dry-run"]);
    wait_for_iterations(&mut job, 2);
    let _analyzer = Analyzer::at(&scratch, &address);
    wait_until_measured(&scratch, 6);
    let summary = end(&scratch, job);
    assert_eq!(summary.count("/actions/sent"), 0, "{mpi:?}: {}", summary.0);
}

#[each_mpi]
fn an_analyzer_that_comes_after_the_job_keeps_its_technique_and_limits(mpi: Mpi) {
    let (scratch, address) = (Scratch::new(), free_address());
    let mut job = start(&scratch, mpi, &address, &["--technique", "gss", "--max-workers", "2", "--objective", "time"]);
    wait_for_iterations(&mut job, 2);
    let _analyzer = Analyzer::at(&scratch, &address);
    wait_until("the owner's technique and limit are in force", || {
        status(&scratch, &[]).is_some()
            && point(&scratch, "mw.technique")["means"] == "gss"
            && point(&scratch, "mw.workers")["value"] == 2.0
    });
    wait_until_measured(&scratch, 6);
    let summary = end(&scratch, job);
    let decisions = summary.list("decisions");
    let others =
        decisions.iter().filter(|decision| decision["tuning_point"] == "mw.technique" && decision["to"] != "gss");
    assert_eq!(others.count(), 0, "{mpi:?}: {}", summary.0);
}

/// What a user sets at one analyzer, and then another takes its place.
fn at_a_replaced_analyzer(mpi: Mpi, words: &[&str], holds: impl Fn(&Scratch) -> bool) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let address = analyzer.url.strip_prefix("http://").expect("a URL").to_owned();
    let job = start(&scratch, mpi, &address, &[]);
    wait_until_measured(&scratch, 2);
    succeed(&scratch, words);
    assert!(holds(&scratch), "{mpi:?}: it stands");
    analyzer.process.signal(libc::SIGKILL);
    analyzer.process.wait();
    let _other = Analyzer::with(&scratch, "other", &address, &[]);
    wait_until_measured(&scratch, 8);
    assert!(holds(&scratch), "{mpi:?}: {:?}", status(&scratch, &[]));
    let summary = end(&scratch, job);
    assert_eq!(summary.count("/actions/sent"), 0, "{mpi:?}: {}", summary.0);
}

#[each_mpi]
fn a_frozen_job_stays_frozen_when_another_analyzer_takes_over(mpi: Mpi) {
    at_a_replaced_analyzer(mpi, &["freeze"], |scratch| status(scratch, &[]).is_some_and(|now| now["mode"] == "frozen"));
}

#[each_mpi]
fn a_paused_job_stays_paused_when_another_analyzer_takes_over(mpi: Mpi) {
    at_a_replaced_analyzer(mpi, &["pause"], |scratch| status(scratch, &[]).is_some_and(|now| now["mode"] == "paused"));
}

#[each_mpi]
fn values_set_by_hand_are_left_alone_when_another_analyzer_takes_over(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let address = analyzer.url.strip_prefix("http://").expect("a URL").to_owned();
    let mut job = start(&scratch, mpi, &address, &[]);
    wait_until_measured(&scratch, 2);
    // SS with its overhead, and two workers of four: the tunlet would change either.
    succeed(&scratch, &["set", "mw.technique", "ss"]);
    succeed(&scratch, &["set", "mw.workers", "2"]);
    analyzer.process.signal(libc::SIGKILL);
    analyzer.process.wait();
    let other = Analyzer::with(&scratch, "other", &address, &[]);
    wait_until_measured(&scratch, 8);
    for (name, value) in [("mw.technique", 1.0), ("mw.workers", 2.0)] {
        let now = point(&scratch, name);
        assert_eq!((&now["value"], &now["held"]), (&value.into(), &true.into()), "{mpi:?}: {name}");
    }
    // The same when it comes back: the agent says so each time.
    other.process.signal(libc::SIGKILL);
    other.process.wait();
    wait_for_iterations(&mut job, 1);
    let _third = Analyzer::with(&scratch, "third", &address, &[]);
    wait_until_measured(&scratch, 2);
    assert_eq!(point(&scratch, "mw.workers")["held"], true, "{mpi:?}");
    let (code, text) = ask(&scratch, &["resume"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(point(&scratch, "mw.workers")["held"], false, "{mpi:?}");
    end(&scratch, job);
}
