//! Collects the reports of a pipeline's ranks about a stream and closes it into windows.
//!
//! The head reports where a window ends; work of stages that came since the window before belongs to it. Work is late by the
//! few milliseconds that agents collect it, which changes no mean.

use std::collections::{BTreeMap, VecDeque};

use midrun_tunlets::{StageWindow, StageWork, StreamWindow};

use crate::events::{PatternTaken, StageDeclared, StageWorked, StreamBegun, StreamWindowEnded};
use crate::limits;

/// The streams of one job.
#[derive(Debug, Default)]
pub struct Streams {
    /// The rank that draws and delivers.
    pub head: Option<u32>,
    begun: Option<StreamBegun>,
    stages: Vec<StageDeclared>,
    /// Patterns by their first epoch: the later ones of one plan are the same.
    patterns: BTreeMap<u32, PatternTaken>,
    /// The newest epoch.
    epoch: u32,
    work: BTreeMap<(usize, u32), StageWork>,
    /// Windows so far, over all streams.
    count: u64,
    closed: VecDeque<StreamWindow>,
    /// Work of stages that no stream has.
    pub invalid: u64,
}

impl Streams {
    /// Whether the job has streams.
    pub fn any(&self) -> bool {
        self.begun.is_some()
    }

    /// A stream begins; one that is reported again, after a link was lost or because it has more ranks, goes on, and so does the one before of
    /// the same pipeline: a window may have outputs of several.
    pub fn on_begun(&mut self, begun: StreamBegun) {
        let old = self.begun.replace(begun);
        if old.is_some_and(|old| (old.pipeline, old.stages) == (begun.pipeline, begun.stages)) {
            return;
        }
        let stage = |stage| StageDeclared { stage, name: String::new(), stateful: false, team: false };
        self.stages = (0..begun.stages).map(stage).collect();
        self.patterns.clear();
        self.epoch = 0;
        self.work.clear();
    }

    /// A stage is described.
    pub fn on_stage(&mut self, declared: StageDeclared) {
        match self.stages.get_mut(declared.stage) {
            Some(stage) => *stage = declared,
            None => self.invalid += 1,
        }
    }

    /// Inputs from here on go by another pattern; whether it is new.
    pub fn on_pattern(&mut self, taken: PatternTaken) -> bool {
        let is_new = self.patterns.is_empty() || taken.epoch > self.epoch;
        if is_new && self.plan() != Some(&taken.plan) {
            if self.patterns.len() >= limits::PATTERNS {
                self.patterns.pop_first();
            }
            self.patterns.insert(taken.epoch, taken.clone());
        }
        self.epoch = self.epoch.max(taken.epoch);
        is_new
    }

    /// The plan by which inputs go now.
    pub fn plan(&self) -> Option<&str> {
        self.patterns.last_key_value().map(|(_, taken)| taken.plan.as_str())
    }

    /// A rank worked on a stage.
    pub fn on_work(&mut self, worked: StageWorked) {
        let StageWorked { stage, work } = worked;
        // Its stream's begin may still be on its way from another host.
        if self.begun.is_some_and(|begun| stage >= begun.stages) {
            self.invalid += 1;
            return;
        }
        let sum = self.work.entry((stage, work.place)).or_default();
        sum.place = work.place;
        sum.add(&work);
    }

    /// A window ends.
    pub fn on_window(&mut self, ended: StreamWindowEnded) {
        let (Some(begun), Some((newest, taken))) = (self.begun, self.patterns.last_key_value()) else {
            self.invalid += 1;
            return;
        };
        let settled = ended.epochs.1 <= self.epoch && *newest <= ended.epochs.0;
        let mut stages: Vec<StageWindow> = self
            .stages
            .iter()
            .map(|stage| StageWindow {
                name: stage.name.clone(),
                stateful: stage.stateful,
                team: stage.team,
                by_rank: Vec::new(),
            })
            .collect();
        for ((stage, _), work) in std::mem::take(&mut self.work) {
            if let Some(seen) = stages.get_mut(stage) {
                seen.by_rank.push(work);
            }
        }
        self.closed.push_back(StreamWindow {
            number: self.count,
            plan: taken.plan.clone(),
            settled,
            outputs: ended.outputs,
            seconds: ended.seconds,
            on_way: ended.on_way,
            head_s: ended.head_s,
            ranks: begun.ranks,
            stages,
        });
        self.count += 1;
    }

