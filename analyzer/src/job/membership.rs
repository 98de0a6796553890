//! Membership of a job: its ranks, the hosts they run on, and the agents that connect them.

use std::collections::{BTreeMap, BTreeSet};

use midrun_tunlets::Window;
use midrun_vocabulary::launch::differ;

use crate::agents::Agents;
use crate::events::{HostClock, Joined, Left, Process, Records, Report};
use crate::ids::{AgentId, LinkId};
use crate::tuning_points::TuningPoints;

/// Whether a rank runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RankState {
    Present,
    /// Gone by MPI_Finalize, or nobody knows how.
    Ended,
    /// Gone without MPI_Finalize.
    Lost,
}

#[derive(Debug)]
struct Rank {
    agent: AgentId,
    state: RankState,
    records: Records,
    process: Option<Process>,
}

#[derive(Debug)]
struct Host {
    node: String,
    clock: HostClock,
    dropped_before: u64,
    dropped: u64,
    linked: bool,
}

/// The ranks of one job and what they offer.
#[derive(Debug, Default)]
pub(super) struct Roster {
    pub(super) members: Membership,
    pub(super) points: TuningPoints,
}

/// The ranks and hosts of one job. The counts are kept up to date, so that no batch has to walk over all ranks.
#[derive(Debug, Default)]
pub(super) struct Membership {
    world_size: u32,
    mpi: String,
    ranks: BTreeMap<u32, Rank>,
    present: usize,
    hosts: BTreeMap<AgentId, Host>,
    linked: usize,
    /// Ranks that run, by the agent that they are attached to.
    attached: BTreeMap<AgentId, BTreeSet<u32>>,
    /// Ranks that run, as far as is known, and that their agent does not have any more: it said so, and that was lost.
    missed: BTreeSet<u32>,
    /// Ranks that the MPI has given up for dead. Their agent says so, too, unless it died with their host.
    dead: BTreeSet<u32>,
    /// Agents that each node has had.
    on_node: BTreeMap<String, BTreeSet<AgentId>>,
    /// Number of the launch whose ranks run.
    launch: String,
    /// Ranks that agents have, and that are left alone.
    strangers: BTreeSet<(AgentId, u32)>,
    strangers_seen: u64,
    /// Records of earlier programs, whose rank numbers were given out again.
    past: Records,
}

impl Membership {
    /// A rank attached to `agent`, or is still there after the agent came back. False: it is a stranger, and is left alone.
    pub(super) fn on_joined(&mut self, agent: &AgentId, joined: &Joined) -> bool {
        let place = (agent.clone(), joined.rank);
        if self.is_strange(agent, joined) {
            self.strangers_seen += u64::from(self.strangers.insert(place));
            return false;
        }
        self.strangers.remove(&place);
        if !joined.launch.is_empty() {
            self.launch.clone_from(&joined.launch);
        }
        if joined.world_size > 0 {
            self.world_size = joined.world_size;
        }
        if !joined.mpi.is_empty() {
            self.mpi.clone_from(&joined.mpi);
        }
        let rank = self.place(joined.rank, agent);
        let before = std::mem::replace(&mut rank.agent, agent.clone());
        rank.process = joined.process;
        if rank.state != RankState::Present {
            // The next program of the same job: its totals begin at 0 again.
            rank.state = RankState::Present;
            let past = std::mem::take(&mut rank.records);
            self.past.add(past);
            self.present += 1;
        }
        self.detach(&before, joined.rank);
        self.missed.remove(&joined.rank);
        self.dead.remove(&joined.rank);
        self.attached.entry(agent.clone()).or_default().insert(joined.rank);
        true
    }

    /// These are all the ranks of the job that `agent` has.
    pub(super) fn on_listed(&mut self, agent: &AgentId, listed: &BTreeSet<u32>) {
        if let Some(attached) = self.attached.get_mut(agent) {
            let gone: Vec<u32> = attached.difference(listed).copied().collect();
            attached.retain(|rank| listed.contains(rank));
            self.missed.extend(gone);
        }
    }

