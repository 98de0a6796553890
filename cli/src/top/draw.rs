//! Draws the view: one column on a narrow terminal, two on a wide one.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Axis, Block, Borders, Chart, Dataset, GraphType, Paragraph, Sparkline, Wrap};

use midrun_vocabulary::Seconds;

use super::state::{Connection, View};
use super::workers;
use crate::figures;

/// The smallest terminal that the figures fit into.
const LEAST: (u16, u16) = (60, 16);
/// From this width on, tuning points and decisions stand beside the curve.
const WIDE: u16 = 120;

/// The sentence about a terminal that is too small.
pub fn too_small(columns: u16, rows: u16) -> Option<String> {
    let (least_columns, least_rows) = LEAST;
    (columns < least_columns || rows < least_rows).then(|| {
        format!("the terminal has {columns} x {rows} characters; midrun top needs {least_columns} x {least_rows}")
    })
}

/// Draws everything.
pub fn draw(frame: &mut Frame, view: &View) {
    let area = frame.area();
    if let Some(sentence) = too_small(area.width, area.height) {
        return frame.render_widget(Paragraph::new(sentence).wrap(Wrap { trim: true }), area);
    }
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(4), Constraint::Min(8), Constraint::Length(2)]).areas(area);
    frame.render_widget(Paragraph::new(header(view, usize::from(area.width))), head);
    if area.width >= WIDE {
        let [left, right] =
            Layout::horizontal([Constraint::Percentage(55), Constraint::Percentage(45)]).spacing(1).areas(body);
        let [curve, ranks] = Layout::vertical([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(left);
        let [points, decisions] =
            Layout::vertical([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(right);
        draw_curve(frame, view, curve);
        draw_ranks(frame, view, ranks);
        draw_points(frame, view, points);
        draw_decisions(frame, view, decisions, true);
    } else {
        let points = parts(view).first().map_or(0, |(_, lines)| lines.len()).clamp(1, 3) as u16;
        let [curve, ranks, points, decisions] = Layout::vertical([
            Constraint::Fill(3),
            Constraint::Fill(2),
            Constraint::Length(points + 1),
            Constraint::Length(if area.height >= 24 { 5 } else { 3 }),
        ])
        .areas(body);
        draw_curve(frame, view, curve);
        draw_ranks(frame, view, ranks);
        draw_points(frame, view, points);
        draw_decisions(frame, view, decisions, false);
    }
    frame.render_widget(Paragraph::new(footer(view)), foot);
}

fn colour(view: &View, colour: Color) -> Style {
    if view.has_colour { Style::new().fg(colour) } else { Style::new() }
}

fn header(view: &View, width: usize) -> Text<'static> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let headline = match &view.connection {
        Connection::Waiting => Line::styled("midrun top · waiting for the analyzer", bold),
        Connection::Lost(why) => {
            let style = colour(view, Color::Red).add_modifier(Modifier::BOLD);
            Line::styled(format!("connection lost, trying again: {why}"), style)
        }
        Connection::Live => Line::styled(figures::headline(&view.status), bold),
    };
    if view.status.is_null() {
        return Text::from(vec![headline]);
    }
    Text::from(vec![
        headline,
        Line::raw(figures::progress(&view.status, width)),
        Line::raw(figures::mode(&view.status)),
        Line::raw(figures::regime(&view.status)),
    ])
}

fn titled(title: String) -> Block<'static> {
    Block::new().borders(Borders::TOP).title(format!(" {title} "))
}

fn draw_curve(frame: &mut Frame, view: &View, area: Rect) {
    let windows = figures::list(&view.status, "windows");
    // Two points fit into the width of a character.
    let shown = &windows[windows.len().saturating_sub(2 * usize::from(area.width))..];
    let curve = |key: &str| -> Vec<(f64, f64)> {
        let point =
            |(at, window): (usize, &serde_json::Value)| Some((at as f64, window[key].as_f64().filter(|s| *s > 0.0)?));
        shown.iter().enumerate().filter_map(point).collect()
    };
    let (time, ideal) = (curve("time_s"), curve("ideal_s"));
    let most_s = time.iter().map(|(_, s)| *s).fold(0.0, f64::max) * 1.05;
    let of = match view.status["instances"][0]["master"].as_u64() {
        _ if view.status["per"] == "output" => "time between outputs".to_owned(),
        Some(first) => format!("time of each iteration of master {first}, and ideal"),
        None => "time of each iteration, and ideal".to_owned(),
    };
    if time.is_empty() {
        return frame.render_widget(Paragraph::new("nothing is measured yet").block(titled(of)), area);
    }
    let set =
        |data, style| Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).style(style).data(data);
    let datasets = vec![
        set(&ideal[..], colour(view, Color::Green).add_modifier(Modifier::DIM)),
        set(&time[..], colour(view, Color::Cyan)),
    ];
    let area = draw_ratio(frame, view, shown, area);
    let number =
        |window: Option<&serde_json::Value>| window.map(|window| window["number"].to_string()).unwrap_or_default();
    let x = Axis::default()
        .bounds([0.0, (shown.len().max(2) - 1) as f64])
        .labels([number(shown.first()), number(shown.last())]);
    let y = Axis::default().bounds([0.0, most_s]).labels(["0".to_owned(), Seconds(most_s).to_string()]);
    frame.render_widget(Chart::new(datasets).block(titled(of)).x_axis(x).y_axis(y), area);
}

