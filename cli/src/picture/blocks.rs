//! Blocks of a picture: leaves with text, frames around others, and lists of them one below another, with arrows.

use maud::{Markup, html};

/// Width of a character of 12 px, at most; the font has one width for all.
const CHARACTER: f64 = 7.3;
const LINE: f64 = 15.0;
const PAD: f64 = 8.0;
/// Between two blocks of a list.
const GAP: f64 = 22.0;
/// Between two columns of a list.
const GUTTER: f64 = 44.0;
/// A list that would be higher goes on in a further column.
const MOST_HEIGHT: f64 = 1100.0;
/// Characters of a line, and lines of a sentence; what does not fit is in the title.
const CHARACTERS: usize = 48;
const MOST_LINES: usize = 3;

/// A part of a picture, drawn from its upper left corner.
#[derive(Clone)]
pub struct Block {
    pub width: f64,
    pub height: f64,
    pub markup: Markup,
}

/// `markup` moved.
pub fn at(x: f64, y: f64, markup: &Markup) -> Markup {
    html! { g transform=(format!("translate({x} {y})")) { (markup) } }
}

/// A sentence in lines, cut where it is too long.
pub fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        let length = |line: &String| line.chars().count();
        if lines.last().is_some_and(|line| !line.is_empty() && length(line) + 1 + rest.len() > CHARACTERS) {
            lines.push("  ".to_owned());
        } else if let Some(line) = lines.last_mut().filter(|line| !line.is_empty()) {
            line.push(' ');
        }
        while let Some(line) = lines.last_mut() {
            let room = CHARACTERS.saturating_sub(length(line)).min(rest.len());
            line.extend(rest.drain(..room));
            if rest.is_empty() {
                break;
            }
            lines.push("  ".to_owned());
        }
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.iter_mut().next_back().into_iter().for_each(|line| line.push('…'));
    }
    lines
}

/// Lines of text, the first one bold.
fn text(lines: &[String]) -> Markup {
    html! {
        @for (number, line) in lines.iter().enumerate() {
            text.name[number == 0] x=(PAD) y=(PAD + 11.0 + LINE * number as f64) { (line) }
        }
    }
}

fn width_of(lines: &[String]) -> f64 {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64 * CHARACTER
}

/// A box: a name, sentences, and a drawing beside them, or below where it is wide. `about` is read aloud.
pub fn leaf(class: &str, name: &str, sentences: &[String], drawing: Option<&Block>, about: &str) -> Block {
    const BESIDE: f64 = 190.0;
    let lines: Vec<String> = wrapped(name).into_iter().chain(sentences.iter().flat_map(|of| wrapped(of))).collect();
    let (text_width, text_height) = (width_of(&lines), LINE * lines.len() as f64);
    let (mut width, mut height) = (text_width.max(120.0), text_height);
    let mut place = (0.0, 0.0);
    if let Some(drawing) = drawing {
        if drawing.width <= BESIDE {
            place = (width + 2.0 * PAD, PAD);
            (width, height) = (width + PAD + drawing.width, height.max(drawing.height));
        } else {
            place = (PAD, PAD + height + 4.0);
            (width, height) = (width.max(drawing.width), height + 4.0 + drawing.height);
        }
    }
    let (width, height) = (width + 2.0 * PAD, height + 2.0 * PAD);
    let markup = html! {
        g class=(class) data-name=(name) {
            title { (about) }
            rect.box width=(width) height=(height) rx="4" {}
            (text(&lines))
            @if let Some(drawing) = drawing { (at(place.0, place.1, &drawing.markup)) }
        }
    };
    Block { width, height, markup }
}

