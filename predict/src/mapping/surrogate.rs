//! A quick estimate of a mapping's throughput, to choose between many: the pipeline as a simulation of its firing times.

use super::Rates;
use midrun_models::random::Random;

/// Inputs simulated. Compared mappings meet the same random numbers, so that their order is surer than their values.
const INPUTS: usize = 600;

/// Exponential times of mean 1 for every move and stage of every input.
pub(super) struct Surrogate {
    times: Vec<f64>,
    stages: usize,
}

impl Surrogate {
    pub(super) fn new(stages: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let times = (0..INPUTS * (2 * stages + 1)).map(|_| random.exponential()).collect();
        Self { times, stages }
    }

    /// Inputs per second. Stage i receives input k when stage i - 1 has processed it and when it has itself sent
    /// input k - 1 on: `m_i(k) = max(p_(i-1)(k), m_(i+1)(k-1)) + move`, `p_i(k) = m_i(k) + process`.
    pub(super) fn throughput(&self, rates: &Rates) -> f64 {
        let mut sent = vec![0.0_f64; self.stages + 2];
        for times in self.times.chunks_exact(2 * self.stages + 1) {
            let mut ready = 0.0_f64;
            for stage in 0..self.stages {
                // `sent[k]`: end of the last move k + 1. The stage is free once its next move has ended.
                let received = ready.max(sent[stage + 1]) + times[2 * stage] / rates.moves[stage];
                sent[stage] = received;
                ready = received + times[2 * stage + 1] / rates.process[stage];
            }
            sent[self.stages] = ready + times[2 * self.stages] / rates.moves[self.stages];
        }
        INPUTS as f64 / sent[self.stages]
    }
}
