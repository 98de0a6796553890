//! Declarations that were resolved in this process: the functions and variables they name, and how their tuning points are set.

use super::calls;
use super::measured::{self, Values};
use super::reference;
use super::variable::{ChunkArguments, FirstSeen, Held, Readable, Variable, read_text, to_bits, write_text};
use crate::tuning_points::Boundary;
use midrun_instrument::{Hook, Refusal, hook, symbols};
use midrun_points::{Argument, Declaration, Line, Mode, Moment, Place, Source, Symbol, Trigger, Tuned, Type};
use midrun_ring::TuningPointKind;
use midrun_vocabulary::names;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A declaration that was resolved.
pub struct Item {
    /// Its number in this process.
    pub id: usize,
    /// Number of its line in the text.
    pub line: u32,
    /// The line's declaration.
    pub declaration: Declaration,
    /// The declared functions and variables in this process.
    pub kind: Kind,
    /// The function at whose entry or exit its tuning point is set; `None`: at any safe point.
    pub at: Option<(Hook, Moment)>,
    /// It offers its tuning point after the rank began an iteration: before that it may have no safe point.
    pub waits: bool,
    /// A value was set.
    pub turned: bool,
    /// Its value is reset when the agent disconnects.
    pub resets_on_loss: bool,
    /// The agent disconnected, and its value is to be reset at `at`.
    pub resets: bool,
    /// Steps of detail that the budget took from it; see `budget`.
    pub shed: u32,
}

/// The forms of declarations, with their functions and variables.
pub enum Kind {
    /// Each call of a function is an iteration.
    Iterates(Hook),
    /// MPI calls begin iterations; the number is that of `calls`.
    IteratesByCall(u32),
    /// A function whose calls are chunks, and what its arguments say of them.
    Works(Hook, ChunkArguments),
    /// A function that is measured.
    Function(Hook),
    /// MPI calls that are measured; the number is that of `calls`.
    Calls(u32),
    /// A variable or argument that is read at the entry of a function, or with `None` when an iteration begins, progress when it ends.
    Reads(Readable, Option<Hook>, Arc<Values>),
    /// A variable that can be set, its value at start, and smallest value and step where it has a step.
    Variable { variable: Variable, start: f64, step: Option<(f64, f64)>, held: Option<Arc<Held>> },
    /// A text that can be set, and its value at start.
    Text { address: usize, bytes: usize, start: String },
    /// A function that can be replaced by others; `now` is 0 or the other's number.
    Replace { hook: Hook, by: Vec<usize>, now: usize },
    /// An argument that can be set; `now` is `None` while the program's own value passes, of which `start` is the first one.
    Argument { hook: Hook, place: u32, kind: Type, now: Option<f64>, start: Arc<FirstSeen> },
    /// A function that can be called at the entry or exit of another.
    Insert { hook: Hook, call: usize, enabled: Arc<AtomicBool> },
    /// A function that is called at the next safe point when the value changes.
    Once { call: usize, now: f64 },
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

fn hook_of(symbol: &Symbol) -> Result<Hook, Refusal> {
    hook(&symbols::function(symbol.name(), symbol.object())?)
}

fn call(symbol: &Symbol) -> Result<usize, Refusal> {
    symbols::function(symbol.name(), symbol.object()).map(|function| function.address)
}

fn variable(symbol: &Symbol, kind: Type) -> Result<(Variable, bool), Refusal> {
    let found = symbols::variable(symbol.name(), symbol.object(), kind.bytes() as u64, true)?;
    Ok((Variable { address: found.address, kind }, found.writable))
}

/// Resolves the functions and variables of a line.
///
/// # Errors
/// Why the line cannot be carried out.
pub fn make(line: &Line) -> Result<Item, String> {
    let mut kind = resolve(&line.declaration)?;
    let at = match &line.declaration {
        Declaration::Tune { at: Some((place, symbol)), .. } => {
            let hook = hook_of(symbol).map_err(|refusal| refusal.to_string())?;
            match (place, &mut kind) {
                (Place::At(moment), _) => Some((hook, *moment)),
                (Place::Inside, Kind::Variable { variable, held, .. }) => {
                    *held = Some(Arc::new(Held::new(*variable)));
                    Some((hook, Moment::Before))
                }
                (Place::Inside, _) => return Err("only a variable can have a value inside a function alone".into()),
            }
        }
        _ => None,
    };
    let (id, declaration) = (NEXT.fetch_add(1, Ordering::Relaxed), line.declaration.clone());
    Ok(Item {
        id,
        line: line.number,
        declaration,
        kind,
        at,
        waits: false,
        turned: false,
        resets_on_loss: false,
        resets: false,
        shed: 0,
    })
}

fn resolve(declaration: &Declaration) -> Result<Kind, String> {
    let text = |refusal: Refusal| refusal.to_string();
    Ok(match declaration {
        Declaration::Iteration(Trigger::Function(symbol)) => Kind::Iterates(hook_of(symbol).map_err(text)?),
        Declaration::Iteration(Trigger::Mpi { call, world, every }) => {
            Kind::IteratesByCall(calls::iterate(call, *world, *every)?)
        }
        Declaration::Work { symbol, first, tasks } => {
            let chunk = ChunkArguments {
                first: first.as_ref().map(readable),
                tasks: tasks.as_ref().map(|(extent, argument)| (*extent, readable(argument))),
            };
            Kind::Works(hook_of(symbol).map_err(text)?, chunk)
        }
        Declaration::Measure { source: Source::Function(symbol), .. } => Kind::Function(hook_of(symbol).map_err(text)?),
        Declaration::Measure { source: Source::Mpi(call, filter), mode, label } => {
            Kind::Calls(calls::measure(label.as_str(), call, filter, *mode)?)
        }
        Declaration::Measure { source: Source::Variable { symbol, kind, at: place }, .. } => {
            let (variable, _) = variable(symbol, *kind).map_err(text)?;
            let place = place.as_ref().map(hook_of).transpose().map_err(text)?;
            Kind::Reads(Readable::Variable(variable), place, Arc::default())
        }
        Declaration::Measure { source: Source::Argument(argument), .. } => {
            let hook = hook_of(&argument.symbol).map_err(text)?;
            Kind::Reads(readable(argument), Some(hook), Arc::default())
        }
        Declaration::Tune { what, .. } => tuned(what)?,
        Declaration::Insert { call: function, point, .. } => Kind::Insert {
            hook: hook_of(point).map_err(text)?,
            call: call(function).map_err(text)?,
            enabled: Arc::default(),
        },
        Declaration::Once { call: function, .. } => Kind::Once { call: call(function).map_err(text)?, now: 0.0 },
        Declaration::Return { .. } => return Err("it names no point".into()),
    })
}

fn tuned(what: &Tuned) -> Result<Kind, String> {
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
            Kind::Variable { variable, start, step: step.map(|step| (span.minimum, step)), held: None }
        }
        Tuned::Text { symbol, bytes } => {
            let bytes = *bytes as usize;
            let found = symbols::variable(symbol.name(), symbol.object(), bytes as u64, false).map_err(text)?;
            if !found.writable {
                return Err(format!("{symbol} is a constant"));
            }
            Kind::Text { address: found.address, bytes, start: read_text(found.address, bytes) }
        }
        Tuned::Replace { symbol, by } => {
            let by: Result<Vec<usize>, Refusal> = by.iter().map(call).collect();
            Kind::Replace { hook: hook_of(symbol).map_err(text)?, by: by.map_err(text)?, now: 0 }
        }
        Tuned::Argument { argument, .. } => {
            let (hook, place) = (hook_of(&argument.symbol).map_err(text)?, place_of(argument));
            Kind::Argument { hook, place, kind: argument.kind, now: None, start: Arc::default() }
        }
        Tuned::Control { name, .. } => return Err(format!("{name} is MPI's")),
    })
}

