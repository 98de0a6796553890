//! What agents and analyzer show of themselves: a batch that an agent made arrives, unless the agent counts it as dropped, and an analyzer
//! that starts again knows of as many decisions as the one before.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use midrun_agent::Overview as OfAgent;
use midrun_analyzer::overview::Overview as OfAnalyzer;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

/// One program that can be asked; the next one on its host takes its place.
#[derive(Debug)]
struct Program<T> {
    asks: Option<Sender<oneshot::Sender<T>>>,
    answer: Option<oneshot::Receiver<T>>,
}

impl<T> Program<T> {
    fn start() -> (Program<T>, Receiver<oneshot::Sender<T>>) {
        let (asks, asked) = channel(1);
        (Program { asks: Some(asks), answer: None }, asked)
    }

    fn ask(&mut self) {
        let (place, answer) = oneshot::channel();
        self.answer = self.asks.as_ref().filter(|asks| asks.try_send(place).is_ok()).map(|_| answer);
    }

    fn answer(&mut self) -> Option<T> {
        self.answer.take()?.try_recv().ok()
    }
}

#[derive(Debug, Default)]
struct State {
    /// Every agent that was ever started, and the batches that it dropped, as far as is known.
    agents: Vec<(Program<OfAgent>, u64)>,
    analyzer: Option<Program<OfAnalyzer>>,
    /// Batches that the analyzer misses, before the agents were asked.
    missing: Option<u64>,
    /// The jobs, as the analyzer that runs now has shown them last.
    jobs: Vec<Value>,
    /// Decisions of each job that were shown.
    decisions: BTreeMap<String, u64>,
    /// The analyzer's host has lost its power: what was not synced is gone, though it was acknowledged.
    has_lost_power: bool,
}

/// Decisions of a job, whatever became of them.
fn decisions(job: &Value) -> u64 {
    job["verdicts"].as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum()
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Shown(Rc<RefCell<State>>);

impl Shown {
    /// An agent starts: where it is asked.
    pub fn agent(&self) -> Receiver<oneshot::Sender<OfAgent>> {
        let (program, asked) = Program::start();
        self.0.borrow_mut().agents.push((program, 0));
        asked
    }

    /// An analyzer starts: where it is asked.
    pub fn analyzer(&self) -> Receiver<oneshot::Sender<OfAnalyzer>> {
        let (program, asked) = Program::start();
        let mut state = self.0.borrow_mut();
        (state.analyzer, state.missing) = (Some(program), None);
        state.jobs.clear();
        asked
    }

    /// The analyzer's host loses its power.
    pub fn on_power_lost(&self) {
        self.0.borrow_mut().has_lost_power = true;
    }

    /// Asks the analyzer and, when it has answered, the agents. Returns why the answers do not fit. An analyzer whose journal does not
    /// outlive it may have forgotten what it decided.
    pub fn look(&self, journal_lasts: bool) -> Option<String> {
        let mut state = self.0.borrow_mut();
        let state = &mut *state;
        for job in state.jobs.iter().filter(|_| journal_lasts && !state.has_lost_power) {
            let (name, now) = (job["job"].as_str().unwrap_or_default(), decisions(job));
            let before = state.decisions.insert(name.to_owned(), now).unwrap_or(0);
            if now < before {
                return Some(format!("job {name} had {before} decisions, and the analyzer knows {now}"));
            }
        }
        if let Some(missing) = state.missing.take().filter(|_| !state.has_lost_power) {
            for (agent, dropped) in &mut state.agents {
                *dropped = agent.answer().map_or(*dropped, |shown| shown.stats.batches_dropped);
            }
            let dropped: u64 = state.agents.iter().map(|(_, dropped)| dropped).sum();
            if missing > dropped {
                return Some(format!("{missing} batches never came, and agents have dropped {dropped}"));
            }
        }
        let analyzer = state.analyzer.as_mut()?;
        let shown = analyzer.answer();
        if let Some(shown) = &shown {
            state.missing = Some(shown.stats.batches_missing);
            state.agents.iter_mut().for_each(|(agent, _)| agent.ask());
        }
        analyzer.ask();
        state.jobs = shown.map_or_else(Vec::new, |shown| shown.jobs);
        None
    }

    /// Whether the analyzer that runs now has links to the agents of a job on all these nodes.
    pub fn are_linked(&self, job: &str, nodes: &BTreeSet<String>) -> bool {
        let state = self.0.borrow();
        let hosts = state.jobs.iter().filter(|shown| shown["job"] == job).filter_map(|shown| shown["hosts"].as_array());
        let linked = hosts.flatten().filter(|host| host["linked"] == true).filter_map(|host| host["node"].as_str());
        let linked: BTreeSet<&str> = linked.collect();
        nodes.iter().all(|node| linked.contains(node.as_str()))
    }
}
