//! The master's ledger of one iteration: which worker holds which chunk, and that each task comes back exactly once.

use super::taken::Taken;
use midrun_scheduling::{
    Chunk, ChunkScheduler, OwnTask, Recall, Returned, Technique, TechniqueParameters, WorkerQueue, WorkerSpeed,
    Workers, is_small, may_be_ahead, pays,
};
use std::collections::VecDeque;

/// What the master knows of the workers and their tasks when an iteration begins.
#[derive(Debug)]
pub struct Known {
    /// Speed of each active worker.
    pub speeds: Vec<WorkerSpeed>,
    /// Mean and standard deviation of one task's time in the iteration before, seconds.
    pub moments: Option<(f64, f64)>,
    /// The workers time each task by itself, not only whole chunks.
    pub timed_singly: bool,
    /// The worker that is the master itself.
    pub own: Option<usize>,
    /// Ranks that send the results of several chunks at a time, and say when no more follow: workers that take chunks from the shared
    /// counter, or sub-masters. `None`: there are none.
    pub bundlers: Option<usize>,
    /// The ledger cuts the chunks. Else they are taken from the shared counter, or come cut from the master.
    pub cuts: bool,
}

/// The chunks and tasks of one iteration.
#[derive(Debug)]
pub struct Ledger {
    scheduler: ChunkScheduler,
    /// Chunks that are cut: the rest of one that was too large for one message, or those that a sub-master got.
    ready: VecDeque<Chunk>,
    /// A sub-master's: tasks that the master will still send it, as far as it knows.
    later: u64,
    /// Tasks that workers gave back.
    returned: Returned,
    recall: bool,
    /// Chunks are handed over synchronously, so none is sent ahead: it would hold the sender until its receiver is done with another.
    synchronous: bool,
    max_tasks: u64,
    timed_singly: bool,
    /// The worker that is the master itself.
    own: Option<usize>,
    /// What each worker holds, and how fast it is.
    workers: Workers,
    total: u64,
    /// Tasks whose results came back.
    pub done: u64,
    /// Chunks sent.
    pub chunks: u64,
    stopped: bool,
    /// Results come several at a time: the tasks that are back, and the ranks that will still send some.
    bundled: Option<(Taken, usize)>,
}

impl Ledger {
    /// An iteration of `total` tasks, of which at most `max_tasks` fit into one message, with what is known of the workers.
    pub fn new(parameters: TechniqueParameters, total: u64, max_tasks: u64, known: Known) -> Ledger {
        let workers = known.speeds.len();
        let to_cut = if known.cuts { total } else { 0 };
        Ledger {
            scheduler: ChunkScheduler::new(parameters, to_cut, workers as u32).with_history(known.moments),
            ready: VecDeque::new(),
            later: 0,
            returned: Returned::default(),
            recall: parameters.recall,
            synchronous: parameters.synchronous,
            max_tasks: max_tasks.max(1),
            timed_singly: known.timed_singly,
            own: known.own,
            workers: Workers::new(known.speeds),
            total,
            done: 0,
            chunks: 0,
            stopped: false,
            bundled: known.bundlers.map(|bundlers| (Taken::new(total), bundlers)),
        }
    }

    /// Changes the technique for the remaining tasks at once. How messages are sent stays as it is for the iteration.
    pub fn set(&mut self, parameters: TechniqueParameters) {
        self.scheduler.set(parameters);
        self.recall = parameters.recall;
    }

    /// Sends no further chunk.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Tasks that are in no worker's hands yet.
    pub fn left(&self) -> u64 {
        self.scheduler.remaining() + self.waiting() + self.returned.tasks() + self.later
    }

    fn waiting(&self) -> u64 {
        self.ready.iter().map(|chunk| chunk.count).sum()
    }

    /// Chunks that are cut and in no worker's hands.
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// A sub-master got this chunk.
    pub fn receive(&mut self, chunk: Chunk) {
        self.ready.push_back(chunk);
        self.total += chunk.count;
    }

    /// A sub-master will get so many more tasks, as far as it knows; 0: none.
    pub fn expect(&mut self, later: u64) {
        self.later = later;
    }

    /// Returns whether a sub-master will get more.
    pub fn follow(&self) -> bool {
        self.later > 0 && !self.stopped
    }

    /// Workers that wait for a chunk, or will soon, and may have one.
    pub fn wanted(&self) -> usize {
        let (technique, left, workers) = (self.scheduler.technique(), self.left(), self.workers.count() as u64);
        let may = |queue: &&WorkerQueue| queue.wants() && self.may_send(queue, (technique, left, workers));
        self.workers.queues().iter().filter(may).count()
    }

