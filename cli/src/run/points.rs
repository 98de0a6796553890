//! `--points FILE`: measure points and tuning points in a program that was not written for midrun.

use std::path::Path;

use midrun_points::{Declaration, Mode, Tuned};
use midrun_tunlets::tuning_point::names;
use midrun_vocabulary::names::PROGRESS;
use serde_json::{Value, json};

use crate::text_file;
use crate::usage::usage;

/// The text of a points file that was parsed without error.
#[derive(Clone, Debug)]
pub struct Points {
    text: String,
}

impl Points {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// A [`crate::usage::Usage`]: the file cannot be read, or has an error at a line and column.
    pub fn read(path: &Path) -> anyhow::Result<Points> {
        let text = match text_file::open(path, text_file::MOST_BYTES) {
            Ok(text) => text,
            Err(error) => return usage(format!("--points {} cannot be read: {error}", path.display())),
        };
        let text = without_comments(&text);
        match midrun_points::parse(&text) {
            Ok(lines) if lines.is_empty() => {
                usage(format!("--points {} declares nothing: docs/points.md has the language", path.display()))
            }
            Ok(_) => Ok(Points { text }),
            Err(error) => usage(format!("--points {}: {error}", path.display())),
        }
    }

    /// The value of MIDRUN_POINTS: lines separated by semicolons, because some launchers do not forward line breaks.
    pub fn variable(&self) -> String {
        self.text.trim_end().replace('\n', ";")
    }

    /// The line that measures the progress, as ranks number it.
    pub fn progress_line(&self) -> Option<u32> {
        let is_progress = |declaration: &Declaration| matches!(declaration, Declaration::Measure { label, mode, .. } if label.as_str() == PROGRESS && *mode != Mode::Off);
        let lines = midrun_points::parse(&self.text).unwrap_or_default();
        lines.into_iter().find(|line| is_progress(&line.declaration)).map(|line| line.number)
    }

    /// The line that tells the iterations, as ranks number it.
    pub fn iteration_line(&self) -> Option<u32> {
        let lines = midrun_points::parse(&self.text).unwrap_or_default();
        lines.into_iter().find(midrun_points::Line::iterates).map(|line| line.number)
    }

    /// A search in which each range without a step has that of its tuning point, where this has one: of other values it takes none.
    pub fn with_steps(&self, search: &str) -> String {
        search
            .split(';')
            .map(|part| self.with_step(part).unwrap_or_else(|| part.to_owned()))
            .collect::<Vec<_>>()
            .join(";")
    }

    /// One range of a search with the step of its tuning point, from its first allowed value on; `None` where it stays as it is.
    fn with_step(&self, part: &str) -> Option<String> {
        let (name, range) = part.split_once('=')?;
        let (least, rest) = range.split_once("..").filter(|_| !range.contains("step"))?;
        let (most, words) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let lines = midrun_points::parse(&self.text).unwrap_or_default();
        let grid = |line: midrun_points::Line| match line.declaration {
            Declaration::Tune { label, what: Tuned::Variable { span, step, .. }, .. }
                if label.as_str() == name.trim() =>
            {
                Some((span.minimum, step?))
            }
            _ => None,
        };
        let (minimum, step) = lines.into_iter().find_map(grid)?;
        let asked: f64 = least.trim().parse().ok()?;
        let first = minimum + ((asked - minimum) / step).ceil().max(0.0) * step;
        Some(format!("{name}={first}..{most} step {step} {words}").trim_end().to_owned())
    }

    /// What is said of labels that are nearly those of midrun's own models: nothing but a search or a tunlet that names them tunes them.
    pub fn near_misses(&self) -> Vec<String> {
        let bare = |label: &str| {
            let letters: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
            letters.to_ascii_lowercase().trim_end_matches('s').to_owned()
        };
        let known = [names::CHUNK_TASKS, names::CHUNK_SHARE, names::OWN_WORKERS, "F0", "F0.rest"];
        let near = |label: &str| known.into_iter().find(|name| bare(name) == bare(label) && *name != label);
        let lines = midrun_points::parse(&self.text).unwrap_or_default();
        let tuned = lines.iter().filter(|line| matches!(line.declaration, Declaration::Tune { .. }));
        let said = |label: &str| {
            Some(format!("--points: no model tunes {label}; if it is meant to be {}, that is its label", near(label)?))
        };
        tuned.filter_map(|line| said(line.declaration.label()?.as_str())).collect()
    }

