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
mod tests {
    use super::*;
    use midrun_scheduling::tasks_to_return;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn nothing_known(workers: usize) -> Known {
        Known {
            speeds: vec![WorkerSpeed::default(); workers],
            moments: None,
            timed_singly: true,
            own: None,
            bundlers: None,
            cuts: true,
        }
    }

    fn play(kind: Technique, tasks: u64, workers: usize, max_tasks: u64) -> u64 {
        let mut ledger = Ledger::new(TechniqueParameters::new(kind), tasks, max_tasks, nothing_known(workers));
        let mut computed = vec![0u32; tasks as usize];
        while !ledger.is_closed() {
            for worker in 0..workers {
                while ledger.cut(worker, 0.0).is_some() {}
                if let Some(chunk) = ledger.workers.queues()[worker].get(0) {
                    assert!(chunk.count <= max_tasks);
                    computed[chunk.first as usize..][..chunk.count as usize].iter_mut().for_each(|s| *s += 1);
                    ledger.ask(worker);
                    assert!(ledger.take(worker, chunk, (1.0, 1.0), 0.0));
                }
            }
        }
        assert!(ledger.is_balanced() && computed.iter().all(|s| *s == 1));
        ledger.chunks
    }

    #[test]
    fn nothing_is_sent_ahead_to_a_worker_that_would_hold_the_sender() {
        for synchronous in [false, true] {
            let parameters = TechniqueParameters { synchronous, ..TechniqueParameters::new(Technique::Ss) };
            let mut ledger = Ledger::new(parameters, 1000, u64::MAX, nothing_known(2));
            assert!(ledger.cut(0, 0.0).is_some());
            ledger.ask(0);
            assert_eq!((ledger.wanted(), ledger.runs_ahead(1)), (if synchronous { 1 } else { 2 }, !synchronous));
            assert_eq!(ledger.cut(0, 0.0).is_some(), !synchronous);
            assert!(ledger.cut(1, 0.0).is_some(), "an idle worker gets its chunk");
        }
    }

    #[test]
    fn every_technique_hands_out_each_task_once() {
        for kind in Technique::ALL {
            for (tasks, workers) in [(0, 3), (1, 3), (2, 3), (100, 1), (1000, 7)] {
                play(kind, tasks, workers, u64::MAX);
                play(kind, tasks, workers, 5);
            }
        }
    }

    #[test]
    fn none_gives_each_worker_exactly_one_chunk() {
        assert_eq!(play(Technique::None, 1000, 7, u64::MAX), 7);
    }

    #[test]
    fn a_chunk_that_comes_twice_or_was_never_out_is_noticed() {
        let mut ledger = Ledger::new(TechniqueParameters::new(Technique::Ss), 10, 99, nothing_known(1));
        let chunk = ledger.cut(0, 0.0).unwrap();
        assert!(ledger.take(0, chunk, (1.0, 1.0), 0.0));
        assert!(!ledger.take(0, chunk, (1.0, 1.0), 0.0));
        assert!(!ledger.is_balanced());
    }

    #[test]
    fn after_a_stop_what_is_out_still_comes_back() {
        let mut ledger = Ledger::new(TechniqueParameters::new(Technique::Ss), 10, 99, nothing_known(2));
        let chunk = ledger.cut(0, 0.0).unwrap();
        ledger.stop();
        assert!(ledger.cut(1, 0.0).is_none() && !ledger.is_closed());
        assert!(ledger.take(0, chunk, (1.0, 1.0), 0.0));
        assert!(ledger.is_closed() && !ledger.is_balanced());
    }

    /// Messages from the master to a worker, and back, in the order of their sending.
    enum ToWorker {
        Chunk(Chunk),
        Recall(Recall),
    }
    enum ToMaster {
        Result(Chunk),
        Returned(u64, Chunk),
    }

    #[derive(Default)]
    struct Worker {
        inbox: VecDeque<ToWorker>,
        outbox: VecDeque<ToMaster>,
        /// Chunks that it has read; of the first it has computed so many tasks.
        chunks: VecDeque<Chunk>,
        computed: u64,
    }

