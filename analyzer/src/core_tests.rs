//! Stories of the core: scripted agents and a scripted tunlet, no I/O, no clock.

use midrun_tunlets::knob::names;
use midrun_tunlets::{Judgement, Knob, Proposal, Settled, Tunlet, Verdict, Window};

use super::*;
use crate::config::ConfigError;
use crate::ids::{ActionId, AskId};
use crate::input::{
    Action, ActionResult, ActionStatus, Begun, Ended, Event, Joined, KnobDeclared, Left, Question, Report, Work,
};
use crate::summary::Records;

const MS: u64 = 1_000_000;

/// Wants policy 6 as soon as it has seen a window, and keeps it after the next one.
#[derive(Default)]
struct Scripted {
    seen: Option<u64>,
    applied: Option<(u64, u64)>,
    judgements: Vec<Judgement>,
    taken: bool,
}

impl Tunlet for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn observe(&mut self, window: &Window) {
        self.seen = Some(window.iteration);
        assert!(window.tasks != 666, "the scripted defect");
        if let Some((decision, at)) = self.applied
            && window.iteration > at
        {
            self.applied = None;
            self.judgements.push(Judgement { decision, measured_s: window.iteration_s, verdict: Verdict::Kept });
        }
    }
    fn judgements(&mut self) -> Vec<Judgement> {
        std::mem::take(&mut self.judgements)
    }
    fn propose(&mut self, knobs: &[Knob]) -> Option<Proposal> {
        let knob = knobs.iter().find(|knob| knob.name == names::POLICY)?;
        let iteration = self.seen.filter(|_| knob.value != 6.0 && !self.taken)?;
        Some(Proposal {
            tunlet: "scripted",
            iteration,
            rank: knob.rank,
            assignments: vec![(names::POLICY.into(), 6.0)],
            tuning_point: "policy".into(),
            from: "dpf(0.5)".into(),
            to: "daf".into(),
            why: "sigma is 80 % of mu".into(),
            predicted_s: 0.842,
            unchanged_s: 0.871,
            at_once: true,
        })
    }
    fn on_settled(&mut self, decision: u64, settled: Settled) {
        if let Settled::Applied { iteration } = settled {
            self.applied = Some((decision, iteration));
            self.taken = true;
        }
    }
}

fn scripted(tunlet: &str, _policy: &str) -> Result<Box<dyn Tunlet>, ConfigError> {
    if tunlet == "nobody" {
        let (value, allowed) = (tunlet.to_owned(), "scripted".to_owned());
        return Err(ConfigError { key: "tunlet", value, allowed });
    }
    Ok(Box::new(Scripted::default()))
}

fn job(id: &str) -> JobId {
    JobId::new(id).unwrap()
}

fn begun(iteration: u64) -> Event {
    let (time_ns, policy) = (iteration * 1000 * MS, 5);
    Event::IterationBegun(Begun { iteration, time_ns, tasks: 100, workers: 2, policy, factor: 0.5 })
}

fn ended(iteration: u64) -> Event {
    Event::IterationEnded(Ended {
        iteration,
        time_ns: (iteration * 1000 + 900) * MS,
        tasks: 100,
        chunks: 10,
        task_time_ns: 1600 * MS,
        master_busy_ns: MS,
    })
}

fn worked(iteration: u64, tasks: u64) -> Event {
    let busy_s = tasks as f64 * 0.016;
    let (sum_sq_s2, profile) = (busy_s * 0.016, vec![(0, tasks as f64, busy_s)]);
    Event::Worked(Work { iteration, tasks, chunks: 5, busy_s, sum_sq_s2, tasks_timed: true, profile })
}

fn policy_knob() -> Event {
    let (name, minimum, maximum, value) = (names::POLICY.into(), 0.0, 7.0, 5.0);
    Event::KnobDeclared(KnobDeclared { name, whole: true, minimum, maximum, value })
}

fn settled(action: &Action, status: ActionStatus, iteration: u64) -> Event {
    let time_ns = action.decided_ns + 2 * MS;
    Event::ActionSettled(ActionResult { action: action.id, status, iteration, time_ns })
}

/// The core, its time, and what it put out and nobody looked at yet.
struct Story {
    core: Core,
    now: u64,
    out: Vec<Output>,
    sequence: u64,
}

const LINK: LinkId = LinkId(1);

impl Story {
    fn new(config: Config) -> Story {
        Story { core: Core::new(config, scripted, 1000), now: MS, out: Vec::new(), sequence: 0 }
    }

