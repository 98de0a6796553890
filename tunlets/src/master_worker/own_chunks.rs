//! Programs that cut their tasks into chunks by themselves, and what they offer to be told how: `F0`, `F1`, `F2` …, the share of all tasks of each
//! batch; `F0.rest`, `F1.rest` …, the share of the tasks that are left; `chunk.tasks`, the tasks of every chunk; or `chunk.share`, the share of an equal
//! part of what is left that each chunk is.

use super::workload::{ChunksSeen, WorkloadEstimator};
use crate::proposal::ASSIGNMENTS;
use crate::tuning_point::names;
use crate::{Proposal, TuningPoint};
use midrun_models::batches::{self, Batches, Found, Rest};
use midrun_models::simulate::SimInput;
use midrun_scheduling::PointValue;
use midrun_vocabulary::Count;

/// By what a program says how it cuts its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    SharesOfAll,
    SharesOfRest,
    Size,
    Guided,
}

/// The values by which a program that cuts its tasks by itself does so now, with its number of workers where it offers that; `None` of another
/// program, and of one whose values are too many to be set together.
pub fn own_values(tuning_points: &[TuningPoint]) -> Option<Vec<PointValue>> {
    let own = OwnChunks::offered(tuning_points)?;
    let number = tuning_points.iter().filter(|point| point.name == names::OWN_WORKERS).min_by_key(|point| point.rank);
    let value = |point: &TuningPoint| PointValue { rank: point.rank, name: point.name.clone(), value: point.value };
    let values: Vec<PointValue> = own.points.iter().copied().chain(number).map(value).collect();
    (values.len() <= ASSIGNMENTS).then_some(values)
}

/// What a program offers.
#[derive(Clone, Debug)]
pub struct OwnChunks<'a> {
    by: By,
    /// One or more, of one rank.
    points: Vec<&'a TuningPoint>,
}