    impl Worker {
        /// Reads one message.
        fn read(&mut self) {
            match self.inbox.pop_front() {
                Some(ToWorker::Chunk(chunk)) => self.chunks.push_back(chunk),
                Some(ToWorker::Recall(Recall { chunk: first, idle_s, .. })) => {
                    let unbegun = self.chunks.iter().map(|chunk| chunk.count).sum::<u64>() - self.computed;
                    let wanted = tasks_to_return(unbegun, 1.0, idle_s, 1);
                    let Some(at) = self.chunks.iter().position(|chunk| chunk.first == first) else { return };
                    let begun = if at == 0 { self.computed } else { 0 };
                    let chunk = &mut self.chunks[at];
                    let given = wanted.min(chunk.count - begun);
                    chunk.count -= given;
                    let tasks = Chunk { first: chunk.first + chunk.count, count: given };
                    if chunk.count == 0 {
                        self.chunks.remove(at);
                    }
                    self.outbox.push_back(ToMaster::Returned(first, tasks));
                    self.end();
                }
                None => {}
            }
        }

        /// Computes one task.
        fn work(&mut self, seen: &mut [u32]) {
            if let Some(chunk) = self.chunks.front() {
                seen[(chunk.first + self.computed) as usize] += 1;
                self.computed += 1;
                self.end();
            }
        }

        fn end(&mut self) {
            if let Some(chunk) = self.chunks.front().copied().filter(|chunk| chunk.count == self.computed) {
                self.chunks.pop_front();
                self.computed = 0;
                self.outbox.push_back(ToMaster::Result(chunk));
            }
        }
    }

    /// Hands out what can be handed out. What the master, as worker `own`, gets or is asked for does not travel.
    fn give(ledger: &mut Ledger, team: &mut [Worker], own: Option<usize>, now_s: f64) {
        loop {
            for worker in (0..team.len()).chain(0..team.len()) {
                if Some(worker) == own && !ledger.is_idle(worker) {
                    continue;
                }
                if let Some(chunk) = ledger.cut(worker, now_s) {
                    team[worker].inbox.push_back(ToWorker::Chunk(chunk));
                }
            }
            if let Some(asked) = ledger.recall(now_s) {
                team[asked.worker].inbox.push_back(ToWorker::Recall(asked));
            } else if !own.is_some_and(|own| settle(ledger, &mut team[own], own, now_s)) {
                return;
            }
        }
    }

    /// The master reads what it sent to itself; returns whether there was anything.
    fn settle(ledger: &mut Ledger, worker: &mut Worker, own: usize, now_s: f64) -> bool {
        let mut any = false;
        while !worker.inbox.is_empty() || !worker.outbox.is_empty() {
            any = true;
            worker.read();
            match worker.outbox.pop_front() {
                Some(ToMaster::Result(chunk)) => assert!(ledger.take_own(own, chunk, (1.0, 1.0), 2.0, now_s)),
                Some(ToMaster::Returned(first, tasks)) => assert!(ledger.on_returned(own, first, tasks)),
                None => {}
            }
        }
        any
    }