    /// An agent with three ranks of job `j`, rank 0 the master.
    fn begin(config: Config) -> Story {
        let mut story = Story::new(config);
        story.hello(LINK, "n1-77", "j");
        story.report("j", 0, vec![policy_knob()]);
        story
    }

    fn step(&mut self, input: Input) {
        self.now += 1000;
        let out = self.core.step(self.now, input);
        self.out.extend(out);
    }

    fn pass(&mut self, ms: u64) {
        self.now += ms * MS;
        self.step(Input::Tick);
    }

    fn hello(&mut self, link: LinkId, agent: &str, id: &str) {
        self.hello_with(link, agent, id, "", midrun_proto::PROTOCOL_VERSION);
    }

    fn hello_with(&mut self, link: LinkId, agent: &str, id: &str, token: &str, protocol: u32) {
        let joined = |rank| Joined { job: job(id), rank, world_size: 3, mpi: "Open MPI 4.1.4".into() };
        let hello = Hello {
            protocol,
            node: "n1".into(),
            agent: AgentId(agent.into()),
            version: "0.1.0".into(),
            token: token.into(),
            ranks: (0..3).map(joined).collect(),
            invalid: 0,
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
        self.batch(LINK, self.sequence, Vec::new(), vec![Left { job: job(id), rank, finalized }]);
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
        let (tunlet, policy) = (String::new(), String::new());
        self.ask(Question::OpenJob { job: job(id), token: token.into(), tunlet, policy, dry_run })
    }
}

fn report(id: &str, rank: u32, events: Vec<Event>) -> Report {
    let records = Records { produced: 10, collected: 9, dropped: 1 };
    Report { job: job(id), rank, events, records }
}

#[test]
fn a_decision_is_sent_once_applied_and_kept() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let texts: Vec<Action> = story.actions();
    let [action] = &texts[..] else { panic!("one action: {texts:?}") };
    assert_eq!(action.id, ActionId(1001));
    assert_eq!(action.assignments, [(names::POLICY.to_owned(), 6.0)]);
    assert_eq!(action.restore, [(names::POLICY.to_owned(), 5.0)]);
    story.iteration("j", 1);
    assert_eq!(story.actions(), [], "nothing else was sent while one is in flight");
    story.report("j", 0, vec![settled(action, ActionStatus::Applied, 1)]);
    assert_eq!(story.texts(), ["applied at iteration 1, rank 0, 2.0 ms after the decision"]);
    story.iteration("j", 2);
    assert_eq!(story.texts(), ["iteration 2: kept: measured 0.900 s (predicted 0.842 s)"]);
    let summary = story.summary("j");
    assert_eq!(summary["iterations"], 3);
    assert_eq!(summary["iteration_s"], json!([0.9, 0.9, 0.9]));
    assert_eq!(summary["ideal_s"], json!([0.8, 0.8, 0.8]));
    assert_eq!(summary["workers"], json!([2, 2, 2]));
    assert_eq!(summary["mpi"], "Open MPI 4.1.4");
    assert_eq!(summary["records"], json!({"produced": 30, "collected": 27, "dropped": 3}));
    assert_eq!(summary["actions"], json!({"sent": 1, "applied": 1, "refused": 0, "expired": 0, "latency_ms": [2.0]}));
    assert_eq!(
        summary["decisions"],
        json!([{
            "iteration": 0, "tunlet": "scripted", "tuning_point": "policy", "from": "dpf(0.5)", "to": "daf",
            "why": "sigma is 80 % of mu", "predicted_s": 0.842, "unchanged_s": 0.871, "measured_s": 0.9,
            "verdict": "kept", "applied_iteration": 1,
        }])
    );
}

#[test]
fn a_decision_is_told_with_its_why() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let expected =
        "iteration 0: policy dpf(0.5) -> daf: expected 0.842 s instead of 0.871 s, because sigma is 80 % of mu";
    assert_eq!(story.texts(), [expected]);
}

#[test]
fn the_journal_has_the_decision_and_the_action_before_it_is_sent() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let sent = story.out.iter().position(|output| matches!(output, Output::Act { .. })).unwrap();
    let events: Vec<String> = story.out[..sent]
        .iter()
        .filter_map(|output| if let Output::Journal(line) = output { Some(line["event"].to_string()) } else { None })
        .collect();
    assert!(events.ends_with(&["\"window\"".into(), "\"decision\"".into(), "\"action\"".into()]), "{events:?}");
}

#[test]
fn a_refused_action_leaves_the_old_value_and_is_counted() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    story.report("j", 0, vec![settled(&action, ActionStatus::RefusedRange, 1)]);
    let summary = story.summary("j");
    assert_eq!(summary["actions"]["refused"], 1);
    assert_eq!(summary["decisions"][0]["verdict"], "not-applied");
    assert_eq!(summary["policy"], "dpf(0.5)");
}

