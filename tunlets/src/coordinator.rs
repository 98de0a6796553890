//! Several tunlets on one job: each tuning point belongs to one, one change at a time over all, and some may only advise.
//!
//! The acting tunlets are asked in turn; who had a change goes to the end. While a change is being judged, nobody else makes
//! one: what is measured would be of both.

use std::collections::VecDeque;

use crate::shadow::{InForce, Shadow, ShadowScore};
use crate::tuning_point::TuningPoint;
use crate::{
    Explanation, Judgement, Outlook, Proposal, Refusal, SearchReport, Settled, StreamWindow, Tunlet, Value, Verdict,
    Window,
};

/// Windows after which a change that its tunlet does not judge no longer keeps the others waiting.
const PATIENCE: u32 = 16;

/// Why tunlets cannot work together; the text names them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Clash {
    /// Two acting tunlets may turn the same tuning point.
    #[error("the tunlets {0} and {1} may both turn {2}: let one act, or give the other as --shadow")]
    SameTuningPoint(String, String, String),
    /// The same label for different things.
    #[error("the tunlets {0} and {1} both call something `{2}`, but not the same: rename it in one of their files")]
    SameLabel(String, String, String),
    /// Different iterations.
    #[error("the tunlets {0} and {1} say different things of where an iteration begins")]
    Iterations(String, String),
    /// All of them advise.
    #[error("nobody acts: give a --tunlet besides --shadow")]
    NobodyActs,
    /// Their points do not fit into one text.
    #[error("what the tunlets want to measure and turn takes {0} bytes; at most {1} are allowed")]
    TooLong(usize, usize),
}

/// Who has a change that is not judged.
#[derive(Clone, Copy, Debug)]
struct Change {
    of: usize,
    decision: u64,
    windows: u32,
}

/// Who was asked last, and what it wants of which rank.
type Asked = (usize, u32, Vec<(String, Value)>);
/// A line of points, and who wrote it in which of its own lines.
type Line = (String, Vec<(usize, u32)>);

/// See the module.
pub struct Coordinator {
    name: String,
    acting: Vec<Box<dyn Tunlet>>,
    shadows: Vec<Shadow>,
    /// Places of the acting, who is asked first in front.
    turn: VecDeque<usize>,
    asked: Option<Asked>,
    change: Option<Change>,
    in_force: InForce,
    /// Windows up to this iteration saw a change.
    mixed_until: Option<u64>,
    points: Vec<Line>,
}

impl Coordinator {
    /// Lets `acting` act and `shadows` advise.
    ///
    /// # Errors
    /// They cannot work together.
    pub fn new(acting: Vec<Box<dyn Tunlet>>, shadows: Vec<Box<dyn Tunlet>>) -> Result<Coordinator, Clash> {
        if acting.is_empty() {
            return Err(Clash::NobodyActs);
        }
        let turned: Vec<Vec<String>> = acting.iter().map(|tunlet| tuning_points(tunlet.as_ref())).collect();
        for (at, own) in turned.iter().enumerate() {
            for (other, others) in turned.iter().enumerate().skip(at + 1) {
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
            turn: (0..acting.len()).collect(),
            acting,
            shadows: shadows.into_iter().map(Shadow::new).collect(),
            asked: None,
            change: None,
            in_force: InForce::new(),
            mixed_until: None,
            points,
        })
    }

