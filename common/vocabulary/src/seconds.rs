//! A time as text.

use core::fmt;

/// Formats a time in seconds with three or four digits and a fitting unit: `0.842 s`, `8.42 ms`, `950 us`, `345 ns`.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.0;
        match s.abs() {
            _ if !s.is_finite() => f.write_str("an unknown time"),
            100.0.. => write!(f, "{s:.1} s"),
            0.1.. => write!(f, "{s:.3} s"),
            0.01.. => write!(f, "{:.1} ms", s * 1e3),
            0.001.. => write!(f, "{:.2} ms", s * 1e3),
            0.000_001.. => write!(f, "{:.0} us", s * 1e6),
            1e-9.. => write!(f, "{:.0} ns", s * 1e9),
            f64::MIN_POSITIVE.. => write!(f, "{:.3} ns", s * 1e9),
            _ => f.write_str("0 us"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::Seconds;
    use std::string::ToString;

    #[test]
    fn a_time_is_written_with_the_unit_that_suits_it() {
        let texts = [0.842, 12.5, 250.0, 0.0421, 0.00842, 0.00095, f64::NAN].map(|s| Seconds(s).to_string());
        let expected = ["0.842 s", "12.500 s", "250.0 s", "42.1 ms", "8.42 ms", "950 us", "an unknown time"];
        assert_eq!(texts, expected);
        let short = [4.2e-6, 3.45e-7, -3.3e-10, 0.0].map(|s| Seconds(s).to_string());
        assert_eq!(short, ["4 us", "345 ns", "-0.330 ns", "0 us"]);
    }
}
