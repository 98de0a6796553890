//! Times that take turns: m kinds of iterations that follow each other, or a call that ends an iteration only every m-th time, as mpi4py's
//! `bcast`, which sends the size before the data.
//!
//! Logarithms of times are explained by least squares, by the setting and by the kind, the number modulo m:
//!
//! ```text
//! ln t_k = setting_k + kind_(k mod m) + noise,  or  ln t_k = cell_(setting_k, k mod m) + noise
//! F_m = ((S - S_m) / (r_m - r)) / (S_m / (n - r_m))
//! ```
//!
//! with the sums of squares `S` that are left and the ranks `r`, without kinds and with m. Kinds that follow each other show where `F_m` exceeds Fisher's
//! quantile at the confidence level, shared by the numbers that are tried and the two forms (analysis of variance: Scheffe 1959, ch. 2 and 4).

use std::collections::BTreeSet;

use crate::chance::variance_ratio_probability;
use crate::linear::dot;

/// Most times that make one turn.
const MOST: usize = 6;
/// Times that are looked at: each kind comes several times.
pub const LOOKED_AT: usize = 8 * MOST;
/// A vector of which no greater share of the square is left is the sum of others, but for rounding.
const SAME: f64 = 1e-9;

/// A time that was measured.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// Its logarithm.
    pub log: f64,
    /// Number of the setting.
    pub setting: usize,
}

impl Timed {
    /// This time, seconds, with this setting; `None` where that is no time.
    pub fn of(time_s: f64, setting: usize) -> Option<Timed> {
        Some(Timed { log: time_s.ln(), setting }).filter(|timed| timed.log.is_finite())
    }
}

/// How many of these times in a row make one turn; 1 where they take none. That they seem to take turns by chance has at most the probability `error`. `None`:
/// nothing is known of this one.
pub fn length(times: &[Option<Timed>], error: f64) -> usize {
    let known: Vec<(usize, Timed)> =
        times.iter().enumerate().filter_map(|(at, timed)| timed.map(|timed| (at, timed))).collect();
    let error = error / (2 * (MOST - 1)) as f64;
    let by_settings = Fit::by_settings(&known);
    let rounding = f64::EPSILON * known.iter().map(|(_, timed)| timed.log.powi(2)).sum::<f64>();
    let explains_more = |fit: &Fit, than: &Fit| {
        let (more, freedom) = (fit.rank() as f64 - than.rank() as f64, known.len() as f64 - fit.rank() as f64);
        if more <= 0.0 || freedom <= 0.0 || than.left <= rounding {
            return false;
        }
        let ratio = ((than.left - fit.left) / more) / (fit.left.max(rounding) / freedom);
        ratio > 0.0 && 1.0 - variance_ratio_probability(ratio, (more, freedom)) < error
    };
    let (mut length, mut found, mut found_of_each) = (1, by_settings.clone(), false);
    for (kinds, of_each) in (2..=MOST).flat_map(|kinds| [(kinds, false), (kinds, true)]) {
        let fit = by_settings.and_kinds(&known, kinds, of_each);
        if explains_more(&fit, &found) {
            (length, found, found_of_each) = (kinds, fit, of_each);
        }
    }
    // A multiple of the right number explains as much, and where few times are known by chance more.
    let divisors = (2..length).filter(|kinds| length.is_multiple_of(*kinds));
    let simpler = divisors.map(|kinds| (kinds, by_settings.and_kinds(&known, kinds, found_of_each)));
    let simpler = simpler.min_by(|a, b| a.1.left.total_cmp(&b.1.left));
    simpler.filter(|(_, simpler)| !explains_more(&found, simpler)).map_or(length, |(kinds, _)| kinds)
}

/// What settings, or settings and kinds, leave of the logarithms.
#[derive(Clone, Debug)]
struct Fit {
    /// Orthogonal unit vectors that span what they explain (Gram and Schmidt).
    basis: Vec<Vec<f64>>,
    residuals: Vec<f64>,
    /// Sum of the squares that are left.
    left: f64,
}

impl Fit {
    fn by_settings(known: &[(usize, Timed)]) -> Fit {
        let logs: Vec<f64> = known.iter().map(|(_, timed)| timed.log).collect();
        let mut fit = Fit { basis: Vec::new(), left: dot(&logs, &logs), residuals: logs };
        fit.explain(known, |_, setting| setting);
        fit
    }

    /// By kinds, too, which differ alike with all settings, or with each of them in a way of their own.
    fn and_kinds(&self, known: &[(usize, Timed)], kinds: usize, of_each: bool) -> Fit {
        let mut fit = self.clone();
        fit.explain(known, |at, setting| at % kinds + if of_each { setting * kinds } else { 0 });
        fit
    }

