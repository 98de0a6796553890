//! Rewrites the user's command so that every rank gets midrun's environment variables and library.

use std::path::Path;

use crate::launch::command_line::CommandLine;
use crate::launch::mpi::{Flavour, preload_value};

/// Open MPI's parameter that lists variables for the ranks. It must not be mixed with `-x`.
const ENV_LIST: &str = "mca_base_env_list";

/// The environment that the ranks shall have.
#[derive(Clone, Debug, Default)]
pub struct RankEnvironment<'a> {
    /// Variables. They are set in the launcher's environment; a launcher that does not forward all of it gets their names.
    pub variables: Vec<(&'static str, String)>,
    /// Library to preload into the ranks.
    pub preload: Option<&'a Path>,
}

/// The command to start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedCommand {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Environment variables to set for it.
    pub environment: Vec<(String, String)>,
}

/// Adds the environment of the ranks to the command. `variable` reads the environment of this process.
pub fn prepare(
    line: &CommandLine,
    ranks: &RankEnvironment<'_>,
    variable: impl Fn(&str) -> Option<String>,
) -> PreparedCommand {
    let mut prepared = PreparedCommand {
        words: line.words.clone(),
        environment: ranks.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    };
    let preloaded = variable("LD_PRELOAD");
    let preload = ranks.preload.map(|library| preload_value(library, preloaded.as_deref()));
    let launcher = line.launcher.as_ref().and_then(|launcher| Some((launcher.at, launcher.version.mpi?)));
    match launcher {
        Some((at, Flavour::OpenMpi)) => open_mpi(&mut prepared, at, ranks, preload, variable),
        Some((at, Flavour::Mpich)) => hydra(&mut prepared, at, ranks, preload),
        None => prepared.environment.extend(preload.map(|value| ("LD_PRELOAD".to_owned(), value))),
    }
    prepared
}

fn open_mpi(
    prepared: &mut PreparedCommand,
    at: usize,
    ranks: &RankEnvironment<'_>,
    mut preload: Option<String>,
    variable: impl Fn(&str) -> Option<String>,
) {
    let words = &mut prepared.words;
    let names = ranks.variables.iter().map(|(name, _)| (*name).to_owned());
    let in_line = words.iter().position(|word| word == ENV_LIST).filter(|&place| place + 1 < words.len());
    let from_environment = variable(&format!("OMPI_MCA_{ENV_LIST}"));
    if in_line.is_some() || from_environment.is_some() {
        // Open MPI forbids to use both this list and -x.
        let additions: Vec<String> = names.chain(preload.map(|value| format!("LD_PRELOAD={value}"))).collect();
        let extended = |list: &str| [list, &additions.join(";")].join(";");
        match in_line {
            Some(place) => words[place + 1] = extended(&words[place + 1]),
            None => {
                let list = extended(&from_environment.unwrap_or_default());
                prepared.environment.push((format!("OMPI_MCA_{ENV_LIST}"), list));
            }
        }
        return;
    }
    if let Some(library) = ranks.preload {
        // The user preloads a library with -x: libmidrun goes before it.
        for place in 1..words.len() {
            if words[place - 1] != "-x" {
                continue;
            }
            if let Some(theirs) = words[place].strip_prefix("LD_PRELOAD=") {
                words[place] = format!("LD_PRELOAD={}", preload_value(library, Some(theirs)));
                preload = None;
            } else if words[place] == "LD_PRELOAD" {
                words[place] = format!("LD_PRELOAD={}", preload.take().unwrap_or_default());
            }
        }
    }
    let options: Vec<String> = names
        .chain(preload.map(|value| format!("LD_PRELOAD={value}")))
        .flat_map(|value| ["-x".into(), value])
        .collect();
    // An -x applies to the programs up to the next colon.
    let colons = words.iter().enumerate().filter(|(_, word)| *word == ":").map(|(place, _)| place);
    let mut places: Vec<usize> = colons.filter(|&colon| colon > at).collect();
    places.insert(0, at);
    for place in places.into_iter().rev() {
        words.splice(place + 1..place + 1, options.iter().cloned());
    }
}

fn hydra(prepared: &mut PreparedCommand, at: usize, ranks: &RankEnvironment<'_>, mut preload: Option<String>) {
    let words = &mut prepared.words;
    if let Some(library) = ranks.preload {
        for place in 2..words.len() {
            let sets = matches!(words[place - 2].as_str(), "-genv" | "-env") && words[place - 1] == "LD_PRELOAD";
            if sets {
                words[place] = preload_value(library, Some(&words[place]));
                preload = None;
            }
        }
    }
    // Hydra forwards its environment by itself. The token must not appear on a command line, which others can read.
    let shown = ranks.variables.iter().filter(|(name, _)| !name.ends_with("TOKEN"));
    let shown = shown.map(|(name, value)| ((*name).to_owned(), value.clone()));
    let options: Vec<String> = shown
        .chain(preload.map(|value| ("LD_PRELOAD".to_owned(), value)))
        .flat_map(|(name, value)| ["-genv".into(), name, value])
        .collect();
    words.splice(at + 1..at + 1, options);
}

#[cfg(test)]
#[path = "rank_environment/tests.rs"]
mod tests;
