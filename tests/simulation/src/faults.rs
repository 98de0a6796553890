//! What happens to the parts of a simulation, and when it ends.

use turmoil::Sim;

use crate::hosts::set_old;
use crate::network::{break_connections, set_slow};
use crate::plan::{HEAL_NS, Plan, S};
use crate::random::Random;

/// Longest time for which messages are held back, nanoseconds.
const HELD_NS: u64 = 4 * S;

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Nothing goes between the analyzer and a host.
    Partition(String),
    /// Nothing goes from one host to the other.
    OneWay(String, String),
    /// Nothing goes between two nodes, or everything again (true).
    Between(usize, usize, bool),
    /// The analyzer and this host hear each other again.
    Repair(String),
    /// What goes between the analyzer and a host waits.
    Hold(String),
    /// It arrives.
    Release(String),
    /// A host's program is killed. True: the host loses its power, and what was not synced.
    Kill(String, bool),
    /// The analyzer is killed, and its journal is gone.
    Lose,
    /// A host's program starts.
    Start(String),
    /// The analyzer's disk is full, or no longer.
    Full(bool),
    /// A host (by its clock) was suspended for these seconds.
    Jump(usize, u64),
    /// Somebody sets the calendar clock of the analyzer's host, by these seconds.
    Wall(i64),
    /// The connections of a node's agent are reset; it makes another one.
    Break(usize),
    /// A rank of a job dies, and perhaps all with it.
    Rank(usize, usize, bool),
    /// A node's agent takes and gives little at a time, or no longer.
    Slow(usize, bool),
    /// The agent of a node that starts from now on is of an older version, or no longer.
    Old(usize, bool),
}

impl Fault {
    /// Somebody loses a connection at once, and everybody notices.
    pub fn is_noticed(&self) -> bool {
        matches!(self, Fault::Break(_) | Fault::Start(_) | Fault::Kill(..) | Fault::Lose)
    }

    /// The host whose way to the analyzer is not as it should be, or the two between which it is so, and whether this ends now.
    pub fn troubles(&self) -> Option<(String, bool)> {
        match self {
            Fault::Partition(name) | Fault::Hold(name) => Some((name.clone(), false)),
            Fault::OneWay(from, to) => Some((if from == "analyzer" { to.clone() } else { from.clone() }, false)),
            Fault::Repair(name) | Fault::Release(name) => Some((name.clone(), true)),
            Fault::Slow(node, is_slow) => Some((format!("node{node}"), !is_slow)),
            Fault::Between(one, other, ends) => Some((format!("node{one}-node{other}"), *ends)),
            _ => None,
        }
    }
}

/// The name of a host: nodes, the analyzer, owners.
pub fn host(number: usize, nodes: usize) -> String {
    match number {
        _ if number < nodes => format!("node{number}"),
        _ if number == nodes => "analyzer".into(),
        _ => format!("owner{}", number - nodes - 1),
    }
}

