//! A simulated rank: real shared memory, the shim's own code for commands that wait and for synchronized changes, simulated tuning
//! points. It remembers which actions came and which were applied.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use midrun_agent::Attached;
use midrun_agreement::{Decision, PreCommitReply, PrepareReply, Word};
use midrun_ring::layout::{NO_TUNING_POINT, when};
use midrun_ring::{
    Command, CommandConsumer, Identity, Producer, Record, Segment, TuningPointKind, TuningPointSlot, kind,
};
use midrun_vocabulary::action_status as status;
use tokio::sync::mpsc::Sender;

use crate::clock::{self, HostClock};
use crate::pending_commands::{Answer, Awaits, PendingCommands, Rules, SafePoint};

/// A rank whose agent has gone looks for another one so often.
const LOOK_NS: u64 = 500_000_000;
/// Records of its ring.
const RECORDS: u32 = 4096;

/// The word that ranks share.
#[derive(Debug)]
pub struct Register {
    word: Cell<u64>,
    identity: u64,
}

impl Register {
    /// One with this identity.
    pub fn new(identity: u64) -> Register {
        Register { word: Cell::new(0), identity }
    }
}

impl Word for &Register {
    fn load(&self) -> u64 {
        self.word.get()
    }
    fn compare_exchange(&self, current: u64, new: u64) -> Result<(), u64> {
        let found = self.word.get();
        if found == current {
            self.word.set(new);
            Ok(())
        } else {
            Err(found)
        }
    }
}

/// A tuning point.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its name.
    pub name: &'static str,
    /// Smallest and largest value.
    pub range: (f64, f64),
    /// Value when it was declared.
    pub start: f64,
    /// Value now.
    pub value: f64,
}

/// A command that came, or was applied.
#[derive(Clone, Debug)]
pub struct Came {
    /// The action.
    pub action: u64,
    /// Time in the simulation, nanoseconds.
    pub at_ns: u64,
    /// Its values, by name.
    pub values: Vec<(&'static str, f64)>,
}

/// See the module.
pub struct Rank {
    /// Its number.
    pub number: u32,
    /// The host on which it runs.
    pub node: usize,
    /// It runs, and has not left MPI.
    pub is_alive: bool,
    /// Its tuning points.
    pub points: Vec<Point>,
    /// Commands that came for the first time since somebody looked.
    pub came: Vec<Came>,
    /// Those that were applied since somebody looked.
    pub applied: Vec<Came>,
    /// Actions that came at least once.
    seen: BTreeSet<u64>,
    segment: Segment,
    memory: OwnedFd,
    ring: Producer,
    commands: CommandConsumer,
    pending: PendingCommands,
    part: midrun_agreement::Rank<Command>,
    register: Rc<Register>,
    begun: u64,
    applied_round: u64,
    clock: HostClock,
    agent: Option<(u64, Sender<Attached>)>,
    look_ns: u64,
}

/// The rank whose command is carried out.
struct Here {
    points: Vec<Point>,
    applied: Vec<Came>,
}

thread_local! { static PROCESSES: RefCell<Vec<bool>> = const { RefCell::new(Vec::new()) }; }

/// The id of a further process, which runs.
fn new_process() -> u32 {
    PROCESSES.with_borrow_mut(|processes| {
        processes.push(true);
        processes.len() as u32
    })
}

/// Whether a process runs, as its host knows.
pub fn runs(pid: u32, _since_ns: u64) -> bool {
    PROCESSES.with_borrow(|processes| processes[pid as usize - 1])
}

thread_local! { static HERE: RefCell<Here> = const { RefCell::new(Here { points: Vec::new(), applied: Vec::new() }) }; }

const RULES: Rules = Rules {
    awaits: |command| match command.when {
        when::ITERATION_START => Ok(Awaits::Start),
        when::AT_ITERATION => Ok(Awaits::Iteration(command.at)),
        _ => Ok(Awaits::Nothing),
    },
    settle: |command| {
        HERE.with_borrow_mut(|here| match check(command, &here.points) {
            Err(status) => status,
            Ok(()) => {
                here.set(command);
                status::APPLIED
            }
        })
    },
};

fn check(command: &Command, points: &[Point]) -> Result<(), u64> {
    if clock::now_ns() > command.deadline_ns {
        return Err(status::EXPIRED);
    }
    for assignment in &command.assignments[..command.count as usize] {
        let point = points.get(assignment.tuning_point as usize).ok_or(status::REFUSED_UNKNOWN)?;
        if !(point.range.0..=point.range.1).contains(&assignment.value) {
            return Err(status::REFUSED_RANGE);
        }
    }
    Ok(())
}

fn values(command: &Command, points: &[Point]) -> Vec<(&'static str, f64)> {
    let assignments = command.assignments[..command.count as usize].iter();
    assignments.filter_map(|a| Some((points.get(a.tuning_point as usize)?.name, a.value))).collect()
}

impl Here {
    fn set(&mut self, command: &Command) {
        for assignment in &command.assignments[..command.count as usize] {
            if let Some(point) = self.points.get_mut(assignment.tuning_point as usize) {
                point.value = assignment.value;
            }
        }
        let values = values(command, &self.points);
        self.applied.push(Came { action: command.action, at_ns: clock::elapsed_ns(), values });
    }
}

impl Rank {
    /// Rank `number` of `of` of this job, on a host with this clock and this register.
    pub fn new(
        (job, number, of): (&str, u32, u32),
        node: usize,
        clock: HostClock,
        register: Rc<Register>,
        points: Vec<Point>,
    ) -> Rank {
        let identity = Identity {
            rank: number,
            world_size: of,
            pid: new_process(),
            job: job.into(),
            launch: String::new(),
            mpi: "simulated".into(),
            start_ns: clock.now_ns(),
        };
        let (segment, memory) = Segment::create(&identity, 1, RECORDS).expect("memory");
        for point in &points {
            let declared = segment.declare_tuning_point(&TuningPointSlot {
                name: point.name.into(),
                kind: TuningPointKind::Real,
                minimum: point.range.0,
                maximum: point.range.1,
                declared: point.start,
                value: point.value,
            });
            declared.expect("the table has room");
        }
        let (ring, commands) = (segment.producer(0), segment.command_consumer());
        Rank {
            number,
            node,
            is_alive: true,
            points,
            came: Vec::new(),
            applied: Vec::new(),
            seen: BTreeSet::new(),
            segment,
            memory,
            ring,
            commands,
            pending: PendingCommands::default(),
            part: midrun_agreement::Rank::default(),
            register,
            begun: 0,
            applied_round: 0,
            clock,
            agent: None,
            look_ns: 0,
        }
    }