    proptest! {
        /// Whatever crosses on the way: what a worker does, what it reads and what the master takes comes in any order.
        #[test]
        fn each_task_is_computed_exactly_once_in_any_order(
            code in 0u32..12,
            recall in any::<bool>(),
            own in prop::option::of(0usize..6),
            tasks in 0u64..200,
            workers in 1usize..6,
            max_tasks in prop_oneof![Just(u64::MAX), 1u64..20],
            steps in prop::collection::vec((0usize..6, 0u8..4), 0..2000),
        ) {
            let kind = Technique::from_code(code).unwrap();
            let parameters = TechniqueParameters { recall, ..TechniqueParameters::new(kind) };
            let own = own.filter(|own| *own < workers);
            let mut ledger = Ledger::new(parameters, tasks, max_tasks, Known { own, ..nothing_known(workers) });
            let mut seen = vec![0u32; tasks as usize];
            let mut team: Vec<Worker> = (0..workers).map(|_| Worker::default()).collect();
            give(&mut ledger, &mut team, own, 0.0);
            // The drawn order, then round after round until all is done.
            let all = (0..workers).flat_map(|worker| [(worker, 1), (worker, 0), (worker, 3)]);
            let rest = std::iter::repeat_n(all.collect::<Vec<_>>(), 20 * (tasks as usize + workers + 10)).flatten();
            for (step, (worker, what)) in steps.into_iter().chain(rest).enumerate() {
                let (worker, now_s) = (worker % workers, step as f64);
                match what {
                    0 => team[worker].read(),
                    1 | 2 => team[worker].work(&mut seen),
                    _ => match team[worker].outbox.pop_front() {
                        Some(ToMaster::Result(chunk)) => prop_assert!(ledger.take(worker, chunk, (1.0, 1.0), now_s)),
                        Some(ToMaster::Returned(first, tasks)) => {
                            prop_assert!(ledger.on_returned(worker, first, tasks));
                        }
                        None => {}
                    },
                }
                let settled = own.is_some_and(|own| settle(&mut ledger, &mut team[own], own, now_s));
                if what == 3 || settled {
                    give(&mut ledger, &mut team, own, now_s);
                }
                if ledger.is_closed() {
                    break;
                }
            }
            prop_assert!(ledger.is_closed() && ledger.is_balanced(), "{ledger:?}");
            prop_assert!(seen.iter().all(|count| *count == 1), "{seen:?}");
            let quiet = team.iter().all(|worker| worker.outbox.is_empty() && worker.chunks.is_empty());
            prop_assert!(quiet, "nothing is on the way to the master when the iteration ends");
        }
    }

