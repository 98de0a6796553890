//! The page of the sources' figures: worked values, reasons for what differs, and docs/papers.md as it is generated.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use midrun_benches::papers::live::Measured;
use midrun_benches::papers::value::Value;
use midrun_benches::papers::{chosen, page, sources};

/// The model's answer to a figure, and whether it agrees with the printed one.
fn answer(id: &str, case: &str, of: &str) -> (Value, Option<bool>) {
    let sources = chosen(Some(id)).unwrap();
    let item = &sources[0].item[0];
    let row = item.row.iter().find(|row| row.case == case).unwrap_or_else(|| panic!("{id} has no case {case}"));
    let k = row.figure.iter().position(|figure| figure.of == of).unwrap_or_else(|| panic!("{case} has no {of}"));
    let answer = item.answers(row).unwrap().swap_remove(k);
    (answer.model.unwrap(), answer.deviation.map(|deviation| deviation.agrees))
}

fn number(id: &str, case: &str, of: &str) -> f64 {
    match answer(id, case, of) {
        (Value::Number(number), _) => number,
        (other, _) => panic!("{id}, {case}, {of}: {other}"),
    }
}

#[test]
fn worked_values_of_the_sources_come_out_of_the_models() {
    for (id, case, of, expected, within) in [
        ("T4.F23", "Tt", "Tt(15)", 122.939_733, 1e-5),
        ("T4.F23", "Tt", "Tt(40)", 81.1024, 1e-5),
        ("T4.F25", "V = 4096 B", "Pi", 23.0, 0.0),
        ("T4.F21", "c: 1 KB, synchronous", "MCMC", 45.0, 0.0),
        ("T4.F26", "`--rounding source`", "Pi", 10.0, 0.0),
        ("T4.F3", "3 workers", "time(fsc 0.5)", 10.0, 1e-9),
        ("T4.F3", "3 workers", "messages(dpf 0.5)", 9.0, 0.0),
        ("T4.T1", "1024 tasks", "mean", 1.9929, 5e-5),
        ("T4.T1", "1024 tasks", "sd %", 63.9, 0.05),
        ("T4.F28", "c", "n of least Tt", 22.0, 0.0),
        ("P2.T5.1", "set 1: links 10000; cp 10, 10, 10", "best throughput", 5.63467, 5e-6),
        ("P2.FB.1", "three stages", "Throughput", 2.40765, 5e-6),
        ("P2.C2", "two copies", "start1", 0.3125, 1e-9),
        ("S0.T2", "MW, variance 5", "one phase", 32.48, 5e-3),
        ("H3.T2", "NAT 32, N1P4: simulated 280, measured 264", "error %", 6.0, 0.0),
    ] {
        let found = number(id, case, of);
        assert!((found - expected).abs() <= within, "{id}, {case}, {of}: {found} instead of {expected}");
    }
    let (pattern, agrees) =
        answer("T4P.S1", "14 ranks: 9 replicas, 3 managers, 2 stages", "the source's search, ranks(14)");
    assert_eq!((pattern, agrees), (Value::Text("0,1x4,2x3,3x2,4".into()), Some(true)));
}

#[test]
fn what_the_models_contradict_is_seen_as_a_contradiction() {
    assert_eq!(answer("T4.F21", "c: 1 KB, synchronous", "MCMC").1, Some(false));
    assert_eq!(answer("T4P.T12", "stages 0 to 4", "Tr").1, Some(false));
    assert_eq!(answer("T4P.T12", "with an overlap of 0.67", "Tr").1, Some(true));
}

/// Figures and tables with numbers in the five sources.
const IDS: &str = "S0.F1 S0.T1 S0.T2 C1.R C1.F1 C1.F2 C1.F6 P2.F2.2 P2.F6.1 P2.T5.1 P2.F5.1 P2.F5.2 P2.FB.1 P2.C2 H3.T1 H3.T2 H3.F11 \
    T4.I.F3 T4.F1 T4.T1 T4.F2 T4.F3 T4.F4 T4.F6 T4.F7 T4.F8 T4.F9 T4.F10 T4.F11 T4.F12 T4.F13 T4.F14 T4.F15 T4.F16 T4.F17 T4.F18 T4.F35 \
    T4.X1123 T4.F21 T4.F22 T4.F23 T4.F24 T4.X81 T4.F25 T4.F26 T4.F27 T4.F28 T4.F29 T4.F30 T4.F31 T4.F32 T4.F33 T4.F34 \
    T4.II.F7 T4P.T2 T4P.T3 T4P.T4 T4P.T5 T4P.T6 T4P.T7 T4P.T8 T4P.T9 T4P.T10 T4P.T11 T4P.T12 T4P.T13 T4P.T14 T4P.T15 T4P.T16 T4P.T17 T4P.S1";

