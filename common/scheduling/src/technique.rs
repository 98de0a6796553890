//! The loop scheduling techniques by name, and the parameters with which one runs.

use std::fmt;

/// A loop scheduling technique. Shared memory and the wire carry its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Technique {
    /// One batch: every worker gets M/N tasks (static).
    None = 0,
    /// Self-scheduling: one task at a time.
    Ss = 1,
    /// Fixed-size chunking: every batch is a share f of all tasks (César 2006).
    Fsc = 2,
    /// Guided self-scheduling: every chunk is R/N (Polychronopoulos, Kuck 1987).
    Gss = 3,
    /// Factoring (Hummel, Schonberg, Flynn 1992): batches by mean and sigma where known, else half of the remaining tasks.
    Fac2 = 4,
    /// Dynamic partition factor: every batch is a share f of the remaining tasks (César 2006).
    Dpf = 5,
    /// Dynamic adjusting factoring: the share of each batch follows from mean and sigma of the tasks that came back (César 2006).
    Daf = 6,
    /// Adaptive factoring: chunks by each worker's own mean and sigma (Banicescu, Liu 2000).
    Af = 7,
    /// Trapezoid self-scheduling: chunks that decrease linearly from M/(2N) to one task (Tzen, Ni 1993).
    Tss = 8,
    /// Modified FSC: equal chunks, as many as FAC2 would cut (Cariño, Banicescu 2008).
    Mfsc = 9,
    /// Adaptive weighted factoring, batch by batch: halves of the remaining tasks, weighted by each worker's weighted
    /// average performance (Cariño, Banicescu 2008).
    AwfB = 10,
    /// The same, chunk by chunk: each chunk is the worker's weighted share of half of the remaining tasks.
    AwfC = 11,
}

impl Technique {
    /// Every technique, by code.
    pub const ALL: [Technique; 12] = {
        use Technique::*;
        [None, Ss, Fsc, Gss, Fac2, Dpf, Daf, Af, Tss, Mfsc, AwfB, AwfC]
    };

    /// The number in shared memory and on the wire.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// Whether the number of a chunk alone says which tasks it has: its size depends on no result and no worker.
    pub fn is_fixed(self) -> bool {
        use Technique::*;
        matches!(self, None | Ss | Fsc | Gss | Fac2 | Dpf | Tss | Mfsc)
    }

    /// Whether the share of a batch is a parameter of it.
    pub fn has_share(self) -> bool {
        matches!(self, Technique::Fsc | Technique::Dpf)
    }

    /// The technique with this number; `None` for a number that no technique has.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The name on the command line and in logs.
    pub fn name(self) -> &'static str {
        match self {
            Technique::None => "none",
            Technique::Ss => "ss",
            Technique::Fsc => "fsc",
            Technique::Gss => "gss",
            Technique::Fac2 => "fac2",
            Technique::Dpf => "dpf",
            Technique::Daf => "daf",
            Technique::Af => "af",
            Technique::Tss => "tss",
            Technique::Mfsc => "mfsc",
            Technique::AwfB => "awf-b",
            Technique::AwfC => "awf-c",
        }
    }

    /// Whether chunks go by what was measured of each worker, which is nothing in a program's first iteration.
    pub fn learns_speeds(self) -> bool {
        use Technique::{Af, AwfB, AwfC, Daf, Dpf, Fac2, Fsc};
        matches!(self, Fsc | Fac2 | Dpf | Daf | Af | AwfB | AwfC)
    }

    /// The technique of this name; `None` for an unknown name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A technique and its parameters. Senseless numbers do no harm: see [`crate::ChunkScheduler`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TechniqueParameters {
    /// The technique.
    pub kind: Technique,
    /// Share per batch of FSC (of M) and DPF (of R), 0 to 1; 0 = the technique's default (0.25 and 0.5).
    pub factor: f64,
    /// Mean time of one task, seconds; 0 = unknown. DAF uses mean and deviation until it has measured them itself.
    pub mean_s: f64,
    /// Standard deviation of the time of one task, seconds.
    pub sigma_s: f64,
    /// Smallest chunk, tasks; only the last one may be smaller. At least 1.
    pub min_chunk: u64,
    /// Idle workers get tasks that busy ones have not begun ([`crate::recall`]).
    pub recall: bool,
    /// Workers take their chunks from a shared counter, with a technique that allows it ([`crate::Steps`]).
    pub counter: bool,
    /// Most workers of a sub-team, to which a sub-master hands chunks; 0: the master hands them to all workers.
    pub team_size: u32,
    /// Tasks and results are handed over by synchronous sends, which hold the sender until the receiver takes them.
    pub synchronous: bool,
}

