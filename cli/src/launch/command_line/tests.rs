//! Lines of launchers, as their manuals show them.

use super::*;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(String::from).collect()
}

/// Word, number of ranks and path of each program in a line of `kind`, from its first option on.
fn apps(kind: Launcher, line: &str) -> Result<Vec<(String, Option<u32>)>, String> {
    let words = words(line);
    let (apps, _) = find_apps(&words, 0, kind)?;
    Ok(apps.iter().map(|app| (words[app.at].clone(), app.ranks)).collect())
}

fn one(kind: Launcher, line: &str) -> (String, Option<u32>) {
    let mut found = apps(kind, line).unwrap_or_else(|why| panic!("{kind:?} {line}: {why}"));
    assert_eq!(found.len(), 1, "{line}");
    found.remove(0)
}

#[test]
fn the_program_is_found_behind_the_options_of_each_launcher() {
    let lines = [
        (Launcher::OpenMpi4, "-n 9 --mca btl self,tcp --oversubscribe -x A=1 ./a -n 4", Some(9)),
        (Launcher::OpenMpi4, "-np 2 --host h1,h2 --map-by ppr:1:node:PE=4 -wdir /tmp --tag-output ./a", Some(2)),
        (Launcher::OpenMpi4, "--hostfile hosts -npernode 4 --report-bindings --rank-by core -rf ranks ./a", None),
        (Launcher::OpenMpi5, "-n 4 --with-ft ulfm --prtemca ras simulator --output tag --display map ./a", Some(4)),
        (Launcher::OpenMpi5, "--map-by package:PE=4 --bind-to core --runtime-options show-progress -np 8 ./a", Some(8)),
        (Launcher::Hydra, "-genv A 1 -f hosts -n 4 -ppn 2 -bind-to core:2 -map-by socket ./a -n 3", Some(4)),
        (Launcher::Hydra, "-launcher ssh -rmk slurm -iface ib0 -prepend-rank -print-all-exitcodes -np 2 ./a", Some(2)),
        (Launcher::Hydra, "-genvall -env X 2 -hosts h1,h2 -usize SYSTEM -gpus-per-proc=1 -n 2 ./a", Some(2)),
        (Launcher::Hydra, "-perhost 4 -genvlist A,B -silent-abort -cpu-bind list -n 8 ./a", Some(8)), // Intel MPI
        (Launcher::OpenMpi4, "--report-state-on-timeout --timeout 9 -n 4 ./a", Some(4)),
        (Launcher::OpenMpi5, "--report-state-on-timeout --stream-buffering 0 --display-topo 0 -n 4 ./a", Some(4)),
        (Launcher::OpenMpi5, "--forward-signals SIGUSR1 -n 4 ./a", Some(4)),
        (Launcher::Hydra, "-pmi-port -n 4 ./a", Some(4)),
        (Launcher::Hydra, "-rr -trace -n 4 ./a", Some(4)), // Intel MPI
        (Launcher::Srun, "-n4 ./a", Some(4)),
        (Launcher::Srun, "-N 2 -n 4 -c 2 --cpu-bind=cores --mpi=pmix --exclusive ./a -n 9", Some(4)),
        (Launcher::Srun, "-lvK1 -t 5 --ntasks 3 --ntasks-per-node=1 -J name --export=ALL,A=1 ./a", Some(3)),
        (
            Launcher::Srun,
            "--nodes=2 --distrib=cyclic:block -A proj -p main --mem-per-cpu=2G --gpus-per-task 1 ./a",
            None,
        ),
        (Launcher::Srun, "--het-group=0 --kill-on-bad-exit=1 -I30 --overlap -o out.%t -D /tmp -u -- ./a", None),
        (Launcher::Aprun, "-n 32 -N 16 -d 2 -cc depth -j 1 -ss -e OMP_NUM_THREADS=2 -L 1-2 ./a", Some(32)),
        (Launcher::Aprun, "-n32 -q -S 4 --cpu-binding cpu ./a", Some(32)),
        (Launcher::Pals, "-n 8 --ppn 4 --depth 2 --cpu-bind depth --env A=1 --hosts n1,n2 ./a", Some(8)),
        (
            Launcher::Aprun,
            "-b -n 64 --p-governor performance --p-state 2400000 -E 12-14 -z -Z 600 -M A=1 ./a",
            Some(64),
        ),
        (Launcher::Pals, "-np=8 -l --line-buffer ./a", Some(8)),
        (
            Launcher::Pals,
            "-np 48 -ppn 12 --no-vni --pmi=pmix -mem-bind local -depth 8 --cpu-bind list:0-7:8 ./a",
            Some(48),
        ),
        (Launcher::Flux, "--quiet -n8 --debug-emulate ./a", Some(8)),
        (Launcher::Flux, "-N2 -n 8 -c 2 -o cpu-affinity=per-task --env=-LD_* --time-limit=5m ./a", Some(8)),
        (Launcher::Flux, "--tasks-per-node=4 --nodes 2 -x -l --setattr=system.x=1 ./a", None),
        (Launcher::Ibrun, "-n 16 -o 16 ./a", Some(16)),
        (Launcher::Ibrun, "./a", None),
        (Launcher::Jsrun, "-n 4 -a 1 -c 7 -g 1 -r 2 -bpacked:7 -d packed --smpiargs=-gpu ./a", None),
    ];
    for (kind, line, ranks) in lines {
        assert_eq!(one(kind, line), ("./a".into(), ranks), "{kind:?} {line}");
    }
}

