//! The head, rank 0: draws inputs, delivers outputs in order, and decides from which input on a new pattern applies.

use super::config::{END, Stats};
use super::message::{HEADER_BYTES, Header, Item, Kind, Out, failure};
use super::pattern::{Pattern, Placer};
use super::rank::Rank;
use super::windows::Windows;
use crate::frameworks::growth::Growth;
use crate::frameworks::synchronous;
use crate::mpi::MpiFailed;
use crate::{clock, records, safe_point, status, stderr};
use midrun_ring::topic;
use midrun_scheduling::plan::Plan;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_int;

/// Inputs in flight for each computing rank and for the head: one being computed, one waiting, one finished, and one to
/// restore the order with.
const PER_RANK: usize = 4;
/// No input is drawn while the inputs in flight had this many bytes in total when they were drawn.
const IN_FLIGHT_BYTES: usize = 256 << 20;

/// The plan of the pipeline, and how it sends. The program's callbacks may request another one during a run.
#[derive(Debug)]
pub struct Control {
    /// The plan of inputs drawn now.
    pub plan: Plan,
    /// The plan requested for the next input.
    pub requested: Option<Plan>,
    /// Items of inputs drawn now are handed over synchronously.
    pub synchronous: bool,
    /// The placement of stages on ranks.
    pub placer: Placer,
}

impl Control {
    /// Returns whether something is requested that does not hold yet.
    pub fn is_changed(&self) -> bool {
        self.requested.is_some() || synchronous::of_pipelines() != self.synchronous
    }

    /// Parses a plan and checks that it can be placed.
    ///
    /// # Errors
    /// The reason, as part of a sentence.
    pub fn parse(&self, text: &str) -> Result<Plan, String> {
        let plan = Plan::parse(text, self.placer.stateful())?;
        self.placer.place(&plan)?;
        Ok(plan)
    }
}

/// Counters that continue from run to run.
#[derive(Debug, Default)]
pub struct Counters {
    /// Number of the next pattern.
    epoch: u32,
    /// Number of the next input.
    input: u64,
    windows: Windows,
    /// When the pipeline was created: tells it from others of the program.
    created_ns: u64,
}

impl Counters {
    /// Of a pipeline that is created now.
    pub fn new() -> Counters {
        Counters { created_ns: clock::now_ns(), ..Counters::default() }
    }
}

/// One run.
pub struct Head<'a> {
    rank: &'a mut Rank,
    growth: &'a mut Option<Growth>,
    begin_ns: u64,
    control: &'a RefCell<Control>,
    counters: &'a mut Counters,
    base: u64,
    ended: bool,
    /// Inputs in flight, with their pattern and size.
    in_flight: BTreeMap<u64, (u32, usize)>,
    bytes_in_flight: usize,
    /// Outputs that arrived before their turn.
    early: BTreeMap<u64, Item>,
    next: u64,
    held: Held,
    stats: Stats,
    status: c_int,
}

/// Outputs that the pattern before held up: in a stream in order they wait for its last ones, and then come in a burst.
#[derive(Debug, Default)]
struct Held {
    /// The newest pattern of which an output was delivered in this run, and the one before.
    newest: Option<u32>,
    former: u32,
    /// Inputs from this one on were drawn after the last output of the former pattern.
    free: u64,
}

impl Held {
    /// The pattern that the time of an output goes by: the former one, where it was held up. The next input to be drawn is `drawn`.
    fn epoch(&mut self, (input, epoch): (u64, u32), drawn: u64) -> u32 {
        if let Some(newest) = self.newest.filter(|newest| *newest < epoch) {
            (self.former, self.free) = (newest, drawn);
        }
        self.newest = self.newest.max(Some(epoch));
        if input < self.free { epoch.min(self.former) } else { epoch }
    }
}

