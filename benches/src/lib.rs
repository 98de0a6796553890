//! Shared by the measuring programs: paths, starting jobs, spreads.

#![forbid(unsafe_code)]

pub mod far;
pub mod flood;
pub mod lasting;
pub mod master;
pub mod own;
pub mod papers;
pub mod processes;
pub mod programs;
pub mod real;
pub mod runs;
pub mod simplex;
pub mod standing;
pub mod tuned;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables with which Open MPI's launcher runs for root, too.
pub const AS_ROOT: [(&str, &str); 2] = [("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")];

/// Median and spread of repeated measurements, in their unit.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Tenth percentile.
    pub p10: f64,
    /// Median.
    pub median: f64,
    /// Ninetieth percentile.
    pub p90: f64,
    /// How many values.
    pub count: usize,
}

/// Spread of `values`; `None` when there are none.
pub fn spread(mut values: Vec<f64>) -> Option<Spread> {
    values.retain(|v| v.is_finite());
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    (!values.is_empty()).then(|| Spread { p10: at(0.1), median: at(0.5), p90: at(0.9), count: values.len() })
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.4} [{:.4} … {:.4}]", self.median, self.p10, self.p90)
    }
}

/// The interval that encloses the median of what the values are drawn from with a probability of 0.95 at least, whatever their
/// distribution: the innermost two of the sorted values, as far from either end, that the binomial distribution allows. `None` for fewer
/// than six.
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    // Probability that at most k of the values lie below the median, k = 0, 1, …
    let (mut below, mut exactly) = (0.0, 0.5_f64.powi(i32::try_from(count).ok()?));
    let mut inner = None;
    for k in 0..count / 2 {
        below += exactly;
        exactly *= (count - k) as f64 / (k + 1) as f64;
        if 2.0 * below > 0.05 {
            break;
        }
        inner = Some((sorted[k], sorted[count - 1 - k]));
    }
    inner
}

/// The first seed of generated programs: that which was asked for, or one of the clock.
pub fn first_seed(asked: Option<u64>) -> u64 {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    asked.unwrap_or_else(|| clock.map_or(0, |since| since.as_secs() % 1_000_000))
}

/// Prints the spread of some figures and the largest; nothing where there are none.
pub fn print_spread(what: &str, values: &[f64]) {
    if let Some(spread) = spread(values.to_vec()) {
        println!("{what}: {spread}, worst {:.4}", values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}

/// The tree that `deploy/build` installs into: `$MIDRUN_PREFIX`, or `target/midrun` of this checkout.
pub fn prefix() -> PathBuf {
    std::env::var_os("MIDRUN_PREFIX")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/midrun"), PathBuf::from)
}

/// Command lines for many sleeping ranks on one small machine; see docs/measuring.md.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The command before `midrun run`, which enters the first host.
    pub before: Vec<String>,
    /// The launcher before the application: `mpirun.openmpi -n 26 …`.
    pub words: Vec<String>,
}

/// Emulated hosts h1, h2, … of `deploy/cluster/emuc`; dropping this takes them down.
#[derive(Debug)]
pub struct Hosts {
    names: Vec<String>,
    directory: tempfile::TempDir,
}

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/cluster").join(name).display().to_string()
}

impl Hosts {
    /// Brings `count` hosts up; each link is limited to `rate` (such as `100mbit`).
    ///
    /// # Errors
    /// When this machine does not allow it: it takes root and network namespaces.
    pub fn up(count: u32, rate: &str) -> Result<Hosts> {
        let status = Command::new(script("emuc")).args(["up", &count.to_string(), rate]).status()?;
        anyhow::ensure!(status.success(), "the emulated hosts do not come up: it takes root, iproute2 and util-linux");
        Ok(Hosts { names: (1..=count).map(|k| format!("h{k}")).collect(), directory: tempfile::tempdir()? })
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Open MPI's ranks spread over the hosts, the master and `midrun run` on h1.
    ///
    /// # Errors
    /// When the hostfile cannot be written.
    pub fn launcher(&self, ranks: u32, realtime: bool) -> Result<Launcher> {
        let hosts = self.names.len() as u32;
        let slots = |k: u32| ranks / hosts + u32::from(k < ranks % hosts);
        let lines = self.names.iter().zip(0..).map(|(name, k)| format!("{name} slots={}\n", slots(k)));
        let hostfile = self.directory.path().join("hosts");
        std::fs::write(&hostfile, lines.collect::<String>())?;
        let remote = script("emuc-rsh");
        let local = Launcher::local("openmpi", ranks, realtime)?;
        let mut words = local.words;
        words.extend(["--mca", "plm_rsh_agent", &remote, "--hostfile"].map(str::to_owned));
        words.push(hostfile.display().to_string());
        words.extend([prefix().join("bin/midrun").display().to_string(), "exec".to_owned()]);
        Ok(Launcher { before: vec![script("emuc"), "exec".to_owned(), "h1".to_owned()], words })
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let _ = Command::new(script("emuc")).arg("down").status();
    }
}

impl Launcher {
    /// `mpi` is `openmpi` or `mpich`; `ranks` includes the master.
    pub fn local(mpi: &str, ranks: u32, realtime: bool) -> Result<Self> {
        let program = [format!("mpirun.{mpi}"), "mpirun".to_owned()]
            .into_iter()
            .find(|name| on_path(name))
            .context("no mpirun on PATH: load your MPI's module or install one")?;
        let mut words: Vec<String> = Vec::new();
        if realtime {
            words.extend(["chrt", "-f", "1"].map(str::to_owned));
        }
        words.push(program);
        words.extend(["-n".to_owned(), ranks.to_string()]);
        if mpi == "openmpi" {
            let quiet = "--oversubscribe --bind-to none --mca mpi_yield_when_idle 1";
            words.extend(quiet.split(' ').map(str::to_owned));
        }
        Ok(Self { before: Vec::new(), words })
    }
}

fn on_path(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(name).is_file()))
}

