//! Any text as a tunlet in a file.
#![no_main]

use midrun_tunlets::scripted::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::tunlet(text));