/// The faults of a simulation with their times, the last first.
pub fn choose(random: &mut Random, plan: &Plan) -> Vec<(u64, Fault)> {
    let hosts = plan.starts_ns.len();
    let name = |number: usize| host(number, plan.nodes);
    let mut faults: Vec<(u64, Fault)> = Vec::new();
    for (number, at_ns) in plan.starts_ns.iter().enumerate() {
        faults.push((*at_ns, Fault::Start(name(number))));
    }
    for _ in 0..random.between(1, 9) {
        let at_ns = random.between(S, HEAL_NS - S);
        let until = |random: &mut Random, most_ns: u64| (at_ns + random.between(most_ns / 40, most_ns)).min(HEAL_NS);
        // Any host but the analyzer's.
        let other = random.below(hosts as u64 - 1) as usize;
        let other = name(if other >= plan.nodes { other + 1 } else { other });
        let analyzer = "analyzer".to_owned();
        match random.below(12) {
            0 | 1 => {
                let end_ns = until(random, 25 * S);
                faults.extend([(at_ns, Fault::Partition(other.clone())), (end_ns, Fault::Repair(other))]);
            }
            2 => {
                let end_ns = until(random, 15 * S);
                let way = if random.chance(0.5) { (other.clone(), analyzer) } else { (analyzer, other.clone()) };
                faults.extend([(at_ns, Fault::OneWay(way.0, way.1)), (end_ns, Fault::Repair(other))]);
            }
            3 => {
                let end_ns = until(random, HELD_NS);
                faults.extend([(at_ns, Fault::Hold(other.clone())), (end_ns, Fault::Release(other))]);
            }
            4 | 5 if plan.journal_lasts => {
                let node = random.below(plan.nodes as u64) as usize;
                let end_ns = until(random, 6 * S);
                faults.extend([(at_ns, Fault::Kill(name(node), false)), (end_ns, Fault::Start(name(node)))]);
            }
            4 | 6 | 7 => {
                let end_ns = until(random, 6 * S);
                let is_lost = !plan.journal_lasts && random.chance(0.7);
                let kill = if is_lost { Fault::Lose } else { Fault::Kill(analyzer.clone(), random.chance(0.5)) };
                faults.extend([(at_ns, kill), (end_ns, Fault::Start(analyzer))]);
            }
            8 if !plan.journal_lasts => {
                let end_ns = until(random, 10 * S);
                faults.extend([(at_ns, Fault::Full(true)), (end_ns, Fault::Full(false))]);
            }
            9 => {
                let clock = random.below(plan.clocks.len() as u64) as usize;
                faults.push((at_ns, Fault::Jump(clock, random.between(1, 1000))));
            }
            10 => faults.push((at_ns, Fault::Wall(random.below(200_000) as i64 - 100_000))),
            11 => {
                let job = random.below(plan.jobs.len() as u64) as usize;
                let rank = random.below(plan.jobs[job].ranks.len() as u64) as usize;
                faults.push((at_ns, Fault::Rank(job, rank, random.chance(0.3))));
            }
            _ => {}
        }
    }
    if random.chance(0.5) {
        for _ in 0..random.between(1, 60) {
            faults.push((random.between(S, HEAL_NS - S), Fault::Break(random.below(plan.nodes as u64) as usize)));
        }
    }
    if plan.direct_agents > 0 {
        let mut beside = random.clone().split();
        for _ in 0..beside.between(0, 2) {
            let one = beside.below(plan.nodes as u64) as usize;
            let other = (one + 1 + beside.below(plan.nodes as u64 - 1) as usize) % plan.nodes;
            let at_ns = beside.between(S, HEAL_NS - S);
            let end_ns = (at_ns + beside.between(S / 2, 20 * S)).min(HEAL_NS);
            faults.extend([(at_ns, Fault::Between(one, other, false)), (end_ns, Fault::Between(one, other, true))]);
        }
    }
    // Drawn beside the others, which mean the same as before these were there.
    let mut beside = random.clone().split().split();
    let node = beside.below(plan.nodes as u64) as usize;
    let begin_ns = beside.between(S, HEAL_NS - 3 * S);
    let end_ns = beside.between(begin_ns + S, HEAL_NS - S);
    if beside.chance(0.3) {
        faults.extend([(begin_ns, Fault::Slow(node, true)), (end_ns, Fault::Slow(node, false))]);
    } else if plan.journal_lasts && beside.chance(0.3) {
        for (at_ns, is_old) in [(begin_ns, true), (end_ns, false)] {
            let start_ns = at_ns + beside.between(S / 100, S / 2);
            faults.extend([(at_ns, Fault::Old(node, is_old)), (at_ns, Fault::Kill(name(node), false))]);
            faults.push((start_ns, Fault::Start(name(node))));
        }
    }
    faults.sort_by_key(|(at_ns, _)| std::cmp::Reverse(*at_ns));
    faults
}

/// Lets a fault of the network happen; true if it was one.
pub fn happen(sim: &Sim<'_>, fault: &Fault) -> bool {
    const ANALYZER: &str = "analyzer";
    match fault {
        Fault::Partition(other) => sim.partition(ANALYZER, other.as_str()),
        Fault::OneWay(from, to) => sim.partition_oneway(from.as_str(), to.as_str()),
        Fault::Repair(other) => sim.repair(ANALYZER, other.as_str()),
        Fault::Hold(other) => sim.hold(ANALYZER, other.as_str()),
        Fault::Release(other) => sim.release(ANALYZER, other.as_str()),
        Fault::Between(one, other, false) => sim.partition(format!("node{one}"), format!("node{other}")),
        Fault::Between(one, other, true) => sim.repair(format!("node{one}"), format!("node{other}")),
        Fault::Break(node) => break_connections(*node),
        Fault::Slow(node, is_slow) => set_slow(*node, *is_slow),
        Fault::Old(node, is_old) => set_old(*node, *is_old),
        _ => return false,
    }
    true
}
