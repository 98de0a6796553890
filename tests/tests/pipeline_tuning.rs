//! The tunlet `pipeline` on real ranks: patterns change while data flows, for the better, and faults leave the stream alone.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, under_midrun, wait_until};
use serde_json::Value;

/// The outputs' words on a good run; `pipe_synthetic` ends with 0 only then.
const GOOD: &str = "lost 0, doubled 0, wrong 0, out of order 0";

fn line(mpi: Mpi, ranks: u32, options: &str) -> Vec<String> {
    let mut words = mpi.line(ranks, &mpi.example("pipe_synthetic"));
    words.extend(options.split_whitespace().map(str::to_owned));
    words
}

/// A run under `midrun run` with flags; what became of it.
fn tuned(mpi: Mpi, flags: &str, ranks: u32, options: &str) -> (Summary, Ended) {
    let scratch = Scratch::new();
    let flags: Vec<&str> = ["--summary", "s.json"].into_iter().chain(flags.split_whitespace()).collect();
    let ended = under_midrun(&scratch, "run", &flags, &line(mpi, ranks, options)).succeed();
    assert!(ended.out.contains(GOOD), "{}", ended.out);
    let summary = Summary::read(&scratch.path("s.json"));
    summary.assert_contract();
    scratch.assert_nothing_left();
    (summary, ended)
}

/// The patterns of a run, in order.
fn patterns(summary: &Summary) -> Vec<String> {
    summary.list("pattern").iter().map(|line| line["pattern"].as_str().expect("a text").to_owned()).collect()
}

/// Replicas of the group that a stage is in.
fn replicas(pattern: &str, stage: u32) -> u32 {
    let holds = |word: &&str| {
        let stages = word.split(['x', '@']).next().expect("a word");
        let (first, last) = stages.split_once('-').unwrap_or((stages, stages));
        (first.parse().expect("a stage")..=last.parse::<u32>().expect("a stage")).contains(&stage)
    };
    let word = pattern.split(',').find(holds).expect("the stage");
    word.split('@')
        .next()
        .and_then(|word| word.split_once('x'))
        .map_or(1, |(_, number)| number.parse().expect("a number"))
}

#[each_mpi]
fn the_slow_stage_gets_replicas_while_data_flows_and_the_summary_says_so(mpi: Mpi) {
    let (summary, _) = tuned(mpi, "--objective time", 9, "--inputs 400 --stages 10,40,10 --bytes 5000");
    let decision = &summary.list("decisions")[0];
    let text = |key: &str| decision[key].as_str().expect("a text");
    assert_eq!(
        (text("tunlet"), text("tuning_point"), text("from"), text("per")),
        ("pipeline", "pattern", "0,1,2", "output")
    );
    assert!(text("why").contains("stage 1 (s1) takes"), "{}", text("why"));
    assert_ne!(text("verdict"), "rolled-back", "{decision}");
    assert!(replicas(text("to"), 1) >= 3, "{decision}");
    assert_eq!(patterns(&summary)[..2], ["0,1,2", text("to")]);
    let periods: Vec<f64> = summary.list("period_s").iter().filter_map(Value::as_f64).collect();
    let mut later = periods[periods.len() / 2..].to_vec();
    later.sort_by(f64::total_cmp);
    // Not a maximum time: it was four times as long, and the machine may be busy.
    assert!(later[later.len() / 2] < 0.6 * periods[0], "{periods:?}");
    assert!(summary.0["ideal_period_s"].as_f64().expect("a number") >= 0.009, "{}", summary.0);
    for (stage, ms) in summary.list("stages").iter().zip([10.0, 40.0, 10.0]) {
        assert!(stage["compute_s"].as_f64().expect("seconds") >= ms * 0.99e-3, "{stage}");
        assert!(stage["tr_s"].as_f64().is_some() && stage["rtr_s"].as_f64().is_some(), "{stage}");
    }
    assert_eq!(summary.list("stages")[1]["name"], "s1");
    assert!(summary.list("stages")[1]["replicas"].as_u64().expect("a number") >= 3, "{}", summary.0);
}

#[each_mpi]
fn a_stage_whose_cost_changes_is_found_again(mpi: Mpi) {
    let (summary, _) = tuned(mpi, "--objective time", 8, "--inputs 600 --stages 20,4,4 --drift 2:10");
    let all = patterns(&summary);
    assert!(all.iter().any(|pattern| replicas(pattern, 0) >= 2), "{all:?}");
    assert!(replicas(all.last().expect("one"), 2) >= 2, "{all:?}");
}

#[each_mpi]
fn ranks_that_are_slow_are_found_and_mapped_one_by_one(mpi: Mpi) {
    let (summary, _) = tuned(mpi, "--objective time", 10, "--inputs 400 --stages 5,20 --slow 3:4");
    let all = patterns(&summary);
    assert!(all.iter().any(|pattern| pattern.contains('@')), "{all:?}\n{}", summary.0);
}

#[each_mpi]
fn advice_alone_changes_nothing(mpi: Mpi) {
    let (summary, _) = tuned(mpi, "--dry-run --objective time", 7, "--inputs 120 --stages 5,20,5");
    assert_eq!(patterns(&summary), ["0,1,2"]);
    assert_eq!(summary.list("decisions")[0]["verdict"], "advised");
    assert_eq!(summary.count("/actions/sent"), 0);
}

