//! What the tunlet would have learnt from recorded windows, and what its model says of other patterns.

use super::Grouping;
use super::estimate::{Estimate, Known};
use super::layout::{best, forecast};
use super::reasons;
use crate::StreamWindow;
use crate::options::Objective;
use crate::trial::MODEL;
use midrun_models::line::median;
use midrun_scheduling::plan::{Manager, Plan};

/// A recorded window.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The window.
    pub window: StreamWindow,
    /// Whether all in it went by one pattern, as the window before it did: then its period is that pattern's.
    pub steady: bool,
}

/// Marks the windows that show one pattern alone: not the first, in which the stream fills, nor the first after a change,
/// in which what was held up comes in a burst.
pub fn marked(windows: &[StreamWindow]) -> Vec<Recorded> {
    let follows = |at: usize| {
        let before = at.checked_sub(1).map(|before| &windows[before]);
        before.is_some_and(|before| before.settled && before.plan == windows[at].plan)
    };
    let one = |(at, window): (usize, &StreamWindow)| Recorded {
        window: window.clone(),
        steady: window.settled && follows(at),
    };
    windows.iter().enumerate().map(one).collect()
}

/// What recorded windows teach.
#[derive(Clone, Debug)]
pub struct Fit {
    known: Known,
    /// Ranks that compute.
    ranks: u32,
    /// Source and sink per output, seconds.
    head_s: f64,
    /// Measured / by the model.
    scale: f64,
}

/// What is expected.
#[derive(Clone, Debug)]
pub struct Foreseen {
    /// The plan.
    pub plan: Plan,
    /// Time between two outputs, seconds.
    pub period_s: f64,
    /// Half the width of its interval as the model has it, as a share.
    pub uncertainty: f64,
    /// Time per input of each group by itself, seconds.
    pub tr_s: Vec<f64>,
}