    fn detach(&mut self, agent: &AgentId, rank: u32) {
        if let Some(attached) = self.attached.get_mut(agent) {
            attached.remove(&rank);
        }
    }

    /// Whether a rank is of another launch than those that run, or has the number of one that runs on another node.
    fn is_strange(&self, agent: &AgentId, joined: &Joined) -> bool {
        if self.present > 0 && differ(&self.launch, &joined.launch) {
            return true;
        }
        let Some(known) = self.ranks.get(&joined.rank).filter(|rank| rank.state == RankState::Present) else {
            return false;
        };
        let there = self.hosts.get(&known.agent);
        there.is_some_and(|host| host.linked && self.node(agent).is_some_and(|node| node != host.node))
    }

    /// Ranks that were left alone so far.
    pub(super) fn strangers_seen(&self) -> u64 {
        self.strangers_seen
    }

    /// Whether what `agent` says of this rank number is of a stranger.
    pub(super) fn is_stranger(&self, agent: &AgentId, rank: u32) -> bool {
        !self.strangers.is_empty() && self.strangers.contains(&(agent.clone(), rank))
    }

    fn place(&mut self, rank: u32, agent: &AgentId) -> &mut Rank {
        self.ranks.entry(rank).or_insert_with(|| {
            self.present += 1;
            self.attached.entry(agent.clone()).or_default().insert(rank);
            Rank { agent: agent.clone(), state: RankState::Present, records: Records::default(), process: None }
        })
    }

    /// `agent` on `node` dropped `dropped` events so far, `dropped_before` of them before its first batch of this job.
    pub(super) fn on_host(&mut self, agent: &AgentId, node: &str, dropped_before: u64, dropped: u64) {
        let host = self.hosts.entry(agent.clone()).or_insert_with(|| Host {
            node: node.to_owned(),
            clock: HostClock::default(),
            dropped_before,
            dropped,
            linked: false,
        });
        host.dropped = host.dropped.max(dropped);
        if self.set_linked(agent, true) == Some(false) {
            self.on_node.entry(node.to_owned()).or_default().insert(agent.clone());
        }
    }

    /// A rank reports. One that joined while another analyzer listened is new here; but where nothing was recorded, an agent answers for a rank
    /// that is not there: of one that had left before, nobody would say so again.
    pub(super) fn on_report(&mut self, agent: &AgentId, clock: HostClock, report: &Report) {
        if let Some(host) = self.hosts.get_mut(agent) {
            host.clock = clock;
        }
        if report.records.produced == 0 && !self.ranks.contains_key(&report.rank) {
            return;
        }
        let (known, new) = (&mut self.place(report.rank, agent).records, report.records);
        known.produced = known.produced.max(new.produced);
        known.collected = known.collected.max(new.collected);
        known.dropped = known.dropped.max(new.dropped);
    }

    /// A rank is gone; true when it was there.
    pub(super) fn on_left(&mut self, agent: &AgentId, left: &Left) -> bool {
        if self.strangers.remove(&(agent.clone(), left.rank)) {
            return false;
        }
        let is_linked = |agent: &AgentId| self.hosts.get(agent).is_some_and(|host| host.linked);
        let Some(rank) = self.ranks.get(&left.rank).filter(|rank| rank.state == RankState::Present) else {
            return false;
        };
        // Meanwhile another process of the same number may have come.
        if left.unattended && is_linked(&rank.agent) && !self.missed.contains(&left.rank) {
            return false;
        }
        let state = if left.finalized || left.unattended { RankState::Ended } else { RankState::Lost };
        self.on_gone(left.rank, state);
        true
    }

    /// A rank that was present is not any more.
    fn on_gone(&mut self, number: u32, state: RankState) {
        let Some(rank) = self.ranks.get_mut(&number) else { return };
        rank.state = state;
        let agent = rank.agent.clone();
        self.detach(&agent, number);
        self.missed.remove(&number);
        self.dead.remove(&number);
        self.present -= 1;
    }

