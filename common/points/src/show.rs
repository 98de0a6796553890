//! Prints declarations as text.

use crate::{Argument, Declaration, Extent, Filter, Mode, Moment, Place, Source, Span, Symbol, Trigger, Tuned};
use std::fmt::{Display, Formatter, Result};

/// Prints one declaration per line.
pub fn print(declarations: &[Declaration]) -> String {
    declarations.iter().map(|declaration| format!("{declaration}\n")).collect()
}

/// A number in its shortest form that parses to the same value.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let short = self.0.fract() == 0.0 && self.0.abs() < 1e15;
        if short { write!(f, "{}", self.0) } else { write!(f, "{:?}", self.0) }
    }
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}..{}", Number(self.minimum), Number(self.maximum))
    }
}

impl Display for Mode {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.as_str())
    }
}

impl Display for Trigger {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Trigger::Function(symbol) => write!(f, "function {symbol}"),
            Trigger::Mpi { call, world, every } => {
                write!(f, "mpi {call}{}", if *world { " world" } else { "" })?;
                if *every == 1 { Ok(()) } else { write!(f, " every {every}") }
            }
        }
    }
}

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(peer) = self.peer {
            write!(f, " peer={peer}")?;
        }
        if let Some(tag) = self.tag {
            write!(f, " tag={tag}")?;
        }
        if let Some((least, most)) = self.bytes {
            write!(f, " bytes={least}..{most}")?;
        }
        f.write_str(if self.world { " world" } else { "" })
    }
}

impl Argument {
    fn shown_kind(&self) -> String {
        format!("{}{}", self.kind.as_str(), if self.by_reference { "*" } else { "" })
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} {} {}", self.symbol, self.number, self.shown_kind())
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Source::Function(symbol) => write!(f, "function {symbol}"),
            Source::Mpi(call, filter) => write!(f, "mpi {call}{filter}"),
            Source::Variable { symbol, kind, at: None } => write!(f, "variable {symbol} {}", kind.as_str()),
            Source::Variable { symbol, kind, at: Some(at) } => {
                write!(f, "variable {symbol} {} at {at}", kind.as_str())
            }
            Source::Argument(argument) => write!(f, "argument {argument}"),
        }
    }
}

impl Display for Tuned {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Tuned::Variable { symbol, kind, span, step } => {
                write!(f, "variable {symbol} {} {span}", kind.as_str())?;
                step.map_or(Ok(()), |step| write!(f, " step {}", Number(step)))
            }
            Tuned::Text { symbol, bytes } => write!(f, "text {symbol} {bytes}"),
            Tuned::Replace { symbol, by } => {
                let by: Vec<String> = by.iter().map(Symbol::to_string).collect();
                write!(f, "replace {symbol} by {}", by.join(","))
            }
            Tuned::Argument { argument, span } => write!(f, "argument {argument} {span}"),
            Tuned::Control { name, span: None } => write!(f, "control {name}"),
            Tuned::Control { name, span: Some(span) } => write!(f, "control {name} {span}"),
        }
    }
}

impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Declaration::Iteration(trigger) => write!(f, "iteration {trigger}"),
            Declaration::Work { symbol, first, tasks } => {
                write!(f, "work function {symbol}")?;
                let word =
                    |of: &Extent| Extent::ALL.iter().find(|(extent, _)| extent == of).map_or("tasks", |(_, word)| word);
                let tasks = tasks.as_ref().map(|(extent, argument)| (word(extent), argument));
                let all = first.as_ref().map(|argument| ("first", argument)).into_iter().chain(tasks);
                all.into_iter()
                    .try_for_each(|(name, argument)| write!(f, " {name} {} {}", argument.number, argument.shown_kind()))
            }
            Declaration::Measure { label, source, mode } => write!(f, "measure {label} {source} {mode}"),
            Declaration::Tune { label, what, at } => {
                write!(f, "tune {label} {what}")?;
                let Some((moment, symbol)) = at else { return Ok(()) };
                let place = match moment {
                    Place::At(Moment::Before) => "at entry",
                    Place::At(Moment::After) => "at exit",
                    Place::Inside => "inside",
                };
                write!(f, " {place} {symbol}")
            }
            Declaration::Insert { label, call, moment, point } => {
                let moment = if *moment == Moment::Before { "before" } else { "after" };
                write!(f, "insert {label} {call} {moment} {point}")
            }
            Declaration::Once { label, call } => write!(f, "once {label} {call}"),
            Declaration::Return { label } => write!(f, "return {label} on-loss"),
        }
    }
}
