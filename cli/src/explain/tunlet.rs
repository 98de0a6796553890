//! The description of a tunlet, as text and as JSON.

use std::fmt::Write;

use midrun_tunlets::scripted::is_file;
use midrun_tunlets::{Explanation, TuningOptions, catalogue};

use crate::tunlet_files;
use crate::usage::Usage;

/// Describes a built-in tunlet, or one in a file.
///
/// # Errors
/// A [`Usage`]: there is no such tunlet, or its file has an error.
pub fn explain(name: &str, json: bool) -> anyhow::Result<String> {
    let files = if is_file(name) { vec![tunlet_files::read(name)?] } else { Vec::new() };
    let options = TuningOptions { tunlet: name.to_owned(), files, ..TuningOptions::default() };
    tunlet_files::check(&options)?;
    let tunlet = catalogue::create(&options).map_err(|error| Usage(format!("{name}: allowed is {error}")))?;
    let explanation = tunlet.explain();
    if json { Ok(format!("{}\n", serde_json::to_string_pretty(&explanation)?)) } else { Ok(text(&explanation)) }
}

/// A heading with its lines; empty without lines.
fn section(heading: &str, lines: impl IntoIterator<Item = String>) -> String {
    let lines: Vec<String> = lines.into_iter().map(|line| format!("  {line}\n")).collect();
    if lines.is_empty() { String::new() } else { format!("{heading}\n{}", lines.concat()) }
}

fn text(e: &Explanation) -> String {
    let about = if e.about.is_empty() { String::new() } else { format!(": {}", e.about) };
    let mut text = format!("tunlet {}{about}\n", e.tunlet);
    let turns = e.turns.iter().map(|turn| format!("{} ({}): {}", turn.tuning_point, turn.what, turn.range));
    let decides = e.decides.iter().map(|formula| match formula.source.as_str() {
        "" => formula.says.clone(),
        source => format!("{}   [{source}]", formula.says),
    });
    let _ = write!(
        text,
        "{}{}{}{}{}",
        section("sees", e.sees.iter().cloned()),
        section("may turn", turns),
        section("wants", [e.objective.clone()]),
        section("decides by", decides),
        section("limits", e.limits.iter().cloned()),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tunlets_name_their_formulas_with_their_sources() {
        let master_worker = explain("master_worker", false).unwrap();
        for part in [
            "Pi(n) = n Tt(n)²/Tc (17)",
            "[César 2006, ch. III]",
            "[Hummel, Schonberg, Flynn 1992]",
            "mw.technique",
            "F0",
        ] {
            assert!(master_worker.contains(part), "{part} is missing in\n{master_worker}");
        }
        assert!(explain("pipeline", false).unwrap().contains("pipe.pattern"));
        let both: serde_json::Value = serde_json::from_str(&explain("auto", true).unwrap()).unwrap();
        assert_eq!(both["tunlet"], "auto");
        assert!(
            both["turns"]
                .as_array()
                .is_some_and(|turns| turns.iter().any(|turn| turn["tuning_point"] == "pipe.pattern"))
        );
    }

    #[test]
    fn what_is_no_tunlet_is_refused_with_those_there_are() {
        let text = |name: &str| explain(name, false).unwrap_err().to_string();
        assert!(
            text("nobody").contains("auto master_worker divide_conquer pipeline search, or a file"),
            "{}",
            text("nobody")
        );
        assert!(text("no/such.toml").contains("the tunlet no/such.toml cannot be read"));
    }
}
