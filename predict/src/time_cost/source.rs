//! Computation structures from C sources: the control graph of a function, as the parser of tree-sitter reads it.
//!
//! Statements follow each other, loops repeat, branches are chosen by chance, functions of the file are inlined, threads of POSIX and OpenMP
//! fork and join, mutexes lock. A call of any other function is an operation, whose time is given or was recorded. All other code
//! takes no time. Comments that begin with `midrun:` say what the source does not: `count N` of a loop, `probability P` of a branch, `cost S`
//! and `variance V` of a statement.

mod graph;
#[cfg(test)]
mod tests;
mod threads;

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node as Syntax, Parser};

use super::structure::{Kind, MOST_NODES, Machine, Structure, Sweep};
use crate::description::DescriptionError;
use graph::Graph;
use threads::lock_name;

/// Functions inside one another.
const MOST_CALLS: usize = 64;
/// Parts of the source inside one another, over all functions that are inside one another.
const MOST_DEPTH: usize = 2_000;
/// Stack of the thread that reads, bytes: [`MOST_DEPTH`] parts need a quarter of it without optimisation.
const STACK: usize = 64 << 20;
/// Statements that are read, those of a function once for each of its calls.
const MOST_STATEMENTS: usize = 100_000;

/// What is known of a function's calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Mean time, seconds.
    pub mean_s: f64,
    /// Variance of the time.
    pub variance_s2: f64,
    /// Calls in the recording; `None` where the time was given.
    pub calls: Option<u64>,
}

/// What a source is read with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Numbers by name: those of loops, and `threads` of OpenMP.
    pub numbers: BTreeMap<String, f64>,
    /// Functions by name.
    pub functions: BTreeMap<String, Known>,
}

/// A part of the control graph.
#[derive(Clone, Debug)]
enum Step {
    Operation {
        name: String,
        line: usize,
        cost: (f64, f64),
    },
    Loop {
        line: usize,
        count: u64,
        body: Vec<Step>,
    },
    Branch {
        line: usize,
        probability: f64,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    Fork {
        line: usize,
        branches: Vec<Vec<Step>>,
    },
    Lock {
        line: usize,
        name: String,
        read: bool,
    },
    Unlock {
        line: usize,
        name: String,
    },
    /// Threads that are not joined yet, or a join of so many.
    Created {
        line: usize,
        bodies: Vec<Vec<Step>>,
    },
    Joined {
        line: usize,
        count: u64,
    },
}

/// The structure of function `name` of a C source on `machine`.
///
/// # Errors
/// A sentence with line and column: what the parser cannot read, what has no time, no count or no probability.
pub fn from_c(text: &str, name: &str, given: &Given, machine: Machine) -> Result<Structure, DescriptionError> {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let reader = reader.spawn_scoped(scope, || read(text, name, given, machine));
        let failed = |why: &str| Err(DescriptionError::at(text, 0..0, format!("the source cannot be read: {why}")));
        match reader.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(structure)) => structure,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => failed(&error.to_string()),
        }
    })
}

