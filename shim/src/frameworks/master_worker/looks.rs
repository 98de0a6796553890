//! When a rank that computes looked for messages last, and what that cost it: how long it may go on without another look.

/// A look for every so many times as long as the last one took costs 1 % of the time. On crowded cores one may take milliseconds, in which
/// others compute.
const LOOKS: u64 = 100;

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks {
    last_ns: u64,
    took_ns: u64,
}

impl Looks {
    /// It looked at `now_ns`, at no cost that is known.
    pub fn since(now_ns: u64) -> Looks {
        Looks { last_ns: now_ns, took_ns: 0 }
    }

    /// Time after the last look from which on another one costs 1 % or less, nanoseconds.
    pub fn apart_ns(self) -> u64 {
        LOOKS * self.took_ns
    }

    /// Whether so much time has passed since the last look.
    pub fn is_due(self, now_ns: u64, apart_ns: u64) -> bool {
        now_ns.saturating_sub(self.last_ns) >= apart_ns
    }

    /// It looked, from `begin_ns` to `end_ns`.
    pub fn looked(&mut self, begin_ns: u64, end_ns: u64) {
        *self = Looks { last_ns: end_ns, took_ns: end_ns.saturating_sub(begin_ns) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_a_hundredth_of_the_time_until_the_next() {
        let mut looks = Looks::since(1_000);
        assert_eq!(looks.apart_ns(), 0);
        looks.looked(1_000, 1_500);
        let is_due = |now_ns| looks.is_due(now_ns, looks.apart_ns());
        assert_eq!([51_499, 51_500].map(is_due), [false, true]);
        assert!(Looks::default().is_due(0, 0));
    }
}
