//! Computation structures from C sources: the control graph of a function, as the parser of tree-sitter reads it.
//!
//! Statements follow each other, loops repeat, branches are chosen by chance, functions of the file are inlined, threads of POSIX and OpenMP
//! fork and join, mutexes lock. A call of any other function is an operation, whose time is given or was recorded. All other code
//! takes no time. Comments that begin with `midrun:` say what the source does not: `count N` of a loop, `probability P` of a branch, `cost S`
//! and `variance V` of a statement.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node as Syntax, Parser};

use super::count::Count;
use super::structure::{Kind, MOST_NODES, Machine, Node, Structure, Sweep};
use crate::description::DescriptionError;
use midrun_models::distribution::Distribution;

/// Functions inside one another.
const MOST_CALLS: usize = 64;

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
    let mut parser = Parser::new();
    let fault = |sentence: &str| DescriptionError::at(text, 0..0, sentence.to_owned());
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).map_err(|error| fault(&error.to_string()))?;
    let tree = parser.parse(text, None).ok_or_else(|| fault("the source cannot be parsed"))?;
    let mut reader =
        Reader { text, given, functions: BTreeMap::new(), constants: BTreeMap::new(), unknown: Vec::new() };
    reader.collect(tree.root_node());
    let Some(function) = reader.functions.get(name).copied() else {
        let known = reader.functions.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        return Err(fault(&format!("there is no function `{name}`, but {known}")));
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
        self.block(&children(body), last, calls)
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

    /// Threads that are created, and all steps up to their join, become a fork.
    fn joined(&self, steps: Vec<Step>) -> Result<Vec<Step>, DescriptionError> {
        // Only creates, or only joins: of a block around this one.
        let created = steps.iter().all(|step| matches!(step, Step::Created { .. }));
        if created || steps.iter().all(|step| matches!(step, Step::Joined { .. })) {
            return Ok(steps);
        }
        let mut done: Vec<Step> = Vec::new();
        let mut open: Option<(usize, Vec<Vec<Step>>, Vec<Step>, u64)> = None;
        for step in steps {
            match (step, &mut open) {
                (Step::Created { line, bodies }, None) => open = Some((line, bodies, Vec::new(), 0)),
                (Step::Created { bodies, .. }, Some((_, all, ..))) => all.extend(bodies),
                (Step::Joined { line, count }, Some((_, bodies, _, joins)))
                    if *joins + count <= bodies.len() as u64 =>
                {
                    *joins += count;
                    if *joins == bodies.len() as u64
                        && let Some((_, mut branches, own, _)) = open.take()
                    {
                        // The thread that created them does its own work meanwhile.
                        if !own.is_empty() {
                            branches.push(own);
                        }
                        done.push(Step::Fork { line, branches });
                    }
                }
                (Step::Joined { line, .. }, _) => {
                    return self.at_line(line, "more threads are joined here than were created in this block");
                }
                (step, Some((_, _, own, _))) => own.push(step),
                (step, None) => done.push(step),
            }
        }
        match open {
            Some((line, ..)) => {
                self.at_line(line, "threads that are created here are not all joined in the same block")
            }
            None => Ok(done),
        }
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
        let joins: u64 = threads.iter().map(|(_, joins)| joins).sum();
        if joins > 0 {
            return Ok(vec![Step::Joined { line, count: count * joins }]);
        }
        let bodies: Vec<Vec<Step>> = threads.into_iter().flat_map(|(bodies, _)| bodies).collect();
        Ok(vec![Step::Created { line, bodies: (0..count).flat_map(|_| bodies.clone()).collect() }])
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

    fn open_mp(
        &mut self,
        at: Syntax<'t>,
        words: &str,
        statement: Syntax<'t>,
        notes: &BTreeMap<&'static str, f64>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        let steps = self.statement(statement, notes, None, calls)?;
        let line = line(at);
        let directive = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>();
        match directive.as_slice() {
            ["critical", name, ..] => {
                let name = format!("critical_{}", lock_name(name));
                let lock = Step::Lock { line, name: name.clone(), read: false };
                Ok([vec![lock], steps, vec![Step::Unlock { line, name }]].concat())
            }
            ["critical"] => {
                let name = "critical".to_owned();
                let lock = Step::Lock { line, name: name.clone(), read: false };
                Ok([vec![lock], steps, vec![Step::Unlock { line, name }]].concat())
            }
            ["atomic" | "simd", ..] => Ok(steps),
            ["parallel", rest @ ..] => {
                let threads = words.split_once("num_threads(").and_then(|(_, rest)| rest.split(')').next());
                let threads = self.literal(threads.unwrap_or("threads"));
                let Some(threads) = threads.filter(|n| *n >= 1.0 && n.fract() == 0.0 && *n <= MOST_NODES as f64) else {
                    return self.wrong(at, "how many threads run this is not known: say --set threads=N");
                };
                let threads = threads as u64;
                let branches = match (rest.first(), steps.as_slice()) {
                    (Some(&"for"), [Step::Loop { line, count, body }]) => (0..threads)
                        .map(|k| Step::Loop {
                            line: *line,
                            count: count / threads + u64::from(k < count % threads),
                            body: body.clone(),
                        })
                        .map(|part| vec![part])
                        .collect(),
                    (Some(&"for"), []) => return Ok(Vec::new()),
                    (Some(&"for" | &"sections"), _) => {
                        return self.wrong(at, "only a loop of its own is read below `parallel for`");
                    }
                    _ => vec![steps; threads as usize],
                };
                Ok(vec![Step::Fork { line, branches }])
            }
            _ => self.wrong(at, format!("`omp {words}` is not read; parallel, parallel for, critical and atomic are")),
        }
    }
}

/// Letters and digits of an expression that names a lock.
fn lock_name(text: &str) -> String {
    let name: String =
        text.trim_start_matches('&').chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() { "lock".to_owned() } else { name }
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

/// Mean and variance of steps without threads and locks.
fn cost(steps: &[Step]) -> Option<(f64, f64)> {
    let one = |step: &Step| match step {
        Step::Operation { cost, .. } => Some(*cost),
        Step::Loop { count, body, .. } => {
            cost(body).map(|(mean, variance)| (*count as f64 * mean, *count as f64 * variance))
        }
        Step::Branch { probability: p, then, otherwise, .. } => {
            let ((a, va), (b, vb)) = (cost(then)?, cost(otherwise)?);
            Some((p * a + (1.0 - p) * b, p * va + (1.0 - p) * vb + p * (1.0 - p) * (a - b) * (a - b)))
        }
        _ => None,
    };
    steps.iter().map(one).try_fold((0.0, 0.0), |sum, of| of.map(|(mean, variance)| (sum.0 + mean, sum.1 + variance)))
}

struct Graph<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    locks: Vec<String>,
}

impl Graph<'_> {
    fn node(&mut self, name: &str, kind: Kind) -> usize {
        let plain: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let taken = |name: &str| self.nodes.iter().any(|node| node.name == name);
        let name = match taken(&plain) {
            false => plain,
            true => (2..).map(|k| format!("{plain}_{k}")).find(|name| !taken(name)).unwrap_or(plain),
        };
        self.nodes.push(Node { name, kind });
        self.nodes.len() - 1
    }

    fn lock(&mut self, name: &str) -> usize {
        self.locks.iter().position(|known| known == name).unwrap_or_else(|| {
            self.locks.push(name.to_owned());
            self.locks.len() - 1
        })
    }

    fn wrong<T>(&self, line: usize, sentence: impl Into<String>) -> Result<T, DescriptionError> {
        let start: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        Err(DescriptionError::at(self.text, start..start, sentence.into()))
    }

    fn operation(
        &mut self,
        name: String,
        (mean_s, variance): (f64, f64),
        to: usize,
    ) -> Result<usize, DescriptionError> {
        let of = match variance > 0.0 && mean_s > 0.0 {
            true => Distribution::Gamma { mean_s, sigma_s: variance.sqrt() },
            false => Distribution::Deterministic { mean_s },
        };
        Ok(self.node(&name, Kind::Operation { cost: of, to }))
    }

    /// The node at which these steps begin; `next` follows them. They are passed `passages` times in a run, by chance if `None`.
    fn steps(&mut self, steps: &[Step], passages: Option<u64>, next: usize) -> Result<usize, DescriptionError> {
        let mut next = next;
        for step in steps.iter().rev() {
            if self.nodes.len() > MOST_NODES {
                return self.wrong(1, format!("the graph has more than {MOST_NODES} nodes: give larger parts a cost"));
            }
            next = self.step(step, passages, next)?;
        }
        Ok(next)
    }

    fn step(&mut self, step: &Step, passages: Option<u64>, next: usize) -> Result<usize, DescriptionError> {
        match step {
            Step::Operation { name, line, cost } => self.operation(format!("{name}_{line}"), *cost, next),
            Step::Loop { count: 0, .. } => Ok(next),
            Step::Loop { line, count, body } => {
                let Some(passages) = passages else {
                    let Some((mean, variance)) = cost(body) else {
                        return self.wrong(
                            *line,
                            "a loop with locks or threads in a branch that is taken by chance is not read",
                        );
                    };
                    let count = *count as f64;
                    return self.operation(format!("loop_{line}"), (count * mean, count * variance), next);
                };
                let inside = passages.saturating_mul(*count);
                if inside > u64::from(super::count::MOST) {
                    // What no lock or thread sees may be one operation.
                    let Some((mean, variance)) = cost(body) else {
                        return self.wrong(
                            *line,
                            format!(
                                "this loop runs {inside} times in all, at most {} are simulated",
                                super::count::MOST
                            ),
                        );
                    };
                    let count = *count as f64;
                    return self.operation(format!("loop_{line}"), (count * mean, count * variance), next);
                }
                let flow = |count: u64| Count::read(&count.to_string()).or_else(|why| self.wrong(*line, why));
                let (again, out) = (flow(inside)?, flow(passages)?);
                let head = self.node(&format!("loop_{line}"), Kind::End);
                let meet = self.node(&format!("again_{line}"), Kind::Or { to: head });
                let body = self.steps(body, Some(inside), meet)?;
                self.nodes[head].kind = Kind::Flow { ways: vec![(body, again), (next, out)] };
                Ok(meet)
            }
            Step::Branch { line, probability, then, otherwise } => {
                let meet = self.node(&format!("meet_{line}"), Kind::Or { to: next });
                let (then, otherwise) = (self.steps(then, None, meet)?, self.steps(otherwise, None, meet)?);
                let ways = vec![(then, *probability), (otherwise, 1.0 - probability)];
                Ok(self.node(&format!("if_{line}"), Kind::Decision { ways }))
            }
            Step::Fork { line, branches } => {
                let join = self.node(&format!("join_{line}"), Kind::Join { to: next });
                let mut ways = Vec::new();
                for branch in branches {
                    let way = self.steps(branch, passages, join)?;
                    // A branch has at least a node of its own.
                    ways.push(if way == join {
                        self.operation(format!("nothing_{line}"), (0.0, 0.0), join)?
                    } else {
                        way
                    });
                }
                Ok(self.node(&format!("fork_{line}"), Kind::Fork { branches: ways, weights: Vec::new() }))
            }
            Step::Lock { line, name, read } => {
                let lock = vec![self.lock(name)];
                let (read, write) = if *read { (lock, Vec::new()) } else { (Vec::new(), lock) };
                Ok(self.node(&format!("lock_{line}"), Kind::Lock { read, write, to: next }))
            }
            Step::Unlock { line, name } => {
                let locks = vec![self.lock(name)];
                Ok(self.node(&format!("unlock_{line}"), Kind::Unlock { locks, to: next }))
            }
            Step::Created { line, .. } | Step::Joined { line, .. } => {
                self.wrong(*line, "threads are created and joined in blocks of their own here; put both into one")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_cost::{Cost, Policy, sweep};

    fn given(numbers: &[(&str, f64)], functions: &[(&str, f64)]) -> Given {
        let known = |mean_s| Known { mean_s, variance_s2: 0.0, calls: None };
        Given {
            numbers: numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            functions: functions.iter().map(|(name, mean_s)| ((*name).to_owned(), known(*mean_s))).collect(),
        }
    }

    fn cost_of(text: &str, given: &Given, processors: f64) -> Cost {
        let machine = Machine { processors, speed: 1.0, policy: Policy::Equal };
        let structure = from_c(text, "f", given, machine).unwrap();
        // What is derived reads back as it was written.
        Structure::from_toml(&structure.to_toml()).unwrap();
        sweep(&structure, 200, 1).unwrap().remove(0).cost
    }

    fn refused(text: &str) -> DescriptionError {
        from_c(text, "f", &Given::default(), Machine { processors: 1.0, speed: 1.0, policy: Policy::Equal })
            .unwrap_err()
    }

    #[test]
    fn loops_calls_and_branches_take_what_they_take() {
        let text = "#define ROWS 10\nenum { COLUMNS = 4 };\nstatic void g(int i) { work(i); /* once */ work(i + 1); }\n\
            int f(int n) {\n  for (int i = 0; i < ROWS; i++) {\n    g(i);\n    for (int j = COLUMNS; j > 0; j -= 2) work(j);\n  }\n\
              while (more(n)) work(n); /* n times */ // midrun: count n\n  // midrun: cost 0.5\n  n = 3 * n;\n\
              if (n > 3) { // midrun: probability 1\n    work(0);\n  } else idle();\n  return work(1);\n}\n";
        let of = given(&[("n", 3.0)], &[("work", 0.01), ("more", 0.001), ("idle", 9.0)]);
        let cost = cost_of(text, &of, 1.0);
        // 10 (2 + 2) works, 3 more and tests of `more`, the statement, and 2 works.
        assert!((cost.mean_s - (0.4 + 0.033 + 0.5 + 0.02)).abs() < 1e-9, "{}", cost.mean_s);
    }

    #[test]
    fn a_loop_in_a_branch_of_chance_has_its_mean_and_variance() {
        let text =
            "void f(void) {\n  // midrun: probability 0.25\n  if (x)\n    for (int i = 0; i < 8; i++) work();\n}\n";
        let cost = cost_of(text, &given(&[], &[("work", 1.0)]), 1.0);
        assert!((cost.mean_s - 2.0).abs() < 1.0 && (cost.maximum_s - 8.0).abs() < 1e-9, "{cost:?}");
    }

    #[test]
    fn threads_fork_join_and_lock() {
        let posix = "static pthread_mutex_t m;\nvoid *run(void *a) {\n  pthread_mutex_lock(&m);\n  work();\n  pthread_mutex_unlock(&m);\n  return 0;\n}\n\
            void f(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);\n  own();\n\
              for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n}\n";
        let cost = cost_of(posix, &given(&[], &[("work", 1.0), ("own", 3.5)]), 5.0);
        // One after another behind the lock, beside the thread's own work.
        assert!((cost.mean_s - 4.0).abs() < 1e-9, "{}", cost.mean_s);
        let open_mp = "void f(void) {\n#pragma omp parallel for num_threads(3)\n  for (int i = 0; i < 10; i++) work();\n\
            #pragma omp parallel num_threads(2)\n  {\n#pragma omp critical\n    work();\n  }\n}\n";
        let cost = cost_of(open_mp, &given(&[], &[("work", 1.0)]), 3.0);
        assert!((cost.mean_s - (4.0 + 2.0)).abs() < 1e-9, "{}", cost.mean_s);
    }

    #[test]
    fn what_is_not_known_is_said_with_its_line() {
        for (text, line, part) in [
            ("void f(void) {\n  work();\n}", 2, "not known: work"),
            (
                "void f(void) {\n  // midrun: cost 1\n  a = 1;\n  for (;;) {\n    // midrun: cost 1\n    b();\n  }\n}",
                4,
                "midrun: count N",
            ),
            ("void f(void) {\n  if (a) {\n    // midrun: cost 1\n    b();\n  }\n}", 2, "midrun: probability P"),
            ("void f(void) {\n  f();\n}", 2, "calls itself"),
            ("void f(void) {\n  if (a) return;\n  // midrun: cost 1\n  b();\n}", 2, "a return before"),
            ("void f(void) {\n  a = ;\n}", 2, "no C that can be read"),
            ("void f(void) {\n  // midrun: costs 1\n  b();\n}", 2, "allowed is"),
            (
                "void *g(void *a) {\n  // midrun: cost 1\n  b();\n}\nvoid f(void) {\n  pthread_create(&t, 0, g, 0);\n  g(0);\n}",
                6,
                "not all joined",
            ),
            ("void f(void) {\n#pragma omp sections\n  {\n  }\n}", 2, "is not read"),
            ("void g(void) {}", 1, "no function `f`, but g"),
        ] {
            let error = refused(text);
            assert!(error.line == line && error.sentence.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_recording_tells_how_often_a_loop_repeats() {
        let text = "void f(void) {\n  while (next()) work();\n}\n";
        let known = |mean_s, calls| Known { mean_s, variance_s2: 0.0, calls: Some(calls) };
        let functions = [("f", known(1.0, 5)), ("work", known(0.1, 60)), ("next", known(0.0, 60))];
        let functions = functions.map(|(name, known)| (name.to_owned(), known)).into();
        let cost = cost_of(text, &Given { functions, ..Given::default() }, 1.0);
        assert!((cost.mean_s - 1.2).abs() < 1e-9, "{}", cost.mean_s);
    }
}
