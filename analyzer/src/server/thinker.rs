//! Where tunlets think, and what that may take from the application.
//!
//! An analyzer that runs on a node of the job computes where ranks do. As long as a job's tunlets took less than [`SHARE`] of the time since they
//! first thought, or less than what their thoughts are expected to save, they think at once; after that in the time that the ranks leave, and a rank
//! that wakes up interrupts them. Where ranks leave none, a thought is done at once as soon as it may cost them something again.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_current_thread_priority,
    set_thread_priority_and_policy, thread_native_id,
};
use tokio::runtime::Runtime;

use crate::clock;
use crate::ids::JobId;

/// Share of the time that a job's tunlets may take from its ranks: 1 - the usual confidence level, which is also what a change may lose of its
/// worth by being found late.
const SHARE: f64 = 0.05;
/// What a thread runs under that any other may interrupt at once: one of low priority alone (`nice`) stays on its core for some milliseconds, as
/// long as an iteration may take.
const IDLE: ThreadSchedulePolicy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);

/// How long a thread of the lowest priority waits for its next thought.
const STAYS: Duration = Duration::from_secs(3600);

/// A thought. It may be called more than once, also by several threads at a time: what the first one concludes counts.
pub type Thought = Arc<dyn Fn() + Send + Sync>;

/// Does thoughts where nobody waits for them.
pub type Thinker = Arc<dyn Fn(Thought, Priority) + Send + Sync>;

/// At whose cost a thought is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// As any process.
    Usual,
    /// In the time that others leave.
    Lowest,
}

/// Threads that think at the lowest priority. Without privileges no thread gets its priority back, so these are for that alone; they wait for
/// further thoughts, as a thread that is started for each costs the application more than most thoughts.
static LOWEST: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let idle = || {
        let idle = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, IDLE);
        // A container may refuse the class.
        if let Err(error) = idle.or_else(|_| set_current_thread_priority(ThreadPriority::Min)) {
            tracing::debug!(?error, "a thread keeps its priority");
        }
    };
    let threads = tokio::runtime::Builder::new_current_thread()
        .thread_name("midrun-thought")
        .thread_keep_alive(STAYS)
        .on_thread_start(idle)
        .build();
    threads.ok()
});

/// Threads of this host.
pub(crate) fn of_host() -> Thinker {
    Arc::new(|thought, priority| {
        let lowest = LOWEST.as_ref().filter(|_| priority == Priority::Lowest).is_some_and(|threads| {
            let thought = thought.clone();
            // Where the system gives no thread, this panics.
            catch_unwind(AssertUnwindSafe(|| drop(threads.spawn_blocking(move || thought())))).is_ok()
        });
        if !lowest {
            drop(tokio::task::spawn_blocking(move || thought()));
        }
    })
}

/// What each job's tunlets took.
#[derive(Default)]
pub(crate) struct Accounts(HashMap<JobId, Account>);

struct Account {
    since_ns: u64,
    /// Time that its thoughts computed, nanoseconds.
    spent_ns: Arc<AtomicU64>,
    /// What its thoughts are expected to save, nanoseconds.
    may_save_ns: f64,
    /// The thought that waits for a core that no rank wants.
    waiting: Option<Thought>,
}

impl Account {
    /// Whether its tunlets took less than their share of the time, or than what they may save.
    fn is_within(&self, now_ns: u64) -> bool {
        let allowed_ns = (SHARE * now_ns.saturating_sub(self.since_ns) as f64).max(self.may_save_ns);
        self.spent_ns.load(Ordering::Relaxed) as f64 <= allowed_ns
    }
}

impl Accounts {
    /// The thought as it is booked, and its priority now, where thoughts are expected to save so much, seconds. It returns whether it counts: what
    /// another thread did before costs nothing more.
    pub(crate) fn book(
        &mut self,
        job: &JobId,
        (now_ns, may_save_s, is_urgent): (u64, f64, bool),
        thought: impl Fn() -> bool + Send + Sync + 'static,
    ) -> (Thought, Priority) {
        let new = || Account { since_ns: now_ns, spent_ns: Arc::default(), may_save_ns: 0.0, waiting: None };
        let account = self.0.entry(job.clone()).or_insert_with(new);
        account.may_save_ns = 1e9 * may_save_s;
        let spent_ns = account.spent_ns.clone();
        let booked: Thought = Arc::new(move || {
            let begin_ns = clock::thread_ns();
            if thought() {
                spent_ns.fetch_add(clock::thread_ns().saturating_sub(begin_ns), Ordering::Relaxed);
            }
        });
        let priority = if is_urgent || account.is_within(now_ns) { Priority::Usual } else { Priority::Lowest };
        account.waiting = (priority == Priority::Lowest).then(|| booked.clone());
        (booked, priority)
    }

