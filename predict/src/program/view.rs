//! A program as a drawing shows it: who runs each element, whom it sends to, and what it costs with the parameters as they are.

use super::compiled::{Compiled, ITEM, compile};
use super::element::{Collective, Cost, Element, What};
use super::{Machine, Program, ProgramError};
use midrun_models::expression::{Code, Expression};
use midrun_models::random::Random;

/// Most processes that are looked at one by one.
const MOST_PROCESSES: usize = 4096;

/// An element in the eyes of some of the processes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Those that run it, in order; `None` where that depends on the passage of a loop or on chance, or where there are too many processes.
    pub ranks: Option<Vec<usize>>,
    /// Sender and receiver of each of its messages; of a collective, from or to its root.
    pub messages: Vec<(usize, usize)>,
    /// Least and greatest size of what one process sends, bytes; `None` where it depends on more than the process.
    pub bytes: Option<(f64, f64)>,
    /// Likewise its cost, in seconds or operations; of a loop, its passages.
    pub cost: Option<(f64, f64)>,
}

/// A program on a machine.
pub struct View<'p> {
    program: &'p Program,
    compiled: Compiled,
    places: Vec<usize>,
}

impl<'p> View<'p> {
    /// # Errors
    /// Those of [`super::simulate`] that need no run.
    pub fn new(program: &'p Program, machine: &Machine) -> Result<View<'p>, ProgramError> {
        let compiled = compile(program)?;
        let places = machine.places(compiled.processes);
        Ok(View { program, compiled, places })
    }

    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.compiled.processes
    }

    /// All ranks; `None` where they are too many to look at one by one.
    pub fn ranks(&self) -> Option<Vec<usize>> {
        (self.processes() <= MOST_PROCESSES).then(|| (0..self.processes()).collect())
    }

