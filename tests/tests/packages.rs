//! The Debian package and the tarball, installed and used in a root of their own.

use std::process::Command;

use midrun_tests::{Process, Scratch, need, root};

#[test]
fn the_packages_install_tune_jobs_and_leave_nothing_behind_in_a_clean_root() {
    let root = root().canonicalize().expect("the root");
    let packages = root.join("target/packages");
    let (deb, tarball) = (packages.join("midrun_0.1.0_amd64.deb"), packages.join("midrun-0.1.0-x86_64.tar.gz"));
    need!(deb.is_file() && tarball.is_file(), "deploy/package/deb has made no packages");
    let scratch = Scratch::new();
    let place = scratch.path("root");
    std::fs::create_dir(&place).expect("a directory");
    let is_root = Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success());
    need!(is_root, "no right to mount");
    let mut story = Command::new(root.join("tests/programs/in_clean_root.sh"));
    let rpm = packages.join("midrun-0.1.0-1.x86_64.rpm");
    story.arg(place).arg(&root).arg(deb).arg(tarball).arg(root.join("examples/mw_synthetic.c")).arg(&rpm);
    let ended = Process::start(&scratch, "story", story).succeed();
    assert!(ended.out.contains("600midrun\n600midrun\n"), "the secrets are the daemon's alone: {}", ended.out);
    let jobs = if rpm.is_file() { 6 } else { 5 };
    assert_eq!(ended.out.matches("tasks lost or doubled: 0, wrong results: 0").count(), jobs, "{}", ended.out);
    need!(rpm.is_file(), "deploy/package/rpm has made no package");
    assert!(ended.out.ends_with("all of it works\n"), "{}", ended.out);
}
