//! Any text as the summary of a run.
#![no_main]

use midrun_cli::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::summary_of_a_run(text));
