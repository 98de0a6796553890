//! A recorded pipeline: its period with other patterns and links.

use super::{Answer, Learner, OtherLink, Tried, uncertainty};
use crate::StreamWindow;
use crate::pipeline::recorded::{Fit, Foreseen, Recorded, marked};
use midrun_models::line::median;
use midrun_scheduling::plan::Plan;

/// Windows at the end of a recording that are looked at.
const LAST: usize = 2_000;

impl Learner for Fit {
    type Window = Recorded;
    type Setting = String;

    fn learn<'a>(windows: impl Iterator<Item = &'a Recorded>) -> Option<Fit> {
        Fit::of(windows)
    }

    fn setting(recorded: &Recorded) -> Option<String> {
        recorded.steady.then(|| recorded.window.plan.clone())
    }

    fn measured_s(recorded: &Recorded) -> f64 {
        recorded.window.period_s()
    }

    fn expected_s(&self, recorded: &Recorded) -> Option<f64> {
        self.of_window(&recorded.window)
    }
}

/// An answer, and the plan that it is of.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The plan.
    pub plan: Plan,
    /// Its period.
    pub answer: Answer,
    /// Time per input of each group by itself, seconds.
    pub tr_s: Vec<f64>,
}

/// What a recording teaches.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Of all windows.
    pub fit: Fit,
    tried: Tried<String>,
    /// Plans in the order in which they came, with the periods measured, seconds.
    seen: Vec<(String, Vec<f64>)>,
}

impl Recording {
    /// Learns; `None` where a stage was not seen.
    pub fn of(windows: &[StreamWindow]) -> Option<Recording> {
        let recorded = marked(windows);
        let recorded = &recorded[recorded.len().saturating_sub(LAST)..];
        let mut seen: Vec<(String, Vec<f64>)> = Vec::new();
        for (plan, period_s) in recorded.iter().filter_map(|r| Some((Fit::setting(r)?, r.window.period_s()))) {
            match seen.iter_mut().find(|(known, _)| *known == plan) {
                Some((_, periods)) => periods.push(period_s),
                None => seen.push((plan, vec![period_s])),
            }
        }
        Some(Recording { fit: Fit::of(recorded.iter())?, tried: Tried::on::<Fit>(recorded), seen })
    }

    /// What was recorded: plans and windows.
    pub fn seen(&self) -> impl Iterator<Item = (&str, usize)> {
        self.seen.iter().map(|(plan, periods)| (plan.as_str(), periods.len()))
    }

    /// The answer for a plan, with messages that cost otherwise.
    pub fn answer(&self, plan: &Plan, link: OtherLink) -> Answered {
        let Foreseen { plan, period_s, uncertainty: own, tr_s } =
            self.fit.with_link(link.latency_s, link.per_byte_s).with(plan);
        let text = plan.to_string();
        let measured = self.seen.iter().find(|(known, _)| *known == text).filter(|_| link == OtherLink::default());
        let errors = self.tried.errors(&text);
        let ranks = |plan: &Plan| plan.ranks().max(1) as f64;
        let of = |(text, _): &(String, Vec<f64>)| self.fit.plan(text).ok().map(|plan| ranks(&plan));
        let was = self.seen.last().and_then(of).unwrap_or(ranks(&plan));
        let away = if measured.is_some() { (1.0, 1.0) } else { (was, ranks(&plan)) };
        let answer = Answer {
            time_s: period_s,
            uncertainty: uncertainty(own, errors, away),
            errors,
            measured_s: measured.map(|(_, periods)| median(periods.clone())),
        };
        Answered { plan, answer, tr_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::LeftOut;
    use crate::testing::stream;

    #[test]
    fn a_pattern_that_was_left_out_is_predicted_from_the_others() {
        let compute_s = [0.1, 0.4];
        let mut windows: Vec<StreamWindow> = (0..6).map(|k| stream(k, "0,1", 5, &compute_s)).collect();
        windows.extend((6..12).map(|k| stream(k, "0,1x2", 5, &compute_s)));
        let recording = Recording::of(&windows).unwrap();
        let plan = recording.fit.plan("0,1x4").unwrap();
        let Answered { answer, tr_s, .. } = recording.answer(&plan, OtherLink::default());
        assert!((answer.time_s - 0.1).abs() < 1e-9 && (tr_s[1] - 0.1).abs() < 1e-9, "{answer:?}");
        let errors = answer.errors.unwrap();
        assert!(errors.left_out == LeftOut::Setting && errors.worst < 0.01, "{errors:?}");
        let away = 0.03_f64.hypot(1.959_964 * 0.03 * (5.0_f64 / 3.0).log2());
        assert!((answer.uncertainty - away).abs() < 1e-6, "so many ranks were not recorded: {answer:?}");
        let known = recording.answer(&recording.fit.plan("0,1x2").unwrap(), OtherLink::default()).answer;
        assert!((known.measured_s.unwrap() - 0.2).abs() < 1e-9);
        assert_eq!(known.errors.unwrap().left_out, LeftOut::Windows);
    }
}
