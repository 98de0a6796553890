//! How far a forecast may be off.

use core::fmt;

/// The interval of a forecast whose logarithm has the half width ln(1 + this): `+- 31 %`; where it reaches to the double and to the half, `within a
/// factor of 9.4`, for no time is shorter than nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within(pub f64);

impl Within {
    /// Whether a measured time is in the interval of the forecast.
    pub fn holds(self, measured: f64, forecast: f64) -> bool {
        measured.max(forecast) <= (1.0 + self.0) * measured.min(forecast)
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            share if share < 1.0 => write!(f, "+- {:.0} %", 100.0 * share),
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
        assert_eq!(Within(8.43).to_string(), "within a factor of 9.4");
    }

    #[test]
    fn an_interval_holds_the_same_multiples_below_and_above() {
        let of = |measured| Within(1.0).holds(measured, 2.0);
        assert_eq!([0.9, 1.0, 2.0, 4.0, 4.1].map(of), [false, true, true, true, false]);
    }
}
