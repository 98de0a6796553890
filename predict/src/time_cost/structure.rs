//! Control graphs: nodes, where the signal goes from each, and whether the graph makes sense.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::count::{Count, Parameter};
use super::{CostError, Policy};
use midrun_models::distribution::Distribution;

/// Most nodes of a graph.
pub const MOST_NODES: usize = 1000;

/// Action of a node on the signal that reaches it. Nodes and locks are indices, see [`Structure`].
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Takes time: the cost over `speed min(1, P)`.
    Operation {
        /// Seconds on one processor of speed 1.
        cost: Distribution,
        /// The next node.
        to: usize,
    },
    /// Goes one of several ways, each with its probability; they sum up to 1.
    Decision {
        /// Ways and their probabilities.
        ways: Vec<(usize, f64)>,
    },
    /// Goes each way as often as is told, in random order, but the last way last: the exit of a loop.
    Flow {
        /// Ways and how often each is gone in one run.
        ways: Vec<(usize, Count)>,
    },
    /// Several ways meet; nothing happens.
    Or {
        /// The next node.
        to: usize,
    },
    /// Goes all ways at once and splits the processing power.
    Fork {
        /// First nodes of the branches.
        branches: Vec<usize>,
        /// Shares under [`Policy::User`], above 0, one for each branch; empty if there are none.
        weights: Vec<f64>,
    },
    /// Waits for all branches of the fork it belongs to.
    Join {
        /// The next node.
        to: usize,
    },
    /// Takes all its locks at once, in the order of arrival.
    Lock {
        /// Locks shared with other readers.
        read: Vec<usize>,
        /// Locks for this signal alone.
        write: Vec<usize>,
        /// The next node.
        to: usize,
    },
    /// Lets go of locks.
    Unlock {
        /// Which.
        locks: Vec<usize>,
        /// The next node.
        to: usize,
    },
    /// The computation is over.
    End,
}

impl Kind {
    /// The nodes that may follow.
    pub(super) fn ways(&self) -> Vec<usize> {
        match self {
            Kind::Decision { ways } => ways.iter().map(|way| way.0).collect(),
            Kind::Flow { ways } => ways.iter().map(|way| way.0).collect(),
            Kind::Fork { branches, .. } => branches.clone(),
            Kind::Operation { to, .. } | Kind::Or { to } | Kind::Join { to } => vec![*to],
            Kind::Lock { to, .. } | Kind::Unlock { to, .. } => vec![*to],
            Kind::End => Vec::new(),
        }
    }
}

/// A node and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// For people.
    pub name: String,
    /// Its action.
    pub kind: Kind,
}

/// A computation structure: its graph, its parameters, the machine, and what to vary.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    pub(super) parameters: BTreeMap<String, Parameter>,
    pub(super) locks: Vec<String>,
    pub(super) nodes: Vec<Node>,
    pub(super) start: usize,
    /// Processors, their speed, and how forks share them.
    pub machine: Machine,
    /// Values that [`super::sweep`] varies.
    pub sweep: Sweep,
    /// For each node the forks it lies in, outermost first, each with the branch.
    pub(super) inside: Vec<Vec<(usize, usize)>>,
}

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Processing power at the start; above 0, not necessarily whole.
    pub processors: f64,
    /// An operation of cost c takes c/speed on one processor.
    pub speed: f64,
    /// Power shares of a fork's branches.
    pub policy: Policy,
}

/// Values to go through; an empty list leaves what the description says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// Numbers of processors.
    pub processors: Vec<f64>,
    /// Policies.
    pub policy: Vec<Policy>,
    /// Values of parameters.
    pub parameters: BTreeMap<String, Vec<u32>>,
}

impl Structure {
    /// True if runs may differ: a time, a parameter or a way is drawn, or signals that come to locks at the same time.
    pub fn draws(&self) -> bool {
        let forks = self.nodes.iter().any(|node| matches!(node.kind, Kind::Fork { .. }));
        let draws = |node: &Node| match &node.kind {
            Kind::Operation { cost, .. } => cost.variance_s2() > 0.0,
            Kind::Decision { ways } => ways.iter().filter(|(_, probability)| *probability > 0.0).count() > 1,
            // A loop goes on until its one way out is left.
            Kind::Flow { ways } => ways.len() > 2 || ways.last().is_some_and(|(_, count)| !count.is_one()),
            Kind::Lock { .. } => forks,
            _ => false,
        };
        self.parameters.values().any(Parameter::draws) || self.nodes.iter().any(draws)
    }

