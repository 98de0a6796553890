//! Reports and exports of real runs, opened in a real browser.

use std::path::Path;
use std::process::Command;

use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, browser, each_mpi, midrun, need, under_midrun};
use serde_json::Value;

fn ask(scratch: &Scratch, words: &str) -> Ended {
    let mut asked = Command::new(midrun());
    asked.args(words.split_whitespace()).current_dir(scratch.directory());
    Process::start(scratch, "ask", asked).wait()
}

fn succeed(scratch: &Scratch, words: &str) -> String {
    let ended = ask(scratch, words);
    assert_eq!(ended.code, 0, "{words}: {}", ended.err);
    ended.out
}

fn record(scratch: &Scratch, mpi: Mpi, ranks: u32, program: &str, name: &str) {
    let (program, options) = program.split_once(' ').expect("a program and its options");
    let mut line = mpi.line(ranks, &mpi.example(program));
    line.extend(options.split_whitespace().map(str::to_owned));
    let (record, summary) = (format!("{name}.rec"), format!("{name}.json"));
    under_midrun(scratch, name, &["--record", &record, "--summary", &summary], &line).succeed();
}

/// The figures that the page's script drew, if it complained of nothing; `None` without a browser.
fn drawn(scratch: &Scratch, page: &Path) -> Option<u32> {
    let browser = browser::installed();
    need!(browser.is_some(), "no chromium: nobody opens the page of a report", None);
    let opened = browser::open(scratch, &browser?, page);
    assert_eq!(opened.console, Vec::<String>::new(), "{}", page.display());
    let count = opened.document.split("data-drawn=\"").nth(1).and_then(|rest| rest.split('"').next());
    Some(count.expect("the script ran to its end").parse().expect("a number"))
}

const UNEVEN: &str =
    "mw_synthetic --tasks 300 --iterations 12 --mean-us 1500 --sigma-pct 80 --work sleep --seed 7 --technique none";
const STREAM: &str = "pipe_synthetic --inputs 120 --stages 0.5,4,0.5 --work sleep";

#[each_mpi]
fn the_report_of_a_run_is_one_page_with_curves_decisions_and_a_chart_of_its_ranks(mpi: Mpi) {
    let scratch = Scratch::new();
    record(&scratch, mpi, 5, UNEVEN, "r");
    succeed(&scratch, "report r.rec -o r.html");
    let page = std::fs::read_to_string(scratch.path("r.html")).expect("the page");
    let summary: Value =
        serde_json::from_str(&std::fs::read_to_string(scratch.path("r.json")).expect("it")).expect("JSON");
    let schema = std::fs::read_to_string(midrun_tests::root().join("docs/summary.schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let (known, given) = (&schema["properties"], summary.as_object().expect("an object"));
    assert!(given.keys().all(|key| known.get(key).is_some()), "{mpi:?}: a key is not in the schema: {given:?}");
    let required = schema["required"].as_array().expect("a list");
    assert!(required.iter().all(|key| given.contains_key(key.as_str().expect("a key"))), "{mpi:?}: {required:?}");
    // What a browser without JavaScript shows.
    let decided = summary["decisions"].as_array().expect("a list");
    assert!(!decided.is_empty(), "{mpi:?}: tasks are uneven");
    for decision in decided {
        let why =
            decision["why"].as_str().expect("a text").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&why), "{why} is missing");
    }
    assert!(
        page.contains("<polyline class=\"time\"") && page.contains("rank 4") && page.contains("parallel efficiency")
    );
    let fetched = ["src=\"", "url(", "@import", "<link"];
    assert!(
        fetched.iter().all(|from| !page.split("<script").next().expect("a head").contains(from)),
        "it fetches nothing"
    );
    // The same with it: two curves and a chart, of the summary the curves alone.
    if let Some(count) = drawn(&scratch, &scratch.path("r.html")) {
        assert_eq!(count, 3, "{mpi:?}: curve, ratio and chart");
        succeed(&scratch, "report r.json r.rec -o both.html");
        assert_eq!(drawn(&scratch, &scratch.path("both.html")), Some(6), "{mpi:?}: and one curve of both");
    }
}

