//! Every order in which three ranks, a coordinator that may die, and a network that loses, repeats and reorders can go
//! on: no two ranks ever differ, and mutants of the protocol do.

use std::collections::{BTreeMap, BTreeSet};

use midrun_agreement::{
    Answer, Coordinator, Done, Margins, Order, PreCommitting, Preparing, Rank, Register, Step, Verdict,
};
use stateright::{Checker, Model, Property};

const RANKS: u32 = 3;
const MARGINS: Margins = Margins { first: 1, most: 2 };

/// What is wrong with the protocol, on purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mutant {
    None,
    /// Commits as soon as one rank is armed.
    CommitsEarly,
    /// Drops the change where nobody has committed, and tells the register nothing.
    DoesNotAbort,
    /// PreCommits for an iteration that it has begun.
    ArmsLate,
}

struct Job {
    mutant: Mutant,
    /// Each rank begins so many iterations at most, and so many rounds are tried.
    iterations: usize,
    rounds: u64,
    /// Ranks die and finalize, and the coordinator dies.
    faults: bool,
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
    /// The value in force in each iteration that it has begun.
    history: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    Told { to: u32, epoch: u64, order: Order },
    Said { rank: u32, epoch: u64, answer: Answer },
    Left { rank: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    processes: Vec<Process>,
    register: u64,
    coordinator: Option<Coordinator>,
    rounds: u64,
    /// What was ever sent: it may come at any time, again, or never.
    network: BTreeSet<Message>,
    /// How rounds ended, as their coordinators say.
    ends: BTreeMap<u64, Done>,
}

#[derive(Clone, Debug, PartialEq)]
enum Action {
    Deliver(Message),
    Begin(u32),
    Finalize(u32),
    Die(u32),
    Silence,
    CoordinatorDies,
    Ask,
}

/// The register's word. One process moves at a time here; that threads agree is tested with the register itself.
struct Shared<'a>(&'a mut u64);

impl Register for Shared<'_> {
    fn decide(&mut self, epoch: u64, want: Verdict) -> Verdict {
        let stands = *self.0 >> 1;
        if stands < epoch {
            *self.0 = epoch << 1 | u64::from(want == Verdict::Commit);
            return want;
        }
        if stands == epoch && *self.0 & 1 == 1 { Verdict::Commit } else { Verdict::Aborted }
    }
}

impl Job {
    fn begin(&self, state: &mut State, at: usize) {
        let process = &mut state.processes[at];
        let iteration = process.history.len() as u64;
        let mut copy = state.register;
        let word = if self.mutant == Mutant::DoesNotAbort { &mut copy } else { &mut state.register };
        if let Some(outcome) = process.rank.on_iteration(iteration, &mut Shared(word)) {
            let answer = if outcome.apply.is_some() { Answer::Applied } else { Answer::Aborted };
            process.value = outcome.apply.unwrap_or(process.value);
            state.network.insert(Message::Said { rank: at as u32, epoch: outcome.epoch, answer });
        }
        process.history.push(process.value);
    }

    fn tell(&self, state: &mut State, to: u32, epoch: u64, order: Order) {
        let process = &mut state.processes[to as usize];
        if process.life != Life::Running {
            return;
        }
        let begun = process.history.len() as u64;
        let mut register = Shared(&mut state.register);
        let answer = match order {
            Order::Prepare => match process.rank.on_prepare(epoch, epoch, begun, &mut register) {
                Preparing::Prepared { begun } => Answer::Prepared { begun, register: 7 },
                Preparing::Busy => Answer::Busy,
            },
            Order::PreCommit { at } => {
                let seen = if self.mutant == Mutant::ArmsLate { 0 } else { begun };
                match process.rank.on_pre_commit(epoch, at, seen) {
                    PreCommitting::PreCommitted => Answer::PreCommitted,
                    PreCommitting::Past => Answer::Past,
                }
            }
            Order::Commit => match process.rank.on_commit(epoch, &mut register) {
                Verdict::Commit => Answer::Committed,
                Verdict::Aborted => Answer::Aborted,
            },
        };
        state.network.insert(Message::Said { rank: to, epoch, answer });
    }

