//! Elements of a program: computation, communication, loops, branches and the two frameworks.

use std::convert::Infallible;

use midrun_models::expression::Expression;
use midrun_scheduling::Technique;

/// An element of a program. `E` is a cost function: as text in a [`super::Program`], ready to evaluate in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Element<E> {
    /// Its name.
    pub name: String,
    /// Condition on process and parameters; without it, every process executes the element.
    pub when: Option<E>,
    /// Its kind and parameters.
    pub what: What<E>,
}

/// Cost of a computation.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost<E> {
    /// Seconds on a processor of speed 1.
    Seconds(E),
    /// Operations, of which a node's processors do so many per second.
    Operations(E),
}

/// When a send is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Up to the link's eager limit at once, above it when the receiver has taken it: `MPI_Send`.
    #[default]
    Standard,
    /// When the receiver has begun to take it: `MPI_Ssend`.
    Synchronous,
    /// At once, whatever the size: `MPI_Isend` that nobody waits for.
    Buffered,
}

/// Communication of all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collective {
    /// Nobody leaves before everybody has come.
    Barrier,
    /// From the root to all.
    Broadcast,
    /// From all to the root, combined on the way.
    Reduce,
    /// [`Collective::Reduce`] whose result everybody gets.
    Allreduce,
    /// Each one's bytes to the root.
    Gather,
    /// The root's bytes for each.
    Scatter,
    /// Each one's bytes to everybody.
    Allgather,
    /// From each one its bytes for each.
    Alltoall,
}

impl Collective {
    /// Its word in descriptions.
    pub fn word(self) -> &'static str {
        match self {
            Collective::Barrier => "barrier",
            Collective::Broadcast => "broadcast",
            Collective::Reduce => "reduce",
            Collective::Allreduce => "allreduce",
            Collective::Gather => "gather",
            Collective::Scatter => "scatter",
            Collective::Allgather => "allgather",
            Collective::Alltoall => "alltoall",
        }
    }
}

/// A stage of a [`What::Pipeline`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stage<E> {
    /// Time per input on a processor of speed 1, seconds; may depend on `input`.
    pub compute_s: E,
    /// Bytes it sends on per input.
    pub bytes: E,
    /// Ranks that share its inputs.
    pub replicas: E,
}

/// A Master/Worker iteration: rank 0 is the master, the ranks from 1 on are workers.
#[derive(Clone, Debug, PartialEq)]
pub struct MasterWorker<E> {
    /// Number of tasks.
    pub tasks: E,
    /// Time of a task on a processor of speed 1, seconds; may depend on `task`.
    pub task_s: E,
    /// Bytes of a task.
    pub task_bytes: Option<E>,
    /// Bytes of a result.
    pub result_bytes: Option<E>,
    /// Workers that get tasks; all ranks but the master if it is missing.
    pub workers: Option<E>,
    /// Loop scheduling technique.
    pub technique: Technique,
    /// Share of FSC and DPF.
    pub factor: Option<E>,
    /// The master's time per chunk, seconds.
    pub overhead_s: Option<E>,
}

/// A stream through stages: rank 0 draws the inputs and takes the outputs, the ranks from 1 on compute.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline<E> {
    /// Number of inputs.
    pub inputs: E,
    /// In the order of the stream.
    pub stages: Vec<Stage<E>>,
    /// Bytes of an input.
    pub input_bytes: Option<E>,
    /// Time of source and sink per input, rank 0's, seconds.
    pub head_s: Option<E>,
    /// Most inputs on their way; what the framework allows if it is missing.
    pub in_flight: Option<E>,
}

/// Kind of an element.
#[derive(Clone, Debug, PartialEq)]
pub enum What<E> {
    /// Computes.
    Compute {
        /// The cost.
        cost: Cost<E>,
        /// On how many processors of its node at once; 1 if it is missing.
        threads: Option<E>,
    },
    /// Sends a message.
    Send {
        /// The receiver; -1: nobody.
        to: E,
        /// Its size.
        bytes: E,
        /// When it is over.
        mode: Mode,
    },
    /// Receives a message.
    Receive {
        /// The sender; -1: nobody; missing: whoever comes first.
        from: Option<E>,
    },
    /// Sends and receives at the same time.
    SendReceive {
        /// The receiver; -1: nobody.
        to: E,
        /// The sender; -1: nobody.
        from: E,
        /// Size of what is sent.
        bytes: E,
    },
    /// Communication of all processes.
    Collective {
        /// Which.
        kind: Collective,
        /// Root rank; rank 0 if it is missing.
        root: Option<E>,
        /// Bytes of the message, of each process's part for gather, scatter, allgather and alltoall.
        bytes: Option<E>,
        /// Time to combine two messages, seconds.
        combine_s: Option<E>,
    },
    /// Repeats elements.
    Loop {
        /// Number of repetitions.
        count: E,
        /// The name that stands for the number of the passage, from 0.
        index: Option<String>,
        /// Elements repeated.
        body: Vec<usize>,
    },
    /// Passes these elements, or, where `when` is not so, the others.
    Branch {
        /// The elements.
        body: Vec<usize>,
        /// The others.
        otherwise: Vec<usize>,
    },
    /// A Master/Worker iteration.
    MasterWorker(Box<MasterWorker<E>>),
    /// A stream through stages.
    Pipeline(Box<Pipeline<E>>),
}

