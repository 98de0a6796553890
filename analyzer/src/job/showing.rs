//! What holds in one job now, for people who look.

use serde_json::{Value, json};

use midrun_scheduling::Technique;
use midrun_tunlets::TuningPoint;
use midrun_tunlets::tuning_point::names;

use super::{Fate, Job};
use crate::control::Mode;
use crate::limits;

impl Job {
    /// Everything a person wants to know, as JSON; see `docs/summary.md`.
    pub fn status(&self, now: u64) -> Value {
        let rank = |(number, rank): (&u32, &super::Rank)| {
            let state = match rank.fate {
                Fate::Present => "running",
                Fate::Finalized => "ended",
                Fate::Lost => "lost",
            };
            let node = self.hosts.get(&rank.agent).map(|host| host.node.as_str());
            json!({"rank": number, "node": node, "state": state})
        };
        let ranks: Vec<Value> = self.ranks.iter().map(rank).collect();
        // Agents tell of ranks in any order; those of one rank are in the order of their declaration.
        let mut tuning_points: Vec<&TuningPoint> = self.tuning_points.list().iter().collect();
        tuning_points.sort_by_key(|tuning_point| tuning_point.rank);
        let points: Vec<Value> = tuning_points.into_iter().map(|tuning_point| self.point(tuning_point)).collect();
        let mode = match self.controls.mode {
            Mode::Tuned => "tuned",
            Mode::Frozen => "frozen",
            Mode::Paused => "paused",
        };
        json!({
            "job": self.id.as_str(), "mpi": self.mpi, "ended": false,
            "wall_s": now.saturating_sub(self.started_ns) as f64 / 1e9,
            "ranks": ranks, "hosts": self.hosts.values().map(|host| json!({"node": host.node, "linked": host.linked})).collect::<Vec<_>>(),
            "iterations": self.iterations.count, "outputs": self.streams.any().then_some(self.outputs),
            "iteration_s": self.iterations.last_s(), "period_s": self.stream_lines.period_s.back(),
            "tunlet": self.decider.name(), "mode": mode, "dry_run": self.spec.dry_run,
            "in_flight": self.actions.in_flight().count() + usize::from(self.synchronized.is_some()), "controls_waiting": self.controls.waiting.len(),
            "tuning_points": points,
            "decisions": newest(self.decider.decisions()), "controls": newest(self.controls.lines()),
        })
    }

    fn point(&self, tuning_point: &TuningPoint) -> Value {
        let shown = |number: f64| {
            (tuning_point.name == names::TECHNIQUE).then(|| Technique::from_code(number as u32)).flatten()
        };
        let value = match &tuning_point.text {
            Some(text) => json!(text),
            None => json!(tuning_point.value),
        };
        json!({
            "rank": tuning_point.rank, "name": tuning_point.name, "value": value, "minimum": tuning_point.range.0, "maximum": tuning_point.range.1,
            "declared": self.tuning_points.start(tuning_point), "whole": tuning_point.whole, "text": tuning_point.text.is_some(),
            "means": shown(tuning_point.value).map(Technique::name),
            "turned": self.controls.turned(tuning_point.rank, &tuning_point.name),
            "held": self.controls.holds(tuning_point.rank, &tuning_point.name),
        })
    }
}

fn newest<T: serde::Serialize>(mut lines: Vec<T>) -> Vec<T> {
    lines.split_off(lines.len().saturating_sub(limits::STATUS_LINES))
}
