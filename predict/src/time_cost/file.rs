//! The text format of computation structures (TOML): parameters, machine, one table per node, a sweep.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toml::{Spanned, Value};

use super::count::Count;
use super::structure::{Kind, Machine, Node, Structure, Sweep};
use super::{Parameter, Policy};
use crate::description::{DescriptionError, is_name, parse};
use midrun_models::distribution::Distribution;

/// The whole text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) start: Spanned<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) locks: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) parameters: BTreeMap<String, Spanned<Value>>,
    pub(super) machine: MachineFile,
    #[serde(default, skip_serializing_if = "SweepFile::is_empty")]
    pub(super) sweep: SweepFile,
    pub(super) node: BTreeMap<String, Spanned<NodeFile>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineFile {
    pub(super) processors: f64,
    #[serde(default = "one")]
    pub(super) speed: f64,
    #[serde(default = "equal")]
    pub(super) policy: Policy,
}

fn one() -> f64 {
    1.0
}

fn equal() -> Policy {
    Policy::Equal
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SweepFile {
    #[serde(default)]
    pub(super) processors: Vec<f64>,
    #[serde(default)]
    pub(super) policy: Vec<Policy>,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Vec<u32>>,
}

impl SweepFile {
    fn is_empty(&self) -> bool {
        self.processors.is_empty() && self.policy.is_empty() && self.parameters.is_empty()
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KindName {
    Operation,
    Decision,
    Or,
    Fork,
    Join,
    Lock,
    Unlock,
    End,
}

/// A node as it is written; which keys it may have depends on its kind.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeFile {
    pub(super) kind: KindName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variance_s2: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read: Option<Vec<Spanned<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) write: Option<Vec<Spanned<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) locks: Option<Vec<Spanned<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branches: Option<Vec<Spanned<BranchFile>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BranchFile {
    pub(super) to: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flow: Option<Spanned<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) weight: Option<f64>,
}

/// Meaning of names while a text is read.
struct Reader<'a> {
    text: &'a str,
    nodes: BTreeMap<&'a str, usize>,
    locks: &'a [String],
}

impl Structure {
    /// Reads a description.
    ///
    /// # Errors
    /// A sentence with line and column of the first mistake.
    pub fn from_toml(text: &str) -> Result<Structure, DescriptionError> {
        let file: File = parse(text)?;
        let nodes = file.node.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let reader = Reader { text, nodes, locks: &file.locks };
        let mut parameters = BTreeMap::new();
        for (name, value) in &file.parameters {
            parameters.insert(name.clone(), reader.parameter(name, value)?);
        }
        let mut nodes = Vec::new();
        for (name, node) in &file.node {
            nodes.push(Node { name: name.clone(), kind: reader.kind(node)? });
        }
        let start = reader.node(&file.start)?;
        let MachineFile { processors, speed, policy } = file.machine;
        let SweepFile { processors: many, policy: policies, parameters: values } = file.sweep;
        let sweep = Sweep { processors: many, policy: policies, parameters: values };
        let machine = Machine { processors, speed, policy };
        Structure::new(parameters, file.locks.clone(), nodes, start, machine, sweep).map_err(|error| {
            let sentence = error.to_string();
            let named = sentence.split('`').nth(1).and_then(|name| file.node.get(name));
            DescriptionError::at(text, named.map_or(0..0, Spanned::span), sentence)
        })
    }
}