/// `map` on what may be missing.
fn option<E, F, X>(from: &Option<E>, map: &mut impl FnMut(&E) -> Result<F, X>) -> Result<Option<F>, X> {
    from.as_ref().map(map).transpose()
}

impl<E> Element<E> {
    /// The same element with each cost function replaced; what goes wrong with one ends it.
    pub(super) fn map<F, X>(&self, map: &mut impl FnMut(&E) -> Result<F, X>) -> Result<Element<F>, X> {
        Ok(Element { name: self.name.clone(), when: option(&self.when, map)?, what: self.what.map(map)? })
    }

    /// The elements inside it.
    pub(super) fn inner(&self) -> impl Iterator<Item = usize> {
        let (body, otherwise): (&[usize], &[usize]) = match &self.what {
            What::Loop { body, .. } => (body, &[]),
            What::Branch { body, otherwise } => (body, otherwise),
            _ => (&[], &[]),
        };
        body.iter().chain(otherwise).copied()
    }
}

impl Element<Expression> {
    /// The same element with 0 for each number in its cost functions: elements of one form are equal then, but for their names.
    pub fn without_numbers(&self) -> Element<Expression> {
        let Ok(form) = self.map(&mut |of: &Expression| Ok::<_, Infallible>(of.without_numbers()));
        form
    }
}

impl<E> What<E> {
    fn map<F, X>(&self, map: &mut impl FnMut(&E) -> Result<F, X>) -> Result<What<F>, X> {
        Ok(match self {
            What::Compute { cost, threads } => What::Compute {
                cost: match cost {
                    Cost::Seconds(e) => Cost::Seconds(map(e)?),
                    Cost::Operations(e) => Cost::Operations(map(e)?),
                },
                threads: option(threads, map)?,
            },
            What::Send { to, bytes, mode } => What::Send { to: map(to)?, bytes: map(bytes)?, mode: *mode },
            What::Receive { from } => What::Receive { from: option(from, map)? },
            What::SendReceive { to, from, bytes } => {
                What::SendReceive { to: map(to)?, from: map(from)?, bytes: map(bytes)? }
            }
            What::Collective { kind, root, bytes, combine_s } => What::Collective {
                kind: *kind,
                root: option(root, map)?,
                bytes: option(bytes, map)?,
                combine_s: option(combine_s, map)?,
            },
            What::Loop { count, index, body } => {
                What::Loop { count: map(count)?, index: index.clone(), body: body.clone() }
            }
            What::Branch { body, otherwise } => What::Branch { body: body.clone(), otherwise: otherwise.clone() },
            What::MasterWorker(of) => What::MasterWorker(Box::new(MasterWorker {
                tasks: map(&of.tasks)?,
                task_s: map(&of.task_s)?,
                task_bytes: option(&of.task_bytes, map)?,
                result_bytes: option(&of.result_bytes, map)?,
                workers: option(&of.workers, map)?,
                technique: of.technique,
                factor: option(&of.factor, map)?,
                overhead_s: option(&of.overhead_s, map)?,
            })),
            What::Pipeline(of) => {
                let mut stage = |stage: &Stage<E>| {
                    Ok(Stage {
                        compute_s: map(&stage.compute_s)?,
                        bytes: map(&stage.bytes)?,
                        replicas: map(&stage.replicas)?,
                    })
                };
                let stages = of.stages.iter().map(&mut stage).collect::<Result<_, X>>()?;
                What::Pipeline(Box::new(Pipeline {
                    inputs: map(&of.inputs)?,
                    stages,
                    input_bytes: option(&of.input_bytes, map)?,
                    head_s: option(&of.head_s, map)?,
                    in_flight: option(&of.in_flight, map)?,
                }))
            }
        })
    }
}
