//! Parses the user's command: launcher, programs, and the options that matter to midrun.

use std::path::{Path, PathBuf};

use super::launchers::{Launcher, Read, has};
use super::mpi::LauncherVersion;
use crate::{raw_words, text_file};

/// The user's command, parsed as far as its options are known.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// All words; the first is the program to start.
    pub words: Vec<String>,
    /// The launcher, if the command has one.
    pub launcher: Option<LauncherWord>,
    /// The programs that become ranks; several where the line has `:`. Empty where they cannot be found.
    pub apps: Vec<App>,
    /// Why the programs cannot be found in the launcher's line.
    pub obstacle: Option<String>,
    /// A file that the line names, such as that of `--app`, starts programs by `midrun exec`.
    pub exec_in_file: bool,
    /// Ranks may run on other hosts.
    pub leaves_host: bool,
}

/// The word that is a launcher.
#[derive(Clone, Debug)]
pub struct LauncherWord {
    /// Index among the words.
    pub at: usize,
    /// Which launcher it is.
    pub kind: Launcher,
    /// Path of the file; `None` if it was not found.
    pub path: Option<PathBuf>,
    /// Its MPI and version.
    pub version: LauncherVersion,
}

/// A program in the line.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Index of the first word of its own options, if any.
    pub begin: usize,
    /// Index among the words.
    pub at: usize,
    /// Path of the file on this host, if it was found.
    pub path: Option<PathBuf>,
    /// All words before it are known options, and it runs on this host: a file that was not found does not exist.
    pub certain: bool,
    /// The program is started by `midrun exec`.
    pub by_exec: bool,
    /// It was found where an option of the launcher says.
    pub by_option: bool,
    /// Number of ranks, if the command gives it.
    pub ranks: Option<u32>,
}

/// Commands that run another command.
const PREFIXES: [&str; 12] =
    ["env", "time", "timeout", "nice", "ionice", "chrt", "taskset", "numactl", "stdbuf", "nohup", "setsid", "perf"];

impl CommandLine {
    /// Parses `words`, and asks the launcher for its version. `variable` tells which variables the environment has.
    pub fn parse(words: &[String], variable: impl Fn(&str) -> bool) -> CommandLine {
        CommandLine::with_launcher(words, find_launcher(words, resolve), variable)
    }

    /// Parses `words` with this launcher in them.
    pub fn with_launcher(
        words: &[String],
        launcher: Option<LauncherWord>,
        variable: impl Fn(&str) -> bool,
    ) -> CommandLine {
        let mut line = CommandLine {
            words: words.to_vec(),
            leaves_host: launcher.as_ref().is_some_and(|launcher| launcher.kind.may_leave_host(variable)),
            launcher,
            apps: Vec::new(),
            obstacle: None,
            exec_in_file: false,
        };
        match line.launcher.as_ref().map(|launcher| (launcher.kind, first_option(words, launcher))) {
            None => line.apps = plain_app(words),
            Some((_, None)) => line.obstacle = Some("only `flux run` starts ranks".into()),
            Some((kind, Some(from))) => match find_apps(words, from, kind) {
                Ok((mut apps, hosts)) => {
                    line.leaves_host |= hosts;
                    // midrun exec, which starts the programs, finds them here only.
                    if line.leaves_host && apps.iter().any(|app| app.by_option && !app.by_exec) {
                        let why = "its option path says where programs are on other hosts: name them by their paths";
                        line.obstacle = Some(why.into());
                        return line;
                    }
                    apps.iter_mut().for_each(|app| app.certain &= !line.leaves_host);
                    line.apps = apps;
                }
                // The user has said where the programs are; on which hosts, is not known.
                Err(why) => match apps_behind_exec(words, from, kind) {
                    Some(apps) => (line.apps, line.leaves_host) = (apps, true),
                    None if words[from..].iter().any(|word| file_has_exec(word, kind)) => {
                        (line.exec_in_file, line.leaves_host) = (true, true);
                    }
                    None => line.obstacle = Some(why),
                },
            },
        }
        line
    }

    /// Index of the first word behind the launcher.
    pub fn first_option(&self) -> Option<usize> {
        first_option(&self.words, self.launcher.as_ref()?)
    }

