//! Explains the tunlet `master_worker`: what it sees, what it may turn, how it decides.

use super::strategy::Mode;
use super::trial::{WATCHED, WORSE};
use super::workers::Limits;
use crate::explain::Explanation;
use crate::options::Objective;
use crate::tuning_point::names;

const CHAPTER: &str = "César 2006, ch. III";

/// Of a tunlet with this mode, objective and limits.
pub fn explain(mode: Mode, objective: Objective, limits: Limits) -> Explanation {
    let e = Explanation {
        about: "how tasks are handed out, and to how many workers".into(),
        sees: vec![
            "each iteration: its time, each worker's task times, the work by position, the master's busy time".into(),
            "what a message costs, per class of links: start-up time and time of a byte, with their errors".into(),
        ],
        objective: format!("the least iteration time for the workers there are, then {}", objective_text(objective)),
        limits: limit_texts(mode, limits),
        ..Explanation::of_name("master_worker")
    };
    let mut e = e
        .turns(names::TECHNIQUE, "hand-out technique of the framework", "none ss fsc gss fac2 dpf daf af")
        .turns(names::FACTOR, "share of FSC and DPF", "0 to 1")
        .turns(names::TASK_MEAN_S, "mean time of a task, for DAF and FAC2", "as measured")
        .turns(names::TASK_SIGMA_S, "its standard deviation", "as measured")
        .turns(names::MIN_CHUNK, "fewest tasks of a chunk", "1 and more")
        .turns(names::WORKERS, "workers that take part", "1 to those there are")
        .turns(names::SPAWNED, "further worker processes", "0 to --max-workers")
        .turns(names::OWN_WORKERS, "workers of a program with its own loop", "what it exposes");
    for n in 0..super::factors::MOST {
        e = e.turns(
            &format!("F{n}"),
            "share of all tasks of a batch, in a program with its own loop",
            "what it exposes",
        );
    }
    e.decides("mean mu and standard deviation sigma of a task's time, speeds of the workers, cost of a chunk: measured", "")
        .decides("x0 = 1 + (sigma/mu) sqrt(N/2), xj = 2 + (sigma/mu) sqrt(N/2): DAF's divisors of what is left", CHAPTER)
        .decides("b = N sigma/(2 mu sqrt(R)), x0 = 1 + b² + b sqrt(b² + 2), xj = 2 + b² + b sqrt(b² + 4): FAC's", "Hummel, Schonberg, Flynn 1992")
        .decides("each technique's iteration time: simulated with the very code that hands out", "")
        .decides("few tasks that differ much and were seen several at a time: of about the same promise the finest cut", "")
        .decides("Tt(n) by expressions (7) to (9) with mo, lambda, V, alpha, Tc and mu_m; workers for the shortest by (13) to (16)", CHAPTER)
        .decides("Pi(n) = n Tt(n)²/Tc (17): the number of workers with the least", CHAPTER)
        .decides("1 - sum(busy)/(workers × iteration time): the imbalance", "César 2006, 1.5")
        .decides(
            &format!("a change is watched for {WATCHED} whole iterations, and taken back when time / ideal is more than {} % worse than before", WORSE * 100.0),
            "",
        )
}

fn objective_text(objective: Objective) -> String {
    match objective {
        Objective::Efficiency => "the least Pi(n) = n Tt(n)²/Tc".into(),
        Objective::Time => "the shortest iteration".into(),
        Objective::Budget(most) => format!("the shortest iteration with at most {most} workers"),
        Objective::Deadline(s) => format!("the fewest workers whose iteration takes at most {s} s"),
        Objective::Fixed => "the number of workers is left alone".into(),
    }
}

fn limit_texts(mode: Mode, limits: Limits) -> Vec<String> {
    let mut list = Vec::new();
    if let Mode::Fixed(kind) = mode {
        list.push(format!("the technique stays {}", kind.name()));
    }
    for (what, number) in [("at least", limits.min), ("at most", limits.max)] {
        if number > 0 {
            list.push(format!("{number} workers {what}"));
        }
    }
    if limits.step > 0 {
        list.push(format!("{} workers at most come or go in one change", limits.step));
    }
    list.push("iterations of less than 5 ms are left alone".into());
    list.push("what was taken back is not tried again for 30 iterations".into());
    list
}
