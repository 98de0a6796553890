//! What the user asks of the frameworks' sends from the start.

use crate::stderr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of the Master/Worker framework: 1 for synchronous sends; 0 or absent: no send holds its sender.
pub const MASTER_WORKER: &str = "MIDRUN_MW_SYNCHRONOUS";
/// The same for pipelines.
const PIPELINE: &str = "MIDRUN_PIPE_SYNCHRONOUS";

fn parse(text: Option<&str>) -> Option<bool> {
    match text {
        None | Some("0") => Some(false),
        Some("1") => Some(true),
        Some(_) => None,
    }
}

/// Returns whether `variable` asks for synchronous sends; a value that makes no sense is said, and asks for none.
pub fn asked(variable: &str) -> bool {
    let value = std::env::var_os(variable).map(|value| value.to_string_lossy().into_owned());
    parse(value.as_deref()).unwrap_or_else(|| {
        let value = value.unwrap_or_default();
        stderr::warn(format_args!(
            "{variable}={value} is neither 0 nor 1: make it 1 for synchronous sends, 0 for none"
        ));
        false
    })
}

static PIPELINES: OnceLock<AtomicBool> = OnceLock::new();

fn pipelines() -> &'static AtomicBool {
    PIPELINES.get_or_init(|| AtomicBool::new(asked(PIPELINE)))
}

/// Returns whether pipelines shall send synchronously from their next input on.
pub fn of_pipelines() -> bool {
    pipelines().load(Ordering::Relaxed)
}

/// Sets it.
pub fn set_pipelines(synchronous: bool) {
    pipelines().store(synchronous, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_0_and_1_are_taken() {
        let parsed = [None, Some("0"), Some("1"), Some("yes"), Some("")].map(parse);
        assert_eq!(parsed, [Some(false), Some(false), Some(true), None, None]);
    }
}
