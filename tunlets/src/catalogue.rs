//! The tunlets there are, by name.

use crate::Tunlet;
use crate::auto::Auto;
use crate::coordinator::Coordinator;
use crate::master_worker::{Limits, MasterWorker, Mode};
use crate::outside::{self, Outside};
use crate::pipeline::{Grouping, Pipeline};
use crate::search::SearchTunlet;
use crate::wishes::{Objective, WishError, Wishes};
use midrun_handout::PolicyKind;

/// Most tunlets of one job, acting and advising.
pub const MOST: usize = 8;

/// The tunlets that are wished for, as one.
///
/// # Errors
/// A wish that cannot be met; the error says what could.
pub fn create(wishes: &Wishes) -> Result<Box<dyn Tunlet>, WishError> {
    let (names, shadows) = (listed(&wishes.tunlet), listed(&wishes.shadow));
    if names.len() + shadows.len() > MOST {
        return Err(WishError::Many(MOST));
    }
    if let ([name], []) = (names.as_slice(), shadows.as_slice()) {
        return one(name, wishes);
    }
    // A policy that is kept leaves nothing to advise: those who advise may think of any.
    let free = Wishes { policy: "auto".into(), search: Default::default(), ..wishes.clone() };
    let acting = names.iter().map(|name| one(name, wishes)).collect::<Result<Vec<_>, _>>()?;
    let advising = shadows.iter().map(|name| one(name, &free)).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(Coordinator::new(acting, advising)?))
}

/// The names in a list, separated by commas.
pub fn listed(names: &str) -> Vec<&str> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// One tunlet by its name.
fn one(name: &str, wishes: &Wishes) -> Result<Box<dyn Tunlet>, WishError> {
    if !outside::is_file(name) {
        return built_in(&Wishes { tunlet: name.to_owned(), ..wishes.clone() });
    }
    let file = wishes.files.iter().find(|file| file.name == name);
    let file = file.ok_or_else(|| WishError::NoText(name.to_owned()))?;
    let read = Outside::read(&file.text).map_err(|mistake| WishError::File(name.to_owned(), mistake))?;
    Ok(Box::new(read))
}

fn built_in(wishes: &Wishes) -> Result<Box<dyn Tunlet>, WishError> {
    let objective = Objective::parse(&wishes.objective).ok_or(WishError::Objective)?;
    let limits = Limits { min: wishes.min_workers, max: wishes.max_workers, step: wishes.worker_step };
    if limits.max > 0 && limits.min > limits.max {
        return Err(WishError::MinWorkers(limits.max));
    }
    let grouping = grouping(&wishes.policy);
    let mode = match wishes.policy.as_str() {
        "auto" => Some(Mode::Auto),
        name => PolicyKind::parse(name).map(Mode::Fixed),
    };
    let search = || SearchTunlet::new(&wishes.search).map_err(WishError::Search);
    if !wishes.search.points.is_empty() {
        return match wishes.tunlet.as_str() {
            "search" | "auto" => Ok(Box::new(search()?)),
            _ => Err(WishError::SearchTunlet),
        };
    }
    let pipeline = |grouping| Pipeline::new(objective, grouping, limits.max);
    match wishes.tunlet.as_str() {
        "master_worker" => Ok(Box::new(MasterWorker::new(mode.ok_or(WishError::Policy)?, objective, limits))),
        "search" => Ok(Box::new(search()?)),
        "pipeline" => Ok(Box::new(pipeline(grouping.ok_or(WishError::Policy)?))),
        // A policy of the one says nothing about the other.
        "auto" if mode.is_none() && grouping.is_none() => Err(WishError::Policy),
        "auto" => Ok(Box::new(Auto::new(
            MasterWorker::new(mode.unwrap_or(Mode::Auto), objective, limits),
            pipeline(grouping.unwrap_or(Grouping::Single)),
        ))),
        _ => Err(WishError::Tunlet),
    }
}

/// `replicate`: stages stay on ranks of their own; `group`, and `auto`: neighbours may also share one; `farm`: neighbours
/// may share several, in the end all stages all ranks.
fn grouping(policy: &str) -> Option<Grouping> {
    match policy {
        "auto" | "group" => Some(Grouping::Single),
        "replicate" => Some(Grouping::None),
        "farm" => Some(Grouping::Any),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wishes::TunletFile;

    #[test]
    fn every_tunlet_takes_its_own_policies() {
        for (tunlet, policy, good) in [
            ("auto", "auto", true),
            ("auto", "fsc", true),
            ("auto", "farm", true),
            ("master_worker", "fsc", true),
            ("master_worker", "farm", false),
            ("pipeline", "replicate", true),
            ("pipeline", "group", true),
            ("pipeline", "fsc", false),
        ] {
            let wishes = Wishes { tunlet: tunlet.into(), policy: policy.into(), ..Wishes::default() };
            assert_eq!(create(&wishes).is_ok(), good, "{tunlet} {policy}");
        }
    }

    #[test]
    fn unknown_names_are_refused_with_those_that_exist() {
        let good = Wishes::default();
        let error = |wishes: Wishes| create(&wishes).err().map(|e| e.to_string()).unwrap_or_default();
        let tunlets = "one of the tunlets: auto master_worker pipeline search, or a file: FILE.toml";
        assert_eq!(error(Wishes { tunlet: "nobody".into(), ..good.clone() }), tunlets);
        let policies =
            "one of the policies: auto none ss fsc gss fac2 dpf daf af, or for a pipeline replicate, group or farm";
        assert_eq!(error(Wishes { policy: "fastest".into(), ..good.clone() }), policies);
        assert!(
            error(Wishes { objective: "fast".into(), ..good.clone() }).contains("efficiency, time, budget:WORKERS")
        );
        assert_eq!(error(Wishes { min_workers: 9, max_workers: 4, ..good }), "4 or fewer, as max_workers says");
    }

    #[test]
    fn tunlets_are_named_in_lists_and_their_files_come_along() {
        let file = |name: &str, text: &str| TunletFile { name: name.into(), text: text.into() };
        let own = file("./own.toml", "name = 'own'\nscript = '()'");
        let wishes = |tunlet: &str, shadow: &str| Wishes {
            tunlet: tunlet.into(),
            shadow: shadow.into(),
            files: vec![own.clone(), file("bad.toml", "nam = 1")],
            ..Wishes::default()
        };
        let name = |tunlet, shadow| create(&wishes(tunlet, shadow)).map(|tunlet| tunlet.name().to_owned());
        assert_eq!(name("auto, ./own.toml", "master_worker"), Ok("auto+own".into()));
        assert_eq!(name("./own.toml", ""), Ok("own".into()));
        assert!(create(&Wishes { policy: "fsc".into(), ..wishes("master_worker", "pipeline") }).is_ok());
        let refused = |tunlet, shadow| name(tunlet, shadow).unwrap_err().to_string();
        assert!(refused("bad.toml", "").starts_with("bad.toml, line 1, column 1: unknown field `nam`"));
        assert!(refused("auto,master_worker", "").contains("auto and master_worker may both turn mw.policy"));
        assert!(refused("other.toml", "").contains("other.toml is a file, and its text is not here"));
        assert!(refused("", "auto").contains("nobody acts"));
        assert!(refused(&"auto,".repeat(9), "").contains("at most 8"));
    }
}
