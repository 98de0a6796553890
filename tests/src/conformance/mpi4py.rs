//! The test suite of mpi4py, which calls nearly all of MPI.

use std::path::PathBuf;

use super::{Case, Verdict};
use crate::process::Ended;
use crate::{Mpi, root};

/// What `tests/run` has made: mpi4py built for an MPI.
pub fn python(mpi: Mpi) -> PathBuf {
    root().canonicalize().expect("the root").join("target/mpi4py").join(mpi.name()).join("bin/python")
}

/// Its sources, which have the tests.
pub fn suite() -> PathBuf {
    root().canonicalize().expect("the root").join("target/mpi4py/source/test/main.py")
}

/// The line that runs the parts of the suite whose names match `parts`.
pub fn line(mpi: Mpi, ranks: u32, parts: &str) -> Vec<String> {
    let mut line = mpi.line(ranks, &python(mpi));
    line.extend([suite().display().to_string(), "-q".into(), "-i".into(), parts.into()]);
    line
}

/// One case per file of the suite; none where mpi4py is not here.
pub fn cases(mpi: Mpi, ranks: u32) -> Vec<Case> {
    let folder = suite().parent().expect("a folder").to_owned();
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".py").map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| name.starts_with("test_") && python(mpi).is_file()).collect();
    names.sort();
    let case = |name: String| Case {
        suite: "mpi4py",
        mpi: mpi.name().to_owned(),
        line: line(mpi, ranks, &format!(r"^{name}\.py")),
        name,
        ranks,
        environment: Vec::new(),
        directory: std::env::temp_dir(),
        build: None,
        judge,
    };
    names.into_iter().map(case).collect()
}

/// What the suite says of each rank: how many tests ran, and how they ended.
pub fn said(out: &str) -> Vec<String> {
    // Lines of the ranks may run into each other; words do not.
    let words: Vec<&str> =
        out.split(|c: char| c.is_whitespace() || "(),-".contains(c)).filter(|word| !word.is_empty()).collect();
    let ends = |word: &str| {
        ["OK", "FAILED"].contains(&word) || ["skipped=", "failures=", "errors="].iter().any(|key| word.starts_with(key))
    };
    let ran = words.windows(2).filter(|two| two[0] == "Ran").map(|two| two.join(" "));
    let mut said: Vec<String> =
        ran.chain(words.iter().filter(|word| ends(word)).map(|word| (*word).to_owned())).collect();
    said.sort();
    said
}

fn judge(ended: &Ended) -> Verdict {
    let said = said(&ended.err);
    let has = |word: &str| said.iter().any(|said| said == word);
    let ran = has("OK") && !has("FAILED") && !has("Ran 0");
    match ended.code {
        0 if ran => Verdict::Passed(said.join(", ")),
        code => Verdict::Failed(format!("code {code}: {}", said.join(", "))),
    }
}
