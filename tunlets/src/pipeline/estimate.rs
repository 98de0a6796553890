//! Estimates of a pipeline's stages and ranks: compute times, slowness of each rank, cost of messages.

use crate::confidence::Confidence;
use crate::noise::Noise;
use crate::stream::{StageWindow, StageWork, StreamWindow, TeamWork};
use crate::trial::MODEL;
use midrun_models::line::{median, theil_sen};
use midrun_models::pipeline::team::{Team, TeamLoad};
use midrun_models::pipeline::{Network, Pipeline, Protocol, Stage};
use midrun_scheduling::plan::Plan;
use midrun_scheduling::{Technique, TechniqueParameters};
use std::collections::{BTreeMap, BTreeSet};

/// Inputs that a mean covers at most.
const REMEMBERED: f64 = 200.0;
/// Least inputs of a usable mean.
const ENOUGH: f64 = 3.0;
/// Turns of the fit of stages and ranks; it settles within a few.
const TURNS: usize = 20;

/// A mean and its spread.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Mean {
    fn of(count: f64, sum: f64, squares: f64) -> Mean {
        let mean = sum / count;
        Mean { count, mean, variance: (squares / count - mean * mean).max(0.0) }
    }

    /// Whether it differs from an older one beyond chance: of the inputs, and of the machine from window to window.
    fn moved_from(&self, old: &Mean, noise: &Noise, level: Confidence) -> bool {
        // The few of a window may happen to be alike.
        let drawn = (self.variance.max(old.variance) * (1.0 / self.count + 1.0 / old.count)).sqrt() / old.mean;
        // The older one may be of one window, too.
        (self.mean / old.mean).ln().abs() > noise.half_width(drawn, 2.0_f64.sqrt(), level)
    }

    /// Share of newer inputs in the mean of both.
    fn share_of(&self, new: &Mean) -> f64 {
        new.count / (self.count.min(REMEMBERED) + new.count)
    }

    fn with(&self, new: &Mean) -> Mean {
        let share = self.share_of(new);
        let both = |old: f64, new: f64| (1.0 - share) * old + share * new;
        let square = |m: &Mean| m.variance + m.mean * m.mean;
        let (mean, squares) = (both(self.mean, new.mean), both(square(self), square(new)));
        let count = self.count.min(REMEMBERED) + new.count;
        Mean { count, mean, variance: (squares - mean * mean).max(0.0) }
    }
}

/// Part of the earlier estimates that still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Everything.
    All,
    /// No time: the window before was partly of before a change. This is the first that is wholly of after it.
    Pattern,
    /// Nothing: a stage takes another time.
    Nothing,
}

/// What a team did for its inputs. A worker's tasks of an input may come in another window than the input: sums, not windows, compare.
#[derive(Clone, Copy, Debug, Default)]
struct TeamSeen {
    inputs: f64,
    work: TeamWork,
    /// Ranks that it had; the times below are of inputs with these: from begin to end, and splitting and joining, seconds.
    ranks: u32,
    ranked_inputs: f64,
    elapsed_s: f64,
    serial_s: f64,
}

impl TeamSeen {
    fn learn(&mut self, stage: &StageWindow, ranks: u32) {
        let inputs = stage.sum(|work| work.inputs as f64);
        if self.inputs > REMEMBERED {
            let share = REMEMBERED / self.inputs;
            self.inputs *= share;
            self.work = TeamWork {
                tasks: (self.work.tasks as f64 * share) as u64,
                task_s: self.work.task_s * share,
                task_sq_s2: self.work.task_sq_s2 * share,
                serial_s: self.work.serial_s * share,
                elapsed_s: self.work.elapsed_s * share,
            };
        }
        self.inputs += inputs;
        stage.by_rank.iter().for_each(|work| self.work.add(&work.team));
        if self.ranks != ranks {
            (self.ranks, self.ranked_inputs, self.elapsed_s, self.serial_s) = (ranks, 0.0, 0.0, 0.0);
        }
        self.ranked_inputs += inputs;
        self.elapsed_s += stage.sum(|work| work.team.elapsed_s);
        self.serial_s += stage.sum(|work| work.team.serial_s);
    }

