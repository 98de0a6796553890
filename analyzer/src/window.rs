//! Collects the ranks' reports about iterations and closes them into windows.
//!
//! Batches of several agents come in any order. An iteration closes when the master ended it and the
//! ranks' work covers its tasks, or a grace period after its end, or when the next but one has ended;
//! always in the iterations' order.
//! Only the master's own times are used, so hosts' clocks do not matter, but for work whose rank does
//! not know its iteration: its time tells the iteration (`unattributed`). An iteration whose begin or end was not
//! seen is skipped and counted.
//!
//! A program may count its iterations from the start again, as each team of a framework does. Here their numbers go on, so that all who compare them
//! (tunlets, trials, the summary) need not know.

use std::collections::{BTreeMap, BTreeSet};

use midrun_scheduling::{Technique, TechniqueParameters};
use midrun_tunlets::{ChunkWork, PROFILE_BINS, ProfileBin, Window, WorkerWork};
use midrun_vocabulary::profile::{Profile, spread};

use crate::events::{Begun, Ended, Work};
use crate::limits;
use crate::network::Links;
use crate::unattributed::{Attribution, Span, Unattributed, UnattributedWork, attribute};

/// A closed iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// The window as tunlets see it.
    pub window: Window,
    /// Task time of all workers, where records are missing as the master reports it or else by those that arrived, and the time in which the master divided and combined
    /// alone, seconds.
    pub task_s: f64,
    /// Workers died in it: it belongs to no number of workers, and no model may see it.
    pub has_losses: bool,
}

impl Closed {
    /// The shortest time the iteration could have taken: task time / workers, seconds.
    pub fn ideal_s(&self) -> f64 {
        self.task_s / f64::from(self.window.workers.max(1)) + 0.0 // the sum of no tasks is -0
    }
}

#[derive(Debug, Default)]
struct Partial {
    begun: Option<(Begun, TechniqueParameters)>,
    begins_loop: bool, // the program counts from the start again with it
    most_workers: Option<u32>,
    ended: Option<(Ended, u64)>, // and when the analyzer received it
    work: BTreeMap<u32, WorkerWork>,
    tasks: u64, // of all of `work`
    profile: Vec<ProfileBin>,
    each_chunk: usize, // chunks that were named one by one
    changed_ns: Option<u64>,
    has_losses: bool,
}

/// The iterations of one job that are not closed yet.
#[derive(Debug)]
pub struct Windows {
    grace_ns: u64,
    open: BTreeMap<u64, Partial>,
    base: u64,        // what the program's own numbers are counted from
    base_before: u64, // the same of the loop before
    next: u64,        // iterations before this one are done with
    counting: bool,   // whether `next` is known from what was closed before
    last_end_ns: u64,
    last_closed: Option<u64>,
    newest_begun: Option<u64>,
    begun_heard_ns: u64, // when the analyzer received that
    newest_ended: Option<u64>,
    unattributed: Unattributed,
    early: Vec<(u32, Work)>, // of an iteration that is over, or of one of the next loop, whose begin was not heard yet
    /// Ranks that have computed. Where the master does not say how many workers there are, those that got nothing were idle.
    computed: BTreeSet<u32>,
    /// Ranks that may be workers, too, and have computed nothing yet.
    idle: BTreeSet<u32>,
    /// Ranks that compute for another master: what they do belongs to no iteration of this one.
    of_others: BTreeSet<u32>,
    /// Cost of messages.
    pub links: Links,
    /// The rank that begins iterations.
    pub master: Option<u32>,
    /// These are iterations of one of midrun's frameworks, of which a job can have several.
    pub of_framework: bool,
    /// Iterations that could not be measured.
    pub skipped: u64,
    /// Tasks reported after their iteration was closed.
    pub late_tasks: u64,
    /// Events that made no sense.
    pub invalid: u64,
}

impl Windows {
    /// None open; an ended iteration waits `grace_ns` nanoseconds for its records.
    pub fn new(grace_ns: u64) -> Windows {
        Windows {
            grace_ns,
            open: BTreeMap::new(),
            base: 0,
            base_before: 0,
            next: 0,
            counting: false,
            last_end_ns: 0,
            last_closed: None,
            newest_begun: None,
            begun_heard_ns: 0,
            newest_ended: None,
            unattributed: Unattributed::default(),
            early: Vec::new(),
            computed: BTreeSet::new(),
            idle: BTreeSet::new(),
            of_others: BTreeSet::new(),
            links: Links::default(),
            master: None,
            of_framework: false,
            skipped: 0,
            late_tasks: 0,
            invalid: 0,
        }
    }

