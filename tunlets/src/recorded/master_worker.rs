//! A recorded Master/Worker program: its iteration time with other workers, techniques and links.

use super::{Answer, Learner, OtherLink, Tried, uncertainty};
use crate::link::Cost;
use crate::master_worker::recorded::{Fit, Foreseen};
use crate::{Network, Window};
use midrun_models::line::median;
use midrun_scheduling::{Technique, TechniqueParameters};

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
}

/// An answer, and the setting that it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answered {
    /// The setting.
    pub setting: TechniqueParameters,
    /// Tasks of an iteration.
    pub tasks: u64,
    /// Its time.
    pub answer: Answer,
    /// The shortest time for the tasks, total task time / workers, seconds.
    pub ideal_s: f64,
}

/// Workers, technique, and its share in tenths.
pub type Key = (u32, u32, u32);

impl Learner for Fit {
    type Window = Window;
    type Setting = Key;

    fn learn<'a>(windows: impl Iterator<Item = &'a Window>) -> Option<Fit> {
        Fit::of(windows)
    }

    fn setting(window: &Window) -> Option<Key> {
        let whole = window.is_whole() && window.iteration_s > 0.0;
        whole.then(|| key(window.workers, &window.setting))
    }

    fn measured_s(window: &Window) -> f64 {
        window.iteration_s
    }

    fn expected_s(&self, window: &Window) -> Option<f64> {
        Some(self.of_window(window).iteration_s)
    }
}

fn key(workers: u32, setting: &TechniqueParameters) -> Key {
    let (kind, share) = crate::master_worker::recorded::family(setting);
    (workers, kind, share)
}

/// What a recording teaches.
#[derive(Clone, Debug)]
pub struct Recording {
    fit: Fit,
    tried: Tried<Key>,
    /// What was recorded: workers, the last setting of its kind, and the times measured, seconds.
    seen: Vec<(u32, TechniqueParameters, Vec<f64>)>,
    last: TechniqueParameters,
}

impl Recording {
    /// Learns; `None` where no window teaches anything.
    pub fn of(windows: &[Window]) -> Option<Recording> {
        let windows = &windows[windows.len().saturating_sub(LAST)..];
        let mut seen: Vec<(u32, TechniqueParameters, Vec<f64>)> = Vec::new();
        for window in windows.iter().filter(|window| Fit::setting(window).is_some()) {
            let same = |(workers, setting, _): &&mut (u32, TechniqueParameters, Vec<f64>)| {
                key(*workers, setting) == key(window.workers, &window.setting)
            };
            match seen.iter_mut().find(same) {
                Some((_, setting, times)) => {
                    *setting = window.setting;
                    times.push(window.iteration_s);
                }
                None => seen.push((window.workers, window.setting, vec![window.iteration_s])),
            }
        }
        let (fit, tried) = (Fit::of(windows.iter())?, Tried::on::<Fit>(windows));
        Some(Recording { fit, tried, seen, last: windows.last()?.setting })
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
    pub fn seen(&self) -> impl Iterator<Item = (u32, TechniqueParameters, usize)> {
        self.seen.iter().map(|(workers, setting, times)| (*workers, *setting, times.len()))
    }

    /// The answer.
    pub fn answer(&self, question: &Question) -> Answered {
        let fit = self.fit.with_link(|network| changed(network, question.link));
        let known = |kind: Technique| self.last.kind == kind;
        let foreseen = match question.technique {
            None => fit.with(question.workers, &self.last),
            Some(TechniqueChoice::Kind(kind, 0.0)) if known(kind) => fit.with(question.workers, &self.last),
            Some(TechniqueChoice::Kind(kind, share)) => fit.with_technique(question.workers, Some((kind, share))),
            Some(TechniqueChoice::Best) => fit.with_technique(question.workers, None),
        };
        let Foreseen { setting, iteration_s, tasks, ideal_s, .. } = foreseen;
        let key = key(question.workers, &setting);
        let same = |(workers, setting, _): &&(u32, TechniqueParameters, Vec<f64>)| self::key(*workers, setting) == key;
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
