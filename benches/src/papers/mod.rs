//! The experiments of the sources as data (`benches/sources`), and what the models and runs of this project say of them.
//!
//! An *item* is a figure or table of a source, a *row* one of its cases, a *figure* one number (or list, or word) of a case.
//! A row names a model with its inputs, a figure names the quantity: the same functions answer as in `midrun predict`.

mod balance;
mod diagram;
pub mod live;
mod mapping;
pub mod page;
mod pipeline;
mod units;
pub mod value;
mod workers;

use crate::runs::Place;
use anyhow::{Context, Result, bail, ensure};
use live::Live;
use serde::Deserialize;
use value::{Deviation, Quantity, Tolerance, Value, deviation};

/// The data files, in the order of the page.
const FILES: [(&str, &str); 8] = [
    ("state-diagrams.toml", include_str!("../../sources/state-diagrams.toml")),
    ("time-cost.toml", include_str!("../../sources/time-cost.toml")),
    ("mapping.toml", include_str!("../../sources/mapping.toml")),
    ("simulation.toml", include_str!("../../sources/simulation.toml")),
    ("balance.toml", include_str!("../../sources/balance.toml")),
    ("workers.toml", include_str!("../../sources/workers.toml")),
    ("workers-runs.toml", include_str!("../../sources/workers-runs.toml")),
    ("pipeline.toml", include_str!("../../sources/pipeline.toml")),
];

/// The items of one data file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Author, year and chapter.
    pub source: String,
    /// Conditions and conventions of all its items.
    pub note: String,
    /// In the order of the source.
    pub item: Vec<Item>,
}

/// A figure or table of a source.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Such as `T4.F21`.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Its conditions.
    pub given: Option<String>,
    /// What of it cannot be recovered from the source.
    pub lost: Option<String>,
    /// Inputs of the model that all rows share.
    #[serde(default)]
    model: toml::Table,
    /// How far a value may be from the source's and still agree.
    within: Option<Tolerance>,
    /// Its cases; none where nothing of it can be computed.
    #[serde(default)]
    pub row: Vec<Row>,
}

/// One case of an item.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its name, unique within the item.
    pub case: String,
    /// Further inputs of the model.
    #[serde(default)]
    model: toml::Table,
    within: Option<Tolerance>,
    /// Its numbers, in the order of the page.
    pub figure: Vec<Figure>,
    /// How a run here measures them.
    pub live: Option<Live>,
}

/// One number, list or word of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What the model is asked: `Pi`, `Tt(15)`.
    pub of: String,
    /// What the source printed: computed, expected or chosen there.
    pub source: Option<Value>,
    /// What the source's own run gave.
    pub observed: Option<Value>,
    within: Option<Tolerance>,
    /// Why the model's value differs, or what the value means.
    pub why: Option<String>,
    /// True where only a run here answers.
    #[serde(default)]
    pub run_only: bool,
}

/// A model with its inputs.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Model {
    Workers(workers::Workers),
    Pipeline(pipeline::Stages),
    Mapping(mapping::Placed),
    Pepa(diagram::Algebra),
    Diagram(diagram::States),
    Cost(diagram::ProducerConsumer),
    Accuracy(diagram::Accuracy),
    Balance(balance::Balance),
}

impl Model {
    fn value(&self, quantity: &Quantity) -> Result<Value> {
        match self {
            Model::Workers(model) => model.value(quantity),
            Model::Pipeline(model) => model.value(quantity),
            Model::Mapping(model) => model.value(quantity),
            Model::Pepa(model) => model.value(quantity),
            Model::Diagram(model) => model.value(quantity),
            Model::Cost(model) => model.value(quantity),
            Model::Accuracy(model) => model.value(quantity),
            Model::Balance(model) => model.value(quantity),
        }
    }

    /// Runs that measure a row: the figures' names and values.
    fn measure(&self, live: &Live, place: Place<'_>) -> Result<Vec<(String, Value)>> {
        match self {
            Model::Workers(model) => model.measure(live, place),
            Model::Pipeline(model) => model.measure(live, place),
            Model::Balance(model) => model.measure(live, place),
            _ => bail!("no run can be made of this model"),
        }
    }
}

/// The model's answer to a figure.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the model says; nothing where only a run answers.
    pub model: Option<Value>,
    /// Its distance from what the source printed; nothing where that is lost.
    pub deviation: Option<Deviation>,
}

/// All data files, read.
///
/// # Errors
/// A file that does not say what an item needs, with its name.
pub fn sources() -> Result<Vec<Source>> {
    FILES.iter().map(|(name, text)| toml::from_str(text).with_context(|| format!("benches/sources/{name}"))).collect()
}

impl Item {
    /// The model of a row, with the inputs that the item's rows share.
    fn model(&self, row: &Row) -> Result<Model> {
        let mut table = self.model.clone();
        table.extend(row.model.clone());
        table.try_into().with_context(|| format!("{}, {}", self.id, row.case))
    }

    /// The model's answers to all figures of a row, in their order.
    ///
    /// # Errors
    /// Inputs that do not fit the model, a figure that it does not have, with their place.
    pub fn answers(&self, row: &Row) -> Result<Vec<Answer>> {
        let place = || format!("{}, {}", self.id, row.case);
        let asked = row.figure.iter().any(|figure| !figure.run_only);
        let model = asked.then(|| self.model(row)).transpose()?;
        let answer = |figure: &Figure| -> Result<Answer> {
            let Some(model) = model.as_ref().filter(|_| !figure.run_only) else {
                return Ok(Answer { model: None, deviation: None });
            };
            let value = model.value(&Quantity::read(&figure.of))?;
            let compared = figure.source.as_ref().map(|source| {
                let within = figure.within.or(row.within).or(self.within).context("the tolerance is missing")?;
                deviation(source, &value, within)
            });
            Ok(Answer { model: Some(value), deviation: compared.transpose()? })
        };
        row.figure.iter().map(|f| answer(f).with_context(|| format!("{}: {}", place(), f.of))).collect()
    }
}

/// Items whose id is `only`, or begins with it: `T4.F9`, `P2`.
///
/// # Errors
/// No such item.
pub fn chosen(only: Option<&str>) -> Result<Vec<Source>> {
    let mut all = sources()?;
    let Some(only) = only else { return Ok(all) };
    let exact = all.iter().flat_map(|source| &source.item).any(|item| item.id == only);
    for source in &mut all {
        source.item.retain(|item| if exact { item.id == only } else { item.id.starts_with(only) });
    }
    all.retain(|source| !source.item.is_empty());
    ensure!(!all.is_empty(), "{only}: there is no such figure or table; without --only all are listed");
    Ok(all)
}
