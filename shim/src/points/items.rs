//! Declarations that were found in this process: what they stand for here, and how their tuning points are set.

use super::calls::{Calls, calls};
use super::measured::Values;
use super::variable::{Variable, read_text, to_bits, write_text};
use midrun_instrument::{Hook, Refusal, hook, symbols};
use midrun_points::{Declaration, Line, Mode, Moment, Source, Symbol, Trigger, Tuned, Type};
use midrun_ring::TuningPointKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A declaration, and what it is here.
pub struct Item {
    /// Its number in this process.
    pub id: u32,
    /// Its line.
    pub line: u32,
    /// What was declared.
    pub declaration: Declaration,
    /// What that is here.
    pub done: Done,
    /// The function at whose entry or exit its tuning point is set; `None`: at any safe point.
    pub place: Option<(Hook, Moment)>,
    /// Its value goes back when the agent is lost.
    pub returns_on_loss: bool,
    /// The agent is lost, and its value goes back at `place`.
    pub goes_back: bool,
    /// Detail that the budget leaves it, from 0 = all; see `budget`.
    pub shed: u32,
}

/// What a declaration is here.
pub enum Done {
    /// Iterations by a function.
    Iterates(Hook),
    /// Iterations by an MPI call, by their number.
    IteratesByCall(&'static dyn Calls, u32),
    /// A function that is measured.
    Function(Hook),
    /// MPI calls that are measured, by their number.
    Calls(&'static dyn Calls, u32),
    /// A variable that is read, at the entry of a function if given.
    Reads(Variable, Option<Hook>, Arc<Values>),
    /// A variable that can be set: its value at start; its step.
    Variable { variable: Variable, start: f64, step: Option<(f64, f64)> },
    /// A text that can be set.
    Text { address: usize, bytes: usize, start: String },
    /// A function that can be replaced.
    Replace { hook: Hook, by: Vec<usize>, now: usize },
    /// An argument that can be set.
    Argument { hook: Hook, place: u32, kind: Type, now: Option<f64>, least: f64 },
    /// A call that can be put in.
    Insert { hook: Hook, call: usize, enabled: Arc<AtomicBool> },
    /// A call that can be made.
    Once { call: usize, now: f64 },
}

static NEXT: AtomicU32 = AtomicU32::new(0);

fn at(symbol: &Symbol) -> Result<Hook, Refusal> {
    hook(&symbols::function(symbol.name(), symbol.object())?)
}

fn call(symbol: &Symbol) -> Result<usize, Refusal> {
    symbols::function(symbol.name(), symbol.object()).map(|function| function.address)
}

fn variable(symbol: &Symbol, kind: Type) -> Result<(Variable, bool), Refusal> {
    let found = symbols::variable(symbol.name(), symbol.object(), kind.bytes() as u64, true)?;
    Ok((Variable { address: found.address, kind }, found.writable))
}

/// Finds what the line speaks of.
///
/// # Errors
/// Why it cannot be done.
pub fn make(line: &Line) -> Result<Item, String> {
    let done = find(&line.declaration)?;
    let place = match &line.declaration {
        Declaration::Tune { at: Some((moment, symbol)), .. } => {
            Some((at(symbol).map_err(|refusal| refusal.to_string())?, *moment))
        }
        _ => None,
    };
    let (id, declaration) = (NEXT.fetch_add(1, Ordering::Relaxed), line.declaration.clone());
    let (returns_on_loss, goes_back) = (false, false);
    Ok(Item { id, line: line.number, declaration, done, place, returns_on_loss, goes_back, shed: 0 })
}

fn find(declaration: &Declaration) -> Result<Done, String> {
    let text = |refusal: Refusal| refusal.to_string();
    Ok(match declaration {
        Declaration::Iteration(Trigger::Function(symbol)) => Done::Iterates(at(symbol).map_err(text)?),
        Declaration::Iteration(Trigger::Mpi { call, world, every }) => {
            let calls = calls();
            Done::IteratesByCall(calls, calls.iterate(call, *world, *every)?)
        }
        Declaration::Measure { source: Source::Function(symbol), .. } => Done::Function(at(symbol).map_err(text)?),
        Declaration::Measure { source: Source::Mpi(call, filter), mode, label } => {
            let calls = calls();
            Done::Calls(calls, calls.measure(label.as_str(), call, filter, *mode)?)
        }
        Declaration::Measure { source: Source::Variable { symbol, kind, at: place }, .. } => {
            let (variable, _) = variable(symbol, *kind).map_err(text)?;
            let place = place.as_ref().map(at).transpose().map_err(text)?;
            Done::Reads(variable, place, Arc::default())
        }
        Declaration::Tune { what, .. } => tuned(what)?,
        Declaration::Insert { call: function, point, .. } => Done::Insert {
            hook: at(point).map_err(text)?,
            call: call(function).map_err(text)?,
            enabled: Arc::default(),
        },
        Declaration::Once { call: function, .. } => Done::Once { call: call(function).map_err(text)?, now: 0.0 },
        Declaration::Return { .. } => return Err("it names no point".into()),
    })
}

fn tuned(what: &Tuned) -> Result<Done, String> {
    let text = |refusal: Refusal| refusal.to_string();
    Ok(match what {
        Tuned::Variable { symbol, kind, span, step } => {
            let (variable, writable) = variable(symbol, *kind).map_err(text)?;
            if !writable {
                return Err(format!("{symbol} is a constant"));
            }
            let start = variable.read();
            if !start.is_finite() {
                return Err(format!("{symbol} is {start} now, which is no value that a tuning point can have"));
            }
            Done::Variable { variable, start, step: step.map(|step| (span.minimum, step)) }
        }
        Tuned::Text { symbol, bytes } => {
            let bytes = *bytes as usize;
            let found = symbols::variable(symbol.name(), symbol.object(), bytes as u64, false).map_err(text)?;
            if !found.writable {
                return Err(format!("{symbol} is a constant"));
            }
            Done::Text { address: found.address, bytes, start: read_text(found.address, bytes) }
        }
        Tuned::Replace { symbol, by } => {
            let by: Result<Vec<usize>, Refusal> = by.iter().map(call).collect();
            Done::Replace { hook: at(symbol).map_err(text)?, by: by.map_err(text)?, now: 0 }
        }
        Tuned::Argument { symbol, number, kind, span } => {
            let register = u32::from(*number);
            let place = match kind {
                Type::F64 => 16 + register,
                Type::F32 => 32 + register,
                _ => register,
            };
            Done::Argument { hook: at(symbol).map_err(text)?, place, kind: *kind, now: None, least: span.minimum }
        }
    })
}

impl Item {
    /// Its mode, where it measures.
    pub fn mode(&self) -> Option<Mode> {
        match &self.declaration {
            Declaration::Measure { mode, .. } => Some(*mode),
            _ => None,
        }
    }

    /// Whether it says what an iteration is.
    pub fn iterates(&self) -> bool {
        matches!(self.done, Done::Iterates(_) | Done::IteratesByCall(..))
    }

    /// Kind and range of its tuning point, if it has one.
    pub fn tuning_point(&self) -> Option<(TuningPointKind, (f64, f64))> {
        let kind = |kind: Type| if kind.is_whole() { TuningPointKind::Whole } else { TuningPointKind::Real };
        Some(match &self.declaration {
            Declaration::Tune { what: Tuned::Variable { kind: of, span, .. }, .. }
            | Declaration::Tune { what: Tuned::Argument { kind: of, span, .. }, .. } => {
                (kind(*of), (span.minimum, span.maximum))
            }
            Declaration::Tune { what: Tuned::Text { bytes, .. }, .. } => {
                (TuningPointKind::Text, (0.0, f64::from(*bytes - 1)))
            }
            Declaration::Tune { what: Tuned::Replace { by, .. }, .. } => {
                (TuningPointKind::Whole, (0.0, by.len() as f64))
            }
            Declaration::Insert { .. } => (TuningPointKind::Whole, (0.0, 1.0)),
            Declaration::Once { .. } => (TuningPointKind::Whole, (0.0, 1e9)),
            _ => return None,
        })
    }

    /// Value of its tuning point now.
    pub fn value(&self) -> f64 {
        match &self.done {
            Done::Variable { variable, .. } => variable.read(),
            Done::Replace { now, .. } => *now as f64,
            Done::Argument { now, least, .. } => now.unwrap_or(*least),
            Done::Insert { enabled, .. } => f64::from(u8::from(enabled.load(Ordering::Relaxed))),
            Done::Once { now, .. } => *now,
            _ => 0.0,
        }
    }

    /// Whether its tuning point takes a value inside its range.
    pub fn can_set(&self, value: f64, text: &str) -> bool {
        match &self.done {
            Done::Text { bytes, .. } => text.len() < *bytes && !text.contains('\0'),
            Done::Variable { step: Some((first, step)), .. } => {
                let steps = (value - first) / step;
                (steps - steps.round()).abs() < 1e-6
            }
            _ => true,
        }
    }

    /// Sets it; returns the function that is to be called for that.
    pub fn set(&mut self, value: f64, text: &str) -> Option<usize> {
        self.goes_back = false;
        match &mut self.done {
            Done::Variable { variable, .. } => variable.write(value),
            Done::Text { address, bytes, .. } => write_text(*address, *bytes, text),
            Done::Replace { now, .. } => *now = value.round() as usize,
            Done::Argument { now, .. } => *now = Some(value),
            Done::Insert { enabled, .. } => enabled.store(value.round() != 0.0, Ordering::Relaxed),
            Done::Once { call, now } => {
                let other = value.round() != *now;
                *now = value.round();
                return other.then_some(*call);
            }
            _ => {}
        }
        None
    }

    /// Whether setting it changes what happens at a function.
    pub fn needs_hook(&self) -> bool {
        matches!(self.done, Done::Replace { .. } | Done::Argument { .. } | Done::Insert { .. })
    }

    /// Sets it to its value at start.
    pub fn go_back(&mut self) {
        self.goes_back = false;
        match &mut self.done {
            Done::Replace { now, .. } => *now = 0,
            Done::Argument { now, .. } => *now = None,
            Done::Once { now, .. } => *now = 0.0,
            _ => self.undo(),
        }
    }

    /// What it changed in the program's memory is as it was; its hook is no longer needed.
    pub fn undo(&self) {
        match &self.done {
            Done::Variable { variable, start, .. } => variable.write(*start),
            Done::Text { address, bytes, start } => write_text(*address, *bytes, start),
            Done::Insert { enabled, .. } => enabled.store(false, Ordering::Relaxed),
            Done::Calls(calls, number) | Done::IteratesByCall(calls, number) => calls.forget(*number),
            _ => {}
        }
    }

    /// Bits of an argument that is to be set, and where.
    pub fn argument(&self) -> Option<(Hook, u32, u64)> {
        match &self.done {
            Done::Argument { hook, place, kind, now: Some(now), .. } => Some((*hook, *place, to_bits(*kind, *now))),
            _ => None,
        }
    }
}
