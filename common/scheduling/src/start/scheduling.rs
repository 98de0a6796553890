//! Loop scheduling of a start as a text: technique, parameters, workers and their speeds, and the cut-off depth.

use super::{number, value};
use crate::{Technique, TechniqueParameters, WorkerSpeed};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Loop scheduling, and the workers that take part. In a text, speeds are `task_s`, `deviation_s`, `tasks` and `chunks`, each with a number
/// per worker, and `cutoff` is the cut-off depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduling {
    /// Technique and parameters.
    pub parameters: TechniqueParameters,
    /// Ranks of the workers that take part, ascending.
    pub workers: Vec<u32>,
    /// Their speeds, in that order; empty where they are not known.
    pub speeds: Vec<WorkerSpeed>,
    /// Depth at which the master stops to divide; `None` where no problem is divided.
    pub cutoff: Option<u32>,
}

/// The ranks of `1-4,7`, each below `ranks`.
fn workers(text: &str, ranks: u32) -> Option<Vec<u32>> {
    let range = |part: &str| -> Option<RangeInclusive<u32>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let range = first.parse().ok()?..=last.parse().ok()?;
        (*range.end() < ranks).then_some(range)
    };
    let ranges = text.split(',').map(range).collect::<Option<Vec<_>>>()?;
    let all: Vec<u32> = ranges.into_iter().flatten().take(ranks as usize).collect();
    (!all.is_empty() && all.is_sorted_by(|a, b| a < b)).then_some(all)
}

/// The numbers of `key`, one per worker; none where there is no such key.
fn numbers<T: FromStr>(text: &str, key: &str, workers: usize) -> Result<Vec<T>, String> {
    let Some(list) = value(text, key) else { return Ok(Vec::new()) };
    let all = list.split(',').map(|number| number.parse().ok()).collect::<Option<Vec<T>>>();
    all.filter(|all| all.len() == workers)
        .ok_or_else(|| format!("a start has no {key} of each of its {workers} workers"))
}

/// The speeds of so many workers; empty where they are not given.
fn speeds(text: &str, workers: usize) -> Result<Vec<WorkerSpeed>, String> {
    let (times, deviations) = (numbers::<f64>(text, "task_s", workers)?, numbers::<f64>(text, "deviation_s", workers)?);
    let (tasks, chunks) = (numbers::<u64>(text, "tasks", workers)?, numbers::<u64>(text, "chunks", workers)?);
    let is_time = |time_s: &f64, least_s: f64| time_s.is_finite() && *time_s >= least_s;
    if !times.iter().all(|time_s| is_time(time_s, f64::MIN_POSITIVE)) || !deviations.iter().all(|s| is_time(s, 0.0)) {
        return Err("a start has a worker whose tasks take no time".into());
    }
    let known = |(((time_s, deviation_s), tasks), chunks): (((f64, f64), u64), u64)| {
        WorkerSpeed::known(tasks, chunks, time_s, deviation_s * deviation_s)
    };
    Ok(times.into_iter().zip(deviations).zip(tasks).zip(chunks).map(known).collect())
}

impl Scheduling {
    /// The scheduling of a text, for workers below `ranks`.
    ///
    /// # Errors
    /// One sentence.
    pub(super) fn read(text: &str, ranks: u32) -> Result<Scheduling, String> {
        let name = value(text, "technique").ok_or("a start has no technique")?;
        let kind =
            Technique::parse(name).ok_or_else(|| format!("a start names the technique {name}, which there is not"))?;
        let real = |key| {
            let number: f64 = number(text, key)?;
            if number.is_finite() && number >= 0.0 { Ok(number) } else { Err(format!("a start has {key}={number}")) }
        };
        let (factor, mean_s, sigma_s) = (real("factor")?, real("mean_s")?, real("sigma_s")?);
        let min_chunk: u64 = number(text, "min_chunk")?;
        let recall = number::<u8>(text, "recall")? != 0;
        // Texts of earlier versions have no counter.
        let counter = value(text, "counter").is_some() && number::<u8>(text, "counter")? != 0;
        // Nor a size of teams.
        let team_size = if value(text, "team_size").is_some() { number(text, "team_size")? } else { 0 };
        if ranks < 2 || factor > 1.0 || min_chunk == 0 {
            return Err(format!("a start has ranks={ranks}, factor={factor} and min_chunk={min_chunk}"));
        }
        let workers =
            value(text, "workers").and_then(|list| workers(list, ranks)).ok_or("a start has no list of workers")?;
        let speeds = speeds(text, workers.len())?;
        let cutoff = value(text, "cutoff").map(|_| number(text, "cutoff")).transpose()?;
        // How messages are sent is what the user asks of each run.
        let synchronous = false;
        let parameters =
            TechniqueParameters { kind, factor, mean_s, sigma_s, min_chunk, recall, counter, team_size, synchronous };
        Ok(Scheduling { parameters, workers, speeds, cutoff })
    }

    /// For people, without the workers.
    pub(super) fn name(&self) -> String {
        let parameters = self.parameters;
        self.cutoff.map_or(parameters.to_string(), |depth| format!("{parameters}, cut-off depth {depth}"))
    }

    /// The text of a start of so many ranks.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, ranks: u32) -> fmt::Result {
        let TechniqueParameters {
            kind,
            factor,
            mean_s,
            sigma_s,
            min_chunk,
            recall,
            counter,
            team_size,
            synchronous: _,
        } = self.parameters;
        write!(f, "technique={};factor={factor};mean_s={mean_s};sigma_s={sigma_s};", kind.name())?;
        let (recall, counter) = (u8::from(recall), u8::from(counter));
        write!(f, "min_chunk={min_chunk};recall={recall};counter={counter};team_size={team_size};")?;
        if let Some(depth) = self.cutoff {
            write!(f, "cutoff={depth};")?;
        }
        write!(f, "ranks={ranks};workers=")?;
        for (at, run) in self.workers.chunk_by(|a, b| a + 1 == *b).enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match run {
                [only] => write!(f, "{comma}{only}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [] => {}
            }
        }
        if !self.speeds.is_empty() {
            let list =
                |of: &dyn Fn(&WorkerSpeed) -> String| self.speeds.iter().map(of).collect::<Vec<String>>().join(",");
            let (tasks, chunks) = (list(&|speed| speed.tasks.to_string()), list(&|speed| speed.chunks.to_string()));
            let (times, deviations) = (list(&|s| s.mean_s.to_string()), list(&|s| s.var_s2.sqrt().to_string()));
            write!(f, ";task_s={times};deviation_s={deviations};tasks={tasks};chunks={chunks}")?;
        }
        Ok(())
    }
}
