//! The one task that owns the core: takes inputs, writes the journal, then sends.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::MissedTickBehavior;
use tonic::Status;

use midrun_proto::links::Links;
use midrun_proto::v1;
use midrun_proto::v1::recorded::What;
use midrun_vocabulary::Clock;

use crate::core::Core;
use crate::ids::{AskId, JobId};
use crate::input::{Answer, Input, Output, Question};
use crate::journal::{Journal, settings_line};
use crate::notice::Notice;
use crate::overview::Asked;
use crate::recording::{InputLog, Recorder};
use crate::server::thinker::{Accounts, Priority, Thinker};
use crate::{convert, limits};

/// A stream of notices to one watcher.
pub(crate) type Notices = mpsc::Receiver<Result<v1::Notice, Status>>;

/// A reply to a question.
pub(crate) enum Reply {
    Answer(Answer),
    Notices(Notices),
}

/// An input on its way to the core, with the place for its answer where it is a question.
pub(crate) struct ToCore {
    pub(crate) input: Input,
    pub(crate) answer: Option<(AskId, oneshot::Sender<Reply>)>,
    /// As it is recorded, where it came by the wire.
    pub(crate) said: Option<What>,
}

/// The core and what its outputs need.
pub(crate) struct CoreTask {
    now_ns: Clock,
    core: Core,
    journal: Journal,
    journal_due_ns: u64,
    /// What an analyzer that starts again takes in.
    log: InputLog,
    /// The number of the last action of an analyzer whose inputs were taken in.
    restarted: Option<u64>,
    recorder: Recorder,
    /// The last tick without output since something was recorded: some state may rest on it.
    silent_tick: Option<u64>,
    links: Arc<Links>,
    asked: HashMap<AskId, oneshot::Sender<Reply>>,
    watchers: HashMap<JobId, Vec<mpsc::Sender<Result<v1::Notice, Status>>>>,
    thinker: Thinker,
    accounts: Accounts,
    /// Jobs whose tunlets have thought.
    thoughts: (mpsc::UnboundedSender<JobId>, mpsc::UnboundedReceiver<JobId>),
}

impl CoreTask {
    pub(crate) fn new(
        (now_ns, thinker): (Clock, Thinker),
        (core, restarted): (Core, Option<u64>),
        (journal, log): (Journal, InputLog),
        recorder: Recorder,
        links: Arc<Links>,
    ) -> CoreTask {
        CoreTask {
            now_ns,
            core,
            journal,
            journal_due_ns: 0,
            log,
            restarted,
            recorder,
            silent_tick: None,
            links,
            asked: HashMap::new(),
            watchers: HashMap::new(),
            thinker,
            accounts: Accounts::default(),
            thoughts: mpsc::unbounded_channel(),
        }
    }