fn read(text: &str, name: &str, given: &Given, machine: Machine) -> Result<Structure, DescriptionError> {
    let mut parser = Parser::new();
    let fault = |sentence: &str| DescriptionError::at(text, 0..0, sentence.to_owned());
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).map_err(|error| fault(&error.to_string()))?;
    let tree = parser.parse(text, None).ok_or_else(|| fault("the source cannot be parsed"))?;
    let mut reader = Reader {
        text,
        given,
        functions: BTreeMap::new(),
        constants: BTreeMap::new(),
        unknown: Vec::new(),
        statements: 0,
        depth: 0,
    };
    reader.go_deeper(tree.root_node())?;
    reader.depth = 0;
    reader.collect(tree.root_node());
    let Some(function) = reader.functions.get(name).copied() else {
        if let Some(part) = broken(tree.root_node()) {
            return reader
                .wrong(part, format!("this is no C that can be read, and elsewhere there is no function `{name}`"));
        }
        let known = reader.functions.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "and no other one".to_owned() } else { format!("but {known}") };
        return Err(fault(&format!("there is no function `{name}`, {known}")));
    };
    let steps = reader.function(name, function, &mut vec![name.to_owned()])?;
    if let Some((first, _)) = reader.unknown.first() {
        let at = first.byte_range();
        let names: BTreeSet<&str> = reader.unknown.iter().map(|(_, name)| name.as_str()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        return Err(DescriptionError::at(
            text,
            at,
            format!(
                "the time of these functions is not known: {names}; give it by `// midrun: cost SECONDS` before the statement, --cost NAME=SECONDS, or a recording that measures them"
            ),
        ));
    }
    let mut graph = Graph { text, nodes: Vec::new(), locks: Vec::new() };
    let end = graph.node("end", Kind::End);
    let start = graph.steps(&steps, Some(1), end)?;
    let Graph { nodes, locks, .. } = graph;
    Structure::new(BTreeMap::new(), locks, nodes, start, machine, Sweep::default())
        .map_err(|error| fault(&error.to_string()))
}

struct Reader<'t> {
    text: &'t str,
    given: &'t Given,
    /// Bodies by name.
    functions: BTreeMap<String, Syntax<'t>>,
    constants: BTreeMap<String, f64>,
    /// Calls whose time is not known.
    unknown: Vec<(Syntax<'t>, String)>,
    /// Statements that were read.
    statements: usize,
    /// How deep the functions are that are being read, one inside the other.
    depth: usize,
}

/// How many parts are inside one another; walked without recursion.
fn depth(node: Syntax<'_>) -> usize {
    let (mut cursor, mut deepest) = (node.walk(), 0);
    loop {
        deepest = deepest.max(cursor.depth() as usize);
        while !cursor.goto_first_child() {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return deepest;
                }
            }
            deepest = deepest.max(cursor.depth() as usize);
        }
    }
}

fn children(node: Syntax<'_>) -> Vec<Syntax<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// The first node of this kind, in the order of the text.
fn find<'t>(node: Syntax<'t>, kind: &str) -> Option<Syntax<'t>> {
    if node.kind() == kind {
        return Some(node);
    }
    children(node).into_iter().find_map(|child| find(child, kind))
}

/// Steps with those inside them.
fn size(steps: &[Step]) -> usize {
    let inside = |step: &Step| match step {
        Step::Loop { body, .. } => size(body),
        Step::Branch { then, otherwise, .. } => size(then) + size(otherwise),
        Step::Fork { branches: bodies, .. } | Step::Created { bodies, .. } => {
            bodies.iter().map(|body| size(body)).sum()
        }
        _ => 0,
    };
    steps.iter().map(|step| 1 + inside(step)).sum()
}

fn line(node: Syntax<'_>) -> usize {
    node.start_position().row + 1
}

