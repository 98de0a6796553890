//! Measurements of the points of a job's ranks: kept for the window of their iteration, summed up for the summary, and, in
//! programs whose iterations are only known by points, made into windows.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use midrun_tunlets::{PROFILE_BINS, PointWindow, ProfileBin, Window};
use midrun_vocabulary::names::tree;
use serde::Serialize;

use crate::events::{PointMeasured, PointRefused};
use crate::limits;
use crate::unattributed::{Attribution, Span, attribute};
use crate::window::Closed;

/// Label of an iteration itself.
const ITERATION: &str = "iteration";

/// One point over all ranks and iterations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PointLine {
    /// Its label.
    pub label: String,
    /// Ranks that measured it.
    pub ranks: u64,
    /// Calls, or values read.
    pub count: u64,
    /// Of those, in the next numbers.
    pub timed: u64,
    /// Mean time, seconds, or mean value; null of none.
    pub mean: Option<f64>,
    /// Shortest and longest, or smallest and largest; null of none.
    pub minimum: Option<f64>,
    /// See `minimum`.
    pub maximum: Option<f64>,
    /// Whether it is a variable: then the numbers are its values, not times.
    pub is_value: bool,
    /// Cost of measuring, seconds.
    pub cost_s: f64,
    #[serde(skip)]
    sum: f64,
    #[serde(skip)]
    by: BTreeSet<u32>,
}

/// A line that ranks could not do, or do with less detail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RefusedLine {
    /// The line, from 1.
    pub line: u32,
    /// Why.
    pub why: String,
    /// It is done, but with less detail.
    pub shed: bool,
    /// Ranks that say so.
    pub ranks: BTreeSet<u32>,
}

/// Points in the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PointLines {
    /// The text of points, line by line.
    pub declared: Vec<String>,
    /// Lines that could not be done.
    pub refused: Vec<RefusedLine>,
    /// Measurements.
    pub measured: Vec<PointLine>,
}

/// An iteration of the ranks that is not closed yet: its times by rank, and when the first was received.
#[derive(Debug, Default)]
struct Open {
    times_s: BTreeMap<u32, f64>,
    heard_ns: u64,
}

/// The points of one job.
#[derive(Debug, Default)]
pub struct Points {
    /// By iteration, then by rank and label.
    waiting: BTreeMap<u64, BTreeMap<(u32, String), PointWindow>>,
    waits: usize,
    open: BTreeMap<u64, Open>,
    next: u64,
    /// The newest iteration that any rank has ended, and when the analyzer heard of that first, nanoseconds.
    newest_heard: Option<(u64, u64)>,
    lines: BTreeMap<String, PointLine>,
    refused: Vec<RefusedLine>,
    /// Places in `refused`, by line, detail and, of what was refused, the reason.
    refused_at: BTreeMap<(u32, bool, String), usize>,
    /// The line of the text that tells the ranks' iterations.
    iteration_line: Option<u32>,
    /// Ranks whose iterations are known by points.
    iterating: BTreeSet<u32>,
    /// What ranks without iterations measured, whose iteration is not known yet: half-way through it, on the master's clock.
    unattributed: Vec<(u64, PointWindow)>,
    any_unattributed: bool,
    /// Iterations of the master whose time is known, on its clock.
    spans: VecDeque<Span>,
}

impl Points {
    /// The lowest rank whose iterations are known by points.
    pub fn first_rank(&self) -> Option<u32> {
        self.iterating.first().copied()
    }

    /// This text was sent to ranks.
    pub fn on_sent(&mut self, text: &str) {
        let lines = midrun_points::parse(text).unwrap_or_default();
        self.iteration_line = lines.iter().find(|line| line.iterates()).map(|line| line.number);
    }

    /// Whether a line of the text, or of the job's points file (`own`; 0: none), tells the iterations, as far as `rank` has not refused it.
    pub fn tell_iterations(&self, rank: u32, own: u32) -> bool {
        let is_refused = |line: u32| {
            self.refused.iter().any(|refused| refused.line == line && !refused.shed && refused.ranks.contains(&rank))
        };
        self.iteration_line.or(Some(own)).filter(|line| *line > 0).is_some_and(|line| !is_refused(line))
    }

    /// The newest iteration that is known by points.
    pub fn newest(&self) -> Option<u64> {
        self.open.keys().next_back().copied().or(self.next.checked_sub(1))
    }

