//! Reports of a job: its summary, and what holds now.

use std::collections::BTreeMap;

use midrun_scheduling::Technique;
use midrun_tunlets::memory::Learnt;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Regime, TuningPoint};
use midrun_vocabulary::Seconds;
use serde_json::{Value, json};

use super::Job;
use super::membership::RankState;
use crate::closed_windows::WindowLine;
use crate::decisions::Per;
use crate::instance::InstanceLine;
use crate::limits;
use crate::notice::finite;
use crate::status::WorkerLine;
use crate::summary::{Advice, ClockLine, SCHEMA_VERSION, Summary};
use crate::teams::beside_master;

impl Job {
    /// The summary at `now`.
    pub fn summary(&self, now: u64) -> Summary {
        let members = &self.roster.members;
        let (refusals, report) = self.decisions.report();
        let measured = self.measurements.summary(self.decisions.points(), &report);
        // It may have looked like a master and its workers until its messages were seen. And what one of several groups of ranks needs is no number of ranks of
        // the whole job.
        let is_one = !measured.messages_go_one_way && measured.instances.is_empty();
        let next_allocation = report.next_allocation.filter(|_| is_one);
        let next_allocation = next_allocation.map(|next| beside_master(next, &measured.teams));
        let lost = members.ranks().filter(|(_, _, state)| *state == RankState::Lost);
        // Workers beyond the ranks have numbers after theirs.
        let of_world = members.ranks().filter(|(rank, ..)| *rank < members.world_size()).count() as u64;
        Summary {
            schema_version: SCHEMA_VERSION,
            job: self.id.to_string(),
            mpi: members.mpi().to_owned(),
            decisions: self.decisions.lines(),
            controls: self.overrides.lines(),
            search: report.search.map(|search| search.beside(self.roster.points.list())),
            start: self.memory.start(),
            learnt: self.learnt(),
            refusals,
            never: report.unavailable,
            shadow: report.shadows,
            advice: next_allocation.map(|next| Advice {
                per: self.measurements.per(),
                regime: next.regime.to_owned(),
                workers_now: next.workers_now,
                iteration_now_s: next.iteration_now_s,
                workers: next.workers,
                ranks: next.workers.saturating_add(u32::from(self.has_idle_master())),
                iteration_s: next.iteration_s,
                uncertainty: next.uncertainty,
                own_chunks: next.own_chunks,
                technique: next.technique,
                master_works_s: next.one_more_s.filter(|_| self.could_work()),
            }),
            other_work: report.other_work,
            unequal_workers: report.unequal_workers,
            most_gained: report.most_gained,
            records: members.records(),
            actions: self.dispatcher.counts().clone(),
            ranks: members.seen() as u64,
            unseen_ranks: u64::from(members.world_size()).saturating_sub(of_world),
            nodes: members.nodes().into_iter().map(str::to_owned).collect(),
            clocks: members.clocks().into_iter().map(ClockLine::from).collect(),
            lost_ranks: lost.map(|(rank, ..)| rank).collect(),
            unfollowed_ranks: members.present() as u64,
            wall_s: now.saturating_sub(self.started_ns) as f64 / 1e9,
            events_dropped: measured.events_dropped.saturating_add(members.events_dropped()),
            ..measured
        }
    }

    /// What the next run can begin with. A run with several masters, or with a pipeline and iterations, is not remembered: its memory knows
    /// one framework.
    fn learnt(&self) -> Option<Learnt> {
        let (world, seen) = (self.roster.members.world_size(), self.roster.members.seen() as u32);
        // Processes that were started beyond the ranks are not there at the next start.
        let ranks = if world > 0 { world } else { seen };
        let has_iterations = self.measurements.iterations() > 0;
        let is_composed =
            self.measurements.has_several_masters() || (has_iterations && self.measurements.outputs().is_some());
        if is_composed { None } else { self.memory.learnt(ranks) }
    }

