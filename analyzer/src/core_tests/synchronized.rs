//! Stories of the core: a change that all ranks take over in one and the same iteration, or none.

use super::controls::set_together;
use super::*;
use crate::actions::Phase;
use crate::control::{Control, ControlLine};

/// Three ranks with the point on one host.
fn begin() -> Story {
    let mut story = Story::begin(Config::default());
    (0..3).for_each(|rank| story.report("j", rank, vec![algorithm()]));
    story.out.clear();
    story
}

impl Story {
    fn ask_together(&mut self, point: &str, value: &str) {
        let question = Question::Control { job: job("j"), token: String::new(), control: set_together(point, value) };
        self.step(Input::Asked { ask: AskId(5), question });
    }

    fn say(&mut self, action: &Action, status: ActionStatus, iteration: u64) {
        self.report("j", action.rank, vec![settled(action, status, iteration)]);
    }

    /// All that were sent answer; what they are sent next.
    fn all_say(&mut self, sent: &[Action], status: ActionStatus, iteration: u64) -> Vec<Action> {
        sent.iter().for_each(|action| self.say(action, status, iteration));
        self.sent_actions()
    }

    /// The actions that went out.
    fn sent_actions(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.out.retain(|output| match output {
            Output::Act { action, .. } => {
                actions.push(action.clone());
                false
            }
            _ => true,
        });
        actions
    }

    fn line(&mut self) -> ControlLine {
        match self.answer() {
            Some(Answer::Controlled(line)) => *line,
            other => panic!("no answer: {other:?}"),
        }
    }
}

#[test]
fn a_change_on_all_ranks_is_prepared_pre_committed_committed_and_reported_when_all_have_it() {
    let mut story = begin();
    story.ask_together("algorithm", "1");
    let prepare = story.sent_actions();
    assert_eq!(prepare.iter().map(|a| (a.rank, a.phase)).collect::<Vec<_>>(), [0, 1, 2].map(|r| (r, Phase::Prepare)));
    assert!(prepare.iter().all(|a| a.id == prepare[0].id && a.assignments == [("algorithm".to_owned(), 1.0.into())]));
    story.say(&prepare[0], ActionStatus::Prepared, 108);
    story.say(&prepare[1], ActionStatus::Prepared, 109);
    assert_eq!(story.sent_actions(), [], "rank 2 has not answered");
    story.say(&prepare[2], ActionStatus::Prepared, 107);
    let arm = story.sent_actions();
    assert!(arm.len() == 3 && arm.iter().all(|a| a.phase == Phase::PreCommit { at: 112 }), "{arm:?}");
    let commit = story.all_say(&arm, ActionStatus::PreCommitted, 0);
    assert!(matches!(&commit[..], [one] if one.phase == Phase::Commit), "{commit:?}");
    story.say(&commit[0], ActionStatus::Committed, 0);
    let committed = story.sent_actions();
    let others: Vec<_> = committed.iter().map(|action| (action.rank, action.phase)).collect();
    assert_eq!(others, [1, 2].map(|rank| (rank, Phase::Committed)), "they need not ask the register");
    story.say(&commit[0], ActionStatus::Committed, 0);
    assert_eq!(story.sent_actions(), [], "said again");
    for action in &arm {
        story.say(action, ActionStatus::Applied, 112);
    }
    let out = story.out.clone();
    let events = story.events();
    assert_eq!(events[1], json!({"event": "pre-committed", "ranks": [0, 1, 2], "iteration": 112}));
    assert_eq!((&events[2]["event"], &events[2]["ranks"]), (&json!("applied-synchronized"), &json!(3)));
    assert_eq!(events[2]["iteration"], 112);
    story.out = out;
    let line = story.line();
    let applied: Vec<_> = line.changes.iter().map(|change| (change.rank, change.applied_iteration)).collect();
    assert_eq!((line.done, applied), (true, [0, 1, 2].map(|rank| (rank, Some(112))).to_vec()));
    let actions = story.summary("j")["actions"].clone();
    assert_eq!((&actions["sent"], &actions["applied"]), (&json!(1), &json!(1)));
}

#[test]
fn a_rank_that_is_too_far_voids_the_round_and_the_next_one_looks_further_ahead() {
    let mut story = begin();
    story.ask_together("algorithm", "1");
    let prepare = story.sent_actions();
    let arm = story.all_say(&prepare, ActionStatus::Prepared, 10);
    story.say(&arm[1], ActionStatus::Past, 0);
    let again = story.sent_actions();
    assert!(again.len() == 3 && again[0].phase == Phase::Prepare && again[0].id > prepare[0].id, "{again:?}");
    let arm = story.all_say(&again, ActionStatus::Prepared, 20);
    assert!(arm.iter().all(|a| a.phase == Phase::PreCommit { at: 19 + 8 }), "{arm:?}");
}

