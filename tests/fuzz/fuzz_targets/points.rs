//! Any text as a points file.
#![no_main]

use midrun_points::damaged;

libfuzzer_sys::fuzz_target!(|text: &str| damaged::points(text));
