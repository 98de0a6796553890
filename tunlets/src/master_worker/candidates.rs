//! Candidate settings and their simulated iteration times.

use super::experience::SHARES;
use super::own_chunks::OwnChunks;
use super::workload::WorkloadEstimator;
use crate::confidence::{Confidence, Gain};
use crate::model_error::EXACT;
use crate::proposal::ASSIGNMENTS;
use crate::tuning_point::{Value, names};
use crate::{TuningPoint, Window};
use midrun_models::batches::Rest;
use midrun_models::factoring::least_chunk;
use midrun_models::simulate::{Drawings, SimInput, SimResult};
use midrun_scheduling::{Technique, TechniqueParameters};

/// Simulated iterations per candidate: few for all, more for those that may be the best, few to explain a measurement. The
/// decision must be ready early in the next iteration.
pub const COARSE: u64 = 4;
/// See [`COARSE`].
pub const FINE: u64 = 24;
/// See [`COARSE`].
pub const EXPLAIN: u64 = 2;
/// The same random numbers in each window: chance does not favour another setting each time.
pub const SEED: u64 = 1;
/// Candidates simulated further, besides those that are preferred on near ties.
const PROMISING: usize = 4;
/// Beyond so many simulated tasks the runs become fewer, but not fewer than these: the scatter of two is hardly known.
const TASKS: u64 = 80_000;
const LEAST: u64 = 3;

/// A setting and the iteration time that is expected of it, as a multiple of the shortest possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The setting.
    pub setting: TechniqueParameters,
    /// Expected iteration time / the shortest possible.
    pub ratio: f64,
    /// Expected iteration time, seconds.
    pub iteration_s: f64,
    /// Its standard deviation by chance of the tasks, as a share of it.
    pub deviation: f64,
    /// Chunks that it cuts.
    pub chunks: f64,
    /// Gain over the setting that it is compared with: as simulated on the same drawings, until it is corrected.
    pub gain: Gain,
    /// The gain over all kinds of iterations, once it is corrected; see [`WorkloadEstimator::other_kinds`].
    pub overall: Gain,
    /// Its standard error by the drawings alone.
    pub drawn: f64,
    /// Its standard error by the unexplained time of iterations: that may be the chunks', or the machine's and the same with any setting.
    pub attributed: f64,
}

/// The setting of technique `kind` with the estimated task times.
pub fn informed(kind: Technique, factor: f64, workload: &WorkloadEstimator) -> TechniqueParameters {
    let (mean_s, sigma_s) = (workload.mean_s, workload.sigma_s());
    let least = least_chunk(workload.chunk_cost_s, workload.mean_s, workload.workers);
    // The master's cost is a rough estimate: it never forces chunks that could unbalance the end.
    let most = workload.tasks / (20 * u64::from(workload.workers.max(1)));
    let min_chunk = if kind == Technique::None { 1 } else { least.clamp(1, most.max(1)) };
    TechniqueParameters {
        kind,
        factor,
        mean_s,
        sigma_s,
        min_chunk,
        recall: workload.recall,
        counter: false,
        team_size: 0,
        synchronous: workload.synchronous,
    }
}

