//! The tuning points of a job, with their values as far as known.

use std::collections::BTreeMap;

use midrun_handout::{PolicyKind, Setting};
use midrun_tunlets::knob::names;
use midrun_tunlets::{Knob, Value};

use crate::input::KnobDeclared;
use crate::limits;

/// Everything the ranks of a job offer.
#[derive(Debug, Default)]
pub struct Knobs {
    // A list, because the tunlets are given a slice; a job has few.
    list: Vec<Knob>,
    index: BTreeMap<(u32, String), usize>,
    // The texts that were told first: a declaration brings none.
    first_texts: BTreeMap<usize, String>,
}

impl Knobs {
    /// Takes in a declaration; false when it makes no sense or no place is left.
    /// A repeated declaration (an agent that came back) only tells the value now.
    pub fn declare(&mut self, rank: u32, knob: KnobDeclared) -> bool {
        let numbers = [knob.minimum, knob.maximum, knob.value];
        if numbers.iter().any(|n| n.is_nan()) || knob.minimum > knob.maximum || knob.name.is_empty() {
            return false;
        }
        let key = (rank, knob.name.clone());
        if let Some(&at) = self.index.get(&key) {
            let known = &mut self.list[at];
            known.range = (knob.minimum, knob.maximum);
            known.whole = knob.whole;
            known.value = knob.value;
            if known.text.is_some() != knob.text {
                known.text = knob.text.then(String::new);
            }
            return true;
        }
        if self.list.len() >= limits::KNOBS_PER_JOB {
            return false;
        }
        self.index.insert(key, self.list.len());
        self.list.push(Knob {
            rank,
            name: knob.name,
            whole: knob.whole,
            range: (knob.minimum, knob.maximum),
            value: knob.value,
            declared: knob.value,
            text: knob.text.then(String::new),
        });
        true
    }

    /// All of them.
    pub fn list(&self) -> &[Knob] {
        &self.list
    }

    /// One of them.
    pub fn get(&self, rank: u32, name: &str) -> Option<&Knob> {
        // The key is built because a tuple of borrowed parts cannot be looked up; this is per decision.
        self.index.get(&(rank, name.to_owned())).map(|&at| &self.list[at])
    }

    /// A rank took a value over.
    pub fn set(&mut self, rank: u32, name: &str, value: &Value) {
        let Some(&at) = self.index.get(&(rank, name.to_owned())) else { return };
        match (value, &mut self.list[at]) {
            (Value::Number(number), knob) => knob.value = *number,
            (Value::Text(text), Knob { text: Some(known), .. }) => {
                self.first_texts.entry(at).or_insert_with(|| text.clone());
                known.clone_from(text);
            }
            (Value::Text(_), _) => {}
        }
    }

    /// The value at start; `None` for a text that nobody has told yet.
    pub fn start(&self, knob: &Knob) -> Option<Value> {
        if knob.text.is_none() {
            return Some(Value::Number(knob.declared));
        }
        let at = self.index.get(&(knob.rank, knob.name.clone()))?;
        self.first_texts.get(at).cloned().map(Value::Text)
    }

    /// Why these values cannot be asked of this rank; `None` when they can.
    pub fn objection(&self, rank: u32, assignments: &[(String, Value)]) -> Option<String> {
        if assignments.is_empty() {
            return Some("nothing is assigned".into());
        }
        assignments.iter().find_map(|(name, value)| {
            let Some(knob) = self.get(rank, name) else {
                return Some(format!("rank {rank} has no tuning point {name}"));
            };
            let size = match value {
                Value::Number(_) if knob.text.is_some() => {
                    return Some(format!("{name} takes texts, and {value} is none"));
                }
                Value::Text(_) if knob.text.is_none() => {
                    return Some(format!("{name} takes numbers, and {value} is none"));
                }
                Value::Number(number) => *number,
                Value::Text(text) => text.len() as f64,
            };
            let outside = || format!("{name} = {value} is outside {} to {}", knob.range.0, knob.range.1);
            (!(knob.range.0..=knob.range.1).contains(&size)).then(outside)
        })
    }

    /// The values these assignments replace.
    pub fn current(&self, rank: u32, assignments: &[(String, Value)]) -> Vec<(String, Value)> {
        let value = |name: &String| {
            let knob = self.get(rank, name)?;
            Some((name.clone(), knob.text.clone().map_or(Value::Number(knob.value), Value::Text)))
        };
        assignments.iter().filter_map(|(name, _)| value(name)).collect()
    }

    /// The hand-out setting of the master `rank` as its knobs stand.
    pub fn setting(&self, rank: u32) -> Setting {
        let value = |name| self.get(rank, name).map(|knob| knob.value);
        let kind = value(names::POLICY).and_then(|code| PolicyKind::from_code(code as u32));
        let mut setting = Setting::new(kind.unwrap_or(Setting::FALLBACK.kind));
        setting.factor = value(names::FACTOR).unwrap_or(setting.factor);
        setting.mean_s = value(names::TASK_MEAN_S).unwrap_or(setting.mean_s);
        setting.sigma_s = value(names::TASK_SIGMA_S).unwrap_or(setting.sigma_s);
        if let Some(least) = value(names::MIN_CHUNK) {
            setting.min_chunk = least.max(1.0) as u64;
        }
        setting
    }
}
