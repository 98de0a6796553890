//! How the tasks of an iteration were cut, as its chunks show (docs/adr/0046-cuts-that-are-seen.md).

use crate::{ChunkWork, Window};
use midrun_models::batches::Batches;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CutSeen {
    /// Tasks of the first chunks, where there are as many workers.
    pub first: Option<[u64; 3]>,
    /// The chunks, where the records of all of them came.
    pub chunks: Option<ChunksSeen>,
    /// How the program seems to cut by itself; `None` where midrun hands tasks out, or it cuts as nothing that is known.
    pub batches: Option<Batches>,
}

/// The chunks of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunksSeen {
    /// Their number.
    pub count: u64,
    /// Tasks of the largest; `None` where they are not known one by one.
    pub largest: Option<u64>,
}

impl CutSeen {
    /// Of one iteration.
    pub fn of(window: &Window) -> CutSeen {
        let mut known: Vec<&ChunkWork> = window.per_worker.iter().flat_map(|w| &w.each_chunk).collect();
        known.sort_by_key(|chunk| chunk.first);
        let sizes: Vec<u64> = known.iter().map(|chunk| chunk.tasks).collect();
        let is_whole = sizes.iter().sum::<u64>() == window.tasks;
        let largest = sizes.iter().copied().max().filter(|_| is_whole);
        let chunks = ChunksSeen { count: window.chunks, largest };
        let follow = known.windows(2).all(|pair| pair[0].first + pair[0].tasks == pair[1].first);
        CutSeen {
            first: sizes.first_chunk().copied().filter(|_| window.workers >= 3),
            chunks: (window.is_complete() && window.chunks > 0).then_some(chunks),
            batches: batches(window, sizes, (follow, is_whole)).filter(|_| window.own_loop && window.chunks > 0),
        }
    }
}

/// So many chunks that they are not known one by one have the size that they have on average.
fn batches(window: &Window, mut sizes: Vec<u64>, (follow, is_whole): (bool, bool)) -> Option<Batches> {
    if sizes.is_empty() {
        return Some(Batches::of_chunks(window.tasks.div_ceil(window.chunks.max(1)).max(1)));
    }
    if !follow {
        sizes.sort_unstable_by_key(|tasks| std::cmp::Reverse(*tasks)); // chunks seldom grow
    }
    if is_whole {
        return Batches::seen(&sizes, window.workers);
    }
    // Where only some are known, those that all have one size tell it.
    Batches::seen(&sizes, 1).filter(|batches| batches.size().is_some())
}
