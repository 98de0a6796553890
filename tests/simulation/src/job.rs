//! A simulated job: a program of ranks that iterate together. How long an iteration takes depends on the values of its tuning points.

use std::rc::Rc;

use midrun_agent::Attached;
use midrun_proto::v1::OpenJobRequest;
use midrun_ring::kind;
use midrun_scheduling::Technique;
use midrun_vocabulary::names;
use tokio::sync::mpsc::Sender;

use crate::clock::{self, HostClock};
use crate::random::Random;
use crate::rank::{Point, Rank, Register};

/// Tasks of an iteration.
const TASKS: u64 = 60;
/// The point that no tunlet touches.
pub const BY_HAND: &str = "hand";
/// The points that a search sets.
pub const SEARCHED: [&str; 2] = ["block", "tile"];

/// What is tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Technique and number of workers.
    MasterWorker,
    /// Two points of each rank, by a search.
    Search,
    /// The same in one iteration of all ranks, which are on one host.
    Synchronized,
}

/// See the module.
pub struct Job {
    /// Its id.
    pub name: String,
    /// What is tuned.
    pub kind: Kind,
    /// What its owner asked for.
    pub request: OpenJobRequest,
    /// Its agents know from the start what the owner asked for, or that there is something.
    pub is_known: bool,
    /// Its ranks.
    pub ranks: Vec<Rank>,
    /// The iteration that runs, or begins.
    pub iteration: u64,
    /// It begins so far into the simulation, nanoseconds.
    pub start_ns: u64,
    phase: Phase,
    random: Random,
}

enum Phase {
    /// When each rank begins the iteration; `None`: it has.
    Beginning(Vec<Option<u64>>),
    /// When it ends, and the chunks of each rank.
    Running { end_ns: u64, chunks: Vec<Chunk> },
}

struct Chunk {
    rank: usize,
    first: u64,
    count: u64,
    busy_ns: u64,
    squares_s2: f64,
    end_ns: u64,
}

fn point(name: &'static str, range: (f64, f64), start: f64) -> Point {
    Point { name, range, start, value: start }
}

fn points(kind: Kind, rank: u32, ranks: u32) -> Vec<Point> {
    let mut points = vec![point(BY_HAND, (0.0, 1e6), 0.0)];
    match kind {
        Kind::MasterWorker if rank == 0 => {
            let workers = f64::from(ranks - 1);
            points.extend([
                point(names::TECHNIQUE, (0.0, Technique::ALL.len() as f64 - 1.0), 0.0),
                point(names::FACTOR, (0.0, 1.0), 0.5),
                point(names::TASK_MEAN_S, (0.0, 1e9), 0.0),
                point(names::TASK_SIGMA_S, (0.0, 1e9), 0.0),
                point(names::MIN_CHUNK, (1.0, 1e9), 1.0),
                point(names::RECALL, (0.0, 1.0), 0.0),
                point(names::WORKERS, (1.0, workers), workers),
            ]);
        }
        Kind::MasterWorker => {}
        Kind::Search | Kind::Synchronized => points.extend(SEARCHED.map(|name| point(name, (1.0, 128.0), 1.0))),
    }
    points
}

impl Job {
    /// A job with a rank on each of these nodes.
    pub fn new(
        request: OpenJobRequest,
        kind: Kind,
        is_known: bool,
        nodes: &[(usize, HostClock)],
        start_ns: u64,
        mut random: Random,
    ) -> Job {
        let name = request.job.clone();
        let of = nodes.len() as u32;
        let registers: Vec<Rc<Register>> = (1..).zip(nodes).map(|(id, _)| Rc::new(Register::new(id))).collect();
        let mut ranks: Vec<Rank> = Vec::new();
        for (number, (node, clock)) in nodes.iter().enumerate() {
            // Ranks share the register of their host's first rank, or all that of rank 0.
            let of_host = nodes.iter().position(|(other, _)| other == node).unwrap_or(number);
            let register = if kind == Kind::Synchronized { 0 } else { of_host };
            let number = number as u32;
            let points = points(kind, number, of);
            ranks.push(Rank::new((&name, number, of), *node, clock.clone(), registers[register].clone(), points));
        }
        let phase = Phase::Beginning(vec![Some(start_ns); ranks.len()]);
        let random = random.split();
        Job { name, kind, request, is_known, ranks, iteration: 0, start_ns, phase, random }
    }

