//! Checks a job before it starts: refuses a command that cannot work, and finds the library to preload.

use std::path::{Path, PathBuf};

use midrun_tunlets::TuningOptions;

use super::points::Points;
use crate::launch::command_line::{CommandLine, resolve};
use crate::launch::mpi::{self, Flavour, Linkage};
use crate::settings::RunSettings;
use crate::usage::{say, usage};

/// Result of the checks: what the job needs at its start.
#[derive(Clone, Debug)]
pub struct Plan {
    /// libmidrun to preload into the ranks; `None` if the programs are linked with it.
    pub preload: Option<PathBuf>,
    /// Measure points and tuning points in a program that was not written for midrun.
    pub points: Option<Points>,
}

/// Checks the command.
///
/// # Errors
/// A [`crate::usage::Usage`]: a missing program, no MPI, two MPIs mixed, or no libmidrun for the MPI.
pub fn check(line: &CommandLine, settings: &RunSettings) -> anyhow::Result<Plan> {
    programs_are_there(line)?;
    let linked = line.apps.iter().map(|app| {
        let linkage = app.path.as_deref().and_then(mpi::linkage);
        (line.words.get(app.at).cloned().unwrap_or_default(), linkage)
    });
    let linked: Vec<(String, Option<Linkage>)> = linked.collect();
    let flavour = one_mpi(line, &linked)?;
    if line.has_no_worker() {
        say("the command starts one rank, so there is no worker to compute tasks: use -n 2 or more");
    }
    let brings_it = |linkage: &Option<Linkage>| linkage.as_ref().is_some_and(|linkage| linkage.has_midrun);
    if !linked.is_empty() && linked.iter().all(|(_, linkage)| brings_it(linkage)) {
        return Ok(Plan { preload: None, points: None });
    }
    match mpi::library(flavour, settings.library_dir.as_deref()) {
        Ok(library) => Ok(Plan { preload: Some(library), points: None }),
        Err(places) => usage(format!(
            "there is no libmidrun for {} (looked for {}): build it with MPICC set to that MPI's compiler: MPICC=mpicc deploy/build",
            flavour.name(),
            list(&places),
        )),
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

/// The MPI that launcher and programs share.
fn one_mpi(line: &CommandLine, linked: &[(String, Option<Linkage>)]) -> anyhow::Result<Flavour> {
    let mut of_programs: Option<(Flavour, String)> = None;
    for (word, linkage) in linked {
        let Some(linkage) = linkage else { continue };
        if linkage.standard_abi && linkage.mpi.is_none() {
            return usage(format!(
                "{word} is linked with MPI's standard ABI (libmpi_abi), for which there is no libmidrun: link it with Open MPI or MPICH itself"
            ));
        }
        let Some((flavour, library)) = &linkage.mpi else { continue };
        let this = format!("{word} is linked with {} ({library})", flavour.name());
        if let Some((_, that)) = of_programs.as_ref().filter(|(other, _)| other != flavour) {
            return usage(format!("two MPIs are mixed: {that}, but {this}; build both with the same mpicc"));
        }
        of_programs = Some((*flavour, this));
    }
    let launcher = line.launcher.as_ref();
    let of_launcher = launcher.and_then(|launcher| launcher.version.mpi);
    if let (Some(launcher), Some(mpi), Some((flavour, this))) = (launcher, of_launcher, &of_programs)
        && mpi != *flavour
    {
        return usage(format!(
            "two MPIs are mixed: {} is {}, but {this}; start it with {}'s mpirun",
            line.words[launcher.at],
            launcher.version.version,
            flavour.name(),
        ));
    }
    let of_path = || resolve("mpirun").and_then(|path| mpi::launcher_version(&path).mpi);
    match of_programs.map(|(flavour, _)| flavour).or(of_launcher).or_else(of_path) {
        Some(flavour) => Ok(flavour),
        None => usage(
            "no MPI found: neither the command nor an mpirun on PATH is of Open MPI or MPICH; load your site's MPI module or install one",
        ),
    }
}

fn list(places: &[PathBuf]) -> String {
    let places: Vec<String> = places.iter().map(|place: &PathBuf| Path::display(place).to_string()).collect();
    places.join(", ")
}
