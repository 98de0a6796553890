//! Damaged lines of launchers and damaged summaries: each is understood, or not, and nothing else happens. For a mutation loop and for
//! the targets of `tests/fuzz`.

use crate::explain::run_report::RunReport;
use crate::launch::command_line::{CommandLine, LauncherWord};
use crate::launch::launchers::Launcher;
use crate::launch::mpi::LauncherVersion;
use crate::run_file::RunFile;
use crate::{report, summary};

/// Each launcher whose lines are understood.
const LAUNCHERS: [Launcher; 9] = [
    Launcher::OpenMpi4,
    Launcher::OpenMpi5,
    Launcher::Hydra,
    Launcher::Srun,
    Launcher::Aprun,
    Launcher::Pals,
    Launcher::Flux,
    Launcher::Ibrun,
    Launcher::Jsrun,
];

/// The words behind a launcher, parted by blanks, read as the line of each launcher: what is found lies in the line, and is found or not.
pub fn launcher_line(text: &str) {
    let words: Vec<String> = std::iter::once("mpirun").chain(text.split(' ')).map(String::from).collect();
    for kind in LAUNCHERS {
        let version = LauncherVersion { mpi: None, version: String::new() };
        let launcher = LauncherWord { at: 0, kind, path: None, version };
        let line = CommandLine::with_launcher(&words, Some(launcher), |_| false);
        assert!(line.apps.iter().all(|app| app.begin <= app.at && app.at < words.len()), "{kind:?} {text}");
        assert!(line.apps.is_empty() != (line.obstacle.is_none() && !line.exec_in_file), "{kind:?} {text}");
        let _ = (line.workers(), line.has_exec(), line.hydra_placement());
    }
}

/// What stands in the file of a summary: table, report and page show as much of it as makes sense.
pub fn summary_of_a_run(text: &str) {
    assert!(!summary::table(text).is_empty());
    if let Ok(read) = serde_json::from_str(text) {
        assert!(!RunReport::of(&read).text().is_empty());
        let run = RunFile { name: "s.json".into(), job: "j1".into(), summary: read, recorded: None };
        assert!(report::page_of(vec![run]).ends_with("</html>"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_mutations::damaged_texts;

    #[test]
    fn damaged_lines_of_launchers_are_understood_or_not_and_nothing_else() {
        let lines = [
            "-n 9 --mca btl self,tcp --oversubscribe -x A=1 ./a -n 4 : -np 2 ./b",
            "-genv A 1 -f hosts -n 4 -ppn 2 -bind-to core:2 -map-by socket ./a -n 3",
            "-lvK1 -t 5 --ntasks 3 --ntasks-per-node=1 -J name --export=ALL,A=1 ./a",
            "-np 2 --host h1,h2 --map-by ppr:1:node:PE=4 -wdir /tmp --tag-output env A=1 ./a",
            "run -n 4 -N 2 --env=A=1 ./a -n 3",
            "-n 2 midrun exec ./a",
        ];
        lines.iter().for_each(|line| launcher_line(line));
        damaged_texts("launcher", &lines, launcher_line);
    }

    #[test]
    fn a_damaged_summary_is_reported_as_far_as_it_makes_sense() {
        let summary = crate::explain::run_report::tests::summary().to_string();
        summary_of_a_run(&summary);
        damaged_texts("summary", &[&summary], summary_of_a_run);
    }
}
