//! Any bytes as a recording.
#![no_main]

use midrun_analyzer::damaged;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| damaged::recording(bytes));
