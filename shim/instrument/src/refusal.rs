//! Why a function or variable cannot be reached or changed.

/// A reason, to be shown to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing of that name is there.
    #[error("there is no {0} in the program or its libraries; it may have been inlined")]
    NotThere(String),
    /// No such program or library is loaded.
    #[error("no program or library called {0} is loaded")]
    NoObject(String),
    /// Nothing of that name is there, and these files have no symbol table.
    #[error("there is no {0}, and {objects} has no symbol table (stripped)", objects = .1.join(", "))]
    Stripped(String, Vec<String>),
    /// Nothing of that name is there, and of these the file is not the one that was loaded.
    #[error("there is no {0}, and {objects} was replaced on disk since it was loaded", objects = .1.join(", "))]
    Replaced(String, Vec<String>),
    /// Several have the name: where.
    #[error("{0} is there more than once: {places}; give one as object:name", places = .1.join(", "))]
    Ambiguous(String, Vec<String>),
    /// The dynamic linker chooses among several when it is first called.
    #[error("{0} is chosen by the dynamic linker (IFUNC)")]
    Indirect(String),
    /// It is no function.
    #[error("{0} is no function")]
    NotAFunction(String),
    /// It is no variable.
    #[error("{0} is no variable")]
    NotAVariable(String),
    /// Each thread has its own.
    #[error("{0} is thread-local")]
    ThreadLocal(String),
    /// The variable has another size: its bytes, and those asked for.
    #[error("{0} has {1} bytes, not {2}")]
    Size(String, u64, u64),
    /// The function's code has fewer bytes than a jump: so many.
    #[error("the function has {0} bytes of code; a jump takes 5")]
    TooShort(u64),
    /// A branch of the function leads into its first bytes.
    #[error("a branch leads into the first bytes of the function")]
    BranchIntoEntry,
    /// An instruction among the first bytes cannot stand elsewhere.
    #[error("an instruction among the first bytes of the function cannot be moved")]
    Unmovable,
    /// It returns twice, or acts by its caller's address.
    #[error("{0} returns twice or looks at its caller")]
    Special(String),
    /// It belongs to the dynamic linker or to midrun.
    #[error("{0} belongs to the dynamic linker or to midrun")]
    Ours(String),
    /// No memory within reach of a jump is free, or none to which a jump leads whose bytes trap where they must.
    #[error("no memory is free to which a jump from the function can safely lead")]
    NoRoom,
    /// A system call failed: its purpose, and the error.
    #[error("{0}: {1}")]
    System(&'static str, String),
    /// Only x86-64 is supported.
    #[error("functions can be hooked on x86-64 only")]
    Architecture,
    /// The processor lacks this feature.
    #[error("the processor lacks {0}")]
    Processor(&'static str),
    /// The processor checks return addresses.
    #[error("the processor checks return addresses (CET shadow stack)")]
    ShadowStack,
    /// So many functions are hooked; more is not possible.
    #[error("{0} functions are hooked, more is not possible")]
    Full(usize),
    /// A trap would kill a thread, for this reason; it may work later.
    #[error("{0}; the function cannot be changed meanwhile")]
    Busy(&'static str),
    /// What the other threads do is not known.
    #[error(
        "/proc/self/task does not show all threads that run the function, so that nobody knows whether they survive a trap"
    )]
    Threads,
    /// Its first bytes are not those that midrun read or wrote: something else has changed them.
    #[error("something else has changed the function's code")]
    Altered,
}

/// The refusal for a system call that has just failed.
pub(crate) fn system(what: &'static str) -> Refusal {
    Refusal::System(what, std::io::Error::last_os_error().to_string())
}