#[test]
fn an_action_without_an_answer_expires_and_a_late_answer_still_counts() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let action = story.actions().remove(0);
    story.pass(9_000);
    assert_eq!(story.summary("j")["actions"]["expired"], 0);
    story.pass(4_000);
    let summary = story.summary("j");
    assert_eq!(summary["actions"]["expired"], 1);
    assert_eq!(summary["decisions"][0]["verdict"], "not-applied");
    story.report("j", 0, vec![settled(&action, ActionStatus::Applied, 1)]);
    let summary = story.summary("j");
    assert_eq!((&summary["actions"]["expired"], &summary["actions"]["applied"]), (&json!(0), &json!(1)));
    assert_eq!(summary["decisions"][0]["applied_iteration"], 1);
}

#[test]
fn an_agent_that_comes_back_sends_the_same_batches_and_nothing_counts_twice() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let before = story.summary("j");
    let action = Action { ..story_action(&mut story) };
    story.step(Input::AgentDisconnected { link: LINK, goodbye: false });
    assert_eq!(story.texts(), ["the agent on n1 is not connected any more"]);
    let again = LinkId(2);
    story.hello(again, "n1-77", "j");
    let welcomed = |output: &Output| matches!(output, Output::Welcome { last_sequence: 5, .. });
    assert!(story.out.iter().any(welcomed), "{:?}", story.out);
    assert_eq!(story.actions(), [action], "what was on its way goes again");
    for sequence in 2..=5 {
        story.batch(again, sequence, vec![report("j", 1, vec![worked(0, 60), ended(0)])], Vec::new());
        assert!(matches!(story.out[..], [Output::Acknowledge { .. }]), "{:?}", story.out);
        story.out.clear();
    }
    let after = story.summary("j");
    assert_eq!(before["iteration_s"], after["iteration_s"]);
    assert_eq!(before["ideal_s"], after["ideal_s"]);
}

// The action in flight, found by letting the same agent link once more.
fn story_action(story: &mut Story) -> Action {
    story.out.clear();
    story.hello(LINK, "n1-77", "j");
    story.actions().remove(0)
}

#[test]
fn a_dry_run_advises_and_sends_nothing() {
    let mut story = Story::new(Config::default());
    assert_eq!(story.open("j", "", true), Some(Answer::Opened));
    story.hello(LINK, "n1-77", "j");
    story.report("j", 0, vec![policy_knob()]);
    story.iteration("j", 0);
    story.iteration("j", 1);
    assert_eq!(story.actions(), []);
    let summary = story.summary("j");
    assert_eq!(summary["decisions"][0]["verdict"], "advised");
    assert_eq!(summary["decisions"].as_array().unwrap().len(), 1, "the same advice is given once");
    assert_eq!(summary["actions"]["sent"], 0);
}

#[test]
fn two_jobs_do_not_mix() {
    let mut story = Story::begin(Config::default());
    let joined = |rank| Joined { job: job("k"), rank, world_size: 3, mpi: "MPICH 4.0".into() };
    story.sequence += 1;
    let batch = Batch { sequence: story.sequence, joined: (0..3).map(joined).collect(), ..Batch::default() };
    story.step(Input::BatchReceived { link: LINK, batch });
    story.report("j", 0, vec![begun(0)]);
    story.report("k", 0, vec![begun(0)]);
    story.report("j", 1, vec![worked(0, 100)]);
    story.report("j", 0, vec![ended(0)]);
    story.report("k", 0, vec![ended(0)]);
    let (j, k) = (story.summary("j"), story.summary("k"));
    assert_eq!((&j["iterations"], &k["iterations"]), (&json!(1), &json!(0)));
    story.report("k", 2, vec![worked(0, 100)]);
    assert_eq!(story.summary("k")["iterations"], 1);
    assert_eq!(story.summary("k")["mpi"], "MPICH 4.0");
    assert_eq!(j["actions"]["sent"], 1);
    assert_eq!(story.summary("k")["actions"]["sent"], 0, "k declared no tuning point");
}

#[test]
fn an_analyzer_started_in_the_middle_skips_what_it_saw_half() {
    let mut story = Story::new(Config::default());
    story.hello(LINK, "n1-77", "j");
    story.sequence = 41;
    story.report("j", 0, vec![policy_knob()]);
    story.report("j", 1, vec![worked(7, 30)]);
    story.report("j", 0, vec![ended(7)]);
    story.pass(300);
    story.iteration("j", 8);
    let summary = story.summary("j");
    assert_eq!((&summary["iterations"], &summary["skipped_iterations"]), (&json!(1), &json!(1)));
    assert_eq!(story.core.stats().batches_missing, 0);
    assert_eq!(summary["actions"]["sent"], 1, "it tunes on");
}

