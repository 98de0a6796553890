//! `midrun WORDS` about a running job, as the user who started it.

use serde_json::Value;

use crate::mpi::command;
use crate::{Scratch, midrun};

/// Exit code and output of `midrun WORDS`.
pub fn ask(scratch: &Scratch, words: &[&str]) -> (i32, String) {
    let mut line = vec![midrun().display().to_string()];
    line.extend(words.iter().map(|word| (*word).to_owned()));
    let output = command(&line).envs(scratch.environment()).output().expect("midrun starts");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
    (output.status.code().expect("an exit code"), text.trim().to_owned())
}

/// Output of `midrun WORDS`, which must succeed.
pub fn succeed(scratch: &Scratch, words: &[&str]) -> String {
    let (code, text) = ask(scratch, words);
    assert_eq!(code, 0, "{words:?}: {text}");
    text
}

/// `midrun status --json MORE`, or `None` while there is no such job.
pub fn status(scratch: &Scratch, more: &[&str]) -> Option<Value> {
    let (code, text) = ask(scratch, &[&["status", "--json"], more].concat());
    (code == 0).then(|| serde_json::from_str(&text).expect("JSON"))
}
