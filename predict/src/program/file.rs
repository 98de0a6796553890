//! The text format of programs (TOML): processes, parameters, what is run, one table per element.

use std::collections::{BTreeMap, BTreeSet};

use midrun_scheduling::Technique;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::{Spanned, Value};

use super::element::{Collective, Cost, Element, MasterWorker, Mode, Pipeline, Stage, What};
use super::{BUILT_IN, ITEMS, Program, RESERVED};
use crate::description::{DescriptionError, is_name, parse};
use midrun_models::expression::Expression;

/// The whole text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    processes: Spanned<Value>,
    #[serde(default)]
    parameters: BTreeMap<String, Spanned<Value>>,
    run: Spanned<Value>,
    element: BTreeMap<String, Spanned<BTreeMap<String, Spanned<Value>>>>,
}

impl Program {
    /// Reads a description.
    ///
    /// # Errors
    /// A sentence with line and column of the first mistake.
    pub fn from_toml(text: &str) -> Result<Program, DescriptionError> {
        let file: File = parse(text)?;
        let numbers = file.element.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let mut reader = Reader { text, numbers, names: BTreeSet::from_iter(BUILT_IN.map(str::to_owned)) };
        let mut parameters = BTreeMap::new();
        for (name, value) in &file.parameters {
            reader.declare(name, value)?;
        }
        let own: BTreeSet<String> = file.parameters.keys().cloned().collect();
        for (name, value) in &file.parameters {
            parameters.insert(name.clone(), reader.among(value, &own)?);
        }
        for element in file.element.values() {
            if let Some(index) = element.get_ref().get("index") {
                match index.get_ref() {
                    Value::String(name) if !own.contains(name) && is_name(name) => reader.declare(name, index)?,
                    _ => return reader.wrong(index, "an index is a name in quotes that no parameter has".into()),
                }
            }
        }
        let processes = reader.among(&file.processes, &own)?;
        let run = reader.elements(&file.run)?;
        let mut elements = Vec::new();
        for (name, table) in &file.element {
            elements.push(reader.element(name, table)?);
        }
        let program = Program { processes, parameters, run, elements };
        program.checked().map_err(|error| {
            let sentence = error.to_string();
            let named = sentence.split('`').nth(1).and_then(|name| file.element.get(name));
            DescriptionError::at(text, named.map_or(0..0, Spanned::span), sentence)
        })
    }
}

/// Meaning of names while a text is read.
struct Reader<'a> {
    text: &'a str,
    numbers: BTreeMap<&'a str, usize>,
    /// Names that a cost function may have.
    names: BTreeSet<String>,
}

/// The keys of one element, taken out one by one.
struct Fields<'a, 'r> {
    reader: &'r Reader<'a>,
    table: &'a Spanned<BTreeMap<String, Spanned<Value>>>,
    kind: &'a str,
    taken: BTreeSet<&'static str>,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, at: &Spanned<Value>, sentence: String) -> Result<T, DescriptionError> {
        Err(DescriptionError::at(self.text, at.span(), sentence))
    }

    fn declare(&mut self, name: &str, value: &Spanned<Value>) -> Result<(), DescriptionError> {
        if RESERVED.contains(&name) || !is_name(name) {
            let sentence = format!("`{name}` cannot be a name: letters, digits and _, and none of {RESERVED:?}");
            return self.wrong(value, sentence.replace(['[', ']', '"'], ""));
        }
        self.names.insert(name.to_owned());
        Ok(())
    }

    /// A cost function of these names: a number, or text.
    fn among(&self, value: &Spanned<Value>, names: &BTreeSet<String>) -> Result<Expression, DescriptionError> {
        let text = match value.get_ref() {
            Value::Integer(number) if *number >= 0 => return Ok(Expression::Number(*number as f64)),
            Value::Float(number) if number.is_finite() && number.is_sign_positive() => {
                return Ok(Expression::Number(*number));
            }
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::String(text) => text.clone(),
            _ => return self.wrong(value, "a number or an expression in quotes was expected".into()),
        };
        let span = value.span();
        let quote = self.text.get(span.clone()).is_some_and(|written| written.starts_with(['"', '\'']));
        let expression = Expression::parse(&text).map_err(|error| {
            let at = span.start + usize::from(quote) + if quote { error.offset } else { 0 };
            DescriptionError::at(self.text, at..at, format!("in `{text}`: {}", error.sentence))
        })?;
        let mut unknown = None;
        expression.each_name(&mut |name| {
            if !names.contains(name) {
                unknown.get_or_insert(name.to_owned());
            }
        });
        match unknown {
            None => Ok(expression),
            Some(name) => {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                let known = if known.is_empty() { "nothing".into() } else { known.join(", ") };
                self.wrong(value, format!("in `{text}`: there is no `{name}` here, but {known}"))
            }
        }
    }

    fn elements(&self, value: &Spanned<Value>) -> Result<Vec<usize>, DescriptionError> {
        let Value::Array(names) = value.get_ref() else {
            return self.wrong(value, "a list of names of elements was expected".into());
        };
        let number = |name: &Value| match name.as_str().and_then(|name| self.numbers.get(name)) {
            Some(number) => Ok(*number),
            None => {
                let name = name.to_string().replace('"', "`");
                self.wrong(value, format!("there is no element {name}: each is a table [element.NAME]"))
            }
        };
        names.iter().map(number).collect()
    }

    fn element(
        &self,
        name: &str,
        table: &'a Spanned<BTreeMap<String, Spanned<Value>>>,
    ) -> Result<Element<Expression>, DescriptionError> {
        let missing = || DescriptionError::at(self.text, table.span(), format!("element `{name}` has no kind"));
        let kind = table.get_ref().get("kind").ok_or_else(missing)?;
        let Some(word) = kind.get_ref().as_str() else {
            return self.wrong(kind, "a kind is a word in quotes".into());
        };
        let mut fields = Fields { reader: self, table, kind: word, taken: BTreeSet::from(["kind"]) };
        let when = fields.option("when")?;
        let what = match word {
            "compute" => fields.compute(),
            "send" => fields.send(),
            "receive" => Ok(What::Receive { from: fields.option("from")? }),
            "send-receive" => {
                let (to, from) = (fields.need("to")?, fields.need("from")?);
                Ok(What::SendReceive { to, from, bytes: fields.need("bytes")? })
            }
            "loop" => fields.repeated(),
            "branch" => fields.branch(when.is_some()),
            "master-worker" => fields.master_worker(),
            "pipeline" => fields.pipeline(),
            _ => fields.collective(kind),
        }?;
        fields.nothing_left()?;
        Ok(Element { name: name.to_owned(), when, what })
    }
}