    /// The number of the iteration that the program counts as `own`.
    pub fn number(&self, own: u64) -> u64 {
        self.base.saturating_add(own)
    }

    /// The number of the iteration in which the master did something at its time `time_ns`. What it does before it begins one counts as that one's.
    pub fn number_at(&self, own: u64, time_ns: u64) -> u64 {
        let number = self.number(own);
        let ended_ns = match self.open.get(&number) {
            Some(partial) => partial.ended.map(|(ended, _)| ended.time_ns),
            None => (number < self.next).then_some(self.last_end_ns),
        };
        if ended_ns.is_some_and(|ended_ns| time_ns > ended_ns) { self.following() } else { number }
    }

    // The number of the next iteration that begins.
    fn following(&self) -> u64 {
        self.newest_begun.map_or(self.next, |newest| self.next.max(newest + 1))
    }

    // The number of an iteration that begins, and whether the program counts from the start again with it; `None` where one that is over begins again.
    fn number_of_begun(&mut self, begun: &Begun) -> Option<(u64, bool)> {
        let number = self.number(begun.iteration);
        let known_ns = match self.open.get(&number) {
            Some(partial) => partial.begun.map(|(known, _)| known.time_ns),
            None => (number < self.next).then_some(self.last_end_ns),
        };
        if known_ns.is_none_or(|known_ns| begun.time_ns == known_ns && number >= self.next) {
            return Some((number, false));
        }
        let newest_ns =
            self.open.values().filter_map(|partial| Some(partial.begun?.0.time_ns)).fold(self.last_end_ns, u64::max);
        if begun.time_ns <= newest_ns {
            return None;
        }
        let next = self.following();
        self.base_before = std::mem::replace(&mut self.base, next.saturating_sub(begun.iteration));
        Some((next, true))
    }

    /// The master began an iteration; `now` is when the analyzer received that, nanoseconds; `setting` is what its tuning points stand at, and
    /// `most_workers` the number that it is told to use, where it offers that. Returns the iteration's number and the setting in force.
    pub fn on_begun(
        &mut self,
        now: u64,
        mut begun: Begun,
        (mut setting, most_workers): (TechniqueParameters, Option<u32>),
    ) -> (u64, TechniqueParameters) {
        setting.kind = Technique::from_code(begun.technique).unwrap_or(setting.kind);
        setting.factor = begun.factor;
        let Some((number, begins_loop)) = self.number_of_begun(&begun) else {
            self.invalid += 1;
            return (self.number(begun.iteration), setting);
        };
        begun.iteration = number;
        self.unattributed.on_span_changed();
        if self.newest_begun < Some(number) {
            (self.newest_begun, self.begun_heard_ns) = (Some(number), now);
        }
        if let Some(partial) = self.partial(number) {
            partial.begun.get_or_insert((begun, setting));
            partial.begins_loop |= begins_loop;
            partial.most_workers = partial.most_workers.or(most_workers);
        }
        self.settle_early(begins_loop);
        (number, setting)
    }

    // Work that was over belongs to the loop that has begun, or was late.
    fn settle_early(&mut self, begins_loop: bool) {
        for (rank, work) in std::mem::take(&mut self.early) {
            match work.iteration.filter(|_| begins_loop) {
                Some(own) => self.add(self.number(own), rank, &work),
                None => self.on_late(&work),
            }
        }
    }

    /// The master ended an iteration; `now` is when the analyzer received that, nanoseconds. Returns its number, and its time on the master's clock.
    pub fn on_ended(&mut self, now: u64, mut ended: Ended) -> Span {
        ended.iteration = self.number(ended.iteration);
        let begun = self.open.get(&ended.iteration).and_then(|partial| partial.begun);
        let begun_ns = begun.map_or(ended.time_ns, |(begun, _)| begun.time_ns);
        let span = Span { iteration: ended.iteration, begun_ns, ended_ns: Some(ended.time_ns) };
        self.unattributed.on_span_changed();
        self.newest_ended = self.newest_ended.max(Some(ended.iteration));
        match self.partial(ended.iteration) {
            Some(partial) => {
                partial.ended.get_or_insert((ended, now));
            }
            None => self.invalid += 1,
        }
        span
    }

