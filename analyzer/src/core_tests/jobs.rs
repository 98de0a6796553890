//! Stories of the core: jobs, agents, tokens and limits.

use super::*;
use crate::control::Control;
use midrun_proto::PROTOCOL_VERSION;

#[test]
fn two_jobs_do_not_mix() {
    let mut story = Story::begin(Config::default());
    let rank = |rank| Joined { mpi: "MPICH 4.0".into(), ..joined("k", rank, 3) };
    story.sequence += 1;
    let batch = Batch { sequence: story.sequence, joined: (0..3).map(rank).collect(), ..Batch::default() };
    story.step(Input::BatchReceived { link: LINK, batch });
    story.report("j", 0, vec![begun(0)]);
    story.report("k", 0, vec![begun(0)]);
    story.report("j", 1, vec![worked(0, 100)]);
    story.report("j", 0, vec![ended(0)]);
    story.report("k", 0, vec![ended(0)]);
    let (j, k) = (story.summary("j"), story.summary("k"));
    assert_eq!((&j["iterations"], &k["iterations"]), (&json!(1), &json!(0)));
    story.report("k", 2, vec![worked(0, 100)]);
    assert_eq!(story.summary("k")["iterations"], 1);
    assert_eq!(story.summary("k")["mpi"], "MPICH 4.0");
    assert_eq!(j["actions"]["sent"], 1);
    assert_eq!(story.summary("k")["actions"]["sent"], 0, "k declared no tuning point");
}

#[test]
fn an_analyzer_started_in_the_middle_skips_what_it_saw_half() {
    let mut story = Story::new(Config::default());
    story.hello(LINK, "n1-77", "j");
    story.sequence = 41;
    story.report("j", 0, vec![technique_tuning_point()]);
    story.report("j", 1, vec![worked(7, 30)]);
    story.report("j", 0, vec![ended(7)]);
    story.pass(300);
    story.iteration("j", 8);
    let summary = story.summary("j");
    assert_eq!((&summary["iterations"], &summary["skipped_iterations"]), (&json!(1), &json!(1)));
    assert_eq!(story.core.stats().batches_missing, 0);
    assert_eq!(summary["actions"]["sent"], 1, "it tunes on");
}

#[test]
fn a_rank_that_dies_takes_its_action_with_it_and_is_listed() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    story.leave("j", 0, false);
    let summary = story.summary("j");
    assert_eq!(summary["lost_ranks"], json!([0]));
    assert_eq!(summary["decisions"][0]["verdict"], "not-applied");
    story.iteration("j", 1);
    assert_eq!(story.actions(), []);
}

#[test]
fn an_iteration_in_which_workers_died_is_listed_and_no_tunlet_sees_it() {
    let mut story = Story::begin(Config::default());
    let lost = WorkersLost { iteration: 0, time_ns: 500 * MS, workers: 1, redone_tasks: 12, left: 1, rank: None };
    story.report("j", 0, vec![begun(0), Event::WorkersLost(lost)]);
    story.report("j", 1, vec![worked(0, 100)]);
    story.report("j", 0, vec![ended(0)]);
    let summary = story.summary("j");
    let counts = ["iterations", "lost_workers", "redone_tasks"].map(|key| summary[key].clone());
    assert_eq!((counts, &summary["actions"]["sent"]), ([1, 1, 12].map(|n| json!(n)), &json!(0)));
    story.iteration("j", 1);
    assert_eq!(story.summary("j")["actions"]["sent"], 1, "it tunes on");
}