/// Runs the stream until the source ends. Returns the status that every rank returns, and statistics.
pub fn run(
    (rank, growth): (&mut Rank, &mut Option<Growth>),
    control: &RefCell<Control>,
    counters: &mut Counters,
) -> Result<(c_int, Stats), MpiFailed> {
    let begin_ns = clock::now_ns();
    rank.begin()?;
    let base = counters.input;
    let stats = Stats { struct_size: size_of::<Stats>(), failed_stage: -1, ..Stats::default() };
    let (in_flight, early) = (BTreeMap::new(), BTreeMap::new());
    let status = status::OK;
    let (next, ended, bytes_in_flight) = (base, false, 0);
    let mut head = Head {
        rank,
        growth,
        begin_ns,
        control,
        counters,
        base,
        ended,
        in_flight,
        bytes_in_flight,
        early,
        next,
        held: Held::default(),
        stats,
        status,
    };
    head.describe();
    for (number, stage) in (0..).zip(&head.rank.config.stages) {
        let says = u64::from(stage.stateful) | u64::from(stage.is_team()) << 1;
        records::text(begin_ns, topic::STAGE, number, says, &stage.name);
    }
    head.announce()?;
    let streamed = head.stream();
    head.counters.windows.pause();
    streamed?;
    let Head { rank, status, mut stats, .. } = head;
    let mut message = Vec::new();
    Header { status, ..Header::new(Kind::End) }.patch(&mut message);
    rank.announce(&message)?;
    rank.settle()?;
    stats.seconds = clock::now_ns().saturating_sub(begin_ns) as f64 * 1e-9;
    Ok((status, stats))
}

