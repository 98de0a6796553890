//! Ways out and in that carry one message at a time, for the items of a pipeline: a stage's sender looks at one message at a time.
//!
//! Between nodes the ways are the nodes', inside a node the processes'.

use crate::program::machine::{Link, Machine};

/// When each way is free again, seconds.
pub(super) struct SerialLinks<'a> {
    machine: &'a Machine,
    places: &'a [usize],
    out_s: Vec<f64>,
    in_s: Vec<f64>,
}

impl<'a> SerialLinks<'a> {
    pub(super) fn new(machine: &'a Machine, places: &'a [usize]) -> SerialLinks<'a> {
        let ways = places.len() + machine.nodes.len();
        SerialLinks { machine, places, out_s: vec![0.0; ways], in_s: vec![0.0; ways] }
    }

    pub(super) fn link(&self, from: usize, to: usize) -> &'a Link {
        self.machine.link(self.places[from], self.places[to])
    }

    /// The way of `process` towards `other`.
    fn way(&self, process: usize, other: usize) -> usize {
        let (own, far) = (self.places[process], self.places[other]);
        if own == far { process } else { self.places.len() + own }
    }

    /// Bytes set out at `ready_s` or when the way out is free: when they begin to, and when the last one is out.
    pub(super) fn depart(&mut self, from: usize, to: usize, bytes: f64, ready_s: f64) -> (f64, f64) {
        let way = self.way(from, to);
        let begin_s = self.out_s[way].max(ready_s);
        self.out_s[way] = begin_s + bytes * self.link(from, to).per_byte_s;
        (begin_s, self.out_s[way])
    }

    /// The first of these bytes are there: when the last one will be.
    pub(super) fn arrive(&mut self, from: usize, to: usize, bytes: f64, now_s: f64) -> f64 {
        let way = self.way(to, from);
        self.in_s[way] = self.in_s[way].max(now_s) + bytes * self.link(from, to).per_byte_s;
        self.in_s[way]
    }
}
