//! Regret of a search over 60 iterations on surfaces that are drawn anew at each run, beside the simplex of Nelder and Mead (1965), as
//! Active Harmony uses it, on the same surfaces from the same values at start.
//!
//! The regret of an iteration is its true time over the least one, less 1, without the noise. A change that is decided after
//! iteration i is in force from i + 2 on, for both: the iteration between runs with the values before. Values that the search leaves
//! while an iteration runs with them are replaced where the next one begins.

#![forbid(unsafe_code)]

use std::f64::consts::PI;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Parser;
use midrun_benches::{lasting::Disturbance, simplex::Simplex, spread};
use midrun_models::random::Random;
use midrun_tunlets::{Observation, Proposal, SearchOptions, Settled, TuningOptions, TuningPoint, Window, catalogue};

/// Searches of surfaces that nobody tuned them for.
#[derive(Parser)]
struct Arguments {
    /// Surfaces of each kind.
    #[arg(long, default_value_t = 50)]
    surfaces: u64,
    /// Iterations of a run.
    #[arg(long, default_value_t = 60)]
    iterations: usize,
    /// First seed; the default is drawn from the clock and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// Only kinds whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// Measures each value to the end of its iteration.
    #[arg(long)]
    whole: bool,
    /// Prints the values of each iteration.
    #[arg(long)]
    verbose: bool,
}

/// Iteration from which on a search should have found good values.
const FOUND: usize = 15;
/// Longest time from when an iteration is too long until the analyzer sees it, seconds: between two looks at its clock.
const LOOK_S: f64 = 0.025;
/// Values of each parameter: 1 to this.
const VALUES: f64 = 64.0;

/// Names of a parameter that has no order.
const NAMES: usize = 4;

/// What is searched: time in seconds by the values, 1 to [`VALUES`] each.
struct Surface {
    axes: usize,
    /// Factor of the time with each name of the last parameter, which has no order; none where all have one.
    names: Vec<f64>,
    best: Vec<f64>,
    /// Logarithm of the time at the far end over the least one.
    height: f64,
    /// How much steeper it is below the best value than above it.
    lean: f64,
    /// Values are logarithmic: twice as much is a step.
    logarithmic: bool,
    /// Share of the second parameter by which the best value of the first moves.
    tilt: f64,
    /// Steps of equal times; 0: none.
    steps: f64,
    noise: f64,
    /// Share of iterations that are disturbed, and take up to twice as long.
    disturbed: f64,
    /// Standard deviation of the logarithm of a disturbance that lasts: it decays by 1 / [`LASTS`] in each iteration.
    lasting: f64,
    /// From which share of the run on the machine is another, and the factor of its times.
    later: Option<(f64, f64)>,
    /// Where the second valley lies on the first axis, its half width, and its depth as a share of the time.
    valley: Option<(f64, f64, f64)>,
    /// From which share of the first axis on it takes how much longer, as a share of the time.
    cliff: Option<(f64, f64)>,
    /// Iterations are of this surface and of these in turns, whose times are so many times as long.
    others: Vec<(f64, Surface)>,
}

const KINDS: [&str; 14] = [
    "smooth",
    "noisy",
    "very noisy",
    "stepped",
    "two parameters",
    "two and a name",
    "slow in a row",
    "another load",
    "two valleys",
    "a cliff",
    "no effect",
    "nothing but noise",
    "two kinds",
    "three kinds",
];
/// Iterations for which a disturbance lasts that is no noise of each one: another job on the same node, a clock that slows down.
const LASTS: f64 = 10.0;

