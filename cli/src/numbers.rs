//! Numbers as short as pictures and lines need them.

use serde_json::Value;

/// Five significant digits: more than a screen shows.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 4 - value.abs().log10().floor() as i32;
    let factor = 10_f64.powi(digits.clamp(-300, 300));
    (value * factor).round() / factor
}

/// A value of a tuning point as people write it: a text as it is, whole numbers whole, others to five digits. JSON has all of them.
pub fn plain(value: &Value) -> String {
    let Some(number) = value.as_f64() else { return value.as_str().map_or_else(|| value.to_string(), str::to_owned) };
    match number.abs() {
        size if number.fract() == 0.0 && size < 1e15 => format!("{number:.0}"),
        1e-4..1e15 => rounded(number).to_string(),
        _ => format!("{number:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_rounded_to_five_digits() {
        assert_eq!([123456.7, 0.000123456, -1.0, 0.0, f64::NAN].map(rounded), [123460.0, 0.00012346, -1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_value_is_written_as_people_write_it() {
        let values = [json!(64.0), json!(0.001_926_992_325), json!(1e300), json!(-0.5), json!("gss")];
        assert_eq!(values.map(|value| plain(&value)), ["64", "0.001927", "1.0000e300", "-0.5", "gss"]);
    }
}
