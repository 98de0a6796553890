//! The ranks as bars: a line each where there is room, else a character each, by host.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::figures::{list, text};

/// Eighths of a character's height.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Room for the name of a rank or host before its bar.
const NAME: usize = 12;

/// The ranks on lines `width` wide, at most `height` of them.
pub fn lines(status: &Value, (width, height): (usize, usize), has_colour: bool) -> Vec<Line<'static>> {
    let workers = list(status, "workers");
    if workers.len() <= height {
        return workers.iter().map(|worker| bar(worker, width, has_colour)).collect();
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut hosts: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    workers.iter().for_each(|worker| hosts.entry(text(worker, "node")).or_default().push(worker));
    let room = width.saturating_sub(NAME + 1).max(1);
    for (host, workers) in hosts {
        for (part, ranks) in workers.chunks(room).enumerate() {
            let name = if part == 0 { host } else { "" };
            let mut spans = vec![Span::raw(format!("{name:<NAME$.NAME$} "))];
            spans.extend(ranks.iter().map(|worker| Span::styled(level(worker).to_string(), style(worker, has_colour))));
            lines.push(Line::from(spans));
        }
    }
    if lines.len() > height {
        let hidden = lines.len() + 1 - height;
        lines.truncate(height.saturating_sub(1));
        lines.push(Line::raw(format!("and {hidden} lines more: the terminal is too low for them")));
    }
    lines
}

/// How many ranks are in each state, for the title.
pub fn counts(status: &Value) -> String {
    let of = |state: &str| list(status, "workers").iter().filter(|worker| worker["state"] == state).count();
    let states = ["working", "parked", "ended", "lost"].map(|state| (state, of(state)));
    let known: Vec<String> =
        states.iter().filter(|(_, count)| *count > 0).map(|(state, count)| format!("{count} {state}")).collect();
    if known.is_empty() { "ranks".into() } else { format!("ranks: {}", known.join(", ")) }
}

fn bar(worker: &Value, width: usize, has_colour: bool) -> Line<'static> {
    let state = text(worker, "state");
    let (busy, done) = (worker["busy"].as_f64(), worker["done"].as_u64());
    let name = format!("rank {:<4} ", worker["rank"].as_u64().unwrap_or(0));
    let note = match (state, busy) {
        ("working", Some(busy)) => {
            let done = done.map(|done| format!(" {done} done")).unwrap_or_default();
            format!(" {:3.0} % busy{done}", 100.0 * busy)
        }
        ("master", Some(busy)) => format!(" {:3.0} % busy, master", 100.0 * busy),
        (state, _) => format!(" {state}"),
    };
    // All bars end in one column.
    let room = width.saturating_sub(name.len() + 26).clamp(4, 60);
    let full = (busy.unwrap_or(0.0) * room as f64).round() as usize;
    let (full, rest) = if matches!(state, "working" | "master") { (full.min(room), '░') } else { (0, '·') };
    Line::from(vec![
        Span::raw(name),
        Span::styled("█".repeat(full), style(worker, has_colour)),
        Span::styled(rest.to_string().repeat(room - full), Style::new().add_modifier(Modifier::DIM)),
        Span::raw(note),
    ])
}

/// A rank in one character: how busy it is, or why it is not.
fn level(worker: &Value) -> char {
    match text(worker, "state") {
        "parked" => '·',
        "ended" => '-',
        "lost" => 'x',
        _ => worker["busy"].as_f64().map_or('?', |busy| LEVELS[((busy * 7.0).round() as usize).min(7)]),
    }
}

fn style(worker: &Value, has_colour: bool) -> Style {
    let plain = Style::new();
    match text(worker, "state") {
        "lost" if has_colour => plain.fg(Color::Red),
        "lost" => plain.add_modifier(Modifier::REVERSED),
        "master" if has_colour => plain.fg(Color::Yellow),
        "parked" | "ended" => plain.add_modifier(Modifier::DIM),
        _ if has_colour => plain.fg(Color::Green),
        _ => plain,
    }
}
