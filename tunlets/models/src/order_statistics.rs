//! Expected maxima of independent times: how long the slowest of several takes.

/// Expected maximum of `n` independent standard normal numbers; 0 for n below 2.
///
/// `E = ∫ (1 - Φ^n) over x > 0 - ∫ Φ^n over x < 0`, by the trapezoid rule; Φ is integrated along.
pub fn expected_max_normal(n: u32) -> f64 {
    if n < 2 {
        return 0.0;
    }
    const STEPS: i32 = 4000;
    const REACH: f64 = 10.0;
    let h = REACH / f64::from(STEPS);
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let n = f64::from(n);
    let (mut phi, mut sum) = (0.0_f64, 0.0);
    for i in -STEPS..STEPS {
        // The middle of the step: Φ there is what lies before plus half a step.
        let middle = (f64::from(i) + 0.5) * h;
        let here = (phi + 0.5 * h * density(middle - 0.25 * h)).min(1.0);
        let power = here.powf(n);
        sum += if middle > 0.0 { 1.0 - power } else { -power };
        phi += h * density(middle);
    }
    sum * h
}

/// Upper bound of the expected maximum of `n` independent numbers of any distribution:
/// `mean + sigma sqrt(n/2)` (César 2006).
pub fn expected_max_bound(mean: f64, sigma: f64, n: u32) -> f64 {
    mean + sigma * (f64::from(n) / 2.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_maximum_of_normals_is_that_of_the_tables() {
        for (n, known) in
            [(2, 0.564_19), (3, 0.846_28), (10, 1.538_75), (25, 1.965_31), (50, 2.249_07), (100, 2.507_59)]
        {
            assert!((expected_max_normal(n) - known).abs() < 1e-4, "{n}: {}", expected_max_normal(n));
        }
        assert_eq!(expected_max_normal(1), 0.0);
        assert_eq!(expected_max_normal(0), 0.0);
    }

    #[test]
    fn the_bound_lies_above_the_normal_maximum() {
        for n in [2, 10, 50, 1000] {
            assert!(expected_max_bound(0.0, 1.0, n) > expected_max_normal(n));
        }
    }
}