#[test]
fn a_host_is_lost_when_its_ranks_died_and_its_agent_is_gone_and_the_end_of_all_others_is_told() {
    let (first, second) = (LinkId(21), LinkId(22));
    let hello = |node: &str, ranks: std::ops::Range<u32>| Hello {
        protocol: PROTOCOL_VERSION,
        node: node.into(),
        agent: AgentId(format!("{node}-1").into()),
        ranks: ranks.map(|rank| joined("j", rank, 4)).collect(),
        ..Hello::default()
    };
    let dead = |rank| {
        let lost =
            WorkersLost { iteration: 0, time_ns: 500 * MS, workers: 1, redone_tasks: 1, left: 1, rank: Some(rank) };
        vec![report("j", 0, vec![Event::WorkersLost(lost)])]
    };
    let left = |rank| Left { job: job("j"), rank, finalized: true, unattended: false };
    // The end of the connection is noticed before the deaths, between them, or after them.
    for gone in 0..3 {
        let mut story = Story::new(Config::default());
        story.step(Input::AgentConnected { link: first, hello: hello("h1", 0..2) });
        story.step(Input::AgentConnected { link: second, hello: hello("h2", 2..4) });
        for step in 0..3 {
            let texts = story.texts();
            assert!(texts.iter().all(|text| !text.contains("is lost:")), "{gone} {step}: {texts:?}");
            match step {
                _ if step == gone => story.step(Input::AgentDisconnected { link: second, goodbye: false }),
                0 => story.batch(first, 1, dead(2), Vec::new()),
                1 if gone == 0 => story.batch(first, 1, dead(2), Vec::new()),
                _ => story.batch(first, 2, dead(3), Vec::new()),
            }
        }
        assert_eq!(story.texts().iter().filter(|text| text.contains("the host h2 is lost:")).count(), 1, "{gone}");
        story.batch(first, 3, Vec::new(), vec![left(0)]);
        let reported =
            |story: &mut Story| story.events().iter().filter(|event| event["event"] == "survivors-ended").count();
        assert_eq!(reported(&mut story), 0, "{gone}");
        story.batch(first, 4, Vec::new(), vec![left(1)]);
        assert_eq!(reported(&mut story), 1, "{gone}");
        assert_eq!(story.summary("j")["lost_ranks"], json!([2, 3]), "{gone}");
    }
    // A rank of an agent that is connected: the agent says itself that the rank is gone.
    let mut story = Story::new(Config::default());
    story.step(Input::AgentConnected { link: first, hello: hello("h1", 0..4) });
    story.batch(first, 1, dead(2), Vec::new());
    assert_eq!(story.summary("j")["lost_ranks"], json!([]));
}

#[test]
fn closing_waits_for_the_last_ranks_and_answers_with_everything() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let close = |story: &mut Story| story.ask(Question::CloseJob { job: job("j"), token: String::new() });
    assert_eq!(close(&mut story), None);
    story.iteration("j", 1);
    for rank in 0..3 {
        assert_eq!(story.answer(), None);
        story.leave("j", rank, true);
    }
    assert!(story.out.iter().any(|output| matches!(output, Output::EndWatches { .. })));
    let Some(Answer::Summary(json)) = story.answer() else { panic!("a summary") };
    assert!(json.contains("\"iterations\":2"), "{json}");
    assert_eq!(close(&mut story), Some(Answer::Summary(json)), "and again, when it is over");
}

#[test]
fn closing_a_job_whose_agent_is_gone_waits_no_longer_than_configured() {
    let mut story = Story::begin(Config::default());
    assert_eq!(story.ask(Question::CloseJob { job: job("j"), token: String::new() }), None);
    story.pass(1_900);
    assert_eq!(story.answer(), None);
    story.pass(200);
    assert!(matches!(story.answer(), Some(Answer::Summary(_))));
}

#[test]
fn a_late_watcher_receives_what_it_missed_also_after_the_end() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let watch = || Question::Watch { job: job("j"), token: String::new() };
    let Some(Answer::Watching { past, ended, .. }) = story.ask(watch()) else { panic!() };
    assert!(past.len() == 1 && !ended);
    story.step(Input::Stopped);
    let Some(Answer::Watching { past, ended, .. }) = story.ask(watch()) else { panic!() };
    assert!(past.last().unwrap().text.starts_with("job j ended: 1 iteration on 3 ranks") && ended, "{past:?}");
}