    /// What one input is; `None` while too little was seen.
    fn load(&self) -> Option<TeamLoad> {
        let TeamWork { tasks, task_s, task_sq_s2, serial_s, .. } = self.work;
        if self.inputs < ENOUGH || tasks == 0 || task_s <= 0.0 {
            return None;
        }
        let mean_s = task_s / tasks as f64;
        let variance = (task_sq_s2 / tasks as f64 - mean_s * mean_s).max(0.0);
        let tasks = (tasks as f64 / self.inputs).round().max(1.0) as u64;
        let load = TeamLoad {
            tasks,
            mean_s,
            variation: variance.sqrt() / mean_s,
            serial_s: serial_s / self.inputs,
            slower: 1.0,
        };
        if self.ranks < 2 || self.ranked_inputs < ENOUGH {
            return Some(load);
        }
        let simulated_s = load.times_s(self.ranks, &technique()).last().map_or(0.0, |s| s - load.serial_s);
        let taken_s = (self.elapsed_s - self.serial_s) / self.ranked_inputs;
        let slower = taken_s / simulated_s.max(f64::MIN_POSITIVE);
        Some(TeamLoad { slower: if slower.is_finite() && slower > 0.0 { slower } else { 1.0 }, ..load })
    }
}

/// The technique that a team is thought to go by, one task at a time: how far the one in force differs is part of what was measured.
fn technique() -> TechniqueParameters {
    TechniqueParameters::new(Technique::Ss)
}

/// Running estimates of one stream.
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    confidence: Confidence,
    /// Windows seen: each is a test of one series, whatever the program became.
    windows: u64,
    /// How each stage's compute time scatters from window to window, by stage and place.
    noise: BTreeMap<(usize, u32), Noise>,
    /// Compute time per input, by stage and place.
    compute: BTreeMap<(usize, u32), Mean>,
    /// The same over the stage's level in each window: ranks are compared by it, for a stage that drifts makes none of them slow.
    relative: BTreeMap<(usize, u32), Mean>,
    /// By stage, that of its last window: what its ranks took over `relative`, each by its share in the mean that follows, so that all these means
    /// together stay what they are. (A chain of the ratios of one window to the next runs away where few inputs are dear, and so do weights by inputs:
    /// the rank that has a dear one takes fewer others.)
    levels: BTreeMap<usize, f64>,
    /// Bytes that come out per input, by stage; time for messages per input, by stage and place where it is the first there.
    bytes: BTreeMap<usize, f64>,
    own_s: BTreeMap<(usize, u32), f64>,
    stateful: Vec<bool>,
    /// By stage, those of teams.
    teams: BTreeMap<usize, TeamSeen>,
    /// The last window, in which a stage moved, was partly of before.
    mixed: bool,
}

/// Estimates that the model uses.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its stages and messages, on a rank like most.
    pub pipeline: Pipeline,
    /// How many times longer than most ranks each takes; 1 where that is not known. By place, from 1.
    pub slowness: Vec<f64>,
    /// How much longer than most ranks each needs for an input's messages, seconds: it is far away. By place, from 1.
    pub extra_s: Vec<f64>,
    /// Where the state of each stage that keeps one is.
    pub homes: Vec<Option<u32>>,
    /// Deviation of the compute time over its mean, of the stage where that is largest.
    pub spread: f64,
    /// Ranks of the job that compute: those at places beyond are started processes, which the head has to pass messages on for.
    pub members: u32,
}

impl Known {
    /// How slow the rank at a place is.
    pub fn slowness_of(&self, place: u32) -> f64 {
        at(&self.slowness, place).unwrap_or(1.0)
    }

    /// What the rank at a place needs for messages beyond most, seconds.
    pub fn extra_of(&self, place: u32) -> f64 {
        at(&self.extra_s, place).unwrap_or(0.0)
    }

