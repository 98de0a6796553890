//! Stories of the core: a person's hand on a running job.

use super::*;
use crate::actions::Phase;
use crate::control::{Control, ControlLine};

fn block(name: &str, value: f64) -> Event {
    Event::TuningPointDeclared(TuningPointDeclared {
        name: name.into(),
        whole: true,
        text: false,
        minimum: 8.0,
        maximum: 64.0,
        value,
        declared: value,
    })
}

fn pattern() -> Event {
    let (name, minimum, maximum, value) = ("pipe.pattern".into(), 0.0, 20.0, 0.0);
    Event::TuningPointDeclared(TuningPointDeclared {
        name,
        whole: false,
        text: true,
        minimum,
        maximum,
        value,
        declared: value,
    })
}

pub(super) fn set(point: &str, value: &str, rank: Option<u32>) -> Control {
    Control::Set { point: point.into(), value: value.into(), rank, synchronized: false, at_iteration: None }
}

pub(super) fn set_together(point: &str, value: &str) -> Control {
    Control::Set { point: point.into(), value: value.into(), rank: None, synchronized: true, at_iteration: None }
}

impl Story {
    /// Asks with number `ask`; the answer comes by itself, perhaps later.
    pub(super) fn control(&mut self, ask: u64, control: Control) {
        let question = Question::Control { job: job("j"), token: String::new(), control };
        self.step(Input::Asked { ask: AskId(ask), question });
    }

    /// The controls that were answered, with the numbers of their questions.
    fn controlled(&mut self) -> Vec<(u64, ControlLine)> {
        let mut lines = Vec::new();
        self.out.retain(|output| match output {
            Output::Answer { ask, answer: Answer::Controlled(line) } => {
                lines.push((ask.0, (**line).clone()));
                false
            }
            _ => true,
        });
        lines
    }

    /// The one answer there is, as (done, text).
    pub(super) fn answer_to(&mut self, control: Control) -> (bool, String) {
        self.control(1, control);
        let lines = self.controlled();
        let [(1, line)] = &lines[..] else { panic!("one answer: {lines:?}") };
        (line.done, line.text.clone())
    }

    pub(super) fn apply(&mut self, action: &Action, iteration: u64) {
        self.report("j", action.rank, vec![settled(action, ActionStatus::Applied, iteration)]);
    }

    pub(super) fn status(&mut self) -> serde_json::Value {
        match self.ask(Question::GetStatus { job: job("j"), token: String::new() }) {
            Some(Answer::Status(json)) => *json,
            other => panic!("no status: {other:?}"),
        }
    }
}

#[test]
fn a_point_set_by_hand_goes_the_same_road_and_is_answered_when_the_rank_has_it() {
    let mut story = Story::begin(Config::default());
    story.control(5, set("mw.technique", "gss", None));
    assert_eq!(story.controlled(), [], "not answered before the rank has answered");
    let actions = story.actions();
    let [action] = &actions[..] else { panic!("one action: {actions:?}") };
    assert_eq!((action.id, action.at_once), (ActionId(1001), true));
    assert_eq!(action.assignments, [("mw.technique".to_owned(), 3.0.into())]);
    story.apply(action, 0);
    let lines = story.controlled();
    let [(5, line)] = &lines[..] else { panic!("one answer: {lines:?}") };
    assert_eq!((line.done, line.changes[0].rank, line.changes[0].applied_iteration), (true, 0, Some(0)));
    let events = story.events();
    assert_eq!((&events[0]["event"], &events[0]["rank"]), (&json!("action-settled"), &json!(0)));
    assert_eq!((&events[1]["event"], &events[1]["done"], events.len()), (&json!("controlled"), &json!(true), 2));
    let summary = story.summary("j");
    assert_eq!(summary["controls"][0]["changes"][0]["applied_iteration"], 0);
    assert_eq!(summary["decisions"], json!([]));
    let point = story.status()["tuning_points"][0].clone();
    assert_eq!((&point["value"], &point["means"], &point["held"]), (&json!(3.0), &json!("gss"), &json!(true)));
    assert_eq!(point["turned"]["by"], "user");
    story.iteration("j", 0);
    assert_eq!(story.actions(), [], "tunlets leave it alone");
    assert_eq!(story.summary("j")["decisions"], json!([]));
    assert!(story.answer_to(Control::Resume).0);
    story.iteration("j", 1);
    assert_eq!(story.actions().len(), 1, "and go on after resume");
}

