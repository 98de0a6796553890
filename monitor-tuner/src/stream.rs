//! Events of one rank about a pipeline: joins the pieces of texts, and folds the work of stages.

use crate::limits::{BUSY_NS, OUTPUT_BYTES, STAGES, STREAM_TEXT_BYTES, TASKS};
use midrun_proto::v1::event::Kind;
use midrun_proto::v1::{PatternTaken, PointRefused, StageDeclared, StageWork, StreamBegun, StreamWindow};
use midrun_ring::{Record, kind, topic};
use std::collections::BTreeMap;

/// Work since the last batch, and the stream's description.
#[derive(Debug, Default)]
pub struct Stream {
    works: BTreeMap<u32, StageWork>,
    /// A text whose last piece has not come yet: its subject, its length in bytes, its bytes so far.
    partial: Option<(u64, usize, Vec<u8>)>,
    begun: Option<StreamBegun>,
    stages: BTreeMap<u32, StageDeclared>,
    pattern: Option<PatternTaken>,
}

impl Stream {
    /// Whether there is no work.
    pub fn is_empty(&self) -> bool {
        self.works.is_empty()
    }

    /// All work since the last call.
    pub fn drain(&mut self) -> impl Iterator<Item = StageWork> + use<> {
        std::mem::take(&mut self.works).into_values()
    }

    /// The events that describe the stream: its begin, its stages, its pattern.
    pub fn description(&self) -> Vec<Kind> {
        let begun = self.begun.map(Kind::StreamBegun);
        let stages = self.stages.values().cloned().map(Kind::StageDeclared);
        begun.into_iter().chain(stages).chain(self.pattern.clone().map(Kind::PatternTaken)).collect()
    }

    /// Takes a [`kind::STAGE`]; `false` when it makes no sense.
    pub fn stage(&mut self, payload: &[u64; 6]) -> bool {
        let [who, _, busy_ns, bytes, idle_ns, own_ns] = *payload;
        let (stage, place) = (who & u64::from(u32::MAX), (who >> 32) as u32);
        if stage >= STAGES || [busy_ns, idle_ns, own_ns].iter().any(|ns| *ns > BUSY_NS) || bytes > OUTPUT_BYTES {
            return false;
        }
        let stage = stage as u32;
        let work = self.works.entry(stage).or_insert_with(|| StageWork { stage, place, ..StageWork::default() });
        let seconds = |ns: u64| ns as f64 * 1e-9;
        work.inputs += 1;
        work.busy_s += seconds(busy_ns);
        work.sum_sq_s2 += seconds(busy_ns).powi(2);
        work.bytes += bytes as f64;
        work.idle_s += seconds(idle_ns);
        work.own_s += seconds(own_ns);
        true
    }

    /// Takes a [`kind::TEAM`]; `false` when it makes no sense.
    pub fn team(&mut self, payload: &[u64; 6]) -> bool {
        let [who, tasks, busy_ns, sum_sq_bits, serial_ns, elapsed_ns] = *payload;
        let (stage, place, sum_sq_s2) = (who & u64::from(u32::MAX), (who >> 32) as u32, f64::from_bits(sum_sq_bits));
        let times = [busy_ns, serial_ns, elapsed_ns].iter().all(|ns| *ns <= BUSY_NS);
        if stage >= STAGES || tasks > TASKS || !times || !(0.0..f64::INFINITY).contains(&sum_sq_s2) {
            return false;
        }
        let stage = stage as u32;
        let work = self.works.entry(stage).or_insert_with(|| StageWork { stage, place, ..StageWork::default() });
        let team = work.team.get_or_insert_default();
        let seconds = |ns: u64| ns as f64 * 1e-9;
        team.tasks += tasks;
        team.busy_s += seconds(busy_ns);
        team.sum_sq_s2 += sum_sq_s2;
        team.serial_s += seconds(serial_ns);
        team.elapsed_s += seconds(elapsed_ns);
        true
    }

