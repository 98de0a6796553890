//! What a measurement is worth: by how much the least expected cost falls when it is known (the knowledge gradient for correlated
//! beliefs, Frazier, Powell, Dayanik 2009).

use crate::chance::normal_probability;
use std::f64::consts::PI;

/// `min means - E[min (means + slopes Z)]`, with Z a standard normal number: at least 0.
pub(super) fn gain(means: &[f64], slopes: &[f64]) -> f64 {
    // Of the greatest of lines -mean - slope z: those that are the greatest somewhere, by slope.
    let mut lines: Vec<(f64, f64)> = means.iter().zip(slopes).map(|(mean, slope)| (-slope, -mean)).collect();
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut upper: Vec<(f64, f64)> = Vec::new();
    // Where each of them begins to be the greatest.
    let mut begins: Vec<f64> = Vec::new();
    for line in lines {
        let mut begin = f64::NEG_INFINITY;
        while let Some(last) = upper.last() {
            if last.0 == line.0 {
                // Sorted: this one is at least as great everywhere.
                begin = f64::NEG_INFINITY;
            } else {
                begin = (last.1 - line.1) / (line.0 - last.0);
                if begins.last().is_some_and(|before| begin > *before) {
                    break;
                }
            }
            upper.pop();
            begins.pop();
            if upper.is_empty() {
                begin = f64::NEG_INFINITY;
            }
        }
        upper.push(line);
        begins.push(begin);
    }
    // Each change of the greatest line adds the difference of slopes times E[(z - begin)+], z on the far side of 0.
    let steps = upper.windows(2).zip(&begins[1..]);
    steps.map(|(pair, begin)| (pair[1].0 - pair[0].0) * beyond(begin.abs())).sum()
}

/// `E[(Z - z)+]` of a standard normal Z.
fn beyond(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt() - z * normal_probability(-z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_gain_is_that_of_drawn_numbers() {
        let mut random = Random::new(3);
        for count in [2, 3, 8] {
            let means: Vec<f64> = (0..count).map(|_| random.normal()).collect();
            let slopes: Vec<f64> = (0..count).map(|_| random.normal()).collect();
            let least = |z: f64| means.iter().zip(&slopes).map(|(m, s)| m + s * z).fold(f64::INFINITY, f64::min);
            let drawn = (0..200_000).map(|_| least(random.normal())).sum::<f64>() / 200_000.0;
            assert!((gain(&means, &slopes) - (least(0.0) - drawn)).abs() < 0.01, "{means:?} {slopes:?}");
        }
        assert_eq!(gain(&[1.0, 2.0], &[0.3, 0.3]), 0.0, "what moves all alike decides nothing");
        assert_eq!(gain(&[1.0], &[0.3]), 0.0);
        assert!((gain(&[0.0, 0.0], &[0.0, 1.0]) - 0.398_942).abs() < 1e-5);
    }
}