    /// Whether the user's own `midrun exec` starts one of the programs.
    pub fn has_exec(&self) -> bool {
        self.exec_in_file || self.apps.iter().any(|app| app.by_exec)
    }

    /// The first of the options by which MPICH's mpiexec places ranks. With one of them, in MPICH 5.0, the first process
    /// that a program starts ends the job ("duplicate setting").
    pub fn hydra_placement(&self) -> Option<&str> {
        let launcher = self.launcher.as_ref().filter(|launcher| launcher.kind == Launcher::Hydra)?;
        let end = self.apps.first().map_or(self.words.len(), |app| app.at);
        let options = self.words.get(launcher.at + 1..end)?;
        let places = |word: &str| {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            word.starts_with('-') && matches!(name, "bind-to" | "binding" | "map-by" | "mapping")
        };
        options.iter().map(String::as_str).find(|word| places(word))
    }

    /// The line starts one rank and no more.
    pub fn has_no_worker(&self) -> bool {
        self.workers() == Some(0)
    }

    /// How many workers the command starts, where it says so.
    pub fn workers(&self) -> Option<u32> {
        let ranks = self.apps.iter().try_fold(0u32, |sum, app| Some(sum.saturating_add(app.ranks?)));
        ranks.filter(|_| !self.apps.is_empty()).map(|ranks| ranks.saturating_sub(1))
    }
}

fn find_launcher(words: &[String], resolve: impl Fn(&str) -> Option<PathBuf>) -> Option<LauncherWord> {
    let launcher = |at: usize| {
        let path = resolve(&words[at]);
        let (kind, version) = Launcher::of(stem(&words[at]), path.as_deref())?;
        Some(LauncherWord { at, kind, path, version })
    };
    let first = words.first()?;
    if PREFIXES.contains(&stem(first)) {
        return (1..words.len()).find_map(launcher);
    }
    launcher(0)
}

/// Index of the first word behind the launcher and its subcommand; `None` for a subcommand that starts no ranks.
fn first_option(words: &[String], launcher: &LauncherWord) -> Option<usize> {
    let after = launcher.at + 1;
    if launcher.kind != Launcher::Flux {
        return Some(after);
    }
    let mini = usize::from(words.get(after).is_some_and(|word| word == "mini"));
    (words.get(after + mini)? == "run").then_some(after + mini + 1)
}

/// `mpirun` of `/usr/bin/mpirun.openmpi`.
fn stem(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.split('.').next().unwrap_or(name)
}

