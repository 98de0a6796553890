//! The nodes of a control graph, made of the steps of a source.

use super::Step;
use crate::description::DescriptionError;
use crate::time_cost::count::{self, Count};
use crate::time_cost::structure::{Kind, MOST_NODES, Node};
use midrun_models::distribution::Distribution;

/// Mean and variance of steps without threads and locks.
fn cost(steps: &[Step]) -> Option<(f64, f64)> {
    let one = |step: &Step| match step {
        Step::Operation { cost, .. } => Some(*cost),
        Step::Loop { count, body, .. } => {
            cost(body).map(|(mean, variance)| (*count as f64 * mean, *count as f64 * variance))
        }
        Step::Branch { probability: p, then, otherwise, .. } => {
            let ((a, va), (b, vb)) = (cost(then)?, cost(otherwise)?);
            Some((p * a + (1.0 - p) * b, p * va + (1.0 - p) * vb + p * (1.0 - p) * (a - b) * (a - b)))
        }
        _ => None,
    };
    steps.iter().map(one).try_fold((0.0, 0.0), |sum, of| of.map(|(mean, variance)| (sum.0 + mean, sum.1 + variance)))
}

pub(super) struct Graph<'t> {
    pub(super) text: &'t str,
    pub(super) nodes: Vec<Node>,
    pub(super) locks: Vec<String>,
}

impl Graph<'_> {
    pub(super) fn node(&mut self, name: &str, kind: Kind) -> usize {
        let plain: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let taken = |name: &str| self.nodes.iter().any(|node| node.name == name);
        let name = match taken(&plain) {
            false => plain,
            true => (2..).map(|k| format!("{plain}_{k}")).find(|name| !taken(name)).unwrap_or(plain),
        };
        self.nodes.push(Node { name, kind });
        self.nodes.len() - 1
    }

    fn lock(&mut self, name: &str) -> usize {
        self.locks.iter().position(|known| known == name).unwrap_or_else(|| {
            self.locks.push(name.to_owned());
            self.locks.len() - 1
        })
    }

    fn wrong<T>(&self, line: usize, sentence: impl Into<String>) -> Result<T, DescriptionError> {
        let start: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        Err(DescriptionError::at(self.text, start..start, sentence.into()))
    }

    fn operation(
        &mut self,
        name: String,
        (mean_s, variance): (f64, f64),
        to: usize,
    ) -> Result<usize, DescriptionError> {
        let of = match variance > 0.0 && mean_s > 0.0 {
            true => Distribution::Gamma { mean_s, sigma_s: variance.sqrt() },
            false => Distribution::Deterministic { mean_s },
        };
        Ok(self.node(&name, Kind::Operation { cost: of, to }))
    }

    /// The node at which these steps begin; `next` follows them. They are passed `passages` times in a run, by chance if `None`.
    pub(super) fn steps(
        &mut self,
        steps: &[Step],
        passages: Option<u64>,
        next: usize,
    ) -> Result<usize, DescriptionError> {
        let mut next = next;
        for step in steps.iter().rev() {
            if self.nodes.len() > MOST_NODES {
                return self.wrong(1, format!("the graph has more than {MOST_NODES} nodes: give larger parts a cost"));
            }
            next = self.step(step, passages, next)?;
        }
        Ok(next)
    }

    fn step(&mut self, step: &Step, passages: Option<u64>, next: usize) -> Result<usize, DescriptionError> {
        match step {
            Step::Operation { name, line, cost } => self.operation(format!("{name}_{line}"), *cost, next),
            Step::Loop { count: 0, .. } => Ok(next),
            Step::Loop { line, count, body } => {
                let Some(passages) = passages else {
                    let Some((mean, variance)) = cost(body) else {
                        return self.wrong(
                            *line,
                            "a loop with locks or threads in a branch that is taken by chance is not read",
                        );
                    };
                    let count = *count as f64;
                    return self.operation(format!("loop_{line}"), (count * mean, count * variance), next);
                };
                let inside = passages.saturating_mul(*count);
                if inside > u64::from(count::MOST) {
                    // What no lock or thread sees may be one operation.
                    let Some((mean, variance)) = cost(body) else {
                        return self.wrong(
                            *line,
                            format!("this loop runs {inside} times in all, at most {} are simulated", count::MOST),
                        );
                    };
                    let count = *count as f64;
                    return self.operation(format!("loop_{line}"), (count * mean, count * variance), next);
                }
                let flow = |count: u64| Count::read(&count.to_string()).or_else(|why| self.wrong(*line, why));
                let (again, out) = (flow(inside)?, flow(passages)?);
                let head = self.node(&format!("loop_{line}"), Kind::End);
                let meet = self.node(&format!("again_{line}"), Kind::Or { to: head });
                let body = self.steps(body, Some(inside), meet)?;
                self.nodes[head].kind = Kind::Flow { ways: vec![(body, again), (next, out)] };
                Ok(meet)
            }
            Step::Branch { line, probability, then, otherwise } => {
                let meet = self.node(&format!("meet_{line}"), Kind::Or { to: next });
                let (then, otherwise) = (self.steps(then, None, meet)?, self.steps(otherwise, None, meet)?);
                let ways = vec![(then, *probability), (otherwise, 1.0 - probability)];
                Ok(self.node(&format!("if_{line}"), Kind::Decision { ways }))
            }
            Step::Fork { line, branches } => {
                let join = self.node(&format!("join_{line}"), Kind::Join { to: next });
                let mut ways = Vec::new();
                for branch in branches {
                    let way = self.steps(branch, passages, join)?;
                    // A branch has at least a node of its own.
                    ways.push(if way == join {
                        self.operation(format!("nothing_{line}"), (0.0, 0.0), join)?
                    } else {
                        way
                    });
                }
                Ok(self.node(&format!("fork_{line}"), Kind::Fork { branches: ways, weights: Vec::new() }))
            }
            Step::Lock { line, name, read } => {
                let lock = vec![self.lock(name)];
                let (read, write) = if *read { (lock, Vec::new()) } else { (Vec::new(), lock) };
                Ok(self.node(&format!("lock_{line}"), Kind::Lock { read, write, to: next }))
            }
            Step::Unlock { line, name } => {
                let locks = vec![self.lock(name)];
                Ok(self.node(&format!("unlock_{line}"), Kind::Unlock { locks, to: next }))
            }
            Step::Created { line, .. } | Step::Joined { line, .. } => {
                self.wrong(*line, "threads are created and joined in blocks of their own here; put both into one")
            }
        }
    }
}
