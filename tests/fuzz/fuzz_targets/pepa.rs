//! Any text as a PEPA model.
#![no_main]

use midrun_predict::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::process_algebra(text));
