//! Cuts the text of a model into tokens with their positions.

use super::error::Error;
use super::syntax::Position;

mod percent;

/// A token and where it stands.
type Placed = (Token, Position);

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(f64),
    /// `||`, `**`, `:=` or a single sign.
    Sign(&'static str),
    End,
}

impl Token {
    /// The spelling shown in error messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Name(text) => format!("'{}'", text.chars().take(60).collect::<String>()),
            Self::Number(value) => format!("the number {value}"),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end of the text".to_owned(),
        }
    }
}

/// Signs, the longer ones first.
const SIGNS: [&str; 20] =
    ["||", "**", ":=", "#", "=", ";", "(", ")", ",", ".", "+", "-", "*", "/", "{", "}", "[", "]", "<", ">"];

/// State of the lexer.
struct Cursor<'t> {
    rest: &'t str,
    at: Position,
    /// Comments that begin with `%`: position, text, and how many tokens stand before them.
    percent: Vec<(Position, &'t str, usize)>,
}

impl<'t> Cursor<'t> {
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.at = Position { line: self.at.line.saturating_add(1), column: 1 };
            } else {
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        self.take(self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len()))
    }

    /// Blanks and comments: `% …` and `// …` to the end of the line, `/* … */`.
    fn skip(&mut self, tokens: usize) -> Result<(), Error> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest.starts_with('%') {
                let at = self.at;
                let text = self.take_while(|c| c != '\n');
                self.percent.push((at, text, tokens));
            } else if self.rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest.starts_with("/*") {
                let at = self.at;
                let end = self.rest.get(2..).and_then(|inside| inside.find("*/")).map(|end| end + 4);
                let end =
                    end.ok_or(Error::Syntax { at, expected: "'*/' after this '/*'", found: Token::End.shown() })?;
                self.take(end);
            } else {
                return Ok(());
            }
        }
    }

    /// Digits, a fraction, an exponent. A full stop before a name is not ours: it is a prefix's.
    fn number(&mut self) -> Result<Token, Error> {
        let at = self.at;
        let bytes = self.rest.as_bytes();
        let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            let after = bytes.get(end + 1).copied().unwrap_or(b' ');
            if !after.is_ascii_alphabetic() && after != b'_' && after != b'(' {
                end = digits(end + 1);
            }
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = digits(end + 1 + sign);
            }
        }
        let text = self.take(end);
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Token::Number(value)),
            _ => Err(Error::Syntax { at, expected: "a number that fits", found: format!("'{text}'") }),
        }
    }

    /// A name in quotes, which may hold anything but quotes and ends of lines; the quotes belong to it.
    fn quoted(&mut self) -> Result<Token, Error> {
        let at = self.at;
        let end = self.rest.get(1..).and_then(|inside| inside.find(['"', '\n'])).map(|end| end + 1);
        match end.filter(|end| *end > 1 && self.rest[*end..].starts_with('"')) {
            Some(end) => Ok(Token::Name(self.take(end + 1).to_owned())),
            None => {
                let found = format!("'{}'", self.rest.chars().take_while(|c| *c != '\n').take(60).collect::<String>());
                Err(Error::Syntax { at, expected: "a name between two '\"' on one line", found })
            }
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        let second_is_digit = self.rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if first.is_ascii_digit() || (first == '.' && second_is_digit) {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let text = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
            return Ok(Token::Name(text.to_owned()));
        }
        if first == '"' {
            return self.quoted();
        }
        let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign));
        let Some(sign) = sign else {
            let found = format!("'{}'", first.escape_default());
            return Err(Error::Syntax { at: self.at, expected: "a name, a number or an operator", found });
        };
        self.take(sign.len());
        Ok(Token::Sign(sign))
    }
}

/// All tokens of `text`; the last one is [`Token::End`].
///
/// # Errors
/// A character that no model has, a comment without end, a number too large for a double.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, Error> {
    let mut cursor = Cursor { rest: text, at: Position { line: 1, column: 1 }, percent: Vec::new() };
    let mut all = tokens_of(&mut cursor)?;
    percent::define(&mut all, &cursor.percent);
    Ok(all)
}

fn tokens_of(cursor: &mut Cursor<'_>) -> Result<Vec<Placed>, Error> {
    let mut all = Vec::new();
    loop {
        cursor.skip(all.len())?;
        let at = cursor.at;
        let token = cursor.token()?;
        let last = token == Token::End;
        all.push((token, at));
        if last {
            return Ok(all);
        }
    }
}
