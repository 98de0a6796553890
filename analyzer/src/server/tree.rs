//! The tree of agents (ADR 0025): so many of a job link to the analyzer itself, and these carry the further ones. The core knows nothing of it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::limits;

/// Parents that are named to an agent: one, and others should that one be gone.
const NAMED: usize = 3;

/// The agents that show one job's token.
#[derive(Default)]
struct Family {
    /// Links of those that are linked directly and were not asked to carry others.
    free: Vec<u64>,
    /// Of those that were asked and have not answered yet.
    asked: Vec<u64>,
    /// Those that carry others, the next to be named first.
    parents: VecDeque<(u64, String)>,
    direct: usize,
}

/// Where an agent that comes directly belongs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It stays; these links are to be asked to carry others.
    Direct(Vec<u64>),
    /// It shall link by one of these.
    Below(Vec<String>),
}

/// Who is linked directly, by the job's token.
pub(crate) struct Tree {
    width: usize,
    families: Mutex<BTreeMap<String, Family>>,
    /// Somebody has answered, or is gone.
    changed: Notify,
}

impl Tree {
    /// `width` agents of a job are linked directly before others are carried.
    pub(crate) fn new(width: usize) -> Tree {
        Tree { width, families: Mutex::default(), changed: Notify::new() }
    }

    /// The place of an agent that says Hello on a link of its own; where it `takes_parent`, it may be carried. Waits for an answer of those
    /// that were asked, but not long.
    pub(crate) async fn place(&self, token: &str, link: u64, takes_parent: bool) -> Place {
        let deadline = Instant::now() + Duration::from_millis(limits::PLACE_MS);
        let mut waits = true;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable(); // before the look, so that no change is missed
            if let Some(place) = self.found(token, link, takes_parent, waits) {
                return place;
            }
            waits = timeout_at(deadline, changed).await.is_ok();
        }
    }

    /// See [`Tree::place`]; `None`: there may be one soon.
    fn found(&self, token: &str, link: u64, takes_parent: bool, waits: bool) -> Option<Place> {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        let family = families.entry(token.to_owned()).or_default();
        let is_full = family.direct >= self.width;
        if takes_parent && is_full && family.parents.is_empty() && !family.asked.is_empty() && waits {
            return None;
        }
        if takes_parent && is_full && !family.parents.is_empty() {
            let named = family.parents.iter().take(NAMED).map(|(_, url)| url.clone()).collect();
            family.parents.rotate_left(1);
            return Some(Place::Below(named));
        }
        family.direct += 1;
        // Who takes no parent knows of none.
        if takes_parent {
            family.free.push(link);
        }
        let to_ask = if family.direct >= self.width { std::mem::take(&mut family.free) } else { Vec::new() };
        family.asked.extend(&to_ask);
        Some(Place::Direct(to_ask))
    }

    /// The agent behind a link carries others at `url`.
    pub(crate) fn on_takes_children(&self, token: &str, link: u64, url: String) {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(family) = families.get_mut(token) else { return };
        let asked = family.asked.len();
        family.asked.retain(|asked| *asked != link);
        if family.asked.len() < asked && !url.is_empty() && url.len() <= limits::TEXT_BYTES {
            family.parents.push_front((link, url));
        }
        self.changed.notify_waiters();
    }

    /// A direct link has ended.
    pub(crate) fn on_ended(&self, token: &str, link: u64) {
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(family) = families.get_mut(token) {
            family.direct -= 1;
            family.free.retain(|free| *free != link);
            family.asked.retain(|asked| *asked != link);
            family.parents.retain(|(parent, _)| *parent != link);
            if family.direct == 0 {
                families.remove(token);
            }
        }
        self.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn agents_beyond_the_width_get_parents_in_turn_and_a_lost_parent_no_more() {
        let tree = Tree::new(2);
        assert_eq!(tree.place("j", 1, true).await, Place::Direct(vec![]));
        assert_eq!(tree.place("j", 2, true).await, Place::Direct(vec![1, 2]), "the width is reached");
        assert_eq!(tree.place("j", 3, true).await, Place::Direct(vec![3]), "nobody carries others, after a wait");
        for link in [1, 2, 2, 9] {
            tree.on_takes_children("j", link, format!("u{link}"));
        }
        let below = |urls: &[&str]| Place::Below(urls.iter().map(|url| (*url).to_owned()).collect());
        assert_eq!(tree.place("j", 4, true).await, below(&["u2", "u1"]));
        assert_eq!(tree.place("j", 4, true).await, below(&["u1", "u2"]));
        assert_eq!(tree.place("j", 5, false).await, Place::Direct(vec![]), "who found no parent stays");
        assert_eq!(tree.place("other", 6, true).await, Place::Direct(vec![]), "each job has a tree of its own");
        tree.on_ended("j", 2);
        assert_eq!(tree.place("j", 7, true).await, below(&["u1"]));
        tree.on_ended("j", 1);
        let (eighth, ()) = tokio::join!(tree.place("j", 8, true), async {
            tree.on_takes_children("j", 3, "u3".into());
        });
        assert_eq!(eighth, below(&["u3"]), "it waited for an answer");
    }
}
