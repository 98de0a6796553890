//! How a job starts whose program was tuned before: technique, parameters and workers, as a text that the command line gives to the
//! ranks and to the analyzer.

use crate::{Technique, TechniqueParameters, WorkerSpeed};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Most ranks of a job whose start is a text.
const MOST_RANKS: u32 = 1 << 20;

/// What the ranks begin their first iteration with.
///
/// As a text: `technique=daf;factor=0;mean_s=0.002;sigma_s=0.001;min_chunk=1;recall=1;ranks=9;workers=1-4,7`. A reader skips keys that
/// it does not know, so the text may carry more than a start. Speeds are `task_s`, `deviation_s`, `tasks` and `chunks`,
/// each with a number per worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Technique and parameters.
    pub parameters: TechniqueParameters,
    /// Ranks of the job for which this holds.
    pub ranks: u32,
    /// Ranks of the workers that take part, ascending.
    pub workers: Vec<u32>,
    /// Their speeds, in that order; empty where they are not known.
    pub speeds: Vec<WorkerSpeed>,
}

/// The value of `key` in a text of `key=value` joined by semicolons.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split(';').find_map(|part| part.trim().strip_prefix(key)?.strip_prefix('='))
}

/// The value of `key`, read as a number.
///
/// # Errors
/// One sentence with the key.
pub fn number<T: FromStr>(text: &str, key: &str) -> Result<T, String> {
    let found = value(text, key).ok_or_else(|| format!("a start has no {key}"))?;
    found.parse().map_err(|_| format!("a start has {key}={found}, which is no number"))
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

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Start, String> {
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
        let ranks: u32 = number(text, "ranks")?;
        if !(2..=MOST_RANKS).contains(&ranks) || factor > 1.0 || min_chunk == 0 {
            return Err(format!("a start has ranks={ranks}, factor={factor} and min_chunk={min_chunk}"));
        }
        let workers =
            value(text, "workers").and_then(|list| workers(list, ranks)).ok_or("a start has no list of workers")?;
        let speeds = speeds(text, workers.len())?;
        // How messages are sent is what the user asks of each run.
        let synchronous = false;
        let parameters =
            TechniqueParameters { kind, factor, mean_s, sigma_s, min_chunk, recall, counter, team_size, synchronous };
        Ok(Start { parameters, ranks, workers, speeds })
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        write!(f, "ranks={};workers=", self.ranks)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn start(workers: &[u32]) -> Start {
        let parameters = TechniqueParameters {
            kind: Technique::Daf,
            mean_s: 0.00213,
            sigma_s: 1e-9,
            recall: true,
            counter: true,
            team_size: 20,
            ..TechniqueParameters::FALLBACK
        };
        Start { parameters, ranks: 9, workers: workers.to_vec(), speeds: Vec::new() }
    }

    #[test]
    fn a_start_comes_back_from_its_text() {
        for workers in [&[1, 2, 3, 4, 5, 6, 7, 8][..], &[0, 3, 4, 8], &[5], &[1, 3, 5]] {
            let start = start(workers);
            assert_eq!(start.to_string().parse(), Ok(start.clone()), "{start}");
            assert_eq!(format!("{start};time=3").parse(), Ok(start), "unknown keys are skipped");
        }
        let older = start(&[5]).to_string().replace("counter=1;team_size=20;", "");
        let older = older.parse::<Start>().unwrap().parameters;
        assert_eq!((older.counter, older.team_size), (false, 0), "of a version that knew none");
        assert!(start(&[1, 2, 3, 7]).to_string().ends_with("ranks=9;workers=1-3,7"));
        let speed = |tasks, time_s| WorkerSpeed::known(tasks, 12, time_s, 0.25);
        let speeds = Start { speeds: vec![speed(300, 0.00125), speed(80, 0.0051)], ..start(&[2, 3]) };
        assert!(
            speeds
                .to_string()
                .ends_with("workers=2-3;task_s=0.00125,0.0051;deviation_s=0.5,0.5;tasks=300,80;chunks=12,12"),
            "{speeds}"
        );
        assert_eq!(speeds.to_string().parse(), Ok(speeds));
    }

    #[test]
    fn nonsense_is_refused_in_one_sentence() {
        let good = format!("{};task_s=0.1,0.2;deviation_s=0,0.5;tasks=3,4;chunks=5,6", start(&[1, 2]));
        assert!(good.parse::<Start>().is_ok());
        for (from, to) in [
            ("technique=daf", "technique=fastest"),
            ("factor=0.5", "factor=2"),
            ("factor=0.5", "factor=nan"),
            ("min_chunk=1", "min_chunk=0"),
            ("recall=1", "recall=yes"),
            ("counter=1", "counter=2.5"),
            ("team_size=20", "team_size=-3"),
            ("ranks=9", "ranks=1"),
            ("ranks=9", "ranks=4000000000"),
            ("workers=1-2", "workers=1-9"),
            ("workers=1-2", "workers=2,1"),
            ("workers=1-2", "workers=2-1"),
            ("workers=1-2", "workers="),
            ("workers=1-2", "others=1"),
            ("task_s=0.1,0.2", "task_s=0.1"),
            ("task_s=0.1,0.2", "task_s=0.1,0"),
            ("deviation_s=0,0.5", "deviation_s=0,-0.5"),
            ("tasks=3,4", "tasks=3,x"),
            ("chunks=5,6", "chunks=5,6,7"),
        ] {
            let bad = good.replace(from, to);
            assert_ne!(bad, good);
            assert!(bad.parse::<Start>().is_err(), "{bad}");
        }
    }
}