#[test]
fn a_wrong_token_or_protocol_is_refused_with_a_sentence() {
    let refusal = |story: &mut Story| match story.out.pop() {
        Some(Output::Refuse { why, .. }) => why,
        other => panic!("not refused: {other:?}"),
    };
    let mut story = Story::new(Config::default());
    story.open("j", "sesame", false);
    story.hello_with(LINK, "a", "j", "simsim", PROTOCOL_VERSION);
    assert_eq!(
        refusal(&mut story),
        "the agent's token is not the one of job j: give the agent the right MIDRUN_JOB_TOKEN"
    );
    story.hello_with(LINK, "a", "j", "sesame", PROTOCOL_VERSION + 1);
    assert!(refusal(&mut story).contains(&format!("speaks protocol {}", PROTOCOL_VERSION + 1)));
    story.hello_with(LINK, "a", "j", "sesame", PROTOCOL_VERSION);
    assert!(matches!(story.out[1], Output::Welcome { .. }));
    assert_eq!(story.core.stats().links_refused, 2);
}

#[test]
fn who_has_the_analyzers_token_alone_steers_no_job_that_has_its_own() {
    let mut story = Story::new(Config { token: "site".into(), ..Config::default() });
    story.open("j", "mine", false);
    story.hello_with(LINK, "n1-77", "j", "mine", PROTOCOL_VERSION);
    for token in ["site", "yours", ""] {
        let control = Control::Freeze;
        let question = Question::Control { job: job("j"), token: token.into(), control };
        assert!(matches!(story.ask(question), Some(Answer::Denied(_))), "{token}");
        let close = Question::CloseJob { job: job("j"), token: token.into() };
        assert!(matches!(story.ask(close), Some(Answer::Denied(_))), "{token}");
    }
    let question = Question::Control { job: job("j"), token: "mine".into(), control: Control::Freeze };
    assert!(matches!(story.ask(question), Some(Answer::Controlled(_))));
}

#[test]
fn a_job_opened_with_a_token_is_open_to_that_token_only() {
    let mut story = Story::new(Config::default());
    assert_eq!(story.open("j", "mine", false), Some(Answer::Opened));
    story.hello_with(LINK, "a", "j", "yours", PROTOCOL_VERSION);
    assert!(story.out.iter().any(|output| matches!(output, Output::Refuse { .. })));
    // An agent that hides the job in its Hello gets no further.
    story.hello_with(LINK, "a", "other", "yours", PROTOCOL_VERSION);
    story.report("j", 0, vec![begun(0)]);
    assert_eq!(story.core.stats().events_foreign, 1);
    let summary = Question::GetSummary { job: job("j"), token: "yours".into() };
    assert!(matches!(story.ask(summary), Some(Answer::Denied(_))));
    let list = Question::ListJobs { token: "yours".into() };
    let Some(Answer::Jobs(jobs)) = story.ask(list) else { panic!() };
    assert_eq!(jobs.iter().map(|line| line.job.as_str()).collect::<Vec<_>>(), ["other"]);
}

#[test]
fn who_takes_the_name_of_another_jobs_agent_gets_neither_its_link_nor_its_actions() {
    let mut story = Story::new(Config::default());
    story.open("j", "mine", false);
    story.hello_with(LINK, "n1-77", "j", "mine", PROTOCOL_VERSION);
    let thief = LinkId(2);
    story.out.clear();
    story.hello_with(thief, "n1-77", "other", "yours", PROTOCOL_VERSION);
    assert!(matches!(&story.out[..], [Output::Refuse { link, .. }] if *link == thief), "{:?}", story.out);
    story.batch(thief, u64::MAX, Vec::new(), Vec::new());
    story.report("j", 0, vec![technique_tuning_point()]);
    story.iteration("j", 0);
    let links: Vec<LinkId> = story
        .out
        .iter()
        .filter_map(|output| match output {
            Output::Act { link, .. } => Some(*link),
            _ => None,
        })
        .collect();
    assert_eq!(links, [LINK], "its own batches are taken, and its actions go to it");
    // Nor when the agent is away.
    story.step(Input::AgentDisconnected { link: LINK, goodbye: false });
    story.out.clear();
    story.hello_with(thief, "n1-77", "other", "yours", PROTOCOL_VERSION);
    assert!(matches!(&story.out[..], [Output::Refuse { .. }]), "{:?}", story.out);
}