/// Draws by how much each iteration outlasted its ideal time into the last row, where there is room and an ideal time is known. Returns the
/// rest of the area.
fn draw_ratio(frame: &mut Frame, view: &View, windows: &[serde_json::Value], area: Rect) -> Rect {
    const LABEL: u16 = 30;
    let over = |window: &serde_json::Value| {
        let ratio = window["time_s"].as_f64()? / window["ideal_s"].as_f64().filter(|ideal_s| *ideal_s > 0.0)?;
        Some((ratio - 1.0).max(0.0))
    };
    let newest = &windows[windows.len().saturating_sub(usize::from(area.width.saturating_sub(LABEL)))..];
    let each: Vec<Option<f64>> = newest.iter().map(over).collect();
    let Some(most) = each.iter().flatten().copied().reduce(f64::max).filter(|_| area.height > 5) else { return area };
    let [rest, row] = Layout::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(area);
    let [label, bars] = Layout::horizontal([Constraint::Length(LABEL), Constraint::Min(1)]).areas(row);
    frame.render_widget(Paragraph::new(format!("over ideal, at most {:.1} %", 100.0 * most)), label);
    // In ten-thousandths, which no screen has rows for.
    let each = each.into_iter().map(|over| over.map(|over| (1e4 * over).round() as u64));
    frame.render_widget(Sparkline::default().data(each).style(colour(view, Color::Yellow)), bars);
    rest
}

fn draw_ranks(frame: &mut Frame, view: &View, area: Rect) {
    let room = (usize::from(area.width), usize::from(area.height.saturating_sub(1)));
    let lines = workers::lines(&view.status, room, view.has_colour);
    frame.render_widget(Paragraph::new(lines).block(titled(workers::counts(&view.status))), area);
}

/// What the program is made of, the most telling part first; parts without a line are left out.
fn parts(view: &View) -> Vec<(&'static str, Vec<String>)> {
    let (masters, stages) = (figures::masters(&view.status), figures::stages(&view.status));
    let all = [("masters", masters), ("stages", stages), ("tuning points", figures::tuning_points(&view.status))];
    all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

fn draw_points(frame: &mut Frame, view: &View, area: Rect) {
    let mut parts = parts(view);
    if area.width < WIDE / 2 || area.height < 6 {
        parts.truncate(1);
    }
    let (titles, lines): (Vec<&str>, Vec<Vec<String>>) = parts.into_iter().unzip();
    let title = if titles.is_empty() { "tuning points".to_owned() } else { titles.join(" and ") };
    let mut lines = lines.concat();
    let room = usize::from(area.height.saturating_sub(1));
    let hidden = lines.len().saturating_sub(room);
    lines.truncate(room);
    let title = if hidden > 0 { format!("{title} ({hidden} more)") } else { title };
    let lines: Vec<Line> = lines.into_iter().map(Line::raw).collect();
    frame.render_widget(Paragraph::new(lines).block(titled(title)), area);
}

fn draw_decisions(frame: &mut Frame, view: &View, area: Rect, with_reasons: bool) {
    let decisions = figures::decisions(&view.status);
    let mut lines: Vec<Line> = Vec::new();
    for (at, (line, why)) in decisions.iter().enumerate() {
        lines.push(Line::styled(line.clone(), Style::new().add_modifier(Modifier::BOLD)));
        // A narrow terminal has room for the reason of the newest one only.
        if with_reasons || at == 0 {
            lines.push(Line::raw(format!("  because {why}")));
        }
    }
    if lines.is_empty() {
        lines.push(Line::raw("none yet"));
    }
    let paragraph = Paragraph::new(lines).block(titled("decisions".into())).wrap(Wrap { trim: false });
    frame.render_widget(paragraph, area);
}

fn footer(view: &View) -> Text<'static> {
    let jobs = match view.jobs.len() {
        0 | 1 => String::new(),
        count => format!("  Tab job {} of {count}", view.selected + 1),
    };
    let keys = match &view.typed {
        Some(typed) => format!("set POINT VALUE: {typed}_"),
        None if view.message.is_empty() => format!("q quit  f freeze  p pause  r resume  s set{jobs}"),
        None => format!("{}  (q f p r s{jobs})", view.message),
    };
    let keys = Line::styled(keys, Style::new().add_modifier(Modifier::REVERSED));
    let losses = if view.status.is_null() { String::new() } else { figures::losses(&view.status) };
    Text::from(vec![Line::raw(losses), keys])
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
