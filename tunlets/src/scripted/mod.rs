//! Tunlets from outside: written in a file, not in Rust. `docs/tunlets.md` is their description for people.
//!
//! What it sees: the numbers of each iteration, and the measure points that its file declares.
//! What it turns: the tuning points that its file declares, or names.
//! How it decides: by a script or by rules in the language rhai. What it asks for is checked, tried, and taken back when it
//! made things worse, as with the built-in tunlets.
//!
//! A script has no clock, no files and no chance; its operations and the size of its values are bounded, so it always ends.
//!
//! [`file`] reads the text, [`mistake`] says where it is wrong, [`engine`] is the language, [`names`] checks the names in a
//! script, [`functions`] are the models it may call, [`scope`] shows it a window, [`program`] runs it, [`answer`] checks what it
//! asks for, [`trial`] watches what came of it, [`tunlet`] puts them together, [`asking`] makes proposals, [`explanation`]
//! explains it.

mod answer;
mod asking;
mod engine;
mod explanation;
mod file;
mod functions;
mod limits;
mod mistake;
mod names;
mod program;
mod scope;
mod trial;
mod tunlet;

#[cfg(test)]
mod tests;

pub use functions::FUNCTIONS;
pub use limits::FILE_BYTES;
pub use mistake::Mistake;
pub use tunlet::Scripted;

/// Whether a option for a tunlet names a file, not a built-in one.
pub fn is_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}