    /// Value of a tuning point.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.points.iter().find(|point| point.name == name).map(|point| point.value)
    }

    /// CLOCK_MONOTONIC of its host, nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// Attaches to the agent of its host if it has none; `connections` numbers connections.
    pub fn attach(&mut self, agent: Option<&Sender<Attached>>, connections: &mut u64) {
        if self.agent.as_ref().is_some_and(|(_, agent)| agent.is_closed()) {
            self.agent = None;
            self.pending.on_agent_lost();
            self.look_ns = clock::elapsed_ns() + LOOK_NS;
        }
        let (None, Some(agent)) = (&self.agent, agent) else { return };
        if !self.is_alive || clock::elapsed_ns() < self.look_ns || agent.is_closed() {
            return;
        }
        let memory = self.memory.try_clone().expect("a descriptor");
        let segment = Segment::open(memory).expect("its own segment");
        *connections += 1;
        let uid = own_uid();
        if agent.try_send(Attached::Connected(*connections, segment, uid)).is_ok() {
            self.agent = Some((*connections, agent.clone()));
        }
        self.look_ns = clock::elapsed_ns() + LOOK_NS;
    }

    /// Ends, well or not.
    pub fn end(&mut self, finalizes: bool) {
        if finalizes {
            self.segment.set_finalized(self.now_ns());
        }
        self.is_alive = false;
        let pid = self.segment.identity().pid;
        PROCESSES.with_borrow_mut(|processes| processes[pid as usize - 1] = false);
        if let Some((connection, agent)) = self.agent.take() {
            // Its agent has room for the ends of all its ranks.
            let _ = agent.try_send(Attached::Disconnected(connection));
        }
    }

    /// Records something.
    pub fn record(&mut self, kind: u32, flags: u32, time_ns: u64, payload: [u64; 6]) {
        self.ring.push(&Record { kind, flags, time_ns, payload }.to_words());
    }

