//! Two versions of midrun at once: it is said once, and the job runs untuned.

use std::time::{Duration, Instant};

use midrun_tests::ask::status;
use midrun_tests::mpi::command;
use midrun_tests::scripted_analyzer::ScriptedAnalyzer;
use midrun_tests::synthetic::{assert_whole, end, endless_line, wait_for_iterations};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, each_mpi, wait_until};

const JOB: &str = "--tasks 60 --mean-us 2000 --sigma-pct 40 --technique none";

#[each_mpi]
fn ranks_with_a_libmidrun_of_another_version_run_untuned_and_it_is_said_once(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut job = command(&endless_line(&scratch, mpi, 3, JOB));
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "versions");
    job.env("LD_LIBRARY_PATH", mpi.another_version(&scratch));
    let mut job = Process::start(&scratch, "job", job);
    let said =
        "its libmidrun is of another version of midrun than this agent; it runs untuned: use one version for both";
    wait_until("the agent says so", || agent.process.err().contains(said));
    // Each of three ranks tries again every 0.5 s.
    let begin = Instant::now();
    wait_until("they have tried again", || begin.elapsed() > Duration::from_secs(2));
    wait_for_iterations(&mut job, 2);
    end(&scratch);
    assert_whole(&job.succeed());
    assert_eq!(agent.process.err().matches(said).count(), 1, "{}", agent.process.err());
    assert!(status(&scratch, &["versions", "--analyzer", &analyzer.url]).is_none(), "no rank joined");
}

#[each_mpi]
fn an_agent_that_its_analyzer_refuses_for_its_version_says_so_once_and_its_ranks_run_untuned(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = ScriptedAnalyzer::start();
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut job = command(&endless_line(&scratch, mpi, 3, JOB));
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "versions");
    let mut job = Process::start(&scratch, "job", job);
    wait_for_iterations(&mut job, 2);
    let why = "the agent speaks protocol 5, this analyzer speaks protocol 9: use the same version of midrun for both";
    analyzer.refuse(why);
    let agent = agent.process.wait();
    assert!(agent.code != 0 && agent.err.matches(why).count() == 1, "{}: {}", agent.code, agent.err);
    wait_for_iterations(&mut job, 2);
    end(&scratch);
    assert_whole(&job.succeed());
}
