//! Position profile: how task times differ by their position in the index range, as multiples of the mean.
//!
//! A pattern that returns in iteration after iteration is a profile; the rest is chance.

use crate::confidence::Confidence;
use crate::model_error::EXACT;
use crate::trial::JUDGED;
use crate::{PROFILE_BINS, ProfileBin};
use midrun_models::seen::Places;
use std::collections::VecDeque;

/// Iterations whose parts are kept as a sample of task times: what is decided now is in force, and judged, as many later.
const SAMPLED: usize = JUDGED as usize;
/// Parts by which what is dear is expected to spread, at most.
const FARTHEST: usize = 8;
/// Parts that scatter by less than this share of the tasks' variance are means of several tasks: no sample of single ones.
const SINGLE: f64 = 0.3;
/// A correlation beyond this counts as this: the transform of 1 is infinite.
const ALIKE: f64 = 0.9999;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct PositionProfile {
    /// Mean time of the tasks of each part; [`PROFILE_BINS`] of them, or none.
    profile: Vec<f64>,
    /// Parts that can differ by themselves.
    parts: f64,
    /// Whether the profile came again.
    persists: bool,
    /// Whether neighbouring parts were alike in the last iteration.
    is_smooth: bool,
    /// Correlation of the parts with those of the iteration longest ago of the sample, or of neighbours while there was one iteration only.
    alike: f64,
    /// The parts of the last iterations.
    sample: VecDeque<Vec<f64>>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn variance(values: &[f64]) -> f64 {
    let middle = mean(values);
    values.iter().map(|v| (v - middle).powi(2)).sum::<f64>() / values.len().max(1) as f64
}

/// Correlation; 0 where one of them does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (of_a, of_b) = (mean(a), mean(b));
    let both = a.iter().zip(b).map(|(x, y)| (x - of_a) * (y - of_b)).sum::<f64>() / a.len().max(1) as f64;
    let scale = (variance(a) * variance(b)).sqrt();
    if scale > 0.0 { both / scale } else { 0.0 }
}

/// Correlation of the roots, so that a few very long tasks that meet by chance are no agreement; and whether chance does not explain it, where
/// so many parts can differ: by chance atanh(r) scatters by 1/sqrt(parts - 3) (Fisher 1921).
fn agreement(a: &[f64], b: &[f64], parts: f64, level: Confidence) -> (f64, bool) {
    let roots = |values: &[f64]| values.iter().map(|v| v.max(0.0).sqrt()).collect::<Vec<f64>>();
    let alike = correlation(&roots(a), &roots(b));
    (alike, alike.min(ALIKE).atanh() * (parts - 3.0).max(0.0).sqrt() > level.standard_errors())
}

/// The parts that can differ: a chunk that was timed as a whole is one part, however many bins it crosses.
fn distinct(profile: &[f64]) -> impl Iterator<Item = &[f64]> {
    profile.chunk_by(|a, b| (a - b).abs() < 1e-9 * a.abs())
}

/// How many parts of one size are worth as much as these.
fn parts(profile: &[f64]) -> f64 {
    let squares: usize = distinct(profile).map(|run| run.len() * run.len()).sum();
    (profile.len() * profile.len()) as f64 / squares.max(1) as f64
}

impl PositionProfile {
    /// Of one iteration: its bins, and what its tasks took on average, seconds.
    pub fn of(bins: &[ProfileBin], mean_s: f64, level: Confidence) -> PositionProfile {
        let part = |bin: &ProfileBin| if bin.tasks > 0.0 { bin.busy_s / bin.tasks / mean_s } else { 1.0 };
        let profile: Vec<f64> = bins.iter().map(part).filter(|v| v.is_finite()).collect();
        let profile = if profile.len() == PROFILE_BINS { profile } else { Vec::new() };
        let (sample, parts) = (VecDeque::from([profile.clone()]), parts(&profile));
        let distinct: Vec<f64> = distinct(&profile).map(|run| run[0]).collect();
        let after = distinct.get(1..).unwrap_or_default();
        let (alike, is_smooth) = agreement(&distinct[..after.len()], after, after.len() as f64, level);
        PositionProfile { sample, parts, profile, persists: false, is_smooth, alike }
    }

