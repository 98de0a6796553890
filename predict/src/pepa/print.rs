//! Writes a model so that reading it gives the same model again.

use std::fmt::{self, Display, Formatter};

use super::syntax::{Expr, Model, Name, Operator, Part, Set, Term};

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (name, rate) in &self.rates {
            writeln!(f, "{} = {rate};", Forced(name, false))?;
        }
        for (name, component) in &self.components {
            writeln!(f, "{} = {component};", Forced(name, true))?;
        }
        writeln!(f, "{};", self.system)?;
        self.results.iter().try_for_each(|(name, result)| writeln!(f, "{} = {result};", name.text))
    }
}

/// A name to be defined; `#` makes it a component where its first letter does not.
struct Forced<'n>(&'n Name, bool);

impl Display for Forced<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.1 && !self.0.is_component() { "#" } else { "" }, self.0.text)
    }
}

/// Writes `items` with `between` between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>, between: &str) -> fmt::Result {
    items.into_iter().enumerate().try_for_each(|(index, item)| {
        f.write_str(if index > 0 { between } else { "" })?;
        item.fmt(f)
    })
}

/// `value`, in brackets where they are needed.
struct Bracketed<T>(T, bool);

impl<T: Display> Display for Bracketed<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Term {
    fn binds_loosely(&self) -> bool {
        matches!(self, Self::Choice(_) | Self::Cooperation { .. })
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Array(name, copies) => write!(f, "{name}[{copies}]"),
            Self::Prefix { activities, then } => {
                activities.iter().try_for_each(|activity| write!(f, "({}, {}).", activity.action, activity.rate))?;
                Bracketed(then, then.binds_loosely() || matches!(**then, Self::Prefix { .. })).fmt(f)
            }
            Self::Choice(all) => list(f, all.iter().map(|term| Bracketed(term, term.binds_loosely())), " + "),
            Self::Cooperation { first, rest } => {
                let bracketed = |term| Bracketed(term, matches!(term, &Self::Cooperation { .. }));
                bracketed(&**first).fmt(f)?;
                rest.iter().try_for_each(|(set, term)| write!(f, " {set} {}", bracketed(term)))
            }
            Self::Hiding { term, hidden } => {
                let loose = term.binds_loosely() || matches!(**term, Self::Prefix { .. });
                write!(f, "{}/{{", Bracketed(term, loose))?;
                list(f, hidden, ", ")?;
                f.write_str("}")
            }
        }
    }
}

impl Display for Set {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str("<*>"),
            Self::Names(names) if names.is_empty() => f.write_str("||"),
            Self::Names(names) => {
                f.write_str("<")?;
                list(f, names, ", ")?;
                f.write_str(">")
            }
        }
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
        })
    }
}

impl Expr {
    /// True where this needs brackets beside an operator: `/{P}` would read as hiding.
    fn is_looser_than(&self, operator: Operator) -> bool {
        match self {
            Self::Chain { rest, .. } => operator.is_product() || rest.iter().any(|(inner, _)| !inner.is_product()),
            Self::Pattern { parts, .. } => operator == Operator::Over || parts.len() == 1,
            _ => false,
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) if *value == 0.0 || (1e-5..1e16).contains(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value:e}"),
            Self::Name(name) => name.fmt(f),
            Self::Passive(_) => f.write_str("infty"),
            Self::Negative(inner) => write!(f, "-{}", Bracketed(inner, matches!(**inner, Self::Chain { .. }))),
            Self::Chain { first, rest } => {
                let bracketed = |expr: &Expr| rest.first().is_some_and(|(operator, _)| expr.is_looser_than(*operator));
                Bracketed(first, bracketed(first)).fmt(f)?;
                let mut rest = rest.iter();
                rest.try_for_each(|(operator, expr)| write!(f, " {operator} {}", Bracketed(expr, bracketed(expr))))
            }
            Self::Pattern { parts, .. } => {
                f.write_str("{")?;
                list(f, parts, " || ")?;
                f.write_str("}")
            }
        }
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("**"),
            Self::Is(term, _) => Bracketed(term, matches!(term, Term::Cooperation { .. })).fmt(f),
        }
    }
}
