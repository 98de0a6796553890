//! The machine: nodes with processors, and the links inside a node and between nodes (TOML).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::ProgramError;
use super::collective::{Algorithm, Collectives, Mpi};
use super::element::Collective;
use crate::description::{DescriptionError, parse};
use crate::units::{bytes, seconds};
use midrun_models::distribution::{fine, positive};

/// Most nodes.
pub const MOST_NODES: usize = 1_000_000;

/// Scheduling of a node's processes where they outnumber its cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// All at once, each at its share of the cores: round-robin with short turns.
    #[default]
    Shared,
    /// One after another: first come, first served.
    Queue,
}

/// Placement of ranks on nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The slots of the first node, then those of the next, and again from the first one.
    #[default]
    Block,
    /// One on each node that has a slot left, and again.
    Cyclic,
}

/// A computer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Processors, each of which runs one thread.
    pub cores: u32,
    /// Processes that are placed here before the next node's turn.
    pub slots: u32,
    /// Divisor of costs in seconds.
    pub speed: f64,
    /// Operations per second, the divisor of costs in operations; `None`: such costs are refused.
    pub operations_per_s: Option<f64>,
    /// Scheduling of processes on cores.
    pub scheduling: Scheduling,
}

/// A class of links. A message of v bytes takes `start_up + per_byte v` in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// `mo`: from the send until an empty message is there, seconds.
    pub start_up_s: f64,
    /// The part of it that the sender is busy, seconds.
    pub overhead_s: f64,
    /// `lambda`: time of a byte, seconds.
    pub per_byte_s: f64,
    /// A standard send of more bytes waits for its receiver.
    pub eager_bytes: f64,
}

/// A machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub(super) nodes: Vec<Node>,
    pub(super) inside: Link,
    pub(super) between: Link,
    pub(super) placement: Placement,
    pub(super) collectives: Collectives,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    placement: Placement,
    #[serde(default)]
    mpi: Mpi,
    node: Vec<Spanned<NodeFile>>,
    inside: Spanned<LinkFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    between: Option<Spanned<LinkFile>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    algorithm: BTreeMap<Collective, Spanned<Algorithm>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeFile {
    #[serde(default = "one")]
    count: u32,
    cores: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<u32>,
    #[serde(default = "full")]
    speed: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    operations_per_s: Option<f64>,
    #[serde(default)]
    scheduling: Scheduling,
}

fn one() -> u32 {
    1
}

