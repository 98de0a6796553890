//! How long a process was ready to run and had no core: it waited for one, or the host's host (a hypervisor) used the core meanwhile.
//!
//! Linux counts the waiting of each process. What a hypervisor took, the *steal time*, it counts for all processors together; a process has the
//! share of it that it has of the processors' work.

use crate::limits::RUN_DELAY;

/// The run delay of the first thread of one process.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunDelay {
    /// When it was read; 0: never.
    pub read_ns: u64,
    process: Process,
    stolen_ns: f64,
}

/// What a hypervisor takes of the time that the processors of this host work, as a share of it.
#[derive(Debug, Default)]
pub struct Steal {
    read_ns: u64,
    processors: Option<Processors>,
    share: f64,
}

/// Times of a thread since it began, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Process {
    on_core_ns: u64,
    waited_ns: u64,
}

/// Times of all processors since the host began, in a unit of the system's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Processors {
    busy: u64,
    stolen: u64,
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

impl RunDelay {
    /// Reads it at `now_ns`. Where the system does not tell, the last reading stands.
    pub fn read(&mut self, pid: u32, now_ns: u64, steal: &mut Steal) {
        if let Some(process) = Process::of(&text(&format!("/proc/{pid}/schedstat"))) {
            self.take(process, steal.share(now_ns), now_ns);
        }
    }

    fn take(&mut self, process: Process, stolen: f64, now_ns: u64) {
        if self.read_ns > 0 {
            self.stolen_ns += process.on_core_ns.saturating_sub(self.process.on_core_ns) as f64 * stolen;
        }
        (self.process, self.read_ns) = (process, now_ns);
    }

    /// The delay since the process began, nanoseconds. Of steal time, what was taken since the first reading is known.
    pub fn delay_ns(&self) -> u64 {
        self.process.waited_ns.saturating_add(self.stolen_ns as u64)
    }
}

impl Steal {
    /// The share between the last two readings. The file lists every processor, so one reading serves all ranks of the host for a while.
    fn share(&mut self, now_ns: u64) -> f64 {
        if self.read_ns == 0 || now_ns >= self.read_ns + RUN_DELAY.as_nanos() as u64 {
            self.take(Processors::of(&text("/proc/stat")), now_ns);
        }
        self.share
    }

    fn take(&mut self, processors: Option<Processors>, now_ns: u64) {
        self.share = self.processors.zip(processors).map_or(0.0, |(before, now)| {
            let busy = now.busy.saturating_sub(before.busy).max(1);
            now.stolen.saturating_sub(before.stolen) as f64 / busy as f64
        });
        (self.processors, self.read_ns) = (processors, now_ns);
    }
}

impl Process {
    /// From `/proc/PID/schedstat`: time on a core, time on a run queue, time slices.
    fn of(text: &str) -> Option<Process> {
        let mut numbers = text.split_whitespace().map(str::parse);
        Some(Process { on_core_ns: numbers.next()?.ok()?, waited_ns: numbers.next()?.ok()? })
    }
}

impl Processors {
    /// From the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, and guests, which user has in it.
    fn of(text: &str) -> Option<Processors> {
        let fields = text.lines().next()?.strip_prefix("cpu ")?;
        let times: Vec<u64> = fields.split_whitespace().map_while(|time| time.parse().ok()).collect();
        let [user, nice, system, _, _, irq, softirq, stolen, ..] = times[..] else { return None };
        let busy = [user, nice, system, irq, softirq].into_iter().fold(0, u64::saturating_add);
        Some(Processors { busy, stolen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hypervisor_took_counts_by_the_share_of_the_processors_work() {
        let process = |on_core_ns, waited_ns| Process { on_core_ns, waited_ns };
        let (mut delay, mut steal) = (RunDelay::default(), Steal::default());
        let mut read = |process, processors: Option<(u64, u64)>, now_ns| {
            steal.take(processors.map(|(busy, stolen)| Processors { busy, stolen }), now_ns);
            delay.take(process, steal.share(now_ns), now_ns);
            (delay.delay_ns(), delay.read_ns)
        };
        let first = read(process(1_000, 30), Some((500, 40)), 1);
        assert_eq!(first, (30, 1), "what was taken before says nothing of this process");
        // It ran for 400 of the time, and a quarter as much as all ran was taken.
        assert_eq!(read(process(1_400, 50), Some((1_300, 240)), 2), (150, 2));
        let waited = read(process(1_400, 80), Some((1_900, 840)), 3);
        assert_eq!(waited, (180, 3), "it did not run: the waiting has what was taken in it");
        let unknown = read(process(1_500, 80), None, 4);
        assert_eq!(unknown, (180, 4), "a system without the times of processors");
    }

    #[test]
    fn one_reading_of_the_processors_serves_all_ranks_for_a_while() {
        let mut steal = Steal { read_ns: 5, share: 0.25, ..Steal::default() };
        let later_ns = RUN_DELAY.as_nanos() as u64;
        assert_eq!((steal.share(later_ns), steal.read_ns), (0.25, 5));
        assert_eq!((steal.share(later_ns + 5), steal.read_ns), (0.0, later_ns + 5), "of one reading nothing is known");
    }

    #[test]
    fn the_files_of_the_system_are_read_as_far_as_they_make_sense() {
        let stat = "cpu  456057 14854 68194 243120 1467 3 379 121 9 9\ncpu0 1 2 3\n";
        let busy = 456_057 + 14_854 + 68_194 + 3 + 379;
        assert_eq!(Processors::of(stat), Some(Processors { busy, stolen: 121 }));
        for text in ["", "cpu", "cpu  1 2 3", "intr 1 2 3 4 5 6 7 8"] {
            assert_eq!(Processors::of(text), None, "{text}");
        }
        assert_eq!(Process::of("77 8 9\n"), Some(Process { on_core_ns: 77, waited_ns: 8 }));
        assert!(Process::of("77").is_none() && Process::of("").is_none());
        let (mut own, mut steal) = (RunDelay::default(), Steal::default());
        own.read(std::process::id(), 5, &mut steal);
        own.read(std::process::id(), 9, &mut steal);
        assert_eq!(own.read_ns, 9);
    }
}
