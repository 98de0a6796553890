//! Which workers take part in an iteration. The others are parked: in the communicator, asleep, ready for the next one.

use midrun_scheduling::WorkerSpeed;

/// A worker is parked for its slowness only when its mean task time is so many times the team's.
const DISTINCT: f64 = 1.15;

/// The workers of one framework, by rank of its communicator.
#[derive(Debug)]
pub struct Team {
    master: usize,
    /// Ranks that take part, ascending.
    active: Vec<usize>,
    /// Place of each rank in `active`.
    place: Vec<Option<usize>>,
    /// What was measured of each rank when it last took part.
    speeds: Vec<WorkerSpeed>,
    /// How long each waited per task, seconds: a worker that is far gets less done with the same speed.
    waits_s: Vec<f64>,
}

impl Team {
    /// The first `count` workers of a communicator of `size` ranks; 0 = all.
    pub fn new(size: usize, master: usize, count: usize) -> Team {
        let (speeds, waits_s) = (vec![WorkerSpeed::default(); size], vec![0.0; size]);
        let mut team = Team { master, active: Vec::new(), place: vec![None; size], speeds, waits_s };
        team.resize(if count == 0 { size - 1 } else { count });
        team
    }

    /// Ranks that take part.
    pub fn active(&self) -> &[usize] {
        &self.active
    }

    /// Place of `rank` among those that take part.
    pub fn place(&self, rank: usize) -> Option<usize> {
        self.place.get(rank).copied().flatten()
    }

    /// What is known of those that take part, in their order.
    pub fn speeds(&self) -> Vec<WorkerSpeed> {
        self.active.iter().map(|rank| self.speeds[*rank].faded()).collect()
    }

    /// Takes over what was measured of those that took part, in their order.
    pub fn remember(&mut self, speeds: &[WorkerSpeed]) {
        for (rank, speed) in self.active.iter().zip(speeds) {
            if speed.tasks > 0 {
                self.speeds[*rank] = *speed;
            }
        }
    }

    /// Takes over how long each of them waited per task, seconds; half of it, for one iteration may be chance.
    pub fn remember_waits(&mut self, waits_s: &[f64]) {
        for (rank, wait_s) in self.active.iter().zip(waits_s) {
            self.waits_s[*rank] = 0.5 * (self.waits_s[*rank] + wait_s);
        }
    }

    /// Time that `rank` takes for a task, with what it waits for it, seconds.
    fn cost_s(&self, rank: usize) -> f64 {
        self.speeds[rank].mean_s + self.waits_s[rank]
    }

    /// Makes `count` workers take part, at least one: who leaves is the distinctly slowest or farthest, else the last; who comes is
    /// the first that is not known to be slow.
    pub fn resize(&mut self, count: usize) {
        let most = self.place.len() - 1;
        let count = count.clamp(1, most);
        while self.active.len() > count {
            let at = self.slowest().unwrap_or(self.active.len() - 1);
            self.active.remove(at);
        }
        while self.active.len() < count {
            let parked = (0..self.place.len()).filter(|rank| *rank != self.master && !self.active.contains(rank));
            let typical_s = self.typical_s();
            let slow = |rank: &usize| typical_s.is_some_and(|typical| self.cost_s(*rank) > DISTINCT * typical);
            let Some(next) = parked.min_by(|a, b| {
                let key = |rank: &usize| if slow(rank) { self.cost_s(*rank) } else { 0.0 };
                key(a).total_cmp(&key(b)).then(a.cmp(b))
            }) else {
                break;
            };
            self.active.push(next);
        }
        self.active.sort_unstable();
        self.place.fill(None);
        for (place, rank) in self.active.iter().enumerate() {
            self.place[*rank] = Some(place);
        }
    }

    /// One more worker, after the last rank: parked until the next [`Team::resize`].
    pub fn join(&mut self) {
        self.place.push(None);
        self.speeds.push(WorkerSpeed::default());
        self.waits_s.push(0.0);
    }

    /// Median of what a task takes the active workers, seconds.
    fn typical_s(&self) -> Option<f64> {
        let known = self.active.iter().filter(|rank| self.speeds[**rank].tasks > 0);
        let mut means: Vec<f64> = known.map(|rank| self.cost_s(*rank)).collect();
        means.sort_by(f64::total_cmp);
        means.get(means.len().saturating_sub(1) / 2).copied()
    }

    fn slowest(&self) -> Option<usize> {
        let typical_s = self.typical_s()?;
        let mean = |at: &usize| self.cost_s(self.active[*at]);
        let slow = (0..self.active.len()).filter(|at| mean(at) > DISTINCT * typical_s);
        slow.max_by(|a, b| mean(a).total_cmp(&mean(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(mean_s: f64) -> WorkerSpeed {
        WorkerSpeed { tasks: 10, chunks: 2, mean_s, var_s2: 0.0 }
    }

    #[test]
    fn a_team_has_the_first_workers_and_never_the_master() {
        let mut team = Team::new(5, 2, 0);
        assert_eq!(team.active(), [0, 1, 3, 4]);
        team.resize(2);
        assert_eq!(team.active(), [0, 1]);
        assert_eq!((team.place(1), team.place(3), team.place(2), team.place(99)), (Some(1), None, None, None));
        team.resize(99);
        assert_eq!(team.active(), [0, 1, 3, 4]);
        team.resize(0);
        assert_eq!(team.active(), [0], "somebody has to work");
        assert_eq!(Team::new(5, 0, 3).active(), [1, 2, 3]);
    }

    #[test]
    fn who_joins_is_parked_until_the_team_grows() {
        let mut team = Team::new(3, 0, 0);
        team.join();
        assert_eq!(team.active(), [1, 2]);
        team.resize(9);
        assert_eq!((team.active(), team.place(3)), ([1, 2, 3].as_slice(), Some(2)));
    }

    #[test]
    fn the_far_leave_first_too() {
        let mut team = Team::new(5, 0, 0);
        team.remember(&[speed(1.0); 4]);
        team.remember_waits(&[0.1, 0.1, 1.0, 0.1]);
        team.resize(3);
        assert_eq!(team.active(), [1, 2, 4], "rank 3 waits for its messages half as long as it computes");
        team.resize(4);
        assert_eq!(team.active(), [1, 2, 3, 4]);
    }

    #[test]
    fn the_slow_leave_first_and_come_last() {
        let mut team = Team::new(5, 0, 0);
        team.remember(&[speed(1.0), speed(4.0), speed(1.05), speed(2.0)]);
        team.resize(3);
        assert_eq!(team.active(), [1, 3, 4], "rank 2 is the slowest");
        team.resize(2);
        assert_eq!(team.active(), [1, 3]);
        team.resize(1);
        assert_eq!(team.active(), [1], "none is distinctly slower: the last leaves");
        team.resize(2);
        assert_eq!(team.active(), [1, 3]);
        team.resize(3);
        assert_eq!(team.active(), [1, 3, 4], "4 is less slow than 2");
    }
}
