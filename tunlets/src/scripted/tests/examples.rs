//! The example files do what they say; the description for people names everything.

use super::super::{FUNCTIONS, Scripted};
use super::tuning_point;
use crate::scripted::scope::{NUMBERS, OTHERS};
use crate::testing::window;
use crate::{Observation, PointWindow, Settled, TuningPoint, Tunlet, Verdict, Window, WorkerWork};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const SPREAD: &str = include_str!("../../../../examples/tunlets/spread_factor.toml");
const STAGES: &str = include_str!("../../../../examples/tunlets/slowest_stage.toml");
const OWN: &str = include_str!("../../../../examples/tunlets/own_batches.toml");
const CLASSIC: &str = include_str!("../../../../examples/tunlets/classic_factor.toml");
const GUIDE: &str = include_str!("../../../../docs/tunlets.md");

/// A program that cuts three batches by F0, F1, F2 and hands their chunks to NW workers; tasks take 0 to 2 ms. What is left
/// is in the last batch, or goes task by task where it has no marks.
struct Classic {
    values: [f64; 4],
    random: SmallRng,
    iteration: u64,
    mark: bool,
}

const TASKS: usize = 1000;
const RANKS: usize = 9;

impl Classic {
    fn new(f0: f64, f1: f64, mark: bool) -> Classic {
        let values = [f0, f1, 1.0 - f0 - f1, (RANKS - 1) as f64];
        Classic { values, random: SmallRng::seed_from_u64(1), iteration: 0, mark }
    }

    fn iterate(&mut self) -> Window {
        let workers = (self.values[3] as usize).clamp(1, RANKS - 1);
        let mut free = vec![0.0_f64; workers];
        let mut chunks: Vec<Vec<f64>> = vec![Vec::new(); workers];
        let (mut left, mut done) = (TASKS, 0);
        for batch in 0..4 {
            let last = batch == if self.mark { 2 } else { 3 };
            let share = if last { left } else { (self.values[batch] * TASKS as f64) as usize };
            let each = if batch == 3 { 1 } else { share.div_ceil(workers).max(1) };
            let mut batch_left = share.min(left);
            while batch_left > 0 {
                let count = each.min(batch_left);
                (batch_left, left, done) = (batch_left - count, left - count, done + count);
                let drawn: Vec<f64> = (0..count).map(|_| 2e-3 * self.random.random::<f64>()).collect();
                let time_s: f64 = drawn.iter().sum();
                let next = (0..workers).min_by(|a, b| free[*a].total_cmp(&free[*b])).expect("workers");
                free[next] += time_s + 5e-5;
                if self.mark { chunks[next].push(time_s) } else { chunks[next].extend(drawn) }
            }
        }
        assert_eq!(done, TASKS);
        let iteration_s = free.iter().copied().fold(0.0, f64::max);
        let sum = |times: &[f64]| times.iter().sum::<f64>();
        let squares = |times: &[f64]| times.iter().map(|t| t * t).sum::<f64>();
        let point = |(at, times): (usize, &Vec<f64>)| PointWindow {
            rank: at as u32 + 1,
            label: "task".into(),
            count: times.len() as u64,
            timed: times.len() as u64,
            sum: sum(times),
            squares: squares(times),
            minimum: times.iter().copied().fold(f64::INFINITY, f64::min),
            maximum: times.iter().copied().fold(0.0, f64::max),
            value: None,
        };
        let work = |(at, times): (usize, &Vec<f64>)| WorkerWork {
            rank: at as u32 + 1,
            tasks: (TASKS / workers) as u64,
            chunks: times.len() as u64,
            busy_s: sum(times),
            // As the library has it of a chunk: its time's square by its tasks.
            sum_sq_s2: (TASKS / workers) as f64 * 4e-6 / 3.0,
            tasks_timed: true,
            ..WorkerWork::default()
        };
        let seen = window(self.iteration, workers as u32, iteration_s);
        self.iteration += 1;
        if self.mark {
            return Window { per_worker: chunks.iter().enumerate().map(work).collect(), tasks: TASKS as u64, ..seen };
        }
        let points = chunks.iter().enumerate().filter(|(_, times)| !times.is_empty()).map(point).collect();
        Window { tasks: 0, workers: RANKS as u32, per_worker: Vec::new(), points, ..seen }
    }

