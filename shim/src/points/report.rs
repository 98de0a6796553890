//! Sends what was measured in an iteration as records: one set per measure point.

use super::budget::{self, Spent};
use super::calls;
use super::items::{Item, Kind};
use super::measured::{Read, at_ns, words};
use crate::{clock, measuring, records};
use midrun_instrument::{Collector, Cost, Sum, cost};
use midrun_points::{Label, Mode};
use midrun_ring::layout::text_to_words;
use midrun_ring::{part, topic};
use std::collections::BTreeMap;

/// Shortest interval of time from which the cost of measuring is judged, nanoseconds.
const ENOUGH_NS: u64 = 10_000_000;

/// Sums up what was measured, and what that cost.
pub struct Report {
    collector: Collector,
    cost: Option<Cost>,
    /// Share of the time that measuring may take.
    pub budget: f64,
    begun_ns: u64,
    /// Cost of measuring by item since the last look at the budget, nanoseconds; and when that was.
    spent: BTreeMap<usize, f64>,
    looked_ns: u64,
    /// Sums taken out between the ends of two iterations, by hook and by item of MPI calls.
    held: BTreeMap<(bool, u32), Sum>,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            collector: Collector::default(),
            cost: None,
            budget: measuring::budget(),
            begun_ns: clock::now_ns(),
            spent: BTreeMap::new(),
            looked_ns: clock::now_ns(),
            held: BTreeMap::new(),
        }
    }
}

/// Records that a line could not be carried out, or with `says` 1 that it gave up detail, and why.
pub fn refuse(line: u32, says: u64, why: &str) {
    records::text(clock::now_ns(), topic::REFUSED, line, says, why);
}

impl Report {
    /// Measures the cost of measuring, once.
    pub fn learn_cost(&mut self) {
        if self.cost.is_none() {
            self.cost = cost().ok();
        }
    }

    /// An iteration begins.
    pub fn begin(&mut self) {
        self.begun_ns = clock::now_ns();
    }

    /// Cost of measuring since the last look; `None` where that is too short ago. The interval has lasted `lasted_ns`, or since
    /// the last look where an iteration has not ended.
    pub fn spent(&mut self, items: &[Item], lasted_ns: Option<u64>) -> Option<Spent> {
        let stretch_ns = lasted_ns.unwrap_or_else(|| clock::now_ns().saturating_sub(self.looked_ns));
        if stretch_ns < ENOUGH_NS {
            return None;
        }
        if lasted_ns.is_none() {
            self.gather(items);
        }
        self.looked_ns = clock::now_ns();
        let by_item = std::mem::take(&mut self.spent).into_iter().collect();
        Some(Spent { by_item, lasted_ns: stretch_ns as f64 })
    }

    /// Takes out what was measured and keeps it for the iteration's end.
    fn gather(&mut self, items: &[Item]) {
        let interval = self.collector.begin_interval();
        let mut taken: BTreeMap<u32, u64> = BTreeMap::new();
        for item in items {
            let calls = match &item.kind {
                Kind::Function(hook) => {
                    let number = hook.number();
                    *taken.entry(number).or_insert_with(|| {
                        let sum = self.collector.take(number, interval);
                        add(self.held.entry((false, number)).or_default(), &sum);
                        sum.calls
                    })
                }
                Kind::Calls(number) => {
                    let sum = calls::take(*number);
                    add(self.held.entry((true, *number)).or_default(), &sum);
                    sum.calls
                }
                _ => continue,
            };
            *self.spent.entry(item.id).or_insert(0.0) += self.cost_ns(item) * calls as f64;
        }
    }

    /// Cost of measuring one call of the item, nanoseconds.
    fn cost_ns(&self, item: &Item) -> f64 {
        self.cost.as_ref().map_or(0.0, |cost| budget::cost_ns(item, cost))
    }

    /// Sends everything about `iteration`; `own`: a line of the points declared it. Returns its length, nanoseconds.
    pub fn send(&mut self, items: &[Item], iteration: u64, own: bool) -> u64 {
        let now_ns = clock::now_ns();
        self.gather(items);
        let lasted_ns = now_ns.saturating_sub(self.begun_ns);
        if own {
            let label = text_to_words("iteration");
            let square = (lasted_ns as f64 * 1e-9).powi(2).to_bits();
            let times = [1, lasted_ns, square, lasted_ns, lasted_ns, 0];
            records::point(
                records::point_head(&label, iteration, 1),
                &[(part::TIMES, times), (part::SPAN, [self.begun_ns, now_ns, 0, 0, 0, 0])],
            );
        }
        let held = std::mem::take(&mut self.held);
        for item in items {
            let Some(label) = item.declaration.label() else { continue };
            match &item.kind {
                Kind::Function(hook) if budget::mode(item) == Some(Mode::Sum) => {
                    if let Some(sum) = held.get(&(false, hook.number())) {
                        times(label, iteration, sum, self.cost_ns(item), at_ns);
                    }
                }
                Kind::Calls(number) => {
                    if let Some(sum) = held.get(&(true, *number)) {
                        times(label, iteration, sum, 0.0, |ns| ns);
                    }
                }
                Kind::Reads(_, _, values) => read(label, iteration, &values.take()),
                _ => {}
            }
        }
        self.begun_ns = now_ns;
        lasted_ns
    }
}

fn add(all: &mut Sum, new: &Sum) {
    all.calls += new.calls;
    all.timed += new.timed;
    all.sum_ns = all.sum_ns.saturating_add(new.sum_ns);
    all.squares_s2 += new.squares_s2;
    all.minimum_ns = all.minimum_ns.min(new.minimum_ns);
    all.maximum_ns = all.maximum_ns.max(new.maximum_ns);
    all.first = all.first.min(new.first);
    all.last = all.last.max(new.last);
    all.bins.iter_mut().zip(new.bins).for_each(|(bin, more)| *bin = bin.saturating_add(more));
}

fn times(label: &Label, iteration: u64, sum: &Sum, each_ns: f64, at_ns: fn(u64) -> u64) {
    if sum.calls == 0 && sum.timed == 0 {
        return;
    }
    let cost_ns = (each_ns * sum.calls as f64) as u64;
    let shortest = if sum.timed > 0 { sum.minimum_ns.min(sum.maximum_ns) } else { 0 };
    let times = [sum.timed, sum.sum_ns, sum.squares_s2.to_bits(), shortest, sum.maximum_ns, cost_ns];
    let mut parts = vec![(part::TIMES, times)];
    if sum.last > 0 {
        parts.push((part::SPAN, [at_ns(sum.first), at_ns(sum.last), 0, 0, 0, 0]));
    }
    let used = sum.bins.iter().enumerate().filter(|(_, count)| **count > 0);
    let bins: Vec<u64> = used.map(|(bin, count)| bin as u64 | u64::from(*count) << 8).collect();
    for six in bins.chunks(6) {
        let mut payload = [0; 6];
        payload[..six.len()].copy_from_slice(six);
        parts.push((part::BINS, payload));
    }
    records::point(records::point_head(&words(label), iteration, sum.calls), &parts);
}

fn read(label: &Label, iteration: u64, read: &Read) {
    if read.count > 0 {
        let numbers = [read.sum, read.sum_of_squares, read.minimum, read.maximum, read.last].map(f64::to_bits);
        let [sum, squares, minimum, maximum, last] = numbers;
        let values = [read.count, sum, squares, minimum, maximum, last];
        let span = [read.first_ns, read.last_ns, 0, 0, 0, 0];
        let head = records::point_head(&words(label), iteration, read.count);
        records::point(head, &[(part::SPAN, span), (part::VALUES, values)]);
    }
}
