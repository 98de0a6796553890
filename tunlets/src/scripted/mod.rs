//! Scripted tunlets: a file describes them, no Rust is needed. `docs/tunlets.md` describes the files.
//!
//! They observe the numbers of each iteration, or window of a pipeline, and the measure points that the file declares. They set the tuning points that
//! the file declares or names. A script or rules in the language rhai decide. Each request is checked, tried, and rolled
//! back if it measures worse, as with the built-in tunlets.
//!
//! A script has no clock, no files and no random numbers; its operations and the size of its values are bounded, so it
//! always ends.
//!
//! [`file`] parses the text and [`mistake`] locates errors in it. [`engine`] is the language, [`names`] checks the names in a
//! script, [`functions`] are the models it may call, [`scope`] shows it a window and [`patterns`] that of a pipeline, [`program`] runs it, [`request`] checks what
//! it requests. [`tunlet`] puts them together, [`propose`] makes proposals, [`explanation`] explains them.

#[cfg(any(test, fuzzing))]
pub mod damaged;
mod engine;
mod explanation;
mod file;
mod functions;
mod limits;
mod mistake;
mod names;
mod patterns;
mod program;
mod propose;
mod request;
mod scope;
mod setting;
mod table;
mod tunlet;

#[cfg(test)]
mod tests;

pub use functions::FUNCTIONS;
pub use limits::FILE_BYTES;
pub use mistake::Mistake;
pub use tunlet::Scripted;

/// Whether an option names a file, not a built-in tunlet.
pub fn is_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}
