//! The page of figures: Markdown, which the terminal shows as it is.

use std::fmt::Write;

use anyhow::Result;

use super::live::{Measured, Run};
use super::{Answer, Figure, Item, Row, Source};

/// Beginning of docs/papers.md.
const HEAD: &str = "\
# The sources' figures and tables, and ours

    benches/papers                          # this page, without runs: under two minutes
    benches/papers --only T4P.T7            # one figure or table, and its runs if it has any (--no-runs: without)
    benches/papers --only T4P --live        # all whose ids begin so, with their runs; each says how long it takes
    benches/papers --live --record          # all runs, kept for this page; --missing instead of --live: those that are not kept yet

This page is the output of the first command. Experiments and printed values are in `benches/sources`; [sources.md](sources.md) says where each system\nof the sources lives.

| column | content |
|---|---|
| source | what the source printed: computed, expected or chosen there; - : not printed, or lost with a plot |
| observed | what the source's own run gave |
| model | what the models of this project give, by the functions of `midrun predict` |
| deviation | model against source, in per cent, of counts in units; of lists the entry that is furthest off. **Bold**: beyond the tolerance of the item |
| here | what a run gave on one virtual machine of 2 cores, other load beside it, tasks and stages asleep; recorded in `benches/sources/measured.toml` |
";

/// The whole page.
///
/// # Errors
/// Data that no model can answer.
pub fn page(sources: &[Source], measured: &Measured) -> Result<String> {
    let mut tally = Tally::default();
    let mut sections = String::new();
    for source in sources {
        sections += &section(source, measured, &mut tally)?;
    }
    let Tally { computed, compared, agree, lost } = tally;
    let sentence = format!(
        "{computed} values are computed, {compared} of them can be compared with a printed one, {agree} of these agree. Of {lost} figures or \
         tables nothing can be computed."
    );
    Ok(format!("{HEAD}\n{sentence}\n{sections}"))
}

/// How many figures agree.
#[derive(Default)]
pub struct Tally {
    computed: usize,
    compared: usize,
    agree: usize,
    /// Items of which nothing can be computed.
    lost: usize,
}

impl Tally {
    fn count(&mut self, answer: &Answer) {
        self.computed += usize::from(answer.model.is_some());
        self.compared += usize::from(answer.deviation.is_some());
        self.agree += usize::from(answer.deviation.as_ref().is_some_and(|deviation| deviation.agrees));
    }
}

/// One source.
///
/// # Errors
/// Data that no model can answer.
pub fn section(source: &Source, measured: &Measured, tally: &mut Tally) -> Result<String> {
    let mut text = format!("\n## {}\n\n{}\n", source.source, source.note);
    for item in &source.item {
        text += &block(item, measured, tally)?;
    }
    Ok(text)
}

fn block(item: &Item, measured: &Measured, tally: &mut Tally) -> Result<String> {
    let mut text = format!("\n### {}: {}\n", item.id, item.title);
    for part in [item.given.as_ref(), item.lost.as_ref()].into_iter().flatten() {
        let _ = write!(text, "\n{}\n", part.trim());
    }
    if item.row.is_empty() {
        tally.lost += 1;
        return Ok(text);
    }
    let mut lines = Vec::new();
    for row in &item.row {
        for (figure, answer) in row.figure.iter().zip(item.answers(row)?) {
            tally.count(&answer);
            let run = measured.run(&item.id, &row.case, &figure.of);
            lines.push(line(row, figure, &answer, run));
        }
    }
    // Columns that this item does not need are left out.
    let heads = ["case", "figure", "source", "observed", "model", "deviation", "here", "remark"];
    let used: Vec<usize> = (0..heads.len()).filter(|k| lines.iter().any(|cells| cells[*k] != "-")).collect();
    let join = |cells: &mut dyn Iterator<Item = &str>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    text.push('\n');
    text += &join(&mut used.iter().map(|k| heads[*k]));
    text += &format!("|{}\n", "---|".repeat(used.len()));
    for cells in &lines {
        text += &join(&mut used.iter().map(|k| cells[*k].as_str()));
    }
    Ok(text)
}

fn line(row: &Row, figure: &Figure, answer: &Answer, run: Option<&Run>) -> [String; 8] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let deviation = answer.deviation.as_ref();
    let shown = deviation.map(|d| if d.agrees { d.text.clone() } else { format!("**{}**", d.text) });
    let here = match (run, &row.live) {
        (Some(run), _) => Some(run.to_string()),
        (None, Some(live)) if figure.run_only => Some(format!("not run (takes {})", live.takes())),
        _ => None,
    };
    [
        row.case.clone(),
        figure.of.clone(),
        or_dash(figure.source.as_ref().map(ToString::to_string)),
        or_dash(figure.observed.as_ref().map(ToString::to_string)),
        or_dash(answer.model.as_ref().map(ToString::to_string)),
        or_dash(shown),
        or_dash(here),
        or_dash(figure.why.as_ref().map(|why| why.trim().to_owned())),
    ]
}
