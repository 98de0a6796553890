//! Measurements of a job: what its ranks report about iterations, streams, points and MPI calls, closed into windows.

use std::collections::BTreeMap;

use midrun_scheduling::TechniqueParameters;
use midrun_tunlets::confidence::Confidence;
use midrun_tunlets::tuning_point::{Value, names};
use midrun_tunlets::{Efficiency, Recent, Report, StreamWindow, pipeline};
use midrun_vocabulary::names::tree;
use serde_json::json;

use super::membership::Roster;
use crate::arrivals::Arrivals;
use crate::calls::Calls;
use crate::closed_windows::{ClosedWindows, WindowLine};
use crate::context::Ctx;
use crate::decisions::Per;
use crate::events::{Begun, Ended, Event, Link, MpiCounted, PointMeasured, PointRefused, Work, WorkersLost};
use crate::instance::{Instance, InstanceLine};
use crate::limits;
use crate::log_lines;
use crate::messages::Messages;
use crate::notice::finite;
use crate::period::{News, Part, Period, PeriodSearch};
use crate::points::Points;
use crate::status::{self, Share};
use crate::streams::Streams;
use crate::summary::{PatternLine, StageLine, StreamLines, Summary};
use crate::teams;
use crate::window::{Closed, Windows};

/// A closed window.
pub(super) enum Measured {
    Iteration(Box<Closed>),
    /// Of a master beside the first.
    Further(Box<Closed>),
    Stream(StreamWindow),
}

/// All that is measured of a job.
pub(super) struct Measurements {
    grace_ns: u64,
    started_ns: u64,
    /// Of the first master: the lowest rank that begins iterations.
    windows: Windows,
    closed: ClosedWindows,
    /// The further masters of frameworks, by rank, and how many of them were told.
    further: BTreeMap<u32, Instance>,
    further_told: usize,
    /// What each rank did in the newest window.
    shares: BTreeMap<u32, Share>,
    streams: Streams,
    stream_lines: StreamLines,
    recent: Recent,
    points: Points,
    messages: Messages,
    /// Whether they go one way, as in a pipeline, and of how many pairs of how many ranks that was seen.
    one_way: (bool, (usize, u32)),
    calls: Calls,
    period: PeriodSearch,
    /// It was said that not each call is timed.
    is_sampled: bool,
    /// The period is not told to the ranks yet.
    has_new_period: bool,
    /// The phase of the program, where call periods tell the iterations, and that of which the tunlets do not know yet.
    phase: Option<u32>,
    other_phase: Option<u32>,
    /// The newest iteration of a period that has ended.
    of_periods: Option<u64>,
    /// Line of the job's points file that tells the iterations; 0: none.
    iteration_line: u32,
    /// When the ranks are looked through again for workers that have computed nothing.
    looks_for_idle_ns: u64,
    /// When iterations came.
    arrivals: Arrivals,
    /// The technique in force, with its parameters.
    technique: String,
    outputs: u64,
    /// Workers that died while the job went on, and tasks that were handed out again.
    lost_workers: u64,
    redone_tasks: u64,
    /// Events that make no sense in this job.
    invalid: u64,
    /// Windows that no model may see.
    refused: u64,
}

impl Measurements {
    /// Nothing yet of a job first seen at `started_ns`; an ended iteration waits `grace_ns` nanoseconds for its records.
    pub(super) fn new(started_ns: u64, grace_ns: u64) -> Measurements {
        Measurements {
            grace_ns,
            started_ns,
            windows: Windows::new(grace_ns),
            closed: ClosedWindows::default(),
            further: BTreeMap::new(),
            further_told: 0,
            shares: BTreeMap::new(),
            streams: Streams::default(),
            stream_lines: StreamLines::default(),
            recent: Recent::default(),
            points: Points::default(),
            messages: Messages::default(),
            one_way: (false, (0, 0)),
            calls: Calls::default(),
            period: PeriodSearch::default(),
            is_sampled: false,
            has_new_period: false,
            phase: None,
            other_phase: None,
            of_periods: None,
            iteration_line: 0,
            looks_for_idle_ns: 0,
            arrivals: Arrivals::default(),
            technique: String::new(),
            outputs: 0,
            lost_workers: 0,
            redone_tasks: 0,
            invalid: 0,
            refused: 0,
        }
    }

