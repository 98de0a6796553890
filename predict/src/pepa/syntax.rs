//! Abstract syntax of a PEPA model, made by the parser and written by the printer.

use std::fmt;

/// A position in the text; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A name and where it stands. Two are equal when the names are: a model does not change by moving its text.
#[derive(Clone, Debug, Default, Eq)]
pub struct Name {
    /// The name itself.
    pub text: String,
    /// Position in the text.
    pub at: Position,
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Name {
    /// True where the first letter makes it a component's name, as in the Workbench; names in quotes are components'.
    pub(super) fn is_component(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_uppercase() || c == '"')
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), at: Position::default() }
    }
}

/// A whole model: definitions, the system equation, and what is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// `r = 2 * s;`
    pub rates: Vec<(Name, Expr)>,
    /// `P = (a, r).P;`
    pub components: Vec<(Name, Term)>,
    /// `P <a> Q`
    pub system: Term,
    /// `T = r * {P || **}`
    pub results: Vec<(Name, Expr)>,
}

/// A component. Chains of the same operator are lists, so that their length is no depth.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A constant: `P`
    Name(Name),
    /// Copies in parallel, not told apart: `P[3]`, `P[n - 1]`; the number is an expression of rates.
    Array(Name, Box<Expr>),
    /// `(a, r).(b, s).P`; at least one activity.
    Prefix {
        /// The activities, first one first.
        activities: Vec<Activity>,
        /// The component that follows.
        then: Box<Term>,
    },
    /// `P + Q`; at least two.
    Choice(Vec<Term>),
    /// `P <a> Q || R`, bound to the left; at least one in `rest`.
    Cooperation {
        /// The leftmost component.
        first: Box<Term>,
        /// Each further one with the set it shares with everything to its left.
        rest: Vec<(Set, Term)>,
    },
    /// `P/{a, b}`
    Hiding {
        /// The component whose actions become `tau`.
        term: Box<Term>,
        /// Which ones.
        hidden: Vec<Name>,
    },
}

/// `(action, rate)`
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// The action type.
    pub action: Name,
    /// Its rate, per second.
    pub rate: Expr,
}

/// The actions on which two components cooperate.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// `<a, b>`; none is `||` (or `<>`).
    Names(Vec<Name>),
    /// `<*>`: all that both sides can do.
    Shared,
}

/// An arithmetic expression of rates, and of patterns in a result line.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// 0 or more, finite.
    Number(f64),
    /// A rate (`T` is passive where no rate has that name).
    Name(Name),
    /// `infty`
    Passive(Where),
    /// `-x`
    Negative(Box<Expr>),
    /// `a + b - c`, or `a * b / c`: operators of one precedence, bound to the left; at least one in `rest`.
    Chain {
        /// The leftmost operand.
        first: Box<Expr>,
        /// Each further operator and operand.
        rest: Vec<(Operator, Expr)>,
    },
    /// `{P2 || **}`: the probability of the states in which each component is as its part says.
    Pattern {
        /// One part per component of the system equation; the last `**` also stands for all that are left.
        parts: Vec<Part>,
        /// Position of the pattern.
        at: Where,
    },
}

/// A position that does not count when expressions are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Where(pub Position);

impl PartialEq for Where {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One component of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// `**`: any state.
    Any,
    /// This state, a sequential term.
    Is(Term, Where),
}

/// An operator of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
}

impl Operator {
    /// True where it binds more tightly than the other two.
    pub fn is_product(self) -> bool {
        matches!(self, Self::Times | Self::Over)
    }
}