    /// Whether a rank of it runs.
    pub fn is_alive(&self) -> bool {
        self.ranks.iter().any(|rank| rank.is_alive)
    }

    /// Ranks that run.
    pub fn living(&self) -> impl Iterator<Item = &Rank> {
        self.ranks.iter().filter(|rank| rank.is_alive)
    }

    /// A rank dies; without the master, and in most programs, all die.
    pub fn kill(&mut self, number: usize, all: bool) {
        for rank in &mut self.ranks {
            if rank.number as usize == number || number == 0 || all {
                rank.end(false);
            }
        }
    }

    /// All ranks reach MPI_Finalize.
    pub fn finalize(&mut self) {
        self.ranks.iter_mut().filter(|rank| rank.is_alive).for_each(|rank| rank.end(true));
    }

    /// Goes on, if time has come. Returns a sentence where ranks that must be alike differ.
    pub fn advance(&mut self, agents: &[Option<Sender<Attached>>], connections: &mut u64) -> Result<(), String> {
        let now_ns = clock::elapsed_ns();
        if now_ns < self.start_ns || !self.is_alive() {
            return Ok(());
        }
        for rank in &mut self.ranks {
            rank.attach(agents[rank.node].as_ref(), connections);
        }
        match &mut self.phase {
            Phase::Beginning(times) => {
                for (rank, time) in self.ranks.iter_mut().zip(&mut *times).filter(|(rank, _)| rank.is_alive) {
                    if time.take_if(|time| *time <= now_ns).is_some() {
                        rank.begin(self.iteration);
                    }
                }
                let waits = |(rank, time): (&Rank, &Option<u64>)| rank.is_alive && time.is_some();
                if !self.ranks.iter().zip(&*times).any(waits) {
                    self.run(now_ns);
                }
            }
            Phase::Running { end_ns, .. } if now_ns < *end_ns => {
                for rank in &mut self.ranks {
                    if rank.is_alive && self.random.chance(0.3) {
                        rank.poll(self.iteration);
                    }
                }
            }
            Phase::Running { .. } => {
                let alike = self.alike();
                self.end_iteration(now_ns);
                return alike;
            }
        }
        Ok(())
    }

    /// All ranks have begun the iteration.
    fn run(&mut self, now_ns: u64) {
        let (chunks, length_ns) = self.schedule();
        let (master_now, workers, technique) = (self.ranks[0].now_ns(), self.workers(), self.technique());
        if self.iteration == 0 {
            let (start_up, per_byte) = (2e-6_f64.to_bits(), 1e-10_f64.to_bits());
            self.ranks[0].record(kind::LINK, 0, master_now, [1, start_up, per_byte, 20, 0, 0]);
        }
        let factor = self.ranks[0].value(names::FACTOR).unwrap_or(0.5);
        let payload =
            [self.iteration, TASKS, workers as u64, u64::from(technique.code()), factor.to_bits(), 8 | 8 << 32];
        self.ranks[0].record(kind::ITERATION_BEGIN, 0, master_now, payload);
        self.phase = Phase::Running { end_ns: now_ns + length_ns, chunks };
    }

    fn technique(&self) -> Technique {
        let code = self.ranks[0].value(names::TECHNIQUE).unwrap_or_default();
        Technique::from_code(code as u32).unwrap_or(Technique::None)
    }

    fn workers(&self) -> usize {
        let most = self.ranks.len() - 1;
        self.ranks[0].value(names::WORKERS).map_or(most, |workers| workers as usize).clamp(1, most)
    }

