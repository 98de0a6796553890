//! A recorded Master/Worker program: its iteration time with other workers, techniques and links.

use super::{Answer, Learner, OtherLink, Tried, uncertainty};
use crate::link::Cost;
use crate::master_worker::own_values;
use crate::master_worker::recorded::{CutSeen, Fit, Foreseen};
use crate::{Network, TuningPoint, Window};
use midrun_models::batches::Batches;
use midrun_models::line::median;
use midrun_scheduling::{Technique, TechniqueParameters};
use std::fmt;

/// Windows at the end of a recording that are looked at.
const LAST: usize = 400;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// Workers.
    pub workers: u32,
    /// How tasks are handed out; `None`: as at the end of the recording.
    pub technique: Option<TechniqueChoice>,
    /// Messages that cost otherwise.
    pub link: OtherLink,
}

/// How tasks are handed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TechniqueChoice {
    /// By what the tunlet would choose.
    Best,
    /// By this technique, with its share; 0 where it has none, or the best share.
    Kind(Technique, f64),
    /// As it was recorded.
    Seen(TechniqueParameters),
}

/// By what tasks are handed out.
#[derive(Clone, Debug, PartialEq)]
pub enum HandOut {
    /// By a technique of midrun's.
    Technique(TechniqueParameters),
    /// By the program itself, so.
    Own(String),
}

impl fmt::Display for HandOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandOut::Technique(setting) => {
                write!(f, "{setting}{}", if setting.recall { " with recall" } else { "" })
            }
            HandOut::Own(how) => how.fmt(f),
        }
    }
}

/// An answer, and the setting that it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The setting.
    pub setting: HandOut,
    /// Tasks of an iteration.
    pub tasks: u64,
    /// Its time.
    pub answer: Answer,
    /// The shortest time for the tasks, total task time / workers, seconds.
    pub ideal_s: f64,
}

/// Workers; and the technique with its share in tenths, or what a program does that cuts its tasks by itself.
pub type Key = (u32, String);

impl Learner for Fit {
    type Window = Window;
    type Setting = Key;

    fn learn<'a>(windows: impl Iterator<Item = &'a Window>) -> Option<Fit> {
        Fit::of(windows)
    }

    fn setting(window: &Window) -> Option<Key> {
        let whole = window.is_whole() && window.iteration_s > 0.0;
        whole.then(|| key(window.workers, &hand_out(window)))
    }

    fn measured_s(window: &Window) -> f64 {
        window.iteration_s
    }

    fn expected_s(&self, window: &Window) -> Option<f64> {
        Some(self.of_window(window).iteration_s)
    }
}

fn key(workers: u32, setting: &HandOut) -> Key {
    let HandOut::Technique(technique) = setting else { return (workers, setting.to_string()) };
    let (kind, share) = crate::master_worker::recorded::family(technique);
    (workers, format!("{kind} {share}"))
}

fn own(batches: Option<&Batches>) -> HandOut {
    HandOut::Own(batches.map_or_else(|| "its own chunks".to_owned(), Batches::to_string))
}

/// By what tasks were handed out in an iteration.
fn hand_out(window: &Window) -> HandOut {
    match window.own_loop {
        true => own(CutSeen::of(window).batches.as_ref()),
        false => HandOut::Technique(window.setting),
    }
}

/// What a recording teaches.
#[derive(Clone, Debug)]
pub struct Recording {
    fit: Fit,
    tried: Tried<Key>,
    /// What was recorded: workers, the last setting of its kind, and the times measured, seconds.
    seen: Vec<(u32, HandOut, Vec<f64>)>,
    last: TechniqueParameters,
    own_loop: bool,
    /// What the program offered to be told.
    tuning_points: Vec<TuningPoint>,
}

impl Recording {
    /// Learns from windows of a program that offered these tuning points; `None` where no window teaches anything.
    pub fn of(windows: &[Window], tuning_points: &[TuningPoint]) -> Option<Recording> {
        let windows = &windows[windows.len().saturating_sub(LAST)..];
        let mut seen: Vec<(u32, HandOut, Vec<f64>)> = Vec::new();
        for window in windows.iter().filter(|window| Fit::setting(window).is_some()) {
            let of_window = hand_out(window);
            let same = |(workers, setting, _): &&mut (u32, HandOut, Vec<f64>)| {
                key(*workers, setting) == key(window.workers, &of_window)
            };
            match seen.iter_mut().find(same) {
                Some((_, setting, times)) => {
                    *setting = of_window;
                    times.push(window.iteration_s);
                }
                None => seen.push((window.workers, of_window, vec![window.iteration_s])),
            }
        }
        let (fit, tried) = (Fit::of(windows.iter())?, Tried::on::<Fit>(windows));
        let last = windows.last()?;
        let tuning_points = tuning_points.to_vec();
        Some(Recording { fit, tried, seen, last: last.setting, own_loop: last.own_loop, tuning_points })
    }

