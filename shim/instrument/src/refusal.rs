//! Why a function or variable cannot be reached or changed.

/// A reason, to be shown to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing of that name is there.
    #[error(
        "there is no {0} in the program or its libraries; it may have been inlined; midrun inspect lists what is there"
    )]
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
    /// Nothing of that name is there, and files cannot be read: the first one, for this reason.
    #[error("there is no {0}, and {1} cannot be read: {2}")]
    Unreadable(String, String, String),
    /// Several have the name: where.
    #[error("{0} is there more than once: {places}; give the symbol of one, or object:name", places = .1.join(", "))]
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
    refused(what, &std::io::Error::last_os_error())
}

/// The refusal for a failed call.
pub(crate) fn refused(what: &'static str, error: &std::io::Error) -> Refusal {
    Refusal::System(what, reason(error))
}

/// Why a call failed. Where the thread has a seccomp filter, which may be the reason, it names that.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let is_by_filter = error.kind() == std::io::ErrorKind::PermissionDenied && has_filter() != Some(false);
    if is_by_filter { format!("{error}, perhaps by a seccomp filter") } else { error.to_string() }
}

/// Whether the calling thread has a seccomp filter; `None` where /proc does not say, as where the filter refuses to open it.
fn has_filter() -> Option<bool> {
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?.trim() == "2")
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// `BPF_LD | BPF_W | BPF_ABS`, `BPF_JMP | BPF_JEQ | BPF_K` and `BPF_RET | BPF_K`.
    const LOAD: u16 = 0x20;
    const IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;

    /// Refuses a system call of this thread with EPERM from now on.
    fn refuse_call(call: libc::c_long) {
        let line = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
        let mut lines = [
            line(LOAD, 0, 0, 0),
            line(IF_EQUAL, 0, 1, call as u32),
            line(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
            line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: lines.len() as u16, filter: lines.as_mut_ptr() };
        // SAFETY: the first call takes numbers; the second reads the filter, which outlives it. Both change this thread only.
        let done = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
        };
        assert!(done, "{}", std::io::Error::last_os_error());
    }

    fn with_filter<T: Send + 'static>(call: libc::c_long, body: impl FnOnce() -> T + Send + 'static) -> T {
        let thread = std::thread::spawn(move || {
            refuse_call(call);
            body()
        });
        thread.join().expect("the thread ends well")
    }

    #[test]
    fn memory_that_a_seccomp_filter_keeps_from_being_changed_is_refused_with_that_reason_and_stays() {
        let page = || Box::leak(Box::new([7u8; 8192])).as_ptr() as usize;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let refusal = with_filter(libc::SYS_mprotect, move || {
            crate::memory::writable(page(), 1, access, || unreachable!("nothing is written")).unwrap_err().to_string()
        });
        assert!(refusal.starts_with("memory cannot be made writable: Operation not permitted"), "{refusal}");
        assert!(refusal.ends_with(", perhaps by a seccomp filter"), "{refusal}");
    }

    #[test]
    fn a_filter_that_keeps_proc_from_being_read_is_named_and_no_other_failure_is() {
        let make = |_| Ok((vec![0xc3], ()));
        let refusal = with_filter(libc::SYS_openat, move || {
            let near = a_filter_that_keeps_proc_from_being_read_is_named_and_no_other_failure_is as fn() as usize;
            crate::memory::place(near, |mut free| free.next_back(), make).unwrap_err().to_string()
        });
        assert!(refusal.starts_with("/proc/self/maps cannot be read: "), "{refusal}");
        assert!(refusal.ends_with(", perhaps by a seccomp filter"), "{refusal}");
        let other = refused("it", &std::io::Error::from_raw_os_error(libc::ENOMEM)).to_string();
        assert!(!other.contains("seccomp"), "{other}");
    }

    #[test]
    fn a_filter_that_hides_threads_or_the_files_of_libraries_is_named() {
        crate::threads::note_process();
        let threads = with_filter(libc::SYS_getdents64, || crate::threads::can_take(&[libc::SIGTRAP]).unwrap_err());
        let files = with_filter(libc::SYS_openat, || crate::symbols::function("no_such_name", None).unwrap_err());
        for (refusal, begin) in [(threads, "/proc/self/task, which shows"), (files, "there is no no_such_name, and ")] {
            let text = refusal.to_string();
            assert!(text.starts_with(begin) && text.ends_with(", perhaps by a seccomp filter"), "{text}");
        }
    }
}
