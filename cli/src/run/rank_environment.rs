//! Rewrites the user's command so that every rank gets midrun's environment variables and starts by `midrun exec`.

use std::path::Path;

use midrun_vocabulary::names::is_secret;

use crate::launch::command_line::{App, CommandLine};
use crate::launch::launchers::Launcher;
use crate::launch::mpi::preload_value;
use crate::raw_words;

/// Open MPI's parameter that lists variables for the ranks. It must not be mixed with `-x`.
const ENV_LIST: &str = "mca_base_env_list";
/// srun's variable with the meaning of its option `--export`.
const SRUN_EXPORT: &str = "SLURM_EXPORT_ENV";
/// Starts the program on a host that may have no midrun: `$0` is midrun, the other words are the program's. As `midrun exec` it keeps
/// the secrets of the job's agents from the program. Where all ranks make a window together, one without midrun would keep the others waiting.
const CAREFULLY: &str = r#"[ -x "$0" ] && exec "$0" exec -- "$@"; [ -z "$MIDRUN_SYNCHRONIZED" ] || { echo "midrun: there is no $0 on $(uname -n), and with --synchronized every rank must run under midrun" >&2; exit 70; }; echo "midrun: there is no $0 on $(uname -n), so the program runs untuned there" >&2; unset MIDRUN_TOKEN MIDRUN_JOB_TOKEN MIDRUN_CREDENTIALS; exec "$@""#;

/// The environment that the ranks shall have.
#[derive(Clone, Debug, Default)]
pub struct RankEnvironment<'a> {
    /// Variables. They are set in the launcher's environment; a launcher that does not forward all of it gets their names.
    pub variables: Vec<(&'static str, String)>,
    /// Library to preload into a program without a launcher.
    pub preload: Option<&'a Path>,
    /// The command `midrun`, which starts the programs of a launcher's line.
    pub midrun: Option<&'a Path>,
}

/// The command to start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedCommand {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Environment variables to set for it.
    pub environment: Vec<(String, String)>,
}

/// The command as the user gave it.
pub fn unchanged(line: &CommandLine) -> PreparedCommand {
    PreparedCommand { words: line.words.clone(), environment: Vec::new() }
}

/// Adds the environment of the ranks to the command. `variable` reads the environment of this process.
pub fn prepare(
    line: &CommandLine,
    ranks: &RankEnvironment<'_>,
    variable: impl Fn(&str) -> Option<String>,
) -> PreparedCommand {
    let mut prepared = unchanged(line);
    prepared.environment = ranks.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let Some(launcher) = &line.launcher else {
        let preload = ranks.preload.map(|library| preload_value(library, variable("LD_PRELOAD").as_deref()));
        prepared.environment.extend(preload.map(|value| ("LD_PRELOAD".to_owned(), value)));
        return prepared;
    };
    let by_x = matches!(launcher.kind, Launcher::OpenMpi4 | Launcher::OpenMpi5) && !has_list(line, &variable);
    let forward = |words: &mut Vec<String>, at: usize| {
        let options = ranks.variables.iter().flat_map(|(name, _)| ["-x".into(), (*name).to_owned()]);
        drop(words.splice(at..at, options.filter(|_| by_x).collect::<Vec<_>>()));
    };
    // From the last program to the first, so that the indices before them hold.
    for app in line.apps.iter().rev() {
        start_by_exec(&mut prepared.words, app, line, ranks);
        if launcher.kind == Launcher::Hydra {
            list_secrets(&mut prepared.words, app.begin, app.at, ranks);
        }
        forward(&mut prepared.words, app.begin); // up to the next colon
    }
    let names: Vec<&str> = ranks.variables.iter().map(|(name, _)| *name).collect();
    if let Some(first) = line.first_option().filter(|_| line.exec_in_file) {
        if by_x && launcher.kind == Launcher::OpenMpi4 {
            // Programs of a file on other hosts do not get what an -x of the line names.
            prepared.environment.push((format!("OMPI_MCA_{ENV_LIST}"), names.join(";")));
        } else {
            forward(&mut prepared.words, first);
        }
    }
    match launcher.kind {
        Launcher::OpenMpi4 | Launcher::OpenMpi5 => extend_list(&mut prepared, &names, &variable),
        Launcher::Hydra => hydra(&mut prepared, launcher.at, ranks),
        Launcher::Srun => srun(&mut prepared, line, &names, &variable),
        Launcher::Flux => flux(&mut prepared, line, &names),
        _ => {} // they forward their environment
    }
    prepared
}

