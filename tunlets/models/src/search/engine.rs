//! The search loop: which combination is measured next, when the search is over, and which is the best.

use std::collections::BTreeSet;

use super::candidates;
use super::check::Check;
use super::gradient;
use super::observations::{Candidate, Observations, REPEATS, error_of_difference};
use super::process::{Posterior, Process, Sample};
use super::space::{Point, Space};
use crate::chance::normal_quantile;
use crate::random::Random;

/// A time of an earlier run counts as this share of one of this run: what was learnt before a change is kept, but counts less.
const REMEMBERED: f64 = 0.25;
/// Numbers of measurements in succession among which the most valuable is sought: one alone says little where times scatter.
const IN_SUCCESSION: [f64; 3] = [1.0, 2.0, 4.0];
/// A space of so many combinations is measured as a whole, and no search may take fewer measurements.
pub const WHOLE: u64 = 12;
/// Iterations that a change takes, as long as none was seen: the one in which it is on its way.
const FLIGHT: f64 = 1.0;

/// Budget, seed and end of a search.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Measurements it may take.
    pub budget: usize,
    /// The same seed and the same times give the same search.
    pub seed: u64,
    /// Confidence level: the search ends where going on gains less than `1 - level` of an iteration.
    pub level: f64,
}

/// What an earlier search measured: values, and their time in seconds; without one they are only tried first.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Values of the dimensions.
    pub values: Vec<f64>,
    /// Time, seconds.
    pub time_s: Option<f64>,
}

/// A combination to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Values of the dimensions.
    pub values: Vec<f64>,
    /// True for the start values.
    pub start: bool,
    /// These are measured again, before others are taken for better.
    pub again: bool,
    /// What is expected of the measurement; `None` before the first one.
    pub expected: Option<Expected>,
    /// What measuring it, and setting the best then, is expected to save in the iterations to come against staying with the values that were
    /// measured last, seconds; `None` where it is not chosen for that.
    pub worth_s: Option<f64>,
}

/// What is expected of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Time, seconds.
    pub time_s: f64,
    /// Standard deviation of its logarithm.
    pub deviation: f64,
}

/// The best combination at the end, or so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Values of the dimensions.
    pub values: Vec<f64>,
    /// True for the start values.
    pub start: bool,
    /// Median of the measured times, seconds.
    pub time_s: f64,
}

/// A search. [`Search::ask`], measure, [`Search::tell`], until nothing is asked for.
#[derive(Clone, Debug)]
pub struct Search {
    space: Space,
    start: Vec<f64>,
    process: Process,
    random: Random,
    earlier: Vec<Sample>,
    /// Combinations that an earlier search found good, still to be tried.
    first: Vec<Point>,
    seen: Observations,
    /// Combinations with which the program failed: never again.
    failed: BTreeSet<Candidate>,
    asked: Option<(Candidate, Ask)>,
    /// See [`Search::limit_s`].
    limit_s: Option<f64>,
    /// The best so far, once something was measured.
    winner: Option<Candidate>,
    over: Option<Candidate>,
    /// The values at start are measured again, before others are taken for better.
    check: Option<Check>,
    /// They were: the best are measured last.
    is_checked: bool,
    present: Candidate,
    flight: f64,
    spent: usize,
    /// Measurements one after the other that were worth less than `1 - level` of an iteration.
    in_vain: usize,
    plan: Plan,
}

impl Search {
    /// From the values `start`, which need not be in the space; `known` is what an earlier search measured, the best first.
    pub fn new(space: Space, start: Vec<f64>, known: &[Known], plan: Plan) -> Search {
        let allowed = |known: &&Known| space.exactly(&known.values).is_some();
        let sample = |known: &Known| {
            let time_s = known.time_s.filter(|time_s| time_s.is_finite() && *time_s > 0.0)?;
            Some(Sample { values: known.values.clone(), logs: vec![time_s.ln()], run: 1, weight: REMEMBERED })
        };
        let earlier: Vec<Sample> = known.iter().filter(allowed).filter_map(sample).collect();
        let untimed = known.iter().filter(|known| known.time_s.is_none());
        let first: Vec<Point> = untimed.filter_map(|known| space.exactly(&known.values)).take(1).collect();
        Search {
            process: Process::new(&space, &start),
            random: Random::new(plan.seed),
            earlier,
            first,
            seen: Observations::default(),
            failed: BTreeSet::new(),
            asked: None,
            limit_s: None,
            winner: None,
            over: None,
            check: None,
            is_checked: false,
            present: None,
            flight: FLIGHT,
            spent: 0,
            in_vain: 0,
            plan: Plan { budget: plan.budget.max(1), ..plan },
            space,
            start,
        }
    }

