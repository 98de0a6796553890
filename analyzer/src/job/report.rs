//! Reports of a job: its summary, and what holds now.

use midrun_scheduling::Technique;
use midrun_tunlets::TuningPoint;
use midrun_tunlets::tuning_point::names;
use serde_json::{Value, json};

use super::Job;
use super::membership::RankState;
use crate::limits;
use crate::summary::{Advice, Summary};

impl Job {
    /// The summary at `now`.
    pub fn summary(&self, now: u64) -> Summary {
        let members = &self.roster.members;
        let (refusals, report) = self.decisions.report();
        let ideal_period_s = report.ideal_period_s.filter(|s| s.is_finite());
        let measured = self.measurements.summary(&self.decisions.points(), ideal_period_s);
        let lost = members.ranks().filter(|(_, _, state)| *state == RankState::Lost);
        Summary {
            job: self.id.to_string(),
            mpi: members.mpi().to_owned(),
            decisions: self.decisions.lines(),
            controls: self.overrides.lines(),
            search: report.search,
            start: self.memory.start(),
            learnt: self.memory.learnt(members.world_size().max(members.seen() as u32)),
            refusals,
            never: report.unavailable,
            shadow: report.shadows,
            advice: report.next_allocation.map(|next| Advice {
                per: self.measurements.per(),
                regime: next.regime.to_owned(),
                workers_now: next.workers_now,
                iteration_now_s: next.iteration_now_s,
                workers: next.workers,
                ranks: next.workers.saturating_add(1),
                iteration_s: next.iteration_s,
                uncertainty: next.uncertainty,
            }),
            records: members.records(),
            actions: self.dispatcher.counts().clone(),
            ranks: members.seen() as u64,
            nodes: members.nodes().into_iter().map(str::to_owned).collect(),
            lost_ranks: lost.map(|(rank, ..)| rank).collect(),
            wall_s: now.saturating_sub(self.started_ns) as f64 / 1e9,
            events_dropped: measured.events_dropped.saturating_add(members.events_dropped()),
            ..measured
        }
    }

    /// Everything a person wants to know of a running job, as JSON; see `docs/summary.md`.
    pub fn status(&self, now: u64) -> Value {
        let rank = |(number, node, state): (u32, Option<&str>, RankState)| {
            let state = match state {
                RankState::Present => "running",
                RankState::Finalized => "ended",
                RankState::Lost => "lost",
            };
            json!({"rank": number, "node": node, "state": state})
        };
        let host = |(node, linked): (&str, bool)| json!({"node": node, "linked": linked});
        // Agents report ranks in any order; points of one rank are in the order of their declaration.
        let mut points: Vec<&TuningPoint> = self.roster.points.list().iter().collect();
        points.sort_by_key(|point| point.rank);
        let mode = self.overrides.mode().name();
        let (iteration_s, period_s) = self.measurements.newest_s();
        json!({
            "job": self.id.as_str(), "mpi": self.roster.members.mpi(), "ended": false,
            "wall_s": now.saturating_sub(self.started_ns) as f64 / 1e9,
            "ranks": self.roster.members.ranks().map(rank).collect::<Vec<_>>(),
            "hosts": self.roster.members.hosts().map(host).collect::<Vec<_>>(),
            "iterations": self.measurements.iterations(), "outputs": self.measurements.outputs(),
            "iteration_s": iteration_s, "period_s": period_s,
            "tunlet": self.decisions.name(), "mode": mode, "dry_run": self.spec.dry_run,
            "in_flight": self.dispatcher.on_their_way(), "controls_waiting": self.overrides.pending(),
            "tuning_points": points.into_iter().map(|point| self.point(point)).collect::<Vec<_>>(),
            "decisions": newest(self.decisions.lines()), "controls": newest(self.overrides.lines()),
        })
    }

    fn point(&self, point: &TuningPoint) -> Value {
        let is_technique = point.name == names::TECHNIQUE;
        let technique = Technique::from_code(point.value as u32).filter(|_| is_technique);
        json!({
            "rank": point.rank, "name": point.name,
            "value": point.text.as_ref().map_or(json!(point.value), |text| json!(text)),
            "minimum": point.range.0, "maximum": point.range.1, "declared": self.roster.points.start(point),
            "whole": point.whole, "text": point.text.is_some(), "means": technique.map(Technique::name),
            "turned": self.overrides.turned(point.rank, &point.name),
            "held": self.overrides.holds(point.rank, &point.name),
        })
    }
}

fn newest<T: serde::Serialize>(mut lines: Vec<T>) -> Vec<T> {
    lines.split_off(lines.len().saturating_sub(limits::STATUS_LINES))
}