    /// Everything a person wants to know of a running job, as JSON; see `docs/summary.md`. Of the windows it has those after the
    /// first `after` ones; `None`: the newest few.
    pub fn status(&self, now: u64, after: Option<u64>) -> Value {
        let rank = |(number, node, state): (u32, Option<&str>, RankState)| {
            let state = match state {
                RankState::Present => "running",
                RankState::Ended => "ended",
                RankState::Lost => "lost",
            };
            json!({"rank": number, "node": node, "state": state})
        };
        let instance = |line: InstanceLine| {
            json!({"master": line.master, "technique": line.technique, "workers": line.workers, "iterations": line.iterations,
                "iteration_s": line.iteration_s.last(), "ideal_s": line.ideal_s.last()})
        };
        let host = |(node, linked): (&str, bool)| json!({"node": node, "linked": linked});
        // Agents report ranks in any order; points of one rank are in the order of their declaration.
        let mut points: Vec<&TuningPoint> = self.roster.points.list().iter().collect();
        points.sort_by_key(|point| point.rank);
        let mode = self.overrides.mode().name();
        let measured = &self.measurements;
        let (iteration_s, period_s) = measured.newest_s();
        let (per, windows) = (measured.per(), measured.closed());
        let after = after.unwrap_or_else(|| windows.seen(per).saturating_sub(limits::STATUS_LINES as u64));
        let members = &self.roster.members;
        let dropped = measured.events_dropped().saturating_add(members.events_dropped());
        let actions = self.dispatcher.counts();
        json!({
            "schema_version": SCHEMA_VERSION,
            "job": self.id.as_str(), "mpi": members.mpi(), "ended": false,
            "wall_s": now.saturating_sub(self.started_ns) as f64 / 1e9,
            "ranks": members.ranks().map(rank).collect::<Vec<_>>(),
            "hosts": members.hosts().map(host).collect::<Vec<_>>(),
            "iterations": measured.iterations(), "outputs": measured.outputs(),
            "iteration_s": iteration_s, "period_s": period_s,
            "tunlet": self.decisions.name(), "mode": mode, "dry_run": self.spec.dry_run,
            "in_flight": self.dispatcher.on_their_way(), "controls_waiting": self.overrides.pending() + self.overrides.later(),
            "tuning_points": points.into_iter().map(|point| self.point(point)).collect::<Vec<_>>(),
            "decisions": newest(self.decisions.lines()), "verdicts": self.decisions.verdicts(),
            "controls": newest(self.overrides.lines()),
            "per": per, "windows_seen": windows.seen(per), "windows": windows.after(per, after).collect::<Vec<_>>(),
            "workers": self.workers(), "technique": measured.technique(), "pattern": measured.pattern(),
            "instances": measured.instances().into_iter().map(instance).collect::<Vec<_>>(),
            "regime": self.regime(), "stages": measured.stages(), "pop": measured.efficiency(),
            "records": members.records(), "events_dropped": dropped,
            "actions": {"sent": actions.sent, "applied": actions.applied, "refused": actions.refused,
                "expired": actions.expired, "undelivered": actions.undelivered},
        })
    }

    /// The status of a job that has ended, with its newest windows.
    pub fn last_status(&self, now: u64, windows: u64) -> Value {
        let mut status = self.status(now, Some(self.windows_before(windows)));
        status["ended"] = true.into();
        status
    }

    /// Whether the head of a pipeline, or a master, takes a rank and computes nothing.
    fn has_idle_master(&self) -> bool {
        self.measurements.per() == Per::Output || !self.master_works()
    }

    /// Whether a flag of midrun's framework would let the master compute, too, beside all other ranks.
    fn could_work(&self) -> bool {
        let mut points = self.roster.points.list().iter();
        points.any(|point| point.name == names::WORKERS && point.value >= point.range.1) && !self.master_works()
    }

