//! The direct solution, by sparse LU factorisation.

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};

use super::{Chain, normalise};

/// Solves for the flows `f_i = pi_i q_i` out of the states, `f_j = sum_i f_i q_ij/q_i`, with `f_0 = 1` in place of the
/// equation that follows from the others. In flows the matrix has ones on its diagonal, whatever the rates.
/// `None` when the matrix cannot be factorised.
pub(super) fn solve(chain: &Chain) -> Option<Vec<f64>> {
    let states = chain.states();
    if states == 1 {
        return Some(vec![1.0]);
    }
    let size = states - 1;
    let mut entries = Vec::with_capacity(chain.sources.len() + size);
    let mut right = Mat::<f64>::zeros(size, 1);
    for state in 1..states {
        entries.push(Triplet::new(state - 1, state - 1, 1.0));
        for (source, rate) in chain.into(state) {
            let share = rate / chain.exits[source];
            if source == 0 {
                right[(state - 1, 0)] += share;
            } else {
                entries.push(Triplet::new(state - 1, source - 1, -share));
            }
        }
    }
    let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &entries).ok()?;
    let flows = matrix.sp_lu().ok()?.solve(&right);
    let probability = |state: usize| {
        let flow = if state == 0 { 1.0 } else { flows[(state - 1, 0)].max(0.0) };
        flow / chain.exits[state]
    };
    normalise((0..states).map(probability).collect())
}
