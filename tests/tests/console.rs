//! What `midrun run` tells beside the program's own output: on a terminal, in a file, or not at all.

use midrun_tests::{Mpi, Scratch, Terminal, each_mpi, run, under_midrun};

const UNEVEN: &str = "--tasks 300 --iterations 12 --mean-us 1500 --sigma-pct 80 --work sleep --seed 7 --technique none";

fn line(mpi: Mpi) -> Vec<String> {
    let mut line = mpi.line(5, &mpi.example("mw_synthetic"));
    line.extend(UNEVEN.split(' ').map(str::to_owned));
    line
}

/// The program's lines, without their times.
fn of_program(out: &str) -> usize {
    out.lines().filter(|line| line.starts_with("iteration ") && line.contains(" chunks, ")).count()
}

#[each_mpi]
fn on_a_terminal_a_status_line_stands_below_the_programs_output_and_never_in_it(mpi: Mpi) {
    let scratch = Scratch::new();
    let mut command = run::command(&scratch, &[], &line(mpi));
    command.env("MIDRUN_CFG_RUN__NO_MEMORY", "true");
    let terminal = Terminal::start(&scratch, command, (120, 60));
    midrun_tests::wait_until("the status line is in the last row", || {
        let last = terminal.rows().pop().expect("a row");
        last.starts_with("midrun: iteration ") && last.contains(" · ratio ")
    });
    let (code, screen) = terminal.wait();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(of_program(&screen), 12, "{mpi:?}: every line of the program is whole:\n{screen}");
    assert!(!screen.contains(" · ratio "), "the status line is gone at the end:\n{screen}");
    let decided = screen.lines().find(|line| line.starts_with("midrun: iteration") && line.contains(" -> "));
    let times = decided.and_then(|line| line.split_once(": expected "));
    assert!(times.is_some_and(|(_, times)| times.len() < 50), "one short line:\n{screen}");
    assert!(screen.contains("midrun:   ") && screen.contains("than with the settings at start"), "{screen}");
}

#[each_mpi]
fn without_a_terminal_lines_are_plain_and_go_where_they_are_wanted(mpi: Mpi) {
    let scratch = Scratch::new();
    let plain = under_midrun(&scratch, "plain", &[], &line(mpi)).succeed();
    assert!(!plain.err.contains('\u{1b}') && plain.err.contains("midrun: summary"), "{}", plain.err);
    assert!(!plain.err.contains("because"), "the reason stands in midrun explain: {}", plain.err);
    assert_eq!(of_program(&plain.out), 12, "{}", plain.out);
    let quiet = under_midrun(&scratch, "quiet", &["--quiet", "--summary", "s.json"], &line(mpi)).succeed();
    assert_eq!(quiet.err, "", "{mpi:?}: nothing but errors");
    assert!(scratch.path("s.json").exists());
    let logged = under_midrun(&scratch, "logged", &["--log-file", "log"], &line(mpi)).succeed();
    assert_eq!(logged.err, "", "{mpi:?}");
    let log = std::fs::read_to_string(scratch.path("log")).expect("the log");
    assert!(log.starts_with("midrun: job ") && log.contains("midrun: summary"), "{log}");
    let refused = under_midrun(&scratch, "refused", &["--log-file", "/nowhere/log"], &line(mpi)).wait();
    refused.assert_refused(&["--log-file /nowhere/log cannot be written"]);
}
