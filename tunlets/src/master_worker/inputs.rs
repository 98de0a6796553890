//! Prints the inputs of a decision on the number of workers, in the source's symbols and with their errors.

use super::workload::WorkloadEstimator;
use midrun_models::master_worker::{Model, Protocol};
use std::fmt;

/// See César 2006, ch. III: mo, lambda, V, alpha, Tc, mu_m, mu, sigma, dV, dTc.
pub struct Inputs<'a>(pub &'a WorkloadEstimator);

/// `12.3 +- 0.4`, in units of `unit`; no error where it is not known.
fn with_error(value: f64, error: f64, unit: f64) -> String {
    let text = format!("{:.4}", value / unit);
    if error.is_finite() { format!("{text} +- {:.4}", error / unit) } else { text }
}

fn slope(known: Option<(f64, f64)>, unit: f64) -> String {
    known.map_or("unknown".into(), |(value, error)| with_error(value, error, unit))
}

impl Inputs<'_> {
    /// The source's expression (César 2006, ch. III) that holds for the framework's messages. Synchronous sends hold their sender: (9). Others
    /// never do, whatever the MPI's protocol: (7) or (8); of a rendezvous the bytes flow when the worker looks.
    fn expression(&self) -> Option<String> {
        let workload = self.0;
        let network = workload.network?;
        let link = network.limiting()?;
        let (out, back) = (f64::from(network.task_bytes), f64::from(network.result_bytes));
        let volume_bytes = (out + back) * workload.tasks as f64;
        let model = Model {
            start_up_s: link.cost.start_up_s,
            per_byte_s: link.cost.per_byte_s,
            volume_bytes,
            master_share: if volume_bytes > 0.0 { out / (out + back) } else { 0.0 },
            compute_s: workload.compute_s(),
            prepare_s: workload.prepare_s.unwrap_or(0.0),
            protocol: if workload.synchronous { Protocol::Sync } else { Protocol::Async },
            growth: 0.0,
        };
        let model = model.checked().ok()?;
        let which = match (workload.synchronous, model.start_up_dominates(f64::from(workload.workers.max(1)))) {
            (true, _) => "(9)",
            (false, true) => "(7)",
            (false, false) => "(8)",
        };
        let message = (workload.chunk_tasks * out) as u64;
        let eager = if link.is_eager(message) { "eager" } else { "rendezvous" };
        Some(format!(
            "mo {} us, lambda {} ns/B, V {volume_bytes:.0} B, alpha {:.3}, expression {which}, {eager}",
            with_error(link.cost.start_up_s, link.cost.start_up_error_s, 1e-6),
            with_error(link.cost.per_byte_s, link.cost.per_byte_error_s, 1e-9),
            model.master_share,
        ))
    }
}

impl fmt::Display for Inputs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let workload = self.0;
        let network = self.expression().unwrap_or_else(|| "messages not measured".into());
        let bytes = workload.network.map_or(0.0, |n| f64::from(n.task_bytes) + f64::from(n.result_bytes));
        let [volume, compute] = workload.growth.slopes(bytes);
        let prepare = workload.prepare_s.map_or("unknown".into(), |s| format!("{:.4} ms", s * 1e3));
        write!(
            f,
            "{network}, Tc {} s, mu_m {prepare}, mu {} ms, sigma {} ms, dV {} B, dTc {} ms",
            with_error(workload.compute_s(), workload.mean_error_s() * workload.tasks as f64, 1.0),
            with_error(workload.mean_s, workload.mean_error_s(), 1e-3),
            with_error(workload.sigma_s(), workload.sigma_error_s(), 1e-3),
            slope(volume, 1.0),
            slope(compute, 1e-3),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::Confidence;
    use crate::link::Cost;
    use crate::testing::window;
    use crate::{LinkCost, Network, Window};
    use midrun_scheduling::TechniqueParameters;

    fn inputs(task_bytes: u32, eager_bytes: u32) -> String {
        inputs_of(task_bytes, eager_bytes, false)
    }

    fn inputs_of(task_bytes: u32, eager_bytes: u32, synchronous: bool) -> String {
        Inputs(&learnt(task_bytes, eager_bytes, synchronous)).to_string()
    }

    fn learnt(task_bytes: u32, eager_bytes: u32, synchronous: bool) -> WorkloadEstimator {
        let cost = Cost { start_up_s: 5e-5, start_up_error_s: 2e-6, per_byte_s: 8e-8, per_byte_error_s: 4e-9 };
        let link = LinkCost { cost, eager_bytes, rendezvous_bytes: eager_bytes, ..LinkCost::default() };
        let network = Some(Network { far: Some(link), near: None, task_bytes, result_bytes: 8 });
        let of = |window: Window| Window {
            network,
            prepare_s: Some(2e-3),
            setting: TechniqueParameters { synchronous, ..window.setting },
            ..window
        };
        let mut workload = None;
        WorkloadEstimator::learn(&mut workload, &of(window(0, 4, 0.1)), Confidence::default());
        workload.unwrap()
    }

    #[test]
    fn every_input_is_named_with_its_uncertainty_where_known() {
        let text = inputs(24, 4096);
        for part in [
            "mo 50.0000 +- 2.0000 us",
            "lambda 80.0000 +- 4.0000 ns/B",
            "V 12800 B",
            "alpha 0.750",
            "Tc 0.4000 +- 0.0000 s",
            "mu_m 2.0000 ms",
            "mu 1.0000 +- ",
            "sigma 0.0000 +- ",
            "dV unknown B, dTc unknown ms",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }

    #[test]
    fn messages_that_cross_the_eager_limit_are_said() {
        let workload = |task_bytes, synchronous| learnt(task_bytes, 4096, synchronous).rendezvous();
        assert_eq!(workload(24, false), None);
        assert!(workload(2400, false).is_some_and(|why| why.contains("between 4096 and 4096 bytes")));
        assert_eq!(workload(2400, true), None, "nothing is taken for eager then");
    }

    #[test]
    fn the_expression_follows_the_size_of_the_messages() {
        assert!(inputs(24, 4096).contains("expression (8), eager"), "{}", inputs(24, 4096));
        assert!(inputs(2, 4096).contains("expression (7), eager"), "{}", inputs(2, 4096));
        assert!(inputs(2400, 4096).contains("expression (8), rendezvous"), "{}", inputs(2400, 4096));
        assert!(inputs_of(2, 4096, true).contains("expression (9)"), "{}", inputs_of(2, 4096, true));
        let mut workload = None;
        WorkloadEstimator::learn(&mut workload, &window(0, 4, 0.1), Confidence::default());
        assert!(Inputs(&workload.unwrap()).to_string().starts_with("messages not measured"));
    }
}