    /// When the analyzer heard of the end of the iteration before this one, if nothing was heard of this one.
    pub fn running_since(&self, iteration: u64) -> Option<u64> {
        let (newest, heard_ns) = self.newest_heard?;
        (newest + 1 == iteration).then_some(heard_ns)
    }

    /// The master's iteration lasted from `begun_ns` to `ended_ns` on its own clock.
    pub fn on_span(&mut self, span: Span) {
        limits::push(&mut self.spans, span, limits::OPEN_WINDOWS);
    }

    /// How long the window of an iteration waits for ranks that do not know which iteration they are in, nanoseconds.
    pub fn wait_ns(&self) -> u64 {
        if self.any_unattributed { limits::ATTRIBUTION_MS * 1_000_000 } else { 0 }
    }

    // Adds to its iteration what was measured by ranks that have none, as far as that is known by now.
    fn attribute(&mut self) {
        let spans = self.spans.make_contiguous();
        let mut not_yet = Vec::new();
        for (middle_ns, seen) in std::mem::take(&mut self.unattributed) {
            match attribute(spans, 0, middle_ns) {
                Attribution::To(iteration) => keep(&mut self.waiting, &mut self.waits, iteration, seen),
                Attribution::NotYet => not_yet.push((middle_ns, seen)),
                Attribution::Expired => {}
            }
        }
        self.unattributed = not_yet;
    }

    /// A rank measured; `now` is when the analyzer received that, nanoseconds; its clock is `ahead_ns` behind the master's.
    pub fn on_measured(&mut self, now: u64, rank: u32, ahead_ns: i64, measured: PointMeasured) {
        let seen = PointWindow { rank, ..measured.seen };
        let (begun_ns, ended_ns) = measured.span_ns;
        if seen.label == ITERATION {
            self.iterating.insert(rank);
            if let Some(iteration) = measured.iteration.filter(|_| self.first_rank() == Some(rank) && ended_ns > 0) {
                self.on_span(Span { iteration, begun_ns, ended_ns: Some(ended_ns) });
            }
            if let Some(iteration) = measured.iteration.filter(|iteration| *iteration >= self.next) {
                if self.newest_heard.is_none_or(|(newest, _)| iteration > newest) {
                    self.newest_heard = Some((iteration, now));
                }
                let open = self.open.entry(iteration).or_insert_with(|| Open { heard_ns: now, ..Open::default() });
                open.times_s.insert(rank, seen.sum);
                // Where there is a master none of them is closed.
                while self.open.len() > limits::WAITING_POINTS {
                    self.open.pop_first();
                }
            }
            return;
        }
        // What a framework measures for its tunlet is no line of the user's.
        if !tree::is(&seen.label) {
            self.sum_up(&seen, measured.cost_s);
        }
        match measured.iteration {
            Some(iteration) => keep(&mut self.waiting, &mut self.waits, iteration, seen),
            None if ended_ns > 0 && self.unattributed.len() < limits::UNATTRIBUTED_WORKS => {
                let middle_ns = begun_ns.midpoint(ended_ns).saturating_add_signed(ahead_ns);
                self.any_unattributed = true;
                self.unattributed.push((middle_ns, seen));
            }
            None => {}
        }
    }

    fn sum_up(&mut self, seen: &PointWindow, cost_s: f64) {
        if self.lines.len() >= limits::LISTED_POINTS && !self.lines.contains_key(&seen.label) {
            return;
        }
        let new = || PointLine { label: seen.label.clone(), is_value: seen.value.is_some(), ..PointLine::default() };
        let line = self.lines.entry(seen.label.clone()).or_insert_with(new);
        line.count = line.count.saturating_add(seen.count);
        line.cost_s += cost_s;
        line.by.insert(seen.rank);
        line.ranks = line.by.len() as u64;
        if seen.timed > 0 {
            line.timed = line.timed.saturating_add(seen.timed);
            line.sum += seen.sum;
            line.mean = Some(line.sum / line.timed as f64);
            line.minimum = Some(line.minimum.map_or(seen.minimum, |known| known.min(seen.minimum)));
            line.maximum = Some(line.maximum.map_or(seen.maximum, |known| known.max(seen.maximum)));
        }
    }