#[test]
fn a_rank_that_refuses_leaves_or_says_nothing_ends_it_and_nothing_is_committed() {
    type Happens = fn(&mut Story, &[Action]);
    let refused: [(&str, Happens); 3] = [
        ("rank 1", |story, prepare| story.say(&prepare[1], ActionStatus::RefusedRange, 0)),
        ("rank 2", |story, _| story.leave("j", 2, true)),
        ("rank 0", |story, _| story.pass(20_000)),
    ];
    for (why, happens) in refused {
        let mut story = begin();
        story.ask_together("algorithm", "1");
        let prepare = story.sent_actions();
        happens(&mut story, &prepare);
        assert_eq!(story.sent_actions(), [], "{why}");
        let line = story.line();
        assert!(!line.done && line.changes.len() == 3, "{line:?}");
        for change in &line.changes {
            assert_eq!(change.applied_iteration, None);
            assert!(change.refused.as_ref().is_some_and(|refused| refused.contains(why)), "{change:?}");
        }
    }
}

#[test]
fn what_cannot_be_changed_together_is_refused_with_the_reason() {
    let mut story = begin();
    story.ask_together("mw.technique", "gss");
    assert!(story.line().text.contains("mw.technique is a framework's"));
}

#[test]
fn ranks_on_two_hosts_change_together_where_they_share_a_register_and_else_are_told_how_they_would() {
    for shared in [false, true] {
        let mut story = begin();
        story.leave("j", 2, true);
        let hello = Hello {
            protocol: midrun_proto::PROTOCOL_VERSION,
            node: "n2".into(),
            agent: AgentId("n2-78".into()),
            version: "0.1.0".into(),
            token: String::new(),
            ranks: vec![joined("j", 2, 3)],
            ..Hello::default()
        };
        story.step(Input::AgentConnected { link: LinkId(2), hello });
        story.out.clear();
        story.ask_together("algorithm", "1");
        let prepare = story.sent_actions();
        let mut answers: Vec<Event> = prepare.iter().map(|a| settled(a, ActionStatus::Prepared, 10)).collect();
        if let (false, Some(Event::ActionSettled(of_rank_2))) = (shared, answers.last_mut()) {
            of_rank_2.register += 1;
        }
        let on_n2 = report("j", 2, answers.split_off(2));
        answers.into_iter().zip(0..).for_each(|(event, rank)| story.report("j", rank, vec![event]));
        story.batch(LinkId(2), 1, vec![on_n2], Vec::new());
        let next = story.sent_actions();
        if shared {
            assert!(next.len() == 3 && next.iter().all(|a| a.phase == Phase::PreCommit { at: 13 }), "{next:?}");
        } else {
            let text = story.line().text;
            assert!(text.contains("ranks 0 and 2 share no register") && text.contains("--synchronized"), "{text}");
            assert_eq!(next, []);
        }
    }
}

#[test]
fn a_change_that_was_not_heard_of_in_time_counts_on_all_ranks_once_one_tells_of_it() {
    let mut story = begin();
    story.ask_together("algorithm", "1");
    let prepare = story.sent_actions();
    let arm = story.all_say(&prepare, ActionStatus::Prepared, 10);
    story.all_say(&arm, ActionStatus::PreCommitted, 0);
    story.pass(20_000);
    let text = story.line().text;
    assert!(text.contains("it is not known whether it is committed, for iteration 13"), "{text}");
    let values = |story: &mut Story| -> Vec<f64> {
        let status = story.status();
        let points = status["tuning_points"].as_array().unwrap().iter().filter(|point| point["name"] == "algorithm");
        points.filter_map(|point| point["value"].as_f64()).collect()
    };
    assert_eq!(values(&mut story), [0.0, 0.0, 0.0]);
    story.say(&arm[1], ActionStatus::Applied, 13);
    assert_eq!(values(&mut story), [1.0, 1.0, 1.0], "one that has it says that all have it");
}

/// Wants algorithm 1 together on all ranks that offer it, until it is sent that it cannot be.
#[derive(Clone, Default)]
struct InStep {
    seen: Option<u64>,
    refused: Option<String>,
}

