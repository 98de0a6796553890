//! The page: figures, tables and text of each run, and a table that compares several.

use maud::{Markup, PreEscaped, html};
use midrun_vocabulary::{Count, Seconds};
use serde_json::Value;

use super::decisions::Decision;
use super::run::{RankTimes, Run};
use super::{data, svg};
use crate::page::document;
use crate::summary;

/// Ranks whose times are shown; a line says how many there are more.
const MOST_RANKS: usize = 128;
/// Decisions that are listed with their reasons; a line says how many there are more.
const MOST_DECISIONS: usize = 200;

/// The page of these runs.
pub fn page(runs: &[Run]) -> String {
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let body = html! {
        h1 { "midrun report" }
        @if runs.len() > 1 { (compared(runs)) }
        div.runs { @for (number, run) in runs.iter().enumerate() { (section(number, run)) } }
        footer { "Made by midrun " (env!("CARGO_PKG_VERSION")) ". Curves: uPlot " a href="https://github.com/leeoniya/uPlot" { "(MIT licence, Leon Sorokin)" } "." }
        script type="application/json" id="data" { (PreEscaped(data::data(runs))) }
        script { (PreEscaped(include_str!("uplot/uPlot.iife.min.js"))) }
        script { (PreEscaped(include_str!("page.js"))) }
    };
    document(&names.join(", "), include_str!("uplot/uPlot.min.css"), &body)
}

/// A table with a column per run.
fn compared(runs: &[Run]) -> Markup {
    type Cell = fn(&Run) -> String;
    let rows: [(&str, Cell); 9] = [
        ("MPI", |run| run.text("mpi").to_owned()),
        ("ranks", |run| run.summary["ranks"].to_string()),
        ("windows", |run| run.points.len().to_string()),
        ("first", |run| seconds(run.points.first().map(|point| point.time_s))),
        ("last", |run| seconds(run.points.last().map(|point| point.time_s))),
        ("median", |run| seconds(median(run))),
        ("all together", |run| seconds(total_s(run))),
        ("parallel efficiency", |run| percent(&run.summary["pop"]["parallel_efficiency"])),
        ("decisions kept", |run| {
            let kept = run.decisions.iter().filter(|decision| decision.verdict == "kept").count();
            format!("{kept} of {}", run.decisions.len())
        }),
    ];
    html! {
        section {
            h2 { "Side by side" }
            table {
                tr { th {} @for run in runs { th { (run.name) } } }
                @for (name, cell) in rows { tr { th { (name) } @for run in runs { td { (cell(run)) } } } }
            }
            figure id="together" { figcaption { "Time of each window" } }
        }
    }
}

fn median(run: &Run) -> Option<f64> {
    let times = run.points.iter().map(|point| point.time_s).collect();
    Some(midrun_statistics::median(times)).filter(|median| median.is_finite())
}

/// Time of all iterations; of streams only the times between outputs are listed.
fn total_s(run: &Run) -> Option<f64> {
    (run.unit == "iteration").then(|| run.points.iter().map(|point| point.time_s).sum())
}

fn seconds(s: Option<f64>) -> String {
    s.map_or_else(|| "-".to_owned(), |s| Seconds(s).to_string())
}

