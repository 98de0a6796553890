//! The status of a job: what each rank does, and the stream of its changes that viewers follow.
//!
//! A follower gets the whole status first, and then JSON merge patches (RFC 7396): the keys that have changed. Only `windows`
//! grows instead: each patch holds the windows that were closed since the one before.

use std::collections::BTreeMap;

use midrun_tunlets::{StreamWindow, Window};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::calls::RankLine;
use crate::limits;

/// Part of a window, or of the run, that a rank computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Of the time, 0 to 1.
    pub busy: f64,
    /// Tasks, or inputs of stages; `None` where the program has neither.
    pub done: Option<u64>,
}

/// What a rank does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerLine {
    /// The rank.
    pub rank: u32,
    /// Its host.
    pub node: Option<String>,
    /// master, working, parked, ended or lost.
    pub state: &'static str,
    /// Part of the newest window that it computed, 0 to 1; of the whole run where the program has no windows with work; null
    /// while nothing is known.
    pub busy: Option<f64>,
    /// Tasks, or inputs of stages, that it computed in the newest window; null where the program has neither.
    pub done: Option<u64>,
}

/// The shares of the workers of an iteration.
pub fn shares_of_iteration(window: &Window) -> BTreeMap<u32, Share> {
    let share = |busy_s: f64| (busy_s / window.iteration_s.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let of =
        |work: &midrun_tunlets::WorkerWork| (work.rank, Share { busy: share(work.busy_s), done: Some(work.tasks) });
    window.per_worker.iter().map(of).collect()
}

/// The shares of the ranks of a stream: a rank may compute several stages.
pub fn shares_of_stream(window: &StreamWindow) -> BTreeMap<u32, Share> {
    let mut shares: BTreeMap<u32, Share> = BTreeMap::new();
    for work in window.stages.iter().flat_map(|stage| &stage.by_rank) {
        let share = shares.entry(work.place).or_default();
        share.busy = (share.busy + work.all_busy_s() / window.seconds.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let done = if work.inputs == 0 { work.team.tasks } else { work.inputs };
        share.done = Some(share.done.unwrap_or(0).saturating_add(done));
    }
    shares
}

/// The share of a rank of which only MPI calls are known: its time outside MPI in the whole run.
pub fn share_of_rank(line: &RankLine) -> (u32, Share) {
    let all_s = line.useful_s + line.waiting_s + line.mpi_s + line.framework_s;
    (line.rank, Share { busy: (line.useful_s / all_s.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0), done: None })
}

/// What a follower has been shown.
#[derive(Clone, Debug, Default)]
pub struct Shown(Map<String, Value>);

impl Shown {
    /// The keys of `status` that the follower does not have.
    pub fn patch(&mut self, status: Value) -> Value {
        let Value::Object(status) = status else { return Value::Null };
        let mut patch = Map::new();
        for (key, value) in status {
            let is_new = self.0.get(&key) != Some(&value);
            if key == "windows" {
                // Already only the new ones; nobody compares them again.
                patch.insert(key, value);
            } else if is_new {
                self.0.insert(key.clone(), value.clone());
                patch.insert(key, value);
            }
        }
        Value::Object(patch)
    }

    /// Windows that were closed before the last status.
    pub fn windows_seen(&self) -> u64 {
        self.0.get("windows_seen").and_then(Value::as_u64).unwrap_or(0)
    }
}

/// Takes a patch into a status; of the windows the newest `most` are kept. A status has a few dozen keys: beyond
/// [`limits::STATUS_KEYS`], new ones are left out.
pub fn merge(status: &mut Value, patch: Value, most: usize) {
    let Value::Object(patch) = patch else { return };
    if !status.is_object() {
        *status = Value::Object(Map::new());
    }
    for (key, value) in patch {
        if status.get(&key).is_none() && status.as_object().is_some_and(|keys| keys.len() >= limits::STATUS_KEYS) {
            continue;
        }
        match (key.as_str(), status["windows"].as_array_mut(), value) {
            ("windows", Some(windows), Value::Array(new)) => {
                windows.extend(new);
                windows.drain(..windows.len().saturating_sub(most));
            }
            (_, _, value) => status[key] = value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_has_what_changed_and_the_windows_add_up() {
        let first =
            json!({"mode": "tuned", "wall_s": 1.0, "windows_seen": 2, "windows": [{"number": 0}, {"number": 1}]});
        let next = json!({"mode": "tuned", "wall_s": 1.5, "windows_seen": 3, "windows": [{"number": 2}]});
        let mut shown = Shown::default();
        let mut followed = Value::Null;
        assert_eq!(shown.windows_seen(), 0);
        let whole = shown.patch(first.clone());
        assert_eq!((whole.clone(), shown.windows_seen()), (first, 2));
        merge(&mut followed, whole, 2);
        let patch = shown.patch(next);
        assert_eq!(patch, json!({"wall_s": 1.5, "windows_seen": 3, "windows": [{"number": 2}]}));
        merge(&mut followed, patch, 2);
        let expected =
            json!({"mode": "tuned", "wall_s": 1.5, "windows_seen": 3, "windows": [{"number": 1}, {"number": 2}]});
        assert_eq!(followed, expected);
    }

    #[test]
    fn of_keys_without_an_end_a_bounded_number_is_kept() {
        let mut status = Value::Null;
        (0..4 * limits::STATUS_KEYS).for_each(|key| merge(&mut status, json!({ key.to_string(): 1 }), 1));
        merge(&mut status, json!({"0": 2}), 1);
        assert_eq!((status.as_object().map(Map::len), &status["0"]), (Some(limits::STATUS_KEYS), &json!(2)));
    }

    #[test]
    fn a_rank_that_computes_several_stages_is_busy_with_all_of_them() {
        let window = midrun_tunlets::StreamWindow { seconds: 2.0, ..Default::default() };
        let stage = |busy_s| midrun_tunlets::StageWindow {
            by_rank: vec![midrun_tunlets::StageWork { place: 3, inputs: 4, busy_s, ..Default::default() }],
            ..Default::default()
        };
        let shares = shares_of_stream(&StreamWindow { stages: vec![stage(0.5), stage(1.0)], ..window });
        assert_eq!(shares[&3], Share { busy: 0.75, done: Some(8) });
    }
}
