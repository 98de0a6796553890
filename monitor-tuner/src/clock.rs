//! Offset of this host's clock from the analyzer's clock.

/// Probes after which the best one is forgotten, so that the estimate follows a drifting clock.
const MEMORY: u32 = 12;

/// Offset of the analyzer's clock, estimated from the shortest round trip, as NTP does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSync {
    offset_ns: i64,
    /// Half the shortest round trip; 0 = not measured.
    error_ns: u64,
    age: u32,
}

impl ClockSync {
    /// Takes a probe that was sent at `sent_ns`, answered at `analyzer_ns` (the analyzer's clock), and back at `now_ns`.
    pub fn on_reply(&mut self, sent_ns: u64, analyzer_ns: u64, now_ns: u64) {
        let Some(round_trip) = now_ns.checked_sub(sent_ns) else { return };
        let error_ns = (round_trip / 2).max(1);
        self.age += 1;
        if self.error_ns == 0 || error_ns <= self.error_ns || self.age >= MEMORY {
            let middle = sent_ns + round_trip / 2;
            *self = ClockSync { offset_ns: analyzer_ns.wrapping_sub(middle) as i64, error_ns, age: 0 };
        }
    }

    /// Nanoseconds to add to this host's times to get the analyzer's; 0 until measured.
    pub fn offset_ns(&self) -> i64 {
        self.offset_ns
    }

    /// Half the shortest round trip, nanoseconds; 0 until measured.
    pub fn error_ns(&self) -> u64 {
        self.error_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_round_trip_counts_until_it_is_old() {
        let mut sync = ClockSync::default();
        sync.on_reply(1000, 5100, 1200);
        assert_eq!((sync.offset_ns(), sync.error_ns()), (4000, 100));
        sync.on_reply(2000, 9000, 4000);
        assert_eq!(sync.offset_ns(), 4000);
        for _ in 0..MEMORY {
            sync.on_reply(2000, 9000, 4000);
        }
        assert_eq!((sync.offset_ns(), sync.error_ns()), (6000, 1000));
        sync.on_reply(5000, 0, 4000);
        assert_eq!(sync.offset_ns(), 6000);
    }

    #[test]
    fn an_analyzer_whose_clock_is_behind_gives_a_negative_offset() {
        let mut sync = ClockSync::default();
        sync.on_reply(1000, 100, 1000);
        assert_eq!(sync.offset_ns(), -900);
    }
}
