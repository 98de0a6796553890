//! The tunlet against a plant: iterations of drawn tasks, handed out by the real code, seen through windows.

use super::{Limits, MasterWorker, Mode};
use crate::confidence::Confidence;
use crate::options::Objective;
use crate::tuning_point::{Value, names};
use crate::{
    ChunkWork, Observation, PROFILE_BINS, ProfileBin, Settled, TuningPoint, Tunlet, Verdict, Window, WorkerWork,
};
use midrun_scheduling::{ChunkScheduler, Technique, TechniqueParameters, WorkerSpeed};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};

#[derive(Clone, Copy, Debug)]
pub(super) enum Dist {
    Normal(f64),
    Exponential,
    Bimodal,
    Linear,
    /// A zone in the middle that grows with the iterations; beside it there is hardly anything to do.
    Fire,
    /// The first tenth of the tasks takes sixty times as long as the others.
    Front,
}

pub(super) struct Plant {
    pub(super) random: SmallRng,
    pub(super) dist: Dist,
    pub(super) tasks: usize,
    pub(super) mean_s: f64,
    pub(super) slowness: Vec<f64>,
    pub(super) chunk_cost_s: f64,
    /// Makes dynamic techniques dearer than the tunlet can know.
    hidden_cost_s: f64,
    pub(super) setting: TechniqueParameters,
    pub(super) iteration: u64,
}

impl Plant {
    pub(super) fn new(dist: Dist) -> Self {
        Plant {
            random: SmallRng::seed_from_u64(42),
            dist,
            tasks: 10_000,
            mean_s: 2e-3,
            slowness: vec![1.0; 25],
            chunk_cost_s: 8e-6,
            hidden_cost_s: 0.0,
            setting: TechniqueParameters::new(Technique::None),
            iteration: 0,
        }
    }

    fn draw(&mut self) -> Vec<f64> {
        let n = self.tasks;
        (0..n)
            .map(|i| {
                let unit = match self.dist {
                    Dist::Normal(v) => {
                        let z: f64 = StandardNormal.sample(&mut self.random);
                        (1.0 + v * z).max(0.0)
                    }
                    Dist::Exponential => Exp1.sample(&mut self.random),
                    Dist::Bimodal => {
                        if self.random.random_bool(0.1) {
                            5.5
                        } else {
                            0.5
                        }
                    }
                    Dist::Linear => 2.0 * i as f64 / n as f64,
                    Dist::Front if i < n / 10 => 30.0,
                    Dist::Front => 0.5,
                    Dist::Fire => {
                        let away = (i as f64 + 0.5) / n as f64 - 0.5;
                        let burns = away.abs() <= 0.02 + 0.01 * self.iteration as f64;
                        let unit: f64 = self.random.random_range(0.0..2.0);
                        unit * if burns { 4.0 } else { 0.02 }
                    }
                };
                unit * self.mean_s
            })
            .collect()
    }

