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
