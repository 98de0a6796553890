//! Cost functions: arithmetic on named values, with numbers that are drawn.
//!
//! `a + b * n^2 / processes`, `if(rank == 0, 1, 2)`, `max(0, normal(2e-3, 1e-4))`. True is 1 and false is 0; whatever is not 0
//! is true. In order of binding: `or`, `and`, `not`, comparisons, `+ -`, `* / %` (`%` is never negative for a positive right
//! side), `-x`, `^` (from the right).

mod condition;
mod parser;

pub use condition::Condition;

use crate::random::Random;

/// Characters of the longest expression.
pub const MOST_CHARACTERS: usize = 2000;
/// Most parentheses, functions and signs inside one another.
pub const MOST_DEPTH: usize = 64;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number; finite and not negative.
    Number(f64),
    /// A value with a name.
    Name(String),
    /// `-x`.
    Minus(Box<Expression>),
    /// `not x`.
    Not(Box<Expression>),
    /// Two sides.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// A function with as many arguments as it takes.
    Call(Function, Vec<Expression>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// One of them is true.
    Or,
    /// Both are true.
    And,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `%`
    Remainder,
    /// `^`
    Power,
}

use Operator as Op;

/// A function by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The least of one or more.
    Min,
    /// The greatest of one or more.
    Max,
    /// Square root.
    Sqrt,
    /// Logarithm to base 2.
    Log2,
    /// Natural logarithm.
    Ln,
    /// e to the power of.
    Exp,
    /// Without sign.
    Abs,
    /// The next whole number above.
    Ceil,
    /// The next whole number below.
    Floor,
    /// `if(condition, then, else)`; only the one that is needed is evaluated.
    If,
    /// `normal(mean, sigma)`, drawn; not cut at 0.
    Normal,
    /// `exponential(mean)`, drawn.
    Exponential,
    /// `uniform(least, greatest)`, drawn.
    Uniform,
    /// `gamma(mean, sigma)`, drawn; never below 0.
    Gamma,
}

