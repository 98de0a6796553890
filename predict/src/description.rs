//! Descriptions as TOML text, and what is wrong with them as one sentence with its place.

use std::ops::Range;

use serde::de::DeserializeOwned;

/// A mistake in a description and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {sentence}")]
pub struct DescriptionError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The mistake, and the correct form.
    pub sentence: String,
}

impl DescriptionError {
    /// The same sentence at the place where `span` begins.
    pub(crate) fn at(text: &str, span: Range<usize>, sentence: impl Into<String>) -> DescriptionError {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        DescriptionError { line, column, sentence: sentence.into() }
    }
}

/// Letters, digits and `_`, not beginning with a digit.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Reads TOML.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, DescriptionError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let words: Vec<&str> = error.message().split_whitespace().collect();
        DescriptionError::at(text, error.span().unwrap_or(0..0), words.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_in_lines_and_characters() {
        let error = DescriptionError::at("a = 1\nüb = 2\n", 9..10, "no");
        assert_eq!(error.to_string(), "line 2, column 3: no");
        assert_eq!(DescriptionError::at("", 7..9, "no").line, 1);
        let broken = parse::<toml::Table>("a = 1\nb = = 2\n").unwrap_err();
        assert_eq!((broken.line, broken.column), (2, 5), "{broken}");
    }
}
