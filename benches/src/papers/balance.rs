//! Figures of iterations whose tasks differ, by the simulation that the tunlet and `midrun predict run` use.

use anyhow::{Context, Result, bail, ensure};
use midrun_models::factoring::{least_chunk, static_excess};
use midrun_models::master_worker::{Model, Protocol};
use midrun_models::random::Random;
use midrun_models::simulate::{Drawings, SimInput, SimResult, iteration_of};
use midrun_scheduling::{Technique, TechniqueParameters};
use serde::Deserialize;

use super::live::Live;
use super::units::{Bytes, Seconds};
use super::value::{Quantity, Value};
use crate::runs::Place;

/// Tasks, workers and messages of one iteration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    tasks: Tasks,
    #[serde(default)]
    workers: u32,
    /// The master's time for a message.
    #[serde(default)]
    mo: Seconds,
    #[serde(default)]
    lambda: Seconds,
    /// Of one task, and of its result.
    #[serde(default)]
    task_bytes: Bytes,
    #[serde(default)]
    result_bytes: Bytes,
    /// Whether the master sends a chunk ahead.
    #[serde(default)]
    prefetch: bool,
}

/// Times of the tasks.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Tasks {
    /// These, in this order.
    Listed { times: Vec<f64>, unit: Seconds },
    /// So many tasks of each time, in an order drawn anew for each iteration.
    Classes { classes: Vec<(u64, Seconds)> },
    /// Drawn with a mean and a standard deviation (per cent of it): gamma distributed.
    Drawn { count: u64, mean: Seconds, sd: f64 },
}

/// Iterations that a figure is the mean of.
const DRAWINGS: u64 = 12;
/// Partition factors that the source's estimator compares.
const FACTORS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

impl Tasks {
    fn moments(&self) -> (u64, f64, f64) {
        let of = |classes: &mut dyn Iterator<Item = (f64, f64)>| {
            let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for (count, time_s) in classes {
                (n, sum, squares) = (n + count, sum + count * time_s, squares + count * time_s * time_s);
            }
            let mean = sum / n;
            (n as u64, mean, (squares / n - mean * mean).max(0.0).sqrt())
        };
        match self {
            Tasks::Listed { times, unit } => of(&mut times.iter().map(|time| (1.0, time * unit.0))),
            Tasks::Classes { classes } => of(&mut classes.iter().map(|(count, time)| (*count as f64, time.0))),
            Tasks::Drawn { count, mean, sd } => (*count, mean.0, sd / 100.0 * mean.0),
        }
    }

    /// One order of the classes.
    fn shuffled(classes: &[(u64, Seconds)], seed: u64) -> Vec<f64> {
        let each = |(count, time): &(u64, Seconds)| std::iter::repeat_n(time.0, *count as usize);
        let mut times: Vec<f64> = classes.iter().flat_map(each).collect();
        let mut random = Random::new(seed);
        (1..times.len()).rev().for_each(|k| times.swap(k, random.below(k + 1)));
        times
    }
}

impl Balance {
    fn input(&self, workers: u32) -> SimInput {
        let (tasks, mean_s, sigma_s) = self.tasks.moments();
        SimInput {
            tasks,
            workers,
            mean_s,
            variation: sigma_s / mean_s,
            // Expression (7): the master is busy for mo with each of n messages, and the last answer takes mo.
            overhead_s: self.mo.0,
            latency_s: 0.5 * self.mo.0,
            send_s: self.lambda.0 * self.task_bytes.0,
            back_s: self.lambda.0 * self.result_bytes.0,
            without_prefetch: !self.prefetch,
            ..SimInput::default()
        }
    }

    fn simulated(&self, parameters: &TechniqueParameters, workers: u32) -> SimResult {
        let input = self.input(workers);
        let seeds = 0..DRAWINGS;
        match &self.tasks {
            Tasks::Listed { times, unit } => {
                let times: Vec<f64> = times.iter().map(|time| time * unit.0).collect();
                iteration_of(&times, &input, parameters)
            }
            Tasks::Classes { classes } => {
                let one = |seed| iteration_of(&Tasks::shuffled(classes, seed), &input, parameters);
                SimResult::mean(&seeds.map(one).collect::<Vec<_>>())
            }
            Tasks::Drawn { .. } => Drawings::new(&input, seeds).run(&input, parameters, DRAWINGS as usize),
        }
    }

