//! How far a forecast may be off.

use core::fmt;

/// From this share on it is told as a factor: the lower end is then a third of the forecast below it, not a half.
const FACTOR: f64 = 0.5;

/// The interval of a forecast whose logarithm has the half width ln(1 + this): `+- 31 %`; where that would mislead, for below it is less than above,
/// `within a factor of 9.4`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within(pub f64);

impl Within {
    /// The interval.
    pub fn interval(self, forecast: f64) -> (f64, f64) {
        (forecast / (1.0 + self.0), forecast * (1.0 + self.0))
    }

    /// Whether a measured time is in the interval of the forecast.
    pub fn holds(self, measured: f64, forecast: f64) -> bool {
        let (least, most) = self.interval(forecast);
        (least..=most).contains(&measured)
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            share if share < FACTOR => write!(f, "+- {:.0} %", 100.0 * share),
            share => write!(f, "within a factor of {:.1}", 1.0 + share),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::Within;
    use std::string::ToString;

    #[test]
    fn what_may_be_off_by_a_multiple_is_told_as_a_factor() {
        assert_eq!(Within(0.31).to_string(), "+- 31 %");
        assert_eq!(Within(0.5).to_string(), "within a factor of 1.5");
        assert_eq!(Within(8.43).to_string(), "within a factor of 9.4");
    }

    #[test]
    fn an_interval_holds_the_same_multiples_below_and_above() {
        let of = |measured| Within(1.0).holds(measured, 2.0);
        assert_eq!([0.9, 1.0, 2.0, 4.0, 4.1].map(of), [false, true, true, true, false]);
    }
}
