//! Proposals of another number of workers.

use super::{Change, MasterWorker};
use crate::master_worker::candidates::{self, Forecast};
use crate::master_worker::experience::family;
use crate::master_worker::inputs::Inputs;
use crate::master_worker::regime::Regime;
use crate::master_worker::workers::{Advice, Present};
use crate::master_worker::workload::{KnownWorker, WorkloadEstimator};
use crate::model_error::EXACT;
use crate::options::Objective;
use crate::started::{awaited, room};
use crate::trial::{MODEL, worth};
use crate::tuning_point::names;
use crate::{Proposal, TuningPoint, Value, Worth};
use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_vocabulary::Seconds;

/// Most parked workers that a reason names.
const NAMED: usize = 4;

/// Names the workers that are parked because they are slow or far.
fn parked(workload: &WorkloadEstimator, count: u32) -> String {
    if workload.own_batches().is_some() {
        return String::new(); // a program with its own loop parks its last ranks, whatever they cost
    }
    let all = workload.in_order();
    let Some(fastest) = all.first().copied() else { return String::new() };
    let leave = all.iter().rev().take(count as usize);
    let slow: Vec<_> = leave.filter(|worker| worker.cost_s > (1.0 + MODEL) * fastest.cost_s).collect();
    if slow.is_empty() {
        return String::new();
    }
    let name = |worker: &&&KnownWorker| {
        let times = format!("{:.1} times the fastest's task time", worker.slowness / fastest.slowness);
        let way = format!("{:.3} ms more per task for messages to another host", worker.message_s * 1e3);
        if worker.message_s > MODEL * worker.cost_s {
            format!("rank {} ({times}, {way})", worker.rank)
        } else {
            format!("rank {} ({times})", worker.rank)
        }
    };
    let more = slow.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names: Vec<String> = slow.iter().take(NAMED).map(|worker| name(&worker)).collect();
    format!("; parked first, for they cost more than they give: {}{rest}", names.join(", "))
}

/// The tuning point of the number of workers: the framework's, or that of a program with its own loop.
pub(super) fn tuning_point_of_number(tuning_points: &[TuningPoint]) -> Option<&TuningPoint> {
    let named = |name| tuning_points.iter().find(|point| point.name == name);
    named(names::WORKERS).or_else(|| named(names::OWN_WORKERS))
}

/// Workers there are, by the tuning point of their number.
pub(super) fn most(tuning_point: &TuningPoint) -> u32 {
    tuning_point.range.1.clamp(1.0, f64::from(u32::MAX)) as u32
}

/// The assignments of a number of workers, and of the setting that comes with it.
fn number_with(tuning_point: &TuningPoint, workers: u32, setting: Option<TechniqueParameters>) -> Vec<(String, Value)> {
    let mut all = setting.map(|setting| candidates::assignments(&setting)).unwrap_or_default();
    all.push((tuning_point.name.clone(), f64::from(workers).into()));
    all
}

/// A number of workers, and the setting where that changes, too, for the log.
fn with(workers: u32, setting: &TechniqueParameters, changes: bool) -> String {
    if changes {
        format!("{workers} with {setting}{}", if setting.recall { " and recall" } else { "" })
    } else {
        workers.to_string()
    }
}

