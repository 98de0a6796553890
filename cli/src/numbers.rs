//! Numbers as short as a picture needs them.

/// Five significant digits: more than a screen shows.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 4 - value.abs().log10().floor() as i32;
    let factor = 10_f64.powi(digits.clamp(-300, 300));
    (value * factor).round() / factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_five_digits() {
        assert_eq!([123456.7, 0.000123456, -1.0, 0.0, f64::NAN].map(rounded), [123460.0, 0.00012346, -1.0, 0.0, 0.0]);
    }
}