fn readable(argument: &Argument) -> Readable {
    let (place, kind) = (place_of(argument), argument.kind);
    if !argument.by_reference {
        return Readable::Argument(place, kind);
    }
    reference::prepare();
    Readable::Reference(place, kind)
}

/// The argument's register, as the instrument counts them.
fn place_of(argument: &Argument) -> u32 {
    let register = u32::from(argument.number);
    match argument.kind {
        _ if argument.by_reference => register,
        Type::F64 => 16 + register,
        Type::F32 => 32 + register,
        _ => register,
    }
}

impl Item {
    /// Reads its variable, where that is read when an iteration begins, or, where it says what the iteration did, when it ends.
    pub fn read_variable(&self, at_end: bool) {
        if let (Kind::Reads(readable, None, values), Some(label)) = (&self.kind, self.declaration.label())
            && at_end == (label.as_str() == names::PROGRESS)
        {
            measured::read(readable.read(None), values, self.mode(), &measured::words(label));
        }
    }

    /// Detail in which it is to be measured; `None` where it measures nothing.
    pub fn mode(&self) -> Option<Mode> {
        match &self.declaration {
            Declaration::Measure { mode, .. } => Some(*mode),
            _ => None,
        }
    }

    /// The function boundary at which its tuning point is set; `None`: at any safe point.
    pub fn boundary(&self) -> Option<Boundary> {
        self.at.map(|(hook, moment)| Boundary { hook: hook.number(), moment })
    }

    /// Whether it declares iterations.
    pub fn iterates(&self) -> bool {
        matches!(self.kind, Kind::Iterates(_) | Kind::IteratesByCall(..))
    }

