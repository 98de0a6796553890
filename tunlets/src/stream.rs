//! Window of a pipeline's stream: the outputs between two moments, and the work of the stages meanwhile.

use crate::window::{LONGEST_S, squares_of};
use std::collections::VecDeque;

/// One rank's work for a team's stage in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TeamWork {
    /// Tasks computed.
    pub tasks: u64,
    /// Sum of their times, seconds. That of the lead's is part of its `busy_s`, too.
    pub task_s: f64,
    /// Sum of the squares of those, seconds squared.
    pub task_sq_s2: f64,
    /// Lead: time of splitting inputs and joining results, seconds.
    pub serial_s: f64,
    /// Lead: from the begin of the one to the end of the other, seconds.
    pub elapsed_s: f64,
}

impl TeamWork {
    /// Adds further work.
    pub fn add(&mut self, more: &TeamWork) {
        self.tasks = self.tasks.saturating_add(more.tasks);
        self.task_s += more.task_s;
        self.task_sq_s2 += more.task_sq_s2;
        self.serial_s += more.serial_s;
        self.elapsed_s += more.elapsed_s;
    }
}

/// One rank's work on one stage in one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageWork {
    /// Rank in the pipeline's communicator.
    pub place: u32,
    /// Inputs computed.
    pub inputs: u64,
    /// Sum of their compute times, seconds.
    pub busy_s: f64,
    /// Sum of the squares of those, seconds squared.
    pub sum_sq_s2: f64,
    /// Bytes of their outputs.
    pub bytes: f64,
    /// Idle time of the rank, seconds; counted with the first stage that it runs.
    pub idle_s: f64,
    /// Time the rank spent on messages, seconds; counted with the first stage that it runs.
    pub own_s: f64,
    /// Of a team's stage.
    pub team: TeamWork,
}

impl StageWork {
    /// Adds further work of the same rank on the same stage.
    pub fn add(&mut self, more: &StageWork) {
        self.inputs = self.inputs.saturating_add(more.inputs);
        self.busy_s += more.busy_s;
        self.sum_sq_s2 += more.sum_sq_s2;
        self.bytes += more.bytes;
        self.idle_s += more.idle_s;
        self.own_s += more.own_s;
        self.team.add(&more.team);
    }

    /// Time that the rank was busy with the stage, seconds. A worker of a team has no inputs, only tasks.
    pub fn all_busy_s(&self) -> f64 {
        if self.inputs == 0 { self.busy_s + self.team.task_s } else { self.busy_s }
    }

    /// Whether it computed anything.
    pub fn is_seen(&self) -> bool {
        self.inputs > 0 || self.team.tasks > 0
    }
}

/// One stage in one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageWindow {
    /// Its name; may be empty.
    pub name: String,
    /// Whether it keeps state.
    pub stateful: bool,
    /// Whether a team computes it: its ranks are one lead, who has the inputs, and its workers.
    pub team: bool,
    /// Each rank's work on it, by place.
    pub by_rank: Vec<StageWork>,
}

impl StageWindow {
    /// Sum over the ranks.
    pub fn sum(&self, what: impl Fn(&StageWork) -> f64) -> f64 {
        self.by_rank.iter().map(what).sum()
    }

    /// Mean compute time per input, seconds; `None` without inputs.
    pub fn compute_s(&self) -> Option<f64> {
        let inputs = self.sum(|work| work.inputs as f64);
        (inputs > 0.0).then(|| self.sum(StageWork::all_busy_s) / inputs)
    }
}

/// One closed window of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamWindow {
    /// Its number, over all streams of the job.
    pub number: u64,
    /// Pattern of the inputs drawn now, as `midrun.h` writes it.
    pub plan: String,
    /// Whether all outputs of the window were computed by that pattern, and none was held up by the one before.
    pub settled: bool,
    /// Outputs.
    pub outputs: u64,
    /// Duration, seconds.
    pub seconds: f64,
    /// Inputs on their way at its end.
    pub on_way: u32,
    /// Time in the program's source and sink, seconds.
    pub head_s: f64,
    /// Ranks that can compute, used or not: 1 to this, or rank 0 if it is alone.
    pub ranks: u32,
    /// Stages in the order of the stream.
    pub stages: Vec<StageWindow>,
}

/// Windows that [`Recent`] holds, so that a stall and the burst after it are merged.
const RECENT: usize = 5;

/// The last windows whose outputs were all computed by the present pattern.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    plan: Option<String>,
    windows: VecDeque<StreamWindow>,
}

impl Recent {
    /// Takes in a window.
    pub fn push(&mut self, window: &StreamWindow) {
        if self.plan.as_ref() != Some(&window.plan) {
            self.plan = Some(window.plan.clone());
            self.windows.clear();
        }
        if !window.settled {
            return;
        }
        if self.windows.len() >= RECENT {
            self.windows.pop_front();
        }
        self.windows.push_back(window.clone());
    }

