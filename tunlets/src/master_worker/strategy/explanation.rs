//! Explains the tunlet `master_worker` to people.

use super::Mode;
use crate::Regime;
use crate::confidence::Confidence;
use crate::explain::Explanation;
use crate::master_worker::workers::Limits;
use crate::options::Objective;
use crate::trial::{JUDGED, Rule, WATCHED};
use crate::tuning_point::names;
use midrun_scheduling::{Technique, TechniqueParameters};

const CHAPTER: &str = "César 2006, ch. III";
/// Said of a change that is worth its trial though its gain is not sure.
pub(super) const TRIED: &str = "; not sure, but worth its trial";

/// What calls for this setting in place of the present one.
pub fn what_calls_for(
    setting: &TechniqueParameters,
    now: &TechniqueParameters,
    regime: Option<Regime>,
) -> &'static str {
    match setting.kind {
        _ if setting.counts() && !now.counts() => match regime {
            Some(Regime::Master) => {
                "the master is the bottleneck, and workers can take their chunks from a shared counter"
            }
            _ => "workers that take their chunks from a shared counter wait for no message",
        },
        _ if setting.is_relieving() && !now.is_relieving() => {
            "serving so many workers takes the master long, and sub-masters can share that"
        }
        Technique::None => "one chunk per worker is best, for more chunks cost more than they even out",
        _ => "work is uneven",
    }
}

/// Explains the tunlet with this mode, objective and limits.
pub fn explain(mode: Mode, objective: Objective, confidence: Confidence, limits: Limits) -> Explanation {
    let e = Explanation {
        about: "loop scheduling technique and number of workers".into(),
        sees: vec![
            "each iteration: its time, each worker's task times, the work by position, the master's busy time".into(),
            "what a message costs, per class of links: start-up time and time of a byte, with their errors".into(),
        ],
        objective: format!("the least iteration time for the workers there are, then {}", objective_text(objective)),
        limits: limit_texts(mode, limits, confidence),
        ..Explanation::of_name("master_worker")
    };
    let mut e = e
        .turns(
            names::TECHNIQUE,
            "loop scheduling technique of the framework",
            &Technique::ALL.map(Technique::name).join(" "),
        )
        .turns(names::FACTOR, "share of FSC and DPF", "0 to 1")
        .turns(names::TASK_MEAN_S, "mean time of a task, for DAF and FAC2", "as measured")
        .turns(names::TASK_SIGMA_S, "its standard deviation", "as measured")
        .turns(names::MIN_CHUNK, "fewest tasks of a chunk", "1 and more")
        .turns(names::COUNTER, "workers take their chunks from a shared counter", "0 or 1, where tasks carry no input")
        .turns(
            names::TEAM_SIZE,
            "most workers of a sub-team, whose sub-master sends their chunks",
            "0 for none, or up to those of a host",
        )
        .turns(names::WORKERS, "workers that take part", "1 to those there are")
        .turns(names::SPAWNED, "further worker processes", "0 to --max-workers")
        .turns(
            names::OWN_WORKERS,
            "workers of a program with its own loop",
            "what the program allows, up to the ranks beside the master",
        )
        .turns(names::CHUNK_TASKS, "tasks of every chunk, in a program with its own loop", "what the program allows")
        .turns(
            names::CHUNK_SHARE,
            "share of an equal part of what is left that each request gets, in a program with its own loop",
            "what the program allows",
        );
    for n in 0..crate::proposal::ASSIGNMENTS {
        let what = "share of all tasks of a batch, in a program with its own loop";
        e = e.turns(&format!("F{n}"), what, "what the program allows");
    }
    let (technique, number) =
        (Rule::explain("time / ideal", true, confidence), Rule::explain("the objective", false, confidence));
    e.decides(
        "mean mu and standard deviation sigma of a task's time, speeds of the workers, cost of a chunk: measured",
        "",
    )
    .decides(
        "x0 = 1 + (sigma/mu) sqrt(N/2), xj = 2 + (sigma/mu) sqrt(N/2): DAF's divisors of the remaining tasks",
        CHAPTER,
    )
    .decides(
        "b = N sigma/(2 mu sqrt(R)), x0 = 1 + b² + b sqrt(b² + 2), xj = 2 + b² + b sqrt(b² + 4): FAC's",
        "Hummel, Schonberg, Flynn 1992",
    )
    .decides("iteration time of each technique and number of workers: simulated with the scheduler's own code", "")
    .decides("Pi(n) = n Tt(n)²/Tc (17) of the simulated times: the number of workers with the least", CHAPTER)
    .decides(
        "expression (7) or (8) with mo, lambda, V, alpha, Tc and mu_m: shown with each decision, does not decide",
        CHAPTER,
    )
    .decides("1 - sum(busy)/(workers × iteration time): the imbalance", "César 2006, 1.5")
    .decides(
        &format!(
            "a technique is changed where that gains with a probability of {confidence}; a further change that saves less than an iteration in \
             as many as there were must be as sure in a series: with {} after one change, {} after two",
            confidence.in_series(2, 1),
            confidence.in_series(3, 1)
        ),
        "Bonferroni 1936",
    )
    .decides(
        &format!(
            "the first one since the work is what it is is tried without being sure where it is expected to save more than the {JUDGED} iterations of \
             its trial in as many as there were, and what it may lose, weighed by its probability, is no more than {:.1} % of what it saves",
            100.0 * (1.0 - confidence.level())
        ),
        "",
    )
    .decides(&format!("a technique is watched for {WATCHED} whole iterations; {technique}"), "")
    .decides(&format!("a number of workers is watched for {WATCHED} whole iterations at least; {number}"), "")
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

fn limit_texts(mode: Mode, limits: Limits, confidence: Confidence) -> Vec<String> {
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
    list.push(format!(
        "a change is made where it gains with a probability of {confidence}, by the simulation, what its inputs and the model were off by, \
         and the noise"
    ));
    list
}
