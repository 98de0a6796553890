//! The chunks of an iteration by their number, for workers that take them from a shared counter.
//!
//! Who adds 1 to the counter gets the chunk of the number that it found there, and computes by itself which tasks that is: it cuts
//! the chunks in their order by the code of the master, up to this one. So each task is in one chunk, and each chunk is one
//! worker's, without a message. This is distributed chunk calculation (Eleliemy, Ciorba 2021).

use crate::{Chunk, ChunkScheduler, Technique, TechniqueParameters};

/// The chunks of one iteration in their order.
#[derive(Clone, Debug)]
pub struct Steps {
    scheduler: ChunkScheduler,
    tasks: u64,
    /// Most tasks of a chunk; the rest of a larger one are the next chunks.
    most: u64,
    rest: Option<Chunk>,
    /// Number of the chunk that is cut next.
    next: u64,
    /// All chunks but the last have this size.
    equal: Option<u64>,
}

impl Steps {
    /// The chunks of `tasks` tasks for `workers` workers, of at most `most` tasks each (at least 1). `None` where the number alone
    /// does not say which tasks a chunk has ([`Technique::is_fixed`]).
    pub fn new(parameters: TechniqueParameters, tasks: u64, workers: u32, most: u64) -> Option<Steps> {
        if !parameters.kind.is_fixed() {
            return None;
        }
        let scheduler = ChunkScheduler::new(parameters, tasks, workers);
        let most = most.max(1);
        // Their sizes follow from the tasks of the whole iteration. Cut one by one, many small ones would take their time.
        let first = match parameters.kind {
            Technique::None | Technique::Ss | Technique::Fsc | Technique::Mfsc => scheduler.clone().next(0, &[]),
            _ => None,
        };
        let equal = first.map(|chunk| chunk.count).filter(|count| *count <= most);
        Some(Steps { scheduler, tasks, most, rest: None, next: 0, equal })
    }

    /// The chunk of this number; `None` beyond the last, and for a number that is not above all that were asked for before.
    pub fn chunk(&mut self, number: u64) -> Option<Chunk> {
        if let Some(size) = self.equal {
            let first = number.checked_mul(size).filter(|first| *first < self.tasks)?;
            return Some(Chunk { first, count: size.min(self.tasks - first) });
        }
        let skipped = number.checked_sub(self.next)?;
        for _ in 0..skipped {
            self.cut()?;
        }
        self.cut()
    }

    fn cut(&mut self) -> Option<Chunk> {
        let mut chunk = self.rest.take().or_else(|| self.scheduler.next(0, &[]))?;
        if chunk.count > self.most {
            self.rest = Some(Chunk { first: chunk.first + self.most, count: chunk.count - self.most });
            chunk.count = self.most;
        }
        self.next += 1;
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_technique_that_learns_from_results_has_no_fixed_chunks() {
        let fixed = |kind: &Technique| Steps::new(TechniqueParameters::new(*kind), 9, 2, 9).is_some();
        let names: Vec<_> = Technique::ALL.into_iter().filter(fixed).map(Technique::name).collect();
        assert_eq!(names, ["none", "ss", "fsc", "gss", "fac2", "dpf", "tss", "mfsc"]);
    }

    #[test]
    fn the_last_number_is_far_away_and_its_chunk_is_cut_at_once() {
        let mut steps = Steps::new(TechniqueParameters::new(Technique::Ss), u64::MAX, 3, 9).unwrap();
        assert_eq!(steps.chunk(u64::MAX - 1), Some(Chunk { first: u64::MAX - 1, count: 1 }));
        assert_eq!(steps.chunk(u64::MAX), None);
    }

    proptest! {
        /// Whoever asks for which number: all of them together have each task once, and each has what the master would have cut.
        #[test]
        fn the_chunks_of_all_numbers_are_those_of_the_master(
            code in 0u32..12,
            factor in prop_oneof![Just(0.0), 0.01..1.0],
            variation in prop_oneof![Just(0.0), 0.0..2.0],
            min_chunk in 1u64..20,
            tasks in 0u64..500,
            workers in 1u32..9,
            most in prop_oneof![Just(u64::MAX), 1u64..30],
            takers in prop::collection::vec(0usize..4, 600),
        ) {
            let kind = Technique::from_code(code).unwrap();
            let parameters =
                TechniqueParameters { factor, mean_s: 1.0, sigma_s: variation, min_chunk, ..TechniqueParameters::new(kind) };
            let Some(steps) = Steps::new(parameters, tasks, workers, most) else { return Ok(()) };
            let mut copies = vec![steps; 4];
            let (mut master, mut end) = (ChunkScheduler::new(parameters, tasks, workers), 0);
            for (number, taker) in takers.into_iter().enumerate() {
                match copies[taker].chunk(number as u64) {
                    Some(chunk) => {
                        prop_assert!(chunk.first == end && (1..=most).contains(&chunk.count));
                        end += chunk.count;
                        if most == u64::MAX {
                            prop_assert_eq!(master.next(0, &[]), Some(chunk));
                        }
                    }
                    None => prop_assert_eq!(end, tasks),
                }
            }
            prop_assert_eq!(end, tasks);
        }
    }
}
