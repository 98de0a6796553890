//! Stories of the core: scripted agents and a scripted tunlet, no I/O, no clock.

mod actions;
mod batches;
mod controls;
mod instances;
mod jobs;
mod memory;
mod owner;
mod running;
mod synchronized;
mod thoughts;

use midrun_tunlets::tuning_point::names;
use midrun_tunlets::{Judgement, Observation, Proposal, Settled, TuningOptions, TuningPoint, Tunlet, Verdict};

use super::*;
use crate::actions::{ActionResult, ActionStatus};
use crate::events::{
    Begun, Ended, Event, Joined, Left, Process, Records, Report, TuningPointDeclared, Work, WorkersLost,
};
use crate::ids::{ActionId, AskId};
use crate::input::Question;
use midrun_vocabulary::ConfigError;

const MS: u64 = 1_000_000;

/// Wants technique 6 as soon as it has seen a window, and keeps it after the next one.
#[derive(Clone, Default)]
struct Scripted {
    seen: Option<u64>,
    applied: Option<(u64, u64)>,
    taken: bool,
}

impl Tunlet for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        let Observation::Iteration(window) = observation else { return Vec::new() };
        self.seen = Some(window.iteration);
        assert!(window.tasks != 666, "the scripted defect");
        if let Some((decision, at)) = self.applied
            && window.iteration > at
        {
            self.applied = None;
            return vec![Judgement::new(decision, window.iteration_s, Verdict::Kept)];
        }
        Vec::new()
    }
    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let tuning_point = tuning_points.iter().find(|tuning_point| tuning_point.name == names::TECHNIQUE)?;
        let iteration = self.seen.filter(|_| tuning_point.value != 6.0 && !self.taken)?;
        Some(Proposal {
            tunlet: "scripted".into(),
            iteration,
            ranks: vec![tuning_point.rank],
            assignments: vec![(names::TECHNIQUE.into(), 6.0.into())],
            tuning_point: "technique".into(),
            from: "dpf(0.5)".into(),
            to: "daf".into(),
            why: "sigma is 80 % of mu".into(),
            predicted_s: 0.842,
            uncertainty: 0.05,
            unchanged_s: 0.871,
            at_once: true,
            ..Proposal::default()
        })
    }
    fn on_settled(&mut self, decision: u64, settled: Settled) {
        if let Settled::Applied { iteration } = settled {
            self.applied = Some((decision, iteration));
            self.taken = true;
        }
    }
}

fn scripted(options: &TuningOptions) -> Result<Box<dyn Tunlet>, ConfigError> {
    if options.tunlet == "nobody" {
        let (value, allowed) = (options.tunlet.clone(), "scripted".to_owned());
        return Err(ConfigError { key: "tunlet", value, allowed });
    }
    Ok(Box::new(Scripted::default()))
}

fn job(id: &str) -> JobId {
    JobId::new(id).unwrap()
}

/// Rank `rank` of a job with so many ranks attached; no more is known of it.
fn joined(id: &str, rank: u32, world_size: u32) -> Joined {
    Joined { job: job(id), rank, world_size, mpi: String::new(), last_action: 0, launch: String::new(), process: None }
}

fn begun(iteration: u64) -> Event {
    let (time_ns, technique) = (iteration * 1000 * MS, 5);
    Event::IterationBegun(Begun {
        iteration,
        time_ns,
        tasks: 100,
        workers: 2,
        technique,
        factor: 0.5,
        task_bytes: 0,
        result_bytes: 0,
        framework: false,
    })
}

fn ended(iteration: u64) -> Event {
    Event::IterationEnded(Ended {
        iteration,
        time_ns: (iteration * 1000 + 900) * MS,
        tasks: 100,
        chunks: 10,
        task_time_ns: 1600 * MS,
        master_busy_ns: MS,
        ..Ended::default()
    })
}

fn worked(iteration: u64, tasks: u64) -> Event {
    let busy_s = tasks as f64 * 0.016;
    let (sum_sq_s2, profile) = (busy_s * 0.016, vec![(0, tasks as f64, busy_s)]);
    Event::Worked(Work {
        iteration: Some(iteration),
        middle_ns: 0,
        tasks,
        chunks: 5,
        busy_s,
        sum_sq_s2,
        tasks_timed: true,
        profile,
        each_chunk: Vec::new(),
        master: None,
    })
}

fn whole_tuning_point(name: &str, maximum: f64, value: f64) -> Event {
    Event::TuningPointDeclared(TuningPointDeclared {
        name: name.into(),
        whole: true,
        text: false,
        minimum: 0.0,
        maximum,
        value,
        declared: value,
    })
}

fn technique_tuning_point() -> Event {
    whole_tuning_point(names::TECHNIQUE, 7.0, 5.0)
}

fn algorithm() -> Event {
    whole_tuning_point("algorithm", 2.0, 0.0)
}

fn settled(action: &Action, status: ActionStatus, iteration: u64) -> Event {
    let time_ns = action.decided_ns + 2 * MS;
    Event::ActionSettled(ActionResult { action: action.id, status, iteration, time_ns, register: 7 })
}

/// The core, its time, and what it put out and nobody looked at yet.
struct Story {
    core: Core,
    now: u64,
    out: Vec<Output>,
    sequence: u64,
    /// The newest copy of the owner's settings that agents were shown, and keep.
    shown: Option<OwnerSettings>,
    /// Agents keep nothing.
    forgetful: bool,
}