impl MasterWorker {
    /// Proposes another number of workers, if it pays; `from` and `to` are the settings before and with it. If more workers
    /// would pay than there are, and `spare` ones can be started, they are started first.
    pub(super) fn other_workers(
        &mut self,
        (tuning_point, spare): (&TuningPoint, Option<&TuningPoint>),
        workload: &WorkloadEstimator,
        (from, to): (TechniqueParameters, TechniqueParameters),
        (unchanged_s, scale): (f64, f64),
    ) -> Option<Proposal> {
        let (iteration, _) = self.last?;
        if spare.is_some_and(awaited) {
            return None; // decided once all of them have joined
        }
        let most = most(tuning_point);
        let workload = &workload.ahead();
        let rivals = self.rivals(to, workload, tuning_point);
        let Advice { to: next, now, error, gain, drawn, stepped, forced } = self.workers.advise(
            workload,
            &rivals,
            most.saturating_add(spare.map_or(0, room)),
            Present {
                unchanged_s,
                scale,
                noise: self.experience.noise(),
                is_foreseen: !self.places.are_unusual(self.confidence),
                unforeseen: self.errors.unforeseen(),
            },
        )?;
        let worth = if forced { Worth::Due } else { worth(gain, self.windows, unchanged_s) };
        if let Some(spare) = spare.filter(|_| next.workers > most) {
            return Some(Proposal { worth, ..self.start_workers(spare, most, &next) });
        }
        // A new number starts with the setting that suits it. A program with its own number cuts by its own rules.
        let (setting, predicted_s) = if tuning_point.name == names::WORKERS {
            let there = workload.with_workers(next.workers);
            let settings = self.settings(&there);
            let (_, all) = candidates::shortlist(&there, next.setting, (&settings, &[]), self.confidence);
            // The model's error is not in the simulated gain.
            let confidence = self.confidence;
            let surely = |f: &&Forecast| f.gain.least(confidence) > confidence.standard_errors() * EXACT;
            let best = all.iter().filter(surely).max_by(|a, b| a.gain.mean.total_cmp(&b.gain.mean));
            best.map_or((next.setting, next.iteration_s), |f| (f.setting, next.iteration_s * (-f.gain.mean).exp()))
        } else {
            (from, next.iteration_s)
        };
        let changes = family(&from) != family(&setting);
        let regime = self.regime.map_or("", Regime::as_str);
        let why = format!(
            "{regime}; {}: {}; {} tasks, {:.1} us per chunk; Pi {:.4} s with {} workers, {:.4} s with {}; {}{}{}{}",
            self.workers.objective_text(),
            Inputs(workload),
            workload.tasks,
            workload.chunk_cost_s * 1e6,
            now.pi_s(),
            now.workers,
            next.pi_s(),
            next.workers,
            self.stake(gain, drawn, unchanged_s),
            if next.workers < now.workers { parked(workload, now.workers - next.workers) } else { String::new() },
            if stepped { ", as far as one step goes" } else { "" },
            if changes { format!("; with them {setting}") } else { String::new() },
        );
        self.proposed = Some(Change::Workers(now.workers, next.workers, setting));
        Some(Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![tuning_point.rank],
            assignments: number_with(tuning_point, next.workers, changes.then_some(setting)),
            tuning_point: "workers".into(),
            from: with(now.workers, &from, changes),
            to: with(next.workers, &setting, changes),
            why,
            predicted_s,
            uncertainty: self.errors.half_width(error, self.confidence),
            unchanged_s: now.iteration_s,
            gain: Some(gain.as_share(self.confidence)),
            worth,
            ..Proposal::default()
        })
    }

    /// What the source's index would choose of the workers there are (César 2006, ch. III, (17)) with what is proposed, which is expected to take
    /// `predicted_s` seconds; for the log. Nothing where it decides itself, or nobody can set a number.
    pub(super) fn by_pi(&self, tuning_points: &[TuningPoint], predicted_s: f64) -> Option<String> {
        if self.workers.requested().0 == Objective::Efficiency {
            return None;
        }
        let (count, workload) = (tuning_point_of_number(tuning_points)?, self.workload_with(tuning_points)?);
        let (workload, setting) = match self.proposed.as_ref()? {
            Change::Technique(_, to, _) => (workload, *to),
            Change::Workers(_, to, setting) => (workload.with_workers(*to), *setting),
            Change::Own(..) | Change::Start(_) => (workload, self.current?),
        };
        let most = most(count).max(workload.workers);
        Some(match self.workers.least_pi(&workload, setting, most) {
            Some((now, least)) => {
                let (there, here) = (Seconds(predicted_s * least.iteration_s / now.iteration_s), Seconds(predicted_s));
                format!("; Pi would choose {} of {most} workers: {there} instead of {here}", least.workers)
            }
            None => format!("; Pi would keep {} of {most} workers", workload.workers),
        })
    }

    /// Settings that may suit another number better than `to`: the static split, or the technique that follows the tasks.
    fn rivals(
        &self,
        to: TechniqueParameters,
        workload: &WorkloadEstimator,
        tuning_point: &TuningPoint,
    ) -> Vec<TechniqueParameters> {
        let mut all = vec![to];
        if tuning_point.name == names::WORKERS {
            let other =
                |s: &TechniqueParameters| matches!(s.kind, Technique::None | Technique::Daf) && s.kind != to.kind;
            all.extend(self.settings(workload).into_iter().filter(other));
        }
        all
    }

    /// Proposes to roll back to `to` workers with their `setting`, whose iterations took `former_s` seconds.
    pub(super) fn roll_back_workers(
        &mut self,
        tuning_point: &TuningPoint,
        workload: &WorkloadEstimator,
        (to, setting, former_s): (u32, TechniqueParameters, f64),
    ) -> Option<Proposal> {
        let (iteration, iteration_s) = self.last?;
        let from = workload.workers;
        let changes = family(&self.current?) != family(&setting);
        self.proposed = Some(Change::Workers(from, to, setting));
        Some(Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![tuning_point.rank],
            assignments: number_with(tuning_point, to, changes.then_some(setting)),
            tuning_point: "workers".into(),
            from: with(from, &self.current?, changes),
            to: with(to, &setting, changes),
            why: format!(
                "{from} workers measured worse than {to}: back to the former{}",
                if changes { format!(", with {setting}") } else { String::new() }
            ),
            predicted_s: former_s,
            unchanged_s: iteration_s,
            worth: Worth::Due,
            ..Proposal::default()
        })
    }
}