impl Surface {
    fn drawn(kind: &str, random: &mut Random) -> Surface {
        let axes = if ["two parameters", "two and a name"].contains(&kind) { 2 } else { 1 };
        let names = if kind == "two and a name" { NAMES } else { 0 };
        Surface {
            axes,
            names: (0..names).map(|_| 1.0 + 0.5 * random.uniform()).collect(),
            best: (0..axes).map(|_| random.uniform()).collect(),
            height: if ["no effect", "nothing but noise", "a cliff"].contains(&kind) {
                0.0
            } else {
                (0.1 * (15.0 * random.uniform()).max(1.0)).ln_1p()
            },
            lean: (random.normal() * 0.5).exp(),
            logarithmic: random.uniform() < 0.5,
            tilt: if axes == 2 { random.uniform() - 0.5 } else { 0.0 },
            steps: if kind == "stepped" { (4.0 + 5.0 * random.uniform()).floor() } else { 0.0 },
            noise: match kind {
                "noisy" => 0.08,
                "very noisy" => 0.4,
                "nothing but noise" => 0.3,
                _ => 0.01,
            },
            disturbed: if kind == "noisy" { 0.05 } else { 0.0 },
            lasting: if ["slow in a row", "no effect"].contains(&kind) { 0.08 } else { 0.0 },
            later: (kind == "another load").then(|| (random.uniform(), (0.5 * random.normal()).exp())),
            valley: (kind == "two valleys")
                .then(|| (random.uniform(), 0.05 + 0.1 * random.uniform(), 0.2 + 0.4 * random.uniform())),
            cliff: (kind == "a cliff").then(|| (random.uniform(), random.uniform() - 0.5)),
            others: {
                let others = match kind {
                    "two kinds" => 1,
                    "three kinds" => 2,
                    _ => 0,
                };
                let other = |_| ((0.7 * random.normal()).exp(), Surface::drawn("smooth", random));
                (0..others).map(other).collect()
            },
        }
    }

    /// Mean over the kinds of iterations.
    fn true_s(&self, values: &[f64]) -> f64 {
        let kinds = 1 + self.others.len();
        (0..kinds).map(|kind| self.kind_s(values, kind)).sum::<f64>() / kinds as f64
    }

    fn kind_s(&self, values: &[f64], iteration: usize) -> f64 {
        match iteration % (1 + self.others.len()) {
            0 => self.own_s(values),
            other => self.others[other - 1].0 * self.others[other - 1].1.own_s(values),
        }
    }

    fn own_s(&self, values: &[f64]) -> f64 {
        let scaled = |x: f64| if self.logarithmic { x.ln() / VALUES.ln() } else { (x - 1.0) / (VALUES - 1.0) };
        let place: Vec<f64> = values[..self.axes].iter().map(|x| scaled(*x)).collect();
        let mut sum = 0.0;
        for (k, x) in place.iter().enumerate() {
            let moved = if k == 0 { self.tilt * (place[self.axes - 1] - 0.5) } else { 0.0 };
            let mut off = x - self.best[k] - moved;
            if off < 0.0 {
                off *= self.lean;
            }
            if self.steps > 0.0 {
                off = (off * self.steps).round() / self.steps;
            }
            // A valley that is round at its bottom and steep at its sides.
            sum += (1.0 - (PI * off.clamp(-1.0, 1.0)).cos()) / 2.0;
        }
        let valley = |(middle, half, depth): (f64, f64, f64)| depth * (-((place[0] - middle) / half).powi(2)).exp();
        let name = values.get(self.axes).map_or(1.0, |name| self.names[*name as usize - 1]);
        let cliff = self.cliff.filter(|(from, _)| place[0] >= *from).map_or(0.0, |(_, by)| by);
        name * 0.1
            * (self.height * sum / self.axes as f64).exp()
            * (1.0 - self.valley.map_or(0.0, valley))
            * (1.0 + cliff)
    }

    /// What the machine adds to the times of so many iterations, as factors.
    fn disturbances(&self, iterations: usize, random: &mut Random) -> Vec<f64> {
        let mut lasting = Disturbance::drawn(self.lasting, LASTS, random);
        let one = |iteration: usize| {
            let is_later = |(share, _): &(f64, f64)| iteration as f64 > share * iterations as f64;
            let load = self.later.filter(is_later).map_or(1.0, |(_, factor)| factor);
            let disturbed = if random.uniform() < self.disturbed { 1.0 + random.uniform() } else { 1.0 };
            lasting.advance(random);
            (self.noise * random.normal() + lasting.now).exp() * disturbed * load
        };
        (0..iterations).map(one).collect()
    }

