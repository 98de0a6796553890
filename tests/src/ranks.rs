//! The processes of a test's job, found in `/proc` by their environment: launchers, ranks, agents on this host.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::{Scratch, wait_until};

/// Process id and environment of every process that a test has started.
fn processes(scratch: &Scratch) -> Vec<(i32, Vec<u8>)> {
    processes_below(&scratch.path("run"))
}

/// The same of all tests whose directories are below one.
fn processes_below(directory: &Path) -> Vec<(i32, Vec<u8>)> {
    let mark = [b"XDG_RUNTIME_DIR=", directory.as_os_str().as_encoded_bytes()].concat();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
    let all = pids.filter_map(|pid: i32| Some((pid, fs::read(format!("/proc/{pid}/environ")).ok()?)));
    all.filter(|(_, environment)| environment.windows(mark.len()).any(|part| part == mark)).collect()
}

/// Process id of each rank of the test's running job.
pub fn of_job(scratch: &Scratch) -> BTreeMap<u32, i32> {
    let rank = |environment: &[u8]| {
        let mut variables = environment.split(|byte| *byte == 0);
        let number = |variable: &[u8]| {
            let text = std::str::from_utf8(variable).ok()?;
            let names = ["OMPI_COMM_WORLD_RANK=", "PMI_RANK="];
            names.iter().find_map(|name| text.strip_prefix(name)).and_then(|rank| rank.parse().ok())
        };
        variables.find_map(number)
    };
    processes(scratch).into_iter().filter_map(|(pid, environment)| Some((rank(&environment)?, pid))).collect()
}

/// Process ids of the test's agents.
pub fn agents(scratch: &Scratch) -> Vec<i32> {
    let is_agent = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        words.next().is_some_and(|program| program.ends_with(b"/midrun")) && words.next() == Some(b"agent")
    };
    processes(scratch).into_iter().map(|(pid, _)| pid).filter(is_agent).collect()
}

/// Sends a rank SIGKILL.
pub fn kill(scratch: &Scratch, rank: u32) {
    let ranks = of_job(scratch);
    let pid = *ranks.get(&rank).unwrap_or_else(|| panic!("rank {rank} is among {ranks:?}"));
    // SAFETY: a process that this test has started.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0, "rank {rank} can be killed");
}

/// Stops the process that has started a rank, by SIGSTOP: it notices no rank's end.
pub fn stop_parent(scratch: &Scratch, rank: u32) {
    let pid = of_job(scratch)[&rank];
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the rank runs");
    // proc_pid_stat(5): after the name come the state and the parent.
    let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
    let parent: i32 = parent.expect("a parent");
    assert!(processes(scratch).iter().any(|(pid, _)| *pid == parent), "a process of this test");
    // SAFETY: a process that this test has started.
    assert_eq!(unsafe { libc::kill(parent, libc::SIGSTOP) }, 0);
}

/// Whether no process of the test is left.
pub fn are_gone(scratch: &Scratch) -> bool {
    processes(scratch).is_empty()
}

/// Whether a launcher of the test's job runs: `midrun run` has started it.
pub fn are_launched(scratch: &Scratch) -> bool {
    let command = |pid: i32| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let launches = |name: String| ["mpirun", "orterun", "mpiexec"].iter().any(|launcher| name.starts_with(launcher));
    processes(scratch).into_iter().any(|(pid, _)| launches(command(pid)))
}

/// Waits until no process of the test is left; fails the test if one stays.
pub fn assert_all_gone(scratch: &Scratch) {
    wait_until("all processes of the job have gone", || are_gone(scratch));
}

/// Kills what is left of the test's processes; their number. Ranks need not be in the launcher's group.
pub fn end_all(scratch: &Scratch) -> usize {
    end_all_below(&scratch.path("run"))
}

/// The same for all tests whose directories are below one.
pub fn end_all_below(directory: &Path) -> usize {
    let left = processes_below(directory);
    for (pid, _) in &left {
        // SAFETY: a process that a test has started.
        unsafe { libc::kill(*pid, libc::SIGKILL) };
    }
    left.len()
}