    fn parameters(&self, technique: &str, factor: f64, workers: u32) -> Result<TechniqueParameters> {
        let kind = match technique {
            "none" => Technique::None,
            "fsc" => Technique::Fsc,
            "dpf" => Technique::Dpf,
            "daf" => Technique::Daf,
            other => bail!("{other} is none of none, fsc, dpf, daf"),
        };
        let (_, mean_s, sigma_s) = self.tasks.moments();
        // The source's lower bound of a chunk: while it computes, the master serves the other workers.
        let min_chunk = least_chunk(self.mo.0, mean_s, workers);
        Ok(TechniqueParameters { factor, mean_s, sigma_s, min_chunk, ..TechniqueParameters::new(kind) })
    }

    /// The technique of a figure's first argument, `none`, `fsc 0.5`, `dpf best`, and its factor.
    fn technique(&self, text: &str, workers: u32) -> Result<(TechniqueParameters, f64)> {
        let (name, factor) = text.split_once(' ').unwrap_or((text, "0"));
        if factor != "best" {
            let factor = factor.parse().with_context(|| format!("{text}: fsc 0.5 or fsc best is expected"))?;
            return Ok((self.parameters(name, factor, workers)?, factor));
        }
        let mut best: Option<(f64, f64)> = None;
        for factor in FACTORS {
            let time_s = self.simulated(&self.parameters(name, factor, workers)?, workers).iteration_s;
            if best.is_none_or(|(least_s, _)| time_s < least_s) {
                best = Some((time_s, factor));
            }
        }
        let factor = best.context("no factor")?.1;
        Ok((self.parameters(name, factor, workers)?, factor))
    }

    /// Iterations of sleeping tasks with a technique, or tuned: time/ideal at each standard deviation, or the time with each
    /// number of workers, ms; medians of the iterations after the second.
    ///
    /// # Errors
    /// A run that fails, tasks in a given order.
    pub fn measure(&self, live: &Live, place: Place<'_>) -> Result<Vec<(String, Value)>> {
        let (name, factor) = live.technique.split_once(' ').unwrap_or((&live.technique, "0"));
        let (tasks, mean_s, _) = self.tasks.moments();
        let bytes = format!("--bytes {} --result-bytes {}", self.task_bytes.0, self.result_bytes.0);
        let ratio = |workers: u32, load: String| -> Result<f64> {
            let options = format!("{load} {bytes} --iterations {} --seed 1 --factor {factor}", live.iterations);
            Ok(place.ratios(workers, name, &options, 2)?.median)
        };
        let words = |list: &mut dyn Iterator<Item = String>| list.collect::<Vec<_>>().join(" ");
        match &self.tasks {
            Tasks::Drawn { count, mean, .. } => {
                let load =
                    |sd: &f64| format!("--tasks {count} --mean-us {} --sigma-pct {sd} --dist normal", 1e6 * mean.0);
                let ratios = live.sd.iter().map(|sd| ratio(self.workers, load(sd))).collect::<Result<_>>()?;
                let of = words(&mut live.sd.iter().map(ToString::to_string));
                Ok(vec![(format!("time/ideal at sd {of}({})", live.technique), Value::List(ratios))])
            }
            Tasks::Classes { classes } => {
                let load: Vec<String> = classes.iter().map(|(n, time)| format!("{n}:{}", 1e3 * time.0)).collect();
                let load = format!("--classes {}", load.join(","));
                let ideal_ms = |n: u32| 1e3 * tasks as f64 * mean_s / f64::from(n);
                let time = |n: &u32| Ok(ratio(*n, load.clone())? * ideal_ms(*n));
                let times = live.workers.iter().map(time).collect::<Result<_>>()?;
                let of = words(&mut live.workers.iter().map(ToString::to_string));
                Ok(vec![(format!("time at workers {of}({})", live.technique), Value::List(times))])
            }
            Tasks::Listed { .. } => bail!("no run is made of tasks in a given order"),
        }
    }

