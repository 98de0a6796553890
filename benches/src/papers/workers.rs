//! Figures of the Master/Worker expressions, by the functions of `midrun predict workers`.

use anyhow::{Context, Result, bail};
use midrun_models::master_worker::{Model, Protocol, Rounding};
use serde::Deserialize;

use super::live::Live;
use super::units::{Bytes, ProtocolName, Seconds};
use super::value::{Quantity, Value};
use crate::runs::{Balanced, Load, Place};

/// Inputs of the expressions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workers {
    mo: Seconds,
    lambda: Seconds,
    volume: Bytes,
    alpha: f64,
    compute: Seconds,
    protocol: ProtocolName,
    #[serde(default)]
    growth: f64,
    #[serde(default)]
    rounding: RoundingName,
    /// Start-up time of messages that the MPI sends by another protocol.
    small: Option<Small>,
    /// Largest number of workers that is looked at.
    #[serde(default = "most")]
    most: u32,
}

fn most() -> u32 {
    400
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RoundingName {
    #[default]
    Best,
    Source,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Small {
    mo: Seconds,
    /// In force where V/n is not larger.
    up_to: Bytes,
}

impl Workers {
    fn model(&self) -> Result<Model> {
        let model = Model {
            start_up_s: self.mo.0,
            per_byte_s: self.lambda.0,
            volume_bytes: self.volume.0,
            master_share: self.alpha,
            compute_s: self.compute.0,
            prepare_s: 0.0,
            protocol: self.protocol.into(),
            growth: self.growth,
        };
        Ok(model.checked()?)
    }

    /// The model with the start-up time that messages have with `n` workers.
    fn at(&self, n: u32) -> Result<Model> {
        let model = self.model()?;
        let each = self.volume.0 * (1.0 + self.growth * f64::from(n - 1)) / f64::from(n);
        let small = self.small.as_ref().filter(|small| each <= small.up_to.0);
        Ok(small.map_or(model, |small| Model { start_up_s: small.mo.0, ..model }))
    }

    fn rounding(&self) -> Rounding {
        match self.rounding {
            RoundingName::Best => Rounding::Best,
            RoundingName::Source => Rounding::Down,
        }
    }

    fn least(&self, allowed: impl Fn(&Model, u32) -> bool, figure: impl Fn(&Model, u32) -> f64) -> Result<Value> {
        let mut best: Option<(f64, u32)> = None;
        for n in 1..=self.most {
            let model = self.at(n)?;
            let value = figure(&model, n);
            if allowed(&model, n) && best.is_none_or(|(least, _)| value < least) {
                best = Some((value, n));
            }
        }
        Ok(best.context("no number of workers is allowed")?.1.into())
    }

    /// One figure: times in ms, shares of 1, gains and rises in per cent.
    ///
    /// # Errors
    /// Inputs that no program can have, a figure that is none of these.
    pub fn value(&self, quantity: &Quantity) -> Result<Value> {
        let model = self.model()?;
        let ms = |n: u32| Ok::<f64, anyhow::Error>(1e3 * self.at(n)?.iteration_s(n));
        let gain = || {
            let (x, y) = (quantity.number::<u32>(0)?, quantity.number::<u32>(1)?);
            Ok::<_, anyhow::Error>((1.0 - ms(y)? / ms(x)?, f64::from(y - x) / f64::from(y)))
        };
        Ok(match quantity.name.as_str() {
            "Tt" => ms(quantity.number(0)?)?.into(),
            "speed-up/ideal" => model.efficiency(quantity.number(0)?).into(),
            "gain" => (100.0 * gain()?.0).into(),
            "index" => gain().map(|(gain, growth)| gain / growth)?.into(),
            "MCMC" => model.mcmc().floor().into(),
            "MCMC, not rounded" => model.mcmc().into(),
            "n_opt" => model.fastest_workers(self.rounding()).into(),
            "n_opt, not rounded" => model.n_opt().into(),
            // (13) to (16) end where the messages change; the least of all whole numbers does not.
            "n of least Tt" => self.least(|_, _| true, Model::iteration_s)?,
            "Pi" if self.small.is_none() => model.pi_workers(self.most, self.rounding()).into(),
            "Pi" => self.least(|model, n| f64::from(n) <= model.mcmc(), Model::pi_s)?,
            "rise" => self.rise(&model, quantity)?.into(),
            "protocol" => match model.protocol {
                Protocol::Async => Value::Text("async".into()),
                Protocol::Sync => Value::Text("sync".into()),
            },
            _ => return quantity.unknown("the Master/Worker model"),
        })
    }

    /// Balanced iterations with each number of workers, and what the simulation says with the messages of these runs.
    ///
    /// # Errors
    /// A run that fails, no numbers of workers.
    pub fn measure(&self, live: &Live, place: Place<'_>) -> Result<Vec<(String, Value)>> {
        let run = |n: &u32| {
            let volume = self.volume.0 * (1.0 + self.growth * f64::from(n - 1));
            let synchronous = matches!(self.protocol, ProtocolName::Sync);
            let load = Load { compute_s: self.compute.0, volume: volume as u64, synchronous };
            place.balanced(load, *n, live.iterations)
        };
        let runs = live.workers.iter().map(run).collect::<Result<Vec<Balanced>>>()?;
        let last = runs.last().context("no numbers of workers")?;
        let list = |of: &dyn Fn(&Balanced) -> f64| Value::List(runs.iter().map(|run| 1e3 * of(run)).collect());
        let least_pi = |time_s: &dyn Fn(&Balanced) -> f64| {
            let pi = |run: &&Balanced| run.pi_s(time_s(run));
            let best = runs.iter().min_by(|a, b| pi(a).total_cmp(&pi(b))).unwrap_or(last);
            Value::from(best.workers)
        };
        Ok(vec![
            ("Tt".into(), list(&|run| run.iteration_s)),
            ("Tt by the simulation".into(), list(&Balanced::simulation_s)),
            ("n of least Pi".into(), least_pi(&|run| run.iteration_s)),
            ("n of least Pi by the simulation".into(), least_pi(&Balanced::simulation_s)),
            ("mo".into(), (1e3 * last.start_up_s).into()),
        ])
    }

    /// By how much Tt rises at most, per cent, where an input is 10 % larger: `rise(V, from n, to n)`.
    fn rise(&self, model: &Model, quantity: &Quantity) -> Result<f64> {
        let mut larger = *model;
        for input in quantity.of.first().context("rise of what?")?.split('+') {
            match input.trim() {
                "V" => larger.volume_bytes *= 1.1,
                "Tc" => larger.compute_s *= 1.1,
                "mo" => larger.start_up_s *= 1.1,
                "lambda" => larger.per_byte_s *= 1.1,
                other => bail!("rise: \"{other}\" is none of V, Tc, mo, lambda"),
            }
        }
        let (from, to): (u32, u32) = (quantity.number(1)?, quantity.number(2)?);
        let rises = (from..=to).map(|n| 100.0 * (larger.iteration_s(n) / model.iteration_s(n) - 1.0));
        Ok(rises.fold(0.0, f64::max))
    }
}
