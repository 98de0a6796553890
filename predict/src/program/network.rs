//! Links that their messages share max-min fair: no message could have more without another, which has no more, having less.
//!
//! Each message goes through a way out and a way in: of its nodes between nodes, of its processes inside a node. The rates are
//! found by progressive filling (Bertsekas, Gallager, *Data Networks*, 1992): the way whose fair share is the smallest gives it
//! to all its messages, is taken out, and so on. Two processes have one connection, on which their messages go one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use super::machine::{Link, Machine};

/// Two times that differ by this share of them are one: rounding must not make two of what happens at once.
const SAME: f64 = 1e-12;

/// A message whose bytes flow.
struct Flow<T> {
    token: T,
    pair: (usize, usize),
    /// Way out and way in.
    ways: [usize; 2],
    /// Its places in the lists of its ways.
    places: [usize; 2],
    /// Bytes that were left at `at_s`.
    bytes: f64,
    at_s: f64,
    /// Bytes per second; 0 until the first share.
    rate: f64,
    /// Which of its foreseen ends is valid.
    version: u64,
    /// The last components that it was seen in, and filled in.
    seen: u64,
    filled: u64,
}

/// A way: its capacity is that of its link.
#[derive(Clone, Default)]
struct Way {
    flows: Vec<usize>,
    changed: bool,
    seen: u64,
    /// Its present fair share, bytes per second.
    share: f64,
    /// What progressive filling has not given away, bytes per second, and to how many.
    left: f64,
    waiting: usize,
}

/// All messages that are under way, with `T` to tell them apart.
pub(super) struct Network<'a, T> {
    machine: &'a Machine,
    places: &'a [usize],
    /// Ways out of processes, then of nodes, then the ways in.
    ways: Vec<Way>,
    changed: Vec<usize>,
    flows: Vec<Flow<T>>,
    free: Vec<usize>,
    /// For each pair that sends: its messages that wait for the one that flows.
    connections: FxHashMap<(usize, usize), VecDeque<(T, f64)>>,
    /// Messages whose last byte is out, and those that take no time.
    over: VecDeque<(T, (usize, usize))>,
    /// Foreseen ends, one at least of each component: bits of the time, flow, version.
    ends: BinaryHeap<Reverse<(u64, usize, u64)>>,
    components: u64,
    now_s: f64,
}

