//! `midrun top` in a real terminal, beside real jobs.

use std::process::Command;

use midrun_tests::ask::status;
use midrun_tests::{
    Mpi, Process, Scratch, Terminal, each_mpi, midrun, ranks, root, synthetic, under_midrun, wait_until,
};

fn top(scratch: &Scratch, words: &[&str], size: (u16, u16)) -> Terminal {
    let mut command = Command::new(midrun());
    command.arg("top").args(words).current_dir(scratch.directory());
    Terminal::start(scratch, command, size)
}

/// A Master/Worker job that runs until it is ended, by a signal or by `synthetic::end`.
fn endless(scratch: &Scratch, mpi: Mpi, name: &str) -> Process {
    let mut line = mpi.line(5, &mpi.example("mw_synthetic"));
    let words = "--tasks 40 --mean-us 2000 --sigma-pct 80 --work sleep --technique none --until";
    line.extend(words.split(' ').map(str::to_owned));
    line.push(scratch.path("end").display().to_string());
    // On a slow machine fewer workers would pay.
    under_midrun(scratch, name, &["--objective", "fixed", "--summary", &format!("{name}.json")], &line)
}

fn newest_iteration(terminal: &Terminal) -> Option<u64> {
    let screen = terminal.screen();
    let line = screen.lines().find_map(|line| line.strip_prefix("iteration "))?;
    line.split(' ').next()?.parse().ok()
}

#[each_mpi]
fn a_running_job_is_shown_steered_and_left_alone(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = endless(&scratch, mpi, "job");
    wait_until("the job is known", || status(&scratch, &[]).is_some());
    let mut terminal = top(&scratch, &[], (110, 30));
    terminal.wait_for(" · ratio ");
    for part in ["5 ranks on 1 host", "rank 4", "busy, master", "time of each iteration", "mw.technique", "records "] {
        terminal.wait_for(part);
    }
    let before = newest_iteration(&terminal);
    wait_until("the view goes on", || newest_iteration(&terminal) > before);
    terminal.press("f");
    terminal.wait_for("frozen: tunlets decide nothing more");
    wait_until("the job is frozen", || status(&scratch, &[]).is_some_and(|status| status["mode"] == "frozen"));
    terminal.press("smw.technique gss\r");
    terminal.wait_for("mw.technique = gss applied on rank 0");
    terminal.wait_for("set by user, held");
    terminal.resize((80, 24));
    terminal.wait_for("ranks: 4 working ────");
    assert!(terminal.screen().lines().all(|line| line.chars().count() <= 80), "{}", terminal.screen());
    terminal.resize((40, 10));
    terminal.wait_for("midrun top needs 60 x 16");
    terminal.resize((140, 40));
    terminal.press("r");
    terminal.wait_for("decides");
    job.signal(libc::SIGTERM);
    terminal.wait_for(", ended");
    let ended = job.wait();
    assert!(ended.err.contains("user: mw.technique = gss applied"), "{mpi:?}: {}", ended.err);
    terminal.press("q");
    let (code, _) = terminal.wait();
    assert_eq!(code, 0);
    scratch.assert_nothing_left();
}

#[each_mpi]
fn of_several_jobs_one_is_shown_at_a_time_and_a_lost_one_is_named(mpi: Mpi) {
    let scratch = Scratch::new();
    let jobs = [endless(&scratch, mpi, "a"), endless(&scratch, mpi, "b")];
    let listed = || midrun_tests::ask::ask(&scratch, &["status"]).1.contains("several jobs run");
    wait_until("both are known", listed);
    let mut terminal = top(&scratch, &[], (100, 30));
    terminal.wait_for("Tab job 1 of 2");
    terminal.wait_for(" · ratio ");
    let id = |terminal: &Terminal| terminal.screen().split(' ').next().map(str::to_owned);
    let first = id(&terminal);
    terminal.press("\t");
    terminal.wait_for("Tab job 2 of 2");
    terminal.wait_for(" · ratio ");
    assert_ne!(first, id(&terminal), "another job");
    // Nobody says goodbye.
    jobs.iter().for_each(|job| job.signal(libc::SIGKILL));
    terminal.wait_for("connection lost, trying again");
    assert!(terminal.screen().contains("ideal"), "the last figures stay:\n{}", terminal.screen());
    terminal.press("\u{3}");
    assert_eq!(terminal.wait().0, 0);
    // The jobs go on without midrun.
    synthetic::end(&scratch);
    ranks::assert_all_gone(&scratch);
}

#[test]
fn a_recorded_run_is_played_to_its_end() {
    let scratch = Scratch::new();
    let recording = root().join("examples/recordings/uneven.rec").display().to_string();
    let mut terminal = top(&scratch, &[&recording, "--speed", "20"], (100, 30));
    terminal.wait_for(", ended");
    terminal.wait_for("time of each iteration");
    terminal.press("p");
    terminal.wait_for("a recorded run cannot be changed");
    // Keys that come together with a new size are read, too.
    terminal.press("s");
    let mut typed = "set POINT VALUE: ".to_owned();
    for key in 'a'..='z' {
        terminal.resize((100 + (u16::from(key as u8) % 2), 30));
        terminal.press(&key.to_string());
        typed.push(key);
        terminal.wait_for(&format!("{typed}_"));
    }
    terminal.press("\u{3}");
    assert_eq!(terminal.wait().0, 0);
}

#[test]
fn a_terminal_that_is_none_or_too_small_is_refused_in_one_sentence() {
    let scratch = Scratch::new();
    let mut command = Command::new(midrun());
    command.arg("top");
    Process::start(&scratch, "top", command).wait().assert_refused(&["midrun top needs a terminal", "midrun status"]);
    let (code, said) = top(&scratch, &[], (50, 10)).wait();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((code, said.as_str()), (64, "midrun: the terminal has 50 x 10 characters; midrun top needs 60 x 16"));
    let (code, said) = top(&scratch, &[], (100, 30)).wait();
    assert!(code == 1 && said.contains("no job runs"), "{code} {said}");
}
