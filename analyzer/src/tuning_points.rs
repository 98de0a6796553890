//! The tuning points of a job, with their values as far as known.

use std::collections::BTreeMap;

use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{TuningPoint, Value};

use crate::events::TuningPointDeclared;
use crate::limits;

/// All tuning points of a job.
#[derive(Debug, Default)]
pub struct TuningPoints {
    // A list, because the tunlets are given a slice; a job has few.
    list: Vec<TuningPoint>,
    index: BTreeMap<(u32, String), usize>,
    // The first known texts: a declaration brings none.
    first_texts: BTreeMap<usize, String>,
}

impl TuningPoints {
    /// Takes in a declaration; false when no place is left. A repeated one (an agent came back) brings the current value.
    pub fn declare(&mut self, rank: u32, tuning_point: TuningPointDeclared) -> bool {
        let key = (rank, tuning_point.name.clone());
        if let Some(&at) = self.index.get(&key) {
            let known = &mut self.list[at];
            known.range = (tuning_point.minimum, tuning_point.maximum);
            known.whole = tuning_point.whole;
            known.value = tuning_point.value;
            known.declared = tuning_point.declared;
            if known.text.is_some() != tuning_point.text {
                known.text = tuning_point.text.then(String::new);
            }
            return true;
        }
        if self.list.len() >= limits::TUNING_POINTS_PER_JOB {
            return false;
        }
        self.index.insert(key, self.list.len());
        self.list.push(TuningPoint {
            rank,
            name: tuning_point.name,
            whole: tuning_point.whole,
            range: (tuning_point.minimum, tuning_point.maximum),
            value: tuning_point.value,
            declared: tuning_point.declared,
            text: tuning_point.text.then(String::new),
            held: false,
        });
        true
    }

    /// All of them.
    pub fn list(&self) -> &[TuningPoint] {
        &self.list
    }

    /// One of them.
    pub fn get(&self, rank: u32, name: &str) -> Option<&TuningPoint> {
        // The key is built because a tuple of borrowed parts cannot be looked up; this is per decision.
        self.index.get(&(rank, name.to_owned())).map(|&at| &self.list[at])
    }

    /// A rank took a value over.
    pub fn set(&mut self, rank: u32, name: &str, value: &Value) {
        let Some(&at) = self.index.get(&(rank, name.to_owned())) else { return };
        match (value, &mut self.list[at]) {
            (Value::Number(number), tuning_point) => tuning_point.value = *number,
            (Value::Text(text), TuningPoint { text: Some(known), .. }) => {
                self.first_texts.entry(at).or_insert_with(|| text.clone());
                known.clone_from(text);
            }
            (Value::Text(_), _) => {}
        }
    }

    /// The value at start; `None` for a text that is not known yet.
    pub fn start(&self, tuning_point: &TuningPoint) -> Option<Value> {
        if tuning_point.text.is_none() {
            return Some(Value::Number(tuning_point.declared));
        }
        let at = self.index.get(&(tuning_point.rank, tuning_point.name.clone()))?;
        self.first_texts.get(at).cloned().map(Value::Text)
    }

    /// Reason why this rank cannot take these values; `None` if it can.
    pub fn objection(&self, rank: u32, assignments: &[(String, Value)]) -> Option<String> {
        if assignments.is_empty() {
            return Some("nothing is assigned".into());
        }
        assignments.iter().find_map(|(name, value)| {
            let Some(tuning_point) = self.get(rank, name) else {
                return Some(format!("rank {rank} has no tuning point {name}"));
            };
            let size = match value {
                Value::Number(_) if tuning_point.text.is_some() => {
                    return Some(format!("{name} takes texts, and {value} is none"));
                }
                Value::Text(_) if tuning_point.text.is_none() => {
                    return Some(format!("{name} takes numbers, and {value} is none"));
                }
                Value::Number(number) => *number,
                Value::Text(text) => text.len() as f64,
            };
            let outside =
                || format!("{name} = {value} is outside {} to {}", tuning_point.range.0, tuning_point.range.1);
            (!(tuning_point.range.0..=tuning_point.range.1).contains(&size)).then(outside)
        })
    }

    /// The values these assignments replace.
    pub fn current(&self, rank: u32, assignments: &[(String, Value)]) -> Vec<(String, Value)> {
        let value = |name: &String| Some((name.clone(), self.get(rank, name)?.present()));
        assignments.iter().filter_map(|(name, _)| value(name)).collect()
    }

    /// The loop scheduling technique and parameters that the tuning points of the master `rank` stand at.
    pub fn setting(&self, rank: u32) -> TechniqueParameters {
        let value = |name| self.get(rank, name).map(|tuning_point| tuning_point.value);
        let kind = value(names::TECHNIQUE).and_then(|code| Technique::from_code(code as u32));
        let mut setting = TechniqueParameters::new(kind.unwrap_or(TechniqueParameters::FALLBACK.kind));
        setting.factor = value(names::FACTOR).unwrap_or(setting.factor);
        setting.mean_s = value(names::TASK_MEAN_S).unwrap_or(setting.mean_s);
        setting.sigma_s = value(names::TASK_SIGMA_S).unwrap_or(setting.sigma_s);
        setting.recall = value(names::RECALL).is_some_and(|on| on != 0.0);
        setting.counter = value(names::COUNTER).is_some_and(|on| on != 0.0);
        setting.team_size = value(names::TEAM_SIZE).unwrap_or(0.0) as u32;
        setting.synchronous = value(names::SYNCHRONOUS).is_some_and(|on| on != 0.0);
        if let Some(least) = value(names::MIN_CHUNK) {
            setting.min_chunk = least.max(1.0) as u64;
        }
        setting
    }
}
