//! What a job that is a pipeline says, and its windows.

use serde_json::json;

use midrun_tunlets::tuning_point::{Value, names};
use midrun_tunlets::{Observation, StreamWindow, pipeline};

use super::Job;
use crate::ids::{AgentId, LinkId};
use crate::input::{Event, Output};
use crate::limits;
use crate::summary::{PatternLine, Per, StageLine, finite, push};
use crate::tell;

impl Job {
    pub(super) fn on_stream_event(&mut self, rank: u32, event: &Event, out: &mut Vec<Output>) {
        if let Event::StageWorked(worked) = event {
            self.streams.on_work(worked.clone());
            return;
        }
        // The rest is the head's to say.
        if self.streams.head.is_some_and(|head| head != rank) {
            self.invalid += 1;
            return;
        }
        self.streams.head = Some(rank);
        match event {
            Event::StreamBegun(begun) => {
                if !self.streams.any() {
                    let text = format!("a pipeline of {} stages on {} ranks", begun.stages, begun.ranks);
                    self.tell(tell::life(&self.id, "stream-begun", text), out);
                }
                self.streams.on_begun(*begun);
            }
            Event::StageDeclared(stage) => self.streams.on_stage(stage.clone()),
            Event::PatternTaken(taken) => {
                if self.streams.on_pattern(taken.clone()) {
                    let line = PatternLine { input: taken.first_input, pattern: taken.plan.clone() };
                    push(&mut self.stream_lines.pattern, line, limits::PATTERNS);
                }
                self.tell_pattern(rank);
            }
            Event::StreamWindowEnded(ended) => self.streams.on_window(*ended),
            _ => {}
        }
    }

    /// The rank's tuning point stands at the pattern that it said it goes by.
    pub(super) fn tell_pattern(&mut self, rank: u32) {
        if let Some(plan) = self.streams.plan() {
            self.tuning_points.set(rank, names::PATTERN, &Value::Text(plan.to_owned()));
        }
    }

    pub(super) fn on_stream_window(
        &mut self,
        now: u64,
        window: &StreamWindow,
        may_act: bool,
        link_of: &dyn Fn(&AgentId) -> Option<LinkId>,
        out: &mut Vec<Output>,
    ) {
        if let Some(what) = window.nonsense() {
            self.refuse(Per::Output, window.number, what, out);
            return;
        }
        self.last_iteration_s = window.seconds;
        self.outputs += window.outputs;
        push(&mut self.stream_lines.period_s, window.period_s(), limits::LISTED_WINDOWS);
        self.lately.push(window);
        if let Some(lately) = self.lately.merged() {
            self.stream_lines.stages = stages(&lately);
        }
        out.push(Output::Journal(json!({
            "event": "stream-window", "job": self.id.as_str(), "window": window.number, "outputs": window.outputs,
            "period_s": window.period_s(), "pattern": window.plan, "settled": window.settled, "on_way": window.on_way,
            "stages": self.stream_lines.stages,
        })));
        tracing::debug!(
            job = %self.id, window = window.number, period_s = window.period_s(), pattern = window.plan,
            settled = window.settled, "a window of a stream was closed",
        );
        self.think(now, Observation::Stream(window), may_act, link_of, out);
    }
}

fn stages(window: &StreamWindow) -> Vec<StageLine> {
    let line = |(stage, seen): (&midrun_tunlets::StageWindow, pipeline::StageTimes)| StageLine {
        name: stage.name.clone(),
        compute_s: seen.compute_s.and_then(finite),
        tr_s: seen.tr_s.and_then(finite),
        rtr_s: seen.rtr_s.and_then(finite),
        replicas: seen.replicas,
    };
    window.stages.iter().zip(pipeline::stage_times(window)).map(line).collect()
}