    /// The elements that every process runs, one after another, by their places in [`View::elements`].
    pub fn run(&self) -> &'p [usize] {
        &self.program.run
    }

    /// The elements, in the order of their names.
    pub fn elements(&self) -> &'p [Element<Expression>] {
        &self.program.elements
    }

    /// Value of an expression for each of `ranks`; `None` where it depends on more than the process.
    fn values(&self, code: &Code, ranks: &[usize]) -> Option<Vec<f64>> {
        let slots = self.compiled.slots;
        // No expression has the last of these slots: what varies with it draws.
        if (ITEM..slots).chain([usize::MAX]).any(|slot| code.varies_with(slot)) {
            return None;
        }
        let mut own = vec![0.0; slots];
        let value = |rank: &usize| {
            own[..3].copy_from_slice(&[*rank as f64, self.processes() as f64, self.places[*rank] as f64]);
            code.value(&own, &mut Random::new(0))
        };
        Some(ranks.iter().map(value).collect())
    }

    fn range(&self, code: &Code, ranks: &[usize]) -> Option<(f64, f64)> {
        let values = self.values(code, ranks)?;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        (!values.is_empty()).then(|| (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)))
    }

    /// Element number `k` in the eyes of `among`, the processes that come to it.
    pub fn part(&self, k: usize, among: Option<&[usize]>) -> Part {
        let element = &self.compiled.elements[k];
        let Some(among) = among else { return Part::default() };
        let ranks = match &element.when {
            None => Some(among.to_vec()),
            Some(when) => self.values(when, among).map(|values| {
                let so = |(rank, value): (&usize, f64)| (value != 0.0).then_some(*rank);
                among.iter().zip(values).filter_map(so).collect()
            }),
        };
        let known = ranks.clone().unwrap_or_default();
        let mut part = Part { ranks, ..Part::default() };
        let peers = |code: &Code| self.values(code, &known).unwrap_or_default();
        let pairs = |peers: Vec<f64>| {
            let peer = |(rank, peer): (&usize, f64)| (peer >= 0.0).then_some((*rank, peer as usize));
            known.iter().zip(peers).filter_map(peer).collect::<Vec<_>>()
        };
        match &element.what {
            What::Compute { cost: Cost::Seconds(code) | Cost::Operations(code), .. } => {
                part.cost = self.range(code, &known);
            }
            What::Send { to, bytes, .. } | What::SendReceive { to, bytes, .. } => {
                part.messages = pairs(peers(to));
                let senders: Vec<usize> = part.messages.iter().map(|(from, _)| *from).collect();
                part.bytes = self.range(bytes, &senders);
            }
            What::Receive { from: Some(from) } => {
                part.messages = pairs(peers(from)).into_iter().map(|(to, from)| (from, to)).collect();
            }
            What::Collective { kind, root, bytes, .. } => {
                part.bytes = bytes.as_ref().and_then(|bytes| self.range(bytes, &known));
                let root = root.as_ref().map_or(Some(0.0), |root| Some(self.range(root, &known)?.0));
                let others = |root: f64| known.iter().map(move |rank| (root as usize, *rank)).filter(|(a, b)| a != b);
                let ways = root.into_iter().flat_map(others);
                part.messages = match kind {
                    Collective::Broadcast | Collective::Scatter => ways.collect(),
                    Collective::Reduce | Collective::Gather => ways.map(|(root, rank)| (rank, root)).collect(),
                    _ => Vec::new(),
                };
            }
            What::Loop { count, .. } => part.cost = self.range(count, &known),
            What::MasterWorker(of) => part.bytes = of.task_bytes.as_ref().and_then(|bytes| self.range(bytes, &[0])),
            What::Receive { from: None } | What::Branch { .. } | What::Pipeline(_) => {}
        }
        part
    }

    /// Value of a framework's number, such as of its workers, where it is the same in each passage.
    pub fn framework_number(&self, expression: &Expression) -> Option<f64> {
        let code = self.code(expression)?;
        Some(self.values(&code, &[0])?[0])
    }

    /// `None` where a name has no fixed value.
    fn code(&self, expression: &Expression) -> Option<Code> {
        let parameters = super::compiled::parameters(self.program).ok()?;
        let built_in = |name: &str| super::BUILT_IN.iter().position(|known| *known == name).map(Code::Slot);
        let mut meaning =
            |name: &str| parameters.get(name).map(|value| Code::Number(*value)).or_else(|| built_in(name)).ok_or(());
        expression.compile(&mut meaning).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stencil() -> (Program, Machine) {
        let program = Program::from_toml(include_str!("../../../examples/models/stencil.toml")).unwrap();
        (program, Machine::from_toml(include_str!("../../../examples/models/two_nodes.toml")).unwrap())
    }

    #[test]
    fn who_runs_an_element_what_it_costs_and_whom_it_sends_to_follow_from_the_parameters() {
        let (program, machine) = stencil();
        let view = View::new(&program, &machine).unwrap();
        let all = view.ranks().unwrap();
        let part = |name: &str, among: &[usize]| {
            let k = view.elements().iter().position(|element| element.name == name).unwrap();
            view.part(k, Some(among))
        };
        let read = part("read", &all);
        assert_eq!((read.ranks, read.cost), (Some(vec![0]), Some((0.05, 0.05))));
        let down = part("down", &all);
        assert_eq!(down.messages, (0..7).map(|rank| (rank, rank + 1)).collect::<Vec<_>>());
        assert_eq!(down.bytes, Some((32_000.0, 32_000.0)));
        assert_eq!(part("up", &[0, 3]).messages, [(3, 2)], "of those that come to it");
        let share = part("share", &all);
        assert_eq!(share.messages, (1..8).map(|rank| (0, rank)).collect::<Vec<_>>());
        let converged = part("converged", &all);
        assert_eq!((converged.ranks, converged.bytes), (None, None), "that depends on the passage");
    }

    #[test]
    fn too_many_processes_are_not_looked_at_one_by_one() {
        let (mut program, machine) = stencil();
        program.set("workers", 100_000.0).unwrap();
        let view = View::new(&program, &machine).unwrap();
        assert_eq!((view.processes(), view.ranks()), (100_000, None));
        assert_eq!(view.part(0, None), Part::default());
    }
}
