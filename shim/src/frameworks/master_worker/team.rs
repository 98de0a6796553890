//! The active workers of an iteration. The others are parked: they sleep, but can take part in the next iteration. Where the master
//! works, too, it is the last to join and the first to leave among equals.

use midrun_scheduling::WorkerSpeed;

/// A worker counts as slow when its cost per task exceeds the team's median by this factor.
const DISTINCT: f64 = 1.15;

/// The workers of one framework, by rank of its communicator.
#[derive(Debug)]
pub struct Team {
    master: usize,
    /// The master is one of the workers.
    master_works: bool,
    /// Ranks of the active workers, ascending.
    active: Vec<usize>,
    /// Position of each rank in `active`.
    position: Vec<Option<usize>>,
    /// Speed of each rank when it was last active.
    speeds: Vec<WorkerSpeed>,
    /// Ranks that died.
    lost: Vec<bool>,
    /// Waiting time per task of each rank, seconds: a distant worker computes fewer tasks at the same speed.
    waits_s: Vec<f64>,
    /// Mean and standard deviation of one task's time in the last iteration, seconds.
    pub moments: Option<(f64, f64)>,
}

impl Team {
    /// The first `count` workers of a communicator of `size` ranks; 0: all.
    pub fn new(size: usize, (master, master_works): (usize, bool), count: usize) -> Team {
        let (speeds, waits_s, position) = (vec![WorkerSpeed::default(); size], vec![0.0; size], vec![None; size]);
        let (lost, active) = (vec![false; size], Vec::new());
        let mut team = Team { master, master_works, active, position, speeds, lost, waits_s, moments: None };
        team.resize(if count == 0 { size } else { count });
        team
    }

    /// Workers that there are, active or parked.
    pub fn most(&self) -> usize {
        (0..self.position.len()).filter(|rank| self.is_worker(*rank)).count()
    }

    fn is_worker(&self, rank: usize) -> bool {
        rank < self.position.len() && (self.master_works || rank != self.master) && !self.lost[rank]
    }

    /// The worker `rank` died. If it was active, returns its position among the active workers, and whether no parked worker takes it.
    pub fn lose(&mut self, rank: usize) -> Option<(usize, bool)> {
        *self.lost.get_mut(rank)? = true;
        let position = self.position[rank].take()?;
        let heir = self.next_parked();
        if let Some(heir) = heir {
            self.active[position] = heir;
            self.position[heir] = Some(position);
        }
        Some((position, heir.is_none()))
    }

    /// After an iteration: the places of lost workers go, and those of workers that took such a place are in order.
    pub fn settle(&mut self) {
        self.active.retain(|rank| !self.lost[*rank]);
        self.active.sort_unstable();
        self.number();
    }

    /// Position of the master among the active workers.
    pub fn own(&self) -> Option<usize> {
        self.position(self.master)
    }

    /// Ranks of the active workers.
    pub fn active(&self) -> &[usize] {
        &self.active
    }

    /// Position of `rank` among the active workers.
    pub fn position(&self, rank: usize) -> Option<usize> {
        self.position.get(rank).copied().flatten()
    }

    /// Speeds of the active workers, in their order, as the start of an iteration.
    pub fn speeds(&self) -> Vec<WorkerSpeed> {
        self.active.iter().map(|rank| self.speeds[*rank].faded()).collect()
    }

    /// Stores the measured speeds of the active workers, in their order.
    pub fn remember(&mut self, speeds: &[WorkerSpeed]) {
        for (rank, speed) in self.active.iter().zip(speeds) {
            if speed.tasks > 0 {
                self.speeds[*rank] = *speed;
            }
        }
    }

    /// Stores the waiting times per task of the active workers, seconds; averaged with the previous ones, since one iteration may
    /// be an outlier.
    pub fn remember_waits(&mut self, waits_s: &[f64]) {
        for (rank, wait_s) in self.active.iter().zip(waits_s) {
            self.waits_s[*rank] = 0.5 * (self.waits_s[*rank] + wait_s);
        }
    }

    /// Compute and waiting time of `rank` per task, seconds.
    fn cost_s(&self, rank: usize) -> f64 {
        self.speeds[rank].mean_s + self.waits_s[rank]
    }

    /// Changes the number of active workers to `count`, at least one. The slowest or most distant worker leaves first, or the master,
    /// or the last one if none is slow. The first worker that is not known to be slow joins first, the master after the others.
    pub fn resize(&mut self, count: usize) {
        let count = count.clamp(1, self.most().max(1));
        while self.active.len() > count {
            let master = || self.active.iter().position(|rank| *rank == self.master);
            let at = self.slowest().or_else(master).unwrap_or(self.active.len() - 1);
            self.active.remove(at);
        }
        while self.active.len() < count {
            let Some(next) = self.next_parked() else { break };
            self.active.push(next);
        }
        self.active.sort_unstable();
        self.number();
    }

    /// The parked worker that joins next.
    fn next_parked(&self) -> Option<usize> {
        let parked = (0..self.position.len()).filter(|rank| self.is_worker(*rank) && !self.active.contains(rank));
        let typical_s = self.typical_s();
        let slow = |rank: &usize| typical_s.is_some_and(|typical| self.cost_s(*rank) > DISTINCT * typical);
        parked.min_by(|a, b| {
            let key = |rank: &usize| if slow(rank) { self.cost_s(*rank) } else { 0.0 };
            key(a).total_cmp(&key(b)).then((*a == self.master).cmp(&(*b == self.master))).then(a.cmp(b))
        })
    }

