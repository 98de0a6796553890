//! The tunlet that fits the program: windows of iterations go to one, those of streams to the other.

use crate::master_worker::MasterWorker;
use crate::pipeline::Pipeline;
use crate::{Explanation, Judgement, Outlook, Proposal, Settled, StreamWindow, TuningPoint, Tunlet, Window};

/// See the module.
#[derive(Debug)]
pub struct Auto {
    master_worker: MasterWorker,
    pipeline: Pipeline,
    /// Whose window came last, and who made the last proposal: the pipeline's?
    streams: bool,
    asked_pipeline: bool,
}

impl Auto {
    /// Of both tunlets.
    pub fn new(master_worker: MasterWorker, pipeline: Pipeline) -> Auto {
        Auto { master_worker, pipeline, streams: false, asked_pipeline: false }
    }

    fn one(&mut self, pipeline: bool) -> &mut dyn Tunlet {
        if pipeline { &mut self.pipeline } else { &mut self.master_worker }
    }
}

impl Tunlet for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn explain(&self) -> Explanation {
        let (mut all, pipeline) = (self.master_worker.explain(), self.pipeline.explain());
        all.sees.extend(pipeline.sees);
        all.turns.extend(pipeline.turns);
        all.decides.extend(pipeline.decides);
        let about = "the one of master_worker and pipeline that fits the program: whose windows come".to_owned();
        Explanation { tunlet: "auto".to_owned(), about, ..all }
    }

    fn observe(&mut self, window: &Window) {
        self.streams = false;
        self.master_worker.observe(window);
    }

    fn observe_stream(&mut self, window: &StreamWindow) {
        self.streams = true;
        self.pipeline.observe_stream(window);
    }

    fn judgements(&mut self) -> Vec<Judgement> {
        let streams = self.streams;
        self.one(streams).judgements()
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        self.asked_pipeline = self.streams;
        let streams = self.streams;
        self.one(streams).propose(tuning_points)
    }

    fn ideal_period_s(&self) -> Option<f64> {
        self.pipeline.ideal_period_s()
    }

    fn outlook(&self) -> Option<Outlook> {
        if self.streams { self.pipeline.outlook() } else { self.master_worker.outlook() }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let pipeline = self.asked_pipeline;
        self.one(pipeline).on_settled(decision, settled);
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
        auto.observe(&window(0, 4, 0.1));
        assert_eq!(auto.propose(std::slice::from_ref(&tuning_point)), None);
        auto.observe_stream(&stream(0, "0,1", 6, &[0.1, 0.4]));
        let proposal = auto.propose(&[tuning_point]).unwrap();
        assert_eq!((&*proposal.tunlet, proposal.to.as_str()), ("pipeline", "0,1x4"));
        auto.on_settled(0, Settled::Applied { iteration: 9 });
        for k in 1..5 {
            auto.observe_stream(&stream(k, "0,1x4", 6, &[0.1, 0.4]));
        }
        assert_eq!(auto.judgements().len(), 1);
        assert!(auto.outlook().is_some());
    }
}
