//! Job scripts of batch systems that cannot be had here, with stand-ins for their commands that start ranks of an MPI of this machine.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use midrun_tests::synthetic::assert_whole;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, mpi, prefix, root};

const JOB: &str = "--tasks 60 --iterations 4 --mean-us 2000 --sigma-pct 40 --technique none";

/// A command called `name` in `bin`.
fn command(scratch: &Scratch, name: &str, text: &str) {
    let path = scratch.path("bin").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// The launchers of such systems. Those of PALS and Flux take the options that the scripts give, and refuse any other.
fn stand_ins(scratch: &Scratch, mpi: Mpi) {
    std::fs::create_dir(scratch.path("bin")).expect("a directory");
    let start = |options: &str| format!("exec {} {options} {} \"$@\"", mpi.launcher(), mpi.flags().join(" "));
    let version = format!("[ \"$1\" != --version ] || exec {} --version", mpi.launcher());
    command(scratch, "mpirun", &format!("{version}\n{}", start("")));
    let pals = "[ \"$1\" != --version ] || { echo 'mpiexec version 1.2.12 revision 1 (PALS)'; exit; }\n\
        [ \"$1 $3 $5 $6 $7 $8\" = '-n --ppn --cpu-bind depth --depth 1' ] || exit 9; n=$2; shift 8";
    command(scratch, "mpiexec", &format!("{pals}\n{}", start("-n $n")));
    let flux = "[ \"$*\" != 'getattr jobid' ] || { echo f7; exit; }\n\
        [ \"$1\" = run ] || exit 9\ncase $2 in --ntasks=*) n=${2#*=}; shift 2;; *) exit 9;; esac";
    command(scratch, "flux", &format!("{flux}\n{}", start("-n $n")));
}

/// The script as the batch system starts it: a copy in a directory of its own, in the user's home, with the system's variables.
fn submitted(scratch: &Scratch, script: &str, arguments: &[&str]) -> std::process::Command {
    let spooled = scratch.path("spooled");
    std::fs::copy(root().join("deploy").join(script), &spooled).expect("the script");
    let words: Vec<String> = ["bash".to_owned(), spooled.display().to_string()]
        .into_iter()
        .chain(arguments.iter().map(|word| (*word).to_owned()))
        .collect();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    std::fs::write(scratch.path("nodes"), host.repeat(4)).expect("a file");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut job = mpi::command(&words);
    job.env("PATH", format!("{}:{path}", scratch.path("bin").display()))
        .env("MIDRUN_PREFIX", prefix())
        .envs([("PBS_NODEFILE", scratch.path("nodes")), ("PBS_O_WORKDIR", scratch.directory().to_owned())])
        .envs([("PBS_JOBID", "17.server"), ("RANKS", "4")]);
    // A job of PBS starts in the user's home, one of Flux where it was submitted.
    job.current_dir(if script.starts_with("pbs") { Path::new("/") } else { scratch.directory() });
    job
}

const SCRIPTS: [(&str, &str); 3] =
    [("pbs/job.pbs", "midrun-17.json"), ("pbs/pals.pbs", "midrun-17.json"), ("flux/job.flux", "midrun-f7.json")];

#[each_mpi]
fn job_scripts_of_pbs_pals_and_flux_are_tuned_as_they_are(mpi: Mpi) {
    for (script, summary) in SCRIPTS {
        let scratch = Scratch::new();
        stand_ins(&scratch, mpi);
        // The user names it by its path from where the job was submitted.
        std::fs::copy(mpi.example("mw_synthetic"), scratch.path("program")).expect("a copy");
        let mut arguments = vec!["./program"];
        arguments.extend(JOB.split(' '));
        let is_pbs = script.starts_with("pbs");
        let mut job = submitted(&scratch, script, if is_pbs { &[] } else { &arguments });
        if is_pbs {
            job.env("PROGRAM", "./program").env("ARGUMENTS", JOB);
        }
        let ended = Process::start(&scratch, "job", job).succeed();
        assert_eq!(assert_whole(&ended).len(), 4, "{script}: {}", ended.err);
        let summary = Summary::read(&scratch.path(summary));
        assert_eq!((summary.count("/ranks"), summary.count("/iterations")), (4, 4), "{script}: {}", ended.err);
        assert!(!ended.err.contains("untuned"), "{script}: {}", ended.err);
        scratch.assert_nothing_left();
    }
}
