//! Damaged points files. For a mutation loop and for a target of `tests/fuzz`.

use crate::{Declaration, parse, print};

/// A points file: printed, it is read as the same one; a refusal is one sentence.
pub fn points(text: &str) {
    match parse(text) {
        Ok(lines) => {
            let declarations: Vec<Declaration> = lines.into_iter().map(|line| line.declaration).collect();
            let printed = print(&declarations);
            let again = parse(&printed).map(|lines| lines.into_iter().map(|line| line.declaration).collect());
            assert_eq!(again, Ok(declarations), "{printed}");
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn damaged_texts_are_read_or_refused_in_one_sentence() {
        let document = include_str!("../../../docs/points.md");
        let lines: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        let text = lines.join("\n");
        let whole = &text[..4096.min(text.len())];
        let files: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).chain([whole]).collect();
        midrun_mutations::damaged_texts("points", &files, super::points);
    }
}
