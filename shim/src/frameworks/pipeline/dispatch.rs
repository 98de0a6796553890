//! Choice of the receiver of an item, by credits: the sender counts the items that each receiver has not begun yet.

/// Items from one sender that may wait at a receiver: two if it is the only receiver, and one if there are several, so that
/// the sender chooses as late as possible.
const ALONE: u32 = 2;
const AMONG_OTHERS: u32 = 1;

/// The credits of one sender.
#[derive(Debug)]
pub struct Dispatcher {
    /// Items that each rank has not begun.
    waiting: Vec<u32>,
    /// Position at which the search starts, so that equally loaded receivers take turns.
    turn: usize,
}

impl Dispatcher {
    /// A sender in a communicator of `size` ranks, whose search starts at position `own`.
    pub fn new(size: usize, own: usize) -> Dispatcher {
        Dispatcher { waiting: vec![0; size], turn: own }
    }

    /// There are so many ranks now.
    pub fn know(&mut self, ranks: usize) {
        self.waiting.resize(self.waiting.len().max(ranks), 0);
    }

    /// Chooses the rank of `ranks` with the fewest waiting items, and charges it one; `None` when all have their maximum.
    pub fn choose(&mut self, ranks: &[usize]) -> Option<usize> {
        let window = if ranks.len() == 1 { ALONE } else { AMONG_OTHERS };
        let in_turn = (0..ranks.len()).map(|k| ranks[(self.turn + k) % ranks.len()]);
        let chosen = in_turn.filter(|rank| self.waiting[*rank] < window).min_by_key(|rank| self.waiting[*rank])?;
        self.waiting[chosen] += 1;
        self.turn = self.turn.wrapping_add(1);
        Some(chosen)
    }

    /// Records that `rank` has begun an item. `false` when none was waiting.
    pub fn credit(&mut self, rank: usize) -> bool {
        let left = self.waiting[rank].checked_sub(1);
        self.waiting[rank] = left.unwrap_or(0);
        left.is_some()
    }

    /// Returns whether all items sent were begun.
    pub fn is_settled(&self) -> bool {
        self.waiting.iter().all(|waiting| *waiting == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_take_turns_and_a_busy_one_gets_no_more() {
        let mut dispatcher = Dispatcher::new(4, 0);
        let chosen: Vec<_> = (0..4).map(|_| dispatcher.choose(&[1, 2, 3])).collect();
        assert_eq!(chosen, [Some(1), Some(2), Some(3), None]);
        assert!(dispatcher.credit(2) && !dispatcher.credit(2));
        assert_eq!((dispatcher.choose(&[1, 2, 3]), dispatcher.choose(&[1, 3])), (Some(2), None));
        for rank in 1..4 {
            assert!(!dispatcher.is_settled());
            assert!(dispatcher.credit(rank));
        }
        assert!(dispatcher.is_settled());
    }

    #[test]
    fn a_single_receiver_has_one_in_reserve() {
        let mut dispatcher = Dispatcher::new(2, 0);
        assert_eq!([0; 3].map(|_| dispatcher.choose(&[1])), [Some(1), Some(1), None]);
    }
}