    /// The thoughts that waited until their job's share allows them.
    pub(crate) fn due(&mut self, now_ns: u64) -> Vec<Thought> {
        let within = self.0.values_mut().filter(|account| account.is_within(now_ns));
        within.filter_map(|account| account.waiting.take()).collect()
    }

    /// The job's thought is done.
    pub(crate) fn done(&mut self, job: &JobId) {
        self.0.get_mut(job).into_iter().for_each(|account| account.waiting = None);
    }

    /// The job is over.
    pub(crate) fn close(&mut self, job: &JobId) {
        self.0.remove(job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_thinks_at_the_cost_of_its_ranks_for_a_share_of_the_time_only() {
        let (mut accounts, job) = (Accounts::default(), JobId::new("a").unwrap());
        let (first, priority) = accounts.book(&job, (1_000, 0.0, false), || {
            let begin_ns = clock::thread_ns();
            while clock::thread_ns() - begin_ns < 1_000_000 {}
            true
        });
        assert_eq!(priority, Priority::Usual, "nothing was spent");
        first();
        let (late, _) = accounts.book(&job, (1_500, 0.0, false), || {
            std::thread::sleep(Duration::from_millis(1));
            false
        });
        late();
        assert_eq!(accounts.book(&job, (2_000, 0.0, true), || true).1, Priority::Usual, "somebody waits for it");
        assert_eq!(accounts.due(u64::MAX).len(), 0, "nor does it wait");
        let mut priority_at = |now_ns| accounts.book(&job, (now_ns, 0.0, false), || true).1;
        assert_eq!(priority_at(2_000), Priority::Lowest);
        assert_eq!(priority_at(10_000_000), Priority::Lowest, "1 ms of 10 ms");
        assert_eq!(
            accounts.book(&job, (10_000_000, 0.1, false), || true).1,
            Priority::Usual,
            "it may save more than it took"
        );
        assert_eq!(accounts.book(&job, (10_000_000, 0.0, false), || true).1, Priority::Lowest);
        assert_eq!(accounts.due(10_000_000).len(), 0);
        let later = accounts.due(1_000_000_000);
        assert_eq!((later.len(), accounts.due(1_000_000_000).len()), (1, 0), "once");
        assert_eq!(accounts.book(&job, (10_000_000, 0.0, false), || true).1, Priority::Lowest);
        accounts.done(&job);
        assert_eq!(accounts.due(1_000_000_000).len(), 0, "it got a core");
        assert_eq!(accounts.book(&job, (u64::MAX, 0.0, false), || true).1, Priority::Usual);
        assert_eq!(accounts.due(u64::MAX).len(), 0, "nothing waits");
        assert_eq!(
            accounts.book(&JobId::new("b").unwrap(), (2_000, 0.0, false), || true).1,
            Priority::Usual,
            "another job"
        );
        accounts.close(&job);
        assert_eq!(accounts.book(&job, (2_000, 0.0, false), || true).1, Priority::Usual);
    }

    #[tokio::test]
    async fn a_thought_of_the_lowest_priority_leaves_other_threads_theirs() {
        let policy = || thread_priority::thread_schedule_policy().unwrap();
        let of = async |priority| {
            let (done, is_done) = std::sync::mpsc::channel();
            of_host()(Arc::new(move || done.send(policy()).unwrap()), priority);
            tokio::task::spawn_blocking(move || is_done.recv().unwrap()).await.unwrap()
        };
        let before = policy();
        assert_ne!(before, IDLE);
        assert_eq!(of(Priority::Lowest).await, IDLE);
        assert_eq!([of(Priority::Usual).await, policy()], [before, before]);
    }
}
