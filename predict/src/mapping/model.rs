//! The PEPA model of a mapping.

use super::{Error, Mapping, Pipeline, Rates};
use crate::pepa::{Activity, Expr, Model, Name, Part, Set, Term, Where};

fn name(prefix: &str, number: usize) -> Name {
    Name::from(format!("{prefix}{number}").as_str())
}

/// (action, rate).then
fn prefix(steps: Vec<(Name, Expr)>, then: Name) -> Term {
    let activities = steps.into_iter().map(|(action, rate)| Activity { action, rate }).collect();
    Term::Prefix { activities, then: Box::new(Term::Name(then)) }
}

/// A component of one state that does each action at its rate.
fn server(name: &Name, activities: Vec<(Name, Name)>) -> (Name, Term) {
    let mut choices: Vec<Term> =
        activities.into_iter().map(|(action, rate)| prefix(vec![(action, Expr::Name(rate))], name.clone())).collect();
    let body = if choices.len() == 1 { choices.remove(0) } else { Term::Choice(choices) };
    (name.clone(), body)
}

/// first <set> rest, or first alone.
fn cooperation(mut parts: Vec<(Set, Term)>) -> Term {
    let (_, first) = parts.remove(0);
    if parts.is_empty() { first } else { Term::Cooperation { first: Box::new(first), rest: parts } }
}

impl Pipeline {
    /// The model in PEPA, to be read, changed and solved like any other.
    ///
    /// # Errors
    /// Those of [`Pipeline::rates`].
    pub fn model(&self, mapping: &Mapping) -> Result<Model, Error> {
        Ok(model(mapping, &self.rates(mapping)?))
    }
}

fn model(mapping: &Mapping, rates: &Rates) -> Model {
    let stages = rates.process.len();
    let defined = |prefix: &'static str, values: &[f64]| -> Vec<(Name, Expr)> {
        values.iter().enumerate().map(|(k, value)| (name(prefix, k + 1), Expr::Number(*value))).collect()
    };
    let mut all = defined("mu", &rates.process);
    all.extend(defined("lambda", &rates.moves));
    let passive = || Expr::Passive(Where::default());
    let mut components = Vec::new();
    for k in 1..=stages {
        let ready = name("Ready", k);
        let rest = vec![(name("process", k), passive()), (name("move", k + 1), passive())];
        components.push((name("Stage", k), prefix(vec![(name("move", k), passive())], ready.clone())));
        components.push((ready, prefix(rest, name("Stage", k))));
    }
    let moves = (1..=stages + 1).map(|k| (name("move", k), name("lambda", k))).collect();
    components.push(server(&Name::from("Network"), moves));
    let mut processors = Vec::new();
    let mut hosts: Vec<usize> = mapping.stages.clone();
    hosts.sort_unstable();
    hosts.dedup();
    for host in hosts {
        let here = (1..=stages).filter(|k| mapping.stages[k - 1] == host);
        let processor = name("Processor", host + 1);
        components.push(server(&processor, here.map(|k| (name("process", k), name("mu", k))).collect()));
        processors.push((Set::Names(Vec::new()), Term::Name(processor)));
    }
    let names = |prefix, last| Set::Names((1..=last).map(|k| name(prefix, k)).collect());
    let pipeline = (1..=stages).map(|k| (Set::Names(vec![name("move", k)]), Term::Name(name("Stage", k)))).collect();
    let system = Term::Cooperation {
        first: Box::new(cooperation(pipeline)),
        rest: vec![
            (names("move", stages + 1), Term::Name(Name::from("Network"))),
            (names("process", stages), cooperation(processors)),
        ],
    };
    let ready = Part::Is(Term::Name(name("Ready", 1)), Where::default());
    let pattern = Expr::Pattern { parts: vec![ready, Part::Any], at: Where::default() };
    let rest = vec![(crate::pepa::Operator::Times, pattern)];
    let throughput = Expr::Chain { first: Box::new(Expr::Name(name("mu", 1))), rest };
    Model { rates: all, components, system, results: vec![(Name::from("Throughput"), throughput)] }
}
