//! Figures of state diagrams, process algebra and computation structures, by the functions of `midrun predict`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use midrun_predict::state_diagram::{
    Averaging, Diagram, Prediction, STATE_LIMIT, Time, approximate, approximate_with, exact, simulate,
};
use midrun_predict::time_cost::{Machine, Structure, evaluate};
use midrun_predict::{markov, pepa};
use serde::Deserialize;

use super::value::{Quantity, Value};

/// Processes that wait for each other between stages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct States {
    /// As `midrun predict diagram` reads it, without `time`.
    toml: String,
    mean_s: Option<f64>,
    variance_s2: Option<f64>,
    /// Time beside the diagram, seconds.
    #[serde(default)]
    plus_s: f64,
}

/// Runs of a simulated diagram.
const RUNS: u32 = 20_000;

impl States {
    fn diagram(&self) -> Result<Diagram> {
        let text = match (self.mean_s, self.variance_s2) {
            (Some(mean_s), Some(variance_s2)) => {
                Time::new(mean_s, variance_s2)?;
                format!("time = {{ mean_s = {mean_s:?}, variance_s2 = {variance_s2:?} }}\n{}", self.toml)
            }
            _ => self.toml.clone(),
        };
        Ok(Diagram::from_toml(&text)?)
    }

    /// One figure; times in seconds.
    ///
    /// # Errors
    /// A diagram that cannot be read or evaluated, a figure that is none of these.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let diagram = self.diagram()?;
        let mean = |answer: Prediction| Value::from(answer.mean_s + self.plus_s);
        Ok(match quantity.name.as_str() {
            "exact" => mean(exact(&diagram, STATE_LIMIT)?),
            "approximate" => mean(approximate(&diagram)?),
            "one phase" => mean(approximate_with(&diagram, 1, Averaging::All, STATE_LIMIT)?),
            "simulated" => mean(simulate(&diagram, RUNS, 1)),
            "states" => (exact(&diagram, STATE_LIMIT)?.states.context("no states were counted")? as f64).into(),
            _ => return quantity.unknown("the state diagram"),
        })
    }
}

/// A model in PEPA.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Algebra {
    pepa: String,
}

impl Algebra {
    /// A result line by its name, or the number of states or transitions.
    ///
    /// # Errors
    /// A text that cannot be read or solved, a result that it does not have.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let space = pepa::Model::parse(&self.pepa)?.derive(&pepa::Limits::default())?;
        match quantity.name.as_str() {
            "states" => return Ok((space.states() as f64).into()),
            "transitions" => return Ok((space.transitions() as f64).into()),
            _ => {}
        }
        let solution = space.solve(&markov::Options::default())?;
        let found = solution.results().iter().find(|(name, _)| *name == quantity.name).map(|(_, value)| *value);
        found.map_or_else(|| quantity.unknown("the PEPA model"), |value| Ok(value.into()))
    }
}

/// The producer and the consumer of `examples/models/producer_consumer.toml`, with the operation costs of that file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProducerConsumer {
    processors: f64,
    /// n, full and empty; what is missing is drawn as the file says.
    parameters: BTreeMap<String, u32>,
}

/// Runs of a structure in which something is drawn.
const COST_RUNS: u32 = 4000;

impl ProducerConsumer {
    fn mean_us(&self, processors: f64, change: &[(&str, u32)]) -> Result<f64> {
        let text = include_str!("../../../examples/models/producer_consumer.toml");
        let structure = Structure::from_toml(text)?;
        let mut parameters = self.parameters.clone();
        parameters.extend(change.iter().map(|(name, value)| ((*name).to_owned(), *value)));
        let machine = Machine { processors, ..structure.machine };
        Ok(1e6 * evaluate(&structure.with(machine, &parameters)?, COST_RUNS, 1)?.mean_s)
    }

    /// One figure; times in us with the costs of the example file.
    ///
    /// # Errors
    /// A structure that cannot be evaluated, a figure that is none of these.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let here = || self.mean_us(self.processors, &[]);
        Ok(match quantity.name.as_str() {
            "cost" => here()?.into(),
            "cost on 1 processor / on 2" => (self.mean_us(1.0, &[])? / self.mean_us(2.0, &[])?).into(),
            "cost / cost with full fixed" => {
                (here()? / self.mean_us(self.processors, &[("full", quantity.number(0)?)])?).into()
            }
            _ => return quantity.unknown("the producer and consumer"),
        })
    }
}

/// A run and its simulation, seconds: the arithmetic of an accuracy table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accuracy {
    simulated: f64,
    measured: f64,
    evaluation: f64,
}

impl Accuracy {
    /// The error in whole per cent, cut as the source cuts it, or measured/evaluation.
    ///
    /// # Errors
    /// Times that are not above 0, a figure that is neither.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        ensure!(self.measured > 0.0 && self.evaluation > 0.0, "times above 0 are expected");
        let error = 100.0 * (self.simulated - self.measured).abs() / self.measured;
        Ok(match quantity.name.as_str() {
            "error %" => error.floor().into(),
            "measured/evaluation" => (self.measured / self.evaluation).round().into(),
            _ => return quantity.unknown("the accuracy table"),
        })
    }
}
