//! Windows of a stream: outputs per time. The analyzer judges a window like an iteration.

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
    /// 0: before the first output, since the filling of the pipeline belongs to no window.
    begin_ns: u64,
    outputs: u64,
    epochs: Option<(u32, u32)>,
    head_ns: u64,
}

impl Windows {
    /// Adds time that the program's source or sink took.
    pub fn head(&mut self, ns: u64) {
        self.head_ns += ns;
    }

    /// Counts an output of pattern `epoch` and records the window if it is full. `ranks` ranks are in use; `in_flight` is the
    /// number of inputs in flight, and of those that wait for their order.
    pub fn output(&mut self, now_ns: u64, epoch: u32, ranks: usize, in_flight: (usize, usize)) {
        if let Some(window) = self.close(now_ns, epoch, ranks, in_flight) {
            records::stream_window(&window);
        }
    }

    fn close(&mut self, now_ns: u64, epoch: u32, ranks: usize, in_flight: (usize, usize)) -> Option<StreamWindow> {
        if self.begin_ns == 0 {
            (self.begin_ns, self.head_ns) = (now_ns, 0);
            return None;
        }
        self.outputs += 1;
        let (oldest, newest) = self.epochs.unwrap_or((epoch, epoch));
        let epochs = (oldest.min(epoch), newest.max(epoch));
        self.epochs = Some(epochs);
        let enough = OUTPUTS.max(OUTPUTS_PER_RANK * ranks as u64);
        if self.outputs < enough || now_ns.saturating_sub(self.begin_ns) < SHORTEST_NS {
            return None;
        }
        let (number, begin_ns, outputs, head_ns) = (self.number, self.begin_ns, self.outputs, self.head_ns);
        *self = Windows { number: number + 1, begin_ns: now_ns, ..Windows::default() };
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
}
