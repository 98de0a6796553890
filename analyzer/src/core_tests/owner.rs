//! Stories of the core: what the owner of a job has set holds at every analyzer, whenever that one comes.

use super::controls::set;
use super::*;
use crate::control::{Control, Mode};
use crate::owner::{Manual, OwnerOptions, RecalledJob};

fn options(dry_run: bool, technique: &str) -> OwnerSettings {
    let tuning = TuningOptions { technique: technique.into(), ..TuningOptions::default() };
    let options = Some(OwnerOptions { tuning, dry_run });
    OwnerSettings { job: job("j"), version: 1, options, manual: Manual::default() }
}

impl Story {
    /// An agent of job `j` with three ranks, at a core that knows nothing; it brings `settings`.
    fn late(settings: Vec<OwnerSettings>, options_follow: bool) -> Story {
        Story::with_token("", settings, options_follow)
    }

    fn with_token(token: &str, settings: Vec<OwnerSettings>, options_follow: bool) -> Story {
        let mut story = Story::new(Config::default());
        story.brings(LINK, token, settings, options_follow);
        story.report("j", 0, vec![technique_tuning_point()]);
        story
    }

    fn brings(&mut self, link: LinkId, token: &str, settings: Vec<OwnerSettings>, options_follow: bool) {
        let rank = |rank| joined("j", rank, 3);
        let hello = Hello {
            protocol: midrun_proto::PROTOCOL_VERSION,
            node: "n1".into(),
            agent: AgentId(format!("n1-{}", link.0).into()),
            token: token.into(),
            ranks: (0..3).map(rank).collect(),
            settings,
            options_follow,
            ..Hello::default()
        };
        self.step(Input::AgentConnected { link, hello });
    }

    /// Actions upon an iteration that is measured.
    fn actions_upon(&mut self, n: u64) -> Vec<Action> {
        let measured = |story: &Story| story.core.jobs[&job("j")].line(false).iterations;
        let before = measured(self);
        self.out.clear();
        self.iteration("j", n);
        self.pass(300);
        assert_eq!(measured(self), before + 1);
        self.actions()
    }

    /// Another analyzer, to which the agent brings its copy.
    fn replaced(self) -> Story {
        Story::late(Vec::from_iter(self.shown), false)
    }
}

#[test]
fn an_analyzer_that_comes_after_the_job_knows_of_the_dry_run_from_the_agent() {
    let mut story = Story::with_token("mine", vec![options(true, "auto")], false);
    assert_eq!(story.actions_upon(0), []);
    assert!(matches!(story.open("j", "yours", false), Some(Answer::Invalid(_))), "the job is its owner's");
}

#[test]
fn the_owners_options_decide_at_an_analyzer_with_other_ones_and_opening_again_is_no_conflict() {
    let mut story = Story::with_token("mine", vec![options(false, "gss")], false);
    let job = &story.core.jobs[&job("j")];
    assert_eq!((job.spec.options.technique.as_str(), job.spec.token.as_str()), ("gss", "mine"));
    let tuning = TuningOptions { technique: "gss".into(), ..TuningOptions::default() };
    let again = |options: &TuningOptions| Question::OpenJob {
        job: super::job("j"),
        token: "mine".into(),
        options: options.clone(),
        dry_run: false,
    };
    assert_eq!(story.ask(again(&tuning)), Some(Answer::Opened));
    assert!(matches!(story.ask(again(&TuningOptions::default())), Some(Answer::Invalid(_))));
}

#[test]
fn while_the_owners_options_are_on_their_way_nothing_changes() {
    let mut story = Story::late(Vec::new(), true);
    assert_eq!(story.actions_upon(0), [], "the agent says that there are options, and not which");
    let (done, text) = story.answer_to(set("mw.technique", "1", None));
    assert!(!done && text.contains("options are not known here yet"), "{text}");
    assert_eq!(story.actions(), []);
    story.brings(LinkId(2), "", vec![options(false, "auto")], false);
    assert_eq!(story.actions_upon(1).len(), 1, "now they are known");
}

#[test]
fn options_that_come_while_an_action_is_in_flight_hold_when_it_has_ended() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    assert_eq!(story.open("j", "", true), Some(Answer::Opened));
    story.report("j", 0, vec![settled(&action, ActionStatus::Applied, 1)]);
    story.report("j", 0, vec![technique_tuning_point()]);
    assert_eq!(story.actions_upon(1), []);
    assert_eq!(story.status()["dry_run"], true);
}

#[test]
fn a_frozen_or_paused_job_is_so_at_the_next_analyzer_until_resumed() {
    for (control, mode) in [(Control::Freeze, "frozen"), (Control::Pause, "paused")] {
        let mut story = Story::begin(Config::default());
        let question = |control| Question::Control { job: job("j"), token: String::new(), control };
        assert!(matches!(story.ask(question(control)), Some(Answer::Controlled(_))));
        let mut next = story.replaced();
        assert_eq!(next.status()["mode"], mode);
        assert_eq!(next.actions_upon(0), []);
        let resume = Question::Control { job: job("j"), token: String::new(), control: Control::Resume };
        next.ask(resume);
        let mut third = next.replaced();
        assert_eq!(third.actions_upon(0).len(), 1, "resumed stays resumed");
    }
}