    /// A rank refused a line; true when that is news, and not another rank's refusal of the same.
    pub fn on_refused(&mut self, rank: u32, refused: &PointRefused) -> bool {
        let reason = if refused.shed { String::new() } else { refused.why.clone() };
        let key = (refused.line, refused.shed, reason);
        if let Some(&at) = self.refused_at.get(&key) {
            let known = &mut self.refused[at];
            // How much was saved differs from rank to rank; each step down in detail is reported.
            known.why.clone_from(&refused.why);
            return !known.ranks.insert(rank) && refused.shed;
        }
        if self.refused.len() < limits::LISTED_POINTS {
            self.refused_at.insert(key, self.refused.len());
            let PointRefused { line, why, shed } = refused.clone();
            self.refused.push(RefusedLine { line, why, shed, ranks: [rank].into() });
        }
        true
    }

    /// Takes the measurements that waited for the window of an iteration; older ones are dropped.
    pub fn take(&mut self, iteration: u64) -> Vec<PointWindow> {
        self.attribute();
        let later = self.waiting.split_off(&(iteration + 1));
        let mut up_to = std::mem::replace(&mut self.waiting, later);
        self.waits = self.waiting.values().map(BTreeMap::len).sum();
        up_to.remove(&iteration).unwrap_or_default().into_values().collect()
    }

    /// Closes iterations of programs that have no other: those that all `ranks` reported, that are overtaken by the next but
    /// one, or whose first report came `grace_ns` ago; everything, if `all`.
    pub fn close(&mut self, now: u64, all: bool, ranks: usize, grace_ns: u64) -> Vec<Closed> {
        let mut closed = Vec::new();
        while let Some((&iteration, open)) = self.open.first_key_value() {
            // Ranks that never begin an iteration say nothing about its end, but may still say what they did in it.
            let others = ranks > self.iterating.len();
            // Of the first iteration nobody knows whether the others begin none.
            let pause_ns = if iteration == 0 { grace_ns } else { limits::ATTRIBUTION_MS * 1_000_000 };
            let said = now >= open.heard_ns.saturating_add(pause_ns);
            let complete = open.times_s.len() >= self.iterating.len() && (!others || said);
            let overtaken = self.open.len() > 2;
            let waited = now >= open.heard_ns.saturating_add(grace_ns);
            if !(complete || overtaken || waited || all) {
                break;
            }
            let Some(open) = self.open.remove(&iteration) else { break };
            self.next = iteration + 1;
            let points = self.take(iteration);
            closed.push(open.close(iteration, points));
        }
        closed
    }

    /// For the summary; `None` where there are no points.
    pub fn lines(&self, declared: &str) -> Option<PointLines> {
        let declared: Vec<String> = declared.lines().map(str::to_owned).collect();
        let any = !(declared.is_empty() && self.refused.is_empty() && self.lines.is_empty());
        let measured = self.lines.values().cloned().collect();
        any.then(|| PointLines { declared, refused: self.refused.clone(), measured })
    }
}

impl Open {
    fn close(self, iteration: u64, points: Vec<PointWindow>) -> Closed {
        let slowest_s = self.times_s.values().copied().fold(0.0, f64::max);
        let task_s = self.times_s.values().sum();
        let window = Window {
            workers: self.times_s.len() as u32,
            own_loop: true,
            profile: vec![ProfileBin::default(); PROFILE_BINS],
            points,
            ..Window::of_time(iteration, slowest_s)
        };
        Closed { window, task_s, has_losses: false }
    }
}

/// Keeps a measurement for the window of its iteration.
fn keep(
    waiting: &mut BTreeMap<u64, BTreeMap<(u32, String), PointWindow>>,
    waits: &mut usize,
    iteration: u64,
    seen: PointWindow,
) {
    if *waits >= limits::WAITING_POINTS {
        return;
    }
    *waits += 1;
    match waiting.entry(iteration).or_default().entry((seen.rank, seen.label.clone())) {
        Entry::Occupied(mut known) => merge(known.get_mut(), &seen),
        Entry::Vacant(place) => drop(place.insert(seen)),
    }
}

fn merge(one: &mut PointWindow, more: &PointWindow) {
    let first = one.timed == 0;
    one.minimum = if first { more.minimum } else { one.minimum.min(more.minimum) };
    one.maximum = if first { more.maximum } else { one.maximum.max(more.maximum) };
    one.count = one.count.saturating_add(more.count);
    one.timed = one.timed.saturating_add(more.timed);
    one.sum += more.sum;
    one.squares += more.squares;
    one.value = more.value.or(one.value);
}

#[cfg(test)]
#[path = "points_tests.rs"]
mod tests;