    /// Returns whether chunks and results are handed over synchronously.
    pub fn is_synchronous(&self) -> bool {
        self.synchronous
    }

    /// Returns whether tasks of chunks may be recalled.
    pub fn may_recall(&self) -> bool {
        self.recall
    }

    /// Whom to ask for tasks at `now_s`, once nothing is left to schedule; `None` when nobody is to be asked. The master shares its
    /// own tasks whether tasks may be recalled or not.
    pub fn recall(&mut self, now_s: f64) -> Option<Recall> {
        if self.stopped || self.left() > 0 || self.bundled.is_some() {
            return None;
        }
        match (self.recall, self.own) {
            (true, _) => self.workers.recall(now_s, None),
            (false, own) => self.workers.recall(now_s, Some(own?)),
        }
    }

    /// Returns whether the master shall compute a task of its own chunk at `now_s` ([`pays`]). While nothing is known of the tasks it
    /// does: it gets to know one. When nothing is left to schedule nobody waits for it.
    pub fn own_task_pays(&self, own: usize, now_s: f64) -> bool {
        let Some((mean_s, sigma_s)) = self.moments().filter(|_| self.left() > 0) else { return true };
        let others =
            self.workers.queues().iter().zip(self.workers.speeds()).enumerate().filter(|(worker, _)| *worker != own);
        let living = others.map(|(_, both)| both).filter(|(queue, _)| !queue.is_lost());
        pays(OwnTask { mean_s, sigma_s }, living, now_s)
    }

    /// The master gives up its own chunk, after a failure.
    pub fn abandon(&mut self, own: usize) {
        self.workers.clear(own);
    }

    /// A worker answers the recall of its chunk that begins with `recalled`: it gives back the last tasks of it, or none. Returns
    /// `false` when that is no answer to a recall.
    pub fn on_returned(&mut self, worker: usize, recalled: u64, tasks: Chunk) -> bool {
        if !self.workers.on_answer(&mut self.returned, worker, recalled, tasks) {
            return false;
        }
        if tasks.count > 0 && tasks.first == recalled {
            self.chunks -= 1; // nothing is left of it
        }
        true
    }

    /// Cuts the chunk that `worker` shall get at `now_s`; `None` when it shall get none ([`WorkerQueue::may_receive`]).
    pub fn cut(&mut self, worker: usize, now_s: f64) -> Option<Chunk> {
        let now = (self.scheduler.technique(), self.left(), self.workers.count() as u64);
        if self.stopped || !self.may_send(&self.workers.queues()[worker], now) {
            return None;
        }
        let chunk = self.next(worker)?;
        self.workers.push(worker, chunk, now_s);
        self.chunks += 1;
        Some(chunk)
    }

    /// As [`WorkerQueue::may_receive`]; nothing ahead where messages are sent synchronously.
    fn may_send(&self, queue: &WorkerQueue, (technique, left, workers): (Technique, u64, u64)) -> bool {
        queue.is_idle() || !self.synchronous && queue.may_receive(technique, left, workers)
    }

    /// Cuts the next chunk as for `worker`, for a sub-team that will compute it.
    pub fn next(&mut self, worker: usize) -> Option<Chunk> {
        let mut chunk = match self.ready.pop_front() {
            Some(chunk) => chunk,
            None if self.returned.tasks() > 0 => self.returned.next(self.workers.idle() as u64)?,
            None => self.scheduler.next(worker as u32, self.workers.speeds())?,
        };
        if chunk.count > self.max_tasks {
            self.ready.push_front(Chunk { first: chunk.first + self.max_tasks, count: chunk.count - self.max_tasks });
            chunk.count = self.max_tasks;
        }
        Some(chunk)
    }

    /// Returns whether another chunk may be sent ahead to workers that hold one of so many tasks each.
    pub fn runs_ahead(&self, tasks: u64) -> bool {
        let (left, workers) = (self.left(), self.workers.count() as u64);
        !self.synchronous && is_small(tasks, left, workers) && may_be_ahead(self.scheduler.technique(), left, workers)
    }

    /// `worker` gets this chunk from the shared counter at `now_s`.
    pub fn hold(&mut self, worker: usize, chunk: Chunk, now_s: f64) {
        self.workers.push(worker, chunk, now_s);
        self.chunks += 1;
    }

    /// Returns whether no further chunk is sent.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Returns whether `worker` holds no chunk.
    pub fn is_idle(&self, worker: usize) -> bool {
        self.workers.queues()[worker].is_idle()
    }

