//! What holds in one job now, for people who look.

use serde_json::{Value, json};

use midrun_handout::PolicyKind;
use midrun_tunlets::Knob;
use midrun_tunlets::knob::names;

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
        let mut knobs: Vec<&Knob> = self.knobs.list().iter().collect();
        knobs.sort_by_key(|knob| knob.rank);
        let points: Vec<Value> = knobs.into_iter().map(|knob| self.point(knob)).collect();
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
            "in_flight": self.actions.in_flight().count() + usize::from(self.together.is_some()), "controls_waiting": self.controls.waiting.len(),
            "tuning_points": points,
            "decisions": newest(self.decider.decisions()), "controls": newest(self.controls.lines()),
        })
    }

    fn point(&self, knob: &Knob) -> Value {
        let shown = |number: f64| (knob.name == names::POLICY).then(|| PolicyKind::from_code(number as u32)).flatten();
        let value = match &knob.text {
            Some(text) => json!(text),
            None => json!(knob.value),
        };
        json!({
            "rank": knob.rank, "name": knob.name, "value": value, "minimum": knob.range.0, "maximum": knob.range.1,
            "declared": self.knobs.start(knob), "whole": knob.whole, "text": knob.text.is_some(),
            "means": shown(knob.value).map(PolicyKind::name),
            "turned": self.controls.turned(knob.rank, &knob.name),
            "held": self.controls.holds(knob.rank, &knob.name),
        })
    }
}

fn newest<T: serde::Serialize>(mut lines: Vec<T>) -> Vec<T> {
    lines.split_off(lines.len().saturating_sub(limits::STATUS_LINES))
}
