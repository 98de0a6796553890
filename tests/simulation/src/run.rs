//! One simulation from its seed to its end.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use turmoil::Sim;

use crate::disk::SimDisk;
use crate::faults::{self, Fault, host};
use crate::hosts::{Agents, add_analyzer, add_node, add_owner, add_strangers};
use crate::job::{BY_HAND, Kind};
use crate::network::{ANALYZER, carried};
use crate::owner::{Ask, Reply, Requests};
use crate::plan::{HEAL_NS, Plan, S};
use crate::random::{self, Random};
use crate::shown::Shown;
use crate::word::Word;
use crate::{clock, memory};

/// One step of the simulation.
const TICK: Duration = Duration::from_millis(4);
/// After the faults have ended, everything has converged by then.
const CONVERGED_NS: u64 = HEAL_NS + 30 * S;
/// A request of an owner is answered by then.
const ANSWERED_NS: u64 = 40 * S;
/// A repetition of a request that nobody answered may still arrive so much later.
const QUIET_NS: u64 = 8 * S;
/// By then an agent is linked again: a dead connection is noticed after 10 s, an attempt follows within 6 s.
const LINKED_NS: u64 = 17 * S;
/// What the analyzer shows of its links is at most so old, and an answer waits for the agents' copies no longer.
const NOTICED_NS: u64 = 2 * S;
/// When there is room on the disk, the journal is written again after 1 s, and what left before has come by then.
const WRITTEN_NS: u64 = 8 * S;
/// Pause between two looks at what agents and analyzer show of themselves.
const LOOK_NS: u64 = S / 10;
/// The system and its simulated network hold less than this, bytes. The analyzer's message limit is 16 MiB; no queue has as many.
const HELD: i64 = 128 << 20;
/// The result of a simulation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// A promise that was broken, as a sentence.
    pub broken: Option<String>,
    /// Sum over all that happened: equal for equal seeds.
    pub fingerprint: u64,
    /// Most memory held, bytes.
    pub most_held: i64,
    /// Actions that ranks applied.
    pub applied: u64,
    /// Agents that came to be carried by others.
    pub carried: u64,
    /// What happened, a line each.
    pub story: String,
}

thread_local! { static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) }; }

/// Notes panics of this thread instead of printing them.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        let _ = PANICS.try_with(|panics| panics.borrow_mut().push(text));
    }));
}

/// Runs the simulation of a seed on a thread of its own.
///
/// # Panics
/// The simulation itself is defective.
pub fn run(seed: u64) -> Outcome {
    let thread = std::thread::Builder::new().name(format!("seed {seed}")).stack_size(8 << 20);
    let simulation = thread.spawn(move || {
        random::seed_thread(seed);
        simulate(seed)
    });
    match simulation.expect("a thread").join() {
        Ok(outcome) => outcome,
        Err(_) => Outcome::broken("the simulation itself panicked".into()),
    }
}

impl Outcome {
    /// Of a simulation that came to no end.
    pub fn broken(why: String) -> Outcome {
        Outcome { broken: Some(why), fingerprint: 0, most_held: 0, applied: 0, carried: 0, story: String::new() }
    }
}

struct Run<'a> {
    sim: Sim<'a>,
    plan: Plan,
    random: Random,
    agents: Agents,
    disk: SimDisk,
    shown: Shown,
    /// Agents and analyzer are asked again then, nanoseconds.
    look_ns: u64,
    /// The disk is full, or was a moment ago: actions until then need not be in the journal.
    full_ns: u64,
    words: Vec<Word>,
    requests: Vec<Requests>,
    /// The request that waits for its answer, and since when.
    asked: Vec<Option<(Ask, u64)>>,
    /// Nothing is asked for before, nanoseconds.
    quiet_ns: Vec<u64>,
    connections: u64,
    applied: Vec<(usize, BTreeSet<u64>)>,
    applied_count: u64,
    down: BTreeSet<String>,
    /// When the way of each host to the analyzer was last not as it should be, nanoseconds; `u64::MAX`: it is not.
    trouble_ns: BTreeMap<String, u64>,
    /// When a program last ended or began, or a connection broke.
    noticed_ns: u64,
    trace: DefaultHasher,
    story: String,
}