    /// A rank reports an event; values of tuning points that it implies go to the roster.
    pub(super) fn on_event(
        &mut self,
        ctx: &mut Ctx<'_>,
        rank: u32,
        offset_ns: i64,
        event: &Event,
        roster: &mut Roster,
    ) {
        match event {
            Event::IterationBegun(begun) => {
                self.on_begun(ctx.now, *begun, rank, roster);
                self.tell_further(ctx);
            }
            Event::IterationEnded(ended) => self.on_ended(ctx.now, *ended, rank),
            Event::WorkersLost(lost) => self.on_workers_lost(ctx, rank, *lost),
            Event::Worked(work) => self.on_work(rank, self.ahead_of_master_ns(offset_ns, roster), work),
            Event::MpiCounted(counted) => {
                self.calls.on_counted(rank, self.ahead_of_master_ns(offset_ns, roster), counted);
                if let (false, Some((call, tally))) = (self.is_sampled, Calls::sampled(counted)) {
                    self.is_sampled = true;
                    ctx.life(
                        "calls-sampled",
                        log_lines::sampled(rank, call),
                        json!({"rank": rank, "call": call, "count": tally.count, "timed": tally.timed}),
                    );
                }
                self.look_for_period(ctx, rank, counted);
            }
            Event::LinkMeasured(link) => {
                if let Some(windows) = self.windows_of(rank, true) {
                    windows.links.on_link(*link);
                    ctx.life("link-measured", log_lines::link(*link), json!({"same_host": link.same_host}));
                }
            }
            Event::TripMeasured(trip) => {
                if let Some(windows) = self.windows_of(rank, true) {
                    windows.links.on_trip(*trip);
                }
            }
            Event::MessageMoved(moved) => {
                let error_ns = roster.members.clocks_error_ns(rank, moved.peer);
                if let Some(trip) = error_ns.and_then(|e| self.messages.on_moved(rank, moved, offset_ns, e))
                    && self.windows.links.on_own_trip(trip)
                {
                    self.tell_own_link(ctx, trip.same_host);
                }
            }
            Event::PointMeasured(measured) if tree::is(&measured.seen.label) && self.further.contains_key(&rank) => {
                self.further.entry(rank).and_modify(|instance| instance.on_measured(ctx.now, rank, measured));
            }
            Event::PointMeasured(measured) => {
                let ahead_ns = self.ahead_of_master_ns(offset_ns, roster);
                // Iterations of a line of the points are counted on; what a framework measures goes by its own.
                let number = |own| if tree::is(&measured.seen.label) { self.windows.number(own) } else { own };
                let iteration = measured.iteration.map(number);
                self.points.on_measured(ctx.now, rank, ahead_ns, PointMeasured { iteration, ..measured.clone() });
            }
            Event::StageWorked(worked) => self.streams.on_work(worked.clone()),
            Event::StreamBegun(_) | Event::StageDeclared(_) | Event::PatternTaken(_) | Event::StreamWindowEnded(_) => {
                self.on_stream_event(ctx, rank, event, roster)
            }
            _ => {}
        }
    }

    fn on_workers_lost(&mut self, ctx: &mut Ctx<'_>, rank: u32, lost: WorkersLost) {
        let Some(windows) = self.windows_of(rank, true) else { return };
        let iteration = windows.on_lost(lost.iteration);
        let lost = WorkersLost { iteration, ..lost };
        self.lost_workers = self.lost_workers.saturating_add(u64::from(lost.workers));
        self.redone_tasks = self.redone_tasks.saturating_add(lost.redone_tasks);
        ctx.life(
            "workers-lost",
            log_lines::workers_lost(&lost),
            json!({
                "iteration": lost.iteration, "workers": lost.workers, "redone_tasks": lost.redone_tasks, "left": lost.left,
            }),
        );
    }

