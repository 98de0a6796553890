//! A model checker explores every order of events of three ranks, a coordinator that may die, and a network that loses, repeats
//! and reorders messages. The register stands in memory that all share, or in that of rank 0, and then asking it takes time. No
//! two ranks ever differ, but they do under each mutant of the protocol.

use std::collections::{BTreeMap, BTreeSet};

use midrun_agreement::{
    Coordinator, Decision, Margins, Order, PreCommitReply, PrepareReply, Rank, Register, Reply, RoundOutcome, Step,
};
use stateright::{Checker, Model, Property};

const RANKS: u32 = 3;
const MARGINS: Margins = Margins { first: 1, most: 2 };

/// A deliberate defect of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mutant {
    None,
    /// Commits as soon as one rank has pre-committed.
    CommitsEarly,
    /// A rank drops a change that nobody committed, but does not write the register.
    DoesNotAbort,
    /// A rank pre-commits for an iteration that it has begun.
    PreCommitsLate,
    /// Tells of the commit before a rank has reported it.
    TellsEarly,
}

struct Job {
    mutant: Mutant,
    /// Most iterations that each rank begins, and most rounds.
    iterations: usize,
    rounds: u64,
    /// Ranks may die or finalize, and the coordinator may die.
    faults: bool,
    /// The register stands in the memory of rank 0, which answers until it dies: others ask first, and are answered later or never.
    far: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Life {
    Running,
    Finalized,
    Dead,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Process {
    life: Life,
    rank: Rank<u64>,
    value: u64,
    /// The value in each iteration that it has begun.
    history: Vec<u64>,
    /// What it does once the register on rank 0 has answered.
    waits: Option<Work>,
}

/// What a rank does by itself or by order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Work {
    Begin,
    Follow { round: u64, order: Order },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    Ordered { to: u32, round: u64, order: Order },
    Replied { rank: u32, round: u64, reply: Reply },
    Left { rank: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    processes: Vec<Process>,
    register: u64,
    coordinator: Option<Coordinator>,
    rounds: u64,
    /// Every message ever sent: it may arrive at any time, repeatedly, or never.
    network: BTreeSet<Message>,
    /// The end of each round, as its coordinator reports it.
    ends: BTreeMap<u64, RoundOutcome>,
}

#[derive(Clone, Debug, PartialEq)]
enum Action {
    Deliver(Message),
    Begin(u32),
    Answer(u32),
    Finalize(u32),
    Die(u32),
    Silence,
    CoordinatorDies,
    Ask,
}

/// The register's word. One process acts at a time here; tests of the register cover concurrent threads.
struct Shared<'a>(&'a mut u64);

impl Register for Shared<'_> {
    fn decide(&mut self, round: u64, want: Decision) -> Decision {
        let decided = *self.0 >> 1;
        if decided < round {
            *self.0 = round << 1 | u64::from(want == Decision::Commit);
            return want;
        }
        if decided == round && *self.0 & 1 == 1 { Decision::Commit } else { Decision::Abort }
    }
}

/// Notes whether it is asked.
struct Asked(bool);

impl Register for Asked {
    fn decide(&mut self, _: u64, want: Decision) -> Decision {
        self.0 = true;
        want
    }
}

impl Job {
    /// A rank begins its next iteration or takes an order, or asks the register on rank 0 before it can.
    fn work(&self, state: &mut State, at: usize, work: Work) {
        if self.far && at > 0 && Self::asks(&state.processes[at], work) {
            state.processes[at].waits = Some(work);
        } else {
            self.carry_out(state, at, work);
        }
    }

    fn asks(process: &Process, work: Work) -> bool {
        let (mut rank, mut asked) = (process.rank.clone(), Asked(false));
        match work {
            Work::Begin => drop(rank.on_iteration(process.history.len() as u64, &mut asked)),
            Work::Follow { round, order: Order::Prepare } => drop(rank.on_prepare(round, round, 0, &mut asked)),
            Work::Follow { round, order: Order::Commit } => drop(rank.on_commit(round, &mut asked)),
            Work::Follow { order: Order::PreCommit { .. } | Order::Committed, .. } => {}
        }
        asked.0
    }

