//! The registry of this rank's tuning points: their names, their ranges, and the functions with which their owners set them.

use crate::state;
use midrun_points::Moment;
use midrun_ring::{Command, CommandAssignment, TuningPointKind, TuningPointSlot};
use midrun_vocabulary::action_status;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The entry or the exit of a hooked function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Number of the function's hook.
    pub hook: u32,
    /// Entry or exit.
    pub moment: Moment,
}

/// How the owner of tuning points sets them. Each function gets the number by which the owner knows the tuning point. All
/// are called with the registry locked.
#[derive(Clone, Copy, Debug)]
pub struct Setter {
    /// Sets a value, or the text of a tuning point that takes texts; both were accepted.
    pub set: fn(&mut TuningPoints, number: usize, value: f64, text: &str),
    /// The value now; of a tuning point that takes texts 0.
    pub value: fn(number: usize) -> f64,
    /// Whether it takes a value inside its range, or a text.
    pub accepts: fn(number: usize, value: f64, text: &str) -> bool,
    /// The only place where it may be set; `None`: at any safe point.
    pub boundary: fn(number: usize) -> Option<Boundary>,
    /// A value that is accepted now is accepted for ever, so that it may take part in a synchronized change.
    pub is_fixed: bool,
    /// Only a synchronized change may set it.
    pub needs_all: fn(number: usize) -> bool,
}

impl Setter {
    /// For tuning points that take every value of their range, at any safe point.
    pub const fn new(set: fn(&mut TuningPoints, usize, f64, &str), value: fn(usize) -> f64) -> Setter {
        Setter { set, value, accepts: |_, _, _| true, boundary: |_| None, is_fixed: false, needs_all: |_| false }
    }
}

/// A tuning point.
#[derive(Clone, Debug)]
pub struct TuningPoint {
    /// Its name.
    pub name: String,
    /// The values it takes.
    pub kind: TuningPointKind,
    /// Smallest and largest value.
    pub range: (f64, f64),
    /// Sets it.
    pub setter: &'static Setter,
    /// Its number at the setter.
    pub number: usize,
}

impl TuningPoint {
    fn belongs_to(&self, setter: &'static Setter, number: usize) -> bool {
        std::ptr::eq(self.setter, setter) && self.number == number
    }
}

/// All tuning points, by their index in the segment's table.
#[derive(Debug)]
pub struct TuningPoints {
    /// `false`: withdrawn by its owner.
    list: Vec<(TuningPoint, bool)>,
    /// Those that commands have set.
    set: BTreeSet<u32>,
}

static TUNING_POINTS: Mutex<TuningPoints> = Mutex::new(TuningPoints { list: Vec::new(), set: BTreeSet::new() });