    // What a message of the program costs is known for the first time.
    fn tell_own_link(&mut self, ctx: &mut Ctx<'_>, same_host: bool) {
        let known = self.windows.links.list().find(|(here, _)| *here == same_host);
        if let Some((_, measured)) = known {
            let text = log_lines::own_link(Link { same_host, measured });
            ctx.life("link-measured", text, json!({"same_host": same_host}));
        }
    }

    /// This line of the job's points file tells the iterations; 0: none.
    pub(super) fn on_points_file(&mut self, iteration_line: u32) {
        self.iteration_line = iteration_line;
    }

    /// Another tunlet decides, which takes what it sees for the first phase.
    pub(super) fn on_new_tunlet(&mut self) {
        self.other_phase = self.phase.filter(|phase| *phase > 0);
    }

    /// The phase of the program, if it is another than when this was asked last.
    pub(super) fn take_other_phase(&mut self) -> Option<u32> {
        self.other_phase.take()
    }

    /// The iteration of which nothing was heard for so long, seconds, that the program may iterate no more.
    pub(super) fn rests(&self, now: u64, confidence: Confidence) -> Option<(u64, f64)> {
        Some((self.closed.newest(Per::Iteration)?.number + 1, self.arrivals.rest_s(now, confidence)?))
    }

    /// This text of points was sent to ranks.
    pub(super) fn on_points_sent(&mut self, points: &str) {
        self.points.on_sent(points);
    }

    // Where nothing else tells the iterations of the program, the period of its MPI calls does.
    fn look_for_period(&mut self, ctx: &mut Ctx<'_>, rank: u32, counted: &MpiCounted) {
        // What tells iterations though the period's line is gone is none of a period.
        let is_period = self.period.has_told() && self.points.newest() <= self.of_periods;
        let of_others =
            self.windows.master.is_some() || self.streams.any() || (self.points.first_rank().is_some() && !is_period);
        let known =
            self.points.tell_iterations(rank, self.iteration_line) || (of_others && self.period.found().is_none());
        if known || counted.calls.is_empty() || self.calls.first_rank() != Some(rank) {
            return;
        }
        self.has_new_period |= self.period.follow(rank);
        let calls = &self.calls;
        let of_others = || calls.counts_of_others(rank);
        match self.period.on_counted(calls.counted_ns(rank), calls.counts(rank), of_others) {
            Some(News::Found { period, phase }) => {
                self.has_new_period = true;
                if self.phase.replace(phase).is_some_and(|before| before != phase) {
                    (self.other_phase, self.arrivals) = (Some(phase), Arrivals::default());
                }
                let has_collective = period.calls.keys().any(|name| calls.is_collective(rank, name));
                ctx.life("period-found", log_lines::period(period, has_collective), json!(period));
            }
            Some(News::Ended(call)) => {
                self.has_new_period = true;
                ctx.life("period-ended", log_lines::period_ended(&call), json!({"call": call}));
            }
            None => {}
        }
    }

    /// Ranks may still count iterations by a period's line.
    pub(super) fn on_line_in_force(&mut self) {
        self.of_periods = self.points.newest().map(|newest| newest + 1);
    }

    /// Whether a window is an iteration: the first ones of a call period may be parts of one.
    fn is_iteration(&mut self, ctx: &mut Ctx<'_>, window_s: f64) -> bool {
        // Those of a framework are its own.
        let part = if self.technique.is_empty() { self.period.on_window(window_s) } else { Part::Whole };
        if let (Part::Several, Some(period)) = (part, self.period.found()) {
            self.has_new_period = true;
            ctx.life("period-found", log_lines::turns(period), json!(period));
        }
        part == Part::Whole
    }

    /// The period of the MPI calls, where it tells the iterations of the program.
    pub(super) fn period(&self) -> Option<&Period> {
        self.period.found()
    }

    /// Whether one has ended, and no other was found.
    pub(super) fn awaits_period(&self) -> bool {
        self.period.found().is_none() && self.period.has_told()
    }

    /// Whether a period was found, or has ended, since this was asked last.
    pub(super) fn take_new_period(&mut self) -> bool {
        std::mem::take(&mut self.has_new_period)
    }

