//! A Gaussian process over combinations: what measured times say of combinations that were measured little or not at all.
//!
//! `ln time = level of the run + bowl + f(combination) + noise`. The bowl says that ends of a range are seldom the best. `f` has Matern's covariance of smoothness 5/2 (Rasmussen and Williams 2006,
//! 4.17) over ordered axes, each scaled to 1 and linear or logarithmic, whichever explains the times better. Any two names
//! without an order are equally far apart. The scales of `f`, of each axis and of the noise are not known: answers are means over those of
//! greatest posterior density and those around them, weighted by it. The noise is Student's, as a mixture of normals: a time that lies far
//! off counts less.

use super::space::Space;
use crate::linear::{Factor, dot};

/// Standard deviation of the level of a run's logarithms: so large that the level is as good as unknown.
const LEVEL: f64 = 1.0;
/// Degrees of freedom of the noise: few, because iterations have outliers.
const FREEDOM: f64 = 4.0;
/// Scales are sought in steps of this factor, which is the standard deviation of their prior, too.
const STEP: f64 = 2.0;
/// So many steps around the scales of greatest density are taken into the mean: beyond them the prior alone makes them improbable.
const AROUND: i32 = 2;
/// What is less probable than this share of the most probable scales makes no difference to a mean.
const NEGLIGIBLE: f64 = 0.01;
/// Rounds of the search for the scales per measurement: it goes on from where the measurement before left it.
const ROUNDS: usize = 2;
/// Middle of the priors, from bench `search_regret`: standard deviation of `f`, ...
const SPREAD: f64 = 0.16;
/// ... its length on an axis that is scaled to 1 (the more axes, the longer: distances grow with their root), ...
const LENGTH: f64 = 0.4;
/// ... standard deviation of the noise, ...
const NOISE: f64 = 0.02;
/// ... and how much longer it takes at the ends of all axes than in the middle.
const BOWL: f64 = 0.2;

/// The measurements of one combination.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) values: Vec<f64>,
    /// Logarithms of the times.
    pub(super) logs: Vec<f64>,
    /// The run that measured them; each has a level of its own.
    pub(super) run: usize,
    /// How much one of them counts.
    pub(super) weight: f64,
}

/// Axes in one of the two scalings, and the scales that explain the times best so far.
#[derive(Clone, Debug)]
struct Scales {
    /// For each axis whether it has an order, and its ends.
    axes: Vec<(bool, f64, f64)>,
    logarithmic: bool,
    /// Steps from the middle of the priors: of the lengths, of the spread, of the noise.
    steps: Vec<i32>,
}

impl Scales {
    fn new(space: &Space, start: &[f64], logarithmic: bool) -> Scales {
        let axes = space.dimensions.iter().zip(start).map(|(dimension, start)| {
            let (least, most) = (dimension.values[0], dimension.values[dimension.values.len() - 1]);
            (!dimension.categorical, least.min(*start), most.max(*start))
        });
        Scales { axes: axes.collect(), logarithmic, steps: vec![0; start.len() + 2] }
    }

    fn scale(&self, middle: f64, k: usize) -> f64 {
        middle * STEP.powi(self.steps[k])
    }

    fn spread(&self) -> f64 {
        self.scale(SPREAD, self.axes.len())
    }

    fn noise(&self) -> f64 {
        self.scale(NOISE, self.axes.len() + 1)
    }

    /// Coordinates in units of the lengths; a name keeps its number.
    fn place(&self, values: &[f64]) -> Vec<f64> {
        let one = |(k, x): (usize, &f64)| {
            let (ordered, least, most) = self.axes[k];
            let scaled = match () {
                () if !ordered => return *x,
                () if most <= least => 0.0,
                () if self.logarithmic && least > 0.0 => (x / least).ln() / (most / least).ln(),
                () => (x - least) / (most - least),
            };
            scaled / self.length(k)
        };
        values.iter().enumerate().map(one).collect()
    }

