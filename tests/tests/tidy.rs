//! Tidiness of the tree, as tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::root;

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
fn no_build_or_test_leaves_what_a_compiler_wrote_among_the_sources() {
    let wrong = tracked(&["mod", "smod", "o", "a", "so", "pyc"]);
    let wrong: Vec<String> = wrong.iter().map(|path| path.display().to_string()).collect();
    assert_none(&wrong, "compilers wrote these files; give them another directory (gfortran -J)");
}

#[test]
fn only_the_atomic_module_takes_atomics_from_the_standard_library_in_the_ring() {
    let mut wrong = Vec::new();
    for path in tracked(&["rs"]) {
        let name = path.display().to_string();
        let in_ring = name.contains("shim/ring/src/");
        let is_atomic = path.file_stem().is_some_and(|stem| stem == "atomic");
        let takes = |line: &str| line.contains("std::sync::atomic") && line.contains("Atomic");
        let text = text(&path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        if in_ring && !is_atomic && code.lines().any(takes) {
            wrong.push(name);
        }
    }
    assert_none(&wrong, "use crate::atomic instead");
}

/// The names in `[dependencies]` of each crate of the workspace, by the crate's name.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let manifests = tracked(&["toml"]).into_iter().filter(|path| path.ends_with("Cargo.toml"));
    let read = |path: PathBuf| {
        let text = text(&path);
        let name = text.lines().find_map(|line| line.strip_prefix("name = "))?.trim_matches('"').to_owned();
        let section =
            text.split("\n[dependencies]\n").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        Some((name, names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect()))
    };
    manifests.filter_map(read).collect()
}

/// Adds to `all` what a crate of ours depends on, directly and by other crates of ours.
fn reach(of: &BTreeMap<String, BTreeSet<String>>, name: &str, all: &mut BTreeSet<String>) {
    for next in of.get(name).into_iter().flatten() {
        if all.insert(next.clone()) {
            reach(of, next, all);
        }
    }
}

#[test]
fn the_seams_are_kept() {
    let ours = dependencies();
    let common = ["midrun-agreement", "midrun-points", "midrun-scheduling", "midrun-statistics", "midrun-vocabulary"];
    let shim: Vec<&str> = [&common[..], &["midrun-ring", "midrun-instrument"]].concat();
    let agent: Vec<&str> = [&common[..], &["midrun-proto", "midrun-ring"]].concat();
    let tunlets: Vec<&str> = [&common[..], &["midrun-models"]].concat();
    let analyzer: Vec<&str> = [&tunlets[..], &["midrun-proto", "midrun-tunlets"]].concat();
    // (crate, all crates of ours that it may stand on, directly or not)
    let allowed = [
        ("midrun-ring", &["midrun-vocabulary"][..]),
        ("midrun-instrument", &[]),
        ("midrun-proto", &[]),
        ("midrun-shim", &shim),
        ("midrun-agent", &agent),
        ("midrun-models", &common),
        ("midrun-tunlets", &tunlets),
        ("midrun-analyzer", &analyzer),
        ("midrun-predict", &tunlets),
    ];
    let leaves = common.map(|name| (name, &common[..]));
    let mut wrong = Vec::new();
    for (name, allowed) in allowed.into_iter().chain(leaves) {
        assert!(ours.contains_key(name), "there is no crate {name}");
        let mut all = BTreeSet::new();
        reach(&ours, name, &mut all);
        let others = all.iter().filter(|one| one.starts_with("midrun-") && !allowed.contains(&one.as_str()));
        wrong.extend(others.map(|other| format!("{name} stands on {other}")));
    }
    // The shim lives in somebody else's process; the mathematics has no input or output.
    for (name, foreign) in [
        ("midrun-shim", &["tokio", "tonic", "serde", "tracing"][..]),
        ("midrun-ring", &["tokio", "serde", "tracing"]),
        ("midrun-tunlets", &["tokio", "tonic"]),
        ("midrun-models", &["tokio", "tonic"]),
    ] {
        let mut all = BTreeSet::new();
        reach(&ours, name, &mut all);
        wrong.extend(foreign.iter().filter(|one| all.contains(**one)).map(|one| format!("{name} stands on {one}")));
    }
    assert_none(&wrong, "these dependencies cross a seam");
}

