//! Creates tunlets by name.

use crate::Tunlet;
use crate::auto::Auto;
use crate::confidence::Confidence;
use crate::coordinator::{Clash, Coordinator};
use crate::divide_conquer::DivideConquer;
use crate::instances::Instances;
use crate::master_worker::{Limits, MasterWorker, Mode};
use crate::options::{Objective, TuningOptions};
use crate::pipeline::{Grouping, Pipeline};
use crate::scripted::{self, Mistake, Scripted};
use crate::search::SearchTunlet;
use midrun_scheduling::Technique;

/// Most tunlets of one job, acting and advising.
pub const MOST: usize = 8;

/// An option that cannot be met. The text says what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no tunlet of this name.
    #[error("one of the tunlets: auto master_worker divide_conquer pipeline search, or a file: FILE.toml")]
    Tunlet(String),
    /// More tunlets than can be looked after.
    #[error("at most {0} tunlets")]
    Many(usize),
    /// The text of a file is missing.
    #[error("a built-in tunlet: {0} is a file, and its text is not here (midrun run --tunlet brings it along)")]
    NoText(String),
    /// There is a mistake in a file.
    #[error("{0}, {1}")]
    File(String, Mistake),
    /// The tunlets cannot work together.
    #[error(transparent)]
    Clash(#[from] Clash),
    /// The tunlet has no such technique.
    #[error("one of the techniques: auto {}, or for a pipeline replicate, group or farm", Technique::ALL.map(Technique::name).join(" "))]
    Technique,
    /// There is no such objective.
    #[error("{}", Objective::ALLOWED)]
    Objective,
    /// There is no such confidence level.
    #[error("{}", Confidence::ALLOWED)]
    Confidence,
    /// The options of the search are wrong.
    #[error("{0}")]
    Search(String),
    /// Search options given to another tunlet.
    #[error("search or auto where something is to be searched")]
    SearchTunlet,
    /// The smallest number of workers exceeds the largest.
    #[error("{0} or fewer, as max_workers says")]
    MinWorkers(u32),
}

/// Creates the requested tunlets, combined into one.
///
/// # Errors
/// An option that cannot be met; the error says what is allowed.
pub fn create(options: &TuningOptions) -> Result<Box<dyn Tunlet>, OptionError> {
    let (names, shadows) = (listed(&options.tunlet), listed(&options.shadow));
    if names.len() + shadows.len() > MOST {
        return Err(OptionError::Many(MOST));
    }
    if let ([name], []) = (names.as_slice(), shadows.as_slice()) {
        return one(name, options);
    }
    // A fixed technique leaves nothing to advise: shadows may choose any.
    let free = TuningOptions { technique: "auto".into(), search: Default::default(), ..options.clone() };
    let acting = names.iter().map(|name| one(name, options)).collect::<Result<Vec<_>, _>>()?;
    let advising = shadows.iter().map(|name| one(name, &free)).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(Coordinator::new(acting, advising)?))
}

/// The names in a list, separated by commas.
pub fn listed(names: &str) -> Vec<&str> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// One tunlet by its name.
fn one(name: &str, options: &TuningOptions) -> Result<Box<dyn Tunlet>, OptionError> {
    if !scripted::is_file(name) {
        return built_in(&TuningOptions { tunlet: name.to_owned(), ..options.clone() });
    }
    let file = options.files.iter().find(|file| file.name == name);
    let file = file.ok_or_else(|| OptionError::NoText(name.to_owned()))?;
    let read = Scripted::read(&file.text).map_err(|mistake| OptionError::File(name.to_owned(), mistake))?;
    Ok(Box::new(read.at(confidence(options)?)))
}

fn confidence(options: &TuningOptions) -> Result<Confidence, OptionError> {
    Confidence::new(options.confidence).ok_or(OptionError::Confidence)
}

fn built_in(options: &TuningOptions) -> Result<Box<dyn Tunlet>, OptionError> {
    let objective = Objective::parse(&options.objective).ok_or(OptionError::Objective)?;
    let confidence = confidence(options)?;
    let limits = Limits { min: options.min_workers, max: options.max_workers, step: options.worker_step };
    if limits.max > 0 && limits.min > limits.max {
        return Err(OptionError::MinWorkers(limits.max));
    }
    let grouping = grouping(&options.technique);
    let mode = match options.technique.as_str() {
        "auto" => Some(Mode::Auto),
        name => Technique::parse(name).map(Mode::Fixed),
    };
    let search = || SearchTunlet::new(&options.search, confidence).map_err(OptionError::Search);
    if !options.search.points.is_empty() {
        return match options.tunlet.as_str() {
            "search" | "auto" => Ok(Box::new(search()?)),
            _ => Err(OptionError::SearchTunlet),
        };
    }
    let pipeline = |grouping| Pipeline::new(objective, confidence, grouping, limits.max);
    let master_worker = move |mode| MasterWorker::new(mode, objective, confidence, limits);
    let each = move |mode| Instances::new(move || master_worker(mode));
    let divide_conquer =
        move |mode| Instances::new(move || DivideConquer::new(master_worker(mode), objective, confidence));
    match options.tunlet.as_str() {
        "master_worker" => Ok(Box::new(each(mode.ok_or(OptionError::Technique)?))),
        "divide_conquer" => Ok(Box::new(divide_conquer(mode.ok_or(OptionError::Technique)?))),
        "search" => Ok(Box::new(search()?)),
        "pipeline" => Ok(Box::new(pipeline(grouping.ok_or(OptionError::Technique)?))),
        // A technique of the one says nothing about the other.
        "auto" if mode.is_none() && grouping.is_none() => Err(OptionError::Technique),
        "auto" => Ok(Box::new(Auto::new(
            divide_conquer(mode.unwrap_or(Mode::Auto)),
            pipeline(grouping.unwrap_or(Grouping::Single)),
        ))),
        name => Err(OptionError::Tunlet(name.to_owned())),
    }
}