    /// Kind and range of its tuning point, if it has one.
    pub fn tuning_point(&self) -> Option<(TuningPointKind, (f64, f64))> {
        let kind = |kind: Type| if kind.is_whole() { TuningPointKind::Whole } else { TuningPointKind::Real };
        Some(match &self.declaration {
            Declaration::Tune { what: Tuned::Variable { kind: of, span, .. }, .. }
            | Declaration::Tune { what: Tuned::Argument { argument: Argument { kind: of, .. }, span }, .. } => {
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
        match &self.kind {
            Kind::Variable { held: Some(held), .. } => held.value(),
            Kind::Variable { variable, .. } => variable.read(),
            Kind::Replace { now, .. } => *now as f64,
            Kind::Argument { now, start, .. } => now.or(start.get()).unwrap_or(0.0),
            Kind::Insert { enabled, .. } => f64::from(u8::from(enabled.load(Ordering::Relaxed))),
            Kind::Once { now, .. } => *now,
            _ => 0.0,
        }
    }

    /// Whether its tuning point takes a value inside its range.
    pub fn can_set(&self, value: f64, text: &str) -> bool {
        match &self.kind {
            Kind::Text { bytes, .. } => text.len() < *bytes && !text.contains('\0'),
            Kind::Variable { step: Some((first, step)), .. } => {
                let steps = (value - first) / step;
                (steps - steps.round()).abs() < 1e-6
            }
            _ => true,
        }
    }

    /// Sets its tuning point; returns a function that is to be called for that.
    pub fn set(&mut self, value: f64, text: &str) -> Option<usize> {
        self.take_start();
        (self.turned, self.resets) = (true, false);
        match &mut self.kind {
            Kind::Variable { held: Some(held), .. } => held.set(value),
            Kind::Variable { variable, .. } => variable.write(value),
            Kind::Text { address, bytes, .. } => write_text(*address, *bytes, text),
            Kind::Replace { now, .. } => *now = value.round() as usize,
            // The value at start lets the program's own values pass again, which may differ from call to call.
            Kind::Argument { now, start, .. } => *now = Some(value).filter(|_| start.get() != Some(value)),
            Kind::Insert { enabled, .. } => enabled.store(value.round() != 0.0, Ordering::Relaxed),
            Kind::Once { call, now } => {
                let other = value.round() != *now;
                *now = value.round();
                return other.then_some(*call);
            }
            _ => {}
        }
        None
    }

    /// The rank begins its first iteration.
    pub fn on_first_iteration(&mut self) {
        self.waits = false;
        self.take_start();
    }

    /// The value that the program has given its variable by now is the one at start, until another is set: programs set them after `MPI_Init`,
    /// from their arguments or a file.
    fn take_start(&mut self) {
        match &mut self.kind {
            _ if self.turned => {}
            Kind::Variable { variable, start, .. } => *start = variable.read(),
            Kind::Text { address, bytes, start } => *start = read_text(*address, *bytes),
            _ => {}
        }
    }

    /// Whether its tuning point can be offered: the rank has a safe point for it, and its first value is known. An argument
    /// has none before the first call.
    pub fn is_ready(&self) -> bool {
        !self.waits && !matches!(&self.kind, Kind::Argument { start, .. } if start.get().is_none())
    }

    /// Whether a new value changes the actions at a function.
    pub fn needs_hook(&self) -> bool {
        matches!(self.kind, Kind::Replace { .. } | Kind::Argument { .. } | Kind::Insert { .. })
    }

    /// Sets its tuning point to the value at start.
    pub fn reset(&mut self) {
        self.resets = false;
        match &mut self.kind {
            Kind::Replace { now, .. } => *now = 0,
            Kind::Argument { now, .. } => *now = None,
            Kind::Once { now, .. } => *now = 0.0,
            _ => self.undo(),
        }
    }

    /// Restores the program's memory. The item's hook is no longer needed.
    pub fn undo(&self) {
        match &self.kind {
            Kind::Variable { held: Some(held), .. } => held.reset(),
            // What nobody set is the program's.
            Kind::Variable { variable, start, .. } if self.turned => variable.write(*start),
            Kind::Text { address, bytes, start } if self.turned => write_text(*address, *bytes, start),
            Kind::Insert { enabled, .. } => enabled.store(false, Ordering::Relaxed),
            Kind::Calls(number) | Kind::IteratesByCall(number) => calls::forget(*number),
            _ => {}
        }
    }

    /// The hook, the place and the bits of an argument that is to be set.
    pub fn argument(&self) -> Option<(Hook, u32, u64)> {
        match &self.kind {
            Kind::Argument { hook, place, kind, now: Some(now), .. } => Some((*hook, *place, to_bits(*kind, *now))),
            _ => None,
        }
    }
}
