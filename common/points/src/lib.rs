//! Points: the text by which a tunlet tells ranks what to measure and what may be turned.
//!
//! One declaration a line. The tunlets print it ([`print`]), the library in each rank parses it ([`parse`]); printing and
//! parsing again gives the same declarations. `docs/points.md` describes the language.

#![forbid(unsafe_code)]

mod declaration;
mod names;
mod parse;
mod show;
mod values;

pub use declaration::{Declaration, Filter, Mode, Moment, Source, Trigger, Tuned};
pub use names::{Call, Label, Symbol};
pub use parse::{Error, Line, parse};
pub use show::print;
pub use values::{Span, Type};

/// Most arguments that can be turned.
pub const ARGUMENTS: u8 = 6;
