//! Streams through midrun's pipeline: time, scatter and bytes of each stage, and the time of source and sink.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Link, Quantity, Repeats, Run};
use midrun_models::line::median;

/// Outputs that a description is asked for; the time that twice as many take beyond is theirs without filling and draining.
const OUTPUTS: u32 = 200;

/// A stage in one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Mean time of an input, seconds.
    pub compute_s: f64,
    /// Standard deviation of an input's time, seconds.
    pub sigma_s: f64,
    /// Bytes that it sends on per input.
    pub bytes: f64,
}

/// A window of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// By stage.
    pub stages: Vec<Stage>,
    /// Source and sink per output, seconds.
    pub head_s: f64,
    /// Time between two outputs, seconds.
    pub period_s: f64,
}

/// A group of stages that the same ranks compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its first stage.
    pub first: usize,
    /// Number of its stages.
    pub stages: usize,
    /// Ranks.
    pub replicas: u32,
}

/// What was seen of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Names of the stages; may be empty.
    pub names: Vec<String>,
    /// Windows under one pattern.
    pub windows: Vec<Window>,
    /// That pattern.
    pub groups: Vec<Group>,
    /// Ranks on each host, rank 0's first.
    pub hosts: Vec<u32>,
    /// Messages.
    pub link: Link,
}

impl Seen {
    /// The run of this name with these parameters.
    pub fn run(&self, name: String, parameters: BTreeMap<String, f64>) -> Run {
        let values = |of: &dyn Fn(&Window) -> f64| self.windows.iter().map(of).collect::<Vec<f64>>();
        let stages = self.names.len();
        let each = |what: &str, unit, of: fn(&Stage) -> f64| {
            let quantity =
                |k: usize| Quantity::new(format!("{what}{k}"), unit, values(&|window| of(&window.stages[k])));
            (0..stages).map(quantity).collect::<Vec<_>>()
        };
        let mut quantities = each("stage_s", "s", |of| of.compute_s);
        quantities.extend(each("variation", "", |of| of.sigma_s / of.compute_s));
        quantities.extend(each("bytes", "B", |of| of.bytes));
        quantities.push(Quantity::new("head_s", "s", values(&|window| window.head_s)));
        let mut elements =
            "run = [\"flow\"]\n\n[element.flow]\nkind = \"pipeline\"\ninputs = \"inputs\"\nhead_s = \"head_s\"\n\
             input_bytes = \"bytes0\"  # not recorded: taken to be as many as the first stage sends on\nstages = [\n"
                .to_owned();
        for (at, Group { first, stages, .. }) in self.groups.iter().enumerate() {
            let stage = |k: usize| format!("gamma(stage_s{k}, variation{k} * stage_s{k})");
            let time: Vec<String> = (*first..first + stages).map(stage).collect();
            let last = first + stages - 1;
            let names = self.names.get(*first..=last).unwrap_or_default().join(", ").replace(char::is_control, " ");
            let _ = writeln!(
                elements,
                "  {{ compute_s = \"{}\", bytes = \"bytes{last}\", replicas = \"replicas{at}\" }},  # {names}",
                time.join(" + ")
            );
        }
        elements += "]\n";
        let of = |(at, group): (usize, &Group)| (format!("replicas{at}"), f64::from(group.replicas));
        let replicas: Vec<String> = (0..self.groups.len()).map(|at| format!("replicas{at}")).collect();
        Run {
            name,
            parameters,
            own: self.groups.iter().enumerate().map(of).collect(),
            quantities,
            repeats: Repeats::Overlapping("inputs", OUTPUTS),
            measured_s: median(values(&|window| window.period_s)),
            processes: format!("1 + {}", replicas.join(" + ")),
            hosts: self.hosts.clone(),
            elements,
            links: (Some(self.link), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::learnt::learn;
    use crate::program::{Options, Precision};

    /// Three stages of n milliseconds, the second on two ranks, and three.
    fn run(n: f64, head_s: f64) -> Run {
        let stage = |compute_s: f64| Stage { compute_s, sigma_s: 0.0, bytes: 8.0 * n };
        let stages: Vec<Stage> = [n, 3.0 * n, n].map(|ms| stage(1e-3 * ms)).into();
        let group = |first, stages, replicas| Group { first, stages, replicas };
        let seen = Seen {
            names: ["in", "work", "out"].map(str::to_owned).into(),
            windows: vec![Window { stages, head_s, period_s: 2e-3 * n }; 3],
            groups: vec![group(0, 1, 1), group(1, 1, 3), group(2, 1, 1)],
            hosts: vec![6],
            link: Link { start_up_s: 1e-5, overhead_s: None, per_byte_s: 0.0, eager_bytes: f64::INFINITY },
        };
        seen.run(format!("n{n}.rec"), BTreeMap::from([("n".to_owned(), n)]))
    }

    #[test]
    fn a_learnt_stream_has_the_period_of_its_slowest_stage_or_of_its_source() {
        let runs: Vec<Run> = [1.0, 2.0, 4.0, 8.0].map(|n| run(n, 1e-6)).into();
        let learnt = learn(&runs).unwrap();
        let cost = |name: &str| learnt.costs.iter().find(|(known, ..)| known == name).unwrap().2.expression.clone();
        assert_eq!((cost("stage_s1"), cost("bytes0")), ("3.000000e-3 * n".to_owned(), "8.000000e0 * n".to_owned()));
        let period_s = |run: &Run| learnt.foresee(run, &Options::default(), &Precision::default()).unwrap().0;
        assert!((period_s(&runs[3]) - 8e-3).abs() < 1e-4, "{}", period_s(&runs[3]));
        let mut alone = run(8.0, 1e-6);
        alone.own[1].1 = 1.0;
        assert!((period_s(&alone) - 24e-3).abs() < 1e-4, "{}", period_s(&alone));
        let slow: Vec<Run> = [1.0, 2.0, 4.0].map(|n| run(n, 0.02)).into();
        let (slow_s, _) = learn(&slow).unwrap().foresee(&slow[0], &Options::default(), &Precision::default()).unwrap();
        assert!((slow_s - 0.02).abs() < 1e-4, "{slow_s}");
    }
}
