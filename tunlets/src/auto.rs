//! Tunlet `auto`: `divide_conquer`, with `master_worker` in it, one for each master, receives the windows of iterations, `pipeline` those of streams. Where both come (a stage
//! that is a team), both propose, one change at a time.

use crate::divide_conquer::DivideConquer;
use crate::instances::Instances;
use crate::pipeline::Pipeline;
use crate::{Explanation, Judgement, Observation, Proposal, Refusal, Report, Settled, TuningPoint, Tunlet};

/// See the module.
#[derive(Clone, Debug)]
pub struct Auto {
    iterations: Instances<DivideConquer>,
    pipeline: Pipeline,
    /// There was a stream.
    streams: bool,
    /// Windows of a stream, and of iterations, came since they were asked last.
    news: (bool, bool),
    /// The last proposal was the pipeline's.
    asked_pipeline: bool,
}

impl Auto {
    /// Combines both tunlets.
    pub fn new(iterations: Instances<DivideConquer>, pipeline: Pipeline) -> Auto {
        Auto { iterations, pipeline, streams: false, news: (false, false), asked_pipeline: false }
    }
}

impl Tunlet for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn explain(&self) -> Explanation {
        let (mut all, pipeline) = (self.iterations.explain(), self.pipeline.explain());
        all.sees.extend(pipeline.sees);
        all.turns.extend(pipeline.turns);
        all.decides.extend(pipeline.decides);
        let about = "the one of master_worker, divide_conquer and pipeline that fits the program: whose windows come"
            .to_owned();
        Explanation { tunlet: "auto".to_owned(), about, ..all }
    }

    fn joins_short_iterations(&self) -> bool {
        true
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        match observation {
            Observation::Iteration(_) | Observation::Further(_) => {
                self.news.1 = true;
                self.iterations.observe(observation)
            }
            Observation::Stream(_) => {
                (self.streams, self.news.0) = (true, true);
                self.pipeline.observe(observation)
            }
            Observation::Running { .. }
            | Observation::Resting { .. }
            | Observation::OtherIterations { .. }
            | Observation::PointRefused { .. } => Vec::new(),
        }
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        // Where ranks move between stages the teams' iterations change, so the stream comes first.
        if std::mem::take(&mut self.news.0) {
            let proposal = self.pipeline.propose(tuning_points);
            self.asked_pipeline = proposal.is_some();
            if proposal.is_some() {
                return proposal;
            }
        }
        if self.pipeline.is_busy() || !std::mem::take(&mut self.news.1) {
            return None;
        }
        self.asked_pipeline = false;
        self.iterations.propose(tuning_points)
    }

    fn refusals(&self) -> Vec<Refusal> {
        [self.iterations.refusals(), self.pipeline.refusals()].concat()
    }

    fn report(&self) -> Report {
        if self.streams { self.pipeline.report() } else { self.iterations.report() }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        match self.asked_pipeline {
            true => self.pipeline.on_settled(decision, settled),
            false => self.iterations.on_settled(decision, settled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TuningOptions;
    use crate::testing::{pattern_tuning_point, stream, window};

    #[test]
    fn each_kind_of_window_goes_to_its_own_tunlet() {
        let mut auto = crate::catalogue::create(&TuningOptions::default()).unwrap();
        let tuning_point = pattern_tuning_point("0,1");
        auto.observe(Observation::Iteration(&window(0, 4, 0.1)));
        assert_eq!(auto.propose(std::slice::from_ref(&tuning_point)), None);
        auto.observe(Observation::Stream(&stream(0, "0,1", 6, &[0.1, 0.4])));
        let proposal = auto.propose(&[tuning_point]).unwrap();
        assert_eq!((&*proposal.tunlet, proposal.to.as_str()), ("pipeline", "0,1x4"));
        auto.on_settled(0, Settled::Applied { iteration: 9 });
        let judged: Vec<Judgement> =
            (1..5).flat_map(|k| auto.observe(Observation::Stream(&stream(k, "0,1x4", 6, &[0.1, 0.4])))).collect();
        assert_eq!(judged.len(), 1);
        assert!(auto.report().next_allocation.is_some());
    }
}