impl Fields<'_, '_> {
    fn take(&mut self, key: &'static str) -> Option<&Spanned<Value>> {
        self.taken.insert(key);
        self.table.get_ref().get(key)
    }

    fn lacks<T>(&self, what: &str) -> Result<T, DescriptionError> {
        let sentence = format!("an element of kind \"{}\" needs {what}", self.kind);
        Err(DescriptionError::at(self.reader.text, self.table.span(), sentence))
    }

    /// A cost function that may depend on the number of the task or input.
    fn of_item(&mut self, key: &'static str, item: Option<&str>) -> Result<Option<Expression>, DescriptionError> {
        let reader = self.reader;
        let mut names = reader.names.clone();
        names.extend(item.map(str::to_owned));
        self.take(key).map(|value| reader.among(value, &names)).transpose()
    }

    fn option(&mut self, key: &'static str) -> Result<Option<Expression>, DescriptionError> {
        self.of_item(key, None)
    }

    fn need(&mut self, key: &'static str) -> Result<Expression, DescriptionError> {
        self.option(key)?.map_or_else(|| self.lacks(&format!("`{key}`")), Ok)
    }

    fn list(&mut self, key: &'static str) -> Result<Option<Vec<usize>>, DescriptionError> {
        let reader = self.reader;
        self.take(key).map(|value| reader.elements(value)).transpose()
    }

    /// A word out of a closed list.
    fn word<T: serde::de::DeserializeOwned>(&mut self, key: &'static str) -> Result<Option<T>, DescriptionError> {
        let reader = self.reader;
        let Some(value) = self.take(key) else { return Ok(None) };
        let read = T::deserialize(value.get_ref().clone().into_deserializer());
        read.map(Some).or_else(|error| reader.wrong(value, error.message().trim().replace('\n', " ")))
    }

    fn nothing_left(&self) -> Result<(), DescriptionError> {
        match self.table.get_ref().iter().find(|(key, _)| !self.taken.contains(key.as_str())) {
            None => Ok(()),
            Some((key, value)) => {
                let known: Vec<&str> = self.taken.iter().copied().collect();
                let (kind, known) = (self.kind, known.join(", "));
                self.reader.wrong(value, format!("an element of kind \"{kind}\" has no `{key}`, but {known}"))
            }
        }
    }

    fn compute(&mut self) -> Result<What<Expression>, DescriptionError> {
        let cost = match (self.option("seconds")?, self.option("operations")?) {
            (Some(seconds), None) => Cost::Seconds(seconds),
            (None, Some(operations)) => Cost::Operations(operations),
            _ => return self.lacks("either `seconds` or `operations`"),
        };
        Ok(What::Compute { cost, threads: self.option("threads")? })
    }

    fn send(&mut self) -> Result<What<Expression>, DescriptionError> {
        let (to, bytes) = (self.need("to")?, self.need("bytes")?);
        Ok(What::Send { to, bytes, mode: self.word::<Mode>("mode")?.unwrap_or_default() })
    }

