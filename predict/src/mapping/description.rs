//! The description file of AMoGeT, the tool of the source (Benoit 2005): what there is and which mappings to compare.
//!
//! ```text
//! type = pipeline;
//! nbproc = 3;  cp1 = 10; cp2 = 10; cp3 = 1;       # power of the processors
//! nl1-2 = 5;   nl = 10; nli-i = 10000;             # links; nl: all others; nli-i: from a processor to itself
//! nbstage = 3; w1 = 1; w2 = 1; w3 = 1;  ds = 1;    # stages; ds1 to ds4
//! mappings = [1,(1,2,3),3], [1,(1,1,2),2];         # [input's place, (stages' places), output's place]
//! throughput;
//! ```

use rustc_hash::FxHashMap;

use super::{Ends, Error, MOST_PROCESSORS, MOST_STAGES, Mapping, Pipeline, Stages};
use crate::pepa::Position;

mod lines;
use lines::{Value, statements};

/// Errors of a description: each sentence names the mistake, its position and the correct form.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum Mistake {
    /// The text is no description.
    #[error("{at}: expected {expected}, found {found}")]
    Syntax {
        /// Position in the text.
        at: Position,
        /// The correct form.
        expected: &'static str,
        /// The text found.
        found: String,
    },
    /// A key that no description has.
    #[error(
        "{at}: unknown key '{key}'; known are type, nbproc, cp, nl, nbstage, w, ds, input, output, mappings, throughput"
    )]
    UnknownKey {
        /// Position in the text.
        at: Position,
        /// The key.
        key: String,
    },
    /// A key that has a value already.
    #[error("{at}: '{key}' has a value already")]
    Duplicate {
        /// Position in the text.
        at: Position,
        /// The key.
        key: String,
    },
    /// A value that its key cannot have.
    #[error("{at}: {key} is {value}; allowed is {allowed}")]
    BadValue {
        /// Position in the text.
        at: Position,
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// The correct form.
        allowed: String,
    },
    /// A key that must be there.
    #[error("{key} is missing; write {example}")]
    Missing {
        /// The key.
        key: String,
        /// An example of the correct form.
        example: String,
    },
    /// Numbers that do not fit together.
    #[error(transparent)]
    Pipeline(#[from] Error),
}

/// Contents of a description file.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Machine and stages.
    pub pipeline: Pipeline,
    /// `input` and `output`, for mappings that do not say.
    pub ends: Ends,
    /// The mappings to compare.
    pub mappings: Vec<Mapping>,
}

/// Values by key, with what is left to be asked for.
struct Values(FxHashMap<String, (Value, Position)>);

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    /// The first mistake with its position.
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        let mut values = Values(FxHashMap::default());
        for (key, value, at) in statements(text)? {
            // The source's general names, cpi and nli-j, are those of all processors and links.
            let key = match key.as_str() {
                "cpi" | "wi" | "dsi" => key[..key.len() - 1].to_owned(),
                "nli-j" => "nl".to_owned(),
                _ => key,
            };
            if values.0.insert(key.clone(), (value, at)).is_some() {
                return Err(Mistake::Duplicate { at, key });
            }
        }
        values.description()
    }
}

impl Values {
    fn take(&mut self, key: &str) -> Option<(Value, Position)> {
        self.0.remove(key)
    }

    /// A number above 0, if the key is there.
    fn number(&mut self, key: &str) -> Result<Option<f64>, Mistake> {
        match self.take(key) {
            None => Ok(None),
            Some((Value::Number(value), _)) if value.is_finite() && value > 0.0 => Ok(Some(value)),
            Some((value, at)) => {
                let (key, value) = (key.to_owned(), value.to_string());
                Err(Mistake::BadValue { at, key, value, allowed: "a finite number above 0".to_owned() })
            }
        }
    }