    /// The worker is gone; where its place is not `is_vacant`, another has it from now on. What it held goes to the others: returns the number
    /// of those tasks. What it had taken from the shared counter shows at the end ([`Ledger::reclaim`]).
    pub fn lose(&mut self, worker: usize, is_vacant: bool) -> u64 {
        self.workers.lose(&mut self.returned, worker, is_vacant)
    }

    /// Workers that are not gone.
    pub fn living(&self) -> usize {
        self.workers.living()
    }

    /// When nobody holds a chunk or takes one any more: what is not back was lost with a worker that had taken it from the shared counter, and
    /// goes to the others. Returns the number of those tasks.
    pub fn reclaim(&mut self) -> u64 {
        if self.stopped || !self.is_closed() {
            return 0;
        }
        let missing = self.bundled.as_ref().map(|(taken, _)| taken.missing()).unwrap_or_default();
        missing.into_iter().for_each(|tasks| self.returned.add(tasks));
        self.returned.tasks()
    }

    /// Records that `worker` computes its last task.
    pub fn ask(&mut self, worker: usize) {
        self.workers.ask(worker);
    }

    /// Takes a chunk back at `now_s`. Returns `false` when it is not the oldest of that worker: computed twice, or never sent.
    pub fn take(&mut self, worker: usize, chunk: Chunk, times: (f64, f64), now_s: f64) -> bool {
        let taken = self.take_from(worker, chunk, now_s);
        if taken {
            self.add(worker, chunk, times, (1.0, self.timed_singly));
        }
        taken
    }

    fn take_from(&mut self, worker: usize, chunk: Chunk, now_s: f64) -> bool {
        let is_new = |bundled: &mut (Taken, usize)| bundled.0.insert(chunk);
        self.workers.pop(worker, now_s) == Some(chunk) && self.bundled.as_mut().is_none_or(is_new)
    }

    /// Takes a chunk back that `worker` computed and that came with others. Returns `false` when a task of it is back already.
    pub fn take_bundled(&mut self, worker: usize, chunk: Chunk, times: (f64, f64)) -> bool {
        if !self.bundled.as_mut().is_some_and(|(taken, _)| taken.insert(chunk)) {
            return false;
        }
        self.add(worker, chunk, times, (1.0, self.timed_singly));
        true
    }

    /// A rank sends no more results several at a time. Returns `false` when none was left that did.
    pub fn leave(&mut self) -> bool {
        let left = self.bundled.as_mut().filter(|(_, bundlers)| *bundlers > 0);
        left.map(|(_, bundlers)| *bundlers -= 1).is_some()
    }

    /// Learns from a chunk; its worker gets done with tasks `slower` times as slowly as it computes them.
    fn add(
        &mut self,
        worker: usize,
        chunk: Chunk,
        (busy_s, sum_sq_s2): (f64, f64),
        (slower, timed_singly): (f64, bool),
    ) {
        self.done += chunk.count;
        self.workers.add_chunk(worker, chunk.count, slower * busy_s, slower * slower * sum_sq_s2);
        self.scheduler.on_result(chunk.count, busy_s, sum_sq_s2, timed_singly);
    }

    /// Likewise the master's own chunk, whose tasks were timed one by one. Its speed is that with which it gets done with them beside
    /// its other work: in `held_s` seconds.
    pub fn take_own(&mut self, own: usize, chunk: Chunk, times: (f64, f64), held_s: f64, now_s: f64) -> bool {
        let taken = self.take_from(own, chunk, now_s);
        if taken {
            let slower = if times.0 > 0.0 { (held_s / times.0).max(1.0) } else { 1.0 };
            self.add(own, chunk, times, (slower, true));
        }
        taken
    }

    /// Measured speed of each worker.
    pub fn speeds(&self) -> &[WorkerSpeed] {
        self.workers.speeds()
    }

    /// Mean and standard deviation of one task's time, seconds.
    pub fn moments(&self) -> Option<(f64, f64)> {
        self.scheduler.moments()
    }

    /// Returns whether every chunk is back and no further one will be sent or taken.
    pub fn is_closed(&self) -> bool {
        let sent = self.bundled.as_ref().is_none_or(|(_, bundlers)| *bundlers == 0);
        sent && (self.stopped || self.left() == 0) && self.workers.hold_nothing()
    }

    /// Returns whether every task came back.
    pub fn is_balanced(&self) -> bool {
        self.done == self.total
    }
}

#[cfg(test)]
mod tests;