#[test]
fn an_unknown_tunlet_is_answered_with_what_is_allowed() {
    let mut story = Story::new(Config::default());
    let options = TuningOptions { tunlet: "nobody".into(), ..TuningOptions::default() };
    let question = Question::OpenJob { job: job("j"), token: String::new(), options, dry_run: false };
    let expected = Answer::Invalid("tunlet = nobody: allowed is scripted".into());
    assert_eq!(story.ask(question), Some(expected));
}

#[test]
fn endless_jobs_fill_the_limit_and_no_more() {
    let mut story = Story::new(Config::default());
    for n in 0..limits::JOBS + 10 {
        story.open(&format!("j{n}"), "", false);
    }
    assert_eq!(story.core.jobs.len(), limits::JOBS);
    assert_eq!(story.core.stats().calls_refused, 10);
    story.hello(LINK, "a", "late");
    assert_eq!(story.core.stats().events_unplaced, 3);
}

#[test]
fn a_tunlet_that_panics_leaves_its_job_untuned_and_the_others_alone() {
    let mut story = Story::begin(Config::default());
    let fatal = Begun {
        iteration: 0,
        time_ns: 0,
        tasks: 666,
        workers: 2,
        technique: 5,
        factor: 0.5,
        task_bytes: 0,
        result_bytes: 0,
        framework: false,
    };
    story.report("j", 0, vec![Event::IterationBegun(fatal), ended(0)]);
    story.report("j", 1, vec![worked(0, 100)]);
    let texts = story.texts();
    assert!(texts[0].starts_with("tuning is off"), "{texts:?}");
    story.iteration("j", 1);
    assert_eq!(story.summary("j")["iterations"], 2);
}

#[test]
fn a_job_nobody_opened_ends_by_itself_and_may_come_again() {
    let mut story = Story::begin(Config::default());
    (0..3).for_each(|rank| story.leave("j", rank, true));
    story.pass(limits::LEFT_IDLE_MS + 1);
    assert!(story.texts().last().unwrap().starts_with("job j ended"));
    story.hello(LinkId(2), "n1-78", "j");
    assert_eq!(story.core.jobs.len(), 1);
}

#[test]
fn a_job_that_comes_again_gets_actions_that_its_ranks_do_not_take_for_old_ones() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let before = story.actions().remove(0);
    (0..3).for_each(|rank| story.leave("j", rank, true));
    story.pass(limits::LEFT_IDLE_MS + 1);
    story.sequence = 0;
    story.hello(LINK, "n1-78", "j");
    story.report("j", 0, vec![technique_tuning_point()]);
    story.iteration("j", 0);
    assert!(story.actions().remove(0).id > before.id);
}

#[test]
fn an_analyzer_that_comes_in_place_of_another_learns_what_is_requested_of_the_job() {
    let mut story = Story::new(Config::default());
    story.hello(LINK, "n1-77", "j"); // the agent is faster than who opened the job at the analyzer before
    story.iteration("j", 7);
    assert_eq!(story.open("j", "mine", true), Some(Answer::Opened));
    story.report("j", 0, vec![technique_tuning_point()]);
    story.iteration("j", 8);
    assert_eq!(story.actions(), [], "it is a dry run");
    assert!(matches!(story.open("j", "mine", false), Some(Answer::Invalid(_))), "opened once");
}

