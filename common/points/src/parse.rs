//! Parses the text; errors name the position and what is allowed there.

use crate::names::outside_brackets;
use crate::{
    ARGUMENTS, Argument, Call, ControlName, Declaration, Extent, Filter, Label, Mode, Moment, Place, Source, Span,
    Symbol, Trigger, Tuned, Type,
};
use midrun_vocabulary::bounds::TEXT_BYTES;
use midrun_vocabulary::names::of_framework;

/// Labels reserved for midrun, as are those that begin as the names of a framework's tuning points do.
const RESERVED: [&str; 2] = ["iteration", "points"];

/// A declaration and the line it stands in, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its number.
    pub number: u32,
    /// The only rank that it is for; `None`: all.
    pub rank: Option<u32>,
    /// The declaration.
    pub declaration: Declaration,
}

impl Line {
    /// Whether it says what begins the iterations.
    pub fn iterates(&self) -> bool {
        matches!(self.declaration, Declaration::Iteration(_))
    }
}

/// An error in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct Error {
    /// Line, from 1.
    pub line: u32,
    /// Column, in characters from 1.
    pub column: u32,
    /// The mistake, and what is allowed.
    pub what: String,
}

/// Parses all declarations of a text, in order.
///
/// # Errors
/// The first mistake: a malformed line, a label defined twice, `return` of a label without a tuning point, or a text longer than
/// [`TEXT_BYTES`].
pub fn parse(text: &str) -> Result<Vec<Line>, Error> {
    if text.len() > TEXT_BYTES {
        let what = format!("the text has {} bytes; at most {TEXT_BYTES} are allowed", text.len());
        return Err(Error { line: 1, column: 1, what });
    }
    let mut lines: Vec<Line> = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let mut words = Words::new(number, text);
        if words.peek().is_none() {
            continue;
        }
        let declaration = declaration(&mut words)?;
        let mut rank = None;
        if words.peek().is_some_and(|(_, word)| word.starts_with("rank=")) {
            rank = Some(words.take("rank=NUMBER", |word| word.strip_prefix("rank=")?.parse().ok())?);
        }
        if let Some((column, extra)) = words.peek() {
            return words.wrong(column, format!("\"{extra}\" is too much; the line ends before it"));
        }
        check_label(&lines, &words, &declaration)?;
        let line = Line { number, rank, declaration };
        check_iteration(&lines, &words, &line)?;
        lines.push(line);
    }
    for line in &lines {
        let Declaration::Return { label } = &line.declaration else { continue };
        let tuning_point = |l: &Line| l.declaration.has_tuning_point() && l.declaration.label() == Some(label);
        if !lines.iter().any(tuning_point) {
            let words = Words::new(line.number, text.lines().nth(line.number as usize - 1).unwrap_or(""));
            let what = format!("\"{label}\" has no tuning point; give the label of a tune, insert or once line");
            return words.wrong(words.all.get(1).map_or(1, |(column, _)| *column), what);
        }
    }
    Ok(lines)
}

fn check_label(before: &[Line], words: &Words<'_>, declaration: &Declaration) -> Result<(), Error> {
    let Some(label) = declaration.label() else { return Ok(()) };
    let column = words.all.get(1).map_or(1, |(column, _)| *column);
    if RESERVED.contains(&label.as_str()) || of_framework(label.as_str()) {
        return words.wrong(column, format!("\"{label}\" is midrun's own; give another label"));
    }
    match before.iter().find(|line| line.declaration.label() == Some(label)) {
        None => Ok(()),
        Some(first) => {
            words.wrong(column, format!("\"{label}\" is the label of line {}, too; give another", first.number))
        }
    }
}

/// A rank has one kind of iteration: two lines that count them would count each other's.
fn check_iteration(before: &[Line], words: &Words<'_>, new: &Line) -> Result<(), Error> {
    let same = |line: &&Line| line.rank.is_none() || new.rank.is_none() || line.rank == new.rank;
    match before.iter().filter(|line| line.iterates()).find(same).filter(|_| new.iterates()) {
        None => Ok(()),
        Some(first) => {
            let column = words.all.first().map_or(1, |(column, _)| *column);
            words.wrong(column, format!("line {} declares the iterations already; keep one of the two", first.number))
        }
    }
}