/// Functions by name, with how many arguments they take at least and at most.
const FUNCTIONS: [(&str, Function, usize, usize); 14] = [
    ("min", Function::Min, 1, MOST_DEPTH),
    ("max", Function::Max, 1, MOST_DEPTH),
    ("sqrt", Function::Sqrt, 1, 1),
    ("log2", Function::Log2, 1, 1),
    ("ln", Function::Ln, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("abs", Function::Abs, 1, 1),
    ("ceil", Function::Ceil, 1, 1),
    ("floor", Function::Floor, 1, 1),
    ("if", Function::If, 3, 3),
    ("normal", Function::Normal, 2, 2),
    ("exponential", Function::Exponential, 1, 1),
    ("uniform", Function::Uniform, 2, 2),
    ("gamma", Function::Gamma, 2, 2),
];

const WORDS: [(&str, Op); 14] = [
    ("or", Op::Or),
    ("and", Op::And),
    ("==", Op::Equal),
    ("!=", Op::Unequal),
    ("<=", Op::LessOrEqual),
    ("<", Op::Less),
    (">=", Op::GreaterOrEqual),
    (">", Op::Greater),
    ("+", Op::Plus),
    ("-", Op::Minus),
    ("*", Op::Times),
    ("/", Op::Over),
    ("%", Op::Remainder),
    ("^", Op::Power),
];

impl Operator {
    /// Binding strength: a higher level binds tighter.
    fn level(self) -> u8 {
        match self {
            Op::Or => 1,
            Op::And => 2,
            Op::Equal | Op::Unequal | Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => 4,
            Op::Plus | Op::Minus => 5,
            Op::Times | Op::Over | Op::Remainder => 6,
            Op::Power => 8,
        }
    }

    fn apply(self, a: f64, b: f64) -> f64 {
        let truth = |is: bool| f64::from(u8::from(is));
        match self {
            Op::Or => truth(a != 0.0 || b != 0.0),
            Op::And => truth(a != 0.0 && b != 0.0),
            Op::Equal => truth(a == b),
            Op::Unequal => truth(a != b),
            Op::Less => truth(a < b),
            Op::LessOrEqual => truth(a <= b),
            Op::Greater => truth(a > b),
            Op::GreaterOrEqual => truth(a >= b),
            Op::Plus => a + b,
            Op::Minus => a - b,
            Op::Times => a * b,
            Op::Over => a / b,
            Op::Remainder => a.rem_euclid(b),
            Op::Power => libm::pow(a, b),
        }
    }
}

const LEVEL_NOT: u8 = 3;
const LEVEL_SIGN: u8 = 7;
const LEVEL_ATOM: u8 = 9;

/// A syntax error and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {sentence}")]
pub struct ExpressionError {
    /// In bytes from the beginning of the expression.
    pub offset: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The mistake, and the correct form.
    pub sentence: String,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first syntax error.
    ///
    /// ```
    /// use midrun_models::expression::Expression;
    /// assert_eq!(Expression::parse("a + 2*b")?.to_string(), "a + 2 * b");
    /// assert_eq!(Expression::parse("1 + * 2").unwrap_err().column, 5);
    /// # Ok::<(), midrun_models::expression::ExpressionError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        parser::parse(text)
    }

    fn level(&self) -> u8 {
        match self {
            Expression::Number(_) | Expression::Name(_) | Expression::Call(..) => LEVEL_ATOM,
            Expression::Minus(_) => LEVEL_SIGN,
            Expression::Not(_) => LEVEL_NOT,
            Expression::Binary(operator, ..) => operator.level(),
        }
    }

    /// Calls `see` with every name in the expression.
    pub fn each_name(&self, see: &mut impl FnMut(&str)) {
        match self {
            Expression::Number(_) => {}
            Expression::Name(name) => see(name),
            Expression::Minus(x) | Expression::Not(x) => x.each_name(see),
            Expression::Binary(_, a, b) => {
                a.each_name(see);
                b.each_name(see);
            }
            Expression::Call(_, arguments) => arguments.iter().for_each(|x| x.each_name(see)),
        }
    }

    /// The same expression with 0 for each number: expressions of one form are equal then.
    pub fn without_numbers(&self) -> Expression {
        let inner = |x: &Expression| Box::new(x.without_numbers());
        match self {
            Expression::Number(_) => Expression::Number(0.0),
            Expression::Name(_) => self.clone(),
            Expression::Minus(x) => Expression::Minus(inner(x)),
            Expression::Not(x) => Expression::Not(inner(x)),
            Expression::Binary(operator, a, b) => Expression::Binary(*operator, inner(a), inner(b)),
            Expression::Call(function, arguments) => {
                Expression::Call(*function, arguments.iter().map(Expression::without_numbers).collect())
            }
        }
    }

    /// Compiles the expression: `meaning` turns each name into a number or a slot, or fails.
    pub fn compile<E>(&self, meaning: &mut impl FnMut(&str) -> Result<Code, E>) -> Result<Code, E> {
        let code = match self {
            Expression::Number(value) => Code::Number(*value),
            Expression::Name(name) => meaning(name)?,
            Expression::Minus(x) => Code::Minus(Box::new(x.compile(meaning)?)),
            Expression::Not(x) => Code::Not(Box::new(x.compile(meaning)?)),
            Expression::Binary(operator, a, b) => {
                Code::Binary(*operator, Box::new(a.compile(meaning)?), Box::new(b.compile(meaning)?))
            }
            Expression::Call(function, arguments) => {
                let all: Result<Vec<Code>, E> = arguments.iter().map(|x| x.compile(meaning)).collect();
                Code::Call(*function, all?)
            }
        };
        Ok(code.folded())
    }
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inner = |f: &mut std::fmt::Formatter<'_>, x: &Expression, least: u8| {
            if x.level() < least { write!(f, "({x})") } else { write!(f, "{x}") }
        };
        match self {
            Expression::Number(value) if *value != 0.0 && !(1e-5..1e16).contains(value) => write!(f, "{value:e}"),
            Expression::Number(value) => write!(f, "{value}"),
            Expression::Name(name) => f.write_str(name),
            Expression::Minus(x) => {
                f.write_str("-")?;
                inner(f, x, LEVEL_SIGN)
            }
            Expression::Not(x) => {
                f.write_str("not ")?;
                inner(f, x, LEVEL_NOT)
            }
            Expression::Binary(operator, a, b) => {
                let level = operator.level();
                let word = WORDS.iter().find(|(_, op)| op == operator).map_or("", |(word, _)| *word);
                // A power groups from the right and takes a sign there; comparisons do not group at all.
                let (left, right) = match operator {
                    Op::Power => (level + 1, LEVEL_SIGN),
                    _ if level == Op::Equal.level() => (level + 1, level + 1),
                    _ => (level, level + 1),
                };
                inner(f, a, left)?;
                write!(f, " {word} ")?;
                inner(f, b, right)
            }
            Expression::Call(function, arguments) => {
                let name = FUNCTIONS.iter().find(|(_, of, ..)| of == function).map_or("", |(name, ..)| *name);
                let all: Vec<String> = arguments.iter().map(Expression::to_string).collect();
                write!(f, "{name}({})", all.join(", "))
            }
        }
    }
}

