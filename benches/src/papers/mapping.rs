//! Figures of mapped pipelines, by the functions of `midrun predict mapping`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use midrun_predict::mapping::{Ends, Evaluation, Evaluator, Mapping, Pipeline, Stages, best};
use midrun_predict::pepa::Limits;
use serde::Deserialize;

use super::value::{Quantity, Value};

/// Processors, links and stages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    cp: Vec<f64>,
    /// Of links between different processors that `links` does not name.
    nl: f64,
    /// `1-2 = 100`: both ways.
    #[serde(default)]
    links: BTreeMap<String, f64>,
    stages: usize,
    /// Size of what each stage receives, and of the output; missing: 1.
    #[serde(default)]
    ds: Vec<f64>,
    /// Mappings to compare, a digit for each stage's processor.
    #[serde(default)]
    among: Vec<String>,
    /// Processor of the output; missing: that of the last stage.
    output: Option<usize>,
    /// `nl`, `ds2` …: what a crossing varies, and between which values it lies.
    vary: Option<Vary>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vary {
    what: String,
    from: f64,
    to: f64,
}

/// Within a processor data moves at this rate (the source's `nl_i-i`).
const OWN: f64 = 10_000.0;

impl Placed {
    fn pipeline(&self) -> Result<Pipeline> {
        let link = |a: usize, b: usize| {
            let named = self.links.get(&format!("{}-{}", a.min(b) + 1, a.max(b) + 1)).copied();
            if a == b { OWN } else { named.unwrap_or(self.nl) }
        };
        let n = self.cp.len();
        let links = (0..n).map(|a| (0..n).map(|b| link(a, b)).collect()).collect();
        let ds = |k: usize| self.ds.get(k).copied().unwrap_or(1.0);
        let stages = Stages { work: vec![1.0; self.stages], data: (0..=self.stages).map(ds).collect() };
        Ok(Pipeline::new(self.cp.clone(), links, stages)?)
    }

    fn mapping(&self, digits: &str) -> Result<Mapping> {
        let place = |digit: char| digit.to_digit(10).filter(|d| *d > 0).map(|d| d as usize - 1);
        let stages: Option<Vec<usize>> = digits.chars().map(place).collect();
        let stages = stages.with_context(|| format!("{digits}: a processor's digit for each stage is expected"))?;
        let ends = Ends { input: None, output: self.output.map(|place| place.saturating_sub(1)) };
        Ok(ends.mapping(stages))
    }

    fn evaluate(&self, digits: &str) -> Result<Evaluation> {
        Ok(Evaluator::new(self.pipeline()?, Limits::default()).evaluate(&self.mapping(digits)?)?)
    }

    fn best(&self) -> Result<(String, f64)> {
        let mut evaluator = Evaluator::new(self.pipeline()?, Limits::default());
        let mut all = Vec::new();
        for digits in &self.among {
            all.push(evaluator.evaluate(&self.mapping(digits)?)?);
        }
        let first = best(&all).context("no mappings to compare")?.clone();
        let digits = |mapping: &Mapping| mapping.stages.iter().map(|place| (place + 1).to_string()).collect::<String>();
        Ok((digits(&first.mapping), first.throughput))
    }

    /// The value of `vary` where two mappings have the same throughput.
    fn crossing(&self, one: &str, other: &str) -> Result<f64> {
        let vary = self.vary.as_ref().context("crossing: vary is missing")?;
        let at = |x: f64| -> Result<f64> {
            let mut there = self.clone();
            match vary.what.strip_prefix("ds").map(str::parse::<usize>) {
                Some(Ok(k)) if (1..=there.ds.len()).contains(&k) => there.ds[k - 1] = x,
                _ => there.nl = x,
            }
            let mut evaluator = Evaluator::new(there.pipeline()?, Limits::default());
            let mut throughput =
                |digits: &str| -> Result<f64> { Ok(evaluator.evaluate(&there.mapping(digits)?)?.throughput) };
            Ok(throughput(one)? - throughput(other)?)
        };
        let (mut low, mut high) = (vary.from, vary.to);
        let above = at(low)? > 0.0;
        ensure!(above != (at(high)? > 0.0), "{one} and {other} do not cross between {low} and {high}");
        // A thousandth is more than any text says.
        while high - low > 1e-3 * high {
            let middle = 0.5 * (low + high);
            if (at(middle)? > 0.0) == above { low = middle } else { high = middle }
        }
        Ok(0.5 * (low + high))
    }

    /// One figure; rates per second.
    ///
    /// # Errors
    /// Numbers that do not fit together, a figure that is none of these.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let argument = |k: usize| quantity.of.get(k).map(String::as_str).context("which mapping?");
        Ok(match quantity.name.as_str() {
            "throughput" => self.evaluate(argument(0)?)?.throughput.into(),
            "states" => (self.evaluate(argument(0)?)?.states as f64).into(),
            "transitions" => (self.evaluate(argument(0)?)?.transitions as f64).into(),
            "best mapping" => Value::Text(self.best()?.0),
            "best throughput" => self.best()?.1.into(),
            "crossing" => self.crossing(argument(0)?, argument(1)?)?.into(),
            "throughputs" => {
                let all = self.among.iter().map(|digits| Ok(self.evaluate(digits)?.throughput));
                Value::List(all.collect::<Result<_>>()?)
            }
            _ => return quantity.unknown("the mapping model"),
        })
    }
}