    /// Of several iterations, the last one last, as if each had been mixed in: see [`PositionProfile::mix`]. `None` of none.
    pub fn of_all(all: &[Vec<ProfileBin>], keep: f64, level: Confidence) -> Option<(PositionProfile, f64)> {
        let of = |bins: &Vec<ProfileBin>| {
            let (busy_s, tasks) = bins.iter().fold((0.0, 0.0), |(s, n), bin| (s + bin.busy_s, n + bin.tasks));
            PositionProfile::of(bins, busy_s / tasks, level)
        };
        let mut each = all.iter().map(of);
        let mut known = each.next()?;
        let mut kept = keep;
        for (before, now) in (1..).zip(each) {
            kept = known.mix(now, keep.min(f64::from(before) / f64::from(before + 1)), level);
        }
        Some((known, kept))
    }

    /// Another iteration; what was counts `keep` where all is chance. Returns what it counts.
    pub fn mix(&mut self, now: PositionProfile, keep: f64, level: Confidence) -> f64 {
        let keep = self.compare(&now, keep, level);
        self.sample.extend(now.sample);
        while self.sample.len() > SAMPLED {
            self.sample.pop_front();
        }
        keep
    }

    /// Another iteration of a program that has changed: the profile may have stayed, the sample has not.
    pub fn renew(&mut self, now: PositionProfile, keep: f64, level: Confidence) {
        self.compare(&now, keep, level);
        self.sample = now.sample;
    }

    fn compare(&mut self, now: &PositionProfile, keep: f64, level: Confidence) -> f64 {
        if now.profile.is_empty() || self.profile.is_empty() {
            *self = now.clone();
            return keep;
        }
        let (alike, persists) = agreement(&self.profile, &now.profile, self.parts.min(now.parts), level);
        (self.persists, self.is_smooth) = (persists, now.is_smooth);
        // What is decided now is in force as many iterations later: what has moved until then was no property of the place.
        let longest_ago = self.sample.front().filter(|_| persists);
        self.alike = longest_ago.map_or(0.0, |then| agreement(then, &now.profile, self.parts.min(now.parts), level).0);
        // The more they agree, the less of the new one is chance.
        let keep = if self.persists { keep.min(1.0 - alike) } else { keep };
        self.profile.iter_mut().zip(&now.profile).for_each(|(old, new)| *old = keep * *old + (1.0 - keep) * new);
        self.parts = now.parts;
        keep
    }

    /// The profile, mean 1, and its variance, where there is one: it came again, or neighbouring parts are alike; and it is less even than the
    /// model is exact.
    pub fn profile(&self) -> Option<(Vec<f64>, f64)> {
        let between = variance(&self.profile);
        let is_one = self.is_placed() && between > EXACT * EXACT;
        let middle = mean(&self.profile);
        (is_one && middle > 0.0).then(|| (self.profile.iter().map(|v| v / middle).collect(), between))
    }

