//! Names of the tuning points that the frameworks declare, and of files that ranks and the command line share.

/// Loop scheduling technique of the Master/Worker framework; its value is the technique's number.
pub const TECHNIQUE: &str = "mw.technique";
/// Share of FSC and DPF, 0 to 1.
pub const FACTOR: &str = "mw.factor";
/// Mean time of one task, seconds, for FAC2, and for DAF until it has measured tasks itself.
pub const TASK_MEAN_S: &str = "mw.task_mean_s";
/// Standard deviation of the time of one task, seconds.
pub const TASK_SIGMA_S: &str = "mw.task_sigma_s";
/// Smallest chunk, tasks.
pub const MIN_CHUNK: &str = "mw.min_chunk";
/// 1: idle workers get tasks that busy ones have not begun; 0: a chunk stays with the worker that got it.
pub const RECALL: &str = "mw.recall";
/// 1: workers take their chunks from a shared counter; 0: the master sends them. It takes effect at the start of an iteration, and exists
/// only where tasks carry no input and a worker shares memory with the master.
pub const COUNTER: &str = "mw.counter";
/// Most workers of a sub-team, whose sub-master hands out what the master sends; 0: no sub-teams. It takes effect at the start of an
/// iteration, and exists only where there are workers enough for two.
pub const TEAM_SIZE: &str = "mw.team_size";
/// 1: tasks and results are handed over by synchronous sends, which hold the sender until the receiver takes them; 0: no send holds its
/// sender. It takes effect at the start of an iteration.
pub const SYNCHRONOUS: &str = "mw.synchronous";
/// Number of active workers; the others are parked. It takes effect at the start of an iteration.
pub const WORKERS: &str = "mw.workers";
/// Number of worker processes started beyond the ranks. The minimum is the number that has joined, the maximum the number
/// that can be started. Each one that joins raises the maximum of [`WORKERS`].
pub const SPAWNED: &str = "mw.spawned";
/// The same as [`WORKERS`], exposed by a program with its own loop.
pub const OWN_WORKERS: &str = "NW";
/// Ending of the names of a program's own batch factors (`F0.rest`) that are shares of what is left, and not of all tasks.
pub const SHARE_OF_REST: &str = ".rest";
/// Tasks of every chunk that a program with its own loop hands out.
pub const CHUNK_TASKS: &str = "chunk.tasks";
/// Share of an equal part of what is left that each request of a worker gets, in a program with its own loop.
pub const CHUNK_SHARE: &str = "chunk.share";
/// Pattern of a pipeline's stages, a text such as `0,1x4,2-3`.
pub const PATTERN: &str = "pipe.pattern";
/// The same as [`SYNCHRONOUS`] for a pipeline, from its next input on.
pub const PIPE_SYNCHRONOUS: &str = "pipe.synchronous";
/// The same as [`SPAWNED`] for a pipeline: each process that joins is one more rank that computes stages.
pub const PIPE_SPAWNED: &str = "pipe.spawned";

/// Label of the measure points that say how much an iteration did.
pub const PROGRESS: &str = "progress";

/// Depth at which the master of a divide-and-conquer program stops to divide: the problems there are tasks of workers. It takes effect at
/// the start of an iteration.
pub const CUTOFF: &str = "dc.cutoff";

/// Labels of what a divide-and-conquer program's tree of problems took in one iteration. Times are those of the problems that were timed:
/// all above the cut-off depth, and some depths below it.
pub mod tree {
    use alloc::format;
    use alloc::string::String;

    /// The cut-off depth in force: the tree may end above it.
    pub const CUTOFF: &str = "dc.cut_off_at";
    /// Time in which the master divided and combined, while no worker had a task.
    pub const SERIAL: &str = "dc.serial";
    /// Time of the longest chain of problems that wait for each other.
    pub const SPAN: &str = "dc.span";
    /// Most depths that are recorded.
    pub const DEPTHS: usize = 40;

    /// Of a depth: to solve its problems with all their parts.
    pub const SOLVE: &str = "solve";
    /// Of a depth: to divide problems, and to combine their parts' results.
    pub const OWN: &str = "own";
    /// Of a depth: to solve problems as they are.
    pub const BASE: &str = "base";
    /// Of a depth: bytes of its problems.
    pub const PROBLEM: &str = "problem_bytes";
    /// Of a depth: bytes of their results.
    pub const RESULT: &str = "result_bytes";

    /// The label of `what` at `depth`.
    pub fn at(depth: usize, what: &str) -> String {
        format!("dc.{depth}.{what}")
    }

    /// Returns whether a label is one of these.
    pub fn is(label: &str) -> bool {
        label.starts_with("dc.")
    }
}

/// Text of measure points and tuning points of a program that was not written for midrun.
pub const POINTS: &str = "points";
/// What begins the iterations of a rank that declares none, as in a line of [`POINTS`]: `mpi MPI_Allreduce every 2`.
pub const ITERATION: &str = "iteration";

/// Ending of the file in which the ranks of one host find the decision of a synchronized change.
pub const REGISTER_ENDING: &str = "register";

/// The variable by which `midrun run` hands the credentials of its job's link to agents on other hosts.
pub const CREDENTIALS_VARIABLE: &str = "MIDRUN_CREDENTIALS";

/// The variable by which `midrun run` asks all ranks to make a window of MPI memory for synchronized changes.
pub const SYNCHRONIZED_VARIABLE: &str = "MIDRUN_SYNCHRONIZED";

/// The event of the analyzer by which `midrun run` learns that the ranks of lost hosts are the only ones that its launcher may wait for.
pub const SURVIVORS_ENDED: &str = "survivors-ended";

/// Whether a variable of midrun's must not appear on a command line, which others can read.
pub fn is_secret(variable: &str) -> bool {
    variable.ends_with("TOKEN") || variable == CREDENTIALS_VARIABLE
}

/// The present name of a tuning point: names of version 0.1 are accepted for one version.
pub fn current(name: &str) -> &str {
    if name == "mw.policy" { TECHNIQUE } else { name }
}

/// Returns whether a tuning point belongs to the pipeline framework.
pub fn of_pipeline(name: &str) -> bool {
    name.starts_with("pipe.")
}

/// Returns whether a tuning point belongs to a framework, which keeps its ranks in step by itself.
pub fn of_framework(name: &str) -> bool {
    ["mw.", "pipe.", "dc."].iter().any(|prefix| name.starts_with(prefix))
}
