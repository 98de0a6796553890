//! `midrun predict cost --source`: the structure of a C function, with times and counts that were given or recorded.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use midrun_analyzer::JobId;
use midrun_analyzer::recording::{self, Reader};
use midrun_predict::time_cost::source::{Given, Known, from_c};
use midrun_predict::time_cost::{Machine, Policy, Structure};
use midrun_proto::v1::event::Kind;

use crate::recording::RecordingArgs;
use crate::usage::Usage;

/// Where a structure is derived from.
#[derive(clap::Args, Debug)]
pub struct SourceArgs {
    /// Derive the structure from a C source
    #[arg(long, value_name = "FILE.c", requires = "function", conflicts_with = "file")]
    source: Option<PathBuf>,
    /// The function of the source
    #[arg(long, value_name = "NAME", requires = "source")]
    function: Option<String>,
    /// A number that the source names, such as the bound of a loop, or threads of OpenMP; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::super::program::setting, requires = "source")]
    set: Vec<(String, f64)>,
    /// Time of a call of a function, seconds; may be repeated
    #[arg(long, value_name = "NAME=SECONDS", value_parser = super::super::program::setting, requires = "source")]
    cost: Vec<(String, f64)>,
    /// Recording whose measure points are labelled with functions' names: times of their calls, and how often loops repeat
    #[arg(long, value_name = "RECORDING", requires = "source")]
    from: Option<PathBuf>,
    /// Processors
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "source")]
    processors: f64,
    /// Write the structure
    #[arg(long, value_name = "FILE", requires = "source")]
    to: Option<PathBuf>,
}

impl SourceArgs {
    /// The derived structure with the name of its source; `None` where a description is given.
    ///
    /// # Errors
    /// A file that cannot be read or written, a source that is not understood.
    pub fn structure(&self) -> anyhow::Result<Option<(PathBuf, Structure)>> {
        let (Some(source), Some(function)) = (&self.source, &self.function) else { return Ok(None) };
        let mut given = Given { numbers: self.set.iter().cloned().collect(), ..Given::default() };
        if let Some(file) = &self.from {
            given.functions = recorded(file)?;
        }
        for (name, mean_s) in &self.cost {
            let calls = given.functions.get(name).and_then(|known| known.calls);
            given.functions.insert(name.clone(), Known { mean_s: *mean_s, variance_s2: 0.0, calls });
        }
        let machine = Machine { processors: self.processors, speed: 1.0, policy: Policy::Equal };
        let structure = super::super::description::read(source, |text| from_c(text, function, &given, machine))?;
        if let Some(path) = &self.to {
            let text = format!("# Derived from {} of {}.\n{}", function, source.display(), structure.to_toml());
            std::fs::write(path, text).map_err(|error| Usage(format!("--to {}: {error}", path.display())))?;
        }
        Ok(Some((source.clone(), structure)))
    }
}

/// The measured functions of a recording, by label.
fn recorded(file: &Path) -> anyhow::Result<BTreeMap<String, Known>> {
    let which = RecordingArgs::at(file.to_owned(), None);
    let job = which.job()?;
    let measured = measured(which.reader()?, &job).map_err(|error| which.wrong(error))?;
    let known = |(label, of): (String, Sum)| {
        let mean_s = of.sum_s / of.timed as f64;
        let variance_s2 = (of.squares_s2 / of.timed as f64 - mean_s * mean_s).max(0.0);
        (of.timed > 0).then_some((label, Known { mean_s, variance_s2, calls: Some(of.calls) }))
    };
    let all: BTreeMap<String, Known> = measured.into_iter().filter_map(known).collect();
    match all.is_empty() {
        true => Err(which
            .wrong(
                "has no measured function: give `midrun run --points` lines such as `measure work function work sum`",
            )
            .into()),
        false => Ok(all),
    }
}

/// Sums over all measurements of a label.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    calls: u64,
    timed: u64,
    sum_s: f64,
    squares_s2: f64,
}

fn measured<R: Read>(reader: Reader<R>, job: &JobId) -> std::io::Result<BTreeMap<String, Sum>> {
    let mut all = BTreeMap::<String, Sum>::new();
    recording::batches(reader, job, |_, batch| {
        for (_, kind) in recording::events(batch) {
            let Kind::PointMeasured(point) = kind else { continue };
            if point.is_value {
                continue;
            }
            let sum = all.entry(point.label).or_default();
            sum.calls = sum.calls.saturating_add(point.count);
            sum.timed = sum.timed.saturating_add(point.timed);
            sum.sum_s += point.sum;
            sum.squares_s2 += point.squares;
        }
    })?;
    Ok(all)
}
