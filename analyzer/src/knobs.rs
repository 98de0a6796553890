//! The tuning points of a job, with their values as far as known.

use std::collections::BTreeMap;

use midrun_handout::{PolicyKind, Setting};
use midrun_tunlets::Knob;
use midrun_tunlets::knob::names;

use crate::input::KnobDeclared;
use crate::limits;

/// Everything the ranks of a job offer.
#[derive(Debug, Default)]
pub struct Knobs {
    // A list, because the tunlets are given a slice; a job has few.
    list: Vec<Knob>,
    index: BTreeMap<(u32, String), usize>,
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
    pub fn set(&mut self, rank: u32, name: &str, value: f64) {
        if let Some(&at) = self.index.get(&(rank, name.to_owned())) {
            self.list[at].value = value;
        }
    }

    /// Why these values cannot be asked of this rank; `None` when they can.
    pub fn objection(&self, rank: u32, assignments: &[(String, f64)]) -> Option<String> {
        if assignments.is_empty() {
            return Some("nothing is assigned".into());
        }
        assignments.iter().find_map(|(name, value)| match self.get(rank, name) {
            None => Some(format!("rank {rank} has no tuning point {name}")),
            Some(knob) if !(knob.range.0..=knob.range.1).contains(value) => {
                Some(format!("{name} = {value} is outside {} to {}", knob.range.0, knob.range.1))
            }
            Some(_) => None,
        })
    }

    /// The values these assignments replace.
    pub fn current(&self, rank: u32, assignments: &[(String, f64)]) -> Vec<(String, f64)> {
        let value = |name: &String| Some((name.clone(), self.get(rank, name)?.value));
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
