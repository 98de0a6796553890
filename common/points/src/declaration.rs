//! What can be declared.

use crate::{Call, Label, Span, Symbol, Type};

/// One line of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Declaration {
    /// What an iteration of a rank is.
    Iteration(Trigger),
    /// A measure point.
    Measure {
        /// What it is called.
        label: Label,
        /// What is measured.
        source: Source,
        /// In what detail.
        mode: Mode,
    },
    /// A tuning point.
    Tune {
        /// What its tuning point is called.
        label: Label,
        /// What the tuning point changes.
        what: Tuned,
        /// The function at whose entry (before) or exit (after) values are set; `None`: at any safe point.
        at: Option<(Moment, Symbol)>,
    },
    /// A call without arguments at a point, while its tuning point is 1.
    Insert {
        /// What its tuning point is called.
        label: Label,
        /// What is called.
        call: Symbol,
        /// On which side of `point`.
        moment: Moment,
        /// The function at which it is called.
        point: Symbol,
    },
    /// A call without arguments at the next safe point, each time its tuning point is set to another number.
    Once {
        /// What its tuning point is called.
        label: Label,
        /// What is called.
        call: Symbol,
    },
    /// The tuning point goes back to its start value when the agent or the analyzer is lost.
    Return {
        /// The tuning point of another line.
        label: Label,
    },
}

/// What an iteration of a rank is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Entry begins it, exit ends it.
    Function(Symbol),
    /// Each `every`-th such call ends one and begins the next.
    Mpi {
        /// The call.
        call: Call,
        /// Only calls on MPI_COMM_WORLD count.
        world: bool,
        /// At least 1.
        every: u64,
    },
}

/// Which MPI calls count; what is `None` does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Rank of the other side, in the call's communicator.
    pub peer: Option<u32>,
    /// The message's tag.
    pub tag: Option<i32>,
    /// Smallest and largest message, bytes.
    pub bytes: Option<(u64, u64)>,
    /// Only on MPI_COMM_WORLD.
    pub world: bool,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// How long a function's calls take.
    Function(Symbol),
    /// How long MPI calls take.
    Mpi(Call, Filter),
    /// The value of a variable at each iteration's begin, or at each entry of a function.
    Variable {
        /// The variable.
        symbol: Symbol,
        /// Its type.
        kind: Type,
        /// The function; `None`: an iteration's begin.
        at: Option<Symbol>,
    },
}

/// In what detail something is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Not at all; the point is only kept ready.
    Off,
    /// Summed up per iteration and rank.
    Sum,
    /// A record of each.
    Raw,
}

impl Mode {
    /// All, with their words.
    pub const ALL: [(Mode, &str); 3] = [(Mode::Off, "off"), (Mode::Sum, "sum"), (Mode::Raw, "raw")];
    /// What a mode looks like, for errors.
    pub const FORM: &str = "a mode: off, sum or raw";

    /// The mode of a word; `None` when there is none.
    pub fn new(word: &str) -> Option<Mode> {
        Mode::ALL.iter().find(|(_, name)| *name == word).map(|(mode, _)| *mode)
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        Mode::ALL.iter().find(|(mode, _)| *mode == self).map_or("", |(_, name)| name)
    }
}

/// What a tuning point changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Tuned {
    /// A variable.
    Variable {
        /// Its symbol.
        symbol: Symbol,
        /// Its type.
        kind: Type,
        /// Values allowed.
        span: Span,
        /// Distance between two values allowed, from the smallest on; `None`: any.
        step: Option<f64>,
    },
    /// A buffer with a C string.
    Text {
        /// Its symbol.
        symbol: Symbol,
        /// Bytes of the buffer, the final zero among them.
        bytes: u32,
    },
    /// The function that is called in place of one: 0 = itself, 1 = the first alternative.
    Replace {
        /// The function.
        symbol: Symbol,
        /// Functions of the same signature, at least one.
        by: Vec<Symbol>,
    },
    /// An argument of each call of a function; before the tuning point is first set it is left alone.
    Argument {
        /// The function.
        symbol: Symbol,
        /// Which of its whole-number and pointer arguments (or, for f32 and f64, of its floating-point arguments), from 1.
        number: u8,
        /// Its type.
        kind: Type,
        /// Values allowed.
        span: Span,
    },
}

/// On which side of a function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At its entry.
    Before,
    /// At its exit.
    After,
}

impl Declaration {
    /// The label that the line gives, if it gives one.
    pub fn label(&self) -> Option<&Label> {
        match self {
            Declaration::Measure { label, .. }
            | Declaration::Tune { label, .. }
            | Declaration::Insert { label, .. }
            | Declaration::Once { label, .. } => Some(label),
            Declaration::Iteration(_) | Declaration::Return { .. } => None,
        }
    }

    /// Whether the line gives a tuning point.
    pub fn has_tuning_point(&self) -> bool {
        matches!(self, Declaration::Tune { .. } | Declaration::Insert { .. } | Declaration::Once { .. })
    }
}