#[test]
fn programs_between_colons_are_all_found() {
    let found = apps(Launcher::Hydra, "-n 1 /bin/ls -l : -n 4 -env A 1 /bin/cat").unwrap();
    assert_eq!(found, [("/bin/ls".into(), Some(1)), ("/bin/cat".into(), Some(4))]);
    for kind in [Launcher::OpenMpi4, Launcher::OpenMpi5, Launcher::Srun, Launcher::Aprun, Launcher::Pals] {
        assert_eq!(apps(kind, "-n 1 ./a : -n 2 ./b").unwrap().len(), 2, "{kind:?}");
    }
    assert_eq!(apps(Launcher::Ibrun, "./a : ./b").unwrap().len(), 1, "an argument of ./a");
}

#[test]
fn a_line_that_cannot_be_understood_says_which_word_it_is() {
    let why = |kind, line| apps(kind, line).unwrap_err();
    assert_eq!(why(Launcher::OpenMpi4, "--brand-new value ./a"), "its option --brand-new is not known");
    assert!(why(Launcher::Srun, "--multi-prog conf").contains("--multi-prog"));
    assert!(why(Launcher::Srun, "--bcast=/tmp/a ./a").contains("--bcast"));
    assert!(why(Launcher::Hydra, "-configfile f").contains("-configfile"));
    assert!(why(Launcher::OpenMpi4, "--app file").contains("--app"));
    assert_eq!(why(Launcher::Srun, "-n 4"), "the line names no program");
    assert_eq!(why(Launcher::OpenMpi4, "--brand-new -n 2 -H -n 4"), "4 stands where the program should");
    assert_eq!(why(Launcher::Hydra, "-trace libVT.so -n 4 ./a"), "its option -trace is not known");
    // These take no word, whatever they mean.
    assert_eq!(one(Launcher::OpenMpi4, "--brand-new --oversubscribe -n 2 ./a"), ("./a".into(), Some(2)));
    assert_eq!(one(Launcher::Srun, "--brand-new=1 ./a"), ("./a".into(), None));
}

/// Without a look at the launcher's file: mpiexec is MPICH's.
fn parse(line: &str) -> CommandLine {
    parse_with(line, |_| false)
}

fn parse_with(line: &str, variable: impl Fn(&str) -> bool) -> CommandLine {
    CommandLine::with_launcher(&words(line), find_launcher(&words(line), |_| None), variable)
}

#[test]
fn a_launcher_may_stand_behind_other_commands() {
    let line = parse("chrt -f 1 srun -n 2 /bin/ls");
    assert_eq!((line.launcher.unwrap().at, line.apps[0].at, line.apps[0].ranks), (3, 6, Some(2)));
    let line = parse("flux mini run -n 2 /bin/ls");
    assert_eq!((line.launcher.unwrap().at, line.apps[0].at), (0, 5));
    assert!(parse("flux jobs").obstacle.is_some());
    assert!(parse("./app srun").launcher.is_none());
}

#[test]
fn midrun_exec_is_skipped() {
    let line = parse("srun -n 4 midrun exec -- /bin/ls -l");
    assert_eq!((line.apps[0].at, line.apps[0].by_exec, line.apps[0].certain), (6, true, false));
}

