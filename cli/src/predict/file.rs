//! What predictions from a file share: reading it, and how much memory they may take.

use std::path::Path;

use midrun_models::pepa::Limits;

use crate::usage::Usage;

/// No model that people write is larger.
const MOST_BYTES: u64 = 64 << 20;

/// How far a state space may grow.
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
    /// As limits of the model.
    pub fn limits(&self) -> Limits {
        let bytes = self.max_memory.map(|mib| (mib as usize) << 20).or_else(free_bytes);
        let max_bytes = bytes.unwrap_or(Limits::default().max_bytes);
        Limits { max_states: self.max_states as usize, max_bytes }
    }
}

/// Three quarters of the memory that the system has to give without swapping, and that this process may have.
fn free_bytes() -> Option<usize> {
    let system = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = system.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().trim_end_matches(" kB").parse().ok()?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some((kib << 10).min(group.unwrap_or(usize::MAX)) / 4 * 3)
}

/// The text of `path`.
///
/// # Errors
/// A file that is not there, too large, or no text.
pub fn read(path: &Path) -> Result<String, Usage> {
    let name = path.display();
    let length = std::fs::metadata(path).map_err(|error| Usage(format!("{name}: {error}")))?.len();
    if length > MOST_BYTES {
        return Err(Usage(format!("{name} has {length} bytes; a model has at most {MOST_BYTES}")));
    }
    let bytes = std::fs::read(path).map_err(|error| Usage(format!("{name}: {error}")))?;
    String::from_utf8(bytes).map_err(|error| Usage(format!("{name} is no UTF-8 text: {}", error.utf8_error())))
}

/// What is wrong with the file at `path`.
pub fn wrong(path: &Path, error: &impl std::fmt::Display) -> Usage {
    Usage(format!("{}: {error}", path.display()))
}
