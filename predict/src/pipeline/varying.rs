//! A pipeline whose stage times vary: its period by simulation, with its interval.
//!
//! Where times vary, a stage now and then waits for the one before it, and the period is longer than that of the slowest stage (two
//! stages with exponential times that hand on directly lose a third: Hunt 1956). The stream is simulated as the framework runs it
//! ([`crate::program`], element `pipeline`); each stage's time is gamma distributed with its mean and deviation.

use std::fmt::Write;

use super::Description;
use crate::mean::Mean;
use crate::program::{Machine, Options, Precision, Program, ProgramError, simulate};
use midrun_models::pipeline::{Pattern, Protocol};

/// Inputs after which a run is taken for steady; as many again are measured.
const INPUTS: u32 = 1000;

/// The period of a pipeline whose stage times vary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Varying {
    /// Mean time between two outputs, seconds.
    pub period_s: f64,
    /// Where it lies with confidence [`crate::state_diagram::LEVEL`], seconds.
    pub interval_s: (f64, f64),
    /// Number of runs, each with its own seed.
    pub runs: u32,
}

impl Description {
    /// True if a stage's time varies.
    pub fn varies(&self) -> bool {
        self.deviations_s.iter().any(|deviation_s| *deviation_s > 0.0)
    }

    /// Simulates the stream in this pattern, with as many seeds, counted up from `seed`, as the precision needs. The time of the second
    /// thousand inputs of a run, which the filling of the pipeline does not touch, is a measurement.
    ///
    /// # Errors
    /// More events than a simulation may have.
    pub fn varying(&self, pattern: &Pattern, precision: &Precision, seed: u64) -> Result<Varying, ProgramError> {
        let ranks: u32 = pattern.0.iter().map(|group| group.replicas).sum();
        let wrong = |error: crate::description::DescriptionError| ProgramError::Program(error.to_string());
        let machine = Machine::from_toml(&self.machine(ranks)).map_err(wrong)?;
        let program = |inputs: u32| Program::from_toml(&self.program(pattern, ranks, inputs)).map_err(wrong);
        let (half, whole) = (program(INPUTS)?, program(2 * INPUTS)?);
        let mut period_s = Mean::default();
        while period_s.runs < precision.runs && !period_s.is_within(precision.share) {
            let options = Options { seed: seed.wrapping_add(u64::from(period_s.runs)), ..Options::default() };
            // Equal seeds: both runs draw the same for the first inputs.
            let total_s = |program: &Program| simulate(program, &machine, &options).map(|outcome| outcome.total_s);
            period_s.add((total_s(&whole)? - total_s(&half)?) / f64::from(INPUTS));
        }
        Ok(Varying { period_s: period_s.value, interval_s: period_s.interval(), runs: period_s.runs })
    }

    /// A core for each rank, and the same link between all of them: an asynchronous send takes its sender the start-up, a
    /// synchronous one the whole message.
    fn machine(&self, ranks: u32) -> String {
        let network = &self.pipeline.network;
        let eager = match network.protocol {
            Protocol::Async => "",
            Protocol::Sync => ", eager = '0B'",
        };
        format!(
            "[[node]]\ncores = {}\n[inside]\nstart_up = '{}s'\nper_byte = '{}s'{}\n",
            ranks + 1,
            network.start_up_s,
            network.per_byte_s,
            eager.replace(", ", "\n")
        )
    }

    /// Rank 0 is the head; stages of a group follow one another on the same rank.
    fn program(&self, pattern: &Pattern, ranks: u32, inputs: u32) -> String {
        let mut stages = String::new();
        for group in &pattern.0 {
            let all = group.first..group.first + group.stages;
            let time = |k: usize| {
                let (mean_s, deviation_s) = (self.pipeline.stages[k].compute_s, self.deviations_s[k]);
                if deviation_s > 0.0 { format!("gamma({mean_s}, {deviation_s})") } else { mean_s.to_string() }
            };
            let times: Vec<String> = all.clone().map(time).collect();
            // The model counts no message of the last stage.
            let last = all.end == self.pipeline.stages.len();
            let bytes = if last { 0.0 } else { self.pipeline.stages[all.end - 1].message_bytes };
            let (times, replicas) = (times.join(" + "), group.replicas);
            let _ = write!(stages, "{{ compute_s = '{times}', bytes = '{bytes}', replicas = {replicas} }}, ");
        }
        let head = format!("processes = {}\nrun = ['stream']\n", ranks + 1);
        format!("{head}[element.stream]\nkind = 'pipeline'\ninputs = {inputs}\nstages = [{stages}]\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(stages: usize, keys: &str, network: &str) -> Description {
        let text = format!("network = {{ {network} }}\n{}", format!("[[stage]]\n{keys}\n").repeat(stages));
        Description::from_toml(&text).unwrap()
    }

    const QUICK: Precision = Precision { share: 0.02, runs: 100 };

    /// At most W = 4 ranks inputs are under way and no stage waits for room: a closed cycle of N exponential servers, whose throughput is
    /// W/(W + N - 1) of one server's (product form: Gordon, Newell 1967).
    #[test]
    fn exponential_stages_have_the_period_of_a_closed_queueing_network() {
        for stages in [1, 3, 5] {
            let of = described(stages, "compute = '10ms'\ndeviation = '10ms'", "start_up = '0s', per_byte = '0s'");
            let got = of.varying(&Pattern::unreplicated(stages), &Precision { share: 0.005, runs: 200 }, 1).unwrap();
            let (under_way, stages) = (4.0 * (stages + 1) as f64, stages as f64);
            let exact_s = 10e-3 * (under_way + stages - 1.0) / under_way;
            assert!(
                of.varies() && got.interval_s.0 < exact_s && exact_s < got.interval_s.1,
                "{got:?}, exact {exact_s}"
            );
            assert!(got.interval_s.1 - got.interval_s.0 < 0.0101 * got.period_s && got.runs >= 10);
        }
    }

    #[test]
    fn less_variance_means_less_waiting() {
        let period_s = |deviation: &str| {
            let keys = format!("compute = '10ms'\ndeviation = '{deviation}'");
            let of = described(4, &keys, "start_up = '20us', per_byte = '1ns'");
            of.varying(&Pattern::unreplicated(4), &QUICK, 1).unwrap()
        };
        let (much, some, little) = (period_s("20ms"), period_s("10ms"), period_s("2ms"));
        assert!(much.interval_s.0 > some.interval_s.1 && some.interval_s.0 > little.interval_s.1);
    }

    #[test]
    fn without_variance_the_simulated_period_is_that_of_the_model() {
        for (network, replicas) in [
            ("start_up = '100us', per_byte = '1ns'", 1),
            ("start_up = '100us', per_byte = '1ns', protocol = 'sync'", 1),
            ("start_up = '100us', per_byte = '1ns'", 3),
        ] {
            let mut of = described(3, "compute = '4ms'\nmessage = '1MB'", network);
            of.pipeline.stages[1].compute_s = 9e-3;
            let mut pattern = Pattern::unreplicated(3);
            pattern.0[1].replicas = replicas;
            let model_s = of.pipeline.evaluate(&pattern, of.buffers).period_s;
            let got = of.varying(&pattern, &QUICK, 1).unwrap();
            assert!((got.period_s / model_s - 1.0).abs() < 0.03, "{network}: {got:?}, model {model_s}");
        }
    }
}
