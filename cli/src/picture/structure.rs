//! A computation structure's picture: its control graph in layers, from the start down to the end.

use std::collections::BTreeMap;

use maud::{Markup, html};
use midrun_predict::time_cost::{Kind, Node, Structure};
use midrun_vocabulary::Seconds;

use super::Picture;
use super::blocks::{Block, at, leaf};

/// Between two layers, and between two things in a layer.
const DOWN: f64 = 46.0;
const RIGHT: f64 = 24.0;
/// Width of the place that an edge takes where it passes a layer.
const EDGE: f64 = 12.0;
/// Passes over all layers, which bring what belongs together side by side.
const PASSES: usize = 8;

/// An edge of the graph with what stands at it.
struct Edge {
    from: usize,
    to: usize,
    label: String,
    /// It leads to a node above it: a loop.
    back: bool,
}

/// A thing in a layer: a node, or the place where an edge passes.
#[derive(Clone, Copy, Debug)]
struct Cell {
    layer: usize,
    node: Option<usize>,
    /// Its order in the layer while the picture is laid out.
    weight: f64,
}

/// The picture of a structure.
pub fn picture(name: &str, structure: &Structure) -> Picture {
    let nodes = structure.nodes();
    let drawn: Vec<Block> = nodes.iter().map(|node| block(node, structure)).collect();
    let edges = edges(structure);
    let layers = layers(nodes.len(), &edges);
    let (cells, chains) = cells(structure.start(), &edges, &layers);
    let width = |cell: &Cell| cell.node.map_or(EDGE, |node| drawn[node].width);
    let places = places(&cells, &chains);
    let rows: Vec<f64> =
        places.iter().map(|row| row.iter().map(|cell| width(&cells[*cell]) + RIGHT).sum::<f64>() - RIGHT).collect();
    let widest = rows.iter().copied().fold(0.0, f64::max);
    // Middle and upper edge of each cell, and height of each layer.
    let mut middle = vec![0.0; cells.len()];
    let mut top = Vec::new();
    let mut y = 0.0;
    for (row, used) in places.iter().zip(&rows) {
        let mut x = (widest - used) / 2.0;
        let height = row.iter().filter_map(|cell| Some(drawn[cells[*cell].node?].height)).fold(0.0, f64::max);
        for cell in row {
            middle[*cell] = x + width(&cells[*cell]) / 2.0;
            x += width(&cells[*cell]) + RIGHT;
        }
        top.push((y, height));
        y += height + DOWN;
    }
    let mut parts: Vec<Markup> = Vec::new();
    for (edge, chain) in edges.iter().zip(&chains) {
        parts.push(line(edge, chain, &cells, (&middle, &top), &drawn));
    }
    for (number, cell) in cells.iter().enumerate() {
        let Some(block) = cell.node.map(|node| &drawn[node]) else { continue };
        parts.push(at(middle[number] - block.width / 2.0, top[cell.layer].0, &block.markup));
    }
    let said = |node: &Node| {
        let next: Vec<String> = edges
            .iter()
            .filter(|edge| nodes[edge.from].name == node.name)
            .map(|edge| [nodes[edge.to].name.as_str(), edge.label.as_str()].join(" ").trim().to_owned())
            .collect();
        let then = if next.is_empty() { String::new() } else { format!(", then {}", next.join(" or ")) };
        format!("{}: {}{then}.", node.name, sentences(node, structure).join(", "))
    };
    let description = format!(
        "It begins at {}. {}",
        nodes[structure.start()].name,
        nodes.iter().map(said).collect::<Vec<_>>().join(" ")
    );
    let title = format!("{name}: a computation structure of {} nodes", nodes.len());
    let markup = html! { @for part in &parts { (part) } };
    Picture { title, description, block: Block { width: widest, height: y - DOWN, markup } }
}

