//! Why a function or variable cannot be reached or changed.

use std::fmt::{Display, Formatter, Result};

/// A reason, to be shown to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing of that name is there.
    NotThere(String),
    /// No such program or library is loaded.
    NoObject(String),
    /// Nothing of that name is there, and these files have no symbol table.
    Stripped(String, Vec<String>),
    /// Several have the name: where.
    Ambiguous(String, Vec<String>),
    /// The dynamic linker chooses among several when it is first called.
    Indirect(String),
    /// It is no function.
    NotAFunction(String),
    /// It is no variable.
    NotAVariable(String),
    /// Each thread has its own.
    ThreadLocal(String),
    /// The variable has another size: its bytes, and those asked for.
    Size(String, u64, u64),
    /// The function's code has fewer bytes than a jump: so many.
    TooShort(u64),
    /// A branch of the function leads into its first bytes.
    BranchIntoEntry,
    /// An instruction among the first bytes cannot stand elsewhere.
    Unmovable,
    /// It returns twice, or acts by its caller's address.
    Special(String),
    /// It belongs to the dynamic linker or to midrun.
    Ours(String),
    /// No memory within reach of a jump is free.
    NoRoom,
    /// A system call failed: its purpose, and the error.
    System(&'static str, String),
    /// Only x86-64 is supported.
    Architecture,
    /// The processor lacks this feature.
    Processor(&'static str),
    /// The processor checks return addresses.
    ShadowStack,
    /// So many functions are hooked; more is not possible.
    Full(usize),
    /// Other threads run that block SIGTRAP, so a breakpoint would kill them; it may work later.
    Busy,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Refusal::NotThere(name) => write!(
                f,
                "there is no {name} in the program or its libraries; \
                 it may have been inlined"
            ),
            Refusal::NoObject(object) => write!(f, "no program or library called {object} is loaded"),
            Refusal::Stripped(name, objects) => {
                write!(f, "there is no {name}, and {} has no symbol table (stripped)", objects.join(", "))
            }
            Refusal::Ambiguous(name, places) => {
                write!(f, "{name} is there more than once: {}; give one as object:name", places.join(", "))
            }
            Refusal::Indirect(name) => write!(f, "{name} is chosen by the dynamic linker (IFUNC)"),
            Refusal::NotAFunction(name) => write!(f, "{name} is no function"),
            Refusal::NotAVariable(name) => write!(f, "{name} is no variable"),
            Refusal::ThreadLocal(name) => write!(f, "{name} is thread-local"),
            Refusal::Size(name, has, asked) => write!(f, "{name} has {has} bytes, not {asked}"),
            Refusal::TooShort(bytes) => write!(f, "the function has {bytes} bytes of code; a jump takes 5"),
            Refusal::BranchIntoEntry => write!(f, "a branch leads into the first bytes of the function"),
            Refusal::Unmovable => write!(f, "an instruction among the first bytes of the function cannot be moved"),
            Refusal::Special(name) => write!(f, "{name} returns twice or looks at its caller"),
            Refusal::Ours(name) => write!(f, "{name} belongs to the dynamic linker or to midrun"),
            Refusal::NoRoom => write!(f, "no memory is free within reach of the function"),
            Refusal::System(what, error) => write!(f, "{what}: {error}"),
            Refusal::Architecture => write!(f, "functions can be hooked on x86-64 only"),
            Refusal::Processor(what) => write!(f, "the processor lacks {what}"),
            Refusal::ShadowStack => write!(f, "the processor checks return addresses (CET shadow stack)"),
            Refusal::Full(most) => write!(f, "{most} functions are hooked, more is not possible"),
            Refusal::Busy => {
                write!(f, "other threads that block SIGTRAP run; the function cannot be changed meanwhile")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The refusal for a system call that has just failed.
pub(crate) fn system(what: &'static str) -> Refusal {
    Refusal::System(what, std::io::Error::last_os_error().to_string())
}
