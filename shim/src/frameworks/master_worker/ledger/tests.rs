//! Every task once, whatever workers and messages do.

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

/// The ledger of an iteration whose technique, tasks and workers were drawn.
fn drawn((code, recall): (u32, bool), own: Option<usize>, (tasks, max_tasks): (u64, u64), workers: usize) -> Ledger {
    let kind = Technique::from_code(code).unwrap();
    let parameters = TechniqueParameters { recall, ..TechniqueParameters::new(kind) };
    Ledger::new(parameters, tasks, max_tasks, Known { own, ..nothing_known(workers) })
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
        let own = own.filter(|own| *own < workers);
        let mut ledger = drawn((code, recall), own, (tasks, max_tasks), workers);
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
        let own = own.filter(|own| *own < workers);
        let mut ledger = drawn((code, recall), own, (tasks, max_tasks), workers);
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
    assert_eq!((ledger.speeds()[0].mean_s, ledger.moments().unwrap().0), (2.0, 1.0), "its speed beside its other work");
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
