//! A program as text that reads back as the same.

use serde::Serialize;
use toml::{Table, Value};

use super::Program;
use super::element::{Cost, Element, Stage, What};
use midrun_models::expression::Expression;

impl Program {
    /// A description that reads back as the same program, if its elements are in the order of their names.
    pub fn to_toml(&self) -> String {
        let names =
            |of: &[usize]| -> Value { of.iter().map(|k| self.elements[*k].name.clone()).collect::<Vec<_>>().into() };
        let mut all = Table::new();
        all.insert("processes".into(), value(&self.processes));
        all.insert("run".into(), names(&self.run));
        let parameters = self.parameters.iter().map(|(name, of)| (name.clone(), value(of)));
        all.insert("parameters".into(), Value::Table(parameters.collect()));
        let elements = self.elements.iter().map(|of| (of.name.clone(), Value::Table(element(of, &names))));
        all.insert("element".into(), Value::Table(elements.collect()));
        // Only numbers and names, which TOML always accepts.
        toml::to_string(&all).unwrap_or_default()
    }
}

fn value(of: &Expression) -> Value {
    match of {
        Expression::Number(number) => Value::Float(*number),
        _ => Value::String(of.to_string()),
    }
}

fn word(of: impl Serialize) -> Value {
    Value::try_from(of).unwrap_or(Value::Boolean(false))
}

fn element(of: &Element<Expression>, names: &impl Fn(&[usize]) -> Value) -> Table {
    let mut keys: Vec<(&str, Option<Value>)> = vec![("when", of.when.as_ref().map(value))];
    let option = |of: &Option<Expression>| of.as_ref().map(value);
    let kind = match &of.what {
        What::Compute { cost, threads } => {
            keys.push(match cost {
                Cost::Seconds(e) => ("seconds", Some(value(e))),
                Cost::Operations(e) => ("operations", Some(value(e))),
            });
            keys.push(("threads", option(threads)));
            "compute".into()
        }
        What::Send { to, bytes, mode } => {
            keys.extend([("to", Some(value(to))), ("bytes", Some(value(bytes))), ("mode", Some(word(mode)))]);
            "send".into()
        }
        What::Receive { from } => {
            keys.push(("from", option(from)));
            "receive".into()
        }
        What::SendReceive { to, from, bytes } => {
            keys.extend([("to", Some(value(to))), ("from", Some(value(from))), ("bytes", Some(value(bytes)))]);
            "send-receive".into()
        }
        What::Collective { kind, root, bytes, combine_s } => {
            keys.extend([("root", option(root)), ("bytes", option(bytes)), ("combine_s", option(combine_s))]);
            word(kind)
        }
        What::Loop { count, index, body } => {
            keys.extend([("count", Some(value(count))), ("index", index.clone().map(Value::String))]);
            keys.push(("do", Some(names(body))));
            "loop".into()
        }
        What::Branch { body, otherwise } => {
            keys.extend([("do", Some(names(body))), ("else", Some(names(otherwise)))]);
            "branch".into()
        }
        What::MasterWorker(of) => {
            keys.extend([("tasks", Some(value(&of.tasks))), ("task_s", Some(value(&of.task_s)))]);
            keys.extend([("task_bytes", option(&of.task_bytes)), ("result_bytes", option(&of.result_bytes))]);
            keys.extend([("workers", option(&of.workers)), ("technique", Some(of.technique.name().into()))]);
            keys.extend([("factor", option(&of.factor)), ("overhead_s", option(&of.overhead_s))]);
            "master-worker".into()
        }
        What::Pipeline(of) => {
            let stage = |stage: &Stage<Expression>| {
                let Stage { compute_s, bytes, replicas } = stage;
                let keys = [("compute_s", compute_s), ("bytes", bytes), ("replicas", replicas)];
                Value::Table(keys.into_iter().map(|(key, of)| (key.to_owned(), value(of))).collect())
            };
            keys.extend([("inputs", Some(value(&of.inputs))), ("in_flight", option(&of.in_flight))]);
            keys.extend([("input_bytes", option(&of.input_bytes)), ("head_s", option(&of.head_s))]);
            keys.push(("stages", Some(Value::Array(of.stages.iter().map(stage).collect()))));
            "pipeline".into()
        }
    };
    keys.push(("kind", Some(kind)));
    keys.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}
