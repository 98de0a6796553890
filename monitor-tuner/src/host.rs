//! The host of the ranks, as far as the agent asks it: a simulation gives another one.

use midrun_vocabulary::Clock;
use rustix::io::Errno;
use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, test_kill_process};
use rustix::time::{ClockId, clock_gettime};

const SECOND_NS: u64 = 1_000_000_000;

/// A host.
#[derive(Clone, Debug)]
pub struct Host {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub now: Clock,
    /// Whether the process of this id that ran at this time, nanoseconds of `now`, runs still.
    pub runs: fn(u32, u64) -> bool,
}

impl Host {
    /// This host.
    pub fn this() -> Host {
        Host { now: Clock::new(|| read(ClockId::Monotonic)), runs }
    }
}

fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    (time.tv_sec as u64).saturating_mul(SECOND_NS).saturating_add(time.tv_nsec as u64)
}

/// In doubt it runs.
fn runs(pid: u32, since_ns: u64) -> bool {
    let Some(id) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    if test_kill_process(id) == Err(Errno::SRCH) {
        return false;
    }
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    // proc_pid_stat(5): the state is the first field after the name, the start, in ticks since boot, the twentieth.
    let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let is_over = matches!(fields.next(), Some("Z" | "X"));
    let start = fields.nth(18).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    let start_ns = start.saturating_mul(SECOND_NS / clock_ticks_per_second().max(1));
    // Boot time counts suspensions, too: a process may seem to be older than it is, and not younger.
    let suspended_ns = read(ClockId::Boottime).saturating_sub(read(ClockId::Monotonic));
    !is_over && start_ns.saturating_sub(suspended_ns) <= since_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_runs_until_it_has_ended_and_another_one_with_its_number_is_another_one() {
        let host = Host::this();
        let mut child = Command::new("sleep").arg("1000").spawn().expect("a process");
        let now_ns = host.now.now();
        assert!((host.runs)(child.id(), now_ns));
        // Far before its start, somebody else had this number.
        assert!(!(host.runs)(std::process::id(), 1));
        child.kill().expect("it runs");
        while (host.runs)(child.id(), now_ns) {
            std::thread::yield_now();
        }
        child.wait().expect("its end");
        assert!(!(host.runs)(child.id(), now_ns));
        assert!(!(host.runs)(0, now_ns) && !(host.runs)(u32::MAX, now_ns));
    }
}