/// The list of retired words: `identifier -> word of today`, and after `except` the files that may have it.
fn retired() -> Vec<(String, String, Vec<String>)> {
    let list = text(&root().join("tests/retired_words.txt"));
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let (old, rest) = line.split_once(" -> ").unwrap_or_else(|| panic!("OLD -> NEW instead of {line}"));
        let (new, except) = rest.split_once(" except ").unwrap_or((rest, ""));
        (old.to_owned(), new.to_owned(), except.split_whitespace().map(str::to_owned).collect())
    };
    lines.map(read).collect()
}

/// Words of letters, digits and underscores, without those in comments and literals of Rust and C.
fn identifiers(source: &str) -> BTreeSet<&str> {
    let code = source.lines().map(|line| line.trim_start()).filter(|line| !line.starts_with(['*', '/']));
    let code = code.map(|line| line.split(" // ").next().unwrap_or(line));
    let outside_texts = code.flat_map(|line| line.split('"').step_by(2));
    outside_texts.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_')).collect()
}

#[test]
fn retired_words_are_neither_identifiers_nor_in_documents() {
    let retired = retired();
    let mut wrong = Vec::new();
    for path in tracked(&["rs", "c", "h", "proto", "md"]) {
        let name = path.strip_prefix(root()).expect("a file of ours").display().to_string();
        if ["CHANGELOG.md", "docs/glossary.md"].contains(&name.as_str()) {
            continue; // these two say what was renamed
        }
        let text = text(&path);
        // Documents name identifiers between backquotes.
        let is_document = name.ends_with(".md");
        let quoted: String = text.split('`').skip(1).step_by(2).flat_map(|code| [code, "\n"]).collect();
        let words = identifiers(if is_document { &quoted } else { &text });
        let found = retired.iter().filter(|(old, _, except)| words.contains(old.as_str()) && !except.contains(&name));
        wrong.extend(found.map(|(old, new, _)| format!("{name}: {old} is {new} today")));
    }
    assert_none(&wrong, "tests/retired_words.txt lists words that are not used any more");
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
        "deploy/install",
        "tests/run",
        ".ci/run",
        "deploy/cluster/emuc",
        "deploy/cluster/slurmns.sh",
        "deploy/slurm/job.sbatch",
        "deploy/pbs/job.pbs",
        "deploy/pbs/pals.pbs",
        "deploy/flux/job.flux",
    ] {
        let status = Command::new("bash").arg("-n").arg(root().join(name)).status().expect("bash");
        assert!(status.success(), "{name} is a shell script without mistakes");
    }
}

/// The anchors of a page: its headings, in small letters, with hyphens for spaces and without other marks; a second one gets a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors: BTreeSet<String> = BTreeSet::new();
    for line in prose(text).lines().filter(|line| line.starts_with('#')) {
        let kept = |letter: char| letter.is_alphanumeric() || " -_".contains(letter);
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let anchor: String = heading.chars().filter(|letter| kept(*letter)).collect::<String>().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(numbered).find(|anchor| !anchors.contains(anchor));
        anchors.extend(free);
    }
    anchors
}

