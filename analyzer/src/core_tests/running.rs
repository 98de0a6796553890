//! Stories of tunlets that want to know of an iteration before it ends.

use super::*;
use std::sync::{Arc, Mutex};

/// Wants to know of an iteration that takes two seconds, and then to change the technique inside it.
#[derive(Clone, Default)]
struct Impatient {
    last: Option<u64>,
    known: Option<(u64, f64)>,
}

impl Tunlet for Impatient {
    fn name(&self) -> &'static str {
        "impatient"
    }
    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        match observation {
            Observation::Iteration(window) => self.last = Some(window.iteration),
            Observation::Running { iteration, elapsed_s } => {
                assert_eq!(self.known.replace((iteration, elapsed_s)), None, "once");
            }
            _ => {}
        }
        Vec::new()
    }
    fn longest(&self) -> Option<(u64, f64)> {
        Some((self.last? + 1, 2.0)).filter(|_| self.known.is_none())
    }
    fn propose(&mut self, _: &[TuningPoint]) -> Option<Proposal> {
        let (iteration, elapsed_s) = self.known?;
        Some(Proposal {
            tunlet: "impatient".into(),
            iteration,
            ranks: vec![0],
            assignments: vec![(names::TECHNIQUE.into(), 6.0.into())],
            why: format!("{elapsed_s:.1} s"),
            at_once: true,
            ..Proposal::default()
        })
    }
    fn on_settled(&mut self, _: u64, _: Settled) {}
}

fn story() -> Story {
    let mut story = Story::new(Config::default());
    let make = |_: &TuningOptions| -> Result<Box<dyn Tunlet>, ConfigError> { Ok(Box::new(Impatient::default())) };
    story.core = Core::new(Config::default(), make, 1000);
    let mut story = story.join();
    story.iteration("j", 0);
    story
}

#[test]
fn an_iteration_that_takes_too_long_is_known_before_it_ends_and_changed_inside() {
    let mut story = story();
    story.report("j", 0, vec![begun(1)]);
    story.pass(1900);
    assert_eq!(story.actions(), [], "it has time left");
    story.pass(200);
    let [action] = &story.actions()[..] else { panic!("one action") };
    assert!(action.at_once && action.rank == 0, "{action:?}");
    story.pass(200);
    assert_eq!(story.actions(), [], "once");
    assert_eq!(story.summary("j")["decisions"][0]["why"], "2.1 s", "it counts from when its begin was heard");
}

/// Notes the rests that it is told, and proposes nothing.
#[derive(Clone)]
struct Patient(Arc<Mutex<Vec<u64>>>);

impl Tunlet for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }
    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        if let Observation::Resting { iteration, elapsed_s } = observation {
            assert!(elapsed_s > 0.5, "{elapsed_s} s");
            self.0.lock().unwrap().push(iteration);
        }
        Vec::new()
    }
    fn propose(&mut self, _: &[TuningPoint]) -> Option<Proposal> {
        None
    }
    fn on_settled(&mut self, _: u64, _: Settled) {}
}

#[test]
fn that_iterations_have_stopped_coming_is_told_once() {
    let rests = Arc::new(Mutex::new(Vec::new()));
    let tunlet = Patient(rests.clone());
    let mut story = Story::new(Config::default());
    let make = move |_: &TuningOptions| -> Result<Box<dyn Tunlet>, ConfigError> { Ok(Box::new(tunlet.clone())) };
    story.core = Core::new(Config::default(), make, 1000);
    let mut story = story.join();
    for number in 0..20 {
        story.iteration("j", number);
        story.pass(100);
    }
    assert!(rests.lock().unwrap().is_empty(), "they come");
    (0..100).for_each(|_| story.pass(100));
    assert_eq!(*rests.lock().unwrap(), [20]);
}

#[test]
fn an_iteration_that_has_ended_or_not_begun_does_not_run() {
    let mut ended_in_time = story();
    ended_in_time.report("j", 0, vec![begun(1)]);
    ended_in_time.pass(1900);
    ended_in_time.report("j", 0, vec![ended(1)]);
    ended_in_time.out.clear();
    ended_in_time.pass(200);
    assert_eq!(ended_in_time.actions(), []);
    let mut not_begun = story();
    not_begun.pass(5000);
    assert_eq!(not_begun.actions(), []);
}