impl Reader<'_> {
    fn wrong<T>(&self, span: Range<usize>, sentence: impl Into<String>) -> Result<T, DescriptionError> {
        Err(DescriptionError::at(self.text, span, sentence))
    }

    fn node(&self, name: &Spanned<String>) -> Result<usize, DescriptionError> {
        match self.nodes.get(name.get_ref().as_str()) {
            Some(number) => Ok(*number),
            None => self.wrong(name.span(), format!("there is no node `{}`", name.get_ref())),
        }
    }

    fn locks(&self, names: Option<&Vec<Spanned<String>>>) -> Result<Vec<usize>, DescriptionError> {
        let number = |name: &Spanned<String>| match self.locks.iter().position(|lock| lock == name.get_ref()) {
            Some(number) => Ok(number),
            None => self.wrong(name.span(), format!("`{}` is missing in the list of locks", name.get_ref())),
        };
        names.into_iter().flatten().map(number).collect()
    }

    fn parameter(&self, name: &str, value: &Spanned<Value>) -> Result<Parameter, DescriptionError> {
        let whole = |value: Option<&Value>| value.and_then(Value::as_integer).and_then(|n| u32::try_from(n).ok());
        let keys = |table: &toml::Table| table.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        let read = match value.get_ref() {
            Value::Integer(_) => whole(Some(value.get_ref())).map(Parameter::Fixed),
            Value::Table(table) if keys(table) == "binomial p" => {
                let p = table.get("p").and_then(|p| p.as_float().or(p.as_integer().map(|p| p as f64)));
                whole(table.get("binomial")).zip(p).map(|(trials, p)| Parameter::Binomial { trials, p })
            }
            Value::Table(table) if keys(table) == "uniform" => {
                let ends = table.get("uniform").and_then(Value::as_array).filter(|ends| ends.len() == 2);
                ends.and_then(|ends| whole(ends.first()).zip(whole(ends.get(1))))
                    .map(|(low, high)| Parameter::Uniform { low, high })
            }
            _ => None,
        };
        match read {
            Some(parameter) if is_name(name) => Ok(parameter),
            Some(_) => {
                self.wrong(value.span(), format!("`{name}`: a parameter's name is made of letters, digits and _"))
            }
            None => self.wrong(
                value.span(),
                format!(
                    "parameter `{name}` must be a whole number from 0 on, {{ binomial = trials, p = probability }} or \
                     {{ uniform = [least, greatest] }}"
                ),
            ),
        }
    }

    /// Refuses keys that this kind of node does not have, and missing ones.
    fn keys(&self, node: &Spanned<NodeFile>, needed: &[&str], allowed: &[&str]) -> Result<(), DescriptionError> {
        let file = node.get_ref();
        let all = [
            ("cost_s", file.cost_s.is_some()),
            ("variance_s2", file.variance_s2.is_some()),
            ("read", file.read.is_some()),
            ("write", file.write.is_some()),
            ("locks", file.locks.is_some()),
            ("to", file.to.is_some()),
            ("branches", file.branches.is_some()),
        ];
        for (key, given) in all {
            let kind = Value::try_from(file.kind).map_or(String::new(), |kind| kind.to_string());
            if given && !needed.contains(&key) && !allowed.contains(&key) {
                return self.wrong(node.span(), format!("a node of kind {kind} has no `{key}`"));
            }
            if !given && needed.contains(&key) {
                return self.wrong(node.span(), format!("a node of kind {kind} needs `{key}`"));
            }
        }
        Ok(())
    }

    fn kind(&self, node: &Spanned<NodeFile>) -> Result<Kind, DescriptionError> {
        let file = node.get_ref();
        let (needed, allowed): (&[&str], &[&str]) = match file.kind {
            KindName::Operation => (&["cost_s", "to"], &["variance_s2"]),
            KindName::Decision | KindName::Fork => (&["branches"], &[]),
            KindName::Or | KindName::Join => (&["to"], &[]),
            KindName::Lock => (&["to"], &["read", "write"]),
            KindName::Unlock => (&["locks", "to"], &[]),
            KindName::End => (&[], &[]),
        };
        self.keys(node, needed, allowed)?;
        let to = file.to.as_ref().map_or(Ok(0), |name| self.node(name));
        Ok(match file.kind {
            KindName::Operation => Kind::Operation { cost: self.cost(node)?, to: to? },
            KindName::Decision => self.decision(node)?,
            KindName::Fork => self.fork(node)?,
            KindName::Or => Kind::Or { to: to? },
            KindName::Join => Kind::Join { to: to? },
            KindName::Lock => {
                Kind::Lock { read: self.locks(file.read.as_ref())?, write: self.locks(file.write.as_ref())?, to: to? }
            }
            KindName::Unlock => Kind::Unlock { locks: self.locks(file.locks.as_ref())?, to: to? },
            KindName::End => Kind::End,
        })
    }

    fn cost(&self, node: &Spanned<NodeFile>) -> Result<Distribution, DescriptionError> {
        let mean_s = node.get_ref().cost_s.unwrap_or(f64::NAN);
        let cost = match node.get_ref().variance_s2 {
            None => Distribution::Deterministic { mean_s },
            Some(variance_s2) => Distribution::Gamma { mean_s, sigma_s: variance_s2.sqrt() },
        };
        cost.checked().or_else(|error| self.wrong(node.span(), format!("cost_s and variance_s2: {error}")))
    }

    fn decision(&self, node: &Spanned<NodeFile>) -> Result<Kind, DescriptionError> {
        let (mut drawn, mut counted) = (Vec::new(), Vec::new());
        for branch in node.get_ref().branches.iter().flatten() {
            let to = self.node(&branch.get_ref().to)?;
            match branch.get_ref() {
                BranchFile { probability: Some(p), flow: None, weight: None, .. } => drawn.push((to, *p)),
                BranchFile { probability: None, flow: Some(flow), weight: None, .. } => {
                    counted.push((to, self.flow(flow)?));
                }
                _ => {
                    return self
                        .wrong(branch.span(), "a branch of a decision has `to` and either `probability` or `flow`");
                }
            }
        }
        match (drawn.is_empty(), counted.is_empty()) {
            (false, true) => Ok(Kind::Decision { ways: drawn }),
            (true, false) => Ok(Kind::Flow { ways: counted }),
            _ => self.wrong(node.span(), "a decision has branches, all of them with `probability` or all with `flow`"),
        }
    }

    fn flow(&self, flow: &Spanned<Value>) -> Result<Count, DescriptionError> {
        let text = match flow.get_ref() {
            Value::Integer(number) => number.to_string(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Count::read(&text).or_else(|sentence| self.wrong(flow.span(), sentence))
    }

    fn fork(&self, node: &Spanned<NodeFile>) -> Result<Kind, DescriptionError> {
        let branches = node.get_ref().branches.as_deref().unwrap_or(&[]);
        let wrong =
            |branch: &&Spanned<BranchFile>| branch.get_ref().probability.is_some() || branch.get_ref().flow.is_some();
        if let Some(branch) = branches.iter().find(wrong) {
            return self.wrong(branch.span(), "a branch of a fork has `to` and perhaps `weight`");
        }
        if branches.is_empty() {
            return self.wrong(node.span(), "a fork needs branches");
        }
        let to: Result<Vec<usize>, _> = branches.iter().map(|branch| self.node(&branch.get_ref().to)).collect();
        let weights = branches.iter().filter_map(|branch| branch.get_ref().weight).collect();
        Ok(Kind::Fork { branches: to?, weights })
    }
}
