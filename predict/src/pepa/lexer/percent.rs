//! Lines that begin with `%`: comments in the Workbench's first edition, rate definitions in the plug-in's language.
//!
//! `% r = 2;` is a definition where the model uses `r` and nothing else defines it, so that it could not be read otherwise; it
//! is a comment where `r` is defined elsewhere or not used. All other lines after a `%` are comments.

use rustc_hash::FxHashSet;

use super::super::syntax::Position;
use super::{Cursor, Placed, Token, tokens_of};

/// A line that may define a rate.
struct Candidate {
    name: String,
    tokens: Vec<Placed>,
    /// Number of tokens of the model that stand before it.
    before: usize,
}

impl Candidate {
    /// `% name = …;` with nothing behind it.
    fn of((at, text, before): &(Position, &str, usize)) -> Option<Self> {
        let rest = text.strip_prefix('%')?;
        let at = Position { line: at.line, column: at.column.saturating_add(1) };
        let mut tokens = tokens_of(&mut Cursor { rest, at, percent: Vec::new() }).ok()?;
        tokens.pop();
        let [(Token::Name(name), _), (Token::Sign("=" | ":="), _), .., (Token::Sign(";"), _)] = tokens.as_slice()
        else {
            return None;
        };
        let ends = tokens.iter().filter(|(token, _)| *token == Token::Sign(";")).count();
        let name = name.clone();
        (ends == 1 && tokens.len() > 3).then_some(Self { name, tokens, before: *before })
    }
}

/// Puts the definitions among the lines `percent` where they stand.
pub(super) fn define(all: &mut Vec<Placed>, percent: &[(Position, &str, usize)]) {
    let mut open: Vec<Candidate> = percent.iter().filter_map(Candidate::of).collect();
    let (mut defined, mut used) = (FxHashSet::default(), FxHashSet::default());
    let mut note = |tokens: &[Placed], defined: &mut FxHashSet<String>| {
        for (index, (token, _)) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let defines = matches!(tokens.get(index + 1), Some((Token::Sign("=" | ":="), _)));
            (if defines { &mut *defined } else { &mut used }).insert(name.clone());
        }
        used.clone()
    };
    let mut known = note(all, &mut defined);
    let mut chosen: Vec<Candidate> = Vec::new();
    // A definition may use a rate that only another such line defines.
    while let Some(index) = open.iter().position(|line| known.contains(&line.name) && !defined.contains(&line.name)) {
        let line = open.remove(index);
        known = note(&line.tokens, &mut defined);
        chosen.push(line);
    }
    chosen.sort_by_key(|line| line.before);
    for line in chosen.into_iter().rev() {
        all.splice(line.before..line.before, line.tokens);
    }
}