    fn carry_out(&self, state: &mut State, at: usize, work: Work) {
        match work {
            Work::Begin => self.begin(state, at),
            Work::Follow { round, order } => self.tell(state, at as u32, round, order),
        }
    }

    fn begin(&self, state: &mut State, at: usize) {
        let process = &mut state.processes[at];
        let iteration = process.history.len() as u64;
        let mut copy = state.register;
        let word = if self.mutant == Mutant::DoesNotAbort { &mut copy } else { &mut state.register };
        if let Some(outcome) = process.rank.on_iteration(iteration, &mut Shared(word)) {
            let reply = if outcome.apply.is_some() { Reply::Applied } else { Reply::Aborted };
            process.value = outcome.apply.unwrap_or(process.value);
            state.network.insert(Message::Replied { rank: at as u32, round: outcome.round, reply });
        }
        process.history.push(process.value);
    }

    fn tell(&self, state: &mut State, to: u32, round: u64, order: Order) {
        let process = &mut state.processes[to as usize];
        if process.life != Life::Running {
            return;
        }
        let begun = process.history.len() as u64;
        let mut register = Shared(&mut state.register);
        let reply = match order {
            Order::Prepare => match process.rank.on_prepare(round, round, begun, &mut register) {
                PrepareReply::Prepared { begun } => Reply::Prepared { begun, register: 7 },
                PrepareReply::Busy => Reply::Busy,
            },
            Order::PreCommit { at } => {
                let known = if self.mutant == Mutant::PreCommitsLate { 0 } else { begun };
                match process.rank.on_pre_commit(round, at, known) {
                    PreCommitReply::PreCommitted => Reply::PreCommitted,
                    PreCommitReply::Past => Reply::Past,
                }
            }
            Order::Commit => match process.rank.on_commit(round, &mut register) {
                Decision::Commit => Reply::Committed,
                Decision::Abort => Reply::Aborted,
            },
            Order::Committed => return process.rank.on_committed(round),
        };
        state.network.insert(Message::Replied { rank: to, round, reply });
    }

    fn follow(&self, state: &mut State, step: Step) {
        let Some(coordinator) = &mut state.coordinator else { return };
        match step {
            Step::Wait => {}
            Step::Send(order, ranks) => {
                let round = coordinator.round();
                state.network.extend(ranks.iter().map(|to| Message::Ordered { to: *to, round, order }));
                if self.mutant == Mutant::TellsEarly && order == Order::Commit {
                    let order = Order::Committed;
                    state.network.extend((0..RANKS).map(|to| Message::Ordered { to, round, order }));
                }
            }
            Step::Over(done) => {
                state.ends.insert(coordinator.round(), done);
                if state.rounds < self.rounds && coordinator.again(state.rounds + 1) {
                    state.rounds += 1;
                    self.prepare(state);
                } else {
                    state.coordinator = None;
                }
            }
        }
    }

    fn prepare(&self, state: &mut State) {
        let Some(coordinator) = &state.coordinator else { return };
        let round = coordinator.round();
        let orders = coordinator.ranks().iter().map(|to| Message::Ordered { to: *to, round, order: Order::Prepare });
        state.network.extend(orders);
    }

    fn deliver(&self, state: &mut State, message: Message) {
        match message {
            Message::Ordered { to, round, order } => self.work(state, to as usize, Work::Follow { round, order }),
            Message::Replied { rank, round, reply } => {
                let Some(coordinator) = &mut state.coordinator else { return };
                let step = coordinator.on_reply(rank, round, reply);
                if self.mutant == Mutant::CommitsEarly && reply == Reply::PreCommitted {
                    state.network.insert(Message::Ordered { to: rank, round, order: Order::Commit });
                }
                self.follow(state, step);
            }
            Message::Left { rank } => {
                let Some(coordinator) = &mut state.coordinator else { return };
                let step = coordinator.on_left(rank);
                self.follow(state, step);
            }
        }
    }
}

/// Drops messages without any effect, which reduces the number of equivalent states.
fn forget(state: &mut State) {
    let State { network, processes, coordinator, .. } = state;
    let ours = |round: u64| coordinator.as_ref().is_some_and(|coordinator| coordinator.round() == round);
    network.retain(|message| match message {
        Message::Ordered { to, .. } => processes[*to as usize].life == Life::Running,
        Message::Replied { round, .. } => ours(*round),
        Message::Left { rank } => coordinator.as_ref().is_some_and(|c| c.ranks().contains(rank)),
    });
}