#[test]
fn a_rank_that_dies_takes_its_action_with_it_and_is_listed() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    story.leave("j", 0, false);
    let summary = story.summary("j");
    assert_eq!(summary["lost_ranks"], json!([0]));
    assert_eq!(summary["decisions"][0]["verdict"], "not-applied");
    story.iteration("j", 1);
    assert_eq!(story.actions(), []);
}

#[test]
fn closing_waits_for_the_last_ranks_and_answers_with_everything() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let close = |story: &mut Story| story.ask(Question::CloseJob { job: job("j"), token: String::new() });
    assert_eq!(close(&mut story), None);
    story.iteration("j", 1);
    for rank in 0..3 {
        assert_eq!(story.answer(), None);
        story.leave("j", rank, true);
    }
    assert!(story.out.iter().any(|output| matches!(output, Output::EndWatches { .. })));
    let Some(Answer::Summary(json)) = story.answer() else { panic!("a summary") };
    assert!(json.contains("\"iterations\":2"), "{json}");
    assert_eq!(close(&mut story), Some(Answer::Summary(json)), "and again, when it is over");
}

#[test]
fn closing_a_job_whose_agent_is_gone_waits_no_longer_than_configured() {
    let mut story = Story::begin(Config::default());
    assert_eq!(story.ask(Question::CloseJob { job: job("j"), token: String::new() }), None);
    story.pass(1_900);
    assert_eq!(story.answer(), None);
    story.pass(200);
    assert!(matches!(story.answer(), Some(Answer::Summary(_))));
}

#[test]
fn a_late_watcher_is_told_what_it_missed_also_after_the_end() {
    let mut story = Story::begin(Config::default());
    story.iteration("j", 0);
    let watch = || Question::Watch { job: job("j"), token: String::new() };
    let Some(Answer::Watching { past, ended, .. }) = story.ask(watch()) else { panic!() };
    assert!(past.len() == 1 && !ended);
    story.step(Input::Stopped);
    let Some(Answer::Watching { past, ended, .. }) = story.ask(watch()) else { panic!() };
    assert!(past.last().unwrap().text.starts_with("job j ended: 1 iterations on 3 ranks") && ended, "{past:?}");
}

#[test]
fn a_wrong_token_or_protocol_is_refused_with_a_sentence() {
    let refusal = |story: &mut Story| match story.out.pop() {
        Some(Output::Refuse { why, .. }) => why,
        other => panic!("not refused: {other:?}"),
    };
    let mut story = Story::new(Config { token: "sesame".into(), ..Config::default() });
    story.hello_with(LINK, "a", "j", "simsim", 1);
    assert_eq!(
        refusal(&mut story),
        "the agent's token is not the one of this analyzer: give the agent the right MIDRUN_TOKEN"
    );
    story.hello_with(LINK, "a", "j", "sesame", 2);
    assert!(refusal(&mut story).contains("speaks protocol 2"));
    story.hello_with(LINK, "a", "j", "sesame", 1);
    assert!(matches!(story.out[1], Output::Welcome { .. }));
    assert!(matches!(story.open("k", "", false), Some(Answer::Denied(_))));
    assert_eq!(story.open("k", "sesame", false), Some(Answer::Opened));
    assert_eq!(story.core.stats().links_refused, 2);
}

#[test]
fn a_job_opened_with_a_token_is_open_to_that_token_only() {
    let mut story = Story::new(Config::default());
    assert_eq!(story.open("j", "mine", false), Some(Answer::Opened));
    story.hello_with(LINK, "a", "j", "yours", 1);
    assert!(story.out.iter().any(|output| matches!(output, Output::Refuse { .. })));
    // An agent that hides the job in its Hello gets no further.
    story.hello_with(LINK, "a", "other", "yours", 1);
    story.report("j", 0, vec![begun(0)]);
    assert_eq!(story.core.stats().events_foreign, 1);
    let summary = Question::GetSummary { job: job("j"), token: "yours".into() };
    assert!(matches!(story.ask(summary), Some(Answer::Denied(_))));
    let list = Question::ListJobs { token: "yours".into() };
    let Some(Answer::Jobs(jobs)) = story.ask(list) else { panic!() };
    assert_eq!(jobs.iter().map(|line| line.job.as_str()).collect::<Vec<_>>(), ["other"]);
}

