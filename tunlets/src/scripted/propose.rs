//! Proposals of a scripted tunlet: the request of its program, and the rollback of a change that measured worse.

use rhai::Map;

use super::explanation;
use super::file::Whose;
use super::limits;
use super::request::Request;
use super::scope::{self, TuningPointState};
use super::setting::{Pending, Setting, Values};
use super::tunlet::Scripted;
use crate::confidence::Gain;
use crate::trial::worth;
use crate::{Proposal, TuningPoint, Value, Worth};

/// A rollback that is refused so often is given up.
const TRIES: u32 = 5;

impl Scripted {
    /// Finds the tuning points among those that ranks offer.
    pub(super) fn find(&mut self, offered: &[TuningPoint]) {
        let mut seen = Vec::with_capacity(self.description.tuning_points.len());
        self.ranks.clear();
        for (at, tuning_point) in self.description.tuning_points.iter().enumerate() {
            let fits = |k: &&TuningPoint| {
                k.name == tuning_point.name && !matches!(tuning_point.whose, Whose::Rank(rank) if rank != k.rank)
            };
            let mut ranks: Vec<u32> = offered.iter().filter(fits).map(|k| k.rank).collect();
            ranks.sort_unstable();
            if tuning_point.whose != Whose::All {
                ranks.truncate(1);
            }
            let found = offered.iter().find(|k| k.name == tuning_point.name && ranks.first() == Some(&k.rank));
            self.offered[at] |= found.is_some();
            self.ranks.push(ranks);
            let state = match found {
                None => Err(self.not_offered(at)),
                Some(found) => state(found, tuning_point.range),
            };
            seen.push(TuningPointState { label: tuning_point.label.clone(), state });
        }
        self.tuning_points = seen;
    }

    pub(super) fn not_offered(&self, at: usize) -> String {
        let tuning_point = &self.description.tuning_points[at];
        let of = match tuning_point.whose {
            Whose::Rank(rank) => format!("rank {rank} does not offer"),
            Whose::Lowest | Whose::All => "no rank offers".to_owned(),
        };
        let why = self.refused.get(&tuning_point.label).map_or(String::new(), |why| format!(": {why}"));
        format!("{of} a tuning point {}{why}", tuning_point.name)
    }

    /// Proposes the request of the file's program, unless it is in force, tabu, or promises too little.
    pub(super) fn ask(&mut self) -> Option<Proposal> {
        let last = self.last.as_ref()?;
        let (iteration, objective) = (last.iteration, last.objective);
        let limits = self.description.limits;
        if iteration < self.quiet_until || limits.max_changes.is_some_and(|most| self.changes >= most) {
            return None;
        }
        let mut scope = last.scope.clone();
        scope::for_decision(&mut scope, &self.tuning_points, objective, self.outcome.clone(), self.state.clone());
        let read = |map: &Map| Request::read(map, &self.description.tuning_points, &self.tuning_points);
        // What cannot be read is not in force: it is refused below.
        let in_force = |map: &Map| read(map).is_ok_and(|request| self.is_in_force(&request));
        let asked = self.program.decide(&mut scope, in_force);
        let request = asked.and_then(|(map, state)| Ok((map.as_ref().map(read).transpose()?, state)));
        match request {
            Ok((request, state)) => {
                (self.state, self.in_succession) = (state, 0);
                let request = request.filter(|request| !self.is_in_force(request))?;
                self.proposal(&request)
            }
            Err(why) => {
                self.fail(why);
                None
            }
        }
    }

    fn is_in_force(&self, request: &Request) -> bool {
        let same = |now: &Value, wanted: &Value| match (now, wanted) {
            (Value::Number(now), Value::Number(wanted)) => (now - wanted).abs() <= 1e-9 * now.abs().max(wanted.abs()),
            (now, wanted) => now == wanted,
        };
        request.values.iter().all(|(at, wanted)| {
            self.tuning_points
                .get(*at)
                .and_then(|tuning_point| tuning_point.state.as_ref().ok())
                .is_some_and(|(now, _)| same(now, wanted))
        })
    }

    /// Whether a change of these tuning points must happen on all ranks in the same iteration.
    fn is_synchronized(&self, values: &Values) -> bool {
        let declared = self.description.tuning_points.iter().filter(|tuning_point| tuning_point.synchronized);
        declared.into_iter().any(|declared| values.iter().any(|(name, _)| declared.name == *name))
    }

