//! Tests of what a run learns, and of the trial of a start.

use super::*;
use crate::Window;
use crate::confidence::Confidence;
use crate::options::Objective;
use crate::testing::{stream, stream_on, window};
use crate::{Observation, PointWindow, StreamWindow};
use midrun_scheduling::{PointValue, Scheduling, Setting, Start, Technique, TechniqueParameters};
use midrun_vocabulary::names::tree;

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
        learning.observe(Observation::Iteration(&window), &Cut::Technique);
    }
    learning.learnt(ranks)
}

fn start(learnt: &Learnt) -> Scheduling {
    let start: Start = learnt.start.parse().unwrap();
    let Setting::Scheduling(scheduling) = start.setting else { panic!("{learnt:?}") };
    scheduling
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
    let tasks = best.tasks.as_ref().unwrap();
    assert!((best.iteration_s - 0.1045).abs() < 1e-9 && (tasks.task_mean_s - 1e-3).abs() < 1e-9, "{best:?}");
    assert!((tasks.task_sigma_s - 1e-3).abs() < 1e-9, "{best:?}");
    assert!((best.cost_ln - (1.045_f64 / 8.0).ln()).abs() < 1e-3, "{best:?}");
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
        learning.observe(Observation::Iteration(&window), &Cut::Technique);
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
    (0..5).for_each(|_| learning.observe(Observation::Iteration(&mixed), &Cut::Technique));
    assert_eq!(learning.learnt(9), None, "no whole iteration under one setting");
}