    /// A structure whose forks meet joins, whose ends can be reached and whose parameters are there.
    ///
    /// # Errors
    /// The first thing that is wrong, with the names of its nodes.
    pub fn new(
        parameters: BTreeMap<String, Parameter>,
        locks: Vec<String>,
        nodes: Vec<Node>,
        start: usize,
        machine: Machine,
        sweep: Sweep,
    ) -> Result<Structure, CostError> {
        if nodes.is_empty() || nodes.len() > MOST_NODES {
            return Err(CostError::Graph(format!("{} nodes, allowed is 1 to {MOST_NODES}", nodes.len())));
        }
        machine.check()?;
        let inside = Walk::new(&nodes, start).all()?;
        let structure = Structure { parameters, locks, nodes, start, machine, sweep, inside };
        structure.check()?;
        Ok(structure)
    }

    /// The nodes, in the order of their names.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node where the signal starts.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The names of the locks.
    pub fn locks(&self) -> &[String] {
        &self.locks
    }

    /// The same structure with other values.
    ///
    /// # Errors
    /// Values that no machine can have, a parameter that the structure does not have.
    pub fn with(&self, machine: Machine, values: &BTreeMap<String, u32>) -> Result<Structure, CostError> {
        let mut structure = self.clone();
        structure.machine = machine;
        for (name, value) in values {
            structure.known(name)?;
            structure.parameters.insert(name.clone(), Parameter::Fixed(*value));
        }
        machine.check()?;
        structure.check()?;
        Ok(structure)
    }

    fn known(&self, parameter: &str) -> Result<&Parameter, CostError> {
        let names = || self.parameters.keys().cloned().collect::<Vec<_>>().join(", ");
        self.parameters
            .get(parameter)
            .ok_or_else(|| CostError::Graph(format!("there is no parameter `{parameter}` (there are: {})", names())))
    }

    fn check(&self) -> Result<(), CostError> {
        self.parameters.iter().try_for_each(|(name, parameter)| parameter.check(name))?;
        self.sweep.parameters.keys().try_for_each(|name| self.known(name).map(drop))?;
        let policies = || self.sweep.policy.iter().chain([&self.machine.policy]);
        for node in &self.nodes {
            let wrong = |what: String| Err(CostError::Graph(format!("node `{}`: {what}", node.name)));
            match &node.kind {
                Kind::Operation { cost, .. } => {
                    if let Err(error) = cost.clone().checked() {
                        return wrong(error.to_string());
                    }
                }
                Kind::Decision { ways } => {
                    let sum: f64 = ways.iter().map(|way| way.1).sum();
                    if ways.is_empty() || ways.iter().any(|way| !(0.0..=1.0).contains(&way.1)) {
                        return wrong("each probability must lie between 0 and 1".into());
                    }
                    if (sum - 1.0).abs() > 1e-9 {
                        return wrong(format!("its probabilities sum up to {sum} instead of 1"));
                    }
                }
                Kind::Flow { ways } => {
                    if ways.is_empty() {
                        return wrong("a decision needs branches".into());
                    }
                    for name in ways.iter().filter_map(|way| way.1.parameter()) {
                        self.known(name).map(drop).or_else(|error| wrong(error.to_string()))?;
                    }
                }
                Kind::Fork { branches, weights } => {
                    let fitting = weights.len() == branches.len();
                    if !weights.is_empty() && (!fitting || weights.iter().any(|w| !(w.is_finite() && *w > 0.0))) {
                        return wrong("each branch needs a weight above 0, or none has one".into());
                    }
                    if weights.is_empty() && policies().any(|policy| *policy == Policy::User) {
                        return wrong("under the policy user each branch of a fork needs a weight".into());
                    }
                }
                Kind::Lock { read, write, .. } => {
                    let all: Vec<usize> = read.iter().chain(write).copied().collect();
                    if all.iter().collect::<BTreeSet<_>>().len() < all.len() {
                        return wrong("it takes a lock twice".into());
                    }
                    self.locks_known(&all).or_else(wrong)?;
                }
                Kind::Unlock { locks, .. } => self.locks_known(locks).or_else(wrong)?,
                Kind::Or { .. } | Kind::Join { .. } | Kind::End => {}
            }
        }
        Ok(())
    }