fn sentences(node: &Node, structure: &Structure) -> Vec<String> {
    let names =
        |locks: &[usize]| locks.iter().map(|lock| structure.locks()[*lock].as_str()).collect::<Vec<_>>().join(", ");
    match &node.kind {
        Kind::Operation { cost, .. } => {
            let deviation_s = cost.variance_s2().sqrt();
            let scatter =
                if deviation_s > 0.0 { format!(", deviation {}", Seconds(deviation_s)) } else { String::new() };
            vec![format!("takes {}{scatter}", Seconds(cost.mean_s()))]
        }
        Kind::Decision { .. } => vec!["decision by chance".to_owned()],
        Kind::Flow { .. } => vec!["decision by count".to_owned()],
        Kind::Or { .. } => vec!["ways meet".to_owned()],
        Kind::Fork { .. } => vec!["fork".to_owned()],
        Kind::Join { .. } => vec!["join".to_owned()],
        Kind::Lock { read, write, .. } => {
            let lock =
                |what: &str, locks: &[usize]| (!locks.is_empty()).then(|| format!("locks to {what}: {}", names(locks)));
            lock("read", read).into_iter().chain(lock("write", write)).collect()
        }
        Kind::Unlock { locks, .. } => vec![format!("unlocks {}", names(locks))],
        Kind::End => vec!["end".to_owned()],
    }
}

fn block(node: &Node, structure: &Structure) -> Block {
    let class = match &node.kind {
        Kind::Operation { .. } => "compute",
        Kind::Decision { .. } | Kind::Flow { .. } | Kind::Or { .. } => "message",
        Kind::Fork { .. } | Kind::Join { .. } | Kind::End => "collective",
        Kind::Lock { .. } | Kind::Unlock { .. } => "framework",
    };
    let sentences = sentences(node, structure);
    leaf(class, &node.name, &sentences, None, &format!("{}: {}", node.name, sentences.join(", ")))
}

/// The ways out of each node, in order, with what makes the signal take them.
fn ways(kind: &Kind) -> Vec<(usize, String)> {
    match kind {
        Kind::Decision { ways } => ways.iter().map(|(to, probability)| (*to, format!("{probability}"))).collect(),
        Kind::Flow { ways } => ways.iter().map(|(to, count)| (*to, times(&count.to_string()))).collect(),
        Kind::Fork { branches, weights } => {
            let label = |at: usize| weights.get(at).map_or(String::new(), |weight| format!("weight {weight}"));
            branches.iter().enumerate().map(|(at, to)| (*to, label(at))).collect()
        }
        Kind::Operation { to, .. }
        | Kind::Or { to }
        | Kind::Join { to }
        | Kind::Lock { to, .. }
        | Kind::Unlock { to, .. } => {
            vec![(*to, String::new())]
        }
        Kind::End => Vec::new(),
    }
}

fn times(count: &str) -> String {
    if count == "1" { "once".to_owned() } else { format!("{count} times") }
}

/// All edges; those that lead back to where a walk from the start came from are loops.
fn edges(structure: &Structure) -> Vec<Edge> {
    let nodes = structure.nodes();
    let mut edges = Vec::new();
    // 1: the walk is below it, 2: it has been there.
    let mut state = vec![0_u8; nodes.len()];
    let mut walk: Vec<(usize, usize)> = vec![(structure.start(), 0)];
    while let Some((from, at)) = walk.pop() {
        state[from] = 1;
        let ways = ways(&nodes[from].kind);
        let Some((to, label)) = ways.into_iter().nth(at) else {
            state[from] = 2;
            continue;
        };
        edges.push(Edge { from, to, label, back: state[to] == 1 });
        walk.push((from, at + 1));
        if state[to] == 0 {
            walk.push((to, 0));
        }
    }
    edges
}

/// The layer of each node: below all that lead to it.
fn layers(nodes: usize, edges: &[Edge]) -> Vec<usize> {
    let mut layers = vec![0; nodes];
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for edge in edges.iter().filter(|edge| !edge.back) {
            if layers[edge.to] < layers[edge.from] + 1 {
                layers[edge.to] = layers[edge.from] + 1;
                goes_on = true;
            }
        }
    }
    layers
}