    /// The event of a [`kind::STREAM_BEGIN`] or [`kind::STREAM_WINDOW`]; `None` when it makes no sense.
    pub fn event(&mut self, record: &Record) -> Option<Kind> {
        let [a, b, c, d, e, f] = record.payload;
        let time_ns = record.time_ns;
        if record.kind == kind::STREAM_BEGIN {
            let (stages, ranks) = (u32::try_from(a).ok()?, u32::try_from(b).ok()?);
            let begun = StreamBegun { time_ns, stages, ranks, first_input: c, pipeline: d };
            if a == 0 || a > STAGES || b == 0 {
                return None;
            }
            // The same stream may be begun again, with other ranks.
            if self.begun.replace(begun).is_none_or(|old| (old.time_ns, old.stages) != (time_ns, stages)) {
                self.pattern = None;
                self.stages.clear();
            }
            return Some(Kind::StreamBegun(begun));
        }
        let lasted_ns = time_ns.checked_sub(b)?;
        let sane = c > 0 && f <= lasted_ns.saturating_add(BUSY_NS) && lasted_ns <= BUSY_NS;
        sane.then_some(Kind::StreamWindow(StreamWindow {
            number: a,
            begin_ns: b,
            end_ns: time_ns,
            outputs: c,
            oldest_epoch: d as u32,
            newest_epoch: (d >> 32) as u32,
            on_way: e as u32,
            waiting: (e >> 32) as u32,
            head_s: f as f64 * 1e-9,
        }))
    }

    /// Takes a piece of a text; returns the event after its last piece. A piece before which one is missing, or a text that makes no
    /// sense, is an error.
    pub fn text(&mut self, record: &Record) -> Result<Option<Kind>, ()> {
        let [about, total, says, ..] = record.payload;
        let at = record.flags as usize;
        let total = usize::try_from(total).ok().filter(|total| *total <= STREAM_TEXT_BYTES).ok_or(())?;
        let (about_before, total_before, mut text) = match self.partial.take() {
            Some(partial) if at > 0 => partial,
            None if at > 0 => return Err(()),
            _ => (about, total, Vec::new()),
        };
        if (about, total, at) != (about_before, total_before, text.len()) {
            return Err(());
        }
        let bytes = record.payload[3..].iter().flat_map(|word| word.to_le_bytes());
        text.extend(bytes.take(total - at.min(total)));
        if text.len() < total {
            self.partial = Some((about, total, text));
            return Ok(None);
        }
        let text = String::from_utf8(text).map_err(|_| ())?;
        self.event_of_text(about as u32, (about >> 32) as u32, says, text).map(Some)
    }

