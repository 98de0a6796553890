//! Computation structures as text again.

use std::collections::BTreeMap;

use toml::{Spanned, Value};

use super::count::Count;
use super::file::{BranchFile, File, KindName, MachineFile, NodeFile, SweepFile};
use super::structure::{Kind, Machine, Structure};
use super::{Node, Parameter};
use midrun_models::distribution::Distribution;

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn branch(to: Spanned<String>) -> BranchFile {
    BranchFile { to, probability: None, flow: None, weight: None }
}

impl Structure {
    /// A description that reads back as the same structure, if its nodes are in the order of their names.
    pub fn to_toml(&self) -> String {
        let Machine { processors, speed, policy } = self.machine;
        let file = File {
            start: self.named(self.start),
            locks: self.locks.clone(),
            parameters: self.parameters.iter().map(|(name, value)| (name.clone(), spanned(parameter(value)))).collect(),
            machine: MachineFile { processors, speed, policy },
            sweep: SweepFile {
                processors: self.sweep.processors.clone(),
                policy: self.sweep.policy.clone(),
                parameters: self.sweep.parameters.clone(),
            },
            node: self
                .nodes
                .iter()
                .map(|node| (node.name.clone(), spanned(self.node_file(node))))
                .collect::<BTreeMap<_, _>>(),
        };
        // Only numbers, names and flags, which TOML always accepts.
        toml::to_string(&file).unwrap_or_default()
    }

    fn named(&self, node: usize) -> Spanned<String> {
        spanned(self.nodes[node].name.clone())
    }

    fn lock_names(&self, locks: &[usize]) -> Option<Vec<Spanned<String>>> {
        Some(locks.iter().map(|lock| spanned(self.locks[*lock].clone())).collect())
    }

    fn node_file(&self, node: &Node) -> NodeFile {
        let mut file = NodeFile {
            kind: KindName::End,
            cost_s: None,
            variance_s2: None,
            read: None,
            write: None,
            locks: None,
            to: None,
            branches: None,
        };
        match &node.kind {
            Kind::Operation { cost, to } => {
                (file.kind, file.to) = (KindName::Operation, Some(self.named(*to)));
                file.cost_s = Some(cost.mean_s());
                let fixed = matches!(cost, Distribution::Deterministic { .. });
                file.variance_s2 = (!fixed).then(|| cost.variance_s2());
            }
            Kind::Decision { ways } => {
                let way = |(to, p): &(usize, f64)| BranchFile { probability: Some(*p), ..branch(self.named(*to)) };
                file.kind = KindName::Decision;
                file.branches = Some(ways.iter().map(|of| spanned(way(of))).collect());
            }
            Kind::Flow { ways } => {
                let flow = |count: &Count| spanned(Value::String(count.to_string()));
                let way =
                    |(to, count): &(usize, Count)| BranchFile { flow: Some(flow(count)), ..branch(self.named(*to)) };
                file.kind = KindName::Decision;
                file.branches = Some(ways.iter().map(|of| spanned(way(of))).collect());
            }
            Kind::Or { to } => (file.kind, file.to) = (KindName::Or, Some(self.named(*to))),
            Kind::Join { to } => (file.kind, file.to) = (KindName::Join, Some(self.named(*to))),
            Kind::Fork { branches, weights } => {
                let of = |(i, to): (usize, &usize)| BranchFile {
                    weight: weights.get(i).copied(),
                    ..branch(self.named(*to))
                };
                file.kind = KindName::Fork;
                file.branches = Some(branches.iter().enumerate().map(|at| spanned(of(at))).collect());
            }
            Kind::Lock { read, write, to } => {
                (file.kind, file.to) = (KindName::Lock, Some(self.named(*to)));
                (file.read, file.write) = (self.lock_names(read), self.lock_names(write));
            }
            Kind::Unlock { locks, to } => {
                (file.kind, file.to) = (KindName::Unlock, Some(self.named(*to)));
                file.locks = self.lock_names(locks);
            }
            Kind::End => {}
        }
        file
    }
}

fn parameter(value: &Parameter) -> Value {
    let table = |entries: Vec<(&str, Value)>| {
        Value::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    };
    match *value {
        Parameter::Fixed(value) => Value::Integer(value.into()),
        Parameter::Binomial { trials, p } => {
            table(vec![("binomial", Value::Integer(trials.into())), ("p", Value::Float(p))])
        }
        Parameter::Uniform { low, high } => {
            table(vec![("uniform", Value::Array(vec![Value::Integer(low.into()), Value::Integer(high.into())]))])
        }
    }
}
