//! Public benchmarks as Debian packs them, unmodified: each finds the same by its own checks with libmidrun preloaded and counting.

use std::fs;
use std::path::{Path, PathBuf};

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, Summary, each_mpi, need, root, run};

/// Budgets of measuring, per cent: the usual one, by which frequent calls are sampled, and one by which each is timed.
const USUAL: &str = "1";
const ALL: &str = "100";

/// Runs a line without midrun and under it with this budget, each in a directory of its own that has these files.
fn both(line: &[String], files: &[(&str, &Path)], budget: &str) -> [(Scratch, Ended); 2] {
    [false, true].map(|counted| {
        let scratch = Scratch::new();
        for (name, from) in files {
            fs::copy(from, scratch.path(name)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        }
        let mut process = if counted { run::command(&scratch, &["--summary", "s.json"], line) } else { command(line) };
        process.current_dir(scratch.directory()).env("MIDRUN_BUDGET", budget);
        let ended = Process::start(&scratch, "run", process).succeed();
        scratch.assert_nothing_left();
        (scratch, ended)
    })
}

/// What a benchmark says of its own checks, without the times in it.
fn verdicts(text: &str) -> Vec<String> {
    let says = ["PASSED", "FAILED", "passed", "failed", "skipped", "errors", "with error", "Validates"];
    // Whether there is a line for processor time depends on the clock.
    let lines = text.lines().filter(|line| !line.starts_with("CPU") && says.iter().any(|word| line.contains(word)));
    let is_figure = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let kept = |line: &str| line.split_whitespace().filter(|word| !is_figure(word)).collect::<Vec<_>>().join(" ");
    lines.map(kept).collect()
}

/// Fails the test unless both runs say the same, and nothing bad; what they say.
fn assert_good(alone: &str, counted: &str) -> Vec<String> {
    let said = verdicts(alone);
    assert_eq!(verdicts(counted), said, "with midrun, without it:\n{alone}");
    let bad = |line: &&String| line.contains("FAILED") || (line.contains("failed") && !line.starts_with("0 tests"));
    assert_eq!(said.iter().find(bad), None, "{alone}");
    said
}

fn summary_of(scratch: &Scratch, ranks: u64) -> Summary {
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!((summary.count("/ranks"), summary.count("/pop/uncounted")), (ranks, 0), "{}", summary.0);
    summary
}

#[each_mpi]
fn netpipe_finds_every_message_whole_and_each_of_its_bytes_is_counted(mpi: Mpi) {
    const REPEATS: u64 = 20;
    let name = if mpi == Mpi::OpenMpi { "NPopenmpi" } else { "NPmpich2" };
    let program = Path::new("/usr/bin").join(name);
    need!(program.is_file(), format!("NetPIPE for {mpi:?} is not here"));
    for (mode, send, receive) in [("-i", "Send", "Recv"), ("-i -a", "Send", "Irecv"), ("-i -S", "Ssend", "Recv")] {
        let mut line = mpi.line(2, &program);
        line.extend(format!("{mode} -n {REPEATS} -u 100000").split(' ').map(str::to_owned));
        let [(alone, without), (counted, with)] = both(&line, &[], ALL);
        let list = |scratch: &Scratch| fs::read_to_string(scratch.path("np.out")).expect("NetPIPE's list");
        assert_eq!(list(&alone), list(&counted), "{mpi:?} {mode}: the same sizes, each as often");
        let size = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a size");
        let sizes: Vec<u64> = list(&counted).lines().map(size).collect();
        // Lines of the ranks may run into each other; what is written at once does not.
        let passed = [&without, &with].map(|ended| ended.err.matches("Integrity check passed").count());
        assert_eq!(passed, [sizes.len(); 2], "{mpi:?} {mode}: each size was checked\n{}\n{}", without.err, with.err);
        assert!(sizes.len() >= 30 && sizes.last() >= Some(&65_536), "{mpi:?} {mode}: {sizes:?}");
        // Both ranks send each message; a hundred of the first size go there and back to begin with.
        let messages = 2 * REPEATS * sizes.iter().sum::<u64>() + 2 * 100 * sizes[0];
        // Before each size, one tells the other how often, in an integer.
        let announced = 4 * sizes.len() as u64;
        let summary = summary_of(&counted, 2);
        let bytes = |call: &str| {
            let at = format!("/mpi_calls/MPI_{call}/same_host/bytes");
            summary.0.pointer(&at).and_then(serde_json::Value::as_u64).unwrap_or(0)
        };
        let sum = |calls: [&str; 2]| -> u64 { calls.map(bytes).iter().sum() };
        let moved = [sum(["Send", "Ssend"]), sum(["Recv", "Irecv"])];
        assert_eq!(moved, [messages + announced; 2], "{mpi:?} {mode}: {}", summary.0["mpi_calls"]);
        assert!(bytes(send) >= messages && bytes(receive) >= messages, "{mpi:?} {mode}");
    }
}

/// A program of ScaLAPACK's own tests, and its input file.
fn scalapack(mpi: Mpi, program: &str, input: &str) -> Option<(PathBuf, PathBuf)> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut folders = folders.map(|entry| entry.path().join(format!("scalapack/{}-tests", mpi.name())));
    let folder = folders.find(|folder| folder.join(program).is_file())?;
    Some((folder.join(program), folder.join(input)))
}