    fn length(&self, k: usize) -> f64 {
        self.scale(LENGTH * (self.axes.len() as f64).sqrt(), k)
    }

    /// Squared distance of two places.
    fn square(&self, a: &[f64], b: &[f64]) -> f64 {
        let one = |(k, (a, b)): (usize, (&f64, &f64))| match self.axes[k].0 {
            true => (a - b).powi(2),
            false if a == b => 0.0,
            false => self.length(k).powi(-2),
        };
        a.iter().zip(b).enumerate().map(one).sum()
    }

    /// Covariance of `f` at two places.
    fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let r = (5.0 * self.square(a, b)).sqrt();
        self.spread().powi(2) * (1.0 + r + r * r / 3.0) * (-r).exp()
    }

    /// Share of the way from the middle of each ordered axis to its ends, squared: the shape of a bowl.
    fn bowl(&self, place: &[f64]) -> f64 {
        let one = |(k, x): (usize, &f64)| match self.axes[k].0 {
            true => (2.0 * x * self.length(k) - 1.0).powi(2),
            false => 0.0,
        };
        place.iter().enumerate().map(one).sum::<f64>() / self.axes.len() as f64
    }

    /// Logarithm of the prior density of the scales, up to a constant.
    fn prior(&self) -> f64 {
        -0.5 * self.steps.iter().map(|step| f64::from(step * step)).sum::<f64>()
    }
}

/// A combination's mean, and how much it counts.
#[derive(Clone, Debug)]
struct Mean {
    place: Vec<f64>,
    run: usize,
    /// Above the level of its run.
    log: f64,
    weight: f64,
}

/// Times with their weights.
#[derive(Clone, Debug)]
struct Weighted {
    sample: Sample,
    weights: Vec<f64>,
}

impl Weighted {
    fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    fn mean(&self) -> f64 {
        dot(&self.weights, &self.sample.logs) / self.weight()
    }

    fn squares(&self) -> f64 {
        let mean = self.mean();
        self.weights.iter().zip(&self.sample.logs).map(|(weight, log)| weight * (log - mean).powi(2)).sum()
    }
}

/// Means and covariances of `f` at some combinations.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    /// Logarithms of times.
    pub(super) means: Vec<f64>,
    pub(super) covariances: Vec<Vec<f64>>,
    /// Variance of one measurement beside that of `f`.
    pub(super) noise: f64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Process {
    /// Linear, and logarithmic.
    scalings: Vec<Scales>,
    best: usize,
    noise: f64,
}

/// The process given the measurements: what every question needs.
struct Fitted<'a> {
    scales: &'a Scales,
    means: Vec<Mean>,
    levels: Vec<f64>,
    factor: Factor,
    below: Vec<f64>,
}

impl Process {
    /// Nothing measured yet.
    pub(super) fn new(space: &Space, start: &[f64]) -> Process {
        Process { scalings: [false, true].map(|log| Scales::new(space, start, log)).to_vec(), best: 0, noise: NOISE }
    }

    /// Adapts the scales to the measurements, and says what these make expected at `places` in run 0.
    pub(super) fn posterior(&mut self, samples: &[Sample], places: &[Vec<f64>]) -> Option<Posterior> {
        let mut weighted: Vec<Weighted> = samples
            .iter()
            .map(|sample| Weighted { weights: vec![sample.weight; sample.logs.len()], sample: sample.clone() })
            .collect();
        self.adapt(&weighted);
        self.reweigh(&mut weighted);
        self.adapt(&weighted);
        let around = self.around(&weighted);
        let all: f64 = around.iter().map(|(weight, _)| weight).sum();
        let parts: Vec<(f64, Posterior)> = around
            .into_iter()
            .filter_map(|(weight, scales)| Some((weight / all, Fitted::of(&scales, &weighted)?.posterior(places))))
            .collect();
        self.noise = parts.iter().map(|(weight, part)| weight * part.noise).sum::<f64>().sqrt();
        (!parts.is_empty()).then(|| mixture(&parts))
    }

