//! Runs of the sources' experiments on this machine: how each is made, and what was recorded of it.

use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::value::Value;

/// How a row is measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Live {
    takes: String,
}

impl Live {
    /// About how long it takes, such as `3 min`.
    pub fn takes(&self) -> &str {
        &self.takes
    }
}

/// One recorded figure of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    item: String,
    case: String,
    of: String,
    value: Value,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    #[serde(default)]
    run: Vec<Run>,
}

impl Measured {
    /// The recorded runs of this checkout.
    ///
    /// # Errors
    /// A file that cannot be understood.
    pub fn recorded() -> Result<Measured> {
        toml::from_str(include_str!("../../sources/measured.toml")).context("benches/sources/measured.toml")
    }

    /// The recorded value of a figure.
    pub fn run(&self, item: &str, case: &str, of: &str) -> Option<&Run> {
        self.run.iter().find(|run| run.item == item && run.case == case && run.of == of)
    }
}