    /// The search space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Measurements so far.
    pub fn spent(&self) -> usize {
        self.spent
    }

    /// Measurements it may take.
    pub fn budget(&self) -> usize {
        self.plan.budget
    }

    /// True once the search is over.
    pub fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Takes in that a change took so many iterations until it was in force.
    pub fn took(&mut self, iterations: f64) {
        self.flight = iterations;
    }

    /// The next combination to measure; the same one until its time is reported. `None`: the search is over.
    pub fn ask(&mut self) -> Option<Ask> {
        if self.over.is_none() && self.asked.is_none() {
            self.choose();
        }
        self.asked.as_ref().map(|(_, ask)| ask.clone())
    }

    /// Reports the time of the combination asked for, seconds. One with a time that is not finite and positive is not asked for again.
    pub fn tell(&mut self, time_s: f64) {
        let Some((candidate, _)) = self.asked.take() else { return };
        self.spent += 1;
        match time_s.is_finite() && time_s > 0.0 {
            true => self.note(&candidate, time_s),
            false => drop(self.failed.insert(candidate.clone())),
        }
        self.present = candidate;
    }

    /// Time from which on the combination asked for is surely worse than the best so far, seconds: it need not be measured to its end.
    /// `None` where it is the best, or nothing is known of it.
    pub fn limit_s(&self) -> Option<f64> {
        self.asked.as_ref().and(self.limit_s)
    }

    /// The same of a measurement that was left once so much had passed of it, because it is surely worse than the best.
    pub fn tell_left(&mut self, time_s: f64) {
        self.tell(time_s);
        self.check.iter_mut().filter(|_| self.present.is_none()).for_each(Check::on_left);
    }

    /// Reports that the time reported last was only what had passed of it: the whole was this, seconds.
    pub fn tell_whole(&mut self, time_s: f64) {
        if time_s.is_finite() && time_s > 0.0 {
            match self.check.as_mut().filter(|_| self.present.is_none()) {
                Some(check) => check.correct(time_s),
                None => self.seen.correct(&self.present, time_s),
            }
        }
    }

    /// Reports one more time of the combination that was measured last, seconds: the change to the next was on its way.
    pub fn tell_again(&mut self, time_s: f64) {
        if time_s.is_finite() && time_s > 0.0 && self.seen.median_s(&self.present).is_some() {
            self.note(&self.present.clone(), time_s);
        }
    }

    /// A time of the start, where that is measured again, is kept apart from those at first.
    fn note(&mut self, candidate: &Candidate, time_s: f64) {
        match self.check.as_mut().filter(|_| candidate.is_none()) {
            Some(check) => check.add(time_s),
            None => self.seen.add(candidate, time_s),
        }
    }

    /// The combination of least expected time of those measured. `None`: nothing was measured.
    pub fn best(&self) -> Option<Best> {
        let candidate = self.over.clone().or_else(|| self.winner.clone())?;
        let time_s = self.seen.median_s(&candidate)?;
        Some(Best { values: self.values(&candidate), start: candidate.is_none(), time_s })
    }

    /// Whether the best values are better than those at start, at the level: by more than iterations scatter, and by more than values
    /// that were measured again after others differ from themselves.
    pub fn is_sure(&self) -> bool {
        let Some(best) = self.over.as_ref().or(self.winner.as_ref()) else { return false };
        let times = self.seen.median_s(best).zip(self.start_s());
        let exceeds_noise = times.is_some_and(|(best_s, start_s)| {
            let error = error_of_difference(self.noise(), self.seen.count(best), self.seen.count(&None));
            (start_s / best_s).ln() > normal_quantile(self.plan.level) * error
        });
        exceeds_noise && self.seen.is_slower(&None, best, self.plan.level).unwrap_or(true)
    }

    /// The best values where that is sure, else those at start.
    pub fn sure(&self) -> Vec<f64> {
        let best = self.best().filter(|_| self.is_sure());
        best.map_or_else(|| self.start.clone(), |best| best.values)
    }

