//! Values of variables that were read, summed up; and what is told when a variable is read or a call is told singly.

use super::items::{Done, Item};
use super::variable::Variable;
use crate::{clock, hook, lane};
use midrun_points::{Label, Mode};
use midrun_ring::layout::text_to_words;
use midrun_ring::{Record, kind};
use std::sync::Mutex;

/// Values of one variable in one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Read {
    /// How many.
    pub count: u64,
    /// Their sum, and that of their squares.
    pub sum: f64,
    /// See there.
    pub squares: f64,
    /// The smallest and the largest.
    pub minimum: f64,
    /// See there.
    pub maximum: f64,
    /// The last.
    pub last: f64,
}

/// The values since they were last taken. A value that two threads read at once counts once.
#[derive(Debug, Default)]
pub struct Values(Mutex<Read>);

impl Values {
    /// One more.
    pub fn add(&self, value: f64) {
        let Ok(mut read) = self.0.try_lock() else { return };
        if !value.is_finite() {
            return;
        }
        let first = read.count == 0;
        read.minimum = if first { value } else { read.minimum.min(value) };
        read.maximum = if first { value } else { read.maximum.max(value) };
        read.count += 1;
        read.sum += value;
        read.squares += value * value;
        read.last = value;
    }

    /// All, and none are left.
    pub fn take(&self) -> Read {
        self.0.try_lock().map_or_else(|_| Read::default(), |mut read| std::mem::take(&mut *read))
    }
}

/// Reads the variables that are read at each iteration's begin.
pub fn read_variables(items: &[Item]) {
    for item in items {
        if let (Done::Reads(variable, None, values), Some(label)) = (&item.done, item.declaration.label()) {
            read(*variable, values, item.mode(), &words(label));
        }
    }
}

/// Reads a variable.
pub fn read(variable: Variable, values: &Values, mode: Option<Mode>, label: &[u64; 4]) {
    match mode {
        Some(Mode::Sum) => values.add(variable.read()),
        Some(Mode::Raw) => tell(label, clock::now_ns(), variable.read().to_bits(), 1),
        _ => {}
    }
}

/// A label as it stands in records.
pub fn words(label: &Label) -> [u64; 4] {
    text_to_words(label.as_str())
}

/// A record of a single call or value.
pub fn tell(label: &[u64; 4], time_ns: u64, what: u64, flags: u32) {
    let iteration = super::iteration().unwrap_or(hook::UNKNOWN_ITERATION);
    let [a, b, c, d] = *label;
    lane::push_minor(&Record { kind: kind::POINT_RAW, flags, time_ns, payload: [a, b, c, d, what, iteration] });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_summed_up_and_taken_once() {
        let values = Values::default();
        [2.0, -1.0, f64::NAN, 4.0].into_iter().for_each(|value| values.add(value));
        let read = Read { count: 3, sum: 5.0, squares: 21.0, minimum: -1.0, maximum: 4.0, last: 4.0 };
        assert_eq!(values.take(), read);
        assert_eq!(values.take(), Read::default());
    }
}