/// Runs `body` on the registry, hidden from hooks: a hooked function that it calls must not come back here.
pub fn with<T>(body: impl FnOnce(&mut TuningPoints) -> T) -> T {
    state::unhooked(|| body(&mut TUNING_POINTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
}

impl TuningPoints {
    /// Tuning points that were ever declared.
    #[cfg(test)]
    pub fn count(&self) -> u32 {
        self.list.len() as u32
    }

    /// Enters a tuning point here and in the segment's table; `false` where the table is full or the name too long.
    pub fn declare(&mut self, tuning_point: TuningPoint, value: f64) -> bool {
        let (minimum, maximum) = tuning_point.range;
        let (name, kind) = (tuning_point.name.clone(), tuning_point.kind);
        let slot = TuningPointSlot { name, kind, minimum, maximum, declared: value, value };
        // Without an agent no command comes, but the program need not know.
        let entered = state::segment().is_none_or(|segment| segment.declare_tuning_point(&slot).is_some());
        if entered {
            self.list.push((tuning_point, true));
        }
        entered
    }

    /// As [`TuningPoints::declare`], but a withdrawn tuning point of the same name and kind is declared again in its old
    /// place, and `false` where another one has the name.
    pub fn declare_again(&mut self, tuning_point: TuningPoint, value: f64) -> bool {
        let Some(known) = self.list.iter().position(|(known, _)| known.name == tuning_point.name) else {
            return self.declare(tuning_point, value);
        };
        let (old, declared) = &mut self.list[known];
        if *declared || old.kind != tuning_point.kind {
            return false;
        }
        (*old, *declared) = (tuning_point, true);
        self.publish(known, value, true);
        true
    }

    fn index(&self, setter: &'static Setter, number: usize) -> Option<usize> {
        self.list.iter().position(|(point, declared)| *declared && point.belongs_to(setter, number))
    }

    /// Whether its owner declared that tuning point.
    pub fn is_declared(&self, setter: &'static Setter, number: usize) -> bool {
        self.index(setter, number).is_some()
    }

    /// Withdraws the owner's tuning point `number`.
    pub fn withdraw(&mut self, setter: &'static Setter, number: usize) {
        if let Some(index) = self.index(setter, number) {
            self.list[index].1 = false;
        }
    }

    /// The owner changed the value of its tuning point `number`: shows it to the agent.
    pub fn refresh(&self, setter: &'static Setter, number: usize) {
        if let Some(index) = self.index(setter, number) {
            self.publish(index, (setter.value)(number), false);
        }
    }

    /// The program begins its first iteration: what it has set its variables to by then, from its arguments or a file, is what it starts with.
    pub fn take_start_values(&self) {
        let Some(segment) = state::segment() else { return };
        for (index, (point, declared)) in (0..).zip(&self.list) {
            if *declared && point.kind != TuningPointKind::Text && !self.set.contains(&index) {
                segment.set_tuning_point_start(index, (point.setter.value)(point.number));
            }
        }
    }

    /// Gives the owner's tuning point `number` another range.
    pub fn set_range(&mut self, setter: &'static Setter, number: usize, range: (f64, f64)) {
        if let Some(index) = self.index(setter, number) {
            self.list[index].0.range = range;
            self.publish(index, (setter.value)(number), true);
        }
    }

    /// Writes a value, and with `range` the range too, into the segment's table.
    fn publish(&self, index: usize, value: f64, range: bool) {
        let Some(segment) = state::segment() else { return };
        segment.set_tuning_point_value(index as u32, value);
        if range {
            segment.set_tuning_point_range(index as u32, self.list[index].0.range);
        }
    }

    fn get(&self, index: u32) -> Option<&TuningPoint> {
        self.list.get(index as usize).filter(|(_, declared)| *declared).map(|(point, _)| point)
    }

    fn check_one(&self, a: &CommandAssignment, text: &str) -> Result<(), u64> {
        let point = self.get(a.tuning_point).ok_or(action_status::REFUSED_UNKNOWN)?;
        let (minimum, maximum) = point.range;
        let good = (minimum..=maximum).contains(&a.value) && (point.setter.accepts)(point.number, a.value, text);
        if good { Ok(()) } else { Err(action_status::REFUSED_RANGE) }
    }

    /// Checks that all assignments of `command` can be made at `now_ns`.
    ///
    /// # Errors
    /// The status with which the command is refused.
    pub fn check(&self, command: &Command, now_ns: u64) -> Result<(), u64> {
        if now_ns > command.deadline_ns {
            return Err(action_status::EXPIRED);
        }
        assignments(command).try_for_each(|a| self.check_one(a, &command.text))
    }

    /// Whether a value that is accepted now is accepted at any later time, for all tuning points of `command`.
    pub fn is_fixed(&self, command: &Command) -> bool {
        assignments(command).all(|a| self.get(a.tuning_point).is_some_and(|point| point.setter.is_fixed))
    }

    /// Whether only a synchronized change may set the tuning points of `command`.
    pub fn needs_all(&self, command: &Command) -> bool {
        assignments(command)
            .any(|a| self.get(a.tuning_point).is_some_and(|point| (point.setter.needs_all)(point.number)))
    }

    /// The function boundaries at which the tuning points of `command` are set; as a rule none.
    pub fn boundaries(&self, command: &Command) -> Vec<Boundary> {
        let points = assignments(command).filter_map(|a| self.get(a.tuning_point));
        let mut all: Vec<Boundary> = points.filter_map(|point| (point.setter.boundary)(point.number)).collect();
        all.dedup();
        all
    }

    /// Makes the assignments of `command`, which [`TuningPoints::check`] has accepted, and shows the values to the agent.
    pub fn set(&mut self, command: &Command) {
        for a in assignments(command) {
            self.set.insert(a.tuning_point);
            let Some((setter, number)) = self.get(a.tuning_point).map(|point| (point.setter, point.number)) else {
                continue;
            };
            (setter.set)(self, number, a.value, &command.text);
            self.publish(a.tuning_point as usize, (setter.value)(number), false);
        }
    }
}

fn assignments(command: &Command) -> impl Iterator<Item = &CommandAssignment> {
    command.assignments.iter().take(command.count as usize)
}
