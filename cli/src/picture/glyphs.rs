//! Small drawings in the boxes: ranks and their messages, a master with its workers, a pipeline with its replicas.

use maud::{Markup, html};

use super::blocks::Block;

/// Ranks that are drawn of many: the first ones and the last ones.
const FIRST: usize = 5;
const LAST: usize = 2;
const STEP: f64 = 22.0;

/// Messages of an element, as they are drawn.
pub enum Messages<'a> {
    /// An arrow from each sender to each receiver.
    Pairs(&'a [(usize, usize)]),
    /// Everybody with everybody.
    All,
}

/// The numbers below `count` that are drawn, and where: those in between are dots.
fn drawn(count: usize) -> Vec<(usize, f64)> {
    let all = FIRST + LAST + 1;
    let place = |at: usize| 8.0 + STEP * at as f64;
    if count <= all {
        return (0..count).map(|number| (number, place(number))).collect();
    }
    let last = (count - LAST..count).enumerate().map(|(at, number)| (number, place(FIRST + 1 + at)));
    (0..FIRST).map(|number| (number, place(number))).chain(last).collect()
}

fn dots(count: usize, y: f64) -> Markup {
    html! { @if count > FIRST + LAST + 1 { text.small x=(8.0 + STEP * FIRST as f64) y=(y + 3.0) text-anchor="middle" { "…" } } }
}

fn width(count: usize) -> f64 {
    16.0 + STEP * (count.clamp(1, FIRST + LAST + 1) - 1) as f64
}

/// The ranks of a program, those that take part in black, and the messages between them as arcs. `None`: who takes part is not fixed.
pub fn ranks(processes: usize, part: Option<&[usize]>, messages: &Messages<'_>) -> Block {
    const HIGH: f64 = 34.0;
    let shown = drawn(processes);
    let place = |rank: usize| shown.iter().find(|(number, _)| *number == rank).map(|(_, x)| *x);
    let class = |rank: &usize| match part {
        None => "rank perhaps",
        Some(part) if part.binary_search(rank).is_ok() => "rank",
        Some(_) => "rank out",
    };
    let arc = |from: f64, to: f64| {
        let top = HIGH - 8.0 - ((to - from).abs() / STEP * 7.0).min(30.0);
        format!("M{from} {}Q{} {top} {to} {}", HIGH - 6.0, (from + to) / 2.0, HIGH - 7.0)
    };
    let pairs: &[(usize, usize)] = match messages {
        Messages::Pairs(pairs) => pairs,
        Messages::All => &[],
    };
    let markup = html! {
        @if matches!(messages, Messages::All) {
            path.arrow d=(format!("M4 {0}L{1} {0}", HIGH - 12.0, width(processes) - 4.0)) marker-start="url(#picture-arrow)" marker-end="url(#picture-arrow)" {}
        }
        @for (from, to) in pairs.iter().filter_map(|(from, to)| Some((place(*from)?, place(*to)?))) {
            path.arrow d=(arc(from, to)) marker-end="url(#picture-arrow)" {}
        }
        @for (rank, x) in &shown {
            circle class=(class(rank)) cx=(x) cy=(HIGH) r="5" {}
            text.small x=(x) y=(HIGH + 15.0) text-anchor="middle" { (rank) }
        }
        (dots(processes, HIGH))
    };
    Block { width: width(processes), height: HIGH + 18.0, markup }
}

/// A master and its workers.
pub fn master_workers(workers: usize) -> Block {
    const LOW: f64 = 52.0;
    let middle = width(workers) / 2.0;
    let markup = html! {
        @for (_, x) in drawn(workers) {
            path.arrow d=(format!("M{middle} 13L{x} {}", LOW - 6.0)) marker-start="url(#picture-arrow)" marker-end="url(#picture-arrow)" {}
        }
        circle.rank cx=(middle) cy="8" r="6" {}
        text.small x=(middle + 10.0) y="11" { "0: master" }
        @for (worker, x) in drawn(workers) {
            circle.rank cx=(x) cy=(LOW) r="5" {}
            text.small x=(x) y=(LOW + 15.0) text-anchor="middle" { (worker + 1) }
        }
        (dots(workers, LOW))
    };
    Block { width: width(workers).max(middle + 70.0), height: LOW + 18.0, markup }
}

/// A pipeline: its head, and the replicas of each stage above one another. `None`: their number is not fixed.
pub fn pipeline(replicas: &[Option<usize>]) -> Block {
    const WIDE: f64 = 46.0;
    const MOST: usize = 4;
    const MIDDLE: f64 = 38.0;
    let stage = |(number, count): (usize, &Option<usize>), x: f64| {
        let shown = count.unwrap_or(1).clamp(1, MOST);
        let y = |at: usize| MIDDLE + 14.0 * (at as f64 - (shown - 1) as f64 / 2.0);
        let label = match count {
            Some(1) => format!("{number}"),
            Some(count) => format!("{number}: x{count}"),
            None => format!("{number}: x?"),
        };
        html! {
            @for at in 0..shown {
                path.wire d=(format!("M{} {MIDDLE}L{} {}", x - WIDE + 8.0, x - 5.0, y(at))) {}
                circle class=(if count.is_some() { "rank" } else { "rank perhaps" }) cx=(x) cy=(y(at)) r="5" {}
                path.wire d=(format!("M{} {}L{} {MIDDLE}", x + 5.0, y(at), x + 8.0)) {}
            }
            text.small x=(x) y="78" text-anchor="middle" { (label) }
        }
    };
    let shown = drawn(replicas.len());
    let place = |at: usize| 20.0 + WIDE * (at + 1) as f64;
    let end = place(shown.len()) + if replicas.len() > shown.len() { WIDE } else { 0.0 };
    let markup = html! {
        circle.rank cx="20" cy=(MIDDLE) r="6" {}
        text.small x="20" y="78" text-anchor="middle" { "source" }
        @for (at, (number, _)) in shown.iter().enumerate() {
            @let skipped = *number != at;
            @let x = place(at) + if skipped { WIDE } else { 0.0 };
            (stage((*number, &replicas[*number]), x))
        }
        @if replicas.len() > shown.len() { text.small x=(place(FIRST)) y=(MIDDLE + 3.0) text-anchor="middle" { "…" } }
        path.arrow d=(format!("M{} {MIDDLE}L{} {MIDDLE}", end - WIDE + 8.0, end - 6.0)) marker-end="url(#picture-arrow)" {}
        circle.rank cx=(end) cy=(MIDDLE) r="6" {}
        text.small x=(end) y="78" text-anchor="middle" { "sink" }
    };
    Block { width: end + 20.0, height: 82.0, markup }
}