    /// Standard deviation of the noise, of logarithms.
    pub(super) fn noise(&self) -> f64 {
        self.noise
    }

    /// Squared distance of two combinations, in the lengths of `f` by the scales that explain the times best.
    pub(super) fn square_between(&self, a: &[f64], b: &[f64]) -> f64 {
        let scales = &self.scalings[self.best];
        scales.square(&scales.place(a), &scales.place(b))
    }

    /// The scales of greatest density of each scaling and those around them, with their densities relative to the greatest.
    fn around(&self, samples: &[Weighted]) -> Vec<(f64, Scales)> {
        let mut all: Vec<(f64, Scales)> = Vec::new();
        for scales in &self.scalings {
            all.push((density(scales, samples), scales.clone()));
            for k in 0..scales.steps.len() {
                for step in (-AROUND..=AROUND).filter(|step| *step != 0) {
                    let mut other = scales.clone();
                    other.steps[k] += step;
                    all.push((density(&other, samples), other));
                }
            }
        }
        let greatest = all.iter().map(|(density, _)| *density).fold(f64::NEG_INFINITY, f64::max);
        all.iter_mut().for_each(|(density, _)| *density = (*density - greatest).exp());
        all.retain(|(weight, _)| *weight > NEGLIGIBLE);
        all
    }

    fn adapt(&mut self, samples: &[Weighted]) {
        let densities: Vec<f64> = self.scalings.iter_mut().map(|scales| climb(scales, samples)).collect();
        self.best = usize::from(densities[1] > densities[0]);
    }

    /// What lies far from the mean of its combination counts less.
    fn reweigh(&self, samples: &mut [Weighted]) {
        let scales = &self.scalings[self.best];
        let places: Vec<Vec<f64>> = samples.iter().map(|weighted| weighted.sample.values.clone()).collect();
        let Some(fitted) = Fitted::of(scales, samples) else { return };
        let means = fitted.means_at(&places, samples);
        for (weighted, mean) in samples.iter_mut().zip(means) {
            let square = |log: &f64| ((log - mean) / scales.noise()).powi(2);
            let weight = |log: &f64| weighted.sample.weight * (FREEDOM + 1.0) / (FREEDOM + square(log));
            weighted.weights = weighted.sample.logs.iter().map(weight).collect();
        }
    }
}

/// Mean and covariance of a mixture of normal distributions.
fn mixture(parts: &[(f64, Posterior)]) -> Posterior {
    let count = parts[0].1.means.len();
    let mut means = vec![0.0; count];
    for (weight, part) in parts {
        means.iter_mut().zip(&part.means).for_each(|(mean, own)| *mean += weight * own);
    }
    let mut covariances = vec![vec![0.0; count]; count];
    for (weight, part) in parts {
        let off: Vec<f64> = part.means.iter().zip(&means).map(|(own, mean)| own - mean).collect();
        for (a, row) in covariances.iter_mut().enumerate() {
            for (b, covariance) in row.iter_mut().enumerate() {
                *covariance += weight * (part.covariances[a][b] + off[a] * off[b]);
            }
        }
    }
    let noise = parts.iter().map(|(weight, part)| weight * part.noise).sum();
    Posterior { means, covariances, noise }
}

/// Climbs to scales of greater density, step by step; their density.
fn climb(scales: &mut Scales, samples: &[Weighted]) -> f64 {
    let mut density = density(scales, samples);
    for _ in 0..ROUNDS {
        let before = density;
        for k in 0..scales.steps.len() {
            for step in [-1, 1] {
                let mut other = scales.clone();
                other.steps[k] += step;
                let its = self::density(&other, samples);
                if its > density {
                    (*scales, density) = (other, its);
                }
            }
        }
        if density <= before {
            break;
        }
    }
    density
}

