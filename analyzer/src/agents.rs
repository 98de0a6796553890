//! The agents: who is linked, and which of their batches were taken.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::events::Hello;
use crate::ids::{AgentId, LinkId};
use crate::limits;

/// An agent process.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) node: String,
    pub(crate) token: String,
    /// Its jobs were opened by name.
    pub(crate) options_follow: bool,
    pub(crate) link: Option<LinkId>,
    /// Highest sequence number taken.
    pub(crate) last_sequence: u64,
    pub(crate) events_dropped: u64,
    heard_ns: u64,
}

/// Meaning of a batch's sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequence {
    /// Not taken before; so many before it never came.
    New { missing: u64 },
    /// Taken before.
    Repeated,
}

/// All agents.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    agents: BTreeMap<AgentId, Agent>,
    links: HashMap<LinkId, AgentId>,
    /// The linked agents of each node: nearly always one.
    on_node: BTreeMap<String, BTreeSet<AgentId>>,
}

impl Agents {
    /// Links an agent; returns the highest sequence taken from it and the link this one replaces.
    pub(crate) fn connect(&mut self, now: u64, link: LinkId, hello: &Hello) -> (u64, Option<LinkId>) {
        let id = &hello.agent;
        if !self.agents.contains_key(id) && self.agents.len() >= limits::AGENTS {
            let unlinked = self.agents.iter().filter(|(_, agent)| agent.link.is_none());
            let oldest = unlinked.min_by_key(|(_, agent)| agent.heard_ns).map(|(id, _)| id.clone());
            oldest.map(|id| self.agents.remove(&id));
        }
        let agent = self.agents.entry(id.clone()).or_insert_with(|| Agent {
            node: String::new(),
            token: String::new(),
            options_follow: false,
            link: None,
            last_sequence: 0,
            events_dropped: 0,
            heard_ns: now,
        });
        if agent.node != hello.node {
            leave(&mut self.on_node, &agent.node, id);
        }
        self.on_node.entry(hello.node.clone()).or_default().insert(id.clone());
        agent.node.clone_from(&hello.node);
        agent.token.clone_from(&hello.token);
        agent.options_follow = hello.options_follow;
        agent.heard_ns = now;
        let replaced = agent.link.replace(link);
        if let Some(old) = replaced {
            self.links.remove(&old);
        }
        self.links.insert(link, id.clone());
        (agent.last_sequence, replaced)
    }

    /// A link has ended; the agent it was the link of, if no newer one replaced it.
    pub(crate) fn disconnect(&mut self, link: LinkId) -> Option<AgentId> {
        let id = self.links.remove(&link)?;
        let agent = self.agents.get_mut(&id)?;
        agent.link = None;
        leave(&mut self.on_node, &agent.node, &id);
        Some(id)
    }

    /// The agent behind a link.
    pub(crate) fn of_link(&mut self, link: LinkId) -> Option<(AgentId, &mut Agent)> {
        let id = self.links.get(&link)?.clone();
        let agent = self.agents.get_mut(&id)?;
        Some((id, agent))
    }

    /// The link of an agent that has one.
    pub(crate) fn link_of(&self, id: &AgentId) -> Option<LinkId> {
        self.agents.get(id)?.link
    }

    /// The node of an agent.
    pub(crate) fn node(&self, id: &AgentId) -> Option<&str> {
        self.agents.get(id).map(|agent| agent.node.as_str())
    }

    /// The token that an agent showed.
    pub(crate) fn token_of(&self, id: &AgentId) -> Option<&str> {
        self.agents.get(id).map(|agent| agent.token.as_str())
    }

    /// The link of the linked agent of a node that was heard last, of those whose token `may` do it.
    pub(crate) fn newest_on(&self, node: &str, may: impl Fn(&str) -> bool) -> Option<LinkId> {
        let on_node = self.on_node.get(node)?.iter().filter_map(|id| self.agents.get(id));
        on_node.filter(|agent| may(&agent.token)).max_by_key(|agent| agent.heard_ns)?.link
    }

    /// All links, in order.
    pub(crate) fn links(&self) -> BTreeSet<LinkId> {
        self.links.keys().copied().collect()
    }

    /// Agents linked now.
    pub(crate) fn linked(&self) -> usize {
        self.links.len()
    }
}

fn leave(on_node: &mut BTreeMap<String, BTreeSet<AgentId>>, node: &str, agent: &AgentId) {
    if let Some(agents) = on_node.get_mut(node) {
        agents.remove(agent);
        if agents.is_empty() {
            on_node.remove(node);
        }
    }
}

impl Agent {
    /// Notes a batch.
    pub(crate) fn on_sequence(&mut self, now: u64, sequence: u64) -> Sequence {
        self.heard_ns = now;
        if sequence <= self.last_sequence {
            return Sequence::Repeated;
        }
        // The first batch an analyzer sees of an agent that was there before it is no loss.
        let missing = if self.last_sequence == 0 { 0 } else { sequence - self.last_sequence - 1 };
        self.last_sequence = sequence;
        Sequence::New { missing }
    }
}