    proptest! {
        /// Whoever dies whenever: the first worker and the master stay. What a dead worker has sent may arrive until the master is told of its
        /// death; then a parked worker takes its place while there are some.
        #[test]
        fn each_task_is_collected_exactly_once_whoever_dies(
            code in 0u32..12,
            recall in any::<bool>(),
            own in prop::option::of(0usize..6),
            tasks in 0u64..200,
            workers in 1usize..6,
            mut parked in 0usize..3,
            max_tasks in prop_oneof![Just(u64::MAX), 1u64..20],
            steps in prop::collection::vec((0usize..6, 0u8..40), 0..2000),
        ) {
            let kind = Technique::from_code(code).unwrap();
            let parameters = TechniqueParameters { recall, ..TechniqueParameters::new(kind) };
            let own = own.filter(|own| *own < workers);
            let mut ledger = Ledger::new(parameters, tasks, max_tasks, Known { own, ..nothing_known(workers) });
            let (mut seen, mut collected) = (vec![0u32; tasks as usize], vec![0u32; tasks as usize]);
            let mut team: Vec<Worker> = (0..workers).map(|_| Worker::default()).collect();
            let mut is_dead = vec![false; workers];
            give(&mut ledger, &mut team, own, 0.0);
            let all = (0..workers).flat_map(|worker| [(worker, 1), (worker, 0), (worker, 3), (worker, 39)]);
            let rest = std::iter::repeat_n(all.collect::<Vec<_>>(), 20 * (tasks as usize + workers + 10)).flatten();
            for (step, (worker, what)) in steps.into_iter().chain(rest).enumerate() {
                let (worker, now_s) = (worker % workers, step as f64);
                match what % 4 {
                    _ if what == 38 => {
                        let may_die = worker != 0 && Some(worker) != own && !ledger.workers.queues()[worker].is_lost();
                        is_dead[worker] |= may_die;
                    }
                    _ if what == 39 => {
                        if std::mem::take(&mut is_dead[worker]) {
                            let held = ledger.workers.queues()[worker].tasks();
                            prop_assert_eq!(ledger.lose(worker, parked == 0), held);
                            parked = parked.saturating_sub(1);
                            team[worker] = Worker::default();
                        }
                    }
                    0 if !is_dead[worker] => team[worker].read(),
                    1 | 2 if !is_dead[worker] => team[worker].work(&mut seen),
                    0..=2 => {}
                    _ => match team[worker].outbox.pop_front() {
                        Some(ToMaster::Result(chunk)) => {
                            prop_assert!(ledger.take(worker, chunk, (1.0, 1.0), now_s));
                            collected[chunk.first as usize..][..chunk.count as usize].iter_mut().for_each(|n| *n += 1);
                        }
                        Some(ToMaster::Returned(first, tasks)) => {
                            prop_assert!(ledger.on_returned(worker, first, tasks));
                        }
                        None => {}
                    },
                }
                if let Some(own) = own {
                    collect_own(&mut ledger, &mut team[own], own, now_s, &mut collected);
                }
                give(&mut ledger, &mut team, None, now_s);
                if ledger.is_closed() {
                    break;
                }
            }
            prop_assert!(ledger.is_closed() && ledger.is_balanced(), "{ledger:?}");
            prop_assert!(collected.iter().all(|count| *count == 1), "{collected:?}");
            prop_assert!(seen.iter().all(|count| *count >= 1));
        }

        /// The same where workers take chunks from the shared counter: all but the first may die, with what they took and did not report.
        #[test]
        fn each_task_is_collected_exactly_once_whichever_taker_dies(
            tasks in 0u64..100,
            size in 1u64..9,
            workers in 1usize..6,
            steps in prop::collection::vec((0usize..6, 0u8..12), 0..300),
        ) {
            let known = Known { bundlers: Some(workers), cuts: false, ..nothing_known(workers) };
            let mut ledger = Ledger::new(TechniqueParameters::new(Technique::Fsc), tasks, 7, known);
            let mut chunks = (0..tasks).step_by(size as usize).map(|first| Chunk { first, count: size.min(tasks - first) });
            let mut held: Vec<Vec<Chunk>> = vec![Vec::new(); workers];
            let mut collected = vec![0u32; tasks as usize];
            let mut takes = vec![true; workers];
            let mut collect = |chunk: Chunk| collected[chunk.first as usize..][..chunk.count as usize].iter_mut().for_each(|n| *n += 1);
            // First as drawn; then everybody takes until nothing is left, and says so.
            let rest = (0..2 * tasks as usize + 4).flat_map(|_| (0..workers).map(|worker| (worker, 0)));
            let (mut lost, mut left) = (0, vec![false; workers]);
            for (worker, what) in steps.into_iter().chain(rest) {
                let worker = worker % workers;
                if !takes[worker] {
                    continue;
                }
                match (what, chunks.next()) {
                    // What it took last dies with it, too.
                    (11, _) if worker > 0 => {
                        (takes[worker], lost) = (false, lost + 1);
                        prop_assert!(ledger.leave());
                        prop_assert_eq!(ledger.lose(worker, true), 0);
                    }
                    (_, Some(chunk)) => {
                        held[worker].push(chunk);
                        if what % 3 == 0 {
                            for chunk in held[worker].drain(..) {
                                prop_assert!(ledger.take_bundled(worker, chunk, (1.0, 1.0)));
                                collect(chunk);
                            }
                        }
                    }
                    (_, None) => {
                        for chunk in held[worker].drain(..) {
                            prop_assert!(ledger.take_bundled(worker, chunk, (1.0, 1.0)));
                            collect(chunk);
                        }
                        prop_assert!(ledger.leave());
                        (takes[worker], left[worker]) = (false, true);
                    }
                }
            }
            prop_assert!(ledger.is_closed() && (lost > 0 || ledger.is_balanced()));
            let missing = ledger.reclaim();
            prop_assert_eq!(ledger.done + missing, tasks);
            while !ledger.is_closed() {
                for worker in (0..workers).filter(|worker| left[*worker]) {
                    if let Some(chunk) = ledger.cut(worker, 0.0) {
                        prop_assert!(ledger.take(worker, chunk, (1.0, 1.0), 0.0));
                        collect(chunk);
                    }
                }
            }
            prop_assert!(ledger.is_balanced() && collected.iter().all(|count| *count == 1), "{collected:?}");
        }
    }

