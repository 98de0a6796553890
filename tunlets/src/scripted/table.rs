//! Tables that scripts look into: values by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhai::{Dynamic, Engine, EvalAltResult};

/// Values by name. One that is not there is refused with those that are, one that cannot be had with the reason.
#[derive(Clone)]
pub struct Table {
    what: &'static str,
    entries: Arc<BTreeMap<String, Result<Dynamic, String>>>,
}

impl Table {
    /// A table called `what` in sentences.
    pub fn new(what: &'static str, entries: impl IntoIterator<Item = (String, Result<Dynamic, String>)>) -> Table {
        Table { what, entries: Arc::new(entries.into_iter().collect()) }
    }

    fn get(&mut self, name: &str) -> Result<Dynamic, Box<EvalAltResult>> {
        match self.entries.get(name) {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(why)) => Err(why.clone().into()),
            None => {
                let names: Vec<&str> = self.entries.keys().map(String::as_str).collect();
                Err(format!("{} has no {name}; it has {}", self.what, names.join(", ")).into())
            }
        }
    }

    fn has(&mut self, name: &str) -> bool {
        self.entries.get(name).is_some_and(Result::is_ok)
    }
}

/// Lets scripts look into tables.
pub fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Table>("table");
    engine.register_indexer_get(|table: &mut Table, name: &str| table.get(name));
    engine.register_fn("has", |table: &mut Table, name: &str| table.has(name));
}