#[test]
fn workers_that_get_no_task_belong_to_the_team_all_the_same() {
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    for number in 0..4 {
        let mut window = iteration(number, Daf, 4, 1.0 + 0.01 * number as f64);
        window.per_worker.remove(number as usize % 2);
        learning.observe(Observation::Iteration(&window), &Cut::Technique);
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

#[test]
fn what_two_windows_scatter_says_little_and_does_not_pass_for_all_that_is_known() {
    let of = |ratios: &[f64]| {
        let run: Vec<(Technique, u32, f64)> = ratios.iter().map(|ratio| (Daf, 8, *ratio)).collect();
        let learnt = learnt(Objective::Time, 9, &run).unwrap();
        Remembered::of(&learnt, 0, &[]).unwrap().half_width(2, Confidence::default())
    };
    // 12 % from one to the other: Student's quantile for one degree of freedom alone is 12.7.
    assert!((0.2..0.5).contains(&of(&[1.0, 1.12])), "{}", of(&[1.0, 1.12]));
    assert!(of(&[1.0, 1.0]) > 0.01, "two that agree by chance");
    let long = [1.0, 1.12].repeat(50);
    assert!(of(&long) < of(&[1.0, 1.12]));
}

/// Verdict after iterations of (technique, workers, time / ideal).
fn verdict(all: &[(Technique, u32, f64)]) -> StartVerdict {
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let decided = (0..).zip(all).filter(|(n, (kind, workers, ratio))| {
        trial.observe(Observation::Iteration(&iteration(*n, *kind, *workers, *ratio)), &Cut::Technique)
    });
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
    assert_eq!(verdict(&[(Daf, 8, 1.3)]), StartVerdict::Open, "the first iteration may take longer");
    assert_eq!(verdict(&[(Daf, 8, 1.3), (Daf, 8, 1.3)]), StartVerdict::Worse);
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
        assert!(trial.observe(Observation::Iteration(&window), &Cut::Technique));
        let StartVerdict::NotUsed(why) = trial.verdict else { panic!("{part}: {trial:?}") };
        assert!(why.contains(part), "{why}");
    }
    let without_recall = TechniqueParameters { recall: false, ..setting(Daf) };
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let early = Window { setting: without_recall, ..iteration(0, Daf, 8, 1.05) };
    assert!(
        !trial.observe(Observation::Iteration(&early), &Cut::Technique) && trial.is_open(),
        "recall is not known yet"
    );
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    let lost = Window { coverage: 0.5, ..iteration(0, Daf, 8, 1.0) };
    assert_eq!((0..9).filter(|_| trial.observe(Observation::Iteration(&lost), &Cut::Technique)).count(), 1);
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
    assert!(!trial.observe(Observation::Iteration(&twice), &Cut::Technique), "twice the work in twice the time");
    let (expected_s, share) = trial.expected().unwrap();
    assert!((expected_s / 0.21 - 1.0).abs() < 0.01 && (0.005..0.1).contains(&share), "{expected_s} {share}");
    assert_eq!(trial.measured_s(), Some(twice.iteration_s));
}

/// A solve that was cut off at `depth`: each problem has two halves, and dividing one takes a hundredth of its time.
fn divided(number: u64, depth: u32, ratio: f64) -> Window {
    let mut window = iteration(number, Daf, 8, ratio);
    let work_s: f64 = window.per_worker.iter().map(|work| work.busy_s).sum();
    let point = |label: String, count: u64, sum: f64| PointWindow {
        label,
        count,
        sum,
        squares: sum * sum / count as f64,
        minimum: sum / count as f64,
        maximum: sum / count as f64,
        ..PointWindow::default()
    };
    for level in 0..=5_u32 {
        let (count, depth) = (1 << level, level as usize);
        let below_s = work_s * (1.0 - 0.01 * f64::from(level));
        window.points.push(point(tree::at(depth, tree::SOLVE), count, below_s));
        let (own, label) = if level < 5 { (0.01 * work_s, tree::OWN) } else { (below_s, tree::BASE) };
        window.points.push(point(tree::at(depth, label), count, own));
    }
    window.points.push(PointWindow { value: Some(f64::from(depth)), ..point(tree::CUTOFF.into(), 1, 1.0) });
    window.points.push(point(tree::SERIAL.into(), 1, 0.01 * f64::from(depth) * work_s));
    window.points.push(point(tree::SPAN.into(), 1, 0.1 * work_s));
    let handed_out = 1.0 - 0.01 * f64::from(depth);
    window.per_worker.iter_mut().for_each(|work| work.busy_s *= handed_out);
    window
}

#[test]
fn the_best_cut_off_depth_is_remembered_and_the_master_s_own_work_counts() {
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    for (number, (depth, ratio)) in (0..).zip([(3, 1.5), (3, 1.52), (4, 1.2), (4, 1.21), (4, 1.22)]) {
        learning.observe(Observation::Iteration(&divided(number, depth, ratio)), &Cut::Technique);
    }
    let best = learning.learnt(9).unwrap();
    assert_eq!((start(&best).cutoff, best.iterations), (Some(4), 3));
    assert!(best.setting.ends_with(", cut-off depth 4"), "{best:?}");
    assert!((best.cost_ln - (1.21_f64 / 8.0).ln()).abs() < 1e-3, "of all problems, not of the tasks alone: {best:?}");

    let remembered = Remembered::of(&best, 0, &[]).unwrap();
    assert_eq!(remembered.to_string().parse(), Ok(remembered.clone()));
    let verdict = |depth, ratio| {
        let mut trial = StartTrial::new(remembered.clone(), Confidence::default());
        (0..2).for_each(|number| {
            let _ = trial.observe(Observation::Iteration(&divided(number, depth, ratio)), &Cut::Technique);
        });
        trial.verdict
    };
    assert_eq!(verdict(4, 1.2), StartVerdict::Kept);
    assert_eq!(verdict(4, 1.5), StartVerdict::Worse);
    assert_eq!(verdict(3, 1.2), StartVerdict::NotUsed("the program began with another cut-off depth"));
    let mut older = StartTrial::new(self::remembered(), Confidence::default());
    assert!(
        older.observe(Observation::Iteration(&divided(0, 3, 1.0)), &Cut::Technique)
            && matches!(older.verdict, StartVerdict::NotUsed(_)),
        "knew no depth"
    );
}

/// Stages of 10, 40 and 10 ms on four alike ranks.
fn outputs(number: u64, plan: &str, ratio: f64) -> StreamWindow {
    let window = stream(number, plan, 4, &[0.01, 0.04, 0.01]);
    StreamWindow { seconds: window.seconds * ratio, ..window }
}

fn learnt_of(ranks: u32, windows: &[StreamWindow]) -> Option<Learnt> {
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    windows.iter().for_each(|window| learning.observe(Observation::Stream(window), &Cut::Technique));
    learning.learnt(ranks)
}

fn tuned_stream() -> Vec<StreamWindow> {
    let cold = (0..3).map(|number| outputs(number, "0,1,2", 1.0 + 0.01 * number as f64));
    // After the change 15 inputs are on their way, two windows of outputs.
    let burst = StreamWindow { seconds: 1e-3, ..outputs(4, "0,1x2,2", 1.0) };
    let change = StreamWindow { settled: false, on_way: 15, ..burst.clone() };
    let warm = (4..8).map(|number| outputs(number, "0,1x2,2", 1.0 + 0.01 * number as f64));
    cold.chain([change, burst.clone(), burst]).chain(warm).collect()
}

fn remembered_pattern() -> Remembered {
    Remembered::of(&learnt_of(5, &tuned_stream()).unwrap(), 1_700_000_000, &[]).unwrap()
}

#[test]
fn the_best_pattern_is_remembered() {
    let best = learnt_of(5, &tuned_stream()).unwrap();
    assert_eq!(best.start, "pattern=0,1x2,2;stages=3;ranks=5");
    assert_eq!((best.setting.as_str(), best.workers, best.iterations), ("pattern 0,1x2,2", 4, 4), "without the burst");
    assert!((best.iteration_s - 0.0211).abs() < 1e-6 && best.tasks.is_none(), "{best:?}");
    assert!((best.cost_ln - (1.055_f64 * 0.02 / 0.06).ln()).abs() < 1e-3, "{best:?}");

    assert_eq!(learnt_of(4, &tuned_stream()).unwrap().setting, "pattern 0,1,2", "one rank was started beside");
    assert_eq!(learnt_of(5, &tuned_stream()[..1]), None, "one window");
    let other = vec![stream(9, "0,1", 4, &[0.1, 0.1]); 2];
    assert_eq!(learnt_of(5, &[tuned_stream(), other].concat()), None, "two pipelines");
}

#[test]
fn heavier_inputs_and_slow_ranks_are_not_another_cost() {
    // The inputs of the better pattern take three times as long.
    let heavy = |number| {
        let window = stream(number, "0,1x2,2", 4, &[0.03, 0.12, 0.03]);
        StreamWindow { seconds: window.seconds * (1.0 + 0.01 * number as f64), ..window }
    };
    let all = [&tuned_stream()[..3], &[heavy(3), heavy(4), heavy(5), heavy(6)]].concat();
    assert_eq!(learnt_of(5, &all).unwrap().setting, "pattern 0,1x2,2");
    // Rank 2 is four times as slow: beside rank 4 it shows.
    let slowness = [1.0, 4.0, 1.0, 1.0];
    let on = |number: u64, plan: &str| {
        let window = stream_on(number, plan, &slowness, &[0.01, 0.04, 0.01]);
        StreamWindow { seconds: window.seconds * (1.0 + 0.01 * (number % 3) as f64), ..window }
    };
    let all: Vec<_> = (0..4).map(|n| on(n, "0,1@2,2@3")).chain((4..9).map(|n| on(n, "0@1,1x2@2+4,2@3"))).collect();
    let best = learnt_of(5, &all).unwrap();
    assert_eq!(best.setting, "pattern 0@1,1x2@2+4,2@3");
    assert!((best.slowness[&2] - 4.0).abs() < 0.01 && best.slowness.len() == 2, "{best:?}");
}

#[test]
fn a_remembered_pattern_comes_back_from_its_text_and_damage_is_refused() {
    let remembered = remembered_pattern();
    assert_eq!(remembered.to_string().parse(), Ok(remembered.clone()));
    assert_eq!(remembered.setting(), "pattern 0,1x2,2");
    let text = remembered.to_string();
    for (from, to) in [("1x2", "1x9"), ("stages=3", "stages=4"), ("iterations=4", "iterations=1"), ("pattern=", "p=")] {
        assert!(text.contains(from) && text.replace(from, to).parse::<Remembered>().is_err(), "{from}");
    }
}

#[test]
fn a_remembered_pattern_is_kept_or_given_up() {
    let verdict = |windows: &[StreamWindow]| {
        let mut trial = StartTrial::new(remembered_pattern(), Confidence::default());
        assert!(
            !trial.observe(Observation::Iteration(&iteration(0, Daf, 4, 1.0)), &Cut::Technique),
            "an iteration says nothing of it"
        );
        windows.iter().for_each(|window| {
            let _ = trial.observe(Observation::Stream(window), &Cut::Technique);
        });
        trial.verdict
    };
    let as_before = |number| outputs(number, "0,1x2,2", 1.05);
    assert_eq!(verdict(&[as_before(0)]), StartVerdict::Open);
    assert_eq!(verdict(&[as_before(0), as_before(1)]), StartVerdict::Kept);
    assert_eq!(verdict(&[outputs(0, "0,1x2,2", 1.5)]), StartVerdict::Worse, "nothing is waited for");
    let heavy = stream(0, "0,1x2,2", 4, &[0.03, 0.12, 0.03]);
    assert_eq!(verdict(&[heavy.clone(), heavy]), StartVerdict::Kept, "three times the work in three times the time");
    for (window, part) in [
        (outputs(0, "0,1,2", 1.0), "another pattern"),
        (StreamWindow { ranks: 5, ..as_before(0) }, "another number of ranks"),
    ] {
        let StartVerdict::NotUsed(why) = verdict(&[window]) else { panic!("{part}") };
        assert!(why.contains(part), "{why}");
    }
    let unsettled = StreamWindow { settled: false, ..as_before(0) };
    assert_eq!(verdict(&vec![unsettled; 9]), StartVerdict::NotUsed("its windows could not be measured"));
}

/// Chunks of so many tasks that the program cuts by itself.
fn chunks_of(tasks: f64) -> Cut {
    Cut::Own(vec![PointValue { rank: 8, name: "chunk.tasks".into(), value: tasks }])
}

/// What is learnt from iterations of (how they were cut, time / ideal). The technique in their windows is nobody's.
fn learnt_own(all: &[(Cut, f64)]) -> Option<Learnt> {
    let mut learning = Learning::new(Objective::Time, Confidence::default());
    for (number, (cut, ratio)) in (0..).zip(all) {
        learning.observe(Observation::Iteration(&iteration(number, Daf, 8, *ratio)), cut);
    }
    learning.learnt(9)
}

#[test]
fn of_a_program_that_cuts_its_tasks_by_itself_the_values_are_remembered() {
    let own = |tasks, ratio| (chunks_of(tasks), ratio);
    let run = [own(60.0, 2.0), (Cut::Changed, 0.5), own(15.0, 1.1), own(15.0, 1.12), own(60.0, 2.1), own(15.0, 1.11)];
    let best = learnt_own(&run).unwrap();
    assert_eq!((&*best.start, &*best.setting), ("values=8:chunk.tasks=15;ranks=9", "chunk.tasks = 15"));
    assert_eq!((best.workers, best.iterations, best.tasks.is_some()), (8, 3, true));
    let remembered = Remembered::of(&best, 1_700_000_000, &[]).unwrap();
    assert_eq!(remembered.to_string().parse(), Ok(remembered.clone()));
    assert_eq!(remembered.setting(), "chunk.tasks = 15");
    let unknown = [(Cut::Unknown, 1.0), (Cut::Unknown, 1.01), (Cut::Unknown, 1.0)];
    assert_eq!(learnt_own(&unknown), None, "nothing that the program has was measured");
}

#[test]
fn what_each_chunk_costs_inside_the_tasks_makes_no_small_chunks_best() {
    // Chunks of one task cost their workers 20 % more, which counts as task time; the work may grow by 1 % from iteration to iteration.
    let best = |growth: f64| {
        let mut learning = Learning::new(Objective::Time, Confidence::default());
        for (number, tasks) in (0..).zip([60.0, 60.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]) {
            let work = 1.0 + growth * number as f64;
            let (ratio, dearer) =
                if tasks == 60.0 { (1.6, 1.0) } else { (1.1 - 0.01 * 3.0 / tasks, 1.0 + 0.2 / tasks) };
            let mut window = iteration(number, Daf, 8, ratio * dearer * work);
            window.per_worker.iter_mut().for_each(|of| of.busy_s *= dearer * work);
            learning.observe(Observation::Iteration(&window), &chunks_of(tasks));
        }
        learning.learnt(9).unwrap().setting
    };
    assert_eq!([best(0.0), best(0.01)], ["chunk.tasks = 3", "chunk.tasks = 3"]);
    // Iterations that become shorter because the program starts say nothing of the later ones.
    let start = [1.10, 1.06, 1.03, 1.01].map(|ratio| (chunks_of(60.0), ratio));
    let after = [0.930, 0.931, 0.930].map(|ratio| (chunks_of(3.0), ratio));
    assert_eq!(learnt_own(&[&start[..], &after].concat()).unwrap().setting, "chunk.tasks = 3");
}

#[test]
fn an_iteration_that_something_disturbed_makes_no_setting_worse() {
    let good = |ratio| (Daf, 8, ratio);
    let often = [1.04, 1.05, 1.04, 3.0, 1.05, 1.04, 1.06].map(good);
    let run = [&often[..], &[(Mfsc, 8, 1.10), (Mfsc, 8, 1.11), (Mfsc, 8, 1.10)]].concat();
    let best = learnt(Objective::Time, 9, &run).unwrap();
    assert_eq!(start(&best).parameters.kind, Daf, "{best:?}");
    assert!(best.deviation < 0.02, "{best:?}");
}

/// A trial of chunks of 15 tasks, whose iterations took 1.11 of the ideal.
fn own_trial() -> StartTrial {
    let run: Vec<(Cut, f64)> = [1.1, 1.11, 1.12].map(|ratio| (chunks_of(15.0), ratio)).into();
    let remembered = Remembered::of(&learnt_own(&run).unwrap(), 0, &[]).unwrap();
    StartTrial::new(remembered, Confidence::default())
}

#[test]
fn values_are_judged_from_the_iteration_on_in_which_they_were_set() {
    let seen = |trial: &mut StartTrial, number, tasks, ratio| {
        trial.observe(Observation::Iteration(&iteration(number, Daf, 8, ratio)), &chunks_of(tasks))
    };
    let mut trial = own_trial();
    assert_eq!(trial.values_to_set().map(<[PointValue]>::len), Some(1));
    trial.on_asked();
    assert_eq!(trial.values_to_set(), None, "once");
    assert!(!seen(&mut trial, 0, 60.0, 3.0) && trial.is_open() && !trial.was_in_force(), "nothing is set yet");
    trial.on_set(2);
    assert!(trial.awaits_values(1) && !trial.awaits_values(2));
    assert!(!seen(&mut trial, 1, 60.0, 3.0) && !trial.was_in_force(), "it ended late");
    assert!(!seen(&mut trial, 2, 15.0, 1.11) && trial.was_in_force());
    let mut worse = trial.clone();
    assert!(seen(&mut trial, 3, 15.0, 1.1));
    assert_eq!(trial.verdict, StartVerdict::Kept);
    assert!(seen(&mut worse, 3, 60.0, 1.1), "somebody changed them");
    assert_eq!(worse.verdict, StartVerdict::NotUsed("the values were changed"));
    let mut worse = own_trial();
    worse.on_set(0);
    assert!(seen(&mut worse, 0, 15.0, 2.0));
    assert_eq!(worse.verdict, StartVerdict::Worse);
}

#[test]
fn values_that_cannot_be_set_hold_up_nothing() {
    let mut trial = own_trial();
    trial.on_not_set("why");
    assert_eq!((&trial.verdict, trial.awaits_values(0)), (&StartVerdict::NotUsed("why"), false));
    assert_eq!((trial.values_to_set(), trial.was_in_force()), (None, false));
}

#[test]
fn a_technique_remembered_of_a_program_that_takes_none_is_not_used() {
    let first = iteration(0, Daf, 8, 1.05);
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    assert!(trial.observe(Observation::Iteration(&first), &chunks_of(60.0)));
    assert_eq!(trial.verdict, StartVerdict::NotUsed("the program cuts its tasks by itself"));
    let mut trial = StartTrial::new(remembered(), Confidence::default());
    assert_eq!((0..9).filter(|_| trial.observe(Observation::Iteration(&first), &Cut::Unknown)).count(), 1);
    assert_eq!(
        (&trial.verdict, trial.was_in_force()),
        (&StartVerdict::NotUsed("the program takes no technique"), false)
    );
}