/// Logarithm of the posterior density of the scales, up to a constant.
fn density(scales: &Scales, samples: &[Weighted]) -> f64 {
    let Some(fitted) = Fitted::of(scales, samples) else { return f64::NEG_INFINITY };
    let variance = scales.noise().powi(2);
    let repeats: f64 = samples.iter().map(|weighted| weighted.weights.len() as f64 - 1.0).sum();
    let squares: f64 = samples.iter().map(Weighted::squares).sum();
    let within = repeats * variance.ln() + squares / variance;
    scales.prior() - 0.5 * (dot(&fitted.below, &fitted.below) + fitted.factor.ln_determinant() + within)
}

impl Fitted<'_> {
    fn of<'a>(scales: &'a Scales, samples: &[Weighted]) -> Option<Fitted<'a>> {
        let runs = samples.iter().map(|weighted| weighted.sample.run).max()? + 1;
        let level = |run: usize| samples.iter().find(|weighted| weighted.sample.run == run).map_or(0.0, Weighted::mean);
        let levels: Vec<f64> = (0..runs).map(level).collect();
        let one = |weighted: &Weighted| Mean {
            place: scales.place(&weighted.sample.values),
            run: weighted.sample.run,
            log: weighted.mean()
                - levels[weighted.sample.run]
                - BOWL * scales.bowl(&scales.place(&weighted.sample.values)),
            weight: weighted.weight(),
        };
        let means: Vec<Mean> = samples.iter().map(one).collect();
        let rows = means.iter().enumerate().map(|(k, own)| {
            let mut row: Vec<f64> = means[..=k].iter().map(|other| with_level(scales, own, other)).collect();
            row[k] += scales.noise().powi(2) / own.weight;
            row
        });
        let factor = Factor::of(rows.collect())?;
        let below = factor.below(&means.iter().map(|mean| mean.log).collect::<Vec<f64>>());
        Some(Fitted { scales, means, levels, factor, below })
    }

    /// `L⁻¹` of the covariances with the measurements, for a place in run `run`.
    fn column(&self, place: &[f64], run: usize) -> Vec<f64> {
        let own = Mean { place: place.to_vec(), run, log: 0.0, weight: 1.0 };
        let covariances: Vec<f64> = self.means.iter().map(|other| with_level(self.scales, &own, other)).collect();
        self.factor.below(&covariances)
    }

    /// Means at the places of samples, each in its own run.
    fn means_at(&self, places: &[Vec<f64>], samples: &[Weighted]) -> Vec<f64> {
        let one = |(values, weighted): (&Vec<f64>, &Weighted)| {
            let run = weighted.sample.run;
            let place = self.scales.place(values);
            dot(&self.column(&place, run), &self.below) + self.levels[run] + BOWL * self.scales.bowl(&place)
        };
        places.iter().zip(samples).map(one).collect()
    }

    fn posterior(&self, values: &[Vec<f64>]) -> Posterior {
        let places: Vec<Vec<f64>> = values.iter().map(|values| self.scales.place(values)).collect();
        let columns: Vec<Vec<f64>> = places.iter().map(|place| self.column(place, 0)).collect();
        let one = |a: usize, b: usize| {
            LEVEL * LEVEL + self.scales.covariance(&places[a], &places[b]) - dot(&columns[a], &columns[b])
        };
        let level = self.levels.first().copied().unwrap_or(0.0);
        let mut covariances: Vec<Vec<f64>> = Vec::with_capacity(places.len());
        for a in 0..places.len() {
            let symmetric = covariances.iter().map(|row| row[a]);
            let row = symmetric.chain((a..places.len()).map(|b| one(a, b))).collect();
            covariances.push(row);
        }
        Posterior {
            means: columns
                .iter()
                .zip(&places)
                .map(|(column, place)| level + BOWL * self.scales.bowl(place) + dot(column, &self.below))
                .collect(),
            covariances,
            noise: self.scales.noise().powi(2),
        }
    }
}

/// Covariance with the level of the run, which both share where they are of one run.
fn with_level(scales: &Scales, a: &Mean, b: &Mean) -> f64 {
    let level = if a.run == b.run { LEVEL * LEVEL } else { 0.0 };
    level + scales.covariance(&a.place, &b.place)
}
