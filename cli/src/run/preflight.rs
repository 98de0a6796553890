//! Checks a job before it starts: refuses a command that cannot start, and finds out whether midrun can tune it.

use std::path::{Path, PathBuf};

use midrun_tunlets::TuningOptions;

use super::points::Points;
use crate::launch::command_line::{CommandLine, resolve};
use crate::launch::mpi::{self, Flavour, Linkage};
use crate::settings::RunSettings;
use crate::usage::{say, usage};

/// Result of the checks: what the job needs at its start.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Library to preload into a program without a launcher; `None` if the static libmidrun is linked with it.
    pub preload: Option<PathBuf>,
    /// Why midrun cannot tune the job: the command runs as it is.
    pub untuned: Option<String>,
    /// Measure points and tuning points in a program that was not written for midrun.
    pub points: Option<Points>,
    /// Programs that are linked with no MPI. They may load one, as Python does.
    pub without_mpi: Vec<String>,
}

/// Checks the command. What keeps midrun from tuning it is said in one sentence, and refused where the settings are strict.
///
/// # Errors
/// A [`crate::usage::Usage`]: a missing launcher or program, or with `strict` a job that midrun cannot tune.
pub fn check(line: &CommandLine, settings: &RunSettings) -> anyhow::Result<Plan> {
    programs_are_there(line)?;
    if line.has_no_worker() {
        say("the command starts one rank: a master has no worker to compute its tasks there; use -n 2 or more");
    }
    let linked: Vec<(&str, Linkage)> = line
        .apps
        .iter()
        .filter_map(|app| {
            let linkage = app.path.as_deref().and_then(mpi::linkage)?;
            Some((line.words.get(app.at)?.as_str(), linkage))
        })
        .collect();
    if let Some(mixed) = mixed_mpis(line, &linked) {
        if settings.strict {
            return usage(mixed);
        }
        say(mixed);
    }
    match library(line, &linked, settings) {
        Ok(preload) => {
            let without = linked.iter().filter(|(_, linkage)| *linkage == Linkage::default());
            Ok(Plan { preload, without_mpi: without.map(|(word, _)| (*word).to_owned()).collect(), ..Plan::default() })
        }
        Err(obstacle) if settings.strict => usage(obstacle),
        Err(obstacle) => {
            say(format!("{obstacle}; the job runs untuned"));
            Ok(Plan { untuned: Some(obstacle), ..Plan::default() })
        }
    }
}

/// Warns of limits that the job cannot keep because it has fewer workers.
pub fn warn_of_limits(line: &CommandLine, options: &TuningOptions) {
    let Some(workers) = line.workers().filter(|workers| *workers > 0) else { return };
    if options.min_workers > workers {
        say(format!("the command starts {workers} workers: min_workers = {} means all of them", options.min_workers));
    }
}

fn programs_are_there(line: &CommandLine) -> anyhow::Result<()> {
    if let Some(launcher) = line.launcher.as_ref().filter(|launcher| launcher.path.is_none()) {
        let word = &line.words[launcher.at];
        return usage(format!("{word} is not on PATH: load your site's MPI module, or install Open MPI or MPICH"));
    }
    let first = line.words.first().map(String::as_str).unwrap_or_default();
    if resolve(first).is_none() {
        return usage(format!("there is no program {first}: give its path, or a name on PATH"));
    }
    let missing = line.apps.iter().find(|app| app.certain && app.path.is_none());
    if let Some(word) = missing.and_then(|app| line.words.get(app.at)) {
        return usage(format!(
            "there is no program {word}, or it is not executable: is it built, and is this the right directory?"
        ));
    }
    Ok(())
}

/// The library that the ranks get, `None` if it is linked statically with them; or what keeps midrun from tuning them.
fn library(line: &CommandLine, linked: &[(&str, Linkage)], settings: &RunSettings) -> Result<Option<PathBuf>, String> {
    if let Some(why) = &line.obstacle {
        let launcher = line.launcher.as_ref().map_or("", |launcher| &line.words[launcher.at]);
        return Err(format!("the line of {launcher} is not understood: {why}"));
    }
    if linked.len() == line.apps.len() && linked.iter().all(|(_, linkage)| linkage.has_midrun) {
        return Ok(None);
    }
    let by_hand = settings.flavour();
    let unknown = linked.iter().find_map(|(word, linkage)| Some((word, linkage.unknown_mpi.as_ref()?, &linkage.mpi)));
    if let Some((word, library, None)) = unknown.filter(|_| by_hand.is_none()) {
        return Err(format!(
            "{word} is linked with {library}, an MPI that midrun does not know (--mpi says which known one it equals)"
        ));
    }
    let of_programs = linked.iter().find_map(|(_, linkage)| Some(linkage.mpi.as_ref()?.0));
    let flavour = by_hand.or(of_programs);
    let found = mpi::library(flavour, settings.library_dir.as_deref()).map_err(|places| match flavour {
        Some(flavour) => format!(
            "there is no libmidrun for {} (looked for {}): build it with MPICC set to that MPI's compiler: MPICC=mpicc deploy/build",
            flavour.name(),
            list(&places),
        ),
        None => format!(
            "the command does not say which MPI it uses, and the library that finds out is not there (looked for {}): build it with deploy/build",
            list(&places),
        ),
    })?;
    if mpi::is_whole(&found) { Ok(Some(found)) } else { Err(mpi::torn(&found)) }
}

/// Two MPIs in one line, so far as launcher and programs name them.
fn mixed_mpis(line: &CommandLine, linked: &[(&str, Linkage)]) -> Option<String> {
    let mut of_programs: Option<(Flavour, String)> = None;
    for (word, linkage) in linked {
        let Some((flavour, library)) = &linkage.mpi else { continue };
        let this = format!("{word} is linked with {} ({library})", flavour.name());
        if let Some((_, that)) = of_programs.as_ref().filter(|(other, _)| other != flavour) {
            return Some(format!("two MPIs are mixed: {that}, but {this}; build both with the same mpicc"));
        }
        of_programs = Some((*flavour, this));
    }
    let launcher = line.launcher.as_ref()?;
    let (flavour, this) = of_programs.filter(|(flavour, _)| *flavour != Flavour::Abi)?; // any launcher may have it
    let is_other = launcher.version.mpi.is_some_and(|mpi| mpi != flavour);
    is_other.then(|| {
        format!(
            "two MPIs are mixed: {} is {}, but {this}; start it with {}'s mpirun",
            line.words[launcher.at],
            launcher.version.version,
            flavour.name(),
        )
    })
}

fn list(places: &[PathBuf]) -> String {
    let places: Vec<String> = places.iter().map(|place: &PathBuf| Path::display(place).to_string()).collect();
    places.join(", ")
}
