//! The page of a prediction (`--report`): where the time goes, what was measured beside it, and the program's picture.

use maud::{Markup, html};
use midrun_predict::program::{Outcome, Times};
use midrun_vocabulary::Seconds;

use crate::chart::{self, Compared};
use crate::page::document;
use crate::picture::Picture;

/// Most bars of a chart.
const MOST_BARS: usize = 64;
/// Activities as classes of the page, and their names.
const ACTIVITIES: [(&str, &str); 3] = [("useful", "computing"), ("mpi", "communicating"), ("waiting", "waiting")];

/// What a page shows.
pub struct Content<'a> {
    /// Of the program.
    pub name: String,
    /// The answer in sentences.
    pub lines: Vec<String>,
    pub picture: &'a Picture,
    /// Of a prediction.
    pub outcome: Option<&'a Outcome>,
    /// Of recorded runs.
    pub runs: Vec<Compared>,
    /// The tables of the readable answer.
    pub text: String,
}

/// The page.
pub fn page(content: &Content<'_>) -> String {
    let body = html! {
        h1 { "midrun prediction: " (content.name) }
        ul.result { @for line in &content.lines { li { (line) } } }
        @if let Some(chart) = chart::compared(&content.runs) {
            h2 { "Predicted and measured" }
            figure { (chart) figcaption { span.key.predicted { "predicted, with the interval of the mean" } " " span.key.measured { "measured" } } }
        }
        @if let Some(outcome) = content.outcome { (times(outcome)) }
        h2 { "The program" }
        figure.picture { (content.picture.svg()) }
        h2 { "All figures" }
        pre { (content.text) }
        footer { "Made by midrun " (env!("CARGO_PKG_VERSION")) "." }
    };
    document(&content.name, "", &body)
}

fn bars(of: &Times) -> [f64; 3] {
    [of.compute_s, of.communication_s, of.waiting_s]
}

fn times(outcome: &Outcome) -> Markup {
    let mut elements: Vec<(String, [f64; 3])> = outcome
        .elements
        .iter()
        .filter(|of| of.times.sum_s() > 0.0)
        .map(|of| (of.name.clone(), bars(&of.times)))
        .collect();
    elements.sort_by(|a, b| b.1.iter().sum::<f64>().total_cmp(&a.1.iter().sum()).then_with(|| a.0.cmp(&b.0)));
    let process =
        |(rank, of): (usize, &midrun_predict::program::ProcessTimes)| (format!("process {rank}"), bars(&of.times));
    let processes: Vec<(String, [f64; 3])> = outcome.processes.iter().enumerate().map(process).collect();
    html! {
        h2 { "Where the time goes" }
        p { @for (class, name) in ACTIVITIES { span class=(format!("key {class}")) { (name) } " " } }
        h3 { "By element, over all processes" }
        (figure("time of each element", &elements))
        h3 { "By process, until " (Seconds(outcome.total_s)) }
        (figure("time of each process", &processes))
    }
}

fn figure(label: &str, of: &[(String, [f64; 3])]) -> Markup {
    let shown = &of[..of.len().min(MOST_BARS)];
    html! {
        figure.bars {
            (chart::stacked(label, shown, &ACTIVITIES))
            @if of.len() > shown.len() { figcaption { "and " (of.len() - shown.len()) " more" } }
        }
    }
}
