//! The head's part: draws inputs, delivers outputs in order, and decides from which input on a new pattern holds.

use super::compute::failure;
use super::config::{END, Stats};
use super::message::{HEADER_BYTES, Header, Item, Kind, Out};
use super::pattern::{Pattern, Placer};
use super::rank::Rank;
use super::windows::Windows;
use crate::mpi::MpiFailed;
use crate::{clock, records, safe_point, status, stderr};
use midrun_ring::topic;
use midrun_scheduling::plan::Plan;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_int;

/// Inputs on their way for each rank that computes, and besides: one computed, one waiting, one finished, and some for the
/// order to be restored with.
const PER_RANK: usize = 4;
/// No input is drawn while those on their way had so many bytes when they were drawn.
const IN_FLIGHT_BYTES: usize = 256 << 20;

/// What is decided about patterns. The program's callbacks may ask for another plan while a run goes on.
#[derive(Debug)]
pub struct Control {
    /// The plan that inputs drawn now go by.
    pub plan: Plan,
    /// The plan that the next input shall go by.
    pub wanted: Option<Plan>,
    /// Where the stages are.
    pub placer: Placer,
}

impl Control {
    /// The plan of this text, which can be placed.
    ///
    /// # Errors
    /// A part of a sentence that says why not.
    pub fn placed(&self, text: &str) -> Result<Plan, String> {
        let plan = Plan::parse(text, self.placer.stateful())?;
        self.placer.place(&plan)?;
        Ok(plan)
    }
}

/// What is kept between two runs.
#[derive(Debug, Default)]
pub struct Past {
    /// Number of the next pattern.
    epoch: u32,
    /// Number of the next input.
    input: u64,
}

/// One run.
pub struct Head<'a> {
    rank: &'a mut Rank,
    control: &'a RefCell<Control>,
    past: &'a mut Past,
    base: u64,
    ended: bool,
    /// Inputs on their way: their pattern and size.
    on_way: BTreeMap<u64, (u32, usize)>,
    bytes_on_way: usize,
    /// Outputs that came before their turn.
    early: BTreeMap<u64, Item>,
    next: u64,
    windows: Windows,
    stats: Stats,
    status: c_int,
}

/// Runs the source dry. Returns the status that every rank returns, and the figures.
pub fn run(rank: &mut Rank, control: &RefCell<Control>, past: &mut Past) -> Result<(c_int, Stats), MpiFailed> {
    let begin_ns = clock::now_ns();
    rank.begin()?;
    let base = past.input;
    let stats = Stats { struct_size: size_of::<Stats>(), failed_stage: -1, ..Stats::default() };
    let (on_way, early) = (BTreeMap::new(), BTreeMap::new());
    let (windows, status) = (Windows::default(), status::OK);
    records::stream_begin(begin_ns, rank.config.stages.len(), control.borrow().placer.ranks(), base);
    for (number, stage) in (0..).zip(&rank.config.stages) {
        records::text(begin_ns, topic::STAGE, number, u64::from(stage.stateful), &stage.name);
    }
    let (next, ended, bytes_on_way) = (base, false, 0);
    let mut head = Head { rank, control, past, base, ended, on_way, bytes_on_way, early, next, windows, stats, status };
    head.announce()?;
    head.stream()?;
    let Head { rank, status, mut stats, .. } = head;
    let mut message = Vec::new();
    Header { status, ..Header::new(Kind::End) }.patch(&mut message);
    rank.announce(&message)?;
    rank.settle()?;
    stats.seconds = clock::now_ns().saturating_sub(begin_ns) as f64 * 1e-9;
    Ok((status, stats))
}