#[test]
fn a_second_program_of_the_same_job_is_measured_too() {
    let mut story = Story::new(Config::default());
    story.open("j", "", false);
    story.hello(LINK, "n1-77", "j");
    story.iteration("j", 0);
    (0..3).for_each(|rank| story.leave("j", rank, true));
    let rank = |rank| joined("j", rank, 3);
    story.sequence += 1;
    let batch = Batch { sequence: story.sequence, joined: (0..3).map(rank).collect(), ..Batch::default() };
    story.step(Input::BatchReceived { link: LINK, batch });
    let again = Begun {
        iteration: 0,
        time_ns: 5_000 * MS,
        tasks: 100,
        workers: 2,
        technique: 5,
        factor: 0.5,
        task_bytes: 0,
        result_bytes: 0,
        framework: false,
    };
    let over = Ended { iteration: 0, time_ns: 5_400 * MS, tasks: 100, chunks: 9, ..Ended::default() };
    story.report("j", 0, vec![Event::IterationBegun(again), Event::IterationEnded(over)]);
    story.report("j", 1, vec![worked(0, 100)]);
    let summary = story.summary("j");
    assert_eq!(summary["iteration_s"], json!([0.9, 0.4]));
    // Three ranks of the first program, two of the second have reported.
    assert_eq!(summary["records"]["produced"], 50);
}

#[test]
fn several_agents_serve_one_job_and_the_action_goes_to_the_masters() {
    let mut story = Story::begin(Config::default());
    let far = LinkId(2);
    let hello = Hello {
        protocol: midrun_proto::PROTOCOL_VERSION,
        node: "n2".into(),
        agent: AgentId("n2-5".into()),
        version: "0.1.0".into(),
        token: String::new(),
        ranks: vec![joined("j", 3, 4)],
        ..Hello::default()
    };
    story.step(Input::AgentConnected { link: far, hello });
    story.report("j", 0, vec![begun(0), ended(0)]);
    story.report("j", 1, vec![worked(0, 60)]);
    assert_eq!(story.actions(), []);
    let batch = Batch { sequence: 1, reports: vec![report("j", 3, vec![worked(0, 40)])], ..Batch::default() };
    story.step(Input::BatchReceived { link: far, batch });
    let sent = |output: &Output| matches!(output, Output::Act { link: LINK, action } if action.rank == 0);
    assert_eq!(story.out.iter().filter(|output| sent(output)).count(), 1);
    let summary = story.summary("j");
    assert_eq!((&summary["nodes"], &summary["ranks"]), (&json!(["n1", "n2"]), &json!(4)));
}

/// An agent on `node` comes with rank `rank` of job j, of this launch.
fn comes(story: &mut Story, link: LinkId, node: &str, rank: u32, launch: &str) {
    let joins = Joined { launch: launch.into(), ..joined("j", rank, 3) };
    let hello = Hello {
        protocol: PROTOCOL_VERSION,
        node: node.into(),
        agent: AgentId(format!("{node}-1").into()),
        version: "0.1.0".into(),
        ranks: vec![joins],
        ..Hello::default()
    };
    story.step(Input::AgentConnected { link, hello });
}

#[test]
fn ranks_of_a_second_launch_and_a_second_rank_of_one_number_are_left_alone() {
    let (first, second) = (LinkId(21), LinkId(22));
    for (rank, launch) in [(1, "pmix:8"), (0, "pmix:7"), (0, "")] {
        let mut story = Story::new(Config::default());
        comes(&mut story, first, "h1", 0, "pmix:7");
        comes(&mut story, second, "h2", rank, launch);
        let said = story.texts().iter().filter(|text| text.contains("it is left alone")).count();
        assert_eq!((&story.summary("j")["ranks"], said), (&json!(1), 1), "{rank} {launch}");
        // What it says counts for nothing; nor does its end.
        story.batch(
            second,
            1,
            vec![report("j", rank, Vec::new())],
            vec![Left { job: job("j"), rank, finalized: false, unattended: false }],
        );
        assert_eq!(
            (&story.summary("j")["ranks"], &story.summary("j")["lost_ranks"]),
            (&json!(1), &json!([])),
            "{rank} {launch}"
        );
        // The next program of the job, once the first one has ended.
        story.batch(first, 1, Vec::new(), vec![Left { job: job("j"), rank: 0, finalized: true, unattended: false }]);
        comes(&mut story, LinkId(23), "h3", 2, "pmix:9");
        assert_eq!(story.summary("j")["ranks"], 2, "{rank} {launch}");
    }
}