/// The tuning points that make up a setting. How messages are sent is the user's choice, made for what it saves in memory: each candidate
/// sends as the present setting does.
pub fn assignments(setting: &TechniqueParameters) -> Vec<(String, Value)> {
    let all = [
        (names::TECHNIQUE, f64::from(setting.kind.code())),
        (names::FACTOR, setting.factor),
        (names::TASK_MEAN_S, setting.mean_s),
        (names::TASK_SIGMA_S, setting.sigma_s),
        (names::MIN_CHUNK, setting.min_chunk.max(1) as f64),
        (names::RECALL, f64::from(u8::from(setting.recall))),
        (names::COUNTER, f64::from(u8::from(setting.counter))),
        (names::TEAM_SIZE, f64::from(setting.team_size)),
    ];
    all.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Whether a setting keeps to what a person has set of what it reads: the points that are `held`.
pub fn keeps(setting: &TechniqueParameters, held: &[TuningPoint]) -> bool {
    let reads = |name: &str| match name {
        names::FACTOR => setting.kind.has_share(),
        // Those that are set stay, and are none that the technique was chosen by.
        names::TASK_MEAN_S | names::TASK_SIGMA_S | names::MIN_CHUNK => false,
        _ => true,
    };
    let read: Vec<(String, Value)> = assignments(setting).into_iter().filter(|(name, _)| reads(name)).collect();
    !held.iter().any(|point| point.is_against(&read))
}

/// Leaves out what cannot be assigned: what a person has set, the counter where tasks carry input, sub-teams where there can be none, recall where it stays as it is;
/// and of more assignments than one action takes those that the technique does not read, then the counter or the sub-teams that stay.
pub fn fit(assignments: &mut Vec<(String, Value)>, tuning_points: &[TuningPoint]) {
    let may_lack = |name: &str| [names::COUNTER, names::TEAM_SIZE].contains(&name);
    let offered = |name: &str| tuning_points.iter().find(|point| point.name == name);
    assignments.retain(|(name, _)| !offered(name).is_some_and(|point| point.held));
    assignments.retain(|(name, _)| !may_lack(name) || offered(name).is_some());
    let recalls = offered(names::RECALL).map(|point| point.value);
    assignments.retain(|(name, value)| name != names::RECALL || recalls.is_some_and(|now| value.number() != Some(now)));
    let code = assignments.iter().find(|(name, _)| name == names::TECHNIQUE).and_then(|(_, value)| value.number());
    let has_share = code.and_then(|code| Technique::from_code(code as u32)).is_some_and(Technique::has_share);
    if assignments.len() > ASSIGNMENTS {
        let unread: &[&str] = if has_share { &[names::TASK_MEAN_S, names::TASK_SIGMA_S] } else { &[names::FACTOR] };
        assignments.retain(|(name, _)| !unread.contains(&name.as_str()));
    }
    let stays = |(name, value): &(String, Value)| {
        may_lack(name) && offered(name).is_some_and(|point| value.number() == Some(point.value))
    };
    while assignments.len() > ASSIGNMENTS
        && let Some(at) = assignments.iter().position(stays)
    {
        assignments.remove(at);
    }
    // Where both change, DAF measures mean and deviation by itself.
    if assignments.len() > ASSIGNMENTS {
        assignments.retain(|(name, _)| ![names::TASK_MEAN_S, names::TASK_SIGMA_S].contains(&name.as_str()));
    }
}

/// The settings worth simulating when any technique may be used.
pub fn all(workload: &WorkloadEstimator) -> Vec<TechniqueParameters> {
    // FSC(1) is the static split under another name.
    let is_static = |s: &TechniqueParameters| s.kind == Technique::Fsc && s.factor >= 1.0;
    let sent = Technique::ALL.into_iter().flat_map(|kind| of_kind(kind, workload)).filter(|s| !is_static(s));
    let relieved = Technique::ALL.into_iter().flat_map(|kind| relieving(kind, workload));
    sent.chain(relieved).collect()
}

/// The technique as it relieves the master: with chunks from the shared counter, and with sub-masters.
pub fn relieving(kind: Technique, workload: &WorkloadEstimator) -> impl Iterator<Item = TechniqueParameters> {
    counted(kind, workload).into_iter().chain(led(kind, workload))
}

/// The technique in sub-teams, where there can be some and it could pay: to serve each worker once takes the master a share of the ideal
/// time that is more than the model's error. With N workers in teams of k a round is N/k chunks' messages for the master and k for a
/// sub-master: together the fewest with the root of N.
fn led(kind: Technique, workload: &WorkloadEstimator) -> Option<TechniqueParameters> {
    let workers = f64::from(workload.workers);
    let may_pay = workload.chunk_cost_s * workers > EXACT * workload.ideal_s();
    let team_size = (workers.sqrt().round() as u32).min(workload.largest_team);
    let setting = TechniqueParameters { team_size, ..informed(kind, 0.0, workload) };
    (may_pay && team_size > 2 && workload.workers > team_size).then_some(setting)
}

/// The technique with chunks from the shared counter, where all workers can use it. Its smallest chunk costs the master nothing.
fn counted(kind: Technique, workload: &WorkloadEstimator) -> Option<TechniqueParameters> {
    let setting = TechniqueParameters { min_chunk: 1, counter: true, ..informed(kind, 0.0, workload) };
    (workload.counter && setting.counts() && kind != Technique::None).then_some(setting)
}

/// The settings of one technique: the shares of FSC and DPF, else the one there is.
pub fn of_kind(kind: Technique, workload: &WorkloadEstimator) -> Vec<TechniqueParameters> {
    let share = |n: u32| f64::from(n) / f64::from(SHARES);
    match kind {
        Technique::Fsc => (1..=SHARES).map(|n| informed(kind, share(n), workload)).collect(),
        Technique::Dpf => (1..SHARES).map(|n| informed(kind, share(n), workload)).collect(),
        _ => vec![informed(kind, 0.0, workload)],
    }
}

/// Whether an iteration's end is even wherever its dear tasks are: chunks are single tasks, or as small as the scatter that the
/// iteration itself shows asks for, or tasks are taken back from busy workers. Such an iteration is at most its longest task longer
/// than the ideal, beside what its chunks cost (Graham 1969).
pub fn is_bounded(setting: &TechniqueParameters) -> bool {
    ends_evenly(setting) || matches!(setting.kind, Technique::Af | Technique::Daf)
}

/// The same where that needs nothing that the iteration must show first.
pub fn ends_evenly(setting: &TechniqueParameters) -> bool {
    // Nothing is recalled of chunks that were taken from the counter; equal ones as small as those of the start by it are bounded without.
    let start = TechniqueParameters::START_BY_COUNTER;
    let is_recalled = setting.recall && !setting.counts();
    let is_small = setting.counts() && setting.kind == start.kind && setting.share() <= start.share();
    is_recalled || is_small || setting.kind == Technique::Ss
}

/// Whether a setting may be applied inside an iteration. The remaining tasks are cut while workers are still busy: without recall a
/// technique whose share of them is set beforehand waits for the next iteration.
fn fits_inside(setting: &TechniqueParameters) -> bool {
    setting.recall || !(setting.kind == Technique::None || setting.kind.has_share())
}

/// Whether a change begins in the running iteration: it is one of technique or recall that fits inside, and what relieves the master begins
/// and ends with an iteration.
pub fn begins_at_once(from: &TechniqueParameters, to: &TechniqueParameters) -> bool {
    let at_start = from.is_relieving() || to.is_relieving();
    (from.kind, from.recall) != (to.kind, to.recall) && fits_inside(to) && !at_start
}

/// Forecasts of `settings`, in their order, all on the same drawn tasks. The same workload and seed give the same
/// forecasts.
pub fn forecast(workload: &WorkloadEstimator, settings: &[TechniqueParameters], seed: u64, runs: u64) -> Vec<Forecast> {
    let load = workload.load();
    let drawings = draw(&load, seed, runs);
    settings.iter().map(|&setting| Simulation::new(&drawings, &load, setting, runs).forecast(None)).collect()
}

/// The shares of the technique that was in force in an iteration, the best by simulation first; empty where it has none, or nothing was seen.
pub fn shares(window: &Window, confidence: Confidence) -> Vec<f64> {
    let mut workload = None;
    WorkloadEstimator::learn(&mut workload, window, confidence);
    let Some(workload) = workload.filter(|_| window.setting.kind.has_share()) else { return Vec::new() };
    let mut all = forecast(&workload, &of_kind(window.setting.kind, &workload), SEED, FINE);
    all.sort_by(|a, b| a.iteration_s.total_cmp(&b.iteration_s));
    all.into_iter().map(|forecast| forecast.setting.factor).collect()
}

/// How many of `most` simulations of an iteration with so many tasks are run.
pub fn runs(tasks: u64, most: u64) -> u64 {
    (TASKS / tasks.max(1)).clamp(LEAST, FINE).min(most)
}

fn draw(load: &SimInput, seed: u64, runs: u64) -> Drawings {
    Drawings::new(load, seed..seed + self::runs(load.tasks, runs))
}

/// A setting's simulated iterations.
struct Simulation {
    setting: TechniqueParameters,
    each: Vec<SimResult>,
    /// Share of the drawings that are independent of each other.
    independent: f64,
}

impl Simulation {
    fn new(drawings: &Drawings, load: &SimInput, setting: TechniqueParameters, runs: u64) -> Simulation {
        let each = drawings.each(load, &setting, runs as usize);
        Simulation { setting, each, independent: drawings.independent() }
    }

    /// `None` where the mean time is above `most_s`, seconds.
    fn within(
        drawings: &Drawings,
        load: &SimInput,
        (setting, runs): (TechniqueParameters, u64),
        most_s: f64,
    ) -> Option<Simulation> {
        let each = drawings.each_within(load, &setting, 0..runs as usize, most_s)?;
        Some(Simulation { setting, each, independent: drawings.independent() })
    }

    /// With the drawings up to `runs` that were left out.
    fn continued(mut self, drawings: &Drawings, load: &SimInput, runs: u64) -> Simulation {
        let left_out = self.each.len()..runs as usize;
        let more = drawings.each_within(load, &self.setting, left_out, f64::INFINITY);
        self.each.extend(more.into_iter().flatten());
        self
    }

    fn times_s(&self) -> Vec<f64> {
        self.each.iter().map(|result| result.iteration_s).collect()
    }

    /// Compared with `other`, if there is one.
    fn forecast(&self, other: Option<(&Simulation, Confidence)>) -> Forecast {
        let result = SimResult::mean(&self.each);
        let (iteration_s, deviation, chunks) = (result.iteration_s, result.deviation, result.chunks);
        let paired = |(other, confidence): (&Simulation, Confidence)| {
            Gain::paired(&other.times_s(), &self.times_s(), confidence).of_independent(self.independent)
        };
        let gain = other.map_or(Gain::NONE, paired);
        let (ratio, drawn) = (result.ratio(), gain.error);
        let setting = self.setting;
        Forecast { setting, ratio, iteration_s, deviation, chunks, gain, overall: gain, drawn, attributed: 0.0 }
    }

    /// ln(time / that of `other`), by the first drawings of both.
    fn against(&self, other: &Simulation) -> f64 {
        let mean_s =
            |of: &Simulation| of.each.iter().take(COARSE as usize).map(|result| result.iteration_s).sum::<f64>();
        (mean_s(self) / mean_s(other)).ln()
    }
}

/// Forecast of one setting, over as many drawings as [`shortlist`] takes.
pub fn present(workload: &WorkloadEstimator, current: TechniqueParameters) -> Forecast {
    let load = workload.load();
    Simulation::new(&draw(&load, SEED, FINE), &load, current, FINE).forecast(None)
}

/// The `settings` that may be the best.
pub fn best_of(workload: &WorkloadEstimator, settings: &[TechniqueParameters]) -> Vec<TechniqueParameters> {
    let load = workload.load();
    promising(&draw(&load, SEED, COARSE), &load, settings).into_iter().map(|there| there.setting).collect()
}

/// Forecasts of the `settings` that may be the best and of `others`, and of `current` first of all.
pub fn shortlist(
    workload: &WorkloadEstimator,
    current: TechniqueParameters,
    (settings, others): (&[TechniqueParameters], &[TechniqueParameters]),
    confidence: Confidence,
) -> (Forecast, Vec<Forecast>) {
    let load = workload.load();
    let drawings = draw(&load, SEED, FINE);
    let now = Simulation::new(&drawings, &load, current, FINE);
    let explained = workload.without_overhead().load();
    let bare = |setting: TechniqueParameters| Simulation::new(&drawings, &explained, setting, COARSE);
    let now_bare = workload.has_overhead().then(|| bare(current));
    let best = promising(&drawings, &load, settings);
    let is_new = |setting: &&TechniqueParameters| !best.iter().any(|there| there.setting == **setting);
    let others: Vec<TechniqueParameters> = others.iter().filter(is_new).copied().collect();
    let others = others.into_iter().map(|setting| Simulation::new(&drawings, &load, setting, COARSE));
    let fine = best.into_iter().chain(others).map(|coarse| {
        let there = coarse.continued(&drawings, &load, FINE);
        // Of two explanations that nothing tells apart each is half as far from their mean as from the other.
        let attributed = now_bare
            .as_ref()
            .map_or(0.0, |now_bare| 0.5 * (there.against(&now) - bare(there.setting).against(now_bare)).abs());
        Forecast { attributed, ..there.forecast(Some((&now, confidence))) }
    });
    (now.forecast(None), fine.collect())
}

/// Forecasts of all `settings`, and of `current` first of all.
pub fn compare(
    workload: &WorkloadEstimator,
    current: TechniqueParameters,
    settings: &[TechniqueParameters],
    confidence: Confidence,
) -> (Forecast, Vec<Forecast>) {
    let load = workload.load();
    let drawings = draw(&load, SEED, FINE);
    let now = Simulation::new(&drawings, &load, current, FINE);
    let of = |setting: &TechniqueParameters| {
        Simulation::new(&drawings, &load, *setting, FINE).forecast(Some((&now, confidence)))
    };
    (now.forecast(None), settings.iter().map(of).collect())
}

/// The best chunks that a program which cuts them by itself can be told, and their forecast beside that of those it cuts now, on the same drawings;
/// these are others than those that the best was searched with, which flatter it.
pub fn other_chunks(
    workload: &WorkloadEstimator,
    current: TechniqueParameters,
    (own, rest): (&OwnChunks<'_>, Option<Rest>),
    confidence: Confidence,
) -> Option<(Forecast, Forecast, Vec<f64>)> {
    let known = workload.load();
    // Where their number changes, what one costs decides. The fewer were seen, the less is known of it: it may be all that their workers were idle.
    let least = known.unexplained_s;
    let most = if own.are_batches() { least } else { workload.most_unexplained_s() };
    let load = SimInput { unexplained_s: f64::midpoint(least, most), ..known };
    let found = own.best(&load, rest, SEED + FINE)?.batches;
    let values = own.values_for(&found);
    let found = own.batches(&values, rest.unwrap_or_default());
    let drawings = draw(&load, SEED, FINE);
    let pair = |unexplained_s: f64, runs: u64| {
        let now = SimInput { unexplained_s, ..load.clone() };
        let there = SimInput { batches: Some(found.clone()), ..now.clone() };
        [now, there].map(|load| Simulation::new(&drawings, &load, current, runs))
    };
    let [now, there] = pair(load.unexplained_s, FINE);
    let attributed = (most > least).then(|| {
        let [by_least, by_most] = [least, most].map(|each_s| {
            let [now, there] = pair(each_s, COARSE);
            there.against(&now)
        });
        0.5 * (by_least - by_most).abs()
    });
    let forecast = Forecast { attributed: attributed.unwrap_or(0.0), ..there.forecast(Some((&now, confidence))) };
    Some((now.forecast(None), forecast, values))
}

/// The settings that are to be simulated further, the best first: the first few of a coarse look, and those that are preferred on
/// near ties. What can no longer be among them is not simulated to its end.
fn promising(drawings: &Drawings, load: &SimInput, settings: &[TechniqueParameters]) -> Vec<Simulation> {
    let preferred = |setting: &TechniqueParameters| matches!(setting.kind, Technique::None | Technique::Daf);
    let mut best: Vec<(f64, usize, Simulation)> = Vec::new();
    // From behind: single tasks, the slowest to simulate, stand in front.
    for (at, setting) in settings.iter().enumerate().rev() {
        let last_s = best.get(PROMISING - 1).map_or(f64::INFINITY, |(time_s, ..)| *time_s);
        let most_s = if preferred(setting) { last_s * (1.0 + EXACT) } else { last_s };
        if let Some(there) = Simulation::within(drawings, load, (*setting, COARSE), most_s) {
            let time_s = there.forecast(None).iteration_s;
            let place = best.partition_point(|known| (known.0, known.1) < (time_s, at));
            best.insert(place, (time_s, at, there));
        }
    }
    let best = best.into_iter().map(|(.., there)| there).enumerate();
    best.filter(|(rank, there)| *rank < PROMISING || preferred(&there.setting)).map(|(_, there)| there).collect()
}
