//! Tunlet `divide_conquer`: how deep the master of a divide-and-conquer program divides, beside technique and number of workers.
//!
//! A solve tells what the problems of each depth took, above the cut-off and some depths below it. With a cut-off at depth d the master
//! divides and combines everything above d, and workers solve the problems at d: the deeper, the more even the end, and the more the
//! master and the messages cost. [`forecast`] simulates the hand-out of each depth's problems, [`cutoff`] decides. What remains, the
//! technique and the number of workers, is `master_worker`'s. Programs without such a tree are left to that alone.

mod cutoff;
mod forecast;
#[cfg(test)]
mod tests;
mod tree;

use crate::confidence::Confidence;
use crate::master_worker::MasterWorker;
use crate::options::Objective;
use crate::trial::{Rule, WATCHED};
use crate::tuning_point::names;
use crate::{Explanation, Judgement, Observation, Proposal, Refusal, Report, Settled, TuningPoint, Tunlet, Window};
use cutoff::CutOff;
use forecast::HandOut;
pub(crate) use tree::Tree;
use tree::handed_out;

/// See the module.
#[derive(Clone, Debug)]
pub struct DivideConquer {
    master_worker: MasterWorker,
    cutoff: CutOff,
    confidence: Confidence,
    /// The cut-off depth is left alone.
    fixed: bool,
    /// Time in which the master divided and combined in the last iteration, seconds.
    serial_s: f64,
    /// Problems that the last iteration handed out, and their depth.
    parts: Option<(u64, u32)>,
    asked_cutoff: bool,
}

impl DivideConquer {
    /// `master_worker` decides on everything but the cut-off depth.
    pub fn new(master_worker: MasterWorker, objective: Objective, confidence: Confidence) -> DivideConquer {
        let (fixed, cutoff) = (objective == Objective::Fixed, CutOff::new(confidence));
        DivideConquer { master_worker, cutoff, confidence, fixed, serial_s: 0.0, parts: None, asked_cutoff: false }
    }

    fn learn(&mut self, window: &Window, tree: Tree) -> Vec<Judgement> {
        self.serial_s = tree.serial_s;
        // The depth says how large tasks are: to hand out several at a time would do that again.
        self.master_worker.keep_technique(window.setting.kind);
        let handed_out = handed_out(window, &tree);
        self.parts = Some((handed_out.tasks, tree.cutoff));
        let mut judgements = self.master_worker.observe(Observation::Iteration(&handed_out));
        judgements.iter_mut().for_each(|judgement| judgement.measured_s += tree.serial_s);
        let hand_out = self.master_worker.hand_out().map(|(load, setting)| {
            let bytes = tree.tasks(tree.cutoff as usize).1;
            let links = window.network.iter().flat_map(|network| [network.near, network.far]).flatten();
            // Where nothing is known it is as good as assumed.
            let message_error_s = links.map(|link| link.cost.start_up_error_s).reduce(f64::max);
            let message_error_s = message_error_s.unwrap_or(load.latency_s);
            HandOut { load, bytes, setting, message_error_s }
        });
        judgements.extend(self.cutoff.learn(window, tree, hand_out));
        judgements
    }
}

impl Tunlet for DivideConquer {
    fn name(&self) -> &'static str {
        "divide_conquer"
    }

    fn explain(&self) -> Explanation {
        let mut all = self.master_worker.explain();
        all.sees.push(
            "each solve of a divide-and-conquer program: what the problems of each depth took, and their bytes".into(),
        );
        let trial =
            Rule::explain("iteration time (per work, where the problems of solves differ)", true, self.confidence);
        Explanation { tunlet: "divide_conquer".into(), ..all }
            .turns(names::CUTOFF, "depth at which the master stops to divide", "whole numbers, 0 to 30")
            .decides(
                "time of a cut-off depth: the master's time above it, and the simulated hand-out of the problems at it",
                "",
            )
            .decides(&format!("a change is watched for {WATCHED} iterations at least; {trial}"), "")
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        match observation {
            Observation::Iteration(window) => match Tree::of(window) {
                Some(tree) => self.learn(window, tree),
                None => self.master_worker.observe(observation),
            },
            _ => self.master_worker.observe(observation),
        }
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        // One change at a time: the measurements would mix the effects of two.
        if !self.fixed && !self.master_worker.is_busy() {
            let proposal = self.cutoff.propose(tuning_points);
            if proposal.is_some() || self.cutoff.is_busy() {
                self.asked_cutoff = proposal.is_some();
                return proposal;
            }
        }
        self.asked_cutoff = false;
        let proposal = self.master_worker.propose(tuning_points)?;
        let (predicted_s, unchanged_s) = (proposal.predicted_s + self.serial_s, proposal.unchanged_s + self.serial_s);
        Some(Proposal { predicted_s, unchanged_s, ..proposal })
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        match self.asked_cutoff {
            true => self.cutoff.on_settled(decision, &settled),
            false => self.master_worker.on_settled(decision, settled),
        }
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.master_worker.refusals()
    }

    fn report(&self) -> Report {
        // The depth gains, too.
        let mut report = Report { most_gained: None, ..self.master_worker.report() };
        // With more workers another depth may be better: the advice is for as many problems, and says so.
        if let (Some(next), Some((parts, depth))) = (&mut report.next_allocation, self.parts) {
            next.own_chunks = Some(format!("{parts} problems of depth {depth}"));
        }
        report
    }
}
