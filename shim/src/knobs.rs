//! The tuning points of this rank: what they are called, which values they take, and how they are set.

use crate::frameworks::pipeline;
use crate::{points, process};
use midrun_handout::{PolicyKind, Setting};
use midrun_ring::layout::COMMAND_TEXT;
use midrun_ring::{KnobKind, KnobSlot};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a knob's value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The Master/Worker hand-out.
    Policy,
    /// Its share.
    Factor,
    /// Mean time of a task, seconds.
    TaskMean,
    /// Standard deviation of the time of a task, seconds.
    TaskSigma,
    /// Lower bound of a chunk.
    MinChunk,
    /// Workers that take part.
    Workers,
    /// Processes started as further workers.
    Spawned,
    /// Pattern of the pipeline, a text.
    Pattern,
    /// A double of the program, by address.
    Double(usize),
    /// An int of the program, by address.
    Int(usize),
    /// What is measured and may be turned, a text.
    Points,
    /// Something that a line of the points declared, by its number.
    Point(u32),
    /// Nothing any more.
    Gone,
}

/// One knob of this rank. Its index in [`Knobs::list`] is its number in the segment's table.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// Where its value goes.
    pub target: Target,
    /// Smallest and largest value.
    pub range: (f64, f64),
}

/// All knobs, and the hand-out's setting that the first five describe.
#[derive(Debug)]
pub struct Knobs {
    /// In the order of the segment's table.
    pub list: Vec<Knob>,
    names: Vec<(String, KnobKind)>,
    setting: Setting,
    workers: u32,
    spawned: u32,
    hand_out_declared: bool,
    workers_declared: bool,
    pattern_declared: bool,
}

static KNOBS: Mutex<Knobs> = Mutex::new(Knobs {
    list: Vec::new(),
    names: Vec::new(),
    setting: Setting::FALLBACK,
    workers: 0,
    spawned: 0,
    hand_out_declared: false,
    workers_declared: false,
    pattern_declared: false,
});
/// Grows with each change of the setting, so that the master sees a change by one load.
static EPOCH: AtomicU64 = AtomicU64::new(0);

/// Why an assignment cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No such knob.
    Unknown,
    /// The value is outside the knob's range.
    Range,
}