#[test]
fn an_unknown_tunlet_is_answered_with_what_is_allowed() {
    let mut story = Story::new(Config::default());
    let (token, policy) = (String::new(), String::new());
    let question = Question::OpenJob { job: job("j"), token, tunlet: "nobody".into(), policy, dry_run: false };
    let expected = Answer::Invalid("tunlet = nobody: allowed is scripted".into());
    assert_eq!(story.ask(question), Some(expected));
}

#[test]
fn endless_jobs_fill_the_limit_and_no_more() {
    let mut story = Story::new(Config::default());
    for n in 0..limits::JOBS + 10 {
        story.open(&format!("j{n}"), "", false);
    }
    assert_eq!(story.core.jobs.len(), limits::JOBS);
    assert_eq!(story.core.stats().calls_refused, 10);
    story.hello(LINK, "a", "late");
    assert_eq!(story.core.stats().events_homeless, 3);
}

#[test]
fn a_tunlet_that_panics_leaves_its_job_untuned_and_the_others_alone() {
    let mut story = Story::begin(Config::default());
    let fatal = Begun { iteration: 0, time_ns: 0, tasks: 666, workers: 2, policy: 5, factor: 0.5 };
    story.report("j", 0, vec![Event::IterationBegun(fatal), ended(0)]);
    story.report("j", 1, vec![worked(0, 100)]);
    let texts = story.texts();
    assert!(texts[0].starts_with("tuning is off"), "{texts:?}");
    story.iteration("j", 1);
    assert_eq!(story.summary("j")["iterations"], 2);
}

#[test]
fn a_job_nobody_opened_ends_by_itself_and_may_come_again() {
    let mut story = Story::begin(Config::default());
    (0..3).for_each(|rank| story.leave("j", rank, true));
    story.pass(limits::LEFT_IDLE_MS + 1);
    assert!(story.texts().last().unwrap().starts_with("job j ended"));
    story.hello(LinkId(2), "n1-78", "j");
    assert_eq!(story.core.jobs.len(), 1);
}

#[test]
fn a_second_program_of_the_same_job_is_measured_too() {
    let mut story = Story::new(Config::default());
    story.open("j", "", false);
    story.hello(LINK, "n1-77", "j");
    story.iteration("j", 0);
    (0..3).for_each(|rank| story.leave("j", rank, true));
    let joined = |rank| Joined { job: job("j"), rank, world_size: 3, mpi: String::new() };
    story.sequence += 1;
    let batch = Batch { sequence: story.sequence, joined: (0..3).map(joined).collect(), ..Batch::default() };
    story.step(Input::BatchReceived { link: LINK, batch });
    let again = Begun { iteration: 0, time_ns: 5_000 * MS, tasks: 100, workers: 2, policy: 5, factor: 0.5 };
    let over = Ended { iteration: 0, time_ns: 5_400 * MS, tasks: 100, chunks: 9, task_time_ns: 0, master_busy_ns: 0 };
    story.report("j", 0, vec![Event::IterationBegun(again), Event::IterationEnded(over)]);
    story.report("j", 1, vec![worked(0, 100)]);
    let summary = story.summary("j");
    assert_eq!(summary["iteration_s"], json!([0.9, 0.4]));
    // Three ranks of the first program, two of the second have reported.
    assert_eq!(summary["records"]["produced"], 50);
}

#[test]
fn several_agents_serve_one_job_and_the_action_goes_to_the_masters() {
    let mut story = Story::begin(Config::default());
    let far = LinkId(2);
    let hello = Hello {
        protocol: midrun_proto::PROTOCOL_VERSION,
        node: "n2".into(),
        agent: AgentId("n2-5".into()),
        version: "0.1.0".into(),
        token: String::new(),
        ranks: vec![Joined { job: job("j"), rank: 3, world_size: 4, mpi: String::new() }],
        invalid: 0,
    };
    story.step(Input::AgentConnected { link: far, hello });
    story.report("j", 0, vec![begun(0), ended(0)]);
    story.report("j", 1, vec![worked(0, 60)]);
    assert_eq!(story.actions(), []);
    let batch = Batch { sequence: 1, reports: vec![report("j", 3, vec![worked(0, 40)])], ..Batch::default() };
    story.step(Input::BatchReceived { link: far, batch });
    let sent = |output: &Output| matches!(output, Output::Act { link: LINK, action } if action.rank == 0);
    assert_eq!(story.out.iter().filter(|output| sent(output)).count(), 1);
    let summary = story.summary("j");
    assert_eq!((&summary["nodes"], &summary["ranks"]), (&json!(["n1", "n2"]), &json!(4)));
}