    /// The chunks of an iteration, with their times since its begin, and its length.
    fn schedule(&mut self) -> (Vec<Chunk>, u64) {
        let alive: Vec<usize> = (1..self.ranks.len()).filter(|rank| self.ranks[*rank].is_alive).collect();
        let workers: Vec<usize> = alive.into_iter().take(self.workers()).collect();
        let workers = if workers.is_empty() { vec![0] } else { workers };
        let is_static = self.technique() == Technique::None && self.kind == Kind::MasterWorker;
        let slowness: Vec<f64> = self.ranks.iter().map(slowness).collect();
        let mut free_ns = vec![0_u64; workers.len()];
        let (mut chunks, mut first) = (Vec::new(), 0);
        while first < TASKS {
            let left = TASKS - first;
            let count = if is_static {
                TASKS.div_ceil(workers.len() as u64).min(left)
            } else {
                (left / (2 * workers.len() as u64)).max(1)
            };
            let next = (0..workers.len()).min_by_key(|worker| free_ns[*worker]).unwrap_or(0);
            let (mut busy_ns, mut squares_s2) = (0, 0.0);
            for task in first..first + count {
                // Later tasks are longer, so equal parts are not balanced.
                let mean_ns = 1.0e6 * (1.0 + 2.0 * task as f64 / TASKS as f64);
                let ns = mean_ns * slowness[workers[next]] * (0.8 + 0.4 * self.random.unit());
                busy_ns += ns as u64;
                squares_s2 += ns * ns / 1e18;
            }
            free_ns[next] += busy_ns + 5_000;
            chunks.push(Chunk { rank: workers[next], first, count, busy_ns, squares_s2, end_ns: free_ns[next] });
            first += count;
        }
        let length_ns = free_ns.iter().max().copied().unwrap_or(0);
        (chunks, length_ns)
    }

    fn end_iteration(&mut self, now_ns: u64) {
        let next = (0..self.ranks.len()).map(|_| Some(now_ns + self.random.below(15_000_000))).collect();
        let Phase::Running { end_ns, chunks } = std::mem::replace(&mut self.phase, Phase::Beginning(next)) else {
            return;
        };
        let length_ns = chunks.iter().map(|chunk| chunk.end_ns).max().unwrap_or(0);
        let (number, task_ns) = (chunks.len() as u64, chunks.iter().map(|chunk| chunk.busy_ns).sum());
        for chunk in &chunks {
            let rank = &mut self.ranks[chunk.rank];
            let late_ns = now_ns - end_ns + length_ns - chunk.end_ns;
            let end_ns = rank.now_ns().saturating_sub(late_ns);
            let payload = [self.iteration, chunk.first, chunk.count, chunk.busy_ns, chunk.squares_s2.to_bits(), TASKS];
            rank.record(kind::CHUNK, kind::TASKS_TIMED, end_ns, payload);
        }
        let master_ns = self.ranks[0].now_ns();
        let payload = [self.iteration, TASKS, number, task_ns, 5_000 * number, 0];
        self.ranks[0].record(kind::ITERATION_END, 0, master_ns, payload);
        self.iteration += 1;
    }

    /// The ranks of a program that needs it have equal values, now that each has begun the iteration.
    fn alike(&self) -> Result<(), String> {
        if self.kind != Kind::Synchronized {
            return Ok(());
        }
        for name in SEARCHED {
            let values: Vec<f64> = self.living().filter_map(|rank| rank.value(name)).collect();
            if values.windows(2).any(|pair| pair[0] != pair[1]) {
                return Err(format!(
                    "ranks of job {} differ in {name} in iteration {}: {values:?}",
                    self.name, self.iteration
                ));
            }
        }
        Ok(())
    }
}

/// By how much longer a task takes with the values of this rank's points.
fn slowness(rank: &Rank) -> f64 {
    let far = |name: &str, best: f64| rank.value(name).map_or(0.0, |value| (value.max(1.0) / best).log2().abs());
    1.0 + 0.2 * far(SEARCHED[0], 16.0) + 0.1 * far(SEARCHED[1], 8.0)
}