impl Head<'_> {
    /// Draws and delivers until the source has ended and all outputs are back.
    fn stream(&mut self) -> Result<(), MpiFailed> {
        loop {
            self.rank.absorb()?;
            self.deliver()?;
            let drawn = self.draw()?;
            if self.ended && self.in_flight.is_empty() {
                return Ok(());
            }
            if !self.rank.step()? && !drawn && self.rank.arrived.is_empty() {
                self.rank.idle()?;
            }
        }
    }

    /// Records the stream. With the same begin it is the same stream, with other ranks.
    fn describe(&self) {
        let (stages, ranks) = (self.rank.config.stages.len(), self.control.borrow().placer.ranks());
        records::stream_begin(self.begin_ns, (stages, ranks), self.base, self.counters.created_ns);
    }

    /// Lets started processes join, as ranks that compute from a pattern on that names them.
    fn grow(&mut self) -> Result<(), MpiFailed> {
        let Some(growth) = self.growth else { return Ok(()) };
        let before = growth.there();
        growth.step(|child| {
            let number = self.rank.take_in(child)?;
            self.control.borrow_mut().placer.grow(number);
            Ok(())
        })?;
        if growth.there() > before {
            self.describe();
        }
        Ok(())
    }

    /// Announces what is requested (or at the start what is current) for the next input and all later ones.
    fn announce(&mut self) -> Result<(), MpiFailed> {
        let control = &mut *self.control.borrow_mut();
        let requested = control.requested.take();
        let plan = requested.unwrap_or_else(|| control.plan.clone());
        // It was placed when it was requested, and no stage has moved since.
        let routes = control.placer.place(&plan).map_err(|_| MpiFailed)?;
        control.placer.remember(&routes);
        control.plan = plan;
        control.synchronous = synchronous::of_pipelines();
        let synchronous = control.synchronous;
        let (plan, input) = (control.plan.to_string(), self.counters.input - self.base);
        records::text(clock::now_ns(), topic::PATTERN, self.counters.epoch, input, &plan);
        let oldest = self.in_flight.values().next().map_or(self.counters.epoch, |(epoch, _)| *epoch);
        let pattern = Pattern {
            epoch: self.counters.epoch,
            oldest,
            base: self.base,
            first: self.counters.input,
            routes,
            synchronous,
            ranks: self.rank.endpoint.ranks(),
        };
        self.counters.epoch += 1;
        self.stats.changes += u64::from(self.counters.input != self.base);
        self.rank.announce(&pattern.to_message())?;
        self.rank.adopt(pattern)
    }

    /// Returns whether one more input may be drawn.
    fn has_room(&self) -> bool {
        let most = match self.rank.config.in_flight {
            0 => PER_RANK * (self.control.borrow().plan.ranks() + 1),
            asked => asked,
        };
        let bytes = self.bytes_in_flight < IN_FLIGHT_BYTES || self.in_flight.is_empty();
        !self.ended && self.in_flight.len() < most && bytes && !self.rank.waits_for_credit()
    }

    /// Draws one input; `false` if there is no room or no more input.
    fn draw(&mut self) -> Result<bool, MpiFailed> {
        if !self.has_room() {
            return Ok(false);
        }
        let input = self.counters.input;
        safe_point::poll(input - self.base, true);
        self.grow()?;
        if self.control.borrow().is_changed() {
            self.announce()?;
        }
        let mut out = Out::new(self.rank.endpoint.buffer());
        out.allow(1);
        let begin_ns = clock::now_ns();
        let returned = self.rank.config.draw(input - self.base, &mut out);
        self.counters.windows.head(clock::now_ns().saturating_sub(begin_ns));
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
        let header = Header { input, epoch: self.counters.epoch - 1, ..Header::new(Kind::Item) };
        let item = out.finish(&header);
        let bytes = item.len() - HEADER_BYTES;
        self.counters.input += 1;
        self.in_flight.insert(input, (header.epoch, bytes));
        self.bytes_in_flight += bytes;
        self.stats.inputs += 1;
        self.rank.pass_on(item)?;
        Ok(true)
    }

    /// Gives outputs that came back to the sink, in order.
    fn deliver(&mut self) -> Result<(), MpiFailed> {
        while let Some(item) = self.rank.arrived.pop_front() {
            let Header { input, status, stage, bytes, .. } = item.header;
            if !self.in_flight.contains_key(&input) || self.early.contains_key(&input) {
                return Err(MpiFailed); // a defect of midrun
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

    /// Ends an input: calls the sink with its outputs.
    fn sink(&mut self, item: Item) -> Result<(), MpiFailed> {
        let Header { input, epoch, .. } = item.header;
        if let Some((_, bytes)) = self.in_flight.remove(&input) {
            self.bytes_in_flight -= bytes;
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
        self.counters.windows.head(end_ns.saturating_sub(begin_ns));
        let ranks = self.control.borrow().plan.ranks();
        let epoch = self.held.epoch((input, epoch), self.counters.input);
        // What is called back after a failure comes at once, and tells no pace.
        if self.status == status::OK {
            self.counters.windows.output(end_ns, epoch, ranks, (self.in_flight.len(), self.early.len()));
        }
        let (_, buffer) = item.emptied(status::OK);
        self.rank.recycle(buffer);
        Ok(())
    }

    /// A function of the program failed: prints why, stops drawing and delivering, and calls all items back.
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
            self.in_flight.remove(&input);
        }
        let mut message = Vec::new();
        Header::new(Kind::Stop).patch(&mut message);
        self.rank.announce(&message)?;
        self.rank.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_that_the_pattern_before_held_up_are_of_both_until_an_input_that_was_drawn_later() {
        let mut held = Held::default();
        assert_eq!([held.epoch((0, 3), 5), held.epoch((1, 3), 6)], [3, 3], "the first of a run was held up by none");
        // Inputs from 2 on go by pattern 4; when the first of their outputs comes, those up to 8 were drawn.
        assert_eq!([held.epoch((2, 4), 9), held.epoch((8, 4), 14)], [3, 3]);
        assert_eq!([held.epoch((9, 4), 15), held.epoch((14, 4), 20)], [4, 4]);
        // Unordered: one of the former pattern comes late.
        assert_eq!([held.epoch((7, 3), 21), held.epoch((15, 4), 21)], [3, 4]);
        assert_eq!([held.epoch((20, 5), 30), held.epoch((30, 6), 31), held.epoch((31, 6), 32)], [4, 5, 6]);
    }
}