fn all_run(state: &State) -> bool {
    state.processes.iter().all(|process| process.life == Life::Running)
}

impl Model for Job {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let process = Process { life: Life::Running, rank: Rank::default(), value: 0, history: vec![0], waits: None };
        vec![State {
            processes: vec![process; RANKS as usize],
            register: 0,
            coordinator: None,
            rounds: 0,
            network: BTreeSet::new(),
            ends: BTreeMap::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        // A rank that awaits the register hears nothing.
        let hears = |message: &&Message| match message {
            Message::Ordered { to, .. } => state.processes[*to as usize].waits.is_none(),
            Message::Replied { .. } | Message::Left { .. } => true,
        };
        actions.extend(state.network.iter().filter(hears).map(|message| Action::Deliver(*message)));
        for (process, number) in state.processes.iter().zip(0..) {
            if process.life == Life::Running && process.waits.is_some() {
                if state.processes[0].life != Life::Dead {
                    actions.push(Action::Answer(number));
                }
                if self.faults {
                    actions.push(Action::Die(number));
                }
            } else if process.life == Life::Running {
                if process.history.len() < self.iterations {
                    actions.push(Action::Begin(number));
                }
                if self.faults {
                    actions.extend([Action::Finalize(number), Action::Die(number)]);
                }
            }
        }
        match &state.coordinator {
            Some(_) if self.faults => actions.extend([Action::Silence, Action::CoordinatorDies]),
            None if state.rounds < self.rounds && all_run(state) => actions.push(Action::Ask),
            _ => {}
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Deliver(message) => self.deliver(&mut state, message),
            Action::Begin(rank) => self.work(&mut state, rank as usize, Work::Begin),
            Action::Answer(rank) => {
                let work = state.processes[rank as usize].waits.take()?;
                self.carry_out(&mut state, rank as usize, work);
            }
            Action::Finalize(rank) | Action::Die(rank) => {
                let finalized = matches!(action, Action::Finalize(_));
                state.processes[rank as usize].life = if finalized { Life::Finalized } else { Life::Dead };
                state.network.insert(Message::Left { rank });
            }
            Action::Silence => {
                let step = state.coordinator.as_mut()?.on_silence();
                self.follow(&mut state, step);
            }
            Action::CoordinatorDies => state.coordinator = None,
            Action::Ask => {
                state.rounds += 1;
                state.coordinator = Some(Coordinator::new(state.rounds, (0..RANKS).collect(), MARGINS));
                self.prepare(&mut state);
            }
        }
        forget(&mut state);
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn same(_: &Job, state: &State) -> bool {
            let histories = || state.processes.iter().map(|process| &process.history);
            histories().all(|a| histories().all(|b| a.iter().zip(b).all(|(a, b)| a == b)))
        }
        fn true_reports(_: &Job, state: &State) -> bool {
            let took = |round: u64| state.processes.iter().any(|process| process.history.contains(&round));
            state.ends.iter().all(|(round, done)| match done {
                RoundOutcome::Applied { at } => state.processes.iter().all(|process| {
                    let there = process.history.get(*at as usize);
                    there.is_none_or(|value| value == round)
                }),
                RoundOutcome::Aborted(_) => !took(*round),
                RoundOutcome::Ended | RoundOutcome::Unconfirmed { .. } => true,
            })
        }
        fn goes_on(job: &Job, state: &State) -> bool {
            let mut all = (0..state.processes.len()).zip(&state.processes);
            all.all(|(at, process)| {
                let mut next = state.clone();
                if process.waits.is_some() {
                    return true;
                }
                job.work(&mut next, at, Work::Begin);
                // Only who has not heard of the decision asks, and goes on with the answer. MPI ends the job where rank 0 has died.
                if let Some(work) = next.processes[at].waits {
                    job.carry_out(&mut next, at, work);
                }
                next.processes[at].history.len() == process.history.len() + 1
            })
        }
        fn everywhere(_: &Job, state: &State) -> bool {
            all_run(state) && state.processes.iter().all(|process| process.value != 0)
        }
        /// All are pre-committed, and whoever begins the iteration next need not ask the register.
        fn all_have_heard(_: &Job, state: &State) -> bool {
            let has_heard = |process: &Process| {
                let (mut rank, mut asked) = (process.rank.clone(), Asked(false));
                rank.on_iteration(u64::MAX, &mut asked).is_some() && !asked.0
            };
            all_run(state) && state.processes.iter().all(has_heard)
        }
        fn aborted(_: &Job, state: &State) -> bool {
            state.ends.values().any(|done| matches!(done, RoundOutcome::Aborted(_)))
        }
        fn second(_: &Job, state: &State) -> bool {
            matches!(state.ends.get(&1), Some(RoundOutcome::Aborted(_)))
                && matches!(state.ends.get(&2), Some(RoundOutcome::Applied { .. }))
        }
        let mut properties = vec![
            Property::always("ranks do not differ", same),
            Property::always("what the coordinator reports is true", true_reports),
            Property::always("a rank can always begin its next iteration", goes_on),
            Property::sometimes("applied everywhere", everywhere),
            Property::sometimes("aborted", aborted),
            Property::sometimes("every rank knows of the commit before the iteration", all_have_heard),
        ];
        if self.rounds > 1 && !self.faults {
            properties.push(Property::sometimes("applied after an aborted round", second));
        }
        properties
    }
}

fn states(job: Job, least: usize) {
    let checker = job.checker().threads(2).spawn_bfs().join();
    println!("{} states", checker.unique_state_count());
    checker.assert_properties();
    assert!(checker.unique_state_count() >= least, "{} states were looked at", checker.unique_state_count());
}

/// At night (`MIDRUN_NIGHT`) each rank begins an iteration more, which takes more than ten times as long.
#[test]
fn no_two_ranks_differ_though_ranks_die_and_finalize_and_the_coordinator_dies() {
    let (iterations, least) = if std::env::var_os("MIDRUN_NIGHT").is_some() { (3, 500_000) } else { (2, 50_000) };
    states(Job { mutant: Mutant::None, iterations, rounds: 1, faults: true, far: false }, least);
}

#[test]
fn no_two_ranks_differ_where_the_register_is_on_rank_0_and_ranks_die_and_finalize_while_they_ask_it() {
    let (iterations, least) = if std::env::var_os("MIDRUN_NIGHT").is_some() { (3, 500_000) } else { (2, 50_000) };
    states(Job { mutant: Mutant::None, iterations, rounds: 1, faults: true, far: true }, least);
}

#[test]
fn no_two_ranks_differ_when_a_round_is_tried_again_with_the_register_on_rank_0() {
    states(Job { mutant: Mutant::None, iterations: 4, rounds: 2, faults: false, far: true }, 500_000);
}

#[test]
fn no_two_ranks_differ_when_a_round_is_tried_again() {
    states(Job { mutant: Mutant::None, iterations: 4, rounds: 2, faults: false, far: false }, 500_000);
}

fn should_find_a_counterexample(mutant: Mutant) {
    for far in [false, true] {
        let job = Job { mutant, iterations: 4, rounds: 1, faults: false, far };
        let checker = job.checker().threads(2).spawn_bfs().join();
        let path = checker.discovery("ranks do not differ");
        assert!(path.is_some(), "{mutant:?} was not noticed in {} states", checker.unique_state_count());
    }
}

#[test]
fn should_find_a_counterexample_when_the_commit_does_not_wait_for_all_ranks() {
    should_find_a_counterexample(Mutant::CommitsEarly);
}

#[test]
fn should_find_a_counterexample_when_a_rank_does_not_abort_the_round() {
    should_find_a_counterexample(Mutant::DoesNotAbort);
}

#[test]
fn should_find_a_counterexample_when_a_rank_is_pre_committed_for_an_iteration_it_has_begun() {
    should_find_a_counterexample(Mutant::PreCommitsLate);
}

#[test]
fn should_find_a_counterexample_when_ranks_hear_of_a_commit_that_no_rank_has_reported() {
    should_find_a_counterexample(Mutant::TellsEarly);
}
