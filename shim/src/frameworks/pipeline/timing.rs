//! How a rank spends the time of one item: computing, communicating, waiting.

use crate::records;

/// The times of one rank since its last item.
#[derive(Debug, Default)]
pub struct Timing {
    /// End of the last item; 0: there was none.
    ended_ns: u64,
    idle_ns: u64,
    /// This rank in the pipeline's communicator.
    rank: usize,
    /// Start of the item or stage in progress.
    begun_ns: u64,
    computed_ns: u64,
    /// Times for the next record: waiting, and everything but waiting and computing.
    waited_ns: u64,
    own_ns: u64,
}

impl Timing {
    /// For rank `rank` of the pipeline's communicator, before its first item.
    pub fn new(rank: usize) -> Timing {
        Timing { rank, ..Timing::default() }
    }

    /// Adds time for which a synchronous send held the rank: it waited for its receiver.
    pub fn held(&mut self, ns: u64) {
        self.idle_ns += ns;
    }

    /// The receiver was waiting when such a send of this rank held it for `ns`: that is what the message costs.
    pub fn received_at_once(&mut self, ns: u64) {
        self.idle_ns = self.idle_ns.saturating_sub(ns);
    }

    /// Adds time during which the rank had nothing to do.
    pub fn idle(&mut self, ns: u64) {
        self.idle_ns += ns;
    }

    /// A stage in progress waited for others, for `ns`: that is no computing.
    pub fn waited(&mut self, ns: u64) {
        self.begun_ns += ns;
    }

    /// Compute time of the last item, nanoseconds.
    pub fn computed_ns(&self) -> u64 {
        self.computed_ns
    }

    /// Starts an item.
    pub fn begin(&mut self, now_ns: u64) {
        // The first item ends no cycle.
        let cycle_ns = if self.ended_ns == 0 { 0 } else { now_ns.saturating_sub(self.ended_ns) };
        self.waited_ns = self.idle_ns.min(cycle_ns);
        self.own_ns = cycle_ns - self.waited_ns;
        (self.begun_ns, self.idle_ns, self.computed_ns) = (now_ns, 0, 0);
    }

    /// Ends a stage of the item, which produced `bytes` bytes, and records it.
    pub fn stage(&mut self, now_ns: u64, stage: usize, input: u64, bytes: usize) {
        let busy_ns = now_ns.saturating_sub(self.begun_ns);
        records::stage(now_ns, (stage, self.rank), input, busy_ns, bytes, (self.waited_ns, self.own_ns));
        self.computed_ns += busy_ns;
        (self.begun_ns, self.ended_ns, self.waited_ns, self.own_ns) = (now_ns, now_ns, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_send_that_holds_its_rank_costs_what_it_does_while_the_receiver_waits() {
        let mut timing = Timing::new(1);
        timing.begin(1_000);
        timing.stage(1_300, 0, 0, 8);
        timing.held(60);
        timing.begin(1_400);
        assert_eq!((timing.waited_ns, timing.own_ns), (60, 40), "the receiver was late");
        timing.stage(1_500, 0, 1, 8);
        timing.held(60);
        timing.received_at_once(60);
        timing.begin(1_600);
        assert_eq!((timing.waited_ns, timing.own_ns), (0, 100));
    }

    #[test]
    fn a_cycle_is_computing_communicating_and_waiting() {
        let mut timing = Timing::new(3);
        timing.idle(500);
        timing.begin(1_000);
        assert_eq!((timing.waited_ns, timing.own_ns), (0, 0), "the first item ends no cycle");
        timing.stage(1_300, 0, 0, 8);
        timing.stage(1_400, 1, 0, 8);
        assert_eq!(timing.computed_ns(), 400);
        timing.idle(70);
        timing.begin(1_500);
        assert_eq!((timing.waited_ns, timing.own_ns), (70, 30));
        timing.idle(9_999);
        timing.stage(1_510, 0, 1, 8);
        timing.begin(1_520);
        assert_eq!((timing.waited_ns, timing.own_ns), (10, 0), "clocks apart: never longer than the cycle");
    }
}