    fn event_of_text(&mut self, about: u32, number: u32, says: u64, text: String) -> Result<Kind, ()> {
        match about {
            topic::STAGE if u64::from(number) < STAGES => {
                let stage = StageDeclared { stage: number, name: text, stateful: says & 1 != 0, team: says & 2 != 0 };
                self.stages.insert(number, stage.clone());
                Ok(Kind::StageDeclared(stage))
            }
            topic::REFUSED => Ok(Kind::PointRefused(PointRefused { line: number, why: text, shed: says == 1 })),
            topic::PATTERN => {
                let pattern = PatternTaken { epoch: number, first_input: says, plan: text };
                self.pattern = Some(pattern.clone());
                Ok(Kind::PatternTaken(pattern))
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(at: u32, total: u64, bytes: &[u8]) -> Record {
        let mut payload = [u64::from(topic::PATTERN) | 5 << 32, total, 40, 0, 0, 0];
        for (word, bytes) in payload[3..].iter_mut().zip(bytes.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(padded);
        }
        Record { kind: kind::TEXT, flags: at, time_ns: 1, payload }
    }

    fn pattern(plan: &str) -> Kind {
        Kind::PatternTaken(PatternTaken { epoch: 5, first_input: 40, plan: plan.into() })
    }

    #[test]
    fn a_text_is_joined_and_described_again() {
        let mut stream = Stream::default();
        let plan = "0x1000,1x1000,2-3x1000,4x1000";
        assert_eq!(stream.text(&piece(0, 29, &plan.as_bytes()[..24])), Ok(None));
        assert_eq!(stream.text(&piece(24, 29, &plan.as_bytes()[24..])), Ok(Some(pattern(plan))));
        assert_eq!(stream.text(&piece(0, 1, b"0")), Ok(Some(pattern("0"))));
        assert_eq!(stream.text(&piece(0, 0, b"")), Ok(Some(pattern(""))));
        assert_eq!(stream.description(), [pattern("")]);
    }

    #[test]
    fn pieces_that_do_not_fit_together_are_refused_and_the_next_text_is_taken() {
        let mut stream = Stream::default();
        assert_eq!(stream.text(&piece(24, 29, b"4x10")), Err(()), "the first piece is missing");
        assert_eq!(stream.text(&piece(0, 60, &[b'0'; 24])), Ok(None));
        assert_eq!(stream.text(&piece(48, 60, b"4x10")), Err(()), "the second piece is missing");
        assert_eq!(stream.text(&piece(0, u64::MAX, b"0")), Err(()));
        assert_eq!(stream.text(&piece(0, 2, &[255, 255])), Err(()), "no UTF-8");
        let mut strange = piece(0, 1, b"0");
        strange.payload[0] = 99;
        assert_eq!(stream.text(&strange), Err(()));
        assert_eq!(stream.text(&piece(0, 1, b"0")), Ok(Some(pattern("0"))));
    }

    #[test]
    fn stages_are_folded_and_nonsense_is_not() {
        let mut stream = Stream::default();
        assert!(
            stream.stage(&[3 | 7 << 32, 0, 1_000_000_000, 10, 5, 7]) && stream.stage(&[3, 1, 3_000_000_000, 30, 5, 7])
        );
        for bad in [[STAGES, 0, 1, 1, 0, 0], [0, 0, u64::MAX, 1, 0, 0], [0, 0, 1, u64::MAX, 0, 0]] {
            assert!(!stream.stage(&bad));
        }
        let works: Vec<StageWork> = stream.drain().collect();
        let [work] = &works[..] else { panic!("{works:?}") };
        assert_eq!(
            (work.stage, work.place, work.inputs, work.busy_s, work.sum_sq_s2, work.bytes),
            (3, 7, 2, 4.0, 10.0, 40.0)
        );
        assert!((work.idle_s - 10e-9).abs() < 1e-15 && (work.own_s - 14e-9).abs() < 1e-15 && stream.is_empty());
    }

    #[test]
    fn tasks_of_a_team_are_folded_beside_the_inputs_of_its_lead() {
        let mut stream = Stream::default();
        assert!(stream.stage(&[1 | 4 << 32, 0, 5_000_000_000, 10, 0, 0]));
        assert!(stream.team(&[1 | 4 << 32, 2, 4_000_000_000, 8.0_f64.to_bits(), 0, 0]));
        assert!(stream.team(&[1 | 4 << 32, 0, 0, 0, 1_000_000_000, 6_000_000_000]));
        for bad in [[STAGES, 1, 1, 0, 0, 0], [1, 1, u64::MAX, 0, 0, 0], [1, 1, 1, f64::NAN.to_bits(), 0, 0]] {
            assert!(!stream.team(&bad));
        }
        let works: Vec<StageWork> = stream.drain().collect();
        let team = works[0].team.unwrap();
        assert_eq!((works.len(), works[0].inputs, works[0].place, team.tasks), (1, 1, 4, 2));
        assert_eq!((team.busy_s, team.sum_sq_s2, team.serial_s, team.elapsed_s), (4.0, 8.0, 1.0, 6.0));
    }

    #[test]
    fn a_window_that_ends_before_it_begins_is_refused() {
        let mut stream = Stream::default();
        let window = |payload| Record { kind: kind::STREAM_WINDOW, flags: 0, time_ns: 1_000, payload };
        assert!(stream.event(&window([0, 500, 8, 1 << 32, 3 | 2 << 32, 100])).is_some());
        assert!(stream.event(&window([0, 5000, 8, 0, 0, 100])).is_none());
        assert!(stream.event(&window([0, 500, 0, 0, 0, 100])).is_none());
        let begin = |payload| Record { kind: kind::STREAM_BEGIN, flags: 0, time_ns: 1, payload };
        assert!(stream.event(&begin([5, 8, 0, 0, 0, 0])).is_some());
        assert!(stream.event(&begin([0, 8, 0, 0, 0, 0])).is_none());
        assert!(stream.event(&begin([STAGES + 1, 8, 0, 0, 0, 0])).is_none());
    }

    #[test]
    fn a_stream_that_gains_ranks_keeps_its_description() {
        let mut stream = Stream::default();
        let begin =
            |time_ns, ranks| Record { kind: kind::STREAM_BEGIN, flags: 0, time_ns, payload: [2, ranks, 0, 0, 0, 0] };
        stream.event(&begin(7, 3));
        stream.pattern = Some(PatternTaken::default());
        stream.event(&begin(7, 5));
        assert!(
            matches!(stream.description()[..], [Kind::StreamBegun(begun), Kind::PatternTaken(_)] if begun.ranks == 5)
        );
        stream.event(&begin(8, 5));
        assert_eq!(stream.description().len(), 1, "another stream");
    }
}
