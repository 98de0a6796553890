//! Processes that are measured from outside: memory and processor time, by /proc.

use std::process::Child;

/// A process that is ended with this.
pub struct Ended(pub Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Memory of a process, MiB: `VmRSS`, what is resident now, or `VmHWM`, the most so far; `None` when it has gone.
pub fn memory_mib(pid: u32, entry: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(entry)?.strip_prefix(':'))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

/// Processor time of a process so far, seconds; `None` when it has gone.
pub fn cpu_s(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // User and system time are fields 14 and 15, the state field 3; clock ticks of 10 ms.
    let ticks = stat.rsplit(") ").next()?.split_whitespace().skip(11).take(2);
    Some(ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_runs_has_memory_and_has_computed_and_one_that_is_gone_has_none() {
        let own = std::process::id();
        let (now, most) = (memory_mib(own, "VmRSS").unwrap(), memory_mib(own, "VmHWM").unwrap());
        assert!(now > 0.0 && most >= now, "{now} {most}");
        let spun = std::time::Instant::now();
        while cpu_s(own).unwrap() == 0.0 {
            assert!(spun.elapsed().as_secs() < 600, "it computes");
        }
        assert_eq!((memory_mib(u32::MAX, "VmRSS"), cpu_s(u32::MAX)), (None, None));
    }
}