fn percent(share: &Value) -> String {
    share.as_f64().map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn section(number: usize, run: &Run) -> Markup {
    let nodes: Vec<&str> = run.summary["nodes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let ranks = Count(run.summary["ranks"].as_u64().unwrap_or(0), "rank");
    html! {
        section.run data-run=(number) {
            h2 { (run.name) }
            p { "Job " (run.text("job")) ", " (run.text("mpi")) ", " (ranks) " on " (nodes.join(", ")) ", " (seconds(run.summary["wall_s"].as_f64())) "." }
            (result(run))
            @if run.points.is_empty() {
                p { "No iterations were measured: the program neither uses a framework nor marks its iterations, and its MPI calls have no period." }
            } @else {
                h3 { "Time of each " (run.unit) (of_first(run)) }
                figure.curve { (svg::curve(run)) figcaption { span.key.time { "measured" } " " span.key.ideal { (ideal(run)) } " " span.key.mark { "decision" } } }
                figure.ratio {}
            }
            (decisions(&run.decisions))
            @if let Some(timeline) = &run.timeline {
                h3 { "Ranks over time" }
                figure.gantt {
                    figcaption {
                        (Count(timeline.slices.len() as u64, "slice")) " of work. Wheel: zoom; drag: move; double click: everything. "
                        "A full colour is a rank that computed all the time. Of stages the sums of each window are recorded, not the order within it."
                    }
                }
            }
            (efficiencies(run))
        }
    }
}

fn ideal(run: &Run) -> &'static str {
    if run.unit == "window" { "best period by the model" } else { "ideal: task time / workers" }
}

/// What the run gained, and the advice for the next one: the sentences of the summary at the end of a run.
/// Whose iterations the curve shows, where there are several masters.
fn of_first(run: &Run) -> String {
    let first = run.summary["instances"][0]["master"].as_u64();
    first.map_or_else(String::new, |rank| format!(" of master {rank}"))
}

fn result(run: &Run) -> Markup {
    let lines = summary::instances(&run.summary).into_iter().chain(summary::result_lines(&run.summary));
    html! { ul.result { @for line in lines { li { (line) } } } }
}

fn decisions(decisions: &[Decision]) -> Markup {
    if decisions.is_empty() {
        return html! { h3 { "Decisions" } p { "midrun changed nothing." } };
    }
    let more = decisions.len().saturating_sub(MOST_DECISIONS);
    html! {
        h3 { "Decisions" }
        table.decisions {
            tr { th { "#" } th { "at" } th { "change" } th { "predicted" } th { "without" } th { "measured" } th { "outcome" } }
            @for (number, decision) in decisions.iter().take(MOST_DECISIONS).enumerate() {
                tr {
                    td { (number + 1) } td { (decision.window) } td { (decision.change) }
                    td { (predicted(decision)) } td { (seconds(decision.unchanged_s)) }
                    td { (seconds(decision.measured_s)) (outside(decision)) } td class=(decision.verdict) { (decision.verdict) }
                }
                tr.why { td {} td colspan="6" { "because " (decision.why) } }
            }
        }
        @if more > 0 { p { "and " (Count(more as u64, "decision")) " more." } }
        @if let Some(chart) = svg::predictions(&decisions[..decisions.len().min(MOST_DECISIONS)]) {
            h3 { "Predicted and measured" }
            figure { (chart) figcaption { span.key.predicted { "predicted, with its interval" } " " span.key.measured { "measured" } } }
        }
    }
}

fn predicted(decision: &Decision) -> String {
    match decision.predicted_s {
        Some((s, Some(within))) => format!("{} {within}", Seconds(s)),
        Some((s, None)) => Seconds(s).to_string(),
        None => "-".to_owned(),
    }
}

fn outside(decision: &Decision) -> &'static str {
    if decision.is_foreseen() == Some(false) { " (outside)" } else { "" }
}

fn efficiencies(run: &Run) -> Markup {
    let pop = &run.summary["pop"];
    if pop.is_null() {
        return html! {};
    }
    let more = run.ranks.len().saturating_sub(MOST_RANKS);
    html! {
        h3 { "Efficiencies" }
        table {
            tr { th { "parallel efficiency" } th { "load balance" } th { "communication efficiency" } }
            tr { td { (percent(&pop["parallel_efficiency"])) } td { (percent(&pop["load_balance"])) } td { (percent(&pop["communication_efficiency"])) } }
        }
        ul { @for line in summary::mpi_lines(&run.summary).iter().skip(1) { li { (line) } } }
        p { span.key.useful { "useful" } " " span.key.waiting { "waiting in MPI" } " " span.key.mpi { "other MPI" } " " span.key.framework { "midrun's frameworks" } }
        table.ranks { @for rank in run.ranks.iter().take(MOST_RANKS) { (rank_row(rank)) } }
        @if more > 0 { p { "and " (Count(more as u64, "rank")) " more." } }
    }
}

fn rank_row(rank: &RankTimes) -> Markup {
    const NAMES: [&str; 4] = ["useful", "waiting", "mpi", "framework"];
    html! {
        tr {
            th { "rank " (rank.rank) }
            td { div.bar { @for (name, share) in NAMES.iter().zip(rank.shares) { span class=(name) style=(format!("width:{:.1}%", 100.0 * share)) {} } } }
            td { (format!("{:.0} %", 100.0 * rank.shares[0])) }
        }
    }
}
