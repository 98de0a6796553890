//! Stories of the core: decisions and actions.

use super::*;
use crate::events;

#[test]
fn a_decision_is_sent_once_applied_and_kept() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let texts: Vec<Action> = story.actions();
    let [action] = &texts[..] else { panic!("one action: {texts:?}") };
    assert_eq!(action.id, ActionId(1001));
    assert_eq!(action.assignments, [(names::TECHNIQUE.to_owned(), 6.0.into())]);
    story.iteration("j", 1);
    assert_eq!(story.actions(), [], "nothing else was sent while one is in flight");
    story.report("j", 0, vec![settled(action, ActionStatus::Applied, 1)]);
    let applied = json!({
        "event": "action-settled", "action": 1001, "decision": 0, "rank": 0, "applied": true, "iteration": 1,
        "latency_ms": 2.0, "latency_error_ms": null, "late": false,
    });
    assert_eq!(story.events(), [applied]);
    story.iteration("j", 2);
    let kept = json!({
        "event": "outcome", "decision": 0, "iteration": 2, "measured_s": 0.9, "predicted_s": 0.842, "verdict": "kept",
        "apart": null, "run_delays": null,
    });
    assert_eq!(story.events(), [kept]);
    let summary = story.summary("j");
    assert_eq!(summary["iterations"], 3);
    assert_eq!(summary["iteration_s"], json!([0.9, 0.9, 0.9]));
    assert_eq!(summary["ideal_s"], json!([0.8, 0.8, 0.8]));
    assert_eq!(summary["workers"], json!([2, 2, 2]));
    assert_eq!(summary["mpi"], "Open MPI 4.1.4");
    assert_eq!(summary["records"], json!({"produced": 30, "collected": 27, "dropped": 3}));
    assert_eq!(
        summary["actions"],
        json!({"sent": 1, "applied": 1, "refused": 0, "expired": 0, "undelivered": 0, "latency_ms": [2.0], "latency_error_ms": [null]})
    );
    assert_eq!(
        summary["decisions"],
        json!([{
            "master": null, "per": "iteration", "per_progress": false, "iteration": 0, "tunlet": "scripted", "tuning_point": "technique", "from": "dpf(0.5)", "to": "daf",
            "why": "sigma is 80 % of mu", "predicted_s": 0.842, "uncertainty": 0.05, "unchanged_s": 0.871, "measured_s": 0.9,
            "verdict": "kept", "applied_iteration": 1, "reason": null,
        }])
    );
}

#[test]
fn a_latency_over_hosts_carries_the_error_of_their_clocks_and_the_summary_has_the_clocks() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    // The host's clock is ahead by more than an hour.
    let ahead_ns = 4_000_000 * MS;
    let Event::ActionSettled(mut result) = settled(&action, ActionStatus::Applied, 1) else { panic!("a result") };
    result.time_ns += ahead_ns;
    let clock = events::HostClock {
        offset_ns: -(ahead_ns as i64),
        error_ns: Some(MS / 4),
        drift_ppb: 12_500,
        drift_error_ppb: 2_000,
    };
    story.sequence += 1;
    let reports = vec![report("j", 0, vec![Event::ActionSettled(result)])];
    let batch = Batch { sequence: story.sequence, reports, node: "n1".into(), clock, ..Batch::default() };
    story.step(Input::BatchReceived { link: LINK, batch });
    let summary = story.summary("j");
    assert_eq!(summary["actions"]["latency_ms"], json!([2.0]));
    assert_eq!(summary["actions"]["latency_error_ms"], json!([0.25]));
    let known = json!([{
        "node": "n1", "offset_s": -4000.0, "error_s": 0.00025, "drift_ppm": 12.5, "drift_error_ppm": 2.0,
    }]);
    assert_eq!(summary["clocks"], known);
}

#[test]
fn windows_that_make_no_sense_are_counted_said_once_and_lead_to_nothing() {
    let mut story = Story::begin(Config::default());
    for n in 0..3 {
        story.report("j", 0, vec![begun(n)]);
        let Event::Worked(mut work) = worked(n, 100) else { panic!("work") };
        match n {
            0 => work.busy_s = 0.0,
            1 => work.sum_sq_s2 = 1e300,
            _ => (work.busy_s, work.sum_sq_s2) = (1e12, 1e24),
        }
        story.report("j", 1, vec![Event::Worked(work)]);
        story.report("j", 0, vec![ended(n)]);
    }
    let out = std::mem::take(&mut story.out);
    assert!(!out.iter().any(|output| matches!(output, Output::Act { .. })), "no action");
    story.out = out;
    let refused = json!({"event": "window-refused", "per": "iteration", "iteration": 0, "what": "the task times"});
    assert_eq!(story.events(), [refused]);
    let summary = story.summary("j");
    assert_eq!((&summary["events_dropped"], &summary["iterations"]), (&json!(3), &json!(0)));
    story.iteration("j", 3);
    assert_eq!(story.actions().len(), 1, "the next sound one is looked at");
}

