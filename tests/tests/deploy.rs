//! Installing for a site: every file that a unit names is installed, and the units' hardening is what it is said to be.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use midrun_tests::{Scratch, need, prefix, root};

fn units() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("deploy/systemd")).expect("the units");
    let units: Vec<PathBuf> = entries.map(|entry| entry.expect("a unit").path()).collect();
    assert_eq!(units.len(), 3);
    units
}

fn install(destination: &Path) {
    let mut install = Command::new(root().join("deploy/install"));
    let done = install.env("DESTDIR", destination).env("FROM", prefix()).output().expect("deploy/install");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Paths that a unit names: words of its commands, and files of variables.
fn named(unit: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(unit).expect("a unit");
    let lines =
        text.lines().filter_map(|line| line.strip_prefix("ExecStart=").or(line.strip_prefix("EnvironmentFile=")));
    let words =
        lines.flat_map(str::split_whitespace).filter(|word| word.starts_with("/usr/") || word.starts_with("/etc/"));
    words.map(str::to_owned).collect()
}

#[test]
fn every_file_that_a_unit_names_is_installed_and_a_second_time_keeps_the_sites_own() {
    let scratch = Scratch::new();
    let destination = scratch.path("site");
    install(&destination);
    let mut count = 0;
    for path in units().iter().flat_map(|unit| named(unit)) {
        // Token and key of a user's agent are the administrator's to give; their directory is there.
        let path = if path.contains('%') {
            Path::new(&path).parent().expect("a directory").display().to_string()
        } else {
            path
        };
        assert!(destination.join(&path[1..]).exists(), "{path}");
        count += 1;
    }
    assert_eq!(count, 18, "paths in all units");
    let secrets = || {
        ["token", "tls/analyzer.key", "tls/client.key"].map(|name| {
            let path = destination.join("etc/midrun").join(name);
            let mode = path.metadata().expect("a secret").permissions().mode();
            (std::fs::read_to_string(path).expect("its text"), mode & 0o777)
        })
    };
    let before = secrets();
    assert!(before[0].0.len() == 64 && before.iter().all(|(_, mode)| *mode == 0o600));
    install(&destination);
    assert_eq!(secrets(), before);
    let installed = Command::new(destination.join("usr/bin/midrun")).arg("--version").status();
    assert!(installed.is_ok_and(|status| status.success()));
    assert!(destination.join("usr/lib/midrun/libmidrun-select.so").is_file() || cfg!(not(target_arch = "x86_64")));
}

/// Keys of the units that systemd 239 of Enterprise Linux 8 reads (its table of keys and that of filters,
/// load-fragment-gperf.gperf.m4 and seccomp-util.c of the sources that the distribution publishes).
const OF_239: &str = "After AmbientCapabilities CapabilityBoundingSet ConfigurationDirectory Description EnvironmentFile ExecStart Group KeyringMode
    LimitNOFILE LockPersonality MemoryDenyWriteExecute NoNewPrivileges PrivateDevices PrivateMounts PrivateTmp PrivateUsers ProtectControlGroups
    ProtectHome ProtectKernelModules ProtectKernelTunables ProtectSystem RemoveIPC Restart RestartSec RestrictAddressFamilies RestrictNamespaces
    RestrictRealtime RestrictSUIDSGID RuntimeDirectory RuntimeDirectoryMode StateDirectory StateDirectoryMode SystemCallArchitectures
    SystemCallErrorNumber SystemCallFilter Type UMask User WantedBy Wants";
/// Keys that it does not know, so that it warns and goes on without them, with the version that brought each: they harden only.
const HARDENING_SINCE: [(&str, u32); 5] = [
    ("ProtectHostname", 242),
    ("ProtectKernelLogs", 244),
    ("ProtectClock", 245),
    ("ProtectProc", 247),
    ("ProcSubset", 247),
];

#[test]
fn systemd_of_enterprise_linux_8_knows_each_key_of_the_units_but_for_some_that_harden_only() {
    let text: String =
        units().iter().map(|unit| std::fs::read_to_string(unit).expect("a unit")).collect::<Vec<_>>().join("\n");
    let lines = text.lines().filter(|line| !line.starts_with(['#', '[']));
    let used: BTreeSet<&str> = lines.filter_map(|line| line.split_once('=')).map(|(key, _)| key).collect();
    let known = OF_239.split_whitespace().chain(HARDENING_SINCE.map(|(key, _)| key)).collect::<BTreeSet<_>>();
    assert_eq!(used, known, "a key in one of them only: look up since when systemd knows it");
    // Values that it knows, too.
    for (key, value) in [
        ("SystemCallFilter", "@system-service"),
        ("SystemCallErrorNumber", "EPERM"),
        ("ProtectSystem", "strict"),
        ("KeyringMode", "private"),
        ("Type", "notify"),
    ] {
        let values = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        assert_eq!(values.filter(|of| *of == value).count(), 3, "{key}={value}");
    }
}

#[test]
fn systemd_rates_the_hardening_of_the_units_below_2_of_10() {
    let version = Command::new("systemd-analyze").arg("--version").output();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let number: Option<u32> = text.split_whitespace().nth(1).and_then(|number| number.parse().ok());
    need!(number.is_some_and(|number| number >= 250), "no systemd-analyze that rates files");
    for unit in units() {
        let mut analyze = Command::new("systemd-analyze");
        let rated =
            analyze.args(["security", "--offline=true", "--threshold=20"]).arg(&unit).output().expect("a rating");
        assert!(rated.status.success(), "{}: {}", unit.display(), String::from_utf8_lossy(&rated.stdout));
    }
}
