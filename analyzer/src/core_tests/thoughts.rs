//! Stories of the core whose tunlets think elsewhere.

use super::controls::set;
use super::*;
use crate::control::Control;
use crate::thought::Work;

impl Story {
    /// As [`Story::begin`], with tunlets that think elsewhere.
    fn begin_apart() -> Story {
        Story::begin_with(Config::default())
    }

    fn begin_with(config: Config) -> Story {
        let mut story = Story::new(config.clone());
        story.core = Core::new(config, scripted, 1000).thinking_apart();
        story.join()
    }

    /// The thoughts that were handed out, not yet thought.
    pub(super) fn thoughts(&mut self) -> Vec<Work> {
        let thoughts = self.out.iter().filter_map(|output| match output {
            Output::Think { work, .. } => Some(work.clone()),
            _ => None,
        });
        let thoughts = thoughts.collect();
        self.out.retain(|output| !matches!(output, Output::Think { .. }));
        thoughts
    }

    /// As the server does: only what is the conclusion is told.
    pub(super) fn think(&mut self, thought: &Work) {
        if thought.run() {
            self.step(Input::Thought { job: job("j") });
        }
    }
}

#[test]
fn windows_go_on_while_tunlets_think_and_their_decision_is_sent_afterwards() {
    let mut story = Story::begin_apart();
    story.iteration("j", 0);
    let [first] = &story.thoughts()[..] else { panic!("one thought") };
    story.iteration("j", 1);
    story.iteration("j", 2);
    assert!(story.thoughts().is_empty(), "one at a time");
    assert_eq!(story.summary("j")["iterations"], 3, "windows are closed, and who asks is answered");
    assert_eq!(story.actions(), [], "nothing is decided yet");
    story.think(first);
    // What came meanwhile is thought about next; a proposal waits for the action in flight.
    let [second] = &story.thoughts()[..] else { panic!("one thought") };
    let action = story.actions().remove(0);
    assert_eq!(action.assignments, [(names::TECHNIQUE.to_owned(), 6.0.into())]);
    story.think(second);
    assert_eq!(story.actions(), [], "one action at a time");
    story.apply(&action, 2);
    story.iteration("j", 3);
    let [third] = &story.thoughts()[..] else { panic!("one thought") };
    story.think(third);
    assert_eq!(story.summary("j")["decisions"][0]["verdict"], "kept");
}

#[test]
fn windows_that_wait_are_thought_about_apart_though_a_proposal_is_settled_at_once() {
    let mut story = Story::begin_with(Config { dry_run: true, ..Config::default() });
    story.iteration("j", 0);
    let [first] = &story.thoughts()[..] else { panic!("one thought") };
    story.iteration("j", 1);
    story.think(first);
    assert_eq!(story.thoughts().len(), 1, "the window that waited");
    assert_eq!(story.summary("j")["decisions"][0]["verdict"], "advised");
}

#[test]
fn what_a_person_sets_while_tunlets_think_goes_before_their_proposal() {
    let mut story = Story::begin_apart();
    story.iteration("j", 0);
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    story.control(5, set(names::TECHNIQUE, "1", None));
    let by_hand = story.actions().remove(0);
    assert_eq!(by_hand.assignments[0].1, 1.0.into());
    story.think(thought);
    assert_eq!(story.actions(), [], "the proposal came too late");
    assert_eq!(story.summary("j")["decisions"], json!([]));
    story.apply(&by_hand, 1);
    story.control(6, Control::Pause);
    story.iteration("j", 2);
    assert!(story.thoughts().is_empty(), "nobody thinks while tuning is paused");
}

#[test]
fn the_summary_waits_for_a_thought_that_becomes_urgent_and_the_end_of_the_analyzer_does_it() {
    let mut story = Story::begin_apart();
    story.iteration("j", 0);
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    (0..3).for_each(|rank| story.leave("j", rank, true));
    story.step(Input::Asked { ask: AskId(1), question: Question::CloseJob { job: job("j"), token: String::new() } });
    story.pass(60_000);
    let summed_up = |story: &Story| {
        story.out.iter().any(|output| matches!(output, Output::Answer { answer: Answer::Summary(_), .. }))
    };
    assert!(!summed_up(&story));
    // The thread that thinks may get no core while other jobs compute: it is thought once more, at once.
    let urgent = |output: &Output| matches!(output, Output::Think { is_urgent: true, .. });
    assert_eq!(story.out.iter().filter(|output| urgent(output)).count(), 1, "once");
    let [again] = &story.thoughts()[..] else { panic!("one thought") };
    story.think(again);
    assert!(summed_up(&story));
    story.think(thought); // its thread ends when the job has ended

    let mut story = Story::begin_apart();
    story.iteration("j", 0);
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    story.step(Input::Stopped);
    assert_eq!(story.events().last().unwrap()["event"], "job-ended");
    story.think(thought); // its thread ends when the core has ended
}

#[test]
fn a_thread_that_thinks_late_what_was_thought_ends_no_other_thought() {
    let mut story = Story::begin_apart();
    story.iteration("j", 0);
    let [late] = &story.thoughts()[..] else { panic!("one thought") };
    story.iteration("j", 1);
    (0..3).for_each(|rank| story.leave("j", rank, true));
    story.pass(100);
    let [again] = &story.thoughts()[..] else { panic!("one thought") };
    story.think(again);
    let [next] = &story.thoughts()[..] else { panic!("the window that waited") };
    story.think(late);
    story.step(Input::Asked { ask: AskId(1), question: Question::CloseJob { job: job("j"), token: String::new() } });
    story.pass(1000);
    assert!(!story.out.iter().any(|output| matches!(output, Output::Answer { .. })), "the next one is not done");
    story.think(next);
    assert!(story.out.iter().any(|output| matches!(output, Output::Answer { answer: Answer::Summary(_), .. })));
}

#[test]
fn tunlets_that_are_far_behind_miss_the_oldest_windows_and_no_outcome() {
    let mut story = Story::begin_apart();
    story.iteration("j", 0);
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    story.think(thought);
    let action = story.actions().remove(0);
    story.iteration("j", 1);
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    story.apply(&action, 2);
    let many = 4 * limits::WINDOWS_AHEAD as u64;
    (2..many).for_each(|n| story.iteration("j", n));
    story.think(thought);
    let [thought] = &story.thoughts()[..] else { panic!("one thought") };
    story.think(thought);
    let summary = story.summary("j");
    assert_eq!((&summary["decisions"][0]["verdict"], &summary["iterations"]), (&json!("kept"), &json!(many)));
}

#[test]
fn a_tunlet_that_fails_elsewhere_turns_the_tuning_of_its_job_off() {
    let mut story = Story::begin_apart();
    let Event::IterationBegun(begun) = begun(0) else { panic!("a beginning") };
    let fatal = Begun { tasks: 666, ..begun };
    story.report("j", 0, vec![Event::IterationBegun(fatal), ended(0)]);
    story.report("j", 1, vec![worked(0, 100)]);
    for thought in story.thoughts() {
        story.think(&thought);
    }
    assert!(story.events().iter().any(|event| event["event"] == "tuning-off"));
    story.iteration("j", 1);
    assert!(story.thoughts().is_empty());
}