    /// Begins iteration `iteration`.
    pub fn begin(&mut self, iteration: u64) {
        self.clock.enter();
        self.visit(&SafePoint { iteration, start: true, counted: true, boundary: None });
        self.begun = iteration + 1;
        if let Some(outcome) = self.part.on_iteration(iteration, &mut &*self.register) {
            let status = match &outcome.apply {
                Some(change) => {
                    self.with(|| HERE.with_borrow_mut(|here| here.set(change)));
                    self.applied_round = outcome.round;
                    status::APPLIED
                }
                None => status::ABORTED,
            };
            self.answer(outcome.round, status, iteration, 0);
        }
    }

    /// A safe point inside iteration `iteration`.
    pub fn poll(&mut self, iteration: u64) {
        self.clock.enter();
        self.visit(&SafePoint { iteration, start: false, counted: true, boundary: None });
    }

    fn visit(&mut self, here: &SafePoint) {
        while let Some(command) = Command::read(|| self.commands.pop()) {
            let Some(command) = command else { continue };
            self.note(&command);
            if command.when == when::COMMITTED {
                self.part.on_committed(command.action);
            } else if [when::PREPARE, when::PRE_COMMIT, when::COMMIT].contains(&command.when) {
                self.take_phase(&command);
            } else if command.action < self.applied_round {
                self.answer(command.action, status::REFUSED_STALE, here.iteration, 0);
            } else {
                let answer = self.with_pending(|pending| pending.take(command, here, RULES));
                self.report(answer);
            }
        }
        let answer = self.with_pending(|pending| pending.reach(here, RULES));
        self.report(answer);
    }

    fn note(&mut self, command: &Command) {
        let now_ns = clock::elapsed_ns();
        if self.seen.insert(command.action) {
            let values = values(command, &self.points);
            self.came.push(Came { action: command.action, at_ns: now_ns, values });
        }
    }

    fn take_phase(&mut self, command: &Command) {
        let register = self.register.clone();
        let mut register = &*register;
        let (status, iteration, identity) = match command.when {
            when::PREPARE => match check(command, &self.points) {
                Err(status) => (status, 0, 0),
                Ok(()) => match self.part.on_prepare(command.action, command.clone(), self.begun, &mut register) {
                    PrepareReply::Prepared { begun } => (status::PREPARED, begun, register.identity),
                    PrepareReply::Busy => (status::BUSY, 0, 0),
                },
            },
            when::PRE_COMMIT => {
                let at = command.assignments[0];
                let reply = match at.tuning_point {
                    NO_TUNING_POINT => self.part.on_pre_commit(command.action, at.value as u64, self.begun),
                    _ => PreCommitReply::Past,
                };
                (if reply == PreCommitReply::PreCommitted { status::PRE_COMMITTED } else { status::PAST }, 0, 0)
            }
            _ => match self.part.on_commit(command.action, &mut register) {
                Decision::Commit => (status::COMMITTED, 0, 0),
                Decision::Abort => (status::ABORTED, 0, 0),
            },
        };
        self.answer(command.action, status, iteration, identity);
    }

    fn with<T>(&mut self, body: impl FnOnce() -> T) -> T {
        HERE.with_borrow_mut(|here| {
            (here.points, here.applied) = (std::mem::take(&mut self.points), std::mem::take(&mut self.applied));
        });
        let result = body();
        HERE.with_borrow_mut(|here| {
            (self.points, self.applied) = (std::mem::take(&mut here.points), std::mem::take(&mut here.applied));
        });
        for (number, point) in self.points.iter().enumerate() {
            self.segment.set_tuning_point_value(number as u32, point.value);
        }
        result
    }

    fn with_pending<T>(&mut self, body: impl FnOnce(&mut PendingCommands) -> T) -> T {
        let mut pending = std::mem::take(&mut self.pending);
        let result = self.with(|| body(&mut pending));
        self.pending = pending;
        result
    }

    fn report(&mut self, answer: Option<Answer>) {
        if let Some(answer) = answer {
            self.answer(answer.action, answer.status, answer.iteration, 0);
        }
    }

    fn answer(&mut self, action: u64, status: u64, iteration: u64, register: u64) {
        let now_ns = self.now_ns();
        self.record(kind::ACTION_RESULT, 0, now_ns, [action, status, iteration, register, 0, 0]);
    }
}

fn own_uid() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