    /// As [`settle`], until the master has sent nothing more to itself, with the tasks that it collects.
    fn collect_own(ledger: &mut Ledger, worker: &mut Worker, own: usize, now_s: f64, collected: &mut [u32]) {
        while !worker.inbox.is_empty() || !worker.outbox.is_empty() {
            worker.read();
            match worker.outbox.pop_front() {
                Some(ToMaster::Result(chunk)) => {
                    assert!(ledger.take_own(own, chunk, (1.0, 1.0), 2.0, now_s));
                    collected[chunk.first as usize..][..chunk.count as usize].iter_mut().for_each(|n| *n += 1);
                }
                Some(ToMaster::Returned(first, tasks)) => assert!(ledger.on_returned(own, first, tasks)),
                None => {}
            }
        }
    }

    #[test]
    fn where_all_others_died_the_master_computes_its_own_tasks() {
        let known = Known { own: Some(0), ..nothing_known(2) };
        let mut ledger = Ledger::new(TechniqueParameters::new(Technique::Ss), 9, 99, known);
        let (own, other) = (ledger.cut(0, 0.0).unwrap(), ledger.cut(1, 0.0).unwrap());
        assert!(ledger.take_own(0, own, (1.0, 1.0), 1.0, 1.0));
        assert_eq!((ledger.lose(1, true), ledger.living()), (other.count, 1));
        assert!(ledger.cut(1, 1.0).is_none() && ledger.cut(0, 1.0).is_some());
        assert!(ledger.own_task_pays(0, 1.0) && ledger.recall(1.0).is_none(), "nobody waits for it");
    }

    #[test]
    fn a_master_that_works_shares_its_own_tasks_even_where_nothing_is_recalled() {
        let known = Known { own: Some(0), ..nothing_known(2) };
        let mut ledger = Ledger::new(TechniqueParameters::new(Technique::None), 20, 99, known);
        let (own, other) = (ledger.cut(0, 0.0).unwrap(), ledger.cut(1, 0.0).unwrap());
        assert!(ledger.own_task_pays(0, 0.0), "nothing is known");
        assert!(ledger.take(1, other, (10.0, 10.0), 10.0));
        let asked = ledger.recall(10.0).unwrap();
        assert_eq!((asked.worker, asked.chunk), (0, own.first));
        assert!(ledger.on_returned(0, own.first, Chunk { first: own.first + 5, count: 5 }));
        assert_eq!(ledger.cut(1, 10.0), Some(Chunk { first: own.first + 5, count: 5 }));
        let mine = Chunk { first: own.first, count: 5 };
        assert!(ledger.take_own(0, mine, (5.0, 5.0), 10.0, 20.0));
        assert_eq!(
            (ledger.speeds()[0].mean_s, ledger.moments().unwrap().0),
            (2.0, 1.0),
            "its speed beside its other work"
        );
        ledger.abandon(1);
        ledger.stop();
        assert!(ledger.is_closed() && !ledger.is_balanced(), "after a failure");
    }

    #[test]
    fn an_answer_that_nobody_asked_for_is_noticed() {
        let mut ledger = Ledger::new(
            TechniqueParameters { recall: true, ..TechniqueParameters::new(Technique::None) },
            10,
            99,
            nothing_known(2),
        );
        let (one, two) = (ledger.cut(0, 0.0).unwrap(), ledger.cut(1, 0.0).unwrap());
        let last = Chunk { first: two.first + 4, count: 1 };
        assert!(!ledger.on_returned(1, two.first, last), "it was not asked");
        assert!(ledger.take(0, one, (5.0, 5.0), 5.0));
        let asked = ledger.recall(5.0).unwrap();
        assert_eq!((asked.worker, asked.chunk), (1, two.first));
        assert!(!ledger.on_returned(1, one.first, last) && !ledger.on_returned(1, two.first, one), "not those tasks");
        assert!(ledger.on_returned(1, two.first, last));
        assert!(!ledger.on_returned(1, two.first, last), "twice");
        assert_eq!(ledger.cut(0, 5.0), Some(last));
    }
}