#[test]
fn ranks_whose_agent_died_are_handed_over_and_end_when_their_process_has() {
    let process = |rank| Process { pid: 70 + rank, start_ns: 5 };
    let hello = |agent: &str, node: &str, ranks: std::ops::Range<u32>| Hello {
        protocol: PROTOCOL_VERSION,
        node: node.into(),
        agent: AgentId(agent.into()),
        ranks: ranks.map(|rank| Joined { process: Some(process(rank)), ..joined("j", rank, 4) }).collect(),
        ..Hello::default()
    };
    let handed = |story: &mut Story| {
        let out = std::mem::take(&mut story.out);
        let handed = out.into_iter().filter_map(|output| match output {
            Output::HandOver { link, ranks } => Some((link, ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>())),
            _ => None,
        });
        handed.collect::<Vec<_>>()
    };
    let (first, other, second) = (LinkId(21), LinkId(22), LinkId(23));
    let lose = || Input::AgentDisconnected { link: first, goodbye: false };
    let come = || Input::AgentConnected { link: second, hello: hello("h1-2", "h1", 0..1) };
    // The end of the first agent is noticed before the second one comes, or after.
    for inputs in [[lose(), come()], [come(), lose()]] {
        let mut story = Story::new(Config::default());
        story.step(Input::AgentConnected { link: first, hello: hello("h1-1", "h1", 0..3) });
        story.step(Input::AgentConnected { link: other, hello: hello("h2-1", "h2", 3..4) });
        assert_eq!(handed(&mut story), []);
        inputs.into_iter().for_each(|input| story.step(input));
        assert_eq!(handed(&mut story), [(second, vec![1, 2])]);
        let left = |rank| Left { job: job("j"), rank, finalized: false, unattended: true };
        // Rank 0 has another agent meanwhile: nobody else can say that it has ended.
        story.batch(second, 1, Vec::new(), vec![left(0), left(1)]);
        let said = story.texts().iter().filter(|text| text.contains("ended while no agent attended it")).count();
        assert_eq!(said, 1);
        let Some(Answer::Status(status)) = story.ask(Question::GetStatus { job: job("j"), token: String::new() })
        else {
            panic!("no status")
        };
        let states: Vec<&str> =
            status["ranks"].as_array().unwrap().iter().map(|rank| rank["state"].as_str().unwrap()).collect();
        assert_eq!(states, ["running", "ended", "running", "running"]);
        assert_eq!(story.summary("j")["lost_ranks"], json!([]));
    }
}

#[test]
fn ranks_whose_agent_died_are_handed_to_an_agent_of_their_job_though_one_of_another_job_was_heard_since() {
    let hello = |agent: &str, id: &str, ranks: std::ops::Range<u32>| Hello {
        protocol: PROTOCOL_VERSION,
        node: "h".into(),
        agent: AgentId(agent.into()),
        token: id.into(),
        ranks: ranks
            .map(|rank| Joined { process: Some(Process { pid: 7, start_ns: rank.into() }), ..joined(id, rank, 2) })
            .collect(),
        ..Hello::default()
    };
    let mut story = Story::new(Config::default());
    let (first, other, second) = (LinkId(21), LinkId(22), LinkId(23));
    story.step(Input::AgentConnected { link: first, hello: hello("h-1", "j", 0..2) });
    story.step(Input::AgentConnected { link: second, hello: hello("h-2", "j", 0..1) });
    story.step(Input::AgentConnected { link: other, hello: hello("h-3", "other", 0..2) });
    story.out.clear();
    story.step(Input::AgentDisconnected { link: first, goodbye: false });
    let handed = story.out.iter().find_map(|output| match output {
        Output::HandOver { link, ranks } => Some((*link, ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>())),
        _ => None,
    });
    assert_eq!(handed, Some((second, vec![1])));
}