impl<'a, T: Copy> Network<'a, T> {
    pub(super) fn new(machine: &'a Machine, places: &'a [usize]) -> Network<'a, T> {
        let ways = 2 * (places.len() + machine.nodes.len());
        Network {
            machine,
            places,
            ways: vec![Way::default(); ways],
            changed: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            connections: FxHashMap::default(),
            over: VecDeque::new(),
            ends: BinaryHeap::new(),
            components: 0,
            now_s: 0.0,
        }
    }

    pub(super) fn link(&self, from: usize, to: usize) -> &'a Link {
        self.machine.link(self.places[from], self.places[to])
    }

    /// The way of `process` towards `other`.
    fn way(&self, process: usize, other: usize) -> usize {
        let (own, far) = (self.places[process], self.places[other]);
        if own == far { process } else { self.places.len() + own }
    }

    fn per_byte_s(&self, way: usize) -> f64 {
        let of_processes = way % (self.ways.len() / 2) < self.places.len();
        if of_processes { self.machine.inside.per_byte_s } else { self.machine.between.per_byte_s }
    }

    /// A message sets out; false if it waits for another one on its connection.
    pub(super) fn start(&mut self, token: T, from: usize, to: usize, bytes: f64, now_s: f64) -> bool {
        self.now_s = now_s;
        if let Some(waiting) = self.connections.get_mut(&(from, to)) {
            waiting.push_back((token, bytes));
            return false;
        }
        self.connections.insert((from, to), VecDeque::new());
        self.flow(token, (from, to), bytes);
        true
    }

    /// Its bytes begin to flow.
    fn flow(&mut self, token: T, pair: (usize, usize), bytes: f64) {
        let (from, to) = pair;
        if bytes * self.link(from, to).per_byte_s <= 0.0 {
            self.over.push_back((token, pair));
            return;
        }
        let ways = [self.way(from, to), self.ways.len() / 2 + self.way(to, from)];
        let places = ways.map(|way| self.ways[way].flows.len());
        let flow =
            Flow { token, pair, ways, places, bytes, at_s: self.now_s, rate: 0.0, version: 0, seen: 0, filled: 0 };
        let number = match self.free.pop() {
            Some(number) => {
                let version = self.flows[number].version; // its old ends stay invalid
                self.flows[number] = Flow { version, ..flow };
                number
            }
            None => {
                self.flows.push(flow);
                self.flows.len() - 1
            }
        };
        for way in ways {
            self.ways[way].flows.push(number);
            self.change(way);
        }
    }

    fn change(&mut self, way: usize) {
        if !std::mem::replace(&mut self.ways[way].changed, true) {
            self.changed.push(way);
        }
    }

    /// When the last byte of the next message is out, if none sets out until then.
    pub(super) fn next_s(&mut self) -> Option<f64> {
        self.share();
        if !self.over.is_empty() {
            return Some(self.now_s);
        }
        while let Some(Reverse((bits, number, version))) = self.ends.peek() {
            if self.flows[*number].version == *version {
                return Some(f64::from_bits(*bits).max(self.now_s));
            }
            self.ends.pop();
        }
        None
    }

    /// The message whose last byte is out now, and the next one on its connection.
    pub(super) fn end(&mut self, now_s: f64) -> Option<(T, Option<T>)> {
        self.now_s = now_s;
        if self.over.is_empty() {
            // The valid one that `next_s` has found.
            let Reverse((_, number, _)) = self.ends.pop()?;
            self.remove(number);
        }
        let (token, pair) = self.over.pop_front()?;
        let next = self.connections.get_mut(&pair).and_then(VecDeque::pop_front);
        match next {
            Some((next, bytes)) => self.flow(next, pair, bytes),
            None => _ = self.connections.remove(&pair),
        }
        Some((token, next.map(|(next, _)| next)))
    }

    /// Its last byte is out.
    fn remove(&mut self, number: usize) {
        let Flow { token, pair, ways, places, .. } = self.flows[number];
        self.flows[number].version += 1;
        self.free.push(number);
        for (way, place) in ways.into_iter().zip(places) {
            self.ways[way].flows.swap_remove(place);
            if let Some(moved) = self.ways[way].flows.get(place) {
                let side = usize::from(way >= self.ways.len() / 2);
                self.flows[*moved].places[side] = place;
            }
            self.change(way);
        }
        self.over.push_back((token, pair));
    }

    /// Shares the ways that have changed, and those that depend on them, anew.
    fn share(&mut self) {
        while let Some(way) = self.changed.pop() {
            if std::mem::replace(&mut self.ways[way].changed, false) {
                self.share_component(way);
            }
        }
    }

    /// All that depends on a way. It keeps one foreseen end, the first one: when it comes, the rest is shared anew.
    fn share_component(&mut self, first: usize) {
        self.components += 1;
        let (component, now_s) = (self.components, self.now_s);
        self.ways[first].seen = component;
        let (mut ways, mut flows, mut at) = (vec![first], Vec::new(), 0);
        while let Some(way) = ways.get(at).copied() {
            at += 1;
            self.ways[way].changed = false;
            for place in 0..self.ways[way].flows.len() {
                let number = self.ways[way].flows[place];
                let flow = &mut self.flows[number];
                if std::mem::replace(&mut flow.seen, component) == component {
                    continue;
                }
                flow.bytes = (flow.bytes - flow.rate * (now_s - flow.at_s)).max(0.0);
                flow.at_s = now_s;
                flows.push(number);
                for way in flow.ways {
                    if std::mem::replace(&mut self.ways[way].seen, component) != component {
                        ways.push(way);
                    }
                }
            }
        }
        // What ends at the same moment ends before the rest is shared anew.
        let ended = |flow: &Flow<T>| flow.rate > 0.0 && flow.bytes <= flow.rate * SAME * now_s;
        let together: Vec<usize> = flows.iter().copied().filter(|number| ended(&self.flows[*number])).collect();
        if !together.is_empty() {
            together.into_iter().for_each(|number| self.remove(number));
            return;
        }
        self.fill(&ways, flows.len());
        let end = |number: usize| {
            let flow = &self.flows[number];
            (flow.at_s + flow.bytes / flow.rate, number, flow.version)
        };
        let next = flows.iter().map(|number| end(*number)).min_by(|a, b| a.0.total_cmp(&b.0));
        self.ends.extend(next.map(|(end_s, number, version)| Reverse((end_s.to_bits(), number, version))));
    }

    /// Progressive filling of these ways, whose messages go through no others.
    fn fill(&mut self, ways: &[usize], flows: usize) {
        let mut open = flows;
        let mut shares = Vec::with_capacity(ways.len());
        for way in ways {
            let capacity = 1.0 / self.per_byte_s(*way);
            let of = &mut self.ways[*way];
            (of.left, of.waiting) = (capacity, of.flows.len());
            of.share = of.left / of.waiting as f64;
            if of.waiting > 0 {
                shares.push(Reverse((of.share.to_bits(), *way)));
            }
        }
        // Rates are not negative, so that their bits have the same order.
        let mut shares = BinaryHeap::from(shares);
        while open > 0 {
            let Some(Reverse((bits, way))) = shares.pop() else { return };
            let share = self.ways[way].share;
            if self.ways[way].waiting == 0 || share.to_bits() != bits {
                continue; // another entry holds what is left of it
            }
            self.ways[way].waiting = 0;
            for place in 0..self.ways[way].flows.len() {
                let number = self.ways[way].flows[place];
                let flow = &mut self.flows[number];
                if std::mem::replace(&mut flow.filled, self.components) == self.components {
                    continue;
                }
                open -= 1;
                if flow.rate != share {
                    (flow.rate, flow.version) = (share, flow.version + 1);
                }
                let [out, into] = flow.ways;
                let other = if out == way { into } else { out };
                let of = &mut self.ways[other];
                of.left -= share;
                of.waiting = of.waiting.saturating_sub(1);
                if of.waiting > 0 {
                    // Never below the level that is filled: rounding must not starve the last ones.
                    of.share = (of.left / of.waiting as f64).max(share);
                    shares.push(Reverse((of.share.to_bits(), other)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Machine;

    /// When each of these messages (from, to, bytes, begin) is out; two processes on each of four nodes, 1 byte per second.
    fn ends(messages: &[(usize, usize, f64, f64)]) -> Vec<f64> {
        let text = "node = [{ count = 4, cores = 2 }]\ninside = { start_up = '0s', per_byte = '0.5s' }\n\
                    between = { start_up = '0s', per_byte = '1s' }";
        let machine = Machine::from_toml(text).unwrap();
        let places = machine.places(8);
        let mut network = Network::new(&machine, &places);
        let mut ends = vec![f64::NAN; messages.len()];
        let mut begins: Vec<usize> = (0..messages.len()).collect();
        begins.sort_by(|a, b| messages[*b].3.total_cmp(&messages[*a].3));
        loop {
            let begin_s = begins.last().map(|next| messages[*next].3);
            match (begin_s, network.next_s()) {
                (Some(begin_s), end_s) if end_s.is_none_or(|end_s| begin_s <= end_s) => {
                    let next = begins.pop().unwrap();
                    let (from, to, bytes, _) = messages[next];
                    network.start(next, from, to, bytes, begin_s);
                }
                (_, Some(end_s)) => ends[network.end(end_s).unwrap().0] = end_s,
                _ => return ends,
            }
        }
    }

    #[track_caller]
    fn assert_ends(messages: &[(usize, usize, f64, f64)], expected: &[f64]) {
        let got = ends(messages);
        assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?} instead of {expected:?}");
    }

    #[test]
    fn a_way_is_shared_evenly_and_what_one_leaves_goes_to_the_others() {
        // 10 and 30 bytes share a way out: 20 s at half the rate, then the other one is alone.
        assert_ends(&[(0, 2, 10.0, 0.0), (1, 4, 30.0, 0.0)], &[20.0, 40.0]);
        // The second begins when 5 bytes of the first are out.
        assert_ends(&[(0, 2, 10.0, 0.0), (1, 4, 30.0, 5.0)], &[15.0, 40.0]);
        // Other directions, and the ways inside a node, are others.
        assert_ends(&[(0, 2, 10.0, 0.0), (2, 0, 10.0, 0.0), (0, 1, 10.0, 0.0)], &[10.0, 10.0, 5.0]);
    }

    #[test]
    fn the_narrowest_way_decides_and_the_rest_is_given_away() {
        // Three into node 3: a third each. The one into node 2 from node 0 has what its neighbour leaves: two thirds.
        let messages = [(0, 6, 1.0, 0.0), (2, 6, 1.0, 0.0), (4, 7, 1.0, 0.0), (1, 5, 2.0, 0.0)];
        assert_ends(&messages, &[3.0, 3.0, 3.0, 3.0]);
        let messages = [(0, 6, 1.0, 0.0), (2, 6, 2.0, 0.0), (4, 7, 2.0, 0.0), (1, 5, 4.0, 0.0)];
        // After 3 s the first is gone: halves for two, all of node 0's way for the last one, which has 2 bytes left.
        assert_ends(&messages, &[3.0, 5.0, 5.0, 5.0]);
    }

    #[test]
    fn two_processes_have_one_connection_and_empty_messages_wait_for_it_too() {
        assert_ends(
            &[(0, 2, 10.0, 0.0), (0, 2, 0.0, 1.0), (0, 2, 5.0, 2.0), (1, 2, 0.0, 3.0)],
            &[10.0, 10.0, 15.0, 3.0],
        );
    }

    #[test]
    fn all_capacity_is_used_and_none_twice() {
        // All to one other node: each node's way out carries 2 messages of 8 bytes, and so does each way in.
        let messages: Vec<_> = (0..8).map(|rank| (rank, (rank + 2) % 8, 8.0, 0.0)).collect();
        assert_ends(&messages, &[16.0; 8]);
    }
}