#[test]
fn what_cannot_be_set_is_refused_by_name_and_nothing_is_sent() {
    let mut story = Story::begin(Config::default());
    let unknown = story.answer_to(set("block", "16", None)).1;
    assert!(unknown.contains("block") && unknown.contains("mw.technique"), "{unknown}");
    story.report("j", 1, vec![block("block", 32.0)]);
    story.report("j", 2, vec![block("block", 32.0), pattern()]);
    // The answer names the point, the value, and what would be right.
    for (point, value, rank, right) in [
        ("block", "7", None, "8 to 64"),
        ("block", "8.5", Some(1), "whole numbers from 8 to 64"),
        ("block", "NaN", Some(1), "whole numbers from 8 to 64"),
        ("block", "many", Some(1), "whole numbers from 8 to 64"),
        ("block", "16", Some(0), "mw.technique"),
        ("block", "16", Some(9), "ranks 0-2"),
        ("mw.technique", "gsss", None, "whole numbers from 0 to 7 or their names, none ss fsc gss"),
        ("pipe.pattern", "0,1,2,3,4,5,6,7,8,9,10", None, "0 to 20"),
    ] {
        let (done, text) = story.answer_to(set(point, value, rank));
        assert!(!done && [point, value, right].iter().all(|part| text.contains(part)), "{text}");
    }
    story.leave("j", 1, true);
    story.leave("j", 2, false);
    let ended = |rank| set("block", "16", rank);
    assert!(story.answer_to(ended(Some(1))).1.contains("rank 1 has ended"));
    assert!(story.answer_to(ended(None)).1.contains("every rank"));
    assert_eq!(story.actions(), []);
    assert_eq!(story.summary("j")["controls"].as_array().unwrap().len(), 11);
}

#[test]
fn a_point_that_several_ranks_have_is_set_on_all_of_them_and_texts_are_set_too() {
    let mut story = Story::begin(Config::default());
    for rank in 0..3 {
        story.report("j", rank, vec![block("block", 32.0)]);
    }
    story.report("j", 0, vec![pattern()]);
    story.control(5, set("block", "16", None));
    let actions = story.actions();
    assert_eq!(
        actions.iter().map(|action| (action.rank, action.at_once)).collect::<Vec<_>>(),
        [(0, false), (1, false), (2, false)]
    );
    story.apply(&actions[0], 4);
    story.report("j", 1, vec![settled(&actions[1], ActionStatus::RefusedRange, 4)]);
    assert_eq!(story.controlled(), [], "the third has not answered");
    story.leave("j", 2, true);
    let lines = story.controlled();
    let (_, line) = &lines[0];
    assert!(!line.done);
    let outcomes: Vec<_> = line.changes.iter().map(|c| (c.rank, c.applied_iteration, c.refused.as_deref())).collect();
    let refused = |status: ActionStatus| Some(status.as_str());
    assert_eq!(
        outcomes,
        [
            (0, Some(4), None),
            (1, None, refused(ActionStatus::RefusedRange)),
            (2, None, refused(ActionStatus::Undeliverable)),
        ]
    );
    story.control(6, set("pipe.pattern", "0,1x2", None));
    let action = story.actions().remove(0);
    assert_eq!(action.assignments, [("pipe.pattern".to_owned(), midrun_tunlets::Value::Text("0,1x2".into()))]);
    story.apply(&action, 70);
    assert_eq!(story.controlled().len(), 1);
}