    fn collective(&mut self, kind: &Spanned<Value>) -> Result<What<Expression>, DescriptionError> {
        let Ok(which) = Collective::deserialize(kind.get_ref().clone().into_deserializer()) else {
            let known = "compute, send, receive, send-receive, barrier, broadcast, reduce, allreduce, gather, scatter, \
                         allgather, alltoall, loop, branch, master-worker, pipeline";
            return self.reader.wrong(kind, format!("there is no kind \"{}\", but {known}", self.kind));
        };
        let has_root =
            matches!(which, Collective::Broadcast | Collective::Reduce | Collective::Gather | Collective::Scatter);
        let root = if has_root { self.option("root")? } else { None };
        let bytes = if which == Collective::Barrier { None } else { Some(self.need("bytes")?) };
        let combines = matches!(which, Collective::Reduce | Collective::Allreduce);
        let combine_s = if combines { self.option("combine_s")? } else { None };
        Ok(What::Collective { kind: which, root, bytes, combine_s })
    }

    fn repeated(&mut self) -> Result<What<Expression>, DescriptionError> {
        let index = self.take("index").and_then(|value| value.get_ref().as_str()).map(str::to_owned);
        let count = self.need("count")?;
        let Some(body) = self.list("do")? else { return self.lacks("`do`, a list of elements") };
        Ok(What::Loop { count, index, body })
    }

    fn branch(&mut self, conditional: bool) -> Result<What<Expression>, DescriptionError> {
        let body = self.list("do")?.unwrap_or_default();
        let otherwise = self.list("else")?.unwrap_or_default();
        if !conditional || body.len() + otherwise.len() == 0 {
            return self.lacks("`when`, and `do` or `else`");
        }
        Ok(What::Branch { body, otherwise })
    }

    fn master_worker(&mut self) -> Result<What<Expression>, DescriptionError> {
        let names = || Technique::ALL.map(Technique::name).join(", ");
        let reader = self.reader;
        // `policy` and `handout_s` are the spellings of version 0.1.
        let key = if self.table.get_ref().contains_key("technique") { "technique" } else { "policy" };
        let technique = match self.take(key) {
            None => Technique::Dpf,
            Some(value) => match value.get_ref().as_str().and_then(Technique::parse) {
                Some(technique) => technique,
                None => return reader.wrong(value, format!("a technique is one of {}", names())),
            },
        };
        let Some(task_s) = self.of_item("task_s", Some(ITEMS[0]))? else { return self.lacks("`task_s`") };
        Ok(What::MasterWorker(Box::new(MasterWorker {
            tasks: self.need("tasks")?,
            task_s,
            task_bytes: self.option("task_bytes")?,
            result_bytes: self.option("result_bytes")?,
            workers: self.option("workers")?,
            technique,
            factor: self.option("factor")?,
            overhead_s: self.option("overhead_s")?.or(self.option("handout_s")?),
        })))
    }

    fn pipeline(&mut self) -> Result<What<Expression>, DescriptionError> {
        let inputs = self.need("inputs")?;
        let (input_bytes, in_flight) = (self.option("input_bytes")?, self.option("in_flight")?);
        let head_s = self.of_item("head_s", Some(ITEMS[1]))?;
        let reader = self.reader;
        let needed = "`stages = [{ compute_s = …, bytes = …, replicas = … }, …]`";
        let list = self.take("stages").and_then(|value| Some((value, value.get_ref().as_array()?)));
        let Some((value, tables)) = list.filter(|(_, tables)| !tables.is_empty()) else { return self.lacks(needed) };
        let value_start = value.span().start;
        let mut names = reader.names.clone();
        names.insert(ITEMS[1].to_owned());
        let mut stages = Vec::new();
        for (k, table) in tables.iter().enumerate() {
            let known = ["compute_s", "bytes", "replicas"];
            let table = table.as_table().filter(|table| table.keys().all(|key| known.contains(&key.as_str())));
            let Some(table) = table.filter(|table| table.contains_key("compute_s")) else {
                return reader.wrong(value, format!("stage {k}: a stage is {{ compute_s, bytes, replicas }}"));
            };
            let of = |key: &str, default: i64, names: &BTreeSet<String>| {
                let value = table.get(key).cloned().unwrap_or(Value::Integer(default));
                // TOML gives no position for values inside a list: the error names the position of the list.
                let at = Spanned::new(value_start..value_start, value);
                reader
                    .among(&at, names)
                    .map_err(|e| DescriptionError { sentence: format!("stage {k}: {}", e.sentence), ..e })
            };
            let (compute_s, bytes) = (of("compute_s", 0, &names)?, of("bytes", 0, &names)?);
            stages.push(Stage { compute_s, bytes, replicas: of("replicas", 1, &reader.names)? });
        }
        Ok(What::Pipeline(Box::new(Pipeline { inputs, stages, input_bytes, head_s, in_flight })))
    }
}
