//! Several tunlets on one job: each tuning point belongs to one of them, and shadows only advise.
//!
//! All acting tunlets are asked, and the proposal worth most goes out ([`Choice`]). Only one change is watched at a time: otherwise the
//! measurements would mix the effects of two.

use crate::choice::Choice;
use crate::contract::report_of;
use crate::shadow::{InForce, Shadow};
use crate::trial::WATCHED_LONG;
use crate::tuning_point::TuningPoint;
use crate::{Explanation, Judgement, Observation, Proposal, Refusal, Report, Settled, Tunlet, Value};

/// Windows that the other tunlets wait at most for the judgement on a change: for the longest trial, and as long for it to begin.
const PATIENCE: u32 = 2 * WATCHED_LONG as u32;

/// Why tunlets cannot work together; the text names them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Clash {
    /// Two acting tunlets may set the same tuning point.
    #[error("the tunlets {0} and {1} may both turn {2}: let one act, or give the other as --shadow")]
    SameTuningPoint(String, String, String),
    /// Two tunlets give the same label to different points.
    #[error("the tunlets {0} and {1} both call something `{2}`, but not the same: rename it in one of their files")]
    SameLabel(String, String, String),
    /// Two tunlets declare different beginnings of an iteration.
    #[error("the tunlets {0} and {1} say different things of where an iteration begins")]
    Iterations(String, String),
    /// No tunlet acts.
    #[error("nobody acts: give a --tunlet besides --shadow")]
    NobodyActs,
    /// Their points together exceed the limit; bytes, and the limit.
    #[error("what the tunlets want to measure and turn takes {0} bytes; at most {1} are allowed")]
    TooLong(usize, usize),
}

/// A change that its tunlet has not judged yet.
#[derive(Clone, Copy, Debug)]
struct Unjudged {
    of: usize,
    decision: u64,
    windows: u32,
}

/// Index of the tunlet whose proposal is in flight, its first rank and its assignments.
type Asked = (usize, u32, Vec<(String, Value)>);
/// A line of points, and its writers: index of the tunlet, line in its own text.
type Line = (String, Vec<(usize, u32)>);

/// See the module.
#[derive(Clone)]
pub struct Coordinator {
    name: String,
    acting: Vec<Box<dyn Tunlet>>,
    shadows: Vec<Shadow>,
    /// Among the acting tunlets, by index.
    choice: Choice<usize>,
    asked: Option<Asked>,
    change: Option<Unjudged>,
    in_force: InForce,
    /// A change was applied in this iteration: windows up to it are mixed.
    mixed_until: Option<u64>,
    points: Vec<Line>,
}

impl Coordinator {
    /// Combines tunlets that act and shadows that advise.
    ///
    /// # Errors
    /// They cannot work together.
    pub fn new(acting: Vec<Box<dyn Tunlet>>, shadows: Vec<Box<dyn Tunlet>>) -> Result<Coordinator, Clash> {
        if acting.is_empty() {
            return Err(Clash::NobodyActs);
        }
        let names: Vec<Vec<String>> = acting.iter().map(|tunlet| tuning_points(tunlet.as_ref())).collect();
        for (at, own) in names.iter().enumerate() {
            for (other, others) in names.iter().enumerate().skip(at + 1) {
                if let Some(tuning_point) = own.iter().find(|tuning_point| others.contains(tuning_point)) {
                    let name = |at: usize| acting[at].name().to_owned();
                    return Err(Clash::SameTuningPoint(name(at), name(other), tuning_point.clone()));
                }
            }
        }
        let names = |tunlets: &[Box<dyn Tunlet>]| tunlets.iter().map(|t| t.name().to_owned()).collect::<Vec<String>>();
        let points = points(&acting, &shadows)?;
        Ok(Coordinator {
            name: names(&acting).join("+"),
            choice: Choice::new(),
            acting,
            shadows: shadows.into_iter().map(Shadow::new).collect(),
            asked: None,
            change: None,
            in_force: InForce::new(),
            mixed_until: None,
            points,
        })
    }