    /// Why a technique cannot be asked for; `None` where it can.
    pub fn refuses(&self, technique: TechniqueChoice) -> Option<&'static str> {
        match technique {
            _ if !self.own_loop => None,
            TechniqueChoice::Best if own_values(&self.tuning_points).is_some() => None,
            TechniqueChoice::Best => Some(
                "is of a program that hands its tasks out by itself and offers no value for it (docs/points.md): ask for --workers alone",
            ),
            TechniqueChoice::Kind(..) | TechniqueChoice::Seen(_) => Some(
                "is of a program that hands its tasks out by itself, by no technique of midrun's: ask for --technique auto, or for --workers alone",
            ),
        }
    }

    /// Workers at its end.
    pub fn workers(&self) -> u32 {
        self.fit.workers()
    }

    /// What was learnt, in the source's symbols.
    pub fn inputs(&self) -> String {
        self.fit.inputs()
    }

    /// Time between two iterations, seconds.
    pub fn prepare_s(&self) -> f64 {
        self.fit.prepare_s()
    }

    /// What was recorded: workers, setting, iterations.
    pub fn seen(&self) -> impl Iterator<Item = (u32, &HandOut, usize)> {
        self.seen.iter().map(|(workers, setting, times)| (*workers, setting, times.len()))
    }

    /// The answer.
    pub fn answer(&self, question: &Question) -> Answered {
        let fit = self.fit.with_link(|network| changed(network, question.link));
        let known = |kind: Technique| self.last.kind == kind;
        let best_own = || fit.with_own(question.workers, &self.tuning_points);
        let own_best = question.technique.filter(|_| self.own_loop).and_then(|_| best_own());
        let foreseen = match question.technique {
            _ if let Some((foreseen, _)) = &own_best => *foreseen,
            None => fit.with(question.workers, &self.last),
            Some(TechniqueChoice::Seen(setting)) => fit.with(question.workers, &setting),
            Some(TechniqueChoice::Kind(kind, 0.0)) if known(kind) => fit.with(question.workers, &self.last),
            Some(TechniqueChoice::Kind(kind, share)) => fit.with_technique(question.workers, Some((kind, share))),
            Some(TechniqueChoice::Best) => fit.with_technique(question.workers, None),
        };
        let Foreseen { setting, iteration_s, tasks, ideal_s, .. } = foreseen;
        let setting = match own_best {
            Some((_, values)) => HandOut::Own(values),
            None if self.own_loop => own(fit.own_batches()),
            None => HandOut::Technique(setting),
        };
        let key = key(question.workers, &setting);
        let same = |(workers, setting, _): &&(u32, HandOut, Vec<f64>)| self::key(*workers, setting) == key;
        let as_it_was = question.link == OtherLink::default();
        let measured = self.seen.iter().find(same).filter(|_| as_it_was);
        let errors = self.tried.errors(&key);
        let away = (f64::from(self.workers()), f64::from(question.workers));
        let away = if measured.is_some() { (1.0, 1.0) } else { away };
        let answer = Answer {
            time_s: iteration_s,
            uncertainty: uncertainty(foreseen.uncertainty, errors, away),
            errors,
            measured_s: measured.map(|(_, _, times)| median(times.clone())),
        };
        Answered { setting, tasks, answer, ideal_s }
    }
}

/// The network with what is known otherwise.
fn changed(network: Option<Network>, other: OtherLink) -> Option<Network> {
    if other == OtherLink::default() {
        return network;
    }
    let network = network.unwrap_or_else(|| Network { near: Some(crate::LinkCost::default()), ..Network::default() });
    let link = |link: crate::LinkCost| {
        let exact = |new: Option<f64>, old: f64, error: f64| new.map_or((old, error), |new| (new, 0.0));
        let (start_up_s, start_up_error_s) = exact(other.latency_s, link.cost.start_up_s, link.cost.start_up_error_s);
        let (per_byte_s, per_byte_error_s) = exact(other.per_byte_s, link.cost.per_byte_s, link.cost.per_byte_error_s);
        crate::LinkCost { cost: Cost { start_up_s, start_up_error_s, per_byte_s, per_byte_error_s }, ..link }
    };
    Some(Network { near: network.near.map(link), far: network.far.map(link), ..network })
}
