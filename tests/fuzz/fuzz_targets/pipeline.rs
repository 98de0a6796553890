//! Any text as a pipeline.
#![no_main]

use midrun_predict::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::pipeline(text));
