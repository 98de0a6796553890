//! The points language: the text by which a tunlet tells ranks what to measure and which tuning points to create.
//!
//! Each line is a declaration. Tunlets print the text ([`print`]), and the library in each rank parses it ([`parse`]); parsing
//! a printed text gives the same declarations. `docs/points.md` describes the language.

#![forbid(unsafe_code)]

#[cfg(any(test, fuzzing))]
pub mod damaged;
mod declaration;
mod names;
mod parse;
mod show;
mod values;

pub use declaration::{Argument, Declaration, Extent, Filter, Mode, Moment, Place, Source, Trigger, Tuned};
pub use names::{Call, ControlName, Label, Symbol};
pub use parse::{Error, Line, parse};
pub use show::print;
pub use values::{Span, Type};

/// Largest position of an argument that can be tuned.
pub const ARGUMENTS: u8 = 6;
