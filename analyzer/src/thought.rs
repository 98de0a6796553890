//! What the tunlets of a job are told and asked at a time. With thousands of workers they simulate for seconds, so they may do it
//! on a thread of their own: the core hands the work out, goes on reading, and takes the conclusion in as an input.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use midrun_tunlets::{Judgement, Observation, Proposal, Refusal, Settled, StreamWindow, TuningPoint, Tunlet, Window};

/// What tunlets are told.
#[derive(Clone)]
pub enum News {
    /// A closed iteration.
    Iteration(Box<Window>),
    /// A closed iteration of a further master.
    Further(Box<Window>),
    /// A closed window of a stream.
    Stream(Box<StreamWindow>),
    /// An iteration still runs after so long, seconds.
    Running(u64, f64),
    /// No iteration has ended for so long, seconds, that the program may iterate no more.
    Resting(u64, f64),
    /// After this iteration they are those of this phase of the program.
    OtherIterations(u64, u32),
    /// A rank could not do a line of the points.
    PointRefused {
        /// The rank.
        rank: u32,
        /// The line, counted from 1.
        line: u32,
        /// Reason.
        why: String,
    },
    /// What became of a decision.
    Settled(u64, Settled),
}

impl News {
    /// Whether it may be left out where tunlets are far behind.
    pub fn is_window(&self) -> bool {
        matches!(self, News::Iteration(_) | News::Further(_) | News::Stream(_))
    }

    /// Tells it; returns judgements on earlier decisions, with the number of the window that they rest on.
    fn tell(self, tunlet: &mut dyn Tunlet) -> Vec<(u64, Judgement)> {
        let (number, judgements) = match self {
            News::Iteration(window) => (window.iteration, tunlet.observe(Observation::Iteration(&window))),
            News::Further(window) => (window.iteration, tunlet.observe(Observation::Further(&window))),
            News::Stream(window) => (window.number, tunlet.observe(Observation::Stream(&window))),
            News::Running(iteration, elapsed_s) => {
                (iteration, tunlet.observe(Observation::Running { iteration, elapsed_s }))
            }
            News::Resting(iteration, elapsed_s) => {
                (iteration, tunlet.observe(Observation::Resting { iteration, elapsed_s }))
            }
            News::OtherIterations(iteration, phase) => {
                (iteration, tunlet.observe(Observation::OtherIterations { phase }))
            }
            News::PointRefused { rank, line, why } => {
                (0, tunlet.observe(Observation::PointRefused { rank, line, why: &why }))
            }
            News::Settled(decision, settled) => {
                tunlet.on_settled(decision, settled);
                (0, Vec::new())
            }
        };
        judgements.into_iter().map(|judgement| (number, judgement)).collect()
    }
}

/// What came of a thought.
pub struct Conclusion {
    /// The tunlet; `None` if it failed.
    pub tunlet: Option<Box<dyn Tunlet>>,
    /// Judgements on earlier decisions, each with the number of the window that it rests on.
    pub judgements: Vec<(u64, Judgement)>,
    /// Refusals so far.
    pub refusals: Vec<Refusal>,
    /// What it proposes, where it was asked.
    pub proposal: Option<Proposal>,
}

/// Tunlets with their news, and the tuning points where a proposal is wanted.
#[derive(Clone)]
struct Thought {
    tunlet: Box<dyn Tunlet>,
    news: Vec<News>,
    asked: Option<Vec<TuningPoint>>,
}

impl Thought {
    fn think(self) -> Conclusion {
        let Thought { mut tunlet, news, asked } = self;
        let think = || {
            let judgements = news.into_iter().flat_map(|news| news.tell(tunlet.as_mut())).collect();
            let proposal = asked.and_then(|points| tunlet.propose(&points));
            Conclusion { judgements, refusals: tunlet.refusals(), proposal, tunlet: Some(tunlet) }
        };
        // A defect in one job's model must not end the analyzer of all jobs.
        catch_unwind(AssertUnwindSafe(think)).unwrap_or_else(|_| {
            tracing::error!("a tunlet failed (this is a defect of midrun); its job runs on untuned");
            Conclusion { tunlet: None, judgements: Vec::new(), refusals: Vec::new(), proposal: None }
        })
    }
}

enum State {
    Waiting(Arc<Thought>),
    Done(Box<Conclusion>),
    Taken,
}

/// A thought that any thread may do: what the first one concludes counts, and they all conclude the same. Nobody waits for another, which may be
/// one that gets no core: the lock is held for a few instructions.
#[derive(Clone)]
pub struct Work(Arc<Mutex<State>>);

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}

impl Work {
    pub(crate) fn new(tunlet: Box<dyn Tunlet>, news: Vec<News>, asked: Option<Vec<TuningPoint>>) -> Work {
        Work(Arc::new(Mutex::new(State::Waiting(Arc::new(Thought { tunlet, news, asked })))))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it, unless it was done. Returns whether what came of it is the conclusion.
    pub fn run(&self) -> bool {
        let thought = match &*self.state() {
            State::Waiting(thought) => thought.clone(),
            State::Done(_) | State::Taken => return false,
        };
        let conclusion = Box::new(Arc::unwrap_or_clone(thought).think());
        let mut state = self.state();
        let is_first = matches!(*state, State::Waiting(_));
        let before = is_first.then(|| std::mem::replace(&mut *state, State::Done(conclusion)));
        drop(state);
        drop(before); // its tunlets take time, and others may want the lock
        is_first
    }

    /// Its conclusion, the first time. Does it where it is not done yet.
    pub(crate) fn conclusion(&self) -> Option<Conclusion> {
        self.run();
        match std::mem::replace(&mut *self.state(), State::Taken) {
            State::Done(conclusion) => Some(*conclusion),
            State::Waiting(_) | State::Taken => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    /// A tunlet that gets no further in all threads but that of the test.
    #[derive(Clone)]
    struct Starved(std::thread::ThreadId, Arc<Barrier>);

    impl Tunlet for Starved {
        fn name(&self) -> &'static str {
            "starved"
        }

        fn observe(&mut self, _: Observation<'_>) -> Vec<Judgement> {
            if std::thread::current().id() != self.0 {
                self.1.wait();
                self.1.wait();
            }
            Vec::new()
        }

        fn propose(&mut self, _: &[TuningPoint]) -> Option<Proposal> {
            None
        }

        fn on_settled(&mut self, _: u64, _: Settled) {}
    }

    #[test]
    fn who_wants_a_conclusion_waits_for_no_thread_that_gets_no_core() {
        let barrier = Arc::new(Barrier::new(2));
        let tunlet = Box::new(Starved(std::thread::current().id(), barrier.clone()));
        let work = Work::new(tunlet, vec![News::Running(0, 1.0)], None);
        let starved = std::thread::spawn({
            let work = work.clone();
            move || work.run()
        });
        barrier.wait();
        assert!(work.conclusion().is_some_and(|conclusion| conclusion.tunlet.is_some()));
        barrier.wait();
        let counts = starved.join().expect("it gets a core in the end");
        assert!(!counts && work.conclusion().is_none(), "what it concluded then counts no more");
    }
}