#[each_mpi]
fn options_are_kept(mpi: Mpi) {
    let job = "--inputs 200 --stages 5,20,5";
    let (summary, _) = tuned(mpi, "--objective fixed", 7, job);
    assert_eq!(patterns(&summary), ["0,1,2"]);
    let (summary, _) = tuned(mpi, "--tunlet master_worker", 7, job);
    assert_eq!(patterns(&summary), ["0,1,2"]);
    let (summary, _) = tuned(mpi, "--technique farm --objective time", 5, job);
    assert!(patterns(&summary).iter().any(|pattern| pattern.contains("0-2x4")), "{:?}", patterns(&summary));
    let (summary, _) = tuned(mpi, "--objective time", 7, &format!("{job} --stateful 1"));
    assert!(patterns(&summary).iter().all(|pattern| replicas(pattern, 1) == 1), "{:?}", patterns(&summary));
    let (summary, _) = tuned(mpi, "--objective budget:4", 9, job);
    assert!(patterns(&summary).iter().all(|pattern| !pattern.contains("x3")), "{:?}", patterns(&summary));
}

#[each_mpi]
fn one_rank_alone_and_several_streams_are_tuned_without_harm(mpi: Mpi) {
    tuned(mpi, "", 1, "--inputs 30 --stages 1,1,1");
    tuned(mpi, "", 3, "--inputs 60 --stages 2,1,1,1,1,1 --runs 3");
}

#[each_mpi]
fn a_pipeline_that_runs_again_and_again_with_few_inputs_is_tuned(mpi: Mpi) {
    // Three outputs of a stream, the first of which belongs to no window.
    let (summary, ended) = tuned(mpi, "--no-memory", 9, "--inputs 3 --stages 2,10,2 --runs 60");
    let decision = &summary.list("decisions")[0];
    assert!(replicas(decision["to"].as_str().expect("a pattern"), 1) >= 3, "{decision}");
    let settled = |flag: bool| summary.list("window_settled").iter().filter(|settled| **settled == flag).count();
    assert!(settled(true) >= 2 && settled(true) + settled(false) == summary.list("period_s").len(), "{}", ended.err);
    assert!(ended.err.contains("an output came every"), "{}", ended.err);
}

/// Agent and analyzer of their own, a job of some seconds, and what is done to them.
fn faulty(mpi: Mpi, fault: impl Fn(&Scratch, Analyzer, Agent)) -> Ended {
    let scratch = Scratch::new();
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &[("OBJECTIVE", "time")]);
    let agent = Agent::start(&scratch, &analyzer.url);
    let mut job = command(&line(mpi, 8, "--inputs 400 --stages 5,20,5 --sigma-pct 30 --bytes 20000"));
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "fault");
    let job = Process::start(&scratch, "job", job);
    fault(&scratch, analyzer, agent);
    let ended = job.succeed();
    assert!(ended.out.contains(GOOD), "{}", ended.out);
    ended
}

#[each_mpi]
fn an_analyzer_killed_as_it_decides_leaves_the_change_whole_or_undone(mpi: Mpi) {
    faulty(mpi, |_, analyzer, _agent| {
        wait_until("something is decided", || analyzer.process.err().contains("decided to change"));
        analyzer.process.signal(libc::SIGKILL);
    });
}

#[each_mpi]
fn an_agent_killed_as_a_change_is_on_its_way_leaves_it_whole_or_undone(mpi: Mpi) {
    faulty(mpi, |_, analyzer, agent| {
        wait_until("something is decided", || analyzer.process.err().contains("decided to change"));
        agent.process.signal(libc::SIGKILL);
    });
}

#[each_mpi]
fn an_analyzer_that_takes_the_place_of_a_killed_one_learns_the_stream_and_goes_on(mpi: Mpi) {
    let ended = faulty(mpi, |scratch, analyzer, _agent| {
        wait_until("the stream is known", || analyzer.process.err().contains("a pipeline of 3 stages"));
        analyzer.process.signal(libc::SIGKILL);
        let address = analyzer.url.trim_start_matches("http://").to_owned();
        drop(analyzer);
        let second = Analyzer::with(scratch, "second", &address, &[("OBJECTIVE", "time")]);
        wait_until("the second changes the pattern", || second.process.err().contains("applied at input"));
    });
    assert!(!ended.out.contains("changes 0"), "{}", ended.out);
}

#[each_mpi]
fn ranks_move_to_the_team_of_a_stage_as_long_as_they_save_it_a_round(mpi: Mpi) {
    let (summary, _) = tuned(mpi, "--objective time", 9, "--inputs 160 --stages 10,120,10 --team 1:12");
    let found = patterns(&summary);
    let last = found.last().expect("a pattern");
    // Six ranks take two rounds of 10 ms, five as long as four: three.
    assert!((4..=6).contains(&replicas(last, 1)) && replicas(last, 1) != 5, "{found:?}");
    let periods: Vec<f64> = summary.list("period_s").iter().filter_map(Value::as_f64).collect();
    let mut later = periods[periods.len() / 2..].to_vec();
    later.sort_by(f64::total_cmp);
    assert!(later[later.len() / 2] < 0.6 * periods[0], "{periods:?}");
    assert_eq!(summary.list("stages")[1]["replicas"].as_u64(), Some(replicas(last, 1).into()), "{}", summary.0);
    assert!(summary.count("/iterations") > 0, "the tasks of the team have windows of their own");
}
