//! The tasks whose results are back, where no queue says which worker has which: each task once.

use midrun_scheduling::Chunk;
use std::collections::BTreeMap;

/// Ranges of tasks that do not touch: the end of each by its first task.
#[derive(Debug)]
pub struct Taken {
    ranges: BTreeMap<u64, u64>,
    total: u64,
}

impl Taken {
    /// None of `total` tasks.
    pub fn new(total: u64) -> Taken {
        Taken { ranges: BTreeMap::new(), total }
    }

    /// Adds the tasks of a chunk. Returns `false` when one of them is there already, or is no task of the iteration.
    pub fn insert(&mut self, chunk: Chunk) -> bool {
        let Some(end) = chunk.first.checked_add(chunk.count).filter(|end| *end <= self.total && chunk.count > 0) else {
            return false;
        };
        let before = self.ranges.range(..=chunk.first).next_back().map(|(first, end)| (*first, *end));
        let after = self.ranges.range(chunk.first..).next().map(|(first, end)| (*first, *end));
        if before.is_some_and(|(_, end)| end > chunk.first) || after.is_some_and(|(first, _)| first < end) {
            return false;
        }
        let first = before.filter(|(_, end)| *end == chunk.first).map_or(chunk.first, |(first, _)| first);
        let touched = after.filter(|(first, _)| *first == end);
        if let Some((after, _)) = touched {
            self.ranges.remove(&after);
        }
        self.ranges.insert(first, touched.map_or(end, |(_, end)| end));
        true
    }

    /// The tasks that are not there.
    pub fn missing(&self) -> Vec<Chunk> {
        let firsts = std::iter::once(0).chain(self.ranges.values().copied());
        let ends = self.ranges.keys().copied().chain([self.total]);
        let gaps = firsts.zip(ends).filter(|(first, end)| first < end);
        gaps.map(|(first, end)| Chunk { first, count: end - first }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_task_is_taken_once(chunks in prop::collection::vec((0u64..40, 0u64..6), 0..60)) {
            let (mut taken, mut tasks) = (Taken::new(40), [false; 40]);
            for (first, count) in chunks {
                let range = first as usize..(first + count) as usize;
                let is_new = count > 0 && range.end <= 40 && !tasks[range.clone()].contains(&true);
                prop_assert_eq!(taken.insert(Chunk { first, count }), is_new);
                if is_new {
                    tasks[range].fill(true);
                }
            }
            let edges = (0..40).filter(|at| tasks[*at] && (*at == 0 || !tasks[at - 1])).count();
            prop_assert_eq!(taken.ranges.len(), edges, "neighbours are one range");
            taken.missing().iter().for_each(|gap| tasks[gap.first as usize..][..gap.count as usize].fill(true));
            prop_assert!(tasks.iter().all(|there| *there), "what is missing is what is not there");
            prop_assert!(taken.missing().into_iter().all(|gap| taken.insert(gap)));
            prop_assert!(taken.missing().is_empty());
        }
    }
}
