//! The smallest tunlet, to copy: it sets the tuning point `threads` to the number of workers. The catalogue does not list it.

use crate::{Judgement, Observation, Proposal, Settled, TuningPoint, Tunlet, Verdict, Window, Worth};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Template {
    window: Option<Window>,
    applied: Option<u64>,
}

impl Tunlet for Template {
    fn name(&self) -> &'static str {
        "template"
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        let Observation::Iteration(window) = observation else { return Vec::new() };
        self.window = Some(window.clone());
        // This template keeps every change. A real tunlet compares the measured time with its prediction.
        let kept = |decision| Judgement::new(decision, window.iteration_s, Verdict::Kept);
        self.applied.take().map(kept).into_iter().collect()
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let window = self.window.take()?;
        let tuning_point = tuning_points.iter().find(|tuning_point| tuning_point.name == "threads")?;
        let wanted = f64::from(window.workers).clamp(tuning_point.range.0, tuning_point.range.1);
        (wanted != tuning_point.value).then(|| Proposal {
            tunlet: "template".into(),
            iteration: window.iteration,
            ranks: vec![tuning_point.rank],
            assignments: vec![(tuning_point.name.clone(), wanted.into())],
            tuning_point: tuning_point.name.clone(),
            from: tuning_point.value.to_string(),
            to: wanted.to_string(),
            why: format!("the iteration had {} workers", window.workers),
            predicted_s: window.ideal_s(),
            unchanged_s: window.iteration_s,
            // As many iterations are to come as there were.
            worth: Worth::Seconds((window.iteration_s - window.ideal_s()) * (window.iteration + 1) as f64),
            ..Proposal::default()
        })
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        self.applied = matches!(settled, Settled::Applied { .. }).then_some(decision);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::window;

    #[test]
    fn the_template_proposes_is_settled_and_judges() {
        let mut tunlet = Template::default();
        let tuning_point = TuningPoint {
            rank: 0,
            name: "threads".into(),
            whole: true,
            range: (1.0, 64.0),
            value: 1.0,
            declared: 1.0,
            text: None,
            held: false,
        };
        tunlet.observe(Observation::Iteration(&window(0, 4, 0.5)));
        let proposal = tunlet.propose(&[tuning_point]).expect("a proposal");
        assert_eq!(proposal.assignments, [("threads".to_owned(), 4.0.into())]);
        tunlet.on_settled(0, Settled::Applied { iteration: 1 });
        let judged = tunlet.observe(Observation::Iteration(&window(1, 4, 0.4)));
        assert_eq!(judged[0].verdict, Verdict::Kept);
        assert!(tunlet.observe(Observation::Iteration(&window(2, 4, 0.4))).is_empty());
    }
}
