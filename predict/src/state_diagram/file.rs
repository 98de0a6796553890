//! The text format of state diagrams: a built-in shape, or processes with their stages and whom they wait for.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Diagram, DiagramError, MOST_PROCESSES, Time};
use crate::description::{DescriptionError, parse};

/// The whole text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Spanned<ShapeName>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Spanned<TimeFile>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    process: Vec<Spanned<ProcessFile>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ShapeName {
    ManagerWorkers,
    CommunicatingSequentialElements,
}

/// One process of a free precedence.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessFile {
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    waits_for: Vec<Spanned<String>>,
    stages: Vec<Spanned<TimeFile>>,
}

/// A stage's time, and whom it waits for if that differs from its process.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variance_s2: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    erlang: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<Vec<Spanned<String>>>,
}

impl TimeFile {
    /// The time that is meant.
    fn time(&self) -> Result<Time, DiagramError> {
        match (self.mean_s, self.variance_s2, self.erlang, self.rate_per_s) {
            (Some(mean_s), Some(variance_s2), None, None) => Time::new(mean_s, variance_s2),
            (Some(mean_s), None, Some(k), None) => Time::erlang(mean_s, k),
            (None, None, None, Some(rate_per_s)) => Time::exponential(rate_per_s),
            _ => Err(DiagramError::Shape(
                "a time is mean_s with either variance_s2 (0 = fixed) or erlang (1 = exponential), or rate_per_s alone"
                    .into(),
            )),
        }
    }
}

impl Diagram {
    /// Reads a description.
    ///
    /// # Errors
    /// A sentence with line and column of the first mistake.
    ///
    /// ```
    /// use midrun_predict::state_diagram::Diagram;
    /// let text = r#"
    ///     shape = "communicating-sequential-elements"
    ///     processes = 4
    ///     stages = 3
    ///     time = { mean_s = 0.01, erlang = 4 }
    /// "#;
    /// assert_eq!(Diagram::from_toml(text)?.waits(1, 1), [0, 2]);
    /// let error = Diagram::from_toml("shape = \"ring\"").unwrap_err();
    /// assert!(error.to_string().starts_with("line 1, column 9"), "{error}");
    /// # Ok::<(), midrun_predict::description::DescriptionError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Diagram, DescriptionError> {
        let file: File = parse(text)?;
        match &file.shape {
            Some(shape) => built_in(text, &file, shape),
            None => free(text, &file),
        }
    }

    /// A description that reads back as the same diagram; the processes are called `p0`, `p1`, ….
    pub fn to_toml(&self) -> String {
        let spanned = |name: String| Spanned::new(0..0, name);
        let waits = |p: usize, s: usize| {
            self.waits(p, s).iter().filter(|&&q| q != p).map(|q| spanned(format!("p{q}"))).collect::<Vec<_>>()
        };
        let stage = |p: usize, s: usize, time: &Time| TimeFile {
            mean_s: Some(time.mean_s()),
            variance_s2: Some(time.variance_s2()),
            erlang: None,
            rate_per_s: None,
            waits_for: (s > 0).then(|| waits(p, s)),
        };
        let process = |p: usize| ProcessFile {
            name: format!("p{p}"),
            waits_for: Vec::new(),
            stages: self.times(p).iter().enumerate().map(|(s, t)| Spanned::new(0..0, stage(p, s, t))).collect(),
        };
        let process = (0..self.processes()).map(|p| Spanned::new(0..0, process(p))).collect();
        let file = File { shape: None, processes: None, stages: None, time: None, process };
        // Only numbers and names, which TOML always accepts.
        toml::to_string(&file).unwrap_or_default()
    }
}

fn built_in(text: &str, file: &File, shape: &Spanned<ShapeName>) -> Result<Diagram, DescriptionError> {
    let wrong = |sentence: &str| DescriptionError::at(text, shape.span(), sentence);
    if !file.process.is_empty() {
        return Err(wrong("a shape has its processes already: leave out either shape or the [[process]] tables"));
    }
    let (Some(processes), Some(stages), Some(time)) = (file.processes, file.stages, &file.time) else {
        return Err(wrong("a shape needs processes, stages and time"));
    };
    let in_time = |sentence: String| DescriptionError::at(text, time.span(), sentence);
    if time.get_ref().waits_for.is_some() {
        return Err(in_time("who waits for whom follows from the shape: leave out waits_for".into()));
    }
    let time = time.get_ref().time().map_err(|error| in_time(error.to_string()))?;
    let (processes, stages) = (processes as usize, stages as usize);
    match shape.get_ref() {
        ShapeName::ManagerWorkers => Diagram::manager_workers(processes, stages, time),
        ShapeName::CommunicatingSequentialElements => {
            Diagram::communicating_sequential_elements(processes, stages, time)
        }
    }
    .map_err(|error| wrong(&error.to_string()))
}

