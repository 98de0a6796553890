//! One run of a signal through the graph, event by event.

use std::collections::{BTreeMap, BinaryHeap};

use super::count::Count;
use super::locks::{Locks, Mode};
use super::structure::{Kind, Structure};
use super::{CostError, STEP_LIMIT};
use midrun_models::random::Random;

/// Result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Time at the end, seconds.
    pub time_s: f64,
    /// Time that signals waited, by lock node, seconds.
    pub waited_s: BTreeMap<usize, f64>,
}

/// A signal on its way.
#[derive(Clone, Copy)]
struct Signal {
    node: usize,
    /// Processing power.
    power: f64,
    /// The fork it comes from.
    frame: Option<usize>,
    since_s: f64,
}

/// A fork whose branches are under way.
#[derive(Clone, Copy)]
struct Frame {
    parent: usize,
    missing: usize,
    power: f64,
}

/// A signal arrives at its node; the earliest first, at the same time in random order.
#[derive(PartialEq)]
struct Event {
    time_s: f64,
    tie: f64,
    signal: usize,
}

impl Eq for Event {}

impl Ord for Event {
    fn cmp(&self, other: &Event) -> std::cmp::Ordering {
        other.time_s.total_cmp(&self.time_s).then(other.tie.total_cmp(&self.tie)).then(other.signal.cmp(&self.signal))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Everything that changes during a run.
struct Run<'a> {
    structure: &'a Structure,
    shares: &'a [Vec<f64>],
    random: &'a mut Random,
    events: BinaryHeap<Event>,
    signals: Vec<Signal>,
    frames: Vec<Frame>,
    free: (Vec<usize>, Vec<usize>),
    locks: Locks,
    /// For each decision with flow counts what is left of them, and whether it was reached.
    flows: BTreeMap<usize, (Vec<i64>, bool)>,
    waited_s: BTreeMap<usize, f64>,
    steps: u64,
}

/// Runs once. `shares` has for each node, if it is a fork, the shares of its branches.
pub fn run(structure: &Structure, shares: &[Vec<f64>], random: &mut Random) -> Result<Outcome, CostError> {
    let flows = flows(structure, random)?;
    let mut run = Run {
        structure,
        shares,
        random,
        events: BinaryHeap::new(),
        signals: Vec::new(),
        frames: Vec::new(),
        free: (Vec::new(), Vec::new()),
        locks: Locks::default(),
        flows,
        waited_s: BTreeMap::new(),
        steps: 0,
    };
    run.spawn(structure.start, structure.machine.processors, None, 0.0);
    let mut now_s = 0.0;
    while let Some(event) = run.events.pop() {
        now_s = event.time_s;
        if run.advance(event.signal, now_s)? {
            run.check_flows()?;
            return Ok(Outcome { time_s: now_s, waited_s: run.waited_s });
        }
    }
    let name = |signal: usize| run.name(run.signals[signal].node);
    Err(CostError::Deadlock { time_s: now_s, waiting: run.locks.waiting().map(name).collect() })
}

/// Draws the parameters and evaluates all flow counts.
fn flows(structure: &Structure, random: &mut Random) -> Result<BTreeMap<usize, (Vec<i64>, bool)>, CostError> {
    let drawn: BTreeMap<&str, u32> =
        structure.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.draw(random))).collect();
    let mut flows = BTreeMap::new();
    for (number, node) in structure.nodes.iter().enumerate() {
        let Kind::Flow { ways } = &node.kind else {
            continue;
        };
        let value = |(_, count): &(usize, Count)| match count.value(&drawn) {
            value if value >= 0 => Ok(value),
            value => Err(CostError::Flow { node: node.name.clone(), what: format!("the flow `{count}` is {value}") }),
        };
        let counts: Result<Vec<i64>, CostError> = ways.iter().map(value).collect();
        flows.insert(number, (counts?, false));
    }
    Ok(flows)
}