    /// A rank worked. `middle_ns` is when, on the master's clock: it counts where the rank does not know the iteration.
    pub fn on_work(&mut self, rank: u32, middle_ns: u64, work: Work) {
        match work.iteration {
            Some(own) => {
                // Ranks' reports come in any order: what a short loop lacks may come when the next one has begun.
                let before = self.base_before.saturating_add(own);
                let lacks = |number: &u64| self.open.get(number).is_some_and(|open| !open.complete());
                let number =
                    Some(before).filter(|before| *before < self.base && lacks(before)).unwrap_or(self.number(own));
                let is_over = number < self.next || self.open.get(&number).is_some_and(Partial::complete);
                // Those of the next loop may come before its begin.
                if is_over && self.of_framework && self.early.len() < limits::UNATTRIBUTED_WORKS {
                    self.early.push((rank, work));
                } else {
                    self.add(number, rank, &work);
                }
            }
            None if self.of_others.contains(&rank) => {}
            None => {
                if let Some(refused) = self.unattributed.push(UnattributedWork { rank, middle_ns, work }) {
                    self.on_late(&refused.work);
                }
            }
        }
    }

    fn on_late(&mut self, work: &Work) {
        self.late_tasks = self.late_tasks.saturating_add(work.tasks);
    }

    // Adds unattributed work to its iteration, as far as that is known by now.
    fn attribute(&mut self) {
        let due = self.unattributed.take_due();
        if due.is_empty() {
            return;
        }
        let known = self.open.iter().filter_map(|(&iteration, partial)| {
            let (begun, _) = partial.begun?;
            Some(Span { iteration, begun_ns: begun.time_ns, ended_ns: partial.ended.map(|(e, _)| e.time_ns) })
        });
        let spans: Vec<Span> = known.collect();
        for due in due {
            match attribute(&spans, self.last_end_ns, due.middle_ns) {
                Attribution::To(iteration) => self.add(iteration, due.rank, &due.work),
                Attribution::Expired => self.on_late(&due.work),
                Attribution::NotYet => self.unattributed.keep(due),
            }
        }
    }

    fn add(&mut self, iteration: u64, rank: u32, work: &Work) {
        let ahead = |newest: u64| iteration > newest.saturating_add(limits::WORK_AHEAD);
        if self.newest_begun.is_some_and(ahead) {
            self.invalid += 1;
            return;
        }
        let Some(partial) = self.partial(iteration) else {
            self.on_late(work);
            return;
        };
        let worker =
            partial.work.entry(rank).or_insert_with(|| WorkerWork { rank, tasks_timed: true, ..WorkerWork::default() });
        worker.tasks = worker.tasks.saturating_add(work.tasks);
        partial.tasks = partial.tasks.saturating_add(work.tasks);
        worker.chunks = worker.chunks.saturating_add(work.chunks);
        worker.busy_s += work.busy_s;
        worker.sum_sq_s2 += work.sum_sq_s2;
        worker.tasks_timed &= work.tasks_timed;
        partial.each_chunk += work.each_chunk.len();
        if partial.each_chunk <= limits::EACH_CHUNK_OF_ITERATION {
            worker.each_chunk.extend_from_slice(&work.each_chunk);
        }
        partial.profile.resize(PROFILE_BINS, ProfileBin::default());
        for &(bin, tasks, busy_s) in &work.profile {
            if let Some(bin) = partial.profile.get_mut(bin) {
                bin.tasks += tasks;
                bin.busy_s += busy_s;
            }
        }
    }

    /// The master took a new setting over at its time `time_ns` in `iteration`. One meant for the
    /// beginning of the iteration is what the iteration began with, whatever its marker says.
    pub fn on_setting(&mut self, iteration: u64, time_ns: u64, at_once: bool, setting: TechniqueParameters) {
        let Some(partial) = self.open.get_mut(&iteration) else {
            return;
        };
        match &mut partial.begun {
            Some((_, in_force)) if !at_once => *in_force = setting,
            Some(_) => partial.changed_ns = Some(time_ns),
            None => {}
        }
    }

    /// The ranks that have computed, and those that may be workers, too.
    pub fn workers(&self) -> (&BTreeSet<u32>, &BTreeSet<u32>) {
        (&self.computed, &self.idle)
    }

    /// These may be workers, too, though they have computed nothing yet. They count where the master does not say how many workers there are.
    pub fn set_idle_workers(&mut self, ranks: BTreeSet<u32>) {
        self.idle = ranks;
    }

    /// All ranks that have computed, for this master or another.
    pub fn all_workers(&self) -> BTreeSet<u32> {
        self.computed.union(&self.of_others).copied().collect()
    }

    /// These compute for another master, and all others for this one, whatever was thought so far.
    pub fn set_workers_of_others(&mut self, ranks: BTreeSet<u32>) {
        self.computed.retain(|rank| !ranks.contains(rank));
        self.of_others = ranks;
    }

