//! Parses the user's command: launcher, programs, and the options that matter to midrun.

use std::path::{Path, PathBuf};

use super::mpi::{self, LauncherVersion};

/// The user's command, parsed as far as its options are known.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// All words; the first is the program to start.
    pub words: Vec<String>,
    /// The launcher, if the command has one.
    pub launcher: Option<Launcher>,
    /// The programs that become ranks; several where the line has `:`.
    pub apps: Vec<App>,
}

/// mpirun, mpiexec, srun and the like.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// Index among the words.
    pub at: usize,
    /// Path of the file; `None` if it was not found.
    pub path: Option<PathBuf>,
    /// Its MPI and version.
    pub version: LauncherVersion,
}

/// A program in the line.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Index among the words.
    pub at: usize,
    /// Path of the file on this host, if it was found.
    pub path: Option<PathBuf>,
    /// All words before it are known options, and it runs on this host: a file that was not found does not exist.
    pub certain: bool,
    /// The program is started by `midrun exec`.
    pub by_exec: bool,
    /// Number of ranks, if the command gives it.
    pub ranks: Option<u32>,
}

const LAUNCHERS: [&str; 5] = ["mpirun", "mpiexec", "orterun", "prterun", "srun"];
/// Commands that run another command.
const PREFIXES: [&str; 12] =
    ["env", "time", "timeout", "nice", "ionice", "chrt", "taskset", "numactl", "stdbuf", "nohup", "setsid", "perf"];
/// Options of launchers that take one word.
const ONE_WORD: &str = " n np c N npernode npersocket H host hostfile default-hostfile machinefile f hosts ppn map-by \
    rank-by bind-to wd wdir path prefix x am tune output-filename stdin timeout app preload-files rf rankfile cpu-set \
    report-uri envlist genvlist launcher launcher-exec iface bootstrap bootstrap-exec rmk configfile topolib arch soft \
    errfile outfile usize binding mapping prepend-pattern ";
/// Options of launchers that take two words.
const TWO_WORDS: &str = " mca gmca pmca omca prtemca env genv ";
/// Options of launchers that take none.
const NO_WORD: &str = " oversubscribe nooversubscribe allow-run-as-root v q V quiet verbose nolocal nousize report-bindings \
    display-map display-allocation tag-output timestamp-output merge-stderr-to-stdout xml bynode bycore byslot l \
    prepend-rank genvall genvnone envall envnone use-hwthread-cpus do-not-launch print-rank-map print-all-exitcodes \
    enable-recovery disable-recovery d debug-devel ";
/// Options after which programs may be on other hosts, or relative to another directory.
const ELSEWHERE: &str = " H host hostfile default-hostfile machinefile f hosts wd wdir path app configfile ";

impl CommandLine {
    /// Parses `words`, and asks the launcher for its version.
    pub fn parse(words: &[String]) -> CommandLine {
        let launcher = find_launcher(words).map(|at| {
            let path = resolve(&words[at]);
            let unknown = LauncherVersion { mpi: None, version: String::new() };
            let version = path.as_deref().map_or(unknown, mpi::launcher_version);
            Launcher { at, path, version }
        });
        let apps = match &launcher {
            Some(launcher) => find_apps(words, launcher.at + 1),
            None => plain_app(words),
        };
        CommandLine { words: words.to_vec(), launcher, apps }
    }

    /// Whether `midrun exec` starts one of the programs.
    pub fn has_exec(&self) -> bool {
        self.apps.iter().any(|app| app.by_exec)
    }