    fn proposal(&mut self, request: &Request) -> Option<Proposal> {
        let (iteration, iteration_s, window_s) =
            self.last.as_ref().map(|last| (last.iteration, last.iteration_s, last.window_s))?;
        let mut ranks = request.values.iter().filter_map(|(at, _)| self.ranks.get(*at));
        let first = ranks.next().cloned().unwrap_or_default();
        if ranks.any(|other| *other != first) {
            self.fail(
                "it asks for tuning points of different ranks at once: one change turns those of one, or of all".into(),
            );
            return None;
        }
        let ranks = first;
        if ranks.is_empty() {
            return None;
        }
        let by_default = self.description.objective.by_default;
        let predicted =
            request.predict.or(request.predict_s.filter(|_| by_default)).map(|value| self.program.cost(value));
        let before = self.measured.cost();
        if let (Some(cost), Some(before)) = (predicted, before)
            && cost > before * (1.0 - self.description.limits.min_gain)
        {
            self.note("a change was not made: what it predicts is not better by min_gain".into());
            return None;
        }
        let name = |at: usize| self.description.tuning_points[at].name.clone();
        let to: Values = request.values.iter().map(|(at, value)| (name(*at), value.clone())).collect();
        if !self.tabu.allows(&to, iteration) {
            return None;
        }
        let now =
            |(at, _): &(usize, Value)| Some((name(*at), self.tuning_points.get(*at)?.state.as_ref().ok()?.0.clone()));
        let from: Values = request.values.iter().filter_map(now).collect();
        let labels: Vec<&str> =
            request.values.iter().map(|(at, _)| self.description.tuning_points[*at].label.as_str()).collect();
        let share = request
            .uncertainty
            .unwrap_or_else(|| self.errors.half_width(self.noise.deviation(), self.confidence))
            .min(limits::UNCERTAINTY);
        let predicted_s = request.predict_s.or(request.predict.filter(|_| by_default)).unwrap_or(f64::NAN);
        let gain = predicted.zip(before).map(|(cost, before)| Gain {
            mean: (before / cost).ln(),
            error: share.ln_1p() / self.confidence.two_sided(),
        });
        let gain = gain.filter(|gain| gain.mean.is_finite());
        let proposal = Proposal {
            tunlet: self.description.name.clone().into(),
            iteration,
            ranks: ranks.clone(),
            synchronized: self.is_synchronized(&to),
            assignments: to.clone(),
            tuning_point: labels.join(", "),
            from: explanation::values(&from),
            to: explanation::values(&to),
            why: request.why.clone(),
            predicted_s,
            uncertainty: if predicted_s.is_finite() { share } else { 0.0 },
            unchanged_s: self.measured.time_s().unwrap_or(iteration_s),
            worth: gain.map_or(Worth::Unknown, |gain| worth(gain, (iteration + 1, 1), window_s)),
            ..Proposal::default()
        };
        let setting = |values| Setting { ranks: ranks.clone(), values };
        let expected = gain.unwrap_or(Gain::UNKNOWN);
        self.pending =
            Some(Pending { from: Some(setting(from)), to: setting(to), expected, promised_s: predicted_s, iteration });
        Some(proposal)
    }

    /// Proposes the former values after a change that measured worse.
    pub(super) fn roll_back(&mut self) -> Option<Proposal> {
        let (iteration, iteration_s) = self.last.as_ref().map(|last| (last.iteration, last.iteration_s))?;
        let Setting { ranks, values: to } = self.trials.rollback.as_ref()?.from.clone()?;
        let why = if self.off {
            "nobody can tell any more whether the change helps: back to the former"
        } else {
            "it measured worse: back to the former"
        };
        self.rollback_tries += 1;
        if self.rollback_tries >= TRIES {
            self.trials.rollback = None;
        }
        let tuning_point =
            |name: &String| self.description.tuning_points.iter().position(|tuning_point| tuning_point.name == *name);
        let now = |name: &String| Some(self.tuning_points.get(tuning_point(name)?)?.state.as_ref().ok()?.0.clone());
        let from: Values = to.iter().filter_map(|(name, _)| Some((name.clone(), now(name)?))).collect();
        let label =
            |(name, _): &(String, Value)| Some(self.description.tuning_points[tuning_point(name)?].label.clone());
        let proposal = Proposal {
            tunlet: self.description.name.clone().into(),
            iteration,
            ranks: ranks.clone(),
            synchronized: self.is_synchronized(&to),
            tuning_point: to.iter().filter_map(label).collect::<Vec<String>>().join(", "),
            from: explanation::values(&from),
            to: explanation::values(&to),
            assignments: to.clone(),
            why: why.to_owned(),
            predicted_s: f64::NAN,
            unchanged_s: iteration_s,
            worth: Worth::Due,
            ..Proposal::default()
        };
        self.pending = Some(Pending {
            from: None,
            to: Setting { ranks, values: to },
            expected: Gain::UNKNOWN,
            promised_s: f64::NAN,
            iteration,
        });
        Some(proposal)
    }
}

/// Value and allowed range of a tuning point.
fn state(found: &TuningPoint, range: Option<(f64, f64)>) -> Result<(Value, (f64, f64)), String> {
    if let Some(text) = &found.text {
        return Ok((Value::Text(text.clone()), found.range));
    }
    let (low, high) = range.unwrap_or(found.range);
    let (low, high) = (low.max(found.range.0), high.min(found.range.1));
    let (low, high) = if found.whole { (low.ceil(), high.floor()) } else { (low, high) };
    if low > high {
        let (least, most) = found.range;
        return Err(format!(
            "the range of {} has nothing in common with the {least} to {most} of rank {}",
            found.name, found.rank
        ));
    }
    Ok((Value::Number(found.value), (low, high)))
}