fn full() -> f64 {
    1.0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkFile {
    start_up: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead: Option<Spanned<String>>,
    per_byte: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eager: Option<Spanned<String>>,
}

impl Machine {
    /// Nodes with the links inside each and between them.
    ///
    /// # Errors
    /// No node, too many, and figures that no machine has.
    pub fn new(nodes: Vec<Node>, inside: Link, between: Link, placement: Placement) -> Result<Machine, ProgramError> {
        let wrong = |what: String| Err(ProgramError::Machine(what));
        if !(1..=MOST_NODES).contains(&nodes.len()) {
            return wrong(format!("the number of nodes is {}, allowed is 1 to {MOST_NODES}", nodes.len()));
        }
        for (k, node) in nodes.iter().enumerate() {
            let good = node.cores > 0 && node.slots > 0 && positive(node.speed);
            if !good || !node.operations_per_s.is_none_or(positive) {
                return wrong(format!("node {k}: cores, slots, speed and operations_per_s must be above 0"));
            }
        }
        for (name, link) in [("inside", inside), ("between", between)] {
            let eager = link.eager_bytes >= 0.0;
            if !(fine(link.start_up_s) && fine(link.per_byte_s) && eager && fine(link.overhead_s)) {
                return wrong(format!("[{name}]: all figures must be 0 or more"));
            }
            if link.overhead_s > link.start_up_s {
                return wrong(format!("[{name}]: the overhead is a part of start_up and cannot be longer"));
            }
        }
        Ok(Machine { nodes, inside, between, placement, collectives: Collectives::default() })
    }

    /// The same machine with another choice of algorithms for collective communication.
    ///
    /// # Errors
    /// An algorithm that does not do what it is given for.
    pub fn with_collectives(self, collectives: Collectives) -> Result<Machine, ProgramError> {
        for (kind, algorithm) in &collectives.given {
            suits(*kind, *algorithm).map_err(ProgramError::Machine)?;
        }
        Ok(Machine { collectives, ..self })
    }

    /// Reads a description.
    ///
    /// # Errors
    /// A sentence with line and column of the first mistake.
    ///
    /// ```
    /// use midrun_predict::program::Machine;
    /// let machine = Machine::from_toml("node = [{ count = 2, cores = 4 }]
    ///     inside = { start_up = '2us', per_byte = '0.3ns', eager = '4KiB' }
    ///     between = { start_up = '50us', per_byte = '8ns', overhead = '5us' }")?;
    /// assert_eq!(Machine::from_toml(&machine.to_toml())?, machine);
    /// # Ok::<(), midrun_predict::description::DescriptionError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Machine, DescriptionError> {
        let file: File = parse(text)?;
        let mut nodes = Vec::new();
        for table in &file.node {
            let NodeFile { count, cores, slots, speed, operations_per_s, scheduling } = *table.get_ref();
            let node = Node { cores, slots: slots.unwrap_or(cores), speed, operations_per_s, scheduling };
            if nodes.len() + count as usize > MOST_NODES {
                let sentence = format!("{count} more nodes are too many, allowed are {MOST_NODES}");
                return Err(DescriptionError::at(text, table.span(), sentence));
            }
            nodes.extend(std::iter::repeat_n(node, count as usize));
        }
        let inside = link(text, file.inside.get_ref())?;
        let between = match &file.between {
            Some(table) => link(text, table.get_ref())?,
            None if nodes.len() < 2 => inside,
            None => return Err(DescriptionError::at(text, 0..0, "several nodes need the link [between] them")),
        };
        let mut collectives = Collectives { mpi: file.mpi, given: BTreeMap::new() };
        for (kind, algorithm) in &file.algorithm {
            suits(*kind, *algorithm.get_ref())
                .map_err(|sentence| DescriptionError::at(text, algorithm.span(), sentence))?;
            collectives.given.insert(*kind, *algorithm.get_ref());
        }
        Machine::new(nodes, inside, between, file.placement)
            .and_then(|machine| machine.with_collectives(collectives))
            .map_err(|error| DescriptionError::at(text, 0..0, error.to_string()))
    }

    /// A description that reads back as the same machine.
    pub fn to_toml(&self) -> String {
        let mut node: Vec<Spanned<NodeFile>> = Vec::new();
        for (k, of) in self.nodes.iter().enumerate() {
            match node.last_mut() {
                Some(last) if k > 0 && self.nodes[k - 1] == *of => last.get_mut().count += 1,
                _ => node.push(Spanned::new(
                    0..0,
                    NodeFile {
                        count: 1,
                        cores: of.cores,
                        slots: Some(of.slots),
                        speed: of.speed,
                        operations_per_s: of.operations_per_s,
                        scheduling: of.scheduling,
                    },
                )),
            }
        }
        let spanned = |value: String| Spanned::new(0..0, value);
        let table = |link: &Link| {
            Spanned::new(
                0..0,
                LinkFile {
                    start_up: spanned(format!("{}s", link.start_up_s)),
                    overhead: Some(spanned(format!("{}s", link.overhead_s))),
                    per_byte: spanned(format!("{}s", link.per_byte_s)),
                    eager: link.eager_bytes.is_finite().then(|| spanned(link.eager_bytes.to_string())),
                },
            )
        };
        let (inside, between) = (table(&self.inside), Some(table(&self.between)));
        // Only numbers and units, which TOML always accepts.
        let Collectives { mpi, given } = &self.collectives;
        let algorithm = given.iter().map(|(kind, of)| (*kind, Spanned::new(0..0, *of))).collect();
        let file = File { placement: self.placement, mpi: *mpi, node, inside, between, algorithm };
        toml::to_string(&file).unwrap_or_default()
    }

    /// The link from a process on one node to one on another.
    pub(super) fn link(&self, from: usize, to: usize) -> &Link {
        if from == to { &self.inside } else { &self.between }
    }

    /// The node of each of `processes` ranks.
    pub(super) fn places(&self, processes: usize) -> Vec<usize> {
        let round: Vec<usize> = match self.placement {
            Placement::Block => {
                let slots = |(k, node): (usize, &Node)| std::iter::repeat_n(k, node.slots as usize);
                self.nodes.iter().enumerate().flat_map(slots).take(processes).collect()
            }
            Placement::Cyclic => {
                let turns = self.nodes.iter().map(|node| node.slots).max().unwrap_or(1);
                let turn = |t: u32| self.nodes.iter().enumerate().filter(move |(_, n)| n.slots > t).map(|(k, _)| k);
                (0..turns).flat_map(turn).take(processes).collect()
            }
        };
        round.iter().copied().cycle().take(processes).collect()
    }
}

/// Refuses an algorithm that does something else.
fn suits(kind: Collective, algorithm: Algorithm) -> Result<(), String> {
    let word = |of: toml::Value| of.as_str().unwrap_or_default().to_owned();
    let name = |of: &Algorithm| toml::Value::try_from(of).map(word).unwrap_or_default();
    if kind.algorithms().contains(&algorithm) {
        return Ok(());
    }
    let kinds: Vec<String> = kind.algorithms().iter().map(name).collect();
    let which = toml::Value::try_from(kind).map(word).unwrap_or_default();
    Err(format!("{which} = \"{}\": the algorithms of {which} are {}", name(&algorithm), kinds.join(", ")))
}

fn link(text: &str, table: &LinkFile) -> Result<Link, DescriptionError> {
    let value = |key: &str, given: &Spanned<String>, read: fn(&str) -> Result<f64, String>| {
        let wrong = |allowed| format!("{key} = \"{}\": {allowed}", given.get_ref());
        read(given.get_ref()).map_err(|allowed| DescriptionError::at(text, given.span(), wrong(allowed)))
    };
    let start_up_s = value("start_up", &table.start_up, seconds)?;
    Ok(Link {
        start_up_s,
        overhead_s: table.overhead.as_ref().map_or(Ok(start_up_s), |given| value("overhead", given, seconds))?,
        per_byte_s: value("per_byte", &table.per_byte, seconds)?,
        eager_bytes: table.eager.as_ref().map_or(Ok(f64::INFINITY), |given| value("eager", given, bytes))?,
    })
}