    /// Workers died in the iteration that the program counts as `own`; returns its number.
    pub fn on_lost(&mut self, own: u64) -> u64 {
        let number = self.number(own);
        if let Some(partial) = self.open.get_mut(&number) {
            partial.has_losses = true;
        }
        number
    }

    /// The newest iteration that has begun.
    pub fn newest(&self) -> Option<u64> {
        self.newest_begun
    }

    /// When the analyzer received that this iteration has begun, nanoseconds, if it is the newest and has not ended.
    pub fn running_since(&self, iteration: u64) -> Option<u64> {
        let runs = self.newest_begun == Some(iteration) && self.newest_ended < Some(iteration);
        runs.then_some(self.begun_heard_ns)
    }

    /// Closes what can be closed at `now`, of which nothing more is expected after `wait_ns`; everything that was ended, if
    /// `all`. In the iterations' order.
    pub fn close(&mut self, now: u64, all: bool, wait_ns: u64) -> Vec<Closed> {
        self.attribute();
        if all {
            self.settle_early(false);
        }
        let mut closed = Vec::new();
        while let Some((&iteration, partial)) = self.open.first_key_value() {
            let overtaken = self.newest_ended >= iteration.checked_add(2);
            let waited = partial.waited(now, self.grace_ns);
            // One that overtook all of its predecessor waits for it, too.
            let more_ns = if self.unattributed.any() && partial.has_unknown_tasks() {
                wait_ns.max(limits::ATTRIBUTION_MS * 1_000_000)
            } else {
                wait_ns
            };
            let complete = partial.complete() && iteration == self.next && partial.waited(now, more_ns);
            if !(complete || overtaken || waited || all) {
                break;
            }
            let partial = self.open.remove(&iteration).unwrap_or_default();
            self.unattributed.on_span_changed();
            if self.counting {
                // Of those in between nothing at all has come.
                self.skipped = self.skipped.saturating_add(iteration - self.next);
            }
            self.counting = true;
            // Between two loops the program does other things.
            let follows = self.last_closed.is_some_and(|last| last + 1 == iteration) && !partial.begins_loop;
            let before_ns = follows.then_some(self.last_end_ns);
            self.next = iteration + 1;
            match partial.close(self.master, &mut self.links, (&mut self.computed, &self.idle), before_ns) {
                Some((window, end_ns)) => {
                    (self.last_end_ns, self.last_closed) = (end_ns, Some(iteration));
                    closed.push(window);
                }
                None => self.skipped += 1,
            }
        }
        closed
    }

    // The place to collect `iteration`; None when it is over.
    fn partial(&mut self, iteration: u64) -> Option<&mut Partial> {
        if iteration < self.next {
            return None;
        }
        if self.open.len() >= limits::OPEN_WINDOWS && !self.open.contains_key(&iteration) {
            let oldest = *self.open.first_key_value()?.0;
            if iteration < oldest {
                return None;
            }
            self.open.remove(&oldest);
            self.unattributed.on_span_changed();
            self.next = oldest + 1;
            self.skipped += 1;
        }
        Some(self.open.entry(iteration).or_default())
    }
}

impl Partial {
    fn complete(&self) -> bool {
        match (&self.begun, &self.ended) {
            (Some(_), Some((ended, _))) => self.tasks >= ended.tasks,
            _ => false,
        }
    }

    // The master did not say how many tasks there are: those are all that the workers report in time.
    fn has_unknown_tasks(&self) -> bool {
        self.begun.is_some_and(|(begun, _)| begun.tasks == 0) && self.ended.is_some_and(|(ended, _)| ended.tasks == 0)
    }

    // Workers that do not know how many tasks there are name the first one of each chunk only. Where the chunks, one behind the other, are all
    // there is, that tells their places; the program may count its tasks from iteration to iteration.
    fn place_chunks(&mut self) {
        if self.profile.iter().any(|bin| bin.tasks > 0.0) {
            return;
        }
        let mut chunks: Vec<ChunkWork> = self.work.values().flat_map(|work| &work.each_chunk).copied().collect();
        chunks.sort_by_key(|chunk| chunk.first);
        let Some(base) = chunks.first().map(|chunk| chunk.first) else { return };
        let next = |next: &mut u64, chunk: &ChunkWork| {
            let is_next = chunk.first == *next;
            *next = next.saturating_add(chunk.tasks);
            Some(is_next)
        };
        let follow = chunks.iter().scan(base, next).all(|is_next| is_next);
        if !follow || chunks.iter().map(|chunk| chunk.tasks).sum::<u64>() != self.tasks {
            return;
        }
        self.work.values_mut().flat_map(|work| &mut work.each_chunk).for_each(|chunk| chunk.first -= base);
        let mut parts: Profile = [(0.0, 0.0); PROFILE_BINS];
        for chunk in &chunks {
            spread(&mut parts, chunk.first - base, chunk.tasks, self.tasks, chunk.busy_s);
        }
        self.profile = parts.iter().map(|&(tasks, busy_s)| ProfileBin { tasks, busy_s }).collect();
    }