/// The file that a shell would execute for `word`.
pub fn resolve(word: &str) -> Option<PathBuf> {
    let file = PathBuf::from(raw_words::read(word));
    if word.contains('/') {
        return is_program(&file).then_some(file);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(&file)).find(|file| is_program(file))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn plain_app(words: &[String]) -> Vec<App> {
    let Some(word) = words.first() else {
        return Vec::new();
    };
    let (at, by_exec) = after_exec(words, 0, words.len());
    let path = resolve(words.get(at).unwrap_or(word));
    vec![App { begin: 0, at, path, certain: true, by_exec, by_option: false, ranks: None }]
}

/// The programs that the user's own `midrun exec` starts; `None` unless it does so between all colons.
fn apps_behind_exec(words: &[String], from: usize, kind: Launcher) -> Option<Vec<App>> {
    let mut begin = from;
    let parts = words[from..].split(|word| word == ":" && kind.has_colons());
    let apps = parts.map(|part| {
        let (first, end) = (begin, begin + part.len());
        begin = end + 1;
        let found = (first..end).map(|at| after_exec(words, at, end)).find(|(_, by_exec)| *by_exec);
        let (at, _) = found.filter(|(at, _)| *at < end)?;
        let path = resolve(&words[at]);
        Some(App { begin: first, at, path, certain: false, by_exec: true, by_option: false, ranks: None })
    });
    apps.collect()
}

/// Whether a word, or the value of an option, names a file of programs one of which is started by `midrun exec`.
fn file_has_exec(word: &str, kind: Launcher) -> bool {
    let name = word.split_once('=').map_or(word, |(_, value)| value);
    let text = Path::new(name).is_file().then(|| text_file::open(name, text_file::MOST_BYTES).ok()).flatten();
    let text = text.unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    // Open MPI 4 refuses a list of variables, by which programs of a file get theirs, beside an -x.
    let forgets = kind == Launcher::OpenMpi4 && words.contains(&"-x");
    !forgets && words.windows(2).any(|pair| stem(pair[0]) == "midrun" && pair[1] == "exec")
}

/// The programs, and whether an option names hosts; or why they cannot be found.
fn find_apps(words: &[String], from: usize, kind: Launcher) -> Result<(Vec<App>, bool), String> {
    let (mut apps, mut hosts) = (Vec::new(), false);
    let mut begin = from;
    while begin <= words.len() {
        let colon = words[begin..].iter().position(|word| word == ":" && kind.has_colons());
        let end = colon.map_or(words.len(), |colon| begin + colon);
        let (app, names_hosts) = find_app(words, begin, end, kind)?;
        apps.push(app);
        hosts |= names_hosts;
        begin = end + 1;
    }
    Ok((apps, hosts))
}

/// The first word of `words[begin..end]` that is no option and no option's value, and whether an option names hosts.
fn find_app(words: &[String], begin: usize, end: usize, kind: Launcher) -> Result<(App, bool), String> {
    let options = kind.options();
    let (mut certain, mut hosts, mut ranks, mut directory, mut places) = (true, false, None, None, None);
    let mut at = begin;
    while at < end {
        match options.read(&words[at..end]) {
            Read::NoOption => break,
            Read::End => {
                at += 1;
                break;
            }
            Read::Known { name, .. } if has(options.hidden, name) => {
                return Err(format!("with its option {} the line does not hold the programs", words[at]));
            }
            Read::Known { name, value, takes } => {
                if has(options.ranks, name) {
                    ranks = value.and_then(|value| value.parse().ok());
                }
                if has(options.directory, name) {
                    directory = value.map(PathBuf::from);
                }
                if name == "path" && matches!(kind, Launcher::OpenMpi4 | Launcher::OpenMpi5) {
                    places = value.map(str::to_owned);
                }
                hosts |= has(options.hosts, name);
                at += 1 + takes;
            }
            Read::Unknown => {
                // It takes no word if another option or nothing follows, or if it brings its value.
                let alone =
                    words[at].contains('=') || words[at + 1..end].first().is_none_or(|next| next.starts_with('-'));
                if !alone {
                    return Err(format!("its option {} is not known", words[at]));
                }
                certain = false;
                at += 1;
            }
        }
    }
    if at >= end {
        return Err("the line names no program".into());
    }
    let (at, by_exec) = after_exec(words, at, end);
    let word = words.get(at).filter(|_| at < end).ok_or("the line names no program behind midrun exec")?;
    let in_places = places.filter(|_| !word.contains('/')).and_then(|places| {
        // Relative ones are of the directory of the ranks.
        let here = |place: &PathBuf| place.is_absolute() || directory.is_none();
        let places = std::env::split_paths(&places).filter(here);
        let mut places = places.map(|place| place.join(raw_words::read(word)));
        places.find_map(|file| std::path::absolute(file).ok().filter(|file| is_program(file)))
    });
    let by_option = in_places.is_some();
    let path = match directory.filter(|_| word.contains('/')) {
        Some(directory) => resolve(&raw_words::write(directory.join(raw_words::read(word)).as_os_str())),
        None => in_places.or_else(|| resolve(word)),
    };
    // An option before it takes a word, or takes none, other than the table says.
    if path.is_none() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{word} stands where the program should"));
    }
    let certain = certain && word.contains('/');
    Ok((App { begin, at, path, certain, by_exec, by_option, ranks }, hosts))
}

/// Skips `midrun exec [--]`. Returns the index of the program, and whether there was something to skip.
fn after_exec(words: &[String], at: usize, end: usize) -> (usize, bool) {
    let is_exec = stem(&words[at]) == "midrun" && at + 1 < end && words[at + 1] == "exec";
    if !is_exec {
        return (at, false);
    }
    let dashes = usize::from(words.get(at + 2).is_some_and(|word| word == "--"));
    (at + 2 + dashes, true)
}

#[cfg(test)]
#[path = "command_line/tests.rs"]
mod tests;