    fn on_begun(&mut self, now: u64, mut begun: Begun, rank: u32, roster: &mut Roster) {
        if self.windows_of(rank, begun.framework).is_none() {
            return;
        }
        let is_first = self.is_first(rank);
        begun.workers = begun.workers.min(roster.members.most_ranks());
        // The marker carries the technique in force, whoever changed it.
        roster.points.set(rank, names::TECHNIQUE, &Value::Number(f64::from(begun.technique)));
        let most_workers = roster.points.get(rank, names::OWN_WORKERS).map(|point| point.value as u32);
        let stands = (roster.points.setting(rank), most_workers);
        // A program that cuts its tasks by itself offers none.
        let goes_by_it = begun.framework || roster.points.get(rank, names::TECHNIQUE).is_some();
        let Some(windows) = self.windows_of(rank, begun.framework) else { return };
        let (number, setting) = windows.on_begun(now, begun, stands);
        if is_first {
            self.calls.on_begun(number, begun.time_ns);
        }
        if begun.tasks > 0 && is_first && goes_by_it {
            self.technique = setting.to_string();
        }
    }

    fn on_ended(&mut self, now: u64, ended: Ended, rank: u32) {
        let Some(windows) = self.windows_of(rank, false) else { return };
        let span = windows.on_ended(now, ended);
        if self.is_first(rank) {
            self.calls.on_ended(now, span.iteration, ended.time_ns);
            self.points.on_span(span);
        }
    }

    // Work whose rank does not know the master is that of the first.
    fn on_work(&mut self, rank: u32, ahead_ns: i64, work: &Work) {
        let windows = match work.master {
            Some(master) => self.windows_of(master, true),
            None => Some(&mut self.windows),
        };
        if let Some(windows) = windows {
            windows.on_work(rank, work.middle_ns.saturating_add_signed(ahead_ns), work.clone());
        }
    }

    fn tell_further(&mut self, ctx: &mut Ctx<'_>) {
        if self.further.len() <= self.further_told {
            return;
        }
        self.further_told = self.further.len();
        let masters: Vec<u32> = self.masters().map(|(master, _)| master).collect();
        let text = format!(
            "{} are masters of frameworks: the iterations of each are measured and tuned by themselves, and the run is not remembered",
            log_lines::ranks(&masters)
        );
        ctx.life("several-masters", text, json!({"masters": masters}));
    }

    // The rest of a stream's events, which its head reports.
    fn on_stream_event(&mut self, ctx: &mut Ctx<'_>, rank: u32, event: &Event, roster: &mut Roster) {
        if *self.streams.head.get_or_insert(rank) != rank {
            self.invalid += 1;
            return;
        }
        match event {
            Event::StreamBegun(begun) => {
                if !self.streams.any() {
                    let text = format!("a pipeline of {} stages on {} ranks", begun.stages, begun.ranks);
                    ctx.life("stream-begun", text, json!({"stages": begun.stages, "ranks": begun.ranks}));
                }
                self.streams.on_begun(*begun);
            }
            Event::StageDeclared(stage) => self.streams.on_stage(stage.clone()),
            Event::PatternTaken(taken) => {
                if self.streams.on_pattern(taken.clone()) {
                    let line = PatternLine { input: taken.first_input, pattern: taken.plan.clone() };
                    limits::push(&mut self.stream_lines.pattern, line, limits::PATTERNS);
                }
                self.set_pattern(rank, roster);
            }
            Event::StreamWindowEnded(ended) => self.streams.on_window(*ended),
            _ => {}
        }
    }

    /// Sets the rank's tuning point to the pattern that the stream goes by.
    pub(super) fn set_pattern(&self, rank: u32, roster: &mut Roster) {
        if let Some(plan) = self.streams.plan() {
            roster.points.set(rank, names::PATTERN, &Value::Text(plan.to_owned()));
        }
    }

    /// Counts an event that makes no sense in this job.
    pub(super) fn on_invalid(&mut self) {
        self.invalid += 1;
    }

