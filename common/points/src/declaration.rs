//! The declarations of the points language.

use crate::{Call, ControlName, Label, Span, Symbol, Type};

/// What an argument says of the tasks of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Their number.
    Tasks,
    /// The number of the first task behind them.
    End,
    /// The number of the last one.
    Last,
}

impl Extent {
    /// All, with their words.
    pub const ALL: [(Extent, &'static str); 3] =
        [(Extent::Tasks, "tasks"), (Extent::End, "end"), (Extent::Last, "last")];

    /// How many tasks a chunk has that begins with task `first`, by the value of the argument.
    pub fn tasks(self, value: f64, first: f64) -> f64 {
        match self {
            Extent::Tasks => value,
            Extent::End => value - first,
            Extent::Last => value - first + 1.0,
        }
    }
}

/// One line of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Declaration {
    /// The definition of a rank's iteration.
    Iteration(Trigger),
    /// The calls of a function are the work of a Master/Worker program: each is a chunk.
    Work {
        /// The function that computes a chunk.
        symbol: Symbol,
        /// Its argument that is the number of the chunk's first task; `None`: nobody knows.
        first: Option<Argument>,
        /// Its argument that says how many tasks the chunk has; `None`: one.
        tasks: Option<(Extent, Argument)>,
    },
    /// A measure point.
    Measure {
        /// Its name.
        label: Label,
        /// The source of the values.
        source: Source,
        /// The level of detail.
        mode: Mode,
    },
    /// A tuning point.
    Tune {
        /// Name of its tuning point.
        label: Label,
        /// The target that the tuning point sets.
        what: Tuned,
        /// Where values are set; `None`: at any safe point.
        at: Option<(Place, Symbol)>,
    },
    /// A call without arguments at a point, while its tuning point is 1.
    Insert {
        /// Name of its tuning point.
        label: Label,
        /// The function to call.
        call: Symbol,
        /// On which side of `point`.
        moment: Moment,
        /// The function at which it is called.
        point: Symbol,
    },
    /// A call without arguments at the next safe point after each change of its tuning point.
    Once {
        /// Name of its tuning point.
        label: Label,
        /// The function to call.
        call: Symbol,
    },
    /// The tuning point is reset to its initial value when the agent or the analyzer is lost.
    Return {
        /// The tuning point of another line.
        label: Label,
    },
}

/// The event that begins or ends an iteration of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Entry begins it, exit ends it.
    Function(Symbol),
    /// Each `every`-th such call ends an iteration and begins the next.
    Mpi {
        /// The call.
        call: Call,
        /// Only calls on MPI_COMM_WORLD count.
        world: bool,
        /// At least 1.
        every: u64,
    },
}

/// A filter of MPI calls; a field that is `None` accepts all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Rank of the peer in the call's communicator.
    pub peer: Option<u32>,
    /// The message's tag.
    pub tag: Option<i32>,
    /// Smallest and largest message, bytes.
    pub bytes: Option<(u64, u64)>,
    /// Only on MPI_COMM_WORLD.
    pub world: bool,
}

/// The source of a measure point's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Times of a function's calls.
    Function(Symbol),
    /// Times of MPI calls.
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
    /// An argument of each call of a function, as the function gets it.
    Argument(Argument),
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The function.
    pub symbol: Symbol,
    /// Position among its integer and pointer arguments (for f32 and f64: among its floating-point arguments), from 1.
    pub number: u8,
    /// Its type; of one by reference, that of what it points to.
    pub kind: Type,
    /// It is a pointer to the value, as a Fortran procedure gets it. Pointers count among the integer arguments, whatever they point to.
    pub by_reference: bool,
}

/// The level of detail of a measure point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No values; the point is only kept ready.
    Off,
    /// Summed up per iteration and rank.
    Sum,
    /// A record of each.
    Raw,
}

impl Mode {
    /// All modes with their keywords.
    pub const ALL: [(Mode, &str); 3] = [(Mode::Off, "off"), (Mode::Sum, "sum"), (Mode::Raw, "raw")];
    /// Description of a mode for error messages.
    pub const FORM: &str = "a mode: off, sum or raw";

    /// The mode of a keyword; `None` for any other word.
    pub fn new(word: &str) -> Option<Mode> {
        Mode::ALL.iter().find(|(_, name)| *name == word).map(|(mode, _)| *mode)
    }

    /// Its keyword.
    pub fn as_str(self) -> &'static str {
        Mode::ALL.iter().find(|(mode, _)| *mode == self).map_or("", |(_, name)| name)
    }
}

/// The target of a tuning point.
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
        /// Distance between two allowed values, counted from the smallest; `None`: any value.
        step: Option<f64>,
    },
    /// A buffer with a C string.
    Text {
        /// Its symbol.
        symbol: Symbol,
        /// Bytes of the buffer, the final zero among them.
        bytes: u32,
    },
    /// The function that is called instead of another one: 0 = the original, 1 = the first alternative.
    Replace {
        /// The function.
        symbol: Symbol,
        /// Functions of the same signature, at least one.
        by: Vec<Symbol>,
    },
    /// An argument of each call of a function; unchanged until the tuning point is first set.
    Argument {
        /// The argument.
        argument: Argument,
        /// Values allowed.
        span: Span,
    },
    /// A control variable of MPI.
    Control {
        /// Its name.
        name: ControlName,
        /// Values allowed; `None`: those that MPI names.
        span: Option<Span>,
    },
}

/// The place of a function where values are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where it is entered or left.
    At(Moment),
    /// Where it is entered; where it is left, the value at start comes back until it is entered again.
    Inside,
}

/// The side of a function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At its entry.
    Before,
    /// At its exit.
    After,
}

impl Declaration {
    /// The label that the line defines, if any.
    pub fn label(&self) -> Option<&Label> {
        match self {
            Declaration::Measure { label, .. }
            | Declaration::Tune { label, .. }
            | Declaration::Insert { label, .. }
            | Declaration::Once { label, .. } => Some(label),
            Declaration::Iteration(_) | Declaration::Work { .. } | Declaration::Return { .. } => None,
        }
    }

    /// Returns whether the line defines a tuning point.
    pub fn has_tuning_point(&self) -> bool {
        matches!(self, Declaration::Tune { .. } | Declaration::Insert { .. } | Declaration::Once { .. })
    }
}