    /// The first of the options by which MPICH's mpiexec places ranks. With one of them, in MPICH 5.0, the first process
    /// that a program starts ends the job ("duplicate setting").
    pub fn hydra_placement(&self) -> Option<&str> {
        let launcher = self.launcher.as_ref().filter(|launcher| launcher.version.mpi == Some(mpi::Flavour::Mpich))?;
        let end = self.apps.first().map_or(self.words.len(), |app| app.at);
        let options = self.words.get(launcher.at + 1..end)?;
        let places = |name: &str| matches!(name, "bind-to" | "binding" | "map-by" | "mapping");
        options.iter().map(String::as_str).find(|word| option_name(word).is_some_and(places))
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

fn find_launcher(words: &[String]) -> Option<usize> {
    let is_launcher = |word: &String| LAUNCHERS.contains(&stem(word));
    let first = words.first()?;
    if is_launcher(first) {
        return Some(0);
    }
    PREFIXES.contains(&stem(first)).then(|| words.iter().position(is_launcher))?
}

/// `mpirun` of `/usr/bin/mpirun.openmpi`.
fn stem(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.split('.').next().unwrap_or(name)
}

/// The file that a shell would execute for `word`.
pub fn resolve(word: &str) -> Option<PathBuf> {
    if word.contains('/') {
        return is_program(Path::new(word)).then(|| PathBuf::from(word));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(word)).find(|file| is_program(file))
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
    vec![App { at, path, certain: true, by_exec, ranks: None }]
}

fn find_apps(words: &[String], from: usize) -> Vec<App> {
    let mut apps = Vec::new();
    let mut begin = from;
    while begin <= words.len() {
        let end = words[begin..].iter().position(|word| word == ":").map_or(words.len(), |colon| begin + colon);
        apps.extend(find_app(words, begin, end));
        begin = end + 1;
    }
    apps
}

/// The first word of `words[begin..end]` that is no option and no option's value.
fn find_app(words: &[String], begin: usize, end: usize) -> Option<App> {
    let (mut certain, mut elsewhere, mut ranks) = (true, false, None);
    let mut at = begin;
    while at < end {
        let word = &words[at];
        let Some(option) = option_name(word) else {
            if certain || resolve(word).is_some() {
                let (at, by_exec) = after_exec(words, at, end);
                let path = words.get(at).filter(|_| at < end).and_then(|word| resolve(word));
                let named_by_path = words.get(at).is_some_and(|word| word.contains('/'));
                let certain = certain && !elsewhere && named_by_path;
                return Some(App { at, path, certain, by_exec, ranks });
            }
            at += 1;
            continue;
        };
        let is_in = |list: &str| list.split_whitespace().any(|known| known == option);
        elsewhere |= is_in(ELSEWHERE);
        if matches!(option, "n" | "np" | "c") {
            ranks = words.get(at + 1).and_then(|word| word.parse().ok());
        }
        at += 1 + if is_in(ONE_WORD) {
            1
        } else if is_in(TWO_WORDS) {
            2
        } else {
            certain &= is_in(NO_WORD) || word.contains('=');
            0
        };
    }
    None
}

fn option_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix('-')?.trim_start_matches('-');
    (!name.is_empty()).then(|| name.split('=').next().unwrap_or(name))
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
mod tests {
    use super::*;

    fn apps(line: &str) -> Vec<App> {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        find_apps(&words, find_launcher(&words).expect("a launcher") + 1)
    }

    #[test]
    fn the_program_comes_after_the_options_and_their_values() {
        let found = apps("mpirun -n 9 --mca btl self,tcp --oversubscribe -x A=1 /bin/ls -n 4");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].ranks, found[0].certain), (9, Some(9), true));
        assert_eq!(found[0].path.as_deref(), Some(Path::new("/bin/ls")));
    }

    #[test]
    fn an_unknown_option_makes_the_search_careful() {
        let found = apps("mpirun --brand-new value /bin/ls");
        assert_eq!((found[0].at, found[0].certain), (3, false));
        assert!(apps("mpirun --brand-new ./not-there").is_empty());
    }

    #[test]
    fn programs_between_colons_are_all_found() {
        let found = apps("mpiexec -n 1 /bin/ls : -n 4 /bin/cat");
        let places: Vec<_> = found.iter().map(|app| (app.at, app.ranks)).collect();
        assert_eq!(places, [(3, Some(1)), (7, Some(4))]);
    }

    #[test]
    fn midrun_exec_is_skipped() {
        let found = apps("mpirun --hostfile hosts -n 4 midrun exec -- /bin/ls -l");
        assert_eq!((found[0].at, found[0].by_exec, found[0].certain), (8, true, false));
    }

    #[test]
    fn workers_are_counted_and_options_that_hydra_cannot_repeat_are_found() {
        let read = |line: &str, mpi| {
            let words: Vec<String> = line.split(' ').map(String::from).collect();
            let version = LauncherVersion { mpi, version: String::new() };
            let launcher = Launcher { at: 0, path: None, version };
            CommandLine { apps: find_apps(&words, 1), words, launcher: Some(launcher) }
        };
        let hydra = Some(mpi::Flavour::Mpich);
        assert_eq!(read("mpiexec -n 1 /bin/ls : -n 4 /bin/cat", hydra).workers(), Some(4));
        assert_eq!(read("mpiexec /bin/ls", hydra).workers(), None);
        assert_eq!(read("mpiexec -bind-to none -n 4 /bin/ls", hydra).hydra_placement(), Some("-bind-to"));
        assert_eq!(read("mpiexec -n 4 /bin/ls -bind-to none", hydra).hydra_placement(), None);
        assert_eq!(read("mpiexec --bind-to none -n 4 /bin/ls", Some(mpi::Flavour::OpenMpi)).hydra_placement(), None);
    }

    #[test]
    fn a_launcher_may_stand_behind_other_commands() {
        let words: Vec<String> = "chrt -f 1 mpirun -n 2 /bin/ls".split(' ').map(String::from).collect();
        assert_eq!(find_launcher(&words), Some(3));
        let words: Vec<String> = "./app mpirun".split(' ').map(String::from).collect();
        assert_eq!(find_launcher(&words), None);
    }

    #[test]
    fn a_missing_program_is_certain_only_on_this_host() {
        assert!(apps("mpirun -n 2 ./not-there")[0].certain);
        assert!(!apps("mpirun -n 2 not-there")[0].certain);
        assert!(!apps("mpirun --host a,b -n 2 ./not-there")[0].certain);
    }
}