    /// Adds the declared lines to a summary.
    pub fn declare(&self, json: &str) -> String {
        let Ok(mut summary) = serde_json::from_str::<Value>(json) else { return json.to_owned() };
        if summary["points"].is_null() {
            summary["points"] = json!({ "refused": [], "measured": [] });
        }
        summary["points"]["declared"] = self.text.lines().map(|line| line.trim().to_owned()).collect();
        summary.to_string()
    }
}

/// Removes the comments: the text for the ranks is limited to 4096 bytes.
fn without_comments(text: &str) -> String {
    let code = |line: &str| {
        let comment = line.starts_with('#').then_some(0).or_else(|| line.find(" #")).or_else(|| line.find("\t#"));
        format!("{}\n", comment.map_or(line, |at| &line[..at]).trim_end())
    };
    text.lines().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Points> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Points::read(file.path())
    }

    #[test]
    fn a_search_takes_the_step_of_a_tuning_point_where_it_names_none() {
        let points = read("tune tile variable T int 8..512 step 8\ntune depth variable D int 1..12").unwrap();
        for (asked, searched) in [
            ("tile=8..512", "tile=8..512 step 8"),
            ("tile=20..200 synchronized; depth=1..4", "tile=24..200 step 8 synchronized; depth=1..4"),
            ("tile=8..512 step 16", "tile=8..512 step 16"),
            ("tile=8,64;other=0..9", "tile=8,64;other=0..9"),
        ] {
            assert_eq!(points.with_steps(asked), searched);
        }
    }

    #[test]
    fn labels_that_are_nearly_known_are_named() {
        let said = |label: &str| read(&format!("tune {label} variable C int 1..9")).unwrap().near_misses();
        for label in ["chunk.task", "chunk_tasks", "Chunk.Tasks", "nw", "f0", "F0_rest"] {
            assert_eq!(said(label).len(), 1, "{label}");
        }
        assert!(["chunk.tasks", "NW", "F0.rest", "tile", "n"].iter().all(|label| said(label).is_empty()));
        let said = said("chunk.task").remove(0);
        assert_eq!(said, "--points: no model tunes chunk.task; if it is meant to be chunk.tasks, that is its label");
    }

    #[test]
    fn comments_go_and_lines_keep_their_numbers() {
        let points = read("# the loop\n\niteration function step # main loop\nmeasure s function solve sum\n").unwrap();
        assert_eq!(points.variable(), ";;iteration function step;measure s function solve sum");
        let summary = points.declare("{\"job\":\"j\",\"points\":{\"refused\":[],\"measured\":[1]}}");
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["points"]["declared"][2], "iteration function step");
        assert_eq!(summary["points"]["measured"][0], 1);
    }

    #[test]
    fn the_line_of_the_progress_is_numbered_as_the_ranks_number_it() {
        let line = |text: &str| read(text).unwrap().progress_line();
        let text = "# cells\n\nmeasure s function solve sum\nmeasure progress variable cells i64 sum\n";
        assert_eq!(line(text), Some(4));
        let ranks = midrun_points::parse(&read(text).unwrap().variable().replace(';', "\n")).unwrap();
        assert!(ranks.iter().any(|line| line.number == 4), "{ranks:?}");
        assert_eq!(line("measure s function solve sum\nmeasure progress function f off\n"), None);
    }

    #[test]
    fn what_is_wrong_is_named_with_file_line_and_column() {
        let error = read("measure a function f sum\n  tune 0F variable F0 f64 0..1\n").unwrap_err().to_string();
        assert!(error.contains(": line 2, column 8: \"0F\" is not a label"), "{error}");
        assert!(read("# nothing\n").unwrap_err().to_string().contains("declares nothing"));
        let missing = Points::read(Path::new("/nowhere/points")).unwrap_err().to_string();
        assert!(missing.contains("--points /nowhere/points cannot be read"), "{missing}");
    }
}
