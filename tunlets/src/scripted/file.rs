//! Parses a tunlet's file and checks everything that can be checked before a program runs.

use std::collections::{BTreeMap, BTreeSet};

use midrun_points::{Declaration, Label, Tuned};
use serde::Deserialize;
use toml::Spanned;

use super::limits::{self, FILE_BYTES};
use super::mistake::{Embedded, Mistake};
use crate::tuning_point::names::{self, of_framework};

/// A file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: Spanned<String>,
    #[serde(default)]
    about: String,
    points: Option<Spanned<String>>,
    #[serde(default, alias = "knobs")]
    tuning_points: BTreeMap<Spanned<String>, RawTuningPoint>,
    #[serde(default)]
    objective: RawObjective,
    #[serde(default)]
    limits: RawLimits,
    script: Option<Spanned<String>>,
    #[serde(default)]
    rule: Vec<Spanned<RawRule>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTuningPoint {
    name: Option<String>,
    range: Option<Spanned<[f64; 2]>>,
    step: Option<Spanned<f64>>,
    rank: Option<Spanned<toml::Value>>,
    #[serde(alias = "together")]
    synchronized: Option<Spanned<bool>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawObjective {
    minimise: Option<Spanned<String>>,
    maximise: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    cool_down_iterations: Option<Spanned<u64>>,
    watched_iterations: Option<Spanned<u64>>,
    min_gain: Option<Spanned<f64>>,
    max_changes: Option<Spanned<u64>>,
    failures: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    when: Spanned<String>,
    set: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
    predict_s: Option<Spanned<String>>,
    predict: Option<Spanned<String>>,
    why: String,
}

/// A tuning point that the tunlet may set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TuningPoint {
    /// Its label in the file.
    pub label: String,
    /// Its name in the ranks.
    pub name: String,
    /// Smallest and largest value that the tunlet may set, in what the rank allows.
    pub range: Option<(f64, f64)>,
    /// Values lie this far apart, from the lower end of the range on.
    pub step: Option<f64>,
    /// Whose tuning point it is.
    pub whose: Whose,
    /// Its ranks apply a value in the same iteration, or none does.
    pub synchronized: bool,
    /// Its meaning, for people.
    pub what: String,
}

/// Ranks of a tuning point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The lowest that offers it.
    Lowest,
    /// This one.
    Rank(u32),
    /// All that offer it.
    All,
}

/// Quantity to minimise or maximise.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    /// The number of a window.
    pub text: Embedded,
    /// Large is good.
    pub maximise: bool,
    /// It is the time of an iteration, because the file says nothing else.
    pub by_default: bool,
}

/// Bounds of the tunlet's changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Iterations after a verdict in which nothing is proposed.
    pub cool_down_iterations: u64,
    /// Whole iterations for which a change is watched at least.
    pub watched_iterations: u64,
    /// A change that gains less than this share is not made, or not kept.
    pub min_gain: f64,
    /// Most changes of a run; rollbacks do not count.
    pub max_changes: Option<u64>,
    /// After so many failures in succession it is switched off.
    pub failures: u32,
}

/// A rule: when it holds, these values.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub when: Embedded,
    pub set: Vec<(String, Embedded)>,
    pub predict_s: Option<Embedded>,
    pub predict: Option<Embedded>,
    pub why: String,
}

/// How it decides.
#[derive(Clone, Debug)]
pub(super) enum Decides {
    Script(Embedded),
    Rules(Vec<Rule>),
}

/// Everything a file declares.
#[derive(Clone, Debug)]
pub(super) struct Description {
    pub name: String,
    pub about: String,
    /// The declarations for the ranks, in their order.
    pub declarations: Vec<Declaration>,
    pub tuning_points: Vec<TuningPoint>,
    pub objective: Objective,
    pub limits: Limits,
    pub decides: Decides,
}

impl Description {
    /// Reads a file's text.
    ///
    /// # Errors
    /// The first mistake.
    pub fn read(text: &str) -> Result<Description, Mistake> {
        if text.len() > FILE_BYTES {
            let what = format!("the file has {} bytes; at most {FILE_BYTES} are allowed", text.len());
            return Err(Mistake { line: 1, column: 1, what });
        }
        let raw: Raw = toml::from_str(text).map_err(|error| Mistake::of_toml(text, &error))?;
        let declarations = declarations(text, raw.points.as_ref())?;
        Ok(Description {
            name: name(text, &raw.name)?,
            about: raw.about.split_whitespace().collect::<Vec<&str>>().join(" "),
            tuning_points: tuning_points(text, &declarations, &raw.tuning_points)?,
            objective: objective(text, &raw.objective)?,
            limits: raw.limits.checked(text)?,
            decides: decides(text, raw.script.as_ref(), &raw.rule)?,
            declarations,
        })
    }

    /// Labels of what is measured.
    pub fn measured(&self) -> impl Iterator<Item = &str> {
        self.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Measure { label, .. } => Some(label.as_str()),
            _ => None,
        })
    }
}