impl<'t> Reader<'t> {
    fn of(&self, node: Syntax<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn wrong<T>(&self, node: Syntax<'_>, sentence: impl Into<String>) -> Result<T, DescriptionError> {
        Err(DescriptionError::at(self.text, node.byte_range(), sentence.into()))
    }

    /// Counts the parts of `node` as inside what is being read.
    fn go_deeper(&mut self, node: Syntax<'t>) -> Result<usize, DescriptionError> {
        let own = depth(node);
        self.depth += own;
        if self.depth > MOST_DEPTH {
            let right = "give a part of it a cost, or a function of its own";
            return self.wrong(node, format!("more than {MOST_DEPTH} parts are inside one another: {right}"));
        }
        Ok(own)
    }

    /// Functions and constants of the file.
    fn collect(&mut self, node: Syntax<'t>) {
        for child in children(node) {
            match child.kind() {
                "function_definition" => {
                    let name = child.child_by_field_name("declarator").and_then(|of| find(of, "identifier"));
                    if let (Some(name), Some(_)) = (name, child.child_by_field_name("body")) {
                        self.functions.insert(self.of(name).to_owned(), child);
                    }
                }
                "declaration" if !self.of(child).split_whitespace().any(|word| word == "const") => {}
                "preproc_def" | "enumerator" | "init_declarator" => {
                    let name = child.child_by_field_name("name").or(child.child_by_field_name("declarator"));
                    let value = child.child_by_field_name("value").map(|value| self.of(value).trim().to_owned());
                    if let (Some(name), Some(value)) = (name, value.and_then(|value| self.literal(&value))) {
                        self.constants.insert(self.of(name).to_owned(), value);
                    }
                }
                _ => self.collect(child),
            }
        }
    }

    /// A number, or the name of one.
    fn literal(&self, text: &str) -> Option<f64> {
        let digits = text.trim_matches(|c: char| c == '(' || c == ')').trim_end_matches(['u', 'U', 'l', 'L']);
        let number = digits.parse().ok();
        number.or_else(|| self.given.numbers.get(text).or(self.constants.get(text)).copied())
    }

    /// A constant expression.
    fn number(&self, node: Syntax<'t>) -> Option<f64> {
        if node.kind() == "parenthesized_expression" {
            return self.number(node.named_child(0)?);
        }
        if node.kind() != "binary_expression" {
            return self.literal(self.of(node));
        }
        let side = |name: &str| self.number(node.child_by_field_name(name)?);
        let (left, right) = (side("left")?, side("right")?);
        match self.of(node.child_by_field_name("operator")?) {
            "+" => Some(left + right),
            "-" => Some(left - right),
            "*" => Some(left * right),
            "/" if right != 0.0 => Some((left / right).trunc()),
            _ => None,
        }
    }

    /// A function's steps; `calls` are the functions that it is inside of.
    fn function(
        &mut self,
        name: &str,
        function: Syntax<'t>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        if let Some(bad) = broken(function) {
            return self.wrong(
                bad,
                format!("this is no C that can be read, in function `{name}`: a whole statement is expected (macros are not expanded)"),
            );
        }
        let Some(body) = function.child_by_field_name("body") else { return Ok(Vec::new()) };
        let last = children(body).into_iter().rfind(|child| child.kind() != "comment").map(|child| child.id());
        let own = self.go_deeper(function)?;
        let steps = self.block(&children(body), last, calls);
        self.depth -= own;
        steps
    }

