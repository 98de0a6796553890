//! Mistakes in a tunlet's file, with their place and what is allowed.

use std::ops::Range;
use toml::Spanned;

/// What is wrong with a file; the text is one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct Mistake {
    /// Line, from 1.
    pub line: usize,
    /// Column, in characters from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl Mistake {
    /// One at a byte of `file`.
    pub(super) fn at(file: &str, byte: usize, what: impl Into<String>) -> Mistake {
        let (line, column) = place(file, byte);
        Mistake { line, column, what: what.into() }
    }

    /// What the TOML reader says is wrong.
    pub(super) fn of_toml(file: &str, error: &toml::de::Error) -> Mistake {
        let byte = error.span().map_or(0, |span| span.start);
        let words: Vec<&str> = error.message().split_whitespace().collect();
        Mistake::at(file, byte, words.join(" "))
    }
}

/// Line and column of a byte, from 1.
fn place(file: &str, byte: usize) -> (usize, usize) {
    let mut end = byte.min(file.len());
    while !file.is_char_boundary(end) {
        end -= 1;
    }
    let before = &file[..end];
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[begin..].chars().count() + 1)
}

/// A text inside the file that has lines and columns of its own: a script, an expression, the points.
#[derive(Clone, Debug)]
pub(super) struct Embedded {
    /// The text.
    pub text: String,
    /// Where its first character stands.
    line: usize,
    column: usize,
}

impl Embedded {
    /// The text of a TOML string.
    pub fn new(file: &str, value: &Spanned<String>) -> Embedded {
        Embedded::within(file, value.span(), value.get_ref().clone())
    }

    /// A text that stands there, quoted or not.
    pub fn within(file: &str, span: Range<usize>, text: String) -> Embedded {
        let raw = file.get(span.clone()).unwrap_or_default();
        let long = raw.starts_with("'''") || raw.starts_with("\"\"\"");
        let quotes = if long { 3 } else { usize::from(raw.starts_with(['\'', '"'])) };
        // TOML leaves a line break out that follows the opening quotes.
        let inside = &raw[quotes..];
        let broken =
            usize::from(long && inside.starts_with('\n')) + 2 * usize::from(long && inside.starts_with("\r\n"));
        let (line, column) = place(file, span.start + quotes + broken);
        Embedded { text, line, column }
    }

    /// A mistake at a line and column of the text, both from 1; 0: at its beginning.
    pub fn mistake(&self, line: usize, column: usize, what: impl Into<String>) -> Mistake {
        let (line, column) = (line.max(1), column.max(1));
        let column = if line == 1 { self.column + column - 1 } else { column };
        Mistake { line: self.line + line - 1, column, what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct One {
        a: Spanned<String>,
    }

    fn place_of(file: &str, line: usize, column: usize) -> (usize, usize) {
        let one: One = toml::from_str(file).unwrap();
        let mistake = Embedded::new(file, &one.a).mistake(line, column, "");
        (mistake.line, mistake.column)
    }

    #[test]
    fn a_place_in_an_embedded_text_is_reported_as_the_place_in_the_file() {
        assert_eq!(place_of("a = 'x + y'", 1, 5), (1, 10));
        assert_eq!(place_of("\na = '''\nx\n  y'''", 2, 3), (4, 3));
        assert_eq!(place_of("\na = \"\"\"x\n  y\"\"\"", 1, 1), (2, 8));
        assert_eq!(place_of("\na = \"\"\"x\n  y\"\"\"", 0, 0), (2, 8));
        assert_eq!(place_of("a = '''\r\nx'''", 1, 1), (2, 1));
    }
}
