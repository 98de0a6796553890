//! The summary of a job, from what is known of it.

use std::collections::BTreeSet;

use super::{Fate, Host, Job, Rank};
use midrun_tunlets::LinkCost;

use crate::summary::{Advice, LinkLine, Per, StreamLines, Summary};

fn link_line((same_host, link): (bool, LinkCost)) -> LinkLine {
    let known = |bytes: u32| (bytes > 0).then_some(bytes);
    LinkLine {
        same_host,
        start_up_s: link.cost.start_up_s,
        start_up_error_s: link.cost.start_up_error_s,
        per_byte_s: link.cost.per_byte_s,
        per_byte_error_s: link.cost.per_byte_error_s,
        samples: link.samples,
        trips: link.trips,
        eager_bytes: known(link.eager_bytes),
        rendezvous_bytes: known(link.rendezvous_bytes),
    }
}

impl Job {
    /// The summary at `now`.
    pub fn summary(&self, now: u64) -> Summary {
        let nodes: BTreeSet<&String> = self.hosts.values().map(|host| &host.node).collect();
        let lost = |(rank, state): (&u32, &Rank)| (state.fate == Fate::Lost).then_some(*rank);
        let dropped = |host: &Host| host.dropped.saturating_sub(host.dropped_before);
        let mut records = self.past;
        self.ranks.values().for_each(|rank| records.add(rank.records));
        let by_agents = self.hosts.values().map(dropped).fold(0, u64::saturating_add);
        let (refusals, report) = self.decider.report();
        let mut summary = Summary {
            job: self.id.to_string(),
            mpi: self.mpi.clone(),
            technique: self.technique.clone(),
            decisions: self.decider.decisions(),
            controls: self.controls.lines(),
            search: report.search,
            refusals,
            never: report.unavailable,
            shadow: report.shadows,
            stream: self.streams.any().then(|| {
                let ideal_period_s = report.ideal_period_s.filter(|s| s.is_finite());
                StreamLines { ideal_period_s, ..self.stream_lines.clone() }
            }),
            advice: report.next_allocation.map(|next| Advice {
                per: if self.streams.any() { Per::Output } else { Per::Iteration },
                regime: next.regime.to_owned(),
                workers_now: next.workers_now,
                iteration_now_s: next.iteration_now_s,
                workers: next.workers,
                ranks: next.workers.saturating_add(1),
                iteration_s: next.iteration_s,
                uncertainty: next.uncertainty,
            }),
            mpi_calls: self.calls.lines(),
            pop: self.calls.pop(),
            points: self.points.lines(&self.decider.points()),
            links: self.windows.links.clone().list().map(link_line).collect(),
            records,
            actions: self.actions.counts.clone(),
            ranks: self.ranks.len() as u64,
            nodes: nodes.into_iter().cloned().collect(),
            lost_ranks: self.ranks.iter().filter_map(lost).collect(),
            skipped_iterations: self.windows.skipped,
            wall_s: now.saturating_sub(self.started_ns) as f64 / 1e9,
            events_dropped: by_agents
                .saturating_add(self.invalid)
                .saturating_add(self.windows.invalid)
                .saturating_add(self.streams.invalid)
                .saturating_add(self.nonsense),
            ..Summary::default()
        };
        summary.list(&self.iterations);
        summary
    }
}
