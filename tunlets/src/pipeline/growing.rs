//! Further processes: they are started first, and compute from an ordinary change of the pattern on. The head is their communication
//! manager: it passes on what they get from other ranks and send to them.

use super::layout::{Layout, best, cost};
use super::{Grouping, Known, Now, Pipeline, reasons};
use crate::confidence::Gain;
use crate::options::Objective;
use crate::started::{came, room, verdict};
use crate::tuning_point::names;
use crate::{Judgement, Proposal, Refusal, TuningPoint};
use midrun_vocabulary::Seconds;

impl Pipeline {
    /// Judges the start of processes once they joined, or were given up.
    pub(super) fn judge_start(&mut self, spare: &TuningPoint) {
        let Some((decision, asked)) = self.starting else { return };
        let measured_s = self.now.as_ref().map_or(f64::NAN, |now| now.period_s);
        if let Some(verdict) = verdict(spare, asked) {
            self.judgements.push(Judgement::new(decision, measured_s, verdict));
            self.starting = None;
        }
    }

    /// Proposes to start processes where they surely shorten the period, with what it costs their manager.
    pub(super) fn start_ranks(&mut self, spare: &TuningPoint) -> Option<Proposal> {
        let (known, now) = (self.known.clone()?, self.now.clone()?);
        let present = now.layout.as_ref()?;
        let there = now.ranks + room(spare);
        let most = if self.most == 0 { there } else { self.most.min(there) };
        if self.starting.is_some() || self.is_busy() || most <= now.ranks {
            return None;
        }
        let wider = Known {
            slowness: longer(&known.slowness, most, 1.0),
            extra_s: longer(&known.extra_s, most, 0.0),
            members: now.ranks - came(spare).min(now.ranks),
            ..known
        };
        let next = widest(&wider, &now, most, self.grouping, self.objective)?;
        let gain = |next: &Layout| self.gain(&wider, &now, (present, next), self.objective);
        let surely = |gain: Gain| gain.is_sure(self.confidence);
        if self.is_refused(&next.plan.to_string()) || next.ranks <= now.ranks || !surely(gain(&next)) {
            // Without the manager's time they might pay.
            let free = Known { members: u32::MAX, ..wider.clone() };
            let free = best(&free, most, self.grouping, self.objective, now.head_s)?;
            let through = best(&wider, most, self.grouping, self.objective, now.head_s)?;
            if free.ranks > now.ranks
                && surely(self.gain(&Known { members: u32::MAX, ..wider }, &now, (present, &free), self.objective))
            {
                let why = format!(
                    "{} further ranks would be started for {} per input, but the head, their communication manager, would be busy for {} of \
                     each input",
                    free.ranks - now.ranks,
                    Seconds(free.paced_s(now.head_s)),
                    Seconds(now.head_s + through.manager_s),
                );
                self.manager.get_or_insert(Refusal { tunlet: "pipeline".into(), iteration: now.number, why, times: 1 });
            }
            return None;
        }
        let asked = came(spare) + (next.ranks - now.ranks);
        let gain = gain(&next);
        let (share, half) = gain.as_share(self.confidence);
        let why = format!(
            "{}; gain {:.1} % +- {:.1} %",
            reasons::why_started(&now, present, &next),
            100.0 * share,
            100.0 * half
        );
        self.asked = Some(asked);
        Some(Proposal {
            ranks: vec![spare.rank],
            assignments: vec![(names::PIPE_SPAWNED.into(), f64::from(asked).into())],
            tuning_point: "started ranks".into(),
            from: came(spare).to_string(),
            to: asked.to_string(),
            worth: now.worth(gain),
            // They compute nothing until the pattern changes.
            ..self.proposal(spare, "", (now.period_s, 0.0), why)
        })
    }
}

fn longer(list: &[f64], ranks: u32, usual: f64) -> Vec<f64> {
    let mut list = list.to_vec();
    list.resize(list.len().max(ranks as usize), usual);
    list
}

/// The best layout with at most `most` ranks. With more processes the stages take less time and their manager more: where the manager of
/// all of them would set the pace, the best number is where both are about as long.
fn widest(known: &Known, now: &Now, most: u32, grouping: Grouping, objective: Objective) -> Option<Layout> {
    let with = |ranks| best(known, ranks, grouping, objective, now.head_s);
    let managed = |layout: &Layout| now.head_s + layout.manager_s > layout.period_s();
    let mut above = with(most)?;
    let mut below = with(now.ranks)?;
    let (mut fewer, mut more) = (now.ranks, above.ranks);
    while managed(&above) && more > fewer + 1 {
        let ranks = fewer + (more - fewer) / 2;
        let layout = with(ranks)?;
        if managed(&layout) { (more, above) = (ranks, layout) } else { (fewer, below) = (ranks, layout) }
    }
    let cost = |layout: &Layout| cost(known, layout, objective, now.head_s);
    [below, above].into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))
}
