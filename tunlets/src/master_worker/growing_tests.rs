//! Workers beyond those that are there: started, waited for, brought in; or given up.

use super::plant_tests::{Dist, Plant, setting_of, tuning_points};
use super::{Limits, MasterWorker, Mode};
use crate::confidence::Confidence;
use crate::options::Objective;
use crate::tuning_point::names;
use crate::{Observation, Proposal, Settled, TuningPoint, Tunlet, Verdict};

fn tuning_point(name: &str, range: (f64, f64), value: f64) -> TuningPoint {
    TuningPoint { rank: 0, name: name.into(), whole: true, range, value, declared: value, text: None, held: false }
}

struct Site {
    plant: Plant,
    tunlet: MasterWorker,
    /// Wanted, have come, can be started.
    spawned: (f64, f64, f64),
    decisions: u64,
}

impl Site {
    fn new(limits: Limits) -> Site {
        let mut plant = Plant::new(Dist::Normal(0.4));
        (plant.mean_s, plant.tasks, plant.slowness) = (2e-3, 4_000, vec![1.0; 2]);
        let tunlet = MasterWorker::new(Mode::Auto, Objective::Time, Confidence::default(), limits);
        Site { plant, tunlet, spawned: (0.0, 0.0, 6.0), decisions: 0 }
    }

    fn iterate(&mut self) -> (Vec<Verdict>, Option<Proposal>) {
        let judgements = self.tunlet.observe(Observation::Iteration(&self.plant.iterate(None)));
        let verdicts = judgements.iter().map(|judgement| judgement.verdict).collect();
        let mut offered = tuning_points();
        let (wanted, came, most) = self.spawned;
        offered.push(tuning_point(names::WORKERS, (1.0, 2.0 + came), self.plant.slowness.len() as f64));
        offered.push(tuning_point(names::SPAWNED, (came, most), wanted));
        (verdicts, self.tunlet.propose(&offered))
    }

    /// Iterates and applies what is proposed until a proposal assigns `name`; returns it and the verdicts on the way.
    fn until(&mut self, name: &str) -> (f64, Vec<Verdict>) {
        let mut all = Vec::new();
        for _ in 0..12 {
            let (verdicts, proposal) = self.iterate();
            all.extend(verdicts);
            let Some(proposal) = proposal else { continue };
            let value = |name: &str| {
                proposal
                    .assignments
                    .iter()
                    .find(|(tuning_point, _)| tuning_point == name)
                    .and_then(|(_, value)| value.number())
            };
            if value(names::TECHNIQUE).is_some() {
                self.plant.setting = setting_of(&proposal.assignments);
            }
            if let Some(n) = value(names::WORKERS) {
                self.plant.slowness.resize(n as usize, 1.0);
            }
            if let Some(n) = value(names::SPAWNED) {
                self.spawned.0 = n;
            }
            self.tunlet.on_settled(self.decisions, Settled::Applied { iteration: 0 });
            self.decisions += 1;
            if let Some(value) = value(name) {
                return (value, all);
            }
        }
        panic!("{name} is never changed");
    }
}

#[test]
fn workers_that_would_pay_are_started_first_and_brought_in_when_they_are_there() {
    let mut site = Site::new(Limits { max: 7, ..Limits::default() });
    assert_eq!(site.until(names::SPAWNED).0, 5.0, "two are there, seven are wanted");
    for _ in 0..3 {
        let (_, proposal) = site.iterate();
        let touches =
            |p: &Proposal| p.assignments.iter().any(|(name, _)| name.starts_with("mw.w") || name.ends_with("ed"));
        assert!(!proposal.is_some_and(|p| touches(&p)), "those on their way are waited for");
    }
    site.spawned = (5.0, 5.0, 6.0);
    let (workers, verdicts) = site.until(names::WORKERS);
    assert_eq!(workers, 7.0);
    assert!(!verdicts.contains(&Verdict::NotApplied));
    let (verdicts, _) = site.iterate();
    assert!(verdicts.contains(&Verdict::Kept), "they came: {verdicts:?}");
}

#[test]
fn who_was_given_up_is_not_asked_for_again() {
    let mut site = Site::new(Limits::default());
    assert_eq!(site.until(names::SPAWNED).0, 6.0);
    // One came, the others did not.
    site.spawned = (1.0, 1.0, 1.0);
    let (workers, _) = site.until(names::WORKERS);
    assert_eq!(workers, 3.0);
    let mut all = Vec::new();
    for _ in 0..12 {
        let (verdicts, proposal) = site.iterate();
        all.extend(verdicts);
        let again = proposal.is_some_and(|p| p.assignments.iter().any(|(name, _)| name == names::SPAWNED));
        assert!(!again);
    }
    assert!(all.contains(&Verdict::NotApplied), "{all:?}");
}