fn name(file: &str, name: &Spanned<String>) -> Result<String, Mistake> {
    let text = name.get_ref();
    let built_in = ["auto", "master_worker", "pipeline"].contains(&text.as_str());
    if built_in {
        let what = format!("`{text}` is the name of a built-in tunlet: choose another");
        return Err(Mistake::at(file, name.span().start, what));
    }
    let label = Label::new(text).filter(|label| !label.as_str().contains('.'));
    label.map(|_| text.clone()).ok_or_else(|| {
        let what = "a name is a letter, then letters, digits and _, at most 31 in all";
        Mistake::at(file, name.span().start, what)
    })
}

fn declarations(file: &str, points: Option<&Spanned<String>>) -> Result<Vec<Declaration>, Mistake> {
    let Some(points) = points else { return Ok(Vec::new()) };
    let text = Embedded::new(file, points);
    let lines = midrun_points::parse(&text.text)
        .map_err(|error| text.mistake(error.line as usize, error.column as usize, error.what))?;
    Ok(lines.into_iter().map(|line| line.declaration).collect())
}

fn tuned(declaration: &Declaration) -> Option<TuningPoint> {
    let label = declaration.label().filter(|_| declaration.has_tuning_point())?;
    let range = match declaration {
        Declaration::Tune { what: Tuned::Variable { span, .. } | Tuned::Argument { span, .. }, .. } => {
            Some((span.minimum, span.maximum))
        }
        Declaration::Tune { what: Tuned::Control { span, .. }, .. } => span.map(|span| (span.minimum, span.maximum)),
        _ => None,
    };
    let step = match declaration {
        Declaration::Tune { what: Tuned::Variable { step, .. }, .. } => *step,
        _ => None,
    };
    let line = midrun_points::print(std::slice::from_ref(declaration));
    let (label, what) = (label.as_str().to_owned(), line.trim_end().to_owned());
    Some(TuningPoint { name: label.clone(), label, range, step, whose: Whose::Lowest, synchronized: false, what })
}

fn tuning_points(
    file: &str,
    declarations: &[Declaration],
    raw: &BTreeMap<Spanned<String>, RawTuningPoint>,
) -> Result<Vec<TuningPoint>, Mistake> {
    let mut tuning_points: Vec<TuningPoint> = declarations.iter().filter_map(tuned).collect();
    let measured: BTreeSet<&str> = declarations.iter().filter_map(Declaration::label).map(Label::as_str).collect();
    for (label, option) in raw {
        let at = |what: String| Mistake::at(file, label.span().start, what);
        let text = label.get_ref().as_str();
        let declared = tuning_points.iter_mut().find(|tuning_point| tuning_point.label == text);
        let tuning_point = match (declared, &option.name) {
            (Some(tuning_point), None) => tuning_point,
            (Some(_), Some(_)) => {
                return Err(at(format!("the label `{text}` is used twice: a line of `points` has it, too")));
            }
            (None, None) => {
                return Err(at(format!(
                    "the tuning point `{text}` needs `name = \"…\"`, by which the program or its framework declares it, or a line of \
                     `points` that begins `tune {text}`"
                )));
            }
            (None, Some(_)) if measured.contains(text) => {
                return Err(at(format!("the label `{text}` is used twice: a line of `points` measures it")));
            }
            (None, Some(name)) => {
                let (Some(_), false) = (Label::new(text), name.trim().is_empty()) else {
                    return Err(at(format!("`{text}` is no label, or its `name` is empty: {}", Label::FORM)));
                };
                if let Some(other) = tuning_points.iter().find(|tuning_point| tuning_point.name == *name) {
                    return Err(at(format!("`{text}` and `{}` are the same tuning point {name}", other.label)));
                }
                let what = format!("{name}, which the program or its framework declares");
                let (label, name) = (text.to_owned(), names::current(name).to_owned());
                tuning_points.push(TuningPoint {
                    label,
                    name,
                    range: None,
                    step: None,
                    whose: Whose::Lowest,
                    synchronized: false,
                    what,
                });
                let last = tuning_points.len() - 1;
                &mut tuning_points[last]
            }
        };
        if let Some(rank) = &option.rank {
            tuning_point.whose = match rank.get_ref() {
                toml::Value::String(all) if all == "all" => Whose::All,
                toml::Value::Integer(rank) if u32::try_from(*rank).is_ok() => Whose::Rank(*rank as u32),
                _ => return Err(Mistake::at(file, rank.span().start, "a rank is a number from 0, or \"all\"")),
            };
        }
        if let Some(synchronized) = option.synchronized.as_ref().filter(|synchronized| *synchronized.get_ref()) {
            if tuning_point.whose != Whose::All || option.name.is_none() || of_framework(&tuning_point.name) {
                let what = "`synchronized` is for points that the program itself declares on its ranks: with their `name` and \
                            `rank = \"all\"`";
                return Err(Mistake::at(file, synchronized.span().start, what));
            }
            tuning_point.synchronized = true;
        }
        if let Some(range) = &option.range {
            tuning_point.range = Some(checked_range(file, range, tuning_point.range)?);
        }
        if let Some(step) = &option.step {
            if !(step.get_ref().is_finite() && *step.get_ref() > 0.0) {
                return Err(Mistake::at(file, step.span().start, "a step is a number above 0"));
            }
            tuning_point.step = Some(*step.get_ref());
        }
    }
    Ok(tuning_points)
}