    /// Forgets all: the program has changed.
    pub fn forget(&mut self) {
        self.windows.clear();
    }

    /// Number of windows.
    pub fn count(&self) -> usize {
        self.windows.len()
    }

    /// All windows merged into one; `None` if there is none.
    pub fn merged(&self) -> Option<StreamWindow> {
        let mut windows = self.windows.iter();
        let first = windows.next()?.clone();
        Some(windows.fold(first, StreamWindow::with))
    }
}

impl StageWindow {
    fn add(&mut self, work: &StageWork) {
        match self.by_rank.iter_mut().find(|known| known.place == work.place) {
            Some(known) => known.add(work),
            None => self.by_rank.push(work.clone()),
        }
    }
}

impl StreamWindow {
    /// Merges a later window into this one.
    fn with(mut self, later: &StreamWindow) -> StreamWindow {
        self.number = later.number;
        self.outputs += later.outputs;
        self.seconds += later.seconds;
        self.head_s += later.head_s;
        self.on_way = later.on_way;
        for (stage, later) in self.stages.iter_mut().zip(&later.stages) {
            later.by_rank.iter().for_each(|work| stage.add(work));
        }
        self
    }

    /// Time between two outputs, seconds.
    pub fn period_s(&self) -> f64 {
        self.seconds / self.outputs.max(1) as f64
    }

    /// Names the first value that no stream can have. Such a window must not reach a model.
    pub fn nonsense(&self) -> Option<&'static str> {
        let time = |s: f64| (0.0..LONGEST_S).contains(&s);
        let work = |w: &StageWork| {
            [w.busy_s, w.idle_s, w.own_s].into_iter().all(time)
                && squares_of(w.inputs, w.busy_s).contains(&w.sum_sq_s2)
                && (0.0..1e18).contains(&w.bytes)
                && (w.inputs > 0 || w.busy_s == 0.0)
                && [w.team.task_s, w.team.task_sq_s2, w.team.serial_s, w.team.elapsed_s].into_iter().all(time)
                && squares_of(w.team.tasks, w.team.task_s).contains(&w.team.task_sq_s2)
        };
        match () {
            () if self.outputs == 0 || !time(self.seconds) || self.seconds == 0.0 => Some("the time of its outputs"),
            () if !time(self.head_s) => Some("the time in source and sink"),
            () if self.ranks == 0 || self.stages.is_empty() => Some("a stream without ranks or stages"),
            () if !self.stages.iter().flat_map(|stage| &stage.by_rank).all(work) => Some("the times of a stage"),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stream;

    #[test]
    fn the_last_windows_of_a_pattern_are_one() {
        let mut recent = Recent::default();
        assert_eq!(recent.merged(), None);
        for (number, plan, settled, merged) in [
            (0, "0,1", true, 1),
            (1, "0,1", true, 2),
            (2, "0,1x2", false, 0),
            (3, "0,1x2", true, 1),
            (4, "0,1x2", true, 2),
        ] {
            recent.push(&StreamWindow { settled, ..stream(number, plan, 3, &[0.1, 0.2]) });
            assert_eq!(recent.count(), merged, "window {number}");
        }
        let merged = recent.merged().unwrap();
        assert_eq!((merged.number, merged.outputs, merged.stages[1].by_rank[1].inputs), (4, 20, 10));
        assert!((merged.period_s() - 0.1).abs() < 1e-9);
        (5..20).for_each(|number| recent.push(&stream(number, "0,1x2", 3, &[0.1, 0.2])));
        assert_eq!(recent.count(), RECENT);
    }

    #[test]
    fn what_no_stream_can_have_is_named() {
        let good = || stream(0, "0,1", 3, &[0.1, 0.2]);
        assert_eq!(good().nonsense(), None);
        let work = |change: fn(&mut StageWork)| {
            let mut bad = good();
            change(&mut bad.stages[1].by_rank[0]);
            bad
        };
        for (bad, what) in [
            (StreamWindow { outputs: 0, ..good() }, "the time of its outputs"),
            (StreamWindow { seconds: f64::NAN, ..good() }, "the time of its outputs"),
            (StreamWindow { seconds: -1.0, ..good() }, "the time of its outputs"),
            (StreamWindow { head_s: f64::INFINITY, ..good() }, "the time in source and sink"),
            (StreamWindow { ranks: 0, ..good() }, "a stream without ranks or stages"),
            (StreamWindow { stages: Vec::new(), ..good() }, "a stream without ranks or stages"),
            (work(|w| w.busy_s = f64::NAN), "the times of a stage"),
            (work(|w| w.sum_sq_s2 = 0.0), "the times of a stage"),
            (work(|w| w.sum_sq_s2 = 1e9), "the times of a stage"),
            (work(|w| w.bytes = -1.0), "the times of a stage"),
            (work(|w| w.idle_s = 1e12), "the times of a stage"),
        ] {
            assert_eq!(bad.nonsense(), Some(what), "{bad:?}");
        }
    }
}