    fn tuning_points(&self, names: [&str; 4]) -> Vec<TuningPoint> {
        let tuning_point = |(name, value): (&str, f64)| {
            if value > 1.0 { tuning_point(name, value, (1.0, 8.0)) } else { tuning_point(name, value, (0.01, 1.0)) }
        };
        names.into_iter().zip(self.values).map(tuning_point).collect()
    }

    /// Mean iteration time before the first change and after the last, and the verdicts.
    fn run(&mut self, file: &str, names: [&str; 4]) -> (f64, f64, Vec<(f64, f64, Verdict)>) {
        let mut tunlet = Scripted::read(file).unwrap_or_else(|mistake| panic!("{mistake}"));
        let (mut times, mut proposals, mut verdicts) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..60 {
            let seen = self.iterate();
            times.push(seen.iteration_s);
            for judged in tunlet.observe(Observation::Iteration(&seen)) {
                verdicts.push((proposals[judged.decision as usize], judged.measured_s, judged.verdict));
            }
            let Some(proposal) = tunlet.propose(&self.tuning_points(names)) else { continue };
            for (name, value) in &proposal.assignments {
                let at = names.iter().position(|known| known == name).expect("a tuning point");
                self.values[at] = value.number().expect("a number");
            }
            tunlet.on_settled(proposals.len() as u64, Settled::Applied { iteration: self.iteration });
            proposals.push(proposal.predicted_s);
        }
        assert_eq!(
            tunlet.refusals().iter().filter(|r| !r.why.contains("min_gain")).count(),
            0,
            "{:?}",
            tunlet.refusals()
        );
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        (times[0], mean(&times[40..]), verdicts)
    }
}

#[test]
fn a_classic_program_that_hands_out_too_much_at_first_gets_better_factors() {
    let mut untouched = Classic::new(0.98, 0.01, false);
    let before_s = (0..40).map(|_| untouched.iterate().iteration_s).sum::<f64>() / 40.0;
    let (_, after_s, verdicts) = Classic::new(0.98, 0.01, false).run(CLASSIC, ["f0", "f1", "f2", "nw"]);
    assert!(after_s < 0.985 * before_s, "{after_s} is not less than {before_s}: {verdicts:?}");
    let (predicted_s, measured_s, verdict) = verdicts[0];
    assert_eq!(verdict, Verdict::Kept);
    assert!((measured_s / predicted_s - 1.0).abs() < 0.05, "predicted {predicted_s}, measured {measured_s}");
}

#[test]
fn a_program_with_its_own_batches_gets_the_shares_that_a_search_finds() {
    let (before_s, after_s, verdicts) = Classic::new(0.98, 0.01, true).run(OWN, ["F0", "F1", "F2", "none"]);
    assert!(after_s < 0.98 * before_s, "{before_s} {after_s} {verdicts:?}");
    assert_eq!(verdicts[0].2, Verdict::Kept);
}

#[test]
fn the_rule_of_an_example_follows_the_spread_of_the_tasks() {
    let mut tunlet = Scripted::read(SPREAD).unwrap();
    let mut seen = window(0, 8, 0.13);
    for work in &mut seen.per_worker {
        work.sum_sq_s2 = 100.0 * 1e-6 * 1.64; // sigma is 80 % of mu
    }
    tunlet.observe(Observation::Iteration(&seen));
    tunlet.observe(Observation::Iteration(&Window { iteration: 1, ..seen }));
    let proposal = tunlet.propose(&[tuning_point("mw.factor", 0.9, (0.0, 1.0))]).expect("a proposal");
    // 1/(1 + 0.8 sqrt(8/2)) = 0.385, in steps of 0.1 from 0.1.
    assert_eq!(proposal.to, "0.4", "{proposal:?}");
}

#[test]
fn the_description_for_people_names_everything_and_shows_the_examples() {
    for function in FUNCTIONS {
        assert!(GUIDE.contains(function.call), "docs/tunlets.md lacks {}", function.call);
    }
    for (name, _) in NUMBERS.iter().chain(&OTHERS) {
        assert!(GUIDE.contains(&format!("`{name}`")), "docs/tunlets.md lacks {name}");
    }
    for example in [SPREAD, OWN, STAGES] {
        assert!(GUIDE.contains(example.trim_end()), "docs/tunlets.md shows another file:\n{example}");
    }
}
