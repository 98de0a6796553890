//! Any text as a mapping description.
#![no_main]

use midrun_predict::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::mappings(text));
