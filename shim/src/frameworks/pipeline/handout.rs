//! To whom an item goes: the sender knows how many of its items each receiver has not begun yet, and waits for credit.

/// Items that a receiver may have waiting from one sender: two where there is no choice; one where there is, so that the
/// choice is made as late as possible.
const ALONE: u32 = 2;
const AMONG_OTHERS: u32 = 1;

/// One sender's account.
#[derive(Debug)]
pub struct ChunkScheduler {
    /// Per rank, items that it has not begun.
    waiting: Vec<u32>,
    /// Where to begin looking: so that equals take turns.
    turn: usize,
}

impl ChunkScheduler {
    /// Nothing handed out in a communicator of `size` ranks; `own` is where this sender's turns begin.
    pub fn new(size: usize, own: usize) -> ChunkScheduler {
        ChunkScheduler { waiting: vec![0; size], turn: own }
    }

    /// Who of `ranks` has the fewest waiting and may get one more; that one is charged.
    pub fn choose(&mut self, ranks: &[usize]) -> Option<usize> {
        let window = if ranks.len() == 1 { ALONE } else { AMONG_OTHERS };
        let in_turn = (0..ranks.len()).map(|k| ranks[(self.turn + k) % ranks.len()]);
        let chosen = in_turn.filter(|rank| self.waiting[*rank] < window).min_by_key(|rank| self.waiting[*rank])?;
        self.waiting[chosen] += 1;
        self.turn = self.turn.wrapping_add(1);
        Some(chosen)
    }

    /// `rank` has begun an item of ours. `false` when it had none.
    pub fn credit(&mut self, rank: usize) -> bool {
        let left = self.waiting[rank].checked_sub(1);
        self.waiting[rank] = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether everything handed out was begun.
    pub fn is_settled(&self) -> bool {
        self.waiting.iter().all(|waiting| *waiting == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_take_turns_and_who_has_not_begun_gets_no_more() {
        let mut handout = ChunkScheduler::new(4, 0);
        let chosen: Vec<_> = (0..4).map(|_| handout.choose(&[1, 2, 3])).collect();
        assert_eq!(chosen, [Some(1), Some(2), Some(3), None]);
        assert!(handout.credit(2) && !handout.credit(2));
        assert_eq!((handout.choose(&[1, 2, 3]), handout.choose(&[1, 3])), (Some(2), None));
        for rank in 1..4 {
            assert!(!handout.is_settled());
            assert!(handout.credit(rank));
        }
        assert!(handout.is_settled());
    }

    #[test]
    fn a_single_receiver_has_one_in_reserve() {
        let mut handout = ChunkScheduler::new(2, 0);
        assert_eq!([0; 3].map(|_| handout.choose(&[1])), [Some(1), Some(1), None]);
    }
}