#[test]
fn midrun_exec_of_the_users_own_makes_a_line_that_is_not_understood_usable() {
    let line = parse("srun --brand-new value midrun exec /bin/ls -l");
    assert_eq!((line.obstacle.as_deref(), line.apps[0].at, line.has_exec(), line.leaves_host), (None, 5, true, true));
    let both = parse("mpiexec -what 1 midrun exec -- /bin/ls : -what 2 midrun exec /bin/cat");
    assert_eq!(both.apps.iter().map(|app| (app.begin, app.at)).collect::<Vec<_>>(), [(1, 6), (8, 12)]);
    let one = parse("mpiexec -what 1 midrun exec /bin/ls : -what 2 /bin/cat");
    assert!(one.obstacle.is_some() && !one.has_exec(), "the other program is not known");

    let file = tempfile::NamedTempFile::new().unwrap();
    let read = |text: &str, kind| {
        std::fs::write(file.path(), text).unwrap();
        let words = words(&format!("run --app {}", file.path().display()));
        let version = LauncherVersion { mpi: None, version: String::new() };
        let launcher = LauncherWord { at: 0, kind, path: None, version };
        CommandLine::with_launcher(&words, Some(launcher), |_| false)
    };
    let line = read("-n 1 /opt/bin/midrun exec -- ./a\n-n 2 midrun exec ./b\n", Launcher::OpenMpi4);
    assert!(line.obstacle.is_none() && line.apps.is_empty() && line.has_exec() && line.leaves_host, "{line:?}");
    for text in ["-n 1 ./a\n", "# midrun exec ./a\n-n 1 ./a\n", "-n 1 -x A=1 midrun exec ./a\n"] {
        assert!(read(text, Launcher::OpenMpi4).obstacle.is_some(), "{text}");
    }
    assert!(read("-n 1 -x A=1 midrun exec ./a\n", Launcher::OpenMpi5).obstacle.is_none());
}

#[test]
fn ranks_leave_the_host_by_the_launcher_its_options_or_the_allocation() {
    assert!(parse("srun -n 2 /bin/ls").leaves_host && parse("aprun -n 2 /bin/ls").leaves_host);
    assert!(!parse("mpiexec -n 2 /bin/ls").leaves_host && !parse("./a").leaves_host);
    assert!(parse("mpiexec -hosts a,b -n 2 /bin/ls").leaves_host);
    let in_slurm = |name: &str| name == "SLURM_JOB_NODELIST";
    assert!(parse_with("mpiexec -n 2 /bin/ls", in_slurm).leaves_host);
}

#[test]
fn a_missing_program_is_certain_only_on_this_host() {
    assert!(parse("mpiexec -n 2 ./not-there").apps[0].certain);
    assert!(!parse("mpiexec -n 2 not-there").apps[0].certain);
    assert!(!parse("mpiexec -hosts a,b -n 2 ./not-there").apps[0].certain);
    assert!(!parse("srun -n 2 ./not-there").apps[0].certain);
}

#[test]
fn a_relative_program_is_looked_for_in_the_directory_of_the_ranks() {
    let line = parse("srun --chdir /usr -n 2 bin/env");
    assert_eq!(line.apps[0].path.as_deref(), Some(Path::new("/usr/bin/env")));
}

#[test]
fn workers_are_counted_and_options_that_hydra_cannot_repeat_are_found() {
    let read = |line: &str, kind| {
        let words = words(line);
        let version = LauncherVersion { mpi: None, version: String::new() };
        let launcher = LauncherWord { at: 0, kind, path: None, version };
        let (apps, leaves_host) = find_apps(&words, 1, kind).unwrap();
        CommandLine { apps, words, launcher: Some(launcher), obstacle: None, exec_in_file: false, leaves_host }
    };
    let hydra = Launcher::Hydra;
    assert_eq!(read("mpiexec -n 1 /bin/ls : -n 4 /bin/cat", hydra).workers(), Some(4));
    assert_eq!(read("mpiexec /bin/ls", hydra).workers(), None);
    assert_eq!(read("mpiexec -bind-to none -n 4 /bin/ls", hydra).hydra_placement(), Some("-bind-to"));
    assert_eq!(read("mpiexec -n 4 /bin/ls -bind-to none", hydra).hydra_placement(), None);
    assert_eq!(read("mpiexec --bind-to none -n 4 /bin/ls", Launcher::OpenMpi4).hydra_placement(), None);
}