#[test]
fn every_figure_and_table_is_there_once() {
    let sources = sources().unwrap();
    let found: Vec<&str> = sources.iter().flat_map(|source| &source.item).map(|item| item.id.as_str()).collect();
    let unique: BTreeSet<&str> = found.iter().copied().collect();
    assert_eq!(unique.len(), found.len(), "an id stands twice");
    assert_eq!(unique, IDS.split_whitespace().collect());
    assert!(chosen(Some("T9.F1")).unwrap_err().to_string().contains("there is no such figure or table"));
    assert!(chosen(Some("P2")).unwrap()[0].item.len() > 5);
}

#[test]
fn every_table_has_rows_or_says_what_is_lost_and_its_cases_have_names_of_their_own() {
    for item in sources().unwrap().iter().flat_map(|source| &source.item) {
        assert!(!item.row.is_empty() || item.lost.is_some(), "{}: neither rows nor what is lost", item.id);
        let cases: BTreeSet<&str> = item.row.iter().map(|row| row.case.as_str()).collect();
        assert_eq!(cases.len(), item.row.len(), "{}: two cases of one name", item.id);
    }
}

#[test]
fn the_page_of_the_documents_is_what_the_command_prints_and_what_differs_has_its_reason() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/papers.md");
    let printed = page::page(&sources().unwrap(), &Measured::recorded().unwrap()).unwrap();
    if std::env::var_os("MIDRUN_BLESS").is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(printed.lines()).find(|(kept, printed)| kept != printed);
    assert!(
        kept == printed,
        "docs/papers.md is not what benches/papers prints (MIDRUN_BLESS=1 writes it): {differs:?}"
    );
    // The remark is the last column.
    let without_reason = printed.lines().filter(|line| line.contains("| **") && !line.starts_with("| deviation"));
    let without_reason: Vec<&str> =
        without_reason.filter(|line| line.ends_with("** |") || line.ends_with("| - |")).collect();
    assert!(without_reason.is_empty(), "these differ without a reason: {without_reason:#?}");
}

#[test]
fn each_deviation_in_the_chapter_of_the_sources_names_its_record_or_says_why_there_is_none() {
    let text = include_str!("../../docs/sources.md");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| item"));
    let (mut looked_at, mut wrong) = (0, Vec::new());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [item, _, differs, record] = cells[..] else { continue };
        looked_at += 1;
        let says = record.contains("](adr/")
            || record.starts_with("no record")
            || (record == "-" && differs.starts_with("The same"));
        if !says || differs.is_empty() {
            wrong.push(item);
        }
    }
    assert!(looked_at > 40 && wrong.is_empty(), "{looked_at} rows; {wrong:#?}");
}

#[test]
fn the_command_prints_one_table_without_its_runs_and_refuses_what_is_not_there() {
    let run = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_papers")).args(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (good, out, err) = run(&["--only", "T4P.T7", "--no-runs"]);
    assert!(good && err.is_empty(), "{err}");
    // Printed there, observed there, computed here.
    let period =
        out.lines().find(|line| line.starts_with("| stages 0 to 4 | period |")).unwrap_or_else(|| panic!("{out}"));
    assert!(period.contains("| 3002.1 | 3002.3 | 3002.1 | 0 % |"), "{period}");
    assert!(!out.contains("T4P.T8"), "{out}");
    let (good, out, err) = run(&["--only", "T9.F1"]);
    assert!(!good && out.is_empty() && err.contains("T9.F1: there is no such figure or table"), "{err}");
    let (good, _, err) = run(&["--only", "T4P.T7", "--mpi", "mpich", "--hosts", "2"]);
    assert!(!good && err.contains("--hosts is for Open MPI"), "{err}");
    let (good, out, err) = run(&["--only", "T4P.T7", "--missing", "--no-runs"]);
    assert!(!good && out.is_empty() && err.contains("cannot be used with"), "{err}");
}
