//! The cores of a node, shared by its processes.

use std::collections::VecDeque;

use super::machine::{Node, Scheduling};
use midrun_models::events::EventQueue;

/// Remaining work of one thread.
#[derive(Clone, Copy, Debug)]
struct Job {
    process: usize,
    /// Seconds at speed 1.
    work_s: f64,
    threads: f64,
}

/// Processor sharing: while more threads run than there are cores, each gets its share. All threads advance alike, so
/// that one clock of work done, which runs slower the more threads there are, tells when each ends.
pub(super) struct Processors {
    cores: f64,
    speed: f64,
    scheduling: Scheduling,
    /// Threads that run.
    threads: f64,
    /// Work that each thread has done since the node was last idle, seconds at speed 1, at `at_s`.
    done_s: f64,
    at_s: f64,
    /// Processes with their threads, by what `done_s` will be at their end.
    running: EventQueue<(usize, f64)>,
    waiting: VecDeque<Job>,
}

impl Processors {
    pub(super) fn new(node: &Node) -> Processors {
        Processors {
            cores: f64::from(node.cores),
            speed: node.speed,
            scheduling: node.scheduling,
            threads: 0.0,
            done_s: 0.0,
            at_s: 0.0,
            running: EventQueue::default(),
            waiting: VecDeque::new(),
        }
    }

    fn rate(&self) -> f64 {
        self.speed * (self.cores / self.threads).min(1.0)
    }

    fn forward(&mut self, now_s: f64) {
        if self.running.is_empty() {
            self.done_s = 0.0;
        } else {
            self.done_s += (now_s - self.at_s) * self.rate();
        }
        self.at_s = now_s;
    }

    /// A process begins to compute, with so many threads, `work_s` each.
    pub(super) fn begin(&mut self, process: usize, work_s: f64, threads: f64, now_s: f64) {
        self.forward(now_s);
        let threads = if self.scheduling == Scheduling::Queue { threads.min(self.cores) } else { threads };
        self.waiting.push_back(Job { process, work_s, threads });
        self.admit();
    }

    /// Starts those that wait as far as their turn has come.
    fn admit(&mut self) {
        while let Some(&Job { process, work_s, threads }) = self.waiting.front() {
            if self.scheduling == Scheduling::Queue && self.threads + threads > self.cores {
                return;
            }
            self.waiting.pop_front();
            self.threads += threads;
            self.running.at(self.done_s + work_s, (process, threads));
        }
    }

    /// When the next process is done, if nothing changes until then.
    pub(super) fn next_s(&self) -> Option<f64> {
        let end_s = self.running.next_s()?;
        Some(self.at_s + ((end_s - self.done_s) / self.rate()).max(0.0))
    }

    /// The process that is done now.
    pub(super) fn end(&mut self, now_s: f64) -> Option<usize> {
        self.forward(now_s);
        let (end_s, (process, threads)) = self.running.pop()?;
        // Remainder from rounding.
        self.done_s = self.done_s.max(end_s);
        self.threads -= threads;
        self.admit();
        Some(process)
    }

    /// The share of a process's time that is its own computing: all of it where it shares cores, `work_s / speed` where it
    /// waits for them.
    pub(super) fn own_s(&self, work_s: f64) -> f64 {
        match self.scheduling {
            Scheduling::Shared => f64::INFINITY,
            Scheduling::Queue => work_s / self.speed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(cores: u32, scheduling: Scheduling) -> Processors {
        Processors::new(&Node { cores, slots: cores, speed: 2.0, operations_per_s: None, scheduling })
    }

    /// When each process ends that begins at 0 with this work and these threads.
    fn ends(mut node: Processors, jobs: &[(f64, f64)]) -> Vec<(usize, f64)> {
        jobs.iter().enumerate().for_each(|(k, (work_s, threads))| node.begin(k, *work_s, *threads, 0.0));
        let mut all = Vec::new();
        while let Some(next_s) = node.next_s() {
            all.push((node.end(next_s).unwrap(), next_s));
        }
        all
    }

    #[test]
    fn cores_are_shared_and_the_last_one_gets_them_alone() {
        // Speed 2: 3 threads on 2 cores do 4/3 each; after 1.5 s the first is done, the others go on at 2.
        assert_eq!(
            ends(node(2, Scheduling::Shared), &[(2.0, 1.0), (3.0, 1.0), (4.0, 1.0)]),
            [(0, 1.5), (1, 2.0), (2, 2.5)]
        );
        assert_eq!(ends(node(2, Scheduling::Shared), &[(2.0, 1.0), (2.0, 1.0)]), [(0, 1.0), (1, 1.0)]);
    }

    #[test]
    fn a_queue_serves_one_after_another() {
        assert_eq!(
            ends(node(1, Scheduling::Queue), &[(2.0, 1.0), (4.0, 1.0), (2.0, 1.0)]),
            [(0, 1.0), (1, 3.0), (2, 4.0)]
        );
        // More threads than cores share the cores; a process that needs two cores waits for both.
        assert_eq!(
            ends(node(2, Scheduling::Queue), &[(2.0, 1.0), (4.0, 5.0), (2.0, 1.0)]),
            [(0, 1.0), (1, 3.0), (2, 4.0)]
        );
    }
}
