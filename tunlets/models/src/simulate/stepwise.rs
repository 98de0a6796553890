//! An iteration step by step, for a simulation that carries its messages: on links that others share.

use super::{Carrier, Event, Message, Sim, SimInput, SimResult, Trace, known_scheduler, known_speeds, shortest_s};
use midrun_scheduling::TechniqueParameters;

/// An iteration whose messages somebody else carries.
///
/// Sends never wait, and the master itself hands all chunks out: [`SimInput`]'s times of messages,
/// [`TechniqueParameters::synchronous`], `counter` and `team_size` do not count here.
pub struct Stepwise<'a>(Sim<'a, Outbox>);

/// Messages that were sent, each with the time at which it sets out.
#[derive(Default)]
struct Outbox(Vec<(f64, Message)>);

impl Carrier for Outbox {
    fn takes(&mut self, ready_s: f64, message: Message) -> bool {
        self.0.push((ready_s, message));
        true
    }
}

impl<'a> Stepwise<'a> {
    /// Begins at `begin_s`; `unit_s` is the unit of the task times, seconds.
    pub fn new(
        input: &'a SimInput,
        parameters: &TechniqueParameters,
        (trace, unit_s): (&'a Trace, f64),
        begin_s: f64,
    ) -> Stepwise<'a> {
        let parameters = TechniqueParameters { synchronous: false, ..*parameters };
        let known = (known_scheduler(input, &parameters), known_speeds(input));
        let mut sim = Sim::new(input, &parameters, (trace, unit_s), known, Outbox::default());
        (sim.logging, sim.result.shortest_s) = (true, shortest_s(input, (trace, unit_s)));
        sim.begin(begin_s);
        Stepwise(sim)
    }

    /// The messages that were sent since the last call, each with the time at which it sets out.
    pub fn sent(&mut self) -> Vec<(f64, Message)> {
        std::mem::take(&mut self.0.carrier.0)
    }

    /// When something happens next, if no message arrives until then.
    pub fn next_s(&self) -> Option<f64> {
        self.0.events.next_s()
    }

    /// Whether all results are in.
    pub fn is_over(&self) -> bool {
        let Sim { scheduler, returned, known, .. } = &self.0;
        scheduler.remaining() + returned.tasks() == 0 && known.hold_nothing()
    }

    /// It happens.
    pub fn step(&mut self) {
        self.0.step();
    }

    /// The last byte of a message is there.
    pub fn arrive(&mut self, message: Message, now_s: f64) {
        let event = match message {
            Message::Tasks { worker, .. } => Event::Arrive(worker),
            Message::Ask { worker } => Event::Ask(worker),
            Message::Results { worker, .. } => Event::Result(worker),
            Message::Returned { worker, .. } => Event::Returned(worker),
        };
        self.0.on_event(now_s, event);
    }

    /// When a worker answers the announcement of a message that is there at `there_s`, which is now.
    pub fn answer_s(&self, worker: u32, there_s: f64) -> f64 {
        self.0.answer_s(worker, there_s)
    }

    /// What came of it; its times count from where `begin_s` does.
    pub fn into_result(self) -> SimResult {
        self.0.result
    }
}
