//! Figures of pipelines, by the functions of `midrun predict pipeline`.

use anyhow::{Context, Result};
use midrun_models::pipeline::exact::{Grouping, Objective, optimum};
use midrun_models::pipeline::production::Buffers;
use midrun_models::pipeline::{Group, Manager, Network, Pattern, Pipeline, Stage, search};
use serde::Deserialize;

use super::live::Live;
use super::units::{Bytes, ProtocolName, Seconds};
use super::value::{Quantity, Value};
use crate::runs::Place;

/// Stages, messages and replicas.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stages {
    compute: Vec<Seconds>,
    message: Bytes,
    mo: Seconds,
    #[serde(default)]
    lambda: Seconds,
    #[serde(default)]
    protocol: ProtocolName,
    #[serde(default)]
    buffers: BuffersName,
    /// Of each stage; missing: 1.
    #[serde(default)]
    replicas: Vec<u32>,
    #[serde(default)]
    manager: ManagerName,
    #[serde(default = "all")]
    overlap: f64,
}

fn all() -> f64 {
    1.0
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BuffersName {
    #[default]
    Full,
    Open,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ManagerName {
    #[default]
    Sender,
    OwnRank,
}

impl Stages {
    fn pipeline(&self) -> Result<Pipeline> {
        let stage = |compute: &Seconds| Stage { compute_s: compute.0, message_bytes: self.message.0, stateful: false };
        let network = Network { start_up_s: self.mo.0, per_byte_s: self.lambda.0, protocol: self.protocol.into() };
        let manager = match self.manager {
            ManagerName::Sender => Manager::Sender,
            ManagerName::OwnRank => Manager::OwnRank,
        };
        let stages = self.compute.iter().map(stage).collect();
        Ok(Pipeline { manager, overlap: self.overlap, ..Pipeline::new(stages, network) }.checked()?)
    }

    fn pattern(&self) -> Pattern {
        let replicas = |stage: usize| self.replicas.get(stage).copied().unwrap_or(1);
        Pattern((0..self.compute.len()).map(|first| Group { first, stages: 1, replicas: replicas(first) }).collect())
    }

    /// The period of a run whose stages sleep, ms.
    ///
    /// # Errors
    /// A run that fails or prints no period.
    pub fn measure(&self, live: &Live, place: Place<'_>) -> Result<Vec<(String, Value)>> {
        let stages: Vec<String> = self.compute.iter().map(|time| (1e3 * time.0).to_string()).collect();
        let pattern = self.pattern();
        let options = format!(
            "--stages {} --bytes {} --inputs {} --pattern {pattern} --json",
            stages.join(","),
            self.message.0 as u64,
            live.inputs
        );
        let ranks = pattern.0.iter().map(|group| group.replicas).sum::<u32>() + 1;
        let said = place.pipeline(&place.example("pipe_synthetic"), ranks, &options)?;
        let period_s = said["period_s"].as_f64().context("the run prints no period")?;
        Ok(vec![("period".into(), (1e3 * period_s).into())])
    }

    /// One figure; times in ms.
    ///
    /// # Errors
    /// Inputs that no program can have, a figure that is none of these.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let pipeline = self.pipeline()?;
        let buffers = match self.buffers {
            BuffersName::Full => Buffers::Full,
            BuffersName::Open => Buffers::Open,
        };
        let production = pipeline.evaluate(&self.pattern(), buffers);
        let list = |times_s: &[f64]| Value::List(times_s.iter().map(|s| 1e3 * s).collect());
        let words = |pattern: Option<Pattern>| Value::Text(pattern.map_or("none".into(), |p| p.to_string()));
        Ok(match quantity.name.as_str() {
            "Tr" if quantity.of.is_empty() => list(&production.tr_s),
            "Tr" => (1e3 * production.tr_s.get(quantity.number::<usize>(0)?).context("no such stage")?).into(),
            "rTr" => list(&production.rtr_s),
            "period" => (1e3 * production.period_s).into(),
            "the source's search, ranks" => words(search::source(&pipeline, quantity.number(0)?)),
            "exact search, ranks" => words(optimum(&pipeline, quantity.number(0)?, Grouping::None, Objective::Time)),
            "overlap" => {
                let stage: usize = quantity.number(0)?;
                let pattern = self.pattern();
                let group = pattern.0.get(stage).context("no such stage")?;
                pipeline.overlap(group, 1e-3 * quantity.number::<f64>(1)?).into()
            }
            "idle share of stage" => {
                let tr_s = production.tr_s.get(quantity.number::<usize>(0)?).context("no such stage")?;
                (1.0 - tr_s / production.period_s).into()
            }
            _ => return quantity.unknown("the pipeline model"),
        })
    }
}