    /// Returns whether the master computed tasks in the newest window, too. One who alone reports the tasks of several workers only reports.
    fn master_works(&self) -> bool {
        let shares = self.measurements.shares();
        let done = |rank: u32| shares.get(&rank).is_some_and(|share| share.done > Some(0));
        let workers = self.measurements.closed().newest(Per::Iteration).and_then(|line| line.workers);
        let master = self.measurements.masters().next().map(|(master, _)| master);
        let reports = |master: u32| workers > Some(1) && !shares.keys().any(|rank| *rank != master && done(*rank));
        master.is_some_and(|master| done(master) && !reports(master))
    }

    /// The status with the newest window only.
    pub fn newest_status(&self, now: u64) -> Value {
        self.status(now, Some(self.windows_before(1)))
    }

    /// Windows before the newest ones.
    fn windows_before(&self, newest: u64) -> u64 {
        self.measurements.closed().seen(self.measurements.per()).saturating_sub(newest)
    }

    /// What each rank does. A rank without work is parked where the newest iteration had fewer workers than there are.
    fn workers(&self) -> Vec<WorkerLine> {
        let shares = self.measurements.shares();
        let masters: BTreeMap<u32, &WindowLine> = self
            .measurements
            .masters()
            .filter_map(|(master, newest)| newest.filter(|line| line.tasks > Some(0)).map(|line| (master, line)))
            .collect();
        let worked = |rank: u32| shares.get(&rank).is_some_and(|share| share.done > Some(0));
        let running = |state| state == RankState::Present;
        let others = self
            .roster
            .members
            .ranks()
            .filter(|(rank, _, state)| running(*state) && (!masters.contains_key(rank) || worked(*rank)))
            .count();
        let workers: u32 = masters.values().filter_map(|line| line.workers).fold(0, u32::saturating_add);
        let some_parked = !masters.is_empty() && workers < others as u32;
        let line = |(rank, node, state): (u32, Option<&str>, RankState)| {
            let is_master = masters.contains_key(&rank) && !worked(rank);
            let state = match state {
                RankState::Ended => "ended",
                RankState::Lost => "lost",
                RankState::Present if is_master => "master",
                RankState::Present if some_parked && !worked(rank) => "parked",
                RankState::Present => "working",
            };
            let share = shares.get(&rank).copied();
            let of_master = || masters.get(&rank).and_then(|line| Some(line.master_busy_s? / line.time_s));
            let busy = if is_master { of_master() } else { share.map(|share| share.busy) };
            WorkerLine {
                rank,
                node: node.map(str::to_owned),
                state,
                busy: busy.and_then(finite).map(thousandths),
                done: share.filter(|_| !is_master).and_then(|share| share.done),
            }
        };
        self.roster.members.ranks().map(line).collect()
    }

    /// What limits the program in its newest window; `None` where that is not known.
    fn regime(&self) -> Option<String> {
        let stages = self.measurements.stages();
        if self.measurements.per() == Per::Output {
            let known = stages.iter().enumerate().filter_map(|(number, stage)| Some((number, stage, stage.tr_s?)));
            let (number, stage, tr_s) = known.max_by(|a, b| a.2.total_cmp(&b.2))?;
            let name = if stage.name.is_empty() { String::new() } else { format!(" ({})", stage.name) };
            return Some(format!("stage {number}{name} is the slowest: {} per input", Seconds(tr_s)));
        }
        let line = self.measurements.closed().newest(Per::Iteration).filter(|line| line.tasks > Some(0))?;
        let run_delay = self.measurements.efficiency().map_or(0.0, |efficiency| efficiency.run_delay);
        let workers = (line.ideal_s?, line.busiest_s?);
        Some(Regime::of(line.time_s, line.master_busy_s?, workers, run_delay).as_str().to_owned())
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

fn thousandths(share: f64) -> f64 {
    (share * 1e3).round() / 1e3
}

fn newest<T: serde::Serialize>(mut lines: Vec<T>) -> Vec<T> {
    lines.split_off(lines.len().saturating_sub(limits::STATUS_LINES))
}
