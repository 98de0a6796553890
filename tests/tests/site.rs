//! The documentation site, built by the real mdBook: every link of it leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use midrun_tests::{Process, Scratch, need, root};

/// The mdBook that `tests/run` has installed, or that of the machine.
fn mdbook() -> Option<PathBuf> {
    let installed = root().join("target/mdbook/bin/mdbook");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&paths).map(|path| path.join("mdbook"));
    std::iter::once(installed).chain(in_path).find(|path| path.is_file())
}

/// The pages of the site below `directory`, by their paths from there, with their texts.
fn pages(directory: &Path, below: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for path in std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            pages(&path, below, found);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let name = path.strip_prefix(below).expect("a path of the site").to_owned();
            found.insert(name, std::fs::read_to_string(&path).expect("a page"));
        }
    }
}

/// The values of an attribute in a page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    page.split(&format!(" {attribute}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// `link`, as it stands in `page`, from the root of the site; `None` if it leaves the site.
fn target(page: &Path, link: &str) -> Option<PathBuf> {
    let mut parts = Vec::new();
    for part in page.parent().unwrap_or(Path::new("")).join(link).components() {
        match part {
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(name) => parts.push(name.to_owned()),
            _ => {}
        }
    }
    Some(parts.into_iter().collect())
}

#[test]
fn the_site_is_built_without_a_complaint_and_its_links_lead_somewhere() {
    let builder = mdbook();
    need!(builder.is_some(), "no mdBook: nobody builds the documentation site");
    let scratch = Scratch::new();
    let site = scratch.path("book");
    let mut build = Command::new(builder.expect("it is here").canonicalize().expect("its path"));
    build.arg("build").arg("--dest-dir").arg(&site).arg(root().canonicalize().expect("the root"));
    let ended = Process::start(&scratch, "mdbook", build).succeed();
    let complaints = ["WARN", "ERROR"].iter().filter(|word| ended.err.contains(*word)).count();
    assert_eq!(complaints, 0, "{}", ended.err);

    let mut found = BTreeMap::new();
    pages(&site, &site, &mut found);
    assert!(found.contains_key(Path::new("tutorial/master-worker.html")), "{:?}", found.keys());
    let anchors: BTreeMap<&PathBuf, BTreeSet<&str>> =
        found.iter().map(|(name, page)| (name, values(page, "id").into_iter().collect())).collect();
    let (mut wrong, mut checked) = (BTreeSet::new(), 0);
    for (name, page) in &found {
        for link in values(page, "href").into_iter().chain(values(page, "src")) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { Some(name.clone()) } else { target(name, file) };
            let leads = target.is_some_and(|target| {
                let has_anchor = |known: &BTreeSet<&str>| anchor.is_empty() || known.contains(anchor);
                let file = site.join(&target);
                (file.is_file() || file.join("index.html").is_file()) && anchors.get(&target).is_none_or(has_anchor)
            });
            if !leads {
                wrong.insert(format!("{}: {link}", name.display()));
            }
        }
    }
    assert!(checked > 2000, "{checked} links");
    assert!(wrong.is_empty(), "these links of the site are broken:\n{wrong:#?}");
}