    /// A rank could not do a line of the points; true when that is news.
    pub(super) fn on_point_refused(&mut self, rank: u32, refused: &PointRefused) -> bool {
        self.points.on_refused(rank, refused)
    }

    fn is_first(&self, rank: u32) -> bool {
        self.windows.master == Some(rank)
    }

    // The windows of the master `rank`; `of_framework`: it is one of midrun's frameworks, of which a job can have several. Of own loops it has
    // one. The lowest rank that begins iterations is the first master, whatever order the batches come in.
    fn windows_of(&mut self, rank: u32, of_framework: bool) -> Option<&mut Windows> {
        match self.windows.master {
            Some(first) if first < rank => {
                let has_room = of_framework && self.further.len() < limits::FURTHER_MASTERS;
                if !has_room && !self.further.contains_key(&rank) {
                    self.invalid += 1;
                    return None;
                }
                let grace_ns = self.grace_ns;
                let new = || Instance::new(Windows::new(grace_ns), ClosedWindows::default());
                let windows = &mut self.further.entry(rank).or_insert_with(new).windows;
                (windows.master, windows.of_framework) = (Some(rank), true);
                return Some(windows);
            }
            Some(first) if first > rank => {
                let before = std::mem::replace(&mut self.windows, Windows::new(self.grace_ns));
                if before.of_framework {
                    self.further.insert(first, Instance::new(before, self.closed.take_iterations()));
                    self.technique.clear();
                }
            }
            _ => {}
        }
        self.windows.master = Some(rank);
        self.windows.of_framework |= of_framework;
        Some(&mut self.windows)
    }

    // By how much times of a host with this offset have to be moved to be on the master's clock, nanoseconds.
    fn ahead_of_master_ns(&self, offset_ns: i64, roster: &Roster) -> i64 {
        let master = self.windows.master.or(self.points.first_rank());
        let masters_ns = master.and_then(|master| roster.members.clock_offset_ns(master));
        offset_ns.wrapping_sub(masters_ns.unwrap_or(offset_ns))
    }

    /// Closes the windows that can be closed by now; everything that was ended, if `all`.
    pub(super) fn close(&mut self, now: u64, all: bool, roster: &Roster) -> Vec<Measured> {
        let mut closed = self.windows.close(now, all, self.points.wait_ns());
        if closed.iter().any(|closed| closed.window.own_loop) && now >= self.looks_for_idle_ns {
            self.looks_for_idle_ns = now + limits::IDLE_WORKERS_NS;
            let (workers, idle) = self.windows.workers();
            let all = self.windows.all_workers();
            let of_others = self.windows.master.map(|master| self.calls.workers_of_others(master, &all));
            let idle = self.windows.master.map(|master| self.calls.idle_workers(master, workers, idle));
            self.windows.set_idle_workers(idle.unwrap_or_default());
            self.windows.set_workers_of_others(of_others.unwrap_or_default());
        }
        let seen = (self.messages.ways(), roster.members.world_size());
        if self.one_way.1 != seen {
            self.one_way = (self.messages.go_one_way(seen.1), seen);
        }
        for Closed { window, task_s, .. } in &mut closed {
            if window.own_loop && self.one_way.0 {
                // What its stages compute are no chunks that a master could cut otherwise.
                window.forget_chunks();
                *task_s = 0.0;
            }
            if let Some(master) = self.windows.master {
                roster.members.locate(master, window);
            }
            window.points = self.points.take(window.iteration);
            // How much of the work is the master's depends on the cut-off depth, and must not look as if there were less to do.
            *task_s += window.serial_s();
        }
        self.calls.settle(now, all);
        // Where there is a master, its iterations are the job's.
        if self.windows.master.is_none() {
            closed.extend(self.points.close(now, all, roster.members.present(), self.grace_ns));
        }
        let held_up = if closed.is_empty() { 0.0 } else { self.calls.held_up() };
        for Closed { window, .. } in &mut closed {
            window.efficiency = self.calls.until(window.iteration);
            window.held_up = held_up;
        }
        let mut further = Vec::new();
        for (master, instance) in &mut self.further {
            for mut closed in instance.close(now, all) {
                roster.members.locate(*master, &mut closed.window);
                further.push(Measured::Further(Box::new(closed)));
            }
        }
        let streams = std::iter::from_fn(|| self.streams.take_closed()).map(Measured::Stream);
        let first = closed.into_iter().map(|closed| Measured::Iteration(Box::new(closed)));
        first.chain(further).chain(streams).collect()
    }