#[test]
fn ranks_that_an_agent_does_not_have_any_more_though_its_word_of_it_was_lost_are_looked_for() {
    let hello = |ranks: std::ops::Range<u32>| Hello {
        protocol: PROTOCOL_VERSION,
        node: "h".into(),
        agent: AgentId("a".into()),
        ranks: ranks
            .map(|rank| Joined { process: Some(Process { pid: 7, start_ns: rank.into() }), ..joined("j", rank, 2) })
            .collect(),
        ..Hello::default()
    };
    let mut story = Story::new(Config::default());
    story.step(Input::AgentConnected { link: LinkId(21), hello: hello(0..2) });
    story.step(Input::Restarted { last_action: 0 });
    story.step(Input::AgentConnected { link: LinkId(22), hello: hello(0..1) });
    let asked = |output: &Output| match output {
        Output::HandOver { link, ranks } => Some((*link, ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>())),
        _ => None,
    };
    assert_eq!(story.out.iter().filter_map(asked).collect::<Vec<_>>(), [(LinkId(22), vec![1])]);
    let left = Left { job: job("j"), rank: 1, finalized: false, unattended: true };
    story.batch(LinkId(22), 1, Vec::new(), vec![left]);
    assert!(story.texts().iter().any(|text| text.contains("rank 1 ended")), "{:?}", story.texts());
}

#[test]
fn a_job_whose_running_ranks_have_no_agent_any_more_ends_though_other_agents_are_linked() {
    let mut story = Story::new(Config::default());
    comes(&mut story, LinkId(21), "h1", 0, "pmix:7");
    comes(&mut story, LinkId(22), "h2", 1, "pmix:7");
    story.batch(LinkId(21), 1, Vec::new(), vec![Left { job: job("j"), rank: 0, finalized: true, unattended: false }]);
    story.step(Input::AgentDisconnected { link: LinkId(22), goodbye: false });
    let lines = |story: &mut Story| match story.ask(Question::ListJobs { token: String::new() }) {
        Some(Answer::Jobs(lines)) => lines.iter().map(|line| line.ended).collect::<Vec<_>>(),
        other => panic!("no jobs: {other:?}"),
    };
    story.pass(limits::SILENT_MS - 1_000);
    assert_eq!(lines(&mut story), [false]);
    story.pass(2_000);
    assert_eq!(lines(&mut story), [true]);
}

#[test]
fn an_agents_answer_for_a_rank_that_had_left_at_another_analyzer_brings_no_rank() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    let mut next = Story::new(Config::default());
    next.hello(LINK, "n1-77", "j");
    let ranks = |story: &mut Story| story.status()["ranks"].as_array().map(Vec::len);
    let before = ranks(&mut next);
    let answer = vec![settled(&action, ActionStatus::Undeliverable, 0)];
    next.sequence += 1;
    let answered = Report { records: Records::default(), ..report("j", 7, answer) };
    next.batch(LINK, next.sequence, vec![answered], Vec::new());
    assert_eq!((ranks(&mut next), before), (before, Some(3)));
    next.report("j", 7, Vec::new());
    assert_eq!(ranks(&mut next), Some(4), "one that has recorded something is new here");
}

#[test]
fn a_rank_that_another_agent_of_its_node_brings_is_the_same_rank() {
    let mut story = Story::new(Config::default());
    comes(&mut story, LinkId(21), "h1", 0, "pmix:7");
    comes(&mut story, LinkId(22), "h1", 0, "pmix:7");
    comes(&mut story, LinkId(23), "h2", 1, "pmix:7");
    assert_eq!(story.summary("j")["ranks"], 2);
}

#[test]
fn ranks_whose_end_nobody_told_are_counted() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    story.leave("j", 2, true);
    assert_eq!(story.summary("j")["unfollowed_ranks"], 2, "they run");
    story.leave("j", 1, false);
    story.leave("j", 0, true);
    let summary = story.summary("j");
    assert_eq!((&summary["unfollowed_ranks"], &summary["lost_ranks"]), (&0.into(), &serde_json::json!([1])));
}