/// Runs `body` on the knobs. Contention only happens when a program registers variables from several threads.
pub fn with<T>(body: impl FnOnce(&mut Knobs) -> T) -> T {
    // What is called meanwhile and hooked must not come back here.
    points::unseen(|| body(&mut KNOBS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
}

/// Declares the hand-out's knobs with `initial` as their values; a second call only sets the values.
pub fn declare_master_worker(initial: Setting) {
    let count = PolicyKind::ALL.len() as f64 - 1.0;
    with(|knobs| {
        knobs.setting = initial;
        EPOCH.fetch_add(1, Ordering::Relaxed);
        if std::mem::replace(&mut knobs.hand_out_declared, true) {
            return;
        }
        let all = [
            ("mw.policy", Target::Policy, true, (0.0, count)),
            ("mw.factor", Target::Factor, false, (0.0, 1.0)),
            ("mw.task_mean_s", Target::TaskMean, false, (0.0, 1e9)),
            ("mw.task_sigma_s", Target::TaskSigma, false, (0.0, 1e9)),
            ("mw.min_chunk", Target::MinChunk, true, (1.0, 1e9)),
        ];
        for (name, target, whole, range) in all {
            let value = knobs.value(target);
            let kind = if whole { KnobKind::Whole } else { KnobKind::Real };
            knobs.declare(name, kind, Knob { target, range }, value);
        }
    });
}

/// Declares how many workers take part, of at most `most`; a second call only sets the value.
pub fn declare_workers(initial: u32, most: u32) {
    with(|knobs| {
        knobs.workers = initial;
        if !std::mem::replace(&mut knobs.workers_declared, true) {
            let knob = Knob { target: Target::Workers, range: (1.0, f64::from(most)) };
            knobs.declare("mw.workers", KnobKind::Whole, knob, f64::from(initial));
        }
    });
}

/// Declares that up to `most` processes can be started as further workers.
pub fn declare_spawned(most: u32) {
    with(|knobs| {
        let knob = Knob { target: Target::Spawned, range: (0.0, f64::from(most)) };
        knobs.declare("mw.spawned", KnobKind::Whole, knob, 0.0)
    });
}

/// Declares the pattern of the pipeline; a second call does nothing.
pub fn declare_pattern() {
    with(|knobs| {
        if !std::mem::replace(&mut knobs.pattern_declared, true) {
            let knob = Knob { target: Target::Pattern, range: (0.0, COMMAND_TEXT as f64) };
            knobs.declare("pipe.pattern", KnobKind::Text, knob, 0.0);
        }
    });
}

/// `workers` are there now; of `most` processes that can be started, `came` have come, and there is no way back.
pub fn grow(workers: u32, (came, most): (u32, u32)) {
    with(|knobs| {
        knobs.spawned = knobs.spawned.clamp(came, most);
        knobs.set_range(Target::Spawned, (f64::from(came), f64::from(most)));
        knobs.set_range(Target::Workers, (1.0, f64::from(workers)));
    });
}

/// How many processes are to be there as further workers.
pub fn spawned() -> u32 {
    with(|knobs| knobs.spawned)
}

/// How many workers are to take part.
pub fn workers() -> usize {
    with(|knobs| knobs.workers as usize)
}

/// The hand-out's setting now, and its epoch.
pub fn master_worker_setting() -> (Setting, u64) {
    with(|knobs| (knobs.setting, epoch()))
}

/// Changes whenever the setting does; one load.
#[inline]
pub fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}

impl Knobs {
    /// Enters a knob here and in the segment's table; `false` when the table is full or the name too long.
    pub fn declare(&mut self, name: &str, kind: KnobKind, knob: Knob, value: f64) -> bool {
        let (minimum, maximum) = knob.range;
        let slot = KnobSlot { name: name.into(), kind, minimum, maximum, declared: value, value };
        match process::segment().map(|segment| segment.declare_knob(&slot)) {
            Some(None) => false,
            // Without an agent a knob is never turned, but the program need not know.
            _ => {
                self.list.push(knob);
                self.names.push((name.into(), kind));
                true
            }
        }
    }

    /// As [`Knobs::declare`]; a knob of that name and kind that is gone is there again.
    pub fn declare_again(&mut self, name: &str, kind: KnobKind, knob: Knob, value: f64) -> bool {
        let same = |(known, of): &(String, KnobKind)| known == name && *of == kind;
        let gone = |number: &usize| self.list.get(*number).is_some_and(|knob| knob.target == Target::Gone);
        let Some(number) = self.names.iter().position(same).filter(gone) else {
            // A name stands for one knob: another of the same name is refused.
            return !self.names.iter().any(|(known, _)| known == name) && self.declare(name, kind, knob, value);
        };
        self.list[number] = knob;
        if let Some(segment) = process::segment() {
            segment.set_knob_value(number as u32, value);
            segment.set_knob_range(number as u32, knob.range);
        }
        true
    }

    /// The knob of that name is gone.
    pub fn forget(&mut self, name: &str) {
        let own = |(k, (known, _)): (usize, &(String, KnobKind))| {
            (known == name && matches!(self.list.get(k)?.target, Target::Point(_))).then_some(k)
        };
        if let Some(number) = self.names.iter().enumerate().find_map(own) {
            self.list[number].target = Target::Gone;
        }
    }

    /// Writes the value of the knob of `target` for the agent to see.
    pub fn tell_value(&self, target: Target) {
        let number = self.list.iter().position(|knob| knob.target == target);
        if let (Some(number), Some(segment)) = (number, process::segment()) {
            segment.set_knob_value(number as u32, self.value(target));
        }
    }

    /// Gives the knob of `target` another range, here and in the segment's table.
    fn set_range(&mut self, target: Target, range: (f64, f64)) {
        let Some(number) = self.list.iter().position(|knob| knob.target == target) else { return };
        self.list[number].range = range;
        if let Some(segment) = process::segment() {
            segment.set_knob_value(number as u32, self.value(target));
            segment.set_knob_range(number as u32, range);
        }
    }

    /// Whether `value`, or `text` where it takes texts, may go to knob `number`.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, number: u32, value: f64, text: &str) -> Result<(), Refusal> {
        let knob = self.list.get(number as usize).ok_or(Refusal::Unknown)?;
        let (minimum, maximum) = knob.range;
        if knob.target == Target::Gone {
            return Err(Refusal::Unknown);
        }
        let takes = || match knob.target {
            Target::Pattern => pipeline::can_take(text),
            Target::Points => points::can_take(text),
            Target::Point(id) => points::can_set(id, value, text),
            _ => true,
        };
        let good = (minimum..=maximum).contains(&value) && takes();
        if good { Ok(()) } else { Err(Refusal::Range) }
    }

    /// The function at whose entry or exit knob `number` is set; `None`: at any safe point.
    pub fn place(&self, number: u32) -> Option<points::Place> {
        match self.list.get(number as usize)?.target {
            Target::Point(id) => points::place(id),
            _ => None,
        }
    }

    /// Whether knob `number` is a variable of the program.
    pub fn is_variable(&self, number: u32) -> bool {
        let target = self.list.get(number as usize).map(|knob| knob.target);
        matches!(target, Some(Target::Double(_) | Target::Int(_)))
    }

    /// Sets knob `number`, for which [`Knobs::check`] has accepted the value.
    pub fn set(&mut self, number: u32, value: f64, text: &str) {
        let Some(knob) = self.list.get(number as usize) else { return };
        let s = &mut self.setting;
        match knob.target {
            Target::Policy => s.kind = PolicyKind::from_code(value.round() as u32).unwrap_or(s.kind),
            Target::Factor => s.factor = value,
            Target::TaskMean => s.mean_s = value,
            Target::TaskSigma => s.sigma_s = value,
            Target::MinChunk => s.min_chunk = value.round() as u64,
            Target::Workers => self.workers = value.round() as u32,
            Target::Spawned => self.spawned = value.round() as u32,
            Target::Pattern => pipeline::take(text),
            Target::Points => points::take(self, text),
            Target::Point(id) => points::set(id, value, text),
            Target::Gone => {}
            // SAFETY: midrun_expose_* was given the address of a variable that lives as long as the program, and
            // this runs in the thread that exposed it (see safe_point).
            Target::Double(address) => unsafe { (address as *mut f64).write_volatile(value) },
            // SAFETY: as above.
            Target::Int(address) => unsafe {
                (address as *mut libc::c_int).write_volatile(value.round() as libc::c_int)
            },
        }
        EPOCH.fetch_add(1, Ordering::Relaxed);
        if let Some(segment) = process::segment() {
            segment.set_knob_value(number, self.value(self.list[number as usize].target));
        }
    }

    /// The value of a target now.
    pub fn value(&self, target: Target) -> f64 {
        let s = &self.setting;
        match target {
            Target::Policy => f64::from(s.kind.code()),
            Target::Factor => s.factor,
            Target::TaskMean => s.mean_s,
            Target::TaskSigma => s.sigma_s,
            Target::MinChunk => s.min_chunk as f64,
            Target::Workers => f64::from(self.workers),
            Target::Spawned => f64::from(self.spawned),
            Target::Pattern | Target::Points | Target::Gone => 0.0,
            Target::Point(id) => points::value(id),
            // SAFETY: as in `set`.
            Target::Double(address) => unsafe { (address as *const f64).read_volatile() },
            // SAFETY: as in `set`.
            Target::Int(address) => f64::from(unsafe { (address as *const libc::c_int).read_volatile() }),
        }
    }
}