    /// One figure: times in ms (or in the unit of listed tasks), ratios over the ideal time, factors.
    ///
    /// # Errors
    /// No workers, a technique or a figure that is none of these.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let (tasks, mean_s, sigma_s) = self.tasks.moments();
        let workers: u32 = if quantity.of.len() > 1 { quantity.number(1)? } else { self.workers };
        let text = || quantity.of.first().map(String::as_str).context("of which technique?");
        let run = || -> Result<SimResult> {
            ensure!(workers > 0, "{}: of how many workers?", quantity.name);
            Ok(self.simulated(&self.technique(text()?, workers)?.0, workers))
        };
        let unit_s = match &self.tasks {
            Tasks::Listed { unit, .. } => unit.0,
            _ => 1e-3,
        };
        if let Some((name, list)) = quantity.name.split_once(" at ") {
            return self.series(name, list, quantity);
        }
        Ok(match quantity.name.as_str() {
            "total" => (tasks as f64 * mean_s / unit_s).into(),
            "mean" => (mean_s / unit_s).into(),
            "sd %" => (100.0 * sigma_s / mean_s).into(),
            "share of time %" => self.shares()?,
            "ideal" => (tasks as f64 * mean_s / f64::from(workers.max(1)) / unit_s).into(),
            "time" => (run()?.iteration_s / unit_s).into(),
            "time/ideal" => run()?.ratio().into(),
            "messages" => run()?.chunks.into(),
            "factor" => self.technique(text()?, workers)?.1.into(),
            "static split/ideal" => (1.0 + static_excess(sigma_s / mean_s, tasks, workers)).into(),
            "fastest number of workers" => {
                let (from, to): (u32, u32) = (quantity.number(1)?, quantity.number(2)?);
                let parameters = self.technique(text()?, to)?.0;
                let times = (from..=to).map(|n| (n, self.simulated(&parameters, n).iteration_s));
                times.min_by(|a, b| a.1.total_cmp(&b.1)).context("no workers")?.0.into()
            }
            _ => return quantity.unknown("the simulation of an iteration"),
        })
    }

    /// A figure for each of a list: `time/ideal at sd 0 20 80`, `time at workers 8 16`.
    fn series(&self, name: &str, list: &str, quantity: &Quantity) -> Result<Value> {
        let mut words = list.split_whitespace();
        let by = words.next().context("at what?")?;
        let one = |word: &str| -> Result<f64> {
            let x: f64 = word.parse().with_context(|| format!("{word} is no number"))?;
            let mut there = self.clone();
            match (by, &mut there.tasks) {
                ("sd", Tasks::Drawn { sd, .. }) => *sd = x,
                ("workers", _) => there.workers = x as u32,
                _ => bail!("{list}: sd of drawn tasks, or workers, is expected"),
            }
            if name == "ideal and messages" {
                return there.by_expression();
            }
            match there.value(&Quantity { name: name.to_owned(), of: quantity.of.clone() })? {
                Value::Number(number) => Ok(number),
                other => bail!("{name} is {other}, no number"),
            }
        };
        Ok(Value::List(words.map(one).collect::<Result<_>>()?))
    }

    /// Expression (7) or (8), ms.
    fn by_expression(&self) -> Result<f64> {
        let (tasks, mean_s, _) = self.tasks.moments();
        let bytes = tasks as f64 * (self.task_bytes.0 + self.result_bytes.0);
        let model = Model {
            start_up_s: self.mo.0,
            per_byte_s: self.lambda.0,
            volume_bytes: bytes,
            master_share: self.task_bytes.0 / (self.task_bytes.0 + self.result_bytes.0),
            compute_s: tasks as f64 * mean_s,
            prepare_s: 0.0,
            protocol: Protocol::Async,
            growth: 0.0,
        };
        Ok(1e3 * model.checked()?.iteration_s(self.workers))
    }

    fn shares(&self) -> Result<Value> {
        let Tasks::Classes { classes } = &self.tasks else { bail!("shares are of classes of tasks") };
        let total: f64 = classes.iter().map(|(count, time)| *count as f64 * time.0).sum();
        Ok(Value::List(classes.iter().map(|(count, time)| 100.0 * *count as f64 * time.0 / total).collect()))
    }
}