fn start_by_exec(words: &mut Vec<String>, app: &App, line: &CommandLine, ranks: &RankEnvironment<'_>) {
    let Some(midrun) = ranks.midrun.filter(|_| !app.by_exec) else { return };
    // midrun exec does not know the launcher's places.
    if let Some(path) = app.path.as_ref().filter(|_| app.by_option) {
        words[app.at] = raw_words::write(path.as_os_str());
    }
    let midrun = midrun.to_string_lossy().into_owned();
    let keeps_words = line.launcher.as_ref().is_some_and(|launcher| launcher.kind.keeps_words());
    let start = if line.leaves_host && keeps_words {
        vec!["/bin/sh".into(), "-c".into(), CAREFULLY.into(), midrun]
    } else {
        vec![midrun, "exec".into(), "--".into()]
    };
    words.splice(app.at..app.at, start);
}

/// Whether Open MPI's list of variables is in use.
fn has_list(line: &CommandLine, variable: impl Fn(&str) -> Option<String>) -> bool {
    line.words.iter().any(|word| word == ENV_LIST) || variable(&format!("OMPI_MCA_{ENV_LIST}")).is_some()
}

fn extend_list(prepared: &mut PreparedCommand, names: &[&str], variable: impl Fn(&str) -> Option<String>) {
    let extended = |list: &str| [list, &names.join(";")].join(";");
    let words = &mut prepared.words;
    if let Some(place) = words.iter().position(|word| word == ENV_LIST).filter(|&place| place + 1 < words.len()) {
        words[place + 1] = extended(&words[place + 1]);
    } else if let Some(list) = variable(&format!("OMPI_MCA_{ENV_LIST}")) {
        prepared.environment.push((format!("OMPI_MCA_{ENV_LIST}"), extended(&list)));
    }
}

fn hydra(prepared: &mut PreparedCommand, at: usize, ranks: &RankEnvironment<'_>) {
    // Hydra forwards its environment by itself. Secrets must not appear on a command line, which others can read.
    let shown = ranks.variables.iter().filter(|(name, _)| !is_secret(name));
    let options = shown.flat_map(|(name, value)| ["-genv".into(), (*name).to_owned(), value.clone()]);
    prepared.words.splice(at + 1..at + 1, options.collect::<Vec<_>>());
}

/// Adds the secrets to Hydra's options that list the variables it forwards, in `words[begin..end]`: by their names, and not with their
/// values, as other variables. An option that forwards none becomes such a list.
fn list_secrets(words: &mut Vec<String>, begin: usize, end: usize, ranks: &RankEnvironment<'_>) {
    let secrets: Vec<&str> = ranks.variables.iter().map(|(name, _)| *name).filter(|name| is_secret(name)).collect();
    if secrets.is_empty() {
        return;
    }
    let secrets = secrets.join(",");
    for at in (begin..end).rev().filter(|at| words[*at].starts_with('-')).collect::<Vec<_>>() {
        let option = words[at].trim_start_matches('-').to_owned();
        match option.split_once('=').map_or(option.as_str(), |(name, _)| name) {
            "genvnone" | "envnone" => {
                words.splice(at..=at, [format!("-{}", option.replace("none", "list")), secrets.clone()]);
            }
            "genvlist" | "envlist" if option.contains('=') => words[at] += &format!(",{secrets}"),
            "genvlist" | "envlist" if at + 1 < end => words[at + 1] += &format!(",{secrets}"),
            _ => {}
        }
    }
}

/// srun forwards all variables, unless an option or a variable lists those that it shall forward.
fn srun(prepared: &mut PreparedCommand, line: &CommandLine, names: &[&str], variable: impl Fn(&str) -> Option<String>) {
    let extended = |list: &str| {
        let kept: Vec<&str> = list.split(',').filter(|name| !["NONE", "NIL", ""].contains(name)).collect();
        [&kept[..], names].concat().join(",")
    };
    let end = line.apps.last().map_or(prepared.words.len(), |app| app.at);
    let is_option = |word: &String| word == "--export" || word.starts_with("--export=");
    let Some(place) = prepared.words.iter().take(end).position(is_option) else {
        if let Some(list) = variable(SRUN_EXPORT).filter(|list| list != "ALL") {
            prepared.environment.push((SRUN_EXPORT.to_owned(), extended(&list)));
        }
        return;
    };
    match prepared.words[place].split_once('=') {
        Some((option, list)) if list != "ALL" => prepared.words[place] = format!("{option}={}", extended(list)),
        None if prepared.words[place + 1] != "ALL" => prepared.words[place + 1] = extended(&prepared.words[place + 1]),
        _ => {}
    }
}

/// Flux forwards all variables, unless rules remove some; the last rule that fits a variable holds.
fn flux(prepared: &mut PreparedCommand, line: &CommandLine, names: &[&str]) {
    let end = line.apps.first().map_or(0, |app| app.at);
    let is_rule = |word: &String| word.starts_with("--env");
    if let Some(place) = prepared.words.iter().take(end).rposition(is_rule) {
        let after = place + if prepared.words[place].contains('=') { 1 } else { 2 };
        let rules: Vec<String> = names.iter().map(|name| format!("--env={name}")).collect();
        prepared.words.splice(after..after, rules);
    }
}

#[cfg(test)]
#[path = "rank_environment/tests.rs"]
mod tests;