/// A page without its blocks of code, where brackets mean something else.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect::<Vec<_>>().join("\n")
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in tracked(&["md"]) {
        for part in prose(&text(&path)).split("](").skip(1) {
            let target = part.split(')').next().unwrap_or("");
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let place = if file.is_empty() { path.clone() } else { path.parent().unwrap_or(root()).join(file) };
            let is_page = place.extension().is_some_and(|extension| extension == "md");
            if !place.exists() || (!anchor.is_empty() && is_page && !anchors(&text(&place)).contains(anchor)) {
                wrong.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert_none(&wrong, "these links are broken");
}

#[test]
fn the_documentation_site_has_every_page_once() {
    let docs = root().join("docs");
    let summary = prose(&text(&docs.join("SUMMARY.md")));
    let listed: Vec<&str> = summary.split("](").skip(1).filter_map(|part| part.split(')').next()).collect();
    let listed: Vec<&str> = listed.into_iter().filter(|name| !name.is_empty()).collect();
    let pages = tracked(&["md"]).into_iter().filter_map(|path| {
        Some(path.strip_prefix(&docs).ok()?.display().to_string()).filter(|name| name != "SUMMARY.md")
    });
    let pages: BTreeSet<String> = pages.collect();
    let wrong: Vec<String> =
        pages.iter().filter(|page| listed.iter().filter(|name| *name == page).count() != 1).cloned().collect();
    assert_none(&wrong, "docs/SUMMARY.md does not list these pages once");
    let unknown: Vec<String> =
        listed.iter().filter(|name| !pages.contains(**name)).map(|name| (*name).to_owned()).collect();
    assert_none(&unknown, "docs/SUMMARY.md lists pages that are not there");
    let book = text(&root().join("book.toml"));
    assert!(book.contains("src = \"docs\"") && book.contains("create-missing = false"), "{book}");
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

#[test]
fn every_environment_variable_stands_in_the_reference() {
    let reference = text(&root().join("docs/reference.md"));
    let mut wrong = Vec::new();
    for path in tracked(&["rs", "c"]) {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        if name.starts_with("tests/") || name.starts_with("benches/") || name.contains("tests") {
            continue;
        }
        for literal in text(&path).split('"').skip(1).step_by(2).filter(|literal| literal.starts_with("MIDRUN_")) {
            let variable = literal.split(['=', ' ']).next().unwrap_or(literal);
            let is_name = variable.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
            if is_name && variable.len() > "MIDRUN_".len() && !reference.contains(&format!("`{variable}")) {
                wrong.push(format!("{name}: {variable} is not in docs/reference.md"));
            }
        }
    }
    assert_none(&wrong, "environment variables");
}

#[test]
fn every_number_of_the_models_stands_in_the_list_with_what_it_rests_on() {
    let mut wanted = BTreeSet::new();
    for path in tracked(&["rs"]).iter().filter(|path| path.starts_with(root().join("tunlets"))) {
        let name = path.strip_prefix(root()).expect("a name").display().to_string();
        if name.contains("test") {
            continue;
        }
        let module = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod") if !name.contains("expression") && !name.contains("recorded") => {
                path.parent().and_then(Path::file_name).and_then(|folder| folder.to_str())
            }
            stem => stem,
        };
        let text = text(path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for line in code.lines().map(str::trim_start) {
            let Some((_, rest)) = line
                .split_once("const ")
                .filter(|(before, _)| matches!(*before, "" | "pub " | "pub(crate) " | "pub(super) "))
            else {
                continue;
            };
            let Some((constant, of)) = rest.split_once(": ") else { continue };
            let kind = of.split('=').next().unwrap_or_default();
            let is_number = ["f64", "u64", "u32", "usize", "i32", "u8"].iter().any(|number| kind.contains(number));
            if is_number && !kind.contains("str") && constant.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
                wanted.insert((module.unwrap_or_default().to_owned(), constant.to_owned()));
            }
        }
    }
    let list = text(&root().join("docs/constants.md"));
    let mut listed = BTreeSet::new();
    for line in list.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let names = cells[2].split_whitespace().map(|name| name.trim_matches('`').to_owned());
        listed.extend(names.map(|name| (cells[1].to_owned(), name)));
    }
    let of = |from: &BTreeSet<(String, String)>, not: &BTreeSet<(String, String)>| {
        from.difference(not).map(|(module, name)| format!("{module}: {name}")).collect::<Vec<String>>()
    };
    assert_none(&of(&wanted, &listed), "docs/constants.md does not say what these rest on");
    assert_none(&of(&listed, &wanted), "docs/constants.md lists what is no more");
}