#[test]
fn controls_wait_for_the_action_in_flight_and_for_each_other() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let decided = story.actions().remove(0);
    story.control(5, set("mw.technique", "1", None));
    story.control(6, set("mw.technique", "2", None));
    story.control(7, Control::Freeze);
    assert_eq!((story.actions(), story.controlled()), (vec![], vec![]), "one at a time");
    story.iteration("j", 1);
    story.apply(&decided, 1);
    let first = story.actions().remove(0);
    assert_eq!(first.assignments[0].1, 1.0.into());
    story.apply(&first, 2);
    let second = story.actions().remove(0);
    assert_eq!(second.assignments[0].1, 2.0.into());
    story.apply(&second, 3);
    let answered: Vec<(u64, bool)> = story.controlled().iter().map(|(ask, line)| (*ask, line.done)).collect();
    assert_eq!(answered, [(6, true), (7, true)], "the first was looked at before");
    assert_eq!(story.status()["mode"], "frozen");
    assert_eq!(story.summary("j")["decisions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_frozen_job_decides_nothing_and_a_paused_one_has_its_values_back() {
    let mut story = Story::begin(Config::default());
    story.report("j", 1, vec![block("block", 32.0)]);
    story.iteration("j", 0);
    let decided = story.actions().remove(0);
    story.apply(&decided, 1);
    assert!(story.answer_to(Control::Freeze).0);
    for n in 1..4 {
        story.iteration("j", n);
    }
    assert_eq!(story.actions(), []);
    let summary = story.summary("j");
    assert_eq!((&summary["decisions"][0]["verdict"], &summary["technique"]), (&json!("open"), &json!("dpf(0.5)")));
    story.control(5, set("block", "8", None));
    let by_hand = story.actions().remove(0);
    story.apply(&by_hand, 4);
    story.out.clear();
    story.control(6, Control::Pause);
    let back = story.actions();
    let values: Vec<_> = back.iter().map(|action| (action.rank, action.assignments.clone())).collect();
    assert_eq!(values, [(1, vec![("block".to_owned(), 32.0.into())])], "the mark said that the technique is 5 again");
    story.apply(&back[0], 5);
    let lines = story.controlled();
    let paused = &lines[0].1;
    assert_eq!((paused.control, paused.done, paused.changes.len()), ("pause", true, 1));
    let status = story.status();
    assert_eq!((&status["mode"], &status["controls"].as_array().unwrap().len()), (&json!("paused"), &3));
    assert_eq!(status["tuning_points"][1]["turned"]["why"], "value at start: paused");
    assert!(story.answer_to(Control::Resume).0);
    story.iteration("j", 4);
    assert_eq!(story.actions().len(), 1, "a fresh look");
}

#[test]
fn more_values_than_an_action_has_room_for_come_back_in_two_and_a_text_by_itself() {
    let mut story = Story::begin(Config::default());
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    story.report("j", 0, names.iter().map(|name| block(name, 10.0)).collect());
    story.report("j", 0, vec![pattern()]);
    for value in ["0,1", "0,1x2"] {
        story.control(5, set("pipe.pattern", value, None));
        let action = story.actions().remove(0);
        story.apply(&action, 1);
    }
    for name in names {
        story.control(5, set(name, "20", None));
        let action = story.actions().remove(0);
        story.apply(&action, 1);
    }
    story.out.clear();
    story.control(6, Control::Pause);
    let mut sizes = Vec::new();
    while let [action] = &story.actions()[..] {
        sizes.push(action.assignments.len());
        story.apply(action, 2);
        if sizes.len() == 3 {
            break;
        }
    }
    assert_eq!(sizes, [1, 6, 1]);
    let lines = story.controlled();
    let applied = lines[0].1.changes.iter().filter(|change| change.applied_iteration.is_some()).count();
    assert_eq!((lines[0].1.control, lines[0].1.done, applied), ("pause", true, 8));
    let points = story.status()["tuning_points"].clone();
    let pattern = points.as_array().unwrap().iter().find(|point| point["name"] == "pipe.pattern").unwrap();
    assert_eq!(pattern["value"], "0,1");
}

#[test]
fn a_control_whose_job_ends_or_whose_action_expires_is_answered() {
    let mut story = Story::begin(Config::default());
    story.control(5, set("mw.technique", "1", None));
    story.pass(13_000);
    let lines = story.controlled();
    assert_eq!(lines[0].1.changes[0].refused.as_deref(), Some(ActionStatus::Expired.as_str()));
    story.control(6, set("mw.technique", "1", None));
    story.control(7, Control::Pause);
    story.step(Input::Stopped);
    let lines = story.controlled();
    let answers: Vec<_> = lines.iter().map(|(ask, line)| (*ask, line.control, line.done)).collect();
    assert_eq!(answers, [(6, "set", false), (7, "pause", false)]);
    assert!(lines.iter().all(|(_, line)| line.text.ends_with("the job has ended")), "{lines:?}");
    story.out.clear();
    story.control(8, Control::Freeze);
    assert!(matches!(story.answer(), Some(Answer::Unknown(why)) if why.contains("job j")));
}

#[test]
fn a_wrong_token_neither_looks_nor_touches_and_too_many_controls_are_turned_away() {
    let mut story = Story::new(Config::default());
    story.open("j", "secret", false);
    let status = Question::GetStatus { job: job("j"), token: "wrong".into() };
    let denied = |answer| matches!(answer, Some(Answer::Denied(_)));
    assert!(denied(story.ask(status)));
    let question = |token: &str| Question::Control { job: job("j"), token: token.into(), control: Control::Freeze };
    assert!(denied(story.ask(question("wrong"))));
    assert!(matches!(story.ask(question("secret")), Some(Answer::Controlled(line)) if line.done));
    let unknown = Question::GetStatus { job: job("k"), token: "secret".into() };
    assert!(matches!(story.ask(unknown), Some(Answer::Unknown(why)) if why.contains("job k")));

    let mut story = Story::begin(Config::default());
    story.control(5, set("mw.technique", "1", None));
    for ask in 0..limits::CONTROLS_PER_JOB as u64 {
        story.control(100 + ask, Control::Freeze);
    }
    assert_eq!(story.answer(), None);
    story.control(999, Control::Freeze);
    assert!(matches!(story.answer(), Some(Answer::Full(why)) if why.starts_with("64 controls")));
}

#[test]
fn in_a_dry_run_nothing_is_set_by_hand() {
    let mut story = Story::new(Config::default());
    story.open("j", "", true);
    story.hello(LINK, "n1-77", "j");
    story.report("j", 0, vec![technique_tuning_point()]);
    let (done, text) = story.answer_to(set("mw.technique", "1", None));
    assert!(!done && text.contains("--dry-run"), "{text}");
    assert_eq!(story.actions(), []);
}

#[test]
fn a_rank_whose_agent_is_away_is_named_at_once() {
    let mut story = Story::begin(Config::default());
    story.step(Input::AgentDisconnected { link: LINK, goodbye: false });
    let (done, text) = story.answer_to(set("mw.technique", "1", None));
    assert!(!done && text.contains("rank 0: its agent is not connected"), "{text}");
}

#[test]
fn a_value_for_one_iteration_goes_with_its_number_and_is_refused_where_it_cannot_be() {
    let mut story = Story::begin(Config::default());
    story.report("j", 1, vec![block("block", 32.0)]);
    let at = |k, synchronized| Control::Set {
        point: "block".into(),
        value: "16".into(),
        rank: None,
        synchronized,
        at_iteration: Some(k),
    };
    story.control(5, at(7, false));
    let action = story.actions().remove(0);
    assert_eq!((action.rank, action.at_once, action.phase), (1, false, Phase::ApplyAt { iteration: 7 }));
    story.report("j", 1, vec![settled(&action, ActionStatus::Past, 9)]);
    let (_, line) = story.controlled().remove(0);
    assert_eq!((line.done, line.changes[0].refused.as_deref()), (false, Some(ActionStatus::Past.as_str())));
    story.control(6, at(8, false));
    let action = story.actions().remove(0);
    story.report("j", 1, vec![settled(&action, ActionStatus::NotReached, 7)]);
    let refused = story.controlled()[0].1.changes[0].refused.clone();
    assert_eq!(refused.as_deref(), Some(ActionStatus::NotReached.as_str()));
    assert_eq!(story.summary("j")["actions"]["expired"], 1);
    let (done, text) = story.answer_to(at(1 << 48, false));
    assert!(!done && text.contains(&limits::ITERATION_END.to_string()), "{text}");
    assert!(story.answer_to(at(9, true)).1.contains("--at-iteration"));
    assert_eq!(story.actions(), []);
}

#[test]
fn a_value_for_an_iteration_that_is_far_away_holds_nobody_up_and_can_be_let_go() {
    let mut story = Story::begin(Config::default());
    story.report("j", 1, vec![block("block", 32.0)]);
    let at = |k| Control::Set {
        point: "block".into(),
        value: "16".into(),
        rank: None,
        synchronized: false,
        at_iteration: Some(k),
    };
    story.iteration("j", 0);
    let decided = story.actions().remove(0);
    story.apply(&decided, 1);
    story.control(5, at(1_000_000));
    assert_eq!(story.actions(), [], "it waits here");
    assert!(story.answer_to(Control::Freeze).0, "nobody waits for it");
    story.control(6, Control::Resume);
    let [(5, line), (6, resumed)] = &story.controlled()[..] else { panic!("both are answered") };
    assert!(resumed.done && !line.done && line.text.contains("midrun resume let it go"), "{}", line.text);
    // One that is near goes at once.
    story.control(7, at(2));
    assert_eq!(story.actions().remove(0).phase, Phase::ApplyAt { iteration: 2 });
}

#[test]
fn what_could_not_be_set_is_refused_at_once_however_far_its_iteration_is() {
    let mut story = Story::begin(Config::default());
    story.report("j", 1, vec![block("block", 32.0)]);
    let at = |point: &str, value: &str, k| Control::Set {
        point: point.into(),
        value: value.into(),
        rank: None,
        synchronized: false,
        at_iteration: Some(k),
    };
    // Before anything was measured, too.
    story.pass(5_000);
    story.control(5, at("block", "16", 100));
    assert_eq!(story.actions(), [], "nobody knows when iteration 100 is");
    assert!(story.answer_to(Control::Freeze).0, "it holds up nobody");
    let (done, text) = story.answer_to(at("blokc", "16", 100));
    assert!(!done && text.contains("blokc"), "{text}");
    assert!(!story.answer_to(at("block", "1000", 100)).0, "outside its range");
    // The first that is near goes first.
    story.control(6, at("block", "24", 50));
    story.iteration("j", 0);
    story.actions();
    story.control(7, at("block", "48", 1));
    assert_eq!(story.actions().remove(0).phase, Phase::ApplyAt { iteration: 1 });
}