    /// The MPI has given a rank up for dead; the agent that it was attached to.
    pub(super) fn on_dead(&mut self, rank: u32) -> Option<AgentId> {
        let agent = self.ranks.get(&rank).filter(|rank| rank.state == RankState::Present)?.agent.clone();
        self.dead.insert(rank);
        Some(agent)
    }

    /// Dead ranks of an agent that is not connected either: it may never say that they have gone. They are lost now.
    pub(super) fn lose_dead(&mut self, agent: &AgentId) -> Vec<u32> {
        let is_linked = self.hosts.get(agent).is_none_or(|host| host.linked);
        let Some(attached) = self.attached.get(agent).filter(|_| !is_linked) else { return Vec::new() };
        let lost: Vec<u32> = attached.intersection(&self.dead).copied().collect();
        lost.iter().for_each(|rank| self.on_gone(*rank, RankState::Lost));
        lost
    }

    /// Notes whether an agent is connected; returns whether it was, `None` for an agent without ranks of this job.
    pub(super) fn set_linked(&mut self, agent: &AgentId, linked: bool) -> Option<bool> {
        let was = std::mem::replace(&mut self.hosts.get_mut(agent)?.linked, linked);
        self.linked = self.linked + usize::from(linked) - usize::from(was);
        Some(was)
    }

    /// The node of an agent.
    pub(super) fn node(&self, agent: &AgentId) -> Option<&str> {
        self.hosts.get(agent).map(|host| host.node.as_str())
    }

    /// Whether a rank that runs is attached to this agent.
    pub(super) fn serves(&self, agent: &AgentId) -> bool {
        self.attached.get(agent).is_some_and(|ranks| !ranks.is_empty())
    }

    /// All ranks: for what happens once in a while, not for batches.
    fn walk(&self) -> impl Iterator<Item = (u32, &Rank)> {
        crate::limits::walks(self.ranks.len());
        self.ranks.iter().map(|(number, rank)| (*number, rank))
    }

    /// State of a rank; `None` for one that was never seen.
    pub(super) fn state(&self, rank: u32) -> Option<RankState> {
        self.ranks.get(&rank).map(|rank| rank.state)
    }

    pub(super) fn is_present(&self, rank: u32) -> bool {
        self.state(rank) == Some(RankState::Present)
    }

    pub(super) fn is_attached(&self, rank: u32, agent: &AgentId) -> bool {
        self.ranks.get(&rank).is_some_and(|rank| rank.agent == *agent)
    }

    /// The link over which actions go to a rank that runs.
    pub(super) fn link_of(&self, rank: u32, links: &Agents) -> Option<LinkId> {
        let rank = self.ranks.get(&rank).filter(|rank| rank.state == RankState::Present)?;
        links.link_of(&rank.agent)
    }

    /// To add to the times of a rank's host to get the analyzer's, nanoseconds.
    pub(super) fn clock_offset_ns(&self, rank: u32) -> Option<i64> {
        self.hosts.get(&self.ranks.get(&rank)?.agent).map(|host| host.clock.offset_ns)
    }

    /// How far the difference of two ranks' clocks may be from what their hosts' offsets say, nanoseconds; `None` where it is not known.
    pub(super) fn clocks_error_ns(&self, one: u32, other: u32) -> Option<u64> {
        let agent = |rank: u32| self.ranks.get(&rank).map(|rank| &rank.agent);
        let (one, other) = (agent(one)?, agent(other)?);
        if one == other {
            return Some(0);
        }
        let error_ns = |agent| self.hosts.get(agent)?.clock.error_ns;
        Some(error_ns(one)?.saturating_add(error_ns(other)?))
    }

    /// Notes of each worker whether it runs on another host than the master.
    pub(super) fn locate(&self, master: u32, window: &mut Window) {
        let agent = |rank: u32| self.ranks.get(&rank).map(|rank| &rank.agent);
        let Some(masters) = agent(master) else { return };
        for work in &mut window.per_worker {
            work.far = agent(work.rank).map(|own| own != masters);
        }
    }

