//! The names in declarations: labels, symbols, MPI calls.

use midrun_vocabulary::bounds::NAME_BYTES;

/// The name of a measure point or tuning point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(String);

impl Label {
    /// Description of a label for error messages.
    pub const FORM: &str = "a label: a letter, then letters, digits, _ and ., at most 31 in all";

    /// Checks a label; `None` if it is malformed.
    pub fn new(text: &str) -> Option<Label> {
        let inside = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'.';
        let good = text.len() <= NAME_BYTES
            && text.bytes().next().is_some_and(|c| c.is_ascii_alphabetic())
            && text.bytes().all(inside);
        good.then(|| Label(text.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A function or variable of the program: its name and, optionally, the program or library that defines it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    object: Option<String>,
    name: String,
}

impl Symbol {
    /// Description of a symbol for error messages.
    pub const FORM: &str = "a symbol: a name without spaces or commas, or object:name";

    /// `name` or `object:name`; `::` belongs to the name. `None` when the text is no symbol.
    pub fn new(text: &str) -> Option<Symbol> {
        let single = |at: usize| text[at + 1..].bytes().next() != Some(b':') && !text[..at].ends_with(':');
        let colon = text.match_indices(':').map(|(at, _)| at).find(|&at| single(at));
        let (object, name) = match colon {
            Some(at) => (Some(&text[..at]), &text[at + 1..]),
            None => (None, text),
        };
        let word = |c: char| !c.is_whitespace() && !c.is_control();
        let comma_inside = outside_brackets(name).any(|(_, c)| c == ',');
        let good = text.chars().all(word)
            && !text.starts_with('#')
            && !name.is_empty()
            && !comma_inside
            && object.is_none_or(|object| !object.is_empty() && !object.contains(':'));
        good.then(|| Symbol { object: object.map(str::to_owned), name: name.into() })
    }

    /// File name of the program or library; `None`: any.
    pub fn object(&self) -> Option<&str> {
        self.object.as_deref()
    }

    /// Its name in the symbol table or demangled.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The characters of C++ names that stand in no parameter list and in no list of template arguments, with their places.
pub(crate) fn outside_brackets(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut open: Vec<char> = Vec::new();
    text.char_indices().filter(move |(at, c)| {
        // The brackets of `operator<`, `operator>>` and `operator->` open and close nothing.
        let named = || text[..*at].trim_end_matches(['<', '>', '-', '=']).ends_with("operator");
        match c {
            '(' => open.push('('),
            // A shift or a comparison inside parentheses opens nothing that outlives them.
            ')' => open.truncate(open.iter().rposition(|bracket| *bracket == '(').unwrap_or(open.len())),
            '<' if !named() => open.push('<'),
            '>' if !named() && open.last() == Some(&'<') => open.truncate(open.len() - 1),
            _ => {}
        }
        open.is_empty()
    })
}

impl std::fmt::Display for Symbol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.object {
            Some(object) => write!(f, "{object}:{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// An MPI call by its C name: `MPI_Send`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call(String);

impl Call {
    /// Description of a call for error messages.
    pub const FORM: &str = "an MPI call by its C name, as MPI_Send";

    /// Checks the name of a call; `None` if it is malformed.
    pub fn new(text: &str) -> Option<Call> {
        let rest = text.strip_prefix("MPI_")?;
        let good = !rest.is_empty() && rest.len() <= 60 && rest.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        good.then(|| Call(text.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A control variable of MPI (MPI_T) by the name that the MPI gives it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlName(String);

impl ControlName {
    /// Description of a control variable for error messages.
    pub const FORM: &str = "the name of a control variable of MPI, as coll_tuned_bcast_algorithm";

    /// Checks the name of a control variable; `None` if it is malformed.
    pub fn new(text: &str) -> Option<ControlName> {
        let good = |c: u8| c.is_ascii_alphanumeric() || b"_-.".contains(&c);
        (!text.is_empty() && text.len() <= 120 && text.bytes().all(good)).then(|| ControlName(text.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ControlName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_cut_at_a_single_colon_only() {
        let parts = |text| Symbol::new(text).map(|s| (s.object.clone(), s.name.clone()));
        let some = |object: &str, name: &str| Some((Some(object.to_owned()), name.to_owned()));
        assert_eq!(parts("step"), Some((None, "step".into())));
        assert_eq!(parts("libfoo.so:step"), some("libfoo.so", "step"));
        assert_eq!(parts("ns::step"), Some((None, "ns::step".into())));
        assert_eq!(parts("libfoo.so:ns::step(int,double)"), some("libfoo.so", "ns::step(int,double)"));
        for bad in ["", ":", "a:", ":a", "a b", "#a", "a,b", "a:b:c::d:"] {
            let kept = Symbol::new(bad).map(|s| s.to_string());
            assert!(kept.is_none() || kept.as_deref() == Some(bad), "{bad}: {kept:?}");
        }
        assert_eq!(parts("a,b"), None, "a comma parts alternatives");
        for whole in
            ["ns::f<int,double>", "f(int,double)", "operator<<(A,B)", "A::operator<(int,B)", "f<int,1>::g<A,B>"]
        {
            assert_eq!(parts(whole), Some((None, whole.into())), "a comma inside brackets does not");
        }
        assert_eq!(parts("f<int,double>,g"), None);
    }

    #[test]
    fn labels_and_calls_are_checked() {
        for good in ["a", "F0", "NW", "f0", "solver.time_s", "a234567890123456789012345678901"] {
            assert!(Label::new(good).is_some(), "{good}");
        }
        for bad in ["", "0a", ".a", "a-b", "a2345678901234567890123456789012", "ä"] {
            assert!(Label::new(bad).is_none(), "{bad}");
        }
        assert!(Call::new("MPI_Send").is_some());
        assert!(["MPIR_CVAR_X", "btl_tcp-2.a"].iter().all(|good| ControlName::new(good).is_some()));
        assert!(["", "a b", "a;b", "#a"].iter().all(|bad| ControlName::new(bad).is_none()));
        assert!(["MPI_", "send", "mpi_send", "MPI_a b"].iter().all(|bad| Call::new(bad).is_none()));
    }
}
