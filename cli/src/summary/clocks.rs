//! How well the clocks of a job's hosts are known.

use midrun_vocabulary::Seconds;
use serde_json::Value;

/// A line where there are several hosts: the one that is known worst, and the largest drift.
pub fn line(summary: &Value) -> Option<String> {
    let clocks = summary["clocks"].as_array().filter(|clocks| clocks.len() > 1)?;
    let number = |clock: &Value, key: &str| clock[key].as_f64().unwrap_or(0.0);
    let largest = |key: &str| clocks.iter().max_by(|a, b| number(a, key).abs().total_cmp(&number(b, key).abs()));
    let (worst, fastest) = (largest("error_s")?, largest("drift_ppm")?);
    Some(format!(
        "clocks of {} hosts, beside the analyzer's: known to {} or better ({}); drift at most {:.1} ppm +- {:.1} ({})",
        clocks.len(),
        Seconds(number(worst, "error_s")),
        worst["node"].as_str().unwrap_or("-"),
        number(fastest, "drift_ppm").abs(),
        number(fastest, "drift_error_ppm"),
        fastest["node"].as_str().unwrap_or("-"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_worst_of_several_hosts_is_named_and_one_host_is_no_news() {
        let clock = |node, error_s, drift_ppm| json!({"node": node, "error_s": error_s, "drift_ppm": drift_ppm, "drift_error_ppm": 0.5});
        let said = line(&json!({"clocks": [clock("h1", 0.0002, -31.0), clock("h2", 0.0015, 4.0)]})).expect("a line");
        assert!(said.contains("1.50 ms or better (h2)") && said.contains("31.0 ppm +- 0.5 (h1)"), "{said}");
        assert_eq!(line(&json!({"clocks": [clock("h1", 0.1, 1.0)]})), None);
    }
}
