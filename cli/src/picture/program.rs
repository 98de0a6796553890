//! A program's picture: its elements one below another, with their cost functions, the ranks that run them, and their messages.

use std::collections::BTreeSet;

use midrun_predict::program::{
    Collective, Cost, Element, Expression, Machine, MasterWorker, Mode, Part, Pipeline, Program, ProgramError, View,
    What,
};
use midrun_vocabulary::Seconds;

use super::Picture;
use super::blocks::{self, Block};
use super::glyphs::{self, Messages};

/// Most boxes; what comes after is counted.
const MOST_BOXES: usize = 1000;
/// Longest sequence of elements that is looked for again behind itself.
const MOST_PERIOD: usize = 8;
/// Alike elements in a row that become one box.
const FOLDED: usize = 3;
/// Stages of a pipeline whose costs are written.
const MOST_STAGES: usize = 8;

/// The picture of a program with its parameters as they are, on a machine.
///
/// # Errors
/// Those of a prediction that need no run.
pub fn picture(name: &str, program: &Program, machine: &Machine) -> Result<Picture, ProgramError> {
    let view = View::new(program, machine)?;
    let mut drawing = Drawing { view: &view, boxes: 0, drawn: BTreeSet::new(), spoken: Vec::new() };
    let all = view.ranks();
    let inner = drawing.list(view.run(), all.as_deref());
    let inner = [vec![blocks::begin()], inner, vec![blocks::end()]].concat();
    let title = format!("{name}: processes: {}", view.processes());
    let description = format!("Every process runs, one after another: {}", drawing.spoken.join(" "));
    Ok(Picture { title, description, block: blocks::list(&inner) })
}

struct Drawing<'v, 'p> {
    view: &'v View<'p>,
    boxes: usize,
    /// Elements whose inside was drawn.
    drawn: BTreeSet<usize>,
    /// The description, a sentence for each box.
    spoken: Vec<String>,
}

/// What a box says.
struct Said {
    /// Kind and parameters; each begins a line.
    sentences: Vec<String>,
    class: &'static str,
}

impl Drawing<'_, '_> {
    fn element(&self, k: usize) -> &Element<Expression> {
        &self.view.elements()[k]
    }

