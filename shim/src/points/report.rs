//! What was measured in an iteration goes up as records: one set per point.

use super::items::{Done, Item};
use super::measured::{Read, words};
use super::{State, budget, places};
use crate::{clock, lane};
use midrun_instrument::{Collector, Cost, Sum, cost};
use midrun_points::{Label, Mode};
use midrun_ring::layout::text_to_words;
use midrun_ring::{Record, kind, part};
use std::collections::BTreeMap;

/// Sums up, and knows what that costs.
pub struct Report {
    collector: Collector,
    cost: Option<Cost>,
    /// Share of the time that measuring may take.
    pub budget: f64,
    begun_ns: u64,
    /// Calls of each item since the last look at the budget, and when that was.
    spent: BTreeMap<u32, f64>,
    looked_ns: u64,
    /// What was taken out between two iterations' ends, by hook and by item of MPI calls.
    held: BTreeMap<(bool, u32), Sum>,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            collector: Collector::default(),
            cost: None,
            budget: budget::share(),
            begun_ns: clock::now_ns(),
            spent: BTreeMap::new(),
            looked_ns: clock::now_ns(),
            held: BTreeMap::new(),
        }
    }
}

/// What measuring cost in a stretch of time.
pub struct Spent {
    /// By item, nanoseconds.
    by_item: Vec<(u32, f64)>,
    /// Length of the stretch, nanoseconds.
    pub lasted_ns: f64,
}

impl Spent {
    /// As a share of the time.
    pub fn share(&self) -> f64 {
        self.by_item.iter().map(|(_, ns)| ns).sum::<f64>() / self.lasted_ns
    }

    /// The item that cost most.
    pub fn dearest(&self) -> Option<(u32, f64)> {
        self.by_item.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

impl Report {
    /// Measures what measuring costs, once.
    pub fn learn_cost(&mut self) {
        if self.cost.is_none() {
            self.cost = cost().ok();
        }
    }

    /// An iteration begins.
    pub fn begin(&mut self, _iteration: u64, now_ns: u64) {
        self.begun_ns = now_ns;
    }

    /// What was spent since the last look.
    pub fn spent(&mut self, lasted_ns: u64) -> Spent {
        self.looked_ns = clock::now_ns();
        Spent { by_item: std::mem::take(&mut self.spent).into_iter().collect(), lasted_ns: lasted_ns.max(1) as f64 }
    }
}

/// Takes out what was measured and keeps it for the iteration's end.
fn gather(state: &mut State) {
    let report = &mut state.report;
    let stretch = report.collector.turn();
    let mut taken: BTreeMap<u32, u64> = BTreeMap::new();
    for item in &state.items {
        let calls = match &item.done {
            Done::Function(hook) => {
                let number = hook.number();
                *taken.entry(number).or_insert_with(|| {
                    let sum = report.collector.take(number, stretch);
                    add(report.held.entry((false, number)).or_default(), &sum);
                    sum.calls
                })
            }
            Done::Calls(calls, number) => {
                let sum = calls.take(*number);
                add(report.held.entry((true, *number)).or_default(), &sum);
                sum.calls
            }
            _ => continue,
        };
        charge(&mut report.spent, item, calls, report.cost.as_ref());
    }
}

fn charge(spent: &mut BTreeMap<u32, f64>, item: &Item, calls: u64, cost: Option<&Cost>) {
    let each = cost.map_or(0.0, |cost| budget::cost_ns(item, cost));
    *spent.entry(item.id).or_insert(0.0) += each * calls as f64;
}

/// Between iterations' ends: what was spent since the last look, if that is at least so long ago.
pub fn look(state: &mut State, enough_ns: u64) -> Option<Spent> {
    let lasted_ns = clock::now_ns().saturating_sub(state.report.looked_ns);
    if lasted_ns < enough_ns {
        return None;
    }
    gather(state);
    Some(state.report.spent(lasted_ns))
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

/// Sends everything about `iteration`; `own`: a line of the points says that it was one. Returns how long it lasted.
pub fn send(state: &mut State, iteration: u64, own: bool) -> u64 {
    let now_ns = clock::now_ns();
    gather(state);
    let lasted_ns = now_ns.saturating_sub(state.report.begun_ns);
    if own {
        let label = text_to_words("iteration");
        let square = (lasted_ns as f64 * 1e-9).powi(2).to_bits();
        let times = [1, lasted_ns, square, lasted_ns, lasted_ns, 0];
        push(
            head(&label, iteration, 1),
            &[(part::TIMES, times), (part::SPAN, [state.report.begun_ns, now_ns, 0, 0, 0, 0])],
        );
    }
    let held = std::mem::take(&mut state.report.held);
    for item in &state.items {
        let Some(label) = item.declaration.label() else { continue };
        match &item.done {
            Done::Function(hook) if budget::mode(item) == Some(Mode::Sum) => {
                let each = state.report.cost.as_ref().map_or(0.0, |cost| budget::cost_ns(item, cost));
                if let Some(sum) = held.get(&(false, hook.number())) {
                    times(label, iteration, sum, each, places::at_ns);
                }
            }
            Done::Calls(_, number) => {
                if let Some(sum) = held.get(&(true, *number)) {
                    times(label, iteration, sum, 0.0, |ns| ns);
                }
            }
            Done::Reads(_, _, values) => read(label, iteration, &values.take()),
            _ => {}
        }
    }
    state.report.begun_ns = now_ns;
    lasted_ns
}

fn head(label: &[u64; 4], iteration: u64, calls: u64) -> [u64; 6] {
    let [a, b, c, d] = *label;
    [a, b, c, d, iteration, calls]
}

fn push(head: [u64; 6], parts: &[(u32, [u64; 6])]) {
    let time_ns = clock::now_ns();
    lane::push(&Record { kind: kind::POINT, flags: part::HEAD, time_ns, payload: head });
    for (k, (part, payload)) in parts.iter().enumerate() {
        let last = if k + 1 == parts.len() { part::LAST } else { 0 };
        lane::push(&Record { kind: kind::POINT, flags: part | last, time_ns, payload: *payload });
    }
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
    push(head(&words(label), iteration, sum.calls), &parts);
}

fn read(label: &Label, iteration: u64, read: &Read) {
    if read.count > 0 {
        let numbers = [read.sum, read.squares, read.minimum, read.maximum, read.last].map(f64::to_bits);
        let [sum, squares, minimum, maximum, last] = numbers;
        let values = [read.count, sum, squares, minimum, maximum, last];
        push(head(&words(label), iteration, read.count), &[(part::VALUES, values)]);
    }
}