    /// One iteration; `change` is applied when that many chunks are out.
    pub(super) fn iterate(&mut self, change: Option<TechniqueParameters>) -> Window {
        let tasks = self.draw();
        let workers = self.slowness.len();
        let setting = self.setting;
        let mut handout = ChunkScheduler::new(setting, tasks.len() as u64, workers as u32);
        let mut free = vec![0.0_f64; workers];
        let mut work: Vec<WorkerWork> = (0..workers)
            .map(|w| WorkerWork { rank: w as u32 + 1, tasks_timed: true, ..WorkerWork::default() })
            .collect();
        let mut profile = vec![ProfileBin::default(); PROFILE_BINS];
        let (mut master, mut end, mut chunks) = (0.0_f64, 0.0_f64, 0u64);
        loop {
            if chunks == 5
                && let Some(new) = change
            {
                handout.set(new);
                self.setting = new;
            }
            let speeds: Vec<WorkerSpeed> = work
                .iter()
                .map(|w| {
                    let n = w.tasks.max(1) as f64;
                    let mean_s = w.busy_s / n;
                    let var_s2 = (w.sum_sq_s2 / n - mean_s * mean_s).max(0.0);
                    WorkerSpeed::known(w.tasks, w.chunks, mean_s, var_s2)
                })
                .collect();
            let next = (0..workers).min_by(|a, b| free[*a].total_cmp(&free[*b])).unwrap();
            let Some(chunk) = handout.next(next as u32, &speeds) else { break };
            // As in the framework: asked ahead while there is plenty, idle at the start and in the end.
            let idle = free[next] == 0.0 || handout.remaining() <= 2 * workers as u64;
            // A sub-master's message is about half of its team's chunks.
            let cost_s = setting.sub_team_size().map_or(1.0, |size| 2.0 / f64::from(size)) * self.chunk_cost_s;
            master = master.max(free[next] - if idle { 0.0 } else { self.mean_s }) + cost_s;
            let mut at = free[next].max(master) + if idle { 100e-6 } else { 0.0 } + self.hidden_cost_s;
            if setting.counts() {
                // The master only tells each worker once to begin.
                (master, at) = (0.0, free[next].max(100e-6 + self.chunk_cost_s * (next + 1) as f64));
            }
            let w = &mut work[next];
            let (mut chunk_s, mut chunk_sq_s2) = (0.0, 0.0);
            for i in chunk.first..chunk.first + chunk.count {
                let time_s = tasks[i as usize] * self.slowness[next];
                at += time_s;
                w.busy_s += time_s;
                w.sum_sq_s2 += time_s * time_s;
                chunk_s += time_s;
                chunk_sq_s2 += time_s * time_s;
            }
            let (first, count) = (chunk.first, chunk.count);
            w.each_chunk.push(ChunkWork { first, tasks: count, busy_s: chunk_s, sum_sq_s2: chunk_sq_s2 });
            share(&mut profile, (chunk.first, chunk.count), tasks.len(), chunk_s);
            w.tasks += chunk.count;
            w.chunks += 1;
            chunks += 1;
            free[next] = at;
            end = end.max(at);
        }
        let iteration = self.iteration;
        self.iteration += 1;
        Window {
            tasks: tasks.len() as u64,
            workers: workers as u32,
            chunks,
            master_busy_s: if setting.counts() { 2 * workers as u64 } else { chunks } as f64 * self.chunk_cost_s,
            setting: TechniqueParameters { mean_s: 0.0, sigma_s: 0.0, min_chunk: 1, ..setting },
            setting_changed: change.is_some(),
            per_worker: work,
            profile,
            ..Window::of_time(iteration, end)
        }
    }
}

/// Of a chunk only its time is known, not those of its tasks: all bins that it crosses get their share.
pub(super) fn share(profile: &mut [ProfileBin], (first, count): (u64, u64), tasks: usize, chunk_s: f64) {
    let width = tasks as f64 / profile.len() as f64;
    let (from, to) = (first as f64, (first + count) as f64);
    for (bin, at) in profile.iter_mut().zip(0..) {
        let inside = (to.min(width * f64::from(at + 1)) - from.max(width * f64::from(at))).max(0.0);
        bin.tasks += inside;
        bin.busy_s += chunk_s * inside / count as f64;
    }
}

/// A tunlet that leaves the number of workers alone.
pub(super) fn tunlet(mode: Mode) -> MasterWorker {
    MasterWorker::new(mode, Objective::Fixed, Confidence::default(), Limits::default())
}

pub(super) fn tuning_points() -> Vec<TuningPoint> {
    let tuning_point = |name: &str, to| TuningPoint {
        rank: 0,
        name: name.into(),
        whole: false,
        range: (0.0, to),
        value: 0.0,
        declared: 0.0,
        text: None,
        held: false,
    };
    vec![
        tuning_point(names::TECHNIQUE, 7.0),
        tuning_point(names::FACTOR, 1.0),
        tuning_point(names::TASK_MEAN_S, 1e9),
        tuning_point(names::TASK_SIGMA_S, 1e9),
        tuning_point(names::MIN_CHUNK, 1e9),
    ]
}

