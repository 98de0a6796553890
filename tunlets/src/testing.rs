//! Windows for tests.

use crate::choice::Choice;
use crate::tuning_point::{TuningPoint, names};
use crate::{PROFILE_BINS, ProfileBin, Proposal, Tunlet, Window, WorkerWork};
use crate::{StageWindow, StageWork, StreamWindow};
use midrun_scheduling::plan::Plan;
use midrun_scheduling::{Technique, TechniqueParameters};

/// An iteration of even tasks: 100 tasks of 1 ms for each of `workers` workers.
pub fn window(iteration: u64, workers: u32, iteration_s: f64) -> Window {
    let work = |rank| WorkerWork {
        rank,
        tasks: 100,
        chunks: 10,
        busy_s: 0.1,
        sum_sq_s2: 100.0 * 1e-6,
        tasks_timed: true,
        ..WorkerWork::default()
    };
    let tasks = 100 * u64::from(workers);
    let each = tasks as f64 / PROFILE_BINS as f64;
    Window {
        tasks,
        workers,
        chunks: 10 * u64::from(workers),
        master_busy_s: 1e-4,
        per_worker: (1..=workers).map(work).collect(),
        profile: vec![ProfileBin { tasks: each, busy_s: each * 1e-3 }; PROFILE_BINS],
        ..Window::of_time(iteration, iteration_s)
    }
}

/// An iteration of `master`, whose first worker is `slow` times as slow as the others.
pub fn uneven(master: u32, iteration: u64, slow: f64) -> Window {
    let setting = TechniqueParameters::new(Technique::None);
    let mut seen = Window { master: Some(master), setting, chunks: 4, ..window(iteration, 4, 0.1 * slow) };
    for work in &mut seen.per_worker {
        (work.rank, work.chunks) = (work.rank + master, 1);
    }
    seen.per_worker[0].busy_s *= slow;
    seen.per_worker[0].sum_sq_s2 *= slow * slow;
    seen
}

/// Tuning points of the framework of `master`.
pub fn offered(master: u32) -> Vec<TuningPoint> {
    let point = |name: &str, most| TuningPoint {
        rank: master,
        name: name.to_owned(),
        whole: true,
        range: (0.0, most),
        value: 0.0,
        declared: 0.0,
        text: None,
        held: false,
    };
    vec![point(names::TECHNIQUE, 11.0), point(names::FACTOR, 1.0), point(names::MIN_CHUNK, 1e9)]
}

/// A window of 10 outputs, with the times that a plan gives stages of `compute_s` on ranks that are all alike.
pub fn stream(number: u64, plan: &str, ranks: u32, compute_s: &[f64]) -> StreamWindow {
    stream_on(number, plan, &vec![1.0; ranks as usize], compute_s)
}

/// The same where rank k + 1 takes `slowness[k]` times as long. Groups take ranks in their order unless the plan says which.
pub fn stream_on(number: u64, plan: &str, slowness: &[f64], compute_s: &[f64]) -> StreamWindow {
    let parsed = Plan::parse(plan, &vec![false; compute_s.len()]).expect("a plan");
    let outputs = 10;
    let mut stages = vec![StageWindow::default(); compute_s.len()];
    let (mut next, mut period_s) = (1, 0.0_f64);
    for group in &parsed.0 {
        let places = if group.at.is_empty() { (next..next + group.replicas).collect() } else { group.at.clone() };
        next += group.replicas;
        let each_s: f64 = compute_s[group.range()].iter().sum();
        let rate = |place: &usize| 1.0 / (each_s * slowness[place - 1]);
        let all: f64 = places.iter().map(rate).sum();
        period_s = period_s.max(1.0 / all);
        for stage in group.range() {
            for place in &places {
                // At least one input each, so that every rank is seen.
                let inputs = (outputs as f64 * rate(place) / all).round().max(1.0);
                let time_s = compute_s[stage] * slowness[place - 1];
                stages[stage].by_rank.push(StageWork {
                    place: *place as u32,
                    inputs: inputs as u64,
                    busy_s: inputs * time_s,
                    sum_sq_s2: inputs * time_s * time_s,
                    bytes: 1000.0 * inputs,
                    ..StageWork::default()
                });
            }
        }
    }
    let seconds = period_s * outputs as f64;
    let ranks = slowness.len() as u32;
    let settled = true;
    StreamWindow { number, plan: plan.into(), settled, outputs, seconds, ranks, stages, ..StreamWindow::default() }
}

/// The tuning point of a pipeline that goes by `plan`.
pub fn pattern_tuning_point(plan: &str) -> TuningPoint {
    let (name, text) = (names::PATTERN.to_owned(), Some(plan.to_owned()));
    TuningPoint { rank: 0, name, whole: false, range: (0.0, 4096.0), value: 0.0, declared: 0.0, text, held: false }
}

/// Asks two copies of a tunlet: the second one's proposal does not go out. Asserts that it is as before, and proposes the same when it is asked
/// again; returns that.
pub fn lose<T: Tunlet + Clone + std::fmt::Debug>(tunlet: &T, tuning_points: &[TuningPoint]) -> Proposal {
    let text = |tunlet: &T| format!("{tunlet:?}");
    let mut both = [tunlet.clone(), tunlet.clone()];
    let mut proposed = Vec::new();
    let sent = Choice::new().ask(both.iter_mut().enumerate(), |_, one| {
        let proposal = one.propose(tuning_points)?;
        proposed.push(format!("{proposal:?}"));
        Some(proposal)
    });
    assert_eq!(sent.map(|(at, _)| at), Some(0), "both propose, and are worth the same");
    let [winner, mut loser] = both;
    assert_ne!(text(&winner), text(tunlet), "it was asked");
    assert_eq!(text(&loser), text(tunlet));
    let again = loser.propose(tuning_points).expect("the same");
    assert_eq!(proposed, [format!("{again:?}"), format!("{again:?}")]);
    again
}
