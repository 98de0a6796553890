//! Any text as a state diagram.
#![no_main]

use midrun_predict::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::state_diagram(text));