    fn rank(&self) -> usize {
        self.basis.len()
    }

    /// Explains by groups, too, of which each time is in one.
    fn explain(&mut self, known: &[(usize, Timed)], group: impl Fn(usize, usize) -> usize) {
        let groups: Vec<usize> = known.iter().map(|(at, timed)| group(*at, timed.setting)).collect();
        for group in groups.iter().collect::<BTreeSet<_>>() {
            self.explain_by(groups.iter().map(|own| f64::from(own == group)).collect());
        }
    }

    /// Explains by this, too, unless it is all explained by what was before.
    fn explain_by(&mut self, mut by: Vec<f64>) {
        let square = dot(&by, &by);
        for known in &self.basis {
            take_out(&mut by, known);
        }
        let left = dot(&by, &by);
        if left <= SAME * square {
            return;
        }
        by.iter_mut().for_each(|x| *x /= left.sqrt());
        take_out(&mut self.residuals, &by);
        self.left = dot(&self.residuals, &self.residuals);
        self.basis.push(by);
    }
}

/// Takes out what points in the direction of a unit vector.
fn take_out(from: &mut [f64], unit: &[f64]) {
    let times = dot(from, unit);
    from.iter_mut().zip(unit).for_each(|(x, by)| *x -= times * by);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const ERROR: f64 = 0.01;

    fn of(times: &[f64]) -> usize {
        length(&times.iter().map(|time_s| Timed::of(*time_s, 0)).collect::<Vec<_>>(), ERROR)
    }

    /// Times in turns: each of the means, with this variation.
    fn times(means: &[f64], variation: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..LOOKED_AT).map(|k| means[k % means.len()] * random.gamma(variation.powi(2))).collect()
    }

    #[test]
    fn a_size_and_its_data_make_one_turn_and_so_do_kinds_of_times() {
        let rare = [0.016, 0.016, 0.016, 0.016, 0.016, 0.1];
        for means in [&[0.016, 2e-5][..], &[2e-5, 1e-3, 0.016], &[0.01, 0.02, 0.01, 0.06], &rare] {
            let found: Vec<usize> = (0..50).map(|seed| of(&times(means, 0.2, seed))).collect();
            // A multiple is a turn, too.
            assert!(found.iter().all(|length| length % means.len() == 0), "{found:?}");
            let right = found.iter().filter(|length| **length == means.len()).count();
            assert!(right >= 48, "{right} of 50");
        }
        let disturbed: Vec<f64> =
            times(&[2e-5, 0.016], 0.2, 1).into_iter().enumerate().map(|(k, s)| if k == 20 { 1.0 } else { s }).collect();
        assert_eq!(of(&disturbed), 2);
    }

    #[test]
    fn times_that_scatter_are_taken_for_turns_as_rarely_as_promised() {
        for variation in [0.01, 0.3, 1.0] {
            let wrong = (0..400).filter(|seed| of(&times(&[0.016], variation, *seed)) > 1).count();
            assert!(wrong as f64 <= 400.0 * ERROR, "{wrong} of 400 at {variation}");
        }
        assert_eq!(of(&[]), 1);
        assert_eq!(of(&[0.5; LOOKED_AT]), 1);
    }

    /// Times with settings that change every third time, as a search does it: the one in which a change arrives is of none.
    fn searched(kinds: &[f64], own: f64, times: usize, seed: u64) -> Vec<Option<Timed>> {
        let mut random = Random::new(seed);
        let settings: Vec<Vec<f64>> =
            (0..times).map(|_| kinds.iter().map(|kind| kind + own * random.normal()).collect()).collect();
        let one = |k: usize| {
            let log = settings[k / 3][k % kinds.len()] + 0.02 * random.normal();
            (!k.is_multiple_of(3)).then_some(Timed { log, setting: k / 3 })
        };
        (0..times).map(one).collect()
    }

    #[test]
    fn kinds_show_beside_what_settings_do_to_each_of_them() {
        for own in [0.0, 0.2] {
            let found: Vec<usize> = (0..50).map(|seed| length(&searched(&[0.0, 1.0], own, 26, seed), ERROR)).collect();
            assert!(found.iter().filter(|length| **length == 2).count() >= 45, "{own}: {found:?}");
        }
    }

    #[test]
    fn settings_that_a_search_changes_are_no_turns() {
        let wrong = (0..400).filter(|seed| length(&searched(&[0.0], 0.3, 30, *seed), ERROR) > 1).count();
        assert!(wrong as f64 <= 400.0 * ERROR, "{wrong} of 400");
    }
}