    /// Ranks that run.
    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// Ranks that were seen.
    pub(super) fn seen(&self) -> usize {
        self.ranks.len()
    }

    /// Ranks that the job has; 0 while unknown.
    pub(super) fn world_size(&self) -> u32 {
        self.world_size
    }

    /// No rank has this number or a greater one: those that the job began with, and those that it started; no bound while unknown.
    pub(super) fn most_ranks(&self) -> u32 {
        if self.world_size == 0 { u32::MAX } else { self.world_size.max(self.seen() as u32) }
    }

    /// All the ranks that were seen have left, and at least one was seen.
    pub(super) fn all_left(&self) -> bool {
        !self.ranks.is_empty() && self.present == 0
    }

    /// As many ranks were seen as the job has.
    pub(super) fn all_joined(&self) -> bool {
        self.world_size > 0 && self.ranks.len() >= self.world_size as usize
    }

    /// A rank that runs has an agent that is connected.
    pub(super) fn any_attended(&self) -> bool {
        let is_linked = |agent| self.hosts.get(agent).is_some_and(|host| host.linked);
        self.linked > 0 && self.attached.iter().any(|(agent, ranks)| !ranks.is_empty() && is_linked(agent))
    }

    /// Number and process of each rank on a node that runs, as far as is known, without an agent that is connected.
    pub(super) fn unattended<'a>(&'a self, node: &'a str) -> impl Iterator<Item = (u32, Process)> + 'a {
        let agents = self.on_node.get(node).into_iter().flatten();
        let lone = agents.filter(|agent| self.hosts.get(*agent).is_some_and(|host| !host.linked));
        let missed = self
            .missed
            .iter()
            .filter(move |rank| self.ranks.get(*rank).is_some_and(|rank| self.node(&rank.agent) == Some(node)));
        let ranks = lone.filter_map(|agent| self.attached.get(agent)).flatten();
        ranks.chain(missed).filter_map(|number| Some((*number, self.ranks.get(number)?.process?)))
    }

    /// A rank that has left, if any has.
    pub(super) fn first_gone(&self) -> Option<u32> {
        if self.present == self.ranks.len() {
            return None;
        }
        self.walk().find(|(_, rank)| rank.state != RankState::Present).map(|(number, _)| number)
    }

    /// Number, node and state of each rank.
    pub(super) fn ranks(&self) -> impl Iterator<Item = (u32, Option<&str>, RankState)> {
        self.walk().map(|(number, rank)| (number, self.node(&rank.agent), rank.state))
    }

    /// Node of each agent, and whether it is connected.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (&str, bool)> {
        self.hosts.values().map(|host| (host.node.as_str(), host.linked))
    }

    /// The clocks of the nodes that were compared with the analyzer's, each once: what was known last.
    pub(super) fn clocks(&self) -> BTreeMap<&str, HostClock> {
        let mut hosts: Vec<&Host> = self.hosts.values().filter(|host| host.clock.error_ns.is_some()).collect();
        hosts.sort_by_key(|host| host.linked);
        hosts.into_iter().map(|host| (host.node.as_str(), host.clock)).collect()
    }

    /// Names of the nodes, each once.
    pub(super) fn nodes(&self) -> BTreeSet<&str> {
        self.hosts().map(|(node, _)| node).collect()
    }

    /// The MPI, as it names itself.
    pub(super) fn mpi(&self) -> &str {
        &self.mpi
    }

    /// Records of all ranks, those of earlier programs included.
    pub(super) fn records(&self) -> Records {
        let mut records = self.past;
        self.walk().for_each(|(_, rank)| records.add(rank.records));
        records
    }

    /// Events that agents dropped since their first batch of this job.
    pub(super) fn events_dropped(&self) -> u64 {
        let dropped = |host: &Host| host.dropped.saturating_sub(host.dropped_before);
        self.hosts.values().map(dropped).fold(0, u64::saturating_add)
    }
}
