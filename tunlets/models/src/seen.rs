//! Iterations that were seen, for drawing ones like them: their tasks again, as far as they were measured.
//!
//! What few dear tasks do to a hand-out depends on how many there are, how dear each is, and which stand side by side. Mean, variance and profile
//! do not tell that; an iteration that was measured has it (the bootstrap of Efron 1979, with whole iterations as what is drawn).

use crate::random::Random;
use std::sync::Arc;

/// Neighbouring tasks that were timed together; times are multiples of any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Tasks, at least 1.
    pub tasks: u64,
    /// Sum of their times.
    pub time: f64,
    /// Sum of the squares of their times.
    pub squares: f64,
}

/// What the places of the tasks of one iteration say of those of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// Who stands beside whom, but not where.
    #[default]
    Anywhere,
    /// All: each task stays where it was.
    Kept,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The stretches of each iteration, in the order of the index range.
    pub iterations: Vec<Arc<[Stretch]>>,
    /// See [`Places`].
    pub places: Places,
}

impl Stretch {
    /// Draws the times of tasks like these, so that they have the stretch's mean, and in the mean its squares.
    ///
    /// Shares of a sum that are proportional to gamma numbers are Dirichlet-distributed: of n shares that are Dirichlet(a, ..., a) the sum of squares
    /// q is (a + 1)/(n a + 1) in the mean, and the gamma numbers have the variance 1/a = (n q - 1)/(1 - q).
    fn draw(&self, times: &mut [f64], random: &mut Random) {
        let (n, mean) = (self.tasks as f64, self.time / self.tasks as f64);
        let squares = (self.squares / (self.time * self.time)).min(1.0);
        let variance = (n * squares - 1.0) / (1.0 - squares);
        times.fill_with(|| if variance > 0.0 { random.gamma(variance) } else { 1.0 });
        let sum: f64 = times.iter().sum();
        let unit = mean * times.len() as f64 / sum;
        if sum > 0.0 {
            times.iter_mut().for_each(|time| *time *= unit);
        } else {
            times.fill(mean);
        }
    }
}

impl Seen {
    /// How many of so many drawings are independent: where tasks stay where they were, an iteration that is drawn again tells nothing new.
    pub fn independent(&self, drawings: usize) -> usize {
        match self.places {
            Places::Kept if !self.iterations.is_empty() => drawings.min(self.iterations.len()),
            _ => drawings,
        }
    }

    /// Times of `tasks` tasks, mean 1, as in one of the iterations, which `at` chooses; `None` where none was seen, or all took no time.
    pub(crate) fn draw(&self, tasks: u64, (random, at): (&mut Random, u64)) -> Option<Vec<f64>> {
        let count = self.iterations.len() as u64;
        let stretches = self.iterations.get((at % count.max(1)) as usize)?;
        let seen: u64 = stretches.iter().map(|stretch| stretch.tasks).sum();
        let mut times = vec![0.0; tasks as usize];
        let (mut begin, mut end) = (0, 0);
        for stretch in stretches.iter() {
            end += stretch.tasks;
            // As many as fall into its share of the index range.
            let until = (u128::from(end) * u128::from(tasks) / u128::from(seen)) as usize;
            stretch.draw(&mut times[begin..until], random);
            begin = until;
        }
        if self.places == Places::Anywhere && !times.is_empty() {
            let by = random.below(times.len());
            times.rotate_left(by);
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        times.iter_mut().for_each(|time| *time /= mean);
        (mean > 0.0).then_some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(seen: &Seen, tasks: u64, seed: u64) -> Option<Vec<f64>> {
        seen.draw(tasks, (&mut Random::new(seed), seed))
    }

    fn seen(places: Places, stretches: &[(u64, f64, f64)]) -> Seen {
        let stretch = |&(tasks, time, squares): &(u64, f64, f64)| Stretch { tasks, time, squares };
        Seen { iterations: vec![stretches.iter().map(stretch).collect()], places }
    }

    #[test]
    fn tasks_that_were_timed_singly_come_again() {
        let known = seen(Places::Kept, &[(1, 1.0, 1.0), (1, 6.0, 36.0), (1, 2.0, 4.0)]);
        assert_eq!(draw(&known, 3, 5).unwrap(), [1.0 / 3.0, 2.0, 2.0 / 3.0]);
        assert_eq!(
            draw(&known, 6, 5).unwrap(),
            [1.0 / 3.0, 1.0 / 3.0, 2.0, 2.0, 2.0 / 3.0, 2.0 / 3.0],
            "twice as many"
        );
        let orders = |places| {
            let known = seen(places, &[(1, 1.0, 1.0), (1, 6.0, 36.0), (1, 2.0, 4.0)]);
            let mut all: Vec<Vec<u64>> = (0..100)
                .map(|seed| draw(&known, 3, seed).unwrap().iter().map(|t| (t * 3.0).round() as u64).collect())
                .collect();
            all.sort();
            all.dedup();
            all.len()
        };
        assert_eq!([Places::Kept, Places::Anywhere].map(orders), [1, 3]);
    }

    #[test]
    fn tasks_of_a_chunk_have_its_sum_and_on_average_its_squares() {
        // Four tasks that took 10 together, of which one must have taken most.
        let known = seen(Places::Kept, &[(4, 10.0, 70.0), (4, 6.0, 9.0)]);
        let mut squares = 0.0;
        for seed in 0..20_000 {
            let times: Vec<f64> = draw(&known, 8, seed).unwrap().iter().map(|time| time * 2.0).collect();
            assert!((times[..4].iter().sum::<f64>() - 10.0).abs() < 1e-9);
            assert!(times[4..].iter().all(|time| (time - 1.5).abs() < 1e-9), "equal ones: {times:?}");
            squares += times[..4].iter().map(|time| time * time).sum::<f64>() / 20_000.0;
        }
        assert!((squares - 70.0).abs() < 1.0, "{squares}");
    }

    #[test]
    fn what_was_not_seen_is_not_drawn_and_what_is_drawn_again_is_not_independent() {
        assert_eq!(draw(&Seen::default(), 7, 1), None);
        assert_eq!(draw(&seen(Places::Kept, &[(3, 0.0, 0.0)]), 3, 1), None);
        assert_eq!(seen(Places::Kept, &[(3, 1.0, 1.0)]).independent(24), 1);
        assert_eq!(seen(Places::Anywhere, &[(3, 1.0, 1.0)]).independent(24), 24);
        assert_eq!(Seen { places: Places::Kept, ..Seen::default() }.independent(24), 24);
    }
}