    /// What was in force in all of a window.
    fn whole(&self, number: u64, changed: bool) -> Option<&InForce> {
        (!changed && self.mixed_until.is_none_or(|until| number > until)).then_some(&self.in_force)
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

/// Names of the tuning points that a tunlet may turn.
fn tuning_points(tunlet: &dyn Tunlet) -> Vec<String> {
    tunlet.explain().turns.into_iter().map(|turn| turn.tuning_point).collect()
}

/// The lines of all points, each once, with who wrote it and in which of its own lines.
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
    let most = midrun_points::TEXT_BYTES;
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

    fn on_point_refused(&mut self, rank: u32, line: u32, why: &str) {
        let Some((_, writers)) = self.points.get((line as usize).wrapping_sub(1)) else { return };
        for (at, own) in writers {
            match at.checked_sub(self.acting.len()) {
                None => self.acting[*at].on_point_refused(rank, *own, why),
                Some(at) => self.shadows[at].tunlet_mut().on_point_refused(rank, *own, why),
            }
        }
    }

    fn observe(&mut self, window: &Window) {
        self.tick();
        self.acting.iter_mut().for_each(|tunlet| tunlet.observe(window));
        let whole = self.whole(window.iteration, window.setting_changed).cloned();
        self.shadows.iter_mut().for_each(|shadow| shadow.observe(window, whole.as_ref()));
    }

    fn observe_stream(&mut self, window: &StreamWindow) {
        self.tick();
        self.acting.iter_mut().for_each(|tunlet| tunlet.observe_stream(window));
        // A change of a stream is settled by an input's number, not by a window's: what is settled is whole.
        let whole = window.settled.then(|| self.in_force.clone());
        self.shadows.iter_mut().for_each(|shadow| shadow.observe_stream(window, whole.as_ref()));
    }

    fn judgements(&mut self) -> Vec<Judgement> {
        let mut all = Vec::new();
        for (at, tunlet) in self.acting.iter_mut().enumerate() {
            let judged = tunlet.judgements();
            let open = self.change.filter(|change| change.of == at);
            // One that is taken back is followed by its way back: its tunlet is asked first.
            if let Some(own) = open.and_then(|open| judged.iter().find(|judged| judged.decision == open.decision)) {
                self.change = None;
                if own.verdict == Verdict::RolledBack {
                    self.turn.retain(|other| *other != at);
                    self.turn.push_front(at);
                }
            }
            all.extend(judged);
        }
        all
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        for tuning_point in tuning_points {
            let value = tuning_point.text.clone().map_or(Value::Number(tuning_point.value), Value::Text);
            self.in_force.insert((tuning_point.rank, tuning_point.name.clone()), value);
        }
        self.shadows.iter_mut().for_each(|shadow| shadow.advise(tuning_points));
        let first = self.change.map(|change| change.of);
        for at in self.turn.clone() {
            if first.is_some_and(|of| of != at) {
                continue;
            }
            if let Some(proposal) = self.acting[at].propose(tuning_points) {
                self.turn.retain(|other| *other != at);
                self.turn.push_back(at);
                self.asked = Some((at, proposal.rank, proposal.assignments.clone()));
                return Some(proposal);
            }
        }
        None
    }

    fn also_ranks(&self) -> Vec<u32> {
        self.asked.as_ref().map(|(at, ..)| self.acting[*at].also_ranks()).unwrap_or_default()
    }

    fn synchronized(&self) -> bool {
        self.asked.as_ref().is_some_and(|(at, ..)| self.acting[*at].synchronized())
    }

    fn ideal_period_s(&self) -> Option<f64> {
        self.acting.iter().find_map(|tunlet| tunlet.ideal_period_s())
    }

    fn search_report(&self) -> Option<SearchReport> {
        self.acting.iter().find_map(|tunlet| tunlet.search_report())
    }

    fn outlook(&self) -> Option<Outlook> {
        self.acting.iter().find_map(|tunlet| tunlet.outlook())
    }

    fn on_reason(&mut self, why: &str) {
        if let Some((at, ..)) = self.asked {
            self.acting[at].on_reason(why);
        }
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let Some((at, rank, to)) = self.asked.take() else { return };
        if let Settled::Applied { iteration } = settled {
            self.change = Some(Change { of: at, decision, windows: 0 });
            self.mixed_until = Some(iteration);
            self.shadows.iter_mut().for_each(|shadow| shadow.on_acted(rank, &to));
            self.in_force.extend(to.into_iter().map(|(name, value)| ((rank, name), value)));
        }
        self.acting[at].on_settled(decision, settled);
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.all().flat_map(Tunlet::refusals).collect()
    }

    fn never(&self) -> Vec<String> {
        self.all()
            .flat_map(|tunlet| tunlet.never().into_iter().map(|why| format!("{}: {why}", tunlet.name())))
            .collect()
    }

    fn shadows(&self) -> Vec<ShadowScore> {
        self.shadows.iter().map(Shadow::score).collect()
    }
}

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;
