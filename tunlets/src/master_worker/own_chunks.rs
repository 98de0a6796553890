//! Programs that cut their tasks into chunks by themselves, and what they offer to be told how: `F0`, `F1`, `F2` …, the share of all tasks of each
//! batch; `F0.rest`, `F1.rest` …, the share of the tasks that are left; `chunk.tasks`, the tasks of every chunk; or `chunk.share`, the share of an equal
//! part of what is left that each chunk is.

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
    /// Other ranks offer them, too.
    of_several: bool,
}

impl<'a> OwnChunks<'a> {
    /// What is offered: factors in order and without a gap, or else the size of chunks, or their share; of the lowest rank that offers them, for a program has them in
    /// every rank, and the master is as a rule rank 0.
    pub fn offered(tuning_points: &'a [TuningPoint]) -> Option<OwnChunks<'a>> {
        let of = |by: By, most: usize, name: &dyn Fn(usize) -> String| {
            let first = tuning_points.iter().filter(|point| point.name == name(0)).map(|point| point.rank).min()?;
            let named = |n| tuning_points.iter().find(|point| point.rank == first && point.name == name(n));
            let of_several = tuning_points.iter().any(|point| point.rank != first && point.name == name(0));
            Some(OwnChunks { by, points: (0..most).map_while(named).collect(), of_several })
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
            By::SharesOfAll | By::SharesOfRest => batches::best(load, self.points.len(), rest, seed),
        }
    }

    /// Why it does not help to tell one rank, where the rank that begins iterations computes, too; `None` where no other rank offers them.
    pub fn have_no_master(&self) -> Option<String> {
        let name = &self.points[0].name;
        self.of_several.then(|| {
            format!(
                "to tune {name}: all ranks begin iterations and compute, so each cuts its own chunks, and no master does it for them; with another \
                 label for it, --search LABEL sets it in all of them"
            )
        })
    }

    /// Why the chunks of an iteration are not cut by these values, the first of which have so many tasks and the largest of all so many; `None` where they
    /// may be.
    pub fn differ(&self, first: [u64; 3], largest: u64, tasks: u64) -> Option<String> {
        let [one, two, three] = first;
        let size = self.points[0].value.max(1.0) as u64;
        if self.by == By::Size && largest != size.min(tasks) {
            let (name, value, has) = (&self.points[0].name, self.points[0].value, Count(largest, "task"));
            return Some(format!(
                "to tune {name}: it is {value}, and the largest chunk has {has}, so it is not what cuts them; or the work line does not say \
                 where the number of tasks stands (tasks N TYPE)"
            ));
        }
        // What rounding leaves is one task, and the first chunk may have all of it.
        (self.are_batches() && one > two + 1 && two > three + 1).then(|| {
            format!(
                "to tune {}: the first chunks have {one}, {two} and {three} tasks, and those of a batch are alike; if each request of a worker \
                 gets a share of what is left, its label is {}",
                self.points[0].name,
                names::CHUNK_SHARE
            )
        })
    }

    /// That the program has a value now that it cannot be told, to which nothing could go back; `None` where it has none.
    pub fn outside(&self) -> Option<String> {
        let point = self.points.iter().find(|point| !(point.range.0..=point.range.1).contains(&point.value))?;
        let TuningPoint { name, value, range: (least, most), .. } = point;
        let value = if value.fract() == 0.0 { value.to_string() } else { format!("{value:?}") };
        Some(format!(
            "to tune {name}: it is {value} now, and its range is {least}..{most}, so that nothing could go back; another range, or another type, may be right"
        ))
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
        let list = |values: &[f64]| values.iter().map(|value| self.show(*value)).collect::<Vec<String>>().join(", ");
        Proposal {
            tunlet: "master_worker".into(),
            iteration,
            ranks: vec![self.points[0].rank],
            assignments: self
                .points
                .iter()
                .zip(wanted)
                .map(|(point, want)| (point.name.clone(), (*want).into()))
                .collect(),
            tuning_point: if self.are_batches() { "factors" } else { &self.points[0].name }.into(),
            from: list(&self.values()),
            to: list(wanted),
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
        TuningPoint { rank, name: name.into(), whole: false, range: (0.0, 1.0), value: 0.5, declared: 0.5, text: None }
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
        assert_eq!(OwnChunks::offered(&rest).unwrap().have_no_master(), None);
        let of_all = [point(0, "F0"), point(1, "F0")];
        let none = OwnChunks::offered(&of_all).unwrap().have_no_master().unwrap();
        assert!(none.starts_with("to tune F0: all ranks begin iterations and compute"), "{none}");
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
        assert_eq!(own.differ([250, 219, 191], 250, 2000), None);
        let points = [point(0, "F0.rest")];
        let batches = OwnChunks::offered(&points).unwrap();
        assert!(batches.differ([250, 219, 191], 250, 2000).is_some_and(|why| why.contains("chunk.share")));
        assert_eq!(
            [[250, 250, 250], [257, 250, 250], [25, 50, 25]].map(|first| batches.differ(first, 257, 2000)),
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
        let differ = |largest, tasks| own.differ([largest; 3], largest, tasks);
        assert_eq!([differ(64, 640), differ(40, 40)], [None, None]);
        let other = differ(50, 640).unwrap();
        assert!(other.starts_with("to tune chunk.tasks: it is 64, and the largest chunk has 50 tasks, so"), "{other}");
        assert!(
            differ(1, 40)
                .is_some_and(|why| why.contains("chunk has 1 task, so it is not what cuts them; or the work line"))
        );
    }
}