    fn locks_known(&self, locks: &[usize]) -> Result<(), String> {
        if locks.is_empty() {
            return Err("it needs at least one lock".into());
        }
        match locks.iter().find(|&&lock| lock >= self.locks.len()) {
            Some(unknown) => Err(format!("there is no lock {unknown}")),
            None => Ok(()),
        }
    }
}

impl Machine {
    fn check(&self) -> Result<(), CostError> {
        for (what, value) in [("processors", self.processors), ("speed", self.speed)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(CostError::Graph(format!("{what} is {value}, but it must be finite and above 0")));
            }
        }
        Ok(())
    }
}

/// Follows all ways from the start and keeps track of the forks that are open.
struct Walk<'a> {
    nodes: &'a [Node],
    inside: Vec<Option<Vec<(usize, usize)>>>,
    /// For each fork its join and the branches that reached it.
    joins: BTreeMap<usize, (usize, BTreeSet<usize>)>,
    /// For each join its fork.
    forks: BTreeMap<usize, usize>,
    ahead: VecDeque<(usize, Vec<(usize, usize)>)>,
}

impl Walk<'_> {
    fn new(nodes: &[Node], start: usize) -> Walk<'_> {
        let ahead = VecDeque::from([(start, Vec::new())]);
        Walk { nodes, inside: vec![None; nodes.len()], joins: BTreeMap::new(), forks: BTreeMap::new(), ahead }
    }

    fn name(&self, node: usize) -> &str {
        &self.nodes[node].name
    }

    fn all(mut self) -> Result<Vec<Vec<(usize, usize)>>, CostError> {
        while let Some((node, open)) = self.ahead.pop_front() {
            self.reach(node, open)?;
        }
        for (fork, node) in self.nodes.iter().enumerate() {
            let Kind::Fork { branches, .. } = &node.kind else {
                continue;
            };
            let arrived = self.joins.get(&fork).map(|(_, arrived)| arrived.clone()).unwrap_or_default();
            if let Some(lost) = (0..branches.len()).find(|branch| !arrived.contains(branch)) {
                let (fork, first) = (&node.name, self.name(branches[lost]));
                return Err(CostError::Graph(format!("the branch of fork `{fork}` to `{first}` never reaches a join")));
            }
        }
        let unreached = self.inside.iter().position(Option::is_none);
        if let Some(node) = unreached {
            return Err(CostError::Graph(format!("node `{}` cannot be reached from the start", self.name(node))));
        }
        if !self.nodes.iter().any(|node| node.kind == Kind::End) {
            return Err(CostError::Graph("there is no end".into()));
        }
        Ok(self.inside.into_iter().flatten().collect())
    }

    /// One arrival at `node` with these forks open.
    fn reach(&mut self, node: usize, mut open: Vec<(usize, usize)>) -> Result<(), CostError> {
        let wrong = |text: String| Err(CostError::Graph(text));
        let name = self.nodes.get(node).map(|node| node.name.clone()).unwrap_or_default();
        let Some(Node { kind, .. }) = self.nodes.get(node) else {
            return wrong(format!("there is no node {node}"));
        };
        if let Kind::Join { .. } = kind {
            let Some((fork, branch)) = open.pop() else {
                return wrong(format!("join `{name}` is reached outside of any fork"));
            };
            let known = *self.forks.entry(node).or_insert(fork);
            let (join, arrived) = self.joins.entry(fork).or_insert_with(|| (node, BTreeSet::new()));
            arrived.insert(branch);
            let join = *join;
            if join != node || known != fork {
                let fork = self.name(fork);
                return wrong(format!("the branches of fork `{fork}` must all meet in one join of their own"));
            }
        }
        if *kind == Kind::End && !open.is_empty() {
            return wrong(format!("end `{name}` is reached from inside fork `{}`", self.name(open[0].0)));
        }
        if let Some(before) = &self.inside[node] {
            if *before == open {
                return Ok(());
            }
            let fork = before.iter().chain(&open).last().map_or("", |(fork, _)| self.name(*fork));
            return wrong(format!(
                "node `{name}` is reached from different branches of fork `{fork}`, or from inside and outside of it: \
                 only a join may be"
            ));
        }
        self.inside[node] = Some(open.clone());
        for (branch, to) in kind.ways().into_iter().enumerate() {
            let mut next = open.clone();
            if let Kind::Fork { .. } = kind {
                next.push((node, branch));
            }
            self.ahead.push_back((to, next));
        }
        Ok(())
    }
}
