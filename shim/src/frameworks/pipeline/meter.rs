//! What a rank does with its time: computing, messages, nothing.

use crate::records;

/// Of one rank, since its last item.
#[derive(Debug, Default)]
pub struct Meter {
    /// When the last item was computed; 0 = none was yet.
    ended_ns: u64,
    idle_ns: u64,
    /// The rank, in the pipeline's communicator.
    place: usize,
    /// When the item in progress, or its last stage, began.
    begun_ns: u64,
    computed_ns: u64,
    /// What goes into the next record.
    waited_ns: u64,
    own_ns: u64,
}

impl Meter {
    /// Of rank `place` of the pipeline's communicator, before its first item.
    pub fn new(place: usize) -> Meter {
        Meter { place, ..Meter::default() }
    }

    /// The rank had nothing to do for so long.
    pub fn idle(&mut self, ns: u64) {
        self.idle_ns += ns;
    }

    /// How long the last item took to compute.
    pub fn computed_ns(&self) -> u64 {
        self.computed_ns
    }

    /// An item begins.
    pub fn begin(&mut self, now_ns: u64) {
        // Before the first item there is no cycle to speak of.
        let cycle_ns = if self.ended_ns == 0 { 0 } else { now_ns.saturating_sub(self.ended_ns) };
        self.waited_ns = self.idle_ns.min(cycle_ns);
        self.own_ns = cycle_ns - self.waited_ns;
        (self.begun_ns, self.idle_ns, self.computed_ns) = (now_ns, 0, 0);
    }

    /// A stage of it was computed; `bytes` came out.
    pub fn stage(&mut self, now_ns: u64, stage: usize, input: u64, bytes: usize) {
        let busy_ns = now_ns.saturating_sub(self.begun_ns);
        records::stage(now_ns, (stage, self.place), input, busy_ns, bytes, (self.waited_ns, self.own_ns));
        self.computed_ns += busy_ns;
        (self.begun_ns, self.ended_ns, self.waited_ns, self.own_ns) = (now_ns, now_ns, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_computing_messages_and_nothing() {
        let mut meter = Meter::new(3);
        meter.idle(500);
        meter.begin(1_000);
        assert_eq!((meter.waited_ns, meter.own_ns), (0, 0), "the first item ends no cycle");
        meter.stage(1_300, 0, 0, 8);
        meter.stage(1_400, 1, 0, 8);
        assert_eq!(meter.computed_ns(), 400);
        meter.idle(70);
        meter.begin(1_500);
        assert_eq!((meter.waited_ns, meter.own_ns), (70, 30));
        meter.idle(9_999);
        meter.stage(1_510, 0, 1, 8);
        meter.begin(1_520);
        assert_eq!((meter.waited_ns, meter.own_ns), (10, 0), "clocks apart: never longer than the cycle");
    }
}