impl TechniqueParameters {
    /// DPF(0.5): the default of a first iteration, and the fallback when parameters make no sense.
    pub const FALLBACK: TechniqueParameters = TechniqueParameters {
        kind: Technique::Dpf,
        factor: 0.5,
        mean_s: 0.0,
        sigma_s: 0.0,
        min_chunk: 1,
        recall: false,
        counter: false,
        team_size: 0,
        synchronous: false,
    };

    /// The start of a program that names no technique: mFSC with recall, the least bad of all where nothing is known of tasks and
    /// workers (the models' test `the_start_of_a_program_that_names_none_is_never_bad` compares them).
    pub const START: TechniqueParameters =
        TechniqueParameters { kind: Technique::Mfsc, factor: 0.0, recall: true, ..Self::FALLBACK };

    /// The same where all workers can take their chunks from a shared counter (ADR 0038): equal chunks of 1/250 of a worker's share of
    /// the tasks, or single tasks. Tasks that are alike then end uneven by 0.4 % at most: techniques that the models take for equal lie as far
    /// apart (`EXACT` of the tunlets), and a worker's share is 250 chunks at most, however many tasks there are. Recall is for the time after:
    /// nothing is recalled of what was taken.
    pub const START_BY_COUNTER: TechniqueParameters =
        TechniqueParameters { kind: Technique::Fsc, factor: 0.004, counter: true, ..Self::START };

    /// The technique with its default parameters, without recall.
    pub fn new(kind: Technique) -> Self {
        TechniqueParameters { kind, factor: 0.0, ..Self::FALLBACK }
    }

    /// The share that applies: `factor` clamped to (0, 1], or the technique's default.
    pub fn share(&self) -> f64 {
        let default = if self.kind == Technique::Fsc { 0.25 } else { 0.5 };
        if self.factor.is_finite() && self.factor > 0.0 { self.factor.min(1.0) } else { default }
    }

    /// Whether workers take their chunks from the shared counter: it is on, and the technique allows it.
    pub fn counts(&self) -> bool {
        self.counter && self.kind.is_fixed()
    }

    /// Most workers of a sub-team, where sub-masters hand chunks out. Chunks that workers take from the counter need none.
    pub fn sub_team_size(&self) -> Option<u32> {
        (self.team_size > 0 && !self.counts()).then_some(self.team_size)
    }

    /// Whether the master sends fewer messages than chunks: workers take them, or sub-masters send them.
    pub fn is_relieving(&self) -> bool {
        self.counts() || self.sub_team_size().is_some()
    }

    /// sigma/mu, the coefficient of variation of task times; `None` where it is unknown or not a sensible number.
    pub fn variation(&self) -> Option<f64> {
        let known = self.mean_s.is_finite() && self.mean_s > 0.0 && self.sigma_s.is_finite() && self.sigma_s >= 0.0;
        // Beyond 100 the formulas cut single tasks anyway; the bound keeps the arithmetic finite.
        known.then(|| (self.sigma_s / self.mean_s).min(100.0))
    }
}

impl fmt::Display for TechniqueParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kind.name();
        match self.kind {
            Technique::Fsc | Technique::Dpf => write!(f, "{name}({})", self.share())?,
            Technique::Daf | Technique::Fac2 if self.variation().is_some() => {
                write!(f, "{name}(mu={:.4}ms sigma={:.4}ms)", self.mean_s * 1e3, self.sigma_s * 1e3)?;
            }
            _ => f.write_str(name)?,
        }
        if self.min_chunk > 1 {
            write!(f, " chunks>={}", self.min_chunk)?;
        }
        match self.sub_team_size() {
            _ if self.counts() => f.write_str(" by counter"),
            Some(size) => write!(f, " in teams of {size}"),
            None => Ok(()),
        }?;
        if self.synchronous { f.write_str(" with synchronous sends") } else { Ok(()) }
    }
}