impl Head<'_> {
    /// Until the source is dry and everything has come back.
    fn stream(&mut self) -> Result<(), MpiFailed> {
        loop {
            self.rank.absorb()?;
            self.deliver()?;
            let drawn = self.draw()?;
            if self.ended && self.on_way.is_empty() {
                return Ok(());
            }
            if !self.rank.step()? && !drawn && self.rank.arrived.is_empty() {
                self.rank.idle()?;
            }
        }
    }

    /// From the next input on the plan that is wanted, or at first the plan there is, holds.
    fn announce(&mut self) -> Result<(), MpiFailed> {
        let control = &mut *self.control.borrow_mut();
        let wanted = control.wanted.take();
        let plan = wanted.unwrap_or_else(|| control.plan.clone());
        // Whoever asked has placed it already, and nothing has moved since.
        let routes = control.placer.place(&plan).map_err(|_| MpiFailed)?;
        control.placer.remember(&routes);
        control.plan = plan;
        let (plan, input) = (control.plan.to_string(), self.past.input - self.base);
        records::text(clock::now_ns(), topic::PATTERN, self.past.epoch, input, &plan);
        let oldest = self.on_way.values().next().map_or(self.past.epoch, |(epoch, _)| *epoch);
        let pattern = Pattern { epoch: self.past.epoch, oldest, base: self.base, first: self.past.input, routes };
        self.past.epoch += 1;
        self.stats.changes += u64::from(self.past.input != self.base);
        self.rank.announce(&pattern.to_message())?;
        self.rank.adopt(pattern)
    }

    /// Whether one more input may be on its way.
    fn has_room(&self) -> bool {
        let most = match self.rank.config.in_flight {
            0 => PER_RANK * (self.control.borrow().plan.ranks() + 1),
            asked => asked,
        };
        let bytes = self.bytes_on_way < IN_FLIGHT_BYTES || self.on_way.is_empty();
        !self.ended && self.on_way.len() < most && bytes && !self.rank.waits_for_credit()
    }

    /// Draws one input if it may; `false` when not.
    fn draw(&mut self) -> Result<bool, MpiFailed> {
        if !self.has_room() {
            return Ok(false);
        }
        let input = self.past.input;
        safe_point::poll(input - self.base, true);
        if self.control.borrow().wanted.is_some() {
            self.announce()?;
        }
        let mut out = Out::new(self.rank.post.buffer());
        out.allow(1);
        let begin_ns = clock::now_ns();
        let returned = self.rank.config.draw(input - self.base, &mut out);
        self.windows.head(clock::now_ns().saturating_sub(begin_ns));
        match returned {
            END => {
                self.ended = true;
                return Ok(false);
            }
            0 if out.count() == 1 && out.refused.is_none() => {}
            returned => {
                let what =
                    if returned == 0 { "did not emit one output".into() } else { format!("returned {returned}") };
                self.fail(&format!("the source {what} for input {}", input - self.base), -1, returned, input)?;
                return Ok(false);
            }
        }
        let header = Header { input, epoch: self.past.epoch - 1, ..Header::new(Kind::Item) };
        let item = out.finish(&header);
        let bytes = item.len() - HEADER_BYTES;
        self.past.input += 1;
        self.on_way.insert(input, (header.epoch, bytes));
        self.bytes_on_way += bytes;
        self.stats.inputs += 1;
        self.rank.pass_on(item)?;
        Ok(true)
    }

    /// Gives the sink what has come back and has its turn.
    fn deliver(&mut self) -> Result<(), MpiFailed> {
        while let Some(item) = self.rank.arrived.pop_front() {
            let Header { input, status, stage, bytes, .. } = item.header;
            if !self.on_way.contains_key(&input) || self.early.contains_key(&input) {
                return Err(MpiFailed); // lost its way: a defect of ours
            }
            if status != status::OK && self.status == status::OK {
                let what = match bytes {
                    failure::MEMORY => "ran out of memory".to_owned(),
                    failure::OUTPUTS => "emitted another number of outputs than one".to_owned(),
                    _ => format!("returned {status}"),
                };
                let called = self.rank.config.called(stage as usize);
                let sentence = format!("{called} {what} for input {}", input - self.base);
                self.fail(&sentence, stage.cast_signed(), status, input)?;
            }
            if self.status != status::OK || self.rank.config.unordered {
                self.sink(item)?;
            } else {
                self.early.insert(input, item);
            }
            while let Some(item) = self.early.remove(&self.next) {
                self.sink(item)?;
                self.next += 1;
            }
        }
        Ok(())
    }

    /// One item is there for good.
    fn sink(&mut self, item: Item) -> Result<(), MpiFailed> {
        let Header { input, epoch, .. } = item.header;
        if let Some((_, bytes)) = self.on_way.remove(&input) {
            self.bytes_on_way -= bytes;
        }
        let begin_ns = clock::now_ns();
        for payload in item.payloads() {
            if self.status != status::OK {
                break;
            }
            self.stats.outputs += 1;
            let returned = self.rank.config.deliver(input - self.base, payload);
            if returned != 0 {
                self.fail(
                    &format!("the sink returned {returned} for input {}", input - self.base),
                    -1,
                    returned,
                    input,
                )?;
            }
        }
        let end_ns = clock::now_ns();
        self.windows.head(end_ns.saturating_sub(begin_ns));
        let ranks = self.control.borrow().plan.ranks();
        self.windows.output(end_ns, epoch, ranks, (self.on_way.len(), self.early.len()));
        let (_, buffer) = item.emptied(status::OK);
        self.rank.recycle(buffer);
        Ok(())
    }

    /// A function of the program failed: draws nothing more, delivers nothing more, and lets everything come back.
    fn fail(&mut self, what: &str, stage: i32, returned: c_int, input: u64) -> Result<(), MpiFailed> {
        if self.status != status::OK {
            return Ok(());
        }
        stderr::warn(format_args!("{what}; the stream stops"));
        self.status = status::ERR_TASK;
        self.ended = true;
        (self.stats.failed_stage, self.stats.failed_status) = (stage, returned);
        self.stats.failed_input = input - self.base;
        for input in std::mem::take(&mut self.early).into_keys() {
            self.on_way.remove(&input);
        }
        let mut message = Vec::new();
        Header::new(Kind::Stop).patch(&mut message);
        self.rank.announce(&message)?;
        self.rank.stop()
    }
}