#[each_mpi]
fn a_recording_is_exported_as_table_json_and_timeline(mpi: Mpi) {
    let scratch = Scratch::new();
    record(&scratch, mpi, 4, UNEVEN, "r");
    record(&scratch, mpi, 5, STREAM, "p");
    let csv = succeed(&scratch, "export r.rec --format csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["rank", "what", "number", "begin_s", "end_s", "busy_s", "done"]);
    let tasks = |row: &&Vec<&str>| row[1] == "tasks";
    let done: u64 = rows.iter().filter(tasks).map(|row| row[6].parse::<u64>().expect("tasks")).sum();
    assert_eq!(done, 300 * 12, "{mpi:?}: every task is in one row");
    for row in rows.iter().filter(tasks) {
        let [begin, end, busy] = [3, 4, 5].map(|at| row[at].parse::<f64>().expect("seconds"));
        assert!(begin <= end && busy <= (end - begin) * 1.001 + 1e-6, "{row:?}");
    }
    let json: Value = serde_json::from_str(&succeed(&scratch, "export p.rec --format json")).expect("JSON");
    let stages: std::collections::BTreeSet<&str> =
        json["slices"].as_array().expect("slices").iter().filter_map(|slice| slice["what"].as_str()).collect();
    assert!(stages.iter().filter(|what| what.starts_with("stage ")).count() == 3, "{mpi:?}: {stages:?}");
    assert!(!json["notices"].as_array().expect("notices").is_empty());
    succeed(&scratch, "export r.rec --format perfetto -o trace.json");
    let trace: Value =
        serde_json::from_str(&std::fs::read_to_string(scratch.path("trace.json")).expect("it")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of_phase = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!(of_phase("X"), rows.len() - 1, "an event per row");
    assert!(of_phase("M") >= 5 && of_phase("i") >= 1, "names and decisions");
}

#[each_mpi]
fn a_report_of_ten_thousand_iterations_stays_below_a_megabyte(mpi: Mpi) {
    let scratch = Scratch::new();
    record(&scratch, mpi, 3, "mw_synthetic --tasks 6 --iterations 10000 --mean-us 20 --technique ss", "long");
    succeed(&scratch, "report long.rec -o long.html");
    let page = scratch.path("long.html");
    let bytes = page.metadata().expect("the page").len();
    assert!(bytes < 1_000_000, "{mpi:?}: {bytes} bytes");
    assert!(drawn(&scratch, &page).is_none_or(|count| count == 3));
}

#[test]
fn a_prediction_has_a_page_of_its_own_with_bars_and_the_programs_picture() {
    let scratch = Scratch::new();
    let models = midrun_tests::root().join("examples/models").canonicalize().expect("the examples");
    let asked = format!("predict program {0}/stencil.toml --machine {0}/two_nodes.toml", models.display());
    let said = succeed(&scratch, &format!("{asked} --picture p.svg --report p.html"));
    let read = |name: &str| std::fs::read_to_string(scratch.path(name)).expect("a file");
    let (picture, page) = (read("p.svg"), read("p.html"));
    assert!(picture.starts_with("<?xml") && picture.contains("data-name=\"converged\""));
    assert!(page.contains("points: computing") && page.contains("process 7: waiting"), "bars by element and process");
    assert!(said.lines().all(|line| page.contains(line)), "what the command says stands in the page");
    for (words, parts) in [
        ("--picture /nowhere/p.svg", "--picture /nowhere/p.svg"),
        ("--report /nowhere/p.html", "/nowhere/p.html cannot be written"),
    ] {
        ask(&scratch, &format!("{asked} {words}")).assert_refused(&[parts]);
    }
    let Some(browser) = browser::installed() else {
        return midrun_tests::skip::skip("no chromium: nobody opens the page of a prediction");
    };
    assert_eq!(browser::open(&scratch, &browser, &scratch.path("p.html")).console, Vec::<String>::new());
    assert_eq!(browser::open(&scratch, &browser, &scratch.path("p.svg")).console, Vec::<String>::new());
}

#[test]
fn what_cannot_be_reported_is_refused_in_one_sentence() {
    let scratch = Scratch::new();
    let sample = midrun_tests::root().join("examples/recordings/uneven.rec");
    let whole = std::fs::read(&sample).expect("a recording");
    let write = |name: &str, bytes: &[u8]| std::fs::write(scratch.path(name), bytes).expect("a file");
    write("empty.rec", b"");
    write("begun.rec", &whole[..20]);
    write("torn.rec", &whole[..whole.len() / 2]);
    write("other.json", b"{\"a\": 1}");
    write("text.json", b"hello");
    write("binary.rec", b"\x7fELF\xff\xfe");
    for (words, parts) in [
        ("report empty.rec -o o.html", &["empty.rec is empty", "--record"][..]),
        ("report begun.rec -o o.html", &["begun.rec holds nothing", "middle of the frame"]),
        ("report other.json -o o.html", &["other.json", "neither a summary nor a recording"]),
        ("report text.json -o o.html", &["text.json", "neither a summary nor a recording"]),
        ("report nowhere.rec -o o.html", &["nowhere.rec cannot be read"]),
        ("report torn.rec -o torn.rec", &["would overwrite a run"]),
        ("report torn.rec -o /nowhere/o.html", &["/nowhere/o.html cannot be written"]),
        ("export other.json --format csv", &["other.json"]),
        ("export empty.rec --format perfetto", &["empty.rec is empty"]),
        ("export binary.rec --format csv", &["binary.rec: this is neither", "--record"]),
        ("explain --summary binary.rec", &["binary.rec: this is neither", "--record"]),
    ] {
        ask(&scratch, words).assert_refused(parts);
    }
    assert!(!scratch.path("o.html").exists());
    // What was written before the end is shown, and one line says what is missing.
    let torn = ask(&scratch, "report torn.rec -o torn.html");
    assert_eq!((torn.code, torn.err.lines().count()), (0, 1), "{}", torn.err);
    assert!(torn.err.contains("frames before it are used"), "{}", torn.err);
    let explained = ask(&scratch, "explain --summary torn.rec");
    assert_eq!((explained.code, explained.err.lines().count()), (0, 1), "{}", explained.err);
    assert!(scratch.path("torn.html").metadata().expect("a page").len() > 50_000);
}
