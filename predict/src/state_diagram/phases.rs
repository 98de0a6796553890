//! Stage times as phases: fixed parts and exponential ones.

use super::space::{Phase, mean_s};
use super::{Diagram, DiagramError, Prediction, STATE_LIMIT, Time};

/// Which visits of a state the approximation averages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Averaging {
    /// All: the fewest states.
    All,
    /// Those whose remaining fixed times agree to half a standard deviation of the stage's time.
    Alike,
}

/// Standard deviations to which remaining times must agree to be alike: measured with 0.35 to 1, below this little is gained.
const GRAIN: f64 = 0.5;
/// Shares of a mean below this are rounding errors.
const NOTHING: f64 = 1e-9;
/// States that the approximation may look at to be better than with one exponential phase.
const APPROXIMATE_STATES: u64 = 1_000_000;
/// Most exponential phases per stage that the approximation tries.
const MOST_PHASES: u32 = 16;

/// Mean time over the state space of running phases; exact for exponential and Erlang times, and where all are fixed.
///
/// # Errors
/// Another kind of time, more than `limit` states.
pub fn exact(diagram: &Diagram, limit: u64) -> Result<Prediction, DiagramError> {
    let all_fixed = diagram.times.iter().flatten().all(|time| time.variance_s2() == 0.0);
    let phases = each_stage(diagram, |process, stage, time| {
        let k = time.k();
        if all_fixed {
            Ok(vec![Phase::Fixed { time_s: time.mean_s(), grain_s: f64::INFINITY }])
        } else if k.is_finite() && k.round() >= 1.0 && (k / k.round() - 1.0).abs() < NOTHING {
            (k <= limit as f64)
                .then(|| in_a_row(k.round() as usize, k.round() / time.mean_s()))
                .ok_or(DiagramError::TooManyStates { reached: limit, limit })
        } else {
            Err(DiagramError::NotErlang { process, stage, k })
        }
    })?;
    let (mean_s, states) = mean_s(diagram, &phases, limit)?;
    Ok(Prediction { mean_s, states: Some(states), phases: None, interval_s: None })
}

/// Mean time with each stage as a fixed part and as many exponential phases as the state space affords, at most k.
///
/// Exact where all times are exponential or all are fixed. Elsewhere a fixed part that runs beside exponential phases is
/// followed by its mean remaining time, for visits of a state that are alike.
///
/// # Errors
/// A variance above mean², and a state space that is too large even with one phase each.
pub fn approximate(diagram: &Diagram) -> Result<Prediction, DiagramError> {
    let most = diagram.times.iter().flatten().map(Time::k).fold(1.0, f64::max).min(f64::from(MOST_PHASES)) as u32;
    let mut best = approximate_with(diagram, 1, Averaging::All, STATE_LIMIT)?;
    let doubled = std::iter::successors(Some(1), |phases| (*phases < most).then(|| (2 * phases).min(most)));
    for phases in doubled {
        // Measured: doubling the phases gave up to twelve times as many states.
        if best.states.is_some_and(|states| states > APPROXIMATE_STATES / 16) {
            break;
        }
        match approximate_with(diagram, phases, Averaging::Alike, APPROXIMATE_STATES) {
            Err(DiagramError::TooManyStates { .. }) => break,
            better => best = better?,
        }
    }
    Ok(best)
}

/// [`approximate`] with at most `phases` exponential phases per stage and at most `limit` states. The source has 1 or 2.
///
/// # Errors
/// A variance above mean², more than `limit` states.
pub fn approximate_with(
    diagram: &Diagram,
    phases: u32,
    averaging: Averaging,
    limit: u64,
) -> Result<Prediction, DiagramError> {
    let of = each_stage(diagram, |process, stage, time| {
        let k = time.k();
        if k < 1.0 - NOTHING {
            return Err(DiagramError::TooMuchVariance { process, stage, k });
        }
        Ok(fitted(time, phases, averaging))
    })?;
    let (mean_s, states) = mean_s(diagram, &of, limit)?;
    Ok(Prediction { mean_s, states: Some(states), phases: Some(phases), interval_s: None })
}

/// A fixed part and at most `most` exponential phases with the mean and variance of `time`, whose k is 1 or more.
fn fitted(time: &Time, most: u32, averaging: Averaging) -> Vec<Phase> {
    let (mean_s, variance_s2) = (time.mean_s(), time.variance_s2());
    if time.k() > 1.0 / (NOTHING * NOTHING) {
        return vec![Phase::Fixed { time_s: mean_s, grain_s: f64::INFINITY }];
    }
    let m = f64::from(most.max(1)).min((time.k() * (1.0 + NOTHING)).floor().max(1.0));
    let fixed_s = mean_s - (m * variance_s2).sqrt();
    let mut phases = Vec::new();
    if fixed_s > NOTHING * mean_s {
        let grain_s = if averaging == Averaging::Alike { GRAIN * variance_s2.sqrt() } else { f64::INFINITY };
        phases.push(Phase::Fixed { time_s: fixed_s, grain_s: grain_s.max(fixed_s / f64::from(u16::MAX)) });
    }
    phases.extend(in_a_row(m as usize, (m / variance_s2).sqrt()));
    phases
}

fn in_a_row(count: usize, rate_per_s: f64) -> Vec<Phase> {
    vec![Phase::Exponential(rate_per_s); count]
}

/// The phases of each process and stage.
fn each_stage(
    diagram: &Diagram,
    of: impl Fn(usize, usize, &Time) -> Result<Vec<Phase>, DiagramError>,
) -> Result<Vec<Vec<Vec<Phase>>>, DiagramError> {
    let stages = |(p, times): (usize, &Vec<Time>)| times.iter().enumerate().map(|(s, time)| of(p, s, time)).collect();
    diagram.times.iter().enumerate().map(stages).collect()
}