    /// Whether ranks differ by more than the model's error.
    pub fn is_unequal(&self) -> bool {
        let (least, most) = self.slowness.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), s| (l.min(*s), m.max(*s)));
        most > (1.0 + MODEL) * least || self.extra_s.iter().any(|extra_s| *extra_s > 0.0)
    }
}

impl Estimate {
    /// One that tells changes and differences at this level.
    pub fn new(confidence: Confidence) -> Estimate {
        Estimate { confidence, ..Estimate::default() }
    }

    /// Takes in a window; returns which earlier estimates still hold.
    pub fn learn(&mut self, window: &StreamWindow) -> Holds {
        self.stateful = window.stages.iter().map(|stage| stage.stateful).collect();
        self.windows += 1;
        let stages: Vec<StageWindow> = window.stages.iter().map(as_one).collect();
        let pairs = stages.iter().map(|stage| stage.by_rank.len()).sum();
        let level = self.confidence.in_series(self.windows, pairs);
        let mut moved = false;
        for (number, stage) in stages.iter().enumerate() {
            moved |= stage.by_rank.iter().any(|work| self.has_moved(number, work, level));
        }
        let mixed = std::mem::replace(&mut self.mixed, moved);
        if moved || mixed {
            // Whatever moved one stage may have moved all, and ranks that were not heard in this window too.
            self.compute.clear();
            self.relative.clear();
            self.levels.clear();
            self.bytes.clear();
            self.own_s.clear();
            self.teams.clear();
            self.mixed = moved;
        }
        let plan = Plan::parse(&window.plan, &self.stateful).ok().filter(|_| window.settled);
        for (number, stage) in window.stages.iter().enumerate().filter(|(_, stage)| stage.team) {
            let group = plan.as_ref().and_then(|plan| plan.0.iter().find(|group| group.range().contains(&number)));
            let ranks = group.map_or(0, |group| group.replicas as u32);
            self.teams.entry(number).or_default().learn(stage, ranks);
        }
        for (number, stage) in stages.iter().enumerate() {
            let worked = || stage.by_rank.iter().filter(|work| work.inputs > 0);
            let mean = |work: &StageWork| Mean::of(work.inputs as f64, work.busy_s, work.sum_sq_s2);
            let beside = |work: &StageWork| {
                let (new, known) = (mean(work), self.relative.get(&(number, work.place))?);
                let share = known.share_of(&new);
                Some((share * new.mean, share * known.mean))
            };
            let both = worked().filter_map(beside).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let stage_level = self.levels.entry(number).or_insert(1.0);
            if both.0 > 0.0 && both.1 > 0.0 {
                *stage_level = both.0 / both.1;
            }
            let index = *stage_level;
            for work in worked() {
                let new = mean(work);
                let levelled = Mean { mean: new.mean / index, variance: new.variance / (index * index), ..new };
                for (all, new) in [(&mut self.compute, &new), (&mut self.relative, &levelled)] {
                    let known = all.entry((number, work.place)).or_default();
                    *known = if known.count > 0.0 { known.with(new) } else { *new };
                }
                self.noise.entry((number, work.place)).or_default().add(new.mean);
                if work.own_s > 0.0 {
                    self.own_s.insert((number, work.place), work.own_s / work.inputs as f64);
                }
            }
            let inputs = stage.sum(|work| work.inputs as f64);
            if inputs > 0.0 {
                self.bytes.insert(number, stage.sum(|work| work.bytes) / inputs);
            }
        }
        match (moved, mixed) {
            (false, false) => Holds::All,
            (false, true) => Holds::Pattern,
            (true, _) => Holds::Nothing,
        }
    }

    fn has_moved(&self, stage: usize, work: &StageWork, level: Confidence) -> bool {
        let key = (stage, work.place);
        let known = self.compute.get(&key).filter(|known| known.count >= ENOUGH).zip(self.noise.get(&key));
        let new = Mean::of(work.inputs as f64, work.busy_s, work.sum_sq_s2);
        work.inputs as f64 >= ENOUGH && known.is_some_and(|(known, noise)| new.moved_from(known, noise, level))
    }