impl<'a> OwnChunks<'a> {
    /// What is offered: factors in order and without a gap, or else the size of chunks, or their share; of the lowest rank that offers them, for a program has them in
    /// every rank, and the master is as a rule rank 0.
    pub fn offered(tuning_points: &'a [TuningPoint]) -> Option<OwnChunks<'a>> {
        let of = |by: By, most: usize, name: &dyn Fn(usize) -> String| {
            let first = tuning_points.iter().filter(|point| point.name == name(0)).map(|point| point.rank).min()?;
            let named = |n| tuning_points.iter().find(|point| point.rank == first && point.name == name(n));
            Some(OwnChunks { by, points: (0..most).map_while(named).collect() })
        };
        of(By::SharesOfAll, ASSIGNMENTS, &|n| format!("F{n}"))
            .or_else(|| of(By::SharesOfRest, ASSIGNMENTS, &|n| format!("F{n}{}", names::SHARE_OF_REST)))
            .or_else(|| of(By::Size, 1, &|_| names::CHUNK_TASKS.to_owned()))
            .or_else(|| of(By::Guided, 1, &|_| names::CHUNK_SHARE.to_owned()))
    }

    /// Whether each worker gets one chunk of each batch. Else workers ask for chunks, and their number changes with what the program is told.
    pub fn are_batches(&self) -> bool {
        matches!(self.by, By::SharesOfAll | By::SharesOfRest)
    }

    /// Whether a person has set one of them by hand.
    pub fn are_held(&self) -> bool {
        self.points.iter().any(|point| point.held)
    }

    /// The values now.
    pub fn values(&self) -> Vec<f64> {
        self.points.iter().map(|point| point.value).collect()
    }

    /// The chunks that the program cuts with these values, if it does this with what its batches leave.
    pub fn batches(&self, values: &[f64], rest: Rest) -> Batches {
        match self.by {
            By::SharesOfAll => Batches::of_all(values, rest),
            By::SharesOfRest => Batches { shares: values.to_vec(), rest },
            By::Size => Batches::of_chunks(values.first().map_or(1, |tasks| (*tasks as u64).max(1))),
            By::Guided => Batches::guided(values.first().copied().unwrap_or(1.0)),
        }
    }

    /// Values for these chunks, as far as the ranges allow.
    pub fn values_for(&self, batches: &Batches) -> Vec<f64> {
        let values = match self.by {
            By::SharesOfAll => batches.shares_of_all(),
            By::SharesOfRest => batches.shares.clone(),
            By::Size => batches.size().iter().map(|tasks| *tasks as f64).collect(),
            By::Guided => match batches.rest {
                Rest::Guided(share) => vec![share],
                _ => Vec::new(),
            },
        };
        self.within(&values)
    }

    /// The nearest values that the ranges allow.
    fn within(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(&self.points).map(|(value, point)| value.clamp(point.range.0, point.range.1)).collect()
    }

    /// What an iteration of so many chunks shows that the program does with what its batches leave: it sends that task by task, or as one batch more.
    /// Nothing where they leave too little to tell.
    pub fn rest_seen(&self, batches: &Batches, tasks: u64, workers: u32, chunks: u64) -> Option<Rest> {
        if !self.are_batches() {
            return Some(batches.rest);
        }
        let (left, of_batch) = (batches.left() * tasks as f64, f64::from(workers));
        let more = chunks as f64 - of_batch * batches.shares.len() as f64;
        // Half-way between both on a logarithmic scale. What rounding leaves of one batch more are single tasks, fewer than workers.
        let between = (left * of_batch).sqrt();
        let rest = if more > between { Rest::Chunks(1) } else { Rest::OneBatch };
        (more > 0.0 && between > 2.0 * of_batch).then_some(rest)
    }

    /// The best that the program can be told, by simulated iterations of `load`.
    pub fn best(&self, load: &SimInput, rest: Option<Rest>, seed: u64) -> Option<Found> {
        match self.by {
            By::Size => {
                let (least, most) = self.points[0].range;
                batches::best_chunk(load, (least.ceil() as u64, most as u64), seed)
            }
            By::Guided => batches::best_guided(load, self.points[0].range, seed),
            By::SharesOfAll | By::SharesOfRest => {
                // One batch of everything shows nothing of what is done with the rest of a smaller one: that comes at least.
                let alone = (self.points.len() == 1).then_some(Rest::OneBatch);
                batches::best(load, self.points.len(), rest.or(alone), seed)
            }
        }
    }

    /// Why the chunks of the last iteration are not cut by these values; `None` where they may be.
    pub fn differ(&self, workload: &WorkloadEstimator) -> Option<String> {
        match self.by {
            By::Size => self.have_another_size(workload.cut.chunks?, workload.tasks, workload.workers),
            By::Guided => None,
            By::SharesOfAll | By::SharesOfRest => self.are_no_batches(workload.cut.first?),
        }
    }

    /// Whether the program gives each worker one chunk, smaller than it is told: then it takes the smaller of both.
    pub fn are_capped(&self, workload: &WorkloadEstimator) -> bool {
        let is_below = |seen: ChunksSeen| seen.largest.is_some_and(|largest| (largest as f64) < self.points[0].value);
        self.by == By::Size && workload.cut.chunks.is_some_and(is_below)
    }

    fn have_another_size(&self, seen: ChunksSeen, tasks: u64, workers: u32) -> Option<String> {
        let size = self.points[0].value.max(1.0) as u64;
        let is_one_each = seen.count == u64::from(workers);
        let same = match seen.largest {
            Some(largest) => largest == size.min(tasks) || (largest < size && is_one_each),
            None => seen.count == tasks.div_ceil(size),
        };
        let has = match seen.largest {
            Some(largest) => format!("the largest chunk has {}", Count(largest, "task")),
            None => format!("there are {} of {}", Count(seen.count, "chunk"), Count(tasks, "task")),
        };
        (!same).then(|| {
            let TuningPoint { name, value, .. } = self.points[0];
            format!(
                "to tune {name}: it is {value}, and {has}, so it is not what cuts them; or the work line does not say where the number of \
                 tasks stands (tasks N TYPE)"
            )
        })
    }

    fn are_no_batches(&self, [one, two, three]: [u64; 3]) -> Option<String> {
        // What rounding leaves is one task, and the first chunk may have all of it.
        (one > two + 1 && two > three + 1).then(|| {
            format!(
                "to tune {}: the first chunks have {one}, {two} and {three} tasks, and those of a batch are alike; if each request of a worker \
                 gets a share of what is left, its label is {}",
                self.points[0].name,
                names::CHUNK_SHARE
            )
        })
    }

    /// That the program has a value now that it cannot be told, to which nothing could go back, or that is no share; `None` where it has none.
    pub fn outside(&self) -> Option<String> {
        if self.by != By::Size
            && let Some(TuningPoint { name, value, .. }) = self.points.iter().find(|point| point.value > 1.0)
        {
            let size = names::CHUNK_TASKS;
            return Some(format!(
                "to tune {name}: it is {value} now, and a share is at most 1; the tasks of every chunk are {size}"
            ));
        }
        self.points.iter().find_map(|point| Some(format!("to tune {}: {}", point.name, point.outside()?)))
    }

    /// Values with their names, as `F0 = 0.5, F1 = 0.25`.
    pub fn named(&self, values: &[f64]) -> String {
        let pairs = self.points.iter().zip(values);
        pairs
            .map(|(point, value)| format!("{} = {}", point.name, self.show(*value)))
            .collect::<Vec<String>>()
            .join(", ")
    }

    fn show(&self, value: f64) -> String {
        if self.by == By::Size { value.to_string() } else { format!("{value:.3}") }
    }

    /// What they are, as `3 batches` or `chunks of 64`.
    pub fn describe(&self) -> String {
        match self.by {
            By::Size => format!("chunks of {}", self.points[0].value),
            By::Guided => format!("chunks of {:.3} of an equal part of what is left", self.points[0].value),
            By::SharesOfAll | By::SharesOfRest => format!("{} batches", self.points.len()),
        }
    }

    /// A proposal of these values.
    pub fn proposal(
        &self,
        wanted: &[f64],
        why: String,
        iteration: u64,
        (predicted_s, unchanged_s): (f64, f64),
    ) -> Proposal {
        let wanted = self.within(wanted);
        let list = |values: &[f64]| values.iter().map(|value| self.show(*value)).collect::<Vec<String>>().join(", ");
        Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![self.points[0].rank],
            assignments: self
                .points
                .iter()
                .zip(&wanted)
                .map(|(point, want)| (point.name.clone(), (*want).into()))
                .collect(),
            tuning_point: if self.are_batches() { "factors" } else { &self.points[0].name }.into(),
            from: list(&self.values()),
            to: list(&wanted),
            why,
            predicted_s,
            unchanged_s,
            ..Proposal::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(rank: u32, name: &str) -> TuningPoint {
        TuningPoint {
            rank,
            name: name.into(),
            whole: false,
            range: (0.0, 1.0),
            value: 0.5,
            declared: 0.5,
            text: None,
            held: false,
        }
    }

    fn size(range: (f64, f64)) -> TuningPoint {
        TuningPoint { whole: true, range, value: 64.0, declared: 64.0, ..point(0, names::CHUNK_TASKS) }
    }

    #[test]
    fn factors_are_those_of_the_lowest_rank_that_has_them_by_either_name() {
        let all = ["F0", "F1", "F3"].map(|name| point(2, name)).into_iter().chain([point(1, "F0"), point(1, "F1")]);
        let all: Vec<TuningPoint> = all.chain([size((1.0, 100.0))]).collect();
        let own = OwnChunks::offered(&all).unwrap();
        let names: Vec<(u32, &str)> = own.points.iter().map(|point| (point.rank, &*point.name)).collect();
        assert_eq!((names, own.by), (vec![(1, "F0"), (1, "F1")], By::SharesOfAll));
        let rest = ["F0.rest", "F1.rest", "F2.rest"].map(|name| point(0, name));
        assert_eq!(OwnChunks::offered(&rest).unwrap().points.len(), 3);
        assert!(OwnChunks::offered(&[point(0, "F1")]).is_none());
    }

    #[test]
    fn the_values_of_a_program_are_its_chunks_and_its_workers() {
        let values = |points: &[TuningPoint]| {
            let all = own_values(points)?;
            Some(all.iter().map(ToString::to_string).collect::<Vec<String>>().join(","))
        };
        let workers = TuningPoint { value: 4.0, ..point(3, names::OWN_WORKERS) };
        let offered = [workers.clone(), size((1.0, 100.0)), point(1, names::CHUNK_TASKS)];
        assert_eq!(values(&offered).as_deref(), Some("0:chunk.tasks=64,3:NW=4"));
        assert_eq!(values(&[workers, point(0, names::TECHNIQUE)]), None, "a number of workers alone cuts nothing");
        let factors: Vec<TuningPoint> = (0..ASSIGNMENTS).map(|n| point(0, &format!("F{n}"))).collect();
        assert!(values(&factors).is_some());
        assert_eq!(values(&[factors, vec![point(0, names::OWN_WORKERS)]].concat()), None, "too many");
    }

    #[test]
    fn the_chunks_of_an_iteration_tell_where_what_is_left_goes() {
        let points = [point(0, "F0.rest")];
        let own = OwnChunks::offered(&points).unwrap();
        let halves = Batches { shares: vec![0.5; 3], rest: Rest::OneBatch };
        let of = |chunks| own.rest_seen(&halves, 400, 4, chunks);
        assert_eq!([16, 17, 62].map(of), [Some(Rest::OneBatch), Some(Rest::OneBatch), Some(Rest::Chunks(1))]);
        let whole = Batches { shares: vec![0.5, 1.0], rest: Rest::OneBatch };
        assert_eq!(own.rest_seen(&whole, 400, 4, 10), None, "they leave nothing");
    }

    #[test]
    fn values_stand_for_the_same_batches_as_shares_of_all_and_of_what_is_left() {
        let batches = Batches { shares: vec![0.5, 0.5, 1.0], rest: Rest::OneBatch };
        for (ending, expected) in [("", [0.5, 0.25, 0.25]), (names::SHARE_OF_REST, [0.5, 0.5, 1.0])] {
            let points = [0, 1, 2].map(|n| point(0, &format!("F{n}{ending}")));
            let own = OwnChunks::offered(&points).unwrap();
            let values = own.values_for(&batches);
            assert_eq!((&*values, own.batches(&values, Rest::OneBatch)), (&expected[..], batches.clone()));
        }
    }

    #[test]
    fn a_share_of_what_is_left_is_no_batch() {
        let points = [TuningPoint { range: (0.05, 1.0), ..point(0, names::CHUNK_SHARE) }];
        let own = OwnChunks::offered(&points).unwrap();
        assert_eq!(own.batches(&own.values(), Rest::OneBatch), Batches::guided(0.5));
        assert_eq!([0.01, 0.3].map(|share| own.values_for(&Batches::guided(share))), [[0.05], [0.3]]);
        assert_eq!(own.proposal(&[0.25], String::new(), 5, (1.0, 2.0)).tuning_point, "chunk.share");
        assert_eq!(own.outside(), None);
        let narrow = [TuningPoint { range: (0.05, 0.4), ..point(0, names::CHUNK_SHARE) }];
        let said = OwnChunks::offered(&narrow).unwrap().outside().unwrap();
        assert!(said.starts_with("to tune chunk.share: it is 0.5 now, and its range is 0.05..0.4, so that"), "{said}");
        let no_share = [TuningPoint { value: 50.0, range: (1.0, 300.0), ..point(0, names::CHUNK_SHARE) }];
        let said = OwnChunks::offered(&no_share).unwrap().outside().unwrap();
        assert!(said.starts_with(
            "to tune chunk.share: it is 50 now, and a share is at most 1; the tasks of every chunk are chunk.tasks"
        ));
        let points = [point(0, "F0.rest")];
        let batches = OwnChunks::offered(&points).unwrap();
        assert!(batches.are_no_batches([250, 219, 191]).is_some_and(|why| why.contains("chunk.share")));
        assert_eq!(
            [[250, 250, 250], [257, 250, 250], [25, 50, 25]].map(|first| batches.are_no_batches(first)),
            [None, None, None]
        );
    }

    #[test]
    fn a_size_of_chunks_stays_in_its_range() {
        let points = [size((10.0, 100.0))];
        let own = OwnChunks::offered(&points).unwrap();
        assert_eq!(own.batches(&own.values(), Rest::OneBatch), Batches::of_chunks(64));
        assert_eq!([3, 30, 300].map(|tasks| own.values_for(&Batches::of_chunks(tasks))), [[10.0], [30.0], [100.0]]);
        let proposal = own.proposal(&[30.0], String::new(), 5, (1.0, 2.0));
        assert_eq!((&*proposal.tuning_point, &*proposal.from, &*proposal.to), ("chunk.tasks", "64", "30"));
        assert_eq!(proposal.assignments, [("chunk.tasks".to_owned(), 30.0.into())]);
        let differ = |count, largest, tasks| own.have_another_size(ChunksSeen { count, largest }, tasks, 8);
        assert_eq!([differ(10, Some(64), 640), differ(1, Some(40), 40), differ(63, None, 4000)], [None, None, None]);
        assert_eq!(differ(8, Some(50), 400), None, "the smaller of 64 and of an equal part");
        let other = differ(13, Some(50), 640).unwrap();
        assert!(other.starts_with("to tune chunk.tasks: it is 64, and the largest chunk has 50 tasks, so"), "{other}");
        let one = differ(40, Some(1), 40).unwrap();
        assert!(one.contains("chunk has 1 task, so it is not what cuts them; or the work line"), "{one}");
        let many = differ(4000, None, 4000).unwrap();
        assert!(many.contains("and there are 4000 chunks of 4000 tasks, so"), "{many}");
    }
}
