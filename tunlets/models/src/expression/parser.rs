//! The text of expressions: words, and what binds how strongly.

use super::{
    Expression, ExpressionError, FUNCTIONS, LEVEL_NOT, LEVEL_SIGN, MOST_CHARACTERS, MOST_DEPTH, Op, Operator, WORDS,
};

/// The operands allowed, for error sentences.
const OPERAND: &str = "a number, a name, a function, `(`, `-` or `not`";

pub(super) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.len() > MOST_CHARACTERS {
        return parser.wrong(0, format!("longer than {MOST_CHARACTERS} characters is no cost function"));
    }
    let expression = parser.binary(1)?;
    match parser.rest() {
        "" => Ok(expression),
        rest => parser.wrong(parser.at, format!("`{}` makes no sense here: an operator was expected", first(rest))),
    }
}

/// The first word or character of a text.
fn first(text: &str) -> &str {
    let word = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let end = if word > 0 { word } else { text.chars().next().map_or(0, char::len_utf8) };
    &text[..end]
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn wrong<T>(&self, offset: usize, sentence: String) -> Result<T, ExpressionError> {
        let column = self.text[..offset].chars().count() + 1;
        Err(ExpressionError { offset, column, sentence })
    }

    /// The remaining text without leading blanks.
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    /// Passes `symbol` if it is next.
    fn takes(&mut self, symbol: char) -> bool {
        let is_next = self.rest().starts_with(symbol);
        self.at += if is_next { symbol.len_utf8() } else { 0 };
        is_next
    }

    /// The operator that is next, and its length.
    fn operator(&mut self) -> Option<(Operator, usize)> {
        let rest = self.rest();
        let is_next = |word: &str| match word.as_bytes()[0].is_ascii_alphabetic() {
            true => first(rest) == word,
            false => rest.starts_with(word),
        };
        WORDS.iter().find(|(word, _)| is_next(word)).map(|(word, operator)| (*operator, word.len()))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ExpressionError>) -> Result<T, ExpressionError> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return self.wrong(self.at, format!("more than {MOST_DEPTH} levels inside one another"));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Operands with operators of this level or above between them.
    fn binary(&mut self, least: u8) -> Result<Expression, ExpressionError> {
        let mut left = self.deeper(Self::operand)?;
        let mut length = 0;
        while let Some((operator, word)) = self.operator().filter(|(operator, _)| operator.level() >= least) {
            let (level, here) = (operator.level(), self.at);
            let compared = |x: &Expression| matches!(x, Expression::Binary(of, ..) if of.level() == Op::Equal.level());
            if level == Op::Equal.level() && length > 0 && compared(&left) {
                return self.wrong(here, "comparisons do not stand in a row: combine them by `and`".into());
            }
            length += 1;
            self.at += word;
            let right = match operator {
                Op::Power => self.deeper(|parser| parser.binary(LEVEL_SIGN))?,
                _ => self.deeper(|parser| parser.binary(level + 1))?,
            };
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, ExpressionError> {
        let (rest, here) = (self.rest(), self.at);
        let Some(next) = rest.chars().next() else {
            return self.wrong(here, format!("it ends too early: {OPERAND} was expected"));
        };
        if self.takes('(') {
            let inner = self.binary(1)?;
            return if self.takes(')') { Ok(inner) } else { self.closing(here) };
        }
        if self.takes('-') {
            return Ok(Expression::Minus(Box::new(self.binary(LEVEL_SIGN)?)));
        }
        if next.is_ascii_digit() || next == '.' {
            return self.number();
        }
        let word = first(rest);
        let is_name = next.is_ascii_alphabetic() || next == '_';
        if !is_name || word == "and" || word == "or" {
            return self.wrong(here, format!("`{word}` makes no sense here: {OPERAND} was expected"));
        }
        self.at += word.len();
        if word == "not" {
            return Ok(Expression::Not(Box::new(self.binary(LEVEL_NOT)?)));
        }
        if self.takes('(') { self.call(word, here) } else { Ok(Expression::Name(word.to_owned())) }
    }

    fn closing<T>(&mut self, opening: usize) -> Result<T, ExpressionError> {
        let (rest, here) = (self.rest(), self.at);
        let column = self.text[..opening].chars().count() + 1;
        match rest {
            "" => self.wrong(here, format!("a `)` for column {column} is missing")),
            _ => self.wrong(here, format!("`{}` makes no sense here: an operator or `)` was expected", first(rest))),
        }
    }

    fn number(&mut self) -> Result<Expression, ExpressionError> {
        let (rest, here) = (self.rest(), self.at);
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let mut end = digits(rest);
        if rest[end..].starts_with('.') {
            end += 1 + digits(&rest[end + 1..]);
        }
        if let Some(power) = rest[end..].strip_prefix(['e', 'E']) {
            let sign = usize::from(power.starts_with(['+', '-']));
            let length = digits(&power[sign..]);
            end += if length > 0 { 1 + sign + length } else { 0 };
        }
        let glued = rest[end..].chars().next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        match rest[..end].parse::<f64>() {
            Ok(value) if value.is_finite() && !glued => {
                self.at += end;
                Ok(Expression::Number(value))
            }
            _ => {
                let word = rest.split([' ', '(', ')', '+', '-', '*', '/', ',', '^', '%']).next().unwrap_or(rest);
                self.wrong(here, format!("`{word}` is no number: units are not written, times are seconds"))
            }
        }
    }

    /// The arguments of a function whose name and `(` were read.
    fn call(&mut self, name: &str, here: usize) -> Result<Expression, ExpressionError> {
        let Some(&(_, function, least, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(known, ..)| *known).collect();
            return self.wrong(here, format!("there is no function `{name}`, but {}", known.join(", ")));
        };
        let mut arguments = vec![self.binary(1)?];
        while self.takes(',') {
            arguments.push(self.binary(1)?);
        }
        if !self.takes(')') {
            return self.closing(here);
        }
        if !(least..=most).contains(&arguments.len()) {
            let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return self.wrong(here, format!("`{name}` takes {takes} arguments, not {}", arguments.len()));
        }
        Ok(Expression::Call(function, arguments))
    }
}