fn simulate(seed: u64) -> Outcome {
    PANICS.take();
    let mut random = Random::new(seed);
    let plan = Plan::new(&mut random);
    let mut faults = faults::choose(&mut random, &plan);
    let mut run = Run::new(plan, random, seed);
    let before = memory::held();
    let mut most_held = 0;
    let broken = loop {
        let now_ns = run.sim.elapsed().as_nanos() as u64;
        clock::set_elapsed(now_ns);
        while let Some((_, fault)) = faults.pop_if(|(at_ns, _)| *at_ns <= now_ns) {
            run.happen(fault);
        }
        most_held = most_held.max(memory::held() - before);
        match run.step(most_held) {
            Ok(false) => {}
            Ok(true) => break None,
            Err(why) => break Some(format!("after {:.3} s: {why}", now_ns as f64 / 1e9)),
        }
    };
    let Run { trace, story, applied_count, .. } = &run;
    Outcome {
        broken,
        fingerprint: trace.finish(),
        most_held,
        applied: *applied_count,
        carried: carried(),
        story: story.clone(),
    }
}

impl Run<'_> {
    fn new(plan: Plan, mut random: Random, seed: u64) -> Self {
        let mut sim = turmoil::Builder::new()
            .tick_duration(TICK)
            .simulation_duration(Duration::from_secs(100_000))
            .min_message_latency(Duration::from_micros(50))
            // Where messages take as long as iterations, they come at any moment of one.
            .max_message_latency(Duration::from_millis(*random.pick(&[1, 5, 30, 300])))
            .tcp_capacity(1 << 16)
            .rng_seed(seed)
            .enable_random_order()
            .build();
        let agents: Agents = Rc::new(RefCell::new(vec![None; plan.nodes]));
        let (disk, shown) = (SimDisk::default(), Shown::default());
        for number in 0..plan.nodes {
            add_node(&mut sim, &plan, number, &agents, &shown);
        }
        add_analyzer(&mut sim, &plan, &disk, &shown);
        let requests: Vec<Requests> = plan.jobs.iter().map(|_| Requests::default()).collect();
        for (number, requests) in requests.iter().enumerate() {
            add_owner(&mut sim, &plan, number, requests);
        }
        if random.chance(0.5) {
            add_strangers(&mut sim, &plan);
        }
        let down: BTreeSet<String> = (0..plan.starts_ns.len()).map(|number| host(number, plan.nodes)).collect();
        down.iter().for_each(|name| sim.crash(name.as_str()));
        agents.borrow_mut().fill(None);
        let jobs = plan.jobs.len();
        let word = |known: bool| if known { Word::known_from_the_start() } else { Word::default() };
        let applied = plan.jobs.iter().enumerate();
        let applied = applied.flat_map(|(job, plan)| plan.ranks.iter().map(move |_| (job, BTreeSet::new()))).collect();
        Run {
            words: plan.jobs.iter().map(|job| word(job.is_known)).collect(),
            sim,
            plan,
            random,
            agents,
            disk,
            shown,
            look_ns: 0,
            full_ns: 0,
            requests,
            asked: vec![None; jobs],
            quiet_ns: vec![0; jobs],
            connections: 0,
            applied,
            applied_count: 0,
            trouble_ns: BTreeMap::new(),
            noticed_ns: 0,
            down,
            trace: DefaultHasher::new(),
            story: String::new(),
        }
    }

    fn tell(&mut self, what: &str) {
        let at_s = clock::elapsed_ns() as f64 / 1e9;
        let _ = writeln!(self.story, "{at_s:8.3} {what}");
        (what, at_s.to_bits()).hash(&mut self.trace);
    }

    fn happen(&mut self, fault: Fault) {
        self.tell(&format!("{fault:?}"));
        if let Some((name, ends)) = fault.troubles() {
            self.trouble_ns.insert(name, if ends { clock::elapsed_ns() } else { u64::MAX });
        }
        if fault.is_noticed() {
            self.noticed_ns = clock::elapsed_ns();
        }
        if faults::happen(&self.sim, &fault) {
            return;
        }
        match fault {
            Fault::Kill(name, loses_power) => {
                self.kill(&name);
                if name == ANALYZER.0 && loses_power {
                    self.disk.crash(&mut self.random);
                    self.shown.on_power_lost();
                }
            }
            Fault::Lose => {
                self.kill(ANALYZER.0);
                self.disk.wipe();
            }
            Fault::Start(name) if self.down.remove(&name) => self.sim.bounce(name),
            Fault::Full(is_full) => {
                self.full_ns = if is_full { u64::MAX } else { clock::elapsed_ns() + WRITTEN_NS };
                self.disk.set_full(is_full);
            }
            Fault::Jump(clock, seconds) => self.plan.clocks[clock].jump(seconds * S),
            Fault::Wall(seconds) => self.plan.clocks[self.plan.nodes].set_wall(seconds * 1_000_000),
            Fault::Rank(job, rank, all) => self.plan.jobs[job].kill(rank, all),
            _ => {}
        }
    }

    fn kill(&mut self, name: &str) {
        if self.down.insert(name.to_owned()) {
            self.sim.crash(name);
            let node = name.strip_prefix("node").and_then(|number| number.parse::<usize>().ok());
            if let Some(node) = node {
                self.agents.borrow_mut()[node] = None;
            }
        }
    }

    /// One step; true when all is over. The error is the promise that was broken.
    fn step(&mut self, held: i64) -> Result<bool, String> {
        self.sim.step().map_err(|error| format!("a part ended: {error}"))?;
        let now_ns = self.sim.elapsed().as_nanos() as u64;
        clock::set_elapsed(now_ns);
        if let Some(panic) = PANICS.with_borrow(|panics| panics.first().cloned()) {
            return Err(panic);
        }
        if held > HELD {
            return Err(format!("{held} bytes are held"));
        }
        let agents = self.agents.borrow().clone();
        for job in &mut self.plan.jobs {
            job.advance(&agents, &mut self.connections)?;
        }
        self.look_at_actions()?;
        if now_ns >= self.look_ns {
            self.look_ns = now_ns + LOOK_NS;
            self.shown.look(self.plan.journal_lasts).map_or(Ok(()), Err)?;
        }
        (0..self.plan.jobs.len()).try_for_each(|job| self.serve_owner(job, now_ns))?;
        let over = |job: usize| self.plan.asks[job].is_empty() && self.asked[job].is_none() && now_ns > CONVERGED_NS;
        Ok((0..self.plan.jobs.len()).all(over))
    }

    fn look_at_actions(&mut self) -> Result<(), String> {
        let mut at = 0;
        for (number, job) in self.plan.jobs.iter_mut().enumerate() {
            let mut logs = Vec::new();
            for rank in &mut job.ranks {
                let (came, applied) = (std::mem::take(&mut rank.came), std::mem::take(&mut rank.applied));
                logs.push((rank.number, came, applied));
            }
            for (rank, came, applied) in logs {
                for came in came {
                    (number, rank, came.action, came.at_ns).hash(&mut self.trace);
                    if came.at_ns > self.full_ns && !self.disk.has_action(came.action) {
                        return Err(format!("action {} came to a rank, and no journal has it", came.action));
                    }
                    // On a disk that was full inputs are given up as long as a job is open.
                    if self.plan.journal_lasts && !self.disk.has_input_of(came.action) {
                        return Err(format!("action {} came to a rank, and no inputs have it", came.action));
                    }
                    if let Some(why) = self.words[number].objection(job, rank, &came) {
                        return Err(why);
                    }
                }
                for applied in applied {
                    self.applied_count += 1;
                    if !self.applied[at].1.insert(applied.action) {
                        let action = applied.action;
                        return Err(format!("rank {rank} of job {} applied action {action} twice", job.name));
                    }
                }
                at += 1;
            }
        }
        Ok(())
    }

    fn serve_owner(&mut self, job: usize, now_ns: u64) -> Result<(), String> {
        if let Some((ask, since_ns)) = self.asked[job].clone() {
            match self.requests[job].reply() {
                Some(reply) => self.on_reply(job, now_ns, &ask, reply)?,
                None if now_ns > since_ns.max(HEAL_NS) + ANSWERED_NS => {
                    return Err(format!("nobody answers {ask:?} of job {}", self.plan.jobs[job].name));
                }
                None => {}
            }
            return Ok(());
        }
        if now_ns < self.quiet_ns[job] || self.down.contains(&format!("owner{job}")) {
            return Ok(());
        }
        let last = self.plan.asks[job].last();
        if last.is_some_and(|(at_ns, _)| *at_ns <= now_ns)
            && let Some((_, ask)) = self.plan.asks[job].pop()
        {
            self.ask(job, ask, now_ns);
        }
        Ok(())
    }

    fn ask(&mut self, job: usize, ask: Ask, now_ns: u64) {
        if ask == Ask::Close {
            self.plan.jobs[job].finalize();
        }
        self.tell(&format!("owner of job{job}: {ask:?}"));
        self.words[job].on_ask(&ask);
        self.requests[job].ask(ask.clone());
        self.asked[job] = Some((ask, now_ns));
    }

    fn on_reply(&mut self, number: usize, now_ns: u64, ask: &Ask, reply: Reply) -> Result<(), String> {
        let short: String = format!("{reply:?}").chars().take(200).collect();
        self.tell(&format!("job{number}: {ask:?} -> {short}"));
        let (since_ns, job) = (self.asked[number].take().map_or(0, |(_, since)| since), &self.plan.jobs[number]);
        if self.is_lasting(number, now_ns) {
            self.words[number].on_reply(now_ns, ask, &reply, job.request.dry_run);
        }
        let is_late = now_ns > CONVERGED_NS && since_ns > CONVERGED_NS;
        match &reply {
            // The job is not known yet, or its end is not: as a person would, ask again.
            Reply::Unknown(why) => {
                if is_late {
                    return Err(format!("{ask:?} of job {} fails after all faults have ended: {why}", job.name));
                }
                self.quiet_ns[number] = now_ns + S;
                if self.plan.asks[number].is_empty() || *ask != Ask::Close {
                    self.plan.asks[number].push((now_ns + S, ask.clone()));
                }
                // What comes after this one must not be overtaken by it.
                if let [.., (next_ns, _), _] = &mut self.plan.asks[number][..] {
                    *next_ns = (*next_ns).max(now_ns + QUIET_NS);
                }
            }
            Reply::Refused(why) if is_late && !(job.request.dry_run && matches!(ask, Ask::Set { .. })) => {
                return Err(format!("{ask:?} of job {} is refused after all faults have ended: {why}", job.name));
            }
            // No analyzer knows the job yet.
            Reply::Refused(_) if *ask == Ask::Status => self.plan.asks[number].push((now_ns + S, Ask::Status)),
            Reply::Refused(_) => {}
            Reply::Done(value) if *ask == Ask::Close => {
                if value["iterations"].as_u64().is_none() && value["ranks"].as_u64().is_none() {
                    return Err(format!("the summary of job {} is none", job.name));
                }
            }
            Reply::Done(status) if *ask == Ask::Status && is_late => {
                if let Some(why) = self.words[number].missing(job, status) {
                    return Err(format!("job {}: {why}", job.name));
                }
                if status["iterations"].as_u64().is_some_and(|known| known > job.iteration) {
                    return Err(format!(
                        "job {} has ended {} iterations, and the analyzer knows {}",
                        job.name, job.iteration, status["iterations"]
                    ));
                }
                let running = status["ranks"].as_array().into_iter().flatten();
                let running = running.filter(|rank| rank["state"] == "running").count();
                if running != job.living().count() {
                    let living = job.living().count();
                    return Err(format!("{living} ranks of job {} run, and the analyzer knows {running}", job.name));
                }
            }
            Reply::Done(_) => {}
        }
        if self.plan.asks[number].is_empty() && *ask != Ask::Close {
            self.plan_the_end(number, now_ns);
        }
        Ok(())
    }

    /// Whether what is acknowledged now outlives the analyzer: its journal does, or all agents of the job are linked and have a copy.
    fn is_lasting(&self, number: usize, now_ns: u64) -> bool {
        // An agent's way may go by any other one's.
        let concerns = |name: &str, host: &String| self.plan.direct_agents > 0 || host == name;
        let is_well = |name: &str| {
            let mut troubles = self.trouble_ns.iter().filter(|(host, _)| concerns(name, host));
            troubles.all(|(_, ns)| ns.saturating_add(LINKED_NS) < now_ns)
        };
        let job = &self.plan.jobs[number];
        let nodes: BTreeSet<String> = job.ranks.iter().map(|rank| format!("node{}", rank.node)).collect();
        let are_linked = nodes.iter().all(|node| is_well(node)) && self.shown.are_linked(&job.name, &nodes);
        self.plan.journal_lasts || (are_linked && self.noticed_ns + NOTICED_NS < now_ns && job.is_alive())
    }

    /// After the faults: the state, a change, the end.
    fn plan_the_end(&mut self, number: usize, now_ns: u64) {
        let job = &self.plan.jobs[number];
        let at_ns = now_ns.max(CONVERGED_NS) + S;
        let synchronized = job.kind == Kind::Synchronized;
        // A change of all ranks needs all of them.
        let whole = job.living().count() == job.ranks.len();
        let asks = &mut self.plan.asks[number];
        asks.push((at_ns, Ask::Close));
        if job.is_alive() {
            if whole || !synchronized {
                asks.push((at_ns, Ask::Set { point: BY_HAND, value: 999.0, synchronized }));
            }
            asks.push((at_ns, Ask::Status));
        }
    }
}