    /// Makes these ranks the active workers, given in ascending order, with the speeds that are known of them. If a rank is among
    /// them that is no worker here, all stays as it is.
    pub fn choose(&mut self, ranks: Vec<usize>, speeds: &[WorkerSpeed]) {
        if !ranks.is_empty() && ranks.iter().all(|rank| self.is_worker(*rank)) {
            self.active = ranks;
            self.number();
            self.remember(speeds);
        }
    }

    fn number(&mut self) {
        self.position.fill(None);
        for (position, rank) in self.active.iter().enumerate() {
            self.position[*rank] = Some(position);
        }
    }

    /// Adds a worker after the last rank; it is parked until the next [`Team::resize`].
    pub fn join(&mut self) {
        self.position.push(None);
        self.lost.push(false);
        self.speeds.push(WorkerSpeed::default());
        self.waits_s.push(0.0);
    }

    /// Median of the active workers' cost per task, seconds.
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
        WorkerSpeed::known(10, 2, mean_s, 0.0)
    }

    #[test]
    fn a_team_has_the_first_workers_and_never_the_master() {
        let mut team = Team::new(5, (2, false), 0);
        assert_eq!(team.active(), [0, 1, 3, 4]);
        team.resize(2);
        assert_eq!(team.active(), [0, 1]);
        assert_eq!(
            (team.position(1), team.position(3), team.position(2), team.position(99)),
            (Some(1), None, None, None)
        );
        team.resize(99);
        assert_eq!(team.active(), [0, 1, 3, 4]);
        team.resize(0);
        assert_eq!(team.active(), [0], "somebody has to work");
        assert_eq!(Team::new(5, (0, false), 3).active(), [1, 2, 3]);
    }

    #[test]
    fn a_master_that_works_joins_last_and_leaves_first() {
        let mut team = Team::new(4, (1, true), 0);
        assert_eq!((team.active(), team.own(), team.most()), ([0, 1, 2, 3].as_slice(), Some(1), 4));
        team.resize(3);
        assert_eq!((team.active(), team.own()), ([0, 2, 3].as_slice(), None));
        team.resize(1);
        team.resize(2);
        assert_eq!(team.active(), [0, 2]);
        team.resize(9);
        team.remember(&[speed(1.0), speed(1.0), speed(3.0), speed(1.0)]);
        team.resize(3);
        assert_eq!(team.active(), [0, 1, 3], "a slow one leaves before it");
        assert_eq!(Team::new(1, (0, true), 0).active(), [0], "alone");
    }

    #[test]
    fn a_team_of_an_earlier_run_is_chosen_by_rank() {
        let mut team = Team::new(5, (0, false), 0);
        team.choose(vec![2, 4], &[speed(1.0), speed(4.0)]);
        assert_eq!((team.active(), team.position(4), team.position(1)), ([2, 4].as_slice(), Some(1), None));
        assert_eq!(team.speeds(), [speed(1.0).faded(), speed(4.0).faded()]);
        for others in [vec![], vec![0, 1], vec![1, 9]] {
            team.choose(others, &[]);
            assert_eq!(team.active(), [2, 4], "they are not all workers here");
        }
        team.resize(3);
        assert_eq!(team.active(), [1, 2, 4]);
    }

    #[test]
    fn a_worker_that_joins_is_parked_until_the_team_grows() {
        let mut team = Team::new(3, (0, false), 0);
        team.join();
        assert_eq!(team.active(), [1, 2]);
        team.resize(9);
        assert_eq!((team.active(), team.position(3)), ([1, 2, 3].as_slice(), Some(2)));
    }

    #[test]
    fn a_parked_worker_takes_the_place_of_one_that_died() {
        let mut team = Team::new(5, (0, false), 2);
        assert_eq!(team.lose(2), Some((1, false)));
        assert_eq!((team.active(), team.position(3), team.position(2)), ([1, 3].as_slice(), Some(1), None));
        assert_eq!((team.lose(4), team.most()), (None, 2), "it was parked");
        assert_eq!(team.lose(1), Some((0, true)), "nobody is left to take its place");
        assert_eq!(team.active(), [1, 3], "positions stay until the iteration is over");
        team.settle();
        assert_eq!((team.active(), team.position(3), team.most()), ([3].as_slice(), Some(0), 1));
        team.resize(9);
        assert_eq!(team.active(), [3]);
        assert_eq!(team.lose(3), Some((0, true)));
        team.settle();
        team.resize(9);
        assert!(team.active().is_empty() && team.lose(99).is_none());
    }

    #[test]
    fn the_far_leave_first_too() {
        let mut team = Team::new(5, (0, false), 0);
        team.remember(&[speed(1.0); 4]);
        team.remember_waits(&[0.1, 0.1, 1.0, 0.1]);
        team.resize(3);
        assert_eq!(team.active(), [1, 2, 4], "rank 3 waits for its messages half as long as it computes");
        team.resize(4);
        assert_eq!(team.active(), [1, 2, 3, 4]);
    }

    #[test]
    fn the_slow_leave_first_and_come_last() {
        let mut team = Team::new(5, (0, false), 0);
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
