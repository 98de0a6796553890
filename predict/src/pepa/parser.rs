//! Reads the PEPA Workbench's input language: recursive descent, one token of look-ahead but for definitions.

use super::error::Error;
use super::lexer::{Token, tokens};
use super::syntax::{Activity, Expr, Model, Name, Operator, Part, Position, Set, Term, Where};

/// Greatest depth of brackets; bounds the stack of everything that walks a model.
pub(super) const MOST_DEPTH: usize = 100;
/// Most activities in one chain of prefixes.
const MOST_PREFIXES: usize = 1000;

/// The left-hand side of a `=`.
enum Kind {
    Rate,
    Component,
    Result,
}

struct Parser {
    tokens: Vec<(Token, Position)>,
    next: usize,
    depth: usize,
}

impl Model {
    /// Reads a model.
    ///
    /// ```
    /// use midrun_predict::pepa::Model;
    /// let model = Model::parse("r = 2; P = (start, r).Q; Q = (stop, 3).P; P || P  T = r * {P || **}")?;
    /// assert_eq!(model.results.len(), 1);
    /// let error = Model::parse("r = 2;\nP = (start r).P;").unwrap_err();
    /// assert_eq!(error.to_string(), "line 2, column 12: expected ')', found 'r'");
    /// # Ok::<(), midrun_predict::pepa::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Syntax`] or [`Error::TooDeep`], with line and column.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
        parser.model()
    }
}