    // A master that reports how long chunks took (midrun_chunk_done) repeats what workers with markers report themselves.
    fn drop_duplicate_report(&mut self, master: Option<u32>, tasks: u64) {
        let Some((rank, report)) = master.and_then(|master| self.work.remove_entry(&master)) else { return };
        let others = self.tasks.saturating_sub(report.tasks);
        if tasks == 0 || others < tasks {
            self.work.insert(rank, report);
        } else {
            self.tasks = others;
        }
    }

    fn waited(&self, now: u64, grace_ns: u64) -> bool {
        self.ended.is_some_and(|(_, heard)| now >= heard.saturating_add(grace_ns))
    }

    fn close(
        mut self,
        master: Option<u32>,
        links: &mut Links,
        (computed, idle): (&mut BTreeSet<u32>, &BTreeSet<u32>),
        before_ns: Option<u64>,
    ) -> Option<(Closed, u64)> {
        let (begun, setting) = self.begun?;
        let (ended, _) = self.ended?;
        self.drop_duplicate_report(master, ended.tasks);
        let duration_ns = ended.time_ns.checked_sub(begun.time_ns)?;
        let coverage = if ended.tasks == 0 { 1.0 } else { (self.tasks as f64 / ended.tasks as f64).min(1.0) };
        self.place_chunks();
        self.profile.resize(PROFILE_BINS, ProfileBin::default());
        let named = self.each_chunk;
        let ordered = |mut work: WorkerWork| {
            if named > limits::EACH_CHUNK_OF_ITERATION {
                work.each_chunk.clear(); // some of them are of no use
            }
            work.each_chunk.sort_by_key(|chunk| chunk.first);
            work
        };
        computed.extend(self.work.keys());
        let known = (computed.len() + idle.difference(computed).count()) as u32;
        let known = known.min(self.most_workers.unwrap_or(u32::MAX)).max(self.work.len() as u32);
        let per_worker: Vec<WorkerWork> = self.work.into_values().map(ordered).collect();
        let inside = |at: u64| at > begun.time_ns && at < ended.time_ns;
        // A program that marks its tasks may cut them by itself all the same: then it asks for no chunk.
        let own_loop = !begun.framework && (begun.tasks == 0 || ended.chunks == 0);
        let own_chunks = || per_worker.iter().map(|worker| worker.chunks).sum();
        let window = Window {
            master,
            iteration: begun.iteration,
            iterations: 1,
            tasks: [begun.tasks, ended.tasks, self.tasks].into_iter().find(|tasks| *tasks > 0).unwrap_or(0),
            workers: if begun.workers > 0 { begun.workers } else { known },
            iteration_s: duration_ns as f64 / 1e9,
            chunks: if own_loop { own_chunks() } else { ended.chunks },
            master_busy_s: ended.master_busy_ns as f64 / 1e9,
            inputs_s: f64::from(ended.per_task_us.0) / 1e6,
            results_s: f64::from(ended.per_task_us.1) / 1e6,
            prepare_s: before_ns.and_then(|end| begun.time_ns.checked_sub(end)).map(|gap| gap as f64 / 1e9),
            network: links.network((begun.task_bytes, begun.result_bytes)),
            efficiency: None,
            held_up: 0.0,
            setting,
            setting_changed: self.changed_ns.is_some_and(inside),
            own_loop,
            unreported: !begun.framework && !own_loop && ended.task_time_ns == 0,
            per_worker,
            profile: self.profile,
            points: Vec::new(),
            coverage,
        };
        let heard_s = ended.task_time_ns as f64 / 1e9;
        // Without the master's report the tasks whose records are missing count as long as those that arrived.
        let task_s = match coverage < 1.0 {
            true if heard_s > 0.0 => heard_s,
            true if coverage > 0.0 => window.task_s() / coverage,
            _ => window.task_s(),
        };
        Some((Closed { window, task_s, has_losses: self.has_losses }, ended.time_ns))
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