#[each_mpi]
fn scalapacks_own_tests_pass_the_same_with_every_call_counted(mpi: Mpi) {
    // LU and QR factorisation, Cholesky's of complex matrices, reduction of symmetric ones to tridiagonal form.
    for (program, input) in [("xdlu", "LU.dat"), ("xdqr", "QR.dat"), ("xzllt", "LLT.dat"), ("xdtrd", "TRD.dat")] {
        let found = scalapack(mpi, program, input);
        need!(found.is_some(), format!("ScaLAPACK's tests for {mpi:?} are not here"));
        let (path, data) = found.expect("it is here");
        let [(_, without), (counted, with)] = both(&mpi.line(2, &path), &[(input, &data)], USUAL);
        let said = assert_good(&without.out, &with.out);
        let passed = said.iter().filter(|line| line.contains("PASSED")).count();
        assert!(passed >= 40, "{mpi:?} {program}: {passed} checks\n{}", with.out);
        let total = said.iter().find_map(|line| line.split_once(" tests completed and passed")?.0.parse().ok());
        assert!(total >= Some(40), "{mpi:?} {program}: {said:?}");
        let summary = summary_of(&counted, 2);
        for call in ["Bcast", "Allreduce", "Reduce"] {
            let bytes = summary.count(&format!("/mpi_calls/MPI_{call}/collective/bytes"));
            assert!(bytes > 0, "{mpi:?} {program}: {call}: {}", summary.0["mpi_calls"]);
        }
    }
}

/// The figures in the HPC Challenge's own summary that do not depend on the clock.
fn figures(text: &str) -> Vec<&str> {
    let clocked = ["ime", "GUPs", "flops", "GB", "usec", "STREAM_", "ExeUpdates"];
    let lines = text.lines().skip_while(|line| !line.starts_with("Begin of Summary")).filter(|line| line.contains('='));
    lines.filter(|line| !clocked.iter().any(|word| line.contains(word))).collect()
}

/// Debian builds it for Open MPI alone.
#[test]
fn the_hpc_challenge_succeeds_with_the_same_figures_and_every_call_counted() {
    let program = Path::new("/usr/bin/hpcc");
    need!(Mpi::OpenMpi.is_here() && program.is_file(), "the HPC Challenge or Open MPI is not here");
    let input = root().join("tests/programs/hpccinf.txt");
    let runs = both(&Mpi::OpenMpi.line(4, program), &[("hpccinf.txt", &input)], USUAL);
    let [alone, counted] =
        [0, 1].map(|run: usize| fs::read_to_string(runs[run].0.path("hpccoutf.txt")).expect("its output"));
    let said = assert_good(&alone, &counted);
    let times = |what: &str| said.iter().filter(|line| line.contains(what)).count();
    let checks = ["PASSED", "Found 0 errors", "Node(s) with error 0", "Validates", "completed and passed"].map(times);
    // PTRANS five times and HPL; tables of RandomAccess, both generators; what every rank did alone, and one rank; STREAM.
    assert_eq!(checks, [6, 4, 10, 1, 2], "{said:?}");
    assert_eq!(figures(&counted), figures(&alone));
    assert!(figures(&counted).contains(&"Success=1"), "{counted}");
    assert!(figures(&counted).iter().any(|line| line.starts_with("MPIFFT_maxErr=")), "{counted}");
    let summary = summary_of(&runs[1].0, 4);
    let kinds = summary.0["mpi_calls"].as_object().map_or(0, serde_json::Map::len);
    assert!(kinds >= 20, "{kinds} functions of MPI were called and counted: {}", summary.0["mpi_calls"]);
    for call in ["Alltoall/collective", "Isend/same_host", "Sendrecv/same_host", "Allreduce/collective"] {
        assert!(summary.count(&format!("/mpi_calls/MPI_{call}/bytes")) > 0, "{call}: {}", summary.0["mpi_calls"]);
    }
}
