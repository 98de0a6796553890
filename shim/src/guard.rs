//! Catches panics at the C boundary: a panic switches the shim off and becomes a status.

use crate::{state, status};
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`. A panic switches the shim off for the rest of the run and returns [`status::ERR_INTERNAL`].
pub fn guard(name: &str, body: impl FnOnce() -> c_int) -> c_int {
    guard_value(name, status::ERR_INTERNAL, body)
}

/// As [`guard`], for functions that return no status; a panic returns `otherwise`.
pub fn guard_value<T>(name: &str, otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        state::switch_off(&format!("a defect was caught in {name}"));
        otherwise
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guard("a test", || status::OK), status::OK);
        assert_eq!(guard("a test", || panic!("on purpose")), status::ERR_INTERNAL);
        assert!(state::is_disabled(), "the shim is off for the rest of the run");
    }

    fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, all);
            } else if path.extension().is_some_and(|end| end == "rs") {
                all.push(path);
            }
        }
    }

    /// Functions of `source` that C can call, each with its body.
    fn entries(source: &str) -> impl Iterator<Item = (&str, &str)> {
        // A definition's name follows, or stands in a macro; the type of a function has none.
        let is_definition = |at: &usize| !source[*at + "extern \"C\" fn ".len()..].starts_with('(');
        source.match_indices("extern \"C\" fn ").map(|(at, _)| at).filter(is_definition).map(|at| {
            let text = &source[at + "extern \"C\" fn ".len()..];
            let name = &text[..text.find(['(', '<']).unwrap()];
            (name, &text[..text.find("\n}").unwrap()])
        })
    }

    #[test]
    fn every_function_that_c_can_call_catches_panics_and_no_write_can_panic() {
        let mut all = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
        let (mut checked, mut exported) = (0, 0);
        for path in all.iter().filter(|path| !path.ends_with("guard.rs")) {
            let source = std::fs::read_to_string(path).unwrap();
            exported += source.matches("#[unsafe(no_mangle)]\n").count();
            for (name, body) in entries(&source) {
                let body = body.split_once("{\n").unwrap().1;
                let first = body.lines().map(str::trim_start).find(|line| !line.starts_with("//")).unwrap_or_default();
                assert!(first.contains("guard"), "{name} of {} has no guard", path.display());
                checked += 1;
            }
            for print in ["println!", "print!", "dbg!"] {
                assert!(!source.contains(print), "{print} of {} panics where stderr fails", path.display());
            }
        }
        assert_eq!(
            checked,
            exported + 4,
            "each exported function, the handler of fork, three callbacks of divide and conquer"
        );
        assert!(exported > 25, "{exported}");
    }
}
