//! A moment as text.

use core::fmt;

/// Formats seconds since 1970 as date and minute: `2026-11-22 14:20 UTC`.
#[derive(Clone, Copy, Debug)]
pub struct UnixTime(pub u64);

impl fmt::Display for UnixTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, minutes) = (self.0 / 86_400, self.0 % 86_400 / 60);
        // Days since the first of March of the year 0, so that a leap day ends its year (H. Hinnant, chrono-Compatible Low-Level Date Algorithms).
        let since = days + 719_468;
        let (era, day_of_era) = (since / 146_097, since % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        write!(f, "{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::UnixTime;
    use std::string::ToString;

    #[test]
    fn a_moment_is_written_as_date_and_minute() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_735_689_600, "2025-01-01 00:00 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(UnixTime(seconds).to_string(), text);
        }
    }
}
