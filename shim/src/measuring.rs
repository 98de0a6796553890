//! The share of the time that measuring may take.

use std::sync::OnceLock;

/// The share, in percent, unless MIDRUN_BUDGET says another.
const PERCENT: f64 = 1.0;

/// The share of the time that each may take: counting the program's MPI calls, and measuring points.
pub fn budget() -> f64 {
    static BUDGET: OnceLock<f64> = OnceLock::new();
    *BUDGET.get_or_init(|| {
        let percent = std::env::var("MIDRUN_BUDGET").ok().and_then(|text| text.trim().parse::<f64>().ok());
        percent.filter(|percent| (0.0..=100.0).contains(percent)).unwrap_or(PERCENT) / 100.0
    })
}
