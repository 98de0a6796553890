//! What a machine lacks is skipped, said and counted; `tests/run` compares the count with the expected one.

use std::io::Write;

/// Notes that a test is skipped because of `why`. `MIDRUN_SKIPS` names the file that counts.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
    let Some(path) = std::env::var_os("MIDRUN_SKIPS") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{why}")).expect("the list of skips can be written");
}

/// Ends the test as skipped where `$there` is false.
#[macro_export]
macro_rules! need {
    ($there:expr, $why:expr) => {
        if !$there {
            $crate::skip::skip(&$why.to_string());
            return;
        }
    };
}
