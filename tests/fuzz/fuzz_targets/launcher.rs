//! Any words as the line of a launcher.
#![no_main]

use midrun_cli::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::launcher_line(text));