    /// Share of the variance between parts that belongs to their places: the correlation of two measurements of it (their reliability). 0
    /// where tasks do not differ by place.
    pub fn reliability(&self) -> f64 {
        if self.is_placed() { self.alike.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The same when there is `more` to do, a share, because what is dear has spread to its neighbours; where tasks are alike
    /// over a distance, that changes nothing.
    pub fn spread(&self, more: f64) -> PositionProfile {
        let sum = |profile: &[f64]| profile.iter().sum::<f64>();
        let (wanted, mut profile) = (sum(&self.profile) * (1.0 + more), self.profile.clone());
        for _ in 0..FARTHEST {
            if sum(&profile) >= wanted {
                break;
            }
            let near = |at: usize| &profile[at.saturating_sub(1)..(at + 2).min(profile.len())];
            profile = (0..profile.len()).map(|at| near(at).iter().copied().fold(0.0, f64::max)).collect();
        }
        PositionProfile { profile, ..self.clone() }
    }

    /// What the places of the tasks say of those to come, where they say anything.
    pub fn places(&self) -> Option<Places> {
        let places = if self.persists { Places::Kept } else { Places::Anywhere };
        self.is_placed().then_some(places)
    }

    /// Whether tasks differ by position: in the same way in iteration after iteration, or neighbours are alike.
    pub fn is_placed(&self) -> bool {
        self.persists || self.is_smooth
    }

    /// Times of single tasks, mean 1, with this variance; empty if none was measured singly.
    pub fn sample(&self, variance_of_one: f64) -> Vec<f64> {
        let seen: Vec<f64> = self.sample.iter().flatten().copied().collect();
        let (middle, scatter) = (mean(&seen), variance(&seen));
        if seen.is_empty() || scatter <= SINGLE * variance_of_one || scatter <= 0.0 {
            return Vec::new();
        }
        let stretch = (variance_of_one / scatter).sqrt();
        let stretched: Vec<f64> = seen.iter().map(|v| (1.0 + stretch * (v - middle)).max(0.0)).collect();
        let middle = mean(&stretched);
        stretched.iter().map(|v| v / middle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_models::random::Random;

    /// The level of the twentieth iteration.
    fn level() -> Confidence {
        Confidence::default().in_series(20, 1)
    }

    /// An iteration of 64 tasks, one for each part.
    fn shape(times: impl FnMut(usize) -> f64) -> PositionProfile {
        let profile: Vec<ProfileBin> = (0..64).map(times).map(|busy_s| ProfileBin { tasks: 1.0, busy_s }).collect();
        let mean_s = profile.iter().map(|bin| bin.busy_s).sum::<f64>() / 64.0;
        PositionProfile::of(&profile, mean_s, level())
    }

    #[test]
    fn what_comes_again_is_a_profile_and_chance_is_not() {
        let mut random = Random::new(7);
        let mut fire = |at: usize| if (20..40).contains(&at) { 5.0 + random.uniform() } else { 0.1 * random.uniform() };
        let mut known = shape(&mut fire);
        assert!(known.profile().is_some(), "neighbours are alike");
        known.mix(shape(&mut fire), 0.84, level());
        let (profile, between) = known.profile().expect("a profile");
        assert!(profile[25] > 10.0 * profile[50] && between > 1.0);
        let mut random = Random::new(8);
        let mut known = shape(|_| random.exponential());
        (0..20).for_each(|_| {
            known.mix(shape(|_| random.exponential()), 0.84, level());
            assert_eq!(known.profile(), None);
        });
    }

    #[test]
    fn dear_tasks_in_turn_are_a_profile_once_they_come_again() {
        let turns = || shape(|at| if at % 2 == 0 { 1.0 } else { 3.0 });
        let mut known = turns();
        assert_eq!(known.profile(), None, "one iteration cannot tell");
        known.mix(turns(), 0.84, level());
        assert!(known.profile().is_some());
    }

    #[test]
    fn what_moves_is_less_of_the_places_than_what_stays() {
        let after = |step: f64| {
            let hump = |iteration: u32| {
                move |at: usize| {
                    let away = ((at as f64 + 0.5) / 64.0 - 0.3 - step * f64::from(iteration)) / 0.1;
                    0.2 + 3.2 * (-away * away / 2.0).exp()
                }
            };
            let mut known = shape(hump(0));
            for iteration in 1..8 {
                known.mix(shape(hump(iteration)), 0.84, level());
            }
            known.reliability()
        };
        let [stays, moves] = [0.0, 0.04].map(after);
        assert!(stays > 0.99 && moves < 0.6, "{stays} {moves}");
        let mut random = Random::new(8);
        let mut chance = shape(|_| random.exponential());
        chance.mix(shape(|_| random.exponential()), 0.84, level());
        assert_eq!(chance.reliability(), 0.0);
    }

    #[test]
    fn few_chunks_agree_by_chance() {
        let halves = || shape(|at| if at < 32 { 1.0 } else { 1.2 });
        let mut known = halves();
        assert!((known.parts - 2.0).abs() < 1e-9);
        known.mix(halves(), 0.84, level());
        assert_eq!(known.profile(), None);
    }

    #[test]
    fn tasks_that_were_seen_singly_show_how_they_are_distributed() {
        // One in eight takes eight times as long as the others, and none longer.
        let mut known = shape(|at| if at % 8 == 0 { 8.0 } else { 1.0 });
        known.mix(shape(|at| if at % 8 == 5 { 8.0 } else { 1.0 }), 0.84, level());
        let variance_of_one = variance(&known.sample[0]);
        let sample = known.sample(variance_of_one);
        assert!((sample.iter().copied().fold(0.0, f64::max) - 8.0 / 1.875).abs() < 1e-9);
        assert!((variance(&sample) - variance_of_one).abs() < 1e-9 && (mean(&sample) - 1.0).abs() < 1e-9);
        assert!(known.sample(4.0 * variance_of_one).is_empty(), "these are means of several");
    }
}