    /// Runs until `shutdown`, and until those who followed a job have its last state, [`limits::DRAIN_MS`] at most. `ended` is dropped at the end of
    /// all jobs, however it comes.
    pub(crate) async fn run(
        mut self,
        mut queue: mpsc::Receiver<ToCore>,
        mut asked: Asked,
        shutdown: impl Future<Output = ()> + Send + 'static,
        ended: oneshot::Sender<()>,
    ) {
        let mut ticks = tokio::time::interval(Duration::from_millis(limits::TICK_MS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        tokio::pin!(shutdown);
        self.log.shorten(&self.core.open_jobs());
        if let Some(last_action) = self.restarted {
            self.step(Input::Restarted { last_action }, None);
        }
        loop {
            // In this order, so that equal events have equal effects. What comes before the queue comes seldom.
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                _ = ticks.tick() => {
                    self.step(Input::Tick, None);
                    let due = self.accounts.due(self.now_ns.now());
                    due.into_iter().for_each(|thought| (self.thinker)(thought, Priority::Usual));
                    self.look_after_journal();
                }
                Some(job) = self.thoughts.1.recv() => {
                    self.accounts.done(&job);
                    self.step(Input::Thought { job }, None);
                }
                Some(place) = asked.recv() => drop(place.send(self.core.overview(self.now_ns.now()))),
                message = queue.recv() => match message {
                    Some(message) => self.take(message),
                    None => break,
                },
            }
        }
        self.step(Input::Stopped, None);
        std::mem::replace(&mut self.recorder, Recorder::none()).end(self.now_ns.now());
        let stats = self.core.stats();
        tracing::info!(?stats, "the analyzer ends");
        self.links.end_all();
        drop(ended);
        let last = Duration::from_millis(limits::DRAIN_MS);
        let _ = tokio::time::timeout(last, async {
            while let Some(message) = queue.recv().await {
                self.take_last(message)
            }
        })
        .await;
    }

    /// All jobs have ended: who followed one asks for its last state. All else is too late.
    fn take_last(&mut self, message: ToCore) {
        let ToCore { input, answer: Some((ask, place)), .. } = message else { return };
        if matches!(input, Input::Asked { question: Question::Follow { .. }, .. }) {
            self.asked.insert(ask, place);
            let outputs = self.core.step(self.now_ns.now(), input);
            outputs.into_iter().for_each(|output| self.carry_out(output));
        }
    }

    /// A disk that was full may have room again.
    fn look_after_journal(&mut self) {
        let now = self.now_ns.now();
        if now >= self.journal_due_ns {
            self.journal.go_on();
            self.log.go_on();
            self.journal_due_ns = now.saturating_add(limits::JOURNAL_RETRY_MS * 1_000_000);
        }
    }

    fn take(&mut self, message: ToCore) {
        if let Some((ask, place)) = message.answer {
            self.asked.insert(ask, place);
        }
        self.step(message.input, message.said);
    }

    fn step(&mut self, input: Input, said: Option<What>) {
        let now = self.now_ns.now();
        let (is_tick, is_end) = (matches!(input, Input::Tick), matches!(input, Input::Stopped));
        let is_kept = self.recorder.is_on() || self.log.is_on();
        let said = if is_kept { said.or_else(|| convert::recorded::what(&input)) } else { None };
        let outputs = self.core.step(now, input);
        // What was refused has changed nothing.
        let is_refused = matches!(&outputs[..], [Output::Answer { answer: Answer::Denied(_) | Answer::Full(_), .. }]);
        if is_tick && outputs.is_empty() {
            self.silent_tick = Some(now);
        } else if let Some(what) = said.or(is_tick.then_some(What::Tick(v1::Tick {}))).filter(|_| !is_refused) {
            self.record(now, what, &outputs);
        }
        let mut is_promise = false;
        for output in &outputs {
            match output {
                Output::Journal(line) => self.journal.write(line),
                Output::KeepSettings(settings) => self.journal.write(&settings_line(settings)),
                Output::Act { .. } | Output::Answer { answer: Answer::Controlled(_) | Answer::Opened, .. } => {
                    is_promise = true;
                }
                _ => {}
            }
        }
        if is_promise {
            self.log.sync();
            self.journal.sync();
        }
        let is_over = outputs.iter().any(|output| matches!(output, Output::EndWatches { .. }));
        outputs.into_iter().for_each(|output| self.carry_out(output));
        // The jobs of an analyzer that is stopped go on with the next one.
        if !is_end && (is_over || self.log.is_full()) {
            self.shorten_log();
        }
    }

    fn shorten_log(&mut self) {
        let open = self.core.open_jobs();
        if open.is_empty() || self.log.is_full() {
            self.log.shorten(&open);
        }
    }

    fn record(&mut self, now: u64, what: What, outputs: &[Output]) {
        // The last tick without output stands for those before it; before another tick none is needed.
        if let Some(then) = self.silent_tick.take().filter(|_| !matches!(what, What::Tick(_))) {
            self.keep(then, What::Tick(v1::Tick {}));
        }
        self.keep(now, what);
        for output in outputs {
            if let Output::Act { action, .. } = output {
                self.keep(now, What::Sent(convert::sent_at(action.decided_ns, action.clone())));
            }
        }
    }

    fn keep(&mut self, now: u64, what: What) {
        if self.recorder.is_on() {
            self.recorder.keep(now, what.clone());
        }
        self.log.keep(now, what);
    }

    fn carry_out(&mut self, output: Output) {
        match output {
            Output::Journal(_) | Output::KeepSettings(_) => {}
            Output::Welcome { link, last_sequence } => {
                self.links.send(link.0, convert::welcome(last_sequence, self.now_ns.now()));
            }
            Output::Refuse { link, why } => {
                self.links.send(link.0, convert::refusal(why));
                self.links.end(link.0);
            }
            Output::Disconnect { link } => {
                self.links.end(link.0);
            }
            Output::Acknowledge { link, sequence } => {
                self.links.send(link.0, convert::batch_ack(sequence));
            }
            Output::Act { link, action } => {
                let (job, id) = (action.job.clone(), action.id.0);
                if !self.links.send(link.0, convert::action(self.now_ns.now(), action)) {
                    tracing::warn!(%job, action = id, "an action found its agent gone; it goes again when the agent is back");
                }
            }
            Output::ShowSettings { link, settings } => {
                self.links.send(link.0, convert::show_settings(&settings));
            }
            Output::HandOver { link, ranks } => {
                self.links.send(link.0, convert::unattended(ranks));
            }
            Output::Think { job, work, is_urgent, may_save_s } => {
                let done = self.thoughts.0.clone();
                let of = job.clone();
                let (thought, priority) =
                    self.accounts.book(&of, (self.now_ns.now(), may_save_s, is_urgent), move || {
                        let counts = work.run();
                        if counts {
                            // The core may have ended meanwhile.
                            let _ = done.send(job.clone());
                        }
                        counts
                    });
                (self.thinker)(thought, priority);
            }
            Output::Notify { job, notice } => self.notify(&job, notice),
            Output::EndWatches { job } => {
                self.watchers.remove(&job);
                self.accounts.close(&job);
            }
            Output::Answer { ask, answer } => self.answer(ask, answer),
        }
    }

    fn notify(&mut self, job: &JobId, notice: Notice) {
        let Some(watchers) = self.watchers.get_mut(job) else { return };
        let line = convert::notice(notice);
        // Who is gone or does not keep up is not waited for.
        watchers.retain(|watcher| watcher.try_send(Ok(line.clone())).is_ok());
        if watchers.is_empty() {
            self.watchers.remove(job);
        }
    }

    fn answer(&mut self, ask: AskId, answer: Answer) {
        let Some(place) = self.asked.remove(&ask) else { return };
        let reply = match answer {
            Answer::Watching { job, past, ended } => self.watch(job, past, ended),
            other => Reply::Answer(other),
        };
        // Who asked may have gone meanwhile.
        let _ = place.send(reply);
    }

    fn watch(&mut self, job: JobId, past: Vec<Notice>, ended: bool) -> Reply {
        let (watcher, notices) = mpsc::channel(limits::WATCH_QUEUE);
        for notice in past {
            // The queue is longer than the history: it fits.
            let _ = watcher.try_send(Ok(convert::notice(notice)));
        }
        if !ended {
            let watchers = self.watchers.entry(job).or_default();
            watchers.retain(|watcher| !watcher.is_closed());
            if watchers.len() >= limits::WATCHERS_PER_JOB {
                return Reply::Answer(Answer::Full("too many watch this job".into()));
            }
            watchers.push(watcher);
        }
        Reply::Notices(notices)
    }
}