    /// Takes a closed window into the lists. False for one that no model may see: workers died in it, or no job can have it, which is
    /// counted and reported once.
    pub(super) fn accept(&mut self, ctx: &mut Ctx<'_>, measured: &Measured) -> bool {
        let (nonsense, per, number) = match measured {
            Measured::Iteration(closed) | Measured::Further(closed) => {
                (closed.window.nonsense(), Per::Iteration, closed.window.iteration)
            }
            Measured::Stream(window) => (window.nonsense(), Per::Output, window.number),
        };
        if let Some(what) = nonsense {
            self.refused += 1;
            if self.refused == 1 {
                tracing::warn!(job = %ctx.job, number, what, "a window made no sense");
                let window = per.window();
                let text =
                    format!("{window} {number} is left out: {what} cannot be right; others like it are only counted");
                ctx.life("window-refused", text, json!({"per": per, "iteration": number, "what": what}));
            }
            return false;
        }
        match measured {
            Measured::Iteration(closed) if !self.is_iteration(ctx, closed.window.iteration_s) => false,
            Measured::Iteration(closed) => {
                if self.technique.is_empty() && !closed.window.own_loop && closed.window.tasks > 0 {
                    self.technique = closed.window.setting.to_string();
                }
                self.closed.on_iteration(self.since_start_s(ctx.now), closed, !self.technique.is_empty());
                self.arrivals.add(ctx.now);
                self.shares = status::shares_of_iteration(&closed.window);
                note_iteration(ctx, closed, None);
                !closed.has_losses
            }
            Measured::Further(closed) => {
                let end_s = self.since_start_s(ctx.now);
                let instance = closed.window.master.and_then(|master| self.further.get_mut(&master));
                if let Some(instance) = instance {
                    instance.list(end_s, closed);
                }
                note_iteration(ctx, closed, closed.window.master);
                !closed.has_losses
            }
            Measured::Stream(window) => {
                self.list_stream(ctx, window);
                true
            }
        }
    }

    fn list_stream(&mut self, ctx: &mut Ctx<'_>, window: &StreamWindow) {
        self.outputs += window.outputs;
        self.closed.on_stream(self.since_start_s(ctx.now), window);
        self.shares = status::shares_of_stream(window);
        self.recent.push(window);
        if let Some(recent) = self.recent.merged() {
            self.stream_lines.stages = stages(&recent);
        }
        ctx.journal(json!({
            "event": "stream-window", "job": ctx.job.as_str(), "window": window.number, "outputs": window.outputs,
            "period_s": window.period_s(), "pattern": window.plan, "settled": window.settled, "on_way": window.on_way,
            "stages": self.stream_lines.stages,
        }));
        tracing::debug!(
            job = %ctx.job, window = window.number, period_s = window.period_s(), pattern = window.plan,
            settled = window.settled, "a window of a stream was closed",
        );
    }

    /// The rank took parameters of the loop scheduling over. Where there is a master, nobody else's count.
    pub(super) fn on_setting(
        &mut self,
        rank: u32,
        (iteration, time_ns): (u64, u64),
        at_once: bool,
        setting: TechniqueParameters,
    ) {
        if let Some(instance) = self.further.get_mut(&rank) {
            instance.windows.on_setting(iteration, time_ns, at_once, setting);
        } else if self.windows.master.is_none_or(|master| master == rank) {
            self.windows.on_setting(iteration, time_ns, at_once, setting);
            if !self.technique.is_empty() {
                self.technique = setting.to_string();
            }
        }
    }

    /// The masters, each with its newest window; the first comes first.
    pub(super) fn masters(&self) -> impl Iterator<Item = (u32, Option<&WindowLine>)> {
        let first = self.windows.master.map(|master| (master, self.closed.newest(Per::Iteration)));
        first.into_iter().chain(self.further.iter().map(|(master, instance)| (*master, instance.newest())))
    }