pub(super) fn setting_of(assignments: &[(String, Value)]) -> TechniqueParameters {
    // What the technique does not read may be missing.
    let value = |name: &str| assignments.iter().find(|(n, _)| n == name).map_or(0.0, |(_, v)| v.number().unwrap());
    TechniqueParameters {
        kind: Technique::from_code(value(names::TECHNIQUE) as u32).unwrap(),
        factor: value(names::FACTOR),
        mean_s: value(names::TASK_MEAN_S),
        sigma_s: value(names::TASK_SIGMA_S),
        min_chunk: value(names::MIN_CHUNK) as u64,
        recall: false,
        team_size: value(names::TEAM_SIZE) as u32,
        counter: value(names::COUNTER) == 1.0,
        synchronous: value(names::SYNCHRONOUS) == 1.0,
    }
}

pub(super) struct Run {
    pub(super) ratios: Vec<f64>,
    verdicts: Vec<Verdict>,
    pub(super) decisions: Vec<String>,
    pub(super) last: TechniqueParameters,
}

/// A run as the analyzer would drive it: what is proposed after a window is applied inside the next iteration.
fn run(tunlet: &mut MasterWorker, plant: &mut Plant, iterations: usize, disturb: impl FnMut(&mut Plant, usize)) -> Run {
    run_offering(&tuning_points(), tunlet, plant, iterations, disturb)
}

/// The same with other tuning points.
pub(super) fn run_offering(
    tuning_points: &[TuningPoint],
    tunlet: &mut MasterWorker,
    plant: &mut Plant,
    iterations: usize,
    mut disturb: impl FnMut(&mut Plant, usize),
) -> Run {
    let mut run = Run { ratios: vec![], verdicts: vec![], decisions: vec![], last: plant.setting };
    let mut change = None;
    let mut decision = 0;
    for i in 0..iterations {
        disturb(plant, i);
        let was_changed = change.is_some();
        let window = plant.iterate(change.take());
        if was_changed {
            tunlet.on_settled(decision, Settled::Applied { iteration: window.iteration });
            decision += 1;
        }
        run.ratios.push(window.iteration_s / window.ideal_s());
        let judgements = tunlet.observe(Observation::Iteration(&window));
        run.verdicts.extend(judgements.iter().map(|j| j.verdict));
        if let Some(proposal) = tunlet.propose(tuning_points) {
            run.decisions.push(format!("{i}: {} -> {} because {}", proposal.from, proposal.to, proposal.why));
            change = Some(setting_of(&proposal.assignments));
        }
    }
    run.last = plant.setting;
    run
}

fn mean(ratios: &[f64]) -> f64 {
    ratios.iter().sum::<f64>() / ratios.len() as f64
}

