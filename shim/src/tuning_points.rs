//! The tuning points of this rank: what they are called, which values they take, and how they are set.

use crate::frameworks::pipeline;
use crate::{points, process};
use midrun_ring::layout::COMMAND_TEXT;
use midrun_ring::{TuningPointKind, TuningPointSlot};
use midrun_scheduling::{Technique, TechniqueParameters};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a tuning point's value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The Master/Worker hand-out.
    Technique,
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

/// One tuning point of this rank. Its index in [`TuningPoints::list`] is its number in the segment's table.
#[derive(Clone, Copy, Debug)]
pub struct TuningPoint {
    /// Where its value goes.
    pub target: Target,
    /// Smallest and largest value.
    pub range: (f64, f64),
}

/// All tuning points, and the hand-out's setting that the first five describe.
#[derive(Debug)]
pub struct TuningPoints {
    /// In the order of the segment's table.
    pub list: Vec<TuningPoint>,
    names: Vec<(String, TuningPointKind)>,
    setting: TechniqueParameters,
    workers: u32,
    spawned: u32,
    hand_out_declared: bool,
    workers_declared: bool,
    pattern_declared: bool,
}

static TUNING_POINTS: Mutex<TuningPoints> = Mutex::new(TuningPoints {
    list: Vec::new(),
    names: Vec::new(),
    setting: TechniqueParameters::FALLBACK,
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
    /// No such tuning point.
    Unknown,
    /// The value is outside the tuning point's range.
    Range,
}

/// Runs `body` on the tuning points. Contention only happens when a program registers variables from several threads.
pub fn with<T>(body: impl FnOnce(&mut TuningPoints) -> T) -> T {
    // What is called meanwhile and hooked must not come back here.
    points::unseen(|| body(&mut TUNING_POINTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
}

/// Declares the hand-out's tuning points with `initial` as their values; a second call only sets the values.
pub fn declare_master_worker(initial: TechniqueParameters) {
    let count = Technique::ALL.len() as f64 - 1.0;
    with(|tuning_points| {
        tuning_points.setting = initial;
        EPOCH.fetch_add(1, Ordering::Relaxed);
        if std::mem::replace(&mut tuning_points.hand_out_declared, true) {
            return;
        }
        let all = [
            ("mw.technique", Target::Technique, true, (0.0, count)),
            ("mw.factor", Target::Factor, false, (0.0, 1.0)),
            ("mw.task_mean_s", Target::TaskMean, false, (0.0, 1e9)),
            ("mw.task_sigma_s", Target::TaskSigma, false, (0.0, 1e9)),
            ("mw.min_chunk", Target::MinChunk, true, (1.0, 1e9)),
        ];
        for (name, target, whole, range) in all {
            let value = tuning_points.value(target);
            let kind = if whole { TuningPointKind::Whole } else { TuningPointKind::Real };
            tuning_points.declare(name, kind, TuningPoint { target, range }, value);
        }
    });
}

/// Declares how many workers take part, of at most `most`; a second call only sets the value.
pub fn declare_workers(initial: u32, most: u32) {
    with(|tuning_points| {
        tuning_points.workers = initial;
        if !std::mem::replace(&mut tuning_points.workers_declared, true) {
            let tuning_point = TuningPoint { target: Target::Workers, range: (1.0, f64::from(most)) };
            tuning_points.declare("mw.workers", TuningPointKind::Whole, tuning_point, f64::from(initial));
        }
    });
}

/// Declares that up to `most` processes can be started as further workers.
pub fn declare_spawned(most: u32) {
    with(|tuning_points| {
        let tuning_point = TuningPoint { target: Target::Spawned, range: (0.0, f64::from(most)) };
        tuning_points.declare("mw.spawned", TuningPointKind::Whole, tuning_point, 0.0)
    });
}

/// Declares the pattern of the pipeline; a second call does nothing.
pub fn declare_pattern() {
    with(|tuning_points| {
        if !std::mem::replace(&mut tuning_points.pattern_declared, true) {
            let tuning_point = TuningPoint { target: Target::Pattern, range: (0.0, COMMAND_TEXT as f64) };
            tuning_points.declare("pipe.pattern", TuningPointKind::Text, tuning_point, 0.0);
        }
    });
}

/// `workers` are there now; of `most` processes that can be started, `came` have come, and there is no way back.
pub fn grow(workers: u32, (came, most): (u32, u32)) {
    with(|tuning_points| {
        tuning_points.spawned = tuning_points.spawned.clamp(came, most);
        tuning_points.set_range(Target::Spawned, (f64::from(came), f64::from(most)));
        tuning_points.set_range(Target::Workers, (1.0, f64::from(workers)));
    });
}

/// How many processes are to be there as further workers.
pub fn spawned() -> u32 {
    with(|tuning_points| tuning_points.spawned)
}

/// How many workers are to take part.
pub fn workers() -> usize {
    with(|tuning_points| tuning_points.workers as usize)
}

/// The hand-out's setting now, and its epoch.
pub fn master_worker_setting() -> (TechniqueParameters, u64) {
    with(|tuning_points| (tuning_points.setting, epoch()))
}

/// Changes whenever the setting does; one load.
#[inline]
pub fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}

impl TuningPoints {
    /// Enters a tuning point here and in the segment's table; `false` when the table is full or the name too long.
    pub fn declare(&mut self, name: &str, kind: TuningPointKind, tuning_point: TuningPoint, value: f64) -> bool {
        let (minimum, maximum) = tuning_point.range;
        let slot = TuningPointSlot { name: name.into(), kind, minimum, maximum, declared: value, value };
        match process::segment().map(|segment| segment.declare_tuning_point(&slot)) {
            Some(None) => false,
            // Without an agent a tuning point is never turned, but the program need not know.
            _ => {
                self.list.push(tuning_point);
                self.names.push((name.into(), kind));
                true
            }
        }
    }

    /// As [`TuningPoints::declare`]; a tuning point of that name and kind that is gone is there again.
    pub fn declare_again(&mut self, name: &str, kind: TuningPointKind, tuning_point: TuningPoint, value: f64) -> bool {
        let same = |(known, of): &(String, TuningPointKind)| known == name && *of == kind;
        let gone =
            |number: &usize| self.list.get(*number).is_some_and(|tuning_point| tuning_point.target == Target::Gone);
        let Some(number) = self.names.iter().position(same).filter(gone) else {
            // A name stands for one tuning point: another of the same name is refused.
            return !self.names.iter().any(|(known, _)| known == name) && self.declare(name, kind, tuning_point, value);
        };
        self.list[number] = tuning_point;
        if let Some(segment) = process::segment() {
            segment.set_tuning_point_value(number as u32, value);
            segment.set_tuning_point_range(number as u32, tuning_point.range);
        }
        true
    }

    /// The tuning point of that name is gone.
    pub fn forget(&mut self, name: &str) {
        let own = |(k, (known, _)): (usize, &(String, TuningPointKind))| {
            (known == name && matches!(self.list.get(k)?.target, Target::Point(_))).then_some(k)
        };
        if let Some(number) = self.names.iter().enumerate().find_map(own) {
            self.list[number].target = Target::Gone;
        }
    }

    /// Writes the value of the tuning point of `target` for the agent to see.
    pub fn tell_value(&self, target: Target) {
        let number = self.list.iter().position(|tuning_point| tuning_point.target == target);
        if let (Some(number), Some(segment)) = (number, process::segment()) {
            segment.set_tuning_point_value(number as u32, self.value(target));
        }
    }

    /// Gives the tuning point of `target` another range, here and in the segment's table.
    fn set_range(&mut self, target: Target, range: (f64, f64)) {
        let Some(number) = self.list.iter().position(|tuning_point| tuning_point.target == target) else { return };
        self.list[number].range = range;
        if let Some(segment) = process::segment() {
            segment.set_tuning_point_value(number as u32, self.value(target));
            segment.set_tuning_point_range(number as u32, range);
        }
    }

    /// Whether `value`, or `text` where it takes texts, may go to tuning point `number`.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, number: u32, value: f64, text: &str) -> Result<(), Refusal> {
        let tuning_point = self.list.get(number as usize).ok_or(Refusal::Unknown)?;
        let (minimum, maximum) = tuning_point.range;
        if tuning_point.target == Target::Gone {
            return Err(Refusal::Unknown);
        }
        let takes = || match tuning_point.target {
            Target::Pattern => pipeline::can_take(text),
            Target::Points => points::can_take(text),
            Target::Point(id) => points::can_set(id, value, text),
            _ => true,
        };
        let good = (minimum..=maximum).contains(&value) && takes();
        if good { Ok(()) } else { Err(Refusal::Range) }
    }

    /// The function at whose entry or exit tuning point `number` is set; `None`: at any safe point.
    pub fn place(&self, number: u32) -> Option<points::Place> {
        match self.list.get(number as usize)?.target {
            Target::Point(id) => points::place(id),
            _ => None,
        }
    }

    /// Whether tuning point `number` is a variable of the program.
    pub fn is_variable(&self, number: u32) -> bool {
        let target = self.list.get(number as usize).map(|tuning_point| tuning_point.target);
        matches!(target, Some(Target::Double(_) | Target::Int(_)))
    }

    /// Sets tuning point `number`, for which [`TuningPoints::check`] has accepted the value.
    pub fn set(&mut self, number: u32, value: f64, text: &str) {
        let Some(tuning_point) = self.list.get(number as usize) else { return };
        let s = &mut self.setting;
        match tuning_point.target {
            Target::Technique => s.kind = Technique::from_code(value.round() as u32).unwrap_or(s.kind),
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
            segment.set_tuning_point_value(number, self.value(self.list[number as usize].target));
        }
    }

    /// The value of a target now.
    pub fn value(&self, target: Target) -> f64 {
        let s = &self.setting;
        match target {
            Target::Technique => f64::from(s.kind.code()),
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