    /// The oldest window that nobody has taken yet.
    pub fn take_closed(&mut self) -> Option<StreamWindow> {
        self.closed.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGUN: StreamBegun = StreamBegun { time_ns: 5, stages: 2, ranks: 3, pipeline: 1 };

    fn pattern(epoch: u32, plan: &str) -> PatternTaken {
        PatternTaken { epoch, first_input: 0, plan: plan.into() }
    }

    fn worked(stage: usize, place: u32) -> StageWorked {
        StageWorked { stage, work: StageWork { place, inputs: 2, busy_s: 0.5, ..StageWork::default() } }
    }

    fn ended(epochs: (u32, u32)) -> StreamWindowEnded {
        StreamWindowEnded { number: 0, seconds: 2.0, outputs: 8, epochs, on_way: 3, head_s: 0.1 }
    }

    #[test]
    fn a_window_has_the_work_since_the_one_before() {
        let mut streams = Streams::default();
        streams.on_work(worked(0, 1)); // overtook the beginning
        streams.on_begun(BEGUN);
        streams.on_stage(StageDeclared { stage: 1, name: "sharpen".into(), stateful: true, team: false });
        assert!(streams.on_pattern(pattern(0, "0,1")) && !streams.on_pattern(pattern(0, "0,1")));
        [worked(0, 1), worked(1, 2), worked(1, 2)].into_iter().for_each(|work| streams.on_work(work));
        streams.on_window(ended((0, 0)));
        let window = streams.take_closed().unwrap();
        assert_eq!((window.number, window.plan.as_str(), window.settled, window.ranks), (0, "0,1", true, 3));
        assert_eq!((window.stages[1].name.as_str(), window.stages[1].stateful), ("sharpen", true));
        assert_eq!((window.stages[1].by_rank[0].place, window.stages[1].by_rank[0].inputs), (2, 4));
        streams.on_pattern(pattern(1, "0,1x2"));
        streams.on_window(ended((0, 1)));
        streams.on_window(ended((1, 1)));
        let both: Vec<_> =
            std::iter::from_fn(|| streams.take_closed()).map(|w| (w.number, w.settled, w.plan)).collect();
        assert_eq!(both, [(1, false, "0,1x2".to_owned()), (2, true, "0,1x2".to_owned())]);
    }

    #[test]
    fn what_is_reported_again_changes_nothing_and_a_new_stream_begins_anew() {
        let mut streams = Streams::default();
        streams.on_begun(BEGUN);
        streams.on_pattern(pattern(4, "0,1"));
        streams.on_begun(BEGUN);
        assert_eq!(streams.plan(), Some("0,1"));
        streams.on_begun(StreamBegun { ranks: 5, ..BEGUN });
        assert_eq!(streams.plan(), Some("0,1"), "the same stream has more ranks");
        streams.on_window(ended((4, 4)));
        assert_eq!(streams.take_closed().map(|window| window.ranks), Some(5));
        streams.on_begun(StreamBegun { time_ns: 9, stages: 3, ..BEGUN });
        assert_eq!(streams.plan(), None);
        streams.on_window(ended((0, 0)));
        assert_eq!((streams.take_closed(), streams.invalid), (None, 1), "no pattern is known");
    }

    #[test]
    fn a_window_of_several_streams_is_settled_while_they_go_by_one_pattern() {
        let mut streams = Streams::default();
        let mut settled = |begun_ns: u64, taken: PatternTaken, oldest: u32| {
            streams.on_begun(StreamBegun { time_ns: begun_ns, pipeline: begun_ns / 10, ..BEGUN });
            streams.on_work(worked(1, 2));
            let epoch = taken.epoch;
            streams.on_pattern(taken);
            streams.on_window(ended((oldest, epoch)));
            streams.take_closed().map(|window| (window.settled, window.stages[1].by_rank[0].inputs))
        };
        assert_eq!(settled(5, pattern(0, "0,1"), 0), Some((true, 2)));
        assert_eq!(settled(6, pattern(1, "0,1"), 0), Some((true, 2)));
        assert_eq!(settled(7, pattern(2, "0,1x2"), 1), Some((false, 2)), "the pattern changed within it");
        assert_eq!(settled(8, pattern(3, "0,1x2"), 2), Some((true, 2)));
        assert_eq!(settled(10, pattern(0, "0,1"), 0), Some((true, 2)), "of another pipeline");
    }

    #[test]
    fn work_of_a_stage_that_is_none_is_counted() {
        let mut streams = Streams::default();
        streams.on_begun(BEGUN);
        streams.on_work(worked(2, 1));
        streams.on_stage(StageDeclared { stage: 2, name: String::new(), stateful: false, team: false });
        assert_eq!(streams.invalid, 2);
    }
}