    /// What is known of the stream on `ranks` ranks; `None` while a stage was not seen often enough.
    pub fn known(&self, ranks: u32) -> Option<Known> {
        let (compute_s, slowness) = self.fit(ranks)?;
        let spread = self.compute.values().map(|m| m.variance.sqrt() / m.mean.max(f64::MIN_POSITIVE));
        let stage = |(number, compute_s): (usize, f64)| Stage {
            compute_s,
            message_bytes: self.bytes.get(&number).copied().unwrap_or(0.0),
            stateful: self.stateful[number],
        };
        let stages: Vec<Stage> = compute_s.into_iter().enumerate().map(stage).collect();
        let mut pipeline = Pipeline::new(stages, self.network()).checked().ok()?;
        for (stage, seen) in &self.teams {
            let times_s = seen.load()?.times_s(ranks.max(1), &technique());
            // Of one rank, what its inputs took.
            let alone_s = pipeline.stages[*stage].compute_s;
            let times_s = times_s.into_iter().map(|s| s.min(alone_s)).collect();
            pipeline.teams.push(Team { stage: *stage, times_s });
        }
        let extra_s = self.extra_s(&pipeline, ranks);
        let home = |stage: usize| {
            let mut seen = self.compute.range((stage, 0)..=(stage, u32::MAX));
            if self.stateful[stage] { seen.next().map(|((_, place), _)| *place) } else { None }
        };
        let homes = (0..self.stateful.len()).map(home).collect();
        Some(Known { pipeline, slowness, extra_s, homes, spread: spread.fold(0.0, f64::max), members: u32::MAX })
    }

    /// Time of each stage on a rank like most, and how many times longer each rank takes: times are products of both.
    /// In turn the one is the mean of what the other leaves. Ranks that no stage compares are alike: a rank that alone
    /// computes a stage may be slow, or the stage may be heavy.
    fn fit(&self, ranks: u32) -> Option<(Vec<f64>, Vec<f64>)> {
        let mut slowness = vec![1.0; ranks as usize];
        let compared = self.compared(slowness.len());
        for _ in 0..TURNS {
            let most_take = self.on_most(&self.relative, &slowness)?;
            let mut parts = vec![(0.0, 0.0); slowness.len()];
            for ((stage, place), m) in &self.relative {
                if let Some(part) = (*place as usize).checked_sub(1).and_then(|at| parts.get_mut(at)) {
                    part.0 += m.count * m.mean;
                    part.1 += m.count * most_take[*stage];
                }
            }
            for (slow, (took_s, most_take_s)) in slowness.iter_mut().zip(parts) {
                if most_take_s > 0.0 && took_s > 0.0 {
                    *slow = took_s / most_take_s;
                }
            }
            for places in &compared {
                let middle = median(places.iter().map(|at| slowness[*at]).collect());
                places.iter().for_each(|at| slowness[*at] /= middle);
            }
        }
        let seen = self.compute.keys().map(|(_, place)| place).collect::<BTreeSet<_>>().len();
        let most = self.confidence.in_series(self.windows, seen).two_sided();
        for (slow, place) in slowness.iter_mut().zip(1..) {
            if slow.ln().abs() <= most * self.slowness_error(place) {
                *slow = 1.0;
            }
        }
        Some((self.on_most(&self.compute, &slowness)?, slowness))
    }

    /// What each stage takes on a rank like most; `None` while one was not seen often enough.
    fn on_most(&self, times: &BTreeMap<(usize, u32), Mean>, slowness: &[f64]) -> Option<Vec<f64>> {
        let of = |stage: usize| {
            let all = times.range((stage, 0)..=(stage, u32::MAX));
            let (sum, count) = all.fold((0.0, 0.0), |(sum, count), ((_, place), m)| {
                (sum + m.count * m.mean / at(slowness, *place).unwrap_or(1.0), count + m.count)
            });
            (count >= ENOUGH).then_some(sum / count)
        };
        (0..self.stateful.len()).map(of).collect()
    }

