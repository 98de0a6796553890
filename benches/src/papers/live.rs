//! Runs of the sources' experiments on this machine: how each is made, and what was recorded of it.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::value::Value;
use super::{Item, Row};
use crate::runs::Place;

/// How a row is measured.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Live {
    takes: String,
    /// Inputs of a pipeline.
    #[serde(default)]
    pub inputs: u32,
    /// Numbers of workers, one run each.
    #[serde(default)]
    pub workers: Vec<u32>,
    /// Standard deviations, per cent, one run each.
    #[serde(default)]
    pub sd: Vec<f64>,
    /// `none`, `fsc 0.5`, `tuned`.
    #[serde(default)]
    pub technique: String,
    /// Iterations of each run.
    #[serde(default = "iterations")]
    pub iterations: u32,
}

fn iterations() -> u32 {
    6
}

impl Live {
    /// About how long it takes, such as `3 min`.
    pub fn takes(&self) -> &str {
        &self.takes
    }
}

/// One recorded figure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    item: String,
    case: String,
    of: String,
    /// The MPI, and the hosts if it was not one.
    on: String,
    value: Value,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.value, self.on)
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    #[serde(default)]
    run: Vec<Run>,
}

impl Measured {
    /// The recorded runs of this checkout.
    ///
    /// # Errors
    /// A file that cannot be read or understood.
    pub fn recorded() -> Result<Measured> {
        let path = Self::path();
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("sources/measured.toml")
    }

    /// Keeps all runs, these among them, for the page.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn record(&self) -> Result<()> {
        let path = Self::path();
        let head = "# What `benches/papers --live --record` measured; written by it.\n\n";
        std::fs::write(&path, format!("{head}{}", toml::to_string(self)?)).with_context(|| path.display().to_string())
    }

    /// The value of a figure.
    pub fn run(&self, item: &str, case: &str, of: &str) -> Option<&Run> {
        self.run.iter().find(|run| run.item == item && run.case == case && run.of == of)
    }

    /// Whether a row can be run and nothing of it is recorded.
    pub fn lacks(&self, item: &Item, row: &Row) -> bool {
        row.live.is_some() && !self.run.iter().any(|run| run.item == item.id && run.case == row.case)
    }

    /// Runs a row and takes its values in place of those of earlier runs.
    ///
    /// # Errors
    /// A job that fails, a row that no run can be made of.
    pub fn make(&mut self, item: &Item, row: &Row, place: Place<'_>) -> Result<()> {
        let Some(live) = &row.live else { return Ok(()) };
        let values = item.model(row)?.measure(live, place).with_context(|| format!("{}, {}", item.id, row.case))?;
        let on = match place.hosts {
            Some(hosts) => format!("{}, {} hosts", place.mpi, hosts.count()),
            None => place.mpi.to_owned(),
        };
        for (of, value) in values {
            self.run.retain(|run| run.item != item.id || run.case != row.case || run.of != of);
            self.run.push(Run {
                item: item.id.clone(),
                case: row.case.clone(),
                of,
                on: on.clone(),
                value: value.rounded(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::chosen;
    use super::*;

    #[test]
    fn what_is_recorded_reads_back_as_the_same() {
        let run = |of: &str, value| Run {
            item: "T4.F9".into(),
            case: "here".into(),
            of: of.into(),
            on: "mpich".into(),
            value,
        };
        let all = Measured { run: vec![run("a(1)", Value::List(vec![1.0, 1.25])), run("b", Value::Number(3.0))] };
        assert_eq!(toml::from_str::<Measured>(&toml::to_string(&all).unwrap()).unwrap(), all);
        assert_eq!(all.run("T4.F9", "here", "b").unwrap().to_string(), "3 (mpich)");
        assert!(all.run("T4.F9", "here", "c").is_none());
    }

    #[test]
    fn a_row_lacks_runs_until_one_of_it_is_recorded() {
        let sources = chosen(Some("T4.F9")).unwrap();
        let item = &sources[0].item[0];
        let row = item.row.iter().find(|row| row.live.is_some()).unwrap();
        assert!(Measured::default().lacks(item, row));
        let run = |case: &str| Run {
            item: item.id.clone(),
            case: case.into(),
            of: "a".into(),
            on: "mpich".into(),
            value: Value::Number(1.0),
        };
        assert!(Measured { run: vec![run("another case")] }.lacks(item, row));
        assert!(!Measured { run: vec![run(&row.case)] }.lacks(item, row));
        let never_run = item.row.iter().find(|row| row.live.is_none()).unwrap();
        assert!(!Measured::default().lacks(item, never_run));
    }
}