impl Tunlet for InStep {
    fn name(&self) -> &'static str {
        "in_step"
    }
    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        if let Observation::Iteration(window) = observation {
            self.seen = Some(window.iteration);
        }
        Vec::new()
    }
    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let offers: Vec<&TuningPoint> = tuning_points.iter().filter(|point| point.name == "algorithm").collect();
        offers.iter().find(|point| point.value == 0.0 && self.refused.is_none())?;
        Some(Proposal {
            tunlet: "in_step".into(),
            iteration: self.seen?,
            ranks: offers.iter().map(|tuning_point| tuning_point.rank).collect(),
            synchronized: true,
            assignments: vec![("algorithm".into(), 1.0.into())],
            tuning_point: "algorithm".into(),
            from: "0".into(),
            to: "1".into(),
            why: "it is said so".into(),
            predicted_s: 0.5,
            uncertainty: 0.1,
            unchanged_s: 0.9,
            ..Proposal::default()
        })
    }
    fn report(&self) -> midrun_tunlets::Report {
        let unavailable = self.refused.clone().into_iter().collect();
        midrun_tunlets::Report { unavailable, ..Default::default() }
    }
    fn on_settled(&mut self, _decision: u64, settled: Settled) {
        if let Settled::NotApplied { why: Some(why) } = settled {
            self.refused = Some(why);
        }
    }
}

/// Three ranks on one host, of which `offering` offer the point, and a tunlet that turns it; `first` happens before it sees an
/// iteration.
fn tuned(offering: impl IntoIterator<Item = u32>, first: impl FnOnce(&mut Story)) -> Story {
    tuned_by(in_step(), offering, first)
}

fn in_step() -> Core {
    let make = |_: &TuningOptions| -> Result<Box<dyn Tunlet>, ConfigError> { Ok(Box::new(InStep::default())) };
    Core::new(Config::default(), make, 1000)
}

fn tuned_by(core: Core, offering: impl IntoIterator<Item = u32>, first: impl FnOnce(&mut Story)) -> Story {
    let mut story = Story { core, ..Story::new(Config::default()) };
    story.hello(LINK, "n1-77", "j");
    offering.into_iter().for_each(|rank| story.report("j", rank, vec![algorithm()]));
    first(&mut story);
    story.out.clear();
    story.report("j", 0, vec![begun(0)]);
    story.report("j", 1, vec![worked(0, 100)]);
    story.report("j", 0, vec![ended(0)]);
    story
}

#[test]
fn a_tunlets_change_on_all_ranks_goes_the_same_way_and_the_reason_why_one_came_to_nothing_is_reported() {
    let mut story = tuned(0..3, |_| ());
    let prepare = story.sent_actions();
    assert_eq!(prepare.iter().map(|a| (a.rank, a.phase)).collect::<Vec<_>>(), [0, 1, 2].map(|r| (r, Phase::Prepare)));
    let arm = story.all_say(&prepare, ActionStatus::Prepared, 1);
    story.say(&arm[2], ActionStatus::RefusedUnknown, 0);
    let summary = story.summary("j");
    let (decision, why) = (&summary["decisions"][0], &summary["never"][0]);
    assert_eq!((&decision["verdict"], &decision["reason"]), (&json!("not-applied"), why));
    assert!(why.as_str().unwrap().contains("rank 2"), "{why}");
}

#[test]
fn ranks_that_have_to_stay_alike_do_not_change_while_one_of_them_is_held_by_hand() {
    let mut story = tuned(0..3, |story| {
        let set = Control::Set {
            point: "algorithm".into(),
            value: "0".into(),
            rank: Some(1),
            synchronized: false,
            at_iteration: None,
        };
        let question = Question::Control { job: job("j"), token: String::new(), control: set };
        story.step(Input::Asked { ask: AskId(5), question });
        let sent = story.sent_actions();
        story.all_say(&sent, ActionStatus::Applied, 0);
    });
    assert_eq!(story.sent_actions(), []);
    let decision = story.summary("j")["decisions"][0].clone();
    assert_eq!(decision["reason"], "it was set by hand, until midrun resume");
}

#[test]
fn ranks_that_have_to_stay_alike_do_not_change_before_every_one_of_them_offers_the_point() {
    let mut story = tuned(0..2, |_| ());
    assert_eq!(story.sent_actions(), [], "rank 2 would keep the old value");
    let why = story.summary("j")["decisions"][0]["reason"].clone();
    assert!(why.as_str().is_some_and(|why| why.contains("rank 2 does not offer algorithm")), "{why}");
    story.ask_together("algorithm", "1");
    assert!(story.line().text.contains("rank 2 does not offer algorithm"));
    story.report("j", 2, vec![algorithm()]);
    story.ask_together("algorithm", "1");
    assert_eq!(story.sent_actions().iter().map(|action| action.rank).collect::<Vec<_>>(), [0, 1, 2]);

    // A rank that offers the point while a tunlet still thinks of the other two.
    let mut story = tuned_by(in_step().thinking_apart(), 0..2, |_| ());
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    story.report("j", 2, vec![algorithm()]);
    story.think(thought);
    assert_eq!(story.sent_actions(), []);
    let why = story.summary("j")["decisions"][0]["reason"].clone();
    assert!(why.as_str().is_some_and(|why| why.contains("rank 2 has offered algorithm meanwhile")), "{why}");
}