    /// A whole number from 1 to `most`, if the key is there.
    fn whole(&mut self, key: &str, most: usize) -> Result<Option<usize>, Mistake> {
        let at = self.0.get(key).map(|(_, at)| *at).unwrap_or_default();
        match self.number(key)? {
            None => Ok(None),
            Some(value) if value.fract() == 0.0 && value <= most as f64 => Ok(Some(value as usize)),
            Some(value) => {
                let allowed = format!("a whole number from 1 to {most}");
                Err(Mistake::BadValue { at, key: key.to_owned(), value: value.to_string(), allowed })
            }
        }
    }

    fn count(&mut self, key: &str, most: usize) -> Result<usize, Mistake> {
        let missing = || Mistake::Missing { key: key.to_owned(), example: format!("{key} = 3;") };
        self.whole(key, most)?.ok_or_else(missing)
    }

    /// `key1` to `keyN`, or `key` for those that are not named.
    fn list(&mut self, key: &str, count: usize) -> Result<Vec<f64>, Mistake> {
        let all = self.number(key)?;
        let one = |values: &mut Self, index: usize| {
            let named = format!("{key}{index}");
            let missing = || {
                let example = format!("{named} = 1; or {key} = 1; for all");
                Mistake::Missing { key: named.clone(), example }
            };
            values.number(&named)?.or(all).ok_or_else(missing)
        };
        (1..=count).map(|index| one(self, index)).collect()
    }

    /// `nlA-B`; a link that is named one way only is the same the other way, `nli-i` are all within a processor.
    fn links(&mut self, count: usize) -> Result<Vec<Vec<f64>>, Mistake> {
        let (all, local) = (self.number("nl")?, self.number("nli-i")?);
        let mut named = vec![vec![None; count]; count];
        for (a, row) in named.iter_mut().enumerate() {
            for (b, value) in row.iter_mut().enumerate() {
                *value = self.number(&format!("nl{}-{}", a + 1, b + 1))?;
            }
        }
        let one = |a: usize, b: usize| {
            let missing = || {
                let key = format!("nl{}-{}", a + 1, b + 1);
                let example = format!("{key} = 10; or nl = 10; for all links");
                Mistake::Missing { key, example }
            };
            named[a][b].or(named[b][a]).or(if a == b { local } else { None }).or(all).ok_or_else(missing)
        };
        (0..count).map(|a| (0..count).map(|b| one(a, b)).collect()).collect()
    }

    fn description(&mut self) -> Result<Description, Mistake> {
        if let Some((value, at)) = self.take("type")
            && value != Value::Word("pipeline".to_owned())
        {
            let (key, value, allowed) = ("type".to_owned(), value.to_string(), "pipeline".to_owned());
            return Err(Mistake::BadValue { at, key, value, allowed });
        }
        let processors = self.count("nbproc", MOST_PROCESSORS)?;
        let stages = self.count("nbstage", MOST_STAGES)?;
        let power = self.list("cp", processors)?;
        let links = self.links(processors)?;
        let work = self.list("w", stages)?;
        let data = self.list("ds", stages + 1)?;
        let input = self.whole("input", processors)?.map(|place| place - 1);
        let output = self.whole("output", processors)?.map(|place| place - 1);
        let ends = Ends { input, output };
        let mappings = match self.take("mappings") {
            Some((Value::Mappings(all), _)) => all,
            None => Vec::new(),
            Some((value, at)) => {
                let (key, allowed) = ("mappings".to_owned(), "a list such as [1,(1,2,3),3], [1,(1,1,2),2]".to_owned());
                return Err(Mistake::BadValue { at, key, value: value.to_string(), allowed });
            }
        };
        let pipeline = Pipeline::new(power, links, Stages { work, data })?;
        let mappings =
            mappings.into_iter().map(|written| written.mapping(&pipeline, ends)).collect::<Result<_, _>>()?;
        self.take("throughput");
        // Of several unknown keys the first is named.
        match self.0.iter().min_by_key(|(_, (_, at))| (at.line, at.column)) {
            Some((key, (_, at))) => Err(Mistake::UnknownKey { at: *at, key: key.clone() }),
            None => Ok(Description { pipeline, ends, mappings }),
        }
    }
}

#[cfg(test)]
mod tests;
