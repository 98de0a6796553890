//! What a run is recognised by: what one learnt holds for another with an equal key.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use object::Object;
use serde::Serialize;

use crate::launch::command_line::{App, CommandLine, resolve};
use crate::launch::mpi;
use crate::settings::Settings;

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// Programs, each by its file name and its content; more than one where the line has `:`.
    programs: Vec<Program>,
    /// Words of the line before the first program: the launcher and its options.
    launcher: Vec<String>,
    /// Words behind it: the arguments.
    arguments: Vec<String>,
    /// Number of ranks, if the command or the allocation gives it.
    ranks: Option<u32>,
    /// Processor and number of cores of this host.
    host: String,
    /// The MPI of the program and that of the launcher.
    mpi: String,
    /// Options that say what the tunlets look for.
    options: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Program {
    name: String,
    content: String,
    /// Of a program that an interpreter runs: the content of the script.
    script: Option<String>,
}

impl Key {
    /// The key of a job; `None` where its program cannot be found.
    pub fn of(settings: &Settings, line: &CommandLine) -> Option<Key> {
        let first = line.apps.first()?;
        let programs = line.apps.iter().map(|app| program(app, line)).collect::<Option<Vec<Program>>>()?;
        let linkage = first.path.as_deref().and_then(mpi::linkage).and_then(|linkage| linkage.mpi);
        let of_program = linkage.map_or(String::new(), |(flavour, library)| format!("{} ({library})", flavour.name()));
        let of_launcher = line.launcher.as_ref().map_or("", |launcher| &launcher.version.version);
        let options = settings.analyzer.completed(settings.run.options());
        let limits = [options.min_workers, options.max_workers, options.worker_step].map(|number| number.to_string());
        let dry_run = settings.run.dry_run || settings.analyzer.dry_run;
        Some(Key {
            programs,
            launcher: line.words.get(..first.at)?.to_vec(),
            arguments: line.words.get(first.at + 1..).unwrap_or_default().to_vec(),
            ranks: line
                .workers()
                .map(|workers| workers.saturating_add(1))
                .or_else(|| allocated(|name| std::env::var(name).ok())),
            host: host(),
            mpi: format!("{of_program} {of_launcher}").trim().to_owned(),
            options: [
                options.tunlet,
                options.technique,
                options.objective,
                options.search.points,
                options.search.constraint,
            ]
            .into_iter()
            .chain(limits)
            .chain([dry_run.to_string()])
            .collect(),
        })
    }

    /// File name of the first program; of a script, that of the script.
    pub fn program(&self) -> &str {
        self.programs.first().map_or("", |program| &program.name)
    }

    /// As JSON.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Variables with the number of ranks that a launcher starts in an allocation unless it is told another: of Slurm (without a number of tasks
/// one for each node), PBS, LSF and Grid Engine.
const ALLOCATED: [&str; 5] = ["SLURM_NTASKS", "SLURM_JOB_NUM_NODES", "PBS_NP", "LSB_DJOB_NUMPROC", "NSLOTS"];

/// The number of ranks of the allocation.
pub(super) fn allocated(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    ALLOCATED.iter().find_map(|name| variable(name)?.parse().ok())
}

/// Programs that run a script, without the version in their names.
const INTERPRETERS: [&str; 16] = [
    "python", "pypy", "julia", "perl", "ruby", "lua", "R", "Rscript", "octave", "node", "java", "sh", "bash", "dash",
    "ksh", "zsh",
];

fn program(app: &App, line: &CommandLine) -> Option<Program> {
    let path = app.path.clone().or_else(|| resolve(line.words.get(app.at)?))?;
    let own = path.file_name()?.to_string_lossy().into_owned();
    let is_interpreter = INTERPRETERS.contains(&own.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    // Its first argument that is a file is what it runs.
    let script = line.words.get(app.at + 1..)?.iter().map(Path::new).find(|word| word.is_file());
    let script = script.filter(|_| is_interpreter);
    let name = script.and_then(Path::file_name).map_or(own, |name| name.to_string_lossy().into_owned());
    Some(Program { name, content: content(&path)?, script: script.and_then(content) })
}

/// The build id of an ELF file, else size and time of the last change of a file.
fn content(path: &Path) -> Option<String> {
    let found = path.metadata().ok()?;
    let changed = || format!("{} bytes of {}.{:09}", found.len(), found.mtime(), found.mtime_nsec());
    Some(build_id(path).unwrap_or_else(changed))
}

fn build_id(path: &Path) -> Option<String> {
    let bytes = object::ReadCache::new(std::fs::File::open(path).ok()?);
    let file = object::File::parse(&bytes).ok()?;
    Some(file.build_id().ok()??.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Processor model and number of cores: what was learnt on one kind of host does not hold for another.
fn host() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores", model.trim_start_matches([' ', '\t', ':']))
}