#[test]
fn a_point_set_by_hand_is_left_alone_by_the_next_analyzer() {
    let mut story = Story::begin(Config::default());
    story.step(Input::Asked {
        ask: AskId(1),
        question: Question::Control { job: job("j"), token: String::new(), control: set("mw.technique", "gss", None) },
    });
    let action = story.actions().remove(0);
    story.report("j", 0, vec![settled(&action, ActionStatus::Applied, 1)]);
    let values = story.shown.as_ref().expect("the agents were shown it").manual.values.clone();
    assert_eq!(values.keys().collect::<Vec<_>>(), [&("mw.technique".to_owned(), None)]);
    let mut next = story.replaced();
    assert_eq!(next.actions_upon(0), []);
    assert_eq!(next.status()["tuning_points"][0]["held"], true);
}

#[test]
fn an_agent_with_an_old_copy_does_not_undo_what_was_set_since() {
    let mut story = Story::late(vec![options(false, "auto")], false);
    let old = story.shown.clone().unwrap();
    let question = Question::Control { job: job("j"), token: String::new(), control: Control::Freeze };
    story.ask(question);
    let new = story.shown.clone().unwrap();
    assert_eq!(new.manual.mode, Mode::Frozen);
    for copies in [[old.clone(), new.clone()], [new, old]] {
        let mut next = Story::new(Config::default());
        for (link, copy) in copies.into_iter().enumerate() {
            next.brings(LinkId(link as u64 + 1), "", vec![copy], false);
        }
        let shown = next.shown.clone().unwrap();
        assert_eq!(shown.manual.mode, Mode::Frozen, "both agents have the newer one now");
    }
}

#[test]
fn an_override_is_answered_when_the_agents_can_tell_the_next_analyzer_and_a_stopped_one_is_not_waited_for() {
    let mut story = Story::begin(Config::default());
    story.forgetful = true;
    let question = Question::Control { job: job("j"), token: String::new(), control: Control::Freeze };
    assert_eq!(story.ask(question), None, "the agent has not said that it has it");
    let version = story.core.jobs[&job("j")].version_of_settings();
    story.step(Input::SettingsKept { link: LINK, job: job("j"), version });
    assert!(matches!(story.answer(), Some(Answer::Controlled(_))));
    let question = Question::Control { job: job("j"), token: String::new(), control: Control::Resume };
    assert_eq!(story.ask(question), None);
    story.pass(limits::SETTINGS_WAIT_MS + 1);
    assert!(matches!(story.answer(), Some(Answer::Controlled(_))));
}

#[test]
fn an_analyzer_with_the_journal_knows_what_was_set_though_no_agent_does() {
    let mut story = Story::late(vec![options(false, "auto")], false);
    story.ask(Question::Control { job: job("j"), token: String::new(), control: Control::Freeze });
    let kept = story.shown.unwrap();
    let recalled = RecalledJob { opened: kept.options.is_some(), manual: kept.manual };
    let mut next = Story::new(Config::default());
    next.core = Core::new(Config::default(), scripted, 1000).recalling([(job("j"), recalled)].into());
    next.brings(LINK, "", Vec::new(), false);
    next.report("j", 0, vec![technique_tuning_point()]);
    assert_eq!(next.status()["mode"], "frozen");
    next.ask(Question::Control { job: job("j"), token: String::new(), control: Control::Resume });
    assert_eq!(next.actions_upon(0), [], "it was opened by name: its options are still to come");
    next.open("j", "", false);
    assert_eq!(next.actions_upon(1).len(), 1);
}

#[test]
fn an_analyzer_whose_clock_is_behind_numbers_its_actions_after_those_that_the_ranks_know() {
    for (known, first) in [(5_000_000, 5_000_001), (7, 1001)] {
        let mut story = Story::begin(Config::default());
        let joins = Joined { last_action: known, ..joined("j", 0, 3) };
        story.sequence += 1;
        let batch = Batch { sequence: story.sequence, joined: vec![joins], ..Batch::default() };
        story.step(Input::BatchReceived { link: LINK, batch });
        let actions = story.actions_upon(0);
        assert_eq!(actions.iter().map(|action| action.id.0).collect::<Vec<_>>(), [first]);
    }
}

#[test]
fn a_pause_at_another_analyzer_brings_the_values_back_with_which_the_program_began() {
    let mut story = Story::late(Vec::new(), false);
    let Event::TuningPointDeclared(point) = technique_tuning_point() else { panic!("a tuning point") };
    let changed = TuningPointDeclared { name: "mw.recall".into(), value: 6.0, declared: 2.0, ..point };
    story.report("j", 0, vec![Event::TuningPointDeclared(changed)]);
    story.out.clear();
    story.control(5, Control::Pause);
    let back: Vec<_> = story.actions().into_iter().flat_map(|action| action.assignments).collect();
    assert_eq!(back, [("mw.recall".to_owned(), 2.0.into())]);
}

#[test]
fn a_job_whose_owner_has_not_opened_it_yet_is_its_agents_and_no_strangers() {
    let mut story = Story::new(Config::default());
    story.brings(LINK, "mine", Vec::new(), false);
    let asked = |token: &str| Question::Control { job: job("j"), token: token.into(), control: Control::Freeze };
    assert!(matches!(story.ask(asked("")), Some(Answer::Denied(_))));
    assert!(matches!(story.open("j", "yours", false), Some(Answer::Invalid(_))), "nor does it become theirs");
    assert_eq!(story.open("j", "mine", false), Some(Answer::Opened));
}