fn free(text: &str, file: &File) -> Result<Diagram, DescriptionError> {
    if file.processes.is_some() || file.stages.is_some() || file.time.is_some() || file.process.is_empty() {
        let sentence = "give a shape (manager-workers or communicating-sequential-elements) with processes, stages and time, \
                        or [[process]] tables";
        return Err(DescriptionError::at(text, 0..0, sentence));
    }
    if file.process.len() > MOST_PROCESSES {
        let sentence = format!("{} processes, allowed is 1 to {MOST_PROCESSES}", file.process.len());
        return Err(DescriptionError::at(text, 0..0, sentence));
    }
    let mut numbers = HashMap::new();
    for (number, process) in file.process.iter().enumerate() {
        let name = process.get_ref().name.as_str();
        if numbers.insert(name, number).is_some() {
            return Err(DescriptionError::at(text, process.span(), format!("two processes are called `{name}`")));
        }
    }
    let (mut times, mut waits) = (Vec::new(), Vec::new());
    for process in &file.process {
        let process = process.get_ref();
        let mut of_stages = Vec::new();
        for stage in &process.stages {
            let wrong = |error: DiagramError| DescriptionError::at(text, stage.span(), error.to_string());
            of_stages.push(stage.get_ref().time().map_err(wrong)?);
        }
        times.push(of_stages);
        let named = process.stages.iter().map(|stage| stage.get_ref().waits_for.as_ref().unwrap_or(&process.waits_for));
        let number = |name: &Spanned<String>| {
            let unknown = || {
                let sentence = format!("there is no process `{}` to wait for", name.get_ref());
                DescriptionError::at(text, name.span(), sentence)
            };
            numbers.get(name.get_ref().as_str()).copied().ok_or_else(unknown)
        };
        let lists: Result<Vec<Vec<usize>>, _> = named.map(|list| list.iter().map(number).collect()).collect();
        waits.push(lists?);
    }
    Diagram::new(times, waits).map_err(|error| DescriptionError::at(text, 0..0, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FREE: &str = r#"
[[process]]
name = "reader"
stages = [{ rate_per_s = 2 }, { mean_s = 1.0, erlang = 2 }]

[[process]]
name = "solver"
waits_for = ["reader"]
stages = [{ mean_s = 1.0, variance_s2 = 0 }, { mean_s = 1.0, erlang = 1, waits_for = [] }, { rate_per_s = 1.0 }]
"#;

    fn error(text: &str) -> String {
        Diagram::from_toml(text).unwrap_err().to_string()
    }

    #[test]
    fn free_precedence_is_read_with_the_waits_of_each_stage() {
        let diagram = Diagram::from_toml(FREE).unwrap();
        assert_eq!((diagram.processes(), diagram.times(0)[0].mean_s(), diagram.times(1).len()), (2, 0.5, 3));
        assert_eq!((diagram.waits(0, 1), diagram.waits(1, 1), diagram.waits(1, 2)), (&[][..], &[][..], &[0][..]));
    }

    #[test]
    fn a_mistake_is_one_sentence_with_its_place() {
        let shape = |time: &str| format!("shape = \"manager-workers\"\nprocesses = 2\nstages = 2\ntime = {time}\n");
        for (text, parts) in [
            (shape("{ rate_per_s = 0 }"), &["line 4, column 8", "the rate is 0", "above 0"][..]),
            (shape("{ rate_per_s = -1.5 }"), &["line 4", "the rate is -1.5"]),
            (shape("{ rate_per_s = nan }"), &["line 4", "the rate is NaN"]),
            (shape("{ mean_s = 0, erlang = 2 }"), &["line 4", "the mean is 0"]),
            (shape("{ mean_s = 1, erlang = 0 }"), &["line 4", "phases is 0", "at least 1"]),
            (shape("{ mean_s = 1, variance_s2 = -1 }"), &["line 4", "the variance is -1"]),
            (shape("{ mean_s = inf, erlang = 1 }"), &["line 4", "the mean is inf"]),
            (shape("{ mean_s = 1 }"), &["line 4", "erlang", "rate_per_s"]),
            (shape("{ mean = 1 }"), &["line 4, column 10", "unknown field `mean`", "mean_s"]),
            (shape("{ rate_per_s = 1, waits_for = [] }"), &["line 4", "leave out waits_for"]),
            (shape("{ rate_per_s = 1 }").replace("= 2\nst", "= 0\nst"), &["processes is 0", "1 to 256"]),
            (shape("{ rate_per_s = 1 }") + FREE, &["line 1", "leave out either"]),
            (FREE.replace("\"reader\"]", "\"raeder\"]"), &["line 8, column 14", "no process `raeder`"]),
            (FREE.replace("\"solver\"", "\"reader\""), &["line 6", "two processes are called `reader`"]),
            (FREE.replace("name = \"solver\"", ""), &["line 6", "missing field `name`"]),
            ("shape = \"ring\"".into(), &["line 1, column 9", "`ring`", "manager-workers"]),
            ("shape = \"manager-workers\"".into(), &["line 1", "processes, stages and time"]),
            (String::new(), &["[[process]]", "manager-workers"]),
            ("= 3".into(), &["line 1, column 1"]),
        ] {
            let sentence = error(&text);
            assert!(parts.iter().all(|part| sentence.contains(part)), "{text}\n{sentence}: {parts:?}");
            assert!(!sentence.contains('\n'));
        }
    }

    fn any_diagram() -> impl Strategy<Value = Diagram> {
        let time =
            (1e-9..1e9_f64, 0.0..1e9_f64).prop_map(|(mean_s, variance_s2)| Time::new(mean_s, variance_s2).unwrap());
        let stage = (time, proptest::collection::vec(0_usize..4, 0..4));
        let process = proptest::collection::vec(stage, 1..5);
        proptest::collection::vec(process, 4..=4).prop_map(|processes| {
            let (times, waits) = processes.into_iter().map(|stages| stages.into_iter().unzip()).unzip();
            Diagram::new(times, waits).unwrap()
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same(diagram in any_diagram()) {
            prop_assert_eq!(Diagram::from_toml(&diagram.to_toml()).unwrap(), diagram);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC*") {
            let _ = Diagram::from_toml(&text);
        }

        #[test]
        fn no_change_of_a_good_text_makes_the_reader_panic(at in 0_usize..300, with in "\\PC{0,3}", cut in 0_usize..5) {
            let mut text: Vec<char> = FREE.chars().collect();
            let at = at.min(text.len());
            text.splice(at..(at + cut).min(text.len()), with.chars());
            let _ = Diagram::from_toml(&text.into_iter().collect::<String>());
        }
    }
}
