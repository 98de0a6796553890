//! Values of variables, summed up or recorded one by one.

use crate::{clock, iterations, records, thread_ring};
use midrun_instrument::{nanoseconds, ticks};
use midrun_points::{Label, Mode};
use midrun_ring::layout::text_to_words;
use midrun_ring::{Record, kind};
use std::sync::Mutex;

/// The values of one variable in one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Read {
    pub count: u64,
    pub sum: f64,
    pub sum_of_squares: f64,
    pub minimum: f64,
    pub maximum: f64,
    pub last: f64,
    /// When the first and the last was read, CLOCK_MONOTONIC, nanoseconds.
    pub first_ns: u64,
    pub last_ns: u64,
}

/// The values since they were last taken. A value that two threads read at once counts once.
#[derive(Debug, Default)]
pub struct Values(Mutex<Read>);

impl Values {
    /// Adds a value.
    pub fn add(&self, value: f64, now_ns: u64) {
        let Ok(mut read) = self.0.try_lock() else { return };
        if !value.is_finite() {
            return;
        }
        let first = read.count == 0;
        read.minimum = if first { value } else { read.minimum.min(value) };
        read.maximum = if first { value } else { read.maximum.max(value) };
        read.first_ns = if first { now_ns } else { read.first_ns };
        read.last_ns = now_ns;
        read.count += 1;
        read.sum += value;
        read.sum_of_squares += value * value;
        read.last = value;
    }

    /// Takes all values out.
    pub fn take(&self) -> Read {
        self.0.try_lock().map_or_else(|_| Read::default(), |mut read| std::mem::take(&mut *read))
    }
}

/// Takes a value in, in the detail of `mode`.
pub fn read(value: Option<f64>, values: &Values, mode: Option<Mode>, label: &[u64; 4]) {
    match (mode, value) {
        (Some(Mode::Sum), Some(value)) => values.add(value, clock::now_ns()),
        (Some(Mode::Raw), Some(value)) => record(label, clock::now_ns(), value.to_bits(), 1),
        _ => {}
    }
}

/// The time of a tick, CLOCK_MONOTONIC nanoseconds.
pub fn at_ns(tick: u64) -> u64 {
    clock::now_ns().saturating_sub(nanoseconds(ticks().saturating_sub(tick)))
}

/// A label as it stands in records.
pub fn words(label: &Label) -> [u64; 4] {
    text_to_words(label.as_str())
}

/// Records a single call's time, or with `flags` 1 a value.
pub fn record(label: &[u64; 4], time_ns: u64, what: u64, flags: u32) {
    let iteration = iterations::current().unwrap_or(records::UNKNOWN_ITERATION);
    let [a, b, c, d] = *label;
    thread_ring::push_minor(&Record { kind: kind::POINT_RAW, flags, time_ns, payload: [a, b, c, d, what, iteration] });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_summed_up_and_taken_once() {
        let values = Values::default();
        [(2.0, 7), (-1.0, 8), (f64::NAN, 9), (4.0, 10)].into_iter().for_each(|(value, at_ns)| values.add(value, at_ns));
        let read = Read {
            count: 3,
            sum: 5.0,
            sum_of_squares: 21.0,
            minimum: -1.0,
            maximum: 4.0,
            last: 4.0,
            first_ns: 7,
            last_ns: 10,
        };
        assert_eq!(values.take(), read);
        assert_eq!(values.take(), Read::default());
    }
}
