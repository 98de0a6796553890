//! Bounds of a state space, from the command line and the free memory.

use midrun_predict::pepa::Limits;

/// Bounds of the state space.
#[derive(clap::Args, Debug)]
pub struct LimitArgs {
    /// Most states; beyond, the prediction stops and says how many it found
    #[arg(long, value_name = "N", default_value_t = 50_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_states: u32,
    /// Most memory in MiB [default: three quarters of what is free]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    max_memory: Option<u32>,
}

impl LimitArgs {
    /// The bounds for the model.
    pub fn limits(&self) -> Limits {
        let bytes = self.max_memory.map(|mib| (mib as usize) << 20).or_else(free_bytes);
        let max_bytes = bytes.unwrap_or(Limits::default().max_bytes);
        Limits { max_states: self.max_states as usize, max_bytes }
    }
}

/// A share in percent, above 0.
///
/// # Errors
/// A sentence with what is allowed.
pub fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').trim().parse::<f64>();
    value
        .ok()
        .filter(|of| *of > 0.0 && *of < 100.0)
        .ok_or_else(|| "allowed is a share above 0 and below 100, such as 0.5".to_owned())
}

/// Three quarters of the memory that the system has to give without swapping, and that this process may have.
fn free_bytes() -> Option<usize> {
    let system = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = system.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().trim_end_matches(" kB").parse().ok()?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some((kib << 10).min(group.unwrap_or(usize::MAX)) / 4 * 3)
}
