//! Measurements of one rank's points: joins the parts of each, and keeps single calls as long as they are few.

use crate::limits::{BUSY_NS, SINGLE_POINTS, TASKS};
use midrun_proto::v1::{HistogramBin, PointMeasured};
use midrun_ring::layout::words_to_text;
use midrun_ring::{Record, part};

/// Measurements since the last batch.
#[derive(Debug, Default)]
pub struct Measurements {
    /// A measurement whose last part has not come yet.
    partial: Option<PointMeasured>,
    singles: Vec<PointMeasured>,
}

fn seconds(ns: u64) -> f64 {
    ns as f64 * 1e-9
}

fn label(words: &[u64]) -> Result<String, ()> {
    words_to_text(words).filter(|label| !label.is_empty()).ok_or(())
}

impl Measurements {
    /// Whether there is no single call or value.
    pub fn is_empty(&self) -> bool {
        self.singles.is_empty()
    }

    /// All single calls and values since the last call.
    pub fn drain(&mut self) -> impl Iterator<Item = PointMeasured> + use<> {
        std::mem::take(&mut self.singles).into_iter()
    }

    /// Takes one part; returns the whole measurement after its last part. A part that does not fit, or makes no sense, is an error.
    pub fn part(&mut self, record: &Record) -> Result<Option<PointMeasured>, ()> {
        let partial = self.partial.take();
        let [a, b, c, d, e, f] = record.payload;
        let mut measured = match (record.flags & !part::LAST, partial) {
            (part::HEAD, _) if f <= TASKS => PointMeasured {
                label: label(&record.payload[..4])?,
                iteration: e,
                count: f,
                ..PointMeasured::default()
            },
            (part::TIMES, Some(whole)) => {
                let squares = f64::from_bits(c);
                if a > whole.count.max(a) || a > TASKS || !squares.is_finite() || squares < 0.0 || d > e || e > BUSY_NS
                {
                    return Err(());
                }
                let (timed, sum, minimum, maximum) = (a, seconds(b), seconds(d), seconds(e));
                PointMeasured { timed, sum, squares, minimum, maximum, cost_ns: f, ..whole }
            }
            (part::VALUES, Some(whole)) => {
                let [sum, squares, minimum, maximum, value] = [b, c, d, e, f].map(f64::from_bits);
                if ![sum, squares, minimum, maximum, value].into_iter().all(f64::is_finite) || a != whole.count {
                    return Err(());
                }
                PointMeasured { timed: a, sum, squares, minimum, maximum, value, is_value: true, ..whole }
            }
            (part::SPAN, Some(whole)) if a <= b => PointMeasured { first_ns: a, last_ns: b, ..whole },
            (part::BINS, Some(mut whole)) => {
                for word in record.payload.into_iter().filter(|word| *word != 0) {
                    let (bin, count) = ((word & 0xff) as u32, word >> 8);
                    if bin >= 64 || count > TASKS {
                        return Err(());
                    }
                    whole.bins.push(HistogramBin { bin, count });
                }
                whole
            }
            _ => return Err(()),
        };
        if record.flags & part::LAST != 0 {
            measured.bins.truncate(64);
            return Ok(Some(measured));
        }
        self.partial = Some(measured);
        Ok(None)
    }

