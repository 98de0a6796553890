//! The program `mw_synthetic`: its line, the lines it prints for each iteration, and its own check of every task.

use crate::Summary;
use crate::process::Ended;
use crate::{Mpi, Process, Scratch, wait_until};

/// The end of the last line when each task was computed exactly once.
pub const WHOLE: &str = "lost or doubled: 0, wrong results: 0";

/// The line that runs it on `ranks` ranks with `options`.
pub fn line(mpi: Mpi, ranks: u32, options: &str) -> Vec<String> {
    let mut words = mpi.line(ranks, &mpi.example("mw_synthetic"));
    words.extend(options.split_whitespace().map(str::to_owned));
    words
}

/// All techniques of the framework.
pub const TECHNIQUES: [&str; 12] =
    ["none", "ss", "fsc", "gss", "fac2", "dpf", "daf", "af", "tss", "mfsc", "awf-b", "awf-c"];

/// Options of the program: each technique with each of `options`.
pub fn combined(techniques: &[&str], options: &[&str]) -> Vec<String> {
    let with_each = |technique| options.iter().map(move |options| format!("--technique {technique} {options}"));
    techniques.iter().flat_map(with_each).collect()
}

/// The same for a job that iterates until [`end`] is called, however loaded the machine is.
pub fn endless_line(scratch: &Scratch, mpi: Mpi, ranks: u32, options: &str) -> Vec<String> {
    line(mpi, ranks, &format!("{options} --until {}", scratch.path("end").display()))
}

/// Ends an endless job after its current iteration.
pub fn end(scratch: &Scratch) {
    std::fs::write(scratch.path("end"), "").expect("a file");
}

/// Number of workers of each iteration so far.
pub fn workers(out: &str) -> Vec<u32> {
    let lines = out.lines().filter(|line| line.starts_with("iteration "));
    lines.filter_map(|line| line.strip_suffix(" workers")?.rsplit(' ').next()?.parse().ok()).collect()
}

/// Number of chunks of each iteration so far.
pub fn chunks(out: &str) -> Vec<u64> {
    let iterations = out.lines().filter(|line| line.starts_with("iteration "));
    iterations.filter_map(|line| line.split(" chunks").next()?.rsplit(' ').next()?.parse().ok()).collect()
}

/// Waits until `more` further iterations are over; fails the test if the job ends before.
pub fn wait_for_iterations(job: &mut Process, more: usize) {
    let target = workers(&job.out()).len() + more;
    wait_until("further iterations are over", || {
        let running = job.is_running();
        let over = workers(&job.out()).len() >= target;
        assert!(over || running, "the job ended too early:\n{}\n{}", job.out(), job.err());
        over
    });
}

/// Number of workers of each iteration. Fails the test unless each task of all iterations was computed exactly once and rightly.
pub fn assert_whole(ended: &Ended) -> Vec<u32> {
    assert!(ended.out.contains(WHOLE), "{}\n{}", ended.out, ended.err);
    workers(&ended.out)
}

/// Fails the test unless midrun has `ranks` for lost, and the program has as many workers for lost and tasks handed out again as midrun; `when`
/// is in the sentence of a failed assertion.
pub fn assert_lost(ended: &Ended, summary: &Summary, ranks: &[u64], when: &str) {
    let lost: Vec<u64> = summary.list("lost_ranks").iter().filter_map(serde_json::Value::as_u64).collect();
    assert_eq!(lost, ranks, "{when}\n{}", ended.err);
    assert_eq!(summary.count("/lost_workers"), ranks.len() as u64, "{when}\n{}", ended.err);
    let redone =
        format!("{} workers were lost, {} tasks handed out again", ranks.len(), summary.count("/redone_tasks"));
    assert!(ended.out.contains(&redone), "{when}: {redone}\n{}", ended.out);
}

/// A number below `end`, another one in each run: the sentence of a failed assertion should have it.
pub fn drawn(end: u32) -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    now.subsec_micros() % end
}

/// Fails the test unless midrun has the task times of all `iterations` that the program had: nothing was dropped, and the ideal of each is the same.
pub fn assert_recorded(ended: &Ended, summary: &Summary, iterations: usize) {
    summary.assert_contract();
    assert_eq!(summary.count("/records/dropped"), 0, "{}", ended.err);
    let ideals = summary.list("ideal_s").iter().filter_map(|ideal_s| ideal_s.as_f64());
    let of_program = |line: &str| line.split("ideal ").nth(1)?.split(' ').next()?.parse::<f64>().ok();
    let shown = ended.out.lines().filter(|line| line.starts_with("iteration ")).filter_map(of_program);
    let pairs: Vec<(f64, f64)> = ideals.zip(shown).collect();
    assert_eq!(pairs.len(), iterations);
    // The program's ideal is that of the times that came with the results, midrun's that of the records.
    assert!(pairs.iter().all(|(window_s, shown_s)| (window_s - shown_s).abs() < 1e-3), "{pairs:?}");
}
