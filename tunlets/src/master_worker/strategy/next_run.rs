//! What to ask for in the next run: it rests on the technique in force, or on one that this run was only advised to set.

use super::{Change, MasterWorker, named};
use crate::NextAllocation;
use crate::master_worker::experience::family;
use midrun_scheduling::TechniqueParameters;

/// A technique that was advised and not set.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotSet {
    decision: u64,
    setting: TechniqueParameters,
    /// Iteration time / ideal that is expected with it.
    ratio: f64,
    /// Standard error of that, as a difference of logarithms.
    error: f64,
}

impl MasterWorker {
    /// Advice for the next run; `None` before anything is known.
    pub(super) fn next_allocation(&self) -> Option<NextAllocation> {
        let (workload, (_, iteration_now_s)) = (self.workload.as_ref()?, self.last?);
        // A tuned run would have what this one was only advised to set.
        let current = self.current?;
        let not_set = self.not_set.filter(|advised| family(&advised.setting) != family(&current));
        let ratio_now = iteration_now_s / workload.ideal_s().max(f64::MIN_POSITIVE);
        let (setting, ratio, error) =
            not_set.map_or((current, ratio_now, 0.0), |advised| (advised.setting, advised.ratio, advised.error));
        let deviation = self.errors.half_width(error, self.confidence);
        let regime = (self.regime?, iteration_now_s);
        // The next iteration may have more than the last.
        let most_tasks = if self.tasks_vary { u64::MAX } else { workload.tasks };
        let next = self.workers.next_allocation(workload, &setting, regime, most_tasks, ratio, deviation)?;
        // Beside another technique nobody knows what the one more brings.
        let one_more_s = next.one_more_s.filter(|_| not_set.is_none());
        let technique = not_set.map(|advised| named(&advised.setting, &current));
        Some(NextAllocation { technique, one_more_s, ..next })
    }

    /// What was proposed is not in force. `is_advice`: it was only told, each advice once, with the same number from then on.
    pub(super) fn on_not_applied(&mut self, decision: u64, change: Change, is_advice: bool) {
        let ratio = self.proposed_s.0 / self.proposed_s.1;
        let advised = match change {
            Change::Workers(from, to, setting) => {
                self.workers.on_not_applied();
                // The ideal time falls with the number.
                let ratio = ratio * f64::from(to) / f64::from(from);
                Some(NotSet { decision, setting, ratio, error: 0.0 })
            }
            Change::Technique(_, setting, gain) => {
                self.trials.on_not_applied();
                Some(NotSet { decision, setting, ratio, error: gain.error })
            }
            Change::Own(..) => {
                self.trials.on_not_applied();
                None
            }
            Change::Start(_) => None,
        };
        let is_told = |advised: &NotSet| {
            let of_same = self.not_set.filter(|known| known.decision == decision);
            of_same.is_none_or(|known| family(&known.setting) == family(&advised.setting))
        };
        self.not_set = advised.filter(|advised| is_advice && is_told(advised)).or(self.not_set);
    }
}