fn best_fixed(dist: Dist, slowness: Option<Vec<f64>>) -> f64 {
    Technique::ALL
        .into_iter()
        .map(|kind| {
            let mut plant = Plant::new(dist);
            plant.slowness = slowness.clone().unwrap_or(plant.slowness);
            plant.setting = TechniqueParameters::new(kind);
            let ratios: Vec<f64> = (0..10).map(|_| plant.iterate(None)).map(|w| w.iteration_s / w.ideal_s()).collect();
            mean(&ratios)
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn uneven_tasks_are_near_the_ideal_from_the_third_iteration_on() {
    for dist in
        [Dist::Normal(0.2), Dist::Normal(0.4), Dist::Normal(0.8), Dist::Exponential, Dist::Bimodal, Dist::Linear]
    {
        let mut plant = Plant::new(dist);
        let result = run(&mut tunlet(Mode::Auto), &mut plant, 15, |_, _| {});
        let tuned = mean(&result.ratios[2..]);
        // Every tenth bimodal task takes 11 ms: whichever comes last shows.
        let aim = if matches!(dist, Dist::Bimodal) { 1.016 } else { 1.012 };
        assert!(tuned <= aim, "{tuned}: {:?} {:?}", result.ratios, result.decisions);
        let fixed = best_fixed(dist, None);
        assert!(tuned <= fixed * 1.005, "{tuned} against {fixed}: {:?}", result.decisions);
        assert!(!result.verdicts.contains(&Verdict::RolledBack), "{:?}", result.decisions);
        assert!(result.decisions.len() <= 4, "restless: {:?}", result.decisions);
    }
}

#[test]
fn advice_for_the_next_run_rests_on_what_was_only_advised_in_this_one() {
    // The dearest of equal parts takes four times as long as their mean.
    let mut plant = Plant::new(Dist::Fire);
    (plant.slowness, plant.chunk_cost_s) = (vec![1.0; 8], 1e-3);
    let mut tunlet = tunlet(Mode::Auto);
    let (mut now_s, mut best_s) = (f64::NAN, f64::NAN);
    for number in 0..6 {
        let window = plant.iterate(None);
        (now_s, best_s) = (window.iteration_s, window.ideal_s());
        tunlet.observe(Observation::Iteration(&window));
        if tunlet.propose(&tuning_points()).is_some() {
            tunlet.on_settled(number, Settled::NotApplied { why: None });
        }
    }
    let next = tunlet.report().next_allocation.expect("advice");
    assert!(next.regime.starts_with("imbalance-bound"), "{next:?}");
    assert!(next.technique.is_some() && next.workers >= 8, "{next:?}");
    let of_eight_s = next.iteration_s * f64::from(next.workers) / 8.0;
    assert!((best_s..0.5 * now_s).contains(&of_eight_s), "{next:?}: {best_s} {now_s}");
}

#[test]
fn a_technique_that_the_user_sets_is_not_judged_as_the_one_on_trial() {
    let mut plant = Plant::new(Dist::Exponential);
    plant.setting = TechniqueParameters::new(Technique::None);
    let of_user = TechniqueParameters::new(Technique::Gss);
    let result = run(&mut tunlet(Mode::Auto), &mut plant, 6, |plant, i| {
        if i == 2 {
            plant.setting = of_user;
        }
    });
    assert!(result.decisions[0].starts_with("0: "), "{:?}", result.decisions);
    assert_eq!(result.verdicts, [Verdict::NotApplied], "{:?}", result.decisions);
    let next = result.decisions.get(1).map_or("5: gss", String::as_str);
    assert!(next.starts_with("5: gss"), "what is next begins with the user's: {:?}", result.decisions);
}

#[test]
fn half_the_workers_four_times_slower_are_kept_busy() {
    let slowness: Vec<f64> = (0..25).map(|w| if w < 12 { 4.0 } else { 1.0 }).collect();
    let mut plant = Plant::new(Dist::Normal(0.4));
    plant.slowness = slowness.clone();
    let result = run(&mut tunlet(Mode::Auto), &mut plant, 15, |_, _| {});
    let tuned = mean(&result.ratios[3..]);
    let fixed = best_fixed(Dist::Normal(0.4), Some(slowness));
    assert!(
        tuned <= 1.012 && tuned <= fixed * 1.005,
        "{tuned} against {fixed}: {:?} {:?}",
        result.ratios,
        result.decisions
    );
}

#[test]
fn even_tasks_are_left_as_they_are() {
    for setting in [TechniqueParameters::FALLBACK, TechniqueParameters::new(Technique::None)] {
        let mut plant = Plant::new(Dist::Normal(0.0));
        plant.setting = setting;
        let result = run(&mut tunlet(Mode::Auto), &mut plant, 6, |_, _| {});
        assert!(
            result.decisions.is_empty() && mean(&result.ratios) < 1.005,
            "{:?} {:?}",
            result.ratios,
            result.decisions
        );
    }
}

#[test]
fn a_program_that_becomes_uneven_is_noticed() {
    let of = |seed| {
        let mut plant = Plant::new(Dist::Normal(0.0));
        plant.random = SmallRng::seed_from_u64(seed);
        let result = run(&mut tunlet(Mode::Auto), &mut plant, 14, |plant, i| {
            if i == 6 {
                plant.dist = Dist::Normal(0.8);
            }
        });
        assert_ne!(result.last.kind, Technique::None, "{:?}", result.decisions);
        mean(&result.ratios[9..])
    };
    let ratios: Vec<f64> = (42..62).map(of).collect();
    assert!(mean(&ratios) <= 1.012, "{ratios:?}");
}

#[test]
fn a_change_that_makes_things_worse_is_taken_back_and_not_tried_again() {
    // Each chunk costs 8 ms more than anybody can see: the model promises a gain that does not come.
    let mut plant = Plant::new(Dist::Normal(0.3));
    plant.hidden_cost_s = 8e-3;
    let result = run(&mut tunlet(Mode::Fixed(Technique::Ss)), &mut plant, 4, |_, _| {});
    assert_eq!(result.last.kind, Technique::Ss, "asked for: {:?}", result.decisions);
    let mut plant = Plant::new(Dist::Normal(0.3));
    plant.hidden_cost_s = 8e-3;
    let result = run(&mut tunlet(Mode::Auto), &mut plant, 14, |_, _| {});
    assert!(result.verdicts.contains(&Verdict::RolledBack), "{:?} {:?}", result.ratios, result.decisions);
    assert_eq!(result.last.kind, Technique::None, "{:?}", result.decisions);
}

#[test]
fn a_fixed_technique_is_kept_and_its_share_adapted() {
    for kind in [Technique::Fsc, Technique::Dpf] {
        let mut plant = Plant::new(Dist::Normal(0.8));
        plant.setting = TechniqueParameters { factor: 1.0, ..TechniqueParameters::new(kind) };
        let result = run(&mut tunlet(Mode::Fixed(kind)), &mut plant, 10, |_, _| {});
        assert_eq!(result.last.kind, kind);
        assert!(result.last.factor < 0.95, "{:?}", result.decisions);
    }
}

#[test]
fn the_same_windows_give_the_same_proposals() {
    let decisions = || run(&mut tunlet(Mode::Auto), &mut Plant::new(Dist::Exponential), 8, |_, _| {}).decisions;
    assert_eq!(decisions(), decisions());
}

#[test]
fn a_program_that_exposes_its_batch_factors_gets_shares_for_them_and_its_own_back() {
    let mut tunlet = tunlet(Mode::Auto);
    let factor = |n: u32, value| TuningPoint {
        rank: 0,
        name: format!("F{n}"),
        whole: false,
        range: (0.01, 1.0),
        value,
        declared: value,
        text: None,
        held: false,
    };
    tunlet.observe(Observation::Iteration(&Plant::new(Dist::Normal(0.8)).iterate(None)));
    let mut tuning_points = tuning_points();
    tuning_points.extend([factor(0, 0.5), factor(1, 0.25), factor(2, 0.25)]);
    let proposal = tunlet.propose(&tuning_points).expect("a proposal");
    assert_eq!(proposal.tuning_point, "factors");
    let total: f64 = proposal.assignments.iter().filter_map(|(_, value)| value.number()).sum();
    assert!((total - 1.0).abs() < 1e-9, "{:?}", proposal.assignments);
    tunlet.on_settled(0, Settled::Applied { iteration: 1 });

    // They measure worse: back to the former, and then peace.
    let mut slow = Plant::new(Dist::Normal(0.8));
    slow.iteration = 1;
    let mut judgements = Vec::new();
    for _ in 0..3 {
        let mut window = slow.iterate(None);
        window.iteration_s *= 1.1;
        judgements.extend(tunlet.observe(Observation::Iteration(&window)));
    }
    assert_eq!(judgements[0].verdict, Verdict::RolledBack);
    let back = tunlet.propose(&tuning_points).expect("the way back");
    assert_eq!(back.assignments.iter().filter_map(|(_, value)| value.number()).collect::<Vec<_>>(), [0.5, 0.25, 0.25]);
    tunlet.on_settled(1, Settled::Applied { iteration: 4 });
    slow.iteration = 5;
    for _ in 0..5 {
        tunlet.observe(Observation::Iteration(&slow.iterate(None)));
        assert_eq!(tunlet.propose(&tuning_points), None);
    }
}