    /// True where two elements differ in their names and in numbers only.
    fn alike(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.element(a), self.element(b));
        a.without_numbers().what == b.without_numbers().what && a.without_numbers().when == b.without_numbers().when
    }

    /// How long the sequence at the beginning of `elements` is that comes most often in a row, and how often it comes.
    fn repeated(&self, elements: &[usize]) -> (usize, usize) {
        let mut best = (1, 1);
        for period in 1..=MOST_PERIOD.min(elements.len() / 2) {
            let same =
                (period..elements.len()).take_while(|at| self.alike(elements[*at], elements[at - period])).count();
            let times = 1 + same / period;
            if times >= FOLDED && times * period > best.0 * best.1 {
                best = (period, times);
            }
        }
        best
    }

    fn list(&mut self, elements: &[usize], among: Option<&[usize]>) -> Vec<Block> {
        let mut list = Vec::new();
        let mut rest = elements;
        while !rest.is_empty() {
            if self.boxes >= MOST_BOXES {
                let more = format!("and {} more", rest.len());
                list.push(blocks::leaf("more", &more, &[], None, &more));
                break;
            }
            let (period, times) = self.repeated(rest);
            let (now, then) = rest.split_at(period * times);
            list.push(match (period, times) {
                (_, 1) => self.block(&now[..1], among),
                (1, _) => self.block(now, among),
                _ => {
                    let name = format!("{times} times in a row, as here");
                    self.spoken.push(format!("{name}:"));
                    let inner = blocks::list(&self.list(&now[..period], among));
                    self.spoken.push("So far what comes several times.".to_owned());
                    blocks::frame(&name, &[], &[("", inner)], &self.names(now))
                }
            });
            rest = then;
        }
        list
    }

    fn names(&self, elements: &[usize]) -> String {
        elements.iter().map(|k| self.element(*k).name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// One box for elements that are alike.
    fn block(&mut self, alike: &[usize], among: Option<&[usize]>) -> Block {
        self.boxes += 1;
        let first = alike[0];
        let element = self.element(first).clone();
        let parts: Vec<Part> = alike.iter().map(|k| self.view.part(*k, among)).collect();
        let part = over(&parts);
        let name = match alike {
            [_] => element.name.clone(),
            [.., last] => format!("{} x {} ... {}", alike.len(), element.name, self.element(*last).name),
            [] => String::new(),
        };
        let is_branch = matches!(element.what, What::Branch { .. });
        let mut said = self.said(&element, &part);
        if let Some(when) = element.when.as_ref().filter(|_| !is_branch) {
            said.sentences.push(format!("only where {when}"));
        }
        said.sentences.extend(who(&part, among.map(<[usize]>::len)));
        let about = format!("{name}: {}.", said.sentences.join(", "));
        self.spoken.push(about.clone());
        let about = if alike.len() > 1 { format!("{about} All of them: {}.", self.names(alike)) } else { about };
        let (body, otherwise): (&[usize], &[usize]) = match &element.what {
            What::Loop { body, .. } => (body, &[]),
            What::Branch { body, otherwise } => (body, otherwise),
            _ => {
                let drawing = self.glyph(&element, &part);
                return blocks::leaf(said.class, &name, &said.sentences, Some(&drawing), &about);
            }
        };
        if !self.drawn.insert(first) {
            said.sentences.push("as above".to_owned());
            return blocks::leaf(said.class, &name, &said.sentences, None, &about);
        }
        let others = part.ranks.as_ref().zip(among).map(|(ranks, among)| {
            among.iter().copied().filter(|rank| ranks.binary_search(rank).is_err()).collect::<Vec<_>>()
        });
        let mut inner = Vec::new();
        // Where it is not known who comes here, it is whoever came so far.
        for (label, body, ranks) in
            [("so:", body, part.ranks.as_deref().or(among)), ("else:", otherwise, others.as_deref().or(among))]
        {
            if !body.is_empty() {
                let label = if is_branch { label } else { "" };
                inner.push((label, blocks::list(&self.list(body, ranks))));
            }
        }
        self.spoken.push(format!("So far {name}."));
        blocks::frame(&name, &said.sentences, &inner, &about)
    }

    fn said(&self, element: &Element<Expression>, part: &Part) -> Said {
        let (mut sentences, class) = match &element.what {
            What::Compute { cost, threads } => {
                let (what, of, unit): (_, _, fn(f64) -> String) = match cost {
                    Cost::Seconds(of) => ("seconds", of, |s| Seconds(s).to_string()),
                    Cost::Operations(of) => ("operations", of, |count| format!("{count}")),
                };
                let mut sentences = vec![format!("computes, {what} = {}", valued(of, part.cost, unit))];
                sentences.extend(threads.as_ref().map(|threads| format!("on {threads} processors of its node")));
                (sentences, "compute")
            }
            What::Send { to, bytes, mode } => {
                let how = match mode {
                    Mode::Standard => "",
                    Mode::Synchronous => ", synchronous",
                    Mode::Buffered => ", buffered",
                };
                (vec![format!("sends to {to}{how}"), sized(bytes, part.bytes)], "message")
            }
            What::Receive { from: Some(from) } => (vec![format!("receives from {from}")], "message"),
            What::Receive { from: None } => (vec!["receives from whoever comes first".to_owned()], "message"),
            What::SendReceive { to, from, bytes } => {
                (vec![format!("sends to {to}, receives from {from}"), sized(bytes, part.bytes)], "message")
            }
            What::Collective { kind, root, bytes, combine_s } => {
                let root = root.as_ref().map_or(String::new(), |root| format!(", root {root}"));
                let mut sentences = vec![format!("{}{root}", kind.word())];
                sentences.extend(bytes.as_ref().map(|bytes| sized(bytes, part.bytes)));
                sentences.extend(combine_s.as_ref().map(|s| format!("combining two takes seconds = {s}")));
                (sentences, "collective")
            }
            What::Loop { count, index, .. } => {
                let index = index.as_ref().map_or(String::new(), |index| format!(", counted by {index}"));
                (vec![format!("loop, count = {}{index}", valued(count, part.cost, |count| format!("{count}")))], "loop")
            }
            What::Branch { .. } => {
                let when = element.when.as_ref().map_or(String::new(), |when| format!(" on {when}"));
                (vec![format!("branch{when}")], "branch")
            }
            What::MasterWorker(of) => (self.of_workers(of), "framework"),
            What::Pipeline(of) => (self.of_pipeline(of), "framework"),
        };
        sentences.retain(|sentence| !sentence.is_empty());
        Said { sentences, class }
    }

    fn number(&self, of: &Expression, unit: impl Fn(f64) -> String) -> String {
        valued(of, self.view.framework_number(of).map(|value| (value, value)), unit)
    }

    fn of_workers(&self, of: &MasterWorker<Expression>) -> Vec<String> {
        let plain = |value: f64| format!("{value}");
        let mut said = vec![format!("Master/Worker, technique {}", of.technique.name())];
        said.extend(of.factor.as_ref().map(|factor| format!("factor = {factor}")));
        said.push(format!("tasks = {}", self.number(&of.tasks, plain)));
        said.push(format!("task_s = {}", self.number(&of.task_s, |s| Seconds(s).to_string())));
        let sizes = [("a task's", &of.task_bytes), ("a result's", &of.result_bytes)];
        said.extend(
            sizes
                .into_iter()
                .filter_map(|(whose, size)| Some(format!("{whose} bytes = {}", self.number(size.as_ref()?, bytes)))),
        );
        said.extend(
            of.overhead_s.as_ref().map(|s| format!("master per chunk: {}", self.number(s, |s| Seconds(s).to_string()))),
        );
        said
    }

    fn of_pipeline(&self, of: &Pipeline<Expression>) -> Vec<String> {
        let time = |s: f64| Seconds(s).to_string();
        let mut said = vec![format!("pipeline, inputs = {}", self.number(&of.inputs, |value| format!("{value}")))];
        said.extend(of.input_bytes.as_ref().map(|size| format!("an input's bytes = {}", self.number(size, bytes))));
        said.extend(of.head_s.as_ref().map(|s| format!("source and sink: {}", self.number(s, time))));
        for (number, stage) in of.stages.iter().enumerate().take(MOST_STAGES) {
            let (s, size) = (self.number(&stage.compute_s, time), self.number(&stage.bytes, bytes));
            said.push(format!("stage {number}: compute_s = {s}, bytes = {size}, replicas = {}", stage.replicas));
        }
        if of.stages.len() > MOST_STAGES {
            said.push(format!("and {} stages more", of.stages.len() - MOST_STAGES));
        }
        said
    }

    fn glyph(&self, element: &Element<Expression>, part: &Part) -> Block {
        let processes = self.view.processes();
        let workers = |of: &MasterWorker<Expression>| {
            let given = of.workers.as_ref().and_then(|workers| self.view.framework_number(workers));
            given.map_or(processes - 1, |workers| workers.max(0.0) as usize)
        };
        match &element.what {
            What::MasterWorker(of) => glyphs::master_workers(workers(of).min(processes.saturating_sub(1))),
            What::Pipeline(of) => {
                let count = |replicas: f64| replicas.max(0.0) as usize;
                let replicas: Vec<Option<usize>> =
                    of.stages.iter().map(|stage| self.view.framework_number(&stage.replicas).map(count)).collect();
                glyphs::pipeline(&replicas)
            }
            What::Collective { kind, .. } if part.messages.is_empty() && *kind != Collective::Broadcast => {
                glyphs::ranks(processes, part.ranks.as_deref(), &Messages::All)
            }
            _ => glyphs::ranks(processes, part.ranks.as_deref(), &Messages::Pairs(&part.messages)),
        }
    }
}

/// The parts of elements that are alike, together.
fn over(parts: &[Part]) -> Part {
    let range = |of: fn(&Part) -> Option<(f64, f64)>| {
        let all = parts.iter().map(of).collect::<Option<Vec<_>>>()?;
        all.into_iter().reduce(|(least, most), (low, high)| (least.min(low), most.max(high)))
    };
    let first = parts.first().cloned().unwrap_or_default();
    Part { bytes: range(|part| part.bytes), cost: range(|part| part.cost), ..first }
}

/// An expression, and its values where it is more than a number.
fn valued(of: &Expression, range: Option<(f64, f64)>, unit: impl Fn(f64) -> String) -> String {
    match (of, range) {
        (Expression::Number(value), Some((least, most))) if least == most => unit(*value),
        (_, Some((least, most))) if least == most => format!("{of} = {}", unit(least)),
        (_, Some((least, most))) => format!("{of} = {} to {}", unit(least), unit(most)),
        (_, None) => of.to_string(),
    }
}

fn bytes(count: f64) -> String {
    let (unit, name) = match count {
        1e9.. => (1e9, "GB"),
        1e6.. => (1e6, "MB"),
        1e4.. => (1e3, "KB"),
        _ => (1.0, "B"),
    };
    format!("{} {name}", (count / unit * 1e3).round() / 1e3)
}

fn sized(of: &Expression, range: Option<(f64, f64)>) -> String {
    format!("bytes = {}", valued(of, range, bytes))
}

/// Which ranks run it, of those that come to it; nothing where it is all of them.
fn who(part: &Part, among: Option<usize>) -> Option<String> {
    let ranks = part.ranks.as_ref()?;
    if Some(ranks.len()) == among {
        return None;
    }
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for rank in ranks {
        match groups.last_mut() {
            Some((_, last)) if *last + 1 == *rank => *last = *rank,
            _ => groups.push((*rank, *rank)),
        }
    }
    let text =
        |(first, last): &(usize, usize)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    let shown: Vec<String> = groups.iter().take(6).map(text).collect();
    let more = if groups.len() > 6 { format!(", ... ({} in all)", ranks.len()) } else { String::new() };
    Some(match ranks.as_slice() {
        [] => "no rank".to_owned(),
        [only] => format!("rank {only}"),
        _ => format!("ranks {}{more}", shown.join(", ")),
    })
}