impl Parser {
    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        self.tokens.get(self.next + ahead).map_or(&Token::End, |(token, _)| token)
    }

    fn at(&self) -> Position {
        let last = self.tokens.len() - 1;
        self.tokens[self.next.min(last)].1
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn is_at(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Sign(found) if *found == sign)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.next += usize::from(found);
        found
    }

    fn wrong<T>(&self, expected: &'static str) -> Result<T, Error> {
        Err(Error::Syntax { at: self.at(), expected, found: self.peek().shown() })
    }

    fn expect(&mut self, sign: &'static str, shown: &'static str) -> Result<(), Error> {
        if self.accept(sign) { Ok(()) } else { self.wrong(shown) }
    }

    fn name(&mut self, expected: &'static str) -> Result<Name, Error> {
        let at = self.at();
        let Token::Name(text) = self.peek() else { return self.wrong(expected) };
        let text = text.clone();
        self.next += 1;
        Ok(Name { text, at })
    }

    /// Runs `inside` one level deeper.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MOST_DEPTH {
            return Err(Error::TooDeep { at: self.at(), limit: MOST_DEPTH });
        }
        self.depth += 1;
        let done = inside(self);
        self.depth -= 1;
        done
    }

    fn model(&mut self) -> Result<Model, Error> {
        let (mut rates, mut components, mut results) = (Vec::new(), Vec::new(), Vec::new());
        let mut system = None;
        while *self.peek() != Token::End {
            let at = self.at();
            let hash = self.accept("#");
            if hash || (matches!(self.peek(), Token::Name(_)) && (self.is_at(1, "=") || self.is_at(1, ":="))) {
                let name = self.name("the name of a component")?;
                let rate = !hash && self.accept(":=");
                if !rate {
                    self.expect("=", "'='")?;
                }
                match if rate { Kind::Rate } else { self.kind(hash, &name) } {
                    Kind::Rate => rates.push((name, self.expr(false)?)),
                    Kind::Component => components.push((name, self.term()?)),
                    Kind::Result => {
                        results.push((name, self.expr(true)?));
                        self.end_of_result()?;
                        continue;
                    }
                }
                self.expect(";", "';' at the end of the definition")?;
            } else if system.is_none() {
                system = Some(self.term()?);
                self.end_of_result()?;
            } else {
                let found = self.peek().shown();
                return Err(Error::Syntax { at, expected: "one system equation only, then result lines", found });
            }
        }
        let Some(system) = system else { return self.wrong("a system equation, such as: P <a> Q") };
        Ok(Model { rates, components, system, results })
    }

    /// After the system equation and after a result line `;` may be left out.
    fn end_of_result(&mut self) -> Result<(), Error> {
        if self.accept(";") || matches!(self.peek(), Token::End | Token::Name(_)) {
            return Ok(());
        }
        self.wrong("an operator or ';'")
    }

    /// Looks ahead to the end of a definition to tell what is defined: a pattern makes a result line, a prefix or
    /// a cooperation a component, a number a rate; else the name's first letter decides, as in the Workbench.
    fn kind(&self, hash: bool, name: &Name) -> Kind {
        let rest = &self.tokens[self.next.min(self.tokens.len())..];
        let ends = |token: &Token| matches!(token, Token::End | Token::Sign(";" | "=" | ":="));
        let body = &rest[..rest.iter().position(|(token, _)| ends(token)).unwrap_or(rest.len())];
        let sign = |index: usize| match body.get(index) {
            Some((Token::Sign(sign), _)) => sign,
            _ => "",
        };
        let mut depth = 0_usize;
        let mut outside = Vec::with_capacity(body.len());
        let mut pattern = false;
        for k in 0..body.len() {
            depth = depth.saturating_sub(usize::from(sign(k) == "}"));
            pattern |= depth > 0 && matches!(sign(k), "||" | "**" | "<");
            outside.push(depth == 0);
            depth += usize::from(sign(k) == "{");
        }
        let any = |wanted: &dyn Fn(usize) -> bool| (0..body.len()).any(|k| outside[k] && wanted(k));
        let is_prefix = |k: usize| sign(k) == "(" && sign(k + 2) == "," && matches!(body[k + 1].0, Token::Name(_));
        let is_cooperation = |k: usize| matches!(sign(k), "<" | "[" | "||");
        let is_hiding = |k: usize| sign(k) == "/" && matches!(sign(k + 1), "{" | "<");
        if pattern && !hash {
            Kind::Result
        } else if hash || any(&is_prefix) || any(&is_cooperation) || any(&is_hiding) {
            Kind::Component
        } else if any(&|k| sign(k) == "{") {
            Kind::Result
        } else if any(&|k| matches!(sign(k), "*" | "-" | "/") || matches!(body[k].0, Token::Number(_))) {
            Kind::Rate
        } else if name.is_component() {
            Kind::Component
        } else {
            Kind::Rate
        }
    }

    /// `choice (<set> choice)*`
    fn term(&mut self) -> Result<Term, Error> {
        self.deeper(|p| {
            let first = p.choice()?;
            let mut rest = Vec::new();
            while p.is("||") || p.is("<") {
                let set = p.set()?;
                rest.push((set, p.choice()?));
            }
            Ok(if rest.is_empty() { first } else { Term::Cooperation { first: Box::new(first), rest } })
        })
    }

    /// `||`, `<>`, `<*>` or `<a, b>`
    fn set(&mut self) -> Result<Set, Error> {
        if self.accept("||") {
            return Ok(Set::Names(Vec::new()));
        }
        self.expect("<", "'<'")?;
        let set = if self.accept("*") {
            Set::Shared
        } else if self.is(">") {
            Set::Names(Vec::new())
        } else {
            Set::Names(self.names()?)
        };
        self.expect(">", "'>' after the actions")?;
        Ok(set)
    }

    fn names(&mut self) -> Result<Vec<Name>, Error> {
        let mut names = vec![self.name("the name of an action")?];
        while self.accept(",") {
            names.push(self.name("the name of an action")?);
        }
        Ok(names)
    }

    fn choice(&mut self) -> Result<Term, Error> {
        let first = self.prefix()?;
        if !self.is("+") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.accept("+") {
            all.push(self.prefix()?);
        }
        Ok(Term::Choice(all))
    }

    fn is_activity(&self) -> bool {
        self.is("(") && matches!(self.peek_at(1), Token::Name(_)) && self.is_at(2, ",")
    }

    fn prefix(&mut self) -> Result<Term, Error> {
        let mut activities = Vec::new();
        while self.is_activity() {
            if activities.len() == MOST_PREFIXES {
                return Err(Error::TooDeep { at: self.at(), limit: MOST_PREFIXES });
            }
            self.next += 1;
            let action = self.name("the name of an action")?;
            self.expect(",", "',' after the action")?;
            let rate = self.expr(false)?;
            self.expect(")", "')' after the rate")?;
            self.expect(".", "'.' and what follows the activity")?;
            activities.push(Activity { action, rate });
        }
        let then = self.hiding()?;
        Ok(if activities.is_empty() { then } else { Term::Prefix { activities, then: Box::new(then) } })
    }

    /// `/{a, b}`, or the plug-in's `/<a, b>`.
    fn hidden(&mut self) -> Result<Vec<Name>, Error> {
        self.expect("/", "'/'")?;
        let end = if self.accept("<") { ">" } else { "}" };
        if end == "}" {
            self.expect("{", "'{' and the actions to hide")?;
        }
        let hidden = self.names()?;
        self.expect(end, if end == ">" { "'>' after the actions" } else { "'}' after the actions" })?;
        Ok(hidden)
    }

    /// `atom (/{a, b})*`
    fn hiding(&mut self) -> Result<Term, Error> {
        let mut term = self.atom()?;
        let mut count = 0;
        while self.is("/") {
            if count == MOST_DEPTH {
                return Err(Error::TooDeep { at: self.at(), limit: MOST_DEPTH });
            }
            count += 1;
            let hidden = self.hidden()?;
            term = Term::Hiding { term: Box::new(term), hidden };
        }
        Ok(term)
    }

    fn atom(&mut self) -> Result<Term, Error> {
        if self.accept("(") {
            let term = self.term()?;
            self.expect(")", "')'")?;
            return Ok(term);
        }
        let name = self.name("a component: a name, '(' or an activity such as (a, r)")?;
        if !self.accept("[") {
            return Ok(Term::Name(name));
        }
        let copies = Box::new(self.expr(false)?);
        self.expect("]", "']' after the number of copies")?;
        Ok(Term::Array(name, copies))
    }

    /// A sum; `patterns` says whether `{…}` may stand in it.
    fn expr(&mut self, patterns: bool) -> Result<Expr, Error> {
        self.deeper(|p| p.chain(&[("+", Operator::Plus), ("-", Operator::Minus)], |p| p.product(patterns)))
    }

    fn product(&mut self, patterns: bool) -> Result<Expr, Error> {
        self.chain(&[("*", Operator::Times), ("/", Operator::Over)], |p| p.operand(patterns))
    }

    fn chain(
        &mut self,
        operators: &[(&str, Operator)],
        mut operand: impl FnMut(&mut Self) -> Result<Expr, Error>,
    ) -> Result<Expr, Error> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.is(sign)) {
            self.next += 1;
            rest.push((*operator, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain { first: Box::new(first), rest } })
    }

    fn operand(&mut self, patterns: bool) -> Result<Expr, Error> {
        let at = self.at();
        match self.peek().clone() {
            Token::Number(value) => {
                self.next += 1;
                Ok(Expr::Number(value))
            }
            Token::Name(text) => {
                self.next += 1;
                Ok(if text == "infty" { Expr::Passive(Where(at)) } else { Expr::Name(Name { text, at }) })
            }
            Token::Sign("-") => {
                self.next += 1;
                Ok(Expr::Negative(Box::new(self.deeper(|p| p.operand(patterns))?)))
            }
            Token::Sign("(") => {
                self.next += 1;
                let inside = self.expr(patterns)?;
                self.expect(")", "')'")?;
                Ok(inside)
            }
            Token::Sign("{") if patterns => self.pattern(),
            _ if patterns => self.wrong("a number, a rate, '(' or a pattern such as {P || **}"),
            _ => self.wrong("a rate: a number, a name, infty or '('"),
        }
    }

    /// `{P || Q}`; parts may be grouped by brackets as in the system equation, with what is shared or hidden, which changes nothing.
    fn pattern(&mut self) -> Result<Expr, Error> {
        let at = Where(self.at());
        self.expect("{", "'{'")?;
        let mut parts = Vec::new();
        self.parts(&mut parts)?;
        self.expect("}", "'||' or '}'")?;
        Ok(Expr::Pattern { parts, at })
    }

    fn parts(&mut self, parts: &mut Vec<Part>) -> Result<(), Error> {
        self.group(parts)?;
        while self.is("||") || self.is("<") {
            self.set()?;
            self.group(parts)?;
        }
        Ok(())
    }

    /// One part, copies of one, or parts in brackets.
    fn group(&mut self, parts: &mut Vec<Part>) -> Result<(), Error> {
        // A bracket opens a group unless it is an activity, or a choice in brackets.
        if self.is("(") && !self.is_activity() && self.groups() {
            self.deeper(|p| {
                p.expect("(", "'('")?;
                p.parts(parts)?;
                p.expect(")", "'||' or ')'")
            })?;
            while self.is("/") {
                self.hidden()?;
            }
            return Ok(());
        }
        parts.push(self.part()?);
        Ok(())
    }

    /// True if the bracket at hand holds several parts, or `**`.
    fn groups(&self) -> bool {
        let mut depth = 0_usize;
        for ahead in 0.. {
            match self.peek_at(ahead) {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") if depth <= 1 => return false,
                Token::Sign(")") => depth -= 1,
                Token::Sign("||" | "<" | "**") => return true,
                Token::Sign(";") | Token::End => return false,
                _ => {}
            }
        }
        false
    }

    fn part(&mut self) -> Result<Part, Error> {
        let at = Where(self.at());
        if self.accept("**") {
            return Ok(Part::Any);
        }
        Ok(Part::Is(self.deeper(Self::choice)?, at))
    }
}