    /// Tells a refused line to the tunlets that wrote it, one of the user's to all.
    fn on_point_refused(&mut self, rank: u32, line: u32, why: &str) -> Vec<Judgement> {
        if self.points.is_empty() {
            let observation = Observation::PointRefused { rank, line, why };
            return (0..self.acting.len()).flat_map(|at| self.acting[at].observe(observation)).collect();
        }
        let Some((_, writers)) = self.points.get((line as usize).wrapping_sub(1)) else { return Vec::new() };
        let mut judgements = Vec::new();
        for (at, own) in writers {
            let observation = Observation::PointRefused { rank, line: *own, why };
            match at.checked_sub(self.acting.len()) {
                None => judgements.extend(self.acting[*at].observe(observation)),
                Some(at) => self.shadows[at].observe(observation, None),
            }
        }
        judgements
    }

    /// Shows an observation to an acting tunlet. Its judgement on the open change lets the others act again.
    fn judgements_of(&mut self, at: usize, observation: Observation<'_>) -> Vec<Judgement> {
        let judged = self.acting[at].observe(observation);
        let open = self.change.filter(|change| change.of == at);
        if open.is_some_and(|open| judged.iter().any(|judged| judged.decision == open.decision)) {
            self.change = None;
        }
        judged
    }

    fn tick(&mut self) {
        if let Some(change) = &mut self.change {
            change.windows += 1;
            if change.windows > PATIENCE {
                self.change = None;
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &dyn Tunlet> {
        self.acting.iter().map(AsRef::as_ref).chain(self.shadows.iter().map(Shadow::tunlet))
    }
}

/// Names of the tuning points that a tunlet may set.
fn tuning_points(tunlet: &dyn Tunlet) -> Vec<String> {
    tunlet.explain().turns.into_iter().map(|turn| turn.tuning_point).collect()
}

/// Merges the points of all tunlets; each line once, with its writers.
fn points(acting: &[Box<dyn Tunlet>], shadows: &[Box<dyn Tunlet>]) -> Result<Vec<Line>, Clash> {
    let all: Vec<&dyn Tunlet> = acting.iter().chain(shadows).map(AsRef::as_ref).collect();
    let mut lines: Vec<Line> = Vec::new();
    for (at, tunlet) in all.iter().enumerate() {
        for (number, line) in (1..).zip(tunlet.points().lines()) {
            if let Some((_, writers)) = lines.iter_mut().find(|(known, _)| known == line) {
                writers.push((at, number));
                continue;
            }
            let words = |line: &str| line.split(' ').take(2).map(str::to_owned).collect::<Vec<String>>();
            let new = words(line);
            // `return` has no label of its own.
            let clash = lines.iter().find(|(known, _)| {
                let known = words(known);
                let both_begin = new[0] == "iteration" && known[0] == "iteration";
                let labelled = ["iteration", "return"].iter().all(|word| new[0] != *word && known[0] != *word);
                both_begin || (labelled && known.get(1) == new.get(1))
            });
            if let Some((_, writers)) = clash {
                let name = |at: usize| all[at].name().to_owned();
                let (one, two) = (name(writers[0].0), name(at));
                return Err(match new[0].as_str() {
                    "iteration" => Clash::Iterations(one, two),
                    _ => Clash::SameLabel(one, two, new[1].clone()),
                });
            }
            lines.push((line.to_owned(), vec![(at, number)]));
        }
    }
    let bytes = lines.iter().map(|(line, _)| line.len() + 1).sum();
    let most = midrun_vocabulary::bounds::TEXT_BYTES;
    if bytes > most { Err(Clash::TooLong(bytes, most)) } else { Ok(lines) }
}

impl Tunlet for Coordinator {
    fn name(&self) -> &str {
        &self.name
    }

    fn explain(&self) -> Explanation {
        let turns = self.acting.iter().flat_map(|tunlet| tunlet.explain().turns).collect();
        Explanation { turns, ..Explanation::of_name(&self.name) }
    }

    fn points(&self) -> String {
        self.points.iter().map(|(line, _)| format!("{line}\n")).collect()
    }

    fn joins_short_iterations(&self) -> bool {
        self.acting.iter().all(|tunlet| tunlet.joins_short_iterations())
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        let unmixed = match observation {
            Observation::PointRefused { rank, line, why } => return self.on_point_refused(rank, line, why),
            // Of a further master: when its setting changed is counted by its own iterations.
            Observation::Running { .. }
            | Observation::Resting { .. }
            | Observation::OtherIterations { .. }
            | Observation::Further(_) => {
                return (0..self.acting.len()).flat_map(|at| self.judgements_of(at, observation)).collect();
            }
            Observation::Iteration(window) => {
                !window.setting_changed && self.mixed_until.is_none_or(|until| window.iteration > until)
            }
            // A change of a stream is settled by the number of an input, not of a window: a settled window is not mixed.
            Observation::Stream(window) => window.settled,
        };
        self.tick();
        let in_force = unmixed.then_some(&self.in_force);
        self.shadows.iter_mut().for_each(|shadow| shadow.observe(observation, in_force));
        (0..self.acting.len()).flat_map(|at| self.judgements_of(at, observation)).collect()
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        for tuning_point in tuning_points {
            self.in_force.insert((tuning_point.rank, tuning_point.name.clone()), tuning_point.present());
        }
        self.shadows.iter_mut().for_each(|shadow| shadow.advise(tuning_points));
        let watched = self.change.map(|change| change.of);
        let may_act = self.acting.iter_mut().enumerate().filter(|(at, _)| watched.is_none_or(|of| of == *at));
        let (at, proposal) = self.choice.ask(may_act, |_, tunlet| tunlet.propose(tuning_points))?;
        self.asked = Some((at, proposal.ranks[0], proposal.assignments.clone()));
        Some(proposal)
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let Some((at, rank, to)) = self.asked.take() else { return };
        if let Settled::Applied { iteration } = settled {
            self.change = Some(Unjudged { of: at, decision, windows: 0 });
            self.mixed_until = Some(iteration);
            self.shadows.iter_mut().for_each(|shadow| shadow.on_acted(rank, &to));
            self.in_force.extend(to.into_iter().map(|(name, value)| ((rank, name), value)));
        } else {
            self.choice.on_not_applied(at);
        }
        self.acting[at].on_settled(decision, settled);
    }

    fn longest(&self) -> Option<(u64, f64)> {
        let all = self.acting.iter().filter_map(|tunlet| tunlet.longest());
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.all().flat_map(Tunlet::refusals).collect()
    }

    fn report(&self) -> Report {
        let all: Vec<(String, Report)> =
            self.all().map(|tunlet| (tunlet.name().to_owned(), report_of(tunlet))).collect();
        let unavailable = |(name, report): &(String, Report)| {
            report.unavailable.iter().map(|why| format!("{name}: {why}")).collect::<Vec<String>>()
        };
        let acting = || all.iter().take(self.acting.len()).map(|(_, report)| report);
        Report {
            unavailable: all.iter().flat_map(unavailable).collect(),
            shadows: self.shadows.iter().map(Shadow::score).collect(),
            ideal_period_s: acting().find_map(|report| report.ideal_period_s),
            farm: acting().find_map(|report| report.farm.clone()),
            over_start: acting().find_map(|report| report.over_start).filter(|_| self.acting.len() == 1),
            search: acting().find_map(|report| report.search.clone()),
            next_allocation: acting().find_map(|report| report.next_allocation.clone()),
            unequal_workers: acting().any(|report| report.unequal_workers),
            // What others changed gained, too.
            most_gained: acting().find_map(|report| report.most_gained).filter(|_| self.acting.len() == 1),
            other_work: acting()
                .map(|report| &report.other_work)
                .find(|all| !all.is_empty())
                .cloned()
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;
