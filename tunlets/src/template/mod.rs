//! The smallest tunlet, to copy: keeps a tuning point called `threads` at the number of workers. It is not in the catalogue.

use crate::{Judgement, Proposal, Settled, TuningPoint, Tunlet, Verdict, Window};

/// See the module.
#[derive(Debug, Default)]
pub struct Template {
    seen: Option<Window>,
    tried: Option<u64>,
    judgements: Vec<Judgement>,
}

impl Tunlet for Template {
    fn name(&self) -> &'static str {
        "template"
    }

    fn observe(&mut self, window: &Window) {
        // After a change: did it help? Here everything is kept; a real tunlet compares with what it predicted.
        if let Some(decision) = self.tried.take() {
            self.judgements.push(Judgement { decision, measured_s: window.iteration_s, verdict: Verdict::Kept });
        }
        self.seen = Some(window.clone());
    }

    fn judgements(&mut self) -> Vec<Judgement> {
        std::mem::take(&mut self.judgements)
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let window = self.seen.take()?;
        let tuning_point = tuning_points.iter().find(|tuning_point| tuning_point.name == "threads")?;
        let wanted = f64::from(window.workers).clamp(tuning_point.range.0, tuning_point.range.1);
        (wanted != tuning_point.value).then(|| Proposal {
            tunlet: "template".into(),
            iteration: window.iteration,
            rank: tuning_point.rank,
            assignments: vec![(tuning_point.name.clone(), wanted.into())],
            tuning_point: tuning_point.name.clone(),
            from: tuning_point.value.to_string(),
            to: wanted.to_string(),
            why: format!("the iteration had {} workers", window.workers),
            predicted_s: window.ideal_s(),
            uncertainty: 0.0,
            unchanged_s: window.iteration_s,
            at_once: false,
        })
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        self.tried = matches!(settled, Settled::Applied { .. }).then_some(decision);
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
        };
        tunlet.observe(&window(0, 4, 0.5));
        let proposal = tunlet.propose(&[tuning_point]).expect("a proposal");
        assert_eq!(proposal.assignments, [("threads".to_owned(), 4.0.into())]);
        tunlet.on_settled(0, Settled::Applied { iteration: 1 });
        tunlet.observe(&window(1, 4, 0.4));
        assert_eq!(tunlet.judgements()[0].verdict, Verdict::Kept);
        assert!(tunlet.judgements().is_empty());
    }
}
