//! C API: the sentences of the status codes and the names of the techniques.

use crate::guard::guard_value;
use crate::status::{
    ENDED, ERR_ARGUMENT, ERR_COUNT, ERR_INTERNAL, ERR_MEMORY, ERR_MPI, ERR_NO_WORKER, ERR_TASK, OFF, OK,
};
use midrun_scheduling::Technique;
use std::ffi::{c_char, c_int};

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_status_text(status: c_int) -> *const c_char {
    guard_value("midrun_status_text", c"unknown status".as_ptr(), || {
        match status {
            OK => c"done",
            OFF => c"not tuned: no agent, or midrun is switched off",
            ENDED => c"the master has finished: no iteration follows",
            ERR_ARGUMENT => c"an argument is out of its range; nothing was done",
            ERR_MPI => c"MPI is not initialised, or a call of it failed",
            ERR_NO_WORKER => {
                c"there is no worker: the communicator has one rank (start at least two), or all workers were lost"
            }
            ERR_TASK => c"a callback of the program returned non-zero",
            ERR_COUNT => c"a task was lost or computed twice (a defect of midrun)",
            ERR_MEMORY => c"out of memory",
            ERR_INTERNAL => c"a defect of midrun was caught; it is switched off",
            _ => c"unknown status",
        }
        .as_ptr()
    })
}

/// The spelling of version 0.1 of [`midrun_technique_name`].
#[unsafe(no_mangle)]
pub extern "C" fn midrun_policy_name(technique: u32) -> *const c_char {
    guard_value("midrun_policy_name", c"unknown".as_ptr(), || name_of(technique))
}

/// See `midrun.h`.
#[unsafe(no_mangle)]
pub extern "C" fn midrun_technique_name(technique: u32) -> *const c_char {
    guard_value("midrun_technique_name", c"unknown".as_ptr(), || name_of(technique))
}

fn name_of(technique: u32) -> *const c_char {
    match Technique::from_code(technique) {
        Some(Technique::None) => c"none",
        Some(Technique::Ss) => c"ss",
        Some(Technique::Fsc) => c"fsc",
        Some(Technique::Gss) => c"gss",
        Some(Technique::Fac2) => c"fac2",
        Some(Technique::Dpf) => c"dpf",
        Some(Technique::Daf) => c"daf",
        Some(Technique::Af) => c"af",
        Some(Technique::Tss) => c"tss",
        Some(Technique::Mfsc) => c"mfsc",
        Some(Technique::AwfB) => c"awf-b",
        Some(Technique::AwfC) => c"awf-c",
        None => c"unknown",
    }
    .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text(pointer: *const c_char) -> &'static str {
        // SAFETY: both functions return static C strings.
        unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
    }

    #[test]
    fn c_names_are_the_techniques_own_names() {
        for kind in Technique::ALL {
            assert_eq!(text(midrun_technique_name(kind.code())), kind.name());
        }
        assert_eq!(text(midrun_technique_name(99)), "unknown");
    }

    #[test]
    fn the_header_has_the_same_numbers() {
        let header = include_str!("../include/midrun.h");
        for (name, value) in [
            ("OK", OK),
            ("OFF", OFF),
            ("ENDED", ENDED),
            ("ERR_ARGUMENT", ERR_ARGUMENT),
            ("ERR_MPI", ERR_MPI),
            ("ERR_NO_WORKER", ERR_NO_WORKER),
            ("ERR_TASK", ERR_TASK),
            ("ERR_COUNT", ERR_COUNT),
            ("ERR_MEMORY", ERR_MEMORY),
            ("ERR_INTERNAL", ERR_INTERNAL),
        ] {
            let define = format!("#define MIDRUN_{name} {value}");
            assert!(header.lines().any(|line| line.split("/*").next().unwrap_or(line).trim_end() == define), "{name}");
            assert_ne!(text(midrun_status_text(value)), "unknown status", "{name}");
        }
    }
}