    fn least_s(&self) -> f64 {
        let values: Vec<f64> = (1..=VALUES as u32).map(f64::from).collect();
        let all = values.iter().flat_map(|a| values.iter().map(move |b| [*a, *b]));
        let name = self.names.iter().copied().reduce(f64::min).unwrap_or(1.0);
        name * all.map(|both| self.true_s(&both[..self.axes])).fold(f64::INFINITY, f64::min)
    }
}

/// A run: the values of each iteration, and the longest decision.
struct Run {
    values: Vec<Vec<f64>>,
    /// The best values of those measured by iteration [`FOUND`].
    found: Vec<f64>,
    decision_s: f64,
    /// Iterations that were left while they ran.
    left: usize,
    /// What it says in the end: the logarithm of the time at start over the best one, if it says that the difference is sure.
    claim: Option<f64>,
    /// It ends at values that measured no better than those at start.
    worse: bool,
}

fn searched(surface: &Surface, start: &[f64], disturbances: &[f64], prunes: bool) -> Result<Run> {
    let mut points: Vec<String> = (0..surface.axes).map(|k| format!("x{k}=1..{VALUES}")).collect();
    if !surface.names.is_empty() {
        points.push(format!("x{}=1..{NAMES} categorical", surface.axes));
    }
    let search = SearchOptions { points: points.join("; "), ..SearchOptions::default() };
    let options = TuningOptions { tunlet: "search".into(), search, ..TuningOptions::default() };
    let mut tunlet = catalogue::create(&options)?;
    let (mut now, mut asked, mut sent) = (start.to_vec(), None::<Vec<f64>>, None::<Vec<f64>>);
    let (mut values, mut found, mut decision_s, mut decision) = (Vec::new(), start.to_vec(), 0.0_f64, 0);
    let mut left = 0;
    for (iteration, disturbance) in (0..).zip(disturbances) {
        if let Some(new) = sent.take() {
            now = new;
            tunlet.on_settled(decision, Settled::Applied { iteration });
            decision += 1;
        }
        sent = asked.take();
        let time_s = surface.kind_s(&now, iteration as usize) * disturbance;
        values.push(now.clone());
        let begin = Instant::now();
        let proposed = |proposal: Proposal, now: &[f64]| {
            let mut new = now.to_vec();
            for (name, value) in &proposal.assignments {
                new[name[1..].parse::<usize>().expect("points are called x0, x1 …")] =
                    value.number().unwrap_or(f64::NAN);
            }
            new
        };
        let longest_s =
            tunlet.longest().filter(|(running, _)| *running == iteration && prunes).map(|(_, s)| s + LOOK_S);
        if let Some(elapsed_s) = longest_s.filter(|elapsed_s| sent.is_none() && *elapsed_s < time_s) {
            tunlet.observe(Observation::Running { iteration, elapsed_s });
            sent = tunlet.propose(&tuning_points(&now)).map(|proposal| proposed(proposal, &now));
            left += usize::from(sent.is_some());
        }
        tunlet.observe(Observation::Iteration(&Window::of_time(iteration, time_s)));
        if sent.is_none() {
            asked = tunlet.propose(&tuning_points(&now)).map(|proposal| proposed(proposal, &now));
        }
        decision_s = decision_s.max(begin.elapsed().as_secs_f64());
        if iteration == FOUND as u64 {
            found = tunlet.report().search.and_then(|search| search.best).unwrap_or_else(|| now.clone());
        }
    }
    let moved = tunlet.report().search.filter(|search| !search.best_is_start);
    let worse = moved.as_ref().is_some_and(|search| search.best_s >= search.start_s);
    let claim = moved.filter(|search| search.best_is_sure);
    let claim = claim.and_then(|search| Some((search.start_s? / search.best_s?).ln()));
    Ok(Run { values, found, decision_s, left, claim, worse })
}

fn tuning_points(now: &[f64]) -> Vec<TuningPoint> {
    let one = |(k, value): (usize, &f64)| TuningPoint {
        rank: 0,
        name: format!("x{k}"),
        whole: true,
        range: (1.0, VALUES),
        value: *value,
        declared: *value,
        text: None,
        held: false,
    };
    now.iter().enumerate().map(one).collect()
}

