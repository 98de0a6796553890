//! Chunks that a program cuts by itself: batches, each a share of what is left in one chunk per worker, and then chunks of one size, or guided ones.

use midrun_scheduling::Chunk;
use std::fmt;

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

    /// How chunks of these sizes, in the order in which they were cut, seem to be cut; `None` where nothing of the kind would cut them. As many equal
    /// chunks as workers are one batch.
    pub fn seen(sizes: &[u64], workers: u32) -> Option<Batches> {
        let of_batch = workers.max(1) as usize;
        if sizes.is_empty() || sizes.contains(&0) {
            return None;
        }
        let guided = guided_share(sizes, of_batch).map(Batches::guided);
        // By more than what rounding leaves.
        let falls = of_batch > 1 && sizes.get(of_batch - 1).is_some_and(|last| sizes[0] > last + 1);
        if guided.is_some() && falls {
            return guided;
        }
        let Some(batches) = Batches::seen_alike(sizes, of_batch) else { return guided };
        // Of chunks that small both say much the same.
        let off = |of: &Batches| of.count(sizes.iter().sum(), workers).abs_diff(sizes.len());
        Some(guided.filter(|guided| off(guided) < off(&batches)).unwrap_or(batches))
    }

    /// Number of the chunks that so many tasks are cut into.
    fn count(&self, tasks: u64, workers: u32) -> usize {
        let mut cutter = Cutter::new(self, tasks, workers.into());
        std::iter::from_fn(|| cutter.next()).count()
    }

    /// See [`Batches::seen`]: as batches of alike chunks.
    fn seen_alike(sizes: &[u64], of_batch: usize) -> Option<Batches> {
        let (mut batches, mut left) = (Batches::default(), sizes);
        loop {
            if let Some(tasks) = one_size(left).filter(|_| left.len() != of_batch || !are_alike(left)) {
                return Some(Batches { rest: Rest::Chunks(tasks), ..batches });
            }
            let (batch, after) = left.split_at_checked(of_batch).filter(|(batch, _)| are_alike(batch))?;
            if after.is_empty() {
                return Some(batches);
            }
            // The product with what is left must not fall below the whole number that it is.
            batches.shares.push(sum(batch) / sum(left) * (1.0 + f64::EPSILON));
            left = after;
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

impl fmt::Display for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares = self.shares_of_all();
        match (&shares[..], self.rest) {
            ([], Rest::OneBatch) => return write!(f, "one chunk per worker"),
            ([], Rest::Chunks(tasks)) => return write!(f, "chunks of {tasks}"),
            ([], Rest::Guided(share)) => return write!(f, "guided chunks ({share:.2})"),
            ([..], _) => write!(f, "batches of")?,
        }
        shares
            .iter()
            .enumerate()
            .try_for_each(|(at, share)| write!(f, "{} {:.1} %", if at == 0 { "" } else { "," }, 100.0 * share))?;
        match self.rest {
            Rest::Chunks(tasks) => write!(f, ", then chunks of {tasks}"),
            Rest::Guided(share) => write!(f, ", then guided chunks ({share:.2})"),
            Rest::OneBatch if self.left() > 1e-9 => write!(f, ", {:.1} %", 100.0 * self.left()),
            Rest::OneBatch => Ok(()),
        }
    }
}

fn sum(sizes: &[u64]) -> f64 {
    sizes.iter().sum::<u64>() as f64
}

/// Whether they differ by no more than rounding.
fn are_alike(sizes: &[u64]) -> bool {
    let (least, most) = sizes.iter().fold((u64::MAX, 0), |(least, most), size| (least.min(*size), most.max(*size)));
    most.saturating_sub(least) <= 1
}

/// The size of all chunks, of which the last gets what is left.
fn one_size(sizes: &[u64]) -> Option<u64> {
    let (last, others) = sizes.split_last()?;
    let first = others.first().unwrap_or(last);
    (others.iter().all(|size| size == first) && last <= first).then_some(*first)
}