#[test]
fn the_summary_shows_what_messages_cost_and_from_how_many_trips() {
    let mut story = Story::begin(Config::default());
    let link = |same_host| events::Link { same_host, measured: midrun_tunlets::LinkCost::default() };
    story.report("j", 0, vec![Event::LinkMeasured(link(true)), Event::LinkMeasured(link(false))]);
    let trip = |trip_s| Event::TripMeasured(events::Trip { same_host: false, bytes: 100.0, trip_s });
    story.report("j", 0, (0..20).map(|_| trip(2e-3)).collect());
    let links = story.summary("j")["links"].clone();
    assert_eq!(
        (&links[0]["same_host"], &links[0]["trips"], &links[1]["trips"]),
        (&json!(false), &json!(20), &json!(0))
    );
    assert!((links[0]["start_up_s"].as_f64().unwrap() - 1e-3).abs() < 1e-4, "{links}");
    assert_eq!(links[0]["eager_bytes"], json!(null));
}

#[test]
fn a_decision_is_told_with_its_why() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let decided = json!({
        "event": "decision", "decision": 0, "per": "iteration", "per_progress": false, "iteration": 0, "tunlet": "scripted", "rank": 0,
        "tuning_point": "technique", "from": "dpf(0.5)", "to": "daf", "why": "sigma is 80 % of mu",
        "predicted_s": 0.842, "uncertainty": 0.05, "unchanged_s": 0.871, "gain": null, "trial": false, "at_once": true, "dry_run": false,
        "assignments": [["mw.technique", 6.0]],
    });
    assert_eq!(story.events(), [decided]);
}

#[test]
fn the_journal_has_the_decision_and_the_action_before_it_is_sent() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let sent = story.out.iter().position(|output| matches!(output, Output::Act { .. })).unwrap();
    let events: Vec<String> = story.out[..sent]
        .iter()
        .filter_map(|output| if let Output::Journal(line) = output { Some(line["event"].to_string()) } else { None })
        .collect();
    assert!(events.ends_with(&["\"window\"".into(), "\"decision\"".into(), "\"action\"".into()]), "{events:?}");
}

#[test]
fn a_refused_action_leaves_the_old_value_and_is_counted() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    story.report("j", 0, vec![settled(&action, ActionStatus::RefusedRange, 1)]);
    let summary = story.summary("j");
    assert_eq!(summary["actions"]["refused"], 1);
    assert_eq!(summary["decisions"][0]["verdict"], "not-applied");
    assert_eq!(summary["technique"], "dpf(0.5)");
}

#[test]
fn an_action_without_an_answer_expires_and_a_late_answer_still_counts() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    story.pass(9_000);
    assert_eq!(story.summary("j")["actions"]["expired"], 0);
    story.pass(4_000);
    let summary = story.summary("j");
    assert_eq!(summary["actions"]["expired"], 1);
    assert_eq!(summary["decisions"][0]["verdict"], "not-applied");
    story.report("j", 0, vec![settled(&action, ActionStatus::Applied, 1)]);
    let summary = story.summary("j");
    assert_eq!((&summary["actions"]["expired"], &summary["actions"]["applied"]), (&json!(0), &json!(1)));
    assert_eq!(summary["decisions"][0]["applied_iteration"], 1);
}

#[test]
fn an_agent_that_comes_back_sends_the_same_batches_and_nothing_counts_twice() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let before = story.summary("j");
    let action = Action { ..story_action(&mut story) };
    story.step(Input::AgentDisconnected { link: LINK, goodbye: false });
    assert_eq!(story.events(), [json!({"event": "agent-lost", "node": "n1"})]);
    let again = LinkId(2);
    story.hello(again, "n1-77", "j");
    let welcomed = |output: &Output| matches!(output, Output::Welcome { last_sequence: 5, .. });
    assert!(story.out.iter().any(welcomed), "{:?}", story.out);
    assert_eq!(story.actions(), [action], "what was on its way goes again");
    for sequence in 2..=5 {
        story.batch(again, sequence, vec![report("j", 1, vec![worked(0, 60), ended(0)])], Vec::new());
        assert!(matches!(story.out[..], [Output::Acknowledge { .. }]), "{:?}", story.out);
        story.out.clear();
    }
    let after = story.summary("j");
    assert_eq!(before["iteration_s"], after["iteration_s"]);
    assert_eq!(before["ideal_s"], after["ideal_s"]);
}

#[test]
fn a_dry_run_advises_and_sends_nothing() {
    let mut story = Story::new(Config::default());
    assert_eq!(story.open("j", "", true), Some(Answer::Opened));
    story.hello(LINK, "n1-77", "j");
    story.report("j", 0, vec![technique_tuning_point()]);
    story.iteration("j", 0);
    story.iteration("j", 1);
    assert_eq!(story.actions(), []);
    let summary = story.summary("j");
    assert_eq!(summary["decisions"][0]["verdict"], "advised");
    assert_eq!(summary["decisions"].as_array().unwrap().len(), 1, "the same advice is given once");
    assert_eq!(summary["actions"]["sent"], 0);
}

#[test]
fn an_action_to_a_rank_that_has_ended_was_not_delivered() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    story.leave("j", action.rank, true);
    let actions = &story.summary("j")["actions"];
    assert_eq!((&actions["undelivered"], &actions["expired"], &actions["refused"]), (&json!(1), &json!(0), &json!(0)));
    assert_eq!(story.summary("j")["decisions"][0]["reason"], ActionStatus::Undeliverable.as_str());
    // Its answer was on the way through another agent.
    story.report("j", action.rank, vec![settled(&action, ActionStatus::Applied, 1)]);
    let actions = &story.summary("j")["actions"];
    assert_eq!((&actions["undelivered"], &actions["applied"]), (&json!(0), &json!(1)));
}