/// Runs `application` under `midrun run`, without what earlier runs learnt, and returns the job's summary.
///
/// # Errors
/// When the job cannot be started, does not end with 0, or leaves no summary.
pub fn run_under_midrun(flags: &[String], launcher: &Launcher, application: &[String]) -> Result<serde_json::Value> {
    Ok(run_with_memory(None, flags, launcher, application)?.0)
}

/// The same with a state directory, in which midrun remembers its runs. Returns what the application wrote, too.
///
/// # Errors
/// As of [`run_under_midrun`].
pub fn run_with_memory(
    state: Option<&Path>,
    flags: &[String],
    launcher: &Launcher,
    application: &[String],
) -> Result<(serde_json::Value, String)> {
    let directory = tempfile::tempdir()?;
    let summary = directory.path().join("summary.json");
    let mut line = launcher.before.clone();
    line.extend([prefix().join("bin/midrun").display().to_string(), "run".to_owned()]);
    let mut command = Command::new(&line[0]);
    command
        .args(&line[1..])
        .arg("--summary")
        .arg(&summary)
        .args(flags)
        .arg("--")
        .args(&launcher.words)
        .args(application)
        .envs(AS_ROOT)
        .stderr(Stdio::piped());
    match state {
        Some(state) => command.env("XDG_STATE_HOME", state),
        None => command.env("MIDRUN_CFG_RUN__NO_MEMORY", "true"),
    };
    let output = command.output().context("midrun does not start: run deploy/build first")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{:?} ended with {}: {said}", application, output.status);
    }
    let text = std::fs::read_to_string(&summary).context("the run left no summary")?;
    Ok((serde_json::from_str(&text)?, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// The numbers of a list in a summary; empty when it is not there.
pub fn numbers(summary: &serde_json::Value, key: &str) -> Vec<f64> {
    let list = key.split('.').fold(summary, |value, part| &value[part]);
    list.as_array().map(|items| items.iter().filter_map(serde_json::Value::as_f64).collect()).unwrap_or_default()
}

/// Iteration in which a search first set `value`; 0 if the job began with it.
pub fn first_set(summary: &serde_json::Value, value: f64) -> f64 {
    let decisions = summary["decisions"].as_array().into_iter().flatten();
    let mut to = decisions.filter(|d| d["to"].as_str().and_then(|text| text.parse().ok()) == Some(value));
    to.find_map(|d| d["applied_iteration"].as_f64()).unwrap_or(0.0)
}

/// Iteration in which the last change came into force.
pub fn last_change(summary: &serde_json::Value) -> f64 {
    let decisions = summary["decisions"].as_array().into_iter().flatten();
    decisions.filter_map(|d| d["applied_iteration"].as_f64()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_names_the_middle_and_both_ends() {
        let s = spread((1..=11).map(f64::from).collect()).unwrap();
        assert_eq!((s.p10, s.median, s.p90, s.count), (2.0, 6.0, 10.0, 11));
    }

    #[test]
    fn the_median_of_ten_values_lies_between_the_second_and_the_ninth_as_tables_have_it() {
        let first = |count: u32| median_interval(&(1..=count).map(f64::from).collect::<Vec<_>>());
        assert_eq!(
            [first(5), first(6), first(10), first(20)],
            [None, Some((1.0, 6.0)), Some((2.0, 9.0)), Some((6.0, 15.0))]
        );
    }

    #[test]
    fn nothing_measured_has_no_spread() {
        assert!(spread(vec![f64::NAN]).is_none());
    }
}
