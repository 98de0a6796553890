//! Checks, before anything runs, that a script uses only declared names.

use std::collections::BTreeSet;

use rhai::{AST, ASTNode, Expr, Position};

use super::engine::{known_functions, line_and_column};
use super::mistake::{Embedded, Mistake};
use super::patterns::STAGES;
use super::scope::{EFFICIENCY, MESSAGES, POINT, WORK};

/// The labels of a file.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Labels of measure points.
    pub points: Vec<String>,
    /// Labels of tuning points.
    pub tuning_points: Vec<String>,
}

/// A mistake in a script, at its own line and column.
struct Wrong(Position, String);

/// Checks a compiled text.
///
/// # Errors
/// The first name that nothing declares.
pub fn check(ast: &AST, text: &Embedded, labels: &Labels) -> Result<(), Mistake> {
    let own: BTreeSet<String> = ast.iter_functions().map(|function| function.name.to_owned()).collect();
    let mut wrong = None;
    ast.walk(&mut |path| {
        if let Some(ASTNode::Expr(expression)) = path.last() {
            wrong = of_expression(expression, labels, &own).err();
        }
        wrong.is_none()
    });
    wrong.map_or(Ok(()), |Wrong(position, what)| {
        let (line, column) = line_and_column(position);
        Err(text.mistake(line, column, what))
    })
}

fn of_expression(expression: &Expr, labels: &Labels, own: &BTreeSet<String>) -> Result<(), Wrong> {
    match expression {
        Expr::FnCall(call, position) | Expr::MethodCall(call, position) => {
            let name = call.name.as_str();
            let plain = call.op_token.is_none() && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if plain && !own.contains(name) && !known_functions().contains(name) && !SPECIAL.contains(&name) {
                let what = format!("there is no function `{name}`; docs/tunlets.md lists those there are");
                return Err(Wrong(*position, what));
            }
            Ok(())
        }
        Expr::Dot(both, ..) | Expr::Index(both, ..) => chain(&both.lhs, &both.rhs, labels),
        Expr::Map(map, _) => map.0.iter().try_for_each(|(key, value)| match (key.name.as_str(), value) {
            ("set", Expr::Map(set, _)) => set
                .0
                .iter()
                .try_for_each(|(label, _)| known(&label.name, &labels.tuning_points, "tuning_points", label.pos)),
            _ => Ok(()),
        }),
        _ => Ok(()),
    }
}

/// Functions of the language that are in no list: on function pointers.
const SPECIAL: [&str; 4] = ["call", "Fn", "is_def_fn", "type_of"];

/// A name and the first two parts that follow it: `points.chunk.mean`, `points["chunk"]`.
fn chain(first: &Expr, rest: &Expr, labels: &Labels) -> Result<(), Wrong> {
    let Expr::Variable(name, ..) = first else { return Ok(()) };
    let (second, third) = match rest {
        Expr::Dot(both, ..) | Expr::Index(both, ..) => match &both.rhs {
            Expr::Dot(inner, ..) | Expr::Index(inner, ..) => (&both.lhs, Some(&inner.lhs)),
            other => (&both.lhs, Some(other)),
        },
        other => (other, None),
    };
    let Some((label, position)) = part(second) else { return Ok(()) };
    match name.1.as_str() {
        "points" => {
            known(label, &labels.points, "points", position)?;
            let Some((field, position)) = third.and_then(part) else { return Ok(()) };
            let fields: Vec<String> = POINT.iter().chain(&["ranks"]).map(|name| (*name).to_owned()).collect();
            known(field, &fields, &format!("points.{label}"), position)
        }
        what @ ("tuning_points" | "least" | "most") => known(label, &labels.tuning_points, what, position),
        "work" => known(label, &WORK.map(str::to_owned), "work", position),
        "messages" => known(label, &MESSAGES.map(str::to_owned), "messages", position),
        "efficiency" => known(label, &EFFICIENCY.map(str::to_owned), "efficiency", position),
        "stages" => known(label, &STAGES.map(str::to_owned), "stages", position),
        _ => Ok(()),
    }
}

fn part(expression: &Expr) -> Option<(&str, Position)> {
    match expression {
        Expr::Property(names, position) => Some((names.2.as_str(), *position)),
        Expr::StringConstant(name, position) => Some((name.as_str(), *position)),
        _ => None,
    }
}

/// Whether a label is declared.
fn known(label: &str, declared: &[String], what: &str, position: Position) -> Result<(), Wrong> {
    if declared.iter().any(|name| name == label) {
        return Ok(());
    }
    let list =
        if declared.is_empty() { "nothing is declared".into() } else { format!("there are {}", declared.join(", ")) };
    Err(Wrong(position, format!("nothing declares `{label}` of `{what}`: {list}")))
}