    /// Whether frameworks have several masters.
    pub(super) fn has_several_masters(&self) -> bool {
        !self.further.is_empty()
    }

    /// The instances of frameworks, where there are several.
    pub(super) fn instances(&self) -> Vec<InstanceLine> {
        let first = self.windows.master.filter(|_| self.has_several_masters());
        let first = first.map(|master| InstanceLine::new(master, &self.closed));
        let further = self.further.iter().map(|(master, instance)| InstanceLine::new(*master, &instance.closed));
        first.into_iter().chain(further).collect()
    }

    /// When the analyzer heard that this iteration has begun, if it is the newest and has not ended.
    pub(super) fn running_since(&self, iteration: u64) -> Option<u64> {
        match self.windows.master {
            Some(_) => self.windows.running_since(iteration),
            None => self.points.running_since(iteration),
        }
    }

    /// The rank that takes over what is decided from windows of this kind.
    pub(super) fn decides(&self, per: Per) -> Option<u32> {
        match per {
            Per::Output => self.streams.head,
            Per::Iteration => self.windows.master.or(self.points.first_rank()),
        }
    }

    /// The number of the iteration that a rank named at its time `time_ns`, or the newest one where it does not count iterations; `None` where there is
    /// none.
    pub(super) fn counted(&self, rank: u32, (own, time_ns): (u64, u64)) -> Option<u64> {
        let windows = self.further.get(&rank).map_or(&self.windows, |instance| &instance.windows);
        let number =
            |own| if windows.master == Some(rank) { windows.number_at(own, time_ns) } else { windows.number(own) };
        let counted = Some(own).filter(|own| *own < limits::ITERATION_END).map(number);
        counted.or_else(|| self.newest_iteration())
    }

    /// The newest iteration that has begun, or is known by points.
    pub(super) fn newest_iteration(&self) -> Option<u64> {
        self.windows.newest().or(self.points.newest())
    }

    /// The unit of the job's windows: outputs where it has streams.
    pub(super) fn per(&self) -> Per {
        if self.streams.any() { Per::Output } else { Per::Iteration }
    }

    fn since_start_s(&self, now: u64) -> f64 {
        now.saturating_sub(self.started_ns) as f64 / 1e9
    }

    /// The closed windows.
    pub(super) fn closed(&self) -> &ClosedWindows {
        &self.closed
    }

    /// What each rank did: in the newest window, or else outside MPI in the whole run.
    pub(super) fn shares(&self) -> BTreeMap<u32, Share> {
        let mut shares = self.shares.clone();
        self.further.values().for_each(|instance| shares.extend(instance.shares()));
        if !shares.is_empty() {
            return shares;
        }
        self.calls.pop().map(|pop| pop.ranks.iter().map(status::share_of_rank).collect()).unwrap_or_default()
    }

    /// The technique in force; `None` where the program distributes no tasks by midrun.
    pub(super) fn technique(&self) -> Option<&str> {
        Some(self.technique.as_str()).filter(|technique| !technique.is_empty())
    }

    /// Stages in the last windows with one pattern.
    pub(super) fn stages(&self) -> &[StageLine] {
        &self.stream_lines.stages
    }

    /// The pattern of the stream.
    pub(super) fn pattern(&self) -> Option<&str> {
        self.streams.plan()
    }

    /// Efficiencies of the whole run.
    pub(super) fn efficiency(&self) -> Option<Efficiency> {
        self.calls.pop().map(|pop| pop.efficiency)
    }

    /// Whether the program hands data from rank to rank, and uses no framework for that.
    pub(super) fn is_pipeline_by_hand(&self) -> bool {
        self.one_way.0 && self.technique.is_empty() && !self.streams.any()
    }

    /// Iterations measured.
    pub(super) fn iterations(&self) -> u64 {
        self.closed.iterations()
    }