/// The peer: one measurement of each corner, and where the simplex has collapsed its best one stays. A name, which has no corner, stays.
fn by_simplex(surface: &Surface, start: &[f64], disturbances: &[f64]) -> Run {
    let (ordered, names) = start.split_at(surface.axes);
    let mut simplex = Simplex::new(ordered, (1.0, VALUES));
    let mut values: Vec<Vec<f64>> = Vec::new();
    let mut now = start.to_vec();
    while values.len() < disturbances.len() {
        let time_s = surface.kind_s(&now, values.len()) * disturbances[values.len()];
        values.push(now.clone());
        let next = [&simplex.next(time_s), names].concat();
        if next != now {
            // On its way.
            values.push(now);
            now = next;
        }
    }
    values.truncate(disturbances.len());
    Run {
        found: values.get(FOUND).unwrap_or(&now).clone(),
        values,
        decision_s: 0.0,
        left: 0,
        claim: None,
        worse: false,
    }
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seed = a.seed.unwrap_or_else(clock);
    println!("seeds {seed} to {}, {} iterations; median [p10 … p90]", seed + a.surfaces, a.iterations);
    for kind in KINDS.into_iter().filter(|kind| kind.contains(&a.only)) {
        let (mut start, mut slowest_s, mut left) = (Vec::new(), 0.0_f64, 0);
        let mut regrets: [[Vec<f64>; 3]; 2] = Default::default();
        // Of the savings that the search says are sure: by how much each is off, and how many there are none of.
        let (mut off, mut false_claims, mut worse) = (Vec::new(), 0, 0);
        for seed in seed..seed + a.surfaces {
            let random = &mut Random::new(seed);
            let surface = Surface::drawn(kind, random);
            let mut from: Vec<f64> = (0..surface.axes).map(|_| 1.0 + random.below(VALUES as usize) as f64).collect();
            from.extend((!surface.names.is_empty()).then(|| 1.0 + random.below(NAMES) as f64));
            let least_s = surface.least_s();
            let regret = |values: &[f64]| 100.0 * (surface.true_s(values) / least_s - 1.0);
            start.push(regret(&from));
            let disturbances = surface.disturbances(a.iterations, random);
            let runs =
                [searched(&surface, &from, &disturbances, !a.whole)?, by_simplex(&surface, &from, &disturbances)];
            if let (Some(claim), Some(end)) = (runs[0].claim, runs[0].values.last()) {
                let saved = (surface.true_s(&from) / surface.true_s(end)).ln();
                off.push(100.0 * (claim - saved).abs());
                false_claims += usize::from(saved <= 0.0);
            }
            worse += usize::from(runs[0].worse);
            for (run, all) in runs.iter().zip(&mut regrets) {
                let own: Vec<f64> = run.values.iter().map(|values| regret(values)).collect();
                if a.verbose {
                    let list = run.values.iter().zip(&own).map(|(values, regret)| format!("{values:?} {regret:.1}"));
                    println!("   seed {seed}: {}", list.collect::<Vec<String>>().join(", "));
                }
                let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
                all[0].push(mean(&own));
                all[1].push(regret(&run.found));
                all[2].push(own.last().copied().unwrap_or(f64::NAN));
                slowest_s = slowest_s.max(run.decision_s);
                left += run.left;
            }
        }
        let text = |list: &[f64]| {
            let mean = list.iter().sum::<f64>() / list.len() as f64;
            spread(list.to_vec())
                .map_or(String::new(), |s| format!("{:6.2} [{:.2} … {:.2}] mean {mean:.2}", s.median, s.p10, s.p90))
        };
        println!(
            "{kind}: regret of the values at start, %: {}; longest decision {:.1} ms; {left} iterations left early",
            text(&start),
            1e3 * slowest_s
        );
        println!(
            "   search says that it surely saves in {} of {}; saves nothing there: {false_claims}; ends where nothing measured better: {worse}; off by, %: {}",
            off.len(),
            a.surfaces,
            text(&off)
        );
        for (name, lists) in ["search", "simplex"].into_iter().zip(&regrets) {
            let what = ["over the run", "found by 15", "at the end"];
            for (what, list) in what.into_iter().zip(lists) {
                println!("   {name:<8} {what:<16} {}", text(list));
            }
        }
    }
    Ok(())
}