/// A compiled expression: names are replaced by numbers and slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// A number.
    Number(f64),
    /// One of the values given when it is evaluated.
    Slot(usize),
    /// `-x`.
    Minus(Box<Code>),
    /// `not x`.
    Not(Box<Code>),
    /// Two sides.
    Binary(Op, Box<Code>, Box<Code>),
    /// A function with its arguments.
    Call(Function, Vec<Code>),
}

impl Code {
    /// The value for these `slots`; a missing slot counts as 0.
    pub fn value(&self, slots: &[f64], random: &mut Random) -> f64 {
        match self {
            Code::Number(value) => *value,
            Code::Slot(slot) => slots.get(*slot).copied().unwrap_or(0.0),
            Code::Minus(x) => -x.value(slots, random),
            Code::Not(x) => f64::from(u8::from(x.value(slots, random) == 0.0)),
            Code::Binary(operator, a, b) => operator.apply(a.value(slots, random), b.value(slots, random)),
            Code::Call(function, arguments) => call(*function, arguments, slots, random),
        }
    }

    /// True where it draws a random number or reads `slot`.
    pub fn varies_with(&self, slot: usize) -> bool {
        match self {
            Code::Number(_) => false,
            Code::Slot(own) => *own == slot,
            Code::Minus(x) | Code::Not(x) => x.varies_with(slot),
            Code::Binary(_, a, b) => a.varies_with(slot) || b.varies_with(slot),
            Code::Call(function, arguments) => is_drawn(*function) || arguments.iter().any(|x| x.varies_with(slot)),
        }
    }

    /// Itself, or its value where it is constant.
    fn folded(self) -> Code {
        let fixed = |x: &Code| matches!(x, Code::Number(_));
        let closed = match &self {
            Code::Number(_) | Code::Slot(_) => false,
            Code::Minus(x) | Code::Not(x) => fixed(x),
            Code::Binary(_, a, b) => fixed(a) && fixed(b),
            Code::Call(function, arguments) => !is_drawn(*function) && arguments.iter().all(fixed),
        };
        if closed { Code::Number(self.value(&[], &mut Random::new(0))) } else { self }
    }
}

fn is_drawn(function: Function) -> bool {
    matches!(function, Function::Normal | Function::Exponential | Function::Uniform | Function::Gamma)
}

fn call(function: Function, arguments: &[Code], slots: &[f64], random: &mut Random) -> f64 {
    let mut of = |k: usize| arguments.get(k).map_or(f64::NAN, |x| x.value(slots, random));
    match function {
        Function::Min => (1..arguments.len()).fold(of(0), |least, k| least.min(of(k))),
        Function::Max => (1..arguments.len()).fold(of(0), |most, k| most.max(of(k))),
        Function::Sqrt => of(0).sqrt(),
        Function::Log2 => libm::log2(of(0)),
        Function::Ln => libm::log(of(0)),
        Function::Exp => libm::exp(of(0)),
        Function::Abs => of(0).abs(),
        Function::Ceil => of(0).ceil(),
        Function::Floor => of(0).floor(),
        Function::If => {
            if of(0) != 0.0 {
                of(1)
            } else {
                of(2)
            }
        }
        Function::Normal => {
            let (mean, sigma) = (of(0), of(1));
            mean + sigma * random.normal()
        }
        Function::Exponential => of(0) * random.exponential(),
        Function::Uniform => {
            let (low, high) = (of(0), of(1));
            low + (high - low) * random.uniform()
        }
        Function::Gamma => {
            let (mean, sigma) = (of(0), of(1));
            mean * random.gamma((sigma / mean).powi(2))
        }
    }
}
