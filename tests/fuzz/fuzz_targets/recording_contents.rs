//! Any bytes as the contents of a recording's frames.
#![no_main]

use midrun_analyzer::damaged;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| damaged::recording(&damaged::framed(bytes)));