    /// Takes a single call or value; `false` when it makes no sense. When there are too many, those of one label and iteration are
    /// summed.
    pub fn raw(&mut self, record: &Record) -> bool {
        let [.., what, iteration] = record.payload;
        let (Ok(label), is_value) = (label(&record.payload[..4]), record.flags & 1 != 0) else { return false };
        let value = if is_value { f64::from_bits(what) } else { seconds(what) };
        if !value.is_finite() || (!is_value && what > BUSY_NS) {
            return false;
        }
        let first_ns = if is_value { record.time_ns } else { record.time_ns.saturating_sub(what) };
        let same = |one: &&mut PointMeasured| one.label == label && one.iteration == iteration;
        let full = self.singles.len() >= SINGLE_POINTS;
        if let Some(one) = self.singles.iter_mut().rev().find(same).filter(|_| full) {
            one.count += 1;
            one.timed += 1;
            one.sum += value;
            one.squares += value * value;
            one.minimum = one.minimum.min(value);
            one.maximum = one.maximum.max(value);
            one.value = if is_value { value } else { 0.0 };
            one.last_ns = record.time_ns;
        } else if self.singles.len() < 2 * SINGLE_POINTS {
            self.singles.push(PointMeasured {
                label,
                iteration,
                count: 1,
                timed: 1,
                sum: value,
                squares: value * value,
                minimum: value,
                maximum: value,
                first_ns,
                last_ns: record.time_ns,
                value: if is_value { value } else { 0.0 },
                is_value,
                ..PointMeasured::default()
            });
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_ring::kind;
    use midrun_ring::layout::text_to_words;

    fn record(flags: u32, payload: [u64; 6]) -> Record {
        Record { kind: kind::POINT, flags, time_ns: 9_000, payload }
    }

    fn head(text: &str, iteration: u64, calls: u64) -> Record {
        let [a, b, c, d] = text_to_words::<4>(text);
        record(part::HEAD, [a, b, c, d, iteration, calls])
    }

    #[test]
    fn parts_become_one_measurement() {
        let mut points = Measurements::default();
        assert_eq!(points.part(&head("solve", 3, 5)), Ok(None));
        let times = [4, 2_000_000_000, 2.5_f64.to_bits(), 100, 1_500_000_000, 77];
        assert_eq!(points.part(&record(part::TIMES, times)), Ok(None));
        assert_eq!(points.part(&record(part::SPAN, [10, 20, 0, 0, 0, 0])), Ok(None));
        let last = record(part::BINS | part::LAST, [6 | 3 << 8, 30 | 1 << 8, 0, 0, 0, 0]);
        let whole = points.part(&last).unwrap().unwrap();
        assert_eq!((whole.label.as_str(), whole.iteration, whole.count, whole.timed), ("solve", 3, 5, 4));
        assert_eq!((whole.sum, whole.squares, whole.minimum, whole.maximum), (2.0, 2.5, 100.0 * 1e-9, 1.5));
        assert_eq!((whole.first_ns, whole.last_ns, whole.cost_ns, whole.is_value), (10, 20, 77, false));
        assert_eq!(whole.bins, [HistogramBin { bin: 6, count: 3 }, HistogramBin { bin: 30, count: 1 }]);
    }

    #[test]
    fn parts_that_do_not_fit_are_errors() {
        let mut points = Measurements::default();
        assert_eq!(points.part(&record(part::TIMES, [1; 6])), Err(()));
        assert_eq!(points.part(&head("", 0, 1)), Err(()));
        assert_eq!(points.part(&head("a", 0, u64::MAX)), Err(()));
        points.part(&head("a", 0, 1)).unwrap();
        assert_eq!(points.part(&record(part::TIMES, [1, 1, f64::NAN.to_bits(), 0, 1, 0])), Err(()));
        assert_eq!(points.part(&record(part::SPAN, [1, 2, 0, 0, 0, 0])), Err(()), "it is given up");
        points.part(&head("a", 0, 1)).unwrap();
        assert_eq!(points.part(&record(part::BINS, [64 | 1 << 8, 0, 0, 0, 0, 0])), Err(()));
        points.part(&head("a", 0, 1)).unwrap();
        assert_eq!(points.part(&record(9, [0; 6])), Err(()));
    }

    #[test]
    fn single_calls_stay_single_as_long_as_they_are_few() {
        let mut points = Measurements::default();
        let [a, b, c, d] = text_to_words::<4>("f");
        let raw =
            |what: u64, flags| Record { kind: kind::POINT_RAW, flags, time_ns: 50, payload: [a, b, c, d, what, 7] };
        assert!(!points.raw(&raw(f64::NAN.to_bits(), 1)) && !points.raw(&raw(u64::MAX, 0)));
        (0..10 * SINGLE_POINTS).for_each(|_| assert!(points.raw(&raw(10, 0))));
        let all: Vec<PointMeasured> = points.drain().collect();
        assert_eq!(all.len(), SINGLE_POINTS);
        assert_eq!((all[0].count, all[0].first_ns, all[0].last_ns, all[0].iteration), (1, 40, 50, 7));
        assert_eq!(all.iter().map(|one| one.count).sum::<u64>(), 10 * SINGLE_POINTS as u64);
        assert!(points.is_empty());
    }
}