fn checked_range(file: &str, range: &Spanned<[f64; 2]>, within: Option<(f64, f64)>) -> Result<(f64, f64), Mistake> {
    let [low, high] = *range.get_ref();
    let at = |what: String| Err(Mistake::at(file, range.span().start, what));
    if !(low.is_finite() && high.is_finite() && low <= high) {
        return at("a range is [smallest, largest], two numbers".into());
    }
    match within {
        Some((least, most)) if low < least || high > most => {
            at(format!("the range goes beyond the {least}..{most} that its line of `points` allows"))
        }
        _ => Ok((low, high)),
    }
}

fn objective(file: &str, raw: &RawObjective) -> Result<Objective, Mistake> {
    match (&raw.minimise, &raw.maximise) {
        (Some(_), Some(both)) => {
            Err(Mistake::at(file, both.span().start, "an objective has `minimise` or `maximise`, not both"))
        }
        (Some(text), None) | (None, Some(text)) => Ok(Objective {
            text: Embedded::new(file, text),
            maximise: raw.maximise.is_some(),
            by_default: text.get_ref().trim() == "iteration_s" && raw.maximise.is_none(),
        }),
        (None, None) => {
            let text = Embedded::within(file, 0..0, "iteration_s".into());
            Ok(Objective { text, maximise: false, by_default: true })
        }
    }
}

impl RawLimits {
    fn checked(&self, file: &str) -> Result<Limits, Mistake> {
        let wrong = |at: usize, what: String| Err(Mistake::at(file, at, what));
        if let Some(gain) = self.min_gain.as_ref().filter(|gain| !(0.0..1.0).contains(gain.get_ref())) {
            return wrong(gain.span().start, "min_gain is a share from 0 to below 1".into());
        }
        let watched = self.watched_iterations.as_ref();
        if let Some(watched) = watched.filter(|n| !(1..=limits::WATCHED).contains(n.get_ref())) {
            return wrong(watched.span().start, format!("watched_iterations is 1 to {}", limits::WATCHED));
        }
        if let Some(failures) = self.failures.as_ref().filter(|n| !(1..=limits::FAILURES).contains(n.get_ref())) {
            return wrong(failures.span().start, format!("failures is 1 to {}", limits::FAILURES));
        }
        let number = |n: &Option<Spanned<u64>>, or: u64| n.as_ref().map_or(or, |n| *n.get_ref());
        Ok(Limits {
            cool_down_iterations: number(&self.cool_down_iterations, 1),
            watched_iterations: number(&self.watched_iterations, 2),
            min_gain: self.min_gain.as_ref().map_or(0.0, |gain| *gain.get_ref()),
            max_changes: self.max_changes.as_ref().map(|n| *n.get_ref()),
            failures: self.failures.as_ref().map_or(5, |n| *n.get_ref()),
        })
    }
}

fn decides(file: &str, script: Option<&Spanned<String>>, rules: &[Spanned<RawRule>]) -> Result<Decides, Mistake> {
    match (script, rules) {
        (Some(_), [first, ..]) => {
            Err(Mistake::at(file, first.span().start, "a file has a `script` or rules, not both"))
        }
        (Some(script), []) => Ok(Decides::Script(Embedded::new(file, script))),
        (None, []) => {
            let what = "nothing says how to decide: the file needs `script = '''…'''` or [[rule]] sections";
            Err(Mistake { line: 1, column: 1, what: what.into() })
        }
        (None, _) => {
            if let Some(beyond) = rules.get(limits::RULES) {
                let what = format!("at most {} rules are allowed", limits::RULES);
                return Err(Mistake::at(file, beyond.span().start, what));
            }
            Ok(Decides::Rules(rules.iter().map(|rule| rule.get_ref().read(file)).collect()))
        }
    }
}

impl RawRule {
    fn read(&self, file: &str) -> Rule {
        let expression = |value: &Spanned<toml::Value>| {
            let text = match value.get_ref() {
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Embedded::within(file, value.span(), text)
        };
        let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| Embedded::new(file, text));
        Rule {
            when: Embedded::new(file, &self.when),
            set: self.set.iter().map(|(label, value)| (label.get_ref().clone(), expression(value))).collect(),
            predict_s: text(&self.predict_s),
            predict: text(&self.predict),
            why: self.why.clone(),
        }
    }
}