impl Fit {
    /// Learns as the live tunlet does; `None` where a stage was not seen.
    pub fn of<'a>(windows: impl Iterator<Item = &'a Recorded>) -> Option<Fit> {
        let (mut estimate, mut steady, mut ranks) = (Estimate::default(), Vec::new(), 0);
        for recorded in windows {
            estimate.learn(&recorded.window);
            ranks = recorded.window.ranks;
            steady.extend(recorded.steady.then_some(&recorded.window));
        }
        let known = estimate.known(ranks)?;
        let outputs: u64 = steady.iter().map(|window| window.outputs).sum();
        let head_s = steady.iter().map(|window| window.head_s).sum::<f64>() / outputs.max(1) as f64;
        let mut fit = Fit { known, ranks, head_s, scale: 1.0 };
        let ratios: Vec<f64> = steady.iter().filter_map(|w| Some(w.period_s() / fit.of_window(w)?)).collect();
        fit.scale = if ratios.is_empty() { 1.0 } else { median(ratios) };
        Some(fit)
    }

    /// The period of a window under its own plan, on the ranks that computed; `None` where not all of them were seen. Seconds.
    pub fn of_window(&self, window: &StreamWindow) -> Option<f64> {
        let plan = Plan::parse(&window.plan, &vec![false; window.stages.len()]).ok()?;
        let places = reasons::places(window, &plan)?;
        Some(self.period_s(&forecast(&self.known, &plan, &places)))
    }

    fn period_s(&self, layout: &super::Layout) -> f64 {
        layout.paced_s(self.head_s) * self.scale
    }

    /// Reads a plan for this stream.
    ///
    /// # Errors
    /// A part of a sentence that says what is wrong.
    pub fn plan(&self, text: &str) -> Result<Plan, String> {
        let stateful: Vec<bool> = self.known.pipeline.stages.iter().map(|stage| stage.stateful).collect();
        let plan = Plan::parse(text, &stateful)?;
        if plan.0.iter().any(|group| group.manager != Manager::Sender) {
            return Err("communication managers are not predicted from recordings: leave m and s out".into());
        }
        Ok(plan)
    }

    /// Stages of the stream.
    pub fn stages(&self) -> usize {
        self.known.pipeline.stages.len()
    }

    /// What was learnt of each stage: compute time, seconds, and bytes per input.
    pub fn inputs(&self) -> Vec<(f64, f64)> {
        self.known.pipeline.stages.iter().map(|stage| (stage.compute_s, stage.message_bytes)).collect()
    }

    /// Source and sink per output, seconds.
    pub fn head_s(&self) -> f64 {
        self.head_s
    }

    /// Start-up time of a message, and time of a byte, seconds.
    pub fn link(&self) -> (f64, f64) {
        (self.known.pipeline.network.start_up_s, self.known.pipeline.network.per_byte_s)
    }

    /// The same with other messages.
    pub fn with_link(&self, latency_s: Option<f64>, per_byte_s: Option<f64>) -> Fit {
        let mut other = self.clone();
        let network = &mut other.known.pipeline.network;
        network.start_up_s = latency_s.unwrap_or(network.start_up_s);
        network.per_byte_s = per_byte_s.unwrap_or(network.per_byte_s);
        other
    }

    /// What is expected of a plan. Groups that name no ranks take them in order, as a stream that starts does; ranks beyond
    /// the recorded ones are like most.
    pub fn with(&self, plan: &Plan) -> Foreseen {
        let taken: Vec<usize> = plan.0.iter().flat_map(|group| group.at.clone()).collect();
        let mut free = (1..).filter(|place| !taken.contains(place));
        let places = plan.0.iter().map(|group| match group.at.is_empty() {
            true => free.by_ref().take(group.replicas).map(|place| place as u32).collect(),
            false => group.at.iter().map(|place| *place as u32).collect(),
        });
        let places: Vec<Vec<u32>> = places.collect();
        let layout = forecast(&self.known, plan, &places);
        let period_s = self.period_s(&layout);
        // Chance as in the live tunlet's interval.
        let uncertainty = MODEL.hypot(self.known.spread / 2.0);
        Foreseen { plan: plan.clone(), period_s, uncertainty, tr_s: layout.tr_s }
    }

    /// The plan with the shortest period on so many ranks.
    pub fn best(&self, ranks: u32) -> Option<Plan> {
        let more = |list: &[f64], usual: f64| {
            let mut list = list.to_vec();
            list.resize(ranks as usize, usual);
            list
        };
        let known = &self.known;
        let (slowness, extra_s) = (more(&known.slowness, 1.0), more(&known.extra_s, 0.0));
        let known = Known { slowness, extra_s, ..known.clone() };
        best(&known, ranks, Grouping::Single, Objective::Time, self.head_s).map(|layout| layout.plan)
    }

    /// Ranks that compute.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stream;

    #[test]
    fn replicas_shorten_the_period_of_the_slow_stage_until_another_is_slower() {
        let windows: Vec<StreamWindow> = (0..6).map(|k| stream(k, "0,1,2", 8, &[0.1, 0.4, 0.1])).collect();
        let fit = Fit::of(marked(&windows).iter()).unwrap();
        let period = |text: &str| fit.with(&fit.plan(text).unwrap()).period_s;
        assert!((period("0,1,2") - 0.4).abs() < 1e-9);
        assert!((period("0,1x2,2") - 0.2).abs() < 1e-9);
        assert!((period("0,1x6,2") - 0.1).abs() < 1e-9);
        assert_eq!(fit.best(6).unwrap().to_string(), "0,1x4,2");
        assert!(fit.plan("0,1x2m,2").unwrap_err().contains("managers"));
        assert!(fit.plan("0,1").unwrap_err().contains("stage 2 is in no group"));
    }

    #[test]
    fn the_first_window_and_the_first_after_a_change_are_not_steady() {
        let mut windows: Vec<StreamWindow> = (0..3).map(|k| stream(k, "0,1", 3, &[0.1, 0.2])).collect();
        windows.extend((3..6).map(|k| stream(k, "0,1x2", 3, &[0.1, 0.2])));
        windows[4].settled = false;
        let steady: Vec<bool> = marked(&windows).iter().map(|recorded| recorded.steady).collect();
        assert_eq!(steady, [false, true, true, false, false, false]);
    }
}