    /// Ranks by what compares them: the stages that both have computed, or others have with both. Each rank as place - 1.
    fn compared(&self, ranks: usize) -> Vec<Vec<usize>> {
        let mut apart: Vec<Vec<usize>> = (0..ranks).map(|at| vec![at]).collect();
        for stage in 0..self.stateful.len() {
            let of_stage = self.compute.range((stage, 0)..=(stage, u32::MAX));
            let places: BTreeSet<usize> =
                of_stage.filter_map(|((_, place), _)| (*place as usize).checked_sub(1)).collect();
            let (joined, others) = apart.into_iter().partition(|some| some.iter().any(|at| places.contains(at)));
            apart = others;
            apart.push(joined.concat());
        }
        apart.retain(|some| !some.is_empty());
        apart
    }

    /// Standard error of a rank's slowness by the inputs that it had, as a difference of logarithms.
    fn slowness_error(&self, place: u32) -> f64 {
        let own = self.compute.iter().filter(|((_, at), _)| *at == place).map(|(_, mean)| mean);
        let (variance, count) = own.fold((0.0, 0.0), |(variance, count), m| {
            // Few inputs may happen to be alike: others of the stage say more.
            (variance + m.count * m.variance / (m.mean * m.mean).max(f64::MIN_POSITIVE), count + m.count)
        });
        let spread = self.compute.values().map(|m| m.variance / (m.mean * m.mean).max(f64::MIN_POSITIVE));
        ((variance / f64::max(count, 1.0)).max(spread.fold(0.0, f64::max) / 2.0) / f64::max(count, 1.0)).sqrt()
    }

    /// Cost of passing an input on: a line through the stages' sizes where they differ, else the middle.
    fn network(&self) -> Network {
        let point = |((stage, _), own_s): (&(usize, u32), &f64)| Some((*self.bytes.get(stage)?, *own_s));
        let points: Vec<(f64, f64)> = self.own_s.iter().filter_map(point).collect();
        let line = theil_sen(&points).filter(|line| points.len() > 2 && line.slope >= 0.0 && line.intercept >= 0.0);
        let (start_up_s, per_byte_s) = match line {
            Some(line) => (line.intercept, line.slope),
            None => (median(points.iter().map(|(_, own_s)| *own_s).collect()).max(0.0), 0.0),
        };
        Network { start_up_s, per_byte_s, protocol: Protocol::Sync }
    }

    /// What each rank needs for messages beyond what most do, where that counts beside what it computes.
    fn extra_s(&self, pipeline: &Pipeline, ranks: u32) -> Vec<f64> {
        let mut extra_s = vec![0.0; ranks as usize];
        for ((stage, place), own_s) in &self.own_s {
            let of_stage = &pipeline.stages[*stage];
            let usual_s = pipeline.network.start_up_s + pipeline.network.per_byte_s * of_stage.message_bytes;
            let beyond_s = own_s - usual_s;
            if let Some(extra_s) = (*place as usize).checked_sub(1).and_then(|at| extra_s.get_mut(at))
                && beyond_s > MODEL * of_stage.compute_s
            {
                *extra_s = f64::max(*extra_s, beyond_s);
            }
        }
        extra_s
    }
}

/// A team's stage as if one rank did all: its ranks cannot be told apart by their inputs. Its place is none.
fn as_one(stage: &StageWindow) -> StageWindow {
    if !stage.team {
        return stage.clone();
    }
    let mut all = StageWork::default();
    stage.by_rank.iter().for_each(|work| all.add(work));
    all.busy_s = stage.sum(StageWork::all_busy_s);
    // How the work of inputs scatters is not known: windows tell.
    all.sum_sq_s2 = all.busy_s * all.busy_s / all.inputs.max(1) as f64;
    StageWindow { by_rank: if all.inputs > 0 { vec![all] } else { Vec::new() }, ..stage.clone() }
}

