//! What a person's words mean for the ranks of one job: which ranks, which values, or why not.

use std::collections::{BTreeMap, VecDeque};

use midrun_scheduling::Technique;
use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{TuningPoint, Value};

use super::{Assigned, Fate, Job};
use crate::control::Change;
use crate::limits;

/// Names in a sentence.
const NAMES_SHOWN: usize = 12;

/// Whether a tuning point is of the hand-out, which changes inside an iteration, too.
pub(super) fn of_hand_out(name: &str) -> bool {
    [names::TECHNIQUE, names::FACTOR, names::TASK_MEAN_S, names::TASK_SIGMA_S, names::MIN_CHUNK].contains(&name)
}

impl Job {
    /// What `set` asks of which ranks; the error says why it cannot be.
    pub(super) fn assigned_by_hand(
        &self,
        point: &str,
        value: &str,
        rank: Option<u32>,
    ) -> Result<Vec<Assigned>, String> {
        if self.spec.dry_run {
            return Err("the job runs with --dry-run, which changes nothing".into());
        }
        let tuning_points = match rank {
            Some(rank) => vec![self.tuning_point_of(rank, point)?],
            None => self.tuning_points_of_all(point)?,
        };
        let of_rank = |tuning_point: &TuningPoint| {
            let assignments = vec![(point.to_owned(), read(tuning_point, value)?)];
            match self.tuning_points.objection(tuning_point.rank, &assignments) {
                Some(why) => Err(why),
                None => Ok((tuning_point.rank, assignments)),
            }
        };
        tuning_points.into_iter().map(of_rank).collect()
    }

    fn tuning_point_of(&self, rank: u32, point: &str) -> Result<&TuningPoint, String> {
        match self.ranks.get(&rank).map(|rank| rank.fate) {
            None => {
                let all: Vec<u32> = self.ranks.keys().copied().collect();
                return Err(format!("the job has no rank {rank}, it has {}", crate::tell::ranks(&all)));
            }
            Some(Fate::Present) => {}
            Some(_) => return Err(format!("rank {rank} has ended")),
        }
        let there = || names_of(self.tuning_points.list().iter().filter(|tuning_point| tuning_point.rank == rank));
        self.tuning_points
            .get(rank, point)
            .ok_or_else(|| format!("rank {rank} has no tuning point {point}; {}", there()))
    }

    fn tuning_points_of_all(&self, point: &str) -> Result<Vec<&TuningPoint>, String> {
        let mut named: Vec<&TuningPoint> =
            self.tuning_points.list().iter().filter(|tuning_point| tuning_point.name == point).collect();
        named.sort_by_key(|tuning_point| tuning_point.rank);
        if named.is_empty() {
            return Err(format!("no rank has a tuning point {point}; {}", names_of(self.tuning_points.list().iter())));
        }
        let present = |tuning_point: &&TuningPoint| {
            self.ranks.get(&tuning_point.rank).is_some_and(|rank| rank.fate == Fate::Present)
        };
        let mut there: Vec<&TuningPoint> = named.into_iter().filter(present).collect();
        there.sort_by_key(|tuning_point| tuning_point.rank);
        if there.is_empty() { Err(format!("every rank that has {point} has ended")) } else { Ok(there) }
    }

    /// What brings the values at start back, in rounds of one action per rank; and what cannot come back, and why.
    pub(super) fn back_to_start(&self) -> (VecDeque<Vec<Assigned>>, Vec<String>) {
        let mut by_rank: BTreeMap<u32, VecDeque<Assigned>> = BTreeMap::new();
        let mut kept = Vec::new();
        let present = |tuning_point: &&TuningPoint| {
            self.ranks.get(&tuning_point.rank).is_some_and(|rank| rank.fate == Fate::Present)
        };
        for tuning_point in self.tuning_points.list().iter().filter(present) {
            let Some(start) = self.tuning_points.start(tuning_point).filter(|start| *start != now(tuning_point)) else {
                continue;
            };
            let wanted = vec![(tuning_point.name.clone(), start)];
            if let Some(why) = self.tuning_points.objection(tuning_point.rank, &wanted) {
                kept.push(format!(
                    "rank {} keeps its {} {}: {why}",
                    tuning_point.rank,
                    tuning_point.name,
                    now(tuning_point)
                ));
                continue;
            }
            let actions = by_rank.entry(tuning_point.rank).or_default();
            // A text fills an action by itself.
            let fits = |last: &&mut Assigned| tuning_point.text.is_none() && last.1.len() < limits::ASSIGNMENTS;
            match actions.back_mut().filter(fits) {
                Some(last) => last.1.extend(wanted),
                None if tuning_point.text.is_some() => actions.push_front((tuning_point.rank, wanted)),
                None => actions.push_back((tuning_point.rank, wanted)),
            }
        }
        let mut rounds = VecDeque::new();
        while !by_rank.is_empty() {
            rounds.push_back(by_rank.values_mut().filter_map(VecDeque::pop_front).collect());
            by_rank.retain(|_, actions| !actions.is_empty());
        }
        (rounds, kept)
    }

    /// What is to change in a rank.
    pub(super) fn changes(&self, (rank, assignments): &Assigned) -> Vec<Change> {
        let current = self.tuning_points.current(*rank, assignments);
        let change = |((name, to), (_, from)): (&(String, Value), (String, Value))| Change {
            rank: *rank,
            tuning_point: name.clone(),
            from,
            to: to.clone(),
            applied_iteration: None,
            refused: None,
        };
        assignments.iter().zip(current).map(change).collect()
    }
}

fn now(tuning_point: &TuningPoint) -> Value {
    tuning_point.text.clone().map_or(Value::Number(tuning_point.value), Value::Text)
}

/// The value that a person wrote for a tuning point.
fn read(tuning_point: &TuningPoint, value: &str) -> Result<Value, String> {
    if tuning_point.text.is_some() {
        return Ok(Value::Text(value.to_owned()));
    }
    if tuning_point.name == names::TECHNIQUE
        && let Some(kind) = Technique::parse(value)
    {
        return Ok(Value::Number(f64::from(kind.code())));
    }
    let (least, most) = tuning_point.range;
    let takes = if tuning_point.whole { "whole numbers" } else { "numbers" };
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    match number.filter(|number| !tuning_point.whole || number.fract() == 0.0) {
        Some(number) => Ok(Value::Number(number)),
        None => Err(format!("{} takes {takes} from {least} to {most}, and {value} is none", tuning_point.name)),
    }
}

fn names_of<'a>(tuning_points: impl Iterator<Item = &'a TuningPoint>) -> String {
    let names: std::collections::BTreeSet<&str> =
        tuning_points.map(|tuning_point| tuning_point.name.as_str()).collect();
    if names.is_empty() {
        return "nothing is declared".into();
    }
    let shown: Vec<&str> = names.iter().copied().take(NAMES_SHOWN).collect();
    let more =
        if names.len() > NAMES_SHOWN { format!(" and {} more", names.len() - NAMES_SHOWN) } else { String::new() };
    format!("there are {}{more}", shown.join(", "))
}
