//! A state diagram's picture: a row for each process, a column for each stage, and an arrow for each wait.

use maud::{Markup, html};
use midrun_predict::state_diagram::{Diagram, Time};
use midrun_vocabulary::Seconds;

use super::Picture;
use super::blocks::Block;

const WIDE: f64 = 150.0;
const HIGH: f64 = 36.0;
const RIGHT: f64 = 240.0;
const DOWN: f64 = 58.0;
const LEFT: f64 = 120.0;
const TOP: f64 = 24.0;
/// Rows and columns that are drawn of many: the first and the last ones.
const FIRST: usize = 8;
const LAST: usize = 2;

/// The numbers below `count` that are drawn; a place is left where some are not.
fn drawn(count: usize) -> Vec<(usize, usize)> {
    if count <= FIRST + LAST + 1 {
        return (0..count).map(|number| (number, number)).collect();
    }
    let last = (count - LAST..count).enumerate().map(|(at, number)| (number, FIRST + 1 + at));
    (0..FIRST).map(|number| (number, number)).chain(last).collect()
}

fn said(time: &Time) -> String {
    let law = match time.k() {
        _ if time.variance_s2() == 0.0 => "fixed".to_owned(),
        1.0 => "exponential".to_owned(),
        k if k.fract() == 0.0 => format!("Erlang {k}"),
        _ => format!("+- {}", Seconds(time.variance_s2().sqrt())),
    };
    format!("{}, {law}", Seconds(time.mean_s()))
}

/// The picture of a diagram.
pub fn picture(name: &str, diagram: &Diagram) -> Picture {
    let stages = |process: usize| diagram.times(process).len();
    let most = (0..diagram.processes()).map(stages).max().unwrap_or(0);
    let (rows, columns) = (drawn(diagram.processes()), drawn(most));
    let (x, y) = (|place: usize| LEFT + RIGHT * place as f64, |place: usize| TOP + DOWN * place as f64);
    let mut parts: Vec<Markup> = Vec::new();
    for (stage, column) in &columns {
        parts.push(html! { text.name x=(x(*column)) y="14" { "stage " (stage) } });
        let before = columns.iter().find(|(other, _)| other + 1 == *stage);
        let Some((_, before)) = before else { continue };
        let everybody = everyone_waits(diagram, *stage);
        if everybody {
            let (middle, low) = (x(*column) - (RIGHT - WIDE) / 2.0, y(rows.last().map_or(0, |(_, row)| *row)) + HIGH);
            parts.push(html! {
                g data-waits=(stage) { title { "stage " (stage) " begins when all processes have ended the one before" }
                    rect.bar x=(middle - 3.0) y=(TOP) width="6" height=(low - TOP) {} }
            });
        }
        for (process, row) in rows.iter().filter(|(process, _)| stages(*process) > *stage) {
            let waited: Vec<usize> =
                if everybody { vec![*process] } else { [&[*process], diagram.waits(*process, *stage)].concat() };
            let shown = rows.iter().filter(|(other, _)| waited.contains(other) && stages(*other) >= *stage);
            parts.push(html! {
                @for (_, from) in shown {
                    path.arrow d=(format!("M{} {}L{} {}", x(*before) + WIDE, y(*from) + HIGH / 2.0, x(*column), y(*row) + HIGH / 2.0)) marker-end="url(#picture-arrow)" {}
                }
            });
        }
    }
    for (process, row) in &rows {
        let y = y(*row);
        parts.push(html! { text.name x="0" y=(y + 22.0) { "process " (process) } });
        for (stage, column) in columns.iter().filter(|(stage, _)| *stage < stages(*process)) {
            let text = said(&diagram.times(*process)[*stage]);
            let name = format!("process {process}, stage {stage}");
            parts.push(html! {
                g.compute data-name=(name) {
                    title { (name) ": " (text) }
                    rect.box x=(x(*column)) y=(y) width=(WIDE) height=(HIGH) rx="4" {}
                    text x=(x(*column) + WIDE / 2.0) y=(y + 22.0) text-anchor="middle" { (text) }
                }
            });
        }
    }
    let place = |of: &[(usize, usize)]| of.last().map_or(0, |(_, place)| *place);
    let (last_row, last_column) = (place(&rows), place(&columns));
    if rows.len() < diagram.processes() {
        let text = format!("and {} processes more", diagram.processes() - rows.len());
        parts.push(html! { text x="0" y=(y(FIRST) + 22.0) { (text) } });
    }
    if columns.len() < most {
        let text = format!("{} stages more", most - columns.len());
        parts.push(html! { text x=(x(FIRST)) y="14" { (text) } });
    }
    let markup = html! { @for part in &parts { (part) } };
    let block = Block { width: x(last_column) + WIDE, height: y(last_row) + HIGH, markup };
    let title = format!("{name}: processes: {}, stages: {most}", diagram.processes());
    Picture { title, description: description(diagram), block }
}

/// True where a stage is behind a barrier of all processes.
fn everyone_waits(diagram: &Diagram, stage: usize) -> bool {
    let all = diagram.processes();
    let others = |process: usize| diagram.waits(process, stage).iter().filter(|&&other| other != process).count();
    all > 2 && (0..all).all(|process| diagram.times(process).len() > stage && others(process) == all - 1)
}

/// All processes that are drawn, in sentences.
fn description(diagram: &Diagram) -> String {
    let process = |(process, _): (usize, usize)| {
        let times: Vec<String> = diagram.times(process).iter().take(FIRST).map(said).collect();
        let more = diagram.times(process).len().saturating_sub(FIRST);
        let more = if more > 0 { format!("; and {more} stages more") } else { String::new() };
        let waits =
            diagram.times(process).len() > 1 && !diagram.waits(process, 1).iter().all(|&other| other == process);
        let others: Vec<String> = diagram
            .waits(process, usize::from(waits))
            .iter()
            .filter(|&&other| other != process)
            .map(usize::to_string)
            .collect();
        let waits = if others.is_empty() || !waits {
            String::new()
        } else {
            format!(" Before stage 1 it waits for {}.", others.join(", "))
        };
        format!("Process {process}: {}{more}.{waits}", times.join("; "))
    };
    drawn(diagram.processes()).into_iter().map(process).collect::<Vec<_>>().join(" ")
}