/// The share of an equal part of what is left that each chunk can be, however the program rounds; none is smaller than the smallest seen.
fn guided_share(sizes: &[u64], workers: usize) -> Option<f64> {
    let smallest = *sizes.split_last()?.1.iter().min()?; // the last one gets what is left
    let mut left = sum(sizes);
    let (mut least, mut most) = (0.0_f64, f64::INFINITY);
    for size in sizes {
        let of_one = workers as f64 / left;
        left -= *size as f64;
        if *size > smallest {
            least = least.max((*size - 1) as f64 * of_one);
            most = most.min((*size + 1) as f64 * of_one);
        }
    }
    (least < most && least > 0.0).then(|| f64::midpoint(least, most))
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

    fn cut(batches: &Batches, tasks: u64, workers: u32) -> Vec<u64> {
        let mut cutter = Cutter::new(batches, tasks, workers.into());
        std::iter::from_fn(|| cutter.next()).map(|chunk| chunk.count).collect()
    }

    #[test]
    fn sizes_tell_how_chunks_are_cut() {
        let said = |sizes: &[u64], workers| Batches::seen(sizes, workers).map(|batches| batches.to_string());
        assert_eq!(said(&[50; 8], 4).as_deref(), Some("chunks of 50"));
        assert_eq!(said(&[50, 50, 50, 50, 50, 50, 50, 11], 4).as_deref(), Some("chunks of 50"));
        assert_eq!(said(&[101, 101, 100, 100], 4).as_deref(), Some("one chunk per worker"));
        assert_eq!(said(&[101, 100, 100, 100], 4).as_deref(), Some("one chunk per worker"));
        assert_eq!(said(&[400], 4).as_deref(), Some("chunks of 400"));
        let two = [50, 50, 50, 50, 25, 25, 25, 25, 25, 25, 25, 25];
        assert_eq!(said(&two, 4).as_deref(), Some("batches of 50.0 %, then chunks of 25"));
        assert_eq!(said(&two[..8], 4).as_deref(), Some("batches of 66.7 %, 33.3 %"));
        let factoring = [13, 13, 12, 12, 7, 6, 6, 6, 3, 3, 3, 3, 2, 2, 1, 1];
        assert_eq!(said(&factoring, 4).as_deref(), Some("batches of 53.8 %, 26.9 %, 12.9 %, 6.5 %"));
        // Each by the ceiling, with a least chunk of 5.
        assert_eq!(said(&[25, 19, 14, 11, 8, 6, 5, 5, 5, 2], 4).as_deref(), Some("guided chunks (1.00)"));
        assert_eq!(said(&[40, 10, 30, 20, 5, 25], 4), None, "by rules of its own");
        assert_eq!([said(&[], 4), said(&[3, 0], 4)], [None, None]);
    }

    proptest! {
        #[test]
        fn what_is_seen_cuts_the_same_again(
            shares in proptest::collection::vec(0.2_f64..0.9, 0..5), rest in 0_usize..3, size in 1_u64..50, share in 0.2_f64..1.0,
            tasks in 200_u64..3_000, workers in 2_u32..12,
        ) {
            let rest = [Rest::OneBatch, Rest::Chunks(size), Rest::Guided(share)][rest];
            let shares = if matches!(rest, Rest::Guided(_)) { Vec::new() } else { shares };
            let sizes = cut(&Batches { shares, rest }, tasks, workers);
            let known = Batches::seen(&sizes, workers);
            let again = known.map(|known| cut(&known, tasks, workers)).unwrap_or_default();
            let largest = |sizes: &[u64]| sizes.iter().copied().max().unwrap_or(0);
            prop_assert!(largest(&again).abs_diff(largest(&sizes)) <= 1, "{sizes:?} {again:?}");
            prop_assert!(again.len().abs_diff(sizes.len()) <= 2 * workers as usize, "{sizes:?} {again:?}");
        }

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
