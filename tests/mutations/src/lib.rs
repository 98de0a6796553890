//! Damages real files, for the tests of everything that reads what others wrote: a loop that runs with the stable compiler.
//!
//! Readers stand in a module `damaged` of their crate, and a target of `tests/fuzz` calls the same ones.

#![forbid(unsafe_code)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// Damaged files for each target, unless `MIDRUN_MUTATIONS` says how many.
const CASES: u64 = 400;
/// Numbers that readers forget.
const WORDS: [&str; 18] = [
    "0",
    "-1",
    "1e308",
    "-1e-308",
    "nan",
    "inf",
    "18446744073709551616",
    "4294967296",
    "0.1e",
    "\"",
    "{",
    "]",
    "\0",
    "\u{e9}",
    "\n",
    "..",
    "=",
    "null",
];

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Gives `read` damaged copies of `files`, the same ones for the same `MIDRUN_SEED` (0). Where `MIDRUN_CORPUS` names a folder, the files
/// are written there, for the fuzz target of this name to begin with.
///
/// # Panics
/// `read` does; the message has what repeats it.
pub fn damaged(target: &str, files: &[&[u8]], read: impl Fn(&[u8])) {
    if let Some(corpus) = std::env::var_os("MIDRUN_CORPUS") {
        write(&PathBuf::from(corpus).join(target), files).expect("the folder of MIDRUN_CORPUS can be written");
    }
    let (seed, cases) = (variable("MIDRUN_SEED", 0), variable("MIDRUN_MUTATIONS", CASES));
    assert!(files.iter().any(|file| !file.is_empty()), "there is no file to damage");
    for case in 0..cases {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(case)));
        let bytes = random.damage(files);
        if catch_unwind(AssertUnwindSafe(|| read(&bytes))).is_err() {
            let text = String::from_utf8_lossy(&bytes);
            panic!(
                "{target}: MIDRUN_SEED={} MIDRUN_MUTATIONS=1 repeats it; the file:\n{text}",
                seed.wrapping_add(case)
            );
        }
    }
}

/// As [`damaged`], for readers of text.
///
/// # Panics
/// As of [`damaged`].
pub fn damaged_texts(target: &str, files: &[&str], read: impl Fn(&str)) {
    let files: Vec<&[u8]> = files.iter().map(|file| file.as_bytes()).collect();
    damaged(target, &files, |bytes| read(&String::from_utf8_lossy(bytes)));
}

/// Each file under a name that its content gives it.
fn write(folder: &Path, files: &[&[u8]]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for file in files {
        let mut hasher = DefaultHasher::new();
        file.hash(&mut hasher);
        std::fs::write(folder.join(format!("{:016x}", hasher.finish())), file)?;
    }
    Ok(())
}

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.0.next_u64() % end as u64) as usize }
    }

    fn range(&mut self, bytes: &[u8], most: usize) -> std::ops::Range<usize> {
        let begin = self.below(bytes.len() + 1);
        begin..(begin + self.below(most + 1)).min(bytes.len())
    }

    fn damage(&mut self, files: &[&[u8]]) -> Vec<u8> {
        let other = files[self.below(files.len())];
        let mut bytes = files[self.below(files.len())].to_vec();
        for _ in 0..=self.below(6) {
            let at = self.range(&bytes, 24);
            match self.below(8) {
                0 => bytes.truncate(at.start),
                1 => drop(bytes.drain(at)),
                2 => drop(bytes.splice(at.start..at.start, bytes[at.clone()].to_vec())),
                3 => {
                    let part = self.range(other, 200);
                    drop(bytes.splice(at, other[part].iter().copied()));
                }
                4 => drop(bytes.splice(at, WORDS[self.below(WORDS.len())].bytes())),
                5 => drop(bytes.splice(self.number(&bytes), WORDS[self.below(WORDS.len())].bytes())),
                6 => at.for_each(|at| bytes[at] = u8::MAX),
                _ => {
                    if let Some(byte) = bytes.get_mut(at.start) {
                        *byte ^= 1 << self.below(8);
                    }
                }
            }
        }
        bytes
    }

    /// The digits that follow some place, if there are any.
    fn number(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let from = self.below(bytes.len() + 1);
        let begin = bytes[from..].iter().position(u8::is_ascii_digit).map_or(bytes.len(), |at| from + at);
        let end = bytes[begin..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |at| begin + at);
        begin..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    #[test]
    fn damage_is_repeatable_and_hardly_ever_none() {
        let files: [&[u8]; 2] = [b"a = 12\nb = [3, 4]\n", b"x = \"text\"\n"];
        let all = || {
            let seen = RefCell::new(BTreeSet::new());
            damaged("texts", &files, |bytes| {
                seen.borrow_mut().insert(bytes.to_vec());
            });
            seen.into_inner()
        };
        assert_eq!(all(), all());
        assert!(all().len() as u64 > CASES / 2);
    }

    #[test]
    #[should_panic(expected = "MIDRUN_MUTATIONS=1 repeats it")]
    fn a_reader_that_panics_is_told_with_its_file() {
        damaged("letters", &[b"abcdefgh"], |bytes| assert!(bytes.starts_with(b"abcdefgh")));
    }
}