/// The cells of nodes and of edges where they pass layers, and for each edge its cells from above to below.
fn cells(start: usize, edges: &[Edge], layers: &[usize]) -> (Vec<Cell>, Vec<Vec<usize>>) {
    let mut cells = Vec::new();
    let mut of_node = BTreeMap::new();
    let mut of = |cells: &mut Vec<Cell>, node: usize| {
        *of_node.entry(node).or_insert_with(|| {
            cells.push(Cell { layer: layers[node], node: Some(node), weight: cells.len() as f64 });
            cells.len() - 1
        })
    };
    of(&mut cells, start);
    let mut chains = Vec::new();
    for edge in edges {
        let (from, to) = (of(&mut cells, edge.from), of(&mut cells, edge.to));
        let (above, below) = if edge.back { (to, from) } else { (from, to) };
        let mut chain = vec![above];
        for layer in cells[above].layer + 1..cells[below].layer {
            cells.push(Cell { layer, node: None, weight: cells.len() as f64 });
            chain.push(cells.len() - 1);
        }
        chain.push(below);
        chains.push(chain);
    }
    (cells, chains)
}

/// The cells of each layer, from left to right, where few edges cross.
fn places(cells: &[Cell], chains: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); cells.iter().map(|cell| cell.layer + 1).max().unwrap_or(0)];
    (0..cells.len()).for_each(|cell| rows[cells[cell].layer].push(cell));
    let mut neighbours: Vec<[Vec<usize>; 2]> = vec![[Vec::new(), Vec::new()]; cells.len()];
    for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
        // A way back to the node itself has no other end.
        if let [above, below] = *pair
            && above != below
        {
            neighbours[above][1].push(below);
            neighbours[below][0].push(above);
        }
    }
    let mut place = vec![0.0; cells.len()];
    let order = |rows: &mut Vec<Vec<usize>>, place: &mut Vec<f64>, row: usize, side: usize| {
        let wanted = |cell: usize| {
            let beside = &neighbours[cell][side];
            let sum: f64 = beside.iter().map(|other| place[*other]).sum();
            if beside.is_empty() { place[cell] } else { sum / beside.len() as f64 }
        };
        let mut keys: Vec<(f64, f64, usize)> =
            rows[row].iter().map(|cell| (wanted(*cell), cells[*cell].weight, *cell)).collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        rows[row] = keys.iter().map(|key| key.2).collect();
        let middle = rows[row].len() as f64 / 2.0;
        for (at, cell) in rows[row].iter().enumerate() {
            place[*cell] = at as f64 - middle;
        }
    };
    for pass in 0..PASSES {
        let count = rows.len();
        for step in 0..count {
            let row = if pass % 2 == 0 { step } else { count - 1 - step };
            order(&mut rows, &mut place, row, pass % 2);
        }
    }
    rows
}

fn line(
    edge: &Edge,
    chain: &[usize],
    cells: &[Cell],
    (middle, top): (&[f64], &[(f64, f64)]),
    drawn: &[Block],
) -> Markup {
    // Of a node, and of its layer.
    let bottom = |cell: usize| {
        let (y, height) = top[cells[cell].layer];
        (y + cells[cell].node.map_or(height, |node| drawn[node].height), y + height)
    };
    // Ways that begin or end at one node stand apart where one of them goes back.
    let shift = if edge.back { 10.0 } else { -4.0 };
    let mut points = Vec::new();
    for (at, cell) in chain.iter().enumerate() {
        let x = middle[*cell] + if cells[*cell].node.is_some() { shift } else { 0.0 };
        if at > 0 {
            points.push((x, top[cells[*cell].layer].0));
        }
        if at + 1 < chain.len() {
            let (own, layer) = bottom(*cell);
            points.push((x, own));
            points.extend((own < layer).then_some((x, layer)));
        }
    }
    if edge.from == edge.to {
        let (x, y) = (middle[chain[0]] + shift, bottom(chain[0]).0);
        points = vec![(x, top[cells[chain[0]].layer].0), (x, y)];
    }
    if edge.back {
        points.reverse();
    }
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
    // What makes the signal go this way stands where it has left the node.
    let slanted = points.windows(2).find(|pair| pair[0].0 != pair[1].0).or(points.windows(2).next());
    let (x, y) = slanted.map_or((0.0, 0.0), |pair| {
        let between = |from: f64, to: f64| ((from + 0.6 * (to - from)) * 10.0).round() / 10.0;
        (between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1))
    });
    html! {
        path.arrow d=(format!("M{}", path.join("L"))) marker-end="url(#picture-arrow)" {}
        @if !edge.label.is_empty() { text.small x=(x + 5.0) y=(y) { (edge.label) } }
    }
}