/// What may stand behind the parameters of a member function.
fn is_qualifier(word: &str) -> bool {
    ["const", "volatile", "&", "&&"].contains(&word)
}

/// The last part of a name before its qualifiers.
fn unqualified(name: &str) -> &str {
    name.split_whitespace().rev().find(|part| !is_qualifier(part)).unwrap_or("")
}

/// Words of a line, without its comment.
struct Words<'t> {
    line: u32,
    end: u32,
    all: Vec<(u32, &'t str)>,
    next: usize,
}

impl<'t> Words<'t> {
    fn new(line: u32, text: &'t str) -> Self {
        let column = |word: &str| {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            text[..at].chars().count() as u32 + 1
        };
        // C++ names may have spaces between their brackets.
        let spaces: Vec<usize> =
            outside_brackets(text).filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).chain([text.len()]).collect();
        let ends = spaces.iter().scan(0, |from, end| Some(text[std::mem::replace(from, *end)..*end].trim()));
        let words = ends.filter(|word| !word.is_empty()).take_while(|word| !word.starts_with('#'));
        let mut all: Vec<(u32, &str)> = Vec::new();
        for word in words {
            match all.last_mut() {
                // As a member function's qualifiers are written.
                Some((_, before)) if is_qualifier(word) && unqualified(before).ends_with(')') => {
                    let from = before.as_ptr() as usize - text.as_ptr() as usize;
                    let end = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
                    *before = &text[from..end];
                }
                _ => all.push((column(word), word)),
            }
        }
        let end = all.last().map_or(1, |(column, word)| column + word.chars().count() as u32);
        Words { line, end, all, next: 0 }
    }

    fn peek(&self) -> Option<(u32, &'t str)> {
        self.all.get(self.next).copied()
    }

    fn wrong<T>(&self, column: u32, what: String) -> Result<T, Error> {
        Err(Error { line: self.line, column, what })
    }

    /// Parses the next word with `read`; `form` describes it for errors.
    fn take<T>(&mut self, form: &str, read: impl FnOnce(&'t str) -> Option<T>) -> Result<T, Error> {
        let Some((column, word)) = self.peek() else {
            return self.wrong(self.end, format!("here the line lacks {form}"));
        };
        self.next += 1;
        match read(word) {
            Some(value) => Ok(value),
            None => self.wrong(column, format!("\"{word}\" is not {form}")),
        }
    }

    /// Takes the next word if it is `word`.
    fn is_next(&mut self, word: &str) -> bool {
        let is = self.peek().is_some_and(|(_, next)| next == word);
        self.next += usize::from(is);
        is
    }

    fn one_of(&mut self, words: &[&'static str]) -> Result<&'static str, Error> {
        let list = words.join(", ");
        self.take(&format!("one of: {list}"), |word| words.iter().find(|w| **w == word).copied())
    }

    fn word(&mut self, word: &'static str) -> Result<(), Error> {
        self.take(&format!("\"{word}\""), |w| (w == word).then_some(()))
    }

    fn label(&mut self) -> Result<Label, Error> {
        self.take(Label::FORM, Label::new)
    }

    fn symbol(&mut self) -> Result<Symbol, Error> {
        self.take(Symbol::FORM, symbol)
    }

    fn call(&mut self) -> Result<Call, Error> {
        self.take(Call::FORM, Call::new)
    }

    fn kind(&mut self) -> Result<Type, Error> {
        self.take(Type::FORM, Type::new)
    }

    /// A type, and whether it is that of what a pointer points to.
    fn referred_kind(&mut self) -> Result<(Type, bool), Error> {
        let form = format!("{}; with * behind it where the argument points to the value, as in Fortran", Type::FORM);
        self.take(&form, |word| match word.strip_suffix('*') {
            Some(word) => Some((Type::new(word)?, true)),
            None => Some((Type::new(word)?, false)),
        })
    }

    fn argument_number(&mut self) -> Result<u8, Error> {
        let form = format!("the number of an argument, 1 to {ARGUMENTS}");
        self.take(&form, |word| word.parse().ok().filter(|number| (1..=ARGUMENTS).contains(number)))
    }

    fn span(&mut self, kind: Type) -> Result<Span, Error> {
        let all = kind.holds();
        let whole = if kind.is_whole() { "whole " } else { "" };
        let form = format!("MIN..MAX, the smaller first, in {whole}numbers that {} holds ({all})", kind.as_str());
        self.take(&form, |word| {
            let (minimum, maximum) = word.split_once("..")?;
            let span = Span { minimum: number(minimum)?, maximum: number(maximum)? };
            span.fits(kind).then_some(span)
        })
    }
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

fn declaration(words: &mut Words<'_>) -> Result<Declaration, Error> {
    match words.one_of(&["iteration", "work", "measure", "tune", "insert", "once", "return"])? {
        "iteration" => Ok(Declaration::Iteration(trigger(words)?)),
        "work" => {
            words.word("function")?;
            let symbol = words.symbol()?;
            let mut argument = |name| -> Result<Option<Argument>, Error> {
                if !words.is_next(name) {
                    return Ok(None);
                }
                let (number, (kind, by_reference)) = (words.argument_number()?, words.referred_kind()?);
                Ok(Some(Argument { symbol: symbol.clone(), number, kind, by_reference }))
            };
            let first = argument("first")?;
            // Where a chunk ends tells nothing without its begin.
            let known = if first.is_some() { &Extent::ALL[..] } else { &Extent::ALL[..1] };
            for (extent, word) in known {
                if let Some(tasks) = argument(word)? {
                    return Ok(Declaration::Work { symbol, first, tasks: Some((*extent, tasks)) });
                }
            }
            Ok(Declaration::Work { symbol, first, tasks: None })
        }
        "measure" => {
            let (label, source) = (words.label()?, source(words)?);
            Ok(Declaration::Measure { label, source, mode: words.take(Mode::FORM, Mode::new)? })
        }
        "tune" => {
            let (label, what) = (words.label()?, tuned(words)?);
            // MPI's own variables belong to no function of the program.
            let at = if matches!(what, Tuned::Control { .. }) { None } else { place(words)? };
            Ok(Declaration::Tune { label, what, at })
        }
        "insert" => {
            let (label, call) = (words.label()?, words.symbol()?);
            let before = words.one_of(&["before", "after"])? == "before";
            let moment = if before { Moment::Before } else { Moment::After };
            Ok(Declaration::Insert { label, call, moment, point: words.symbol()? })
        }
        "once" => Ok(Declaration::Once { label: words.label()?, call: words.symbol()? }),
        _ => {
            let label = words.label()?;
            words.word("on-loss")?;
            Ok(Declaration::Return { label })
        }
    }
}

fn trigger(words: &mut Words<'_>) -> Result<Trigger, Error> {
    if words.one_of(&["function", "mpi"])? == "function" {
        return Ok(Trigger::Function(words.symbol()?));
    }
    let (call, world) = (words.call()?, words.is_next("world"));
    let mut every = 1;
    if words.is_next("every") {
        every = words.take("a whole number from 1", |word| word.parse().ok().filter(|n| *n > 0))?;
    }
    Ok(Trigger::Mpi { call, world, every })
}

fn source(words: &mut Words<'_>) -> Result<Source, Error> {
    Ok(match words.one_of(&["function", "mpi", "variable", "argument"])? {
        "function" => Source::Function(words.symbol()?),
        "mpi" => Source::Mpi(words.call()?, filter(words)?),
        "argument" => {
            let (symbol, number) = (words.symbol()?, words.argument_number()?);
            let (kind, by_reference) = words.referred_kind()?;
            Source::Argument(Argument { symbol, number, kind, by_reference })
        }
        _ => {
            let (symbol, kind) = (words.symbol()?, words.kind()?);
            let at = if words.is_next("at") { Some(words.symbol()?) } else { None };
            Source::Variable { symbol, kind, at }
        }
    })
}

fn filter(words: &mut Words<'_>) -> Result<Filter, Error> {
    let mut filter = Filter::default();
    while let Some((_, word)) = words.peek() {
        match word.split_once('=') {
            Some(("peer", _)) => filter.peer = Some(words.take("peer=RANK", |word| word[5..].parse().ok())?),
            Some(("tag", _)) => {
                filter.tag = Some(words.take("tag=NUMBER from 0", |word| word[4..].parse().ok().filter(|n| *n >= 0))?)
            }
            Some(("bytes", _)) => {
                let sizes = |word: &str| {
                    let (least, most) = word[6..].split_once("..")?;
                    let (least, most) = (least.parse::<u64>().ok()?, most.parse::<u64>().ok()?);
                    (least <= most).then_some((least, most))
                };
                filter.bytes = Some(words.take("bytes=LEAST..MOST", sizes)?);
            }
            _ if words.is_next("world") => filter.world = true,
            _ => break,
        }
    }
    Ok(filter)
}

fn tuned(words: &mut Words<'_>) -> Result<Tuned, Error> {
    Ok(match words.one_of(&["variable", "text", "replace", "argument", "control"])? {
        "variable" => {
            let (symbol, kind) = (words.symbol()?, words.kind()?);
            let span = words.span(kind)?;
            let mut step = None;
            if words.is_next("step") {
                let good = |step: &f64| *step > 0.0 && (!kind.is_whole() || step.fract() == 0.0);
                step = Some(words.take("a step above 0, whole where the type is", |word| number(word).filter(good))?);
            }
            Tuned::Variable { symbol, kind, span, step }
        }
        "text" => {
            let symbol = words.symbol()?;
            let most = TEXT_BYTES as u32;
            let form = format!("the buffer's bytes, 2 to {most}");
            let bytes = words.take(&form, |word| word.parse().ok().filter(|n| (2..=most).contains(n)))?;
            Tuned::Text { symbol, bytes }
        }
        "replace" => {
            let symbol = words.symbol()?;
            words.word("by")?;
            let by = words.take("symbols with commas between them", alternatives)?;
            Tuned::Replace { symbol, by }
        }
        "argument" => {
            let (symbol, number, kind) = (words.symbol()?, words.argument_number()?, words.kind()?);
            let span = words.span(kind)?;
            Tuned::Argument { argument: Argument { symbol, number, kind, by_reference: false }, span }
        }
        _ => {
            let name = words.take(ControlName::FORM, ControlName::new)?;
            let has_span = words.peek().is_some_and(|(_, word)| !word.starts_with("rank="));
            let span = if has_span { Some(words.span(Type::F64)?) } else { None };
            Tuned::Control { name, span }
        }
    })
}

/// The function at whose entry or exit, or inside which, values are set.
fn place(words: &mut Words<'_>) -> Result<Option<(Place, Symbol)>, Error> {
    if words.is_next("inside") {
        return Ok(Some((Place::Inside, words.symbol()?)));
    }
    if !words.is_next("at") {
        return Ok(None);
    }
    let moment = if words.one_of(&["entry", "exit"])? == "entry" { Moment::Before } else { Moment::After };
    Ok(Some((Place::At(moment), words.symbol()?)))
}

/// A symbol, whose brackets may have spaces between them.
fn symbol(word: &str) -> Option<Symbol> {
    Symbol::new(&word.split_whitespace().collect::<String>())
}

/// Symbols with commas between them; those inside brackets belong to a name.
fn alternatives(word: &str) -> Option<Vec<Symbol>> {
    let commas = outside_brackets(word).filter(|(_, c)| *c == ',').map(|(at, _)| at);
    let ends: Vec<usize> = commas.chain([word.len()]).collect();
    let begins = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    begins.zip(&ends).map(|(begin, end)| symbol(&word[begin..*end])).collect()
}
