//! Times and sizes as people write them: `1.5ms`, `10KB`, `2MiB`.

/// Splits `text` into its number and its unit and multiplies; the error lists the units.
fn scaled(text: &str, units: &[(&str, f64)], what: &str) -> Result<f64, String> {
    let names = || units.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
    let end = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = units.iter().find(|(name, _)| *name == unit.trim()).map(|(_, factor)| *factor);
    match (number.trim().parse::<f64>(), factor) {
        (Ok(0.0), None) if unit.is_empty() => Ok(0.0),
        (Ok(number), Some(factor)) if number.is_finite() && number >= 0.0 => Ok(number * factor),
        _ => Err(format!("allowed is {what}: a number, 0 or more, with one of {}", names())),
    }
}

/// Seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    scaled(text, &[("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)], "a time such as 1.5ms")
}

/// Bytes; a bare number is bytes.
pub fn bytes(text: &str) -> Result<f64, String> {
    let kib = 1024.0;
    let units = [
        ("", 1.0),
        ("B", 1.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", kib),
        ("MiB", kib * kib),
        ("GiB", kib * kib * kib),
    ];
    scaled(text, &units, "a size such as 4096 or 10KB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_with_their_units() {
        let close = |a: Result<f64, String>, b: f64| (a.unwrap() - b).abs() < 1e-15;
        assert!(close(seconds("1ms"), 1e-3) && close(seconds("1600 ms"), 1.6) && close(seconds("0.5us"), 5e-7));
        assert!(close(seconds("2s"), 2.0) && close(seconds("1e-3s"), 1e-3));
        assert_eq!((bytes("4096"), bytes("1MiB"), bytes("1.5KB")), (Ok(4096.0), Ok(1_048_576.0), Ok(1500.0)));
    }

    #[test]
    fn anything_else_is_refused_with_what_is_allowed() {
        assert_eq!(seconds("0"), Ok(0.0));
        for bad in ["", "5", "ms", "-1ms", "1 hour", "NaN s", "inf s"] {
            let error = seconds(bad).unwrap_err();
            assert!(error.contains("ns, us, ms, s"), "{bad}: {error}");
        }
        assert!(bytes("12 apples").unwrap_err().contains("KiB"));
    }
}