impl Run<'_> {
    fn name(&self, node: usize) -> String {
        self.structure.nodes[node].name.clone()
    }

    fn schedule(&mut self, signal: usize, time_s: f64) {
        let tie = self.random.uniform();
        self.events.push(Event { time_s, tie, signal });
    }

    fn spawn(&mut self, node: usize, power: f64, frame: Option<usize>, time_s: f64) {
        let signal = Signal { node, power, frame, since_s: time_s };
        let number = match self.free.0.pop() {
            Some(number) => {
                self.signals[number] = signal;
                number
            }
            None => {
                self.signals.push(signal);
                self.signals.len() - 1
            }
        };
        self.schedule(number, time_s);
    }

    /// Moves a signal until it works, waits or ends; true at the end of the computation.
    fn advance(&mut self, mut signal: usize, now_s: f64) -> Result<bool, CostError> {
        loop {
            let Signal { node, power, .. } = self.signals[signal];
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return Err(CostError::Endless { node: self.name(node) });
            }
            let structure = self.structure;
            match &structure.nodes[node].kind {
                Kind::Operation { cost, to } => {
                    let cost_s = cost.sample(self.random);
                    self.signals[signal].node = *to;
                    let speed = structure.machine.speed * power.min(1.0);
                    self.schedule(signal, if cost_s > 0.0 { now_s + cost_s / speed } else { now_s });
                    return Ok(false);
                }
                Kind::Decision { ways } => self.signals[signal].node = self.drawn(ways),
                Kind::Flow { ways } => self.signals[signal].node = ways[self.counted(node)?].0,
                Kind::Or { to } => self.signals[signal].node = *to,
                Kind::Fork { branches, .. } => {
                    self.fork(signal, branches, now_s);
                    return Ok(false);
                }
                Kind::Join { to } => {
                    let Some(parent) = self.join(signal)? else {
                        return Ok(false);
                    };
                    signal = parent;
                    self.signals[signal].node = *to;
                }
                Kind::Lock { read, write, to } => {
                    let reads = read.iter().map(|lock| (*lock, Mode::Read));
                    let wants = reads.chain(write.iter().map(|lock| (*lock, Mode::Write))).collect();
                    if !self.lock(signal, wants, now_s)? {
                        return Ok(false);
                    }
                    self.signals[signal].node = *to;
                }
                Kind::Unlock { locks, to } => {
                    self.unlock(signal, locks, now_s)?;
                    self.signals[signal].node = *to;
                }
                Kind::End => {
                    self.holds_nothing(signal)?;
                    return Ok(true);
                }
            }
        }
    }

    /// A way by its probability.
    fn drawn(&mut self, ways: &[(usize, f64)]) -> usize {
        let mut left = self.random.uniform();
        for (to, probability) in ways {
            left -= probability;
            if left < 0.0 {
                return *to;
            }
        }
        // Rounding can leave a remainder: take the last branch with a positive probability.
        ways.iter().rfind(|way| way.1 > 0.0).map_or(0, |way| way.0)
    }

    /// A way by what is left of its flow count: at random, but one passage of the last way is kept for the end.
    fn counted(&mut self, node: usize) -> Result<usize, CostError> {
        let fault = |what: &str| CostError::Flow { node: self.structure.nodes[node].name.clone(), what: what.into() };
        let Some((left, reached)) = self.flows.get_mut(&node) else {
            return Err(fault("it has no flow counts"));
        };
        *reached = true;
        let total: i64 = left.iter().sum();
        let last = left.len() - 1;
        if total == 0 {
            return Err(fault("it is reached more often than its flow counts add up to"));
        }
        let kept = i64::from(left[last] > 0 && total > 1);
        let mut ticket = self.random.below((total - kept) as usize) as i64;
        let way = left.iter().position(|&count| {
            ticket -= count;
            ticket < 0
        });
        let way = way.unwrap_or(last);
        left[way] -= 1;
        Ok(way)
    }

    /// Counts that were begun must be used up.
    fn check_flows(&self) -> Result<(), CostError> {
        for (node, (left, reached)) in &self.flows {
            let total: i64 = left.iter().sum();
            if *reached && total > 0 {
                let what = format!("{total} passages of its flow counts are left over at the end");
                return Err(CostError::Flow { node: self.name(*node), what });
            }
        }
        Ok(())
    }

    fn fork(&mut self, parent: usize, branches: &[usize], now_s: f64) {
        let Signal { node, power, .. } = self.signals[parent];
        let frame = Frame { parent, missing: branches.len(), power: 0.0 };
        let number = match self.free.1.pop() {
            Some(number) => {
                self.frames[number] = frame;
                number
            }
            None => {
                self.frames.push(frame);
                self.frames.len() - 1
            }
        };
        for (to, share) in branches.iter().zip(&self.shares[node]) {
            self.spawn(*to, power * share, Some(number), now_s);
        }
    }

    /// Ends a branch; the parent if it was the last one.
    fn join(&mut self, signal: usize) -> Result<Option<usize>, CostError> {
        self.holds_nothing(signal)?;
        let Signal { node, power, frame, .. } = self.signals[signal];
        let Some(number) = frame else {
            return Err(CostError::Graph(format!("join `{}` is reached outside of any fork", self.name(node))));
        };
        self.free.0.push(signal);
        let frame = &mut self.frames[number];
        frame.missing -= 1;
        frame.power += power;
        if frame.missing > 0 {
            return Ok(None);
        }
        let Frame { parent, power, .. } = *frame;
        self.signals[parent].power = power;
        self.free.1.push(number);
        Ok(Some(parent))
    }

    /// Takes locks; false if the signal has to wait.
    fn lock(&mut self, signal: usize, wants: Vec<(usize, Mode)>, now_s: f64) -> Result<bool, CostError> {
        let node = self.signals[signal].node;
        self.signals[signal].since_s = now_s;
        match self.locks.take(signal, wants) {
            Ok(taken) => {
                self.waited_s.entry(node).or_insert(0.0);
                Ok(taken)
            }
            Err(held) => Err(self.lock_fault(node, "the signal holds this lock already:", held)),
        }
    }

    /// Lets go of locks and wakes those whose turn has come.
    fn unlock(&mut self, signal: usize, locks: &[usize], now_s: f64) -> Result<(), CostError> {
        for &lock in locks {
            if !self.locks.release(signal, lock) {
                let node = self.signals[signal].node;
                return Err(self.lock_fault(node, "the signal does not hold the lock", lock));
            }
        }
        for granted in self.locks.grant() {
            let Signal { node, since_s, .. } = self.signals[granted];
            *self.waited_s.entry(node).or_insert(0.0) += now_s - since_s;
            self.signals[granted].node = self.structure.nodes[node].kind.ways()[0];
            self.schedule(granted, now_s);
        }
        Ok(())
    }

    /// A signal that ends must have let go of everything.
    fn holds_nothing(&self, signal: usize) -> Result<(), CostError> {
        match self.locks.first_held(signal) {
            Some(lock) => Err(self.lock_fault(self.signals[signal].node, "it is reached while holding", lock)),
            None => Ok(()),
        }
    }

    fn lock_fault(&self, node: usize, what: &'static str, lock: usize) -> CostError {
        CostError::Lock { node: self.name(node), what, lock: self.structure.locks[lock].clone() }
    }
}