    /// Time of the newest iteration, and between two outputs of the newest window, seconds.
    pub(super) fn newest_s(&self) -> (Option<f64>, Option<f64>) {
        let newest = |per| self.closed.newest(per).map(|line| line.time_s);
        (newest(Per::Iteration), newest(Per::Output))
    }

    /// Outputs of streams; `None` where the job has none.
    pub(super) fn outputs(&self) -> Option<u64> {
        self.streams.any().then_some(self.outputs)
    }

    /// The summary so far as it is measured. `declared` is the text of points, `report` the tunlets'.
    pub(super) fn summary(&self, declared: &str, report: &Report) -> Summary {
        let mut summary = Summary {
            technique: self.technique.clone(),
            policy: self.technique.clone(),
            stream: self.streams.any().then(|| self.stream_lines(report)),
            mpi_calls: self.calls.lines(),
            call_period: self.period.last().cloned(),
            teams: teams::teams(&self.calls.members()),
            messages_go_one_way: self.is_pipeline_by_hand(),
            pop: self.calls.pop(),
            points: self.points.lines(declared),
            links: self.windows.links.clone().list().map(Into::into).collect(),
            lost_workers: self.lost_workers,
            redone_tasks: self.redone_tasks,
            instances: self.instances(),
            skipped_iterations: self.all_windows().map(|windows| windows.skipped).sum(),
            late_tasks: self.all_windows().map(|windows| windows.late_tasks).fold(0, u64::saturating_add),
            events_dropped: self.events_dropped(),
            ..Summary::default()
        };
        summary.list(&self.closed);
        summary
    }

    fn stream_lines(&self, report: &Report) -> StreamLines {
        let listed = self.closed.listed(Per::Output);
        StreamLines {
            period_s: listed.iter().map(|line| line.time_s).collect(),
            window_end_s: listed.iter().map(|line| line.end_s).collect(),
            window_outputs: listed.iter().filter_map(|line| line.outputs).collect(),
            window_settled: listed.iter().filter_map(|line| line.settled).collect(),
            ideal_period_s: report.ideal_period_s.filter(|s| s.is_finite()),
            farm: report.farm.clone().filter(|(_, s)| s.is_finite()),
            over_start: report.over_start.filter(|of| of.start_period_s.is_finite()),
            ..self.stream_lines.clone()
        }
    }

    fn all_windows(&self) -> impl Iterator<Item = &Windows> {
        std::iter::once(&self.windows).chain(self.further.values().map(|instance| &instance.windows))
    }

    /// Events and windows that made no sense.
    pub(super) fn events_dropped(&self) -> u64 {
        let counts = [self.invalid, self.streams.invalid, self.refused];
        counts.into_iter().chain(self.all_windows().map(|windows| windows.invalid)).fold(0, u64::saturating_add)
    }
}

/// Writes a closed iteration to journal and log; `master` of several, but the first.
fn note_iteration(ctx: &mut Ctx<'_>, closed: &Closed, master: Option<u32>) {
    let window = &closed.window;
    let technique = window.setting.to_string();
    let mut line = json!({
        "event": "window", "job": ctx.job.as_str(), "iteration": window.iteration, "tasks": window.tasks,
        "workers": window.workers, "iteration_s": window.iteration_s, "ideal_s": closed.ideal_s(),
        "chunks": window.chunks, "technique": technique, "policy": technique, "coverage": window.coverage,
    });
    if let Some(master) = master {
        line["master"] = master.into();
    }
    ctx.journal(line);
    tracing::debug!(
        job = %ctx.job, master, iteration = window.iteration, iteration_s = window.iteration_s,
        ideal_s = closed.ideal_s(), coverage = window.coverage, "a window was closed",
    );
}

fn stages(window: &StreamWindow) -> Vec<StageLine> {
    let line = |(stage, seen): (&midrun_tunlets::StageWindow, pipeline::StageTimes)| StageLine {
        name: stage.name.clone(),
        compute_s: seen.compute_s.and_then(finite),
        tr_s: seen.tr_s.and_then(finite),
        rtr_s: seen.rtr_s.and_then(finite),
        replicas: seen.replicas,
    };
    window.stages.iter().zip(pipeline::stage_times(window)).map(line).collect()
}
