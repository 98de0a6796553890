//! Windows of a pipeline's streams: outputs per time. The analyzer judges a window like an iteration. A program that runs its pipeline again and
//! again, with few inputs each time, fills a window in several streams.

use crate::records::{self, StreamWindow};

/// Fewest outputs of a window, and fewest per rank in use, so that bursts of replicas average out.
const OUTPUTS: u64 = 8;
const OUTPUTS_PER_RANK: u64 = 2;
/// Shortest window: a fast stream need not be measured more often than decisions can follow.
const SHORTEST_NS: u64 = 20_000_000;

/// The open window.
#[derive(Debug, Default)]
pub struct Windows {
    number: u64,
    /// First and newest output in this stream since the window began; `None` before the first: the filling of the pipeline belongs to no
    /// window.
    outputs_ns: Option<(u64, u64)>,
    /// What the window lasted in earlier streams.
    earlier_ns: u64,
    outputs: u64,
    epochs: Option<(u32, u32)>,
    head_ns: u64,
}

impl Windows {
    /// Adds time that the program's source or sink took.
    pub fn head(&mut self, ns: u64) {
        if self.outputs_ns.is_some() {
            self.head_ns += ns;
        }
    }

    /// The stream has ended: until the first output of the next one no time passes.
    pub fn pause(&mut self) {
        if let Some((begin_ns, newest_ns)) = self.outputs_ns.take() {
            self.earlier_ns += newest_ns.saturating_sub(begin_ns);
        }
    }

    /// Counts an output of pattern `epoch` and records the window if it is full. `ranks` ranks are in use; `in_flight` is the
    /// number of inputs in flight, and of those that wait for their order.
    pub fn output(&mut self, now_ns: u64, epoch: u32, ranks: usize, in_flight: (usize, usize)) {
        if let Some(window) = self.close(now_ns, epoch, ranks, in_flight) {
            records::stream_window(&window);
        }
    }

    fn close(&mut self, now_ns: u64, epoch: u32, ranks: usize, in_flight: (usize, usize)) -> Option<StreamWindow> {
        let Some((begin_ns, _)) = self.outputs_ns else {
            self.outputs_ns = Some((now_ns, now_ns));
            return None;
        };
        self.outputs_ns = Some((begin_ns, now_ns));
        self.outputs += 1;
        let (oldest, newest) = self.epochs.unwrap_or((epoch, epoch));
        let epochs = (oldest.min(epoch), newest.max(epoch));
        self.epochs = Some(epochs);
        let enough = OUTPUTS.max(OUTPUTS_PER_RANK * ranks as u64);
        let lasted_ns = self.earlier_ns + now_ns.saturating_sub(begin_ns);
        if self.outputs < enough || lasted_ns < SHORTEST_NS {
            return None;
        }
        let (number, outputs, head_ns) = (self.number, self.outputs, self.head_ns);
        *self = Windows { number: number + 1, outputs_ns: Some((now_ns, now_ns)), ..Windows::default() };
        let begin_ns = now_ns.saturating_sub(lasted_ns);
        Some(StreamWindow { number, begin_ns, end_ns: now_ns, outputs, epochs, on_way: in_flight, head_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_enough_outputs_and_lasts_long_enough_and_leaves_out_the_filling() {
        let mut windows = Windows::default();
        let ms = |k: u64| 1 + k * 1_000_000;
        windows.head(5);
        let mut closed = (0..100).filter_map(|k| windows.close(ms(k), u32::from(k > 12), 1, (3, 1)));
        let first = closed.next().unwrap();
        assert_eq!((first.number, first.begin_ns, first.end_ns, first.outputs), (0, ms(0), ms(20), 20));
        assert_eq!((first.epochs, first.on_way, first.head_ns), ((0, 1), (3, 1), 0));
        let second = closed.next().unwrap();
        assert_eq!((second.number, second.begin_ns, second.end_ns, second.epochs), (1, ms(20), ms(40), (1, 1)));
        let mut windows = Windows::default();
        let slow = (0..100).find_map(|k| windows.close(1 + k * 1_000_000_000, 7, 6, (0, 0))).unwrap();
        assert_eq!((slow.outputs, slow.epochs), (12, (7, 7)));
    }

    #[test]
    fn streams_with_few_outputs_fill_a_window_together_without_the_time_between_them() {
        let mut windows = Windows::default();
        let ms = |k: u64| 1 + k * 1_000_000;
        // Four outputs each, 5 ms apart, the last 10 ms, each 1 ms of the sink; a second between two streams, 30 ms until the first output.
        let mut run = |stream: u64| {
            let output = |k: u64| {
                windows.head(1_000_000);
                let at = 1000 * stream + 30 + 5 * k + if k == 3 { 5 } else { 0 };
                windows.close(ms(at), stream as u32, 1, (0, 0))
            };
            let closed = (0..4).filter_map(output).collect::<Vec<_>>().pop();
            windows.pause();
            closed
        };
        assert_eq!((run(0), run(1)), (None, None));
        let closed = run(2).unwrap();
        assert_eq!((closed.outputs, closed.end_ns - closed.begin_ns, closed.head_ns), (8, 50_000_000, 8_000_000));
        assert_eq!((closed.end_ns, closed.epochs), (ms(2040), (0, 2)));
        assert_eq!((run(3), run(4)), (None, None), "one output more of the third stream");
        assert_eq!(run(5).map(|closed| (closed.number, closed.outputs, closed.epochs)), Some((1, 8, (2, 5))));
    }
}
