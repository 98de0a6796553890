//! A straight line through points of which some are wrong: slope and intercept with their standard errors.

/// Pairs of points that are closer to each other than this share of the whole range say nothing of the slope.
const CLOSE: f64 = 0.1;
/// The standard deviation of a normal distribution over its median absolute deviation.
const NORMAL: f64 = 1.4826;
/// Standard error of a median, over that of a mean (normal distribution: sqrt(pi/2)).
const OF_MEDIAN: f64 = 1.2533;

/// y = `intercept` + `slope` x, each with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Change of y for each x.
    pub slope: f64,
    /// Standard error of the slope.
    pub slope_error: f64,
    /// y where x is 0.
    pub intercept: f64,
    /// Standard error of the intercept.
    pub intercept_error: f64,
}

/// The median; the upper one of two. NaN of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { f64::NAN } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// Median of the values and its standard error, from the median absolute deviation. One value has no error known: NaN.
pub fn median_and_error(values: &[f64]) -> (f64, f64) {
    let middle = median(values.to_vec());
    let spread = NORMAL * median(values.iter().map(|v| (v - middle).abs()).collect());
    let error = if values.len() < 2 { f64::NAN } else { OF_MEDIAN * spread / (values.len() as f64).sqrt() };
    (middle, error)
}

/// The line by Theil (1950) and Sen (1968): the median of the slopes between all pairs, which nearly three points in ten
/// may contradict; `None` unless two points differ in x. The errors are those of least squares with the residuals' median
/// absolute deviation for their scale.
pub fn theil_sen(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let (low, high) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (x, _)| (l.min(*x), h.max(*x)));
    let apart = CLOSE * (high - low);
    if !(apart.is_finite() && apart > 0.0) {
        return None;
    }
    let mut slopes = Vec::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let others = points[i + 1..].iter().filter(|(other, _)| (other - x).abs() >= apart);
        slopes.extend(others.map(|(x2, y2)| (y2 - y) / (x2 - x)));
    }
    let slope = median(slopes);
    let rests: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
    let intercept = median(rests.clone());
    let scale = NORMAL * median(rests.iter().map(|rest| (rest - intercept).abs()).collect());
    // Two points lie on their line: what that says of the error is nothing.
    let scale = if points.len() > 2 { scale } else { f64::NAN };
    let mean = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let square = points.iter().map(|(x, _)| (x - mean).powi(2)).sum::<f64>();
    let intercept_error = scale * (1.0 / count + mean * mean / square).sqrt();
    Some(Line { slope, slope_error: scale / square.sqrt(), intercept, intercept_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    #[test]
    fn a_line_needs_two_places() {
        assert_eq!(theil_sen(&[]), None);
        assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(theil_sen(&[(f64::NAN, 2.0), (1.0, f64::INFINITY)]), None);
        let two = theil_sen(&[(1.0, 2.0), (3.0, 6.0)]).unwrap();
        assert!((two.slope, two.intercept) == (2.0, 0.0) && two.slope_error.is_nan());
    }

    #[test]
    fn the_median_of_one_value_has_no_known_error() {
        let (value, error) = median_and_error(&[3.0]);
        assert!(value == 3.0 && error.is_nan());
        assert!(median_and_error(&[]).0.is_nan());
        assert_eq!(median_and_error(&[2.0, 2.0, 2.0, 90.0]), (2.0, 0.0));
    }

    proptest! {
        #[test]
        fn the_line_is_found_though_every_fifth_point_is_far_off(
            slope in -10.0_f64..10.0, intercept in -10.0_f64..10.0, noise in 0.0_f64..0.1, seed in any::<u64>(),
        ) {
            let mut random = Random::new(seed);
            let point = |i: u32| {
                let off = if i % 5 == 4 { 40.0 * random.uniform() } else { noise * random.normal() };
                (f64::from(i), intercept + slope * f64::from(i) + off)
            };
            let points: Vec<(f64, f64)> = (0..40).map(point).collect();
            let line = theil_sen(&points).unwrap();
            // A fifth of one-sided outliers moves the median slope a little: by their scale, not by their size.
            prop_assert!((line.slope - slope).abs() <= 0.01 + 6.0 * line.slope_error, "{line:?}");
            prop_assert!(line.slope_error >= 0.0 && line.intercept_error >= line.slope_error);
        }

        #[test]
        fn the_error_says_how_far_off_the_slope_is(slope in -10.0_f64..10.0, seed in any::<u64>()) {
            let mut random = Random::new(seed);
            let points: Vec<(f64, f64)> =
                (0..60).map(|i| (f64::from(i % 6), slope * f64::from(i % 6) + random.normal())).collect();
            let line = theil_sen(&points).unwrap();
            prop_assert!((line.slope - slope).abs() < 6.0 * line.slope_error, "{line:?}");
            prop_assert!(line.slope_error < 0.25, "{line:?}");
        }
    }
}
