//! The iteration time of a recorded Master/Worker program.

use std::fmt::Write;

use midrun_scheduling::Technique;
use midrun_tunlets::recorded::Answer;
use midrun_tunlets::recorded::master_worker::{Answered, HandOut, Question, Recording, TechniqueChoice};
use midrun_tunlets::{TuningPoint, Window};
use midrun_vocabulary::Count;
use serde_json::{Value, json};

use super::{Args, as_json, legend};
use crate::table::Column::{Left, Right};

/// A technique as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked(TechniqueChoice);

/// Reads `auto`, `daf`, `dpf:0.5`.
pub fn technique(text: &str) -> Result<Asked, String> {
    let (name, share) = text.split_once(':').map_or((text, None), |(name, share)| (name, Some(share)));
    let kinds = || format!("{text}: one of auto {} is expected", Technique::ALL.map(Technique::name).join(" "));
    let has_share = |kind: Technique| matches!(kind, Technique::Fsc | Technique::Dpf);
    match (name, share) {
        ("auto", None) => Ok(Asked(TechniqueChoice::Best)),
        (name, None) => Technique::parse(name).map(|kind| Asked(TechniqueChoice::Kind(kind, 0.0))).ok_or_else(kinds),
        (name, Some(share)) => {
            let kind = Technique::parse(name).filter(|kind| has_share(*kind)).ok_or_else(kinds)?;
            let share = share.parse().ok().filter(|share: &f64| *share > 0.0 && *share <= 1.0);
            let share =
                share.ok_or_else(|| format!("{text}: a share above 0, at most 1, such as dpf:0.5 is expected"))?;
            Ok(Asked(TechniqueChoice::Kind(kind, share)))
        }
    }
}

/// The prediction as text or JSON.
///
/// # Errors
/// A part of a sentence that says what is missing, or asked for in vain.
pub fn predicted(args: &Args, windows: &[Window], tuning_points: &[TuningPoint]) -> Result<String, String> {
    if !(args.replicas.is_empty() && args.pattern.is_empty() && args.ranks.is_empty()) {
        return Err("is of a Master/Worker program: ask for --workers and --technique, not for a pattern".into());
    }
    let nothing = || match windows.iter().any(|window| window.tasks > 0) {
        true => "has no iteration of which enough is known: record a longer run",
        // However long it is.
        false => {
            "has iterations, and no tasks: a work line of a points file says what computes them (docs/points.md); without one, ask midrun predict program"
        }
    };
    let recording = Recording::of(windows, tuning_points).ok_or_else(nothing)?;
    if let Some(why) = args.technique.iter().find_map(|asked| recording.refuses(asked.0)) {
        return Err(why.into());
    }
    let answers: Vec<(u32, Answered)> =
        questions(args, &recording).iter().map(|question| (question.workers, recording.answer(question))).collect();
    Ok(if args.json { json_of(args, &recording, &answers) } else { text_of(args, &recording, &answers) })
}

/// Every number of workers with every technique; without either, the settings that were recorded.
fn questions(args: &Args, recording: &Recording) -> Vec<Question> {
    let link = args.network.unwrap_or_default();
    if args.workers.is_empty() && args.technique.is_empty() {
        let as_seen = |(workers, setting, _): (u32, &HandOut, usize)| {
            let technique = match setting {
                HandOut::Technique(setting) => Some(TechniqueChoice::Seen(*setting)),
                HandOut::Own(_) => None,
            };
            Question { workers, technique, link }
        };
        // A program that cut its tasks by itself in several ways is asked for as it did at the end, once.
        return recording.seen().map(as_seen).fold(Vec::new(), |mut all, question| {
            if !all.contains(&question) {
                all.push(question);
            }
            all
        });
    }
    let own = [recording.workers()];
    let workers = if args.workers.is_empty() { &own[..] } else { &args.workers };
    let techniques: Vec<Option<TechniqueChoice>> = match args.technique.is_empty() {
        true => vec![None],
        false => args.technique.iter().map(|asked| Some(asked.0)).collect(),
    };
    let question =
        |workers: u32| techniques.iter().map(move |technique| Question { workers, technique: *technique, link });
    workers.iter().flat_map(|workers| question(*workers)).collect()
}

fn total_s(recording: &Recording, answer: &Answer, iterations: u64) -> f64 {
    iterations as f64 * answer.time_s + iterations.saturating_sub(1) as f64 * recording.prepare_s()
}

fn text_of(args: &Args, recording: &Recording, answers: &[(u32, Answered)]) -> String {
    let mut text = String::new();
    for (workers, setting, iterations) in recording.seen() {
        let _ = writeln!(
            text,
            "recorded: {} with {}, {setting}",
            Count(iterations as u64, "iteration"),
            Count(workers, "worker")
        );
    }
    let _ = writeln!(text, "learnt: {}\n", recording.inputs());
    let row = |(workers, Answered { setting, answer, .. }): &(u32, Answered)| {
        let total_s = args.iterations.map(|count| total_s(recording, answer, count));
        ([workers.to_string(), setting.to_string()], *answer, total_s)
    };
    text += &super::answers([Right("workers"), Left("technique")], "iteration s", args, answers.iter().map(row));
    let all: Vec<Answer> = answers.iter().map(|(_, answered)| answered.answer).collect();
    text + legend(&all, "master_worker")
}

fn json_of(args: &Args, recording: &Recording, answers: &[(u32, Answered)]) -> String {
    let row = |(workers, Answered { setting, answer, tasks, ideal_s }): &(u32, Answered)| {
        let mut row = as_json(answer);
        row["workers"] = json!(workers);
        row["technique"] = match setting {
            HandOut::Technique(setting) => json!(setting.kind.name()),
            HandOut::Own(_) => Value::Null,
        };
        row["setting"] = json!(setting.to_string());
        row["tasks"] = json!(tasks);
        row["ideal_s"] = json!(ideal_s);
        row["total_s"] = json!(args.iterations.map(|count| total_s(recording, answer, count)));
        row
    };
    let seen = |(workers, setting, iterations): (u32, &HandOut, usize)| json!({"workers": workers, "setting": setting.to_string(), "iterations": iterations});
    let all = json!({
        "per": "iteration", "learnt": recording.inputs(), "prepare_s": recording.prepare_s(),
        "recorded": recording.seen().map(seen).collect::<Vec<Value>>(),
        "answers": answers.iter().map(row).collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_are_read_with_their_shares() {
        assert_eq!(technique("auto"), Ok(Asked(TechniqueChoice::Best)));
        assert_eq!(technique("daf"), Ok(Asked(TechniqueChoice::Kind(Technique::Daf, 0.0))));
        assert_eq!(technique("dpf:0.5"), Ok(Asked(TechniqueChoice::Kind(Technique::Dpf, 0.5))));
        for bad in ["dfp", "daf:0.5", "dpf:0", "dpf:2", "dpf:x", ""] {
            assert!(technique(bad).is_err(), "{bad}");
        }
    }
}
