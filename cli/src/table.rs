//! Tables for the terminal: aligned columns without borders.

use comfy_table::{CellAlignment, Table, presets};

/// A column's alignment and title.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// For words.
    Left(&'static str),
    /// For numbers.
    Right(&'static str),
}

use Column::{Left, Right};

/// Formats rows, one per line, with a line of titles if any column has one. Two blanks stand before each column, none at a line's end.
pub fn table(columns: &[Column], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).add_rows(rows);
    let titles = columns.iter().map(|(Left(title) | Right(title))| *title);
    if titles.clone().any(|title| !title.is_empty()) {
        table.set_header(titles);
    }
    for (column, of) in table.column_iter_mut().zip(columns) {
        let alignment = if let Left(_) = of { CellAlignment::Left } else { CellAlignment::Right };
        column.set_padding((2, 0)).set_cell_alignment(alignment);
    }
    let text = table.trim_fmt();
    if text.is_empty() { text } else { text + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["8", "daf", ""]), row(["1024", "größer", "<- here"])];
        let expected = "  workers  technique
        8  daf
     1024  größer     <- here
";
        assert_eq!(table(&[Right("workers"), Left("technique"), Left("")], rows), expected);
        assert_eq!(table(&[Left("")], []), "");
        assert_eq!(table(&[Left(""), Right("")], [row(["a", "1", ""])[..2].to_vec()]), "  a  1\n");
    }
}
