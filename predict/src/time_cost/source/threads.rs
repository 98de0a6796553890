//! Threads of POSIX and OpenMP.

use std::collections::BTreeMap;

use tree_sitter::Node as Syntax;

use super::{Reader, Step, line, size};
use crate::description::DescriptionError;
use crate::time_cost::structure::MOST_NODES;

/// Threads that run.
struct Open {
    /// Line that created the first.
    line: usize,
    bodies: Vec<Vec<Step>>,
    /// What the thread that created them does meanwhile.
    own: Vec<Step>,
    /// How many of them were joined.
    joins: u64,
}

impl<'t> Reader<'t> {
    /// Threads that are created, and all steps up to their join, become a fork.
    pub(super) fn joined(&self, steps: Vec<Step>) -> Result<Vec<Step>, DescriptionError> {
        // Only creates, or only joins: of a block around this one.
        let created = steps.iter().all(|step| matches!(step, Step::Created { .. }));
        if created || steps.iter().all(|step| matches!(step, Step::Joined { .. })) {
            return Ok(steps);
        }
        let mut done: Vec<Step> = Vec::new();
        let mut open: Option<Open> = None;
        for step in steps {
            match (step, &mut open) {
                (Step::Created { line, bodies }, None) => open = Some(Open { line, bodies, own: Vec::new(), joins: 0 }),
                (Step::Created { bodies, .. }, Some(open)) => open.bodies.extend(bodies),
                (Step::Joined { count, .. }, Some(threads)) if count <= threads.bodies.len() as u64 - threads.joins => {
                    threads.joins += count;
                    if threads.joins == threads.bodies.len() as u64
                        && let Some(Open { line, bodies: mut branches, own, .. }) = open.take()
                    {
                        // The thread that created them does its own work meanwhile.
                        if !own.is_empty() {
                            branches.push(own);
                        }
                        done.push(Step::Fork { line, branches });
                    }
                }
                (Step::Joined { line, .. }, _) => {
                    return self.at_line(line, "more threads are joined here than were created in this block");
                }
                (step, Some(open)) => open.own.push(step),
                (step, None) => done.push(step),
            }
        }
        match open {
            Some(Open { line, .. }) => {
                self.at_line(line, "threads that are created here are not all joined in the same block")
            }
            None => Ok(done),
        }
    }

    pub(super) fn open_mp(
        &mut self,
        at: Syntax<'t>,
        words: &str,
        statement: Syntax<'t>,
        notes: &BTreeMap<&'static str, f64>,
        calls: &mut Vec<String>,
    ) -> Result<Vec<Step>, DescriptionError> {
        let steps = self.statement(statement, notes, None, calls)?;
        let line = line(at);
        let directive = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>();
        match directive.as_slice() {
            ["critical", name, ..] => {
                let name = format!("critical_{}", lock_name(name));
                let lock = Step::Lock { line, name: name.clone(), read: false };
                Ok([vec![lock], steps, vec![Step::Unlock { line, name }]].concat())
            }
            ["critical"] => {
                let name = "critical".to_owned();
                let lock = Step::Lock { line, name: name.clone(), read: false };
                Ok([vec![lock], steps, vec![Step::Unlock { line, name }]].concat())
            }
            ["atomic" | "simd", ..] => Ok(steps),
            ["parallel", rest @ ..] => {
                let threads = words.split_once("num_threads(").and_then(|(_, rest)| rest.split(')').next());
                let threads = self.literal(threads.unwrap_or("threads"));
                let Some(threads) = threads.filter(|n| *n >= 1.0 && n.fract() == 0.0 && *n <= MOST_NODES as f64) else {
                    return self.wrong(at, "how many threads run this is not known: say --set threads=N");
                };
                let threads = threads as u64;
                self.copied(at, size(&steps), threads)?;
                let branches = match (rest.first(), steps.as_slice()) {
                    (Some(&"for"), [Step::Loop { line, count, body }]) => (0..threads)
                        .map(|k| Step::Loop {
                            line: *line,
                            count: count / threads + u64::from(k < count % threads),
                            body: body.clone(),
                        })
                        .map(|part| vec![part])
                        .collect(),
                    (Some(&"for"), []) => return Ok(Vec::new()),
                    (Some(&"for" | &"sections"), _) => {
                        return self.wrong(at, "only a loop of its own is read below `parallel for`");
                    }
                    _ => vec![steps; threads as usize],
                };
                Ok(vec![Step::Fork { line, branches }])
            }
            _ => self.wrong(at, format!("`omp {words}` is not read; parallel, parallel for, critical and atomic are")),
        }
    }
}

/// Letters and digits of an expression that names a lock.
pub(super) fn lock_name(text: &str) -> String {
    let name: String =
        text.trim_start_matches('&').chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() { "lock".to_owned() } else { name }
}
