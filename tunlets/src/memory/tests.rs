//! Tests of what a run learns, and of the trial of a start.

use super::*;
use crate::Window;
use crate::confidence::Confidence;
use crate::options::Objective;
use crate::testing::window;
use midrun_scheduling::{Start, Technique, TechniqueParameters};

fn setting(kind: Technique) -> TechniqueParameters {
    TechniqueParameters { recall: true, ..TechniqueParameters::new(kind) }
}

/// An iteration of `workers` even workers under `kind` that takes so many times the ideal.
fn iteration(number: u64, kind: Technique, workers: u32, ratio: f64) -> Window {
    Window { setting: setting(kind), ..window(number, workers, 0.1 * ratio) }
}

/// What is learnt from iterations of (technique, workers, time / ideal).
fn learnt(objective: Objective, ranks: u32, all: &[(Technique, u32, f64)]) -> Option<Learnt> {
    let mut learning = Learning::new(objective, Confidence::default());
    for (number, (kind, workers, ratio)) in (0..).zip(all) {
        // The same 800 tasks, whoever computes them.
        let mut window = iteration(number, *kind, *workers, *ratio);
        let each = 800 / u64::from(*workers);
        window.per_worker.iter_mut().for_each(|work| {
            (work.tasks, work.busy_s, work.sum_sq_s2) = (each, each as f64 * 1e-3, each as f64 * 2e-6);
        });
        window.tasks = 800;
        window.iteration_s = each as f64 * 1e-3 * ratio;
        learning.observe(&window);
    }
    learning.learnt(ranks)
}

fn start(learnt: &Learnt) -> Start {
    learnt.start.parse().unwrap()
}

use Technique::{Daf, Mfsc, None as Static};

