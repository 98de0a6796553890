//! Chunks that a program cuts by itself: batches, each a share of what is left in one chunk per worker, and then chunks of one size, or guided ones.

use midrun_scheduling::Chunk;

/// What a program does with the tasks that its batches leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Rest {
    /// It sends them as one batch more.
    #[default]
    OneBatch,
    /// It sends them in chunks of so many tasks.
    Chunks(u64),
    /// Each chunk gets this share of an equal part of what is then left (guided self-scheduling; Polychronopoulos, Kuck 1987: with 1).
    Guided(f64),
}

/// How a program cuts its tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batches {
    /// Share of what is left that each batch takes, in one chunk per worker.
    pub shares: Vec<f64>,
    /// What becomes of the tasks that the last of them leaves.
    pub rest: Rest,
}

impl Batches {
    /// From shares of all tasks. Of those that sum to 1 the last one is all that is left.
    pub fn of_all(shares: &[f64], rest: Rest) -> Batches {
        let mut left = 1.0;
        let share = |share: &f64| {
            let own = if left > 0.0 { (share / left).min(1.0) } else { 1.0 };
            left -= share;
            own
        };
        Batches { shares: shares.iter().map(share).collect(), rest }
    }

    /// Chunks of one size.
    pub fn of_chunks(tasks: u64) -> Batches {
        Batches { shares: Vec::new(), rest: Rest::Chunks(tasks) }
    }

    /// Chunks that each get this share of an equal part of what is left.
    pub fn guided(share: f64) -> Batches {
        Batches { shares: Vec::new(), rest: Rest::Guided(share) }
    }

    /// Tasks of each chunk, where all have one size.
    pub fn size(&self) -> Option<u64> {
        match self.rest {
            Rest::Chunks(tasks) if self.shares.is_empty() => Some(tasks),
            _ => None,
        }
    }

    /// Share of all tasks that they leave.
    pub fn left(&self) -> f64 {
        self.shares.iter().map(|share| 1.0 - share).product()
    }

    /// The shares as shares of all tasks.
    pub fn shares_of_all(&self) -> Vec<f64> {
        let mut left = 1.0;
        let share = |share: &f64| {
            let own = left * share;
            left -= own;
            own
        };
        self.shares.iter().map(share).collect()
    }
}

/// Cuts the tasks of an iteration into the chunks of a program's own batches.
#[derive(Clone, Debug)]
pub(crate) struct Cutter<'a> {
    batches: &'a Batches,
    workers: u64,
    all: u64,
    remaining: u64,
    begun: usize,
    chunk: u64,
    chunks_left: u64,
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(batches: &'a Batches, tasks: u64, workers: u64) -> Cutter<'a> {
        Cutter { batches, workers: workers.max(1), all: tasks, remaining: tasks, begun: 0, chunk: 0, chunks_left: 0 }
    }

    /// Tasks that are not in a chunk yet.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The next chunk; `None` when no task remains.
    pub(crate) fn next(&mut self) -> Option<Chunk> {
        if self.remaining == 0 {
            return None;
        }
        if self.chunks_left == 0 {
            let share_of = |share: f64| (share * self.remaining as f64 / self.workers as f64) as u64;
            (self.chunk, self.chunks_left) = match (self.batches.shares.get(self.begun), self.batches.rest) {
                (Some(share), _) => (share_of(*share), self.workers),
                (None, Rest::Chunks(tasks)) => (tasks, self.workers),
                (None, Rest::OneBatch) => (share_of(1.0), self.workers),
                (None, Rest::Guided(share)) => (share_of(share), 1),
            };
            self.begun += 1;
        }
        self.chunks_left -= 1;
        let count = self.chunk.clamp(1, self.remaining);
        let first = self.all - self.remaining;
        self.remaining -= count;
        Some(Chunk { first, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_of_what_is_left_give_the_same_batches_as_shares_of_all() {
        let shares = [0.5, 0.3, 0.15, 0.05];
        let batches = Batches::of_all(&shares, Rest::OneBatch);
        assert!(batches.shares_of_all().iter().zip(&shares).all(|(own, share)| (own - share).abs() < 1e-12));
        assert!((batches.shares[3] - 1.0).abs() < 1e-12, "the last batch takes all that is left");
        assert_eq!(Batches::of_all(&[1.0, 0.0], Rest::OneBatch).shares, [1.0, 1.0]);
    }

    #[test]
    fn each_guided_chunk_is_a_share_of_an_equal_part_of_what_is_left() {
        let sizes = |share: f64| {
            let batches = Batches::guided(share);
            let mut cutter = Cutter::new(&batches, 100, 4);
            std::iter::from_fn(|| cutter.next()).map(|chunk| chunk.count).collect::<Vec<u64>>()
        };
        assert_eq!(sizes(1.0), [25, 18, 14, 10, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(sizes(0.5)[..3], [12, 11, 9]);
    }

    proptest! {
        #[test]
        fn every_task_is_in_one_chunk(
            shares in proptest::collection::vec(-0.5_f64..1.5, 0..5), rest in 0_usize..3, size: u64, share in -0.5_f64..1.5,
            tasks in 0_u64..3_000, workers in 0_u64..40,
        ) {
            let rest = [Rest::OneBatch, Rest::Chunks(size), Rest::Guided(share)][rest];
            let batches = Batches { shares, rest };
            let mut cutter = Cutter::new(&batches, tasks, workers);
            let mut next = 0;
            while let Some(chunk) = cutter.next() {
                prop_assert!(chunk.first == next && chunk.count > 0);
                next += chunk.count;
            }
            prop_assert_eq!((next, cutter.remaining()), (tasks, 0));
        }
    }
}
