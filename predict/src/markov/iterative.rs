//! The iterative solution, by Gauss-Seidel sweeps.

use super::{Chain, Error, Method, Options, SteadyState, normalise};

/// Sweeps between two looks at the residual.
const BETWEEN: usize = 8;
/// Share of the new value once plain sweeps no longer help. Below 1 the sweeps converge for every strongly connected
/// chain; at 1 a chain whose states are met in an unlucky order may go round in a circle.
const DAMPED: f64 = 0.9;
/// Largest estimated error, summed over the probabilities. A small residual alone says little of a chain in two halves
/// that seldom meet.
const ERROR: f64 = 1e-9;
/// Below this residual only rounding is left.
const ROUNDING: f64 = 1e-14;

/// The changes fade steadily when two factors in a row differ by less than this share of their distance from 1.
const STEADY: f64 = 0.05;
/// Changes that fade faster than this need no help.
const SLOW: f64 = 0.5;

/// One sweep: each state's probability from its inflow, with the newest values of the others.
fn sweep(chain: &Chain, probabilities: &mut [f64], share: f64) {
    for state in 0..probabilities.len() {
        let value = chain.inflow(state, probabilities) / chain.exits[state];
        probabilities[state] += share * (value - probabilities[state]);
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// Goes the whole way at once when the changes fade steadily: one slow mode is left, its tail a geometric series
/// (Aitken's extrapolation). A probability loses at most nine tenths, so that none becomes negative.
fn extrapolate(probabilities: &mut [f64], last: &[f64], fading: f64) {
    for (value, last) in probabilities.iter_mut().zip(last) {
        *value = (*value + (*value - last) * fading / (1.0 - fading)).max(0.1 * *value);
    }
}

/// Sweeps until the residual is below the tolerance and the error estimated from how fast the changes fade is small.
pub(super) fn solve(chain: &Chain, how: &Options, start: Option<&[f64]>) -> Result<SteadyState, Error> {
    let states = chain.states();
    if states == 1 {
        return Ok(SteadyState { probabilities: vec![1.0], residual: 0.0, method: Method::Iterative, sweeps: 0 });
    }
    let mut probabilities = match start {
        Some(start) => start.to_vec(),
        None => vec![1.0 / states as f64; states],
    };
    let mut last = probabilities.clone();
    let (mut share, mut sweeps) = (1.0, 0);
    let (mut residual, mut change, mut faded) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
    // Sweeps before the next extrapolation, and sweeps to wait after one that did not help.
    let (mut wait, mut patience, mut before) = (0_u32, 2_u32, f64::INFINITY);
    while sweeps < how.max_sweeps {
        for _ in 0..BETWEEN {
            sweep(chain, &mut probabilities, share);
        }
        sweeps += BETWEEN;
        let failed = Error::NotConverged { tolerance: how.tolerance, sweeps, residual };
        probabilities = normalise(probabilities).ok_or(failed)?;
        let now = chain.residual(&probabilities);
        let moved = distance(&probabilities, &last);
        // The changes form a geometric series; the remaining error is its tail.
        let fading = moved / change;
        let error = if fading < 1.0 { moved * fading / (1.0 - fading) } else { f64::INFINITY };
        if now <= how.tolerance && (error <= ERROR || now <= ROUNDING) {
            return Ok(SteadyState { probabilities, residual: now, method: Method::Iterative, sweeps });
        }
        if now >= residual && now > ROUNDING {
            share = DAMPED;
        }
        let steady = fading < 1.0 && fading > SLOW && (fading - faded).abs() < STEADY * (1.0 - fading);
        wait = wait.saturating_sub(1);
        if steady && wait == 0 {
            patience = if now < 0.5 * before { 2 } else { patience.saturating_mul(2) };
            (wait, before) = (patience, now);
            extrapolate(&mut probabilities, &last, fading);
            (residual, change, faded) = (f64::INFINITY, f64::INFINITY, 0.0);
        } else {
            (residual, change, faded) = (now, moved, fading);
        }
        last.copy_from_slice(&probabilities);
    }
    let residual = chain.residual(&probabilities);
    Err(Error::NotConverged { tolerance: how.tolerance, sweeps, residual })
}