#[test]
fn the_best_setting_is_the_one_that_is_surely_best() {
    let run = [
        (Mfsc, 8, 1.3),
        (Daf, 8, 1.04),
        (Daf, 8, 1.05),
        (Daf, 8, 1.06),
        (Daf, 8, 1.04),
        (Static, 8, 1.0), // once, by chance
        (Mfsc, 8, 1.2),
        (Mfsc, 8, 1.25),
    ];
    let best = learnt(Objective::Time, 9, &run).unwrap();
    assert_eq!((start(&best).parameters.kind, best.workers, best.iterations), (Daf, 8, 4));
    assert_eq!(start(&best).workers, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!((best.iteration_s - 0.1045).abs() < 1e-9 && (best.task_mean_s - 1e-3).abs() < 1e-9, "{best:?}");
    assert!((best.task_sigma_s - 1e-3).abs() < 1e-9, "{best:?}");
    assert!((best.cost_ln - (1.0475_f64 / 8.0).ln()).abs() < 1e-3, "{best:?}");
    assert!(start(&best).parameters.recall && best.setting.starts_with("daf(mu=1.0000ms"), "{best:?}");
}

#[test]
fn the_objective_says_which_number_of_workers_is_best() {
    let all = |workers, ratio| [(Daf, workers, ratio), (Daf, workers, ratio * 1.01), (Daf, workers, ratio * 0.99)];
    let run = [all(8, 1.9), all(4, 1.0), all(2, 1.0)].concat();
    let workers = |objective| learnt(objective, 9, &run).unwrap().workers;
    assert_eq!(workers(Objective::Time), 8, "0.19 s, 0.2 s and 0.4 s");
    assert_eq!(workers(Objective::Efficiency), 4);
    assert_eq!(workers(Objective::Deadline(0.5)), 2);
}

#[test]
fn parking_slow_workers_is_not_less_work() {
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    for number in 0..8 {
        let parked = number >= 4;
        let mut window = iteration(number, Daf, if parked { 4 } else { 8 }, 1.0);
        window.tasks = 800;
        // Half of the ranks take four times as long for a task.
        let work = |rank: u32| {
            if rank > 4 {
                (40, 0.16)
            } else if parked {
                (200, 0.2)
            } else {
                (160, 0.16)
            }
        };
        for share in &mut window.per_worker {
            (share.tasks, share.busy_s) = work(share.rank);
        }
        window.iteration_s = if parked { 0.2 } else { 0.16 } * (1.0 + 0.01 * (number % 2) as f64);
        learning.observe(&window);
    }
    let best = learning.learnt(9).unwrap();
    assert_eq!(best.workers, 8, "all of them are faster, though their task times add up to more");
    assert!((best.slowness[&7] - 4.0).abs() < 0.01 && (best.slowness[&1] - 1.0).abs() < 0.01, "{best:?}");
    let speeds = start(&best).speeds;
    assert_eq!((speeds.len(), speeds[0].mean_s, speeds[7].mean_s), (8, 1e-3, 4e-3), "the next run knows them");
    assert_eq!((speeds[0].tasks, speeds[7].tasks, speeds[0].chunks), (480, 120, 30), "those of three iterations");
}

#[test]
fn a_run_that_is_too_short_teaches_nothing() {
    assert_eq!(learnt(Objective::Time, 9, &[]), None);
    assert_eq!(learnt(Objective::Time, 9, &[(Daf, 8, 1.0)]), None);
    assert_eq!(learnt(Objective::Time, 9, &[(Daf, 8, 1.0), (Mfsc, 8, 1.0), (Static, 8, 1.0)]), None);
    let mixed = Window { setting_changed: true, ..iteration(0, Daf, 8, 1.0) };
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    (0..5).for_each(|_| learning.observe(&mixed));
    assert_eq!(learning.learnt(9), None, "no whole iteration under one setting");
}

#[test]
fn workers_that_get_no_task_belong_to_the_team_all_the_same() {
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    for number in 0..4 {
        let mut window = iteration(number, Daf, 4, 1.0 + 0.01 * number as f64);
        window.per_worker.remove(number as usize % 2);
        learning.observe(&window);
    }
    assert_eq!(start(&learning.learnt(9).unwrap()).workers, [1, 2, 3, 4]);
}

#[test]
fn processes_beyond_the_ranks_are_not_part_of_a_start() {
    let best = learnt(Objective::Time, 5, &[(Daf, 8, 1.0), (Daf, 8, 1.01)]).unwrap();
    assert_eq!(start(&best).workers, [1, 2, 3, 4]);
}

fn remembered() -> Remembered {
    let run = [(Daf, 8, 1.04), (Daf, 8, 1.05), (Daf, 8, 1.06), (Daf, 8, 1.05), (Daf, 8, 1.05)];
    Remembered::of(&learnt(Objective::Time, 9, &run).unwrap(), 1_700_000_000, &[]).unwrap()
}

#[test]
fn what_is_remembered_comes_back_from_its_text() {
    let remembered = remembered();
    assert_eq!(remembered.to_string().parse(), Ok(remembered.clone()));
    assert!(remembered.setting().ends_with(", 8 workers"), "{}", remembered.setting());
    let text = remembered.to_string();
    for (from, to) in
        [("iterations=5", "iterations=1"), ("cost_ln=-", "cost_ln=inf"), ("time_s=", "time="), ("daf", "x")]
    {
        assert!(text.contains(from) && text.replace(from, to).parse::<Remembered>().is_err(), "{from}");
    }
}

#[test]
fn runs_that_differ_widen_what_a_start_is_held_against() {
    let learnt = learnt(Objective::Time, 9, &[(Daf, 8, 1.04), (Daf, 8, 1.05), (Daf, 8, 1.06)]).unwrap();
    let width = |others: &[f64]| Remembered::of(&learnt, 0, others).unwrap().half_width(2, Confidence::default());
    assert!(width(&[learnt.cost_ln + 0.1]) > 2.0 * width(&[]));
    assert_eq!(width(&[learnt.cost_ln]), width(&[]), "two that agree by chance do not narrow it");
}

/// Verdict after iterations of (technique, workers, time / ideal).
fn verdict(all: &[(Technique, u32, f64)]) -> StartVerdict {
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let decided =
        (0..).zip(all).filter(|(n, (kind, workers, ratio))| trial.observe(&iteration(*n, *kind, *workers, *ratio)));
    let decided = decided.count();
    assert_eq!(decided, usize::from(!trial.is_open()), "it is decided once");
    trial.verdict
}

#[test]
fn a_start_is_kept_that_measures_as_remembered() {
    assert_eq!(verdict(&[(Daf, 8, 1.05)]), StartVerdict::Open);
    assert_eq!(verdict(&[(Daf, 8, 1.05), (Daf, 8, 1.06)]), StartVerdict::Kept);
    assert_eq!(verdict(&[(Daf, 8, 1.04), (Daf, 8, 1.3), (Daf, 8, 1.3)]), StartVerdict::Kept, "one was disturbed");
    assert_eq!(verdict(&[(Daf, 8, 0.9), (Daf, 8, 0.9)]), StartVerdict::Kept, "better than remembered");
}

#[test]
fn a_start_is_worse_that_measures_worse_beyond_chance() {
    assert_eq!(verdict(&[(Daf, 8, 1.3)]), StartVerdict::Worse, "nothing is waited for");
    assert_eq!(verdict(&[(Daf, 8, 1.0), (Daf, 8, 2.0)]), StartVerdict::Kept);
}

#[test]
fn a_start_that_was_not_in_force_is_not_judged() {
    for (window, part) in [
        (iteration(0, Mfsc, 8, 1.0), "its own technique"),
        (iteration(0, Daf, 4, 1.0), "its own number"),
        (Window { tasks: 0, ..iteration(0, Daf, 8, 1.0) }, "no tasks"),
        (Window { setting_changed: true, ..iteration(0, Daf, 8, 1.0) }, "changed"),
    ] {
        let mut trial = StartTrial::new(remembered(), Confidence::default());
        assert!(trial.observe(&window));
        let StartVerdict::NotUsed(why) = trial.verdict else { panic!("{part}: {trial:?}") };
        assert!(why.contains(part), "{why}");
    }
    let without_recall = TechniqueParameters { recall: false, ..setting(Daf) };
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let early = Window { setting: without_recall, ..iteration(0, Daf, 8, 1.05) };
    assert!(!trial.observe(&early) && trial.is_open(), "recall is not known yet");
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let lost = Window { coverage: 0.5, ..iteration(0, Daf, 8, 1.0) };
    assert_eq!((0..9).filter(|_| trial.observe(&lost)).count(), 1);
    assert!(
        matches!(trial.verdict, StartVerdict::NotUsed(_)),
        "records that are missing do not hold up the tuning for ever"
    );
}

#[test]
fn the_expected_time_goes_with_the_work() {
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let mut twice = iteration(0, Daf, 8, 2.1);
    twice.per_worker.iter_mut().for_each(|work| work.busy_s *= 2.0);
    assert!(!trial.observe(&twice), "twice the work in twice the time");
    let (expected_s, share) = trial.expected().unwrap();
    assert!((expected_s / 0.21 - 1.0).abs() < 0.01 && (0.005..0.1).contains(&share), "{expected_s} {share}");
    assert_eq!(trial.measured_s(), Some(twice.iteration_s));
}