const LINK: LinkId = LinkId(1);

impl Story {
    fn new(config: Config) -> Story {
        Story {
            core: Core::new(config, scripted, 1000),
            now: MS,
            out: Vec::new(),
            sequence: 0,
            shown: None,
            forgetful: false,
        }
    }

    /// An agent with three ranks of job `j`, rank 0 the master.
    fn begin(config: Config) -> Story {
        Story::new(config).join()
    }

    fn join(mut self) -> Story {
        self.hello(LINK, "n1-77", "j");
        self.report("j", 0, vec![technique_tuning_point()]);
        self
    }

    fn step(&mut self, input: Input) {
        self.now += 1000;
        let out = self.core.step(self.now, input);
        let shown: Vec<(LinkId, OwnerSettings)> = out
            .iter()
            .filter_map(|output| match output {
                Output::ShowSettings { link, settings } => Some((*link, (**settings).clone())),
                _ => None,
            })
            .collect();
        self.out.extend(out);
        if self.forgetful {
            return;
        }
        for (link, settings) in shown {
            let (job, version) = (settings.job.clone(), settings.version);
            self.shown = Some(settings);
            self.step(Input::SettingsKept { link, job, version });
        }
    }

    fn pass(&mut self, ms: u64) {
        self.now += ms * MS;
        self.step(Input::Tick);
    }

    fn hello(&mut self, link: LinkId, agent: &str, id: &str) {
        self.hello_with(link, agent, id, "", midrun_proto::PROTOCOL_VERSION);
    }

    fn hello_with(&mut self, link: LinkId, agent: &str, id: &str, token: &str, protocol: u32) {
        let rank = |rank| Joined { mpi: "Open MPI 4.1.4".into(), ..joined(id, rank, 3) };
        let hello = Hello {
            protocol,
            node: "n1".into(),
            agent: AgentId(agent.into()),
            version: "0.1.0".into(),
            token: token.into(),
            ranks: (0..3).map(rank).collect(),
            ..Hello::default()
        };
        self.step(Input::AgentConnected { link, hello });
    }

    fn batch(&mut self, link: LinkId, sequence: u64, reports: Vec<Report>, left: Vec<Left>) {
        let batch = Batch { sequence, reports, left, ..Batch::default() };
        self.step(Input::BatchReceived { link, batch });
    }

    fn report(&mut self, id: &str, rank: u32, events: Vec<Event>) {
        self.sequence += 1;
        self.batch(LINK, self.sequence, vec![report(id, rank, events)], Vec::new());
    }

    fn leave(&mut self, id: &str, rank: u32, finalized: bool) {
        self.sequence += 1;
        self.batch(LINK, self.sequence, Vec::new(), vec![Left { job: job(id), rank, finalized, unattended: false }]);
    }

    fn iteration(&mut self, id: &str, n: u64) {
        self.report(id, 0, vec![begun(n)]);
        self.report(id, 1, vec![worked(n, 60)]);
        self.report(id, 2, vec![worked(n, 40)]);
        self.report(id, 0, vec![ended(n)]);
    }

    fn actions(&mut self) -> Vec<Action> {
        let out = std::mem::take(&mut self.out);
        let action = |output| if let Output::Act { action, .. } = output { Some(action) } else { None };
        out.into_iter().filter_map(action).collect()
    }

    fn texts(&mut self) -> Vec<String> {
        let out = std::mem::take(&mut self.out);
        let text = |output| if let Output::Notify { notice, .. } = output { Some(notice.text) } else { None };
        out.into_iter().filter_map(text).collect()
    }

    /// The notices that programs get, without their sentences.
    fn events(&mut self) -> Vec<serde_json::Value> {
        let out = std::mem::take(&mut self.out);
        let json = |output| if let Output::Notify { notice, .. } = output { Some(notice.json) } else { None };
        let mut events: Vec<serde_json::Value> = out.into_iter().filter_map(json).collect();
        for object in events.iter_mut().filter_map(serde_json::Value::as_object_mut) {
            object.remove("job");
            object.remove("text");
        }
        events
    }

    fn ask(&mut self, question: Question) -> Option<Answer> {
        self.out.clear();
        self.step(Input::Asked { ask: AskId(9), question });
        self.answer()
    }

    fn answer(&mut self) -> Option<Answer> {
        let out = std::mem::take(&mut self.out);
        out.into_iter().find_map(|output| if let Output::Answer { answer, .. } = output { Some(answer) } else { None })
    }

    fn summary(&mut self, id: &str) -> serde_json::Value {
        match self.ask(Question::GetSummary { job: job(id), token: String::new() }) {
            Some(Answer::Summary(json)) => serde_json::from_str(&json).unwrap(),
            other => panic!("no summary: {other:?}"),
        }
    }

    fn open(&mut self, id: &str, token: &str, dry_run: bool) -> Option<Answer> {
        self.ask(Question::OpenJob { job: job(id), token: token.into(), options: TuningOptions::default(), dry_run })
    }
}

fn report(id: &str, rank: u32, events: Vec<Event>) -> Report {
    let records = Records { produced: 10, collected: 9, dropped: 1 };
    Report { job: job(id), rank, events, records }
}

fn story_action(story: &mut Story) -> Action {
    story.out.clear();
    story.hello(LINK, "n1-77", "j");
    story.actions().remove(0)
}
