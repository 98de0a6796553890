//! The summary of a run, as scripts read it.

use std::path::Path;

use serde_json::Value;

/// The JSON object.
#[derive(Debug)]
pub struct Summary(pub Value);

impl Summary {
    /// Reads a file.
    pub fn read(path: &Path) -> Summary {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Summary(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}")))
    }

    /// A whole number at a JSON pointer.
    pub fn count(&self, pointer: &str) -> u64 {
        let found = self.0.pointer(pointer).and_then(Value::as_u64);
        found.unwrap_or_else(|| panic!("{pointer} is a whole number in {}", self.0))
    }

    /// The list under a key.
    pub fn list(&self, key: &str) -> &[Value] {
        self.0[key].as_array().unwrap_or_else(|| panic!("{key} is a list in {}", self.0))
    }

    /// Number of workers of each iteration.
    pub fn workers(&self) -> Vec<u64> {
        self.list("workers").iter().filter_map(Value::as_u64).collect()
    }

    /// Fails the test unless the summary has all keys that scripts rely on, and they agree with each other.
    pub fn assert_contract(&self) {
        assert!(
            self.0["job"].is_string() && self.0["mpi"].is_string() && self.0["technique"].is_string(),
            "{}",
            self.0
        );
        let iterations = usize::try_from(self.count("/iterations")).expect("a small number");
        for key in ["iteration_s", "ideal_s", "workers", "imbalance"] {
            assert_eq!(self.list(key).len(), iterations, "{key} has one entry per iteration");
        }
        for (time, ideal) in self.list("iteration_s").iter().zip(self.list("ideal_s")) {
            let (time, ideal) = (time.as_f64().expect("seconds"), ideal.as_f64().expect("seconds"));
            assert!(time > 0.0 && ideal >= 0.0 && ideal <= time * 1.05, "ideal {ideal} s of {time} s");
        }
        for decision in self.list("decisions") {
            for key in [
                "iteration",
                "tunlet",
                "tuning_point",
                "from",
                "to",
                "why",
                "predicted_s",
                "uncertainty",
                "measured_s",
                "verdict",
            ] {
                assert!(decision.get(key).is_some(), "{key} is missing in {decision}");
            }
        }
        let [produced, collected, dropped] =
            ["produced", "collected", "dropped"].map(|key| self.count(&format!("/records/{key}")));
        // What a lost rank had not handed over is neither collected nor counted.
        let whole = collected + dropped == produced;
        let lost = !self.list("lost_ranks").is_empty() && collected + dropped < produced;
        assert!(whole || lost, "{produced} produced, {collected} collected, {dropped} dropped");
        for key in ["sent", "applied", "refused", "expired"] {
            self.count(&format!("/actions/{key}"));
        }
    }
}