    /// The values that were measured last.
    pub fn present(&self) -> Vec<f64> {
        self.values(&self.present)
    }

    /// Median of the times with the values that were measured last, seconds.
    pub fn present_s(&self) -> Option<f64> {
        self.seen.median_s(&self.present)
    }

    /// Median of the times with the values at start, seconds.
    pub fn start_s(&self) -> Option<f64> {
        self.seen.median_s(&None)
    }

    /// The combinations of the space that were measured, best first: values, median in seconds, number of measurements.
    pub fn ranking(&self) -> Vec<(Vec<f64>, f64, usize)> {
        let measured = self.seen.ranking().into_iter();
        let start = self.space.exactly(&self.start);
        let of_space = |(candidate, time_s, count): (Candidate, f64, usize)| {
            Some((self.space.values(&candidate.or(start.clone())?), time_s, count))
        };
        measured.filter_map(of_space).collect()
    }

    /// Standard deviation of the logarithm of a time.
    pub fn noise(&self) -> f64 {
        self.process.noise()
    }

    fn values(&self, candidate: &Candidate) -> Vec<f64> {
        candidate.as_ref().map_or_else(|| self.start.clone(), |point| self.space.values(point))
    }

    fn samples(&self) -> Vec<Sample> {
        let own = self.seen.all().into_iter().map(|(candidate, times)| Sample {
            values: self.values(candidate),
            logs: times.iter().map(|time| time.ln()).collect(),
            run: 0,
            weight: 1.0,
        });
        own.chain(self.earlier.iter().cloned()).collect()
    }