    fn follow(&self, state: &mut State, step: Step) {
        let Some(coordinator) = &mut state.coordinator else { return };
        match step {
            Step::Wait => {}
            Step::Tell(order, ranks) => {
                let epoch = coordinator.epoch();
                state.network.extend(ranks.iter().map(|to| Message::Told { to: *to, epoch, order }));
            }
            Step::Over(done) => {
                state.ends.insert(coordinator.epoch(), done);
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
        let epoch = coordinator.epoch();
        let told = coordinator.ranks().iter().map(|to| Message::Told { to: *to, epoch, order: Order::Prepare });
        state.network.extend(told);
    }

    fn deliver(&self, state: &mut State, message: Message) {
        match message {
            Message::Told { to, epoch, order } => self.tell(state, to, epoch, order),
            Message::Said { rank, epoch, answer } => {
                let Some(coordinator) = &mut state.coordinator else { return };
                let step = coordinator.on_answer(rank, epoch, answer);
                if self.mutant == Mutant::CommitsEarly && answer == Answer::PreCommitted {
                    state.network.insert(Message::Told { to: rank, epoch, order: Order::Commit });
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

/// Drops messages that can change nothing any more, whenever they come: fewer states that mean the same.
fn forget(state: &mut State) {
    let State { network, processes, coordinator, .. } = state;
    let ours = |epoch: u64| coordinator.as_ref().is_some_and(|coordinator| coordinator.epoch() == epoch);
    network.retain(|message| match message {
        Message::Told { to, .. } => processes[*to as usize].life == Life::Running,
        Message::Said { epoch, .. } => ours(*epoch),
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
        let process = Process { life: Life::Running, rank: Rank::default(), value: 0, history: vec![0] };
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
        actions.extend(state.network.iter().map(|message| Action::Deliver(*message)));
        for (process, number) in state.processes.iter().zip(0..) {
            if process.life == Life::Running {
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
            Action::Begin(rank) => self.begin(&mut state, rank as usize),
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
        fn true_words(_: &Job, state: &State) -> bool {
            let took = |epoch: u64| state.processes.iter().any(|process| process.history.contains(&epoch));
            state.ends.iter().all(|(epoch, done)| match done {
                Done::Applied { at } => state.processes.iter().all(|process| {
                    let there = process.history.get(*at as usize);
                    there.is_none_or(|value| value == epoch)
                }),
                Done::Aborted(_) => !took(*epoch),
                Done::Ended | Done::Unheard { .. } => true,
            })
        }
        fn goes_on(job: &Job, state: &State) -> bool {
            let mut all = (0..state.processes.len()).zip(&state.processes);
            all.all(|(at, process)| {
                let mut next = state.clone();
                job.begin(&mut next, at);
                next.processes[at].history.len() == process.history.len() + 1
            })
        }
        fn everywhere(_: &Job, state: &State) -> bool {
            all_run(state) && state.processes.iter().all(|process| process.value != 0)
        }
        fn void(_: &Job, state: &State) -> bool {
            state.ends.values().any(|done| matches!(done, Done::Aborted(_)))
        }
        fn second(_: &Job, state: &State) -> bool {
            matches!(state.ends.get(&1), Some(Done::Aborted(_)))
                && matches!(state.ends.get(&2), Some(Done::Applied { .. }))
        }
        let mut properties = vec![
            Property::always("ranks do not differ", same),
            Property::always("what the coordinator says is true", true_words),
            Property::always("a rank can always begin its next iteration", goes_on),
            Property::sometimes("applied everywhere", everywhere),
            Property::sometimes("void", void),
        ];
        if self.rounds > 1 && !self.faults {
            properties.push(Property::sometimes("applied after a void round", second));
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

#[test]
fn no_two_ranks_differ_though_ranks_die_and_finalize_and_the_coordinator_dies() {
    states(Job { mutant: Mutant::None, iterations: 3, rounds: 1, faults: true }, 500_000);
}

#[test]
fn no_two_ranks_differ_when_a_round_is_tried_again() {
    states(Job { mutant: Mutant::None, iterations: 4, rounds: 2, faults: false }, 500_000);
}

fn should_find_a_counterexample(mutant: Mutant) {
    let job = Job { mutant, iterations: 4, rounds: 1, faults: false };
    let checker = job.checker().threads(2).spawn_bfs().join();
    let path = checker.discovery("ranks do not differ");
    assert!(path.is_some(), "{mutant:?} was not noticed in {} states", checker.unique_state_count());
}

#[test]
fn should_find_a_counterexample_when_the_commit_does_not_wait_for_all_ranks() {
    should_find_a_counterexample(Mutant::CommitsEarly);
}

#[test]
fn should_find_a_counterexample_when_a_rank_does_not_void_the_round() {
    should_find_a_counterexample(Mutant::DoesNotAbort);
}

#[test]
fn should_find_a_counterexample_when_a_rank_is_pre_committed_for_an_iteration_it_has_begun() {
    should_find_a_counterexample(Mutant::ArmsLate);
}