/// What a list by place, from 1, has for one.
fn at(list: &[f64], place: u32) -> Option<f64> {
    (place as usize).checked_sub(1).and_then(|at| list.get(at)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{stream, stream_on};
    use midrun_models::random::Random;

    fn close(is: f64, should: f64) -> bool {
        (is / should - 1.0).abs() < 0.02
    }

    #[test]
    fn stages_and_ranks_are_distinguished() {
        let mut estimate = Estimate::default();
        let slowness = [1.0, 1.0, 3.0, 1.0, 2.0];
        assert_eq!(estimate.learn(&stream_on(0, "0x3,1x2", &slowness, &[0.1, 0.2])), Holds::All);
        assert_eq!(estimate.learn(&stream_on(1, "0x3@1+2+5,1x2@4+3", &slowness, &[0.1, 0.2])), Holds::All);
        let known = estimate.known(5).unwrap();
        let compute: Vec<f64> = known.pipeline.stages.iter().map(|stage| stage.compute_s).collect();
        assert!(close(compute[0], 0.1) && close(compute[1], 0.2), "{compute:?}");
        assert!(known.slowness.iter().zip(slowness).all(|(is, should)| close(*is, should)), "{:?}", known.slowness);
        assert!(known.is_unequal());
    }

    #[test]
    fn a_rank_that_alone_computes_a_stage_is_like_most() {
        let mut estimate = Estimate::default();
        let slowness = [1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0];
        estimate.learn(&stream_on(0, "0@1,1@2,2@3", &slowness, &[0.05, 0.1, 0.05]));
        estimate.learn(&stream_on(1, "0@1,1x6@2+3+4+5+6+7,2@8", &slowness, &[0.05, 0.1, 0.05]));
        let known = estimate.known(8).unwrap();
        let compute: Vec<f64> = known.pipeline.stages.iter().map(|stage| stage.compute_s).collect();
        assert!(close(compute[0], 0.05) && close(compute[1], 0.1) && close(compute[2], 0.05), "{compute:?}");
        assert!(known.slowness.iter().zip(slowness).all(|(is, should)| close(*is, should)), "{:?}", known.slowness);
    }

    #[test]
    fn a_stage_that_was_not_seen_is_not_known() {
        let mut estimate = Estimate::default();
        let mut window = stream(0, "0,1", 3, &[0.1, 0.2]);
        window.stages[1].by_rank.clear();
        estimate.learn(&window);
        assert!(estimate.known(3).is_none());
        estimate.learn(&stream(1, "0,1", 3, &[0.1, 0.2]));
        let known = estimate.known(3).unwrap();
        assert_eq!((known.slowness.clone(), known.is_unequal()), (vec![1.0; 3], false));
    }

    #[test]
    fn a_rank_that_is_far_away_is_recognized_by_its_messages() {
        let mut estimate = Estimate::default();
        let mut window = stream(0, "0x4,1", 5, &[0.1, 0.02]);
        for work in window.stages.iter_mut().flat_map(|stage| &mut stage.by_rank) {
            let far = if work.place == 3 { 0.05 } else { 0.001 };
            work.own_s = far * work.inputs as f64;
        }
        estimate.learn(&window);
        let known = estimate.known(5).unwrap();
        assert!(close(known.extra_s[2], 0.049) && known.extra_s.iter().filter(|s| **s > 0.0).count() == 1, "{known:?}");
        assert!(known.is_unequal() && known.slowness == [1.0; 5]);
    }

    #[test]
    fn ranks_that_differ_by_chance_are_alike() {
        let mut estimate = Estimate::default();
        let mut window = stream(0, "0x4", 4, &[0.1]);
        for (work, factor) in window.stages[0].by_rank.iter_mut().zip([0.7, 1.3, 0.9, 1.2]) {
            (work.busy_s, work.sum_sq_s2) = (work.busy_s * factor, work.sum_sq_s2 * factor * factor * 1.3);
        }
        estimate.learn(&window);
        assert_eq!(estimate.known(4).unwrap().slowness, [1.0; 4]);
    }

    #[test]
    fn rare_dear_inputs_make_no_rank_slow_however_long_it_runs() {
        for seed in 1..=3 {
            let (mut estimate, mut random) = (Estimate::default(), Random::new(seed));
            for k in 0..3_000 {
                let plan = if k < 3 { "0@1,1@2" } else { "0x3@2+3+4,1@1" };
                let mut window = stream_on(k, plan, &[1.0; 4], &[0.1, 0.1]);
                // One input in 25 takes 20 times as long, and goes, as all do, to the rank that is free first. The rank that had them alone has
                // others now.
                let ranks = &mut window.stages[0].by_rank;
                ranks.iter_mut().for_each(|work| (work.inputs, work.busy_s, work.sum_sq_s2) = (0, 0.0, 0.0));
                for _ in 0..60 {
                    let time_s = if random.uniform() < 0.04 { 2.0 } else { 0.1 };
                    let free = ranks.iter_mut().min_by(|a, b| a.busy_s.total_cmp(&b.busy_s)).expect("ranks");
                    free.inputs += 1;
                    free.busy_s += time_s;
                    free.sum_sq_s2 += time_s * time_s;
                }
                estimate.learn(&window);
            }
            let slowness = estimate.known(4).unwrap().slowness;
            // The first rank's inputs were 180, of which some seven were dear.
            assert!(slowness.iter().all(|slow| (0.5..2.0).contains(slow)), "{seed}: {slowness:?}");
        }
    }

    #[test]
    fn a_change_of_the_program_is_noticed_and_chance_is_not() {
        let mut estimate = Estimate::default();
        for k in 0..50 {
            let mut window = stream(k, "0,1", 2, &[0.1, 0.2]);
            // A tenth of the inputs takes ten times as long, in turn none or two of ten.
            let works = window.stages.iter_mut().flat_map(|stage| &mut stage.by_rank);
            works.for_each(|work| {
                let long = if k % 2 == 0 { 0.0 } else { 2.0 };
                let each = work.busy_s / 10.0;
                work.busy_s = each * (10.0 + 9.0 * long);
                work.sum_sq_s2 = each * each * (10.0 + 99.0 * long);
            });
            assert_eq!(estimate.learn(&window), Holds::All, "window {k}");
        }
        let mut estimate = Estimate::default();
        assert_eq!(estimate.learn(&stream(0, "0,1", 2, &[0.1, 0.2])), Holds::All);
        assert_eq!(estimate.learn(&stream(1, "0,1", 2, &[0.1, 0.3])), Holds::Nothing);
        assert!(close(estimate.known(2).unwrap().pipeline.stages[1].compute_s, 0.3), "the old time is forgotten");
        let next = estimate.learn(&stream(2, "0,1", 2, &[0.1, 0.32]));
        assert_eq!(next, Holds::Pattern, "the window before was partly of before");
        assert!(close(estimate.known(2).unwrap().pipeline.stages[1].compute_s, 0.32));
        assert_eq!(estimate.learn(&stream(3, "0,1", 2, &[0.1, 0.32])), Holds::All);
    }

    #[test]
    fn messages_cost_what_the_stages_show() {
        let mut estimate = Estimate::default();
        let mut window = stream(0, "0,1,2", 3, &[0.1; 3]);
        for (stage, bytes) in window.stages.iter_mut().zip([1e3, 1e5, 1e6]) {
            let work = &mut stage.by_rank[0];
            (work.bytes, work.own_s) = (bytes * work.inputs as f64, (1e-4 + 1e-9 * bytes) * work.inputs as f64);
        }
        estimate.learn(&window);
        let network = estimate.known(3).unwrap().pipeline.network;
        assert!(close(network.start_up_s, 1e-4) && close(network.per_byte_s, 1e-9), "{network:?}");
    }
}