/// A frame around blocks that stand side by side, each with what it is for.
pub fn frame(name: &str, sentences: &[String], inner: &[(&str, Block)], about: &str) -> Block {
    const INSIDE: f64 = 14.0;
    let lines: Vec<String> = wrapped(name).into_iter().chain(sentences.iter().flat_map(|of| wrapped(of))).collect();
    let label = |label: &str| if label.is_empty() { 0.0 } else { LINE };
    let top = PAD + LINE * lines.len() as f64 + 6.0;
    let (mut x, mut height) = (INSIDE, 0.0_f64);
    let mut parts = Vec::new();
    for (name, block) in inner {
        let width = block.width.max(name.chars().count() as f64 * CHARACTER);
        let middle = x + (width - block.width) / 2.0;
        parts.push(html! {
            @if !name.is_empty() { text x=(x) y=(top + 11.0) { (name) } }
            (at(middle, top + label(name), &block.markup))
        });
        height = height.max(label(name) + block.height);
        x += width + INSIDE;
    }
    let (width, height) = (x.max(width_of(&lines) + 2.0 * PAD), top + height + INSIDE);
    // One block stands in the middle.
    let shift = (width - x) / 2.0;
    let markup = html! {
        g data-name=(name) {
            title { (about) }
            rect.frame width=(width) height=(height) rx="8" {}
            (text(&lines))
            (at(shift, 0.0, &html! { @for part in &parts { (part) } }))
        }
    };
    Block { width, height, markup }
}

/// The dot at which an activity begins.
pub fn begin() -> Block {
    let markup = html! { g { title { "begin" } circle.rank cx="7" cy="7" r="7" {} } };
    Block { width: 14.0, height: 14.0, markup }
}

/// The ring at which it ends.
pub fn end() -> Block {
    let markup =
        html! { g { title { "end" } circle.rank.out cx="8" cy="8" r="7" {} circle.rank cx="8" cy="8" r="4" {} } };
    Block { width: 16.0, height: 16.0, markup }
}

fn arrow(points: &[(f64, f64)]) -> Markup {
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
    html! { path.arrow d=(format!("M{}", path.join("L"))) marker-end="url(#picture-arrow)" {} }
}

/// Blocks one below another, with arrows; in several columns where they are many.
pub fn list(blocks: &[Block]) -> Block {
    let mut columns: Vec<(Vec<&Block>, f64)> = vec![(Vec::new(), 0.0)];
    for block in blocks {
        let full = columns.last().is_some_and(|(of, height)| !of.is_empty() && height + block.height > MOST_HEIGHT);
        if full {
            columns.push((Vec::new(), 0.0));
        }
        if let Some((column, height)) = columns.last_mut() {
            column.push(block);
            *height += block.height + GAP;
        }
    }
    let mut drawn = Vec::new();
    let (mut x, mut height) = (0.0, 0.0_f64);
    // Where the arrow to the next block begins.
    let mut from: Option<(f64, f64)> = None;
    for (number, (column, _)) in columns.iter().enumerate() {
        let width = column.iter().map(|block| block.width).fold(0.0, f64::max);
        let middle = x + width / 2.0;
        // The arrow from the column before comes in from above.
        let mut y = if number == 0 { 0.0 } else { GAP };
        for (place, block) in column.iter().enumerate() {
            if let Some((from_x, from_y)) = from {
                let gutter = x - GUTTER / 2.0;
                let around = [
                    (from_x, from_y),
                    (from_x, from_y + 10.0),
                    (gutter, from_y + 10.0),
                    (gutter, 4.0),
                    (middle, 4.0),
                    (middle, y),
                ];
                drawn.push(if place == 0 { arrow(&around) } else { arrow(&[(from_x, from_y), (middle, y)]) });
            }
            drawn.push(at(middle - block.width / 2.0, y, &block.markup));
            from = Some((middle, y + block.height));
            y += block.height + GAP;
        }
        // An arrow to the next column leaves below.
        height = height.max(if number + 1 < columns.len() { y - GAP + 12.0 } else { y - GAP });
        x += width + GUTTER;
    }
    Block { width: x - GUTTER, height, markup: html! { @for part in &drawn { (part) } } }
}
