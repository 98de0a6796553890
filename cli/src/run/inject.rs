//! Rewrites the user's command so that every rank gets what it needs by its environment.

use std::path::Path;

use super::launcher::CommandLine;
use super::mpi::{Flavour, preload_value};

/// Open MPI's parameter that lists variables for the ranks. It must not be mixed with `-x`.
const ENV_LIST: &str = "mca_base_env_list";

/// What the ranks shall get.
#[derive(Clone, Debug, Default)]
pub struct Gift<'a> {
    /// Variables; they are set in the launcher's own environment, and named to it where it does not forward all.
    pub variables: Vec<(&'static str, String)>,
    /// Library to preload into the ranks.
    pub preload: Option<&'a Path>,
}

/// What is to be started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Variables to set for it.
    pub environment: Vec<(String, String)>,
}

/// Puts `gift` into the command. `variable` reads this process's environment.
pub fn prepare(line: &CommandLine, gift: &Gift<'_>, variable: impl Fn(&str) -> Option<String>) -> Prepared {
    let mut prepared = Prepared {
        words: line.words.clone(),
        environment: gift.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    };
    let preloaded = variable("LD_PRELOAD");
    let preload = gift.preload.map(|library| preload_value(library, preloaded.as_deref()));
    let launcher = line.launcher.as_ref().and_then(|launcher| Some((launcher.at, launcher.said.mpi?)));
    match launcher {
        Some((at, Flavour::OpenMpi)) => open_mpi(&mut prepared, at, gift, preload, variable),
        Some((at, Flavour::Mpich)) => hydra(&mut prepared, at, gift, preload),
        None => prepared.environment.extend(preload.map(|value| ("LD_PRELOAD".to_owned(), value))),
    }
    prepared
}

fn open_mpi(
    prepared: &mut Prepared,
    at: usize,
    gift: &Gift<'_>,
    mut preload: Option<String>,
    variable: impl Fn(&str) -> Option<String>,
) {
    let words = &mut prepared.words;
    let names = gift.variables.iter().map(|(name, _)| (*name).to_owned());
    let in_line = words.iter().position(|word| word == ENV_LIST).filter(|&place| place + 1 < words.len());
    let from_environment = variable(&format!("OMPI_MCA_{ENV_LIST}"));
    if in_line.is_some() || from_environment.is_some() {
        // The list is in use already, so everything goes into it.
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
    if let Some(library) = gift.preload {
        // The user preloads something by -x: ours goes before it.
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
    // -x counts for the programs up to the next colon only.
    let colons = words.iter().enumerate().filter(|(_, word)| *word == ":").map(|(place, _)| place);
    let mut places: Vec<usize> = colons.filter(|&colon| colon > at).collect();
    places.insert(0, at);
    for place in places.into_iter().rev() {
        words.splice(place + 1..place + 1, options.iter().cloned());
    }
}

fn hydra(prepared: &mut Prepared, at: usize, gift: &Gift<'_>, mut preload: Option<String>) {
    let words = &mut prepared.words;
    if let Some(library) = gift.preload {
        for place in 2..words.len() {
            let sets = matches!(words[place - 2].as_str(), "-genv" | "-env") && words[place - 1] == "LD_PRELOAD";
            if sets {
                words[place] = preload_value(library, Some(&words[place]));
                preload = None;
            }
        }
    }
    // Hydra forwards its environment by itself; a token has no place on a command line.
    let shown = gift.variables.iter().filter(|(name, _)| !name.ends_with("TOKEN"));
    let shown = shown.map(|(name, value)| ((*name).to_owned(), value.clone()));
    let options: Vec<String> = shown
        .chain(preload.map(|value| ("LD_PRELOAD".to_owned(), value)))
        .flat_map(|(name, value)| ["-genv".into(), name, value])
        .collect();
    words.splice(at + 1..at + 1, options);
}

#[cfg(test)]
#[path = "inject/tests.rs"]
mod tests;
