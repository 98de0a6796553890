//! Tidiness of the tree, as tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::root;

/// No file of ours is longer.
const MOST_LINES: usize = 400;

fn tracked(endings: &[&str]) -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git");
    let list = String::from_utf8(output.stdout).expect("names");
    let files = list.lines().map(|name| root().join(name)).filter(|path| path.is_file());
    files.filter(|path| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending))).collect()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn assert_none(wrong: &[String], what: &str) {
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

#[test]
fn each_source_file_begins_with_a_sentence_on_what_it_is_for() {
    let mut wrong = Vec::new();
    for path in tracked(&["rs", "c", "h", "proto"]) {
        let text = text(&path);
        let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!")).unwrap_or("");
        let comment = ["//! ", "/* ", "// "].iter().find_map(|mark| first.strip_prefix(mark));
        if comment.is_none_or(|sentence| sentence.split_whitespace().count() < 3) {
            wrong.push(path.display().to_string());
        }
    }
    assert_none(&wrong, "these files do not say what they are for");
}

#[test]
fn no_source_file_is_longer_than_the_limit() {
    let files = tracked(&["rs", "c", "h", "proto"]);
    let by_hand = files.iter().filter(|path| !text(path).lines().next().unwrap_or("").contains("generated from"));
    let long = by_hand.map(|path| (path, text(path).lines().count())).filter(|(_, lines)| *lines > MOST_LINES);
    let wrong: Vec<String> = long.map(|(path, lines)| format!("{}: {lines} lines", path.display())).collect();
    assert_none(&wrong, "these files are too long");
}

#[test]
fn only_the_atomic_module_takes_atomics_from_the_standard_library_in_the_ring() {
    let mut wrong = Vec::new();
    for path in tracked(&["rs"]) {
        let name = path.display().to_string();
        let in_ring = name.contains("shim/ring/src/");
        let is_atomic = path.file_stem().is_some_and(|stem| stem == "atomic");
        let takes = |line: &str| line.contains("std::sync::atomic") && line.contains("Atomic");
        if in_ring && !is_atomic && text(&path).lines().any(takes) {
            wrong.push(name);
        }
    }
    assert_none(&wrong, "use crate::atomic instead");
}

#[test]
fn the_seams_are_kept() {
    let forbidden = [
        ("shim/Cargo.toml", &["tokio", "tonic", "serde", "tracing", "midrun-proto"][..]),
        ("shim/ring/Cargo.toml", &["tokio", "serde", "midrun-proto"][..]),
        ("monitor-tuner/Cargo.toml", &["midrun-tunlets", "midrun-models"][..]),
        ("analyzer/Cargo.toml", &["midrun-ring", "midrun-shim"][..]),
        ("tunlets/Cargo.toml", &["tokio", "midrun-proto", "midrun-ring"][..]),
    ];
    let mut wrong = Vec::new();
    for (manifest, names) in forbidden {
        let text = text(&root().join(manifest));
        for name in names {
            if text.lines().any(|line| line.starts_with(name)) {
                wrong.push(format!("{manifest} depends on {name}"));
            }
        }
    }
    assert_none(&wrong, "these dependencies cross a seam");
}

#[test]
fn scripts_that_the_readme_names_are_there_and_run_through_a_shell() {
    let readme = text(&root().join("README.md"));
    for name in ["deploy/quickstart", "tests/run"] {
        assert!(readme.contains(name), "README names {name}");
    }
    for name in [
        "deploy/quickstart",
        "deploy/build",
        "tests/run",
        ".ci/run",
        "deploy/cluster/emuc",
        "deploy/cluster/slurmns.sh",
    ] {
        let status = Command::new("bash").arg("-n").arg(root().join(name)).status().expect("bash");
        assert!(status.success(), "{name} is a shell script without mistakes");
    }
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in tracked(&["md"]) {
        for part in text(&path).split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap_or("");
            let outside = target.is_empty() || target.contains("://") || target.starts_with("mailto:");
            if !outside && !path.parent().unwrap_or(root()).join(target).exists() {
                wrong.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert_none(&wrong, "these links are broken");
}

#[test]
fn every_test_that_the_guarantees_name_exists() {
    let sources: String = tracked(&["rs"]).iter().map(|path| text(path)).collect();
    let guarantees = text(&root().join("docs/guarantees.md"));
    let names = guarantees.split('`').skip(1).step_by(2).filter(|word| word.matches('_').count() >= 3);
    let is_test = |name: &str| sources.contains(&format!("fn {name}(")) || sources.contains(&format!("    {name}: "));
    let wrong: Vec<String> = names.filter(|name| !is_test(name)).map(str::to_owned).collect();
    assert_none(&wrong, "docs/guarantees.md names tests that do not exist");
}