    /// The steps of statements that follow each other. `last` is the one behind which the function returns anyway.
    fn block(
        &mut self,
        statements: &[Syntax<'t>],
        last: Option<usize>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        let (mut steps, mut notes, mut pragma) = (Vec::new(), BTreeMap::new(), None);
        let mut before = None;
        for statement in statements {
            self.statements += 1;
            if self.statements > MOST_STATEMENTS {
                let right = "give functions that are called often a cost";
                return self.wrong(
                    *statement,
                    format!("more than {MOST_STATEMENTS} statements, with those of each call: {right}"),
                );
            }
            match statement.kind() {
                // On the line of something else it is that one's.
                "comment" if before == Some(line(*statement)) => continue,
                "comment" if statement.parent().is_some_and(|parent| line(parent) == line(*statement)) => continue,
                "comment" => {
                    notes.extend(self.notes(*statement)?);
                    continue;
                }
                "preproc_call" if self.of(*statement).trim_start().starts_with("#pragma") => {
                    let words = self.of(*statement).trim();
                    pragma = words.split_once("omp ").map(|(_, rest)| (*statement, rest.trim().to_owned()));
                    continue;
                }
                _ => {}
            }
            notes.extend(self.beside(*statement)?);
            before = Some(statement.end_position().row + 1);
            let (notes, pragma) = (std::mem::take(&mut notes), pragma.take());
            let found = match pragma {
                Some((at, words)) => self.open_mp(at, &words, *statement, &notes, calls)?,
                None => self.statement(*statement, &notes, last, calls)?,
            };
            steps.extend(found);
        }
        self.joined(steps)
    }

    /// What is said behind a statement, on its last line, or on the first line of its body.
    fn beside(&self, statement: Syntax<'t>) -> Result<BTreeMap<&'static str, f64>, DescriptionError> {
        let end = statement.end_position().row + 1;
        let next = std::iter::successors(statement.next_named_sibling(), |node| node.next_named_sibling());
        let behind = next.take_while(|node| node.kind() == "comment" && line(*node) == end);
        let body = statement.child_by_field_name("body").or(statement.child_by_field_name("consequence"));
        let first = body.and_then(|body| body.named_child(0)).filter(|first| line(*first) == line(statement));
        let mut notes = BTreeMap::new();
        for comment in behind.chain(first).filter(|node| node.kind() == "comment") {
            notes.extend(self.notes(comment)?);
        }
        Ok(notes)
    }

    fn at_line<T>(&self, line: usize, sentence: &str) -> Result<T, DescriptionError> {
        let start: usize = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        Err(DescriptionError::at(self.text, start..start, sentence.to_owned()))
    }

    /// What a comment says to this program, by its words.
    fn notes(&self, comment: Syntax<'t>) -> Result<BTreeMap<&'static str, f64>, DescriptionError> {
        let text = self.of(comment).trim_start_matches(['/', '*', ' ']).trim_end_matches(['/', '*', ' ']);
        let Some(rest) = text.strip_prefix("midrun:") else { return Ok(BTreeMap::new()) };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let mut notes = BTreeMap::new();
        for pair in words.chunks(2) {
            let key = ["count", "probability", "cost", "variance"].into_iter().find(|key| pair.first() == Some(key));
            let value =
                pair.get(1).and_then(|value| self.literal(value)).filter(|value| *value >= 0.0 && value.is_finite());
            let (Some(key), Some(value)) = (key, value) else {
                let right = "allowed is `midrun:` and pairs of count, probability, cost or variance and a number, or a name that --set gives one";
                return self.wrong(comment, format!("`{}`: {right}", pair.join(" ")));
            };
            notes.insert(key, value);
        }
        Ok(notes)
    }

    fn inner(&mut self, node: Option<Syntax<'t>>, calls: &mut Vec<String>) -> Result<Vec<Step>, DescriptionError> {
        let Some(node) = node else { return Ok(Vec::new()) };
        match node.kind() {
            "compound_statement" => self.block(&children(node), None, calls),
            _ => self.block(&[node], None, calls),
        }
    }

    fn statement(
        &mut self,
        statement: Syntax<'t>,
        notes: &BTreeMap<&'static str, f64>,
        last: Option<usize>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        if let Some(mean_s) = notes.get("cost") {
            let cost = (*mean_s, notes.get("variance").copied().unwrap_or(0.0));
            return Ok(vec![Step::Operation { name: "statement".into(), line: line(statement), cost }]);
        }
        match statement.kind() {
            "compound_statement" => self.block(&children(statement), last, calls),
            "for_statement" | "while_statement" | "do_statement" => self.repeated(statement, notes, calls),
            "if_statement" => self.branch(statement, notes, calls),
            "switch_statement" | "goto_statement" | "labeled_statement" | "continue_statement" => {
                let what = statement.kind().split('_').next().unwrap_or_default();
                self.wrong(
                    statement,
                    format!("`{what}` is not read: give the statement around it `// midrun: cost SECONDS`"),
                )
            }
            "return_statement" if last != Some(statement.id()) => {
                let right = "give the `if` around it `// midrun: probability 0`, or its statement a cost";
                self.wrong(statement, format!("a return before the function's end is not read: {right}"))
            }
            // Of a loop whose count is annotated; see `repeated`.
            "break_statement" => Ok(Vec::new()),
            _ => self.calls_in(statement, calls),
        }
    }

    fn repeated(
        &mut self,
        statement: Syntax<'t>,
        notes: &BTreeMap<&'static str, f64>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        let body_node = statement.child_by_field_name("body");
        let mut body = self.inner(body_node, calls)?;
        for part in ["condition", "update"] {
            let part = statement.child_by_field_name(part);
            body.extend(part.map(|part| self.calls_in(part, calls)).transpose()?.into_iter().flatten());
        }
        if body.is_empty() {
            return Ok(Vec::new());
        }
        let leaves = body_node.and_then(|body| find(body, "break_statement"));
        let of_source = if leaves.is_some() { None } else { self.counted(statement) };
        let count = notes.get("count").copied().or(of_source).or_else(|| self.recorded(&body, calls));
        let Some(count) = count.filter(|count| count.fract() == 0.0 && *count >= 0.0) else {
            let right = "write `// midrun: count N` before it, with a whole number or a name that --set gives one, or name a recording that measures both \
                         the function around it and one that it calls";
            return self.wrong(statement, format!("how often this loop repeats is not known: {right}"));
        };
        let (line, count) = (line(statement), count as u64);
        let threads = body.iter().map(|step| match step {
            Step::Created { bodies, .. } => Some((bodies.clone(), 0)),
            Step::Joined { count, .. } => Some((Vec::new(), *count)),
            _ => None,
        });
        // A loop of creates, or of joins.
        let Some(threads) = threads.collect::<Option<Vec<_>>>() else {
            return Ok(vec![Step::Loop { line, count, body }]);
        };
        if count > MOST_NODES as u64 {
            return self.wrong(statement, format!("{count} threads are too many, allowed are {MOST_NODES}"));
        }
        let joins = threads.iter().fold(0, |sum: u64, (_, joins)| sum.saturating_add(*joins));
        if joins > 0 {
            return Ok(vec![Step::Joined { line, count: count.saturating_mul(joins) }]);
        }
        let bodies: Vec<Vec<Step>> = threads.into_iter().flat_map(|(bodies, _)| bodies).collect();
        self.copied(statement, bodies.iter().map(|body| size(body)).sum(), count)?;
        Ok(vec![Step::Created { line, bodies: (0..count).flat_map(|_| bodies.clone()).collect() }])
    }

    /// Refuses more copies of so many steps than a graph has nodes.
    pub(super) fn copied(&self, at: Syntax<'t>, steps: usize, copies: u64) -> Result<(), DescriptionError> {
        if copies.saturating_mul(steps as u64) <= MOST_NODES as u64 {
            return Ok(());
        }
        let right = format!("{steps} parts in each are too many, allowed are {MOST_NODES} in all");
        self.wrong(at, format!("{copies} threads with {right}: give larger parts a cost"))
    }

    /// The count of `for (i = A; i < B; i++)` with constant numbers.
    fn counted(&self, statement: Syntax<'t>) -> Option<f64> {
        let first = statement.child_by_field_name("initializer")?;
        let first = match first.kind() {
            "declaration" => find(first, "init_declarator")?.child_by_field_name("value")?,
            _ => find(first, "assignment_expression")?.child_by_field_name("right")?,
        };
        let condition = statement.child_by_field_name("condition")?;
        let update = statement.child_by_field_name("update")?;
        let (from, to) = (self.number(first)?, self.number(condition.child_by_field_name("right")?)?);
        let by = match update.kind() {
            "update_expression" => 1.0,
            _ => self.number(update.child_by_field_name("right")?)?,
        };
        let up = self.of(update).contains('+');
        let span = match (self.of(condition.child_by_field_name("operator")?), up) {
            ("<", true) => to - from,
            ("<=", true) => to - from + 1.0,
            (">", false) => from - to,
            (">=", false) => from - to + 1.0,
            _ => return None,
        };
        (by > 0.0).then(|| (span / by).ceil().max(0.0))
    }

    /// Calls of a function in the body for each of the function around the loop, as they were recorded.
    fn recorded(&self, body: &[Step], calls: &[String]) -> Option<f64> {
        let recorded = |name: &String| self.given.functions.get(name)?.calls.filter(|calls| *calls > 0);
        let around = recorded(calls.last()?)?;
        let inside = body.iter().find_map(|step| match step {
            Step::Operation { name, .. } => recorded(name),
            _ => None,
        })?;
        Some((inside as f64 / around as f64).round())
    }

    fn branch(
        &mut self,
        statement: Syntax<'t>,
        notes: &BTreeMap<&'static str, f64>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        let condition = statement.child_by_field_name("condition");
        let mut steps = condition.map(|of| self.calls_in(of, calls)).transpose()?.unwrap_or_default();
        let probability = notes.get("probability").copied();
        let then = match probability {
            Some(0.0) => Vec::new(),
            _ => self.inner(statement.child_by_field_name("consequence"), calls)?,
        };
        let otherwise = statement.child_by_field_name("alternative").and_then(|of| of.named_child(0));
        let otherwise = self.inner(otherwise, calls)?;
        if then.is_empty() && otherwise.is_empty() {
            return Ok(steps);
        }
        match probability.filter(|p| *p <= 1.0) {
            Some(probability) => {
                steps.push(Step::Branch { line: line(statement), probability, then, otherwise });
                Ok(steps)
            }
            None => self.wrong(
                statement,
                "how often this condition holds is not known: write `// midrun: probability P` before it, from 0 to 1",
            ),
        }
    }

    /// The calls in an expression, the inner ones first.
    fn calls_in(&mut self, node: Syntax<'t>, calls: &mut Vec<String>) -> Result<Vec<Step>, DescriptionError> {
        let mut steps = Vec::new();
        for child in children(node) {
            steps.extend(self.calls_in(child, calls)?);
        }
        if node.kind() == "call_expression" {
            steps.extend(self.call(node, calls)?);
        }
        Ok(steps)
    }

    fn call(&mut self, node: Syntax<'t>, calls: &mut Vec<String>) -> Result<Vec<Step>, DescriptionError> {
        let name = node.child_by_field_name("function").map(|of| self.of(of).to_owned()).unwrap_or_default();
        let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let line = line(node);
        let lock = || arguments.first().map(|of| lock_name(self.of(*of))).unwrap_or_default();
        Ok(match name.as_str() {
            "pthread_mutex_lock" | "pthread_rwlock_wrlock" => vec![Step::Lock { line, name: lock(), read: false }],
            "pthread_rwlock_rdlock" => vec![Step::Lock { line, name: lock(), read: true }],
            "pthread_mutex_unlock" | "pthread_rwlock_unlock" => vec![Step::Unlock { line, name: lock() }],
            "pthread_create" => {
                let thread =
                    arguments.get(2).map(|of| self.of(*of).trim_start_matches('&').to_owned()).unwrap_or_default();
                vec![Step::Created { line, bodies: vec![self.called(node, &thread, calls)?] }]
            }
            "pthread_join" => vec![Step::Joined { line, count: 1 }],
            _ => self.called(node, &name, calls)?,
        })
    }

    /// A function's own steps, or the operation that it is.
    fn called(&mut self, at: Syntax<'t>, name: &str, calls: &mut Vec<String>) -> Result<Vec<Step>, DescriptionError> {
        if let Some(Known { mean_s, variance_s2, .. }) = self.given.functions.get(name) {
            let cost = (*mean_s, *variance_s2);
            return Ok(vec![Step::Operation { name: name.to_owned(), line: line(at), cost }]);
        }
        let Some(function) = self.functions.get(name).copied() else {
            self.unknown.push((at, name.to_owned()));
            return Ok(Vec::new());
        };
        if calls.iter().any(|known| known == name) || calls.len() >= MOST_CALLS {
            return self.wrong(at, format!("`{name}` calls itself: give this statement `// midrun: cost SECONDS`"));
        }
        calls.push(name.to_owned());
        let steps = self.function(name, function, calls);
        calls.pop();
        steps
    }
}

/// The first part of a function that the parser could not read.
fn broken(node: Syntax<'_>) -> Option<Syntax<'_>> {
    if !node.has_error() {
        return None;
    }
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    node.children(&mut node.walk()).find_map(broken).or(Some(node))
}