    /// Of the measured candidates the one of least expected time.
    fn expected<'a>(&self, candidates: &'a [Candidate], posterior: &Posterior) -> Option<&'a Candidate> {
        let measured =
            candidates.iter().zip(&posterior.means).filter(|(candidate, _)| self.seen.median_s(candidate).is_some());
        measured.min_by(|a, b| a.1.total_cmp(b.1)).map(|(best, _)| best)
    }

    /// The candidate of least expected time, if it measured better than the start; else the start.
    fn winner(&self, candidates: &[Candidate], posterior: &Posterior) -> Option<Candidate> {
        let best = self.expected(candidates, posterior)?;
        let start_s = self.start_s().unwrap_or(f64::INFINITY);
        let better = best.is_none() || self.seen.median_s(best)? < start_s;
        Some(if better { best.clone() } else { None })
    }

    /// The start, where it would win by fewer measurements than the candidate of least expected time has: of iterations whose work differs, one
    /// may have been light.
    fn doubted(&self, candidates: &[Candidate], posterior: &Posterior) -> Option<usize> {
        let best = self.expected(candidates, posterior).filter(|_| self.winner == Some(None))?;
        let is_start = |candidate: &Candidate| candidate.is_none();
        candidates.iter().position(is_start).filter(|_| self.seen.count(&None) < self.seen.count(best))
    }

    fn choose(&mut self) {
        if self.spent == 0 {
            self.limit_s = None;
            self.ask_for(None, None, None);
            return;
        }
        if self.check.is_some() || self.is_checked {
            return self.conclude();
        }
        let candidates = self.candidates();
        let places: Vec<Vec<f64>> = candidates.iter().map(|candidate| self.values(candidate)).collect();
        let posterior = self.process.posterior(&self.samples(), &places);
        self.winner = posterior.as_ref().and_then(|posterior| self.winner(&candidates, posterior));
        let next = match &posterior {
            // The start is checked, and the best comes last.
            _ if self.spent + if self.winner == Some(None) { 0 } else { 2 } >= self.plan.budget => None,
            // Not one sound time yet: anything else may have one.
            None => (!candidates.is_empty()).then(|| (self.random.below(candidates.len()), None)),
            Some(posterior) => {
                let first =
                    self.first.pop().and_then(|own| candidates.iter().position(|other| other.as_ref() == Some(&own)));
                let next = first.map(|at| (at, None)).or_else(|| self.most_valuable(&candidates, posterior));
                let next = next.or_else(|| {
                    let at = self.untried(&candidates, posterior)?;
                    self.in_vain = 0; // the best comes last
                    Some((at, None))
                });
                next.or_else(|| Some((self.doubted(&candidates, posterior)?, None)))
            }
        };
        let Some((at, worth_s)) = next else {
            return self.conclude();
        };
        let best = self.winner.as_ref().and_then(|winner| candidates.iter().position(|other| other == winner));
        self.limit_s = posterior.as_ref().zip(best).and_then(|(posterior, best)| self.limit(posterior, at, best));
        let expected = posterior.map(|posterior| Expected {
            time_s: posterior.means[at].exp(),
            deviation: (posterior.covariances[at][at] + posterior.noise).max(0.0).sqrt(),
        });
        self.ask_for(candidates[at].clone(), expected, worth_s);
    }

    /// Nothing is to be learnt any more. Where other values seem better than those at start, these are measured again first: they were measured when
    /// the run was young, and the program may have become faster by itself since.
    fn conclude(&mut self) {
        let (winner, noise) = (self.winner.clone().flatten(), self.process.noise());
        let (first, better) = (self.seen.newest(&None, self.spent), self.seen.newest(&winner, REPEATS));
        if winner.is_some() && !first.is_empty() && !self.is_checked && self.spent + 1 < self.plan.budget {
            let check = self.check.get_or_insert_with(|| Check::new(&first, &better, self.plan.level));
            if !check.is_done(noise) {
                self.limit_s = Some(check.limit_s(noise));
                let (time_s, deviation) = check.expected(noise);
                return self.ask_for(None, Some(Expected { time_s, deviation }), None);
            }
        }
        // As far as the budget goes.
        if let Some(check) = self.check.take().filter(|check| !check.is_empty()) {
            // What was measured before the program became another says nothing of the present one.
            if check.has_drifted(noise) {
                self.seen.keep_newest(&None, 0);
                self.seen.keep_newest(&winner, REPEATS);
                self.winner = self.winner.take().filter(|_| check.is_worse(noise)).or(Some(None));
            }
            check.again().into_iter().for_each(|time_s| self.seen.add(&None, time_s));
            self.is_checked = true;
        }
        let winner = self.winner.clone().unwrap_or(None);
        if self.is_checked && self.present != winner && self.spent < self.plan.budget {
            let expected = self.seen.median_s(&winner).map(|time_s| Expected { time_s, deviation: noise });
            self.limit_s = None;
            return self.ask_for(winner, expected, None);
        }
        self.over = Some(winner);
    }

    /// Of a space so small that any search may measure it as a whole, the best of those that were not measured, and with which the program more likely
    /// does not fail: how values lie between others is only likely.
    fn untried(&self, candidates: &[Candidate], posterior: &Posterior) -> Option<usize> {
        let is_untried = |at: &usize| {
            self.seen.median_s(&candidates[*at]).is_none() && !self.is_of_earlier(&self.values(&candidates[*at]))
        };
        let untried = (0..candidates.len()).filter(|_| self.space.size() <= WHOLE).filter(is_untried);
        let untried = untried.filter(|at| self.soundness(&candidates[*at]) >= 0.5);
        untried.min_by(|a, b| posterior.means[*a].total_cmp(&posterior.means[*b]))
    }

    /// The time, seconds, that candidate `at` measures if the one at `best` is then better at the level: what is expected of the difference
    /// of the two, given that one measurement.
    fn limit(&self, posterior: &Posterior, at: usize, best: usize) -> Option<f64> {
        let covariance = |a: usize, b: usize| posterior.covariances[a][b];
        // What a measurement says of the difference, as a share of by how much it surprises.
        let own = covariance(at, at) - covariance(at, best);
        let share = own / (covariance(at, at) + posterior.noise);
        if share.is_nan() || share <= 0.0 {
            return None;
        }
        let left = (covariance(at, at) + covariance(best, best) - 2.0 * covariance(at, best) - share * own).max(0.0);
        let difference = posterior.means[at] - posterior.means[best];
        let log = posterior.means[at] + (normal_quantile(self.plan.level) * left.sqrt() - difference) / share;
        // What is no longer than the best is expected to be is not worse.
        Some(log.max(posterior.means[best]).exp())
    }

    fn ask_for(&mut self, candidate: Candidate, expected: Option<Expected>, worth_s: Option<f64>) {
        let (values, start, again) = (self.values(&candidate), candidate.is_none(), self.check.is_some());
        let ask = Ask { values, start, again, expected, worth_s };
        self.asked = Some((candidate, ask));
    }

    fn candidates(&mut self) -> Vec<Candidate> {
        let of_earlier = self.earlier.iter().filter_map(|sample| self.space.exactly(&sample.values));
        let measured = self.seen.ranking().into_iter().filter_map(|(candidate, ..)| candidate);
        let measured: Vec<Point> = measured.chain(of_earlier).chain(self.first.iter().cloned()).collect();
        let near = self.space.nearest(&self.start);
        let points = candidates::choose(&self.space, &near, &measured, &mut self.random);
        // The values at start may be among them, and are one combination all the same.
        let start = self.space.exactly(&self.start);
        let others = points.into_iter().map(Some).filter(|point| point.is_none() || *point != start);
        others.chain([None]).filter(|candidate| !self.failed.contains(candidate)).collect()
    }

    /// Whether an earlier run measured these values.
    fn is_of_earlier(&self, values: &[f64]) -> bool {
        self.earlier.iter().any(|sample| sample.values == values)
    }

    /// How likely the program does not fail with this combination: the share of those with which it did not, each counting by the inverse square of
    /// its distance (Shepard 1968). Where it never failed, 1.
    fn soundness(&self, candidate: &Candidate) -> f64 {
        let place = self.values(candidate);
        if self.failed.is_empty() || self.seen.median_s(candidate).is_some() || self.is_of_earlier(&place) {
            return 1.0;
        }
        let weight = |tried: &Candidate| 1.0 / self.process.square_between(&self.values(tried), &place);
        let of_earlier = self.earlier.iter().map(|sample| 1.0 / self.process.square_between(&sample.values, &place));
        let sound: f64 = self.seen.all().into_keys().map(weight).chain(of_earlier).sum();
        let failed: f64 = self.failed.iter().map(weight).sum();
        sound / (sound + failed)
    }

    /// The candidate whose measurement is worth most: what it is expected to save in the iterations to come, less what it is expected to
    /// cost itself; and what it saves against staying with the values that were measured last, seconds. `None`: what is still to be learnt is
    /// not worth an iteration's `1 - level`, when the best is worth most or several times one after the other.
    fn most_valuable(&mut self, candidates: &[Candidate], posterior: &Posterior) -> Option<(usize, Option<f64>)> {
        // As many iterations are to come as the search may still take, or as many as were seen so far (Lindy's rule).
        let left = (self.plan.budget - self.spent).max(self.spent) as f64;
        let least = posterior.means.iter().copied().fold(f64::INFINITY, f64::min);
        let mut best: Option<(usize, f64, f64)> = None;
        for (at, candidate) in candidates.iter().enumerate() {
            let covariances = &posterior.covariances[at];
            let loss = (posterior.means[at] - least).exp_m1();
            let present = *candidate == self.present;
            let sound = self.soundness(candidate);
            for count in IN_SUCCESSION {
                let scale = (covariances[at].max(0.0) + posterior.noise / count).sqrt();
                let slopes: Vec<f64> = covariances.iter().map(|covariance| covariance / scale).collect();
                let gain = sound * left * gradient::gain(&posterior.means, &slopes);
                // The iteration in which the next change is on its way is lost, too; one that is left now is left in any case.
                let iterations = if present { count } else { count + self.flight };
                // One that fails is lost as a whole, and not repeated.
                let value = gain - sound * iterations * loss - (1.0 - sound) * (1.0 + self.flight);
                if best.is_none_or(|(_, most, _)| value > most) {
                    best = Some((at, value, gain));
                }
            }
        }
        let (at, value, gain) = best?;
        let present = candidates.iter().position(|candidate| *candidate == self.present);
        let stays = present.map(|present| left * (posterior.means[present] - least).exp_m1());
        let worth_s = stays.map(|stays| (stays + value) * least.exp());
        if gain > 1.0 - self.plan.level {
            self.in_vain = 0;
            return Some((at, worth_s));
        }
        self.in_vain += 1;
        // Only repeats tell noise from what the values do. Where all values do nearly the same, each is free, and none is repeated.
        let is_best = candidates[at] == self.present && posterior.means[at] <= least;
        let ends = (is_best && self.seen.count(&self.present) >= REPEATS) || self.in_vain > REPEATS;
        (!ends).then_some((at, worth_s))
    }
}
