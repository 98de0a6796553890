//! Raises the number of descriptors that a daemon may open to what the system allows.

/// Raises this process's soft limit to its hard limit. Only for daemons: programs that they start would inherit it.
pub fn raise() {
    // SAFETY: the structure is valid for the calls, which read and write nothing else.
    unsafe {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}
