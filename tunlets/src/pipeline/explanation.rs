//! Explains the tunlet `pipeline` to people.

use super::Grouping;
use crate::confidence::Confidence;
use crate::explain::Explanation;
use crate::options::Objective;
use crate::trial::{JUDGED, Rule, WATCHED};
use crate::tuning_point::names;

const CHAPTER: &str = "César 2006, ch. IV";

/// Explains the tunlet with this objective, grouping, and most ranks (0 = all).
pub fn explain(objective: Objective, confidence: Confidence, grouping: Grouping, most: u32) -> Explanation {
    let objective = match objective {
        Objective::Efficiency => {
            "the shortest time between two outputs, without ranks that cost more than they give".into()
        }
        Objective::Time => "the shortest time between two outputs".into(),
        Objective::Budget(ranks) => format!("the shortest time between two outputs with at most {ranks} ranks"),
        Objective::Deadline(s) => format!("the fewest ranks with at most {s} s between two outputs"),
        Objective::Fixed => "the pattern is left alone".into(),
    };
    let grouped = match grouping {
        Grouping::None => "stages stay on ranks of their own",
        Grouping::Single => "neighbours may share a rank",
        Grouping::Any => "neighbours may share several ranks",
    };
    let mut limits = vec![
        grouped.to_owned(),
        format!("a change is made where it gains with a probability of {confidence}"),
        format!("a pattern that was not taken {JUDGED} times is not asked for again before the program changes"),
    ];
    if most > 0 {
        limits.push(format!("at most {most} ranks compute"));
    }
    Explanation {
        about: "which stages are replicated and grouped, on which ranks".into(),
        sees: vec![
            "each window of outputs: time between two outputs, each stage's time on each rank, waiting, bytes".into(),
        ],
        objective,
        limits,
        ..Explanation::of_name("pipeline")
    }
    .turns(names::PATTERN, "groups of stages and their replicas", "patterns as midrun.h writes them")
    .turns(
        names::PIPE_SPAWNED,
        "further ranks that compute",
        "up to --max-workers, where the head has time to pass their messages on",
    )
    .decides("Tr = 1/sum(1/Tr of each rank): time per input of a stage with its replicas", CHAPTER)
    .decides("the slowest group sets the time between two outputs", CHAPTER)
    .decides("the pattern of replicas and groups with the least such time: by exact search", "")
    .decides(
        &format!(
            "a change is watched for {WATCHED} windows at least; {}",
            Rule::explain("the objective", true, confidence)
        ),
        "",
    )
}
