//! Robust estimates: the median, and a straight line through points of which some are wrong, with their standard errors.
//!
//! The shim calibrates messages by them, and the models learn from measurements by them.

#![forbid(unsafe_code)]

/// Pairs of points closer to each other than this share of the whole range do not count for the slope.
const CLOSE: f64 = 0.1;
/// The standard deviation of a normal distribution over its median absolute deviation.
pub const NORMAL: f64 = 1.4826;
/// Observations of a normal distribution whose standard deviation is as exact as what so many times their number tell by [`NORMAL`]: the asymptotic
/// efficiency of the median absolute deviation (Hampel 1974).
pub const EFFICIENCY: f64 = 0.37;
/// Standard error of a median, over that of a mean (normal distribution: sqrt(pi/2)).
pub const OF_MEDIAN: f64 = 1.2533;

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

/// The median; the mean of the two in the middle of an even number of values. NaN of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let (odd, middle) = (values.len() % 2 == 1, values.len() / 2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd { upper } else { f64::midpoint(below.iter().copied().max_by(f64::total_cmp).unwrap_or(upper), upper) }
}

/// The standard deviation of a normal distribution whose values lie so far from its middle, by the median of these deviations. NaN of none.
pub fn robust_deviation(deviations: impl Iterator<Item = f64>) -> f64 {
    NORMAL * median(deviations.map(f64::abs).collect())
}

/// Median of the values and its standard error, from the median absolute deviation. One value has no error known: NaN.
pub fn median_and_error(values: &[f64]) -> (f64, f64) {
    let middle = median(values.to_vec());
    let spread = robust_deviation(values.iter().map(|v| v - middle));
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
    let scale = robust_deviation(rests.iter().map(|rest| rest - intercept));
    // Two points lie on their line, whatever their errors.
    let scale = if points.len() > 2 { scale } else { f64::NAN };
    let mean = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let square = points.iter().map(|(x, _)| (x - mean).powi(2)).sum::<f64>();
    let intercept_error = scale * (1.0 / count + mean * mean / square).sqrt();
    Some(Line { slope, slope_error: scale / square.sqrt(), intercept, intercept_error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(
            [vec![3.0], vec![4.0, 1.0], vec![9.0, 1.0, 2.0], vec![9.0, 1.0, 2.0, 3.0]].map(median),
            [3.0, 2.5, 2.0, 2.5]
        );
        assert!(median(Vec::new()).is_nan());
    }

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
}
