//! The line of Theil and Sen on random points.

use midrun_models::line::theil_sen;
use midrun_models::random::Random;
use proptest::prelude::*;

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
}

/// The error rests on a median, which is itself uncertain: its intervals of 90 % hold 87 % of the slopes.
#[test]
fn the_error_says_how_far_off_the_slope_is() {
    const LINES: u64 = 2000;
    let is_within = |seed: &u64| {
        let mut random = Random::new(*seed);
        let slope = 20.0 * random.uniform() - 10.0;
        let points: Vec<(f64, f64)> =
            (0..60).map(|i| (f64::from(i % 6), slope * f64::from(i % 6) + random.normal())).collect();
        let line = theil_sen(&points).unwrap();
        let off = (line.slope - slope).abs();
        assert!(off < 6.0 * line.slope_error && line.slope_error < 0.25, "{line:?}");
        off < 1.645 * line.slope_error
    };
    let within = (0..LINES).filter(is_within).count() as f64 / LINES as f64;
    assert!((0.84..0.92).contains(&within), "{within}");
}
