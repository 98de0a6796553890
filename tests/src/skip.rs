//! Tests that the machine cannot run are skipped and counted; `tests/run` compares the count with the expected one.

use std::io::Write;

/// Prints why a test is skipped and appends the reason to the file that `MIDRUN_SKIPS` names.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
    let Some(path) = std::env::var_os("MIDRUN_SKIPS") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{why}")).expect("the list of skips can be written");
}

/// Ends the test as skipped where `$there` is false; a function that returns something returns `$otherwise`.
#[macro_export]
macro_rules! need {
    ($there:expr, $why:expr $(, $otherwise:expr)?) => {
        if !$there {
            $crate::skip::skip(&$why.to_string());
            return $($otherwise)?;
        }
    };
}
