//! One drawing of all task times of an iteration, as prefix sums, so that every technique and team meets the same tasks; and the
//! chunks that were cut out of it.

use crate::random::Random;
use crate::simulated_load::SimInput;

/// At most so many times are drawn; more tasks are drawn in blocks.
const MAX_BLOCKS: u64 = 1 << 16;

/// Prefix sums of the task times on a worker of average speed, in units of some mean time, and of their squares.
pub struct Trace {
    block: u64,
    sums: Vec<f64>,
    squares: Vec<f64>,
    /// How far each worker's speed lies from what is known of it, in standard errors; missing: as it is known.
    speeds: Vec<f64>,
}

impl Trace {
    /// Draws times as in the iterations that were seen, else around the profile, from the sample or gamma-distributed, as multiples of `mean_s`; and speeds.
    pub fn draw(input: &SimInput, seed: u64) -> Trace {
        let mut random = Random::new(seed);
        let again = if input.tasks <= MAX_BLOCKS { input.seen.draw(input.tasks, (&mut random, seed)) } else { None };
        let mut trace = again.map_or_else(|| Trace::around_profile(input, &mut random), |times| Trace::of(&times));
        trace.speeds = (0..input.workers).map(|_| random.normal()).collect();
        trace
    }

    fn around_profile(input: &SimInput, random: &mut Random) -> Trace {
        let block = input.tasks.div_ceil(MAX_BLOCKS).max(1);
        let blocks = input.tasks.div_ceil(block);
        let variance = input.variation * input.variation / block as f64;
        let (mut sum, mut square) = (0.0, 0.0);
        let room = blocks as usize + 1;
        let mut trace =
            Trace { block, sums: Vec::with_capacity(room), squares: Vec::with_capacity(room), speeds: Vec::new() };
        trace.sums.push(0.0);
        trace.squares.push(0.0);
        for i in 0..blocks {
            let middle = (i as f64 + 0.5) / blocks as f64;
            let one = match input.sample.len() {
                count if count > 0 && block == 1 => input.sample[random.below(count)],
                _ => random.gamma(variance),
            };
            let each = input.relative_at(middle) * one;
            sum += each * block as f64;
            square += each * each * block as f64 + variance * (block * (block - 1)) as f64;
            trace.sums.push(sum);
            trace.squares.push(square);
        }
        trace
    }

    /// A trace of given task times, seconds.
    pub fn of(times: &[f64]) -> Trace {
        let mut trace = Trace { block: 1, sums: vec![0.0], squares: vec![0.0], speeds: Vec::new() };
        let (mut sum, mut square) = (0.0, 0.0);
        for t in times {
            sum += t;
            square += t * t;
            trace.sums.push(sum);
            trace.squares.push(square);
        }
        trace
    }

    fn at(&self, prefix: &[f64], index: u64) -> f64 {
        let (whole, part) = ((index / self.block) as usize, (index % self.block) as f64 / self.block as f64);
        let here = prefix[whole];
        if part > 0.0 { here + part * (prefix[whole + 1] - here) } else { here }
    }

    /// Time of a task on this worker, over that on one of average speed.
    pub fn slowness(&self, input: &SimInput, worker: usize) -> f64 {
        let at = |list: &[f64]| list.get(worker).copied();
        let away = at(&self.speeds).unwrap_or(0.0) * at(&input.slowness_errors).unwrap_or(0.0);
        input.slowness_of(worker) * away.exp()
    }

    /// Time of these tasks and sum of their squares.
    pub fn span(&self, first: u64, count: u64) -> (f64, f64) {
        let of = |prefix: &[f64]| self.at(prefix, first + count) - self.at(prefix, first);
        (of(&self.sums), of(&self.squares))
    }
}

/// A chunk that was computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkLog {
    /// By worker 0 .. N-1.
    pub worker: u32,
    /// First task.
    pub first: u64,
    /// Tasks.
    pub count: u64,
    /// When its worker began it, seconds.
    pub begin_s: f64,
    /// Time, seconds.
    pub busy_s: f64,
    /// Sum of squared task times, seconds squared.
    pub sum_sq_s2: f64,
}
