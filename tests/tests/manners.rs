//! A launcher's manners: under `midrun run`, signals, codes, stdin and directories are as without it.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

use midrun_tests::{Analyzer, Mpi, Process, Scratch, Summary, each_mpi, midrun, mpi, run, synthetic, wait_until};

/// A rank that names each signal it gets; it ends when the file `end` is there.
const RANK: &str = "for s in HUP INT USR1 USR2 CONT TERM; do trap \"echo $s\" $s; done; echo ready; \
    while [ ! -e end ]; do sleep 0.02; done";

/// Lines of two ranks in order, and whether the command had ended before it was told to.
type Seen = (Vec<String>, bool);

/// Effect of `signal` on the command, and its exit code. `expected`: wait until the same is seen, or the command has ended.
fn outcome(scratch: &Scratch, name: &str, mut line: Process, signal: i32, expected: Option<&Seen>) -> (Seen, i32) {
    let lines = |out: &str| {
        let mut lines: Vec<String> = out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let _ = std::fs::remove_file(scratch.path("end"));
    wait_until("both ranks are ready", || line.out().matches("ready").count() == 2);
    line.signal(signal);
    if let Some((written, ended)) = expected {
        // A launcher that the signal ended alone is waited for: its ranks may have written nothing about it.
        wait_until(&format!("{name}: the same as alone"), || {
            (lines(&line.out()) == *written && !ended) || !line.is_running()
        });
    }
    // As long with as without midrun: a launcher that goes on may still be about to end.
    if line.is_running() {
        std::thread::sleep(std::time::Duration::from_millis(1500));
    }
    let seen = (lines(&line.out()), !line.is_running());
    std::fs::write(scratch.path("end"), "").expect("a file");
    (seen, line.wait().code)
}

#[each_mpi]
fn each_signal_to_the_command_has_the_effect_that_it_has_without_midrun(mpi: Mpi) {
    let mut line = mpi.line(2, "sh".as_ref());
    line.extend(["-c".into(), RANK.into()]);
    // The last is ignored from the start, as in a script's `&`: launchers catch it all the same.
    let cases = [
        ("usr1", libc::SIGUSR1, libc::SIG_DFL),
        ("usr2", libc::SIGUSR2, libc::SIG_DFL),
        ("term", libc::SIGTERM, libc::SIG_DFL),
        ("int", libc::SIGINT, libc::SIG_DFL),
        ("ignored-int", libc::SIGINT, libc::SIG_IGN),
    ];
    let case = |(name, signal, disposition): (&str, i32, usize)| {
        let scratch = Scratch::new();
        // Open MPI kills a second after it has asked; a loaded machine needs longer for the answer.
        let patience = ("OMPI_MCA_odls_base_sigkill_timeout", "4");
        let start = |who: &str, mut command: std::process::Command| {
            command.envs([patience]);
            // SAFETY: `signal` may be called between fork and exec.
            unsafe {
                command.pre_exec(move || {
                    libc::signal(signal, disposition);
                    Ok(())
                })
            };
            Process::start(&scratch, &format!("{who}-{name}"), command)
        };
        let mut alone = mpi::command(&line);
        alone.current_dir(scratch.directory());
        let alone = outcome(&scratch, name, start("alone", alone), signal, None);
        let under = start("run", run::command(&scratch, &[], &line));
        assert_eq!(outcome(&scratch, name, under, signal, Some(&alone.0)), alone, "{mpi:?} {name}");
        scratch.assert_nothing_left();
    };
    // Most of their time they wait.
    std::thread::scope(|scope| cases.into_iter().for_each(|one| drop(scope.spawn(move || case(one)))));
}

#[each_mpi]
fn paths_are_those_of_the_directory_of_the_command_and_of_the_ranks(mpi: Mpi) {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("work")).expect("a directory");
    let mut line = mpi.line(2, "./program".as_ref());
    line.splice(1..1, ["-wdir".into(), scratch.path("work").display().to_string()]);
    line.extend(["--tasks", "20", "--iterations", "2", "--mean-us", "500"].map(String::from));
    std::os::unix::fs::symlink(mpi.example("mw_synthetic"), scratch.path("work/program")).expect("a link");
    run::under_midrun(&scratch, "run", &["--summary", "s.json"], &line).succeed();
    assert_eq!(Summary::read(&scratch.path("s.json")).count("/iterations"), 2);
}

#[each_mpi]
fn a_running_analyzer_with_a_token_takes_the_job_of_whoever_has_it(mpi: Mpi) {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("token"), "open sesame\n").expect("a token");
    std::fs::set_permissions(scratch.path("token"), std::fs::Permissions::from_mode(0o600)).expect("its mode");
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &[("TOKEN", "open sesame")]);
    let line = synthetic::line(mpi, 3, "--tasks 60 --iterations 3 --mean-us 500");
    let by_file = ["--analyzer", &analyzer.url, "--token-file", "token", "--summary", "s.json"];
    run::under_midrun(&scratch, "by-file", &by_file, &line).succeed();
    assert_eq!(Summary::read(&scratch.path("s.json")).count("/iterations"), 3);
    let mut by_variable = run::command(&scratch, &["--analyzer", &analyzer.url, "--summary", "v.json"], &line);
    by_variable.env("MIDRUN_TOKEN", "open sesame");
    Process::start(&scratch, "by-variable", by_variable).succeed();
    assert_eq!(Summary::read(&scratch.path("v.json")).count("/iterations"), 3);
    let refused = run::under_midrun(&scratch, "without", &["--analyzer", &analyzer.url], &line).wait();
    refused.assert_refused(&["token"]);
    analyzer.end();
}

#[each_mpi]
fn two_launches_under_one_standing_agent_are_two_jobs(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::start(&scratch);
    let agent = midrun_tests::Agent::start(&scratch, &analyzer.url);
    let start = |name: &str| {
        let mut command = mpi::command(&synthetic::endless_line(&scratch, mpi, 2, "--tasks 60 --mean-us 500"));
        command.env("MIDRUN_SOCKET", &agent.socket);
        Process::start(&scratch, name, command)
    };
    let (first, second) = (start("first"), start("second"));
    let mut status = String::new();
    wait_until("two jobs run", || {
        let mut ask = std::process::Command::new(midrun());
        let answer = ask.args(["status", "--analyzer", &analyzer.url]).output().expect("midrun");
        status = String::from_utf8_lossy(&answer.stderr).into_owned();
        status.contains("several jobs run")
    });
    assert!(!status.contains("unnamed"), "{status}");
    synthetic::end(&scratch);
    first.succeed();
    second.succeed();
    analyzer.end();
}
