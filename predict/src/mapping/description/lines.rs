//! Cuts a description into its statements: `key = value`, ended by `;` or the end of the line.

use std::fmt;

use super::Mistake;
use crate::mapping::{Ends, Mapping, Pipeline};
use crate::pepa::Position;

/// The value after a `=`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Word(String),
    Mappings(Vec<Written>),
    /// Nothing: the key alone.
    None,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Word(word) => write!(f, "'{word}'"),
            Self::Mappings(_) => f.write_str("a list of mappings"),
            Self::None => f.write_str("nothing"),
        }
    }
}

/// A mapping as it was written; processors count from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Written {
    input: Option<usize>,
    stages: Vec<usize>,
    output: Option<usize>,
    at: Position,
}

impl Written {
    /// # Errors
    /// A processor that does not exist, too few or too many stages.
    pub(super) fn mapping(self, pipeline: &Pipeline, ends: Ends) -> Result<Mapping, Mistake> {
        let (processors, stages) = (pipeline.processors(), pipeline.stages());
        let wrong = |value: String, allowed: String| {
            Err(Mistake::BadValue { at: self.at, key: "this mapping".to_owned(), value, allowed })
        };
        if self.stages.len() != stages {
            return wrong(format!("of {} stages", self.stages.len()), format!("{stages}, as nbstage says"));
        }
        let mut places = self.stages.iter().chain(&self.input).chain(&self.output);
        if let Some(place) = places.find(|place| !(1..=processors).contains(*place)) {
            return wrong(format!("on processor {place}"), format!("1 to {processors}, as nbproc says"));
        }
        let from_0 = |place: Option<usize>| place.map(|place| place - 1);
        let ends = Ends { input: from_0(self.input).or(ends.input), output: from_0(self.output).or(ends.output) };
        Ok(ends.mapping(self.stages.iter().map(|place| place - 1).collect()))
    }
}

struct Cursor<'t> {
    rest: &'t str,
    at: Position,
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let (taken, rest) = self.rest.split_at(self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len()));
        for c in taken.chars() {
            self.at.column = self.at.column.saturating_add(1);
            if c == '\n' {
                self.at = Position { line: self.at.line.saturating_add(1), column: 1 };
            }
        }
        self.rest = rest;
        taken
    }

    /// Blanks and comments; the end of the line too, unless it ends the statement.
    fn skip(&mut self, lines: bool) {
        loop {
            self.take_while(|c| c.is_whitespace() && (lines || c != '\n'));
            if !self.rest.starts_with(['#', '%']) {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        if found {
            let taken = std::cell::Cell::new(false);
            self.take_while(|c| c == sign && !taken.replace(true));
        }
        found
    }

    fn wrong<T>(&self, expected: &'static str) -> Result<T, Mistake> {
        let found = match self.peek() {
            None => "the end of the text".to_owned(),
            Some('\n') => "the end of the line".to_owned(),
            Some(c) => format!("'{}'", c.escape_default()),
        };
        Err(Mistake::Syntax { at: self.at, expected, found })
    }

    fn expect(&mut self, sign: char, shown: &'static str) -> Result<(), Mistake> {
        self.skip(true);
        if self.accept(sign) { Ok(()) } else { self.wrong(shown) }
    }

    fn key(&mut self) -> Result<(String, Position), Mistake> {
        let at = self.at;
        let key = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if key.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Ok((key.to_ascii_lowercase(), at));
        }
        if key.is_empty() {
            return self.wrong("a key such as nbproc");
        }
        Err(Mistake::Syntax { at, expected: "a key such as nbproc", found: format!("'{key}'") })
    }

    fn value(&mut self, key: &str) -> Result<Value, Mistake> {
        self.skip(false);
        if self.rest.starts_with(['[', '(']) {
            return Ok(Value::Mappings(self.mappings()?));
        }
        let at = self.at;
        let word = self.take_while(|c| !c.is_whitespace() && !matches!(c, ';' | '#' | '%' | '=' | '[' | '('));
        if word.is_empty() {
            return self.wrong("a value");
        }
        match word.parse::<f64>() {
            Ok(value) => Ok(Value::Number(value)),
            Err(_) if key == "type" => Ok(Value::Word(word.to_owned())),
            Err(_) => Err(Mistake::Syntax { at, expected: "a number", found: format!("'{word}'") }),
        }
    }

    /// Mappings, with or without commas between them.
    fn mappings(&mut self) -> Result<Vec<Written>, Mistake> {
        let mut all = vec![self.mapping()?];
        loop {
            self.skip(false);
            let comma = self.accept(',');
            self.skip(comma);
            if self.rest.starts_with(['[', '(']) {
                all.push(self.mapping()?);
            } else if comma {
                return self.wrong("'[' and another mapping after ','");
            } else {
                return Ok(all);
            }
        }
    }

    /// `[1,(1,2,3),3]`, or `(1,2,3)` alone.
    fn mapping(&mut self) -> Result<Written, Mistake> {
        let at = self.at;
        if self.rest.starts_with('(') {
            return Ok(Written { input: None, stages: self.places()?, output: None, at });
        }
        self.expect('[', "'['")?;
        let input = self.place()?;
        self.expect(',', "',' after the input's place")?;
        self.skip(true);
        let stages = self.places()?;
        self.expect(',', "',' and the output's place")?;
        let output = self.place()?;
        self.expect(']', "']'")?;
        Ok(Written { input: Some(input), stages, output: Some(output), at })
    }

    fn places(&mut self) -> Result<Vec<usize>, Mistake> {
        self.expect('(', "'(' and the stages' places")?;
        let mut places = vec![self.place()?];
        loop {
            self.skip(true);
            if !self.accept(',') {
                break;
            }
            places.push(self.place()?);
        }
        self.expect(')', "',' or ')'")?;
        Ok(places)
    }

    fn place(&mut self) -> Result<usize, Mistake> {
        self.skip(true);
        let at = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return self.wrong("the number of a processor");
        }
        let found = format!("'{digits}'");
        digits.parse().map_err(|_| Mistake::Syntax { at, expected: "the number of a processor", found })
    }
}

/// All statements: key, value, place.
pub(super) fn statements(text: &str) -> Result<Vec<(String, Value, Position)>, Mistake> {
    let mut cursor = Cursor { rest: text, at: Position { line: 1, column: 1 } };
    let mut all = Vec::new();
    loop {
        cursor.skip(true);
        if cursor.accept(';') {
            continue;
        }
        if cursor.peek().is_none() {
            return Ok(all);
        }
        let (key, at) = cursor.key()?;
        cursor.skip(false);
        let value = if cursor.accept('=') { cursor.value(&key)? } else { Value::None };
        if value == Value::None && key != "throughput" {
            return cursor.wrong("'=' and a value");
        }
        cursor.skip(false);
        if !matches!(cursor.peek(), None | Some(';' | '\n')) {
            return cursor.wrong("';' or the end of the line");
        }
        all.push((key, value, at));
    }
}
