//! The closed windows of a job, a line each: what viewers draw while the job runs, and what the summary lists afterwards.

use std::collections::VecDeque;
use std::sync::Arc;

use midrun_tunlets::StreamWindow;
use serde::Serialize;

use crate::decisions::Per;
use crate::limits;
use crate::window::Closed;

/// One closed window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowLine {
    /// An iteration, or outputs of a stream.
    pub per: Per,
    /// Number of the iteration as the program counts, or of the window.
    pub number: u64,
    /// When it was closed, seconds since the job's first sight.
    pub end_s: f64,
    /// Time of the iteration, or between two outputs, seconds.
    pub time_s: f64,
    /// Task time / workers, seconds; null for streams.
    pub ideal_s: Option<f64>,
    /// Time that the worker which computed longest was busy, seconds; `None` for streams. Not listed.
    #[serde(skip)]
    pub busiest_s: Option<f64>,
    /// Tasks; 0 where the program distributes none; null for streams.
    pub tasks: Option<u64>,
    /// Workers; ranks where there are no tasks; null for streams.
    pub workers: Option<u32>,
    /// The technique with its parameters; null where the program distributes no tasks.
    pub technique: Option<Arc<str>>,
    /// Time that the master was busy, seconds; null for streams.
    pub master_busy_s: Option<f64>,
    /// Outputs; null for iterations.
    pub outputs: Option<u64>,
    /// Pattern of a stream; null for iterations.
    pub pattern: Option<Arc<str>>,
    /// Inputs on their way at the end; null for iterations.
    pub on_way: Option<u32>,
    /// Whether one pattern computed all outputs of a stream's window, and the one before held none up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<bool>,
}

impl WindowLine {
    /// 1 - ideal / measured; 0 is perfect balance.
    pub fn imbalance(&self) -> Option<f64> {
        self.ideal_s.map(|ideal_s| if self.time_s > 0.0 { 1.0 - ideal_s / self.time_s } else { 0.0 })
    }
}

/// The closed windows of a job; the oldest lines go when a job is endless.
#[derive(Clone, Debug, Default)]
pub struct ClosedWindows {
    iterations: VecDeque<WindowLine>,
    streams: VecDeque<WindowLine>,
    iterations_seen: u64,
    streams_seen: u64,
}

impl ClosedWindows {
    /// An iteration was closed `end_s` seconds after the job's first sight. `has_technique`: midrun distributes its tasks.
    pub fn on_iteration(&mut self, end_s: f64, closed: &Closed, has_technique: bool) {
        let window = &closed.window;
        let last = self.iterations.back().and_then(|line| line.technique.as_ref());
        let line = WindowLine {
            per: Per::Iteration,
            number: window.iteration,
            end_s: microseconds(end_s),
            time_s: window.iteration_s,
            ideal_s: Some(closed.ideal_s()),
            busiest_s: Some(window.busiest_s()),
            tasks: Some(window.tasks),
            workers: Some(window.workers),
            technique: has_technique.then(|| shared(last, &window.setting.to_string())),
            master_busy_s: Some(window.master_busy_s),
            outputs: None,
            pattern: None,
            on_way: None,
            settled: None,
        };
        self.iterations_seen += 1;
        limits::push(&mut self.iterations, line, limits::LISTED_ITERATIONS);
    }

    /// A window of a stream was closed `end_s` seconds after the job's first sight.
    pub fn on_stream(&mut self, end_s: f64, window: &StreamWindow) {
        let last = self.streams.back().and_then(|line| line.pattern.as_ref());
        let line = WindowLine {
            per: Per::Output,
            number: window.number,
            end_s: microseconds(end_s),
            time_s: window.period_s(),
            ideal_s: None,
            busiest_s: None,
            tasks: None,
            workers: None,
            technique: None,
            master_busy_s: None,
            outputs: Some(window.outputs),
            pattern: Some(shared(last, &window.plan)),
            on_way: Some(window.on_way),
            settled: Some(window.settled),
        };
        self.streams_seen += 1;
        limits::push(&mut self.streams, line, limits::LISTED_WINDOWS);
    }

    /// Takes the iterations out; the streams stay.
    pub fn take_iterations(&mut self) -> ClosedWindows {
        let (iterations, iterations_seen) =
            (std::mem::take(&mut self.iterations), std::mem::take(&mut self.iterations_seen));
        ClosedWindows { iterations, iterations_seen, ..ClosedWindows::default() }
    }

    /// Iterations that were closed.
    pub fn iterations(&self) -> u64 {
        self.iterations_seen
    }

    /// Windows of this kind that were closed.
    pub fn seen(&self, per: Per) -> u64 {
        match per {
            Per::Iteration => self.iterations_seen,
            Per::Output => self.streams_seen,
        }
    }

    /// The lines of this kind, oldest first.
    pub fn listed(&self, per: Per) -> &VecDeque<WindowLine> {
        match per {
            Per::Iteration => &self.iterations,
            Per::Output => &self.streams,
        }
    }

    /// The newest line of this kind.
    pub fn newest(&self, per: Per) -> Option<&WindowLine> {
        self.listed(per).back()
    }

    /// The lines of this kind after the first `seen` ones, as far as they are listed still.
    pub fn after(&self, per: Per, seen: u64) -> impl Iterator<Item = &WindowLine> {
        let new = self.seen(per).saturating_sub(seen);
        let listed = self.listed(per);
        listed.iter().skip(listed.len().saturating_sub(usize::try_from(new).unwrap_or(usize::MAX)))
    }
}

/// Finer digits would only lengthen the summary.
fn microseconds(s: f64) -> f64 {
    (s * 1e6).round() / 1e6
}

/// The text of the window before, where it is the same.
fn shared(last: Option<&Arc<str>>, text: &str) -> Arc<str> {
    last.filter(|last| &***last == text).cloned().unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_tunlets::StreamWindow;

    #[test]
    fn new_windows_are_those_that_a_viewer_has_not_seen() {
        let mut windows = ClosedWindows::default();
        let window =
            |number| StreamWindow { number, outputs: 4, seconds: 2.0, plan: "0,1".into(), ..StreamWindow::default() };
        (0..3).for_each(|number| windows.on_stream(number as f64, &window(number)));
        let numbers = |seen| windows.after(Per::Output, seen).map(|line| line.number).collect::<Vec<_>>();
        assert_eq!((numbers(0), numbers(2), numbers(3), numbers(9)), (vec![0, 1, 2], vec![2], vec![], vec![]));
        let [first, last] = [0, 2].map(|at| windows.listed(Per::Output)[at].clone());
        assert_eq!((last.time_s, last.pattern.as_deref()), (0.5, Some("0,1")));
        assert!(Arc::ptr_eq(first.pattern.as_ref().unwrap(), last.pattern.as_ref().unwrap()));
        assert_eq!((windows.seen(Per::Output), windows.seen(Per::Iteration)), (3, 0));
    }
}