/// `replicate`: stages stay on ranks of their own; `group`, and `auto`: neighbours may also share one; `farm`: neighbours
/// may share several, in the end all stages all ranks.
fn grouping(technique: &str) -> Option<Grouping> {
    match technique {
        "auto" | "group" => Some(Grouping::Single),
        "replicate" => Some(Grouping::None),
        "farm" => Some(Grouping::Any),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TunletFile;

    #[test]
    fn tunlets_that_simulate_iterations_are_shown_short_ones_together() {
        let joins = |tunlet: &str| {
            let options = TuningOptions { tunlet: tunlet.into(), ..TuningOptions::default() };
            create(&options).unwrap().joins_short_iterations()
        };
        assert!(joins("auto") && joins("master_worker") && joins("divide_conquer"));
        assert!(!joins("pipeline"));
    }

    #[test]
    fn every_tunlet_takes_its_own_techniques() {
        for (tunlet, technique, good) in [
            ("auto", "auto", true),
            ("auto", "fsc", true),
            ("auto", "farm", true),
            ("master_worker", "fsc", true),
            ("master_worker", "farm", false),
            ("pipeline", "replicate", true),
            ("pipeline", "group", true),
            ("pipeline", "fsc", false),
        ] {
            let options =
                TuningOptions { tunlet: tunlet.into(), technique: technique.into(), ..TuningOptions::default() };
            assert_eq!(create(&options).is_ok(), good, "{tunlet} {technique}");
        }
    }

    #[test]
    fn unknown_names_are_refused_with_those_that_exist() {
        let good = TuningOptions::default();
        let error = |options: TuningOptions| create(&options).err().map(|e| e.to_string()).unwrap_or_default();
        let tunlets = "one of the tunlets: auto master_worker divide_conquer pipeline search, or a file: FILE.toml";
        assert_eq!(error(TuningOptions { tunlet: "nobody".into(), ..good.clone() }), tunlets);
        let techniques = "one of the techniques: auto none ss fsc gss fac2 dpf daf af tss mfsc awf-b awf-c, or for a pipeline replicate, group or farm";
        assert_eq!(error(TuningOptions { technique: "fastest".into(), ..good.clone() }), techniques);
        assert!(
            error(TuningOptions { objective: "fast".into(), ..good.clone() })
                .contains("efficiency, time, budget:WORKERS")
        );
        assert_eq!(error(TuningOptions { confidence: 95.0, ..good.clone() }), "a number above 0.5 and below 1");
        assert_eq!(error(TuningOptions { min_workers: 9, max_workers: 4, ..good }), "4 or fewer, as max_workers says");
    }

    #[test]
    fn tunlets_are_named_in_lists_and_their_files_come_along() {
        let file = |name: &str, text: &str| TunletFile { name: name.into(), text: text.into() };
        let own = file("./own.toml", "name = 'own'\nscript = '()'");
        let options = |tunlet: &str, shadow: &str| TuningOptions {
            tunlet: tunlet.into(),
            shadow: shadow.into(),
            files: vec![own.clone(), file("bad.toml", "nam = 1")],
            ..TuningOptions::default()
        };
        let name = |tunlet, shadow| create(&options(tunlet, shadow)).map(|tunlet| tunlet.name().to_owned());
        assert_eq!(name("auto, ./own.toml", "master_worker"), Ok("auto+own".into()));
        assert_eq!(name("./own.toml", ""), Ok("own".into()));
        assert!(create(&TuningOptions { technique: "fsc".into(), ..options("master_worker", "pipeline") }).is_ok());
        let refused = |tunlet, shadow| name(tunlet, shadow).unwrap_err().to_string();
        assert!(refused("bad.toml", "").starts_with("bad.toml, line 1, column 1: unknown field `nam`"));
        assert!(refused("auto,master_worker", "").contains("auto and master_worker may both turn mw.technique"));
        assert!(refused("other.toml", "").contains("other.toml is a file, and its text is not here"));
        assert!(refused("", "auto").contains("nobody acts"));
        assert!(refused(&"auto,".repeat(9), "").contains("at most 8"));
    }
}
